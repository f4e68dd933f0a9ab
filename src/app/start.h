/* SPDX-License-Identifier: MIT */
/*
 * start.h — the start of an exchange up to the point where it could serve: folder, log, replay, history, listener.
 * Threads start after that (threads.h). Every failure prints one line and returns its exit code.
 */
#ifndef APP_START_H
#define APP_START_H

#include "app/instance.h"

/* A zeroed instance; NULL when memory is short. */
struct instance *instance_take(void);

/* EXIT_FINE, or the code whose reason was printed. instance_close follows either way, and frees it. */
int  instance_open(struct instance *instance, const struct options *options);
void instance_close(struct instance *instance);

/* Where log and exchange stand, while no thread of theirs runs. */
struct audit_position instance_position(const struct instance *instance);

uint16_t instance_port(const struct instance *instance);

/* Resources of the process, for /metrics; from one thread at a time. */
void instance_look(struct instance *instance);

#endif
