/* SPDX-License-Identifier: MIT */
/*
 * Random hostile flow: five users and some sub-accounts in two markets, prices around the touch, every kind of order,
 * wrong ids, foreign orders, used nonces, scheduled cancels, transfers, keys added and revoked, operators that repeat
 * commands, days that pass, clock advances, small pools. After every command all money of each coin is summed against
 * deposits and redemptions, and depth and balances are compared with the events; every 50 commands the whole state is
 * verified. The same commands on an engine with other pools that are never full end in the same hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account/account.h"
#include "core/book/book.h"
#include "rigs/core/fixture.h"
#include "rigs/random.h"
#include "core/account/ledger.h"

#define ROUNDS   120000
#define CROWD    5
#define ACCOUNTS 8
#define KEY      50 /* addresses that may be keys: user numbers from here on, KEYS of them */
#define KEYS     12

static uint64_t random_state;

static uint32_t random_below(uint32_t n) { return (uint32_t)((random_xorshift(&random_state) >> 32) % n); }

static struct fixture *flow(struct limits limits)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct symbol  *second = &f->genesis.spot[1];

    fixture_genesis(&f->genesis);
    f->genesis.limits = limits;
    f->genesis.spot[0].maker_fee = -1000;
    f->genesis.spot[0].taker_fee = 65000;
    f->genesis.spot[0].min_notional = 0;
    *second = f->genesis.spot[0]; /* more decimals than the quote coin has (E24) */
    second->name = name_make(SLICE("vETH_vUSDC"));
    second->id = 2;
    second->base_coin_id = 2;
    second->price_precision = 3;
    second->maker_fee = 35000;
    second->fee_discount = 20000000;
    f->genesis.spot_count = 2;
    f->genesis.rules.open_orders_per_account = 9;
    f->genesis.development = 1;
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    return f;
}

static struct decimal some_price(uint32_t symbol_id, uint32_t spread)
{
    int64_t units = 1000000 - (int64_t)spread / 2 + random_below(spread);
    return decimal_make(units, symbol_id == 1 ? 1 : 3);
}

static struct client_id some_id(void)
{
    char text[16];
    snprintf(text, sizeof(text), "id%u", random_below(40));
    return cid(text);
}

static struct decimal a_wild_decimal(void)
{
    int64_t digits = (int64_t)1 << random_below(63);

    return (struct decimal){ digits, random_below(20), 0 };
}

static void some_order(struct new_order *item)
{
    *item = (struct new_order){ .symbol_id = 1 + random_below(2), .type = TYPE_LIMIT };
    item->client_id = some_id();
    item->side = (uint8_t)(1 + random_below(2));
    item->time_in_force = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX }[random_below(5)];
    item->price = some_price((uint32_t)item->symbol_id, random_below(20) == 0 ? 200000 : 40);
    item->quantity = decimal_make(1 + random_below(random_below(10) == 0 ? 100000 : 300), 5);
    if (random_below(6) == 0) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (random_below(2) == 0) item->price = (struct decimal){ 0 };
        if (item->side == SIDE_BUY && random_below(2) == 0) {
            item->funds = decimal_make(1 + random_below(100000000), 6);
            item->quantity = (struct decimal){ 0 };
        }
    }
    if (random_below(50) == 0) item->symbol_id = random_below(5);
    if (random_below(50) == 0) item->time_in_force = (uint8_t)random_below(6);
    if (random_below(50) == 0) item->side = (uint8_t)random_below(4);
    if (random_below(80) == 0) item->quantity.digits = -1;
    if (random_below(80) == 0) item->price = a_wild_decimal();
}

static void some_replace(struct replace_order *item)
{
    *item = (struct replace_order){ .symbol_id = 1 + random_below(2) };
    item->client_id = some_id();
    item->orig_client_id = some_id();
    if (random_below(4) == 0) {
        item->orig_client_id = cid(NULL);
        item->orig_order_id = 1 + random_below(2000);
    }
    if (random_below(2) == 0) item->price = some_price((uint32_t)item->symbol_id, 40);
    if (random_below(2) == 0) item->quantity = decimal_make(1 + random_below(400), 5);
}

