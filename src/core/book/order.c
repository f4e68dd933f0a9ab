/* SPDX-License-Identifier: MIT */
#include "core/book/order.h"
#include "core/account/account.h"
#include "core/book/retired_id.h"
#include "core/engine.h"

/* Rows: from; bits: to. 0 is "not yet". */
#define TO(status) (1u << STATUS_##status)
/* clang-format off */
static const uint32_t order_moves[STATUS_TRIGGERED + 1] = {
    [0]                       = TO(NEW) | TO(PARTIALLY_FILLED) | TO(FILLED) | TO(EXPIRED) | TO(PENDING_NEW),
    [STATUS_NEW] = TO(PARTIALLY_FILLED) | TO(FILLED) | TO(CANCELED) | TO(EXPIRED) | TO(TRIGGERED) | TO(PENDING_NEW)
        | TO(REJECTED),
    [STATUS_PARTIALLY_FILLED] = TO(PARTIALLY_FILLED) | TO(FILLED) | TO(CANCELED) | TO(EXPIRED),
    [STATUS_PENDING_NEW]      = TO(NEW) | TO(CANCELED),
    [STATUS_TRIGGERED]        = TO(NEW) | TO(PARTIALLY_FILLED) | TO(FILLED) | TO(CANCELED) | TO(EXPIRED) | TO(REJECTED),
};
/* clang-format on */

void order_move(struct order *order, uint8_t status)
{
    assert(order->status <= STATUS_TRIGGERED && status <= STATUS_TRIGGERED);
    assert((order_moves[order->status] >> status & 1) != 0); /* I11 */
    order->status = status;
}

/*
 * Ids rise one by one, so each has the place of its low bits, several for each order. An order that is
 * still open when a younger one needs that place goes to the table of order ids, for good (decision 936).
 */
static uint32_t *id_place(const struct engine *e, uint64_t id)
{
    return &engine_order_ids(e)[id & (e->layout.order_places - 1)];
}

static COLD void id_crowd_out(struct engine *e, uint32_t ix)
{
    table_insert(engine_order_table(e), e->layout.order_table_size, table_key_u64(order_at(e, ix)->id), ix);
    e->order_crowded += 1;
}

static void id_add(struct engine *e, uint64_t id, uint32_t ix)
{
    uint32_t *place = id_place(e, id);

    if (*place != 0) id_crowd_out(e, *place);
    *place = ix;
}

static COLD void id_remove_crowded(struct engine *e, uint64_t id, uint32_t ix)
{
    assert(e->order_crowded > 0);
    table_remove(engine_order_table(e), e->layout.order_table_size, table_key_u64(id), ix);
    e->order_crowded -= 1;
}

static void id_remove(struct engine *e, uint64_t id, uint32_t ix)
{
    uint32_t *place = id_place(e, id);

    if (*place == ix) *place = 0;
    else id_remove_crowded(e, id, ix);
}

void order_prefetch(const struct engine *e, uint32_t key)
{
    table_prefetch(engine_client_table(e), e->layout.order_table_size, key);
    if (e->alias_count != 0) table_prefetch(engine_alias_table(e), e->layout.alias_table_size, key);
}

void order_prefetch_end(const struct engine *e, const struct order *order)
{
    FETCH(order_at(e, order->next));
    FETCH(order_at(e, order->prev));
    FETCH(order_at(e, order->account_next));
    FETCH(order_at(e, order->account_prev));
    FETCH(id_place(e, order->id));
}

void order_prefetch_filled(const struct engine *e, const struct order *order)
{
    FETCH(order_at(e, order->account_next));
    FETCH(order_at(e, order->account_prev));
    FETCH(id_place(e, order->id));
    FETCH(&engine_client_table(e)[table_home(order->key, e->layout.order_table_size)]);
}

bool order_has_room(const struct engine *e) { return e->order_count < e->limits.orders; }

bool order_may_rest(const struct engine *e, const struct account *account)
{
    uint32_t limit = e->rules.open_orders_per_account;

    return order_has_room(e) && (limit == 0 || account->order_count < limit);
}

/* Asks early for the slot that will be taken next. */
static void order_prefetch_slot(const struct engine *e)
{
    const struct order *order = order_at(e, e->order_free != 0 ? e->order_free : e->order_end);

    FETCH(order);
    FETCH(&order->client_id);
}

