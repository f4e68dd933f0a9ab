/* SPDX-License-Identifier: MIT */
/* account_test.c — messages of the account and liquidation channels. */
#include "rigs/stream/stream_rig.h"

static void fills_are_told_one_by_one(void **state)
{
    struct {
        struct traded trade;
        struct filled fill;
    } made[2] = { 0 };
    struct order_changed order = rig_order(5, STATUS_FILLED);
    uint8_t              bytes[sizeof(made) + sizeof(order)];
    struct events        events = { bytes, sizeof(bytes), sizeof(bytes) };

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        made[i].trade = (struct traded){ .head = { EVENT_TRADE, sizeof(struct traded), MARKET_SPOT, { 0 } },
                                         .trade_id = i + 1,
                                         .symbol_id = 1,
                                         .price = 950000,
                                         .quantity = 500,
                                         .value = 1000 * (i + 1) };
        made[i].fill = (struct filled){ .head = { EVENT_FILL, sizeof(struct filled), MARKET_SPOT, { 0 } },
                                        .trade_id = i + 1,
                                        .order_id = 5,
                                        .account_id = 1001,
                                        .symbol_id = 1,
                                        .side = SIDE_BUY,
                                        .price = 950000,
                                        .quantity = 500 };
    }
    order.exec_type = EXEC_FILLED;
    order.executed = 1000;
    order.executed_value = 3000;
    memcpy(bytes, made, sizeof(made));
    memcpy(bytes + sizeof(made), &order, sizeof(order));
    follow_orders(0);
    forget();
    event_queue_add(queue, &events, 1, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
    assert_true(said(0, "\"X\":\"PARTIALLY_FILLED\""));
    assert_true(said(0, "\"x\":\"PARTIALLY_FILLED\""));
    assert_true(said(0, "\"X\":\"FILLED\""));
    assert_true(said(0, "\"t\":1,"));
    assert_true(said(0, "\"t\":2,"));
}

/* The engine emits an order that rests after its replacement once more; that is a message only when something is new.
 */
static void a_replacement_is_told_once(void **state)
{
    struct order_changed made[3] = { rig_order(5, STATUS_PARTIALLY_FILLED), rig_order(5, STATUS_PARTIALLY_FILLED),
                                     rig_order(5, STATUS_PARTIALLY_FILLED) };
    struct events        events = { (uint8_t *)made, sizeof(made), sizeof(made) };

    (void)state;
    made[0].exec_type = EXEC_REPLACED;
    made[1].exec_type = EXEC_PARTIALLY_FILLED;
    made[2].exec_type = EXEC_NEW;
    follow_orders(0);
    forget();
    event_queue_add(queue, &events, 1, NOW, true);
    turn();
    assert_true(said(0, "\"x\":\"REPLACED\""));
    assert_false(said(0, "\"x\":\"PARTIALLY_FILLED\"") || said(0, "\"x\":\"NEW\""));
    made[2].quantity -= 1;
    forget();
    event_queue_add(queue, &events, 2, NOW, true);
    turn();
    assert_false(said(0, "\"x\":\"PARTIALLY_FILLED\""));
    assert_true(said(0, "\"x\":\"REPLACED\"") && said(0, "\"x\":\"NEW\""));
}

static uint32_t times(uint32_t slot, const char *text)
{
    const char *at = peers[slot].bytes, *end = at + peers[slot].len;
    uint32_t    count = 0;

    while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
        at += strlen(text);
        count += 1;
    }
    return count;
}

/* A bracket's children are replaced with their parent, between its two events; a stop that fires in vain is said twice.
 */
static void others_in_between_do_not_repeat_it(void **state)
{
    struct order_changed made[4] = { rig_order(5, STATUS_PARTIALLY_FILLED), rig_order(6, STATUS_NEW),
                                     rig_order(7, STATUS_NEW), rig_order(5, STATUS_PARTIALLY_FILLED) };
    struct order_changed fired[2] = { rig_order(8, STATUS_TRIGGERED), rig_order(8, STATUS_TRIGGERED) };
    struct events        events = { (uint8_t *)made, sizeof(made), sizeof(made) };
    struct events        vain = { (uint8_t *)fired, sizeof(fired), sizeof(fired) };

    (void)state;
    for (uint32_t i = 0; i < 3; i++) made[i].exec_type = EXEC_REPLACED;
    made[3].exec_type = EXEC_PARTIALLY_FILLED;
    fired[0].exec_type = fired[1].exec_type = EXEC_NEW;
    fired[1].reason = REASON_NO_LIQUIDITY;
    follow_orders(0);
    forget();
    event_queue_add(queue, &events, 1, NOW, true);
    turn();
    assert_int_equal(times(0, "\"i\":5,"), 1);
    assert_int_equal(times(0, "\"x\":\"REPLACED\""), 3);
    forget();
    event_queue_add(queue, &vain, 2, NOW, true);
    turn();
    assert_int_equal(times(0, "\"X\":\"TRIGGERED\""), 1);
}

