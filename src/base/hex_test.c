/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hex.h"
#include "base/out.h"

static void digits_of_either_case_are_read_and_nothing_else(void **state)
{
    int accepted = 0;

    (void)state;
    for (int c = -128; c < 128; c++) {
        int value = hex_digit((char)c);
        if (value < 0) continue;
        accepted += 1;
        assert_true((c >= '0' && c <= '9' && value == c - '0') || (c >= 'a' && c <= 'f' && value == c - 'a' + 10)
                    || (c >= 'A' && c <= 'F' && value == c - 'A' + 10));
    }
    assert_int_equal(accepted, 22);
}

/* clang-format off */
static const struct { const char *text; bool plain, prefixed; } texts[] = {
    { "00fF", true, true }, { "0x00fF", false, true }, { "0X00fF", false, false }, { "00f", false, false },
    { "00fF0", false, false }, { "00fFaa", false, false }, { "", false, false }, { "0x", false, false },
    { "00fg", false, false }, { " 0ff", false, false }, { "0x0xff", false, false }, { "x0ff", false, false },
};
/* clang-format on */

static void exactly_the_wanted_number_of_bytes_is_read(void **state)
{
    uint8_t bytes[2];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        if (hex_read(slice_of(texts[i].text), bytes, 2) != texts[i].plain) fail_msg("%s", texts[i].text);
        if (hex_read_0x(slice_of(texts[i].text), bytes, 2) != texts[i].prefixed) fail_msg("0x: %s", texts[i].text);
        if (texts[i].prefixed) assert_memory_equal(bytes, "\x00\xff", 2);
    }
    assert_true(hex_read(SLICE(""), bytes, 0));
}

static void what_is_written_is_read_back(void **state)
{
    uint8_t    bytes[256], again[256];
    char       text[512];
    struct out out = out_make(text, sizeof(text));

    (void)state;
    for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    out_hex(&out, bytes, sizeof(bytes));
    assert_false(out.overflow);
    assert_true(hex_read(out_slice(&out), again, sizeof(again)));
    assert_memory_equal(bytes, again, sizeof(bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_of_either_case_are_read_and_nothing_else),
        cmocka_unit_test(exactly_the_wanted_number_of_bytes_is_read),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests_name("hex", tests, NULL, NULL);
}
