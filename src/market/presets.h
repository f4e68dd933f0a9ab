/* SPDX-License-Identifier: MIT */
/* presets.h — who the traders are, the numbers of each market, and what everybody begins with. Inside the room only. */
#ifndef MARKET_PRESETS_H
#define MARKET_PRESETS_H

#include "market/market.h"

/* Kinds of traders, in the order of their numbers. */
#define MAKERS    6
#define NOISE     6
#define MOMENTUM  2
#define REVERTERS 2
#define LEVERAGED 2

enum {
    FIRST_MAKER = 0,
    FIRST_NOISE = FIRST_MAKER + MAKERS,
    FIRST_MOMENTUM = FIRST_NOISE + NOISE,
    FIRST_REVERTER = FIRST_MOMENTUM + MOMENTUM,
    ARBITRAGEUR = FIRST_REVERTER + REVERTERS,
    FIRST_LEVERAGED = ARBITRAGEUR + 1,
    TRADERS_END = FIRST_LEVERAGED + LEVERAGED,
};
static_assert(TRADERS_END == MARKET_TRADERS, "told in market.h");

#define USD INT64_C(1000000) /* units of vUSDC, precision 6 */

/* What a preset sets; rates and sizes of an ordinary market are 100. */
struct preset {
    uint32_t makers;     /* how many of them quote */
    uint32_t spread;     /* per cent of the ordinary distances */
    uint32_t size;       /* per cent of the ordinary quantities */
    uint32_t takers;     /* per cent of the ordinary rate */
    uint32_t volatility; /* per cent of the ordinary deviation */
    uint32_t jumps;      /* likewise, of the size of jumps */
    int32_t  drift;      /* of the indexes, 1e-6 an hour */
    bool     returns;    /* the indexes are drawn back to the listing references */
    bool     crashes;
};

/* Of a preset that has steps (market_due_ms). */
const struct preset *preset_of(const struct market_knobs *knobs);

/* What a trader begins with of a coin on a side, units of the coin. */
int64_t opening_amount(uint32_t trader, const struct genesis *genesis, uint8_t market, uint32_t coin_id);

#endif
