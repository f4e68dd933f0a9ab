/* SPDX-License-Identifier: MIT */
#include "core/engine/operator.h"
#include "core/engine.h"
#include "core/account/account.h"
#include "core/account/account_open.h"
#include "core/account/fees.h"
#include "core/account/ledger.h"
#include "core/state/market.h"
#include "core/perps/perps_take.h"
#include "core/engine/settle.h"
#include "core/spot/spot_end.h"
#include "core/engine/transfer.h"

#define OFFSET_MAX_MS (INT64_C(1) << 52) /* engine time stays a number that JSON readers can hold */

/* ---- ids ---- */

/* The id is a piece of a hash already; its first word spreads as well as any. */
static uint32_t id_key(const struct operator_id *id)
{
    uint64_t word;

    memcpy(&word, id->bytes, sizeof(word));
    return table_key_u64(word);
}

static const struct operator_record *find_record(const struct engine *e, const struct operator_id *id)
{
    const struct table_entry *table = engine_operator_table(e);
    uint32_t                  key = id_key(id);

    TABLE_EACH(at, table, e->layout.operator_table_size, key)
        if (memcmp(&engine_operators(e)[table[at].ix - 1].id, id, sizeof(*id)) == 0)
            return &engine_operators(e)[table[at].ix - 1];
    return NULL;
}

/* The whole content of the command: its kind and its payload. */
static struct operator_record record_of(const struct command *command, size_t payload_bytes,
                                        const struct operator_id *id)
{
    struct operator_record record = { .id = *id };
    struct keccak          keccak;
    struct hash256         hash;

    assert(payload_bytes != 0 && sizeof(*command) + payload_bytes <= command->bytes);
    keccak_init(&keccak);
    keccak_add(&keccak, &command->kind, sizeof(command->kind));
    keccak_add(&keccak, command_payload(command), payload_bytes);
    hash = keccak_end(&keccak);
    memcpy(record.digest, hash.bytes, sizeof(record.digest));
    return record;
}

/* Whether the id is new and can be stored. A known id with the same content succeeds with the earlier outcome. */
static bool record_is_new(const struct engine *e, const struct operator_record *record, struct result *result)
{
    const struct operator_record *known = find_record(e, &record->id);

    assert(e->operator_count <= e->limits.deposits);
    if (known == NULL) return e->operator_count < e->limits.deposits || refuse_plainly(result, REJECT_CAPACITY);
    if (memcmp(known->digest, record->digest, sizeof(known->digest)) != 0)
        return refuse_plainly(result, REJECT_TRANSFER_CONFLICT);
    assert(known->account < e->account_end);
    result->order_id = account_id_of(known->account);
    return false;
}

static void remember_record(struct engine *e, struct operator_record record, uint32_t slot, struct result *result)
{
    assert(e->operator_count < e->limits.deposits && find_record(e, &record.id) == NULL);
    record.account = slot;
    engine_operators(e)[e->operator_count++] = record;
    table_insert(engine_operator_table(e), e->layout.operator_table_size, id_key(&record.id), e->operator_count);
    result->order_id = account_id_of(slot);
    assert(find_record(e, &record.id) == &engine_operators(e)[e->operator_count - 1]);
}

/* ---- money ---- */

static bool pass_money(const struct engine *e, const struct address *address, uint32_t coin_id, int64_t amount,
                       struct result *result)
{
    static const struct address nobody;

    if (address_equal(address, &nobody)) return refuse_plainly(result, REJECT_BAD_ADDRESS);
    if (coin_id >= e->coin_count) return refuse_number(result, REJECT_COIN_NOT_FOUND, FIELD_OF_ROW, coin_id);
    if (amount <= 0) return refuse_field(result, REJECT_NOT_POSITIVE, FIELD_AMOUNT);
    return true;
}

static bool may_credit(const struct engine *e, const struct deposit *deposit, struct result *result)
{
    int64_t room;

    if (!pass_money(e, &deposit->address, deposit->coin_id, deposit->amount, result)) return false;
    if (deposit->engine != MARKET_SPOT && deposit->engine != MARKET_PERPS)
        return refuse_field(result, REJECT_ENUM_RANGE, FIELD_ENGINE);
    if (deposit->engine == MARKET_PERPS && deposit->coin_id != COIN_MARGIN)
        return refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_COIN_ID);
    room = AMOUNT_MAX - ledger_supply(e, deposit->coin_id);
    assert(room >= 0 && room <= AMOUNT_MAX);
    if (deposit->amount > room)
        return refuse(result, REJECT_SUPPLY_LIMIT, coin_amount(e, deposit->coin_id, deposit->amount),
                      coin_amount(e, deposit->coin_id, room));
    return true;
}

