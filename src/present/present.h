/* SPDX-License-Identifier: MIT */
/*
 * present.h — what a thread needs to show units as the records of wire 1 in decimals: where the facts are, and room for
 * the perps side of one account. One for each thread that answers or pushes.
 */
#ifndef PRESENT_PRESENT_H
#define PRESENT_PRESENT_H

#include "history/history.h"
#include "model/shapes_perps.h"
#include "present/adl.h"
#include "present/margin.h"
#include "wire/rows.h"

#define ORDERS_SHOWN_MAX 4096 /* of an account; above any open-order rule with which lists are promised uncut */

/* An account's perps side: the last values read, and its records. */
struct perps_room {
    struct view_margin          margin;
    struct margin_figures       figures;
    struct perps_order_changed  orders[ORDERS_SHOWN_MAX];
    uint32_t                    order_count;
    int128_t                    frozen[ORDERS_SHOWN_MAX];
    uint32_t                    numbers[ORDERS_SHOWN_MAX];
    struct perps_order_record   order_records[ORDERS_SHOWN_MAX];
    struct position_record      position_records[PERPS_MAX];
    struct perps_balance_record balances[COINS_MAX];
    struct perps_setting_record settings[PERPS_MAX];
    struct adl_room             adl;
};

struct present {
    const struct genesis  *genesis;
    struct views          *views;
    struct history        *history;
    const struct row_form *perps_state_form;
    struct contract        contracts[PERPS_MAX]; /* complete; never changes */
    struct perps_room      perps;
};

/* Of zeroed memory. What it is given stays where it is, and `forms` is initialized. */
void present_init(struct present *present, const struct genesis *genesis, struct views *views, struct history *history,
                  struct row_forms *forms);

#endif
