/* SPDX-License-Identifier: MIT */
#include "core/account/ledger.h"
#include "core/engine.h"
#include "core/account/account.h"

/* Marks a balance to be emitted at the end of the item. */
static void touch(struct engine *e, uint32_t slot, struct account *account, uint32_t coin_id)
{
    if (account->touched == 0) engine_touched(e)[e->touched_count++] = slot;
    account->touched |= UINT64_C(1) << coin_id;
}

/* Moves an amount of one coin from one balance to another. */
static inline void ledger_move(int64_t *from, int64_t *to, int64_t amount)
{
    assert(amount >= 0);
    *from -= amount;
    *to += amount;
}

static int64_t *money_at(struct engine *e, uint32_t slot, uint32_t coin_id, enum place place)
{
    assert((slot >= SLOT_USERS || (slot == SLOT_FUND && place == PLACE_PERPS)) && slot < e->account_end
           && coin_id < e->coin_count);
    switch (place) {
    case PLACE_PERPS: assert(coin_id == COIN_MARGIN); return &engine_margins(e)[slot].wallet;
    case PLACE_EVM: return &engine_evm(e)[(size_t)account_at(e, slot)->user * e->coin_count + coin_id];
    default: return &account_buckets(account_at(e, slot))[coin_id].available;
    }
}

static void emit_wallet(struct apply_context *ctx, uint32_t slot)
{
    struct balance *event = events_room(ctx->events, sizeof(*event));

    event->head = EVENT_HEAD(BALANCE, balance, MARKET_PERPS);
    event->account_id = account_id_of(slot);
    event->coin_id = COIN_MARGIN;
    event->reserved = 0;
    event->total = ledger_wallet(ctx->engine, slot);
    event->locked = 0;
}

static void emit_evm(struct apply_context *ctx, uint32_t slot, uint32_t coin_id)
{
    struct evm_balance *event = EVENT_ADD(ctx->events, EVM_BALANCE, evm_balance, 0);

    assert(slot >= SLOT_USERS && coin_id < ctx->engine->coin_count);
    event->address = account_at(ctx->engine, slot)->owner;
    event->coin_id = coin_id;
    event->amount = ledger_evm(ctx->engine, account_at(ctx->engine, slot)->user, coin_id);
    assert(event->amount >= 0);
}

static void emit_place(struct apply_context *ctx, uint32_t slot, uint32_t coin_id, enum place place)
{
    if (place == PLACE_SPOT) touch(ctx->engine, slot, account_at(ctx->engine, slot), coin_id);
    else if (place == PLACE_PERPS) emit_wallet(ctx, slot);
    else emit_evm(ctx, slot, coin_id);
}

void ledger_deposit(struct apply_context *ctx, uint32_t slot, uint32_t coin_id, enum place place, int64_t amount)
{
    struct engine  *e = ctx->engine;
    struct account *outside = account_at(e, SLOT_OUTSIDE);

    assert(amount <= AMOUNT_MAX - ledger_supply(e, coin_id));
    assert(amount > 0);
    ledger_move(&account_buckets(outside)[coin_id].available, money_at(e, slot, coin_id, place), amount);
    emit_place(ctx, slot, coin_id, place);
    assert(ledger_supply(e, coin_id) >= amount);
}

void ledger_redeem(struct apply_context *ctx, uint32_t user, uint32_t coin_id, int64_t amount)
{
    struct engine *e = ctx->engine;

    assert(account_at(e, user)->user == user && amount <= ledger_evm(e, user, coin_id));
    assert(amount > 0);
    ledger_move(money_at(e, user, coin_id, PLACE_EVM), &account_buckets(account_at(e, SLOT_OUTSIDE))[coin_id].available,
                amount);
    emit_evm(ctx, user, coin_id);
}

