/* SPDX-License-Identifier: MIT */
/*
 * decimal.h — a decimal number as the wire has it: value = digits * 10^-scale.
 *
 * A decimal that was read is normalised (no trailing zero digit unless the value is zero, then
 * digits = scale = 0), so the number of decimals that rules count is `scale` (ruling 5). Zero means
 * "not given" in requests: an explicit zero price, quantity or amount is refused by the reader.
 * The core turns a decimal into int64 units of its symbol or coin; nothing else computes with it.
 */
#ifndef MODEL_DECIMAL_H
#define MODEL_DECIMAL_H

#include "base/fixed.h"
#include "base/out.h"

struct decimal {
    int64_t  digits;
    uint32_t scale;    /* 0 .. 18 */
    uint32_t reserved; /* zero */
};
static_assert(sizeof(struct decimal) == 16, "reaches disk");

#define DECIMAL_DIGITS_MAX 18

/* A decimal that 64 bits may not hold, for sums of amounts; written only, never read. */
struct wide_decimal {
    int128_t digits;
    uint32_t scale; /* 0 .. 18 */
};

enum decimal_fault {
    DECIMAL_OK = 0,
    DECIMAL_SYNTAX,   /* not digits with at most one point between digits, optional '-' */
    DECIMAL_TOO_LONG, /* more than 18 significant digits, or more than 18 decimals */
};

/*
 * Reads plain notation: [-]digits[.digits]. No exponent, no '+', no leading zeros before another
 * digit, no empty part (ruling 5). Trailing zeros are accepted and stripped. "-0" is DECIMAL_SYNTAX.
 */
enum decimal_fault decimal_read(struct slice text, struct decimal *decimal) MUST_USE;

/* Writes the canonical form: no trailing zeros, no exponent, never "-0". */
void decimal_write(struct out *out, struct decimal decimal);

void wide_decimal_write(struct out *out, struct wide_decimal decimal);

/* The decimal of `units` * 10^-`scale`, normalised. */
struct decimal decimal_make(int64_t units, int scale);

/* The same without normalization, for values that are only written: writers omit trailing zeros. */
static inline struct decimal decimal_plain(int64_t units, uint32_t scale)
{
    return (struct decimal){ units, scale, 0 };
}

/*
 * The value in units of 10^-`scale`. False when it has more decimals than `scale` or does not fit
 * the magnitude `max` (then *units is no result).
 */
MUST_USE static inline bool decimal_to_units(struct decimal decimal, int scale, int64_t max, int64_t *units)
{
    assert(scale >= 0 && scale <= DECIMAL_DIGITS_MAX);
    *units = 0;
    if (decimal.scale > (uint32_t)scale) return false;
    if (__builtin_mul_overflow(decimal.digits, pow10_i64(scale - (int)decimal.scale), units)) return false;
    return (uint64_t)*units + (uint64_t)max <= 2 * (uint64_t)max;
}

static inline bool decimal_is_given(struct decimal decimal) { return decimal.digits != 0; }

#endif
