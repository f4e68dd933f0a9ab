/* SPDX-License-Identifier: MIT */
/*
 * copy_log.c — dojima copy-log: the log of a folder into a database, or back, batch for batch. What the target holds
 * already must be the beginning of the source. At the end both are read again from the first batch, each checked
 * against its own hashes, and compared.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/log_copy.h"
#include "diagnostics/program_log.h"
#include "io/folder.h"
#include "io/signals.h"

#include <stdio.h>

/* What a copy that ends before its end leaves: the beginning of the source, nothing else (decision 148). */
static int tell_rest(const struct log_copy *copy, int code)
{
    if (code == EXIT_FINE || code == EXIT_STOPPED) return code;
    return complain(
        (enum exit_code)code,
        "the copy is not whole: %s holds at least the first %lu batches of %s; the same command, once what stopped "
        "it is gone, continues behind them and compares all",
        copy->to.replay.path, (unsigned long)(copy->found + copy->added), copy->from.replay.path);
}

/* `held`: batches of the target that are those of the source; the comparison at the end counts from 0 again. */
static int tell_stopped(const struct log_copy *copy, uint64_t held)
{
    return complain(EXIT_GENERAL,
                    "a signal stopped the copy: %s holds at least the first %lu batches of %s, %lu of them copied now; "
                    "the same command continues behind them and compares all",
                    copy->to.replay.path, (unsigned long)held, copy->from.replay.path, (unsigned long)copy->added);
}

static int copy_all(struct log_copy *copy)
{
    int      code = log_copy_open(copy);
    uint64_t held;

    if (code == EXIT_FINE) code = log_copy_check_no_leader(copy);
    if (code == EXIT_FINE) code = log_copy_compare(copy);
    if (code == EXIT_FINE) code = tell_rest(copy, log_copy_append(copy));
    held = copy->found + copy->added;
    if (code == EXIT_FINE) code = log_copy_check(copy);
    if (code == EXIT_STOPPED) code = tell_stopped(copy, held);
    if (code == EXIT_FINE)
        (void)printf(
            "batches    %lu, of them %lu copied now with %lu commands\ncompared   all, the hashes of both logs "
            "agree with their contents\n",
            (unsigned long)copy->found, (unsigned long)copy->added, (unsigned long)copy->commands);
    log_copy_close(copy);
    return code;
}

int command_copy_log(int argc, char **argv)
{
    struct log_copy       copy = { .from.replay.lock = -1, .to.replay.lock = -1 };
    const struct argument rows[] = {
        { "one-machine", ARGUMENT_FLAG, 0, &copy.one_machine, "",
          "Write to a database without synchronous_standby_names, which keeps the log on one machine only." },
    };
    const struct arguments arguments = {
        "copy-log",
        "…",
        "FROM TO: copies a log from a data folder to a database (postgres://…) or back; what TO holds must be the "
        "beginning of FROM, and the copy continues behind it.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (argc - operand != 2) return complain(EXIT_USAGE, "copy-log: name a source and a target");
    copy.from.place = argv[operand];
    copy.to.place = argv[operand + 1];
    if (folder_is_same(copy.from.place, copy.to.place))
        return complain(EXIT_USAGE, "copy-log: the source and the target are the same folder");
    log_init(false);
    signals_block(); /* a signal ends it between two batches, where it can say how far it came */
    return copy_all(&copy);
}
