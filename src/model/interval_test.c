/* SPDX-License-Identifier: MIT */
/* Bars of every interval at their edges; times are from an almanac, and from libc for many days. */
#include "model/interval.h"

#include "model/enums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include <cmocka.h>

static int64_t utc(int year, int month, int day, int hour, int minute)
{
    struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute };
    return (int64_t)timegm(&tm) * 1000;
}

static int64_t start_of(enum interval interval, int64_t time_ms)
{
    return interval_start(interval, interval_index(interval, time_ms));
}

/* The bar is [start, next): its first and last millisecond are in it, their neighbours are not. */
static void expect_bar(enum interval interval, int64_t time_ms, int64_t start, int64_t next)
{
    int64_t index = interval_index(interval, time_ms);

    assert_int_equal(interval_start(interval, index), start);
    assert_int_equal(interval_start(interval, index + 1), next);
    if (start >= 0) assert_int_equal(interval_index(interval, start), index);
    assert_int_equal(interval_index(interval, next - 1), index);
    assert_int_equal(interval_index(interval, next), index + 1);
    if (start > 0) assert_int_equal(interval_index(interval, start - 1), index - 1);
}

static void bars_within_a_day_are_cut_from_midnight(void **state)
{
    int64_t now = utc(2026, 11, 21, 15, 47) + 12345;

    (void)state;
    expect_bar(INTERVAL_1M, now, utc(2026, 11, 21, 15, 47), utc(2026, 11, 21, 15, 48));
    expect_bar(INTERVAL_5M, now, utc(2026, 11, 21, 15, 45), utc(2026, 11, 21, 15, 50));
    expect_bar(INTERVAL_15M, now, utc(2026, 11, 21, 15, 45), utc(2026, 11, 21, 16, 0));
    expect_bar(INTERVAL_30M, now, utc(2026, 11, 21, 15, 30), utc(2026, 11, 21, 16, 0));
    expect_bar(INTERVAL_1H, now, utc(2026, 11, 21, 15, 0), utc(2026, 11, 21, 16, 0));
    expect_bar(INTERVAL_4H, now, utc(2026, 11, 21, 12, 0), utc(2026, 11, 21, 16, 0));
    expect_bar(INTERVAL_8H, now, utc(2026, 11, 21, 8, 0), utc(2026, 11, 21, 16, 0));
    expect_bar(INTERVAL_12H, now, utc(2026, 11, 21, 12, 0), utc(2026, 11, 22, 0, 0));
    expect_bar(INTERVAL_1D, now, utc(2026, 11, 21, 0, 0), utc(2026, 11, 22, 0, 0));
}

static void three_days_count_from_1970(void **state)
{
    (void)state;
    expect_bar(INTERVAL_3D, 0, 0, utc(1970, 1, 4, 0, 0));
    expect_bar(INTERVAL_3D, utc(1970, 1, 3, 23, 59), 0, utc(1970, 1, 4, 0, 0));
    expect_bar(INTERVAL_3D, utc(2026, 11, 23, 23, 59), utc(2026, 11, 21, 0, 0),
               utc(2026, 11, 24, 0, 0)); /* day 20,778 = 3 * 6,926 */
    assert_int_equal(start_of(INTERVAL_3D, utc(2026, 11, 21, 0, 0)) % (3 * 86400000), 0);
}

static void weeks_begin_on_monday_also_across_the_year(void **state)
{
    (void)state;
    expect_bar(INTERVAL_1W, utc(2026, 11, 21, 15, 0), utc(2026, 11, 16, 0, 0),
               utc(2026, 11, 23, 0, 0));                                                                /* a Saturday */
    expect_bar(INTERVAL_1W, utc(2026, 11, 16, 0, 0), utc(2026, 11, 16, 0, 0), utc(2026, 11, 23, 0, 0)); /* a Monday */
    expect_bar(INTERVAL_1W, utc(2026, 11, 22, 23, 59), utc(2026, 11, 16, 0, 0), utc(2026, 11, 23, 0, 0)); /* a Sunday */
    expect_bar(INTERVAL_1W, utc(2025, 1, 1, 0, 0), utc(2024, 12, 30, 0, 0),
               utc(2025, 1, 6, 0, 0)); /* across the year */
    expect_bar(INTERVAL_1W, utc(2024, 2, 29, 0, 0), utc(2024, 2, 26, 0, 0),
               utc(2024, 3, 4, 0, 0)); /* across a leap day */
    expect_bar(INTERVAL_1W, 0, utc(1969, 12, 29, 0, 0), utc(1970, 1, 5, 0, 0));
}

