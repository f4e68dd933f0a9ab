/* SPDX-License-Identifier: MIT */
/*
 * fixed.h — integer arithmetic that names its rounding direction. The program uses no floating point.
 *
 * Products of two int64 use 128 bits; the largest ones are listed in mechanics 1.1 and stay below 1.7e38. Every
 * division is a floor or a ceiling, and its name says which.
 */
#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include "base/base.h"

#define RATE_ONE 100000000 /* rates are in units of 1e-8 (mechanics 1.1, R8) */

/* 10^n for 0 <= n <= 18. */
static inline int64_t pow10_i64(int n)
{
    /* clang-format off */
    static const int64_t power[19] = {
        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
        10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
        1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
    };
    /* clang-format on */
    assert(n >= 0 && n <= 18);
    return power[n];
}

/*
 * Quotients of a >= 0 by b > 0. A numerator that fits 64 bits (nearly all do) is divided there: a 128-bit division is
 * a function call.
 */
static inline int128_t div_floor(int128_t a, int128_t b)
{
    assert(a >= 0 && b > 0);
    return ((uint128_t)a | (uint128_t)b) >> 64 == 0 ? (int128_t)((uint64_t)a / (uint64_t)b) : a / b;
}
static inline int128_t div_ceil(int128_t a, int128_t b)
{
    assert(a >= 0);
    return div_floor(a + b - 1, b);
}

/* The product of two values >= 0 when it has 63 bits, as nearly all fees do: so the rounding term has room. */
static inline bool rate_product(int64_t amount, int64_t rate, uint64_t *product)
{
    int64_t is;

    if ((amount | rate) < 0 || __builtin_mul_overflow(amount, rate, &is)) return false;
    *product = (uint64_t)is;
    return true;
}

/* a * rate / 1e8 for amounts and rates that are not negative (mechanics 1.3: fees ceil, rebates floor). */
static inline int64_t rate_ceil(int64_t amount, int64_t rate)
{
    uint64_t product;

    return rate_product(amount, rate, &product) ? (int64_t)((product + RATE_ONE - 1) / RATE_ONE)
                                                : (int64_t)div_ceil((int128_t)amount * rate, RATE_ONE);
}

static inline int64_t rate_floor(int64_t amount, int64_t rate)
{
    uint64_t product;

    return rate_product(amount, rate, &product) ? (int64_t)(product / RATE_ONE)
                                                : (int64_t)div_floor((int128_t)amount * rate, RATE_ONE);
}

/*
 * Notional of price * quantity in quote units (mechanics 1.2):
 *     k = precision(quote) - pricePrecision - quantityPrecision
 *     N = P * x * 10^k          when k >= 0
 *     N = P * x / 10^-k         else, floor (trades) or ceil (holds)
 * The result is wider than an amount: callers refuse what is above AMOUNT_MAX before they narrow it.
 */
int128_t notional_floor(int64_t price, int64_t quantity, int k);
int128_t notional_ceil(int64_t price, int64_t quantity, int k);

#endif
