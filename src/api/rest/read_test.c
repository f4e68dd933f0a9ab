/* SPDX-License-Identifier: MIT */
/* read_test.c — every read row by example, every parameter by default, maximum and error. */
#include "rigs/api/test_rig.h"

#include <errno.h>

/* clang-format off */
#define SYMBOL_1 "{\"id\":1,\"name\":\"vBTC_vUSDC\",\"displayName\":\"BTC/USDC\",\"baseCoinID\":1," \
    "\"baseCoin\":\"vBTC\"," \
    "\"baseCoinPrecision\":8,\"quoteCoinID\":0,\"quoteCoin\":\"vUSDC\",\"quoteCoinPrecision\":6,\"pricePrecision\":1," \
    "\"tickSize\":\"0.1\",\"minPrice\":\"0\",\"maxPrice\":\"0\",\"quantityPrecision\":5,\"stepSize\":\"0.00001\"," \
    "\"minQuantity\":\"0.00001\",\"maxQuantity\":\"1000\",\"marketMinQuantity\":\"0.00001\"," \
        "\"marketMaxQuantity\":\"100\"," \
    "\"minNotional\":\"5\",\"maxNotional\":\"10000000\",\"buyLimitUpRatio\":\"0.05\",\"sellLimitDownRatio\":\"0.05\"," \
    "\"marketDeviationRatio\":\"0.01\",\"makerFee\":\"0.00035\",\"takerFee\":\"0.00065\",\"feeDiscount\":\"0\"," \
    "\"status\":\"TRADING\",\"lastTradePrice\":\"100000\",\"listingReferencePrice\":\"100000\"}"
/* clang-format on */

static void symbols_are_listed_all_or_one_by_name(void **state)
{
    (void)state;
    rig_get("/api/v1/spot/markets/symbols");
    assert_int_equal(rig_answer.status, 200);
    rig_expect("\"data\":[" SYMBOL_1 ",{\"id\":2,");
    assert_string_equal(rig_get("/api/v1/spot/markets/symbols?symbol=vBTC_vUSDC"), OK_BODY("[" SYMBOL_1 "]"));
    assert_string_equal(rig_get("/api/v1/spot/markets/symbols?symbol=vBTC%5FvUSDC&other=1&other=2"),
                        OK_BODY("[" SYMBOL_1 "]"));
}

static void an_unknown_symbol_is_an_error_with_the_known_text(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/api/v1/spot/markets/symbols?symbol=vbtc_vusdc"),
                        "{\"code\":40401,\"timestamp\":" NOW_TEXT
                        ",\"error\":\"symbol not found\",\"details\":{\"rule\":\"a symbol of this market\","
                        "\"field\":\"symbol\",\"got\":\"vbtc_vusdc\"}}");
    assert_int_equal(rig_answer.status, 200);
    assert_string_equal(
        rig_get("/api/v1/spot/markets/symbols?symbol=12345678901234567890123456789012"), /* longer than a name can be */
        "{\"code\":40401,\"timestamp\":" NOW_TEXT
        ",\"error\":\"symbol not found\",\"details\":{\"rule\":\"a symbol of this market\","
        "\"field\":\"symbol\",\"got\":\"12345678901234567890123456789012\"}}");
    rig_get("/api/v1/spot/markets/12345678901234567890123456789012/orderbook");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/symbols?symbol=%zz");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/spot/markets/coins?coin=12345678901234567890123456789012");
    assert_int_equal(rig_code(), 40404);
    rig_get("/api/v1/spot/markets/nope/orderbook");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/nope/trades");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/accounts/%1/orders?symbol=nope");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/accounts/%1/fee-rate?symbol=nope");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/accounts/%1/orders/history?symbol=nope");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/accounts/%1/trades?symbol=nope");
    assert_int_equal(rig_code(), 40401);
}

static void coins_are_listed_all_or_one_by_name(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/api/v1/spot/markets/coins"),
                        OK_BODY("[{\"id\":0,\"name\":\"vUSDC\",\"precision\":6},{\"id\":1,\"name\":\"vBTC\","
                                "\"precision\":8},{\"id\":2,\"name\":\"vETH\",\"precision\":8}]"));
    assert_string_equal(rig_get("/api/v1/spot/markets/coins?coin=vETH"),
                        OK_BODY("[{\"id\":2,\"name\":\"vETH\",\"precision\":8}]"));
    rig_get("/api/v1/spot/markets/coins?coin=BTC");
    assert_int_equal(rig_code(), 40404);
}

