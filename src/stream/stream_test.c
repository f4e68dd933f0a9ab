/* SPDX-License-Identifier: MIT */
/* stream_test.c — connections, subscriptions, slow readers, limits, and the channels of the market. */
#include "rigs/stream/stream_rig.h"
#include "rigs/random.h"

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
    assert_true(said(0, "\"U\":21,\"u\":21,")); /* and continues without a gap */
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
/* clang-format on */

#define L2 "\"channel\":\"l2Book\",\"symbol\":\"vBTC_vUSDC\",\"tickSize\":"

/* `count` prices a side without a gap, bids from 95000 down and asks from 95000.1 up, each with 0.001. */
static void fill_book(uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < count; i++) {
        rig_level(1, SIDE_BUY, 950000 - i, 100, 2 * i + 1);
        rig_level(1, SIDE_SELL, 950001 + i, 100, 2 * i + 2);
    }
}

/* Wire 6.5: levels are merged to multiples of tickSize, and each multiple has all of its prices. */
static void merged_levels_have_all_of_their_prices(void **state)
{
    (void)state;
    fill_book(0, 3000);
    subscribe(0, L2 "\"100\"");
    assert_true(said(0, "\"b\":[[\"95000\",\"0.001\"],[\"94900\",\"1\"],[\"94800\",\"1\"],[\"94700\",\"0.999\"]]"));
    assert_true(said(0, "\"a\":[[\"95100\",\"1\"],[\"95200\",\"1\"],[\"95300\",\"1\"]]"));
    subscribe(1, L2 "\"1\""); /* twenty of them are few prices */
    assert_true(said(1, "[\"94981\",\"0.01\"]]"));
    subscribe(2, L2 "\"0.1\"");
    assert_true(said(2, "[\"94998.1\",\"0.001\"]]"));
}

/* What lies beyond is not there, so a level that begins before it is left out; but a side is not empty for that. */
static void a_merged_level_of_unseen_prices_is_left_out(void **state)
{
    (void)state;
    fill_book(0, 12000);
    subscribe(0, L2 "\"100\"");
    assert_true(said(0, "[\"94100\",\"1\"]]"));
    assert_true(said(0, "[\"95900\",\"1\"]]"));
    subscribe(1, L2 "\"10000\"");
    assert_true(said(1, "\"b\":[[\"90000\",\"10\"]]"));
}

/* Topics of a symbol share a copy, and each of them is as new as the round. */
static void topics_with_merged_levels_see_each_change(void **state)
{
    (void)state;
    fill_book(0, 3000);
    subscribe(0, L2 "\"100\"");
    subscribe(1, L2 "\"200\"");
    for (uint32_t round = 1; round <= 3; round++) {
        char text[64];
        forget();
        rig_level(1, SIDE_BUY, 949000, 100 + 100 * round, 10000 + round);
        stream_clock(stream, NOW, mono_ms += 500);
        tick();
        (void)snprintf(text, sizeof(text), "\"u\":%u,", 10000 + round);
        assert_true(said(0, text) && said(1, text));
        (void)snprintf(text, sizeof(text), "[\"94900\",\"1.00%u\"]", round);
        assert_true(said(0, text));
        (void)snprintf(text, sizeof(text), "[\"94800\",\"2.00%u\"]", round);
        assert_true(said(1, text));
        forget();
        subscribe(2, L2 "\"100\""); /* in the same round: what is newest */
        rig_level(1, SIDE_BUY, 948000, 100, 20000 + round);
        subscribe(3, L2 "\"200\"");
        (void)snprintf(text, sizeof(text), "\"u\":%u,", 20000 + round);
        assert_true(said(3, text));
        say(2, SLICE("{\"op\":\"unsubscribe\",\"params\":{" L2 "\"100\"}}"));
        say(3, SLICE("{\"op\":\"unsubscribe\",\"params\":{" L2 "\"200\"}}"));
    }
}

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
    assert_true(peers[1].finished);  /* it never sent anything */
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
        (void)random_xorshift(&seed);
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
    int64_t       now_ns = 0, counted_ns = 0;

    (void)state;
    assert_false(share_allows(&part, 0, 0));
    assert_true(share_allows(&part, 1000 * ms, 1000 * ms));
    assert_int_equal(part.left_ns, SHARE_SAVED_NS); /* the saved part is bounded */
    share_spend(&part, 4 * ms);
    assert_int_equal(part.left_ns, -1925000);                /* 2 - 0.1 / 4 - 3.9 ms */
    assert_int_equal(share_wait_ms(&part), 16);              /* 15.4 of rest, and then it may */
    assert_false(share_allows(&part, 1006 * ms, 1003 * ms)); /* 3 ms of work and 3 of rest give 0.42 ms back */
    assert_int_equal(share_wait_ms(&part), 13);
    assert_true(share_allows(&part, 1019 * ms, 1016 * ms));
    part.left_ns = 0;
    share_spend(&part, 99999);
    assert_int_equal(part.left_ns, -24999); /* a short one counts for less */
    share_spend(&part, 100001);
    assert_int_equal(part.left_ns, -24999 - 25001); /* and so does the beginning of a longer one */
    part = (struct share){ 0 };
    for (int i = 0; i < 64000; i++, now_ns += ms) { /* busy throughout, and always with messages that take 5 ms */
        if (!share_allows(&part, now_ns, 0)) continue;
        now_ns += 5 * ms;
        counted_ns += 5 * ms - 75000; /* 0.1 / 4 + 4.9 */
        share_spend(&part, 5 * ms);
    }
    assert_in_range(counted_ns, now_ns / 64 - 10 * ms, now_ns / 64 + 10 * ms);
}

