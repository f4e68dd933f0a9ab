/* SPDX-License-Identifier: MIT */
/*
 * clock.h — the clocks. Only app, pipeline, gateway, admin, diagnostics and io include this header; log/postgres calls
 * clock_gettime itself.
 */
#ifndef IO_CLOCK_H
#define IO_CLOCK_H

#include "base/base.h"

/* Unix milliseconds; they jump when the system's clock is set. */
int64_t clock_wall_ms(void);

/* Nanoseconds since some moment; never goes back. */
int64_t clock_mono_ns(void);

/* The same, going on while the machine sleeps. */
int64_t clock_boot_ns(void);

/* Processor time of the calling thread, nanoseconds. */
int64_t clock_thread_ns(void);

/* Nanoseconds since this process was started by the kernel (10 ms steps). */
int64_t clock_since_start_ns(void);

#endif
