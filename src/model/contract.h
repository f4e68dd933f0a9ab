/* SPDX-License-Identifier: MIT */
/*
 * contract.h — what a perps symbol has beyond a spot symbol: margin tiers, funding terms, caps and the
 * parameters of its prices (mechanics 3, 11; ruling 31). Configuration and genesis fill it, contract_complete
 * derives the rest.
 */
#ifndef MODEL_CONTRACT_H
#define MODEL_CONTRACT_H

#include "model/text.h"

#define MARGIN_TIERS_MAX 8
#define LEVERAGE_MAX     125
#define FUNDING_ONE      INT64_C(1000000000000) /* premiums and funding rates are in units of 1e-12 */
#define FUNDING_HOUR_MS  INT64_C(3600000)

struct margin_tier {
    int64_t  max_notional; /* inclusive upper bound, quote units */
    int64_t  rate;         /* maintenance margin rate, 1e-8: 1 / (2 * max_leverage) */
    int64_t  deduction;    /* quote units; makes the margin continuous at the tier's lower bound */
    uint32_t max_leverage, reserved;
};

struct contract {
    struct name        base;          /* the underlying: a name only, not a coin of this exchange */
    uint32_t           tier_count;    /* 1 .. MARGIN_TIERS_MAX, ascending max_notional */
    uint32_t           init_leverage; /* of an account that never chose one */
    struct margin_tier tiers[MARGIN_TIERS_MAX];
    int64_t            open_interest_cap;        /* base units, 0 = none */
    int64_t            open_interest_cap_value;  /* quote units at mark, 0 = none */
    int64_t            interest_rate;            /* per 8 hours, 1e-8 */
    int64_t            funding_clamp;            /* of interest - premium, per 8 hours, 1e-8; 0 = 0.0005 */
    int64_t            max_funding, min_funding; /* per hour, 1e-8; max 0 = min(0.04, mmr_0 / 2) */
    int64_t            mark_step_cap;            /* per TICK, 1e-8; 0 = mmr_0 / 2 */
    int64_t            mark_band;                /* around the index, 1e-8; 0 = 1 / maxLeverage_0 */
    int64_t            impact_notional;          /* quote units; 0 = 200 vUSDC * maxLeverage_0 */
    uint32_t           spot_symbol_id, reserved; /* spot symbol whose book replaces feeders, 0 = none */
    int64_t            spot_impact_notional;     /* quote units that must be in that book */
    int64_t            fund_max_inventory;       /* notional the fund may hold; 0 = 2 % of the cap */
};

#endif
