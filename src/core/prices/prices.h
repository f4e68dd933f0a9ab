/* SPDX-License-Identifier: MIT */
/*
 * prices.h — index, mark, premium and funding of every perps symbol, moved by TICKs (mechanics 3.8 to 3.10).
 * Feeders' posts only take effect here, so a replay with the same TICKs finds the same prices.
 */
#ifndef CORE_PRICES_PRICES_H
#define CORE_PRICES_PRICES_H

#include "core/book/filter.h"
#include "core/perps/position.h"

/*
 * Whether a post is authentic and fresh: of a feeder, with a seq above its last one (*last_seq), with a time of
 * now. In development now is the clock's, as for nonces (ruling 44).
 */
enum reject prices_admit(const struct engine *e, const struct command *command, uint64_t *last_seq);

/* A post that was admitted, or a price set by hand. */
void prices_post(struct apply_context *ctx, const struct oracle_post *post, struct result *result);
void prices_set(struct apply_context *ctx, const struct set_index *command, struct result *result);

/* Whether the post at a place (a feeder's, or the last one: set by hand)
   counts at this time; and how many it takes for an index. */
bool     prices_post_is_valid(const struct engine *e, const struct perps_market *perps, uint32_t place);
uint32_t prices_quorum(const struct engine *e, const struct perps_market *perps);

/* TICK steps 3 to 6: aggregation, premium sample, mark, funding; of
   each second that a quiet exchange left out (quiet.h). */
void prices_tick(struct apply_context *ctx);

/*
 * Index and mark of a fresh symbol: its listing reference price. Where the genesis says that these count as set by
 * hand (development, ruling 77), every symbol is LIVE at once; else the symbols begin with BOOTSTRAP.
 */
void prices_init(struct engine *e, const struct genesis *genesis);

/* Appends PRICE for every symbol whose prices, rate, state or open interest changed since the last call. */
void prices_emit(struct apply_context *ctx);

#endif