/*
 * Both sides of a trade have subscribers: the maker's order is sent with the maker's own fee, while the taker's fill
 * still waits for its order.
 */
static void each_side_is_told_its_own_fee(void **state)
{
    /* clang-format off */
    struct { struct traded trade; struct filled maker, taker; struct order_changed order; } made = {
        .trade = { .head = { EVENT_TRADE, sizeof(struct traded), MARKET_SPOT, { 0 } }, .trade_id = 1, .symbol_id = 1,
            .price = 950000, .quantity = 500, .value = 1000 },
        .maker = { .head = { EVENT_FILL, sizeof(struct filled), MARKET_SPOT, { 0 } }, .trade_id = 1, .order_id = 5,
            .account_id = 1001, .symbol_id = 1,
                   .side = SIDE_BUY, .is_maker = 1, .price = 950000, .quantity = 500, .fee = 3, .fee_coin_id = 0 },
        .order = rig_order(5, STATUS_FILLED) };
    struct events events = { (uint8_t *)&made, sizeof(made), sizeof(made) };

    (void)state;
    made.taker = made.maker;
    made.taker.order_id = 6;
    made.taker.is_maker = 0;
    made.taker.fee = 7;
    made.order.exec_type = EXEC_FILLED;
    made.order.executed = 500;
    made.order.executed_value = 1000;
    follow_orders(0);
    forget();
    event_queue_add(queue, &events, 1, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
    assert_true(said(0, "\"i\":5,") && said(0, "\"t\":1,") && said(0, "\"m\":true"));
    assert_true(said(0, "3\",\"m\":true") && !said(0, "7\",\"m\""));
}

/* The perps stream of slot 0, following a channel of the first account. */
static void follow_perps(const char *channel)
{
    char     params[256];
    struct stream_refused refused;

    if (peers[0].len == 0) {
        stream_closed(stream, 0);
        assert_true(stream_open(stream, 0, MARKET_PERPS, &(struct ip){ { 0 } }, &refused));
    }
    (void)snprintf(params, sizeof(params), "\"channel\":\"%s\",\"user\":\"%s\"", channel, rig_owner_hex(0));
    subscribe(0, params);
    assert_true(said(0, "\"success\":true"));
}

/* An account's settings are part of its state (wire 1.3, `S`). */
static void a_change_of_leverage_is_a_change_of_the_state(void **state)
{
    struct leverage_changed changed = { .head = { EVENT_LEVERAGE, sizeof(changed), MARKET_PERPS, { 0 } },
                                        .account_id = 1001,
                                        .symbol_id = 1,
                                        .leverage = 7,
                                        .margin_mode = MARGIN_CROSS };
    struct events           events = { (uint8_t *)&changed, sizeof(changed), sizeof(changed) };

    (void)state;
    follow_perps("accountState");
    assert_true(said(0, "\"type\":\"snapshot\""));
    forget();
    stream_clock(stream, NOW, mono_ms + 500);
    tick();
    assert_int_equal(peers[0].len, 0);
    event_queue_add(queue, &events, 8, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
    tick();
    assert_true(said(0, "\"channel\":\"accountState\",\"type\":\"snapshot\""));
}

struct unit_events {
    struct unit_stage    unit;
    struct unit_position positions[2];
};

/* A unit of two positions in a stage, for account 1001. */
static struct unit_events unit_in(uint8_t stage)
{
    struct unit_events made = { .unit = { .head = { EVENT_UNIT, sizeof(struct unit_stage), MARKET_PERPS, { 0 } },
                                          .account_id = 1001,
                                          .stage = stage,
                                          .positions = 2,
                                          .equity = -1500000,
                                          .maintenance = 19580000000,
                                          .time_ms = NOW,
                                          .liquidation_id = 7,
                                          .wallet = 40000000000 } };

    for (uint32_t i = 0; i < 2; i++)
        made.positions[i] =
            (struct unit_position){ .head = { EVENT_UNIT_POSITION, sizeof(struct unit_position), MARKET_PERPS, { 0 } },
                                    .liquidation_id = 7,
                                    .account_id = 1001,
                                    .position_id = 3 + i,
                                    .symbol_id = 1,
                                    .size = i == 0 ? 1000000 : -500,
                                    .mark = 979001,
                                    .liquidation_price = i == 0 ? 979592 : 0 };
    return made;
}

static void emit_unit(const struct unit_events *made, size_t bytes)
{
    struct events events = { (uint8_t *)(uintptr_t)made, bytes, bytes };

    event_queue_add(queue, &events, 9, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
}

static void a_liquidation_is_told_with_what_the_unit_had(void **state)
{
    struct unit_events made = unit_in(STAGE_BOOK);

    (void)state;
    follow_perps("accountEvent");
    forget();
    emit_unit(&made, sizeof(made));
    assert_true(said(0, "{\"channel\":\"accountEvent\",\"type\":\"update\",\"data\":{\"type\":\"liquidation\",\"E\":"));
    assert_true(
        said(0, "\"lid\":1,\"aid\":1001,\"av\":\"-1.5\",\"mm\":\"CROSS\",\"liquidationID\":7,\"maintenanceMargin\":"
                "\"19580\",\"B\":[{\"i\":0,\"a\":\"vUSDC\",\"wb\":\"40000\",\"co\":\"40000\"}],"
                "\"P\":[{\"s\":\"BTC-USD\",\"ps\":\"BOTH\",\"sz\":\"10\",\"mp\":\"97900.1\",\"lp\":\"97959.2\"},"
                "{\"s\":\"BTC-USD\",\"ps\":\"BOTH\",\"sz\":\"-0.005\",\"mp\":\"97900.1\",\"lp\":\"0\"}]}}"));
    assert_false(said(1, "accountEvent"));
    made.unit.symbol_id = 1;
    forget();
    emit_unit(&made, sizeof(made));
    assert_true(said(0, "\"lid\":1,\"aid\":1001,\"av\":\"-1.5\",\"mm\":\"ISOLATED\",\"liquidationID\":7,"));
}

/* Receipts of these symbols happened one after the other, from 1; the history has the newest first. */
static void receipts_are(const uint32_t *symbols, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) /* clang-format off */
        rig_history.receipts[count - 1 - i] = (struct history_receipt){ .seq = 9, .is = {
            .receipt_id = i + 1, .liquidation_id = i + 1, .account_id = 1001, .position_id = 3, .symbol_id = symbols[i],
                .stage = STAGE_TAKEOVER, .side = SIDE_SELL, .margin_mode = MARGIN_CROSS,
            .index_state = ORACLE_LIVE, .time_ms = NOW, .size_before = 1000, .quantity = 1000, .mark = 979001,
                .index = 979000, .worse = 979000, .price = 979001 } };
    rig_history.receipt_count = (int)count;
    rig_history.newest_receipt = count;
    rig_history.place_seq = 9;
    rig_history.place = (struct tx_location){ .block = 12 };
}
/* clang-format on */

/* The offset of a receipt in the sent bytes; 0: not found. */
static size_t receipt_at(uint32_t slot, uint32_t id)
{
    char        text[32];
    const char *found;

    (void)snprintf(text, sizeof(text), "{\"receiptID\":%u,", id);
    found = memmem(peers[slot].bytes, peers[slot].len, text, strlen(text));
    return found == NULL ? 0 : (size_t)(found - peers[slot].bytes);
}

/* Slot 0 follows the receipts of BTC-USD, slot 1 those of all symbols, both from their connection on. */
static void follow_receipts(void)
{
    struct stream_refused refused;

    for (uint32_t slot = 0; slot < 2; slot++) {
        stream_closed(stream, slot);
        assert_true(stream_open(stream, slot, MARKET_PERPS, &(struct ip){ { 0 } }, &refused));
    }
    subscribe(0, "\"channel\":\"liquidation\",\"symbols\":[\"BTC-USD\"]");
    subscribe(1, "\"channel\":\"allLiquidation\"");
    for (uint32_t slot = 0; slot < 2; slot++)
        assert_true(said(slot, "\"success\":true") && said(slot, "\"type\":\"snapshot\""));
}

static void receipts_are_told_of_one_symbol_and_of_all(void **state)
{
    const uint32_t symbols[] = { 1, 2, 1, 2, 1, 1 };

    (void)state;
    receipts_are(symbols, 3);
    follow_receipts();
    assert_true(receipt_at(0, 3) != 0 && receipt_at(0, 3) < receipt_at(0, 1)
                && receipt_at(0, 2) == 0); /* the newest first */
    assert_true(receipt_at(1, 3) != 0 && receipt_at(1, 3) < receipt_at(1, 2) && receipt_at(1, 2) < receipt_at(1, 1));
    forget();
    turn();
    tick();
    assert_true(receipt_at(0, 3) == 0 && receipt_at(1, 3) == 0); /* sent once */
    receipts_are(symbols, 4);
    turn();
    tick();
    assert_int_equal(receipt_at(0, 4), 0); /* of ETH-USD */
    assert_true(said(1, "\"type\":\"update\"") && receipt_at(1, 4) != 0 && receipt_at(1, 3) == 0);
    forget();
    receipts_are(symbols, 6);
    turn();
    tick();
    for (uint32_t slot = 0; slot < 2; slot++)
        assert_true(receipt_at(slot, 5) != 0 && receipt_at(slot, 5) < receipt_at(slot, 6)
                    && receipt_at(slot, 4) == 0); /* as they happened */
}

/* Events in between are in the snapshot of the next connection, and are not sent again. */
static void who_comes_back_gets_the_receipts_in_between(void **state)
{
    const uint32_t symbols[] = { 1, 2, 1 };

    (void)state;
    receipts_are(symbols, 1);
    follow_receipts();
    for (uint32_t slot = 0; slot < 2; slot++) stream_closed(stream, slot);
    receipts_are(symbols, 3);
    turn();
    tick();
    follow_receipts();
    assert_true(receipt_at(0, 3) != 0 && receipt_at(0, 1) != 0 && receipt_at(0, 2) == 0);
    assert_true(receipt_at(1, 3) != 0 && receipt_at(1, 2) != 0 && receipt_at(1, 1) != 0);
    forget();
    turn();
    tick();
    assert_true(receipt_at(0, 3) == 0 && receipt_at(1, 3) == 0);
}

static void receipts_of_what_there_is_not_are_refused(void **state)
{
    struct stream_refused refused;

    (void)state;
    stream_closed(stream, 0);
    assert_true(stream_open(stream, 0, MARKET_PERPS, &(struct ip){ { 0 } }, &refused));
    subscribe(0, "\"channel\":\"liquidation\",\"symbols\":[\"NONE-USD\"]");
    assert_true(said(0, "\"success\":false") && said(0, "NONE-USD"));
    subscribe(0, "\"channel\":\"liquidation\"");
    assert_true(said(0, "\"success\":false"));
    subscribe(1, "\"channel\":\"allLiquidation\""); /* slot 1 is of the spot market */
    assert_true(said(1, "\"success\":false"));
    assert_int_equal(stream_counts(stream).subscriptions, 0);
}

static void what_is_no_liquidation_is_no_account_event(void **state)
{
    struct unit_events made = unit_in(STAGE_HEALTHY);

    (void)state;
    follow_perps("accountEvent");
    forget();
    made.unit.positions = 0;
    emit_unit(&made, sizeof(made.unit)); /* healthy again */
    assert_int_equal(peers[0].len, 0);
    made = unit_in(STAGE_TAKEOVER);
    made.unit.account_id = made.positions[0].account_id = made.positions[1].account_id = 1002;
    emit_unit(&made, sizeof(made)); /* another account's */
    assert_int_equal(peers[0].len, 0);
    made = unit_in(STAGE_ADL);
    made.unit.positions = 0;
    emit_unit(&made, sizeof(made.unit)); /* with nothing left */
    assert_true(said(0, "\"P\":[]}}"));
}

static void say_of_changes(uint32_t slot, const char *op, int owner)
{
    char text[256];
    int len = snprintf(text, sizeof(text), "{\"op\":\"%s\",\"params\":{\"channel\":\"accountUpdate\",\"user\":\"%s\"}}",
                       op, rig_owner_hex(owner));

    say(slot, slice_make(text, (size_t)len));
}

/* A client that disconnects in the middle of a batch is not sent its changes, nor is the next client in its slot. */
static void what_a_batch_changed_is_told_to_nobody_else(void **state)
{
    struct balance balance = { .head = { EVENT_BALANCE, sizeof(balance), MARKET_SPOT, { 0 } },
                               .account_id = 1001,
                               .coin_id = 0,
                               .total = 777,
                               .locked = 5 };
    struct events  events = { (uint8_t *)&balance, sizeof(balance), sizeof(balance) };

    (void)state;
    say_of_changes(0, "subscribe", 0);
    event_queue_add(queue, &events, 7, NOW, false);
    assert_true(event_queue_show(queue, false));
    stream_turn(stream);
    gather();
    say_of_changes(0, "unsubscribe", 0);
    say_of_changes(1, "subscribe", 1);
    forget();
    event_queue_add(queue, &(struct events){ NULL, 0, 0 }, 7, NOW, true);
    turn();
    assert_false(said(0, "accountUpdate"));
    assert_false(said(1, "accountUpdate"));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        T(fills_are_told_one_by_one),
        T(a_replacement_is_told_once),
        T(others_in_between_do_not_repeat_it),
        T(each_side_is_told_its_own_fee),
        T(a_change_of_leverage_is_a_change_of_the_state),
        T(a_liquidation_is_told_with_what_the_unit_had),
        T(receipts_are_told_of_one_symbol_and_of_all),
        T(who_comes_back_gets_the_receipts_in_between),
        T(receipts_of_what_there_is_not_are_refused),
        T(what_is_no_liquidation_is_no_account_event),
        T(what_a_batch_changed_is_told_to_nobody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
