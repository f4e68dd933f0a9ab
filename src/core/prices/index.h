/* SPDX-License-Identifier: MIT */
/*
 * index.h — where the index of a perps symbol comes from (mechanics 3.8; rulings 45, 68, 77): what feeders posted, a
 * price set by hand in development, or for a while the own spot book.
 */
#ifndef CORE_PRICES_INDEX_H
#define CORE_PRICES_INDEX_H

#include "core/perps/perps.h"

/* Index, mark and state before the first command. Only to be called by prices_init. */
void index_init(struct engine *e, const struct genesis *genesis, const struct market *market,
                struct perps_market *perps);

/*
 * TICK step 3 for one symbol: the median of the feeders' fresh posts, a jump held back until it is confirmed; without a
 * quorum the own spot book, within its drift; else nothing moves and the symbol is stale. *perp_mid: the median of
 * what the feeders say the perps are worth elsewhere, 0 = nothing.
 */
void index_aggregate(struct engine *e, struct market *market, struct perps_market *perps, int64_t *perp_mid);

#endif
