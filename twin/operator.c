/* SPDX-License-Identifier: MIT */
/* operator.c — commands of operators (mechanics 7; rulings 30, 34, 49). */
#include "world.h"

/* An id that was used: the same content is answered again, another is a conflict. True: it is answered. */
static bool said_before(struct twin *twin, const struct operator_id *id, const void *payload, uint32_t bytes)
{
    for (uint32_t i = 0; i < twin->said_count; i++) {
        const struct said_once *said = &twin->said[i];

        if (memcmp(&said->id, id, sizeof(*id)) != 0) continue;
        if (said->kind == twin->command->kind && said->bytes == bytes && memcmp(said->payload, payload, bytes) == 0)
            answer(twin, 0, REJECT_NONE)->order_id = said->answer;
        else answer(twin, 0, REJECT_TRANSFER_CONFLICT);
        return true;
    }
    return false;
}
static void remember(struct twin *twin, const struct operator_id *id, const void *payload, uint32_t bytes,
                     uint64_t account_id)
{
    struct said_once *said = &twin->said[twin->said_count++];

    *said = (struct said_once){ .id = *id, .kind = twin->command->kind, .bytes = bytes, .answer = account_id };
    memcpy(said->payload, payload, bytes);
}

struct account *account_new(struct twin *twin, const struct address *owner, bool primary)
{
    struct account        *account = &twin->accounts[twin->account_count++];
    struct account_opened *opened;

    memset(account, 0, sizeof(*account));
    account->id = twin->next_account++;
    account->user_id = primary ? account->id : account_by_owner(twin, owner)->id;
    account->owner = *owner;
    account->primary = primary;
    settings(twin, account);
    opened = TELL(twin, ACCOUNT, account_opened, 0);
    opened->account_id = account->id;
    opened->user_id = account->user_id;
    opened->owner = *owner;
    opened->is_primary = primary;
    for (uint8_t market = MARKET_SPOT;
         primary && market <= (twin->genesis.perps_count > 0 ? MARKET_PERPS : MARKET_SPOT); market++)
        TELL(twin, FEE_TIER, fee_tier, market)->user_id = account->id;
    return account;
}

static uint32_t user_accounts(const struct twin *twin)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->account_count; i++)
        if (twin->accounts[i].id >= ACCOUNT_FIRST) count++;
    return count;
}

void do_deposit(struct twin *twin, const struct deposit *deposit)
{
    bool            fund = deposit->engine == MARKET_PERPS && deposit->account_id == ACCOUNT_FUND;
    struct account *account =
        deposit->account_id != 0 ? account_by_id(twin, deposit->account_id) : account_by_owner(twin, &deposit->address);
    struct decimal amount;
    int128_t       room;

    if (said_before(twin, &deposit->id, deposit, sizeof(*deposit))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (is_nobody(&deposit->address)) {
        answer(twin, 0, REJECT_BAD_ADDRESS);
        return;
    }
    if (deposit->engine != MARKET_SPOT && deposit->engine != MARKET_PERPS) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_ENGINE;
        return;
    }
    if (deposit->coin_id >= twin->genesis.coin_count) {
        answer_got(twin, 0, REJECT_COIN_NOT_FOUND, deposit->coin_id);
        return;
    }
    if (deposit->engine == MARKET_PERPS && deposit->coin_id != COIN_MARGIN) {
        answer(twin, 0, REJECT_NOT_SUPPORTED)->field = FIELD_COIN_ID;
        return;
    }
    amount = decimal_of(deposit->amount, twin->genesis.coins[deposit->coin_id].precision);
    if (deposit->amount <= 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE)->field = FIELD_AMOUNT;
        return;
    }
    room = AMOUNT_MAX - twin->inside[deposit->coin_id];
    if (deposit->amount > room) {
        answer_said(twin, 0, REJECT_SUPPLY_LIMIT, amount,
                    decimal_of(room, twin->genesis.coins[deposit->coin_id].precision));
        return;
    }
    if (deposit->account_id != 0 && !fund
        && (account == NULL || account->id < ACCOUNT_FIRST || !address_equal(&account->owner, &deposit->address))) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (account == NULL) {
        if (user_accounts(twin) >= twin->genesis.limits.accounts) {
            answer(twin, 0, REJECT_CAPACITY);
            return;
        }
        for (uint32_t i = 0; i < twin->key_count; i++)
            if (twin->keys[i].live && address_equal(&twin->keys[i].is.public_key, &deposit->address))
                end_key(twin, &twin->keys[i]);
        account = account_new(twin, &deposit->address, true);
    }
    answer(twin, 0, REJECT_NONE)->order_id = account->id;
    remember(twin, &deposit->id, deposit, sizeof(*deposit), account->id);
    twin->inside[deposit->coin_id] += deposit->amount;
    if (deposit->engine == MARKET_PERPS) account->wallet += deposit->amount;
    else account->total[deposit->coin_id] += deposit->amount;
    if (fund) return;
    twin->next_transfer++;
    tell_moved(twin, deposit->engine, account, 0, &account->owner, deposit->coin_id, deposit->amount,
               TRANSFER_EVM_DEPOSIT);
}

