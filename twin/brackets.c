/* SPDX-License-Identifier: MIT */
/* brackets.c — a parent and its children: placed together, and what each does to the others (mechanics 4.3). */
#include "world.h"

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* The quantity that a child may close: its cap of the parent's fills, less the fills of both children (E12). */
int64_t child_may_close(struct twin *twin, const struct order *child, int64_t filled)
{
    const struct order *sibling = order_by_id(twin, child->sibling);
    int64_t whole_of = child->cap != 0 ? lesser(child->cap, filled) : filled, done = child->is.base.executed;

    if (child->sibling != 0 && sibling != NULL) done += sibling->is.base.executed;
    return whole_of > done ? whole_of - done : 0;
}

/* While it sleeps: its cap, or all of its parent. */
int64_t child_asleep(struct twin *twin, const struct order *child)
{
    int64_t all = child->cap != 0 ? child->cap : order_by_id(twin, child->parent)->is.base.quantity;
    return all > child->is.base.executed ? all : child->is.base.executed;
}

static void wake(struct twin *twin, struct order *child, int64_t open)
{
    const struct symbol   *symbol = symbol_by_id(twin, MARKET_PERPS, child->is.base.symbol_id);
    const struct position *p = position_of(twin, account_by_id(twin, child->is.base.account_id), symbol);

    if (open == 0 || p->is.size == 0 || (p->is.size > 0) == (child->is.base.side == SIDE_BUY)) return;
    child->is.base.quantity = child->is.base.executed + lesser(open, magnitude(p->is.size));
    child->is.base.status = STATUS_NEW;
    child->is.position_id = p->is.position_id;
    child->armed = true;
    twin->woken |= UINT64_C(1) << symbol->id;
    order_says(twin, child, EXEC_NEW, REASON_NONE);
}

/* It follows its parent; one that rests goes to the back for it. */
static void grow(struct twin *twin, struct order *child, int64_t open)
{
    const struct position *p = position_of(twin, account_by_id(twin, child->is.base.account_id),
                                           symbol_by_id(twin, MARKET_PERPS, child->is.base.symbol_id));

    open = lesser(open, magnitude(p->is.size));
    if (open <= order_rest(child)) return;
    child->is.base.quantity = child->is.base.executed + open;
    if (child->rests) child->place = ++twin->next_place;
    order_says(twin, child, EXEC_REPLACED, REASON_NONE);
}

/* The order has been filled by x: its children wake or follow, its sibling has less to do. */
void children_filled(struct twin *twin, uint64_t id, int64_t x)
{
    struct order *order = order_by_id(twin, id), *sibling;

    if (order->is.modifier == MODIFIER_BRACKET && twin->genesis.rules.bracket_mode != BRACKET_ANCHOR)
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t      child_id = order_by_id(twin, id)->is.attached_order_ids[i];
            struct order *child = child_id == 0 ? NULL : order_by_id(twin, child_id);

            if (child == NULL) continue;
            if (child->is.base.status == STATUS_PENDING_NEW)
                wake(twin, child, child_may_close(twin, child, order_by_id(twin, id)->is.base.executed));
            else grow(twin, child, child_may_close(twin, child, order_by_id(twin, id)->is.base.executed));
        }
    if (order->is.modifier != MODIFIER_ATTACHED_STOP || order->sibling == 0 || twin->bug == TWIN_BUG_NO_OCO) return;
    sibling = order_by_id(twin, order->sibling);
    if (sibling->is.base.status == STATUS_PENDING_NEW) return;
    if (order_rest(sibling) <= x) {
        order_end(twin, sibling, STATUS_CANCELED, REASON_OCO_SIBLING);
        return;
    }
    sibling->is.base.quantity -= x;
    order_says(twin, sibling, EXEC_REPLACED, REASON_OCO_SIBLING);
}

/* The parent has another quantity: dormant children follow. */
void children_follow(struct twin *twin, uint64_t id)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t      child_id = order_by_id(twin, id)->is.attached_order_ids[i];
        struct order *child = child_id == 0 ? NULL : order_by_id(twin, child_id);

        if (child == NULL || child->is.base.status != STATUS_PENDING_NEW
            || child_asleep(twin, child) == child->is.base.quantity)
            continue;
        child->is.base.quantity = child_asleep(twin, child);
        order_says(twin, child, EXEC_REPLACED, REASON_NONE);
    }
}

