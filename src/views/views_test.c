/* SPDX-License-Identifier: MIT */
/* The folds compared with events made by hand: books, trades, accounts, balances, orders; and concurrent readers. */
#include "rigs/views/views_rig.h"

static void fresh_views_know_the_genesis_and_nothing_else(void **state)
{
    struct view_level   bids[10], asks[10];
    struct view_book    book;
    struct view_account account;
    struct traded       trades[10];
    struct address      nobody = address_of(9);

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
    assert_int_equal(views_symbol_status(views, MARKET_SPOT, 1), SYMBOL_TRADING);
    assert_int_equal(views_symbol_status(views, MARKET_SPOT, 3), 0);
    assert_int_equal(views_mode(views), VENUE_RUN);
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
    struct view_book  book;
    uint64_t before = views_book_version(views, MARKET_SPOT, 1), other = views_book_version(views, MARKET_SPOT, 2);

    (void)state;
    emit_level(1, SIDE_BUY, 100, 5, 1);
    emit_level(1, SIDE_BUY, 102, 7, 2);
    emit_level(1, SIDE_SELL, 110, 1, 3);
    emit_level(1, SIDE_SELL, 105, 2, 4);
    emit_level(1, SIDE_BUY, 101, 9, 5);
    emit_level(1, SIDE_BUY, 101, 0, 6);
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
    struct address      first = address_of(1), second = address_of(2);

    (void)state;
    emit_account(1001, 11, 1, true);
    emit_account(1002, 12, 2, true);
    emit_account(1003, 11, 1, false);
    emit_balance(1001, 0, 1, 0);
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
    emit_balance(ACCOUNT_FEES, 0, 5, 0);
    apply();
    assert_false(views_account(views, ACCOUNT_FEES, &account));
    assert_int_equal(views_balances(views, MARKET_SPOT, ACCOUNT_FEES, balances), 1);
}

static void balances_show_every_coin_ever_held_by_id(void **state)
{
    struct view_balance balances[COINS_MAX];

    (void)state;
    emit_account(1001, 11, 1, true);
    emit_balance(1001, 2, 50, 20);
    emit_balance(1001, 1, 0, 0);
    apply();
    assert_int_equal(views_balances(views, MARKET_SPOT, 1001, balances), 1);
    assert_int_equal(balances[0].coin_id, 2);
    assert_int_equal(balances[0].locked, 20);
    emit_balance(1001, 0, 7, 0);
    emit_balance(1001, 2, 0, 0);
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
    emit_account(1001, 11, 1, true);
    for (uint64_t id = 1; id <= 5; id++) emit_order(id, 1001, id == 3 ? 2 : 1, STATUS_NEW);
    emit_order(9, 1002, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 10), 5);
    assert_int_equal(orders[0].order_id, 5);
    assert_int_equal(orders[4].order_id, 1);
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 2, &block, orders, 10), 1);
    assert_int_equal(orders[0].order_id, 3);
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 2), 5);
    assert_int_equal(orders[1].order_id, 4);

    emit_order(8, 1001, 1, STATUS_NEW); /* a bracket's children are emitted before their parent rests */
    emit_order(7, 1001, 1, STATUS_NEW);
    emit_order(6, 1001, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, orders, 10), 8);
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(orders[i].order_id, 8 - i);
    for (uint64_t id = 6; id <= 8; id++) emit_order(id, 1001, 1, STATUS_CANCELED);

    emit_order(5, 1001, 1, STATUS_CANCELED);
    emit_order(1, 1001, 1, STATUS_FILLED);
    emit_order(3, 1001, 2, STATUS_EXPIRED);
    emit_order(4, 1001, 1, STATUS_PARTIALLY_FILLED);
    emit_order(77, 1001, 1, STATUS_FILLED);
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
    uint32_t             high;

    (void)state;
    for (uint64_t id = 1; id <= 40000; id++) {
        emit_order(id, 1001 + id % 7, 1, STATUS_NEW);
        if (id > 900) emit_order(id - 900, 1001 + (id - 900) % 7, 1, id % 2 ? STATUS_CANCELED : STATUS_FILLED);
        apply();
    }
    high = views->order_used;
    assert_in_range(high, 900, 903);
    for (uint64_t id = 39101; id <= 40000; id++) assert_true(id_map_get(&views->order_by_id, id) != 0);
    for (uint64_t id = 39101; id <= 40000; id++) emit_order(id, 1001 + id % 7, 1, STATUS_CANCELED);
    apply();
    for (uint64_t account = 1001; account < 1008; account++)
        assert_int_equal(views_open_orders(views, MARKET_SPOT, account, 0, &block, orders, 10), 0);
    for (uint64_t i = 0; i <= views->order_by_id.mask; i++) assert_int_equal(views->order_by_id.entries[i].key, 0);
}

static void the_state_of_an_account_is_of_one_instant(void **state)
{
    struct view_balance  balances[COINS_MAX];
    struct order_changed orders[10];
    struct view_block    block;
    uint32_t             count;

    (void)state;
    emit_account(1001, 11, 1, true);
    emit_balance(1001, 0, 100, 60);
    emit_order(1, 1001, 1, STATUS_NEW);
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
    struct fee_tier     *event = EVENT_ADD(&events, FEE_TIER, fee_tier, MARKET_SPOT);
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
    struct view_account  account;
    struct address       second = address_of(2);
    struct view_level    bids[2], asks[2];
    struct order_changed orders[4];
    struct view_block    block;
    struct view_book     book;
    uint64_t             version, last = 0;
    size_t               wrong = 0;

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
    void     *wrong;

    (void)state;
    atomic_store(&done, false);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&readers[i], NULL, read_until_done, NULL), 0);
    for (uint64_t i = 1; i <= 20000; i++) {
        emit_level(1, SIDE_BUY, 100, (int64_t)(i % 5), 2 * i);
        emit_level(1, SIDE_SELL, 101, (int64_t)(i % 5), 2 * i + 1);
        emit_order(i, 1001, 1, STATUS_NEW);
        if (i > 1) emit_order(i - 1, 1001, 1, STATUS_FILLED);
        if (i % 250 == 0) emit_account(1001 + i / 250, 1001 + i / 250, (uint8_t)(i / 250), true);
        apply();
        views_apply(views, &(struct events){ 0 }, &(struct view_block){ i, (int64_t)i });
    }
    atomic_store(&done, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(readers[i], &wrong), 0);
        assert_null(wrong);
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
        TEST(readers_see_a_batch_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