void do_redeem(struct twin *twin, const struct redeem *redeem)
{
    struct account *account = account_by_owner(twin, &redeem->address);
    uint32_t        decimals;

    if (said_before(twin, &redeem->id, redeem, sizeof(*redeem))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (is_nobody(&redeem->address)) {
        answer(twin, 0, REJECT_BAD_ADDRESS);
        return;
    }
    if (redeem->coin_id >= twin->genesis.coin_count) {
        answer_got(twin, 0, REJECT_COIN_NOT_FOUND, redeem->coin_id);
        return;
    }
    decimals = twin->genesis.coins[redeem->coin_id].precision;
    if (redeem->amount <= 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE)->field = FIELD_AMOUNT;
        return;
    }
    if (account == NULL) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (redeem->amount > account->evm[redeem->coin_id]) {
        answer_said(twin, 0, REJECT_INSUFFICIENT_BALANCE, decimal_of(account->evm[redeem->coin_id], decimals),
                    decimal_of(redeem->amount, decimals))
            ->field = FIELD_AMOUNT;
        return;
    }
    answer(twin, 0, REJECT_NONE)->order_id = account->id;
    remember(twin, &redeem->id, redeem, sizeof(*redeem), account->id);
    account->evm[redeem->coin_id] -= redeem->amount;
    twin->inside[redeem->coin_id] -= redeem->amount;
    twin->next_transfer++;
    tell_moved(twin, 0, NULL, 0, &redeem->address, redeem->coin_id, redeem->amount, TRANSFER_REDEEM);
}

/* Mechanics 7: two accounts of one user, on one side; out of perps what a transfer to spot could take. */
void do_transfer_between(struct twin *twin, const struct transfer_between *between)
{
    struct account *from = account_by_id(twin, between->from_account_id),
                   *to = account_by_id(twin, between->to_account_id);
    bool     perps = between->engine == MARKET_PERPS;
    uint32_t decimals;
    int128_t has;

    if (said_before(twin, &between->id, between, sizeof(*between))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (between->coin_id >= twin->genesis.coin_count) {
        answer_got(twin, 0, REJECT_COIN_NOT_FOUND, between->coin_id);
        return;
    }
    if (between->amount <= 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE)->field = FIELD_AMOUNT;
        return;
    }
    if (!perps && between->engine != MARKET_SPOT) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_ENGINE;
        return;
    }
    if (perps && between->coin_id != COIN_MARGIN) {
        answer(twin, 0, REJECT_NOT_SUPPORTED)->field = FIELD_COIN_ID;
        return;
    }
    if (from == NULL || from->id < ACCOUNT_FIRST) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (to == NULL || to->id < ACCOUNT_FIRST || !address_equal(&from->owner, &to->owner)) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND)->field = FIELD_TO_ACCOUNT_ID;
        return;
    }
    if (from == to) {
        answer(twin, 0, REJECT_NOT_SUPPORTED)->field = FIELD_TO_ACCOUNT_ID;
        return;
    }
    if (perps && twin->insolvent) {
        answer(twin, 0, REJECT_WITHDRAWALS_SUSPENDED);
        return;
    }
    if (perps && from->stage != 0) {
        answer(twin, 0, REJECT_IN_LIQUIDATION);
        return;
    }
    if (perps && money_is_held(twin, from, 0)) return;
    decimals = twin->genesis.coins[between->coin_id].precision;
    has = perps ? withdrawable(twin, from) : available(twin, from, between->coin_id);
    if (between->amount > has) {
        answer_said(twin, 0, perps ? REJECT_INSUFFICIENT_MARGIN : REJECT_INSUFFICIENT_BALANCE,
                    decimal_of(has, decimals), decimal_of(between->amount, decimals))
            ->field = FIELD_AMOUNT;
        return;
    }
    answer(twin, 0, REJECT_NONE)->order_id = to->id;
    remember(twin, &between->id, between, sizeof(*between), to->id);
    if (perps) {
        from->wallet -= between->amount;
        to->wallet += between->amount;
    } else {
        from->total[between->coin_id] -= between->amount;
        to->total[between->coin_id] += between->amount;
    }
    twin->next_transfer++;
    tell_moved(twin, between->engine, from, 0, &from->owner, between->coin_id, between->amount, TRANSFER_INTERNAL);
    tell_moved(twin, between->engine, to, 0, &to->owner, between->coin_id, between->amount, TRANSFER_SUBACCOUNT);
}

