/* SPDX-License-Identifier: MIT */
/* twin.c — the interface: a genesis, commands one by one, and the accounts. */
#include <inttypes.h>

#include "world.h"

#define EVENT_ROOM ((size_t)16 << 20)

/* A record at the end of the events; RESULTs are collected apart, because they stand before what came of the items. */
void *tell(struct twin *twin, uint16_t kind, size_t bytes, uint8_t market)
{
    return events_add(&twin->events, kind, (uint16_t)bytes, market);
}

struct result *answer(struct twin *twin, uint32_t index, enum reject reject)
{
    struct result *result = (struct result *)(void *)(twin->results + index * sizeof(*result));

    memset(result, 0, sizeof(*result));
    result->head = (struct event){ .kind = EVENT_RESULT, .bytes = sizeof(*result), .market = twin->command->market };
    result->index = (uint16_t)index;
    result->reject = (uint16_t)reject;
    return result;
}
struct result *answer_said(struct twin *twin, uint32_t index, enum reject reject, struct decimal got,
                           struct decimal need)
{
    struct result *result = answer(twin, index, reject);

    result->got = got;
    result->need = need;
    result->said = SAID_GOT | SAID_NEED;
    return result;
}

struct result *answer_got(struct twin *twin, uint32_t index, enum reject reject, uint64_t got)
{
    struct result *result = answer(twin, index, reject);

    if (got > INT64_MAX) { /* more than a decimal holds: its digits, as a name */
        result->orig_client_id.len =
            (uint8_t)snprintf(result->orig_client_id.at, sizeof(result->orig_client_id.at), "%" PRIu64, got);
        result->said = SAID_ID;
        return result;
    }
    result->got = whole((int128_t)got);
    result->said = SAID_GOT;
    return result;
}
struct result *answer_id(struct twin *twin, uint32_t index, enum reject reject, const struct client_id *id)
{
    struct result *result = answer(twin, index, reject);

    result->orig_client_id = *id;
    result->said = SAID_ID;
    return result;
}

struct account *account_by_id(struct twin *twin, uint64_t id)
{
    for (uint32_t i = 0; i < twin->account_count; i++)
        if (twin->accounts[i].id == id) return &twin->accounts[i];
    return NULL;
}
struct account *account_by_owner(struct twin *twin, const struct address *owner)
{
    for (uint32_t i = 0; i < twin->account_count; i++)
        if (twin->accounts[i].primary && twin->accounts[i].id >= ACCOUNT_FIRST
            && address_equal(&twin->accounts[i].owner, owner))
            return &twin->accounts[i];
    return NULL;
}
struct account *account_primary(struct twin *twin, const struct account *account)
{
    return account_by_id(twin, account->user_id);
}

struct symbol *symbol_by_id(struct twin *twin, uint8_t market, uint64_t id)
{
    uint32_t count = market == MARKET_SPOT ? twin->genesis.spot_count : twin->genesis.perps_count;

    if (id == 0 || id > count) return NULL;
    return market == MARKET_SPOT ? &twin->genesis.spot[id - 1] : &twin->genesis.perps[id - 1];
}

/* Leverage and mode of an account that never chose (mechanics 3.1). */
void settings(const struct twin *twin, struct account *account)
{
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        account->positions[i].is.account_id = account->id;
        account->positions[i].is.symbol_id = i + 1;
        account->positions[i].is.leverage = twin->genesis.contracts[i].init_leverage;
        account->positions[i].is.margin_mode = MARGIN_CROSS;
    }
}

static void operator_account(struct twin *twin, uint64_t id)
{
    struct account *account = &twin->accounts[twin->account_count++];

    memset(account, 0, sizeof(*account));
    account->id = account->user_id = id;
    account->primary = true;
    settings(twin, account);
}

struct twin *twin_create(const struct genesis *genesis)
{
    const struct limits *limits = &genesis->limits;
    struct twin         *twin = calloc(1, sizeof(*twin));

