/* SPDX-License-Identifier: MIT */
/* margin.h — what the perps side of an account may give up. */
#ifndef CORE_MARGIN_H
#define CORE_MARGIN_H

#include "core/state.h"

/*
 * What may leave the wallet (mechanics 3.3: amw), vUSDC units, at least 0. Without positions and perps orders
 * that is the wallet itself.
 */
int64_t margin_withdrawable(struct engine *e, uint32_t slot);

#endif
