/* SPDX-License-Identifier: MIT */
#include "core/account/account.h"
#include "core/engine/ahead.h"
#include "core/book/book.h"
#include "core/account/nonce.h"
#include "core/account/volume.h"
#include "core/book/order.h"
#include "core/perps/risk_unit.h"

/*
 * The memory that a command will touch. All of this is a guess about the state in which the command will run: a wrong
 * one costs a cache line and nothing else. Reads of a command stay within command.bytes, and a value of it is used as
 * an index only after a range check.
 *
 * Three steps, because the addresses depend on one another: the account and the slots of the tables; then the order,
 * the level, the nonces and the position that these lead to; then the neighbours of that order.
 */

static uint32_t account_of(const struct engine *e, const struct command *command)
{
    const struct place_orders *payload = command_payload(command); /* every batch begins with the account */

    return payload->account_id == 0 ? account_find_owner(e, &command->signer) : account_find(e, payload->account_id);
}

/* What is read of a batch's first item; from the second on the engine itself looks ahead. All 0: it is no batch. */
struct look {
    uint32_t bytes; /* of a command with one item */
    uint8_t  item_at, client_id_at;
    uint8_t  sides, places;
};

/* clang-format off */
#define LOOK_ONE(payload, item, sides, class)  { 0 }
#define LOOK_LIST(payload, item, sides, class) { 0 }
#define LOOK_BATCH(payload, item, sides, class)                                                                        \
    { sizeof(struct command) + PAYLOAD_BYTES(payload, 1), offsetof(struct payload, items),                             \
      offsetof(struct payload, items) + offsetof(struct item, client_id), sides, (class) == CLASS_RISK }