/*
 * Asks early for what the order with a later id will move to the table: most likely the one that had the place one
 * round of ids before.
 */
#define ID_AHEAD 4
static void id_prefetch_crowded(const struct engine *e)
{
    uint64_t id = e->next_order_id + ID_AHEAD;
    uint32_t ix = *id_place(e, id);

    if (__builtin_expect(ix == 0, 1)) return;
    FETCH(order_at(e, ix));
    table_prefetch(engine_order_table(e), e->layout.order_table_size, table_key_u64(id - e->layout.order_places));
}

/* A free slot is zero but for `next`: the one freed last is taken, else the next untouched one. */
uint32_t order_take(struct engine *e)
{
    uint32_t ix = e->order_free;

    assert(e->order_count <= e->limits.orders);
    if (ix != 0) e->order_free = order_at(e, ix)->next;
    else ix = e->order_end++;
    order_prefetch_slot(e);
    id_prefetch_crowded(e);
    e->order_count += 1;
    return ix;
}

/* The slot freed last is used next, so an order that is added and removed leaves no trace. */
static inline void give(struct engine *e, uint32_t ix, struct order *order)
{
    retired_id_order_left(e, order_owner(order), order);
    memset(order, 0, offsetof(struct order, client_id)); /* a line at a time, which needs no loop */
    memset(&order->client_id, 0, sizeof(*order) - offsetof(struct order, client_id));
    e->order_count -= 1;
    if (ix == e->order_end - 1) {
        e->order_end -= 1;
        return;
    }
    order->next = e->order_free;
    e->order_free = ix;
}

void order_give(struct engine *e, uint32_t ix) { give(e, ix, order_at(e, ix)); }

/* At the tail: ids rise, so the list stays in ascending id. */
static void account_list_push(struct engine *e, struct account *account, struct order *order, uint32_t ix)
{
    uint32_t tail = account->order_tail;

    order->account_prev = tail;
    order->account_next = 0;
    *(tail != 0 ? &order_at(e, tail)->account_next : &account->order_head) = ix;
    account->order_tail = ix;
    account->order_count += 1;
}

static void account_list_remove(struct engine *e, const struct order *order, struct account *account)
{
    if (order->account_prev != 0) order_at(e, order->account_prev)->account_next = order->account_next;
    else account->order_head = order->account_next;
    if (order->account_next != 0) order_at(e, order->account_next)->account_prev = order->account_prev;
    else account->order_tail = order->account_prev;
    assert(account->order_count > 0);
    account->order_count -= 1;
}

void order_add_at(struct engine *e, struct account *account, struct order *order, uint32_t ix, uint32_t key,
                  uint32_t place)
{
    assert(status_is_open(order->status) && !order_has_alias(order));
    order->key = key;
    account_list_push(e, account, order, ix);
    id_add(e, order->id, ix);
    table_insert_at(engine_client_table(e), e->layout.order_table_size, key, ix, place);
}

void order_add(struct engine *e, uint32_t ix, uint32_t key, uint32_t place)
{
    struct order *order = order_at(e, ix);

    assert(ix != 0 && ix < e->order_end);
    order_add_at(e, account_at(e, order->account), order, ix, key, place);
}

static COLD void alias_drop(struct engine *e, uint32_t ix)
{
    struct order *order = order_at(e, ix);
    struct alias *alias = engine_aliases(e) + ix;

    assert(order_has_alias(order) && e->alias_count > 0);
    table_remove(engine_alias_table(e), e->layout.alias_table_size,
                 client_id_key(e, order_owner(order), &alias->client_id), ix);
    memset(alias, 0, sizeof(*alias));
    e->alias_count -= 1;
    order->time_in_force &= (uint8_t)~ORDER_HAS_ALIAS;
}

HOT void order_remove_row(struct engine *e, uint32_t ix, struct order *order, struct account *account)
{
    assert(order->level == 0);
    if (order_has_alias(order)) alias_drop(e, ix);
    account_list_remove(e, order, account);
    id_remove(e, order->id, ix);
    table_remove(engine_client_table(e), e->layout.order_table_size, order->key, ix); /* asserts that it is there */
    give(e, ix, order);
}

