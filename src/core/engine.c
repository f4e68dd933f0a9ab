/* SPDX-License-Identifier: MIT */
#include "core/engine.h"
#include "core/account.h"
#include "core/composition.h"
#include "core/fees.h"
#include "core/fund_day.h"
#include "core/house.h"
#include "core/inputs.h"
#include "core/key.h"
#include "core/layout.h"
#include "core/ledger.h"
#include "core/market.h"
#include "core/nonce.h"
#include "core/liquidate.h"
#include "core/order.h"
#include "core/amend.h"
#include "core/perps_order.h"
#include "core/prices.h"
#include "core/quiet.h"
#include "core/replace.h"
#include "core/schedule.h"
#include "core/setting.h"
#include "core/settle.h"
#include "core/spot.h"
#include "core/transfer.h"
#include "core/trigger.h"

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
            if (genesis->accounts[i].spot[coin_id] != 0)
                ledger_deposit(&turn, slot, coin_id, PLACE_SPOT, genesis->accounts[i].spot[coin_id]);
        if (genesis->accounts[i].perps != 0) ledger_deposit(&turn, slot, COIN_MARGIN, PLACE_PERPS, genesis->accounts[i].perps);
        ledger_tell(&turn);
    }
    if (genesis->fund != 0) ledger_deposit(&turn, SLOT_FUND, COIN_MARGIN, PLACE_PERPS, genesis->fund);
    prices_tell(&turn);
    composition_tell(&turn);
}

static void take_feeders(struct engine *e, const struct genesis *genesis)
{
    e->feeder_count = genesis->feeder_count;
    for (uint32_t i = 0; i < genesis->feeder_count; i++) {
        e->feeders[i].address = genesis->feeders[i].address;
        e->feeders[i].weight = genesis->feeders[i].weight;
    }
}

struct engine *engine_init(void *memory, const struct genesis *genesis, struct events *events)
{
    struct engine *e = memory;

    assert((uintptr_t)memory % 64 == 0);
    assert(genesis_check(genesis) == NULL);
    e->limits = genesis->limits;
    e->coin_count = genesis->coin_count;
    e->perps_count = genesis->perps_count;
    e->rules = genesis->rules;
    rules_complete(&e->rules);
    layout_set(e);
    assert(e->bytes == engine_size(genesis));
    e->fees = genesis->spot_fees;
    e->perps_fees = genesis->perps_fees;
    memcpy(e->coins, genesis->coins, sizeof(e->coins));
    market_init(e, genesis);
    set_seed(e, genesis);
    e->time_ms = genesis->time_ms;
    e->fee_day = genesis->time_ms / DAY_MS;
    e->development = genesis->development != 0;
    e->mode = VENUE_RUN;
    e->next_order_id = e->next_trade_id = e->next_transfer_number = 1;
    e->next_key_number = 1;
    e->next_position_id = 1;
    e->next_liquidation_id = 1;
    e->next_receipt_id = 1;
    e->fund_day.day = -1;               /* the first TICK begins one */
    e->position_end = 1;
    take_feeders(e, genesis);
    prices_init(e, genesis);
    e->account_end = SLOT_USERS;
    e->signer_end = e->order_end = e->alias_end = e->level_end = e->rung_end = e->key_end = e->transfer_end = e->key_list_end = 1;
    open_genesis_accounts(e, genesis, events);
    assert(e->account_end - SLOT_USERS == genesis->account_count && e->order_count == 0);
    return e;
}

/* ---- commands of users ---- */

typedef void apply_item(struct turn *turn, uint32_t slot, const void *item, struct result *result);

HOT static void place_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)    { spot_place(turn, slot, item, result); }
HOT static void cancel_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)   { spot_cancel(turn, slot, item, result); }
static void replace_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)
{
    if (turn->command->market == MARKET_PERPS) perps_replace(turn, slot, item, result);
    else                                       replace_apply(turn, slot, item, result);
}
static void schedule_item(struct turn *turn, uint32_t slot, const void *item, struct result *result) { schedule_apply(turn, slot, item, result); }
static void transfer_item(struct turn *turn, uint32_t slot, const void *item, struct result *result) { transfer_apply(turn, slot, item, result); }
static void add_key_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)  { key_add(turn, slot, item, result); }
static void revoke_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)   { key_revoke(turn, slot, item, result); }

