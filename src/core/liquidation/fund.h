/* SPDX-License-Identifier: MIT */
/* fund.h — what the insurance fund does with positions it had to take, and what is said while it is below zero. */
#ifndef CORE_LIQUIDATION_FUND_H
#define CORE_LIQUIDATION_FUND_H

#include "core/state/state.h"

/* TICK step 9: sells some of what the fund holds; while it is unhealthy itself, all of it goes to the other side.
   True when the fund had anything (mechanics 3.13). */
bool fund_keep(struct apply_context *ctx);

/* The venue is insolvent while the fund is below zero; withdrawals wait (mechanics 3.12). */
void fund_judge(struct apply_context *ctx);

#endif
