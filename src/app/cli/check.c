/* SPDX-License-Identifier: MIT */
#include "app/cli/check.h"

#include "log/file/format.h"
#include "diagnostics/program_log.h"
#include "pipeline/restore.h"

#include <errno.h>
#include <stdlib.h>

#define READ_BYTES (1024 * 1024)

/* The batch behind which a snapshot says it was taken: everything it says must be so. */
static void passed(void *self, const struct log_batch *batch)
{
    struct check          *check = self;
    const struct exchange *exchange = check->exchange;
    struct log_mark        mark = log_mark_behind(batch);
    struct hash256         instance = replay_instance(check->replay);

    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        struct checked_snapshot      *snapshot = &check->snapshots[i];
        const struct snapshot_header *facts = &snapshot->facts;
        struct hash256                state;

        if (snapshot->fault != SNAPSHOT_OK || facts->segment != batch->segment || facts->offset != batch->offset)
            continue;
        state = engine_hash(exchange->engine);
        snapshot->met = true;
        snapshot->agrees = facts->seq == engine_seq(exchange->engine) && facts->time_ms == mark.time_ms
                        && hash256_equal(&facts->chain, &mark.chain) && hash256_equal(&facts->instance, &instance)
                        && facts->block_number == exchange->blocks.applied.number
                        && hash256_equal(&facts->block_hash, &exchange->blocks.applied.hash)
                        && hash256_equal(&facts->state_hash, &state);
    }
}

void check_begin(struct check *check, struct replay *replay, const struct exchange *exchange)
{
    *check = (struct check){ .replay = replay, .exchange = exchange };
    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        struct checked_snapshot *snapshot = &check->snapshots[i];

        snapshot->fault = snapshot_look(&replay->plain, snapshot_name(i), &snapshot->facts, &snapshot->report);
        if (snapshot->fault == SNAPSHOT_OK)
            snapshot->fault = snapshot_check(&replay->plain, snapshot_name(i), &snapshot->report);
    }
    replay->passed = passed;
    replay->passed_self = check;
}

static int check_snapshot(const struct check *check, uint32_t place)
{
    const struct checked_snapshot *snapshot = &check->snapshots[place];
    const char                    *path = check->replay->path, *name = snapshot_name(place);

    if (snapshot->fault == SNAPSHOT_ABSENT) return EXIT_FINE;
    if (snapshot->fault != SNAPSHOT_OK)
        return complain(snapshot_exit(snapshot->fault), "%s/%s: %s", path, name, snapshot->report.text);
    if (snapshot->facts.engine != LOG_ENGINE_VERSION)
        return complain(EXIT_DAMAGE, "%s/%s: it is of engine version %u, and version %u is read", path, name,
                        snapshot->facts.engine, LOG_ENGINE_VERSION);
    if (!snapshot->met) return complain(EXIT_DAMAGE, "%s/%s: the log has no batch at the place it names", path, name);
    if (!snapshot->agrees)
        return complain(EXIT_DAMAGE, "%s/%s: the log comes to another state at its place", path, name);
    return EXIT_FINE;
}

static int read_all(const struct disk *disk, const char *name, uint64_t bytes, void *room)
{
    int handle, error = disk->open(disk->self, name, false, &handle);

    if (error != 0) return error;
    for (uint64_t at = 0; at < bytes && error == 0; at += READ_BYTES)
        error = disk->read(disk->self, handle, at, room, (size_t)min_u64(READ_BYTES, bytes - at));
    disk->close(disk->self, handle);
    return error;
}

/* Zeros behind the last batch of a segment are looked at by nobody else. */
static int check_archives(struct check *check)
{
    const struct replay *replay = check->replay;
    void                *room = malloc(READ_BYTES);
    int                  error = room == NULL ? ENOMEM : 0;
    char                 name[32] = "";

    for (uint64_t number = 1; number <= replay->report.segments && error == 0; number++) {
        uint64_t bytes;

        journal_segment_name(number, name);
        if (replay->plain.size(replay->plain.self, name, &bytes) == 0) continue;
        error = replay->disk.size(replay->disk.self, name, &bytes);
        if (error == 0) error = read_all(&replay->disk, name, bytes, room);
        check->archived += error == 0;
    }
    free(room);
    return error == 0 ? EXIT_FINE
                      : complain(error == EIO ? EXIT_DISK : EXIT_DAMAGE, "%s/%s.zst cannot be read: %s", replay->path,
                                 name, strerror(error));
}

int check_end(struct check *check)
{
    int code = check_archives(check);

    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        int own = check_snapshot(check, i);
        if (code == EXIT_FINE) code = own;
    }
    return code;
}
