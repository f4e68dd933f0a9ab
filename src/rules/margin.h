/* SPDX-License-Identifier: MIT */
/*
 * margin.h — the needs of a position and its orders: tiers, maintenance and initial margin, the worst case of open
 * orders, the amount that may be withdrawn (mechanics 3.2 to 3.5). Pure integer arithmetic over plain structs, used by
 * the engine's decisions and by the reads.
 *
 * Prices and sizes are in the symbol's units, money in units of vUSDC. `power` is k of mechanics 1.2. Results are as
 * wide as their products; the engine keeps notionals within AMOUNT_MAX.
 */
#ifndef RULES_MARGIN_H
#define RULES_MARGIN_H

#include "base/fixed.h"
#include "model/contract.h"

static inline int128_t margin_max(int128_t a, int128_t b) { return a > b ? a : b; }
static inline int128_t margin_min(int128_t a, int128_t b) { return a < b ? a : b; }
static inline int64_t  size_abs(int64_t size) { return size < 0 ? -size : size; }

/* Fills rate and deduction of every tier from its bound and leverage, and the defaults that follow from them. */
void contract_complete(struct contract *contract, int64_t coin_unit);

/* Preconditions of contract_complete: one sentence, or NULL. */
const char *contract_check_tiers(const struct contract *contract);

/*
 * The error of a contract as one sentence, or NULL: order of tiers, ranges, and the no-gap envelope (mechanics 3.9:
 * mark_step_cap <= mmr_0 / 2, max_funding <= mmr_0 / 2). The contract is complete.
 */
const char *contract_check(const struct contract *contract);

/* The tier of a notional: the first with notional <= its bound, else the last. */
uint32_t margin_tier(const struct contract *contract, int128_t notional);

/* Whether a tier holds a notional and allows a leverage (mechanics 3.2). */
static inline bool margin_tier_allows(const struct contract *contract, int128_t notional, uint32_t leverage)
{
    const struct margin_tier *tier = &contract->tiers[0];

    assert(notional >= 0 && leverage >= 1);
    if (notional > tier->max_notional) tier = &contract->tiers[margin_tier(contract, notional)];
    return notional <= tier->max_notional && leverage <= tier->max_leverage;
}

/* MM(N) = max(0, ceil(N * mmr_i) - ded_i). */
int128_t margin_maintenance(const struct contract *contract, int128_t notional);

/* IM(N) = ceil(N / L). */
static inline int128_t margin_initial(int128_t notional, uint32_t leverage) { return div_ceil(notional, leverage); }

/* u = sign(q) * N(mark, |q|) - C. */
int128_t margin_profit(int64_t mark, int64_t size, int128_t cost, int power);

/*
 * The worst case of the open orders of one side that are not reduce-only (mechanics 3.4), fed in execution
 * priority: buys from the highest price, sells from the lowest. The first `skip` of volume would close.
 */
struct margin_need {
    int128_t total;
    int64_t  skip; /* volume that still closes */
    /* m of mechanics 3.4: the worst price for the opening side (ruling 63); rate in 1e-8, at least 0 */
    int64_t  worst, taker_rate;
    uint32_t leverage;
    int      power;
    bool     buy;
};
/* Adds an order of `open` at its price (a market order: its bound); returns its own contribution. */
int128_t margin_need_add(struct margin_need *need, int64_t price, int64_t open);

/* IMreq of a cross symbol from both sides' needs: max(posIM + need of the side that adds, need of the other one). The
   sides change places by a mask, because a branch on which way a position goes is wrong every other time. */
static inline int128_t margin_required(int64_t size, int128_t position_initial, int128_t need_buy, int128_t need_sell)
{
    int128_t swapped = (need_buy ^ need_sell) & (int128_t)(size >> 63);

    return size == 0 ? margin_max(need_buy, need_sell)
                     : margin_max(position_initial + (need_buy ^ swapped), need_sell ^ swapped);
}

/*
 * The amount that may be taken out of an isolated bucket: min(doc, guard) of mechanics 3.5, u at `worst` (ruling 63),
 * the margin at `mark`.
 */
int128_t margin_removable(int64_t worst, int64_t mark, int64_t size, int128_t cost, int64_t bucket, uint32_t leverage,
                          int power);

/* The mark at which cash + u == MM, rounded to the tick towards the early side; 0 = none (mechanics 3.11). */
int64_t margin_liquidation_price(const struct contract *contract, int64_t size, int128_t cost, int128_t cash,
                                 int64_t tick, int power);

#endif
