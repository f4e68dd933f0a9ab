/* SPDX-License-Identifier: MIT */
/* stream_test.c — the streams without sockets: views fed by hand, an owner that can be told not to take anything. */
#include "rigs/api/test_rig.h"
#include "stream/share.h"
#include "stream/stream.h"
#include "wire/frame.h"

#define SLOTS 4

/* What each connection was sent; one that is stuck takes nothing. */
static struct peer {
    char   bytes[1 << 20];
    size_t len;
    bool   stuck, finished;
} peers[SLOTS];
static struct stream      *stream;
static struct event_queue *queue;
static void               *queue_memory;
static int64_t             mono_ms;

/* Frames that were shared with a connection and are not copied yet, in their order. */
static struct {
    uint32_t     slot;
    struct slice frame;
} shared[1024];
static uint32_t shared_count;

static void copy(uint32_t slot, struct slice frames)
{
    struct peer *peer = &peers[slot];

    assert_true(peer->len + frames.len <= sizeof(peer->bytes));
    memcpy(peer->bytes + peer->len, frames.at, frames.len);
    peer->len += frames.len;
}

static void settle(void *self)
{
    (void)self;
    for (uint32_t i = 0; i < shared_count; i++) copy(shared[i].slot, shared[i].frame);
    shared_count = 0;
}

static bool take(void *self, uint32_t slot, struct slice frames, size_t most)
{
    struct peer *peer = &peers[slot];

    if (peer->finished) return true;
    if (peer->stuck && most != SIZE_MAX) return false;
    settle(self);
    copy(slot, frames);
    return true;
}

static bool share(void *self, uint32_t slot, struct slice frame, size_t most)
{
    (void)self;
    assert_true(frame.len <= STREAM_SHARED && shared_count < ARRAY_COUNT(shared));
    if (peers[slot].finished) return true;
    if (peers[slot].stuck && most != SIZE_MAX) return false;
    shared[shared_count].slot = slot;
    shared[shared_count++].frame = frame;
    return true;
}

static void finish(void *self, uint32_t slot) { (void)self, peers[slot].finished = true; }

/* What a gateway does when the stream has done its part. */
static void gather(void)
{
    settle(NULL);
    stream_settled(stream);
}

/* A batch has ended. */
static void turn(void)
{
    (void)event_queue_show(queue, true);
    stream_turn(stream);
    gather();
}

static void tick(void)
{
    stream_tick(stream);
    gather();
}

static int begin(void **state)
{
    rig_begin(state);
    memset(peers, 0, sizeof(peers));
    mono_ms = 1000000;
    queue = aligned_alloc(64, align_up(sizeof(*queue), 64));
    queue_memory = aligned_alloc(64, EVENT_QUEUE_BYTES);
    event_queue_init(queue, queue_memory);
    stream = stream_new(
        &(struct stream_settings){ api_present(rig_api), NULL, queue, { NULL, take, share, settle, finish }, SLOTS });
    assert_non_null(stream);
    stream_clock(stream, NOW, mono_ms);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        uint32_t wait;
        assert_true(stream_open(stream, slot, MARKET_SPOT, &(struct ip){ { 0 } }, &wait));
    }
    return 0;
}

static int end(void **state)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) stream_closed(stream, slot);
    assert_int_equal(stream_counts(stream).connections, 0);
    assert_int_equal(stream_counts(stream).subscriptions, 0);
    assert_int_equal(atomic_load(&queue->wants), 0); /* whoever is gone wants nothing */
    stream_free(stream);
    free(queue_memory);
    free(queue);
    return rig_end(state);
}

static void say(uint32_t slot, struct slice text)
{
    uint8_t  bytes[FRAME_MESSAGE_MAX + 16];
    uint32_t at = frame_head(bytes, FRAME_TEXT, text.len);

    bytes[1] |= 0x80;
    memset(bytes + at, 0, 4);
    memcpy(bytes + at + 4, text.at, text.len);
    stream_received(stream, slot, slice_make(bytes, at + 4 + text.len));
    gather();
}

static bool said(uint32_t slot, const char *text)
{
    return memmem(peers[slot].bytes, peers[slot].len, text, strlen(text)) != NULL;
}
static void forget(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) peers[slot].len = 0;
}

