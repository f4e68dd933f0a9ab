/* SPDX-License-Identifier: MIT */
#include "pipeline/turn.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "admin/admin.h"
#include "pipeline/clock_advance.h"
#include "diagnostics/program_log.h"
#include "pipeline/raise.h"
#include "pipeline/revert.h"
#include "pipeline/role.h"

#include <errno.h>

#define JUMP_AHEAD_MS 5000 /* beyond it the clock is reported, and time continues */
#define JUMP_BACK_MS  1000
#define LARGE_BATCH   8 /* commands; a lone command is sent at once */
#define EARLY_BYTES   (16 * 1024)
#define SMALL_BYTES   1024u /* of a record, on average: one order has 500 */
#define BUSY_NS       INT64_C(3000000)
#define REST_NS       INT64_C(1000000000) /* the wall's clock may be set while the engine's thread sleeps */

static bool take_batch(struct command_batch *batch)
{
    batch->records = (struct log_batch){ .at = files_take_memory(BATCH_BYTES), .cap = BATCH_BYTES };
    batch->routes = files_take_memory(BATCH_RECORDS_MAX * sizeof(struct reply_route));
    batch->hints = (struct batch_hints){ .at = files_take_memory(HINTS_BYTES), .cap = HINTS_BYTES };
    batch->hints.of = files_take_memory(BATCH_RECORDS_MAX * sizeof(*batch->hints.of));
    return batch->records.at != NULL && batch->routes != NULL && batch->hints.at != NULL && batch->hints.of != NULL;
}

static void count_figures(struct commit_slot *commit)
{
    struct log_figures figures = log_figures(commit->log);

    tally_set(&commit->counters.part, figures.part);
    tally_set(&commit->counters.part_used, figures.part_used);
}

/* With a log that is shared it begins as a follower; the lease and the fence make a leader. */
static void prepare_role(struct server *server)
{
    struct leadership  *lead = server->lead;
    struct applied_mark mark = { .command = engine_seq(server->exchange.engine),
                                 .block = server->exchange.blocks.applied.number };

    server->commit.lead = lead;
    server->role = lead == NULL ? NODE_LEADER : NODE_FOLLOWER;
    atomic_store(&server->shared.role, server->role);
    commit_set(commit_oldest(&server->commit), lead == NULL ? COMMIT_IDLE : COMMIT_READING);
    if (lead != NULL) leadership_set_mark(lead, &mark);
}

static bool take_places(struct commit_slot *commit)
{
    bool good = true;

    for (uint32_t i = 0; i < commit->place_count; i++) good = good && take_batch(&commit->places[i].batch);
    return good;
}

bool server_prepare(struct server *server, struct log *log)
{
    assert((server->lead != NULL) == log_is_shared(log));
    server->commit.log = log;
    server->commit.early_bytes = EARLY_BYTES;
    server->commit.place_count = server->lead == NULL ? 1 : min_u32(log_under_way(log), COMMIT_PLACES);
    prepare_role(server);
    count_figures(&server->commit);
    pipeline_counters_show(&server->counters, server->exchange.engine);
    pools_show(&server->pools, server->pools_warned, server->exchange.engine);
    server->sequencer.next_seq = log_next_seq(log);
    server->sequencer.last_ms = atomic_load(&server->exchange.time_ms);
    server->sequencer.down = true;
    server->sequencer.raise = (struct sequence_raise){ server, raise_fits };
    server->sequencer.chain_id = server->exchange.genesis->chain_ids[0];
    atomic_store(&server->shared.offset_ms, engine_time_offset_ms(server->exchange.engine));
    server->shared.time_ms = &server->exchange.time_ms;
    atomic_store(&server->shared.applied_seq, engine_seq(server->exchange.engine));
    atomic_store(&server->shared.mode, MODE_RUNNING);
    park_init(&server->shared.engine);
    park_init(&server->commit.park);
    park_init(&server->keeper);
    return take_batch(&server->sequencer.batch) && take_places(&server->commit) && take_batch(&server->durable);
}