void do_open_account(struct twin *twin, const struct open_account *open)
{
    struct account *account;

    if (said_before(twin, &open->id, open, sizeof(*open))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (account_by_owner(twin, &open->owner) == NULL) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (user_accounts(twin) >= twin->genesis.limits.accounts) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    account = account_new(twin, &open->owner, false);
    answer(twin, 0, REJECT_NONE)->order_id = account->id;
    remember(twin, &open->id, open, sizeof(*open), account->id);
}

/* Mechanics 2.6: an attribute of the user. */
void do_set_staking(struct twin *twin, const struct set_staking *set)
{
    struct account *user = account_by_owner(twin, &set->owner);
    uint32_t        tiers = twin->genesis.spot_fees.staking_count;

    if (twin->genesis.perps_count > 0 && twin->genesis.perps_fees.staking_count > tiers)
        tiers = twin->genesis.perps_fees.staking_count;
    if (said_before(twin, &set->id, set, sizeof(*set))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (user == NULL) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    if (set->tier >= tiers) {
        answer_said(twin, 0, REJECT_NUMBER_RANGE, whole(set->tier), whole(tiers - 1))->field = FIELD_TIER;
        return;
    }
    answer(twin, 0, REJECT_NONE)->order_id = user->id;
    remember(twin, &set->id, set, sizeof(*set), user->id);
    fee_staking(twin, user, set->tier);
}

/* The twin has no traders; it knows what is refused. */
void do_set_traders(struct twin *twin, const struct set_traders *set)
{
    bool wide = set->preset > MARKET_NONE || set->pulled > 100 || set->takers < -100 || set->takers > 1900
             || set->drift < -1000000 || set->drift > 1000000;

    answer(twin, 0, !twin->genesis.development ? REJECT_MODE_FORBIDS : wide ? REJECT_NUMBER_RANGE : REJECT_NONE);
}

/* Ruling 43: development alone; it only grows. */
void do_advance_time(struct twin *twin, const struct advance_time *advance)
{
    if (!twin->genesis.development) {
        answer(twin, 0, REJECT_MODE_FORBIDS);
        return;
    }
    if (advance->offset_ms < twin->offset_ms) {
        answer_said(twin, 0, REJECT_OFFSET_SHRINKS, whole(advance->offset_ms), whole(twin->offset_ms));
        return;
    }
    answer(twin, 0, REJECT_NONE);
    twin->offset_ms = advance->offset_ms;
    TELL(twin, TIME, time_advanced, 0)->offset_ms = advance->offset_ms;
}

/* Mechanics 3.15. */
void do_set_market(struct twin *twin, const struct set_market *set)
{
    struct symbol_changed *told;
    uint8_t                status;

    if (set->engine != MARKET_SPOT && set->engine != MARKET_PERPS) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_ENGINE;
        return;
    }
    if (symbol_by_id(twin, set->engine, set->symbol_id) == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, set->symbol_id);
        return;
    }
    if (set->status != SYMBOL_TRADING && set->status != SYMBOL_HALT
        && (set->status != SYMBOL_REDUCE_ONLY || set->engine == MARKET_SPOT)) {
        answer(twin, 0, REJECT_ENUM_RANGE);
        return;
    }
    if (twin->state[set->engine][set->symbol_id - 1].status == SYMBOL_SETTLED) {
        answer(twin, 0, REJECT_SYMBOL_SETTLED);
        return;
    }
    answer(twin, 0, REJECT_NONE);
    if (set->engine == MARKET_PERPS && set->status != SYMBOL_HALT)
        restrict_symbol(twin, symbol_by_id(twin, MARKET_PERPS, set->symbol_id), set->status == SYMBOL_REDUCE_ONLY);
    status = set->status == SYMBOL_HALT ? SYMBOL_HALT : SYMBOL_TRADING;
    if (twin->state[set->engine][set->symbol_id - 1].status == status) return;
    twin->state[set->engine][set->symbol_id - 1].status = status;
    told = TELL(twin, SYMBOL, symbol_changed, set->engine);
    told->symbol_id = set->symbol_id;
    told->status = status;
}

