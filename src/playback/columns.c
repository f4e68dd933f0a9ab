/* SPDX-License-Identifier: MIT */
#include "playback/columns.h"

uint32_t columns_split(struct slice line, uint32_t cap, struct slice values[])
{
    uint32_t count = 0;

    assert(cap <= COLUMNS_MAX);
    if (line.len != 0 && line.at[line.len - 1] == '\r') line.len--;
    for (;;) {
        const char *comma = line.len == 0 ? NULL : memchr(line.at, ',', line.len);
        size_t      len = comma == NULL ? line.len : (size_t)(comma - line.at);

        if (count == cap) return COLUMNS_MAX + 1;
        values[count++] = slice_make(line.at, len);
        if (comma == NULL) return count;
        line = slice_make(comma + 1, line.len - len - 1);
    }
}

bool columns_integer(struct slice value, int64_t *integer)
{
    struct decimal decimal;

    *integer = 0;
    if (decimal_read(value, &decimal) != DECIMAL_OK || decimal.scale != 0) return false;
    *integer = decimal.digits;
    return true;
}

/* digits * 10^(exponent - scale), where it has at most 18 digits and 18 decimals. */
static bool shift(struct decimal *decimal, int64_t exponent)
{
    int64_t scale = (int64_t)decimal->scale - exponent, digits = decimal->digits;

    if (exponent < -18 || exponent > 18 || scale > DECIMAL_DIGITS_MAX) return false;
    if (scale < 0 && __builtin_mul_overflow(digits, pow10_i64((int)-scale), &digits)) return false;
    *decimal = decimal_make(digits, (int)max_i64(scale, 0));
    return true;
}

/* "-05", "7". */
static bool read_exponent(struct slice text, int64_t *exponent)
{
    bool negative = text.len != 0 && text.at[0] == '-';

    if (negative) text = slice_make(text.at + 1, text.len - 1);
    while (text.len > 1 && text.at[0] == '0') text = slice_make(text.at + 1, text.len - 1);
    if (!columns_integer(text, exponent) || *exponent < 0) return false;
    if (negative) *exponent = -*exponent;
    return true;
}

bool columns_decimal(struct slice value, struct decimal *decimal)
{
    const char *e = value.len == 0 ? NULL : memchr(value.at, 'e', value.len);
    int64_t     exponent = 0;

    if (e == NULL && value.len != 0) e = memchr(value.at, 'E', value.len);
    if (e != NULL) {
        struct slice text = slice_make(e + 1, (size_t)(value.at + value.len - e - 1));

        if (text.len != 0 && text.at[0] == '+') text = slice_make(text.at + 1, text.len - 1);
        if (!read_exponent(text, &exponent)) return false;
        value.len = (size_t)(e - value.at);
    }
    if (decimal_read(value, decimal) != DECIMAL_OK || decimal->digits < 0) return false;
    return exponent == 0 || shift(decimal, exponent);
}

bool columns_refuse(char why[PLAYBACK_WHY_BYTES], const char *problem, struct slice value)
{
    struct out out = out_make(why, PLAYBACK_WHY_BYTES - 1);

    out_text(&out, problem);
    if (value.len != 0) out_literal(&out, ": ");
    for (size_t i = 0; i < min_size(value.len, 60); i++)
        out_char(&out, value.at[i] >= ' ' && value.at[i] <= '~' ? value.at[i] : '?');
    why[out.len] = '\0';
    return false;
}