static void touch_batch(const struct command_batch *batch)
{
    memory_touch(batch->records.at, batch->records.cap);
    memory_touch(batch->routes, BATCH_RECORDS_MAX * sizeof(struct reply_route));
    memory_touch(batch->hints.at, batch->hints.cap);
    memory_touch(batch->hints.of, BATCH_RECORDS_MAX * sizeof(*batch->hints.of));
}

void server_touch(struct server *server)
{
    touch_batch(&server->sequencer.batch);
    for (uint32_t i = 0; i < server->commit.place_count; i++) touch_batch(&server->commit.places[i].batch);
    touch_batch(&server->durable);
    exchange_touch(&server->exchange);
}

/* ---- the log's side ---- */

static void count_append(struct commit_slot *commit, const struct commit_place *place)
{
    struct commit_counters *counters = &commit->counters;

    histogram_add(&counters->append, clock_mono_ns() - place->began_ns, 1);
    tally_add(&counters->batches, 1);
    tally_add(&counters->records, place->batch.records.count);
    tally_add(&counters->bytes, place->batch.records.len);
    count_figures(commit);
}

/* The oldest batch has ended, as `state` says; the log's thread goes on to the next place. */
static void end_place(struct commit_slot *commit, enum commit_state state)
{
    struct commit_place *place = commit_at(commit);

    atomic_store_explicit(&commit->at, commit_step(commit, commit->at, 1), memory_order_relaxed);
    commit->submitted -= commit->submitted != 0;
    commit_set(place, state);
}

/* Everything that is under way: behind a batch that is not in the log no other one can be. */
static void lose_all(struct commit_slot *commit)
{
    commit->has_lost = true;
    while (commit_state(commit_at(commit)) == COMMIT_WRITING) end_place(commit, COMMIT_LOST);
    assert(commit->submitted == 0);
}

/*
 * A log that is shared lost the oldest batch; the engine's thread answers whoever waits for it, or for one behind it. A
 * node that was fenced does not try to lead until the lease is seen to be its own again.
 */
static void lose(struct commit_slot *commit, int error)
{
    uint32_t wish = WISH_LEAD;

    log_line(LOG_WARN, "the log did not take the batch at command %lu: %s",
             (unsigned long)commit_at(commit)->batch.records.first_seq,
             error == ESTALE ? "another node leads" : "it is not known whether the log has it");
    if (error == ESTALE) (void)atomic_compare_exchange_strong(&commit->lead->wish, &wish, WISH_FOLLOW);
    lose_all(commit);
}

/* Submits what was handed over since; each of them travels while the oldest is waited for. */
static void submit_all(struct commit_slot *commit)
{
    uint32_t at = atomic_load_explicit(&commit->at, memory_order_relaxed);

    for (; commit->submitted < commit->place_count; commit->submitted++) {
        struct commit_place *place = &commit->places[commit_step(commit, at, commit->submitted)];

        if (commit_state(place) != COMMIT_WRITING && commit_state(place) != COMMIT_INLINE) return;
        place->began_ns = clock_mono_ns();
        blocks_name(&place->batch.records, &place->batch.named, UINT32_MAX);
        log_submit(commit->log, &place->batch.records, &place->applied);
    }
}

static __attribute__((noreturn)) void stop_for_disk(const struct commit_slot *commit)
{
    if (commit->passing_folder != NULL) files_remove_tree(commit->passing_folder);
    files_exit_now(EXIT_DISK);
}

