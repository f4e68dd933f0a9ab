/* SPDX-License-Identifier: MIT */
/* operator.c — rights, and everything but trading: nonces, keys, operators, transfers, schedules, days. */
#include "world.h"

#define KEEP_REVOKED_MS (3 * DAY_MS) /* nonces of a revoked key are remembered that long (process 2) */

/* ---- rights (service 5; rulings 7, 9, 30, 35) ---- */

static struct nonces *nonces_of(struct twin *twin, uint8_t domain, const struct address *signer)
{
    for (uint32_t i = 0; i < twin->nonces_count; i++)
        if (twin->nonces[i].domain == domain && address_equal(&twin->nonces[i].signer, signer)) return &twin->nonces[i];
    return NULL;
}

struct refused *turn_away(struct twin *twin, enum reject reject)
{
    struct refused *refused = TELL(twin, REFUSED, refused, twin->command->market);

    refused->reject = (uint16_t)reject;
    refused->nonce = twin->command->nonce;
    return refused;
}

#define TAG_KEPT 0x3ffffff /* decision 244: 26 bits of a payload's tag are kept */

/* Within (T - 2 days, T + 1 day), unused, above the smallest of the
   100 highest; T without the offset of leaps (ruling 44). */
static bool use_nonce(struct twin *twin)
{
    const struct command *command = twin->command;
    struct nonces        *set = nonces_of(twin, command->domain, &command->signer);
    int128_t              t = twin->now_ms - twin->offset_ms, nonce = command->nonce;
    struct refused       *refused;
    uint32_t              at = 0;

    if (set == NULL) {
        if (nonce <= t - 2 * DAY_MS) {
            turn_away(twin, REJECT_BAD_NONCE)->nonce_reason = NONCE_TOO_OLD;
            return false;
        }
        if (nonce >= t + DAY_MS) {
            turn_away(twin, REJECT_BAD_NONCE)->nonce_reason = NONCE_TOO_FAR_AHEAD;
            return false;
        }
        set = &twin->nonces[twin->nonces_count++];
        set->domain = command->domain;
        set->signer = command->signer;
    }
    while (at < set->count && set->at[at].nonce < command->nonce) at++;
    if (at < set->count && set->at[at].nonce == command->nonce) {
        refused = turn_away(twin, REJECT_BAD_NONCE);
        refused->nonce_reason = NONCE_USED;
        refused->used_seq = set->at[at].seq;
        refused->same_payload = set->at[at].tag == (command->payload_tag & TAG_KEPT);
        return false;
    }
    if (at == 0 && set->count > 0 && (set->count == NONCES_KEPT || !twin->genesis.rules.nonce_floor_when_full)) {
        refused = turn_away(twin, REJECT_BAD_NONCE);
        refused->nonce_reason = NONCE_TOO_SMALL;
        refused->smallest = set->at[0].nonce;
        return false;
    }
    if (nonce <= t - 2 * DAY_MS) {
        turn_away(twin, REJECT_BAD_NONCE)->nonce_reason = NONCE_TOO_OLD;
        return false;
    }
    if (nonce >= t + DAY_MS) {
        turn_away(twin, REJECT_BAD_NONCE)->nonce_reason = NONCE_TOO_FAR_AHEAD;
        return false;
    }
    if (set->count == NONCES_KEPT) { /* the 100 highest are kept */
        memmove(set->at, set->at + 1, sizeof(set->at[0]) * (NONCES_KEPT - 1));
        set->count--;
        at--;
    }
    memmove(set->at + at + 1, set->at + at, sizeof(set->at[0]) * (set->count - at));
    set->at[at] = (struct nonce){ command->nonce, command->seq, command->payload_tag & TAG_KEPT };
    set->count++;
    return true;
}

/* TWIN_BUG_NONCE_KEPT: as if the command that a rule has rejected had not used its nonce. */
void give_nonce_back(struct twin *twin)
{
    struct nonces *set = nonces_of(twin, twin->command->domain, &twin->command->signer);

    for (uint32_t i = 0; i < set->count; i++) {
        if (set->at[i].nonce != twin->command->nonce) continue;
        memmove(set->at + i, set->at + i + 1, sizeof(set->at[0]) * (set->count - i - 1));
        set->count--;
    }
}

