/* SPDX-License-Identifier: MIT */
#include "pipeline/replay.h"

#include "io/files.h"
#include "io/signals.h"
#include "io/thread.h"
#include "model/shape.h"
#include "diagnostics/program_log.h"
#include "pipeline/remains.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdlib.h>

#define REPLAY_BATCH_BYTES (4 * 1024 * 1024)
#define GENESIS_BYTES_MAX  (1024 * 1024)
#define PARTIAL_LOOKS      10 /* at a partial batch, before it is judged */
#define PARTIAL_MS         50

static_assert(GENESIS_BYTES_MAX <= REPLAY_BATCH_BYTES, "a new log's genesis is written there");

static struct slice write_genesis(const struct genesis *genesis, void *room)
{
    struct out out = out_make(room, GENESIS_BYTES_MAX);

    assert(out.at != NULL);
    shape_write(&out, &genesis_shape, genesis, false);
    assert(!out.overflow);
    return out_slice(&out);
}

struct slice genesis_write(const struct genesis *genesis) { return write_genesis(genesis, malloc(GENESIS_BYTES_MAX)); }

struct hash256 replay_instance(const struct replay *replay)
{
    return keccak256(replay->genesis_json.at, replay->genesis_json.len);
}

/* Another version: the version decides the advice. */
static int foreign(const struct replay *replay)
{
    const struct log_report *report = &replay->report;

    if (replay->settings.engine != 0 && report->found_engine == LOG_ENGINE_VERSION)
        return complain(EXIT_GENERAL, "%s is of engine version %u already: there is nothing to convert", replay->path,
                        report->found_engine);
    if (replay->settings.engine != 0 || !log_is_convertible(report->found_engine))
        return complain(EXIT_DAMAGE, "%s: %s", replay->path, report->text);
    return complain(EXIT_DAMAGE, "%s: %s; dojima convert %s makes a folder of engine version %u out of it",
                    replay->path, report->text, replay->path, LOG_ENGINE_VERSION);
}

int replay_failed(const struct replay *replay, enum log_fault fault)
{
    switch (fault) {
    case LOG_ABSENT: return complain(EXIT_GENERAL, "%s holds no log of this program", replay->path);
    case LOG_IO: return complain(EXIT_DISK, "%s: %s", replay->path, replay->report.text);
    case LOG_REFUSED: return complain(EXIT_GENERAL, "%s: %s", replay->path, replay->report.text);
    case LOG_FOREIGN: return foreign(replay);
    default: return complain(EXIT_DAMAGE, "%s: the log is damaged: %s", replay->path, replay->report.text);
    }
}

int replay_folder_failed(const char *path, int error)
{
    if (error == EWOULDBLOCK) return complain(EXIT_IN_USE, "the folder %s is in use by another process", path);
    bool disk = error == EIO || error == ENOSPC || error == EDQUOT; /* the disk failed, not the caller */

    return complain(disk ? EXIT_DISK : EXIT_GENERAL, "the folder %s cannot be used: %s", path, strerror(error));
}

/* Another log would begin as an empty exchange what is not empty. */
static int check_remains(const struct replay *replay)
{
    int         error;
    const char *found = remains_find(&replay->disk, &error);

    if (error != 0) return complain(EXIT_DISK, "%s cannot be read: %s", replay->path, strerror(error));
    if (found == NULL) return EXIT_FINE;
    return complain(EXIT_DAMAGE,
                    "%s has %s of an exchange, and its log is missing: put it back (files journal-…, or the database "
                    "that [log] url names), or begin in an empty folder",
                    replay->path, found);
}

