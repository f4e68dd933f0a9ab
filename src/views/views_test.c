/* SPDX-License-Identifier: MIT */
/* views_test.c — the folds against events made by hand. */
#include "views/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

static struct genesis genesis;
static struct views *views;
static uint8_t event_bytes[1 << 20];
static struct events events;

static int setup(void **state)
{
    (void)state;
    memset(&genesis, 0, sizeof(genesis));
    genesis.time_ms = 1000;
    genesis.coin_count = 3;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    genesis.spot_count = 2;
    genesis.spot[0] = (struct symbol){ .name = name_make(SLICE("vBTC_vUSDC")), .id = 1, .base_coin_id = 1, .status = SYMBOL_TRADING,
                                       .market = MARKET_SPOT, .reference_price = 1000000 };
    genesis.spot[1] = (struct symbol){ .name = name_make(SLICE("vETH_vUSDC")), .id = 2, .base_coin_id = 2, .status = SYMBOL_HALT,
                                       .market = MARKET_SPOT };
    genesis.perps_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        genesis.perps[i] = (struct symbol){ .id = i + 1, .status = SYMBOL_TRADING, .market = MARKET_PERPS, .reference_price = 1000000 };
        genesis.contracts[i].init_leverage = 10;
    }
    genesis.limits = (struct limits){ .accounts = 100, .orders = 1000, .levels = 100, .positions = 10 };
    views = views_init(calloc(1, views_size(&genesis)), &genesis);
    events = (struct events){ event_bytes, 0, sizeof(event_bytes) };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    views_deinit(views);
    free(views);
    return 0;
}

static void apply(void)
{
    views_apply(views, &events, NULL);
    events.len = 0;
}

static struct address address_of(uint8_t last)
{
    struct address address = { { 1, 2, 3 } };

    address.bytes[19] = last;
    return address;
}

static void tell_account(uint64_t id, uint64_t user, uint8_t owner, bool primary)
{
    struct account_opened *event = EVENT_ADD(&events, ACCOUNT, account_opened, 0);

    event->account_id = id;
    event->user_id = user;
    event->owner = address_of(owner);
    event->is_primary = primary;
}

static void tell_order(uint64_t id, uint64_t account, uint32_t symbol, uint8_t status)
{
    struct order_changed *event = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);

    event->order_id = id;
    event->account_id = account;
    event->symbol_id = symbol;
    event->status = status;
}

static void tell_level(uint32_t symbol, uint8_t side, int64_t price, int64_t quantity, uint64_t update_id)
{
    struct level_changed *event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);

    event->symbol_id = symbol;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id;
}

static void tell_balance(uint64_t account, uint32_t coin, int64_t total, int64_t locked)
{
    struct balance *event = EVENT_ADD(&events, BALANCE, balance, MARKET_SPOT);

    event->account_id = account;
    event->coin_id = coin;
    event->total = total;
    event->locked = locked;
}

static void fresh_views_know_the_genesis_and_nothing_else(void **state)
{
    struct view_level bids[10], asks[10];
    struct view_book book;
    struct view_account account;
    struct traded trades[10];
    struct address nobody = address_of(9);

    (void)state;
    assert_int_equal(views_last_block(views).height, 0);
    assert_int_equal(views_last_block(views).time_ms, 1000);
    assert_int_equal(views_time_ms(views), 1000);
    assert_int_equal(views_symbol_count(views, MARKET_SPOT), 2);
    assert_int_equal(views_symbol_count(views, MARKET_PERPS), 2);
    assert_null(views_symbol(views, MARKET_SPOT, 0));
    assert_null(views_symbol(views, MARKET_SPOT, 3));
    assert_null(views_symbol_by_name(views, MARKET_SPOT, SLICE("vbtc_vUSDC")));
    assert_ptr_equal(views_symbol_by_name(views, MARKET_SPOT, SLICE("vETH_vUSDC")), &genesis.spot[1]);
    assert_int_equal(views_symbol_status(views, MARKET_SPOT, 2), SYMBOL_HALT);
    assert_int_equal(views_coin_by_name(views, SLICE("vBTC"))->id, 1);
    assert_null(views_coin(views, 3));
    assert_int_equal(views_last_price(views, MARKET_SPOT, 1), 1000000);
    assert_int_equal(views_last_price(views, MARKET_SPOT, 2), 0);
    views_book(views, MARKET_SPOT, 1, 10, bids, asks, &book);
    assert_int_equal(book.bid_count + book.ask_count + book.update_id, 0);
    assert_int_equal(views_trades(views, MARKET_SPOT, 1, 10, trades), 0);
    assert_false(views_account(views, 1001, &account));
    assert_false(views_account(views, 0, &account));
    assert_false(views_primary_account(views, &nobody, &account));
}

