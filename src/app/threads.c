/* SPDX-License-Identifier: MIT */
#include "app/threads.h"

#include "io/clock.h"
#include "io/files.h"
#include "io/forward.h"
#include "io/notify.h"
#include "io/sandbox.h"
#include "io/signals.h"
#include "admin/admin.h"
#include "app/start_gateways.h"
#include "diagnostics/program_log.h"
#include "pipeline/follow.h"

#include <errno.h>
#include <stdio.h>

#define DRAIN_MS      2000 /* how long requests that are under way may take to end */
#define KEEP_PAUSE_MS 25   /* rows gather before they are written */
#define KEEP_PAUSES   8    /* so many pauses for many rows: a page is written once for all that are on it */
#define MANY_ROWS     500u
#define ROWS_ENOUGH   20000u  /* these do not wait */
#define ROWS_FAR      200000u /* more need a keeper that has its share of a core: a fifth of PENDING_FULL */
#define LOOK_AGAIN_NS INT64_C(1000000000)
#define LOOK_NS       INT64_C(1000000000)  /* how old the figures of the process may be, and a bit */
#define QUOTAS_NS     INT64_C(10000000000) /* of counting that a killed process may forget */
#define MOMENT_NS     INT64_C(60000000000) /* between two moments of the history that are kept, without a snapshot */
#define REACH_NS      INT64_C(10000000000) /* commands of which no row came, read once more after a kill */
#define AWAIT_MS      100                  /* of the log's thread, where another node writes the log */
#define SLOW_STEP_MS  20                   /* of a sync that a rule of faults slows down */
#define DOZE_NS       INT64_C(150000)      /* the engine's thread looks again while large batches come */
#define COMING_NS     INT64_C(200000)      /* it stays awake for a write that an I/O thread has announced */

struct io_thread {
    struct threads *threads;
    struct gateway *gateway;
    pthread_t       thread;
};

struct threads {
    struct instance *instance;
    pthread_t        engine, journal, keeper, admin, forward;
    struct io_thread io[ORIGIN_THREADS_MAX];
    _Atomic uint32_t stop_engine, stop_journal, stop_keeper;
    _Atomic uint32_t asked, answered; /* of the engine, by the watchdog */
    int64_t          notified_ns;     /* time of the last message to the service manager */
    pthread_mutex_t  start_gate;      /* held until the process has its sandbox: no connection is accepted before */
};

static bool must_stop(_Atomic uint32_t *stop) { return atomic_load_explicit(stop, memory_order_acquire) != 0; }

/* It reads what strangers send: a sandbox of its own within that of the process. */
static void close_reader(const struct options *options)
{
    int error = options->sandbox ? sandbox_close_reader() : 0;

    if (error != 0 && error != ENOTSUP)
        log_line(LOG_WARN, "a thread that reads requests has no sandbox of its own: %s", strerror(error));
}

/*
 * Clients wait for these threads: where cores are short they have priority over other processes of the machine. Several
 * that would fill all cores do not preempt what brings their requests and replies, or each takes one request at a time
 * and recovers its signer alone (decision 141).
 */
static void *run_io(void *argument)
{
    struct io_thread     *io = argument;
    const struct options *options = &io->threads->instance->options;

    thread_stand_forward(options->io_threads == 1 || start_leaves_a_core(options));
    (void)pthread_mutex_lock(&io->threads->start_gate);
    (void)pthread_mutex_unlock(&io->threads->start_gate);
    close_reader(options);
    gateway_run(io->gateway);
    return NULL;
}

static void *run_admin(void *admin)
{
    admin_run(admin);
    return NULL;
}

static bool has_log_work(uint32_t state) { return state == COMMIT_WRITING || state == COMMIT_READING; }

static void *run_forward(void *forward)
{
    forward_run(forward);
    return NULL;
}

/* A rule of faults: the log takes longer to be durable. The wait ends early when the process does. */
static void wait_for_chaos(struct threads *threads)
{
    struct chaos        *chaos = threads->instance->server.shared.chaos;
    struct chaos_subject subject = { .point = POINT_SYNC };
    struct chaos_verdict verdict;

    if (chaos == NULL || !chaos_is_active(chaos)) return;
    subject.now_ms = atomic_load(threads->instance->server.shared.time_ms);
    chaos_judge(chaos, &subject, &verdict);
    for (int64_t ms = verdict.in_us / 1000; ms > 0 && !must_stop(&threads->stop_engine); ms -= SLOW_STEP_MS)
        thread_sleep_ms(min_i64(ms, SLOW_STEP_MS));
}

