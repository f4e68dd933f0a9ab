/* SPDX-License-Identifier: MIT */
#include "base/fixed.h"

int64_t pow10_i64(int n)
{
    static const int64_t power[19] = {
        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
        10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
        1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
    };
    assert(n >= 0 && n <= 18);
    return power[n];
}

int128_t notional_floor(int64_t price, int64_t quantity, int k)
{
    int128_t product = (int128_t)price * quantity;
    return k >= 0 ? product * pow10_i64(k) : div_floor(product, pow10_i64(-k));
}

int128_t notional_ceil(int64_t price, int64_t quantity, int k)
{
    int128_t product = (int128_t)price * quantity;
    return k >= 0 ? product * pow10_i64(k) : div_ceil(product, pow10_i64(-k));
}