static void levels_of_both_sides_come_best_first_and_move_the_version(void **state)
{
    struct view_level bids[10], asks[10];
    struct view_book book;
    uint64_t before = views_book_version(views, MARKET_SPOT, 1), other = views_book_version(views, MARKET_SPOT, 2);

    (void)state;
    tell_level(1, SIDE_BUY, 100, 5, 1);
    tell_level(1, SIDE_BUY, 102, 7, 2);
    tell_level(1, SIDE_SELL, 110, 1, 3);
    tell_level(1, SIDE_SELL, 105, 2, 4);
    tell_level(1, SIDE_BUY, 101, 9, 5);
    tell_level(1, SIDE_BUY, 101, 0, 6);
    apply();
    assert_true(views_book_version(views, MARKET_SPOT, 1) > before);
    assert_int_equal(views_book_version(views, MARKET_SPOT, 2), other);
    views_book(views, MARKET_SPOT, 1, 10, bids, asks, &book);
    assert_int_equal(book.update_id, 6);
    assert_int_equal(book.bid_count, 2);
    assert_int_equal(bids[0].price, 102);
    assert_int_equal(bids[1].price, 100);
    assert_int_equal(bids[1].quantity, 5);
    assert_int_equal(book.ask_count, 2);
    assert_int_equal(asks[0].price, 105);
    views_book(views, MARKET_SPOT, 1, 1, bids, asks, &book);
    assert_int_equal(book.bid_count, 1);
    assert_int_equal(bids[0].price, 102);

    before = views_book_version(views, MARKET_SPOT, 1);
    views_apply(views, &(struct events){ 0 }, &(struct view_block){ 7, 5000 });
    assert_true(views_book_version(views, MARKET_SPOT, 1) > before);
    views_book(views, MARKET_SPOT, 1, 1, bids, asks, &book);
    assert_int_equal(book.block.height, 7);
    assert_int_equal(views_last_block(views).time_ms, 5000);
}

static void the_newest_five_hundred_trades_are_kept(void **state)
{
    static struct traded trades[VIEW_TRADES_MAX];

    (void)state;
    for (uint64_t id = 1; id <= 501; id++) {
        struct traded *event = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
        event->trade_id = id;
        event->symbol_id = 1;
        event->price = (int64_t)id;
    }
    apply();
    assert_int_equal(views_trades(views, MARKET_SPOT, 1, 2, trades), 2);
    assert_int_equal(trades[0].trade_id, 501);
    assert_int_equal(trades[1].trade_id, 500);
    assert_int_equal(views_trades(views, MARKET_SPOT, 1, VIEW_TRADES_MAX, trades), VIEW_TRADES_MAX);
    assert_int_equal(trades[499].trade_id, 2);
    assert_int_equal(views_trades(views, MARKET_SPOT, 2, 2, trades), 0);
    assert_int_equal(views_last_price(views, MARKET_SPOT, 1), 501);
}

static void accounts_are_found_by_id_and_the_primary_by_address(void **state)
{
    struct view_account account;
    struct address first = address_of(1), second = address_of(2);

    (void)state;
    tell_account(1001, 11, 1, true);
    tell_account(1002, 12, 2, true);
    tell_account(1003, 11, 1, false);
    tell_balance(1001, 0, 1, 0);
    apply();
    assert_true(views_primary_account(views, &first, &account));
    assert_int_equal(account.account_id, 1001);
    assert_int_equal(account.user_id, 11);
    assert_true(views_primary_account(views, &second, &account));
    assert_int_equal(account.account_id, 1002);
    assert_true(views_account(views, 1003, &account));
    assert_true(address_equal(&account.owner, &first));
    assert_false(account.is_primary);
    assert_false(views_account(views, 1004, &account));
}

static void an_account_without_an_owner_holds_balances_but_is_nobodys(void **state)
{
    struct view_balance balances[COINS_MAX];
    struct view_account account;

    (void)state;
    tell_balance(ACCOUNT_FEES, 0, 5, 0);
    apply();
    assert_false(views_account(views, ACCOUNT_FEES, &account));
    assert_int_equal(views_balances(views, MARKET_SPOT, ACCOUNT_FEES, balances), 1);
}

