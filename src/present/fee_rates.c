/* SPDX-License-Identifier: MIT */
#include "present/fee_rates.h"
#include "rules/fee.h"

struct fee_rates fee_rates_of(const struct fee_table *table, const struct symbol *symbol, struct view_fee_tier tier)
{
    const struct fee_row *row = &table->tiers[tier.tier];
    int64_t          staking = table->staking_discount[tier.staking], off = symbol != NULL ? symbol->fee_discount : 0;
    int64_t          rebate = table->rebate_rate[tier.rebate];
    struct fee_rates rates = { row->maker, row->taker };

    if (symbol != NULL)
        rates = (struct fee_rates){ fee_tier_rate(tier.tier, symbol->maker_fee, row->maker),
                                    fee_tier_rate(tier.tier, symbol->taker_fee, row->taker) };
    rates.maker = rebate != 0 ? rebate : fee_effective(rates.maker, staking, off);
    rates.taker = fee_effective(rates.taker, staking, off);
    return rates;
}
