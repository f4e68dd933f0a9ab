/* SPDX-License-Identifier: MIT */
#include "views/depth.h"

void depth_pool_init(struct depth_pool *pool, struct depth_node *nodes, uint32_t cap, uint32_t seed)
{
    *pool = (struct depth_pool){ .nodes = nodes, .cap = cap, .used = 1, .random = seed | 1 };
}

/* Xorshift: random enough to balance a tree; no client sees the numbers. */
static uint32_t next_priority(struct depth_pool *pool)
{
    pool->random ^= pool->random << 13;
    pool->random ^= pool->random >> 17;
    pool->random ^= pool->random << 5;
    return pool->random;
}

static uint32_t node_take(struct depth_pool *pool, uint32_t side, int64_t price, int64_t quantity)
{
    uint32_t ix = pool->free;

    if (ix != 0) pool->free = pool->nodes[ix].left;
    else ix = pool->used++;
    assert(ix < pool->cap);
    pool->nodes[ix] =
        (struct depth_node){ .price = price, .quantity = quantity, .priority = next_priority(pool), .side = side };
    return ix;
}

static void node_give(struct depth_pool *pool, uint32_t ix)
{
    pool->nodes[ix].left = pool->free;
    pool->nodes[ix].side = 0;
    pool->free = ix;
}

/* The link that leads to the node of a price, or to the 0 where it would hang. */
static uint32_t *link_of(struct depth_pool *pool, uint32_t *root, int64_t price)
{
    while (*root != 0 && pool->nodes[*root].price != price) {
        struct depth_node *node = &pool->nodes[*root];
        root = price < node->price ? &node->left : &node->right;
    }
    return root;
}

/* Cuts a tree into the nodes below and above a price that is not in it. */
static void split(struct depth_pool *pool, uint32_t root, int64_t price, uint32_t *below, uint32_t *above)
{
    while (root != 0) {
        struct depth_node *node = &pool->nodes[root];
        if (node->price < price) {
            *below = root;
            below = &node->right;
            root = node->right;
        } else {
            *above = root;
            above = &node->left;
            root = node->left;
        }
    }
    *below = *above = 0;
}

/* Joins two trees of which all prices of the first are lower. */
static void join(struct depth_pool *pool, uint32_t low, uint32_t high, uint32_t *link)
{
    while (low != 0 && high != 0) {
        if (pool->nodes[low].priority > pool->nodes[high].priority) {
            *link = low;
            link = &pool->nodes[low].right;
            low = *link;
        } else {
            *link = high;
            link = &pool->nodes[high].left;
            high = *link;
        }
    }
    *link = low != 0 ? low : high;
}

static void insert(struct depth_pool *pool, uint32_t *root, uint32_t ix)
{
    struct depth_node *node = &pool->nodes[ix];

    while (*root != 0 && pool->nodes[*root].priority >= node->priority) {
        struct depth_node *parent = &pool->nodes[*root];
        root = node->price < parent->price ? &parent->left : &parent->right;
    }
    split(pool, *root, node->price, &node->left, &node->right);
    *root = ix;
}

static uint32_t *recent_of(struct depth_pool *pool, uint32_t side, int64_t price)
{
    return &pool->recent[((uint64_t)price ^ (uint64_t)side << 32) * 0x9e3779b97f4a7c15u >> 54];
}
static_assert(DEPTH_RECENT == 1 << (64 - 54), "bits of the hash");

void depth_set(struct depth_pool *pool, uint32_t *root, uint32_t side, int64_t price, int64_t quantity)
{
    uint32_t *recent = recent_of(pool, side, price), ix = *recent;
    uint32_t *link;

    assert(quantity >= 0 && side != 0);
    if (quantity != 0 && pool->nodes[ix].side == side && pool->nodes[ix].price == price) {
        pool->nodes[ix].quantity = quantity;
        return;
    }
    link = link_of(pool, root, price);
    ix = *link;
    if (ix != 0 && quantity != 0) {
        pool->nodes[ix].quantity = quantity;
    } else if (ix != 0) {
        join(pool, pool->nodes[ix].left, pool->nodes[ix].right, link);
        node_give(pool, ix);
    } else if (quantity != 0) {
        ix = node_take(pool, side, price, quantity);
        insert(pool, root, ix);
    }
    *recent = ix;
}

uint32_t depth_copy(const struct depth_pool *pool, uint32_t root, bool highest_first, uint32_t limit,
                    struct view_level *levels)
{
    const struct depth_node *node = &pool->nodes[root];
    uint32_t near = highest_first ? node->right : node->left, far = highest_first ? node->left : node->right;
    uint32_t count;

    if (root == 0 || limit == 0) return 0;
    count = depth_copy(pool, near, highest_first, limit, levels);
    if (count == limit) return count;
    levels[count++] = (struct view_level){ node->price, node->quantity };
    return count + depth_copy(pool, far, highest_first, limit - count, levels + count);
}
