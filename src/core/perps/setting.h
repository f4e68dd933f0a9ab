/* SPDX-License-Identifier: MIT */
/* setting.h — leverage and margin mode, and the margin of an isolated position (service 4.6; mechanics 3.1, 3.5). */
#ifndef CORE_PERPS_SETTING_H
#define CORE_PERPS_SETTING_H

#include "core/book/filter.h"
#include "core/perps/position.h"

void setting_leverage(struct apply_context *ctx, uint32_t slot, const struct update_leverage *command,
                      struct result *result);
/* Appends LEVERAGE. */
void setting_emit(struct apply_context *ctx, const struct position *position);

void setting_margin(struct apply_context *ctx, uint32_t slot, const struct update_margin *command,
                    struct result *result);

#endif
