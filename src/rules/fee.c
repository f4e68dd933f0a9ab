/* SPDX-License-Identifier: MIT */
#include "rules/fee.h"

int64_t fee_effective(int64_t rate, int64_t staking_discount, int64_t symbol_discount)
{
    int128_t product, effective;

    assert(staking_discount >= 0 && staking_discount <= RATE_ONE);
    assert(symbol_discount >= 0 && symbol_discount <= RATE_ONE);
    if (rate <= 0) return rate; /* rebates take no discount */
    product = (int128_t)rate * (RATE_ONE - staking_discount) * (RATE_ONE - symbol_discount);
    effective = div_ceil(product, (int128_t)RATE_ONE * RATE_ONE);
    assert(effective >= 0 && effective <= rate); /* a discount never makes it dearer */
    return (int64_t)effective;
}
