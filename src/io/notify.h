/* SPDX-License-Identifier: MIT */
/*
 * notify.h — messages to a service manager (sd_notify(3), without its library): one datagram to the socket that
 * NOTIFY_SOCKET names; none when the variable is unset.
 */
#ifndef IO_NOTIFY_H
#define IO_NOTIFY_H

#include "base/base.h"

/* Opens the socket, before a start that may take long, and before the sandbox is closed. */
void notify_open(void);

/* "READY=1", "WATCHDOG=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=…", "STATUS=…"; several in one go are lines. */
void notify_say(const char *state);

/* Milliseconds within which WATCHDOG=1 is expected again and again (WATCHDOG_USEC, for this process); 0 = it is not. */
int64_t notify_watchdog_ms(void);

#endif