/* TWIN_BUG_MODE_FORGETS: as if RUN meant that everything trades. */
static void forget_halts(struct twin *twin)
{
    for (uint32_t i = 0; i < twin->genesis.spot_count; i++) twin->state[MARKET_SPOT][i].status = SYMBOL_TRADING;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        struct symbol_state *s = &twin->state[MARKET_PERPS][i];

        if (s->status != SYMBOL_SETTLED) s->status = SYMBOL_TRADING;
        if (s->phase == PHASE_REDUCE_ONLY) s->phase = PHASE_OPEN;
    }
}

/* Ruling 49, decision 421: cancels alone go through everywhere, or on
   perps only what reduces. A symbol keeps what it is by itself. */
void do_set_mode(struct twin *twin, const struct set_mode *set)
{
    struct mode_changed *told;

    if (set->mode < 1 || set->mode > 3) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_MODE;
        return;
    }
    answer(twin, 0, REJECT_NONE);
    if (twin->mode == set->mode) return;
    told = TELL(twin, MODE, mode_changed, 0);
    told->mode = set->mode;
    told->before = twin->mode;
    twin->mode = set->mode;
    if (twin->bug == TWIN_BUG_MODE_FORGETS && twin->mode == VENUE_RUN) forget_halts(twin);
}

uint8_t status_now(const struct twin *twin, uint8_t market, uint64_t id)
{
    uint8_t status = twin->state[market][id - 1].status;

    if (twin->bug == TWIN_BUG_NO_MODE || twin->mode != VENUE_CANCEL_ONLY) return status;
    return status == SYMBOL_SETTLED ? SYMBOL_SETTLED : SYMBOL_HALT;
}

uint8_t phase_now(const struct twin *twin, uint64_t id)
{
    uint8_t phase = twin->state[MARKET_PERPS][id - 1].phase;

    if (twin->bug == TWIN_BUG_NO_MODE || twin->mode != VENUE_REDUCE_ONLY) return phase;
    return phase == PHASE_OPEN ? PHASE_REDUCE_ONLY : phase;
}

/* An operator's id like the others. */
void do_settle(struct twin *twin, const struct settle_symbol *settle)
{
    if (said_before(twin, &settle->id, settle, sizeof(*settle))) return;
    if (twin->said_count >= twin->genesis.limits.deposits) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (announce(twin, settle)) remember(twin, &settle->id, settle, sizeof(*settle), 0);
}

/* More room in a pool; the new slots are empty. */
static void *more(void *rows, size_t before, size_t now, size_t bytes)
{
    rows = realloc(rows, now * bytes);
    if (now > before) memset((char *)rows + before * bytes, 0, (now - before) * bytes);
    return rows;
}

