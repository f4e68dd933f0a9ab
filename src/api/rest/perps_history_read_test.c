/* SPDX-License-Identifier: MIT */
/* perps_history_read_test.c — reads of the perps histories. */
#include "rigs/api/perps_rig.h"

#include <errno.h>

static void closed_positions_say_how_they_ended(void **state)
{
    struct position_changed position = position_of(5, BTC, 0, 0, 25);

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.open_value = 1000000000000;
    position.closed_size = 1000000;
    position.close_value = 960000000000;
    position.max_size = 1000000;
    position.fees = 400000000;
    position.realized = -40400000000;
    position.taken_over = 1;
    position.take_over_price = 960000;
    position.reason = REASON_TAKEOVER;
    position.liquidation_id = 12;
    rig_history.positions[0] = position;
    rig_history.position_count = 1;
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/positions/history"),
                        OK_BODY("["
                                "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\","
                                "\"positionSide\":\"BOTH\",\"size\":\"0\",\"initialMargin\":\"0\","
                                "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"400\","
                                "\"cumClosedSize\":\"10\",\"avgClosePrice\":\"96000\",\"maxSize\":\"10\","
                                "\"realizedPnL\":\"-40400\",\"leverage\":25,\"active\":false,\"isTakenOver\":true,"
                                "\"takeOverPrice\":\"96000\",\"createdAt\":1759999999100,"
                                "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"0\","
                                "\"entryPrice\":\"100000\",\"markPrice\":\"0\","
                                "\"liquidationPrice\":\"0\",\"unrealizedPnl\":\"0\",\"margin\":\"0\",\"reason\":"
                                "\"TAKEOVER\",\"liquidationID\":12}]"));
}

static void ended_orders_keep_their_perps_part(void **state)
{
    (void)state;
    rig_history.perps_orders[0] = order_of(9, SIDE_SELL, 0, 10000);
    rig_history.perps_orders[0].base.type = TYPE_MARKET;
    rig_history.perps_orders[0].base.time_in_force = TIF_IOC;
    rig_history.perps_orders[0].base.status = STATUS_CANCELED;
    rig_history.perps_orders[0].base.reason = REASON_OCO_SIBLING;
    rig_history.perps_orders[0].modifier = MODIFIER_ATTACHED_STOP;
    rig_history.perps_orders[0].reduce_only = 1;
    rig_history.perps_orders[0].stop_price = 980000;
    rig_history.perps_orders[0].stop_type = STOP_LOSS;
    rig_history.perps_orders[0].trigger_type = TRIGGER_MARK_PRICE;
    rig_history.perps_orders[0].position_id = 77;
    rig_history.perps_orders[0].primary_order_id = 8;
    rig_history.perps_order_count = 1;
    rig_get("/api/v1/perps/accounts/%1/orders/history");
    rig_expect(
        "\"status\":\"CANCELED\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"0\",\"positionSide\":"
        "\"BOTH\",\"reduceOnly\":true,"
        "\"modifier\":\"ATTACHED_STOP\",\"stopPrice\":\"98000\",\"stopType\":\"STOP_LOSS\",\"triggerType\":\"MARK_"
        "PRICE\",\"positionID\":77,"
        "\"primaryOrderID\":8,\"createdAt\":1759999999500,\"updatedAt\":1759999999600,\"reason\":\"OCO_SIBLING\"}");
    assert_int_equal(rig_history.asked.market, MARKET_PERPS);
}

static void fundings_say_what_was_paid_and_got(void **state)
{
    (void)state;
    rig_history.fundings[0] = (struct funded){
        .account_id = 1001, .position_id = 77, .symbol_id = BTC, .payment = 154503, .rate = 12500000, .time_ms = NOW - 5
    };
    rig_history.fundings[1] = (struct funded){ .account_id = 1001,
                                               .position_id = 78,
                                               .symbol_id = ETH,
                                               .payment = -97332,
                                               .rate = -12500000,
                                               .time_ms = NOW - 5 };
    rig_history.funding_count = 2;
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/fundings"),
                        OK_BODY("["
                                "{\"symbol\":\"BTC-USD\",\"positionID\":77,\"positionSide\":\"BOTH\",\"fundingFee\":"
                                "\"0.154503\",\"feeCoin\":\"vUSDC\",\"timestamp\":1759999999995,"
                                "\"fundingRate\":\"0.0000125\"},{\"symbol\":\"ETH-USD\",\"positionID\":78,"
                                "\"positionSide\":\"BOTH\",\"fundingFee\":\"-0.097332\",\"feeCoin\":\"vUSDC\","
                                "\"timestamp\":1759999999995,\"fundingRate\":\"-0.0000125\"}]"));
}

