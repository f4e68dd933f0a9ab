/* SPDX-License-Identifier: MIT */
#include "core/tree.h"

static uint32_t height(const struct engine *e, uint32_t ix) { return ix == 0 ? 0 : level_at(e, ix)->height; }

static void set_height(struct engine *e, uint32_t ix)
{
    struct level *level = level_at(e, ix);
    uint32_t      left = height(e, level->left), right = height(e, level->right);

    level->height = (uint8_t)((left > right ? left : right) + 1);
}

/* Puts `child` (may be 0) where `old` hangs under `parent`. */
static void hang(struct engine *e, struct book_side *side, uint32_t parent, uint32_t old, uint32_t child)
{
    if (parent == 0)                              side->root = child;
    else if (level_at(e, parent)->left == old)    level_at(e, parent)->left = child;
    else                                          level_at(e, parent)->right = child;
    if (child != 0) level_at(e, child)->parent = parent;
}

/* Turns the pair (ix, its right child) so that the child comes up; and the mirror image. */
static uint32_t rotate_left(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct level *level = level_at(e, ix), *up;
    uint32_t      up_ix = level->right;

    up = level_at(e, up_ix);
    hang(e, side, level->parent, ix, up_ix);
    level->right = up->left;
    if (up->left != 0) level_at(e, up->left)->parent = ix;
    up->left = ix;
    level->parent = up_ix;
    set_height(e, ix);
    set_height(e, up_ix);
    return up_ix;
}

static uint32_t rotate_right(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct level *level = level_at(e, ix), *up;
    uint32_t      up_ix = level->left;

    up = level_at(e, up_ix);
    hang(e, side, level->parent, ix, up_ix);
    level->left = up->right;
    if (up->right != 0) level_at(e, up->right)->parent = ix;
    up->right = ix;
    level->parent = up_ix;
    set_height(e, ix);
    set_height(e, up_ix);
    return up_ix;
}

/* Restores the balance from `ix` to the root. */
static void rebalance(struct engine *e, struct book_side *side, uint32_t ix)
{
    while (ix != 0) {
        struct level *level = level_at(e, ix);
        uint32_t      left = height(e, level->left), right = height(e, level->right);

        if (left > right + 1) {
            const struct level *child = level_at(e, level->left);
            if (height(e, child->left) < height(e, child->right)) rotate_left(e, side, level->left);
            ix = rotate_right(e, side, ix);
        } else if (right > left + 1) {
            const struct level *child = level_at(e, level->right);
            if (height(e, child->right) < height(e, child->left)) rotate_right(e, side, level->right);
            ix = rotate_left(e, side, ix);
        } else {
            set_height(e, ix);
        }
        ix = level_at(e, ix)->parent;
    }
}

uint32_t tree_find(const struct engine *e, const struct book_side *side, int64_t price)
{
    uint32_t ix = side->root;

    while (ix != 0) {
        const struct level *level = level_at(e, ix);
        if (level->price == price) return ix;
        ix = price < level->price ? level->left : level->right;
    }
    return 0;
}

/* Neighbours of a new leaf: its parent on one side, the parent's old neighbour on the other. */
static void link_neighbours(struct engine *e, uint32_t ix, uint32_t lower, uint32_t higher)
{
    level_at(e, ix)->lower = lower;
    level_at(e, ix)->higher = higher;
    if (lower != 0)  level_at(e, lower)->higher = ix;
    if (higher != 0) level_at(e, higher)->lower = ix;
}

void tree_insert(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct level *level = level_at(e, ix), *above;
    uint32_t      parent = 0, next = side->root;

    while (next != 0) {
        parent = next;
        assert(level->price != level_at(e, parent)->price);
        next = level->price < level_at(e, parent)->price ? level_at(e, parent)->left : level_at(e, parent)->right;
    }
    level->left = level->right = 0;
    level->parent = parent;
    level->height = 1;
    side->level_count += 1;
    if (side->best == 0 || side_better(level->side, level->price, level_at(e, side->best)->price)) side->best = ix;
    if (parent == 0) {
        side->root = ix;
        link_neighbours(e, ix, 0, 0);
        return;
    }
    above = level_at(e, parent);
    if (level->price < above->price) {
        above->left = ix;
        link_neighbours(e, ix, above->lower, parent);
    } else {
        above->right = ix;
        link_neighbours(e, ix, parent, above->higher);
    }
    rebalance(e, side, parent);
}

/* A level with two children gives its place in the tree to the next higher one, which has no left child. */
static uint32_t replace_by_higher(struct engine *e, struct book_side *side, struct level *level, uint32_t ix)
{
    uint32_t      heir_ix = level->higher, from;
    struct level *heir = level_at(e, heir_ix);

    assert(heir_ix != 0 && heir->left == 0);
    from = heir->parent == ix ? heir_ix : heir->parent;
    if (heir->parent != ix) {
        hang(e, side, heir->parent, heir_ix, heir->right);
        heir->right = level->right;
        level_at(e, heir->right)->parent = heir_ix;
    }
    heir->left = level->left;
    level_at(e, heir->left)->parent = heir_ix;
    hang(e, side, level->parent, ix, heir_ix);
    return from;
}

void tree_remove(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct level *level = level_at(e, ix);
    uint32_t      from = level->parent;

    if (side->best == ix) side->best = level->side == SIDE_BUY ? level->lower : level->higher;
    if (level->left != 0 && level->right != 0) from = replace_by_higher(e, side, level, ix);
    else hang(e, side, level->parent, ix, level->left != 0 ? level->left : level->right);
    if (level->lower != 0)  level_at(e, level->lower)->higher = level->higher;
    if (level->higher != 0) level_at(e, level->higher)->lower = level->lower;
    side->level_count -= 1;
    rebalance(e, side, from);
}

/* Height of a subtree whose prices lie strictly between low and high. */
static uint32_t verify_subtree(const struct engine *e, uint32_t ix, uint32_t parent, int64_t low, int64_t high, uint32_t depth)
{
    const struct level *level = level_at(e, ix);
    uint32_t            left, right;

    if (ix == 0) return 0;
    assert(depth < 64);                                     /* an AVL tree over 2^32 levels is no deeper */
    assert(level->parent == parent && level->price > low && level->price < high);
    left = verify_subtree(e, level->left, ix, low, level->price, depth + 1);
    right = verify_subtree(e, level->right, ix, level->price, high, depth + 1);
    assert(left <= right + 1 && right <= left + 1);
    assert(level->height == (left > right ? left : right) + 1);
    return level->height;
}

void tree_verify(const struct engine *e, const struct book_side *side, uint8_t side_of)
{
    uint32_t count = 0, previous = 0;

    verify_subtree(e, side->root, 0, 0, INT64_MAX, 0);
    for (uint32_t ix = side->best; ix != 0; count++) {
        const struct level *level = level_at(e, ix);

        assert(count < side->level_count);
        assert((side_of == SIDE_BUY ? level->higher : level->lower) == previous);
        assert(tree_find(e, side, level->price) == ix);
        previous = ix;
        ix = side_of == SIDE_BUY ? level->lower : level->higher;
    }
    assert(count == side->level_count);
}
