/* SPDX-License-Identifier: MIT */
/*
 * adl.h — the ADL rank of each position of an account among all positions of its symbol and side (mechanics 3.12),
 * counted by walking them. While there are few the walk is made for every request; with many an account's answer is
 * kept for a second.
 */
#ifndef PRESENT_ADL_H
#define PRESENT_ADL_H

#include "present/margin.h"

#define ADL_PLACES_FEW 2048 /* up to here a walk is cheap */
#define ADL_STAKES     256  /* copied at once */
#define ADL_SLOTS      64

struct adl_slot {
    uint64_t account_id; /* 0 = empty */
    int64_t  second;
    uint32_t groups[PERPS_MAX]; /* by symbol id - 1; 0 = not ranked then */
};

/* A thread's cache. */
struct adl_room {
    struct view_stake stakes[ADL_STAKES];
    struct adl_slot   slots[ADL_SLOTS];
};

/* By enum adl_mode of the genesis. The group of each of margin->positions: 1 to 5 of those in profit, 6 of the others,
 * 0 where there is no position. */
void adl_groups(struct adl_room *room, const struct views *views, uint8_t mode, const struct view_margin *margin,
                const struct margin_figures *figures, int64_t now_ms, uint32_t groups[PERPS_MAX]);

#endif
