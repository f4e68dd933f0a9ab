/* SPDX-License-Identifier: MIT */
/*
 * digits.h — decimal digits of a number without a division per digit: eight digits are split in one register, first
 * into fours, then twos, then ones, and stored at once.
 *
 * Every function writes from `at` on and returns the end of its output. It may overwrite up to DIGITS_ROOM bytes from
 * `at`; bytes beyond the returned end are undefined.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include "base/base.h"

#define DIGITS_ROOM 32

/* The digits of a value below 10^8, a byte each, the first one lowest; values, not characters. */
static inline uint64_t digits_part(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f); /* each / 100, below 10^4 */
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f); /* each / 10, below 100 */

    return tens | (twos - tens * 10) << 8;
}

#define DIGITS_ZEROS UINT64_C(0x3030303030303030)

/* All eight, zeros in front included. */
static inline char *digits_eight(char *at, uint32_t value)
{
    uint64_t text = digits_part(value) | DIGITS_ZEROS;

    memcpy(at, &text, 8);
    return at + 8;
}

/* Without zeros in front; 0 is "0". */
static inline char *digits_short(char *at, uint32_t value)
{
    uint64_t digits = digits_part(value), text;
    int      zeros = __builtin_ctzll(digits | UINT64_C(1) << 56) & ~7;

    text = (digits | DIGITS_ZEROS) >> zeros;
    memcpy(at, &text, 8);
    return at + 8 - zeros / 8;
}

static inline char *digits_u64(char *at, uint64_t value)
{
    uint64_t upper;

    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 100000000) return digits_short(at, (uint32_t)value);
    upper = value / 100000000;
    if (upper < 100000000) at = digits_short(at, (uint32_t)upper);
    else at = digits_eight(digits_short(at, (uint32_t)(upper / 100000000)), (uint32_t)(upper % 100000000));
    return digits_eight(at, (uint32_t)(value % 100000000));
}

static inline char *digits_i64(char *at, int64_t value)
{
    if (value >= 0) return digits_u64(at, (uint64_t)value);
    *at = '-';
    return digits_u64(at + 1, 0 - (uint64_t)value); /* also right for INT64_MIN */
}

/* Digits that stand behind a point, without the zeros at their end; value is below 10^8 and not 0. */
static inline char *digits_behind(char *at, uint32_t value)
{
    uint64_t digits = digits_part(value), text = digits | DIGITS_ZEROS;

    memcpy(at, &text, 8);
    return at + 8 - __builtin_clzll(digits) / 8;
}

/* Four bytes as eight hex digits, lower case. */
static inline char *digits_hex4(char *at, const uint8_t bytes[4])
{
    uint64_t x, above;

    x = (uint64_t)bytes[0] | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 32 | (uint64_t)bytes[3] << 48;
    x = (x >> 4 & UINT64_C(0x000f000f000f000f)) | (x & UINT64_C(0x000f000f000f000f)) << 8; /* a nibble each */
    above = (x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);        /* 1 where it is a letter */
    x += DIGITS_ZEROS + above * ('a' - '0' - 10);
    memcpy(at, &x, 8);
    return at + 8;
}

#endif
