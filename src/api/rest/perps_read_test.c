/* SPDX-License-Identifier: MIT */
/* perps_read_test.c — reads of perps accounts: margins, positions, open orders, funding. */
#include "rigs/api/perps_rig.h"

/* E7: deposit 12000, BTC +1 @ 100000, ETH -20 @ 4000, leverage 20 cross. */
static void make_e7(int64_t btc, int64_t eth)
{
    emit_wallet(1001, 12000000000);
    emit_leverage(1001, BTC, 20, MARGIN_CROSS);
    emit_leverage(1001, ETH, 20, MARGIN_CROSS);
    emit_position(position_of(77, BTC, 100000, 100000000000, 20));
    emit_position(position_of(78, ETH, -200000, -80000000000, 20));
    emit_price(BTC, btc, btc);
    emit_price(ETH, eth, eth);
}

#define P_BTC                                                                                                          \
    "{\"i\":77,\"s\":\"BTC-USD\",\"m\":\"CROSS\",\"ps\":\"BOTH\",\"sz\":\"1\",\"iw\":null,\"ep\":\"100000\",\"co\":"   \
    "\"100000\",\"cf\":\"0\","                                                                                         \
    "\"cc\":\"0\",\"cp\":\"0\",\"ms\":\"1\",\"cr\":\"0\",\"ur\":\"-1500\",\"l\":20,\"lp\":\"90790.9\",\"adl\":6,"      \
    "\"ct\":1759999999100,\"ut\":1759999999200}"
#define P_ETH                                                                                                          \
    "{\"i\":78,\"s\":\"ETH-USD\",\"m\":\"CROSS\",\"ps\":\"BOTH\",\"sz\":\"-20\",\"iw\":null,\"ep\":\"4000\",\"co\":"   \
    "\"80000\",\"cf\":\"0\","                                                                                          \
    "\"cc\":\"0\",\"cp\":\"0\",\"ms\":\"20\",\"cr\":\"0\",\"ur\":\"1000\",\"l\":20,\"lp\":\"4318.53\",\"adl\":1,"      \
    "\"ct\":1759999999100,\"ut\":1759999999200}"

static void the_state_of_a_cross_account_is_that_of_example_7(void **state)
{
    (void)state;
    make_e7(985000, 395000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"aid\":1001,\"uid\":11,\"av\":\"11500\",\"mm\":\"3945\",\"mmr\":\"0.34304348\",\"am\":\"2625\","
               "\"ami\":\"2625\",\"amw\":\"2625\","
               "\"im\":\"0\",\"cm\":\"8875\",\"oim\":\"0\",\"ocm\":\"0\",");
    rig_expect("\"B\":[{\"i\":0,\"a\":\"vUSDC\",\"wb\":\"12000\",\"co\":\"12000\",\"mr\":\"1\",\"px\":\"1\",\"iw\":"
               "\"0\",\"aw\":\"2625\",\"at\":\"2625\","
               "\"ww\":\"2625\",\"wm\":\"12000\",\"am\":\"2625\"}],\"O\":[],\"P\":[" P_BTC "," P_ETH "],"
               "\"S\":[{\"s\":\"BTC-USD\",\"l\":20,\"m\":\"CROSS\"},{\"s\":\"ETH-USD\",\"l\":20,\"m\":\"CROSS\"}],"
               "\"TO\":[]," BLOCK_KEYS "}");
    rig_get("/api/v1/perps/accounts/%1/balances");
    rig_expect("\"balances\":[{\"id\":0,\"coin\":\"vUSDC\",\"total\":\"12000\",\"collateral\":\"12000\","
               "\"marginRatio\":\"1\",\"price\":\"1\",\"locked\":\"8875\"}]");
}

static void profit_is_margin_but_not_money_to_take(void **state)
{
    (void)state;
    make_e7(1010000, 390000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"6050\",\"ami\":\"6050\",\"amw\":\"3050\",\"im\":\"0\",\"cm\":\"8950\"");
}

/* While the mark lags more than 1 % behind the index, profit counts nothing for new risk. */
static void profit_does_not_count_while_the_mark_catches_up(void **state)
{
    (void)state;
    make_e7(1010000, 390000);
    emit_price(BTC, 1010000, 1020202); /* 1.0000…% : not more than 1 % */
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"6050\"");
    emit_price(BTC, 1010000, 1020203);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"5050\"");
}