static void balances_show_every_coin_ever_held_by_id(void **state)
{
    struct view_balance balances[COINS_MAX];

    (void)state;
    tell_account(1001, 11, 1, true);
    tell_balance(1001, 2, 50, 20);
    tell_balance(1001, 1, 0, 0);
    apply();
    assert_int_equal(views_balances(views, MARKET_SPOT, 1001, balances), 1);
    assert_int_equal(balances[0].coin_id, 2);
    assert_int_equal(balances[0].locked, 20);
    tell_balance(1001, 0, 7, 0);
    tell_balance(1001, 2, 0, 0);
    apply();
    assert_int_equal(views_balances(views, MARKET_SPOT, 1001, balances), 2);
    assert_int_equal(balances[0].coin_id, 0);
    assert_int_equal(balances[1].coin_id, 2);
    assert_int_equal(balances[1].total, 0);
    assert_int_equal(views_balances(views, MARKET_PERPS, 1001, balances), 0);
    assert_int_equal(views_balances(views, MARKET_SPOT, 1002, balances), 0);
}

static void open_orders_are_listed_newest_first_until_they_end(void **state)
{
    struct order_changed orders[10];
    struct view_block    block;

    (void)state;
    tell_account(1001, 11, 1, true);
    for (uint64_t id = 1; id <= 5; id++) tell_order(id, 1001, id == 3 ? 2 : 1, STATUS_NEW);
    tell_order(9, 1002, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 10), 5);
    assert_int_equal(orders[0].order_id, 5);
    assert_int_equal(orders[4].order_id, 1);
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 2, &block, orders, 10), 1);
    assert_int_equal(orders[0].order_id, 3);
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 2), 5);
    assert_int_equal(orders[1].order_id, 4);

    tell_order(8, 1001, 1, STATUS_NEW);                 /* a bracket's children are told before their parent rests */
    tell_order(7, 1001, 1, STATUS_NEW);
    tell_order(6, 1001, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 10), 8);
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(orders[i].order_id, 8 - i);
    for (uint64_t id = 6; id <= 8; id++) tell_order(id, 1001, 1, STATUS_CANCELED);

    tell_order(5, 1001, 1, STATUS_CANCELED);
    tell_order(1, 1001, 1, STATUS_FILLED);
    tell_order(3, 1001, 2, STATUS_EXPIRED);
    tell_order(4, 1001, 1, STATUS_PARTIALLY_FILLED);
    tell_order(77, 1001, 1, STATUS_FILLED);
    apply();
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 10), 2);
    assert_int_equal(orders[0].order_id, 4);
    assert_int_equal(orders[0].status, STATUS_PARTIALLY_FILLED);
    assert_int_equal(orders[1].order_id, 2);
}

static void thousands_of_orders_come_and_go_without_growing(void **state)
{
    struct order_changed orders[10];
    struct view_block    block;
    uint32_t high;

    (void)state;
    for (uint64_t id = 1; id <= 40000; id++) {
        tell_order(id, 1001 + id % 7, 1, STATUS_NEW);
        if (id > 900) tell_order(id - 900, 1001 + (id - 900) % 7, 1, id % 2 ? STATUS_CANCELED : STATUS_FILLED);
        apply();
    }
    high = views->order_used;
    assert_in_range(high, 900, 903);
    for (uint64_t id = 39101; id <= 40000; id++) assert_true(id_map_get(&views->order_by_id, id) != 0);
    for (uint64_t id = 39101; id <= 40000; id++) tell_order(id, 1001 + id % 7, 1, STATUS_CANCELED);
    apply();
    for (uint64_t account = 1001; account < 1008; account++)
        assert_int_equal(views_open_orders(views, MARKET_SPOT, account, 0, &block, orders, 10), 0);
    for (uint64_t i = 0; i <= views->order_by_id.mask; i++) assert_int_equal(views->order_by_id.entries[i].key, 0);
}

static void the_state_of_an_account_is_of_one_instant(void **state)
{
    struct view_balance balances[COINS_MAX];
    struct order_changed orders[10];
    struct view_block    block;
    uint32_t count;

    (void)state;
    tell_account(1001, 11, 1, true);
    tell_balance(1001, 0, 100, 60);
    tell_order(1, 1001, 1, STATUS_NEW);
    apply();
    views_apply(views, &(struct events){ 0 }, &(struct view_block){ 3, 4000 });
    assert_int_equal(views_state(views, MARKET_SPOT, 1001, &block, balances, &count, orders, 10), 1);
    assert_int_equal(block.height, 3);
    assert_int_equal(count, 1);
    assert_int_equal(balances[0].locked, 60);
    assert_int_equal(orders[0].order_id, 1);
}