static void subscribe(uint32_t slot, const char *params)
{
    char       text[512];
    struct out out = out_make(text, sizeof(text));

    out_literal(&out, "{\"op\":\"subscribe\",\"id\":1,\"params\":{");
    out_text(&out, params);
    out_literal(&out, "}}");
    peers[slot].len = 0;
    say(slot, out_slice(&out));
}

#define L4     "\"channel\":\"l4Book\",\"symbol\":\"vBTC_vUSDC\""
#define ORDERS "\"channel\":\"accountOrderUpdate\",\"user\":\"0x%s\""

static void follow_orders(uint32_t slot)
{
    char params[256];

    (void)snprintf(params, sizeof(params), ORDERS, rig_owner_hex(0) + 2);
    subscribe(slot, params);
    assert_true(said(slot, "\"success\":true"));
}

static struct order_changed new_order(uint64_t id)
{
    struct order_changed order = rig_order(id, STATUS_NEW);

    order.exec_type = EXEC_NEW;
    return order;
}

/* A batch of one order event, through views and feed, shown. */
static void emit_order(uint64_t id)
{
    struct order_changed order = new_order(id);
    struct events        events = { (uint8_t *)&order, sizeof(order), sizeof(order) };

    rig_emit_order(&order);
    event_queue_add(queue, &events, 7, NOW, true);
    (void)event_queue_show(queue, true);
    turn();
}

static void nothing_travels_while_nobody_listens(void **state)
{
    (void)state;
    emit_order(5);
    assert_int_equal(queue->ring.filled, 0);
    assert_false(event_queue_show(queue, true));
    subscribe(0, L4);
    assert_true(event_queue_show(queue, true)); /* a book needs to be woken, and no events */
    emit_order(6);
    assert_int_equal(queue->ring.filled, 0);
    follow_orders(0);
    forget();
    emit_order(7);
    assert_true(queue->ring.filled != 0);
    assert_true(said(0, "\"channel\":\"accountOrderUpdate\""));
    assert_true(said(0, "\"i\":7"));
    assert_false(said(1, "accountOrderUpdate"));
}

static void a_slow_reader_of_the_market_gets_the_latest_state(void **state)
{
    (void)state;
    subscribe(0, L4);
    subscribe(1, L4);
    forget();
    peers[0].stuck = true;
    for (uint64_t id = 1; id <= 20; id++) {
        rig_level(1, SIDE_BUY, 950000 - (int64_t)id, (int64_t)id, id);
        turn();
    }
    assert_int_equal(peers[0].len, 0);
    assert_true(said(1, "\"U\":1,\"u\":1,"));
    assert_true(said(1, "\"U\":20,\"u\":20,"));
    assert_int_equal(stream_counts(stream).conflations, 1);
    peers[0].stuck = false;
    stream_drained(stream, 0);
    gather();
    assert_true(said(0, "\"type\":\"snapshot\""));
    assert_true(said(0, "\"u\":20,"));
    assert_false(peers[0].finished);
    forget();
    rig_level(1, SIDE_BUY, 949999, 3, 21);
    turn();
    assert_true(said(0, "\"U\":21,\"u\":21,")); /* and goes on without a gap */
}

static void an_account_message_that_does_not_fit_ends_the_connection(void **state)
{
    (void)state;
    follow_orders(0);
    follow_orders(1);
    forget();
    peers[0].stuck = true;
    emit_order(9);
    assert_true(peers[0].finished);
    assert_memory_equal(peers[0].bytes + 2, "\x03\xf0too slow", 10);
    assert_true(said(1, "\"i\":9"));
    assert_int_equal(stream_counts(stream).subscriptions, 1);
}

static void lost_events_end_account_connections_and_renew_trades(void **state)
{
    static struct order_changed orders[512];
    struct events               events = { (uint8_t *)orders, sizeof(orders), sizeof(orders) };

    (void)state;
    follow_orders(0);
    subscribe(1, "\"channel\":\"trade\",\"symbol\":\"vBTC_vUSDC\"");
    subscribe(2, L4);
    forget();
    for (uint32_t i = 0; i < ARRAY_COUNT(orders); i++) orders[i] = new_order(i + 1);
    for (uint32_t i = 0; i < 200; i++) event_queue_add(queue, &events, i, NOW, true); /* the reader sleeps */
    assert_int_equal(atomic_load(&queue->lost), 1);
    (void)event_queue_show(queue, true);
    peers[0].stuck = true;
    turn();
    assert_true(peers[0].finished);
    assert_true(said(1, "\"channel\":\"trade\",\"type\":\"snapshot\""));
    assert_false(peers[1].finished || peers[2].finished);
    assert_int_equal(atomic_load(&queue->lost), 0);
    follow_orders(3);
    emit_order(600);
    assert_true(said(3, "\"i\":600"));
}

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