    twin->genesis = *genesis;
    twin->now_ms = genesis->time_ms;
    twin->day = genesis->time_ms / DAY_MS;
    twin->mode = VENUE_RUN;
    twin->next_account = ACCOUNT_FIRST;
    twin->accounts = calloc(limits->accounts + 3, sizeof(*twin->accounts));
    twin->order_cap = limits->orders + 2;
    twin->orders = calloc(twin->order_cap, sizeof(*twin->orders));
    twin->nonces = calloc((size_t)limits->accounts * 3 + limits->signers + 1, sizeof(*twin->nonces));
    twin->keys = calloc(limits->keys + 1, sizeof(*twin->keys));
    twin->said = calloc(limits->deposits + 1, sizeof(*twin->said));
    twin->burnt_cap = limits->burnt_ids + 1;
    twin->retired = calloc(twin->burnt_cap, sizeof(*twin->retired));
    twin->events = (struct events){ malloc(EVENT_ROOM), 0, EVENT_ROOM };
    twin->closed = malloc(CLOSED_ROOM * sizeof(*twin->closed));
    twin->told_positions = calloc((limits->accounts + 3) * PERPS_HERE, sizeof(*twin->told_positions));
    assert(genesis->perps_count <= PERPS_HERE);
    twin->results = malloc((BATCH_MAX + 1) * sizeof(struct result)); /* one for forced orders */
    twin->balances = calloc((limits->accounts + 3) * (COINS_MAX + 1), sizeof(*twin->balances));
    twin->evms = calloc((limits->accounts + 3) * COINS_MAX, sizeof(*twin->evms));
    twin->levels = calloc(2 * limits->orders + 16, sizeof(*twin->levels));
    for (uint32_t i = 0; i < genesis->spot_count; i++) twin->state[MARKET_SPOT][i].status = genesis->spot[i].status;
    for (uint32_t i = 0; i < genesis->perps_count; i++) twin->state[MARKET_PERPS][i].status = genesis->perps[i].status;
    first_prices(twin);
    operator_account(twin, ACCOUNT_FUND);
    operator_account(twin, ACCOUNT_FEES);
    account_by_id(twin, ACCOUNT_FUND)->wallet = genesis->fund;
    twin->inside[COIN_MARGIN] += genesis->fund;
    for (uint32_t i = 0; i < genesis->account_count; i++) {
        const struct genesis_account *from = &genesis->accounts[i];
        struct account               *account = account_new(twin, &from->owner, true);

        for (uint32_t coin = 0; coin < from->spot_count; coin++) {
            account->total[coin] = from->spot[coin];
            twin->inside[coin] += from->spot[coin];
        }
        account->wallet = from->perps;
        twin->inside[COIN_MARGIN] += from->perps;
    }
    return twin;
}

void twin_free(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->move_lists; i++) free(twin->moves[i].at);
    free(twin->moves);
    free(twin->revocations);
    free(twin->accounts);
    for (uint32_t i = 0; i < PERPS_MAX; i++) free(twin->state[MARKET_PERPS][i].prints);
    free(twin->orders);
    free(twin->nonces);
    free(twin->keys);
    free(twin->said);
    free(twin->retired);
    free(twin->events.at);
    free(twin->results);
    free(twin->closed);
    free(twin->told_positions);
    free(twin->balances);
    free(twin->evms);
    free(twin->levels);
    free(twin);
}

void twin_inject_bug(struct twin *twin, enum twin_bug bug) { twin->bug = bug; }

/* Items get their ids echoed, accepted or not. */
static void echo(struct twin *twin, uint32_t index, const struct client_id *id)
{
    ((struct result *)(void *)(twin->results + index * sizeof(struct result)))->client_id = *id;
}

