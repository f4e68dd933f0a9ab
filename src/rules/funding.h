/* SPDX-License-Identifier: MIT */
/* funding.h — premium samples, the hourly rate and what a position pays (mechanics 3.10; E11). Rates in 1e-12. */
#ifndef RULES_FUNDING_H
#define RULES_FUNDING_H

#include "base/fixed.h"
#include "model/contract.h"

/* The average price of trading a notional into one side of a book, fed level by level from the best. */
struct impact {
    int128_t notional, left; /* quote units: wanted, not found yet */
    int128_t base;           /* quantity gone through */
    int      power;
    int64_t  price; /* the answer once `left` is 0 */
};
struct impact impact_of(int64_t notional, int power);
/* Takes a level; false when that was enough and impact->price is set (floor). */
bool impact_add(struct impact *impact, int64_t price, int64_t quantity);

/* trunc((max(0, bid - index) - max(0, index - ask)) * 1e12 / index); a missing depth is 0 and adds nothing. */
int64_t funding_premium(int64_t index, int64_t impact_bid, int64_t impact_ask);

/* The hourly rate of `count` samples that sum to `sum`: interest,
   clamp, an eighth, cap. No sample: 0. The contract is complete. */
int64_t funding_rate(const struct contract *contract, int128_t sum, uint32_t count);

/* What a position of this notional pays at a rate (> 0) or gets (< 0): payer up, receiver down. */
int128_t funding_payment(int128_t notional, bool is_long, int64_t rate);

#endif