/* A pool has grown: so does what this engine keeps of it. */
static void make_room(struct twin *twin, const struct limits *before)
{
    const struct limits *now = &twin->genesis.limits;
    size_t               was = before->accounts + 3, is = now->accounts + 3;

    twin->accounts = more(twin->accounts, was, is, sizeof(*twin->accounts));
    twin->balances = more(twin->balances, was * (COINS_MAX + 1), is * (COINS_MAX + 1), sizeof(*twin->balances));
    twin->evms = more(twin->evms, was * COINS_MAX, is * COINS_MAX, sizeof(*twin->evms));
    twin->told_positions = more(twin->told_positions, was * PERPS_HERE, is * PERPS_HERE, sizeof(*twin->told_positions));
    twin->nonces = more(twin->nonces, (size_t)before->accounts * 3 + before->signers + 1,
                        (size_t)now->accounts * 3 + now->signers + 1, sizeof(*twin->nonces));
    twin->keys = more(twin->keys, before->keys + 1, now->keys + 1, sizeof(*twin->keys));
    twin->said = more(twin->said, before->deposits + 1, now->deposits + 1, sizeof(*twin->said));
    twin->orders = more(twin->orders, twin->order_cap, now->orders + 2, sizeof(*twin->orders));
    twin->order_cap = now->orders + 2;
    twin->levels = more(twin->levels, 2 * before->orders + 16, 2 * now->orders + 16, sizeof(*twin->levels));
    twin->retired = more(twin->retired, twin->burnt_cap, now->burnt_ids + 1, sizeof(*twin->retired));
    twin->burnt_cap = now->burnt_ids + 1;
}

/* Ruling 75: a pool is raised to a hundred million places at most, and never lowered. */
void do_raise_limit(struct twin *twin, const struct raise_limit *raise)
{
    struct limits before = twin->genesis.limits;
    uint32_t      now = limits_get(&before, raise->pool);

    if (raise->pool == 0 || raise->pool >= LIMITS) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_NAME;
        return;
    }
    if (raise->places < now) {
        answer_said(twin, 0, REJECT_NUMBER_RANGE, whole(raise->places), whole(now))->field = FIELD_VALUE;
        return;
    }
    if (raise->places > now && raise->places > 100000000) {
        answer_said(twin, 0, REJECT_NUMBER_RANGE, whole(raise->places), whole(100000000))->field = FIELD_VALUE;
        return;
    }
    answer(twin, 0, REJECT_NONE)->order_id = raise->places;
    limits_set(&twin->genesis.limits, raise->pool, raise->places);
    make_room(twin, &before);
}

/*
 * The operator cancels: of a side or both, of a symbol or all, of an account or all; accounts by id, the newest order
 * first (table 5.1 row 23).
 */
void do_cancel_for(struct twin *twin, const struct cancel_for *cancel)
{
    uint64_t count = 0;

    if (cancel->engine > MARKET_PERPS || (cancel->symbol_id != 0 && cancel->engine == 0)) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_ENGINE;
        return;
    }
    if (cancel->symbol_id != 0 && symbol_by_id(twin, cancel->engine, cancel->symbol_id) == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, cancel->symbol_id);
        return;
    }
    if (cancel->account_id != 0
        && (cancel->account_id < ACCOUNT_FIRST || account_by_id(twin, cancel->account_id) == NULL)) {
        answer(twin, 0, REJECT_ACCOUNT_NOT_FOUND);
        return;
    }
    for (uint32_t a = 0; a < twin->account_count; a++)
        for (struct order *newest = &twin->orders[0]; newest != NULL;) {
            newest = NULL;
            for (uint32_t i = 0; i < twin->order_count; i++) {
                struct order *o = &twin->orders[i];
                if (o->is.base.account_id != twin->accounts[a].id
                    || (cancel->account_id != 0 && cancel->account_id != o->is.base.account_id))
                    continue;
                if ((cancel->engine != 0 && cancel->engine != o->market)
                    || (cancel->symbol_id != 0 && cancel->symbol_id != o->is.base.symbol_id))
                    continue;
                if (newest == NULL || o->is.base.order_id > newest->is.base.order_id) newest = o;
            }
            if (newest == NULL) break;
            order_end(twin, newest, STATUS_CANCELED, REASON_OPERATOR);
            count++;
        }
    answer(twin, 0, REJECT_NONE)->order_id = count;
}