/* E6: 10 BTC @ 100000 isolated at 25x, bucket 40000. */
static void an_isolated_position_has_the_liquidation_price_of_example_6(void **state)
{
    struct position_changed position = position_of(5, BTC, 1000000, 1000000000000, 25);

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.bucket = 40000000000;
    position.fees = 1500000;
    position.realized = -1500000;
    emit_wallet(1001, 60000000000);
    emit_position(position);
    assert_string_equal(
        rig_get("/api/v1/perps/accounts/%1/positions"),
        OK_BODY("{" BLOCK_KEYS ",\"positions\":["
                "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\",\"positionSide\":"
                "\"BOTH\",\"size\":\"10\",\"initialMargin\":\"40000\","
                "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"1.5\",\"cumClosedSize\":"
                "\"0\",\"avgClosePrice\":\"0\",\"maxSize\":\"10\","
                "\"realizedPnL\":\"-1.5\",\"leverage\":25,\"active\":true,\"isTakenOver\":false,\"takeOverPrice\":"
                "\"0\",\"createdAt\":1759999999100,"
                "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"10\",\"entryPrice\":"
                "\"100000\",\"markPrice\":\"100000\","
                "\"liquidationPrice\":\"97959.2\",\"unrealizedPnl\":\"0\",\"margin\":\"40000\"}],\"orders\":["
                "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\",\"positionSide\":"
                "\"BOTH\",\"size\":\"10\",\"initialMargin\":\"40000\","
                "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"1.5\",\"cumClosedSize\":"
                "\"0\",\"avgClosePrice\":\"0\",\"maxSize\":\"10\","
                "\"realizedPnL\":\"-1.5\",\"leverage\":25,\"active\":true,\"isTakenOver\":false,\"takeOverPrice\":"
                "\"0\",\"createdAt\":1759999999100,"
                "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"10\",\"entryPrice\":"
                "\"100000\",\"markPrice\":\"100000\","
                "\"liquidationPrice\":\"97959.2\",\"unrealizedPnl\":\"0\",\"margin\":\"40000\"}]}"));
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"60000\",\"mm\":\"0\",\"mmr\":\"0\",\"am\":\"60000\",\"ami\":\"60000\",\"amw\":\"60000\","
               "\"im\":\"40000\",\"cm\":\"0\"");
    rig_expect("\"iw\":\"40000\"");
    position.size = -1000000;
    position.cost_low = -1000000000000;
    position.cost_high = -1;
    emit_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=BTC-USD");
    rig_expect("\"size\":\"-10\"");
    rig_expect("\"liquidationPrice\":\"101960.7\"");
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=ETH-USD");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=nope");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/perps/accounts/%2/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
}

/* E4: 1 BTC for 100700.49, and after -0.33333 of it. */
static void averages_have_four_more_decimals_half_up(void **state)
{
    struct position_changed position = position_of(5, BTC, 100000, 100700490000, 10);

    (void)state;
    emit_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100700.49\"");
    position.size = 66667;
    position.cost_low = 67133995669;
    position.closed_size = 33333;
    position.close_value = 33999660000;
    position.realized = 433165669;
    emit_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100700.49\""); /* 67133.995669 / 0.66667 = 100700.4900010… */
    rig_expect("\"cumOpenCost\":\"100700.49\"");
    rig_expect("\"cumClosedSize\":\"0.33333\",\"avgClosePrice\":\"102000\"");
    rig_expect("\"realizedPnL\":\"433.165669\"");
    emit_position(position_of(5, BTC, 80000, 80000000004, 10)); /* 100000.000005 */
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100000.00001\"");
    emit_position(position_of(5, BTC, 80000, 80000000003, 10)); /* 100000.00000375 */
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100000\"");
}