static void the_book_is_pairs_of_strings_best_first(void **state)
{
    (void)state;
    assert_string_equal(
        rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook"),
        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"updateID\":0,\"bids\":[],\"asks\":[]}"));
    rig_level(1, SIDE_BUY, 999990, 120000, 1);
    rig_level(1, SIDE_BUY, 999980, 40000, 2);
    rig_level(1, SIDE_SELL, 1000000, 1, 3);
    views_apply(rig_shared.views, &(struct events){ 0 }, &(struct view_block){ 7, NOW - 5 });
    assert_string_equal(rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook"),
                        OK_BODY("{\"blockTime\":1759999999995,\"blockHeight\":7,\"updateID\":3,\"bids\":[[\"99999\","
                                "\"1.2\"],[\"99998\",\"0.4\"]],"
                                "\"asks\":[[\"100000\",\"0.00001\"]]}"));
    assert_string_equal(rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1"),
                        OK_BODY("{\"blockTime\":1759999999995,\"blockHeight\":7,\"updateID\":3,\"bids\":[[\"99999\","
                                "\"1.2\"]],\"asks\":[[\"100000\",\"0.00001\"]]}"));
    rig_expect_same("/api/v1/spot/markets/vBTC%5fvUSDC/orderbook?depth=1");
}

static void a_cached_book_is_never_older_than_the_views(void **state)
{
    (void)state;
    for (int64_t i = 1; i <= 50; i++) {
        char part[64];
        rig_level(1, SIDE_BUY, 900000 + i * 10, i, (uint64_t)i);
        snprintf(part, sizeof(part), "\"updateID\":%d,\"bids\":[[\"%d\",", (int)i, (int)(90000 + i));
        rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1");
        rig_expect(part);
        views_apply(rig_shared.views, &(struct events){ 0 }, &(struct view_block){ (uint64_t)i, NOW + i });
        snprintf(part, sizeof(part), "\"blockHeight\":%d,", (int)i);
        rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1");
        rig_expect(part);
    }
    rig_context.now_ms = NOW + 9;
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1");
    rig_expect("\"timestamp\":1760000000009,");
}

static size_t count_of(const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(rig_body, part); at != NULL; at = strstr(at + 1, part)) count++;
    return count;
}

static void the_limit_of_a_book_defaults_to_ten_and_is_cut_to_a_thousand(void **state)
{
    (void)state;
    for (int64_t i = 1; i <= 1200; i++) rig_level(1, SIDE_BUY, i, 7, (uint64_t)i);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook");
    assert_int_equal(count_of("\"0.00007\""), 10);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1000");
    assert_int_equal(count_of("\"0.00007\""), 1000);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1001");
    assert_int_equal(count_of("\"0.00007\""), 1000);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=4294967295");
    assert_int_equal(count_of("\"0.00007\""), 1000);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=2&depth=5");
    assert_int_equal(count_of("\"0.00007\""), 2);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook?depth=5");
    assert_int_equal(count_of("\"0.00007\""), 5);
}

static void a_limit_that_is_no_number_from_one_is_an_error_everywhere(void **state)
{
    static const char *const paths[] = {
        "/api/v1/spot/markets/vBTC_vUSDC/orderbook",
        "/api/v1/spot/markets/vBTC_vUSDC/trades",
        "/api/v1/spot/accounts/%1/orders/history",
        "/api/v1/spot/accounts/%1/trades",
    };
    static const char *const wrong[] = { "0", "-1", "x", "", "1.5", "4294967296", "+1", "01", "1e2", "1&limit=2" };

    (void)state;
    for (size_t p = 0; p < ARRAY_COUNT(paths); p++) {
        for (size_t w = 0; w < ARRAY_COUNT(wrong); w++) {
            char target[128];
            snprintf(target, sizeof(target), "%s?limit=%s", paths[p], wrong[w]);
            rig_get(target);
            if (rig_code() != 40001) fail_msg("%s: %s", target, rig_body);
            rig_expect("\"error\":\"invalid parameter\"");
            rig_expect("\"field\":\"limit\"");
            assert_int_equal(rig_answer.status, 200);
        }
    }
}

