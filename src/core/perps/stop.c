/* SPDX-License-Identifier: MIT */
#include "core/perps/stop.h"

static_assert(TRIGGER_INDEX_PRICE < TRIGGER_KINDS, "a pair of trees for each reference");

/* SELL take-profits and BUY stop-losses wait for the reference to rise. */
static uint32_t direction_of(uint8_t side, uint8_t kind)
{
    return (side == SIDE_SELL) == (kind == STOP_TAKE_PROFIT) ? RISING : FALLING;
}

bool stop_fires(uint8_t side, uint8_t kind, int64_t price, int64_t reference)
{
    return direction_of(side, kind) == RISING ? reference >= price : reference <= price;
}

int64_t stop_reference(const struct engine *e, const struct market *market, uint8_t trigger)
{
    const struct perps_market *perps = perps_of(e, market);

    return trigger == TRIGGER_MARK_PRICE  ? perps->mark
         : trigger == TRIGGER_INDEX_PRICE ? perps->index
                                          : perps->last_between;
}

/* ---- the trees: treaps by (price, id), with priorities mixed from the order's id ---- */

static uint64_t treap_priority(const struct engine *e, uint32_t ix)
{
    uint64_t mixed = (order_at(e, ix)->id ^ e->hash_seed[0]) * UINT64_C(0x9E3779B97F4A7C15);
    return (mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static bool treap_before(const struct engine *e, uint32_t a, uint32_t b)
{
    int64_t price_a = stop_at(e, a)->price, price_b = stop_at(e, b)->price;
    return price_a != price_b ? price_a < price_b : order_at(e, a)->id < order_at(e, b)->id;
}

static uint32_t *treap_root(const struct engine *e, uint32_t ix)
{
    const struct order *order = order_at(e, ix);
    const struct stop  *stop = stop_at(e, ix);

    assert(stop->trigger >= TRIGGER_LAST_PRICE && stop->trigger <= TRIGGER_INDEX_PRICE);
    assert(stop->kind == STOP_TAKE_PROFIT || stop->kind == STOP_LOSS);
    return &perps_at(e, order->market)->triggers[stop->trigger][direction_of(order->side, stop->kind)];
}

/* Puts `to` where `from` hangs. */
static void treap_relink(struct engine *e, uint32_t *root, uint32_t from, uint32_t to)
{
    uint32_t parent = stop_at(e, from)->parent;

    assert(parent == 0 ? *root == from : stop_at(e, parent)->left == from || stop_at(e, parent)->right == from);
    if (parent == 0) *root = to;
    else if (stop_at(e, parent)->left == from) stop_at(e, parent)->left = to;
    else stop_at(e, parent)->right = to;
    if (to != 0) stop_at(e, to)->parent = parent;
}

/* The child rises above its parent. */
static void treap_rotate(struct engine *e, uint32_t *root, uint32_t child)
{
    struct stop *low = stop_at(e, child);
    uint32_t     parent = low->parent;
    struct stop *high = stop_at(e, parent);

    assert(parent != 0 && (high->left == child || high->right == child));
    treap_relink(e, root, parent, child);
    if (high->left == child) {
        high->left = low->right;
        if (low->right != 0) stop_at(e, low->right)->parent = parent;
        low->right = parent;
    } else {
        high->right = low->left;
        if (low->left != 0) stop_at(e, low->left)->parent = parent;
        low->left = parent;
    }
    high->parent = child;
}

static void treap_insert(struct engine *e, uint32_t *root, uint32_t ix)
{
    struct stop *stop = stop_at(e, ix);
    uint32_t     at = *root, parent = 0;

    while (at != 0) {
        parent = at;
        at = treap_before(e, ix, at) ? stop_at(e, at)->left : stop_at(e, at)->right;
    }
    stop->left = stop->right = 0;
    stop->parent = parent;
    if (parent == 0) *root = ix;
    else if (treap_before(e, ix, parent)) stop_at(e, parent)->left = ix;
    else stop_at(e, parent)->right = ix;
    while (stop->parent != 0 && treap_priority(e, ix) > treap_priority(e, stop->parent)) treap_rotate(e, root, ix);
    assert((stop->parent == 0) == (*root == ix));
}

static void treap_remove(struct engine *e, uint32_t *root, uint32_t ix)
{
    struct stop *stop = stop_at(e, ix);

    while (stop->left != 0 && stop->right != 0)
        treap_rotate(e, root,
                     treap_priority(e, stop->left) > treap_priority(e, stop->right) ? stop->left : stop->right);
    treap_relink(e, root, ix, stop->left != 0 ? stop->left : stop->right);
    stop->left = stop->right = stop->parent = 0;
    assert(*root != ix);
}

static uint32_t treap_end(const struct engine *e, uint32_t root, bool lowest)
{
    uint32_t next;

    while (root != 0 && (next = lowest ? stop_at(e, root)->left : stop_at(e, root)->right) != 0) root = next;
    return root;
}

/* ---- arming ---- */

void stop_arm(struct engine *e, uint32_t ix)
{
    assert(order_at(e, ix)->level == 0 && order_at(e, ix)->status == STATUS_NEW);
    assert(order_is_stop(order_at(e, ix)) && stop_at(e, ix)->price > 0);
    treap_insert(e, treap_root(e, ix), ix);
}

void stop_disarm(struct engine *e, uint32_t ix)
{
    assert(stop_is_armed(e, ix));
    treap_remove(e, treap_root(e, ix), ix);
}

uint32_t stop_next_fired(const struct engine *e, const struct market *market, uint8_t trigger, int64_t reference)
{
    const uint32_t *roots = perps_of(e, market)->triggers[trigger];
    uint32_t        rising = treap_end(e, roots[RISING], true), falling = treap_end(e, roots[FALLING], false);

    if (reference == 0) return 0;
    if (rising != 0 && stop_at(e, rising)->price <= reference) return rising;
    if (falling != 0 && stop_at(e, falling)->price >= reference) return falling;
    return 0;
}

/* ---- tried again: a list in order of arrival, through left (older) and right (newer) ---- */

void stop_retry_add(struct engine *e, uint32_t ix)
{
    struct stop *stop = stop_at(e, ix);

    assert(order_at(e, ix)->status == STATUS_TRIGGERED && e->retry_tail != ix);
    stop->left = e->retry_tail;
    stop->right = 0;
    if (e->retry_tail != 0) stop_at(e, e->retry_tail)->right = ix;
    else e->retry_head = ix;
    e->retry_tail = ix;
    e->retry_count += 1;
    assert(e->retry_head != 0 && e->retry_count <= e->order_count);
}

void stop_retry_remove(struct engine *e, uint32_t ix)
{
    struct stop *stop = stop_at(e, ix);

    assert(e->retry_count > 0 && (stop->left != 0 || e->retry_head == ix) && (stop->right != 0 || e->retry_tail == ix));
    if (stop->left != 0) stop_at(e, stop->left)->right = stop->right;
    else e->retry_head = stop->right;
    if (stop->right != 0) stop_at(e, stop->right)->left = stop->left;
    else e->retry_tail = stop->left;
    stop->left = stop->right = 0;
    e->retry_count -= 1;
    assert((e->retry_head == 0) == (e->retry_count == 0));
}

/* ---- checks ---- */

static uint32_t verify_treap(const struct engine *e, uint32_t ix, uint32_t parent, const uint32_t *root)
{
    const struct stop *stop = stop_at(e, ix);

    if (ix == 0) return 0;
    assert(stop->parent == parent && treap_root(e, ix) == root);
    assert(order_at(e, ix)->status == STATUS_NEW && order_at(e, ix)->level == 0 && order_is_stop(order_at(e, ix)));
    if (stop->left != 0)
        assert(treap_before(e, stop->left, ix) && treap_priority(e, stop->left) <= treap_priority(e, ix));
    if (stop->right != 0)
        assert(treap_before(e, ix, stop->right) && treap_priority(e, stop->right) <= treap_priority(e, ix));
    return 1 + verify_treap(e, stop->left, ix, root) + verify_treap(e, stop->right, ix, root);
}

void stop_verify(const struct engine *e)
{
    uint32_t armed = 0, retried = 0, previous = 0, found = 0, retrying = 0;

    for (uint32_t i = 0; i < e->perps_count; i++)
        for (uint32_t trigger = TRIGGER_LAST_PRICE; trigger <= TRIGGER_INDEX_PRICE; trigger++)
            for (uint32_t direction = RISING; direction <= FALLING; direction++) {
                const uint32_t *root = &engine_perps(e)[i].triggers[trigger][direction];
                armed += verify_treap(e, *root, 0, root);
            }
    for (uint32_t ix = e->retry_head; ix != 0; ix = stop_at(e, ix)->right, retried++) {
        assert(stop_at(e, ix)->left == previous && order_at(e, ix)->status == STATUS_TRIGGERED);
        previous = ix;
    }
    assert(e->retry_tail == previous);
    for (uint32_t ix = 1; ix < e->order_end; ix++) {
        const struct order *order = order_at(e, ix);
        if (order->status == 0 || !order_is_stop(order)) continue;
        found += order->status == STATUS_NEW && order->level == 0;
        retrying += order->status == STATUS_TRIGGERED;
    }
    assert(found == armed && retrying == retried);
}