/* E5: +2 BTC at mark 100000, buy 1 @ 99000, sells 3 @ 101000 and 1 @ 102000, none of them reduce-only. */
static void orders_freeze_what_example_5_says(void **state)
{
    (void)state;
    emit_wallet(1001, 100000000000);
    emit_position(position_of(9, BTC, 200000, 200000000000, 10));
    emit_order(order_of(21, SIDE_BUY, 990000, 100000));
    emit_order(order_of(22, SIDE_SELL, 1020000, 100000));
    emit_order(order_of(23, SIDE_SELL, 1010000, 300000));
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect("\"orderID\":21,\"clOrdID\":\"my-1\",\"side\":\"BUY\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\","
               "\"price\":\"99000\",\"origQty\":\"1\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"9939.6\","
               "\"positionSide\":\"BOTH\",\"reduceOnly\":false,"
               "\"modifier\":\"NORMAL\",\"createdAt\":1759999999500,\"updatedAt\":1759999999600}");
    rig_expect("\"orderID\":23,\"clOrdID\":\"my-1\",\"side\":\"SELL\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\","
               "\"price\":\"101000\",\"origQty\":\"3\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"10140.4\"");
    rig_expect("\"price\":\"102000\",\"origQty\":\"1\",\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":"
               "\"0\",\"marginFrozen\":\"10240.8\"");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"cm\":\"20000\",\"oim\":\"0\",\"ocm\":\"9939.6\"");
    rig_expect("\"am\":\"70060.4\"");
    rig_expect("\"M\":\"9939.6\"");
    rig_get("/api/v1/perps/accounts/%1/balances");
    rig_expect("\"locked\":\"29939.6\"");
}

/* E5, a flat account: the part of the price above the mark for a buy, and below it for a sell, is a loss at once. */
static void orders_beyond_the_mark_freeze_their_loss(void **state)
{
    (void)state;
    emit_wallet(1001, 100000000000);
    emit_order(order_of(21, SIDE_BUY, 1002000, 100000));
    emit_order(order_of(22, SIDE_SELL, 999000, 100000));
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"M\":\"10260.08\"");
    rig_expect("\"M\":\"10140\"");
    rig_expect("\"cm\":\"0\",\"oim\":\"0\",\"ocm\":\"10260.08\"");
    emit_leverage(1001, BTC, 10, MARGIN_ISOLATED);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"cm\":\"0\",\"oim\":\"10260.08\",\"ocm\":\"0\"");
    rig_expect("\"am\":\"89739.92\",\"ami\":\"89739.92\",\"amw\":\"89739.92\"");
    rig_expect("\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"ISOLATED\"},");
}

static void stops_that_wait_are_open_orders_that_freeze_nothing(void **state)
{
    struct perps_order_changed parent = order_of(500, SIDE_BUY, 990000, 10000), child = order_of(501, SIDE_SELL, 0, 0),
                               stop = order_of(502, SIDE_BUY, 1010000, 5);

    (void)state;
    parent.modifier = MODIFIER_BRACKET;
    parent.attached_order_ids[0] = 501;
    child.modifier = MODIFIER_ATTACHED_STOP;
    child.base.status = STATUS_PENDING_NEW;
    child.base.type = TYPE_MARKET;
    child.base.time_in_force = TIF_IOC;
    child.reduce_only = 1;
    child.stop_price = 770000;
    child.stop_type = STOP_TAKE_PROFIT;
    child.trigger_type = TRIGGER_MARK_PRICE;
    child.primary_order_id = 500;
    stop.modifier = MODIFIER_STOP;
    stop.stop_price = 1020000;
    stop.stop_type = STOP_LOSS;
    stop.trigger_type = TRIGGER_LAST_PRICE;
    emit_order(parent);
    emit_order(child);
    emit_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect("\"orders\":[{\"symbol\":\"BTC-USD\",\"orderID\":502,");
    rig_expect("\"marginFrozen\":\"0\",\"positionSide\":\"BOTH\",\"reduceOnly\":false,\"modifier\":\"STOP\","
               "\"stopPrice\":\"102000\",\"stopType\":\"STOP_LOSS\","
               "\"triggerType\":\"LAST_PRICE\",\"createdAt\"");
    rig_expect("\"orderID\":501,\"clOrdID\":\"my-1\",\"side\":\"SELL\",\"type\":\"MARKET\",\"timeInForce\":\"IOC\","
               "\"status\":\"NEW\",\"executedQty\":\"0\","
               "\"executedValue\":\"0\",\"marginFrozen\":\"0\",\"positionSide\":\"BOTH\",\"reduceOnly\":true,"
               "\"modifier\":\"ATTACHED_STOP\",\"stopPrice\":\"77000\","
               "\"stopType\":\"TAKE_PROFIT\",\"triggerType\":\"MARK_PRICE\",\"primaryOrderID\":500,\"createdAt\"");
    rig_expect("\"modifier\":\"BRACKET\",\"attachedOrderIDs\":[501],\"createdAt\"");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"R\":true,\"sp\":\"77000\",\"st\":\"TAKE_PROFIT\",\"tt\":\"MARK_PRICE\",\"poid\":500}");
    rig_expect("\"aoids\":[501]}");
    stop.triggered = 1; /* and rests as a limit order now */
    emit_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders?symbol=BTC-USD");
    rig_expect("\"orderID\":502,\"clOrdID\":\"my-1\",\"side\":\"BUY\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\","
               "\"price\":\"101000\",\"origQty\":\"0.00005\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"0.55702\"");
    rig_get("/api/v1/perps/accounts/%1/orders?symbol=ETH-USD");
    rig_expect("\"orders\":[]");
    stop.base.status = STATUS_FILLED;
    emit_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect_not("\"orderID\":502");
    rig_get("/api/v1/spot/accounts/%1/orders");
    rig_expect("\"orders\":[]");
}