static void trades_come_newest_first_with_default_and_maximum(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades"), OK_BODY("[]"));
    for (uint64_t id = 1; id <= 600; id++) {
        struct traded *event = EVENT_ADD(&rig_events, TRADE, traded, MARKET_SPOT);
        *event = (struct traded){ .head = event->head,
                                  .trade_id = id,
                                  .symbol_id = 1,
                                  .taker_side = SIDE_SELL,
                                  .price = 1007320,
                                  .quantity = 70,
                                  .buyer_account_id = 1001,
                                  .seller_account_id = 1002,
                                  .time_ms = NOW - 1 };
        rig_apply();
    }
    assert_string_equal(rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades?limit=1"),
                        OK_BODY("[{\"t\":600,\"T\":1759999999999,\"s\":\"vBTC_vUSDC\",\"S\":\"SELL\",\"p\":\"100732\","
                                "\"q\":\"0.0007\",\"bi\":1001,\"si\":1002}]"));
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades");
    assert_int_equal(count_of("\"t\":"), 50);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades?limit=500");
    assert_int_equal(count_of("\"t\":"), 500);
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades?limit=501");
    assert_int_equal(count_of("\"t\":"), 500);
    rig_get("/api/v1/spot/markets/symbols?symbol=vBTC_vUSDC");
    rig_expect("\"lastTradePrice\":\"100732\"");
}

static void balances_show_every_coin_ever_held(void **state)
{
    (void)state;
    rig_balance(1001, 1, 250000000, 100000);
    rig_balance(1001, 0, INT64_C(1000000000000), INT64_C(95500000));
    rig_balance(1001, 2, 5, 0);
    rig_balance(1001, 2, 0, 0);
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/balances"),
                        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"balances\":[{\"id\":0,\"coin\":"
                                "\"vUSDC\",\"total\":\"1000000\",\"locked\":\"95.5\"},"
                                "{\"id\":1,\"coin\":\"vBTC\",\"total\":\"2.5\",\"locked\":\"0.001\"},{\"id\":2,"
                                "\"coin\":\"vETH\",\"total\":\"0\",\"locked\":\"0\"}]}"));
    rig_expect_same("/api/v1/spot/accounts/%1/balances?accountID=0");
    rig_expect_same("/api/v1/spot/accounts/%1/balances?accountID=1001");
}

static void an_address_nobody_has_reads_as_zeros_and_empty_lists(void **state)
{
    char expected[512];

    (void)state;
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/balances"),
                        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"balances\":[]}"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/orders"),
                        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"orders\":[]}"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/orders/history"), OK_BODY("[]"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/trades"), OK_BODY("[]"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/fee-rate"),
                        OK_BODY("{\"makerFeeRate\":\"0.00035\",\"takerFeeRate\":\"0.00065\",\"feeTier\":0,"
                                "\"stakingTier\":0,\"makerRebateTier\":0}"));
    snprintf(expected, sizeof(expected),
             OK_BODY("{\"user\":\"%s\",\"aid\":0,\"uid\":0,\"B\":[],\"O\":[],\"TO\":[],"
                     "\"blockTime\":1759999999000,\"blockHeight\":0}"),
             rig_owner_hex(2));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%3/state"), expected);
}

static const char *const account_paths[] = { "balances", "orders", "state", "fee-rate", "orders/history", "trades" };

static void an_account_of_another_address_is_not_found(void **state)
{
    static const char *const addresses[] = { "%1", "%3" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(account_paths) * 2; i++) {
        char target[128];
        snprintf(target, sizeof(target), "/api/v1/spot/accounts/%s/%s?accountID=%s", addresses[i % 2],
                 account_paths[i / 2], i % 3 == 0 ? "1002" : "5000");
        rig_get(target);
        assert_int_equal(rig_code(), 40403);
        rig_expect("\"error\":\"account not found\"");
        rig_expect(i % 3 == 0 ? "\"got\":\"1002\"" : "\"got\":\"5000\"");
    }
    rig_get("/api/v1/spot/accounts/%2/balances?accountID=1002");
    assert_int_equal(rig_code(), 0);
}