static void fee_tiers_belong_to_users_and_markets(void **state)
{
    struct fee_tier *event = EVENT_ADD(&events, FEE_TIER, fee_tier, MARKET_SPOT);
    struct view_fee_tier tier;

    (void)state;
    event->user_id = 11;
    event->tier = 2;
    event->staking = 1;
    apply();
    tier = views_fee_tier(views, MARKET_SPOT, 11);
    assert_int_equal(tier.tier, 2);
    assert_int_equal(tier.staking, 1);
    assert_int_equal(views_fee_tier(views, MARKET_PERPS, 11).tier, 0);
    assert_int_equal(views_fee_tier(views, MARKET_SPOT, 12).tier, 0);
}

static void the_time_is_that_of_the_last_command(void **state)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);

    (void)state;
    event->time_ms = 123456;
    apply();
    assert_int_equal(views_time_ms(views), 123456);
}

/* ---- threads ---- */

static _Atomic bool done;

/* Both levels change in one batch, so no reader may ever see them differ; and versions never go back. */
static void *read_until_done(void *unused)
{
    struct view_account account;
    struct address second = address_of(2);
    struct view_level bids[2], asks[2];
    struct order_changed orders[4];
    struct view_block    block;
    struct view_book book;
    uint64_t version, last = 0;
    size_t wrong = 0;

    (void)unused;
    while (!atomic_load(&done)) {
        version = views_book_version(views, MARKET_SPOT, 1);
        wrong += version < last;
        last = version;
        views_book(views, MARKET_SPOT, 1, 2, bids, asks, &book);
        wrong += book.bid_count != book.ask_count;
        wrong += book.bid_count != 0 && bids[0].quantity != asks[0].quantity;
        wrong += views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 4) > 1;
        wrong += views_account(views, 1001 + last % 90, &account) && account.user_id != account.account_id;
        wrong += views_primary_account(views, &second, &account) && !address_equal(&account.owner, &second);
        (void)views_last_price(views, MARKET_SPOT, 1);
        (void)views_last_block(views);
        (void)views_time_ms(views);
    }
    return (void *)wrong;
}

static void readers_see_a_batch_whole_or_not_at_all(void **state)
{
    pthread_t readers[2];
    void *wrong;

    (void)state;
    atomic_store(&done, false);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&readers[i], NULL, read_until_done, NULL), 0);
    for (uint64_t i = 1; i <= 20000; i++) {
        tell_level(1, SIDE_BUY, 100, (int64_t)(i % 5), 2 * i);
        tell_level(1, SIDE_SELL, 101, (int64_t)(i % 5), 2 * i + 1);
        tell_order(i, 1001, 1, STATUS_NEW);
        if (i > 1) tell_order(i - 1, 1001, 1, STATUS_FILLED);
        if (i % 250 == 0) tell_account(1001 + i / 250, 1001 + i / 250, (uint8_t)(i / 250), true);
        apply();
        views_apply(views, &(struct events){ 0 }, &(struct view_block){ i, (int64_t)i });
    }
    atomic_store(&done, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(readers[i], &wrong), 0);
        assert_null(wrong);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- keys, sub-accounts, counts, the ledger ---- */

static void tell_key(uint64_t user, uint32_t key_id, const char *name, bool revoked)
{
    struct key_changed *event = EVENT_ADD(&events, KEY, key_changed, 0);

    event->account_id = 1000 + user;
    event->user_id = user;
    event->name = client_id_make(slice_of(name));
    event->key_type = 1;
    event->revoked = revoked;
    event->key_id = key_id;
    event->public_key = address_of((uint8_t)key_id);
    event->expires_ms = 5000;
    event->permissions = 3;
    apply();
}

