/* SPDX-License-Identifier: MIT */
/*
 * copy_log.c — dojima copy-log: the log of a folder into a database, or back, batch for batch. What the target holds
 * already must be the beginning of the source. At the end both are read again from the first batch, each checked
 * against its own hashes, and compared.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/signals.h"
#include "log/lease.h"
#include "pipeline/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH_BYTES_MAX (4 * 1024 * 1024)
#define FILE_BYTES      (64 * 1024 * 1024)
#define LEASE_MS        2000

struct copy_end {
    struct replay      replay;
    bool               is_url, ended, end;
    const char        *place;
    struct log_applied applied;
};

struct copy {
    struct copy_end from, to;
    bool            one_machine; /* the database needs no quorum */
    uint64_t        found, added, commands;
};

static int open_folder(struct copy_end *side, bool write)
{
    enum disk_use use = write ? DISK_WRITE : DISK_READ;
    int           error = disk_open(&side->replay.folder, side->place, use, true, &side->replay.disk);

    if (error == 0) error = disk_lock(side->place, use, &side->replay.lock);
    if (error == EWOULDBLOCK) return complain(EXIT_IN_USE, "the folder %s is in use by another process", side->place);
    if (error != 0) return complain(EXIT_GENERAL, "the folder %s cannot be used: %s", side->place, strerror(error));
    return EXIT_FINE;
}

static enum log_fault open_log(struct copy_end *side)
{
    struct replay *replay = &side->replay;

    return log_open(replay->log_memory, &replay->disk, &replay->settings, &replay->log, &replay->genesis_json,
                    &replay->report);
}

