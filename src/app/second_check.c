/* SPDX-License-Identifier: MIT */
#include "app/second_check.h"

#include "app/check_mark.h"
#include "crypto/crypto.h"
#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"

#include <stdlib.h>

#define LOOK_NS   INT64_C(1000000000) /* between two looks at the lag */
#define REST_NS   INT64_C(250000000)  /* between two looks at a log that has nothing new */
#define KEEP_NS   INT64_C(1000000000) /* of checking that a killed process does again */
#define AGAIN_NS  INT64_C(5000000000) /* between two attempts to read a log that failed */
#define WAIT_MS   1000                /* for which a redemption waits before it is refused */
#define WAIT_STEP 5                   /* ms */

enum reader_owner { OWNER_IDLE = 0, OWNER_WANTED, OWNER_CHECK };

static bool must_stop(const struct second_check *check)
{
    return atomic_load_explicit(&check->stop, memory_order_acquire) != 0;
}

static uint32_t owner_of(const struct second_check *check)
{
    return atomic_load_explicit(&check->owner, memory_order_acquire);
}

static void set_owner(struct second_check *check, enum reader_owner owner)
{
    atomic_store_explicit(&check->owner, owner, memory_order_release);
}

/* ---- the reader ---- */

void second_check_close(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;

    if (reader->is_open) replay_close(&reader->replay);
    free(reader->room);
    reader->room = NULL;
    reader->is_open = reader->in_batch = false;
}

/* What cannot be read is tried again; until then nothing counts as checked. */
static void fail(struct second_check *check, const char *what)
{
    struct second_check_reader *reader = &check->reader;

    if (!reader->has_failed)
        log_line(LOG_ERROR, "signatures are not checked again: %s; trying again, and redemptions wait", what);
    reader->has_failed = true;
    reader->failed_ns = clock_mono_ns();
    second_check_close(check);
}

/*
 * Behind the mark, where the log has that place; else from its first command, so nothing is left out. A log whose
 * beginning was trimmed begins where it does: what is gone was in two verified snapshots. It has to be opened for
 * that (past_trimmed), and no such log can be resumed: false, and the next attempt begins there.
 */
static bool go_behind_mark(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;
    struct replay              *replay = &reader->replay;
    struct hash256              instance = replay_instance(replay);
    enum log_fault              fault;

    if (reader->from_beginning) {
        memset(&reader->place, 0, sizeof(reader->place));
        tally_set(&check->counts.seq, 0);
        reader->from_beginning = false;
        return true;
    }
    reader->from_beginning = !check_mark_read(&replay->disk, &instance, &reader->place);
    if (reader->from_beginning) return false;
    fault = log_resume(replay->log, &reader->place, &replay->batch, &replay->report);
    if (fault == LOG_IO) {
        fail(check, replay->report.text);
        return false;
    }
    if (fault != LOG_OK) {
        log_line(LOG_WARN, "signatures are checked again from the first command on: %s", replay->report.text);
        reader->from_beginning = true;
        return false;
    }
    tally_set(&check->counts.seq, reader->place.next_seq - 1);
    return true;
}

static bool open_reader(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;
    struct log_settings         log = check->settings.log;

    if (reader->has_failed && clock_mono_ns() - reader->failed_ns < AGAIN_NS) return false;
    reader->room = calloc(1, SIGNED_RECORD_ROOM);
    log.read_only = true;
    log.past_trimmed = reader->from_beginning;
    log.spare = log.strict_tail = log.needs_quorum = false;
    reader->is_open = true; /* replay_close undoes what a failed replay_open has done */
    if (reader->room == NULL || replay_open(&reader->replay, check->settings.folder, DISK_BESIDE, &log, NULL) != 0) {
        fail(check, "the log cannot be opened");
        return false;
    }
    if (!go_behind_mark(check)) {
        second_check_close(check);
        return false;
    }
    reader->kept_seq = tally_of(&check->counts.seq);
    reader->has_failed = false;
    return true;
}

