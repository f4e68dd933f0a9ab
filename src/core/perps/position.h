/* SPDX-License-Identifier: MIT */
/*
 * position.h — what a fill does to a position: cost, wallet, bucket, record, open interest (mechanics 1.5,
 * 3.1). It decides nothing about whether the fill may happen.
 */
#ifndef CORE_PERPS_POSITION_H
#define CORE_PERPS_POSITION_H

#include "core/perps/risk_unit.h"

/* One side of a fill, as it was agreed. */
struct side_of_fill {
    struct position *position;
    int64_t          quantity;        /* signed */
    int128_t         value;           /* quote units, the integer both sides use */
    int64_t          fee;             /* below 0: a rebate */
    int64_t          rate;            /* of a maker's fee, 0 for a rebate */
    int64_t          fund_fee;        /* of a forced sale, beside the fee: the insurance fund's */
    uint8_t          reason;          /* enum end_reason of a position that closes; 0 = by trading */
    int64_t          take_over_price; /* of a take-over, 0 = none */
};

/*
 * Books the side: a flip closes one record and opens another. Appends POSITION (twice for a flip) and moves the
 * wallet; fees go to the vault, rebates come from it, so the other side's fee must be booked first.
 */
void position_fill(struct apply_context *ctx, const struct side_of_fill *side);

/*
 * The most that the fee of a fill may be: a closing fill pays it out of its unit's remaining equity (mechanics 3.4),
 * which is `worth` before.
 */
int64_t position_fee_most(const struct engine *e, const struct side_of_fill *side, int128_t worth);

/* The row as it would be after a fill without fee, wallet change in *cash; the engine is not changed. */
struct exposure position_after(const struct engine *e, const struct position *position, int64_t quantity,
                               int128_t value, int128_t *cash);

/*
 * The change of a cross unit's equity by a fill before its fee, profit at the mark included: the value at mark of the
 * new position, less that of the old one, less the price paid. No leg has to be computed: an amount that a leg takes
 * from the cost goes to the wallet of the same unit (leg_apply asserts it), so roundings cancel out.
 */
int128_t position_gain(const struct engine *e, const struct position *position, int64_t quantity, int128_t value);

/* The same with both sizes valued at their worst price (ruling 63), each at its own where the side changes. */
int128_t position_gain_worst(const struct engine *e, const struct position *position, int64_t quantity, int128_t value);

/* How much open interest a fill of these signed sizes adds: longs after less longs before. */
static inline int64_t long_part(int64_t size) { return size > 0 ? size : 0; }

/* Appends POSITION; `take_over_price` 0: it was not taken over. */
void position_emit(struct apply_context *ctx, const struct position *position, uint8_t reason, int64_t take_over_price);

/* Pays (> 0) or gets (< 0) a sum that no trade made: funding, a liquidation's residue. Counted in the record. */
void position_pay(struct engine *e, struct position *position, int128_t amount);

#endif
