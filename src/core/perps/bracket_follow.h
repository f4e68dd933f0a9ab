/* SPDX-License-Identifier: MIT */
/*
 * bracket_follow.h — a BRACKET's stops wake with its first fill, follow what it fills, share what they close, and go
 * with the position they protect (mechanics 4.3, 4.4; E12).
 */
#ifndef CORE_PERPS_BRACKET_FOLLOW_H
#define CORE_PERPS_BRACKET_FOLLOW_H

#include "core/perps/position.h"

/* The order was filled by `quantity`: a parent's children wake or grow, a child's sibling shrinks. */
void bracket_filled(struct apply_context *ctx, uint32_t ix, int64_t quantity);

/*
 * The position `id` of the row is closed or reversed: its attached orders end, or become dormant again while the
 * parent works.
 */
void bracket_position_gone(struct apply_context *ctx, struct position *position, uint64_t id);

#endif
