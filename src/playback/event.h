/* SPDX-License-Identifier: MIT */
/* event.h — one recorded fact of a market, whatever format it was read from, and the market that it is played into. */
#ifndef PLAYBACK_EVENT_H
#define PLAYBACK_EVENT_H

#include "model/decimal.h"
#include "model/enums.h"
#include "model/text.h"

enum playback_kind {
    PLAYBACK_LEVEL = 1, /* a level has `quantity` from now on; 0: it is gone */
    PLAYBACK_TRADE,     /* a taker of side `side` traded `quantity` at `price`; side 0: not recorded */
    PLAYBACK_SNAPSHOT,  /* the LEVELs up to SETTLED are the whole book */
    PLAYBACK_SETTLED,
    PLAYBACK_INDEX, /* the index price */
};

struct playback_event {
    int64_t        time_us; /* since 1970, or since midnight where the format has no date */
    uint64_t       order;   /* LEVEL: the recorded order that changed it; 0: not recorded */
    uint32_t       symbol;  /* number of the recorded symbol */
    uint8_t        kind;    /* enum playback_kind */
    uint8_t        side;    /* enum side */
    struct decimal price, quantity;
};

/* A symbol of the exchange. Prices have 10^-price_precision, quantities 10^-quantity_precision as unit, notionals the
 * product of both. A bound of 0 does not exist. */
struct playback_market {
    struct name name;
    uint32_t    symbol_id;
    uint8_t     market; /* enum market_kind */
    uint8_t     price_precision, quantity_precision;
    int64_t     tick, step;
    int64_t     min_price, max_price; /* inclusive; the largest price exists always, as all prices have one */
    int64_t     min_quantity, max_quantity, min_notional, max_notional;
    /* How far the price around which orders are taken goes in a step, in 1e-8 of it: on spot by a trade, as far as the
     * bands of buyers and sellers, 1e8 at most; on perps the mark within a second. */
    int64_t reach_up, reach_down;
};

/* The smallest and the largest quantity of an order at a price above 0, multiples of the step. */
int64_t playback_order_least(const struct playback_market *market, int64_t price);
int64_t playback_order_most(const struct playback_market *market, int64_t price);

#define PLAYBACK_WHY_BYTES 160

enum playback_part { PLAYBACK_FITS = 0, PLAYBACK_PRICE, PLAYBACK_QUANTITY };

/*
 * Price and quantity of an event in units of the market. With `round` a price goes to the next tick away from the
 * middle, bids and trades of sellers down, the others up, and a quantity down to the step. Without it whatever is no
 * multiple of tick and step is refused, and in both cases what is beyond the symbol's prices and all quantities: then
 * it says which of the two is wrong, and `why` is one sentence.
 */
enum playback_part playback_scale(const struct playback_market *market, const struct playback_event *event, bool round,
                                  int64_t *price, int64_t *quantity, char why[PLAYBACK_WHY_BYTES]) MUST_USE;

#endif