/* Of a shared log another node may have made the genesis meanwhile: it is compared like any other. */
static int create(struct replay *replay, const struct genesis *genesis)
{
    struct slice   json = write_genesis(genesis, replay->batch.at); /* no batch was read yet */
    enum log_fault fault = log_create(replay->log_memory, &replay->disk, &replay->settings, json, &replay->report);

    if (fault == LOG_IO && replay->report.error == EEXIST) return EXIT_FINE;
    replay->has_begun = fault == LOG_OK && replay->settings.kind == LOG_KIND_FILE;
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

static enum log_fault open_log(struct replay *replay)
{
    enum log_fault fault = log_open(replay->log_memory, &replay->disk, &replay->settings, &replay->log,
                                    &replay->genesis_json, &replay->report);

    if (fault != LOG_FOREIGN || replay->settings.engine != LOG_ANY_OLDER
        || !log_is_convertible(replay->report.found_engine))
        return fault;
    replay->settings.engine = replay->report.found_engine;
    return log_open(replay->log_memory, &replay->disk, &replay->settings, &replay->log, &replay->genesis_json,
                    &replay->report);
}

int replay_open(struct replay *replay, const char *path, enum disk_use use, const struct log_settings *settings,
                const struct genesis *genesis)
{
    enum log_fault fault;
    int            error;

    memset(replay, 0, sizeof(*replay));
    replay->path = path;
    replay->lock = -1;
    replay->settings = *settings;
    error = disk_open(&replay->folder, path, use, !settings->spare, &replay->disk);
    if (error != 0) return replay_folder_failed(path, error);
    if (use != DISK_BESIDE) error = disk_lock(path, use, &replay->lock);
    if (error != 0) return replay_folder_failed(path, error);

    replay->log_memory = files_take_memory(log_bytes());
    replay->batch = (struct log_batch){ .at = files_take_memory(REPLAY_BATCH_BYTES), .cap = REPLAY_BATCH_BYTES };
    if (replay->log_memory == NULL || replay->batch.at == NULL) return complain(EXIT_GENERAL, "not enough memory");
    fault = open_log(replay);
    if (fault == LOG_ABSENT && genesis != NULL) {
        error = check_remains(replay);
        if (error == EXIT_FINE) error = create(replay, genesis);
        if (error != EXIT_FINE) return error;
        fault = open_log(replay);
    }
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

int replay_genesis(const struct replay *replay, struct genesis *genesis)
{
    struct shape_error error = { 0 };
    const char        *wrong;

    if (shape_read(&genesis_shape, replay->genesis_json, genesis, &error) != REJECT_NONE)
        return complain(EXIT_DAMAGE, "%s: the genesis of the log cannot be read: %s", replay->path, error.field);
    wrong = genesis_check(genesis);
    if (wrong != NULL) return complain(EXIT_DAMAGE, "%s: the genesis of the log is not valid: %s", replay->path, wrong);
    genesis_complete(genesis);
    return EXIT_FINE;
}

static int follow_one(struct replay *replay, bool *there)
{
    struct log_applied claim;
    bool               partial = true;

    for (uint32_t i = 0; i < PARTIAL_LOOKS && partial; i++) {
        enum log_fault fault = log_follow(replay->log, &replay->batch, &claim, there, &partial, &replay->report);

        if (fault != LOG_OK) return replay_failed(replay, fault);
        if (partial) thread_sleep_ms(PARTIAL_MS);
    }
    if (!partial) return EXIT_FINE;
    return complain(EXIT_DAMAGE,
                    "%s: the data after command %lu is no batch: half written, or damaged (dojima verify tells which)",
                    replay->path, (unsigned long)log_next_seq(replay->log) - 1);
}

int replay_follow(struct replay *replay, bool *there)
{
    for (;;) {
        int code = follow_one(replay, there);

        if (code != EXIT_FINE || !*there || !replay->has_live) return code;
        if (!live_path_has(&replay->live, &replay->batch.position)) continue;
        /* A REVERT that is not known yet: what was read is void, and what leads to the present is not known. */
        if (log_batch_revert(&replay->batch) != NULL) *there = false;
        return EXIT_FINE;
    }
}

int replay_spare_history(const struct exchange *exchange)
{
    uint32_t pending = 1;
    int      rows = 0;

    if (exchange->history == NULL || !history_is_full(exchange->history)) return EXIT_FINE;
    while (pending != 0 && rows >= 0) rows = history_write(exchange->history, &pending);
    if (rows >= 0) return EXIT_FINE;
    return complain(EXIT_DISK, "the history cannot be written, and there is no memory for more of it; stopping: %s",
                    strerror(-rows));
}

int replay_agree(const struct replay *replay, const struct exchange *exchange, const struct log_applied *claim)
{
    if (blocks_agree(&exchange->blocks, claim)) return EXIT_FINE;
    return complain(EXIT_DAMAGE,
                    "%s: the replay makes other blocks than the log names: block %lu before command %lu "
                    "(another build of the engine, or bad memory)",
                    replay->path, (unsigned long)claim->number, (unsigned long)engine_seq(exchange->engine) + 1);
}

int replay_went_back(const struct replay *replay, const struct log_batch *revert)
{
    assert(log_batch_revert(revert) != NULL);
    return complain(EXIT_GENERAL,
                    "%s: the log of a development exchange, which went back at command %lu: it is not read here",
                    replay->path, (unsigned long)revert->first_seq);
}

bool replay_look_at(const struct log_batch *batch, replay_look *look, void *self)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    while (log_batch_next(batch, &cursor, &record))
        if (!look(self, &record)) return false;
    return true;
}

void replay_tell_log(const struct replay *replay, uint64_t history_seq)
{
    struct hash256 id = replay_instance(replay);
    const char    *holder = "the history", *name = NULL;
    uint64_t       seq = history_seq, known = remains_known(&replay->disk, &id, &name);

    if (replay->branches.count == 0 && known > seq) {
        seq = known;
        holder = name;
    }
    log_knows(replay->log, seq, holder);
}

int replay_run(struct replay *replay, struct exchange *exchange, replay_look *look, void *self)
{
    for (;;) {
        struct log_applied claim = { 0 };
        bool               end = false;
        enum log_fault     fault = log_next(replay->log, &replay->batch, &claim, &end, &replay->report);

        if (fault != LOG_OK) return replay_failed(replay, fault);
        if (end) break;
        replay->mark = log_mark_behind(&replay->batch);
        if (log_batch_revert(&replay->batch) != NULL && !replay->has_live)
            return replay_went_back(replay, &replay->batch);
        if (replay->has_live && !live_path_has(&replay->live, &replay->batch.position)) continue;
        if (replay_agree(replay, exchange, &claim) != EXIT_FINE) return EXIT_DAMAGE;
        if (replay->comes != NULL && replay->comes(replay->comes_self, &replay->batch) != EXIT_FINE) return EXIT_DAMAGE;
        if (look != NULL && !replay_look_at(&replay->batch, look, self)) return EXIT_DAMAGE;
        exchange_run(exchange, &replay->batch, NULL);
        if (replay->passed != NULL) replay->passed(replay->passed_self, &replay->batch);
        if (replay_spare_history(exchange) != EXIT_FINE) return EXIT_DISK;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
        progress("reading the log", replay->report.bytes, replay->report.bytes_total);
    }
    progress_done();
    return EXIT_FINE;
}

void replay_take_back(struct replay *replay)
{
    int error;

    if (!replay->has_begun) return;
    if (replay->log != NULL) log_close(replay->log);
    replay->log = NULL;
    error = remains_take_back(&replay->disk);
    if (error != 0)
        log_line(LOG_WARN, "%s: the log that this start has begun cannot be removed: %s", replay->path,
                 strerror(error));
}

void replay_close(struct replay *replay)
{
    if (replay->log != NULL) log_close(replay->log);
    if (replay->folder.fd > 0) disk_close(&replay->folder);
    files_close(replay->lock);
    files_give_memory(replay->log_memory, log_bytes());
    files_give_memory(replay->batch.at, replay->batch.cap);
    branches_free(&replay->branches);
    live_path_free(&replay->live);
    memset(replay, 0, sizeof(*replay));
    replay->lock = -1;
}