void commit_write(struct commit_slot *commit)
{
    int error;

    if (commit->has_lost) {
        lose_all(commit);
        return;
    }
    submit_all(commit);
    assert(commit->submitted != 0);
    error = log_wait(commit->log);
    if (error == EAGAIN && leadership_holds(commit->lead, clock_mono_ns())) return;
    if (error == 0) {
        count_append(commit, commit_at(commit));
        end_place(commit, COMMIT_DURABLE);
    } else if (commit->lead != NULL) {
        lose(commit, error);
    } else {
        /* No client has got an answer, and none will: a command that is not on disk was not applied. */
        log_line(LOG_ERROR, "the log cannot be written: %s; stopping; commands that are not durable get no answer",
                 strerror(error));
        stop_for_disk(commit);
    }
}

/* ---- the engine's side ---- */

/* The clock that engine time follows, without the offset of advances. */
static int64_t clock_now(const struct server *server) { return engine_clock_at(server->shared.clock, clock_wall_ms()); }

/* The same; logs when the wall clock was set. Engine time never goes back (ruling 18). */
static int64_t read_clock(struct server *server)
{
    int64_t wall_ms = clock_wall_ms(), boot_ms = clock_boot_ns() / 1000000;
    int64_t jump_ms = (wall_ms - server->wall_ms) - (boot_ms - server->boot_ms);

    if (server->boot_ms != 0 && jump_ms > JUMP_AHEAD_MS)
        log_line(
            LOG_WARN,
            "the clock was set ahead by %ld ms; what became due in between fires now, and engine time never goes back. "
            "If the clock is wrong, stop the exchange, set the clock right and start again: engine time then stands "
            "still until the clock has caught up",
            (long)jump_ms);
    if (server->boot_ms != 0 && jump_ms < -JUMP_BACK_MS)
        log_line(LOG_WARN, "the clock was set back by %ld ms; engine time waits for it", (long)-jump_ms);
    server->wall_ms = wall_ms;
    server->boot_ms = boot_ms;
    return engine_clock_at(server->shared.clock, wall_ms);
}

/* The clock as the engine goes by it. */
static int64_t engine_clock_ms(const struct server *server, int64_t clock_ms)
{
    return clock_ms + engine_time_offset_ms(server->exchange.engine);
}

static uint32_t collect_batch(struct server *server)
{
    int64_t              clock_ms;
    const struct engine *engine = server->exchange.engine;
    struct moment        moment;

    if (server->role != NODE_LEADER) return role_refuse_writes(server);
    if (role_is_ending(server)) return 0;
    clock_ms = read_clock(server);
    moment = (struct moment){
        .wall_ms = engine_clock_ms(server, clock_ms),
        .due_ms = engine_due_ms(engine),
        .writing_ms = INT64_MAX,
        .kept_ms = engine_kept_ms(engine),
        .pulse_ms = engine_pulse_ms(engine),
        .second_ms = engine_second_ms(engine),
        .left = engine_work_left(engine),
        .idle = server_is_idle(server),
    };

    if (sequence_advance_waits(&server->sequencer) && server_is_idle(server))
        return clock_advance_judge(server, clock_ms);
    if (server->commit.count != 0) moment.writing_ms = commit_oldest(&server->commit)->batch.records.time_ms;
    return sequence(&server->sequencer, &moment, server->writes, server->ring_count);
}

static uint32_t complete_batch(struct server *server)
{
    struct command_batch *batch = &server->durable;
    struct commit_place  *place = commit_oldest(&server->commit);

    if (commit_state(place) != COMMIT_DURABLE) return 0;
    assert(!server->has_durable);
    command_batch_swap(&place->batch, batch);
    server->has_durable = true;
    server->durable_ns = clock_mono_ns();
    if (server->role != NODE_LEADER) server->claim = place->applied;
    if (batch->waiting != 0)
        histogram_add(&server->counters.durable, server->durable_ns - batch->submitted_ns, batch->waiting);
    if (server->commit.count != 0) role_end_oldest(server);
    else role_read_on(server); /* another node's */
    return 1;
}

