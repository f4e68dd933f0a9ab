/* SPDX-License-Identifier: MIT */
/*
 * program_log.h — messages of the program about itself: text on a terminal, one JSON object per line otherwise. Never
 * keys, never signatures. Everything goes to stderr; stdout belongs to the banner.
 */
#ifndef DIAGNOSTICS_PROGRAM_LOG_H
#define DIAGNOSTICS_PROGRAM_LOG_H

#include "base/slice.h"

/* Exit codes (ruling 52). */
/* clang-format off */
enum exit_code {
    EXIT_FINE = 0, EXIT_GENERAL = 1, EXIT_USAGE = 2, EXIT_IN_USE = 69, EXIT_DAMAGE = 70, EXIT_DISK = 74,
        EXIT_CONFIG = 78,
    EXIT_STOPPED = 256,                 /* a signal came during the start: main() makes 0 of it */
};
/* clang-format on */

enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };

/* Chooses the form by looking at stderr; `quiet` leaves only warnings and errors. */
void log_init(bool quiet);

/* One line. Any thread. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says in one line why the program ends, "dojima: …", as text, and returns the code. */
int complain(enum exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The last message of complain(), by the calling program; "" = none. */
const char *complained(void);

/*
 * Progress of long work: on a terminal it rewrites one line a few times a second, and a service manager (notify_open)
 * is told each second, and waits on. `done` withdraws both.
 */
void progress(const char *what, uint64_t part, uint64_t whole);
void progress_done(void);

#endif