static void emit_movement(struct apply_context *ctx, uint8_t market, uint8_t type, uint32_t slot, uint64_t account_id,
                          uint32_t coin_id, int64_t amount)
{
    struct transferred movement = {
        .number = ctx->engine->next_transfer_number++,
        .account_id = account_id,
        .coin_id = coin_id,
        .amount = amount,
        .type = type,
    };

    assert(amount > 0 && coin_id < ctx->engine->coin_count);
    transfer_emit(ctx, market, slot, &movement);
}

/* The account that is credited: the one that is named, else the
   primary one, which is opened on first use. 0: refused. */
static uint32_t account_to_credit(struct apply_context *ctx, const struct deposit *deposit, struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       slot;

    if (deposit->account_id == ACCOUNT_FUND && deposit->engine == MARKET_PERPS)
        return SLOT_FUND; /* a top-up (mechanics 3.12, 5) */
    slot = deposit->account_id == 0 ? account_find_owner(e, &deposit->address) : account_find(e, deposit->account_id);
    if (slot != 0 && !address_equal(&account_at(e, slot)->owner, &deposit->address)) slot = 0;
    if (slot == 0 && deposit->account_id != 0) {
        refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
        return 0;
    }
    if (slot == 0) slot = account_open(e, ctx->events, &deposit->address);
    if (slot == 0) refuse_plainly(result, REJECT_CAPACITY);
    assert(slot == 0 || (slot < e->account_end && address_equal(&account_at(e, slot)->owner, &deposit->address)));
    return slot;
}

void apply_deposit(struct apply_context *ctx, const struct deposit *deposit, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct operator_record record = record_of(ctx->command, sizeof(*deposit), &deposit->id);
    uint32_t               slot;
    int64_t                supply;

    if (!record_is_new(e, &record, result) || !may_credit(e, deposit, result)) return;
    slot = account_to_credit(ctx, deposit, result);
    if (slot == 0) return;
    assert(slot == SLOT_FUND || slot >= SLOT_USERS);
    supply = ledger_supply(e, deposit->coin_id);
    remember_record(e, record, slot, result);
    ledger_deposit(ctx, slot, deposit->coin_id, deposit->engine == MARKET_PERPS ? PLACE_PERPS : PLACE_SPOT,
                   deposit->amount);
    assert(ledger_supply(e, deposit->coin_id) == supply + deposit->amount);
    if (slot == SLOT_FUND) return; /* no user's movement; its BALANCE is emitted */
    emit_movement(ctx, deposit->engine, TRANSFER_EVM_DEPOSIT, slot, account_id_of(slot), deposit->coin_id,
                  deposit->amount);
}

void apply_redeem(struct apply_context *ctx, const struct redeem *redeem, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct operator_record record = record_of(ctx->command, sizeof(*redeem), &redeem->id);
    uint32_t               user;
    int64_t                has;

    if (!record_is_new(e, &record, result) || !pass_money(e, &redeem->address, redeem->coin_id, redeem->amount, result))
        return;
    user = account_find_owner(e, &redeem->address);
    if (user == 0) {
        refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    has = ledger_evm(e, user, redeem->coin_id);
    assert(has >= 0);
    if (redeem->amount > has) {
        result->field = FIELD_AMOUNT;
        refuse(result, REJECT_INSUFFICIENT_BALANCE, coin_amount(e, redeem->coin_id, has),
               coin_amount(e, redeem->coin_id, redeem->amount));
        return;
    }
    remember_record(e, record, user, result);
    ledger_redeem(ctx, user, redeem->coin_id, redeem->amount);
    assert(ledger_evm(e, user, redeem->coin_id) == has - redeem->amount);
    emit_movement(ctx, 0, TRANSFER_REDEEM, user, 0, redeem->coin_id, redeem->amount);
}

/* Two accounts of one user; 0: refused. */
static bool pass_accounts(const struct engine *e, const struct transfer_between *transfer, uint32_t *from, uint32_t *to,
                          struct result *result)
{
    *from = account_find(e, transfer->from_account_id);
    *to = account_find(e, transfer->to_account_id);
    if (*from < SLOT_USERS) return refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
    if (*to < SLOT_USERS || account_at(e, *from)->user != account_at(e, *to)->user)
        return refuse_field(result, REJECT_ACCOUNT_NOT_FOUND, FIELD_TO_ACCOUNT_ID);
    return *from != *to || refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_TO_ACCOUNT_ID);
}