/* How long the commands of a batch have waited that goes now. */
static void count_queue(struct server *server, struct command_batch *batch)
{
    batch->submitted_ns = clock_mono_ns();
    batch->waiting = 0;
    for (uint32_t i = 0; i < batch->records.count; i++) {
        if (batch->routes[i].origin == 0) continue;
        histogram_add(&server->counters.queue, batch->submitted_ns - batch->routes[i].sent_ns, 1);
        batch->waiting += 1;
    }
}

/*
 * Whether the batch that is being collected goes although another one is under way (decision 130). The database commits
 * one after the other, so a batch that is small, or small beside the one before it, gathers more meanwhile: it would
 * only make the commits more.
 */
static bool goes_early(struct server *server)
{
    uint64_t before = commit_oldest(&server->commit)->batch.records.len;

    return server->sequencer.batch.records.len >= max_u64(server->commit.early_bytes, before / 2);
}

/* The log's thread takes the batch: it is parked, or it waits for the one before. */
static void wake_log(struct commit_slot *commit, struct commit_place *place)
{
    if (commit->inline_writes) {
        while (commit_state(place) == COMMIT_WRITING) commit_write(commit);
        return;
    }
    park_wake(&commit->park);
    if (commit->count > 1) log_nudge(commit->log);
}

/*
 * Through an advance of the clock with a source the engine's thread writes the log itself, because the log's thread
 * sleeps then and each instant is a batch; and the log is synced at the end alone, before the answer.
 */
static bool hurries(struct server *server)
{
    const struct command_source *source = server->sequencer.source;
    bool                         runs = server->sequencer.advance_kind == STEP_RUNNING;

    if (source == NULL || source->hurry == NULL || runs == server->hurries) return server->hurries;
    server->hurries = runs;
    source->hurry(source->self, runs);
    return runs;
}

/*
 * A command that comes alone while nothing else is on its way is written, synced and applied by the engine's thread:
 * to wake the log's thread and to be woken by it would take longer than all the rest but the sync (decision 135). Of a
 * log that is shared the log's thread knows the state, and a rule of faults lets that thread wait.
 */
static bool is_alone(const struct server *server, const struct command_batch *batch)
{
    const struct chaos *chaos = server->shared.chaos;

    return batch->records.count == 1 && server->commit.count == 1 && !server->has_durable
        && !server->commit.inline_writes && server->lead == NULL && (chaos == NULL || !chaos_is_active(chaos));
}

/* The header names the block of the last batch that is applied, which may be several batches back. */
static void hand_over(struct server *server)
{
    struct commit_slot  *commit = &server->commit;
    struct commit_place *place = &commit->places[commit_step(commit, commit->oldest, commit->count)];

    assert(commit_state(place) == COMMIT_IDLE);
    sequence_take(&server->sequencer, &place->batch);
    count_queue(server, &place->batch);
    place->applied = server->exchange.blocks.applied;
    commit->count += 1;
    if ((server->sequencer.source != NULL && hurries(server)) || is_alone(server, &place->batch)) {
        commit_set(place, COMMIT_INLINE);
        commit_write(commit);
        return;
    }
    commit_set(place, COMMIT_WRITING);
    wake_log(commit, place);
}

/*
 * While the log writes the batch before and nothing is there to be applied, the engine's thread names small commands,
 * which the log's thread would have to name before it writes them: what that thread does between two syncs bounds the
 * rate of small commands (decision 158). A batch of large ones is left to it: so many of them would keep a durable
 * batch waiting.
 */
static uint32_t name_ahead(struct server *server)
{
    struct command_batch *batch = &server->sequencer.batch;
    size_t                count;

    if (!server->sequencer.open || server->commit.count == 0 || server->has_durable) return 0;
    count = batch->records.count - batch->named.index;
    if (count < NAME_AHEAD || batch->records.len - batch->named.offset > count * SMALL_BYTES) return 0;
    if (commit_state(commit_oldest(&server->commit)) != COMMIT_WRITING) return 0;
    blocks_name(&batch->records, &batch->named, NAME_AHEAD);
    return 1;
}