static void some_cancel(struct cancel_order *item, uint64_t orders)
{
    *item = (struct cancel_order){ .symbol_id = 1 + random_below(2) };
    item->client_id = some_id();
    if (random_below(3) == 0) item->order_id = orders - min_u64(orders, random_below(60));
    if (random_below(5) == 0) item->orig_client_id = some_id();
}

static void some_transfer(struct fixture *f)
{
    static const uint8_t types[] = { TRANSFER_EVM_WITHDRAW, TRANSFER_PERPS_WITHDRAW, TRANSFER_PERPS_WITHDRAW,
                                     TRANSFER_SPOT_WITHDRAW };
    uint8_t              type = types[random_below(4)];

    fixture_transfer(f, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, f->seq / 40 + random_below(60),
                     type, 0, NULL);
    f->room.transfer_asset.amount = decimal_make(1 + random_below(random_below(10) == 0 ? 2000000000 : 20000000), 6);
    if (type == TRANSFER_EVM_WITHDRAW) f->room.transfer_asset.coin_id = random_below(3);
    if (random_below(20) == 0) f->room.transfer_asset.coin_id = random_below(5);
    if (random_below(20) == 0) f->room.transfer_asset.type = (uint8_t)random_below(10);
    if (random_below(20) == 0) f->room.transfer_asset.to_account_id = 995 + random_below(10);
    if (random_below(20) == 0) f->room.transfer_asset.amount = a_wild_decimal();
    if (random_below(20) == 0) f->room.transfer_asset.amount.digits = -(int64_t)random_below(3);
    if (random_below(20) == 0)
        f->room.transfer_asset.id = random_below(2) == 0 ? UINT64_MAX - random_below(3) : random_below(5);
    if (random_below(20) == 0) f->room.head.market = (uint8_t)random_below(5);
}

static void some_key(struct fixture *f)
{
    char name[8];

    snprintf(name, sizeof(name), "k%u", random_below(7));
    if (random_below(3) == 0) {
        fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
        f->room.revoke_key.name = cid(name);
    } else {
        fixture_add_key(f, name, random_below(15) == 0 ? 1 + random_below(CROWD) : KEY + random_below(KEYS));
        f->room.add_key.permissions = random_below(3) == 0 ? random_below(16) : 0;
        if (random_below(4) == 0) f->room.add_key.expires_ms = (uint64_t)f->time_ms - 10 + random_below(100000);
        if (random_below(40) == 0) f->room.add_key.key_type = (uint8_t)random_below(4);
        if (random_below(40) == 0) f->room.add_key.name.len = (uint8_t)random_below(256);
        if (random_below(40) == 0) f->room.add_key.name = cid("default");
    }
    f->room.head.market = (uint8_t)random_below(3);
}

