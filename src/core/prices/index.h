/* SPDX-License-Identifier: MIT */
/*
 * index.h — where the index of a perps symbol comes from (mechanics 3.8; rulings 45, 68, 77): what feeders posted, a
 * price set by hand in development, or for a while the own spot book.
 */
#ifndef CORE_PRICES_INDEX_H
#define CORE_PRICES_INDEX_H

#include "core/perps/perps.h"
#include "core/state/refuse.h"

/*
 * Whether a post is authentic and fresh: of a feeder, with a seq above its last one (*last_seq), with a time of
 * now. In development now is the clock's, as for nonces (ruling 44).
 */
enum reject index_admit(const struct engine *e, const struct command *command, uint64_t *last_seq);

/* A post that was admitted, or a price set by hand. */
void index_post(struct apply_context *ctx, const struct oracle_post *post, struct result *result);
void index_set(struct apply_context *ctx, const struct set_index *command, struct result *result);

/* Whether the post at a place (a feeder's, or the last one: set by hand) counts at this time; and how many it takes for
 * an index. */
bool     index_post_is_valid(const struct engine *e, const struct perps_market *perps, uint32_t place);
uint32_t index_quorum(const struct engine *e, const struct perps_market *perps);

/* Index, mark and state before the first command. Only to be called by prices_init. */
void index_init(struct engine *e, const struct genesis *genesis, const struct market *market,
                struct perps_market *perps);

/*
 * TICK step 3 for one symbol: the median of the feeders' fresh posts, a jump held back until it is confirmed; without
 * a quorum the own spot book, within its drift; otherwise no price moves and the symbol is stale. *perp_mid: the
 * median of the feeders' perps prices elsewhere, 0 = none.
 */
void index_aggregate(struct engine *e, struct market *market, struct perps_market *perps, int64_t *perp_mid);

#endif
