/* SPDX-License-Identifier: MIT */
/*
 * console_log.h — one line per executed command on the terminal of a development exchange:
 *
 *     #4711 place vBTC_vUSDC buy 0.01 @ 100000 acct 1001 -> order 12 FILLED 0.01, 1 fill
 *
 * The engine's thread writes the lines into a ring, another thread prints them. Lines beyond the reading speed of a
 * person (or the ring's capacity) are counted instead of written, so they cost nothing under load.
 */
#ifndef PIPELINE_CONSOLE_LOG_H
#define PIPELINE_CONSOLE_LOG_H

#include "base/ring.h"
#include "model/events.h"
#include "model/genesis.h"

#define CONSOLE_LOG_LINES_PER_SECOND 50
#define CONSOLE_LOG_RING_BYTES       65536

struct console_log {
    const struct genesis *genesis;
    struct ring           lines;
    int64_t               second;  /* which one is being counted */
    uint32_t              printed; /* lines in it */
    uint64_t              skipped; /* commands since the last line that was written */
};

/* `memory`: CONSOLE_LOG_RING_BYTES, aligned. */
void console_log_init(struct console_log *console_log, const struct genesis *genesis, void *memory);

/*
 * The engine's thread: a command, its {"type":…,"params":…} as in the log, and its events. A TICK has a line when it
 * fired something. An operator's command without a text of its own is shown by its name and its params.
 */
void console_log_command(struct console_log *console_log, const struct command *command, struct slice signed_bytes,
                         const struct events *events);

/* The printing thread: prints what there is to stdout. */
void console_log_print(struct console_log *console_log);

#endif
