/* SPDX-License-Identifier: MIT */
/*
 * fees.h — what a fill costs, and the tiers behind it (mechanics 2.6, ruling 32).
 *
 * Fees are taken from the coin received, per fill, rounded up; a maker's rebate is paid in the coin in
 * which the taker paid its fee, out of that fee, rounded down. Tiers follow from the volume of the last
 * 14 completed UTC days and are recomputed when a TICK rolls the day. Volume is counted in vUSDC (coin
 * 0): symbols quoted in another coin add nothing to it, because a tier must not depend on a price.
 */
#ifndef CORE_ACCOUNT_FEES_H
#define CORE_ACCOUNT_FEES_H

#include "core/state/state.h"

#define VOLUME_COIN 0

/* The rate of a maker (below 0: a rebate) and of a taker. */
int64_t fees_maker_rate(const struct engine *e, const struct market *market, uint32_t slot);
int64_t fees_taker_rate(const struct engine *e, const struct market *market, uint32_t slot);

/* The same by the tiers of an account on the market's side, with the table of that side. */
static inline int64_t fees_maker_rate_of(const struct fee_table *table, const struct market *market,
                                         const struct tiers *tiers)
{
    int64_t rebate = table->rebate_rate[tiers->rebate];

    return rebate != 0 ? rebate : market->maker_rate[tiers->tier][tiers->staking];
}
static inline int64_t fees_taker_rate_of(const struct market *market, const struct tiers *tiers)
{
    return market->taker_rate[tiers->tier][tiers->staking];
}

/* Where the trades of one taker in a market are counted: all 0 before the first of them. */
struct fees_counter {
    struct volume_day *taking;
    int64_t           *makers; /* of all users */
    uint32_t           place;  /* of the day */
};

/*
 * Adds a trade's value to the volumes of both users, by the rows of their accounts; volume_prefetch prefetches the
 * memory that this writes.
 */
void fees_count(struct engine *e, const struct market *market, const struct account *taker, const struct account *maker,
                int64_t value, struct fees_counter *counter);

/* At a new UTC day: drops old volume, recomputes tiers, emits those that changed. */
void fees_roll(struct apply_context *ctx);

/* The highest staking tier that a side's table has. */
uint32_t fees_staking_highest(const struct engine *e);

/*
 * Sets the staking tier of a user's accounts on both sides, at most the last one of each side's table; emits FEE_TIER
 * for changes.
 */
void fees_set_staking(struct apply_context *ctx, uint32_t user, uint8_t tier);

void fees_verify(const struct engine *e);

/* Appends a user's FEE_TIER of one side (enum market_kind). */
void fees_emit(const struct engine *e, struct events *events, uint8_t kind, uint32_t slot);

#endif