static void keys_are_found_by_owner_and_name_until_revoked(void **state)
{
    struct view_key key, keys[4];

    (void)state;
    assert_false(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(views_keys(views, 1, keys, 4), 0);
    tell_account(1001, 1, 1, true);
    tell_account(1002, 2, 2, true);
    tell_key(1, 1, "bot", false);
    tell_key(2, 2, "bot", false);
    tell_key(1, 3, "desk", false);
    assert_true(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 1);
    assert_int_equal(key.account_id, 1001);
    assert_int_equal(key.expires_ms, 5000);
    assert_int_equal(key.permissions, 3);
    assert_true(address_equal(&key.public_key, &(struct address){ { 1, 2, 3, [19] = 1 } }));
    assert_true(views_key(views, 2, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 2);
    assert_false(views_key(views, 2, SLICE("desk"), &key));
    assert_false(views_key(views, 1, SLICE("bo"), &key));
    assert_false(views_key(views, 1, SLICE(""), &key));
    assert_false(views_key(views, 1, SLICE("0123456789012345678901234567890123456"), &key));
    assert_int_equal(views_keys(views, 1, keys, 4), 2);
    assert_int_equal(keys[0].key_id, 1);
    assert_int_equal(keys[1].key_id, 3);
    assert_int_equal(views_keys(views, 1, keys, 1), 2);         /* cut, but counted */
    assert_int_equal(keys[0].key_id, 1);
    tell_key(1, 1, "bot", true);
    assert_false(views_key(views, 1, SLICE("bot"), &key));
    assert_true(views_key(views, 1, SLICE("desk"), &key));
    tell_key(1, 4, "bot", false);                               /* the place is taken again */
    assert_true(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 4);
    assert_int_equal(views_keys(views, 1, keys, 4), 2);
    assert_int_equal(views->key_used, 4);
}

/* Whoever signs with a key that stays must find it, however fast others come and go. */
static _Atomic bool lookups_end;

static void *look_up(void *self)
{
    struct view_key key;
    uint64_t *missed = self;

    while (!atomic_load(&lookups_end)) {
        if (!views_key(views, 1, SLICE("stays"), &key) || key.key_id != 1) *missed += 1;
        if (views_key(views, 1, SLICE("comes"), &key) && memcmp(key.name.at, "comes", 5) != 0) *missed += 1;
    }
    return NULL;
}

static void a_key_is_found_while_others_change(void **state)
{
    pthread_t thread;
    uint64_t missed = 0;

    (void)state;
    tell_account(1001, 1, 1, true);
    tell_key(1, 1, "stays", false);
    atomic_store(&lookups_end, false);
    assert_int_equal(pthread_create(&thread, NULL, look_up, &missed), 0);
    for (uint32_t i = 0; i < 100000; i++) {
        tell_key(1 + i % 2, 2 + i, "comes", false);
        tell_key(1 + i % 2, 2 + i, "comes", true);
    }
    atomic_store(&lookups_end, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(missed, 0);
    assert_int_equal(views_keys(views, 1, NULL, 0), 1);
}

static void a_user_has_its_accounts_by_ascending_id(void **state)
{
    struct view_account account;
    uint64_t ids[4] = { 0 };

    (void)state;
    assert_int_equal(views_accounts(views, 7, ids, 4), 0);
    tell_account(1001, 7, 1, true);
    tell_account(1002, 8, 2, true);
    tell_account(1003, 7, 1, false);
    tell_account(1004, 7, 1, false);
    apply();
    assert_int_equal(views_accounts(views, 7, ids, 4), 3);
    assert_int_equal(ids[0], 1001);
    assert_int_equal(ids[1], 1003);
    assert_int_equal(ids[2], 1004);
    ids[1] = 0;
    assert_int_equal(views_accounts(views, 7, ids, 1), 3);
    assert_int_equal(ids[1], 0);
    assert_true(views_primary_account(views, &(struct address){ { 1, 2, 3, [19] = 1 } }, &account));
    assert_int_equal(account.account_id, 1001);
    assert_true(views_account(views, 1004, &account));
    assert_int_equal(account.is_primary, 0);
}

static void tell_began_of(uint16_t kind, uint32_t account)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);

    event->time_ms = 2000;
    event->command_kind = kind;
    event->account_id = account;
    apply();
}

static void what_a_user_did_is_counted_over_its_accounts(void **state)
{
    struct traded *trade;
    struct view_counts counts;

    (void)state;
    tell_account(1001, 7, 1, true);
    tell_account(1002, 8, 2, true);
    tell_account(1003, 7, 1, false);
    tell_began_of(CMD_PLACE_ORDERS, 1001);
    tell_began_of(CMD_CANCEL_ORDERS, 1003);
    tell_began_of(CMD_CANCEL_PERPS, 1003);
    tell_began_of(CMD_SCHEDULE_CANCEL, 1003);
    tell_began_of(CMD_CANCEL_ORDERS, 0);                /* refused */
    tell_began_of(CMD_TICK, 0);
    for (uint32_t symbol = 1; symbol <= 2; symbol++) {
        trade = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
        trade->symbol_id = symbol;
        trade->value = 100;
        trade->buyer_account_id = 1001;
        trade->seller_account_id = symbol == 1 ? 1002 : 1003;
        apply();
    }
    counts = views_counts(views, 7);
    assert_int_equal(counts.transactions, 4);
    assert_int_equal(counts.cancels, 2);
    assert_int_equal(counts.volume, 300);
    counts = views_counts(views, 8);
    assert_int_equal(counts.transactions, 0);
    assert_int_equal(counts.volume, 100);
    genesis.spot[0].quote_coin_id = 2;                  /* nobody knows what that is worth in vUSDC */
    trade = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
    trade->symbol_id = 1;
    trade->value = 100;
    trade->buyer_account_id = trade->seller_account_id = 1002;
    apply();
    assert_int_equal(views_counts(views, 8).volume, 100);
    assert_int_equal(views_counts(views, 9).transactions, 0);
}

static void the_ledger_is_kept_by_address_and_wallets_by_market(void **state)
{
    struct address owner = address_of(1), other = address_of(2);
    struct view_balance balances[COINS_MAX];
    struct evm_balance *event;
    struct balance *wallet;

    (void)state;
    tell_account(1001, 7, 1, true);
    event = EVENT_ADD(&events, EVM_BALANCE, evm_balance, 0);
    event->address = owner;
    event->coin_id = 2;
    event->amount = 55;
    wallet = EVENT_ADD(&events, BALANCE, balance, MARKET_PERPS);
    wallet->account_id = 1001;
    wallet->total = -9;
    apply();
    assert_int_equal(views_evm_balance(views, &owner, 2), 55);
    assert_int_equal(views_evm_balance(views, &owner, 1), 0);
    assert_int_equal(views_evm_balance(views, &owner, 3), 0);
    assert_int_equal(views_evm_balance(views, &other, 2), 0);
    assert_int_equal(views_balances(views, MARKET_SPOT, 1001, balances), 0);
    assert_int_equal(views_balances(views, MARKET_PERPS, 1001, balances), 1);
    assert_int_equal(balances[0].total, -9);
}

/* ---- perps ---- */

static void tell_position_of(uint64_t account, uint32_t symbol, int64_t size, uint32_t leverage, uint8_t mode)
{
    struct position_changed *event = EVENT_ADD(&events, POSITION, position_changed, MARKET_PERPS);

    event->account_id = account;
    event->position_id = 40 + symbol;
    event->symbol_id = symbol;
    event->leverage = leverage;
    event->margin_mode = mode;
    event->size = size;
    event->bucket = mode == MARGIN_ISOLATED ? 500 : 0;
    apply();
}

static const struct view_account somebody = { .account_id = 1001, .user_id = 7 };

static void positions_and_settings_stay_as_long_as_they_say_something(void **state)
{
    struct perps_order_changed orders[4];
    struct view_margin margin;
    struct funded *funded;

    (void)state;
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
    assert_int_equal(margin.position_count, 0);
    assert_int_equal(margin.prices[1].mark, genesis.perps[1].reference_price);
    tell_position_of(1001, 2, -7, 10, MARGIN_CROSS);
    tell_position_of(1001, 1, 5, 25, MARGIN_ISOLATED);
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.position_count, 2);                 /* by symbol */
    assert_int_equal(margin.positions[0].size, 5);
    assert_int_equal(margin.positions[1].size, -7);
    for (uint32_t symbol = 1; symbol <= 2; symbol++) {
        funded = EVENT_ADD(&events, FUNDING, funded, MARKET_PERPS);
        *funded = (struct funded){ .head = funded->head, .account_id = 1001, .position_id = 40 + symbol, .symbol_id = symbol, .payment = 3, .time_ms = 99 };
    }
    apply();
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.positions[0].bucket, 497);
    assert_int_equal(margin.positions[1].bucket, 0);            /* a cross one pays from the wallet */
    assert_int_equal(margin.positions[0].realized, -3);
    assert_int_equal(margin.positions[1].realized, -3);
    assert_int_equal(margin.positions[1].updated_ms, 99);
    tell_position_of(1001, 2, 0, 10, MARGIN_CROSS);             /* back to what everybody has */
    tell_position_of(1001, 1, 0, 25, MARGIN_ISOLATED);
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.position_count, 1);
    assert_int_equal(margin.positions[0].position_id, 0);
    assert_int_equal(margin.positions[0].leverage, 25);
    assert_int_equal(margin.positions[0].bucket, 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct leverage_changed *event = EVENT_ADD(&events, LEVERAGE, leverage_changed, MARKET_PERPS);
        *event = (struct leverage_changed){ event->head, 1001, 1, i == 1 ? 10 : 5, MARGIN_CROSS, { 0 } };
        apply();
        views_margin(views, &somebody, &margin, orders, 4);
        assert_int_equal(margin.position_count, i == 1 ? 0 : 1);
    }
    assert_int_equal(views->position_used, 3);                  /* places are taken again */
}

