/* SPDX-License-Identifier: MIT */
/*
 * convert_results.h — what the version that wrote a log made of it, as that version prints it with `dojima log
 * --scenario`, and where today's results are others.
 */
#ifndef APP_CLI_CONVERT_RESULTS_H
#define APP_CLI_CONVERT_RESULTS_H

#include "io/lines.h"
#include "log/log.h"

struct results {
    const char  *path;
    struct lines lines;           /* of the file; not open: none was given */
    uint64_t     others, effects; /* commands with another result; with the same result and another effect */
    uint64_t     ticks;           /* TICKs that did nothing, then as now, with other prices */
};

/* Opens the file of a log with this genesis. EXIT_FINE, or the reason was printed. results_close follows in any case.
 */
int  results_open(struct results *results, const char *path, struct slice genesis_json) MUST_USE;
void results_close(struct results *results);

/* A command of the log as it runs now. */
struct results_command {
    const struct log_record *record;
    const struct events     *now, *as_before; /* its events; the same in the form of the version that wrote the log */
    bool                     is_transaction;  /* false: refused, or a TICK that did nothing */
};

/*
 * The next command of the log: prints a line, or several, when its results or events differ. EXIT_FINE; EXIT_DAMAGE,
 * with the reason printed, when the file describes another command.
 */
int results_compare(struct results *results, const struct results_command *command) MUST_USE;

/* Behind the last command: EXIT_FINE when the file ends there too. */
int results_end(struct results *results) MUST_USE;

#endif
