/* SPDX-License-Identifier: MIT */
/*
 * leg.h — one side of a fill on a position's cost basis (mechanics 1.5, E4). Whatever the rounding of the
 * cost removed, W - C of the two sides together does not change, because the result takes the difference.
 */
#ifndef RISK_LEG_H
#define RISK_LEG_H

#include "base/fixed.h"

/* What a position owns: signed size, isolated bucket (0 for cross), signed cost. */
struct stake {
    int64_t  size, bucket;
    int128_t cost;
};

struct leg {
    int64_t  opened, closed;            /* quantities                                                    */
    int128_t open_value, close_value;   /* their parts of the notional                                   */
    int128_t realized;                  /* of the part closed                                            */
    int128_t cash;                      /* change of the wallet: realised and released, less margin moved */
};

/*
 * A leg of `quantity` (signed) at notional `value` > 0. `isolated`: what opens takes ceil(value / leverage)
 * from the wallet into the bucket, what closes gives its share of the bucket back.
 */
struct leg leg_apply(struct stake *stake, int64_t quantity, int128_t value, bool isolated, uint32_t leverage);

#endif
