/* SPDX-License-Identifier: MIT */
/* bars_test.c — bars by hand, and the bars that their writer holds. */
#include "rigs/history/bars_rig.h"

static void a_minute_ends_with_its_last_millisecond(void **state)
{
    int64_t minute = INT64_C(1790000040000); /* a whole minute */

    (void)state;
    assert_int_equal(minute % MINUTE, 0);
    trade_at(minute - 1, 100, 1);
    trade_at(minute, 105, 2);
    trade_at(minute + 30000, 95, 3);
    trade_at(minute + 59999, 101, 4);
    trade_at(minute + 60000, 102, 5);
    int64_t                   index = interval_index(INTERVAL_1M, minute);
    struct history_bars_query query = { MARKET_SPOT, INTERVAL_1M, 1, index, index };
    struct bar                before;
    assert_int_equal(history_bars(history, &query, got, &before), 1);
    expect_bar(&got[0], &(struct bar){ minute, 105, 105, 95, 101, 4, 9, 105 * 2 + 95 * 3 + 101 * 4, 3, 4 });
    expect_bar(&before, &(struct bar){ minute - MINUTE, 100, 100, 100, 100, 1, 1, 100, 1, 1 });
    query.first = query.last = index + 1;
    assert_int_equal(history_bars(history, &query, got, &before), 1);
    expect_bar(&got[0], &(struct bar){ minute + MINUTE, 102, 102, 102, 102, 5, 5, 510, 1, 5 });
    query.first = query.last = index + 2;
    assert_int_equal(history_bars(history, &query, got, &before), 0);
    assert_int_equal(before.close, 102);
    query.first = query.last = index - 2;
    assert_int_equal(history_bars(history, &query, got, &before), 0);
    assert_int_equal(before.trades, 0);
}

/* The current minute and the 1,440 before it: a trade leaves when its minute is the 1,441st before. */
static void the_window_rolls_by_whole_minutes_also_when_nobody_trades(void **state)
{
    int64_t    minute = INT64_C(1790000040000);
    struct bar window;

    (void)state;
    assert_false(history_window(history, MARKET_SPOT, 1, minute, &window));
    trade_at(minute + 59999, 100, 7);
    trade_at(minute + 3 * MINUTE, 120, 1);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + 3 * MINUTE, &window));
    expect_bar(&window, &(struct bar){ minute + 3 * MINUTE - DAY, 100, 120, 100, 120, 1, 8, 820, 2, 2 });
    assert_true(
        history_window(history, MARKET_SPOT, 1, minute + DAY + 59999, &window)); /* 24 h after the first: still in */
    assert_int_equal(window.open, 100);
    assert_true(window.volume == 8);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 60000, &window)); /* 24 h + 1 ms */
    expect_bar(&window, &(struct bar){ minute + MINUTE, 120, 120, 120, 120, 1, 1, 120, 1, 2 });
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 4 * MINUTE - 1, &window));
    assert_int_equal(window.trades, 1);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 4 * MINUTE,
                               &window)); /* empty: the last trade's price */
    expect_bar(&window, &(struct bar){ minute + 4 * MINUTE, 120, 120, 120, 120, 1, 0, 0, 0, 0 });
}

static void sums_pass_64_bits(void **state)
{
    struct bar window;

    (void)state;
    for (int i = 0; i < 5; i++) trade(MARKET_SPOT, 1, 1000, QUANTITY_MAX, AMOUNT_MAX);
    apply();
    assert_true(history_window(history, MARKET_SPOT, 1, now_ms, &window));
    assert_true(window.value == (uint128_t)AMOUNT_MAX * 5);
    write_all();
    history_close(history);
    open_it();
    assert_true(history_window(history, MARKET_SPOT, 1, now_ms, &window));
    assert_true(window.value == (uint128_t)AMOUNT_MAX * 5);
    assert_true(window.volume == (uint128_t)QUANTITY_MAX * 5);
}

static void the_version_changes_with_every_trade_of_the_symbol_and_no_other(void **state)
{
    uint64_t before;
    int64_t  first_ms;

    (void)state;
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), 0);
    assert_false(history_first_trade(history, MARKET_SPOT, 1, &first_ms));
    trade_at(now_ms, 100, 1);
    before = history_bars_version(history, MARKET_SPOT, 1);
    assert_true(before != 0);
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 2), 0);
    assert_int_equal(history_bars_version(history, MARKET_PERPS, 1), 0);
    write_all();
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), before);
    trade_at(now_ms, 100, 1);
    assert_true(history_bars_version(history, MARKET_SPOT, 1) != before);
    assert_true(history_first_trade(history, MARKET_SPOT, 1, &first_ms));
    assert_int_equal(first_ms, now_ms - now_ms % MINUTE);
}

/* ---- what the writer has in its hands ---- */

static struct bars bars;

static void fold(int minute)
{
    struct traded one = { .head = { .market = MARKET_SPOT },
                          .symbol_id = 1,
                          .price = 1000 + minute,
                          .quantity = 1,
                          .value = 1,
                          .time_ms = now_ms + minute * MINUTE };

    bars_trade(&bars, &one, next_seq++);
    bars_end(&bars);
}

static uint32_t minutes_taken(void)
{
    uint32_t minutes = 0;

    for (uint32_t i = 0; i < bars.row_count; i++) minutes += bars.rows[i].interval == INTERVAL_1M;
    return minutes;
}

static void bars_that_change_in_the_writers_hands_are_written_again(void **state)
{
    const struct bar_ring *ring;

    (void)state;
    assert_int_equal(bars_init(&bars), 0);
    ring = bars_ring(&bars, bars_slot(MARKET_SPOT, 1), INTERVAL_1M);
    for (int i = 0; i < 5; i++) fold(i);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 5);
    fold(4); /* the last one again, and two more */
    fold(5);
    fold(6);
    bars_taken(&bars, true);
    assert_int_equal(ring->count, 6); /* minute 6 is open */
    assert_int_equal(ring->written, 4);
    assert_int_equal(bars.waiting, 2);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 3);
    bars_taken(&bars, true);
    assert_int_equal(bars.waiting, 0);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(bars.row_count, 0);
    bars_taken(&bars, true);
    fold(6); /* into a bar that is on disk: it is not any more */
    fold(7);
    assert_int_equal(bars.waiting, 1);
    bars_deinit(&bars);
}

static void bars_that_could_not_be_written_are_taken_again(void **state)
{
    (void)state;
    assert_int_equal(bars_init(&bars), 0);
    for (int i = 0; i < 5; i++) fold(i);
    assert_int_equal(bars_take(&bars), 0);
    fold(4);
    fold(5);
    bars_taken(&bars, false);
    assert_int_equal(bars.waiting, 5);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 6);
    bars_taken(&bars, false);
    assert_int_equal(bars_take(&bars), 0); /* nothing has changed since */
    assert_int_equal(minutes_taken(), 6);
    bars_taken(&bars, true);
    assert_int_equal(bars.waiting, 0);
    bars_deinit(&bars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_minute_ends_with_its_last_millisecond),
        TEST(the_window_rolls_by_whole_minutes_also_when_nobody_trades),
        TEST(sums_pass_64_bits),
        TEST(the_version_changes_with_every_trade_of_the_symbol_and_no_other),
        TEST(bars_that_change_in_the_writers_hands_are_written_again),
        TEST(bars_that_could_not_be_written_are_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
