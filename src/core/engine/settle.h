/* SPDX-License-Identifier: MIT */
/*
 * settle.h — delisting of a perps symbol (mechanics 3.15): announced by the operator, never at a price that a person
 * picks.
 *
 *   OPEN -> SETTLING -> CLOSING -> SETTLED
 *
 * From the announcement on orders only reduce, and open interest only falls. In the window before the instant every
 * TICK adds the index to an average, by the seconds since the last TICK; while the index is stale nothing is added. At
 * the first TICK at or after the instant that has a full window the average is the price: index and mark stay at it,
 * every order ends as SETTLEMENT, deficits are covered as in deleveraging (fund first, then the other side) and the
 * remaining longs and shorts are closed against each other by account. The work of one TICK is bounded; the price
 * stays the same and no trade is possible meanwhile, so the TICK in which a position is closed does not matter.
 */
#ifndef CORE_ENGINE_SETTLE_H
#define CORE_ENGINE_SETTLE_H

#include "core/book/filter.h"
#include "core/perps/perps.h"

#define SETTLE_NOTICE_MS     INT64_C(86400000)
#define SETTLE_NOTICE_MAX_MS (INT64_C(3650) * DAY_MS)
#define SETTLE_WINDOW_MS     3600000
#define SETTLE_PER_TICK      2000

/* The rules, with their defaults where a genesis is older than they are. */
static inline int64_t settle_notice_ms(const struct rules *rules)
{
    return rules->settlement_notice_ms != 0 ? rules->settlement_notice_ms : SETTLE_NOTICE_MS;
}
static inline int64_t settle_window_ms(const struct rules *rules)
{
    return rules->settlement_window_ms != 0 ? rules->settlement_window_ms : SETTLE_WINDOW_MS;
}
static inline uint32_t settle_per_tick(const struct rules *rules)
{
    return rules->settlements_per_tick != 0 ? rules->settlements_per_tick : SETTLE_PER_TICK;
}

/* Announces, or withdraws, a settlement. False with the reject when it may not be. */
bool settle_announce(struct apply_context *ctx, const struct settle_symbol *command, struct result *result);

/* Moves the symbol between PHASE_OPEN and PHASE_REDUCE_ONLY; an announced settlement is reduce-only already. */
void settle_restrict(struct apply_context *ctx, struct market *market, bool reduce_only);

/* The part of a TICK that settles, behind the prices; `goes_on`: prices have not moved, so nothing is sampled. */
void settle_tick(struct apply_context *ctx, bool goes_on);

/* The next announced instant, INT64_MAX = none; and whether one is announced or waits for its samples. */
int64_t settle_due_ms(const struct engine *e);
bool    settle_waits(const struct engine *e);

/* I37, I38: the state agrees with the phase. */
void settle_verify(const struct engine *e, uint8_t number);

#endif