/* The right a key needs (wire 0.6): the mask forbids. */
static uint64_t right_needed(const struct command *command)
{
    const struct transfer_asset *transfer = command_payload(command);

    switch (command->kind) {
    case CMD_CANCEL_ORDERS:
    case CMD_CANCEL_PERPS:
    case CMD_SCHEDULE_CANCEL: return RIGHT_CANCEL;
    case CMD_TRANSFER: return transfer->type == TRANSFER_EVM_WITHDRAW ? RIGHT_WITHDRAW : RIGHT_TRANSFER;
    default: return RIGHT_TRADE;
    }
}

/* A live key of the owner, not expired, with the right; only the main wallet manages keys. */
static enum reject key_wrong(struct twin *twin, const struct account *account)
{
    const struct command *command = twin->command;

    for (uint32_t i = 0; i < twin->key_count; i++) {
        const struct key *key = &twin->keys[i];

        if (!address_equal(&key->is.public_key, &command->signer)) continue;
        if (!key->live || key->is.key_id != command->key_id) return REJECT_UNKNOWN_KEY;
        if (key->is.user_id != account->user_id) return REJECT_BAD_SIGNATURE;
        if (key->is.expires_ms != 0 && key->is.expires_ms <= twin->now_ms) return REJECT_KEY_EXPIRED;
        if (command->kind == CMD_ADD_KEY || command->kind == CMD_REVOKE_KEY) return REJECT_PERMISSION_DENIED;
        return (key->is.permissions & right_needed(command)) != 0 ? REJECT_PERMISSION_DENIED : REJECT_NONE;
    }
    return REJECT_BAD_SIGNATURE;
}

/*
 * Admits a signed command, or records the refusal. Every signed payload begins with its account (ruling 62: 0 is the
 * primary one).
 */
bool admit(struct twin *twin)
{
    const struct command *command = twin->command;
    uint64_t              account_id = *(const uint64_t *)command_payload(command);
    struct account       *account = NULL;
    enum reject           wrong = REJECT_NONE;

    if (account_id != 0) account = account_by_id(twin, account_id);
    else if (command->key_id == 0) account = account_by_owner(twin, &command->signer);
    if (account == NULL || account->id < ACCOUNT_FIRST) {
        turn_away(twin, REJECT_ACCOUNT_NOT_FOUND);
        return false;
    }
    if (command->key_id != 0) wrong = key_wrong(twin, account);
    else if (!address_equal(&account->owner, &command->signer)) wrong = REJECT_BAD_SIGNATURE;
    if (wrong != REJECT_NONE) {
        turn_away(twin, wrong);
        return false;
    }
    if (!use_nonce(twin)) return false;
    twin->actor = account;
    return true;
}

/* ---- operators (mechanics 7; rulings 30, 34, 49) ---- */

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

static void tell_moved(struct twin *twin, uint8_t market, const struct account *account, uint64_t transfer_id,
                       const struct address *address, uint32_t coin_id, int64_t amount, uint8_t type)
{
    struct transferred *moved = TELL(twin, TRANSFER, transferred, market);

    moved->number = twin->next_transfer;
    moved->account_id = account == NULL ? 0 : account->id;
    moved->transfer_id = transfer_id;
    moved->address = *address;
    moved->coin_id = coin_id;
    moved->amount = amount;
    moved->type = type;
    moved->time_ms = twin->now_ms;
}

/* An address has one owner: a deposit to one that is a key ends the key. */
static void end_key(struct twin *twin, struct key *key)
{
    key->live = false;
    key->revoked_at = ++twin->next_revocation;
    key->revoked_ms = twin->now_ms - twin->offset_ms;
    key->is.revoked = 1;
    memcpy((char *)TELL(twin, KEY, key_changed, 0) + sizeof(struct event), (char *)&key->is + sizeof(struct event),
           sizeof(key->is) - sizeof(struct event));
}

