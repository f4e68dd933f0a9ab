/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/decimal.h"
#include "rigs/random.h"

/* clang-format off */
static const struct { const char *text; enum decimal_fault fault; int64_t digits; uint32_t scale; } rows[] = {
    { "0", DECIMAL_OK, 0, 0 }, { "0.0", DECIMAL_OK, 0, 0 }, { "0.000000000000000000000000", DECIMAL_OK, 0, 0 },
    { "1", DECIMAL_OK, 1, 0 }, { "10", DECIMAL_OK, 10, 0 }, { "1.0", DECIMAL_OK, 1, 0 }, { "1.10", DECIMAL_OK, 11, 1 },
    { "95000.10", DECIMAL_OK, 950001, 1 }, { "0.0100", DECIMAL_OK, 1, 2 }, { "0.5", DECIMAL_OK, 5, 1 },
    { "-1", DECIMAL_OK, -1, 0 }, { "-0.5", DECIMAL_OK, -5, 1 }, { "100.00", DECIMAL_OK, 100, 0 },
    { "999999999999999999", DECIMAL_OK, 999999999999999999, 0 },
    { "0.999999999999999999", DECIMAL_OK, 999999999999999999, 18 },
    { "0.000000000000000001", DECIMAL_OK, 1, 18 },
    { "12345678.9012345678", DECIMAL_OK, 123456789012345678, 10 },
    { "1.00000000000000000000000000", DECIMAL_OK, 1, 0 },
    { "1000000000000000000", DECIMAL_TOO_LONG, 0, 0 },
    { "9999999999999999999", DECIMAL_TOO_LONG, 0, 0 },
    { "0.0000000000000000001", DECIMAL_TOO_LONG, 0, 0 },
    { "1.234567890123456789", DECIMAL_TOO_LONG, 0, 0 },
    { "123456789.1234567891", DECIMAL_TOO_LONG, 0, 0 },
    { "", DECIMAL_SYNTAX, 0, 0 }, { "-", DECIMAL_SYNTAX, 0, 0 }, { ".", DECIMAL_SYNTAX, 0, 0 },
    { ".5", DECIMAL_SYNTAX, 0, 0 }, { "5.", DECIMAL_SYNTAX, 0, 0 }, { "-.5", DECIMAL_SYNTAX, 0, 0 },
    { "00", DECIMAL_SYNTAX, 0, 0 }, { "01", DECIMAL_SYNTAX, 0, 0 }, { "00.5", DECIMAL_SYNTAX, 0, 0 },
    { "-0", DECIMAL_SYNTAX, 0, 0 }, { "-0.00", DECIMAL_SYNTAX, 0, 0 }, { "-01", DECIMAL_SYNTAX, 0, 0 },
    { "+1", DECIMAL_SYNTAX, 0, 0 }, { "--1", DECIMAL_SYNTAX, 0, 0 }, { "1e5", DECIMAL_SYNTAX, 0, 0 },
    { "1E-7", DECIMAL_SYNTAX, 0, 0 }, { "1.2.3", DECIMAL_SYNTAX, 0, 0 }, { "1,5", DECIMAL_SYNTAX, 0, 0 },
    { " 1", DECIMAL_SYNTAX, 0, 0 }, { "1 ", DECIMAL_SYNTAX, 0, 0 }, { "0x1", DECIMAL_SYNTAX, 0, 0 },
    { "NaN", DECIMAL_SYNTAX, 0, 0 }, { "Infinity", DECIMAL_SYNTAX, 0, 0 }, { "1_000", DECIMAL_SYNTAX, 0, 0 },
};
/* clang-format on */

static void plain_notation_is_read_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct decimal     decimal;
        enum decimal_fault fault = decimal_read(slice_of(rows[i].text), &decimal);

        if (fault != rows[i].fault) fail_msg("%s: fault %d", rows[i].text, fault);
        if (fault != DECIMAL_OK) continue;
        assert_int_equal(decimal.digits, rows[i].digits);
        assert_int_equal(decimal.scale, rows[i].scale);
        assert_int_equal(decimal.reserved, 0);
    }
}

static void what_is_written_is_read_back_the_same(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        struct decimal made, read;
        char           text[40];
        struct out     out = out_make(text, sizeof(text));
        int64_t        digits;

        (void)random_congruent(&seed);
        digits = (int64_t)((seed >> 1) % 1000000000000000000u) >> (seed % 60);
        made = decimal_make(seed >> 63 ? -digits : digits, round % 19);
        decimal_write(&out, made);
        assert_false(out.overflow);
        assert_int_equal(decimal_read(out_slice(&out), &read), DECIMAL_OK);
        assert_memory_equal(&made, &read, sizeof(made));
    }
}