/* An order has ended and is in no list any more: the consequences for its children, or for its parent and sibling. */
void relations_left(struct twin *twin, const struct order *gone)
{
    if (gone->is.modifier == MODIFIER_BRACKET)
        for (uint32_t i = 0; i < 2; i++) {
            struct order *child =
                gone->is.attached_order_ids[i] == 0 ? NULL : order_by_id(twin, gone->is.attached_order_ids[i]);

            if (child == NULL) continue;
            if (child->is.base.status == STATUS_PENDING_NEW && gone->is.base.status == STATUS_FILLED
                && twin->genesis.rules.bracket_mode == BRACKET_ANCHOR)
                wake(twin, child, child_may_close(twin, child, gone->is.base.executed));
            child->parent = 0;
            if (child->is.base.status == STATUS_PENDING_NEW)
                order_end(twin, child, STATUS_CANCELED, REASON_PARENT_CANCELED);
        }
    if (gone->is.modifier == MODIFIER_ATTACHED_STOP) {
        struct order *parent = gone->parent == 0 ? NULL : order_by_id(twin, gone->parent),
                     *sibling = gone->sibling == 0 ? NULL : order_by_id(twin, gone->sibling);

        if (parent != NULL)
            for (uint32_t i = 0; i < 2; i++)
                if (parent->is.attached_order_ids[i] == gone->is.base.order_id) parent->is.attached_order_ids[i] = 0;
        if (sibling != NULL) {
            sibling->sibling = 0;
            if (gone->is.base.status == STATUS_FILLED) order_end(twin, sibling, STATUS_CANCELED, REASON_OCO_SIBLING);
        }
    }
}

/*
 * A position has ended or reversed: its attached orders end, or become dormant again while their parent works
 * (mechanics 4.3, 4.4).
 */
void position_gone(struct twin *twin, const struct account *account, const struct symbol *symbol, uint64_t position_id)
{
    for (;;) {
        struct order *tied = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            if (o->market != MARKET_PERPS || !is_stop(o) || o->is.base.account_id != account->id
                || o->is.base.symbol_id != symbol->id || o->is.position_id != position_id)
                continue;
            if (o->is.base.order_id == twin->taking || o->is.base.status == STATUS_PENDING_NEW) continue;
            if (tied == NULL || o->is.base.order_id < tied->is.base.order_id) tied = o;
        }
        if (tied == NULL) return;
        if (tied->is.modifier != MODIFIER_ATTACHED_STOP || tied->parent == 0 || !tied->armed) {
            order_end(twin, tied, STATUS_CANCELED, REASON_POSITION_CLOSED);
            continue;
        }
        tied->armed = false;
        tied->is.base.status = STATUS_PENDING_NEW;
        tied->is.base.quantity = child_asleep(twin, tied);
        tied->is.position_id = 0;
        order_says(twin, tied, EXEC_MODIFIED, REASON_POSITION_CLOSED);
    }
}

/* ---- brackets are placed all or not at all ---- */

/* Mechanics 4.3: a take-profit beyond, a stop-loss before the parent's price, or the mark for a market parent. */
static bool price_is_sane(struct twin *twin, uint32_t index, const struct symbol *symbol,
                          const struct perps_order *parent, int64_t parent_price, const struct perps_order *child,
                          int64_t stop)
{
    int64_t reference = parent->type == TYPE_LIMIT ? parent_price : mark_of(twin, symbol);
    bool    above = (parent->side == SIDE_BUY) == (child->stop_type == STOP_TAKE_PROFIT);

    if (above ? stop > reference : stop < reference) return true;
    answer_said(twin, index, REJECT_BAD_STOP_PRICE, decimal_of(stop, symbol->price_precision),
                decimal_of(reference, symbol->price_precision));
    return false;
}

