/* SPDX-License-Identifier: MIT */
#include "app/cli/log_copy.h"

#include "app/cli/check.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/signals.h"
#include "log/lease.h"

#include <errno.h>

#define BATCH_BYTES_MAX (4 * 1024 * 1024)
#define FILE_BYTES      (64 * 1024 * 1024)
#define LEASE_MS        2000

static int open_folder(struct copy_end *side, bool write)
{
    enum disk_use use = write ? DISK_WRITE : DISK_READ;
    int           error = disk_open(&side->replay.folder, side->place, use, true, &side->replay.disk);

    if (error == 0) error = disk_lock(side->place, use, &side->replay.lock);
    return error == 0 ? EXIT_FINE : replay_folder_failed(side->place, error);
}

static enum log_fault open_log(struct copy_end *side)
{
    struct replay *replay = &side->replay;

    return log_open(replay->log_memory, &replay->disk, &replay->settings, &replay->log, &replay->genesis_json,
                    &replay->report);
}

/* The other side was trimmed, and this one does not have what is gone. */
static int lacks(const struct log_copy *copy, const struct copy_end *side, const struct log_trimmed *gone)
{
    return complain(EXIT_GENERAL,
                    "%s begins with command %lu, what came before was trimmed, and %s does not hold that; name the "
                    "folder that dojima trim-log wrote, or a copy of it",
                    side == &copy->to ? copy->from.replay.path : copy->to.replay.path, (unsigned long)gone->next_seq,
                    side->replay.path);
}