static void written_decimals_have_one_spelling(void **state)
{
    /* clang-format off */
    static const struct { int64_t digits; int scale; const char *text; } made[] = {
        { 0, 0, "0" }, { 0, 18, "0" }, { 5, 0, "5" }, { 50, 1, "5" }, { 5, 1, "0.5" }, { -5, 1, "-0.5" },
          { 5, 3, "0.005" },
        { 1500, 3, "1.5" }, { 100, 0, "100" }, { 1, 18, "0.000000000000000001" }, { -100, 2, "-1" },
        { INT64_MAX, 0, "9223372036854775807" }, { INT64_MIN, 18, "-9.223372036854775808" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(made); i++) {
        char       text[40];
        struct out out = out_make(text, sizeof(text));
        decimal_write(&out, decimal_make(made[i].digits, made[i].scale));
        if (!slice_is(out_slice(&out), made[i].text)) fail_msg("%.*s instead of %s", (int)out.len, text, made[i].text);
    }
}

static void units_are_exact_or_refused(void **state)
{
    int64_t units;

    (void)state;
    assert_true(decimal_to_units((struct decimal){ 15, 1, 0 }, 1, 15, &units) && units == 15);
    assert_false(decimal_to_units((struct decimal){ 15, 1, 0 }, 1, 14, &units));
    assert_true(decimal_to_units((struct decimal){ 15, 1, 0 }, 5, 150000, &units) && units == 150000);
    assert_false(decimal_to_units((struct decimal){ 15, 1, 0 }, 0, INT64_MAX, &units));
    assert_true(decimal_to_units((struct decimal){ -15, 1, 0 }, 1, 15, &units) && units == -15);
    assert_false(decimal_to_units((struct decimal){ -15, 1, 0 }, 1, 14, &units));
    assert_false(decimal_to_units((struct decimal){ 999999999999999999, 0, 0 }, 18, INT64_MAX, &units));
    assert_true(decimal_to_units((struct decimal){ 9, 0, 0 }, 18, INT64_MAX, &units) && units == 9000000000000000000);
    assert_false(decimal_to_units((struct decimal){ 10, 0, 0 }, 18, INT64_MAX, &units));
}

/* The 64-bit product against the 128-bit one, at the last digits that fit and the first that do not, both signs. */
static void units_are_those_of_128_bits(void **state)
{
    (void)state;
    for (int scale = 0; scale <= 18; scale++) {
        int64_t edge = INT64_MAX / pow10_i64(scale);

        for (int64_t step = -2; step <= 2; step++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                int64_t  digits = scale == 0 && step > 0 ? sign * edge : sign * (edge + step), units = 0;
                int128_t value = (int128_t)digits * pow10_i64(scale);
                bool     fits = value <= INT64_MAX && value >= -(int128_t)INT64_MAX;

                assert_int_equal(decimal_to_units((struct decimal){ digits, 0, 0 }, scale, INT64_MAX, &units), fits);
                if (fits) assert_true(units == value);
            }
        }
    }
}

static void sums_beyond_64_bits_are_written_exactly(void **state)
{
    const int128_t big = (int128_t)INT64_MAX * 1000 + 807; /* 9223372036854775807807 */
    /* clang-format off */
    const struct { struct wide_decimal value; const char *text; } wide[] = {
        { { 0, 0 }, "0" }, { { 0, 6 }, "0" }, { { 1250000, 5 }, "12.5" }, { { 1, 18 }, "0.000000000000000001" },
          { { -5, 1 }, "-0.5" },
        { { 100, 2 }, "1" }, { { big, 0 }, "9223372036854775807807" }, { { big, 3 }, "9223372036854775807.807" },
        { { -big * 1000, 6 }, "-9223372036854775807.807" }, { { -1250000, 6 }, "-1.25" },
        { { (int128_t)(~(uint128_t)0 >> 1), 0 }, "170141183460469231731687303715884105727" },
        { { -(int128_t)(~(uint128_t)0 >> 1) - 1, 18 }, "-170141183460469231731.687303715884105728" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wide); i++) {
        char       text[64];
        struct out out = out_make(text, sizeof(text));
        wide_decimal_write(&out, wide[i].value);
        assert_int_equal(out.len, strlen(wide[i].text));
        assert_memory_equal(text, wide[i].text, out.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_notation_is_read_and_nothing_else),
        cmocka_unit_test(what_is_written_is_read_back_the_same),
        cmocka_unit_test(written_decimals_have_one_spelling),
        cmocka_unit_test(units_are_exact_or_refused),
        cmocka_unit_test(units_are_those_of_128_bits),
        cmocka_unit_test(sums_beyond_64_bits_are_written_exactly),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