static bool pass_coin(const struct engine *e, const struct transfer_between *transfer, struct result *result)
{
    if (transfer->coin_id >= e->coin_count)
        return refuse_number(result, REJECT_COIN_NOT_FOUND, FIELD_OF_ROW, transfer->coin_id);
    if (transfer->amount <= 0) return refuse_field(result, REJECT_NOT_POSITIVE, FIELD_AMOUNT);
    if (transfer->engine != MARKET_SPOT && transfer->engine != MARKET_PERPS)
        return refuse_field(result, REJECT_ENUM_RANGE, FIELD_ENGINE);
    return transfer->engine == MARKET_SPOT || transfer->coin_id == COIN_MARGIN
        || refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_COIN_ID);
}

static void tell_between(struct apply_context *ctx, const struct transfer_between *transfer, uint32_t from, uint32_t to)
{
    struct transferred movement = {
        .number = ctx->engine->next_transfer_number++,
        .account_id = account_id_of(from),
        .coin_id = transfer->coin_id,
        .amount = transfer->amount,
        .type = TRANSFER_INTERNAL,
    };

    assert(from != to && transfer->amount > 0 && transfer->coin_id < ctx->engine->coin_count);
    transfer_emit(ctx, transfer->engine, from, &movement);
    movement.account_id = account_id_of(to);
    movement.type = TRANSFER_SUBACCOUNT;
    transfer_emit(ctx, transfer->engine, to, &movement);
}

void apply_transfer(struct apply_context *ctx, const struct transfer_between *transfer, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct operator_record record = record_of(ctx->command, sizeof(*transfer), &transfer->id);
    enum place             place = transfer->engine == MARKET_PERPS ? PLACE_PERPS : PLACE_SPOT;
    struct leaving         leaving = { place, place, transfer->coin_id, transfer->amount };
    uint32_t               from, to;

    if (!record_is_new(e, &record, result) || !pass_coin(e, transfer, result)) return;
    if (!pass_accounts(e, transfer, &from, &to, result)) return;
    if (!transfer_may_leave(e, from, &leaving, coin_amount(e, transfer->coin_id, transfer->amount), result)) return;
    assert(from >= SLOT_USERS && to >= SLOT_USERS && from != to);
    remember_record(e, record, to, result);
    ledger_transfer(ctx, from, to, transfer->coin_id, place, transfer->amount);
    tell_between(ctx, transfer, from, to);
}

/* ---- markets, and all of them: by content, no id is kept that could run out (ruling 74) ---- */

static bool is_mode(uint8_t mode) { return mode >= VENUE_RUN && mode <= VENUE_REDUCE_ONLY; }

static bool may_become(const struct set_market *set)
{
    return set->status == SYMBOL_TRADING || set->status == SYMBOL_HALT
        || (set->status == SYMBOL_REDUCE_ONLY && set->engine == MARKET_PERPS);
}

void apply_set_market(struct apply_context *ctx, const struct set_market *set, struct result *result)
{
    struct engine *e = ctx->engine;
    struct market *market =
        set->engine == MARKET_PERPS ? market_find_perps(e, set->symbol_id) : market_find(e, set->symbol_id);
    struct symbol_changed *event;
    uint8_t                status = set->status == SYMBOL_HALT ? SYMBOL_HALT : SYMBOL_TRADING;

    if (set->engine != MARKET_SPOT && set->engine != MARKET_PERPS) {
        refuse_field(result, REJECT_ENUM_RANGE, FIELD_ENGINE);
        return;
    }
    if (market == NULL) {
        refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, set->symbol_id);
        return;
    }
    if (!may_become(set)) {
        refuse_plainly(result, REJECT_ENUM_RANGE);
        return;
    }
    if (market->symbol.status == SYMBOL_SETTLED) {
        refuse_plainly(result, REJECT_SYMBOL_SETTLED);
        return;
    }
    if (set->engine == MARKET_PERPS && set->status != SYMBOL_HALT)
        settle_restrict(ctx, market, set->status == SYMBOL_REDUCE_ONLY);
    if (market->symbol.status == status) return;
    assert(market->symbol.id == set->symbol_id && market->kind == set->engine);
    market->symbol.status = status;
    event = EVENT_ADD(ctx->events, SYMBOL, symbol_changed, set->engine);
    event->symbol_id = set->symbol_id;
    event->status = status;
    assert(event->status == SYMBOL_TRADING || event->status == SYMBOL_HALT); /* only settlements use SETTLED */
}