static uint32_t submit_batch(struct server *server)
{
    const struct commit_slot *commit = &server->commit;

    if (server->role != NODE_LEADER || commit->count == commit->place_count) return 0;
    if (commit->count == 0 && !server->has_durable
        && clock_mono_ns() - server->applied_ns >= CLOSING_MS * INT64_C(1000000))
        sequence_closing(&server->sequencer, engine_clock_ms(server, clock_now(server)));
    if (!server->sequencer.open || (commit->count != 0 && !goes_early(server))) return 0;
    hand_over(server);
    return 1;
}

/*
 * Through an advance of the clock the engine is faster than the history is written, and nobody waits for an answer who
 * could be refused: the next instant waits for the history.
 */
static bool waits_for_history(const struct server *server)
{
    const struct history *history = server->exchange.history;

    return server->sequencer.advance_kind == STEP_RUNNING && history != NULL && history_is_full(history);
}

static void post_replies(struct server *server)
{
    const struct replies *replies = &server->exchange.replies;
    uint64_t              woken = 0;

    for (size_t at = 0; at < replies->len;) {
        const struct reply_message *reply = (const struct reply_message *)(const void *)(replies->at + at);
        woken |= UINT64_C(1) << server_post_reply(server, reply);
        at += sizeof(*reply) + reply->events_bytes;
    }
    for (uint32_t i = 0; i < server->ring_count; i++)
        if ((woken >> i & 1) != 0) server_wake(server, i);
}

/*
 * Reads show what has been applied. A gateway sets its bit before it looks at applied_seq again; so either it sees this
 * number, or this thread sees its bit.
 */
static void show_applied(struct server *server)
{
    struct gateway_shared *shared = &server->shared;
    uint64_t               waiters;

    atomic_store(&shared->applied_seq, engine_seq(server->exchange.engine));
    if (atomic_load(&shared->seq_waiters) == 0) return;
    waiters = atomic_exchange(&shared->seq_waiters, 0);
    for (uint32_t i = 0; i < server->thread_count; i++)
        if ((waiters >> i & 1) != 0) server_wake(server, i);
}

/* Where the history cannot be written any more, what is durable is in the log, and the next start makes the rest again.
 */
static void update_shedding(struct server *server)
{
    bool full = (server->exchange.history != NULL && history_is_full(server->exchange.history))
             || log_is_short(server->commit.log);

    atomic_store_explicit(&server->shared.shed, full, memory_order_relaxed);
    if (server->exchange.history == NULL || !history_is_short(server->exchange.history)) return;
    log_line(LOG_ERROR, "the history cannot be written, and there is no memory for more of it; stopping");
    stop_for_disk(&server->commit);
}

/* A batch that another node wrote, or that was answered before it was known to be in the log. */
static void apply_followed(struct server *server)
{
    role_check_claim(server);
    exchange_run(&server->exchange, &server->durable.records, NULL);
    server->applied_ns = clock_mono_ns();
    atomic_store_explicit(&server->shared.offset_ms, engine_time_offset_ms(server->exchange.engine),
                          memory_order_release);
}

static void apply_own(struct server *server)
{
    const struct command_batch *batch = &server->durable;

    exchange_run(&server->exchange, &batch->records, batch);
    sequence_applied(&server->sequencer, &batch->records);
    if (engine_pulse_ms(server->exchange.engine) > engine_second_ms(server->exchange.engine))
        sequence_last(&server->sequencer);
    server->applied_ns = clock_mono_ns();
    if (batch->waiting != 0)
        histogram_add(&server->counters.apply, server->applied_ns - server->durable_ns, batch->waiting);
}