void ledger_bridge(struct apply_context *ctx, uint32_t slot, uint32_t coin_id, enum place from, enum place to,
                   int64_t amount)
{
    struct engine *e = ctx->engine;
    int64_t       *bridge = &account_buckets(account_at(e, SLOT_BRIDGE))[coin_id].available;
    int64_t       *source = money_at(e, slot, coin_id, from);

    assert(from != to && amount <= *source && *bridge == 0);
    ledger_move(source, bridge, amount);
    ledger_move(bridge, money_at(e, slot, coin_id, to), amount);
    assert(*bridge == 0);
    emit_place(ctx, slot, coin_id, from);
    emit_place(ctx, slot, coin_id, to);
}

void ledger_transfer(struct apply_context *ctx, uint32_t from, uint32_t to, uint32_t coin_id, enum place place,
                     int64_t amount)
{
    struct engine *e = ctx->engine;

    assert(from != to && account_at(e, from)->user == account_at(e, to)->user && place != PLACE_EVM);
    assert(amount > 0 && amount <= *money_at(e, from, coin_id, place));
    ledger_move(money_at(e, from, coin_id, place), money_at(e, to, coin_id, place), amount);
    emit_place(ctx, from, coin_id, place);
    emit_place(ctx, to, coin_id, place);
}

/* Wallets that trading changes are emitted at the end of the item, each once. */
static void touch_wallet(struct engine *e, uint32_t slot)
{
    struct margin_account *margin = engine_margins(e) + slot;

    if (margin->touched) return;
    margin->touched = 1;
    engine_wallets_touched(e)[e->wallet_touched_count++] = slot;
}

void ledger_position(struct engine *e, uint32_t slot, int64_t amount)
{
    assert(slot != SLOT_OUTSIDE && slot < e->account_end);
    if (amount == 0) return;
    engine_margins(e)[slot].wallet += amount;
    touch_wallet(e, slot);
}

void ledger_leg(struct engine *e, uint32_t slot, int64_t amount, int64_t fee)
{
    int64_t *wallet = &engine_margins(e)[slot].wallet, *vault = &engine_margins(e)[SLOT_FEES].wallet;

    ledger_position(e, slot, amount);
    if (fee == 0) return;
    assert(fee > 0 || *vault >= -fee);
    if (fee > 0) ledger_move(wallet, vault, fee);
    else ledger_move(vault, wallet, -fee);
    touch_wallet(e, slot);
    touch_wallet(e, SLOT_FEES);
}

void ledger_to_fund(struct engine *e, uint32_t slot, int64_t amount)
{
    assert(slot != SLOT_FUND && (slot != SLOT_FEES || engine_margins(e)[slot].wallet >= amount));
    ledger_move(&engine_margins(e)[slot].wallet, &engine_margins(e)[SLOT_FUND].wallet, amount);
    touch_wallet(e, slot);
    touch_wallet(e, SLOT_FUND);
}

void ledger_touch(struct engine *e, uint32_t slot, uint32_t coin_id) { touch(e, slot, account_at(e, slot), coin_id); }

struct bucket *ledger_of_user(struct engine *e, uint32_t slot, uint32_t coin_id)
{
    assert(slot >= SLOT_USERS && coin_id < e->coin_count);
    return account_buckets(account_at(e, slot)) + coin_id;
}

void ledger_hold_alone(struct bucket *bucket, int64_t amount)
{
    assert(amount <= bucket->available);
    ledger_move(&bucket->available, &bucket->held, amount);
}

void ledger_release_alone(struct bucket *bucket, int64_t amount)
{
    assert(amount <= bucket->held);
    ledger_move(&bucket->held, &bucket->available, amount);
}

void ledger_hold(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount)
{
    ledger_touch(e, slot, coin_id);
    ledger_hold_alone(ledger_of_user(e, slot, coin_id), amount);
}

void ledger_release(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount)
{
    ledger_touch(e, slot, coin_id);
    ledger_release_alone(ledger_of_user(e, slot, coin_id), amount);
}

/*
 * Both coins of an account that a trade changes, in one go. Whether it was touched before is not foreseeable, so the
 * slot is always written; there is a place behind the last one, because the outside is never touched.
 */