static uint64_t place_group(struct twin *twin, const struct symbol *symbol, const struct place_perps *place,
                            int128_t *before)
{
    struct reply_route asked[3];
    int64_t            best;

    if (!bracket_formed(twin, place)) return 0;
    for (uint32_t i = 0; i < place->count; i++) {
        const struct perps_order *item = &place->items[i];

        if (!perps_item_stands(twin, 0, symbol, item)) return 0;
        for (uint32_t j = 0; j < i; j++)
            if (client_id_equal(&item->client_id, &place->items[j].client_id)) {
                answer_id(twin, 0, REJECT_DUPLICATE_CLIENT_ID, &item->client_id);
                return 0;
            }
        if (!perps_item_passes(twin, 0, symbol, item, place->count, i == 0 ? 0 : i - 1, &asked[i])) return 0;
        if (i == 0 && item->time_in_force == TIF_GTX
            && perps_crosses(twin, symbol, item->side, asked[0].wants.price, &best)) {
            /* Ruling 12: nothing is placed, but the opening order is remembered; those that close it never were. */
            order_end(twin, order_asked(twin, item, &asked[0]), STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
            answer_said(twin, 0, REJECT_POST_ONLY_CROSS, decimal_of(asked[0].wants.price, symbol->price_precision),
                        decimal_of(best, symbol->price_precision))
                ->status = STATUS_EXPIRED;
            return 0;
        }
        if (i > 0 && !price_is_sane(twin, 0, symbol, &place->items[0], asked[0].wants.price, item, asked[i].stop))
            return 0;
    }
    return perps_order_made(twin, 0, symbol, &place->items[0], &asked[0], before)
             ? twin->orders[twin->order_count - 1].is.base.order_id
             : 0;
}

void place_bracket(struct twin *twin, const struct symbol *symbol, const struct place_perps *place)
{
    int128_t before;
    uint64_t parent = place_group(twin, symbol, place, &before), ids[3] = { parent };
    uint8_t  status;

    if (parent == 0) {
        for (uint32_t i = 1; i < place->count; i++) {
            struct result *first = (void *)twin->results, *same = answer(twin, i, (enum reject)first->reject);
            same->field = first->field;
            same->said = first->said;
            same->got = first->got;
            same->need = first->need;
            same->orig_client_id = first->orig_client_id;
        }
        return;
    }
    for (uint32_t i = 1; i < place->count; i++) {
        const struct perps_order *item = &place->items[i];
        struct order             *child = order_new(twin, MARKET_PERPS), *of = order_by_id(twin, parent);
        int128_t                  units = 0;
        int64_t                   stop = 0;

        ids[i] = child->is.base.order_id;
        child->is.base = (struct order_changed){ .order_id = ids[i],
                                                 .account_id = twin->actor->id,
                                                 .symbol_id = symbol->id,
                                                 .side = item->side,
                                                 .type = item->type,
                                                 .time_in_force = item->time_in_force,
                                                 .status = STATUS_PENDING_NEW,
                                                 .client_id = item->client_id,
                                                 .created_ms = twin->now_ms };
        child->is.reduce_only = 1;
        if (item->price.digits != 0 && units_of(item->price, symbol->price_precision, &units))
            child->is.base.price = (int64_t)units;
        if (units_of(item->stop_price, symbol->price_precision, &units)) stop = (int64_t)units;
        if (item->quantity.digits != 0 && units_of(item->quantity, symbol->quantity_precision, &units))
            child->is.base.quantity = (int64_t)units;
        stop_becomes(child, item, stop);
        if (child->cap == of->is.base.quantity) child->cap = 0; /* as much as the parent: it follows it */
        if (child->is.base.quantity == 0) child->is.base.quantity = of->is.base.quantity;
        child->parent = child->is.primary_order_id = parent;
        of->is.attached_order_ids[i - 1] = ids[i];
    }
    if (place->count == 3) {
        order_by_id(twin, ids[1])->sibling = ids[2];
        order_by_id(twin, ids[2])->sibling = ids[1];
    }
    for (uint32_t i = 1; i < place->count; i++) order_says(twin, order_by_id(twin, ids[i]), EXEC_NEW, REASON_NONE);
    status = work_order(twin, symbol, parent, before);
    for (uint32_t i = 0; i < place->count; i++) {
        struct result      *result = answer(twin, i, REJECT_NONE);
        const struct order *order = order_by_id(twin, ids[i]);
        result->order_id = ids[i];
        result->status = order != NULL ? order->is.base.status : i == 0 ? status : STATUS_CANCELED;
    }
}