static void a_malformed_address_or_account_id_is_an_error(void **state)
{
    /* clang-format off */
    static const char *const wrong[] = {
        "0x", "1001", "0X14791697260e4c9a71f18484c9f997b308e59325", "14791697260e4c9a71f18484c9f997b308e59325",
        "0x14791697260e4c9a71f18484c9f997b308e5932", "0x14791697260e4c9a71f18484c9f997b308e593255",
        "0x14791697260e4c9a71f18484c9f997b308e5932g", "0x14791697260e4c9a71f18484c9f997b308e5932%zz", "%00",
    };
    /* clang-format on */

    (void)state;
    for (size_t p = 0; p < ARRAY_COUNT(account_paths); p++) {
        for (size_t w = 0; w < ARRAY_COUNT(wrong); w++) {
            char target[128];
            snprintf(target, sizeof(target), "/api/v1/spot/accounts/%s/%s", wrong[w], account_paths[p]);
            rig_get(target);
            if (rig_code() != 40001) fail_msg("%s: %s", target, rig_body);
        }
        char target[128];
        snprintf(target, sizeof(target), "/api/v1/spot/accounts/%%1/%s?accountID=-1", account_paths[p]);
        rig_get(target);
        assert_int_equal(rig_code(), 40001);
        rig_expect("\"field\":\"accountID\"");
    }
    rig_get("/api/v1/spot/accounts/0x14791697260E4c9A71f18484C9f997B308e59325/state");
    assert_int_equal(rig_code(), 0);
    rig_expect("\"user\":\"0x14791697260e4c9a71f18484c9f997b308e59325\"");
}

#define ORDER_9                                                                                                        \
    "{\"symbol\":\"vBTC_vUSDC\",\"orderID\":9,\"clOrdID\":\"my-1\",\"side\":\"BUY\",\"type\":\"LIMIT\","               \
    "\"timeInForce\":\"GTC\","                                                                                         \
    "\"price\":\"95000\",\"origQty\":\"0.01\",\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\","       \
    "\"marginFrozen\":\"950\","                                                                                        \
    "\"createdAt\":1759999999500,\"updatedAt\":1759999999600}"

static void open_orders_are_listed_newest_first_and_by_symbol(void **state)
{
    struct order_changed first = rig_order(8, STATUS_PARTIALLY_FILLED), second = rig_order(9, STATUS_NEW);

    (void)state;
    first.symbol_id = 2;
    first.side = SIDE_SELL;
    first.quantity = 20000;
    first.executed = 5000;
    first.executed_value = 2000000000;
    first.frozen = 150000000;
    first.reason = REASON_USER;
    rig_emit_order(&first);
    rig_emit_order(&second);
    rig_get("/api/v1/spot/accounts/%1/orders");
    rig_expect("\"orders\":[" ORDER_9 ",{\"symbol\":\"vETH_vUSDC\",\"orderID\":8,");
    rig_expect("\"origQty\":\"2\",\"status\":\"PARTIALLY_FILLED\",\"executedQty\":\"0.5\",\"executedValue\":\"2000\","
               "\"marginFrozen\":\"1.5\"");
    rig_expect_not("reason");
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/orders?symbol=vBTC_vUSDC"),
                        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"orders\":[" ORDER_9 "]}"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/orders?limit=1"), /* the newest */
                        OK_BODY("{\"blockTime\":1759999999000,\"blockHeight\":0,\"orders\":[" ORDER_9 "]}"));
    rig_get("/api/v1/spot/accounts/%1/orders?limit=2");
    rig_expect("\"orders\":[" ORDER_9 ",{\"symbol\":\"vETH_vUSDC\",\"orderID\":8,");
    rig_get("/api/v1/spot/accounts/%1/orders?limit=4294967295");
    rig_expect("\"orders\":[" ORDER_9 ",{\"symbol\":\"vETH_vUSDC\",\"orderID\":8,");
    rig_get("/api/v1/spot/accounts/%1/orders?symbol=vETH_vUSDC&limit=1");
    rig_expect("\"orders\":[{\"symbol\":\"vETH_vUSDC\",\"orderID\":8,");
    rig_get("/api/v1/spot/accounts/%1/orders?limit=0");
    assert_int_equal(rig_code(), 40001);
    rig_expect("\"field\":\"limit\"");
}