/* Only a place that is durable: the log would not have it after a loss of power. */
static void keep_mark(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;
    uint64_t                    seq = tally_of(&check->counts.seq);
    struct hash256              instance;

    if (seq == reader->kept_seq || clock_mono_ns() - reader->kept_ns < KEEP_NS) return;
    if (log_position_is_none(&reader->place.position) || seq > tally_of(check->settings.logged)) return;
    reader->kept_ns = clock_mono_ns();
    instance = replay_instance(&reader->replay);
    if (check_mark_write(&reader->replay.disk, &instance, &reader->place)) reader->kept_seq = seq;
}

/* The next batch, if there is one. A shared log gives what is known to be durable, and what was applied is. */
static bool read_batch(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;
    struct replay              *replay = &reader->replay;
    uint64_t                    logged = tally_of(check->settings.logged);
    struct log_applied          claim;
    bool                        there = false, partial;

    if (!reader->is_open && !open_reader(check)) return false;
    keep_mark(check);
    if (tally_of(&check->counts.seq) == logged) return false;
    if (log_is_shared(replay->log)) log_knows(replay->log, logged, "its answer");
    if (log_follow(replay->log, &replay->batch, &claim, &there, &partial, &replay->report) != LOG_OK) {
        fail(check, replay->report.text);
        return false;
    }
    reader->in_batch = there;
    reader->cursor = (struct log_cursor){ 0 };
    return there;
}

static _Noreturn void differ(struct second_check *check, uint64_t seq)
{
    tally_add(&check->counts.mismatches, 1);
    log_line(LOG_ERROR,
             "ALARM: command %lu was accepted with a signature that libsecp256k1 does not confirm: the exchange stops",
             (unsigned long)seq);
    files_exit_now(EXIT_DAMAGE);
}

bool second_check_step(struct second_check *check)
{
    struct second_check_reader *reader = &check->reader;
    struct log_record           record;

    if (!reader->in_batch) return read_batch(check);
    if (!log_batch_next(&reader->replay.batch, &reader->cursor, &record)) {
        reader->in_batch = false;
        reader->place = log_mark_behind(&reader->replay.batch);
        tally_set(&check->counts.seq, reader->place.next_seq - 1);
        return true;
    }
    if (!signed_record_is(&record)) return true;
    if (!signed_record_signer(check->settings.genesis, &record, reader->room)) differ(check, record.command->seq);
    tally_add(&check->counts.signatures, 1);
    return true;
}

/* ---- the lag ---- */

void second_check_look(struct second_check *check, int64_t now_ns)
{
    uint64_t logged = tally_of(check->settings.logged), checked = tally_of(&check->counts.seq);
    int64_t  lag_ns = check_lag_note(&check->lag, now_ns, logged, checked);
    bool     had = tally_of(&check->counts.lanes) != 0, has = check_lag_allows(lag_ns, had);

    tally_set(&check->counts.lag_ns, (uint64_t)lag_ns);
    if (had == has) return;
    tally_set(&check->counts.lanes, has);
    recover_use_lanes(has);
    if (has) {
        log_line(LOG_INFO, "the second check of signatures has caught up: they are recovered in lanes again");
        return;
    }
    tally_add(&check->counts.late, 1);
    log_line(LOG_WARN, "the second check of signatures is %ld s behind: they are recovered by libsecp256k1 alone",
             (long)(lag_ns / INT64_C(1000000000)));
}

/* ---- the threads ---- */

static void *run_idle(void *argument)
{
    struct second_check *check = argument;

    thread_stand_last();
    while (!must_stop(check)) {
        if (owner_of(check) == OWNER_WANTED) set_owner(check, OWNER_CHECK);
        if (owner_of(check) == OWNER_IDLE && second_check_step(check)) continue;
        park_prepare(&check->idle_park);
        if (must_stop(check) || owner_of(check) == OWNER_WANTED) park_cancel(&check->idle_park);
        else park_wait(&check->idle_park, REST_NS);
    }
    return NULL;
}

