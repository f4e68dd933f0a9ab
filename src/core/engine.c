/* SPDX-License-Identifier: MIT */
#include "core/engine.h"
#include "core/account.h"
#include "core/deposit.h"
#include "core/fees.h"
#include "core/layout.h"
#include "core/ledger.h"
#include "core/market.h"
#include "core/nonce.h"
#include "core/order.h"
#include "core/replace.h"
#include "core/schedule.h"
#include "core/spot.h"

/* ---- beginning ---- */

/* The seed of tables over client texts: the same for every replica, not known before the genesis is. */
static void set_seed(struct engine *e, const struct genesis *genesis)
{
    uint64_t       material[CHAIN_IDS_MAX + 1];
    struct hash256 hash;

    memcpy(material, genesis->chain_ids, sizeof(genesis->chain_ids));
    material[CHAIN_IDS_MAX] = (uint64_t)genesis->time_ms;
    hash = keccak256(material, sizeof(material));
    memcpy(e->hash_seed, hash.bytes, sizeof(e->hash_seed));
}

static void open_genesis_accounts(struct engine *e, const struct genesis *genesis, struct events *events)
{
    struct turn turn = { .engine = e, .events = events };

    for (uint32_t i = 0; i < genesis->account_count; i++) {
        uint32_t slot = account_open(e, events, &genesis->accounts[i].owner);

        assert(slot != 0);
        for (uint32_t coin_id = 0; coin_id < e->coin_count; coin_id++)
            if (genesis->accounts[i].spot[coin_id] != 0) ledger_deposit(e, slot, coin_id, genesis->accounts[i].spot[coin_id]);
        ledger_tell(&turn);
    }
}

struct engine *engine_init(void *memory, const struct genesis *genesis, struct events *events)
{
    struct engine *e = memory;

    assert((uintptr_t)memory % 64 == 0);
    assert(genesis_check(genesis) == NULL);
    e->limits = genesis->limits;
    e->coin_count = genesis->coin_count;
    layout_set(e);
    assert(e->bytes == engine_size(genesis));
    e->rules = genesis->rules;
    e->fees = genesis->spot_fees;
    memcpy(e->coins, genesis->coins, sizeof(e->coins));
    market_init(e, genesis);
    set_seed(e, genesis);
    e->time_ms = genesis->time_ms;
    e->fee_day = genesis->time_ms / DAY_MS;
    e->next_order_id = e->next_trade_id = 1;
    e->account_end = SLOT_USERS;
    e->signer_end = e->order_end = e->alias_end = e->level_end = 1;
    open_genesis_accounts(e, genesis, events);
    return e;
}

/* ---- commands of users ---- */

typedef void apply_item(struct turn *turn, uint32_t slot, const void *item, struct result *result);

static void place_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)    { spot_place(turn, slot, item, result); }
static void cancel_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)   { spot_cancel(turn, slot, item, result); }
static void replace_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)  { replace_apply(turn, slot, item, result); }
static void schedule_item(struct turn *turn, uint32_t slot, const void *item, struct result *result) { schedule_apply(turn, slot, item, result); }

/* What a signed command is made of. `item_bytes` 0: the payload itself is the only item. */
struct user_command {
    uint16_t    kind;
    size_t      items_at, item_bytes, client_id_at;
    apply_item *apply;
};

#define BATCH(NAME, payload, item, apply) \
    { CMD_##NAME, offsetof(struct payload, items), sizeof(struct item), offsetof(struct item, client_id), apply }
static const struct user_command user_commands[] = {
    BATCH(PLACE_ORDERS,   place_orders,   new_order,     place_item),
    BATCH(CANCEL_ORDERS,  cancel_orders,  cancel_order,  cancel_item),
    BATCH(REPLACE_ORDERS, replace_orders, replace_order, replace_item),
    { CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel), 0, 0, schedule_item },
};

/* Every payload of a user begins with the account; a batch's goes on with the number of items. */
struct user_payload { uint64_t account_id; uint32_t count, reserved; };
static_assert(offsetof(struct place_orders, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct cancel_orders, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct replace_orders, count) == offsetof(struct user_payload, count), "same head");

static void tell_refused(struct turn *turn, enum reject reject, enum nonce_reason reason, const struct nonce_entry *used)
{
    struct refused *event = EVENT_ADD(turn->events, REFUSED, refused, turn->command->market);

    event->reject = (uint16_t)reject;
    event->nonce_reason = (uint16_t)reason;
    event->nonce = turn->command->nonce;
    if (reason == NONCE_TOO_SMALL) event->smallest = used->nonce;
    if (reason == NONCE_USED) {
        event->used_seq = used->seq;
        event->same_payload = used->payload_tag == turn->command->payload_tag;
    }
}

/*
 * Looks ahead: the key of an item's client id, and the places where it will be looked for are asked for, because
 * they are far away in memory and there is something else to do until then.
 */
static uint32_t expect_item(const struct turn *turn, const struct user_command *row, uint32_t slot, const uint8_t *item)
{
    uint32_t key = order_key(turn->engine, slot, (const struct client_id *)(const void *)(item + row->client_id_at));

    order_expect(turn->engine, key);
    return key;
}