static void the_state_has_short_keys_and_no_price_or_quantity_is_null(void **state)
{
    struct order_changed order = rig_order(9, STATUS_NEW);
    char                 expected[1024];

    (void)state;
    order.type = TYPE_MARKET;
    order.time_in_force = TIF_IOC;
    order.price = order.quantity = 0;
    order.funds = 250500000;
    rig_emit_order(&order);
    rig_balance(1001, 0, 1000000, 500000);
    snprintf(
        expected, sizeof(expected),
        OK_BODY(
            "{\"user\":\"%s\",\"aid\":1001,\"uid\":11,\"B\":[{\"i\":0,\"a\":\"vUSDC\",\"t\":\"1\",\"l\":\"0.5\"}],"
            "\"O\":[{\"s\":\"vBTC_vUSDC\",\"c\":\"my-1\",\"i\":9,\"S\":\"BUY\",\"o\":\"MARKET\",\"f\":\"IOC\",\"p\":"
            "\"0\",\"q\":\"0\",\"F\":\"250.5\","
            "\"X\":\"NEW\",\"z\":\"0\",\"v\":\"0\",\"M\":\"950\",\"ct\":1759999999500,\"ut\":1759999999600}],\"TO\":[],"
            "\"blockTime\":1759999999000,\"blockHeight\":0}"),
        rig_owner_hex(0));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/state"), expected);
}

static void fee_rates_follow_tier_staking_symbol_and_rebate(void **state)
{
    (void)state;
    rig_genesis.spot[0].fee_discount = 20000000;
    rig_emit_fee_tier(11, 0, 2, 0);
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/fee-rate"),
                        OK_BODY("{\"makerFeeRate\":\"0.000315\",\"takerFeeRate\":\"0.000585\",\"feeTier\":0,"
                                "\"stakingTier\":2,\"makerRebateTier\":0}"));
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/fee-rate?symbol=vBTC_vUSDC"),
                        OK_BODY("{\"makerFeeRate\":\"0.000252\",\"takerFeeRate\":\"0.000468\",\"feeDiscount\":\"0.2\","
                                "\"feeTier\":0,\"stakingTier\":2,\"makerRebateTier\":0}"));
    rig_emit_fee_tier(11, 4, 0, 2);
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/fee-rate?symbol=vETH_vUSDC"),
                        OK_BODY("{\"makerFeeRate\":\"-0.00004\",\"takerFeeRate\":\"0.0003\",\"feeDiscount\":\"0\","
                                "\"feeTier\":4,\"stakingTier\":0,\"makerRebateTier\":2}"));
}

/* Mechanics E23, and the choice between the tier's and the symbol's rate (ruling 32). */
static void effective_rates_are_those_of_the_worked_example(void **state)
{
    struct fee_table table = { .tiers = { { 0, 15000, 45000 }, { 1, 10000, 40000 } },
                               .staking_discount = { 0, 10000000 } };
    struct symbol    symbol = { .maker_fee = 15000, .taker_fee = 45000, .fee_discount = 20000000 };
    struct fee_rates rates = fee_rates_of(&table, &symbol, (struct view_fee_tier){ 0, 1, 0 });

    (void)state;
    assert_int_equal(rates.taker, 32400);
    assert_int_equal(rates.maker, 10800);
    rates = fee_rates_of(&table, NULL, (struct view_fee_tier){ 0, 1, 0 });
    assert_int_equal(rates.taker, 40500);
    assert_int_equal(rates.maker, 13500);
    symbol = (struct symbol){ .maker_fee = 12000, .taker_fee = 30000 };
    rates = fee_rates_of(&table, &symbol, (struct view_fee_tier){ 1, 0, 0 });
    assert_int_equal(rates.maker, 10000);
    assert_int_equal(rates.taker, 30000);
    symbol = (struct symbol){ .maker_fee = 0, .taker_fee = 3, .fee_discount = 50000000 };
    rates = fee_rates_of(&table, &symbol, (struct view_fee_tier){ 0, 0, 0 });
    assert_int_equal(rates.maker, 0);
    assert_int_equal(rates.taker, 2); /* 1.5 rounds up */
}