static inline void touch_both(struct engine *e, uint32_t slot, struct account *account, uint64_t coins)
{
    engine_touched(e)[e->touched_count] = slot;
    e->touched_count += account->touched == 0;
    account->touched |= coins;
}

/* The same of a taker and the vault, which the next trade finds touched. */
static SHARED void touch_first(struct engine *e, uint32_t taker, uint64_t coins, uint64_t of_vault)
{
    assert((of_vault & ~coins) == 0 && e->touched_count <= e->account_end); /* each account is in the list once */
    touch_both(e, taker, account_at(e, taker), coins);
    touch_both(e, SLOT_FEES, account_at(e, SLOT_FEES), of_vault);
}

void ledger_swap_open(const struct engine *e, struct swap *swap, uint32_t taker, uint32_t taker_coin,
                      uint32_t maker_coin)
{
    assert(taker > SLOT_BRIDGE && taker < e->account_end);
    assert(taker_coin < e->coin_count && maker_coin < e->coin_count && taker_coin != maker_coin);
    swap->taker = taker;
    swap->taker_row = account_at(e, taker);
    swap->vault_row = account_at(e, SLOT_FEES);
    swap->taker_coin = taker_coin;
    swap->maker_coin = maker_coin;
    swap->coins = UINT64_C(1) << taker_coin | UINT64_C(1) << maker_coin;
}

void ledger_swap(struct engine *e, const struct swap *swap)
{
    struct account *vault = swap->vault_row;
    struct bucket  *taker = account_buckets(swap->taker_row), *maker = account_buckets(swap->maker_row);
    uint32_t        taker_coin = swap->taker_coin, maker_coin = swap->maker_coin;
    int64_t         rebate = swap->maker_fee < 0 ? -swap->maker_fee : 0, fee = swap->maker_fee + rebate;

    assert(swap->maker > SLOT_BRIDGE);
    assert(swap->taker_fee >= 0 && swap->taker_fee <= swap->taker_gets && rebate <= swap->taker_fee);
    assert(fee <= swap->maker_gets && swap->taker_gets <= maker[taker_coin].held);
    assert(swap->maker_gets <= taker[maker_coin].held);
    touch_both(e, swap->maker, swap->maker_row, swap->coins);
    if ((swap->taker_row->touched & vault->touched & swap->coins) != swap->coins)
        touch_first(e, swap->taker, swap->coins, fee != 0 ? swap->coins : UINT64_C(1) << taker_coin);
    maker[taker_coin].held -= swap->taker_gets;
    maker[taker_coin].available += rebate;
    taker[taker_coin].available += swap->taker_gets - swap->taker_fee;
    account_buckets(vault)[taker_coin].available += swap->taker_fee - rebate;
    taker[maker_coin].held -= swap->maker_gets;
    maker[maker_coin].available += swap->maker_gets - fee;
    account_buckets(vault)[maker_coin].available += fee;
}

int64_t ledger_supply(const struct engine *e, uint32_t coin_id)
{
    return -ledger_bucket(e, SLOT_OUTSIDE, coin_id)->available;
}

static ALWAYS_INLINE void write_balance(struct balance *event, uint64_t account_id, uint32_t coin_id,
                                        const struct bucket *bucket)
{
    event->head = EVENT_HEAD(BALANCE, balance, MARKET_SPOT);
    event->account_id = account_id;
    event->coin_id = coin_id;
    event->reserved = 0;
    event->total = bucket->available + bucket->held;
    event->locked = bucket->held;
}

void ledger_write(const struct engine *e, struct balance *event, uint32_t slot, uint32_t coin_id,
                  const struct bucket *bucket)
{
    assert(e->touched_count == 0);
    write_balance(event, account_id_of_user(slot), coin_id, bucket);
}

/* Appends every balance of an account that is marked, and takes the marks off. */
static inline void emit_marked(struct events *events, struct account *account, uint64_t account_id)
{
    uint64_t touched = account->touched;

    account->touched = 0;
    for (; touched != 0; touched &= touched - 1) {
        uint32_t coin_id = (uint32_t)__builtin_ctzll(touched);

        write_balance(events_room(events, sizeof(struct balance)), account_id, coin_id,
                      account_buckets(account) + coin_id);
    }
}