HOT void order_remove(struct engine *e, uint32_t ix)
{
    struct order *order = order_at(e, ix);

    order_remove_row(e, ix, order, account_at(e, order->account));
}

static uint32_t find_id(const struct engine *e, uint64_t id)
{
    const struct table_entry *table = engine_order_table(e);
    uint32_t                  ix = *id_place(e, id);

    if (ix != 0 && order_at(e, ix)->id == id) return ix;
    if (e->order_crowded == 0) return 0;
    TABLE_EACH(at, table, e->layout.order_table_size, table_key_u64(id))
        if (order_at(e, table[at].ix)->id == id) return table[at].ix;
    return 0;
}

uint32_t order_find_id(const struct engine *e, uint32_t account, uint64_t id)
{
    uint32_t ix = find_id(e, id);

    return ix != 0 && order_at(e, ix)->account == account ? ix : 0;
}

uint32_t order_find_alias(const struct engine *e, uint32_t account, const struct client_id *client_id, uint32_t key)
{
    const struct table_entry *table = engine_alias_table(e);

    assert(e->alias_count != 0); /* callers look first */
    TABLE_EACH(at, table, e->layout.alias_table_size, key) {
        uint32_t ix = table[at].ix;
        if (order_owner(order_at(e, ix)) == account && client_id_equal(&engine_aliases(e)[ix].client_id, client_id))
            return ix;
    }
    return 0;
}

HOT uint32_t order_find_key(const struct engine *e, uint32_t account, const struct client_id *client_id, uint32_t key)
{
    const struct table_entry *table = engine_client_table(e);

    TABLE_EACH(at, table, e->layout.order_table_size, key) {
        const struct order *order = order_at(e, table[at].ix);
        if (order_owner(order) == account && client_id_equal(&order->client_id, client_id)) return table[at].ix;
    }
    return e->alias_count != 0 ? order_find_alias(e, account, client_id, key) : 0;
}

/* A slot that is free has no owner, so an order of this owner with this id is the one that the table has. */
uint32_t order_find_item(const struct apply_context *ctx, uint32_t owner, const struct client_id *client_id)
{
    const struct engine *e = ctx->engine;
    uint32_t             ix = ctx->ahead != NULL ? ctx->ahead->order : 0;

    if (ix != 0 && ix < e->order_end && order_owner(order_at(e, ix)) == owner
        && client_id_equal(&order_at(e, ix)->client_id, client_id))
        return ix;
    return order_find_key(e, owner, client_id, ctx->client_key);
}

/* By its own id, aliases left aside. */
uint32_t order_find_own(const struct engine *e, uint32_t owner, const struct client_id *client_id)
{
    uint32_t ix = order_find_client(e, owner, client_id);

    return ix != 0 && client_id_equal(&order_at(e, ix)->client_id, client_id) ? ix : 0;
}

uint32_t order_find_client(const struct engine *e, uint32_t account, const struct client_id *client_id)
{
    return order_find_key(e, account, client_id, client_id_key(e, account, client_id));
}

void order_set_alias(struct engine *e, uint32_t ix, const struct client_id *client_id)
{
    struct order *order = order_at(e, ix);

    assert(ix != 0 && status_is_open(order->status));
    if (order_has_alias(order)) alias_drop(e, ix);
    if (client_id_equal(client_id, &order->client_id)) return; /* its own id needs no second key */
    assert(order_find_client(e, order_owner(order), client_id) == 0);
    engine_aliases(e)[ix].client_id = *client_id;
    table_insert(engine_alias_table(e), e->layout.alias_table_size, client_id_key(e, order_owner(order), client_id),
                 ix);
    e->alias_count += 1;
    order->time_in_force |= ORDER_HAS_ALIAS;
    assert(e->alias_count <= e->order_count && order_find_client(e, order_owner(order), client_id) == ix);
}

int64_t order_hold(const struct market *market, const struct order *order)
{
    int64_t open = order_open(order);

    assert(open >= 0);
    return (int64_t)market_hold(market, order->side, order->price, open);
}

