/* SPDX-License-Identifier: MIT */
/*
 * bracket.h — parents and children: the quantity that a child of a BRACKET may close, and how it wakes (mechanics 4.3;
 * E12). The effects of fills and ends on a group are in bracket_follow.h and perps_end.h.
 */
#ifndef CORE_PERPS_BRACKET_H
#define CORE_PERPS_BRACKET_H

#include "core/perps/position.h"

/* A child's ties: to its parent and to the other child. */
enum { TO_PARENT = 0, TO_SIBLING = 1 };

/* The other child and its slot; NULL and 0 when there is none. */
static inline struct stop *bracket_sibling_of(const struct engine *e, const struct stop *child, uint32_t *ix)
{
    *ix = child->relation[TO_SIBLING];
    return *ix == 0 ? NULL : stop_at(e, *ix);
}

/*
 * The quantity that an active child may still close when the parent has filled `parent_filled`: min(cap,
 * parent_filled), of a child without a cap parent_filled, less the fills of both children, at least 0 (E12).
 */
int64_t bracket_active_open(const struct engine *e, uint32_t child_ix, int64_t parent_filled);

/* A dormant child is armed for `open`, for the position that its parent has just made or joined. */
void bracket_wake(struct apply_context *ctx, uint32_t ix, int64_t open);

/* The quantity shown for a child before it wakes: its cap, or all of its parent. */
int64_t bracket_dormant_quantity(const struct engine *e, uint32_t ix);

/* A parent's quantity was replaced: children that sleep follow it. */
void bracket_replaced(struct apply_context *ctx, uint32_t ix);

/*
 * The same in the order's present state: of a child that sleeps what is shown less its fills, while its parent is open
 * by the parent's fills, of any other what is open of it, at most its cap.
 */
int64_t bracket_open(const struct engine *e, uint32_t ix);

#endif
