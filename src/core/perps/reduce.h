/* SPDX-License-Identifier: MIT */
/* reduce.h — resting reduce-only orders never sum to more than the position they close (mechanics 3.6). */
#ifndef CORE_PERPS_REDUCE_H
#define CORE_PERPS_REDUCE_H

#include "core/perps/position.h"

/* The order comes to rest, behind all others at its price. Its level has to be emitted before another one. */
void perps_queue(struct engine *e, struct market *market, uint32_t ix);

/* Shrinks and cancels resting reduce-only orders until they fit the position (mechanics 3.6). */
void perps_trim(struct apply_context *ctx, struct position *position);

/* Which of the account's reduce-only orders leave how much room for one more at this price (mechanics 3.6). */
int64_t perps_reduce_room(const struct engine *e, const struct position *position, uint8_t side, int64_t price);

#endif
