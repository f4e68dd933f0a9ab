/* SPDX-License-Identifier: MIT */
/*
 * depth.h — the quantities of one side of a book, ordered by price.
 *
 * All books share one pool of nodes; a side is the index of its root. The tree is a treap: a search
 * tree by price and a heap by a random number that each node draws, so that no sequence of prices a
 * client could choose makes it deep. No reply shows its form.
 *
 * Invariants: prices of the left subtree are lower, of the right one higher; priorities of children
 * are not above their parent's; no node holds a quantity of 0; index 0 means "none".
 */
#ifndef VIEWS_DEPTH_H
#define VIEWS_DEPTH_H

#include "views/views.h"

struct depth_node {
    int64_t  price, quantity;
    uint32_t left, right;
    uint32_t priority;
    uint32_t side; /* whose price it is; 0 = given back */
};

#define DEPTH_RECENT 1024 /* a power of two */

struct depth_pool {
    struct depth_node *nodes;                /* nodes[0] is never used */
    uint32_t           cap;                  /* nodes there are, the unused first included */
    uint32_t           used;                 /* nodes ever touched */
    uint32_t           free;                 /* list of given back nodes, through `left` */
    uint32_t           random;               /* state of the priorities, never 0 */
    uint32_t           recent[DEPTH_RECENT]; /* by side and price: the node that was set last; 0 = none */
};

void depth_pool_init(struct depth_pool *pool, struct depth_node *nodes, uint32_t cap, uint32_t seed);

/*
 * Sets the quantity at a price of the side with this root; 0 removes it. `side` is a number of the side's own, not 0. A
 * price that was set lately is found without a walk. A full pool is asserted: it is sized above the core's.
 */
void depth_set(struct depth_pool *pool, uint32_t *root, uint32_t side, int64_t price, int64_t quantity);

/* Copies the first `limit` levels from the highest or lowest price on; returns how many. */
uint32_t depth_copy(const struct depth_pool *pool, uint32_t root, bool highest_first, uint32_t limit,
                    struct view_level *levels);

#endif
