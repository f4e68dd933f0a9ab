/* SPDX-License-Identifier: MIT */
/*
 * margin.h — the totals of an account's perps side: equity, margins, available amounts, and the amount that each open
 * order freezes (mechanics 3.3 to 3.5). From the views at one instant, with the arithmetic of the engine's decisions.
 */
#ifndef PRESENT_MARGIN_H
#define PRESENT_MARGIN_H

#include "model/genesis.h"
#include "rules/margin.h"
#include "views/views.h"

/* A position at the present mark; vUSDC units. Of a place that holds only a setting everything is 0. */
struct position_figures {
    int128_t cost, value, initial, maintenance, profit; /* C signed, N, posIM, MM, u */
    int128_t worst;                                     /* u at the worst price (ruling 63) */
};

/* vUSDC units, never rounded. */
struct margin_figures {
    int128_t                equity, maintenance, profit;         /* av = W + U, mm, U: of the cross account */
    int128_t                initial, required, reserve, buckets; /* cm, sum of IMreq = cm + ocm, oim, im */
    int128_t                available, isolated, transferable;   /* am, ami, amw */
    struct position_figures positions[PERPS_MAX];                /* of margin->positions[i] */
};

struct margin_terms {
    const struct genesis  *genesis;
    const struct contract *contracts; /* of genesis->perps, complete */
};

/*
 * All figures of an account; `frozen[i]`, one per order, is the addition of orders[i] to its symbol's worst case, 0
 * for one that does not rest or only reduces (mechanics 3.4). `room` is for as many numbers.
 */
void margin_figures(const struct margin_terms *terms, const struct view_margin *margin,
                    const struct perps_order_changed *orders, uint32_t count, int128_t *frozen, uint32_t *room,
                    struct margin_figures *figures);

/* The mark at which the unit of margin->positions[i] is liquidated; 0 = none (mechanics 3.11). */
int64_t margin_liquidation_of(const struct margin_terms *terms, const struct view_margin *margin,
                              const struct margin_figures *figures, uint32_t i);

/* |value| / |quantity| as a price, 4 decimals finer than the
   symbol's, half up (mechanics 1.3); 0 without a quantity. */
struct wide_decimal margin_average(const struct symbol *symbol, int power, int128_t value, int64_t quantity);

#endif