static void months_are_those_of_the_calendar(void **state)
{
    (void)state;
    expect_bar(INTERVAL_1MONTH, 0, 0, utc(1970, 2, 1, 0, 0));
    expect_bar(INTERVAL_1MONTH, utc(2024, 2, 29, 12, 0), utc(2024, 2, 1, 0, 0), utc(2024, 3, 1, 0, 0));
    expect_bar(INTERVAL_1MONTH, utc(2023, 2, 28, 23, 59), utc(2023, 2, 1, 0, 0), utc(2023, 3, 1, 0, 0));
    expect_bar(INTERVAL_1MONTH, utc(2100, 2, 28, 23, 59), utc(2100, 2, 1, 0, 0),
               utc(2100, 3, 1, 0, 0)); /* not a leap year */
    expect_bar(INTERVAL_1MONTH, utc(2000, 2, 29, 0, 0), utc(2000, 2, 1, 0, 0), utc(2000, 3, 1, 0, 0)); /* a leap year */
    expect_bar(INTERVAL_1MONTH, utc(2026, 12, 31, 23, 59) + 59999, utc(2026, 12, 1, 0, 0), utc(2027, 1, 1, 0, 0));
    expect_bar(INTERVAL_1MONTH, utc(2027, 1, 1, 0, 0), utc(2027, 1, 1, 0, 0), utc(2027, 2, 1, 0, 0));
    expect_bar(INTERVAL_1MONTH, utc(2038, 1, 19, 3, 14), utc(2038, 1, 1, 0, 0), utc(2038, 2, 1, 0, 0));
    assert_int_equal(interval_index(INTERVAL_1MONTH, utc(2026, 11, 1, 0, 0)), 56 * 12 + 10);
}

/* Four hundred years, day by day, against libc. */
static void every_day_falls_into_the_month_and_week_that_libc_says(void **state)
{
    (void)state;
    for (int64_t day = 0; day < 146097 + 400; day++) {
        time_t    at = (time_t)(day * 86400);
        struct tm tm;
        gmtime_r(&at, &tm);
        assert_int_equal(start_of(INTERVAL_1MONTH, day * 86400000), utc(tm.tm_year + 1900, tm.tm_mon + 1, 1, 0, 0));
        assert_int_equal(start_of(INTERVAL_1W, day * 86400000), (day - (tm.tm_wday + 6) % 7) * 86400000);
    }
}

static void names_are_those_of_the_market_and_d_and_w_may_be_small(void **state)
{
    /* clang-format off */
    static const struct { const char *name; enum interval interval; bool perps; } known[] = {
        { "1m", INTERVAL_1M, true }, { "5m", INTERVAL_5M, true }, { "15m", INTERVAL_15M, true },
          { "30m", INTERVAL_30M, true },
        { "1h", INTERVAL_1H, true }, { "4h", INTERVAL_4H, true }, { "8h", INTERVAL_8H, false },
          { "12h", INTERVAL_12H, false },
        { "1D", INTERVAL_1D, true }, { "1d", INTERVAL_1D, true }, { "3D", INTERVAL_3D, false },
          { "3d", INTERVAL_3D, false },
        { "1W", INTERVAL_1W, true }, { "1w", INTERVAL_1W, true }, { "1M", INTERVAL_1MONTH, true },
    };
    /* clang-format on */
    static const char *const unknown[] = { "",   "1",  "m",  "1 m", "2m",  "3m",  "2h",  "6h",
                                           "1H", "4H", "5M", "1y",  "60m", "1mm", "1d ", "-1m" };
    enum interval            interval;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        assert_true(interval_by_name(MARKET_SPOT, slice_of(known[i].name), &interval));
        assert_int_equal(interval, known[i].interval);
        assert_int_equal(interval_by_name(MARKET_PERPS, slice_of(known[i].name), &interval), known[i].perps);
    }
    for (size_t i = 0; i < ARRAY_COUNT(unknown); i++)
        assert_false(interval_by_name(MARKET_SPOT, slice_of(unknown[i]), &interval));
}

static void the_offered_names_are_listed_per_market(void **state)
{
    char       text[128];
    struct out out = out_make(text, sizeof(text));

    (void)state;
    interval_names(MARKET_SPOT, &out);
    assert_true(slice_is(out_slice(&out), "1m, 5m, 15m, 30m, 1h, 4h, 8h, 12h, 1D, 3D, 1W, 1M"));
    out = out_make(text, sizeof(text));
    interval_names(MARKET_PERPS, &out);
    assert_true(slice_is(out_slice(&out), "1m, 5m, 15m, 30m, 1h, 4h, 1D, 1W, 1M"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_within_a_day_are_cut_from_midnight),
        cmocka_unit_test(three_days_count_from_1970),
        cmocka_unit_test(weeks_begin_on_monday_also_across_the_year),
        cmocka_unit_test(months_are_those_of_the_calendar),
        cmocka_unit_test(every_day_falls_into_the_month_and_week_that_libc_says),
        cmocka_unit_test(names_are_those_of_the_market_and_d_and_w_may_be_small),
        cmocka_unit_test(the_offered_names_are_listed_per_market),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