static void *run_journal(void *argument)
{
    struct threads     *threads = argument;
    struct server      *server = &threads->instance->server;
    struct commit_slot *commit = &server->commit;

    thread_stand_forward(true);
    for (;;) {
        const struct commit_place *place = commit_at(commit);
        uint32_t                   state = commit_state(place);

        if (state == COMMIT_WRITING) wait_for_chaos(threads);
        if (state == COMMIT_WRITING) commit_write(commit);
        if (must_stop(&threads->stop_journal)) return NULL;
        if (state == COMMIT_READING) commit_read(commit, AWAIT_MS);
        if (has_log_work(state)) {
            if (commit_state(place) != state) park_wake(&server->shared.engine);
            continue;
        }
        park_prepare(&commit->park);
        if (has_log_work(commit_state(commit_at(commit))) || must_stop(&threads->stop_journal))
            park_cancel(&commit->park);
        else park_wait(&commit->park, INT64_MAX);
    }
}

/* Whether this thread is alive, for the watchdog. */
static void answer_watchdog(struct threads *threads)
{
    uint32_t asked = atomic_load_explicit(&threads->asked, memory_order_relaxed);

    if (asked != atomic_load_explicit(&threads->answered, memory_order_relaxed))
        atomic_store_explicit(&threads->answered, asked, memory_order_relaxed);
}

/* A write is announced, and has not been so for too long: *since_ns, 0 = none was at the last look. */
static bool write_comes(struct server *server, int64_t *since_ns)
{
    int64_t now_ns;

    if (atomic_load_explicit(&server->shared.coming, memory_order_acquire) == 0) {
        *since_ns = 0;
        return false;
    }
    now_ns = clock_mono_ns();
    if (*since_ns == 0) *since_ns = now_ns;
    if (now_ns - *since_ns >= COMING_NS) return false;
    thread_relax();
    return true;
}

static void *run_engine(void *argument)
{
    struct threads *threads = argument;
    struct server  *server = &threads->instance->server;
    int64_t         coming_ns = 0;

    thread_stand_forward(true);
    for (;;) {
        bool dozes;

        answer_watchdog(threads);
        if (server_turn(server) != 0 || write_comes(server, &coming_ns)) continue;
        revert_idle(server);
        if (must_stop(&threads->stop_engine) && server_is_idle(server)) break;
        dozes = server_is_busy(server);
        if (dozes) park_doze(&server->shared.engine);
        else park_prepare(&server->shared.engine);
        if (server_turn(server) != 0) park_cancel(&server->shared.engine);
        else park_wait(&server->shared.engine, dozes ? DOZE_NS : server_rest_ns(server));
    }
    server_close_log(server);
    return NULL;
}

/* The log goes on without a spare segment. That there is no room for one is said once, until there is some again. */
static void keep_spare(struct instance *instance, bool *lacking)
{
    int error;

    if (!log_wants_spare(instance->replay.log)) return;
    error = log_prepare(instance->replay.log);
    if (error == ECANCELED) return;
    if (error != 0 && !*lacking)
        log_line(LOG_WARN, "there is no room on the disk for a spare segment of the log: %s", strerror(error));
    *lacking = error != 0;
}

/* How many rows of the history were written, and in *pending how many wait by now. */
static uint32_t keep(struct instance *instance, uint32_t *pending, bool *failing)
{
    int rows = history_write(instance->history, pending);

    if (rows < 0 && !*failing)
        log_line(LOG_ERROR, "the history cannot be written: %s; it is kept in memory and tried again", strerror(-rows));
    *failing = rows < 0;
    return rows < 0 ? 0 : (uint32_t)rows;
}

/* What was written goes on to the disk. That the disk refused a part is said once: nothing makes it good. */
static void keep_back(struct instance *instance, int64_t *kept_ns, bool *refused)
{
    int64_t now_ns = clock_mono_ns();
    int     error = history_write_back(instance->history, now_ns - *kept_ns);

    *kept_ns = now_ns;
    if (error != 0 && !*refused)
        log_line(LOG_ERROR,
                 "the disk refused a part of the history: %s; nothing more of it is kept, and the next "
                 "start goes back to what was kept before, or makes it anew from the log",
                 strerror(error));
    *refused = error != 0;
}

