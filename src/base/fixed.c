/* SPDX-License-Identifier: MIT */
#include "base/fixed.h"

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