/* Runs the payload; returns how many RESULTs it has (I3: one per item, one with index 0 without items). */
static uint32_t run(struct twin *twin)
{
    const void *payload = command_payload(twin->command);

    switch (twin->command->kind) {
    case CMD_PLACE_ORDERS: {
        const struct place_orders *p = payload;
        do_place_spot(twin, p);
        for (uint32_t i = 0; i < p->count; i++) echo(twin, i, &p->items[i].client_id);
        return p->count;
    }
    case CMD_CANCEL_ORDERS: {
        const struct cancel_orders *p = payload;
        do_cancel_spot(twin, p);
        for (uint32_t i = 0; i < p->count; i++) echo(twin, i, &p->items[i].client_id);
        return p->count;
    }
    case CMD_REPLACE_ORDERS: {
        const struct replace_orders *p = payload;
        do_replace(twin, p);
        for (uint32_t i = 0; i < p->count; i++) echo(twin, i, &p->items[i].client_id);
        return p->count;
    }
    case CMD_SCHEDULE_CANCEL: do_schedule(twin, payload); return 1;
    case CMD_TICK: do_tick(twin, payload); return 0;
    case CMD_DEPOSIT: do_deposit(twin, payload); return 1;
    case CMD_TRANSFER: do_transfer(twin, payload); return 1;
    case CMD_ADD_KEY: do_add_key(twin, payload); return 1;
    case CMD_REVOKE_KEY: do_revoke_key(twin, payload); return 1;
    case CMD_OPEN_ACCOUNT: do_open_account(twin, payload); return 1;
    case CMD_REDEEM: do_redeem(twin, payload); return 1;
    case CMD_TRANSFER_BETWEEN: do_transfer_between(twin, payload); return 1;
    case CMD_SET_STAKING: do_set_staking(twin, payload); return 1;
    case CMD_ADVANCE_TIME: do_advance_time(twin, payload); return 1;
    case CMD_SET_MODE: do_set_mode(twin, payload); return 1;
    case CMD_SET_TRADERS: do_set_traders(twin, payload); return 1;
    case CMD_SET_MARKET: do_set_market(twin, payload); return 1;
    case CMD_SETTLE: do_settle(twin, payload); return 1;
    case CMD_CANCEL_FOR: do_cancel_for(twin, payload); return 1;
    case CMD_RAISE_LIMIT: do_raise_limit(twin, payload); return 1;
    case CMD_PLACE_PERPS: {
        const struct place_perps *p = payload;
        do_place_perps(twin, p);
        for (uint32_t i = 0; i < p->count; i++) echo(twin, i, &p->items[i].client_id);
        return p->count;
    }
    case CMD_CANCEL_PERPS: {
        const struct cancel_perps *p = payload;
        do_cancel_perps(twin, p);
        for (uint32_t i = 0; i < p->count; i++)
            if (p->items[i].client_id.len != 0) echo(twin, i, &p->items[i].client_id);
        return p->count;
    }
    case CMD_MODIFY_ORDER: do_modify(twin, payload); return 1;
    case CMD_UPDATE_LEVERAGE: do_leverage(twin, payload); return 1;
    case CMD_UPDATE_MARGIN: do_margin(twin, payload); return 1;
    case CMD_SET_INDEX: do_set_index(twin, payload); return 1;
    case CMD_ORACLE_POST: return do_oracle(twin, payload);
    default: return 0;
    }
}

static bool is_signed(uint16_t kind)
{
    switch (kind) {
    case CMD_PLACE_ORDERS:
    case CMD_CANCEL_ORDERS:
    case CMD_REPLACE_ORDERS:
    case CMD_SCHEDULE_CANCEL:
    case CMD_TRANSFER:
    case CMD_ADD_KEY:
    case CMD_REVOKE_KEY:
    case CMD_PLACE_PERPS:
    case CMD_CANCEL_PERPS:
    case CMD_MODIFY_ORDER:
    case CMD_UPDATE_LEVERAGE:
    case CMD_UPDATE_MARGIN: return true;
    default: return false;
    }
}

const struct events *twin_apply(struct twin *twin, const struct command *command)
{
    struct command_began *began;
    size_t                behind;
    uint32_t              results;

    twin->command = command;
    twin->actor = NULL;
    twin->seq = command->seq;
    if (command->kind == CMD_TICK && nothing_stirs(twin)) seconds_left_out(twin, command->time_ms);
    time_goes_by(twin, command->time_ms);
    twin->now_ms = command->time_ms;
    if (command->kind == CMD_TICK) twin->after_tick = true;
    twin->events.len = 0;
    twin->closed_count = 0;
    twin->traded = twin->woken = 0;
    began = TELL(twin, COMMAND_BEGAN, command_began, 0);
    began->head.market = command->market;
    began->seq = command->seq;
    began->time_ms = command->time_ms;
    began->origin = command->origin;
    began->command_kind = command->kind;
    if (is_signed(command->kind)) {
        if (!admit(twin)) return &twin->events;
        began->account_id = (uint32_t)twin->actor->id;
    }
    behind = twin->events.len;
    results = run(twin);
    for (uint32_t i = 0; i < results; i++)
        if (((struct result *)(void *)twin->results)[i].reject == REJECT_NONE) twin->after_tick = false;
    stops_after(twin);
    if (twin->bug == TWIN_BUG_NONCE_KEPT && twin->actor != NULL && results > 0
        && ((struct result *)(void *)twin->results)->reject != REJECT_NONE)
        give_nonce_back(twin);
    assert(twin->events.len + results * sizeof(struct result) <= twin->events.cap);
    memmove(twin->events.at + behind + results * sizeof(struct result), twin->events.at + behind,
            twin->events.len - behind);
    memcpy(twin->events.at + behind, twin->results, results * sizeof(struct result));
    twin->events.len += results * sizeof(struct result);
    return &twin->events;
}
