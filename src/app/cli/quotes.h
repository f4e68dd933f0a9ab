/* SPDX-License-Identifier: MIT */
/*
 * quotes.h — what a source of prices says, as text: lines or one JSON object.
 *
 *     BTC-USD 100000.5            {"BTC-USD": 100000.5,
 *     ETH-USD 4000.25 4000.1       "ETH-USD": {"price": "4000.25", "perpMid": "4000.1"}}
 *
 * Numbers are read as they are written, never as floating point; digits behind a symbol's pricePrecision are
 * cut off. Symbols that the exchange does not list are passed over: a source may know more.
 */
#ifndef APP_CLI_QUOTES_H
#define APP_CLI_QUOTES_H

#include "base/slice.h"
#include "model/commands.h"

/* What the exchange lists. */
struct listed {
    struct name name;
    uint32_t    id, price_precision;
};
struct listing {
    uint32_t      count, reserved;
    struct listed symbols[ORACLE_PRICES_MAX];
};

struct quotes {
    uint32_t            count, strangers;          /* prices taken; symbols passed over */
    struct oracle_price prices[ORACLE_PRICES_MAX]; /* in price units, each symbol once: the last counts */
};

/* False: `error` is one sentence. A source that says nothing of what is listed is an error. */
bool quotes_read(struct slice text, const struct listing *listing, struct quotes *quotes, char *error,
                 size_t cap) MUST_USE;

#endif
