/* SPDX-License-Identifier: MIT */
/*
 * schedule.h — the dead man's switch: cancel everything at a time (mechanics 6; service 4.3, service 4.6).
 *
 * Due times are a binary heap of account slots by (fire time, account id). The daily counter is lazy:
 * it means nothing once its day is over, so midnight needs no work.
 */
#ifndef CORE_ENGINE_SCHEDULE_H
#define CORE_ENGINE_SCHEDULE_H

#include "core/state/state.h"

#define SCHEDULE_DELAY_MIN_MS 5000

/* Sets, replaces or clears the account's scheduled cancel. */
void schedule_apply(struct apply_context *ctx, uint32_t slot, const struct schedule_cancel *command,
                    struct result *result);

/* Fires every scheduled cancel that is due, by time, then account id. */
void schedule_fire_due(struct apply_context *ctx);

/* When the first one is due; INT64_MAX = none. */
int64_t schedule_due_ms(const struct engine *e);

/* How many are due up to `until_ms`; looks at each. */
uint64_t schedule_due_count(const struct engine *e, int64_t until_ms);

void schedule_verify(const struct engine *e);

#endif