/* An order that rests behind its replacement is told by the engine
   once more; that is a message only when something is new. */
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

/* Both sides of a trade are followed: the maker's order is told with the
   maker's own fee, while the taker's fill still waits for its order. */
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
/* clang-format on */

static void quiet_connections_are_asked_and_let_go(void **state)
{
    (void)state;
    subscribe(0, L4);
    forget();
    stream_clock(stream, NOW, mono_ms + 29999);
    tick();
    assert_int_equal(peers[0].len, 0);
    stream_clock(stream, NOW, mono_ms + 31000);
    tick();
    assert_memory_equal(peers[0].bytes, "\x89\x00", 2);
    stream_received(stream, 0, slice_make("\x8a\x80\x00\x00\x00\x00", 6));
    stream_clock(stream, NOW, mono_ms + 60000);
    tick();
    assert_false(peers[0].finished); /* it answered */
    assert_true(peers[1].finished);  /* it never said anything */
    stream_clock(stream, NOW, mono_ms + 91000);
    tick();
    assert_true(peers[0].finished);
}

/* wire 6.1: after 60 s with neither a subscription nor a push, and a ping is neither. */
static void pings_alone_keep_no_connection(void **state)
{
    (void)state;
    subscribe(1, L4);
    for (int64_t ms = 20000; ms <= 40000; ms += 20000) {
        stream_clock(stream, NOW, mono_ms + ms);
        say(0, SLICE("{\"op\":\"ping\"}"));
        say(1, SLICE("{\"op\":\"ping\"}"));
    }
    say(1, SLICE("{\"op\":\"unsubscribe\",\"params\":{" L4 "}}")); /* at 40 s */
    stream_clock(stream, NOW, mono_ms + 59999);
    tick();
    assert_false(peers[0].finished);
    stream_clock(stream, NOW, mono_ms + 61000);
    tick();
    assert_true(peers[0].finished);
    say(1, SLICE("{\"op\":\"ping\"}"));
    stream_clock(stream, NOW, mono_ms + 99999);
    tick();
    assert_false(peers[1].finished);
    stream_clock(stream, NOW, mono_ms + 101000);
    tick();
    assert_true(peers[1].finished);
}

static void a_turn_is_due_when_something_was_shown(void **state)
{
    (void)state;
    subscribe(0, L4);
    turn();
    assert_false(stream_is_due(stream));
    (void)event_queue_show(queue, true);
    assert_true(stream_is_due(stream));
    stream_turn(stream);
    gather();
    assert_false(stream_is_due(stream));
}

/* The perps stream of slot 0, following a channel of the first account. */
static void follow_perps(const char *channel)
{
    char     params[256];
    uint32_t wait;

    if (peers[0].len == 0) {
        stream_closed(stream, 0);
        assert_true(stream_open(stream, 0, MARKET_PERPS, &(struct ip){ { 0 } }, &wait));
    }
    (void)snprintf(params, sizeof(params), "\"channel\":\"%s\",\"user\":\"%s\"", channel, rig_owner_hex(0));
    subscribe(0, params);
    assert_true(said(0, "\"success\":true"));
}

/* What an account chose is part of its state (wire 1.3, `S`). */
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

/* Where a receipt stands in what was sent; 0: nowhere. */
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
    uint32_t wait;

    for (uint32_t slot = 0; slot < 2; slot++) {
        stream_closed(stream, slot);
        assert_true(stream_open(stream, slot, MARKET_PERPS, &(struct ip){ { 0 } }, &wait));
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
    assert_true(receipt_at(0, 3) == 0 && receipt_at(1, 3) == 0); /* told once */
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

/* What happened meanwhile is in the snapshot of the next connection, and is not told again. */
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
    uint32_t wait;

    (void)state;
    stream_closed(stream, 0);
    assert_true(stream_open(stream, 0, MARKET_PERPS, &(struct ip){ { 0 } }, &wait));
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
    emit_unit(&made, sizeof(made)); /* somebody else's */
    assert_int_equal(peers[0].len, 0);
    made = unit_in(STAGE_ADL);
    made.unit.positions = 0;
    emit_unit(&made, sizeof(made.unit)); /* with nothing left */
    assert_true(said(0, "\"P\":[]}}"));
}