/*
 * Rows of a second of trading go to some hundreds of pages, whether they are written in four transactions or in forty,
 * and each transaction copies every page it touches. So where there are many they wait a while, until there are enough.
 */
static void gather(struct threads *threads, uint32_t written)
{
    const struct history *history = threads->instance->history;
    int                   pauses = written < MANY_ROWS ? 1 : KEEP_PAUSES;

    while (pauses-- > 0 && !must_stop(&threads->stop_keeper) && history_waiting(history) < ROWS_ENOUGH)
        thread_sleep_ms(KEEP_PAUSE_MS);
}

/* How far the history has come, now and then: a snapshot counts only up to there. */
static void keep_reach(struct instance *instance, int64_t *reached_ns)
{
    if (clock_mono_ns() - *reached_ns < REACH_NS) return;
    *reached_ns = clock_mono_ns();
    (void)!history_reach(instance->history); /* the next history_write reports a failure */
}

/*
 * Where the log is shared its beginning may be gone, and a power cut must leave a history that a snapshot can go on
 * from: a moment of it is kept at the start, behind each snapshot, and now and then (decision 147).
 */
static void keep_moment(struct instance *instance, int64_t *kept_ns, bool *failing)
{
    struct history *history = instance->history;
    uint64_t        wanted = atomic_load(&instance->watch.counts.snapshot_seq), kept = history_kept(history);
    bool            is_due = clock_mono_ns() - *kept_ns >= MOMENT_NS;
    int             error;

    if (instance->options.cluster == NULL || history_seq(history) == kept) return;
    if (!is_due && (*failing || wanted <= kept || history_seq(history) < wanted)) return;
    *kept_ns = clock_mono_ns();
    error = history_keep(history);
    if (error != 0 && !*failing)
        log_line(LOG_WARN, "the history cannot be made durable: %s; no snapshot takes the place of an older one",
                 strerror(error));
    *failing = error != 0;
}

/* The counters of API keys, now and then. */
static void keep_quotas(struct instance *instance, int64_t *stored_ns, bool now)
{
    int error;

    if (!now && clock_mono_ns() - *stored_ns < QUOTAS_NS) return;
    *stored_ns = clock_mono_ns();
    error = instance_store_quotas(instance);
    if (error != 0) log_line(LOG_WARN, "the request counters of API keys cannot be written: %s", strerror(error));
}

/* The newest block into the audit log, when there is another one since the last time. */
static void keep_head(struct instance *instance, int64_t *told_ns, uint64_t *told_block)
{
    int64_t              every_ns = instance->options.audit_seconds * INT64_C(1000000000);
    struct history_block block;
    uint64_t             height;

    if (every_ns == 0 || clock_mono_ns() - *told_ns < every_ns) return;
    *told_ns = clock_mono_ns();
    thread_ceiling_begin(); /* the lock of the views is the engine's thread's, too */
    height = views_last_block(instance->server.exchange.views).height;
    thread_ceiling_end();
    if (height == *told_block || history_block_at(instance->history, height, &block) != 1) return;
    audit_head(&instance->audit, block.last_seq, block.number, &block.hash);
    *told_block = height;
}

static void look(struct instance *instance, int64_t *looked_ns)
{
    if (clock_mono_ns() - *looked_ns < LOOK_NS) return;
    *looked_ns = clock_mono_ns();
    instance_look(instance);
}

/* The keeper goes behind all others while few rows wait, so that the engine waits the less for it. */
static void keep_behind(const struct instance *instance, bool *far)
{
    bool wanted = history_waiting(instance->history) < ROWS_FAR;

    if (wanted != *far) thread_stand_far_back(wanted);
    *far = wanted;
}

