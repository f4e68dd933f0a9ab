/* SPDX-License-Identifier: MIT */
/* SPDX-License-Identifier: MIT */
#ifndef CORE_PERPS_MARGIN_H
#define CORE_PERPS_MARGIN_H

#include "core/state/refuse.h"

/*
 * The amount that may leave the wallet (mechanics 3.3: amw), vUSDC units, at least 0. Without positions and perps
 * orders it is the wallet itself.
 */
int64_t margin_withdrawable(struct engine *e, uint32_t slot);

/*
 * Whether money may leave the account's positions: out of perps, or out of an isolated bucket (ruling 64). Not while
 * the account has a position, or an order that could open one, in a symbol whose prices are not live (held back,
 * FALLBACK, BOOTSTRAP, STALE or halted), or under a mode of the venue other than RUN. False: PRICES_NOT_LIVE in
 * *result, with the first such symbol and its state.
 */
bool margin_may_leave(const struct engine *e, uint32_t slot, struct result *result);

/*
 * Whether money of the cross account may go into an isolated bucket, where it would bear none of the cross account's
 * losses (ruling 64, decision 154): when no price of a cross position is unknown, because its symbol is held back,
 * FALLBACK, BOOTSTRAP, STALE or halted, or the venue cancels only. The second function refuses as margin_may_leave
 * does.
 */
bool margin_cross_is_priced(const struct engine *e, uint32_t slot);
bool margin_may_isolate(const struct engine *e, uint32_t slot, struct result *result);

#endif