static void any_text_is_answered_and_breaks_nothing(void **state)
{
    /* clang-format off */
    static const char *const texts[] = {
        "{\"op\":\"subscribe\",\"id\":1,\"params\":{" L4 ",\"level\":5}}",
            "{\"op\":\"unsubscribe\",\"params\":{" L4 "}}",
        "{\"op\":\"subscribe\",\"params\":{\"channel\":\"candle\",\"symbol\":\"vBTC_vUSDC\",\"interval\":\"1m\","
            "\"pushInterval\":\"2000ms\"}}",
        "{\"op\":\"subscribe\",\"params\":{\"channel\":\"l2Book\",\"symbols\":[\"vBTC_vUSDC\"],\"tickSize\":\"0.1\"}}",
        "{\"op\":\"subscribe\",\"params\":{\"channel\":\"accountState\","
            "\"user\":\"0x14791697260e4c9a71f18484c9f997b308e59325\"}}",
        "{\"op\":\"ping\",\"id\":\"x\"}", "{\"op\":\"subscribe\",\"params\":{\"channel\":\"allTicker\"}}",
    };
    /* clang-format on */
    uint64_t seed = 88172645463325252;

    (void)state;
    for (int round = 0; round < 20000 && !peers[0].finished; round++) {
        char   text[256];
        size_t len;
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        len = strlen(texts[seed % ARRAY_COUNT(texts)]);
        memcpy(text, texts[seed % ARRAY_COUNT(texts)], len);
        for (uint64_t k = seed >> 60; k > 0; k--) text[(seed >> k) % len] = (char)(0x20 + (seed >> (k + 8)) % 95);
        peers[0].len = 0;
        say(0, slice_make(text, len));
        assert_true(peers[0].len != 0);
    }
    assert_false(peers[0].finished);
}

static void pushes_have_a_part_of_the_time_and_no_more(void **state)
{
    const int64_t ms = 1000000;
    struct share  part = { 0 };
    int64_t       now_ns = 0, pushed_ns = 0;

    (void)state;
    assert_false(share_allows(&part, 0, 0));
    assert_true(share_allows(&part, 1000 * ms, 1000 * ms));
    assert_int_equal(part.left_ns, SHARE_SAVED_NS); /* nobody saves up more */
    share_spend(&part, 4 * ms);
    assert_int_equal(part.left_ns, -2 * ms);
    assert_int_equal(share_wait_ms(&part), 17);              /* sixteen of rest, and then it may */
    assert_false(share_allows(&part, 1006 * ms, 1003 * ms)); /* 3 ms of work and 3 of rest give 0.42 ms back */
    assert_int_equal(share_wait_ms(&part), 13);
    assert_true(share_allows(&part, 1019 * ms, 1016 * ms));
    part.left_ns = 0;
    share_spend(&part, 99999);
    assert_int_equal(part.left_ns, -24999); /* a short one counts for less */
    share_spend(&part, 100000);
    assert_int_equal(part.left_ns, -124999);
    part = (struct share){ 0 };
    for (int i = 0; i < 64000; i++, now_ns += ms) { /* busy throughout, and always something to tell that takes 5 ms */
        if (!share_allows(&part, now_ns, 0)) continue;
        now_ns += 5 * ms;
        pushed_ns += 5 * ms;
        share_spend(&part, 5 * ms);
    }
    assert_in_range(pushed_ns, now_ns / 64 - 10 * ms, now_ns / 64 + 10 * ms);
}