static bool is_nobody(const struct address *address) { return address_equal(address, &(struct address){ { 0 } }); }

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

/* Ruling 43: development alone; it only grows. */
/* The twin has no traders; it knows what is refused. */
void do_set_traders(struct twin *twin, const struct set_traders *set)
{
    bool wide = set->preset > MARKET_NONE || set->pulled > 100 || set->takers < -100 || set->takers > 1900
             || set->drift < -1000000 || set->drift > 1000000;

    answer(twin, 0, !twin->genesis.development ? REJECT_MODE_FORBIDS : wide ? REJECT_NUMBER_RANGE : REJECT_NONE);
}

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

/* ---- API keys (wire 2.4) ---- */

static struct key *key_named(struct twin *twin, uint64_t user_id, const struct client_id *name)
{
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (twin->keys[i].live && twin->keys[i].is.user_id == user_id && client_id_equal(&twin->keys[i].is.name, name))
            return &twin->keys[i];
    return NULL;
}

/* A row for an address: its own from before, a new one, or the one that
   was revoked first and long enough ago (by the time of nonces). */
static struct key *key_row(struct twin *twin, const struct address *address)
{
    struct key *oldest = NULL;

    for (uint32_t i = 0; i < twin->key_count; i++)
        if (address_equal(&twin->keys[i].is.public_key, address)) return &twin->keys[i];
    if (twin->key_count < twin->genesis.limits.keys && 3 * twin->key_count + 3 <= twin->genesis.limits.signers)
        return &twin->keys[twin->key_count]; /* with three sets of nonces */
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (!twin->keys[i].live && (oldest == NULL || twin->keys[i].revoked_at < oldest->revoked_at))
            oldest = &twin->keys[i];
    return oldest != NULL && oldest->revoked_ms + KEEP_REVOKED_MS <= twin->now_ms - twin->offset_ms ? oldest : NULL;
}

/* The nonces of an address without a key or wallet are dropped with its row; a wallet's never. */
static void forget_nonces(struct twin *twin, const struct address *address)
{
    if (account_by_owner(twin, address) != NULL) return;
    for (uint32_t i = 0; i < twin->nonces_count; i++) {
        if (!address_equal(&twin->nonces[i].signer, address)) continue;
        twin->nonces[i] = twin->nonces[--twin->nonces_count];
        memset(&twin->nonces[twin->nonces_count], 0, sizeof(struct nonces));
        i--;
    }
}

/* The key that moved this money no longer exists. */
static void forget_moves(struct twin *twin, const struct address *key)
{
    for (uint32_t i = 0; i < twin->move_lists; i++) {
        if (!address_equal(&twin->moves[i].key, key)) continue;
        free(twin->moves[i].at);
        twin->moves[i--] = twin->moves[--twin->move_lists];
    }
}