void ledger_emit_touched(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;
    struct events  events = *ctx->events; /* where no write of a record can change it */

    for (uint32_t i = 0, count = e->touched_count; i < count; i++) {
        uint32_t slot = engine_touched(e)[i];

        emit_marked(&events, account_at(e, slot), account_id_of(slot));
    }
    ctx->events->len = events.len;
    e->touched_count = 0;
    for (uint32_t i = 0; i < e->wallet_touched_count; i++) {
        emit_wallet(ctx, engine_wallets_touched(e)[i]);
        engine_margins(e)[engine_wallets_touched(e)[i]].touched = 0;
    }
    e->wallet_touched_count = 0;
}

struct engine_money engine_money(const struct engine *e, uint32_t coin_id)
{
    struct engine_money money = { .inside = ledger_supply(e, coin_id) };

    for (uint32_t slot = SLOT_OUTSIDE + 1; slot < e->account_end; slot++) {
        const struct bucket *bucket = ledger_bucket(e, slot, coin_id);

        money.spot += (int128_t)bucket->available + bucket->held;
        money.held += bucket->held;
        money.evm += ledger_evm(e, slot, coin_id);
        if (coin_id == COIN_MARGIN) money.wallets += ledger_wallet(e, slot);
    }
    for (uint32_t ix = 1; coin_id == COIN_MARGIN && ix < e->position_end; ix++) {
        money.buckets += position_at(e, ix)->exposure.bucket;
        money.costs += position_at(e, ix)->exposure.cost;
    }
    return money;
}

/* Buckets less costs of all positions: with the wallets they make the perps side whole (mechanics 1.5). */
static int128_t sum_positions(const struct engine *e)
{
    int128_t sum = 0;

    for (uint32_t ix = 1; ix < e->position_end; ix++)
        sum += position_at(e, ix)->exposure.bucket - position_at(e, ix)->exposure.cost;
    return sum;
}

/*
 * Balances of an account in a coin outside its buckets. A wallet is below zero only while a cross position supports
 * it.
 */
static int128_t sum_beside(const struct engine *e, uint32_t slot, uint32_t coin_id)
{
    int64_t wallet = coin_id == COIN_MARGIN ? ledger_wallet(e, slot) : 0, evm = ledger_evm(e, slot, coin_id);

    assert((wallet >= 0 || position_any_cross(e, slot) || (slot == SLOT_FUND && e->insolvent)) && evm >= 0); /* I24 */
    if (slot < SLOT_USERS) assert(evm == 0);
    if (slot == SLOT_OUTSIDE || slot == SLOT_BRIDGE) assert(wallet == 0);
    if (account_at(e, slot)->user != slot) assert(evm == 0); /* the EVM ledger goes by address */
    return (int128_t)wallet + evm;
}

void ledger_verify(const struct engine *e)
{
    for (uint32_t coin_id = 0; coin_id < e->coin_count; coin_id++) {
        int128_t sum = coin_id == COIN_MARGIN ? sum_positions(e) : 0;

        for (uint32_t slot = 0; slot < e->account_end; slot++) {
            const struct bucket *bucket = ledger_bucket(e, slot, coin_id);

            if (slot != SLOT_OUTSIDE) assert(bucket->available >= 0); /* I4 */
            assert(bucket->held >= 0);
            sum += (int128_t)bucket->available + bucket->held + sum_beside(e, slot, coin_id);
        }
        assert(sum == 0); /* I4 */
        assert(ledger_supply(e, coin_id) >= 0 && ledger_supply(e, coin_id) <= AMOUNT_MAX);
        assert(ledger_bucket(e, SLOT_OUTSIDE, coin_id)->held == 0);
        assert(ledger_bucket(e, SLOT_BRIDGE, coin_id)->available == 0); /* empty between commands */
    }
    assert(e->touched_count == 0 && e->wallet_touched_count == 0);
}