/* clang-format on */
static const struct look looks[COMMAND_KINDS] = {
#define X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)    \
    [CMD_##NAME] = LOOK_##form(payload, item, SIDES_##sides, CLASS_##class),
    COMMANDS(X)
#undef X
};

/* The row of a kind; NULL when it is no batch, or the command is too short for an item. */
static const struct look *look_at(const struct command *command)
{
    const struct look *look = &looks[command->kind < COMMAND_KINDS ? command->kind : 0];

    return command->bytes <= look->bytes - 1u ? NULL : look; /* 0 - 1 is above any length */
}

/* Where an order placed may come to rest: side, price, and a guess at the page. Nothing of it is looked at here. */
static NOINLINE void level_ahead(const struct engine *e, const struct command *command, const void *first,
                                 struct engine_ahead *ahead)
{
    const struct new_order   *item = first;
    const struct perps_order *perps_item = first;
    const struct place_perps *batch = command_payload(command);
    struct engine            *engine = (struct engine *)(uintptr_t)e;
    bool                      is_perps = command->kind == CMD_PLACE_PERPS;
    const struct market      *market =
        is_perps ? market_find_perps(engine, batch->symbol_id) : market_find(engine, item->symbol_id);

    ahead->side = is_perps ? perps_item->side : item->side;
    if (market == NULL || (ahead->side != SIDE_BUY && ahead->side != SIDE_SELL)) return;
    if (!decimal_to_units(is_perps ? perps_item->price : item->price, (int)market->symbol.price_precision, PRICE_MAX,
                          &ahead->price))
        ahead->price = 0;
    ahead->market = market->number;
    ahead->page = book_prefetch_page(e, ahead->market, ahead->side, ahead->price);
}

/* Whether it passes every check of form, is a batch of one item, and is signed by a wallet. */
static inline bool is_plain(const struct command *command, const struct look *look)
{
    return ((const struct items_head *)command_payload(command))->count == 1 && command->key_id == 0
        && command->domain - (uint32_t)DOMAIN_SPOT <= DOMAIN_UNIVERSAL - DOMAIN_SPOT && command->market <= MARKET_PERPS
        && (look->sides >> command->market & 1) != 0;
}

/* The same, where hints say what a first item that keeps its rules has; a cancel has no price. */
static SHARED void level_far(const struct engine *e, const struct command *command, const void *first,
                             struct engine_ahead *ahead)
{
    const struct place_perps *batch = command_payload(command);
    const struct item_hint   *hint = ahead->hints != NULL ? ahead->hints->items : NULL;
    bool                      is_perps = command->kind == CMD_PLACE_PERPS;
    uint64_t                  number;

    if (hint == NULL || !hint->passes) {
        level_ahead(e, command, first, ahead);
        return;
    }
    number = is_perps ? PERPS_FIRST - 1 + batch->symbol_id : ((const struct new_order *)first)->symbol_id;
    ahead->side = is_perps ? ((const struct perps_order *)first)->side : ((const struct new_order *)first)->side;
    ahead->price = hint->price;
    ahead->market = (uint8_t)number;
    ahead->page = book_prefetch_page(e, (uint8_t)number, ahead->side, ahead->price);
}

/* The account that a command is of and the key of its first item are known. */
static ALWAYS_INLINE void look_far(const struct engine *e, const struct command *command, const struct look *look,
                                   const struct hints *hints, uint32_t slot, uint32_t key, bool plain,
                                   struct engine_ahead *ahead)
{
    struct account *account;

    *ahead = (struct engine_ahead){ .hints = hints,
                                    .slot = slot,
                                    .key = key,
                                    .is_perps = command->market == MARKET_PERPS && e->perps_count != 0,
                                    .places = look->places,
                                    .domain = command->domain };
    if (plain) {
        ahead->seq = command->seq;
        ahead->seal = ahead_seal_of(command->seq, slot, key, hints);
    }
    HOLD(ahead); /* read again, its members need no registers until then */
    account = account_at(e, ahead->slot);
    FETCH(account);
    if (ahead->is_perps) risk_unit_prefetch(e, ahead->slot);
    else FETCH(account_buckets(account));
    order_prefetch(e, ahead->key);
    if (ahead->places) level_far(e, command, (const uint8_t *)command_payload(command) + look->item_at, ahead);
}

/* The same of a command that is not plain, or whose hints do not name the account, or that has none. */
static NOINLINE void look_far_alone(const struct engine *e, const struct command *command, const struct look *look,
                                    const struct hints *hints, struct engine_ahead *ahead)
{
    const struct client_id *client_id = (const void *)((const uint8_t *)command_payload(command) + look->client_id_at);
    bool                    known;
    uint32_t                slot, key;

    assert(look->bytes >= sizeof(*command) && command->bytes >= look->bytes);
    hints = ahead_hints(hints, command);
    known = hints != NULL && hints->owner >= SLOT_USERS && hints->owner < e->account_end;
    slot = known ? hints->owner : account_of(e, command);
    if (slot == 0) {
        *ahead = (struct engine_ahead){ 0 };
        ahead->hints = hints;
        return;
    }
    key = known ? hints->items[0].key
                : client_id_key(e, command->market == MARKET_PERPS ? slot | OWNER_PERPS : slot, client_id);
    look_far(e, command, look, hints, slot, key, is_plain(command, look), ahead);
}

HOT void engine_prefetch_far(const struct engine *e, const struct command *command, const struct hints *hints,
                             struct engine_ahead *ahead)
{
    const struct look *look;

    /* a plain command is not marked, so that ahead_hints needs not be asked */
    if (hints != NULL && hints->plain && hints_are_of(hints, command) && command->key_id == 0
        && hints->owner >= SLOT_USERS && hints->owner < e->account_end) {
        look_far(e, command, &looks[command->kind], hints, hints->owner, hints->items[0].key, true, ahead);
        return;
    }
    look = look_at(command);
    if (look != NULL) look_far_alone(e, command, look, hints, ahead);
    else *ahead = (struct engine_ahead){ 0 };
}

/* The order that the client id leads to first; whether it is really
   the one that is meant is not worth a look. 0 = none. */
static uint32_t order_ahead(const struct engine *e, uint32_t key)
{
    const struct table_entry *table = engine_client_table(e);
    uint32_t                  at = table_first(table, e->layout.order_table_size, key);

    return at == TABLE_END ? 0 : table[at].ix;
}

HOT void engine_prefetch_near(const struct engine *e, struct engine_ahead *ahead)
{
    const struct account *account = account_at(e, ahead->slot);

    if (ahead->slot == 0) return;
    ahead->near = true;
    ahead->nonces = nonce_prefetch(e, &account->signer, ahead->domain);
    if (ahead->is_perps) position_prefetch(e, ahead->slot, POSITION_FIGURES);
    if (ahead->places) {
        FETCH(order_at(e, account->order_tail));
        volume_prefetch(e, account->user);
        ahead->level = book_guess(e, ahead->page, ahead->market, ahead->side, ahead->price);
        FETCH(level_at(e, ahead->level));
    } else {
        ahead->order = order_ahead(e, ahead->key);
        FETCH(order_at(e, ahead->order));
        FETCH(&order_at(e, ahead->order)->client_id);
    }
}

HOT void engine_prefetch_close(const struct engine *e, const struct engine_ahead *ahead)
{
    const struct order *order = order_at(e, ahead->order);

    if (ahead->slot == 0) return;
    nonce_prefetch_end(e, ahead->nonces);
    if (ahead->places) {
        FETCH(order_at(e, level_at(e, ahead->level)->tail));
        return;
    }
    order_prefetch_end(e, order);
    FETCH(level_at(e, order->level));
    if (ahead->order != 0 && order->status != 0) (void)book_prefetch_page(e, order->market, order->side, order->price);
}