void do_add_key(struct twin *twin, const struct add_key *add)
{
    uint32_t    live = 0;
    struct key *row, kept = { 0 };
    bool        taken = account_by_owner(twin, &add->public_key) != NULL;

    for (uint32_t i = 0; i < twin->key_count; i++) {
        if (!twin->keys[i].live) continue;
        if (twin->keys[i].is.user_id == twin->actor->user_id) live++;
        if (address_equal(&twin->keys[i].is.public_key, &add->public_key)) taken = true;
    }
    if (!text_is_client_id(client_id_slice(&add->name)) || slice_is(client_id_slice(&add->name), "default")) {
        answer(twin, 0, REJECT_BAD_KEY_NAME);
        return;
    }
    if (add->key_type != KEY_EVM) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_TYPE;
        return;
    }
    if (add->expires_ms > INT64_MAX) {
        answer(twin, 0, REJECT_BAD_EXPIRY);
        return;
    }
    if (add->permissions > 15) {
        answer(twin, 0, REJECT_BAD_PERMISSIONS);
        return;
    }
    if (add->expires_ms != 0 && (int64_t)add->expires_ms <= twin->now_ms) {
        answer_said(twin, 0, REJECT_KEY_EXPIRED, whole((int64_t)add->expires_ms), whole(twin->now_ms + 1))->field =
            FIELD_EXPIRES_AT;
        return;
    }
    if (key_named(twin, twin->actor->user_id, &add->name) != NULL) {
        answer(twin, 0, REJECT_KEY_EXISTS);
        return;
    }
    if (taken) {
        answer(twin, 0, REJECT_KEY_ADDRESS_TAKEN);
        return;
    }
    if (live >= 5) {
        answer_said(twin, 0, REJECT_KEY_LIMIT, whole(live), whole(5));
        return;
    }
    row = key_row(twin, &add->public_key);
    if (row == NULL) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (row == &twin->keys[twin->key_count]) twin->key_count++;
    else if (!address_equal(&row->is.public_key, &add->public_key)) {
        forget_nonces(twin, &row->is.public_key);
        forget_moves(twin, &row->is.public_key);
    } else if (row->is.user_id != twin->actor->user_id) forget_moves(twin, &row->is.public_key);
    else kept = *row;
    answer(twin, 0, REJECT_NONE);
    *row = (struct key){ .live = true, .lost = kept.lost, .lost_id = kept.lost_id };
    row->is.account_id = twin->actor->id;
    row->is.user_id = twin->actor->user_id;
    row->is.name = add->name;
    row->is.key_type = add->key_type;
    row->is.key_id = (uint32_t)++twin->next_key;
    row->is.public_key = add->public_key;
    row->is.expires_ms = (int64_t)add->expires_ms;
    row->is.permissions = add->permissions;
    memcpy((char *)TELL(twin, KEY, key_changed, 0) + sizeof(struct event), (char *)&row->is + sizeof(struct event),
           sizeof(row->is) - sizeof(struct event));
}

/* Ruling 73: the last but 31 of a user's revocations must be three days old before he revokes again. */
static int64_t revoke_wait(const struct twin *twin, uint64_t user_id)
{
    uint32_t seen = 0;

    for (uint32_t i = twin->revocation_count; i > 0; i--)
        if (twin->revocations[i - 1].user_id == user_id && ++seen == 32)
            return twin->revocations[i - 1].ms + KEEP_REVOKED_MS - twin->now_ms;
    return 0;
}

void do_revoke_key(struct twin *twin, const struct revoke_key *revoke)
{
    int64_t     wait;
    struct key *key = key_named(twin, twin->actor->user_id, &revoke->name);

    if (key == NULL) {
        answer(twin, 0, REJECT_KEY_NOT_FOUND);
        return;
    }
    wait = revoke_wait(twin, twin->actor->user_id);
    if (wait > 0) {
        answer_said(twin, 0, REJECT_KEY_LIMIT, whole(twin->now_ms), whole(twin->now_ms + wait));
        return;
    }
    answer(twin, 0, REJECT_NONE);
    end_key(twin, key);
    twin->revocations = realloc(twin->revocations, (twin->revocation_count + 1) * sizeof(*twin->revocations));
    twin->revocations[twin->revocation_count].user_id = twin->actor->user_id;
    twin->revocations[twin->revocation_count++].ms = twin->now_ms;
}

/* ---- transfers (service 4.2, service 4.5; mechanics 7) ---- */

static struct moved_list *find_moves(struct twin *twin, uint64_t account_id, uint8_t market, const struct address *key)
{
    for (uint32_t i = 0; i < twin->move_lists; i++)
        if (twin->moves[i].account_id == account_id && twin->moves[i].market == market
            && address_equal(&twin->moves[i].key, key))
            return &twin->moves[i];
    return NULL;
}

/* Ids in shared slots: all but the first of each list that has a reserved slot (ruling 73). */
static uint32_t shared_moves(const struct twin *twin)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->move_lists; i++)
        count += twin->moves[i].count - (twin->moves[i].own && twin->moves[i].count > 0 ? 1 : 0);
    return count;
}

static struct key *key_at(struct twin *twin, const struct address *address)
{
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (address_equal(&twin->keys[i].is.public_key, address)) return &twin->keys[i];
    return NULL;
}