ALWAYS_INLINE void order_describe(const struct market *market, const struct order *order, struct order_changed *event,
                                  uint8_t type, int64_t funds, uint8_t exec_type, uint8_t reason)
{
    event->order_id = order->id;
    event->symbol_id = market->symbol.id;
    event->side = order->side;
    event->type = type;
    event->time_in_force = order_tif(order);
    event->status = order->status;
    event_word(event, offsetof(struct order_changed, exec_type), exec_type | (uint64_t)reason << 8);
    event->client_id = order->client_id;
    event->price = order->price;
    event->quantity = order->quantity;
    event->funds = funds;
    event->executed = order->executed;
    event->executed_value = order->executed_value;
    event->created_ms = order->created_ms;
    event->updated_ms = order->updated_ms;
}

void order_write(struct order_changed *event, const struct market *market, const struct order *order, uint8_t exec_type,
                 uint8_t reason, int64_t frozen)
{
    event->head = EVENT_HEAD(ORDER, order_changed, MARKET_SPOT);
    event->account_id = account_id_of_user(order->account);
    order_describe(market, order, event, TYPE_LIMIT, 0, exec_type, reason);
    event->frozen = frozen;
}

void order_emit(struct apply_context *ctx, const struct market *market, const struct order *order, uint8_t exec_type,
                uint8_t reason, int64_t frozen)
{
    order_write(events_room(ctx->events, sizeof(struct order_changed)), market, order, exec_type, reason, frozen);
}

void order_emit_taker(struct apply_context *ctx, const struct market *market, const struct order *order, uint8_t type,
                      int64_t funds, uint8_t exec_type, uint8_t reason)
{
    struct order_changed *event = events_room(ctx->events, sizeof(*event));

    assert(!status_is_open(order->status));
    event->head = EVENT_HEAD(ORDER, order_changed, MARKET_SPOT);
    event->account_id = account_id_of_user(order->account);
    order_describe(market, order, event, type, funds, exec_type, reason);
    event->frozen = 0;
}

/* Every order of the account's list is found by its keys. */
static uint32_t verify_account(const struct engine *e, uint32_t slot)
{
    const struct account *account = account_at(e, slot);
    uint32_t              count = 0, previous = 0;

    for (uint32_t ix = account->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);

        assert(order->account == slot && order->account_prev == previous);
        assert(previous == 0 || order_at(e, previous)->id < order->id);
        assert(order->id < e->next_order_id);
        assert(order_find_id(e, slot, order->id) == ix);                           /* I7 */
        assert(order_find_client(e, order_owner(order), &order->client_id) == ix); /* I7 */
        assert(order->key == client_id_key(e, order_owner(order), &order->client_id));
        if (order_has_alias(order))
            assert(order_find_client(e, order_owner(order), &engine_aliases(e)[ix].client_id) == ix);
        assert(order->level != 0 || order_is_stop(order));
        previous = ix;
        count += 1;
        assert(count <= e->order_count);
    }
    assert(account->order_tail == previous && account->order_count == count);
    return count;
}

static uint32_t count_aliases(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t ix = 1; ix < e->order_end; ix++) count += order_has_alias(order_at(e, ix));
    return count;
}

/* Each place has the order whose id belongs there, all others are in the table; verify_account finds each. */
static void verify_ids(const struct engine *e)
{
    uint32_t placed = 0;

    for (uint32_t at = 0; at < e->layout.order_places; at++) {
        uint32_t ix = engine_order_ids(e)[at];

        placed += ix != 0;
        assert(ix < e->order_end && (ix == 0 || (order_at(e, ix)->id & (e->layout.order_places - 1)) == at));
    }
    assert(table_count(engine_order_table(e), e->layout.order_table_size) == e->order_crowded);
    assert(placed + e->order_crowded == e->order_count);
}

void order_verify(const struct engine *e)
{
    uint32_t open = 0, free_slots = 0;

    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) open += verify_account(e, slot);
    assert(open == e->order_count && e->order_count <= e->limits.orders);
    for (uint32_t ix = e->order_free; ix != 0; ix = order_at(e, ix)->next) {
        assert(order_at(e, ix)->status == 0);
        free_slots += 1;
    }
    assert(e->order_count + free_slots == e->order_end - 1); /* I15 */
    verify_ids(e);
    assert(table_count(engine_client_table(e), e->layout.order_table_size) == e->order_count);
    assert(table_count(engine_alias_table(e), e->layout.alias_table_size) == e->alias_count);
    assert(count_aliases(e) == e->alias_count);
}
