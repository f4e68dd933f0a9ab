/* SPDX-License-Identifier: MIT */
/*
 * draw.h — numbers that look random: a function of a rule's seed, of how often the rule has matched, and of how many
 * numbers were drawn for that match before. Nothing is kept, so the same seed draws the same.
 */
#ifndef CHAOS_DRAW_H
#define CHAOS_DRAW_H

#include "base/mix.h"

/* For what a number is drawn: each purpose has numbers of its own. */
enum draw_purpose { DRAW_HIT = 1, DRAW_IN, DRAW_OUT };

struct draw {
    uint64_t seed, match; /* match: which one of the rule's, from 1 */
    uint32_t purpose, count;
};

/* 64 bits. */
static inline uint64_t draw_bits(struct draw *draw)
{
    uint64_t place = mix_u64(draw->seed + UINT64_C(0x9e3779b97f4a7c15) * draw->match);

    draw->count += 1;
    return mix_u64(place + (uint64_t)draw->purpose * UINT64_C(0xd1342543de82ef95) + draw->count);
}

/* 0 .. below - 1; below is at least 1. */
static inline uint64_t draw_below(struct draw *draw, uint64_t below)
{
    return (uint64_t)(((uint128_t)draw_bits(draw) * below) >> 64);
}

#endif
