/* SPDX-License-Identifier: MIT */
/*
 * quiet.h — when an idle exchange may leave out the TICK of a second (ruling 28, invariant 67).
 *
 * The exchange is quiet when no command was accepted since the last TICK, no work waits for another one, and all
 * further movement of prices is a function of time. Then TICKs may be up to a minute apart; the next one makes up for
 * the seconds in between, one by one, so that the state is the same as if each second had had its own TICK.
 */
#ifndef CORE_ENGINE_QUIET_H
#define CORE_ENGINE_QUIET_H

#include "core/state/state.h"

/* a larger gap in time is a jump (ruling 43) */
bool quiet_judge(const struct engine *e);

/* When the next TICK is wanted while it is: the next minute, or the first second in which a post no longer counts. */
int64_t quiet_until_ms(const struct engine *e);

#endif