/* Works itself while the lanes are off; between two looks otherwise sleeps. */
static void pass_second(struct second_check *check, int64_t until_ns)
{
    while (!must_stop(check) && clock_mono_ns() < until_ns) {
        if (owner_of(check) == OWNER_CHECK && second_check_step(check)) continue;
        park_prepare(&check->check_park);
        if (must_stop(check)) park_cancel(&check->check_park);
        else park_wait(&check->check_park, min_i64(until_ns - clock_mono_ns(), REST_NS));
    }
}

static void *run_check(void *argument)
{
    struct second_check *check = argument;

    while (!must_stop(check)) {
        int64_t now_ns = clock_mono_ns();
        bool    late;

        second_check_look(check, now_ns);
        late = tally_of(&check->counts.lanes) == 0;
        if (late && owner_of(check) == OWNER_IDLE) set_owner(check, OWNER_WANTED);
        if (!late && owner_of(check) == OWNER_CHECK) set_owner(check, OWNER_IDLE);
        park_wake(&check->idle_park);
        pass_second(check, now_ns + LOOK_NS);
    }
    return NULL;
}

int second_check_start(struct second_check *check)
{
    int error = thread_start(&check->idle, "check-idle", run_idle, check);

    if (error != 0) return error;
    error = thread_start(&check->check, "check", run_check, check);
    if (error == 0) {
        check->running = true;
        return 0;
    }
    atomic_store_explicit(&check->stop, 1, memory_order_release);
    park_wake(&check->idle_park);
    thread_join(check->idle);
    return error;
}

void second_check_stop(struct second_check *check)
{
    if (!check->running) return;
    atomic_store_explicit(&check->stop, 1, memory_order_release);
    park_wake(&check->idle_park);
    park_wake(&check->check_park);
    thread_join(check->idle);
    thread_join(check->check);
    check->running = false;
    check->reader.kept_ns = 0;
    if (check->reader.is_open) keep_mark(check);
    second_check_close(check);
}

/* ---- redemptions ---- */

/* The command up to which must be checked: the last one when this redemption was asked for first. */
static uint64_t waits_for(struct second_check *check, const struct hash256 *command)
{
    uint64_t logged = tally_of(check->settings.logged);

    for (uint32_t i = 0; i < SECOND_CHECK_HELD; i++)
        if (check->held[i].seq != 0 && hash256_equal(&check->held[i].command, command)) return check->held[i].seq;
    check->held[check->held_next] = (struct held_redemption){ *command, logged };
    check->held_next = (check->held_next + 1) % SECOND_CHECK_HELD;
    return logged;
}

static void forget(struct second_check *check, const struct hash256 *command)
{
    for (uint32_t i = 0; i < SECOND_CHECK_HELD; i++)
        if (check->held[i].seq != 0 && hash256_equal(&check->held[i].command, command)) check->held[i].seq = 0;
}

static bool has_passed(void *self, const struct hash256 *command)
{
    struct second_check *check = self;
    uint64_t             seq;
    bool                 passed = false;

    (void)pthread_mutex_lock(&check->held_lock);
    seq = waits_for(check, command);
    (void)pthread_mutex_unlock(&check->held_lock);
    for (int ms = 0; ms <= WAIT_MS && !passed; ms += WAIT_STEP) {
        passed = tally_of(&check->counts.seq) >= seq;
        if (passed) break;
        park_wake(&check->idle_park);
        thread_sleep_ms(WAIT_STEP);
    }
    if (!passed) return false;
    (void)pthread_mutex_lock(&check->held_lock);
    forget(check, command);
    (void)pthread_mutex_unlock(&check->held_lock);
    return true;
}

void second_check_init(struct second_check *check, const struct second_check_settings *settings)
{
    check->settings = *settings;
    check->held_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    check->shown = (struct api_second_check){ check, has_passed };
    park_init(&check->check_park);
    park_init(&check->idle_park);
    tally_set(&check->counts.runs, 1);
    tally_set(&check->counts.lanes, 1);
}
