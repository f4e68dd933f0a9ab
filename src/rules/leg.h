/* SPDX-License-Identifier: MIT */
/*
 * leg.h — one side of a fill on a position's cost basis (mechanics 1.5, E4). Whatever the rounding of the
 * cost removed, W - C of the two sides together does not change, because the result takes the difference.
 */
#ifndef RULES_LEG_H
#define RULES_LEG_H

#include "base/fixed.h"

/* What a position owns: signed size, isolated bucket (0 for cross), signed cost. */
struct exposure {
    int64_t  size, bucket;
    int128_t cost;
};

struct leg {
    int64_t  opened, closed;          /* quantities */
    int128_t open_value, close_value; /* their parts of the notional */
    int128_t realized;                /* of the part closed */
    int128_t cash;                    /* change of the wallet: realised and released, less margin moved */
};

/*
 * The two kinds of leg there are, for whoever knows which one it is: `closed` > 0 of what is held, at most all of it,
 * or `opened` > 0 on the side that is held, if any. Inline, and each with what only it needs, because a trade works out
 * two.
 */
static inline struct leg leg_close(struct exposure *exposure, int64_t closed, int128_t value, bool isolated);
static inline struct leg leg_open(struct exposure *exposure, int64_t quantity, int128_t value, int64_t margin);

/*
 * What an isolated opening moves into the bucket (mechanics 3.5, ruling 65): ceil(value / leverage), of a sale below
 * `worst` that of the value at it, and what it loses at `worst`, as mechanics 3.4 reserved it. worst: the worst price
 * for what `quantity` (signed) opens, 0 = its own; power: k of mechanics 1.2.
 */
struct leg_terms {
    uint32_t leverage;
    int      power;
    int64_t  worst;
};
int64_t leg_margin(const struct leg_terms *terms, int64_t quantity, int128_t value);

/*
 * A leg of `quantity` (signed) at notional `value` > 0. `terms`: of an isolated row, where the opening part moves
 * leg_margin from the wallet into the bucket and the closing part returns its share of the bucket; NULL for a cross
 * row.
 */
struct leg leg_apply(struct exposure *exposure, int64_t quantity, int128_t value, const struct leg_terms *terms);

/* The closing part's share of the bucket, rounded down; funding may have taken a bucket below zero. */
int64_t leg_bucket_share(int64_t bucket, int64_t closed, int64_t held);

static inline struct leg leg_close(struct exposure *exposure, int64_t closed, int128_t value, bool isolated)
{
    int64_t  held = exposure->size < 0 ? -exposure->size : exposure->size, sign = exposure->size < 0 ? -1 : 1;
    bool     whole = closed == held;
    int128_t basis = sign < 0 ? -exposure->cost : exposure->cost,
             cost = whole ? basis : div_floor(basis * closed, held);
    int128_t   result = value - cost;
    struct leg leg = { .closed = closed, .close_value = value, .realized = sign < 0 ? -result : result };

    assert(closed > 0 && closed <= held && value >= 0 && basis >= 0);
    leg.cash = leg.realized;
    exposure->cost -= sign < 0 ? -cost : cost;
    exposure->size -= sign * closed;
    if (isolated) {
        int64_t released = whole ? exposure->bucket : leg_bucket_share(exposure->bucket, closed, held);
        exposure->bucket -= released;
        leg.cash += released;
    }
    assert(!whole || (exposure->cost == 0 && (!isolated || exposure->bucket == 0)));
    return leg;
}

/* `margin`: what goes into the bucket, 0 of a cross row. */
static inline struct leg leg_open(struct exposure *exposure, int64_t quantity, int128_t value, int64_t margin)
{
    struct leg leg = { .opened = quantity < 0 ? -quantity : quantity, .open_value = value };

    assert(quantity != 0 && value >= 0 && (exposure->size == 0 || (exposure->size > 0) == (quantity > 0)));
    exposure->size += quantity;
    exposure->cost += (value ^ (quantity >> 63)) - (quantity >> 63); /* the side changes every other time */
    assert(margin >= 0);
    exposure->bucket += margin;
    leg.cash = -margin;
    return leg;
}

#endif