/* Each account has on each side a place for the first id of its wallet and of five keys. */
static bool has_place(const struct twin *twin, uint64_t account_id, uint8_t market)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < twin->move_lists; i++)
        if (twin->moves[i].account_id == account_id && twin->moves[i].market == market
            && !is_nobody(&twin->moves[i].key) && twin->moves[i].own)
            taken++;
    return taken < 5;
}

/* The list of the signer; a new one when it has used no id for this account and side. */
static struct moved_list *moves_of(struct twin *twin, uint8_t market)
{
    struct address     key = { 0 };
    struct moved_list *list;
    bool               own = true;

    if (twin->command->key_id != 0) {
        key = twin->command->signer;
        own = has_place(twin, twin->actor->id, market);
    }
    list = find_moves(twin, twin->actor->id, market, &key);
    if (list != NULL) return list;
    twin->moves = realloc(twin->moves, (twin->move_lists + 1) * sizeof(*twin->moves));
    list = &twin->moves[twin->move_lists++];
    *list = (struct moved_list){ .account_id = twin->actor->id, .market = market, .key = key, .own = own };
    if (!is_nobody(&key)) {
        list->gave = key_at(twin, &key)->lost;
        list->last_given = key_at(twin, &key)->lost_id;
    }
    return list;
}

/*
 * No shared slot is left: of the revoked keys with a slot here, the one revoked first loses it and keeps only its
 * highest id.
 */
static struct moved_list *take_over_place(struct twin *twin, struct moved_list *list)
{
    struct moved_list copy = *list, *victim = NULL;
    struct key       *first = NULL;

    for (uint32_t i = 0; i < twin->move_lists; i++) {
        struct moved_list *other = &twin->moves[i];
        struct key        *key;

        if (other == list || other->account_id != list->account_id || other->market != list->market
            || is_nobody(&other->key) || !other->own)
            continue;
        key = key_at(twin, &other->key);
        if (key->live || (first != NULL && first->revoked_at < key->revoked_at)) continue;
        first = key;
        victim = other;
    }
    if (!first->lost || first->lost_id < victim->at[victim->count - 1].id)
        first->lost_id = victim->at[victim->count - 1].id;
    first->lost = true;
    free(victim->at);
    copy.own = true;
    *victim = copy;
    if (list != &twin->moves[--twin->move_lists]) *list = twin->moves[twin->move_lists];
    return victim == &twin->moves[twin->move_lists] ? list : victim;
}

static void drop_empty(struct twin *twin, const struct moved_list *list)
{
    if (list->count > 0) return;
    free(list->at);
    twin->moves[list - twin->moves] = twin->moves[--twin->move_lists];
}

static bool moves_money(struct twin *twin, const struct transfer_asset *transfer, struct moved_list *list);

void do_transfer(struct twin *twin, const struct transfer_asset *transfer)
{
    struct moved_list *list = moves_of(twin, twin->command->market);

    if (!moves_money(twin, transfer, list)) drop_empty(twin, list);
}

