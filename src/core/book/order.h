/* SPDX-License-Identifier: MIT */
/*
 * order.h — the life of an order, the pool of open ones, and the indexes of it.
 *
 *      (placed) ──▶ NEW ──▶ PARTIALLY_FILLED ──▶ FILLED
 *                    └───────────┴──▶ CANCELED (by a command) or EXPIRED (by its own rules)
 *
 * The pool holds open orders only; an ended one is an event. Orders are found by id, by (account, client id), by
 * (account, alias), and through the account's list in ascending id.
 */
#ifndef CORE_BOOK_ORDER_H
#define CORE_BOOK_ORDER_H

#include "core/state/market.h"
#include "core/state/hash_key.h"
#include "core/state/state.h"

/* Moves the order's status along the table of allowed moves (I11). */
void order_move(struct order *order, uint8_t status);

/*
 * An order is drafted in the slot where it will rest. One slot more than may rest (order_has_room) can be
 * taken, for the draft that only trades; a slot that is given back is as if it had never been taken.
 */
bool order_has_room(const struct engine *e);
/* Whether one more order may rest, for the pool and for its account. */
bool     order_may_rest(const struct engine *e, const struct account *account);
uint32_t order_take(struct engine *e);
void     order_give(struct engine *e, uint32_t ix);

/*
 * Client ids are unique per account and side of the exchange (mechanics 2.9): what owns one is the slot, and on
 * perps the slot with its highest bit set. Functions that look for a client id take this owner.
 */
static inline uint32_t order_owner(const struct order *order)
{
    return order->account | (market_is_perps(order->market) ? OWNER_PERPS : 0);
}

/*
 * Makes the order in the slot findable; `key` is the client_id_key of its client id, `place` where order_place found
 * that it may go, or TABLE_END.
 */
void order_add(struct engine *e, uint32_t ix, uint32_t key, uint32_t place);

/* The same with the addresses of the order and of its account's row. */
void order_add_at(struct engine *e, struct account *account, struct order *order, uint32_t ix, uint32_t key,
                  uint32_t place);

/*
 * Prefetches: the slots of a search for `key`; the memory that removing this order touches; the same of an order at the
 * head of its level, whose neighbour there is looked after, and of its own key.
 */
void order_prefetch(const struct engine *e, uint32_t key);
void order_prefetch_end(const struct engine *e, const struct order *order);
void order_prefetch_filled(const struct engine *e, const struct order *order);

/* Takes an order out of the indexes, the account's list and the pool. It is in no level any more. */
void order_remove(struct engine *e, uint32_t ix);

/* The same for a caller that knows the records of the order and of its account. */
void order_remove_row(struct engine *e, uint32_t ix, struct order *order, struct account *account);

/* The open order of this account with the id, or of this owner with the client id or alias; 0 = none. */
uint32_t order_find_id(const struct engine *e, uint32_t account, uint64_t id);
uint32_t order_find_client(const struct engine *e, uint32_t account, const struct client_id *client_id);
uint32_t order_find_key(const struct engine *e, uint32_t account, const struct client_id *client_id, uint32_t key);

/* order_find_key for the item's own client id, with a look at the order of the hints first. */
uint32_t order_find_item(const struct apply_context *ctx, uint32_t owner, const struct client_id *client_id);

/*
 * Whether no open order of any owner has the key, which most new ids fulfil: then order_find_key need not be called.
 */
static inline bool order_key_is_new(const struct engine *e, uint32_t key)
{
    return e->alias_count == 0 && table_first(engine_client_table(e), e->layout.order_table_size, key) == TABLE_END;
}

/*
 * Where order_add may put the key, when no open order has it for its own client id; then only order_find_alias is left
 * to ask. TABLE_END when order_find_key must be asked.
 */
static inline uint32_t order_place(const struct engine *e, uint32_t key)
{
    return table_place(engine_client_table(e), e->layout.order_table_size, key);
}

/* order_find_key among aliases alone. */
uint32_t order_find_alias(const struct engine *e, uint32_t owner, const struct client_id *client_id, uint32_t key);

/*
 * Whether an open order of the owner has the client id, whose key this is, as its own or as an alias. *place: as
 * order_place has it.
 */
static inline bool order_id_is_taken(const struct engine *e, uint32_t owner, const struct client_id *client_id,
                                     uint32_t key, uint32_t *place)
{
    *place = order_place(e, key);
    if (*place == TABLE_END) return order_find_key(e, owner, client_id, key) != 0;
    return e->alias_count != 0 && order_find_alias(e, owner, client_id, key) != 0;
}

uint32_t order_find_own(const struct engine *e, uint32_t owner, const struct client_id *client_id);

/* Gives the order a second client id, which no other order uses; the previous one is dropped. */
void order_set_alias(struct engine *e, uint32_t ix, const struct client_id *client_id);

/* The hold of the order, in units of the coin it spends (mechanics 2.3). */
int64_t order_hold(const struct market *market, const struct order *order);

/* Writes every member behind the head but `account_id` and `frozen`. `funds` is 0 unless it is an order by funds. */
void order_describe(const struct market *market, const struct order *order, struct order_changed *event, uint8_t type,
                    int64_t funds, uint8_t exec_type, uint8_t reason);

/*
 * The ORDER of a limit order on spot: appends it, or writes it whole into room that was taken. `frozen`: its hold
 * (order_hold) while it is open, else 0.
 */
void order_emit(struct apply_context *ctx, const struct market *market, const struct order *order, uint8_t exec_type,
                uint8_t reason, int64_t frozen);
void order_write(struct order_changed *event, const struct market *market, const struct order *order, uint8_t exec_type,
                 uint8_t reason, int64_t frozen);

/* Appends the last ORDER of one that never rested. `funds` is 0 unless it is an order by funds. */
void order_emit_taker(struct apply_context *ctx, const struct market *market, const struct order *order, uint8_t type,
                      int64_t funds, uint8_t exec_type, uint8_t reason);

/* I7 and the pool: every open order is found by its keys and nothing else is in the tables. */
void order_verify(const struct engine *e);

#endif
