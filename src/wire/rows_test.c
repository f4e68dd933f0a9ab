/* SPDX-License-Identifier: MIT */
/* Rows are byte for byte what the general writer makes of the same records. */
#include "wire/rows.h"

#include "model/shapes_statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint64_t dice = 88172645463325252u;

static uint64_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice;
}

/* Values of every length, with zeros in front of and behind the point. */
static int64_t some_digits(void)
{
    static const int64_t edges[] = { 0, 1, 9, 10, 99, 100, 101, 999, 1000, 100000, 1250000, INT64_MAX, INT64_MIN, -1, -10, -100 };

    if (roll() % 4 == 0) return edges[roll() % ARRAY_COUNT(edges)];
    int64_t value = (int64_t)(roll() >> (roll() % 64));
    if (roll() % 2 == 0) value -= value % pow10_i64((int)(roll() % 12));
    return value;
}

static uint32_t some_scale(void) { return roll() % 3 == 0 ? (uint32_t)(roll() % 19) : (uint32_t)(roll() % 9); }
static struct decimal some_decimal(void) { return (struct decimal){ some_digits(), some_scale(), 0 }; }

static struct wide_decimal some_wide(void)
{
    int128_t digits = some_digits();

    if (roll() % 3 == 0) digits *= some_digits();
    return (struct wide_decimal){ digits, some_scale() };
}

static void expect_same(const struct row_form *form, const void *record)
{
    char fast[2048], slow[2048];
    struct out a = out_make(fast, sizeof(fast)), b = out_make(slow, sizeof(slow)), c;

    row_write(&a, form, record);
    shape_write(&b, form->shape, record, false);
    assert_false(a.overflow || b.overflow);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(fast, slow, a.len);
    assert_true(a.len <= form->bytes_max);
    c = out_make(fast, b.len);                          /* exactly enough room, and one byte too little */
    row_write(&c, form, record);
    assert_false(c.overflow);
    assert_int_equal(c.len, b.len);
    assert_memory_equal(fast, slow, c.len);
    c = out_make(fast, b.len - 1);
    row_write(&c, form, record);
    assert_true(c.overflow);
}

static void klines_are_those_of_the_general_writer(void **state)
{
    struct row_form form;

    (void)state;
    row_form_make(&form, &kline_shape);
    for (int i = 0; i < 200000; i++) {
        struct kline_record record = { (int64_t)(roll() >> roll() % 64), some_decimal(), some_decimal(), some_decimal(), some_decimal(),
                                       some_wide(), some_wide(), roll() >> roll() % 64 };
        expect_same(&form, &record);
    }
}

static void tickers_are_those_of_the_general_writer(void **state)
{
    static const struct shape *const shapes[] = { &spot_ticker_shape, &mini_ticker_shape, &book_ticker_shape };

    (void)state;
    for (size_t s = 0; s < ARRAY_COUNT(shapes); s++) {
        struct row_form form;
        row_form_make(&form, shapes[s]);
        for (int i = 0; i < 20000; i++) {
            struct ticker_record record = {
                .symbol = name_make(slice_make("a_symbol_with_the_longest_name_", roll() % 32)),
                .last = some_decimal(), .last_size = some_decimal(), .open = some_decimal(), .high = some_decimal(), .low = some_decimal(),
                .change = some_decimal(), .vwap = some_wide(), .change_pct = some_wide(), .volume = some_wide(), .quote_volume = some_wide(),
                .bid = some_decimal(), .bid_size = some_decimal(), .ask = some_decimal(), .ask_size = some_decimal(),
                .open_ms = some_digits(), .close_ms = some_digits(),
            };
            expect_same(&form, &record);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(klines_are_those_of_the_general_writer),
        cmocka_unit_test(tickers_are_those_of_the_general_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
