/* SPDX-License-Identifier: MIT */
/* fund.h — the insurance fund: unwinding of its positions, and events about its state. */
#ifndef CORE_LIQUIDATION_FUND_H
#define CORE_LIQUIDATION_FUND_H

#include "core/state/state.h"

/*
 * TICK step 9: sells part of the fund's positions; while the fund is unhealthy itself, all of them go to the other
 * side. True when the fund had any (mechanics 3.13).
 */
bool fund_keep(struct apply_context *ctx);

/* The venue is insolvent while the fund is below zero; withdrawals wait (mechanics 3.12). */
void fund_judge(struct apply_context *ctx);

#endif
