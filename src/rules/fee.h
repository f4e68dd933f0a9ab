/* SPDX-License-Identifier: MIT */
/* fee.h — what rate a fill pays (mechanics 2.6): for the engine, which
   charges it, and for the reads, which show it. Rates are 1e-8. */
#ifndef RULES_FEE_H
#define RULES_FEE_H

#include "base/fixed.h"

/*
 * eff = ceil(rate * (1 - staking) * (1 - symbol)), at most `rate`; a rebate (a rate below zero) takes no discount.
 * Discounts are in [0, RATE_ONE].
 */
int64_t fee_effective(int64_t rate, int64_t staking_discount, int64_t symbol_discount);

/* The symbol's own rate is its tier-0 rate; a higher tier never makes it worse (ruling 32). */
static inline int64_t fee_tier_rate(uint32_t tier, int64_t of_symbol, int64_t of_tier)
{
    return tier == 0 ? of_symbol : min_i64(of_symbol, of_tier);
}

#endif
