/* SPDX-License-Identifier: MIT */
/* History compared with a naive list: every query, wherever the rows are. */
#include "rigs/history/naive_rig.h"

/* Batches without rows, as an idle exchange makes them each second. */
static void commands_of_which_nothing_came_are_reached_all_the_same(void **state)
{
    (void)state;
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 0);
    for (int i = 0; i < 3; i++) {
        begin_batch();
        command();
        history_apply(history, &events);
        if (i < 2) history_block(history, &(struct history_block){ 0 }, NULL);
    }
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 2); /* further rows of the last batch are possible */
    history_block(history, &(struct history_block){ 0 }, NULL);
    write_all();
    assert_int_equal(history_seq(history), 2);
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 3);

    begin_batch();
    command();
    order_ends(7, 1, 1, MARKET_SPOT);
    history_apply(history, &events);
    history_block(history, &(struct history_block){ 0 }, NULL);
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 3); /* a row waits: history_write returns its progress */
    write_all();
    assert_int_equal(history_seq(history), 4);
    history_close(history);
    open_it(&instance, "boot one");
    assert_int_equal(history_seq(history), 4);
}

static void an_empty_history_answers_empty_lists(void **state)
{
    (void)state;
    struct tx_location   place;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
    assert_false(history_transaction(history, 1, &place));
    assert_int_equal(history_seq(history), 0);
    assert_false(history_is_full(history));
}

static void open_orders_are_not_history(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    begin_batch();
    command();
    order_rests(5, 1);
    end_batch(1, 1);
    assert_int_equal(history_orders(history, &query, got_orders), 0);
    write_all();
    assert_int_equal(history_orders(history, &query, got_orders), 0);
}

/* They are sorted before they are written (decision 142), and those of one account stay as they came. */
static void of_two_rows_with_one_key_the_later_stays(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };

    for (int64_t quantity = 20; quantity < 23; quantity++) {
        begin_batch();
        command();
        order_ends(9, 1, 1, MARKET_SPOT)->quantity = quantity;
        order_ends(9, 2, 1, MARKET_SPOT);
        end_batch(1, next_seq - 1);
    }
    write_all();
    history_close(history); /* those in memory are all there */
    open_it(&instance, "boot one");
    assert_int_equal(history_orders(history, &query, got_orders), 1);
    assert_int_equal(got_orders[0].quantity, 22);
}

static void a_row_is_there_as_soon_as_it_was_applied(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    struct tx_location   place;
    begin_batch();
    command();
    order_ends(9, 1, 1, MARKET_SPOT);
    fill(1, 9, 1, 1);
    end_batch(1, 1);
    ask(&query);
    assert_int_equal(history_orders(history, &query, got_orders), 1);
    assert_true(history_transaction(history, 1, &place));
    assert_int_equal(place.block, 1);
    assert_int_equal(place.index, 0);
    assert_true(hash256_equal(&place.hash, &txs[0].hash));
    write_all();
    ask(&query);
    memset(&place, 0, sizeof(place));
    assert_true(history_transaction(history, 1, &place));
    assert_true(hash256_equal(&place.hash, &txs[0].hash));
    assert_false(history_transaction(history, 2, &place));
    assert_int_equal(history_seq(history), 1);
}

static void start_and_end_are_inclusive(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++, now_ms += 10) {
        begin_batch();
        command();
        order_ends(10 + (uint64_t)i, 1, 1, MARKET_SPOT);
        fill(1 + (uint64_t)i, 4, 1, 1);
        end_batch(1, next_seq - 1);
        if (i == 1) write_all();
    }
    /* clang-format off */
    static const struct { int64_t start, end; int rows; } rows[] = {
        { 1000010, 1000010, 1 }, { 1000011, 1000019, 0 }, { 1000009, 1000011, 1 }, { 1000000, 1000020, 3 },
          { 1000001, 1000020, 2 },
        { 1000000, 1000019, 2 }, { 1000021, INT64_MAX, 0 }, { 0, 999999, 0 }, { 1000020, 1000010, 0 },
          { INT64_MIN, -1, 0 },
    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct history_query query = {
            .account_id = 1, .market = MARKET_SPOT, .start_ms = rows[i].start, .end_ms = rows[i].end, .limit = 9
        };
        assert_int_equal(history_orders(history, &query, got_orders), rows[i].rows);
        assert_int_equal(history_fills(history, &query, got_fills), rows[i].rows);
    }
}

