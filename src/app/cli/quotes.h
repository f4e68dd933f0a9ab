/* SPDX-License-Identifier: MIT */
/*
 * quotes.h — prices from a source, as text: lines or one JSON object.
 *
 *     BTC-USD 100000.5            {"BTC-USD": 100000.5,
 *     ETH-USD 4000.25 4000.1       "ETH-USD": {"price": "4000.25", "perpMid": "4000.1"}}
 *
 * Numbers are read as they are written, never as floating point; digits beyond a symbol's pricePrecision are cut off.
 * Symbols that the exchange does not list are skipped.
 */
#ifndef APP_CLI_QUOTES_H
#define APP_CLI_QUOTES_H

#include "base/slice.h"
#include "model/commands.h"

/* The symbols that the exchange lists. */
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

/* False: `error` is one sentence. A source without any listed symbol is an error. */
bool quotes_read(struct slice text, const struct listing *listing, struct quotes *quotes, char *error,
                 size_t cap) MUST_USE;

#endif