/* More frames in one turn than the shared buffer holds: no connection is sent another one's bytes. */
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

/* Trades of several batches are sent together when no turn was in between. */
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

/* Trades of an unfinished batch are sent at once; a book only when it can be read again. */
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
    assert_false(event_queue_show(queue, false)); /* no subscriber wants events: none is woken */
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

static void expect_refused(const struct stream_refused *refused, uint32_t limit, const char *window)
{
    assert_int_equal(refused->limit, limit);
    assert_string_equal(refused->window, window);
    assert_true(refused->wait >= 1);
}

static void an_address_has_its_limits(void **state)
{
    static const uint64_t seed[2] = { 1, 2 };
    struct minute_key     one = { 1, 1 }, other = { 2, 2 };
    void                 *memory = aligned_alloc(64, align_up(stream_quota_size(64), 64));
    struct stream_quota  *quota;
    struct stream_refused refused;
    struct address        user = { { 0 } };

    (void)state;
    memset(memory, 0, stream_quota_size(64));
    quota = stream_quota_init(memory, 64, seed);
    for (uint32_t i = 0; i < QUOTA_CONNECTIONS; i++) assert_true(stream_quota_open(quota, &one, 100, &refused));
    assert_false(stream_quota_open(quota, &one, 100, &refused));
    expect_refused(&refused, QUOTA_CONNECTIONS, "0s");
    assert_true(stream_quota_open(quota, &other, 100, &refused));
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
        assert_true(stream_quota_open(quota, &one, 100, &refused));
        stream_quota_close(quota, &one);
    }
    assert_false(stream_quota_open(quota, &one, 100, &refused));
    expect_refused(&refused, QUOTA_NEW_PER_MINUTE, "1m");
    stream_quota_deinit(quota);
    free(memory);
}

static void as_many_addresses_as_rows_have_connections(void **state)
{
    static const uint64_t seed[2] = { 1, 2 };
    void                 *memory = aligned_alloc(64, align_up(stream_quota_size(64), 64));
    struct stream_quota  *quota;
    struct stream_refused refused;
    struct minute_key     newcomer = { 65, 7 };

    (void)state;
    memset(memory, 0, stream_quota_size(64));
    quota = stream_quota_init(memory, 64, seed);
    for (uint64_t i = 1; i <= 64; i++)
        assert_true(stream_quota_open(quota, &(struct minute_key){ i, 7 }, (uint32_t)i, &refused));
    assert_false(stream_quota_open(quota, &newcomer, 200, &refused));
    expect_refused(&refused, QUOTA_NEW_PER_MINUTE, "1m");
    stream_quota_close(quota, &(struct minute_key){ 13, 7 });
    assert_true(stream_quota_open(quota, &newcomer, 200, &refused));
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
        T(merged_levels_have_all_of_their_prices),
        T(a_merged_level_of_unseen_prices_is_left_out),
        T(topics_with_merged_levels_see_each_change),
        T(quiet_connections_are_asked_and_let_go),
        T(pings_alone_keep_no_connection),
        T(a_turn_is_due_when_something_was_shown),
        T(any_text_is_answered_and_breaks_nothing),
        T(pushes_have_a_part_of_the_time_and_no_more),
        T(trades_that_wait_are_one_message),
        T(an_address_has_its_limits),
        T(as_many_addresses_as_rows_have_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
