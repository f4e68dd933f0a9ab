/* SPDX-License-Identifier: MIT */
/*
 * clock_advance.h — requested advances of the clock (rulings 43, 44): judged on the engine's thread when all earlier
 * commands have been applied, and answered when everything that it made due has been applied too. No client sees the
 * new time before.
 */
#ifndef PIPELINE_CLOCK_ADVANCE_H
#define PIPELINE_CLOCK_ADVANCE_H

#include "pipeline/server.h"

#define ADVANCE_INSTANTS_MAX 10000 /* whole hours and scheduled cancels on the way */

/* The advance that waits: logs it, or refuses it without a trace. Returns 1, the work that was done. */
uint32_t clock_advance_judge(struct server *server, int64_t clock_ms);

/*
 * A batch has just happened. True when its only reply is that of an advance that is not over: it is kept. When
 * the advance is over, shows its time to the gateways and lets the reply go.
 */
bool clock_advance_holds_reply(struct server *server);

#endif