/* More frames in one turn than what is shared has room for: nobody is told another one's bytes. */
static void frames_that_are_shared_stay_what_they_are(void **state)
{
    (void)state;
    follow_orders(0);
    follow_orders(1);
    forget();
    for (uint64_t id = 1; id <= 1000;
         id++) { /* a feed's worth of batches, looked at once: more frames than there is room for at once */
        struct order_changed order = new_order(id);
        struct events        events = { (uint8_t *)&order, sizeof(order), sizeof(order) };
        event_queue_add(queue, &events, id, NOW, true);
    }
    (void)event_queue_show(queue, true);
    turn();
    assert_true(peers[0].len > 131072);
    assert_int_equal(peers[0].len, peers[1].len);
    assert_memory_equal(peers[0].bytes, peers[1].bytes, peers[0].len);
    assert_true(said(0, "\"i\":1,") && said(0, "\"i\":200,") && said(0, "\"i\":1000,"));
}

/* What several batches traded goes out together when nobody looked in between. */
static void trades_that_wait_are_one_message(void **state)
{
    (void)state;
    subscribe(0, "\"channel\":\"trade\",\"symbol\":\"vBTC_vUSDC\"");
    forget();
    for (uint64_t id = 1; id <= 3; id++) {
        struct traded trade = { .head = { EVENT_TRADE, sizeof(trade), MARKET_SPOT, { 0 } },
                                .trade_id = id,
                                .symbol_id = 1,
                                .taker_side = SIDE_BUY,
                                .price = 950000,
                                .quantity = 500 };
        struct events events = { (uint8_t *)&trade, sizeof(trade), sizeof(trade) };
        event_queue_add(queue, &events, id, NOW, true);
        (void)event_queue_show(queue, true);
    }
    turn();
    assert_int_equal(stream_counts(stream).messages, 2); /* the snapshot, and all three */
    assert_true(said(0, "\"t\":1,") && said(0, "},{\"E\":") && said(0, "\"t\":3,"));
}

/* Trades of a batch that goes on are told at once; a book only when it can be read again. */
static void a_long_batch_is_told_in_parts(void **state)
{
    struct traded trade = { .head = { EVENT_TRADE, sizeof(trade), MARKET_SPOT, { 0 } },
                            .trade_id = 1,
                            .symbol_id = 1,
                            .taker_side = SIDE_BUY,
                            .price = 950000,
                            .quantity = 500 };
    struct events events = { (uint8_t *)&trade, sizeof(trade), sizeof(trade) };

    (void)state;
    subscribe(0, L4);
    assert_false(event_queue_show(queue, false)); /* nobody wants events: nobody is woken */
    subscribe(1, "\"channel\":\"trade\",\"symbol\":\"vBTC_vUSDC\"");
    forget();
    rig_level(1, SIDE_BUY, 949999, 3, 1);
    event_queue_add(queue, &events, 7, NOW, false);
    assert_true(event_queue_show(queue, false));
    assert_true(stream_is_due(stream));
    stream_turn(stream);
    gather();
    assert_true(said(1, "\"t\":1,"));
    assert_int_equal(peers[0].len, 0);
    forget();
    trade.trade_id = 2;
    event_queue_add(queue, &events, 7, NOW, true);
    assert_true(event_queue_show(queue, true));
    turn();
    assert_true(said(1, "\"t\":2,") && !said(1, "\"t\":1,"));
    assert_true(said(0, "\"U\":1,\"u\":1,"));
}

static void say_of_changes(uint32_t slot, const char *op, int owner)
{
    char text[256];
    int len = snprintf(text, sizeof(text), "{\"op\":\"%s\",\"params\":{\"channel\":\"accountUpdate\",\"user\":\"%s\"}}",
                       op, rig_owner_hex(owner));

    say(slot, slice_make(text, (size_t)len));
}

/* Who leaves in the middle of a batch is not told what it changed, nor is whoever comes in his place. */
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

