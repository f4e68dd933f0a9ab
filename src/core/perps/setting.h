/* SPDX-License-Identifier: MIT */
/* setting.h — leverage and margin mode, and the margin of an isolated position (service 4.6; mechanics 3.1, 3.5). */
#ifndef CORE_PERPS_SETTING_H
#define CORE_PERPS_SETTING_H

#include "core/book/filter.h"
#include "core/perps/position.h"

/*
 * POST /trade/leverage: sets leverage and margin mode of the account's row in the symbol, where it has neither a
 * position nor an open order (mechanics 3.1), and appends LEVERAGE. Else *result has the refusal.
 */
void setting_leverage(struct apply_context *ctx, uint32_t slot, const struct update_leverage *command,
                      struct result *result);
/* Appends LEVERAGE. */
void setting_emit(struct apply_context *ctx, const struct position *position);

/*
 * POST /trade/margin: moves an amount of vUSDC from the wallet into the bucket of an isolated position, or out of it
 * when the amount is below 0, at most the removable margin (mechanics 3.5), and appends POSITION. Else *result has the
 * refusal.
 */
void setting_margin(struct apply_context *ctx, uint32_t slot, const struct update_margin *command,
                    struct result *result);

#endif