static void history_lists_ended_orders_with_their_reason(void **state)
{
    (void)state;
    rig_history.orders[0] = rig_order(9, STATUS_EXPIRED);
    rig_history.orders[0].reason = REASON_IOC_REMAINDER;
    rig_history.orders[0].frozen = 0;
    rig_history.order_count = 1;
    rig_get("/api/v1/spot/accounts/%1/orders/history");
    rig_expect("\"data\":[{\"symbol\":\"vBTC_vUSDC\",\"orderID\":9,");
    rig_expect("\"status\":\"EXPIRED\",");
    rig_expect("\"marginFrozen\":\"0\",");
    rig_expect("\"reason\":\"IOC_REMAINDER\"}]}");
    assert_int_equal(rig_history.asked.account_id, 1001);
    assert_int_equal(rig_history.asked.market, MARKET_SPOT);
    assert_int_equal(rig_history.asked.symbol_id, 0);
    assert_int_equal(rig_history.asked.start_ms, 0);
    assert_true(rig_history.asked.end_ms == INT64_MAX);
    assert_int_equal(rig_history.asked.limit, 50);
}

static void trades_of_an_account_carry_fee_and_coin(void **state)
{
    (void)state;
    rig_history.fills[0] = (struct filled){
        .head = { .market = MARKET_SPOT },
        .trade_id = 5,
        .order_id = 9,
        .account_id = 1001,
        .symbol_id = 1,
        .side = SIDE_BUY,
        .is_maker = 1,
        .client_id = client_id_make(SLICE("my-1")),
        .price = 999990,
        .quantity = 1334,
        .fee = 867100,
        .fee_coin_id = 1,
        .time_ms = NOW - 3,
    };
    rig_history.fills[1] = rig_history.fills[0];
    rig_history.fills[1].fee = -25;
    rig_history.fills[1].fee_coin_id = 0;
    rig_history.fills[1].is_maker = 0;
    rig_history.fill_count = 2;
    assert_string_equal(
        rig_get("/api/v1/spot/accounts/%1/trades"),
        OK_BODY("[{\"symbol\":\"vBTC_vUSDC\",\"tradeID\":5,\"orderID\":9,\"clOrdID\":\"my-1\",\"side\":\"BUY\","
                "\"price\":\"99999\",\"quantity\":\"0.01334\","
                "\"fee\":\"0.008671\",\"feeCoin\":\"vBTC\",\"time\":1759999999997,\"isMaker\":true},"
                "{\"symbol\":\"vBTC_vUSDC\",\"tradeID\":5,\"orderID\":9,\"clOrdID\":\"my-1\",\"side\":\"BUY\","
                "\"price\":\"99999\",\"quantity\":\"0.01334\","
                "\"fee\":\"-0.000025\",\"feeCoin\":\"vUSDC\",\"time\":1759999999997,\"isMaker\":false}]"));
    assert_int_equal(rig_history.asked.limit, 100);
}

static void pages_of_history_take_all_their_parameters(void **state)
{
    (void)state;
    rig_get("/api/v1/spot/accounts/%1/"
            "trades?accountID=1001&symbol=vETH_vUSDC&orderID=77&startTime=5&endTime=5&limit=1001&fromID=12");
    assert_int_equal(rig_code(), 0);
    assert_int_equal(rig_history.asked.symbol_id, 2);
    assert_int_equal(rig_history.asked.other_id, 77);
    assert_int_equal(rig_history.asked.start_ms, 5);
    assert_int_equal(rig_history.asked.end_ms, 5);
    assert_int_equal(rig_history.asked.from_id, 12);
    assert_int_equal(rig_history.asked.limit, 1000);
    rig_get("/api/v1/spot/accounts/%1/orders/history?limit=501&orderID=77");
    assert_int_equal(rig_history.asked.limit, 500);
    assert_int_equal(rig_history.asked.other_id, 0);
    rig_get("/api/v1/spot/accounts/%1/orders/history?endTime=0");
    assert_int_equal(rig_history.asked.end_ms, 0);
    rig_get("/api/v1/spot/accounts/%1/orders/history?startTime=18446744073709551615&endTime=18446744073709551615");
    assert_true(rig_history.asked.start_ms == INT64_MAX && rig_history.asked.end_ms == INT64_MAX);
}

/* Nothing begins after an end that was not sent. */
static void a_start_alone_may_be_any_time(void **state)
{
    static const char *const starts[] = { "9223372036854775807", "9223372036854775808", "18446744073709551615" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(starts); i++) {
        char target[128];

        (void)snprintf(target, sizeof(target), "/api/v1/spot/accounts/%%1/orders/history?startTime=%s", starts[i]);
        rig_get(target);
        assert_int_equal(rig_code(), 0);
        assert_true(rig_history.asked.start_ms == INT64_MAX && rig_history.asked.end_ms == INT64_MAX);
    }
}

