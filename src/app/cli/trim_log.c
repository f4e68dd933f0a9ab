/* SPDX-License-Identifier: MIT */
/*
 * trim_log.c — dojima trim-log: removes the beginning of a shared log from its database, after it was copied to an
 * archive and compared there (decision 133). Whatever ends it before, nothing is lost, and it can be repeated.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/log_copy.h"
#include "diagnostics/program_log.h"

#include <errno.h>
#include <stdio.h>

struct trimming {
    const char          *url, *archive, *without;
    uint64_t             below;
    bool                 only_plan;
    struct log_trim     *trim;
    struct log_trim_plan plan;
    struct log_copy      copy;
};

static int failed(enum log_fault fault, const struct log_report *report)
{
    if (fault == LOG_IO) return complain(EXIT_DISK, "trim-log: %s", report->text);
    return complain(report->error == EWOULDBLOCK ? EXIT_IN_USE : EXIT_GENERAL, "trim-log: %s", report->text);
}

static int copy_rows(struct trimming *trimming)
{
    struct log_copy *copy = &trimming->copy;
    int              code;

    *copy = (struct log_copy){ .from = { .place = trimming->url, .replay.lock = -1 },
                               .to = { .place = trimming->archive, .replay.lock = -1 },
                               .by_owner = true,
                               .until = trimming->plan.row };
    code = log_copy_open(copy);
    if (code == EXIT_FINE) code = log_copy_compare(copy);
    if (code == EXIT_FINE) code = log_copy_append(copy);
    if (code == EXIT_FINE) code = log_copy_check(copy);
    if (code == EXIT_FINE)
        (void)printf(
            "archive    %s: %lu batches, of them %lu copied now with %lu commands; compared with the database\n",
            trimming->archive, (unsigned long)copy->found, (unsigned long)copy->added, (unsigned long)copy->commands);
    (void)fflush(stdout);
    return code;
}

static int remove_rows(struct trimming *trimming)
{
    const struct log_copy   *copy = &trimming->copy;
    const struct log_trimmed gone = { .row = trimming->plan.row, .batches = copy->found, .digest = copy->digest };
    struct log_report        report;
    uint64_t                 removed;
    enum log_fault fault = log_trim_apply(trimming->trim, gone.row, &copy->until_hash, &gone, &removed, &report);

    if (fault != LOG_OK) return failed(fault, &report);
    (void)printf("removed    %lu rows; the log in the database begins at row %lu\n", (unsigned long)removed,
                 (unsigned long)gone.row);
    return EXIT_FINE;
}

static int trim_as_planned(struct trimming *trimming)
{
    const struct log_trim_plan *plan = &trimming->plan;
    int                         code;

    (void)printf("snapshots  the lowest of two verified ones of each node stands at row %lu (%s)\n",
                 (unsigned long)plan->older, plan->node);
    if (plan->row <= plan->first) {
        (void)printf("removed    nothing: the log in the database begins at row %lu\n", (unsigned long)plan->first);
        return EXIT_FINE;
    }
    (void)printf("may go     rows %lu to %lu\n", (unsigned long)plan->first, (unsigned long)plan->row - 1);
    (void)fflush(stdout);
    if (trimming->only_plan) return EXIT_FINE;
    code = copy_rows(trimming);
    if (code == EXIT_FINE) code = remove_rows(trimming);
    log_copy_close(&trimming->copy);
    return code;
}

static int trim(struct trimming *trimming)
{
    struct log_report report;
    enum log_fault    fault = log_trim_open(trimming->url, &trimming->trim, &report);
    int               code;

    if (fault != LOG_OK) return failed(fault, &report);
    fault = log_trim_plan(trimming->trim, trimming->below, trimming->without, &trimming->plan, &report);
    code = fault == LOG_OK ? trim_as_planned(trimming) : failed(fault, &report);
    log_trim_close(trimming->trim);
    return code;
}

int command_trim_log(int argc, char **argv)
{
    struct trimming       trimming = { 0 };
    const struct argument rows[] = {
        { "archive", ARGUMENT_TEXT, 0, &trimming.archive, "DIR",
          "Where the rows go before they are removed; a later trim continues the same archive." },
        { "below", ARGUMENT_U64, INT64_MAX, &trimming.below, "ROW",
          "Remove only rows before this one, not all that may go." },
        { "without", ARGUMENT_TEXT, 0, &trimming.without, "NODES",
          "Names, with commas between them, of nodes that are gone for good: their snapshots do not count." },
        { "plan", ARGUMENT_FLAG, 0, &trimming.only_plan, "", "Say what may go, and do nothing." },
    };
    const struct arguments arguments = {
        "trim-log",
        "URL",
        "Removes from the database the rows of a shared log that no node needs to start: those before the older of two "
        "verified snapshots of every node. They are in the archive before. URL is that of the owner, with which dojima "
        "init-log was run.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    trimming.url = argv[operand];
    if (!log_is_url(trimming.url)) return complain(EXIT_USAGE, "trim-log: %s is no postgres:// URL", trimming.url);
    if (trimming.archive == NULL && !trimming.only_plan)
        return complain(EXIT_USAGE, "trim-log: name the archive with --archive DIR");
    log_init(false);
    return trim(&trimming);
}
