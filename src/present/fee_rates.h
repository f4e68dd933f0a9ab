/* SPDX-License-Identifier: MIT */
/* fee_rates.h — what a user pays, as reads show it and margins count it. */
#ifndef PRESENT_FEE_RATES_H
#define PRESENT_FEE_RATES_H

#include "model/genesis.h"
#include "views/views.h"

/* Rates of a user, 1e-8 of the traded value, of one symbol or (NULL) in general (mechanics 2.6, ruling 32); discounts
 * are in. */
struct fee_rates {
    int64_t maker, taker;
};
struct fee_rates fee_rates_of(const struct fee_table *table, const struct symbol *symbol, struct view_fee_tier tier);

#endif