static void a_start_after_the_end_is_refused_at_the_boundary(void **state)
{
    (void)state;
    rig_get("/api/v1/spot/accounts/%1/orders/history?startTime=6&endTime=5");
    assert_int_equal(rig_code(), 40007);
    rig_expect("\"error\":\"invalid time range\"");
    rig_expect("\"got\":\"6\"");
    rig_get("/api/v1/spot/accounts/%1/trades?startTime=1&endTime=0");
    assert_int_equal(rig_code(), 40007);
    rig_get("/api/v1/spot/accounts/%1/trades?startTime=x");
    assert_int_equal(rig_code(), 40001);
}

static void a_store_that_cannot_be_read_says_so(void **state)
{
    (void)state;
    rig_history.order_count = rig_history.fill_count = -EIO;
    rig_get("/api/v1/spot/accounts/%1/orders/history");
    assert_int_equal(rig_code(), 50001);
    rig_get("/api/v1/spot/accounts/%1/trades");
    assert_int_equal(rig_code(), 50001);
}

static void repeated_parameters_are_refused_and_unknown_ones_ignored(void **state)
{
    (void)state;
    rig_get("/api/v1/spot/markets/symbols?symbol=vBTC_vUSDC&symbol=vBTC_vUSDC");
    assert_int_equal(rig_code(), 40001);
    rig_expect("\"rule\":\"each query parameter at most once\",\"field\":\"symbol\"");
    rig_get("/api/v1/spot/accounts/%1/balances?accountID=1001&accountID=1001");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/spot/accounts/%1/balances?nonsense=1&nonsense=2&&=&x");
    assert_int_equal(rig_code(), 0);
}

static void the_process_answers_about_itself(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/healthz"), OK_BODY("{\"status\":\"ok\"}"));
    assert_string_equal(rig_get("/readyz"), OK_BODY("{\"status\":\"ok\"}"));
    assert_string_equal(rig_get("/version"), OK_BODY("{\"name\":\"dojima\",\"version\":\"0.1.0\",\"chainID\":286623}"));
    rig_context.ready = false;
    rig_get("/readyz");
    assert_int_equal(rig_answer.status, 503);
    assert_int_equal(rig_code(), 50301);
    rig_expect("\"error\":\"not ready\"");
    assert_memory_equal(rig_answer.extra.at, "Retry-After: ", 13);
    rig_get("/healthz");
    assert_int_equal(rig_answer.status, 200);
    rig_get("/api/v1/spot/markets/symbols");
    assert_int_equal(rig_answer.status, 503);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(symbols_are_listed_all_or_one_by_name),
        TEST(an_unknown_symbol_is_an_error_with_the_known_text),
        TEST(coins_are_listed_all_or_one_by_name),
        TEST(the_book_is_pairs_of_strings_best_first),
        TEST(a_cached_book_is_never_older_than_the_views),
        TEST(the_limit_of_a_book_defaults_to_ten_and_is_cut_to_a_thousand),
        TEST(a_limit_that_is_no_number_from_one_is_an_error_everywhere),
        TEST(trades_come_newest_first_with_default_and_maximum),
        TEST(balances_show_every_coin_ever_held),
        TEST(an_address_nobody_has_reads_as_zeros_and_empty_lists),
        TEST(an_account_of_another_address_is_not_found),
        TEST(a_malformed_address_or_account_id_is_an_error),
        TEST(open_orders_are_listed_newest_first_and_by_symbol),
        TEST(the_state_has_short_keys_and_no_price_or_quantity_is_null),
        TEST(fee_rates_follow_tier_staking_symbol_and_rebate),
        TEST(effective_rates_are_those_of_the_worked_example),
        TEST(history_lists_ended_orders_with_their_reason),
        TEST(trades_of_an_account_carry_fee_and_coin),
        TEST(pages_of_history_take_all_their_parameters),
        TEST(a_start_alone_may_be_any_time),
        TEST(a_start_after_the_end_is_refused_at_the_boundary),
        TEST(a_store_that_cannot_be_read_says_so),
        TEST(repeated_parameters_are_refused_and_unknown_ones_ignored),
        TEST(the_process_answers_about_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
