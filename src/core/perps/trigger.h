/* SPDX-License-Identifier: MIT */
/*
 * trigger.h — fires armed stops whose trigger price is reached (mechanics 4.1, 4.2, 4.7). They are collected first and
 * executed one after the other, never inside another order's matching, with a bound per command; the rest continues
 * with the next TICK, which is then due at once (ruling 61).
 */
#ifndef CORE_PERPS_TRIGGER_H
#define CORE_PERPS_TRIGGER_H

#include "core/perps/perps_take.h"

/* After a command: the markets that printed a trade, and the stops that have just been armed. True when some fired. */
bool trigger_after_command(struct apply_context *ctx);

/* In a TICK: mark and index of every symbol, then the stop-markets that are tried again. */
void trigger_tick(struct apply_context *ctx, bool goes_on);

#endif