/* Commands of operators; their ids are used again, with the same content and with another. */
static void some_operator_command(struct fixture *f, uint32_t kind, uint32_t who)
{
    struct operator_id id = operator_id(random_below(3) == 0 ? 1 + random_below(9) : ++f->deposit_id);

    if (kind < 6) {
        fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
        f->room.deposit =
            (struct deposit){ .address = user(random_below(40) == 0 ? KEY + random_below(KEYS) : who), .id = id };
        f->room.deposit.coin_id = random_below(4);
        f->room.deposit.amount = random_below(1000000000);
        f->room.deposit.amount *= random_below(3) + 1;
        f->room.deposit.engine = random_below(4) == 0 ? MARKET_PERPS : MARKET_SPOT;
        f->room.deposit.account_id = random_below(5) == 0 ? ACCOUNT_FIRST + random_below(ACCOUNTS + 1) : 0;
        if (random_below(40) == 0) f->room.deposit.engine = (uint8_t)random_below(256);
    } else if (kind == 6) {
        fixture_head(f, CMD_REDEEM, sizeof(struct redeem));
        f->room.redeem = (struct redeem){ .address = user(who), .coin_id = random_below(4), .id = id };
        f->room.redeem.amount = (int64_t)random_below(30000000) - 10;
    } else if (kind == 7) {
        fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
        f->room.open_account = (struct open_account){ .owner = user(who), .id = id };
    } else {
        int64_t step = random_below(4) == 0 ? random_below(100000) : 0;

        fixture_head(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
        f->room.advance_time.offset_ms =
            engine_time_offset_ms(f->engine) + step - (random_below(4) == 0 ? random_below(3) : 0);
        f->time_ms += step;
    }
    f->room.head.market = 0;
}

/* Somebody signs, on the clock that clients have: a wallet, or one of the keys there are, or one that is none. */
static void some_signature(struct fixture *f, uint32_t who)
{
    uint32_t ix = f->engine->key_end > 1 ? 1 + random_below(f->engine->key_end - 1) : 0;

    if (ix != 0 && random_below(5) == 0) {
        const struct api_key *key = engine_keys(f->engine) + ix;

        fixture_sign_key(f, who, key->number);
        f->room.head.signer = key->address;
        f->room.place_orders.account_id = ACCOUNT_FIRST + key->account - SLOT_USERS;
        if (random_below(30) == 0) f->room.head.key_id = random_below(40);
        if (random_below(30) == 0) f->room.head.signer = user(KEY + random_below(KEYS));
    } else {
        fixture_sign(f, random_below(60) == 0 ? 99 : who);
        if (random_below(200) == 0) f->room.head.key_id = random_below(9);
    }
    if (random_below(50) == 0) f->room.place_orders.account_id = 1000 + random_below(ACCOUNTS + 3);
    f->room.head.nonce -= (uint64_t)engine_time_offset_ms(f->engine);
    if (random_below(60) == 0) f->room.head.nonce -= random_below(200);
    if (f->room.head.kind == CMD_ADD_KEY || f->room.head.kind == CMD_REVOKE_KEY) f->room.head.domain = DOMAIN_UNIVERSAL;
    if (f->room.head.market == MARKET_PERPS) f->room.head.domain = DOMAIN_FUTURES;
}

/* Fills f->room with a random command of a random user. */
static void some_command(struct fixture *f, uint64_t orders)
{
    uint32_t kind = random_below(100), count = 1 + random_below(4), who = 1 + random_below(CROWD);

    f->time_ms += random_below(400);
    if (kind < 49) {
        fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, count));
        for (uint32_t i = 0; i < count; i++) some_order(&f->room.place_orders.items[i]);
        f->room.place_orders.count = count;
    } else if (kind < 62) {
        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, count));
        for (uint32_t i = 0; i < count; i++) some_cancel(&f->room.cancel_orders.items[i], orders);
        f->room.cancel_orders.count = count;
    } else if (kind < 77) {
        fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, count));
        for (uint32_t i = 0; i < count; i++) some_replace(&f->room.replace_orders.items[i]);
        f->room.replace_orders.count = count;
    } else if (kind < 79) {
        fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
        f->room.schedule_cancel.scheduled_ms.value = (uint64_t)f->time_ms + 4000 + random_below(40000);
        f->room.schedule_cancel.scheduled_ms.given = random_below(4) != 0;
    } else if (kind < 83) {
        fixture_head(f, CMD_TICK, sizeof(struct tick));
        if (random_below(200) == 0) f->time_ms += INT64_C(86400000) * (1 + random_below(3));
        return;
    } else if (kind < 89) {
        some_transfer(f);
    } else if (kind < 92) {
        some_key(f);
    } else {
        some_operator_command(f, random_below(9), who);
        return;
    }
    some_signature(f, who);
}

