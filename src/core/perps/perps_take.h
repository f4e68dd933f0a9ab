/* SPDX-License-Identifier: MIT */
/*
 * perps_take.h — a perps order takes: the book gives candidates (match.h); this file decides which of them may be
 * filled, books both sides and updates the orders that a fill affects: reduce-only orders, brackets, stops of a closed
 * position (mechanics 3.4, 3.6, 3.7, 4.3).
 */
#ifndef CORE_PERPS_PERPS_TAKE_H
#define CORE_PERPS_PERPS_TAKE_H

#include "core/book/match.h"
#include "core/perps/perps_end.h"
#include "core/perps/reduce.h"

/* A perps taker: the generic one, and the rows and limits of its side. */
struct perps_taker {
    struct taker     taker;
    struct position *position;
    uint32_t         order_ix;
    bool             reduces;         /* reduce-only: never more than the position */
    bool             closed;          /* it has closed something: the check of its opening part assumed no loss */
    bool             opened_isolated; /* a fill opened or added to an isolated position */
    uint8_t          reason;          /* of fills: LIQUIDATION, or 0 */
    int128_t         worth;           /* of its unit, looked at before each fill that closes */
    int128_t         spare;           /* of its cross account beside all it has and this order, 0: not known */
};

/* Why it stopped, beside enum match_stop. */
enum { PERPS_STOP_REDUCED = 16, PERPS_STOP_INTEREST, PERPS_STOP_BANKRUPT, PERPS_STOP_MARGIN };

/* Takes as far as allowed; emits makers, levels, fills and positions. */
int perps_take(struct apply_context *ctx, struct market *market, struct perps_taker *taker);

/* Prefetches the memory that a trade with this maker touches; the second function reads what the first has prefetched.
 */
void perps_prefetch_trade(const struct engine *e, const struct order *maker);
void perps_prefetch_settlement(const struct engine *e, uint32_t taker, const struct order *maker);

/* Whether that much more open interest stays under the symbol's
   caps, half of them without feeders (mechanics 3.7, 3.8). */
bool perps_interest_fits(const struct engine *e, const struct market *market, int64_t added);

/* A position changed outside perps_take: trims reduce-only orders, and ends the orders attached to a closed one. */
void perps_after_change(struct apply_context *ctx, struct position *position, uint64_t id_before);

#endif