static void every_query_is_right_wherever_the_rows_are(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 40; i++) random_batch();
        ask_at_random(60);
        if (random_below(3) == 0) write_all();
        ask_at_random(60);
    }
}

static void pages_join_without_gap_or_double(void **state)
{
    (void)state;
    for (int i = 0; i < 800; i++) {
        random_batch();
        if (i == 500) write_all();
    }
    for (uint32_t limit = 1; limit < 40; limit += 6) {
        struct history_query query = { .account_id = 2, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = ROWS_MAX };
        uint32_t             want = naive_orders(&query), seen = 0;
        query.limit = limit;
        for (int got; (got = history_orders(history, &query, got_orders)) > 0; seen += (uint32_t)got) {
            assert_memory_equal(got_orders, want_orders + seen, (size_t)got * sizeof(got_orders[0]));
            query.from_id = got_orders[got - 1].order_id;
        }
        assert_int_equal(seen, want);
    }
}

/* `rows` orders and fills of account 1 that end in this millisecond. */
static void rows_of_one_millisecond(uint32_t rows)
{
    begin_batch();
    for (uint32_t i = 0; i < rows; i++) {
        command();
        order_ends(next_order_id++, 1, 1, MARKET_SPOT);
        fill(next_trade_id++, 4, 1, 1);
    }
    end_batch(1, next_seq - 1);
    now_ms += 1;
}

/* A reader that continues with the last row's time less 1, without fromID, gets every row once. */
static uint32_t read_by_time(uint32_t limit, uint32_t most)
{
    struct history_query query = {
        .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = limit, .most = most
    };
    uint32_t seen = 0;

    for (int got; (got = history_orders(history, &query, got_orders)) > 0; seen += (uint32_t)got) {
        assert_int_equal(history_fills(history, &query, got_fills), got);
        assert_true((uint32_t)got <= max_u32(limit, most));
        assert_memory_equal(got_orders, want_orders + seen, (size_t)got * sizeof(got_orders[0]));
        query.end_ms = got_orders[got - 1].updated_ms - 1;
    }
    return seen;
}

static void a_page_ends_with_a_whole_millisecond(void **state)
{
    static const uint32_t rows[] = { 3, 1, 7, 1, 1, 2, 7, 5 };
    struct history_query  all = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = ROWS_MAX };
    uint32_t              count;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) rows_of_one_millisecond(rows[i]);
    count = naive_orders(&all);
    assert_int_equal(count, 27);
    for (int where = 0; where < 4; where++) { /* in memory, on disk, and half of each */
        for (uint32_t limit = 1; limit <= 7; limit++)
            for (uint32_t most = 7; most <= 12; most++) assert_int_equal(read_by_time(limit, most), count);
        if (where == 0) write_all();
        if (where == 1) {
            rows_of_one_millisecond(7);
            rows_of_one_millisecond(2);
            count = naive_orders(&all);
        }
        if (where == 2) write_all();
    }
}

/* Then its rows beyond the maximum are for fromID alone. */
static void a_millisecond_of_more_rows_than_a_page_may_have_is_cut(void **state)
{
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 2, .most = 6 };

    (void)state;
    rows_of_one_millisecond(1);
    rows_of_one_millisecond(7);
    for (int where = 0; where < 2; where++) {
        query.from_id = 0;
        assert_int_equal(history_orders(history, &query, got_orders), 6);
        assert_int_equal(history_fills(history, &query, got_fills), 6);
        query.from_id = got_orders[5].order_id;
        assert_int_equal(history_orders(history, &query, got_orders), 2);
        query.from_id = got_fills[5].trade_id;
        assert_int_equal(history_fills(history, &query, got_fills), 2);
        if (where == 0) write_all();
    }
    rows_of_one_millisecond(1);
    query.from_id = 0;
    assert_int_equal(history_orders(history, &query, got_orders), 1); /* the whole millisecond is for the next page */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(commands_of_which_nothing_came_are_reached_all_the_same),
        T(an_empty_history_answers_empty_lists),
        T(open_orders_are_not_history),
        T(a_row_is_there_as_soon_as_it_was_applied),
        T(of_two_rows_with_one_key_the_later_stays),
        T(start_and_end_are_inclusive),
        T(every_query_is_right_wherever_the_rows_are),
        T(pages_join_without_gap_or_double),
        T(a_page_ends_with_a_whole_millisecond),
        T(a_millisecond_of_more_rows_than_a_page_may_have_is_cut),
    };
    return cmocka_run_group_tests_name("history/history", tests, NULL, NULL);
}