HOT static void perps_place_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)  { perps_place(turn, slot, item, result); }
HOT static void perps_cancel_item(struct turn *turn, uint32_t slot, const void *item, struct result *result) { perps_cancel(turn, slot, item, result); }
static void modify_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)       { perps_modify(turn, slot, item, result); }
static void leverage_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)     { setting_leverage(turn, slot, item, result); }
static void margin_item(struct turn *turn, uint32_t slot, const void *item, struct result *result)       { setting_margin(turn, slot, item, result); }

/* Which sides of the exchange a command is for: bits by enum market_kind; 0 is the part that both share. */
enum { ON_SPOT = 1 << MARKET_SPOT, ON_PERPS = 1 << MARKET_PERPS, ON_BOTH = 1 << MARKET_SPOT | 1 << MARKET_PERPS, ON_ANY = ON_BOTH | 1 };

/* What a signed command is made of, and what a key must be allowed to send it; no right: only the main wallet
   may. `item_bytes` 0: the payload itself is the only item; `apply` NULL: not a command of users. */
struct user_command {
    uint8_t     sides, rights;
    size_t      items_at, item_bytes, client_id_at;
    apply_item *apply;
};

#define BATCH(NAME, sides, rights, payload, item, apply) \
    [CMD_##NAME] = { sides, rights, offsetof(struct payload, items), sizeof(struct item), offsetof(struct item, client_id), apply }
#define SINGLE(NAME, sides, rights, payload, apply) [CMD_##NAME] = { sides, rights, sizeof(struct payload), 0, 0, apply }
static const struct user_command user_commands[] = {
    BATCH(PLACE_ORDERS,     ON_SPOT,  RIGHT_TRADE,  place_orders,   new_order,     place_item),
    BATCH(CANCEL_ORDERS,    ON_SPOT,  RIGHT_CANCEL, cancel_orders,  cancel_order,  cancel_item),
    BATCH(REPLACE_ORDERS,   ON_BOTH,  RIGHT_TRADE,  replace_orders, replace_order, replace_item),
    BATCH(PLACE_PERPS,      ON_PERPS, RIGHT_TRADE,  place_perps,    perps_order,   perps_place_item),
    BATCH(CANCEL_PERPS,     ON_PERPS, RIGHT_CANCEL, cancel_perps,   perps_cancel,  perps_cancel_item),
    SINGLE(MODIFY_ORDER,    ON_PERPS, RIGHT_TRADE,  modify_order,    modify_item),
    SINGLE(UPDATE_LEVERAGE, ON_PERPS, RIGHT_TRADE,  update_leverage, leverage_item),
    SINGLE(UPDATE_MARGIN,   ON_PERPS, RIGHT_TRADE,  update_margin,   margin_item),
    SINGLE(SCHEDULE_CANCEL, ON_BOTH, RIGHT_CANCEL,   schedule_cancel, schedule_item),
    SINGLE(TRANSFER,        ON_BOTH, RIGHT_TRANSFER, transfer_asset,  transfer_item),       /* or RIGHT_WITHDRAW, by its type */
    SINGLE(ADD_KEY,         ON_ANY,  0,              add_key,         add_key_item),
    SINGLE(REVOKE_KEY,      ON_ANY,  0,              revoke_key,      revoke_item),
};

/* Every payload of a user begins with the account; a batch's goes on with the number of items. */
struct user_payload { uint64_t account_id; uint32_t count, reserved; };
static_assert(offsetof(struct place_orders, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct cancel_orders, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct replace_orders, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct place_perps, count) == offsetof(struct user_payload, count), "same head");
static_assert(offsetof(struct cancel_perps, count) == offsetof(struct user_payload, count), "same head");

static void tell_refused(struct turn *turn, enum reject reject, enum nonce_reason reason, const struct nonce_entry *used)
{
    struct refused *event = EVENT_ADD(turn->events, REFUSED, refused, turn->command->market);

    assert(reject != REJECT_NONE && (reason == NONCE_OK || used != NULL));
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
    uint32_t owner = turn->command->market == MARKET_PERPS ? slot | OWNER_PERPS : slot;
    uint32_t key = order_key(turn->engine, owner, (const struct client_id *)(const void *)(item + row->client_id_at));

    order_expect(turn->engine, key);
    return key;
}

/* Whether the command may run at all: shape, market, account, signer, nonce. Otherwise it is told REFUSED. */
static bool admit(struct turn *turn, const struct user_command *row, struct speaker *speaker)
{
    const struct command      *command = turn->command;
    const struct user_payload *payload = command_payload(command);
    struct nonce_entry         used = { 0 };
    enum nonce_reason          reason = NONCE_OK;
    enum reject                reject = REJECT_NONE;
    size_t                     bytes = sizeof(*command) + row->items_at;

    if (command->bytes < bytes || command->market > MARKET_PERPS || (row->sides >> command->market & 1) == 0) reject = REJECT_NOT_SUPPORTED;
    else if (row->item_bytes != 0 && (payload->count == 0 || payload->count > BATCH_MAX
             || command->bytes < bytes + payload->count * row->item_bytes)) reject = REJECT_BATCH_SIZE;
    else reject = account_authorise(turn->engine, command, payload->account_id, row->rights, speaker);

    if (reject == REJECT_NONE) {
        if (row->item_bytes != 0) turn->client_key = expect_item(turn, row, speaker->account, (const uint8_t *)payload + row->items_at);
        reason = nonce_check(turn->engine, speaker, command, &used);
        if (reason != NONCE_OK) reject = REJECT_BAD_NONCE;
    }
    if (reject != REJECT_NONE) tell_refused(turn, reject, reason, &used);
    return reject == REJECT_NONE;
}

/* One RESULT per item, in item order (I3), before everything that came of them. */
static struct result *reserve_results(struct turn *turn, uint8_t market, uint32_t count)
{
    assert(count >= 1 && count <= BATCH_MAX);
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
    struct result             *results = reserve_results(turn, turn->command->market, payload->count);
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
    row->apply(turn, slot, command_payload(turn->command), reserve_results(turn, turn->command->market, 1));
    ledger_tell(turn);
}

/* ---- commands of the house ---- */

static void deposit_item(struct turn *turn, const void *item, struct result *result)      { house_deposit(turn, item, result); }
static void redeem_item(struct turn *turn, const void *item, struct result *result)       { house_redeem(turn, item, result); }
static void open_account_item(struct turn *turn, const void *item, struct result *result) { house_open_account(turn, item, result); }
static void advance_time_item(struct turn *turn, const void *item, struct result *result) { house_advance_time(turn, item, result); }

static void set_market_item(struct turn *turn, const void *item, struct result *result)   { house_set_market(turn, item, result); }
static void set_index_item(struct turn *turn, const void *item, struct result *result)    { prices_set(turn, item, result); }
static void settle_item(struct turn *turn, const void *item, struct result *result)       { house_settle(turn, item, result); }
static void cancel_for_item(struct turn *turn, const void *item, struct result *result)   { house_cancel(turn, item, result); }
static void staking_item(struct turn *turn, const void *item, struct result *result)      { house_set_staking(turn, item, result); }
static void limit_item(struct turn *turn, const void *item, struct result *result)        { house_raise_limit(turn, item, result); }
static void mode_item(struct turn *turn, const void *item, struct result *result)         { house_set_mode(turn, item, result); }
static void oracle_item(struct turn *turn, const void *item, struct result *result)       { prices_post(turn, turn->command, item, result); }

static const struct house_command {
    uint16_t kind;
    size_t   payload_bytes;
    void   (*apply)(struct turn *turn, const void *item, struct result *result);
} house_commands[] = {
    { CMD_DEPOSIT,      sizeof(struct deposit),      deposit_item },
    { CMD_REDEEM,       sizeof(struct redeem),       redeem_item },
    { CMD_OPEN_ACCOUNT, sizeof(struct open_account), open_account_item },
    { CMD_ADVANCE_TIME, sizeof(struct advance_time), advance_time_item },
    { CMD_SET_INDEX,    sizeof(struct set_index),    set_index_item },
    { CMD_SET_MARKET,   sizeof(struct set_market),   set_market_item },
    { CMD_SETTLE,       sizeof(struct settle_symbol), settle_item },
    { CMD_CANCEL_FOR,   sizeof(struct cancel_for),   cancel_for_item },
    { CMD_SET_STAKING,  sizeof(struct set_staking),  staking_item },
    { CMD_SET_MODE,     sizeof(struct set_mode),     mode_item },
    { CMD_RAISE_LIMIT,  sizeof(struct raise_limit),  limit_item },
    { CMD_ORACLE_POST,  offsetof(struct oracle_post, items), oracle_item },
};

static const struct house_command *house_command(uint16_t kind)
{
    for (size_t i = 0; i < ARRAY_COUNT(house_commands); i++) if (house_commands[i].kind == kind) return &house_commands[i];
    return NULL;
}

static void run_house_command(struct turn *turn, const struct house_command *row)
{
    struct result *result = reserve_results(turn, 0, 1);

    if (turn->command->bytes < sizeof(struct command) + row->payload_bytes) result->reject = REJECT_NOT_SUPPORTED;
    else row->apply(turn, command_payload(turn->command), result);
    ledger_tell(turn);
}

/* A feeder's post that is not authentic or not fresh runs as little as a write with a used nonce. */
static bool admit_post(struct turn *turn)
{
    struct nonce_entry last = { 0 };
    enum reject        reject = prices_admit(turn->engine, turn->command, &last.nonce);

    if (reject != REJECT_NONE) tell_refused(turn, reject, reject == REJECT_ORACLE_SEQ ? NONCE_TOO_SMALL : NONCE_OK, &last);
    return reject == REJECT_NONE;
}

static bool is_missed(const struct command *command)
{
    return command->bytes >= sizeof(*command) + sizeof(struct tick) && ((const struct tick *)command_payload(command))->missed != 0;
}

/*
 * The TICK pipeline (mechanics 0): the day, what is due, then prices and funding, settlements, triggers, liquidations. A TICK
 * that goes on with work of the same second (ruling 61) moves no price again: caps and averages are per second. One
 * that was missed moves none at all.
 */
static void run_tick(struct turn *turn)
{
    struct engine *e = turn->engine;
    bool           goes_on = e->work_left != 0 && e->time_ms / 1000 == e->priced_ms / 1000;

    assert(e->work_left <= 1 && e->time_ms >= e->priced_ms);
    fees_roll(turn);
    schedule_fire_due(turn);
    if (e->perps_count == 0) return;
    fund_day_begin(e);
    if (!is_missed(turn->command)) {
        e->work_left = 0;
        if (!goes_on) {
            prices_tick(turn);
            composition_tell(turn);
        }
        settle_tick(turn, goes_on);
        trigger_tick(turn, goes_on);
        liquidate_tick(turn, goes_on);
    }
    ledger_tell(turn);
    fund_tell(turn);
    prices_tell(turn);
}

/* What a command on perps has set off. */
static void run_consequences(struct turn *turn)
{
    if ((turn->traded | turn->armed) == 0 && !turn->self_traded) return;
    if (trigger_after_command(turn) && turn->command->kind == CMD_TICK) turn->engine->work_left = 1;   /* units are looked at once more */
    ledger_tell(turn);
    prices_tell(turn);
}

/* ---- every command ---- */

static struct command_began *tell_began(const struct turn *turn)
{
    struct command_began *event = EVENT_ADD(turn->events, COMMAND_BEGAN, command_began, turn->command->market);

    event->seq = turn->command->seq;
    event->time_ms = turn->command->time_ms;
    event->origin = turn->command->origin;
    event->command_kind = turn->command->kind;
    return event;
}

static void run_command(struct turn *turn, struct command_began *began)
{
    const struct command *command = turn->command;
    struct speaker        speaker = { 0 };

    const struct user_command *row = command->kind < ARRAY_COUNT(user_commands) ? &user_commands[command->kind] : &user_commands[0];

    if (row->apply != NULL) {
        if (!admit(turn, row, &speaker)) return;
        began->account_id = (uint32_t)account_id_of(speaker.account);
        if (row->item_bytes != 0) run_batch(turn, row, speaker.account);
        else                      run_single(turn, row, speaker.account);
        nonce_use(turn->engine, &speaker, command);         /* last, because it writes into memory that is far away */
        return;
    }
    if (command->kind == CMD_ORACLE_POST && !admit_post(turn)) return;
    if (house_command(command->kind) != NULL) run_house_command(turn, house_command(command->kind));
    else tell_refused(turn, REJECT_NOT_SUPPORTED, NONCE_OK, NULL);  /* a kind of a later version */
}

/* Whether anything in the command was accepted; RESULTs stand right behind its COMMAND_BEGAN, others' events before it. */
static bool has_passed(const struct events *events, const struct command_began *began)
{
    const struct event *event = events_next(events, &began->head);

    for (; event != NULL && event->kind == EVENT_RESULT; event = events_next(events, event))
        if (((const struct result *)(const void *)event)->reject == REJECT_NONE) return true;
    return false;
}

HOT void engine_apply(struct engine *e, const struct command *command, struct events *events)
{
    struct turn           turn = { .engine = e, .events = events, .command = command };
    struct command_began *began;

    assert(command->seq == e->seq + 1);                             /* I1 */
    assert(command->time_ms >= e->time_ms);                         /* I1 */
    e->seq = command->seq;
    if (command->time_ms != e->time_ms && e->perps_count != 0) inputs_pass(e);
    e->time_ms = command->time_ms;
    began = tell_began(&turn);
    if (command->kind == CMD_TICK) run_tick(&turn);
    else                           run_command(&turn, began);
    run_consequences(&turn);
    if (command->kind == CMD_TICK) e->quiet = !is_missed(command) && e->perps_count != 0 && quiet_judge(e);
    else if (e->quiet != 0)        e->quiet = !has_passed(events, began) && quiet_judge(e);
    assert(e->touched_count == 0);
    assert(e->wallet_touched_count == 0 && turn.taking == 0);
}

/* Hours count while positions may have to pay: each settles its own funding (ruling 43). */
int64_t engine_due_ms(const struct engine *e)
{
    int64_t hour = e->perps_count != 0 ? (e->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS : INT64_MAX;

    return min_i64(min_i64(hour, settle_due_ms(e)), engine_kept_ms(e));
}

int64_t engine_kept_ms(const struct engine *e)   { return min_i64((e->fee_day + 1) * DAY_MS, schedule_due_ms(e)); }
bool    engine_work_left(const struct engine *e) { return e->perps_count != 0 && e->work_left != 0; }

int64_t engine_pulse_ms(const struct engine *e)
{
    if (e->perps_count == 0) return INT64_MAX;
    if (engine_work_left(e)) return e->time_ms;
    if (e->quiet == 0) return engine_second_ms(e);
    return engine_second_ms(e) == INT64_MAX ? INT64_MAX : quiet_until_ms(e);
}

int64_t engine_second_ms(const struct engine *e)
{
    if (e->perps_count == 0) return INT64_MAX;
    if (settle_waits(e)) return (e->time_ms / 1000 + 1) * 1000;
    for (uint32_t i = 0; i < e->perps_count; i++)
        if (market_trades(e, &e->markets[SYMBOLS_MAX + i])) return (e->time_ms / 1000 + 1) * 1000;
    return INT64_MAX;
}

uint64_t engine_due_count(const struct engine *e, int64_t until_ms) { return schedule_due_count(e, until_ms); }

const struct limits *engine_limits(const struct engine *e) { return &e->limits; }

uint64_t engine_seq(const struct engine *e)     { return e->seq; }
int64_t  engine_time_ms(const struct engine *e) { return e->time_ms; }
uint64_t engine_oracle_seq(const struct engine *e, uint32_t feeder) { return e->feeders[feeder].seq; }
int64_t  engine_time_offset_ms(const struct engine *e) { return e->time_offset_ms; }

struct engine_counts engine_counts(const struct engine *e)
{
    return (struct engine_counts){
        .accounts = e->account_end - SLOT_USERS, .open_orders = e->order_count, .levels = e->level_count, .signers = (uint64_t)(e->key_end - 1) * DOMAINS,
        .operator_ids = e->operator_count, .keys = e->key_end - 1, .transfers = e->transfer_shared, .positions = e->position_count,
        .burnt_ids = e->rules.client_id_reuse == REUSE_FILLED ? (uint64_t)e->burnt_count + e->order_count : 0,
    };
}