/* genesis: begins the log when there is none; at NULL: the log is only read. */
static int open_side(struct log_copy *copy, struct copy_end *side, struct slice genesis)
{
    struct replay     *replay = &side->replay;
    bool               write = genesis.at != NULL;
    struct log_trimmed gone;
    enum log_fault     fault;
    int                code = EXIT_FINE;

    *side = (struct copy_end){ .place = side->place, .is_url = log_is_url(side->place) };
    *replay = (struct replay){ .path = side->is_url ? "the database" : side->place, .lock = -1 };
    replay->settings = (struct log_settings){ .kind = side->is_url ? LOG_KIND_POSTGRES : LOG_KIND_FILE,
                                              .file_bytes = FILE_BYTES,
                                              .read_only = !write,
                                              .url = side->place,
                                              .node = "copy-log",
                                              .lease_ms = LEASE_MS,
                                              .needs_quorum = !copy->one_machine,
                                              .is_owner = copy->by_owner && !write,
                                              .past_trimmed = side->is_url };
    if (!side->is_url) code = open_folder(side, write);
    if (code != EXIT_FINE) return code;
    replay->log_memory = files_take_memory(log_bytes());
    replay->batch = (struct log_batch){ .at = files_take_memory(BATCH_BYTES_MAX), .cap = BATCH_BYTES_MAX };
    if (replay->log_memory == NULL || replay->batch.at == NULL) return complain(EXIT_GENERAL, "not enough memory");
    fault = open_log(side);
    if (fault == LOG_ABSENT && write && log_trimmed(copy->from.replay.log, &gone)) return lacks(copy, side, &gone);
    if (fault == LOG_ABSENT && write) {
        fault = log_create(replay->log_memory, &replay->disk, &replay->settings, genesis, &replay->report);
        if (fault == LOG_OK) fault = open_log(side);
    }
    /* A copy would be as short as a log whose end is gone. */
    if (fault == LOG_OK && !write && !side->is_url) replay_tell_log(replay, check_history_knows(replay));
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

int log_copy_check_no_leader(struct log_copy *copy)
{
    struct copy_end  *side = &copy->to;
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

/* The same of the source, which may end before a row. */
static int next_of_source(struct log_copy *copy)
{
    struct copy_end *side = &copy->from;
    int              code = next_of(side);

    if (code != EXIT_FINE || side->end || copy->until == 0) return code;
    if (log_position_second(&side->replay.batch.position) < copy->until) return EXIT_FINE;
    if (log_position_second(&side->replay.batch.position) == copy->until)
        copy->until_hash = log_chain(side->replay.log);
    side->end = true;
    return EXIT_FINE;
}

static bool same_batches(const struct copy_end *one, const struct copy_end *other)
{
    const struct log_batch *a = &one->replay.batch, *b = &other->replay.batch;

    return a->first_seq == b->first_seq && a->count == b->count && a->time_ms == b->time_ms && a->len == b->len
        && memcmp(a->at + LOG_BATCH_HEAD, b->at + LOG_BATCH_HEAD, a->len - LOG_BATCH_HEAD) == 0
        && one->applied.number == other->applied.number && hash256_equal(&one->applied.hash, &other->applied.hash);
}

static int differs(const struct log_copy *copy)
{
    return complain(EXIT_GENERAL, "%s holds another log than %s: they differ behind batch %lu%s", copy->to.replay.path,
                    copy->from.replay.path, (unsigned long)copy->found,
                    copy->added == 0 ? "; nothing was written there" : "");
}

/* The two may have been named the wrong way round. */
static int has_more(const struct log_copy *copy)
{
    return complain(
        EXIT_GENERAL,
        "%s holds all %lu batches of %s and more behind them; nothing was written there, and FROM is the one "
        "that holds more",
        copy->to.replay.path, (unsigned long)copy->found, copy->from.replay.path);
}

static void count_found(struct log_copy *copy, const struct copy_end *side)
{
    log_digest_add(&copy->digest, &side->replay.batch, &side->applied);
    copy->found += 1;
}

/* Reads what `side` lacks on the other one, which must be what was trimmed. */
static int skip_trimmed(struct log_copy *copy, const struct copy_end *side, struct copy_end *other)
{
    struct log_trimmed gone, others;
    int                code = EXIT_FINE;

    if (!log_trimmed(side->replay.log, &gone)) return EXIT_FINE;
    if (log_trimmed(other->replay.log, &others)) return lacks(copy, other, &gone);
    while (code == EXIT_FINE && copy->found < gone.batches) {
        code = next_of(other);
        if (code == EXIT_FINE && other->end) return lacks(copy, other, &gone);
        if (code == EXIT_FINE) count_found(copy, other);
        if (code == EXIT_FINE && signals_wait(0) != 0) return EXIT_STOPPED;
    }
    if (code != EXIT_FINE || hash256_equal(&copy->digest, &gone.digest)) return code;
    return complain(EXIT_GENERAL,
                    "%s is no archive of %s: its first %lu batches are others than those that were trimmed",
                    other->replay.path, side->replay.path, (unsigned long)gone.batches);
}

int log_copy_compare(struct log_copy *copy)
{
    int code;

    if (!slice_equal(copy->from.replay.genesis_json, copy->to.replay.genesis_json))
        return complain(EXIT_GENERAL, "%s holds a log of another genesis; nothing was written there",
                        copy->to.replay.path);
    copy->found = 0;
    copy->digest = (struct hash256){ { 0 } };
    code = skip_trimmed(copy, &copy->from, &copy->to);
    if (code == EXIT_FINE) code = skip_trimmed(copy, &copy->to, &copy->from);
    while (code == EXIT_FINE) {
        code = next_of(&copy->to);
        if (code != EXIT_FINE || copy->to.end) return code;
        code = next_of_source(copy);
        if (code != EXIT_FINE) return code;
        if (copy->from.end && copy->until != 0) return EXIT_FINE; /* the target has more than is asked for */
        if (copy->from.end && copy->added == 0) return has_more(copy);
        if (copy->from.end || !same_batches(&copy->from, &copy->to)) return differs(copy);
        count_found(copy, &copy->from);
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
    return code;
}

int log_copy_append(struct log_copy *copy)
{
    struct replay *from = &copy->from.replay, *to = &copy->to.replay;

    for (;;) {
        int code = next_of_source(copy), error;

        if (code != EXIT_FINE || copy->from.end) return code;
        error = log_append(to->log, &from->batch, &copy->from.applied);
        if (error != 0) return complain(EXIT_DISK, "%s cannot be written: %s", to->path, strerror(error));
        copy->added += 1;
        copy->commands += from->batch.count;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
}

void log_copy_close(struct log_copy *copy)
{
    replay_close(&copy->from.replay);
    replay_close(&copy->to.replay);
}

int log_copy_open(struct log_copy *copy)
{
    struct slice none = { NULL, 0 };
    int          code = open_side(copy, &copy->from, none);

    if (code == EXIT_FINE && !copy->from.is_url) code = replay_check_linear(&copy->from.replay); /* decision 131 */
    return code == EXIT_FINE ? open_side(copy, &copy->to, copy->from.replay.genesis_json) : code;
}

int log_copy_check(struct log_copy *copy)
{
    struct slice none = { NULL, 0 };
    uint64_t     copied = copy->found + copy->added;
    int          code;

    log_copy_close(copy);
    code = open_side(copy, &copy->from, none);
    if (code == EXIT_FINE) code = open_side(copy, &copy->to, none);
    if (code == EXIT_FINE) code = log_copy_compare(copy);
    if (code == EXIT_FINE && copy->found != copied) code = differs(copy);
    if (code != EXIT_FINE || copy->from.is_url) return code;
    code = next_of_source(copy);
    return code == EXIT_FINE && !copy->from.end ? differs(copy) : code;
}