/* genesis: begins the log when there is none; at NULL: the log is only read. */
static int open_side(struct copy *copy, struct copy_end *side, struct slice genesis)
{
    struct replay *replay = &side->replay;
    bool           write = genesis.at != NULL;
    enum log_fault fault;
    int            code = EXIT_FINE;

    *side = (struct copy_end){ .place = side->place, .is_url = log_is_url(side->place) };
    *replay = (struct replay){ .path = side->is_url ? "the database" : side->place, .lock = -1 };
    replay->settings = (struct log_settings){ .kind = side->is_url ? LOG_KIND_POSTGRES : LOG_KIND_FILE,
                                              .file_bytes = FILE_BYTES,
                                              .read_only = !write,
                                              .url = side->place,
                                              .node = "copy-log",
                                              .lease_ms = LEASE_MS,
                                              .needs_quorum = !copy->one_machine };
    if (!side->is_url) code = open_folder(side, write);
    if (code != EXIT_FINE) return code;
    replay->log_memory = files_take_memory(log_bytes(), false);
    replay->batch = (struct log_batch){ .at = files_take_memory(BATCH_BYTES_MAX, false), .cap = BATCH_BYTES_MAX };
    if (replay->log_memory == NULL || replay->batch.at == NULL) return complain(EXIT_GENERAL, "not enough memory");
    fault = open_log(side);
    if (fault == LOG_ABSENT && write) {
        fault = log_create(replay->log_memory, &replay->disk, &replay->settings, genesis, &replay->report);
        if (fault == LOG_OK) fault = open_log(side);
    }
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

/* A node that leads must be stopped by its operator, not by this. */
static int check_no_leader(struct copy_end *side)
{
    struct lease_wish wish = { 0 };
    struct lease_view view;
    struct lease     *lease;
    int               error;

    if (!side->is_url) return EXIT_FINE;
    error = lease_open(side->replay.log, &lease, &side->replay.report);
    if (error != 0) return complain(EXIT_GENERAL, "the database: %s", side->replay.report.text);
    error = lease_step(lease, &wish, &view);
    lease_close(lease);
    if (error != 0) return complain(EXIT_GENERAL, "the lease in the database cannot be read: %s", strerror(error));
    if (view.remaining_ms == 0) return EXIT_FINE;
    return complain(EXIT_IN_USE, "the node %s leads the log in the database; stop the exchanges first", view.holder);
}

/* The next batch of a side into its memory. A shared log tells all that it has when it can be appended to. */
static int next_of(struct copy_end *side)
{
    struct replay *replay = &side->replay;
    enum log_fault fault = LOG_OK;
    uint64_t       term;
    bool           there = false, partial;

    if (side->end) return EXIT_FINE;
    if (!side->ended) {
        fault = log_next(replay->log, &replay->batch, &side->applied, &side->ended, &replay->report);
        if (fault != LOG_OK) return replay_failed(replay, fault);
        if (!side->ended) return EXIT_FINE;
    }
    side->end = !log_is_shared(replay->log) || replay->settings.read_only;
    while (fault == LOG_OK && !there && !side->end) {
        fault = log_follow(replay->log, &replay->batch, &side->applied, &there, &partial, &replay->report);
        if (fault == LOG_OK && !there) fault = log_lead(replay->log, &term, &side->end, &replay->report);
    }
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

static bool same_batches(const struct copy_end *one, const struct copy_end *other)
{
    const struct log_batch *a = &one->replay.batch, *b = &other->replay.batch;

    return a->first_seq == b->first_seq && a->count == b->count && a->time_ms == b->time_ms && a->len == b->len
        && memcmp(a->at + LOG_BATCH_HEAD, b->at + LOG_BATCH_HEAD, a->len - LOG_BATCH_HEAD) == 0
        && one->applied.number == other->applied.number && hash256_equal(&one->applied.hash, &other->applied.hash);
}

static int differs(const struct copy *copy)
{
    return complain(EXIT_GENERAL,
                    "%s holds another log than %s: they differ behind batch %lu; nothing was written there",
                    copy->to.replay.path, copy->from.replay.path, (unsigned long)copy->found);
}

/* Reads the source along with all that the target holds. */
static int compare(struct copy *copy)
{
    int code = EXIT_FINE;

    if (!slice_equal(copy->from.replay.genesis_json, copy->to.replay.genesis_json))
        return complain(EXIT_GENERAL, "%s holds a log of another genesis; nothing was written there",
                        copy->to.replay.path);
    for (copy->found = 0;; copy->found++) {
        code = next_of(&copy->to);
        if (code != EXIT_FINE || copy->to.end) return code;
        code = next_of(&copy->from);
        if (code != EXIT_FINE) return code;
        if (copy->from.end || !same_batches(&copy->from, &copy->to)) return differs(copy);
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
}

static int append_rest(struct copy *copy)
{
    struct replay *from = &copy->from.replay, *to = &copy->to.replay;

    for (;;) {
        int code = next_of(&copy->from), error;

        if (code != EXIT_FINE || copy->from.end) return code;
        error = log_append(to->log, &from->batch, &copy->from.applied);
        if (error != 0) return complain(EXIT_DISK, "%s cannot be written: %s", to->path, strerror(error));
        copy->added += 1;
        copy->commands += from->batch.count;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
}

static void close_both(struct copy *copy)
{
    replay_close(&copy->from.replay);
    replay_close(&copy->to.replay);
}

/* Both from the beginning, each by its own hashes. */
static int check_copy(struct copy *copy)
{
    struct slice none = { NULL, 0 };
    int          code;

    close_both(copy);
    code = open_side(copy, &copy->from, none);
    if (code == EXIT_FINE) code = open_side(copy, &copy->to, none);
    if (code == EXIT_FINE) code = compare(copy);
    if (code == EXIT_FINE) code = next_of(&copy->from);
    if (code == EXIT_FINE && !copy->from.end) code = differs(copy);
    return code;
}

static int copy_all(struct copy *copy)
{
    struct slice none = { NULL, 0 };
    int          code = open_side(copy, &copy->from, none);

    if (code == EXIT_FINE) code = open_side(copy, &copy->to, copy->from.replay.genesis_json);
    if (code == EXIT_FINE) code = check_no_leader(&copy->to);
    if (code == EXIT_FINE) code = compare(copy);
    if (code == EXIT_FINE) code = append_rest(copy);
    if (code == EXIT_FINE) code = check_copy(copy);
    if (code == EXIT_FINE)
        (void)printf(
            "batches    %lu, of them %lu copied now with %lu commands\ncompared   all, the hashes of both logs "
            "agree with their contents\n",
            (unsigned long)copy->found, (unsigned long)copy->added, (unsigned long)copy->commands);
    close_both(copy);
    return code;
}

int command_copy_log(int argc, char **argv)
{
    struct copy           copy = { .from.replay.lock = -1, .to.replay.lock = -1 };
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
    log_init(false);
    return copy_all(&copy);
}