/* All money of a coin, compared with the inflow and outflow in BALANCE and EVM_BALANCE. */
static void check_sums(struct fixture *f, int64_t deposits[COINS_MAX])
{
    if (f->room.head.kind == CMD_DEPOSIT && event_count(f, EVENT_BALANCE) != 0)
        deposits[f->room.deposit.coin_id] += f->room.deposit.amount;
    if (f->room.head.kind == CMD_REDEEM && event_count(f, EVENT_EVM_BALANCE) != 0)
        deposits[f->room.redeem.coin_id] -= f->room.redeem.amount;
    for (uint32_t coin_id = 0; coin_id < f->genesis.coin_count; coin_id++) {
        int64_t sum = 0;
        for (uint32_t slot = SLOT_FUND; slot < f->engine->account_end; slot++) {
            sum += ledger_bucket(f->engine, slot, coin_id)->available + ledger_bucket(f->engine, slot, coin_id)->held;
            sum += ledger_evm(f->engine, slot, coin_id) + (coin_id == COIN_MARGIN ? ledger_wallet(f->engine, slot) : 0);
        }
        assert_int_equal(sum, deposits[coin_id]);
        assert_int_equal(ledger_bucket(f->engine, SLOT_BRIDGE, coin_id)->available, 0);
    }
}

/* LEVEL events agree with the book, and their numbers rise by one. */
static void check_levels(struct fixture *f, uint64_t update_ids[3])
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct level_changed *level = (const void *)event, *later;
        bool                        is_last = true;

        if (event->kind != EVENT_LEVEL) continue;
        assert_int_equal(level->update_id, ++update_ids[level->symbol_id]);
        for (uint32_t n = 0; (later = event_at(f, EVENT_LEVEL, n)) != NULL; n++)
            if (later->update_id > level->update_id && later->symbol_id == level->symbol_id
                && later->side == level->side && later->price == level->price)
                is_last = false;
        if (is_last)
            assert_int_equal(level->quantity, book_quantity(f->engine, &f->engine->markets[level->symbol_id - 1],
                                                            level->side, level->price));
    }
}

/* The balances in BALANCE and EVM_BALANCE events. */
struct told {
    struct bucket spot[ACCOUNTS][3];
    int64_t       wallets[ACCOUNTS], evm[ACCOUNTS][3];
};

static void hear(struct fixture *f, struct told *told)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct balance     *balance = (const void *)event;
        const struct evm_balance *evm = (const void *)event;

        if (event->kind == EVENT_EVM_BALANCE) {
            uint32_t slot = account_find_owner(f->engine, &evm->address);
            told->evm[slot - SLOT_USERS][evm->coin_id] = evm->amount;
        }
        if (event->kind != EVENT_BALANCE || balance->account_id < ACCOUNT_FIRST) continue;
        if (event->market == MARKET_PERPS) told->wallets[balance->account_id - ACCOUNT_FIRST] = balance->total;
        else
            told->spot[balance->account_id - ACCOUNT_FIRST][balance->coin_id] =
                (struct bucket){ balance->total - balance->locked, balance->locked };
    }
}

/* BALANCE events, and only they, give the accounts' balances. */
static void check_balances(struct fixture *f, struct told *told)
{
    hear(f, told);
    for (uint32_t slot = SLOT_USERS; slot < f->engine->account_end; slot++) {
        for (uint32_t coin_id = 0; coin_id < 3; coin_id++) {
            assert_memory_equal(&told->spot[slot - SLOT_USERS][coin_id], ledger_bucket(f->engine, slot, coin_id),
                                sizeof(struct bucket));
            assert_int_equal(told->evm[slot - SLOT_USERS][coin_id], ledger_evm(f->engine, slot, coin_id));
        }
        assert_int_equal(told->wallets[slot - SLOT_USERS], ledger_wallet(f->engine, slot));
    }
}