static void *run_keeper(void *argument)
{
    struct threads *threads = argument;
    struct server  *server = &threads->instance->server;
    int64_t         kept_ns = clock_mono_ns(), stored_ns = kept_ns, looked_ns = kept_ns, reached_ns = kept_ns,
            headed_ns = kept_ns, moment_ns = kept_ns - MOMENT_NS;
    uint64_t head = threads->instance->standing.place.block;
    bool failing = false, refused = false, lacking = false, fleeting = false, rises = thread_may_rise(), far = false;
    uint32_t written, pending = 0;

    thread_stand_back(); /* no client waits for it; its backlog is bounded (ruling 51) */
    while (!must_stop(&threads->stop_keeper)) {
        if (rises) keep_behind(threads->instance, &far);
        if (threads->instance->options.terminal) terminal_source_look(&threads->instance->terminal);
        (void)pthread_mutex_lock(&threads->instance->going_back.keeper);
        look(threads->instance, &looked_ns);
        keep_quotas(threads->instance, &stored_ns, false);
        keep_reach(threads->instance, &reached_ns);
        keep_head(threads->instance, &headed_ns, &head);
        keep_moment(threads->instance, &moment_ns, &fleeting);
        keep_spare(threads->instance, &lacking); /* first: rows may take seconds, and the log wants the file in time */
        written = keep(threads->instance, &pending, &failing);
        keep_back(threads->instance, &kept_ns, &refused);
        (void)pthread_mutex_unlock(&threads->instance->going_back.keeper);
        if (failing) thread_sleep_ms(1000);
        if (failing) continue;
        if (pending == 0) {
            park_prepare(&server->keeper);
            if (must_stop(&threads->stop_keeper)) park_cancel(&server->keeper);
            else park_wait(&server->keeper, LOOK_AGAIN_NS);
        }
        gather(threads, written);
    }
    keep_quotas(threads->instance, &stored_ns, true);
    return NULL;
}

static int start_all(struct threads *threads)
{
    struct instance *instance = threads->instance;
    struct server   *server = &threads->instance->server;
    int              error = thread_start(&threads->journal, "journal", run_journal, threads);
    char             name[16];

    if (error == 0) error = thread_start(&threads->engine, "engine", run_engine, threads);
    if (error == 0) error = thread_start(&threads->keeper, "keeper", run_keeper, threads);
    for (uint32_t i = 0; error == 0 && i < server->thread_count; i++) {
        (void)snprintf(name, sizeof(name), "io-%u", i);
        threads->io[i] = (struct io_thread){ threads, server->gateways[i], 0 };
        error = thread_start(&threads->io[i].thread, name, run_io, &threads->io[i]);
    }
    if (error == 0 && !instance->options.library_signatures) error = second_check_start(&instance->second_check);
    if (error == 0 && instance->forwarding.forward != NULL)
        error = thread_start(&threads->forward, "forward", run_forward, instance->forwarding.forward);
    if (error == 0 && instance->forwarding.copy != NULL) error = giver_start(&instance->giver);
    if (error == 0 && instance->options.stage != NULL)
        error = stage_start(instance->options.stage, instance_port(instance));
    if (error == 0) error = thread_start(&threads->admin, "admin", run_admin, server->admin);
    if (error == 0 && server->lead != NULL) return cluster_start(&threads->instance->cluster);
    return error == 0 ? EXIT_FINE : complain(EXIT_GENERAL, "cannot start a thread: %s", strerror(error));
}

/* Requests under way are answered, connections close; all within two seconds. */
static void drain(struct server *server)
{
    int64_t  until_ns = clock_mono_ns() + DRAIN_MS * INT64_C(1000000);
    uint32_t open = 1;

    atomic_store_explicit(&server->shared.mode, MODE_STOPPING, memory_order_release);
    while (open != 0 && clock_mono_ns() < until_ns) {
        open = 0;
        for (uint32_t i = 0; i < server->thread_count; i++) {
            gateway_wake(server->gateways[i]);
            open += gateway_connections(server->gateways[i]);
        }
        if (open != 0) thread_sleep_ms(5);
    }
}

static void stop_one(_Atomic uint32_t *stop, struct park *park, pthread_t thread)
{
    atomic_store_explicit(stop, 1, memory_order_release);
    park_wake(park);
    thread_join(thread);
}

