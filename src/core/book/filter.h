/* SPDX-License-Identifier: MIT */
/*
 * filter.h — the filter tables: rules of price, quantity and value (spot place rules 5 to 9).
 *
 * A draft is a requested order, in the units of its symbol. Rows are checked in the order of mechanics 2.1; the first
 * that fails is the answer, with the value sent and the value required.
 */
#ifndef CORE_BOOK_FILTER_H
#define CORE_BOOK_FILTER_H

#include "core/state/market.h"
#include "core/state/refuse.h"

struct draft {
    const struct market *market;
    uint8_t              side, type, time_in_force;
    int64_t              price, quantity, funds; /* 0 = not given */
};

/* The symbol exists and trades. */
bool filter_symbol(const struct engine *e, const struct market *market, uint64_t symbol_id, struct result *result);

/* Decimals into units: at most so many decimals, and no more than the engine can hold (rules 5, 6, 8). */
bool filter_read_price(struct draft *draft, struct decimal price, struct result *result);
bool filter_read_quantity(struct draft *draft, struct decimal quantity, struct result *result);
bool filter_read_funds(const struct engine *e, struct draft *draft, struct decimal funds, struct result *result);

/* The rows of rules 5, 6, 7, 8 and 9; each looks only at what is given. */
bool filter_price(const struct draft *draft, struct result *result);
bool filter_quantity(const struct draft *draft, struct result *result);
bool filter_market_quantity(const struct draft *draft, struct result *result);
bool filter_value(const struct engine *e, const struct draft *draft, struct result *result);
bool filter_band(const struct draft *draft, struct result *result);

/* Whether a limit price keeps rule 9 for certain, as nearly all do; false when filter_band must say. */
bool filter_in_band(const struct market *market, uint8_t side, int64_t price);

#endif