static void trades_name_a_take_over(void **state)
{
    (void)state;
    rig_history.fills[0] = (struct filled){ .head = { .market = MARKET_PERPS },
                                            .trade_id = 3,
                                            .account_id = 1001,
                                            .symbol_id = BTC,
                                            .side = SIDE_SELL,
                                            .reason = REASON_TAKEOVER,
                                            .price = 960000,
                                            .quantity = 1000000,
                                            .time_ms = NOW,
                                            .liquidation_id = 12 };
    rig_history.fill_count = 1;
    assert_string_equal(
        rig_get("/api/v1/perps/accounts/%1/trades"),
        OK_BODY("[{\"symbol\":\"BTC-USD\",\"tradeID\":3,\"orderID\":0,\"clOrdID\":\"\",\"side\":\"SELL\","
                "\"price\":\"96000\",\"quantity\":\"10\",\"fee\":\"0\",\"feeCoin\":\"vUSDC\",\"time\":1760000000000,"
                "\"isMaker\":false,\"reason\":\"TAKEOVER\",\"liquidationID\":12}]"));
}

/* Every history: parameter, default, maximum, and refusals. */
static void histories_take_their_parameters(void **state)
{
    /* clang-format off */
    static const struct { const char *path; uint32_t usual, most; const char *extra; uint64_t other; bool from;
        } rows[] = {
        { "orders/history", 50, 500, "", 0, true }, { "positions/history", 50, 500, "", 0, true },
        { "trades", 100, 1000, "&orderID=9", 9, true }, { "fundings", 100, 1000, "&positionID=9", 9, false },
    };
    /* clang-format on */
    char target[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *from = rows[i].from ? "&fromID=12" : "";
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s", rows[i].path);
        rig_get(target);
        assert_int_equal(rig_history.asked.limit, rows[i].usual);
        assert_int_equal(rig_history.asked.market, MARKET_PERPS);
        assert_int_equal(rig_history.asked.account_id, 1001);
        assert_int_equal(rig_history.asked.start_ms, 0);
        assert_true(rig_history.asked.end_ms == INT64_MAX);
        snprintf(target, sizeof(target),
                 "/api/v1/perps/accounts/%%1/%s?symbol=ETH-USD&startTime=5&endTime=6&limit=5000%s%s&accountID=1001",
                 rows[i].path, from, rows[i].extra);
        rig_get(target);
        assert_int_equal(rig_code(), 0);
        assert_int_equal(rig_history.asked.symbol_id, ETH);
        assert_int_equal(rig_history.asked.start_ms, 5);
        assert_int_equal(rig_history.asked.end_ms, 6);
        assert_int_equal(rig_history.asked.limit, rows[i].most);
        assert_int_equal(rig_history.asked.other_id, rows[i].other);
        assert_int_equal(rig_history.asked.from_id, rows[i].from ? 12 : 0);
        /* clang-format off */
        static const struct { const char *query; int code; } wrong[] = {
            { "limit=0", 40001 }, { "startTime=6&endTime=5", 40007 }, { "symbol=nope", 40401 },
              { "accountID=1002", 40403 }, { "startTime=x", 40001 },
        };
        /* clang-format on */
        for (size_t k = 0; k < ARRAY_COUNT(wrong); k++) {
            snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s?%s", rows[i].path, wrong[k].query);
            rig_get(target);
            assert_int_equal(rig_code(), wrong[k].code);
        }
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%3/%s", rows[i].path);
        rig_get(target);
        rig_expect("\"data\":[]");
    }
}

static void a_damaged_history_is_an_error(void **state)
{
    static const char *const paths[] = { "orders/history", "positions/history", "trades", "fundings" };
    char                     target[128];

    (void)state;
    rig_history.fill_count = rig_history.perps_order_count = rig_history.position_count = rig_history.funding_count =
        -EUCLEAN;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s", paths[i]);
        rig_get(target);
        assert_int_equal(rig_code(), 50001);
    }
}

int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(closed_positions_say_how_they_ended),
        TEST(ended_orders_keep_their_perps_part),
        TEST(fundings_say_what_was_paid_and_got),
        TEST(trades_name_a_take_over),
        TEST(histories_take_their_parameters),
        TEST(a_damaged_history_is_an_error),
    };
    /* clang-format on */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