static void prices_move_their_version_and_no_book(void **state)
{
    uint64_t version = views_price_version(views, 1), other = views_price_version(views, 2), book = views_book_version(views, MARKET_PERPS, 1);
    struct price_changed *event = EVENT_ADD(&events, PRICE, price_changed, MARKET_PERPS);

    (void)state;
    event->symbol_id = 1;
    event->mark = 77;
    apply();
    assert_int_equal(views_price(views, 1).mark, 77);
    assert_true(views_price_version(views, 1) > version);
    assert_true(views_price_version(views, 2) == other);
    assert_true(views_book_version(views, MARKET_PERPS, 1) == book);
}

static void orders_of_the_two_markets_are_apart_and_keep_their_part(void **state)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS), told, orders[4];
    struct order_changed spot[4];
    struct view_margin margin;
    struct view_block block;

    (void)state;
    event->base.order_id = 9;
    event->base.account_id = 1001;
    event->base.symbol_id = 1;
    event->base.status = STATUS_PENDING_NEW;
    event->stop_price = 123;
    event->primary_order_id = 8;
    event->attached_order_ids[1] = 11;
    event->reduce_only = 1;
    told = *event;
    apply();
    tell_order(10, 1001, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 1);
    assert_memory_equal(&orders[0], &told, sizeof(told));
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 0), 1);        /* counted, not copied */
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, spot, 4), 1);
    assert_int_equal(spot[0].order_id, 10);
    event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);
    *event = told;
    event->base.status = STATUS_CANCELED;
    apply();
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
}