static void stop_all(struct threads *threads)
{
    struct server *server = &threads->instance->server;

    drain(server);
    stop_one(&threads->stop_engine, &server->shared.engine, threads->engine);
    cluster_stop(&threads->instance->cluster);
    for (uint32_t i = 0; i < server->thread_count; i++) {
        gateway_stop(server->gateways[i]);
        thread_join(threads->io[i].thread);
    }
    assert(atomic_load(&server->shared.coming) == 0);
    second_check_stop(&threads->instance->second_check);
    giver_stop(&threads->instance->giver);
    if (threads->instance->forwarding.forward != NULL) {
        forward_stop(threads->instance->forwarding.forward);
        thread_join(threads->forward);
    }
    admin_stop(server->admin);
    thread_join(threads->admin);
    atomic_store_explicit(&threads->stop_journal, 1, memory_order_release);
    log_nudge(server->commit.log);
    stop_one(&threads->stop_journal, &server->commit.park, threads->journal);
    disk_end_filling(&threads->instance->replay.folder); /* the next start makes the spare segment */
    stop_one(&threads->stop_keeper, &server->keeper, threads->keeper);
}

/*
 * Work that became due while the exchange was stopped runs before the first request: no client may see an order that a
 * scheduled cancel has ended (ruling 43). No thread runs yet, so this one runs the pipeline.
 */
static void catch_up(struct server *server)
{
    bool inline_writes = server->commit.inline_writes;

    if (server->role != NODE_LEADER) return; /* the leader does it */
    server->commit.inline_writes = true;
    while (server_turn(server) != 0) {}
    server->commit.inline_writes = inline_writes;
}

/* Threads and child processes are there, and everything is open: from here on less is enough. */
static void close_sandbox(const struct options *options)
{
    int error = options->sandbox ? sandbox_close() : 0;

    if (error != 0) log_line(LOG_WARN, "this system or build has no sandbox for system calls: %s", strerror(error));
}

/*
 * The service manager gets its keep-alive when the engine's thread has answered since the last one: a thread that
 * hangs, and with it every write, ends in silence, and silence in a restart. While it waits for the disk itself
 * (COMMIT_INLINE, only with a log of one place) the disk hangs, as it may for the log's thread.
 */
static void notify_watchdog(struct threads *threads, int64_t every_ms)
{
    if (every_ms == 0 || clock_mono_ns() - threads->notified_ns < every_ms * INT64_C(500000)) return;
    if (atomic_load(&threads->answered) != atomic_load(&threads->asked)
        && commit_state(&threads->instance->server.commit.places[0]) != COMMIT_INLINE)
        return;
    notify_say("WATCHDOG=1");
    threads->notified_ns = clock_mono_ns();
    (void)atomic_fetch_add(&threads->asked, 1);
    park_wake(&threads->instance->server.shared.engine);
}

/* Until a signal requests the end. */
static void wait_for_the_end(struct threads *threads)
{
    struct instance *instance = threads->instance;
    int64_t          watchdog_ms = notify_watchdog_ms() / 2, rest_ms = instance->has_console ? 50
                                                                     : watchdog_ms != 0      ? watchdog_ms / 2 + 1
                                                                                             : INT64_MAX;

    while (signals_wait(rest_ms) == 0) {
        if (instance->has_console) console_log_print(&instance->console_log);
        notify_watchdog(threads, watchdog_ms);
    }
}

/* Some threads run, and nothing may be closed under them: the process ends as after a kill. */
static __attribute__((noreturn)) void give_up(struct instance *instance, int code)
{
    audit_not_started(&instance->audit, code, complained());
    if (instance->options.passing) files_remove_tree(instance->options.folder);
    files_exit_now(code);
}

int instance_run(struct instance *instance, void (*ready)(void *self), void *self)
{
    static struct threads threads;
    struct audit_position place;
    int                   code;

    threads = (struct threads){ .instance = instance, .start_gate = PTHREAD_MUTEX_INITIALIZER };
    catch_up(&instance->server);
    instance_look(instance);
    (void)pthread_mutex_lock(&threads.start_gate);
    code = start_all(&threads);
    if (code != EXIT_FINE) give_up(instance, code);
    watch_start(&instance->watch, instance->options.folder, instance->history, &instance->options.watch);
    close_sandbox(&instance->options); /* behind all that starts programs */
    (void)pthread_mutex_unlock(&threads.start_gate);
    ready(self);
    notify_say("READY=1");
    wait_for_the_end(&threads);
    notify_say("STOPPING=1");
    watch_stop(&instance->watch);
    stop_all(&threads);
    if (instance->has_console) console_log_print(&instance->console_log);
    code = watch_stopped_all(&instance->watch) ? EXIT_DAMAGE : EXIT_FINE;
    place = instance_position(instance);
    audit_stopped(&instance->audit, code, &place);
    return code;
}