static void the_state_shows_a_hundred_orders_and_the_list_all(void **state)
{
    size_t shown = 0;

    (void)state;
    for (uint64_t id = 1; id <= 150; id++) emit_order(order_of(id, SIDE_BUY, 990000, 1));
    rig_get("/api/v1/perps/accounts/%1/state");
    for (const char *at = rig_body; (at = strstr(at, "\"X\":\"NEW\"")) != NULL; at++) shown++;
    assert_int_equal(shown, 100);
    rig_expect("\"O\":[{\"s\":\"BTC-USD\",\"c\":\"my-1\",\"i\":150,");
    rig_get("/api/v1/perps/accounts/%1/orders");
    shown = 0;
    for (const char *at = rig_body; (at = strstr(at, "\"status\":\"NEW\"")) != NULL; at++) shown++;
    assert_int_equal(shown, 150);
}

static void positions_are_listed_newest_first_and_as_many_as_are_asked_for(void **state)
{
    (void)state;
    emit_wallet(1001, 60000000000);
    emit_position(position_of(5, ETH, 10000, 400000000, 10));
    emit_position(position_of(9, BTC, 100000, 100000000000, 10));
    rig_get("/api/v1/perps/accounts/%1/positions?limit=1");
    rig_expect("\"positions\":[{\"id\":9,\"symbol\":\"BTC-USD\",");
    rig_expect_not("\"id\":5,");
    emit_position(position_of(11, ETH, 20000, 800000000, 10));
    rig_get("/api/v1/perps/accounts/%1/positions?limit=1");
    rig_expect("\"positions\":[{\"id\":11,\"symbol\":\"ETH-USD\",");
    rig_expect("\"orders\":[{\"id\":11,\"symbol\":\"ETH-USD\",");
    rig_expect_not("\"id\":9,");
    rig_get("/api/v1/perps/accounts/%1/positions?limit=1&symbol=BTC-USD");
    rig_expect("\"positions\":[{\"id\":9,");
    rig_get("/api/v1/perps/accounts/%1/positions?limit=0");
    assert_int_equal(rig_code(), 40001);
}

static void funding_goes_into_the_record_and_the_bucket(void **state)
{
    struct position_changed position = position_of(5, BTC, 100000, 100000000000, 10);
    struct funded          *funded;

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.bucket = 10000000000;
    emit_position(position);
    funded = EVENT_ADD(&rig_events, FUNDING, funded, MARKET_PERPS);
    *funded = (struct funded){ .head = funded->head,
                               .account_id = 1001,
                               .position_id = 5,
                               .symbol_id = BTC,
                               .payment = 1250001,
                               .time_ms = NOW - 7 };
    rig_apply();
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"realizedPnL\":\"-1.250001\"");
    rig_expect("\"margin\":\"9998.749999\"");
    rig_expect("\"updatedAt\":1759999999993");
    position.size = 0;
    emit_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"ISOLATED\"},"); /* the choice outlives the position */
}