static void a_hostile_crowd_breaks_no_invariant(void **state)
{
    struct limits small = {
        .accounts = ACCOUNTS, .orders = 26, .levels = 20, .signers = 24, .deposits = 9000, .keys = 11, .transfers = 1500
    };
    struct fixture *f = flow(small);
    int64_t         deposits[COINS_MAX] = { 0 };
    uint64_t        update_ids[3] = { 0 }, trades = 0, rejected[REJECT_COUNT] = { 0 }, kinds = 0, moves = 0, keys = 0;
    struct told     told = { 0 };
    (void)state;

    random_state = 20251121;
    f->deposit_id = 100;
    for (int i = 0; i < ROUNDS; i++) {
        some_command(f, f->engine->next_order_id);
        fixture_apply(f);
        check_sums(f, deposits);
        check_levels(f, update_ids);
        check_balances(f, &told);
        trades += event_count(f, EVENT_TRADE);
        for (uint32_t n = 0; result_at(f, n) != NULL; n++) rejected[result_at(f, n)->reject] += 1;
        if (event_at(f, EVENT_REFUSED, 0) != NULL) rejected[verdict(f)] += 1;
        moves += event_count(f, EVENT_TRANSFER);
        keys += event_count(f, EVENT_KEY);
        if (i % 50 == 0) engine_verify(f->engine);
    }
    engine_verify(f->engine);
    for (size_t i = 0; i < REJECT_COUNT; i++) kinds += rejected[i] != 0;
    printf("    %d commands, %llu trades, %llu movements, %llu keys come or gone, %llu kinds of result\n", ROUNDS,
           (unsigned long long)trades, (unsigned long long)moves, (unsigned long long)keys, (unsigned long long)kinds);
    assert_true(trades > 10000);
    assert_true(kinds > 15);
    assert_true(rejected[REJECT_CAPACITY] > 0 && rejected[REJECT_OPEN_ORDER_LIMIT] > 0
                && rejected[REJECT_POST_ONLY_CROSS] > 0);
    assert_true(moves > 1000 && keys > 200);
    assert_true(rejected[REJECT_TRANSFER_CONFLICT] > 0 && rejected[REJECT_TRANSFER_TOO_OLD] > 0
                && rejected[REJECT_INSUFFICIENT_MARGIN] > 0);
    assert_true(rejected[REJECT_KEY_EXPIRED] > 0 && rejected[REJECT_PERMISSION_DENIED] > 0);
    assert_true(rejected[REJECT_OFFSET_SHRINKS] > 0 && rejected[REJECT_UNKNOWN_KEY] > 0
                && rejected[REJECT_KEY_EXISTS] > 0);
    fixture_free(f);
}

static void pools_that_are_never_full_leave_no_trace_in_the_hash(void **state)
{
    struct fixture *a = flow((struct limits){ .accounts = 400,
                                              .orders = 400,
                                              .levels = 400,
                                              .signers = 60,
                                              .deposits = 5000,
                                              .keys = 12,
                                              .transfers = 20000 });
    struct fixture *b = flow((struct limits){ .accounts = 999,
                                              .orders = 7777,
                                              .levels = 5555,
                                              .signers = 1234,
                                              .deposits = 9999,
                                              .keys = 99,
                                              .transfers = 55555 });
    struct hash256  hash_a, hash_b;
    (void)state;

    random_state = 7;
    a->deposit_id = 100;
    for (int i = 0; i < 20000; i++) {
        some_command(a, a->engine->next_order_id);
        fixture_apply(a);
        b->room = a->room;
        b->events.len = 0;
        engine_apply(b->engine, &b->room.head, &b->events);
        assert_int_equal(a->events.len, b->events.len);
        assert_memory_equal(a->events.at, b->events.at, a->events.len);
    }
    hash_a = engine_hash(a->engine), hash_b = engine_hash(b->engine);
    assert_memory_equal(&hash_a, &hash_b, sizeof(hash_a));
    fixture_free(a);
    fixture_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hostile_crowd_breaks_no_invariant),
        cmocka_unit_test(pools_that_are_never_full_leave_no_trace_in_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
