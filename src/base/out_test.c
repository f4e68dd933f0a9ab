/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/digits.h"
#include "base/out.h"
#include "rigs/random.h"

static void numbers_are_written_as_printf_does(void **state)
{
    static const uint64_t edges[] = { 0,
                                      1,
                                      9,
                                      10,
                                      99,
                                      100,
                                      4294967295,
                                      4294967296,
                                      INT64_MAX,
                                      (uint64_t)INT64_MAX + 1,
                                      UINT64_MAX - 1,
                                      UINT64_MAX,
                                      9999999999999999999u,
                                      10000000000000000000u };
    uint64_t              seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char       text[32], wanted[32];
        struct out out = out_make(text, sizeof(text) - 1);
        uint64_t   value;

        (void)random_congruent(&seed);
        value = round < (int)ARRAY_COUNT(edges) ? edges[round] : seed >> (round % 64);
        out_u64(&out, value);
        text[out.len] = '\0';
        snprintf(wanted, sizeof(wanted), "%" PRIu64, value);
        assert_string_equal(text, wanted);
        out.len = 0;
        out_i64(&out, (int64_t)value);
        text[out.len] = '\0';
        snprintf(wanted, sizeof(wanted), "%" PRId64, (int64_t)value);
        assert_string_equal(text, wanted);
    }
}

/* Every digit at every place, and the eight of each value together. */
static void eight_digits_are_those_of_printf(void **state)
{
    (void)state;
    for (uint32_t value = 0; value < 100000000; value = value < 30000 ? value + 1 : value + 1009) {
        char text[DIGITS_ROOM], wanted[12];

        snprintf(wanted, sizeof(wanted), "%08" PRIu32, value);
        assert_ptr_equal(digits_eight(text, value), text + 8);
        assert_memory_equal(text, wanted, 8);
        for (int len = 8; value != 0; len--) {
            if (wanted[len - 1] == '0') continue;
            assert_ptr_equal(digits_behind(text, value), text + len);
            assert_memory_equal(text, wanted, (size_t)len);
            break;
        }
    }
}

static void hex_is_that_of_printf(void **state)
{
    uint8_t bytes[7];
    char    text[16], wanted[16];

    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        for (unsigned k = 0; k < sizeof(bytes); k++) bytes[k] = (uint8_t)(i + k * 37);
        for (unsigned k = 0; k < sizeof(bytes); k++) snprintf(wanted + 2 * k, 3, "%02x", bytes[k]);
        struct out out = out_make(text, sizeof(text));
        out_hex(&out, bytes, sizeof(bytes));
        assert_int_equal(out.len, 14);
        assert_memory_equal(text, wanted, 14);
    }
}

static void what_does_not_fit_is_left_out_whole_and_remembered(void **state)
{
    char       text[4] = "....";
    struct out out = out_make(text, 3);

    (void)state;
    out_text(&out, "ab");
    assert_false(out.overflow);
    out_text(&out, "cd");
    assert_true(out.overflow);
    assert_true(slice_is(out_slice(&out), "ab"));
    assert_memory_equal(text + 2, "..", 2);
    out_char(&out, 'c');
    assert_true(slice_is(out_slice(&out), "abc"));
    out_char(&out, 'd');
    assert_int_equal(out.len, 3);
    assert_true(out.overflow);
    assert_int_equal(text[3], '.');
}

static void an_exact_fit_is_a_fit(void **state)
{
    char       text[20];
    struct out out = out_make(text, 20);

    (void)state;
    out_u64(&out, UINT64_MAX);
    assert_false(out.overflow);
    assert_int_equal(out.len, 20);
    out_bytes(&out, "", 0);
    assert_false(out.overflow);
    out_hex(&out, "a", 1);
    assert_true(out.overflow);
}

/* A buffer whose capacity was reduced below its length takes no further byte from any writer. */
static void a_cap_below_the_length_lets_nothing_in(void **state)
{
    char text[16] = "abcdefgh.......";

    (void)state;
    for (int writer = 0; writer < 4; writer++) {
        struct out out = { .at = text, .len = 8, .cap = 4 };

        if (writer == 0) out_char(&out, 'x');
        if (writer == 1) out_bytes(&out, "x", 1);
        if (writer == 2) out_u64(&out, 7);
        if (writer == 3) out_hex(&out, "x", 1);
        assert_true(out.overflow);
        assert_int_equal(out.len, 8);
        assert_string_equal(text, "abcdefgh.......");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_printf_does),
        cmocka_unit_test(eight_digits_are_those_of_printf),
        cmocka_unit_test(hex_is_that_of_printf),
        cmocka_unit_test(what_does_not_fit_is_left_out_whole_and_remembered),
        cmocka_unit_test(an_exact_fit_is_a_fit),
        cmocka_unit_test(a_cap_below_the_length_lets_nothing_in),
    };
    return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