/* False: it is refused, or was known. */
static bool moves_money(struct twin *twin, const struct transfer_asset *transfer, struct moved_list *list)
{
    bool            full;
    uint8_t         market = twin->command->market;
    struct account *actor = twin->actor;
    bool            from_spot = market == MARKET_SPOT;
    uint32_t        count, at = 0, decimals;
    struct moved   *kept;
    int128_t        amount, has;

    if (transfer->type != TRANSFER_EVM_WITHDRAW && transfer->type != TRANSFER_PERPS_WITHDRAW
        && transfer->type != TRANSFER_SPOT_WITHDRAW) {
        answer(twin, 0, REJECT_TRANSFER_TYPE);
        return false;
    }
    if (transfer->to_account_id != ACCOUNT_BRIDGE) {
        answer(twin, 0, REJECT_TRANSFER_TARGET);
        return false;
    }
    if (transfer->amount.digits <= 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE);
        return false;
    }
    if (from_spot == (transfer->type == TRANSFER_SPOT_WITHDRAW)) {
        answer(twin, 0, REJECT_TRANSFER_TYPE);
        return false;
    }
    if (transfer->coin_id >= twin->genesis.coin_count) {
        answer_got(twin, 0, REJECT_COIN_NOT_FOUND, transfer->coin_id);
        return false;
    }
    if (transfer->type != TRANSFER_EVM_WITHDRAW && transfer->coin_id != COIN_MARGIN) {
        answer(twin, 0, REJECT_NOT_SUPPORTED)->field = FIELD_COIN_ID;
        return false;
    }
    decimals = twin->genesis.coins[transfer->coin_id].precision;
    if (!units_of(transfer->amount, decimals, &amount)) {
        answer_said(twin, 0, REJECT_AMOUNT_DECIMALS, whole(transfer->amount.scale), whole(decimals));
        return false;
    }
    count = list->count;
    kept = list->at;
    full =
        count == TRANSFERS_KEPT || (shared_moves(twin) >= twin->genesis.limits.transfers && !(list->own && count == 0));
    while (at < count && kept[at].id < transfer->id) at++;
    if (at < count && kept[at].id == transfer->id) {
        if (kept[at].coin_id == transfer->coin_id && kept[at].amount == amount && kept[at].type == transfer->type)
            answer(twin, 0, REJECT_NONE)->order_id = transfer->id;
        else answer_got(twin, 0, REJECT_TRANSFER_CONFLICT, transfer->id);
        return false;
    }
    if ((list->gave && transfer->id <= list->last_given) || (at == 0 && count > 0 && full)) {
        answer_said(twin, 0, REJECT_TRANSFER_TOO_OLD, whole((int128_t)transfer->id),
                    whole(count > 0 ? (int128_t)kept[0].id : (int128_t)list->last_given + 1));
        return false;
    }
    if (twin->insolvent && transfer->type != TRANSFER_PERPS_WITHDRAW) {
        answer(twin, 0, REJECT_WITHDRAWALS_SUSPENDED);
        return false;
    }
    if (!from_spot && actor->stage != 0) {
        answer(twin, 0, REJECT_IN_LIQUIDATION);
        return false;
    }
    if (!from_spot && money_is_held(twin, actor, 0)) return false;
    has = from_spot ? available(twin, actor, (uint32_t)transfer->coin_id) : withdrawable(twin, actor);
    if (amount > has) {
        answer_said(twin, 0, from_spot ? REJECT_INSUFFICIENT_BALANCE : REJECT_INSUFFICIENT_MARGIN,
                    decimal_of(has, decimals), transfer->amount)
            ->field = FIELD_AMOUNT;
        return false;
    }
    if (full && count == 0) {
        list = take_over_place(twin, list);
        full = false;
    }

    if (full) { /* the smallest goes */
        list->gave = true;
        list->last_given = kept[0].id;
        memmove(kept, kept + 1, (--count) * sizeof(*kept));
        at--;
    }
    if (kept == NULL) list->at = kept = calloc(TRANSFERS_KEPT, sizeof(*kept));
    memmove(kept + at + 1, kept + at, (count - at) * sizeof(*kept));
    kept[at] = (struct moved){ transfer->id, (uint32_t)transfer->coin_id, transfer->type, (int64_t)amount };
    list->count = count + 1;
    answer(twin, 0, REJECT_NONE)->order_id = transfer->id;
    twin->next_transfer++;
    if (from_spot) actor->total[transfer->coin_id] -= (int64_t)amount;
    else actor->wallet -= (int64_t)amount;
    tell_moved(twin, market, actor, transfer->id, &actor->owner, (uint32_t)transfer->coin_id, (int64_t)amount,
               transfer->type);
    if (transfer->type == TRANSFER_EVM_WITHDRAW)
        account_by_owner(twin, &actor->owner)->evm[transfer->coin_id] += (int64_t)amount;
    else {
        if (from_spot) actor->wallet += (int64_t)amount;
        else actor->total[transfer->coin_id] += (int64_t)amount;
        tell_moved(twin, from_spot ? MARKET_PERPS : MARKET_SPOT, actor, transfer->id, &actor->owner,
                   (uint32_t)transfer->coin_id, (int64_t)amount,
                   from_spot ? TRANSFER_SPOT_DEPOSIT : TRANSFER_PERPS_DEPOSIT);
    }
    return true;
}