/* Symbols keep their own status; the stricter of both applies (state.h: mode). */
void apply_set_mode(struct apply_context *ctx, const struct set_mode *set, struct result *result)
{
    struct engine       *e = ctx->engine;
    struct mode_changed *event;

    if (!is_mode(set->mode)) {
        refuse_field(result, REJECT_ENUM_RANGE, FIELD_MODE);
        return;
    }
    if (e->mode == set->mode) return;
    assert(is_mode(e->mode));
    event = EVENT_ADD(ctx->events, MODE, mode_changed, 0);
    event->mode = set->mode;
    event->before = e->mode;
    e->mode = set->mode;
}

/* ---- traders of development ---- */

static bool are_in_range(const struct set_traders *set)
{
    return set->preset < MARKET_PRESETS && set->pulled <= 100 && set->takers >= -100
        && set->takers <= TRADERS_TAKERS_MAX && set->drift >= -TRADERS_DRIFT_MAX && set->drift <= TRADERS_DRIFT_MAX;
}

void apply_set_traders(struct apply_context *ctx, const struct set_traders *set, struct result *result)
{
    struct engine *e = ctx->engine;

    if (!e->development) {
        refuse_plainly(result, REJECT_MODE_FORBIDS);
        return;
    }
    if (!are_in_range(set)) {
        refuse_plainly(result, REJECT_NUMBER_RANGE);
        return;
    }
    e->traders_preset = set->preset;
    e->traders_pulled = (uint8_t)set->pulled;
    e->traders_takers = (int32_t)set->takers;
    e->traders_drift = (int32_t)set->drift;
}

/* ---- limits ---- */

static bool pass_limit(const struct engine *e, const struct raise_limit *raise, struct result *result)
{
    uint32_t now = limits_get(&e->limits, raise->pool);

    if (raise->pool < POOL_ACCOUNTS || raise->pool >= LIMITS)
        return refuse_field(result, REJECT_ENUM_RANGE, FIELD_NAME);
    if (raise->places >= now && raise->places <= max_u32(now, POOL_PLACES_MAX)) return true;
    result->field = FIELD_VALUE;
    return refuse(result, REJECT_NUMBER_RANGE, decimal_make(raise->places, 0),
                  decimal_make(raise->places < now ? now : POOL_PLACES_MAX, 0));
}

bool engine_raises(const struct engine *e, const struct command *command, struct limits *limits)
{
    const struct raise_limit *raise = command_payload(command);
    struct result             none = { 0 };

    if (command->kind != CMD_RAISE_LIMIT || command->bytes < sizeof(*command) + sizeof(*raise)
        || !pass_limit(e, raise, &none))
        return false;
    *limits = e->limits;
    limits_set(limits, raise->pool, raise->places);
    return raise->places > limits_get(&e->limits, raise->pool);
}

/* Whoever applies a command that raises a pool has moved the engine before (engine_raises, engine_move). */
void apply_raise_limit(struct apply_context *ctx, const struct raise_limit *raise, struct result *result)
{
    if (!pass_limit(ctx->engine, raise, result)) return;
    assert(limits_get(&ctx->engine->limits, raise->pool) == raise->places);
    result->order_id = raise->places;
}

/* ---- accounts and time ---- */

