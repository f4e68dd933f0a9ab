/* SPDX-License-Identifier: MIT */
#include "base/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void every_byte_is_a_digit_or_is_not(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        int wanted = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        assert_int_equal(hex_digit((char)c), wanted);
    }
}

static void exactly_the_wanted_length_is_read(void **state)
{
    uint8_t bytes[3] = { 9, 9, 9 };

    (void)state;
    assert_true(hex_read(SLICE("00fFA5"), bytes, 3));
    assert_memory_equal(bytes, "\x00\xff\xa5", 3);
    assert_false(hex_read(SLICE("00fFA"), bytes, 3));
    assert_false(hex_read(SLICE("00fFA50"), bytes, 3));
    assert_false(hex_read(SLICE("00fFAg"), bytes, 3));
    assert_false(hex_read(SLICE("0xfFA5"), bytes, 3));
    assert_true(hex_read(SLICE(""), bytes, 0));
}

static void the_prefix_is_optional_and_lower_case(void **state)
{
    uint8_t bytes[2];

    (void)state;
    assert_true(hex_read_0x(SLICE("0x1234"), bytes, 2));
    assert_memory_equal(bytes, "\x12\x34", 2);
    assert_true(hex_read_0x(SLICE("1234"), bytes, 2));
    assert_false(hex_read_0x(SLICE("0X1234"), bytes, 2));
    assert_false(hex_read_0x(SLICE("0x"), bytes, 2));
    assert_false(hex_read_0x(SLICE("0x0x12"), bytes, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_a_digit_or_is_not),
        cmocka_unit_test(exactly_the_wanted_length_is_read),
        cmocka_unit_test(the_prefix_is_optional_and_lower_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
