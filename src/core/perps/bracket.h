/* SPDX-License-Identifier: MIT */
/*
 * bracket.h — parents and children: a BRACKET's stops wake with its first fill, follow what it fills, share
 * what they close, and go with the position they protect (mechanics 4.3, 4.4; E12).
 */
#ifndef CORE_PERPS_BRACKET_H
#define CORE_PERPS_BRACKET_H

#include "core/perps/perps_take.h"

/* The order was filled by `quantity`: a parent's children wake or grow, a child's sibling shrinks. */
void bracket_filled(struct apply_context *ctx, uint32_t ix, int64_t quantity);

/* A parent's quantity was replaced: children that sleep follow it. */
void bracket_replaced(struct apply_context *ctx, uint32_t ix);

/* What a child may still close: with its cap, what the parent has filled, and what both children have closed. */
int64_t bracket_open(const struct engine *e, uint32_t ix);

/* The order is about to leave the pool: children without a filled parent go, siblings of a finished child too. */
void bracket_left(struct apply_context *ctx, uint32_t ix);

/* The position `id` of the row is closed or turned: what was tied
   to it goes, or sleeps again while the parent works. */
void bracket_position_gone(struct apply_context *ctx, struct position *position, uint64_t id);

#endif