void apply_open_account(struct apply_context *ctx, const struct open_account *open, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct operator_record record = record_of(ctx->command, sizeof(*open), &open->id);
    uint32_t               user, slot;

    if (!record_is_new(e, &record, result)) return;
    user = account_find_owner(e, &open->owner);
    if (user == 0) {
        refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    slot = account_open_more(e, ctx->events, user);
    if (slot == 0) {
        refuse_plainly(result, REJECT_CAPACITY);
        return;
    }
    assert(account_at(e, slot)->user == user && slot > user);
    remember_record(e, record, slot, result);
}

void apply_set_staking(struct apply_context *ctx, const struct set_staking *set, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct operator_record record = record_of(ctx->command, sizeof(*set), &set->id);
    uint32_t               user, highest = fees_staking_highest(e);

    assert(highest < FEE_TIERS_MAX);
    if (!record_is_new(e, &record, result)) return;
    user = account_find_owner(e, &set->owner);
    if (user == 0) {
        refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (set->tier > highest) {
        result->field = FIELD_TIER;
        refuse(result, REJECT_NUMBER_RANGE, decimal_make(set->tier, 0), decimal_make(highest, 0));
        return;
    }
    remember_record(e, record, user, result);
    fees_set_staking(ctx, user, (uint8_t)set->tier);
}

void apply_settle(struct apply_context *ctx, const struct settle_symbol *command, struct result *result)
{
    struct operator_record record = record_of(ctx->command, sizeof(*command), &command->id);

    if (record_is_new(ctx->engine, &record, result) && settle_announce(ctx, command, result))
        remember_record(ctx->engine, record, SLOT_FUND, result);
    result->order_id = 0; /* of no account */
}

/* ---- orders ---- */

static bool is_meant(const struct cancel_for *command, const struct engine *e, const struct order *order)
{
    uint8_t kind = market_is_perps(order->market) ? MARKET_PERPS : MARKET_SPOT;

    return (command->engine == 0 || command->engine == kind)
        && (command->symbol_id == 0 || market_at(e, order->market)->symbol.id == command->symbol_id);
}

static uint32_t newest_meant(const struct cancel_for *command, const struct engine *e, uint32_t slot)
{
    for (uint32_t ix = account_at(e, slot)->order_tail; ix != 0; ix = order_at(e, ix)->account_prev)
        if (is_meant(command, e, order_at(e, ix))) return ix;
    return 0;
}

/* How many went. The newest first: children before their parent, so that each ends for the same reason. */
static uint64_t cancel_of(struct apply_context *ctx, const struct cancel_for *command, uint32_t slot)
{
    uint64_t count = 0, open = account_at(ctx->engine, slot)->order_count;

    for (uint32_t ix; (ix = newest_meant(command, ctx->engine, slot)) != 0; count++) {
        if (market_is_perps(order_at(ctx->engine, ix)->market)) perps_end(ctx, ix, STATUS_CANCELED, REASON_OPERATOR);
        else spot_end(ctx, ix, STATUS_CANCELED, REASON_OPERATOR);
    }
    assert(count + account_at(ctx->engine, slot)->order_count <= open); /* each took itself along, children as well */
    return count;
}

static bool pass_cancel(struct engine *e, const struct cancel_for *command, uint32_t *slot, struct result *result)
{
    const struct market *market;

    if (command->engine > MARKET_PERPS || (command->symbol_id != 0 && command->engine == 0))
        return refuse_field(result, REJECT_ENUM_RANGE, FIELD_ENGINE);
    market =
        command->engine == MARKET_PERPS ? market_find_perps(e, command->symbol_id) : market_find(e, command->symbol_id);
    if (command->symbol_id != 0 && market == NULL)
        return refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, command->symbol_id);
    *slot = command->account_id == 0 ? 0 : account_find(e, command->account_id);
    return command->account_id == 0 || *slot != 0 || refuse_plainly(result, REJECT_ACCOUNT_NOT_FOUND);
}

void apply_cancel(struct apply_context *ctx, const struct cancel_for *command, struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       slot = 0;
    uint64_t       count = 0;

    if (!pass_cancel(e, command, &slot, result)) return;
    assert(slot == 0 || (slot >= SLOT_USERS && slot < e->account_end));
    for (uint32_t at = slot != 0 ? slot : SLOT_USERS; at < (slot != 0 ? slot + 1 : e->account_end); at++)
        count += cancel_of(ctx, command, at);
    result->order_id = count;
}

/* ---- time ---- */

void apply_advance_time(struct apply_context *ctx, const struct advance_time *advance, struct result *result)
{
    struct engine *e = ctx->engine;

    if (!e->development) {
        refuse_plainly(result, REJECT_MODE_FORBIDS);
        return;
    }
    if (advance->offset_ms < e->time_offset_ms) {
        refuse(result, REJECT_OFFSET_SHRINKS, decimal_make(advance->offset_ms, 0), decimal_make(e->time_offset_ms, 0));
        return;
    }
    if (advance->offset_ms > OFFSET_MAX_MS) {
        refuse(result, REJECT_NUMBER_RANGE, decimal_make(advance->offset_ms, 0), decimal_make(OFFSET_MAX_MS, 0));
        return;
    }
    e->time_offset_ms = advance->offset_ms;
    EVENT_ADD(ctx->events, TIME, time_advanced, 0)->offset_ms = e->time_offset_ms;
    assert(e->time_offset_ms >= 0 && e->time_offset_ms <= OFFSET_MAX_MS);
}

void operator_verify(const struct engine *e)
{
    assert(e->operator_count <= e->limits.deposits);
    for (uint32_t i = 0; i < e->operator_count; i++) {
        assert(find_record(e, &engine_operators(e)[i].id) == &engine_operators(e)[i]); /* I20 */
        assert(engine_operators(e)[i].account == SLOT_FUND
               || (engine_operators(e)[i].account >= SLOT_USERS && engine_operators(e)[i].account < e->account_end));
    }
    assert(e->time_offset_ms >= 0 && (e->development || e->time_offset_ms == 0)); /* I27 */
    assert(is_mode(e->mode));                                                     /* I44 */
}