static uint32_t apply_batch(struct server *server)
{
    const struct command_batch *batch = &server->durable;

    if (!server->has_durable) return 0;
    revert_note(server, &batch->records);
    if (revert_is_durable(server)) revert_apply(server);
    else if (server->role == NODE_LEADER) apply_own(server);
    else apply_followed(server);
    pipeline_counters_show(&server->counters, server->exchange.engine);
    pools_show(&server->pools, server->pools_warned, server->exchange.engine);
    if (server->lead != NULL) role_mark_applied(server, &batch->records.position);
    show_applied(server);
    if (server->role == NODE_LEADER && !clock_advance_holds_reply(server)) post_replies(server);
    server->has_durable = false;
    if (batch->records.count != 0) park_wake(&server->keeper);
    return 1;
}

/* The order of these lines is the architecture; docs/ARCHITECTURE.md only explains it. */
uint32_t server_turn(struct server *server)
{
    uint32_t work = 0;

    if (server->lead != NULL) work += role_turn(server); /* who leads may have changed */
    work += collect_batch(server);                       /* commands   → numbered and timed, in a batch */
    work += complete_batch(server);                      /* the oldest batch on its way is on disk: it may now happen */
    if (!waits_for_history(server))
        work += submit_batch(server); /* the batch that was collected → on its way to disk */
    work += apply_batch(server);      /* durable    → engine, blocks, views, history; replies go out */
    work += name_ahead(server);       /* and while nothing is durable: hashes of what goes to the disk next */
    update_shedding(server);
    return work;
}

bool server_is_busy(const struct server *server)
{
    return server->durable.records.count >= LARGE_BATCH && clock_mono_ns() - server->applied_ns < BUSY_NS;
}

/* How long the clock takes for so much engine time, at most REST_NS; it may stand. */
static int64_t clock_rest_ns(const struct server *server, int64_t wait_ms)
{
    int64_t rate = engine_clock_rate(server->shared.clock);

    if (rate == 0 || wait_ms >= REST_NS / 1000000 * rate / CLOCK_RATE_ONE) return REST_NS;
    return min_i64(REST_NS, max_i64(1, wait_ms) * 1000000 * CLOCK_RATE_ONE / rate);
}

int64_t server_rest_ns(const struct server *server)
{
    if (server->role != NODE_LEADER) return REST_NS; /* the log's thread wakes this one */
    int64_t due_ms = min_i64(engine_due_ms(server->exchange.engine), engine_pulse_ms(server->exchange.engine));
    int64_t now_ms = sequence_now(&server->sequencer, engine_clock_ms(server, clock_now(server)));
    int64_t source_ms = server->sequencer.source == NULL ? INT64_MAX : sequence_source_ms(&server->sequencer);
    int64_t rest_ns = clock_rest_ns(server, min_i64(due_ms, source_ms) - now_ms);

    if (server->sequencer.unproved)
        rest_ns =
            min_i64(rest_ns, max_i64(100000, server->applied_ns + CLOSING_MS * INT64_C(1000000) - clock_mono_ns()));
    if (atomic_load_explicit(&server->shared.shed, memory_order_relaxed) != 0) rest_ns = min_i64(rest_ns, 10000000);
    if (server->lead != NULL) rest_ns = min_i64(rest_ns, max_i64(1, leadership_left_ns(server->lead)));
    return rest_ns;
}

bool server_is_idle(const struct server *server)
{
    if (server->role != NODE_LEADER) return !server->has_durable;
    return server->commit.count == 0 && !server->sequencer.open && !server->has_durable;
}

void server_close_log(struct server *server)
{
    assert(server_is_idle(server));
    if (server->role != NODE_LEADER) return;
    server->applied_ns = clock_mono_ns() - CLOSING_MS * INT64_C(1000000);
    sequence_last(&server->sequencer);
    while (submit_batch(server) != 0 || !server_is_idle(server)) {
        if (server->lead != NULL) (void)role_turn(server); /* the log may be lost even now */
        if (complete_batch(server) != 0) (void)apply_batch(server);
        else thread_sleep_ms(1);
        server->applied_ns = clock_mono_ns();
    }
}