/* More loss than money: the ratio is far above 1, and nothing is available. */
static void an_account_that_is_worth_nothing_says_so(void **state)
{
    (void)state;
    emit_wallet(1001, 1000000000);
    emit_position(position_of(5, BTC, 100000, 100000000000, 10));
    emit_price(BTC, 980000, 980000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"-1000\",\"mm\":\"1960\",\"mmr\":\"1000000\",\"am\":\"0\",\"ami\":\"0\",\"amw\":\"0\"");
}

static void emit_short(uint64_t account, int64_t wallet, int64_t size, int64_t cost)
{
    struct position_changed position = position_of(account, BTC, -size, -cost, 10);

    position.account_id = account;
    emit_wallet(account, wallet);
    emit_position(position);
}

/* E10: shorts B -6 @ 100000 (wallet 50000), C -3 @ 100000 (15000), D
   -5 for 476000 (20000), the mark at 95000: groups 2, 1, 4. */
static void the_five_lights_are_those_of_example_10(void **state)
{
    (void)state;
    rig_account(1003, 13, &rig_owner[2]);
    emit_short(1001, 50000000000, 600000, 600000000000);
    emit_short(1002, 15000000000, 300000, 300000000000);
    emit_short(1003, 20000000000, 500000, 476000000000);
    emit_short(ACCOUNT_FUND, 1000000000, 100000,
               200000000000); /* the fund is before all others in the queue and has no light */
    emit_price(BTC, 950000, 950000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"sz\":\"-6\"");
    rig_expect("\"adl\":2");
    rig_get("/api/v1/perps/accounts/%2/state");
    rig_expect("\"adl\":1");
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"adl\":4");
    emit_price(BTC, 1000000, 1000000); /* D alone is at a loss now, B and C at nothing */
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"adl\":6");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":6");
    emit_price(BTC, 999000, 999000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":3"); /* second of two */
    rig_genesis.rules.adl_mode = ADL_QUEUE;
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":2");
}

/* With very many positions an account's lights are looked at once a second. */
static void lights_of_many_positions_are_kept_for_a_second(void **state)
{
    (void)state;
    emit_short(1001, 50000000000, 600000, 600000000000);
    for (uint64_t account = 2000; account < 2000 + ADL_PLACES_FEW; account++) emit_short(account, 1000000, 1, 900000);
    emit_price(BTC, 950000, 950000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":1");
    for (uint64_t account = 2000; account < 2010; account++) emit_short(account, 1, 1, 2000000); /* ten pass it */
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":1");
    rig_context.now_ms += 1000;
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":5");
}

static void nobody_has_nothing(void **state)
{
    (void)state;
    rig_get("/api/v1/perps/accounts/%3/orders");
    rig_expect("\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%3/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/positions?accountID=1002");
    assert_int_equal(rig_code(), 40403);
    rig_get("/api/v1/perps/accounts/0x12/positions");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/perps/accounts/%1/fee-rate?symbol=BTC-USD");
    rig_expect("{\"makerFeeRate\":\"0.00012\",\"takerFeeRate\":\"0.0004\",\"feeDiscount\":\"0\",\"feeTier\":0,"
               "\"stakingTier\":0,\"makerRebateTier\":0}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_state_of_a_cross_account_is_that_of_example_7),
        TEST(profit_is_margin_but_not_money_to_take),
        TEST(profit_does_not_count_while_the_mark_catches_up),
        TEST(an_isolated_position_has_the_liquidation_price_of_example_6),
        TEST(averages_have_four_more_decimals_half_up),
        TEST(orders_freeze_what_example_5_says),
        TEST(orders_beyond_the_mark_freeze_their_loss),
        TEST(stops_that_wait_are_open_orders_that_freeze_nothing),
        TEST(the_state_shows_a_hundred_orders_and_the_list_all),
        TEST(positions_are_listed_newest_first_and_as_many_as_are_asked_for),
        TEST(funding_goes_into_the_record_and_the_bucket),
        TEST(an_account_that_is_worth_nothing_says_so),
        TEST(the_five_lights_are_those_of_example_10),
        TEST(lights_of_many_positions_are_kept_for_a_second),
        TEST(nobody_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
