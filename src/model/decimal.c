/* SPDX-License-Identifier: MIT */
#include "model/decimal.h"

#include "base/fixed.h"

static struct decimal normalised(int64_t digits, uint32_t scale)
{
    while (scale > 0 && digits % 10 == 0) {
        digits /= 10;
        scale -= 1;
    }
    return (struct decimal){ digits, digits == 0 ? 0 : scale, 0 };
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Splits "[-]integer[.fraction]"; false when the text has another form. */
static bool split(struct slice text, bool *negative, struct slice *integer, struct slice *fraction)
{
    size_t i = 0, start;

    *negative = text.len != 0 && text.at[0] == '-';
    start = i = *negative ? 1 : 0;
    while (i < text.len && is_digit(text.at[i])) i++;
    *integer = slice_make(text.at + start, i - start);
    *fraction = slice_make("", 0);
    if (integer->len == 0) return false;
    if (integer->len > 1 && integer->at[0] == '0') return false;
    if (i == text.len) return true;
    if (text.at[i++] != '.') return false;
    start = i;
    while (i < text.len && is_digit(text.at[i])) i++;
    *fraction = slice_make(text.at + start, i - start);
    return fraction->len != 0 && i == text.len;
}

enum decimal_fault decimal_read(struct slice text, struct decimal *decimal)
{
    struct slice integer, fraction;
    bool         negative;
    int64_t      digits = 0;

    if (!split(text, &negative, &integer, &fraction)) return DECIMAL_SYNTAX;
    while (fraction.len != 0 && fraction.at[fraction.len - 1] == '0') fraction.len -= 1;
    if (integer.len == 1 && integer.at[0] == '0') integer.len = 0; /* "0.5": the zero is no digit */
    if (integer.len + fraction.len > DECIMAL_DIGITS_MAX) return DECIMAL_TOO_LONG;

    for (size_t i = 0; i < integer.len; i++) digits = digits * 10 + (integer.at[i] - '0');
    for (size_t i = 0; i < fraction.len; i++) digits = digits * 10 + (fraction.at[i] - '0');
    if (negative && digits == 0) return DECIMAL_SYNTAX; /* "-0" */
    *decimal = normalised(negative ? -digits : digits, (uint32_t)fraction.len);
    return DECIMAL_OK;
}

void decimal_write(struct out *out, struct decimal decimal)
{
    char     text[24];
    uint32_t at = sizeof(text), written = 0;
    uint64_t rest;

    decimal = normalised(decimal.digits, decimal.scale);
    assert(decimal.scale <= DECIMAL_DIGITS_MAX);
    rest = decimal.digits < 0 ? 0 - (uint64_t)decimal.digits : (uint64_t)decimal.digits;
    while (rest != 0 || written <= decimal.scale) {
        if (written == decimal.scale && decimal.scale != 0) text[--at] = '.';
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
        written += 1;
    }
    if (decimal.digits < 0) out_char(out, '-');
    out_bytes(out, text + at, sizeof(text) - at);
}

void wide_decimal_write(struct out *out, struct wide_decimal decimal)
{
    char      text[44];
    uint32_t  at = sizeof(text), written = 0;
    uint128_t rest = decimal.digits < 0 ? 0 - (uint128_t)decimal.digits : (uint128_t)decimal.digits;

    assert(decimal.scale <= DECIMAL_DIGITS_MAX);
    for (; decimal.scale > 0 && rest % 10 == 0; decimal.scale--) rest /= 10;
    while (rest != 0 || written <= decimal.scale) {
        if (written == decimal.scale && decimal.scale != 0) text[--at] = '.';
        text[--at] = (char)('0' + (unsigned)(rest % 10));
        rest /= 10;
        written += 1;
    }
    if (decimal.digits < 0) out_char(out, '-');
    out_bytes(out, text + at, sizeof(text) - at);
}

struct decimal decimal_make(int64_t units, int scale)
{
    assert(scale >= 0 && scale <= DECIMAL_DIGITS_MAX);
    return normalised(units, (uint32_t)scale);
}