/* ---- scheduled cancel (service 4.3; mechanics 6) ---- */

static void tell_schedule(struct twin *twin, struct account *account, uint8_t market, bool fired)
{
    struct schedule *told = TELL(twin, SCHEDULE, schedule, market);

    told->account_id = account->id;
    told->fire_ms = account->schedule[market].fire_ms;
    told->fired_today = account->schedule[market].day == twin->now_ms / DAY_MS ? account->schedule[market].count : 0;
    told->fired = fired;
}

void do_schedule(struct twin *twin, const struct schedule_cancel *schedule)
{
    uint8_t  market = twin->command->market;
    uint64_t at = schedule->scheduled_ms.value, soonest = (uint64_t)twin->now_ms + 5000,
             limit = twin->genesis.rules.schedule_triggers_per_day;
    int64_t  today = twin->now_ms / DAY_MS;
    uint64_t count = twin->actor->schedule[market].day == today ? twin->actor->schedule[market].count : 0;

    if (schedule->scheduled_ms.given) {
        if (at < soonest) {
            answer_said(twin, 0, REJECT_SCHEDULE_TOO_SOON, whole((int128_t)at), whole((int128_t)soonest));
            return;
        }
        if (count >= limit && (int64_t)(at / DAY_MS) <= today) {
            answer_said(twin, 0, REJECT_SCHEDULE_LIMIT, whole((int128_t)at), whole((today + 1) * DAY_MS));
            return;
        }
    }
    answer(twin, 0, REJECT_NONE);
    twin->actor->schedule[market].fire_ms = schedule->scheduled_ms.given ? (int64_t)at : 0;
    tell_schedule(twin, twin->actor, market, false);
}

/* All open orders of the account on that side, and the schedule is gone (mechanics 6). */
static void fire(struct twin *twin, struct account *account, uint8_t market)
{
    int64_t today = twin->now_ms / DAY_MS;
    bool    may;

    if (account->schedule[market].day != today) {
        account->schedule[market].day = today;
        account->schedule[market].count = 0;
    }
    may = account->schedule[market].count < twin->genesis.rules.schedule_triggers_per_day;
    account->schedule[market].fire_ms = 0;
    if (may) account->schedule[market].count++;
    for (bool again = may; again;) {
        struct order *first = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *order = &twin->orders[i];
            if (twin->genesis.rules.dms_keeps_stops && order->is.reduce_only && is_stop(order) && !order->rests)
                continue;
            if (order->market == market && order->is.base.account_id == account->id
                && (first == NULL || order->is.base.order_id < first->is.base.order_id))
                first = order;
        }
        again = first != NULL;
        if (again) order_end(twin, first, STATUS_CANCELED, REASON_SCHEDULED_CANCEL);
    }
    tell_schedule(twin, account, market, true);
}

/* TICK pipeline (mechanics 0): day, schedules by time and account. */
void do_tick(struct twin *twin, const struct tick *tick)
{
    (void)tick;
    if (twin->now_ms / DAY_MS != twin->day) {
        twin->day = twin->now_ms / DAY_MS;
        fee_day(twin);
    }
    for (;;) {
        struct account *due = NULL;
        uint8_t         side = 0;

        for (uint32_t i = 0; i < twin->account_count; i++)
            for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++) {
                struct account *a = &twin->accounts[i];
                if (a->schedule[market].fire_ms == 0 || a->schedule[market].fire_ms > twin->now_ms) continue;
                if (due == NULL || a->schedule[market].fire_ms < due->schedule[side].fire_ms) {
                    due = a;
                    side = market;
                }
            }
        if (due == NULL) break;
        fire(twin, due, side);
    }
    if (twin->genesis.perps_count != 0) fund_dawn(twin);
    second_goes_by(twin);
    if (twin->genesis.perps_count != 0) fund_says(twin);
}