static void an_address_has_its_limits(void **state)
{
    static const uint64_t seed[2] = { 1, 2 };
    struct minute_key     one = { 1, 1 }, other = { 2, 2 };
    void                 *memory = aligned_alloc(64, align_up(stream_quota_size(64), 64));
    struct stream_quota  *quota;
    struct address        user = { { 0 } };

    (void)state;
    memset(memory, 0, stream_quota_size(64));
    quota = stream_quota_init(memory, 64, seed);
    for (uint32_t i = 0; i < QUOTA_CONNECTIONS; i++) assert_int_equal(stream_quota_open(quota, &one, 100), 0);
    assert_int_not_equal(stream_quota_open(quota, &one, 100), 0);
    assert_int_equal(stream_quota_open(quota, &other, 100), 0);
    for (uint32_t i = 0; i < QUOTA_USERS; i++) {
        user.bytes[0] = (uint8_t)(i + 1);
        assert_null(stream_quota_add(quota, &one, &user));
    }
    assert_null(stream_quota_add(quota, &one, &user)); /* one of them again */
    user.bytes[0] = 99;
    assert_non_null(stream_quota_add(quota, &one, &user));
    assert_null(stream_quota_add(quota, &other, &user));
    for (uint32_t i = QUOTA_USERS + 1; i < QUOTA_SUBSCRIPTIONS; i++) assert_null(stream_quota_add(quota, &one, NULL));
    assert_non_null(stream_quota_add(quota, &one, NULL));
    stream_quota_remove(quota, &one, NULL);
    assert_null(stream_quota_add(quota, &one, NULL));
    for (uint32_t i = 0; i < QUOTA_MESSAGES; i++) assert_true(stream_quota_message(quota, &one, 100));
    assert_false(stream_quota_message(quota, &one, 100));
    assert_true(stream_quota_message(quota, &one, 161));
    for (uint32_t i = 0; i < QUOTA_SUBSCRIPTIONS; i++) {
        user.bytes[0] = (uint8_t)(i < QUOTA_USERS ? i + 1 : QUOTA_USERS);
        stream_quota_remove(quota, &one, i <= QUOTA_USERS ? &user : NULL);
    }
    for (uint32_t i = 0; i < QUOTA_CONNECTIONS; i++) stream_quota_close(quota, &one);
    for (uint32_t i = QUOTA_CONNECTIONS; i < QUOTA_NEW_PER_MINUTE;
         i++) { /* the one that was refused is not among them */
        assert_int_equal(stream_quota_open(quota, &one, 100), 0);
        stream_quota_close(quota, &one);
    }
    assert_int_not_equal(stream_quota_open(quota, &one, 100), 0);
    stream_quota_deinit(quota);
    free(memory);
}

static void as_many_addresses_as_rows_have_connections(void **state)
{
    static const uint64_t seed[2] = { 1, 2 };
    void                 *memory = aligned_alloc(64, align_up(stream_quota_size(64), 64));
    struct stream_quota  *quota;
    struct minute_key     newcomer = { 65, 7 };

    (void)state;
    memset(memory, 0, stream_quota_size(64));
    quota = stream_quota_init(memory, 64, seed);
    for (uint64_t i = 1; i <= 64; i++)
        assert_int_equal(stream_quota_open(quota, &(struct minute_key){ i, 7 }, (uint32_t)i), 0);
    assert_int_not_equal(stream_quota_open(quota, &newcomer, 200), 0);
    stream_quota_close(quota, &(struct minute_key){ 13, 7 });
    assert_int_equal(stream_quota_open(quota, &newcomer, 200), 0);
    for (uint64_t i = 1; i <= 65; i++)
        if (i != 13) stream_quota_close(quota, &(struct minute_key){ i, 7 });
    stream_quota_deinit(quota);
    free(memory);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        T(nothing_travels_while_nobody_listens),
        T(a_slow_reader_of_the_market_gets_the_latest_state),
        T(frames_that_are_shared_stay_what_they_are),
        T(a_long_batch_is_told_in_parts),
        T(an_account_message_that_does_not_fit_ends_the_connection),
        T(lost_events_end_account_connections_and_renew_trades),
        T(fills_are_told_one_by_one),
        T(a_replacement_is_told_once),
        T(each_side_is_told_its_own_fee),
        T(quiet_connections_are_asked_and_let_go),
        T(pings_alone_keep_no_connection),
        T(a_turn_is_due_when_something_was_shown),
        T(a_change_of_leverage_is_a_change_of_the_state),
        T(a_liquidation_is_told_with_what_the_unit_had),
        T(receipts_are_told_of_one_symbol_and_of_all),
        T(who_comes_back_gets_the_receipts_in_between),
        T(receipts_of_what_there_is_not_are_refused),
        T(what_is_no_liquidation_is_no_account_event),
        T(any_text_is_answered_and_breaks_nothing),
        T(pushes_have_a_part_of_the_time_and_no_more),
        T(trades_that_wait_are_one_message),
        T(what_a_batch_changed_is_told_to_nobody_else),
        T(an_address_has_its_limits),
        T(as_many_addresses_as_rows_have_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