static void tell_group(uint64_t id, uint8_t status, uint64_t primary, uint64_t first_child, uint64_t second_child)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    event->base.order_id = id;
    event->base.account_id = 1001;
    event->base.symbol_id = 1;
    event->base.status = status;
    event->primary_order_id = primary;
    event->attached_order_ids[0] = first_child;
    event->attached_order_ids[1] = second_child;
    apply();
}

/* The parent itself is not told again. */
static void a_parent_has_only_children_that_are_not_over(void **state)
{
    struct perps_order_changed orders[4];
    struct view_margin         margin;

    (void)state;
    tell_group(6, STATUS_PENDING_NEW, 5, 0, 0);
    tell_group(7, STATUS_PENDING_NEW, 5, 0, 0);
    tell_group(5, STATUS_NEW, 0, 6, 7);
    tell_group(6, STATUS_CANCELED, 5, 0, 0);
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 2);
    assert_int_equal(orders[1].base.order_id, 5);
    assert_int_equal(orders[1].attached_order_ids[0], 0);
    assert_int_equal(orders[1].attached_order_ids[1], 7);
    tell_group(5, STATUS_FILLED, 0, 0, 7);
    tell_group(7, STATUS_CANCELED, 5, 0, 0);                /* its parent went before it */
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
}

static void the_offset_of_time_is_remembered(void **state)
{
    (void)state;
    assert_int_equal(views_offset_ms(views), 0);
    EVENT_ADD(&events, TIME, time_advanced, 0)->offset_ms = 3600000;
    apply();
    assert_int_equal(views_offset_ms(views), 3600000);
}

static void tell_stop(uint64_t id, uint8_t status, uint8_t stop_type, uint8_t triggered)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    event->base.order_id = id;
    event->base.account_id = 1001;
    event->base.symbol_id = 2;
    event->base.status = status;
    event->stop_type = stop_type;
    event->triggered = triggered;
    apply();
}

static void assert_totals(uint8_t market, uint32_t symbol_id, uint64_t open_orders, uint64_t waiting_stops)
{
    struct view_symbol_totals totals = views_symbol_totals(views, market, symbol_id);

    assert_int_equal(totals.open_orders, open_orders);
    assert_int_equal(totals.waiting_stops, waiting_stops);
}

static void open_orders_and_stops_that_wait_are_counted_by_symbol(void **state)
{
    (void)state;
    tell_order(1, 1001, 1, STATUS_NEW);
    tell_order(2, 1001, 2, STATUS_NEW);
    tell_order(2, 1001, 2, STATUS_PARTIALLY_FILLED);
    apply();
    tell_stop(3, STATUS_NEW, STOP_LOSS, 0);
    tell_stop(4, STATUS_PENDING_NEW, STOP_TAKE_PROFIT, 0);
    tell_stop(5, STATUS_NEW, 0, 0);
    assert_totals(MARKET_SPOT, 1, 1, 0);
    assert_totals(MARKET_SPOT, 2, 1, 0);
    assert_totals(MARKET_PERPS, 2, 3, 2);
    tell_stop(3, STATUS_TRIGGERED, STOP_LOSS, 1);          /* open still, and waits no more */
    tell_stop(3, STATUS_TRIGGERED, STOP_LOSS, 1);
    assert_totals(MARKET_PERPS, 2, 3, 1);
    tell_stop(4, STATUS_CANCELED, STOP_TAKE_PROFIT, 0);
    assert_totals(MARKET_PERPS, 2, 2, 0);
    tell_stop(3, STATUS_FILLED, STOP_LOSS, 1);
    tell_order(6, 1001, 1, STATUS_FILLED);                      /* it was never open */
    tell_order(1, 1001, 1, STATUS_CANCELED);
    apply();
    assert_totals(MARKET_PERPS, 2, 1, 0);
    tell_order(7, 1001, 1, STATUS_NEW);                         /* in the place that a stop has left */
    tell_order(8, 1001, 1, STATUS_NEW);
    apply();
    assert_totals(MARKET_SPOT, 1, 2, 0);
    tell_stop(9, STATUS_NEW, 0, 0);
    assert_totals(MARKET_PERPS, 2, 2, 0);
    assert_totals(MARKET_PERPS, 1, 0, 0);
}