/* Whether the command may run at all: shape, market, account, signer, nonce. Otherwise it is told REFUSED. */
static bool admit(struct turn *turn, const struct user_command *row, uint32_t *slot)
{
    const struct command      *command = turn->command;
    const struct user_payload *payload = command_payload(command);
    struct nonce_entry         used = { 0 };
    enum nonce_reason          reason = NONCE_OK;
    enum reject                reject = REJECT_NONE;
    size_t                     bytes = sizeof(*command) + row->items_at;

    if (command->bytes < bytes || command->market != MARKET_SPOT)  reject = REJECT_NOT_SUPPORTED;
    else if (row->item_bytes != 0 && (payload->count == 0 || payload->count > BATCH_MAX
             || command->bytes < bytes + payload->count * row->item_bytes)) reject = REJECT_BATCH_SIZE;
    else reject = account_authorise(turn->engine, command, payload->account_id, slot);

    if (reject == REJECT_NONE) {
        if (row->item_bytes != 0) turn->client_key = expect_item(turn, row, *slot, (const uint8_t *)payload + row->items_at);
        reason = nonce_check(turn->engine, *slot, command, &used);
        if (reason != NONCE_OK) reject = REJECT_BAD_NONCE;
        else if (!nonce_has_room(turn->engine, *slot, command->domain)) reject = REJECT_CAPACITY;
    }
    if (reject != REJECT_NONE) tell_refused(turn, reject, reason, &used);
    return reject == REJECT_NONE;
}

/* One RESULT per item, in item order (I3), before everything that came of them. */
static struct result *reserve_results(struct turn *turn, uint8_t market, uint32_t count)
{
    struct result *first = EVENT_ADD(turn->events, RESULT, result, market);

    for (uint32_t i = 1; i < count; i++) EVENT_ADD(turn->events, RESULT, result, market)->index = (uint16_t)i;
    return first;
}

static void echo_client_id(struct result *result, const struct client_id *client_id)
{
    if (client_id->len <= CLIENT_ID_MAX) result->client_id = *client_id;
}

static void run_batch(struct turn *turn, const struct user_command *row, uint32_t slot)
{
    const struct user_payload *payload = command_payload(turn->command);
    const uint8_t             *item = (const uint8_t *)payload + row->items_at;
    struct result             *results = reserve_results(turn, MARKET_SPOT, payload->count);
    uint32_t                   next_key = turn->client_key;

    for (uint32_t i = 0; i < payload->count; i++, item += row->item_bytes) {
        turn->client_key = next_key;
        if (i + 1 < payload->count) next_key = expect_item(turn, row, slot, item + row->item_bytes);
        echo_client_id(&results[i], (const struct client_id *)(const void *)(item + row->client_id_at));
        row->apply(turn, slot, item, &results[i]);
        ledger_tell(turn);
    }
}

static void run_single(struct turn *turn, const struct user_command *row, uint32_t slot)
{
    row->apply(turn, slot, command_payload(turn->command), reserve_results(turn, MARKET_SPOT, 1));
    ledger_tell(turn);
}

/* ---- commands of the house ---- */

static void run_deposit(struct turn *turn)
{
    struct result *result = reserve_results(turn, 0, 1);

    if (turn->command->bytes < sizeof(struct command) + sizeof(struct deposit)) result->reject = REJECT_NOT_SUPPORTED;
    else deposit_apply(turn, command_payload(turn->command), result);
    ledger_tell(turn);
}

/* The part of the TICK pipeline (mechanics 0) that spot needs: the day, then what is due. */
static void run_tick(struct turn *turn)
{
    fees_roll(turn);
    schedule_fire_due(turn);
}

/* ---- every command ---- */

static void tell_began(struct turn *turn)
{
    struct command_began *event = EVENT_ADD(turn->events, COMMAND_BEGAN, command_began, turn->command->market);

    event->seq = turn->command->seq;
    event->time_ms = turn->command->time_ms;
    event->origin = turn->command->origin;
    event->command_kind = turn->command->kind;
}

static void run_user_command(struct turn *turn)
{
    const struct command *command = turn->command;
    uint32_t              slot = 0;

    for (size_t i = 0; i < ARRAY_COUNT(user_commands); i++) {
        if (user_commands[i].kind != command->kind) continue;
        if (!admit(turn, &user_commands[i], &slot)) return;
        if (user_commands[i].item_bytes != 0) run_batch(turn, &user_commands[i], slot);
        else                                  run_single(turn, &user_commands[i], slot);
        nonce_use(turn->engine, slot, command);         /* last, because it writes into memory that is far away */
        return;
    }
    tell_refused(turn, REJECT_NOT_SUPPORTED, NONCE_OK, NULL);       /* a kind of a later version */
}

void engine_apply(struct engine *e, const struct command *command, struct events *events)
{
    struct turn turn = { .engine = e, .events = events, .command = command };

    assert(command->seq == e->seq + 1);                             /* I1 */
    assert(command->time_ms >= e->time_ms);                         /* I1 */
    e->seq = command->seq;
    e->time_ms = command->time_ms;
    tell_began(&turn);
    switch (command->kind) {
    case CMD_TICK:    run_tick(&turn); break;
    case CMD_DEPOSIT: run_deposit(&turn); break;
    default:          run_user_command(&turn);
    }
    assert(e->touched_count == 0);
}

int64_t engine_due_ms(const struct engine *e) { return min_i64((e->fee_day + 1) * DAY_MS, schedule_due_ms(e)); }

uint64_t engine_seq(const struct engine *e)     { return e->seq; }
int64_t  engine_time_ms(const struct engine *e) { return e->time_ms; }

struct engine_counts engine_counts(const struct engine *e)
{
    return (struct engine_counts){ e->account_end - SLOT_USERS, e->order_count, e->level_count, e->signer_end - 1 };
}
