/* SPDX-License-Identifier: MIT */
#include "app/cli/check.h"

#include "diagnostics/program_log.h"
#include "history/history.h"
#include "io/files.h"
#include "pipeline/restore.h"

#include <errno.h>
#include <stdio.h>

/* The batch at which a snapshot was taken: the snapshot's facts must agree with it. */
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

        if (snapshot->fault != SNAPSHOT_OK || log_position_compare(&facts->position, &batch->position) != 0) continue;
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

        snapshot->fault = snapshot_look(&replay->disk, snapshot_name(i), &snapshot->facts, &snapshot->report);
        if (snapshot->fault == SNAPSHOT_OK)
            snapshot->fault = snapshot_check(&replay->disk, snapshot_name(i), &snapshot->report);
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

static int check_packed(struct check *check)
{
    char name[LOG_PART_NAME];
    int  error = log_check(check->replay->log, &check->archived, name);

    return error == 0 ? EXIT_FINE
                      : complain(error == EIO ? EXIT_DISK : EXIT_DAMAGE, "%s/%s cannot be read: %s",
                                 check->replay->path, name, strerror(error));
}

int check_end(struct check *check)
{
    int code = check_packed(check);

    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        int own = check_snapshot(check, i);
        if (code == EXIT_FINE) code = own;
    }
    return code;
}

uint64_t check_history_knows(const struct replay *replay)
{
    static const struct log_position end = { { [0 ... 15] = 0xff } };
    const struct branch             *last = branches_last(&replay->branches, &end);
    struct log_position              branch = last != NULL ? last->at : (struct log_position){ { 0 } };
    struct hash256                   id = replay_instance(replay);
    char                             folder[4096];

    if (snprintf(folder, sizeof(folder), "%s/history", replay->path) >= (int)sizeof(folder)) return 0;
    return history_knows_in(folder, &id, files_boot_id(), &branch);
}