static void tell_fill(uint8_t reason)
{
    EVENT_ADD(&events, FILL, filled, MARKET_PERPS)->reason = reason;
}

static void what_nobody_asked_for_is_counted_by_its_reason(void **state)
{
    struct view_totals totals;

    (void)state;
    tell_fill(REASON_NONE);
    tell_fill(REASON_LIQUIDATION);
    tell_fill(REASON_ADL);
    tell_fill(REASON_ADL);
    for (uint8_t stage = STAGE_HEALTHY; stage <= STAGE_ADL; stage++) EVENT_ADD(&events, UNIT, unit_stage, MARKET_PERPS)->stage = stage;
    EVENT_ADD(&events, UNIT, unit_stage, MARKET_PERPS)->stage = STAGE_BOOK;
    tell_account(1001, 1, 1, true);
    tell_account(1002, 1, 1, false);
    apply();
    totals = views_totals(views);
    assert_int_equal(totals.accounts, 2);
    assert_int_equal(totals.forced[REASON_NONE], 0);
    assert_int_equal(totals.forced[REASON_LIQUIDATION], 1);
    assert_int_equal(totals.forced[REASON_ADL], 2);
    assert_int_equal(totals.stages[STAGE_HEALTHY], 1);
    assert_int_equal(totals.stages[STAGE_BOOK], 2);
    assert_int_equal(totals.stages[STAGE_ADL], 1);
}

static void positions_are_counted_while_they_are_open(void **state)
{
    static const struct { uint64_t account, position; int64_t size; uint64_t open; } rows[] = {
        { 1001, 7, 5, 1 }, { 1001, 7, 9, 1 }, { 1002, 8, -9, 2 }, { 1001, 7, 0, 1 }, { 1003, 9, 0, 1 }, { 1001, 10, 4, 2 }, { 1002, 8, 0, 1 },
    };

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct position_changed *event = EVENT_ADD(&events, POSITION, position_changed, MARKET_PERPS);
        event->account_id = rows[i].account;
        event->symbol_id = 1;
        event->position_id = rows[i].position;
        event->size = rows[i].size;
        event->leverage = 10;
        event->margin_mode = MARGIN_CROSS;
        apply();
        assert_int_equal(views_symbol_totals(views, MARKET_PERPS, 1).positions, rows[i].open);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fresh_views_know_the_genesis_and_nothing_else),
        TEST(levels_of_both_sides_come_best_first_and_move_the_version),
        TEST(the_newest_five_hundred_trades_are_kept),
        TEST(accounts_are_found_by_id_and_the_primary_by_address),
        TEST(an_account_without_an_owner_holds_balances_but_is_nobodys),
        TEST(balances_show_every_coin_ever_held_by_id),
        TEST(open_orders_are_listed_newest_first_until_they_end),
        TEST(thousands_of_orders_come_and_go_without_growing),
        TEST(the_state_of_an_account_is_of_one_instant),
        TEST(fee_tiers_belong_to_users_and_markets),
        TEST(the_time_is_that_of_the_last_command),
        TEST(keys_are_found_by_owner_and_name_until_revoked),
        TEST(a_key_is_found_while_others_change),
        TEST(a_user_has_its_accounts_by_ascending_id),
        TEST(what_a_user_did_is_counted_over_its_accounts),
        TEST(the_ledger_is_kept_by_address_and_wallets_by_market),
        TEST(the_offset_of_time_is_remembered),
        TEST(positions_and_settings_stay_as_long_as_they_say_something),
        TEST(prices_move_their_version_and_no_book),
        TEST(orders_of_the_two_markets_are_apart_and_keep_their_part),
        TEST(a_parent_has_only_children_that_are_not_over),
        TEST(open_orders_and_stops_that_wait_are_counted_by_symbol),
        TEST(what_nobody_asked_for_is_counted_by_its_reason),
        TEST(positions_are_counted_while_they_are_open),
        TEST(readers_see_a_batch_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
