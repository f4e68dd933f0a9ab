/* SPDX-License-Identifier: MIT */
/* venue_borders.c — checks, and the faults of tests, at the borders of rooms: functions that the linker wraps. */
#include "venue_inside.h"

#include "core/account/account.h"
#include "core/engine.h"
#include "io/files.h"
#include "ledger.h"
#include "marks.h"
#include "pipeline/blocks.h"
#include "app/cli/commands.h"
#include "app/start.h"
#include "diagnostics/program_log.h"
#include "stream/event_queue.h"
#include "truth.h"
#include "views/views.h"

#define PAID 256 /* positions whose last hour is remembered */

struct injected_faults injected_faults;
struct borders         borders;

static struct paid {
    uint64_t position;
    int64_t  hour;
} paid_hours[PAID];
static int64_t received_ms; /* time of the last command of this life */

static void judge_limits(const struct engine *engine, uint64_t seq)
{
    struct limits limits = injected_faults.raise_lost ? *borders.limits : *engine_limits(engine);

    if (!limits_are(&limits, seq))
        world_wrong("the limits in force behind command %lu are not those that were raised", (unsigned long)seq);
}

static void alter_result(struct engine *engine, const struct command *command, const struct events *own);
static void check_time(const struct command *command, const struct events *own);

void __real_engine_apply_ahead(struct engine *engine, const struct command *command, const struct engine_ahead *ahead,
                               struct events *events);
void __wrap_engine_apply_ahead(struct engine *engine, const struct command *command, const struct engine_ahead *ahead,
                               struct events *events);
void __wrap_engine_apply_ahead(struct engine *engine, const struct command *command, const struct engine_ahead *ahead,
                               struct events *events)
{
    size_t        from = events->len;
    struct events own;

    if (!fiber_here()) { /* the random flow, which is not of this world */
        __real_engine_apply_ahead(engine, command, ahead, events);
        return;
    }
    alter_result(engine, command, NULL);
    __real_engine_apply_ahead(engine, command, ahead, events);
    own = (struct events){ events->at + from, events->len - from, events->len - from };
    if (injected_faults.other_replay && !ledger_serves()) alter_result(engine, command, &own);
    if (ledger_serves()) engine_verify(engine); /* a replay is verified at its end, by the server itself */
    ledger_applied(command, &own);
    if (injected_faults.raise_moves_wrong && command->kind == CMD_RAISE_LIMIT && !ledger_serves())
        engine_perps(engine)[0].premium_ms += 1;
    if (command->kind == CMD_RAISE_LIMIT) judge_limits(engine, command->seq);
    marks_judge(engine, command->seq, command->kind == CMD_RAISE_LIMIT && ledger_serves());
    if (borders.followers != 0) truth_applied(command, &own);
    check_time(command, &own);
    if (injected_faults.other_answer && ledger_serves()) alter_result(engine, command, &own);
    borders.counts->commands += 1;
    borders.commands += 1;
    if (borders.followers != 0 && ledger_serves()) fiber_maybe_yield(32);
}

void __wrap_engine_apply(struct engine *engine, const struct command *command, struct events *events);
void __wrap_engine_apply(struct engine *engine, const struct command *command, struct events *events)
{
    static const struct engine_ahead none;

    __wrap_engine_apply_ahead(engine, command, &none, events);
}

/* Time in the log does not go back; an hour is paid for once; ten firings a day at most (goal 30). */
static void check_time(const struct command *command, const struct events *own)
{
    if (command->time_ms < received_ms) world_wrong("command %lu goes back in time", (unsigned long)command->seq);
    received_ms = command->time_ms;
    for (const struct event *event = events_first(own); event != NULL; event = events_next(own, event)) {
        const struct funded   *funded = (const void *)event;
        const struct schedule *schedule = (const void *)event;

        borders.counts->liquidations += event->kind == EVENT_LIQUIDATION && ledger_serves();

        if (event->kind == EVENT_SCHEDULE && schedule->fired_today > 10)
            world_wrong("%u firings on one day", schedule->fired_today);
        if (event->kind != EVENT_FUNDING) continue;
        struct paid *paid = &paid_hours[funded->position_id % PAID];
        if (paid->position == funded->position_id && paid->hour >= funded->time_ms / HOUR_MS)
            world_wrong("position %lu pays twice for an hour", (unsigned long)funded->position_id);
        *paid = (struct paid){ funded->position_id, funded->time_ms / HOUR_MS };
        borders.counts->fundings += 1;
    }
}

/* The injected faults of a test: in a command before it is executed, or (`own`) in its events. */
static void alter_result(struct engine *engine, const struct command *command, const struct events *own)
{
    struct command *head = (struct command *)(uintptr_t)command;

    if (own != NULL) {
        for (const struct event *event = events_first(own); event != NULL; event = events_next(own, event))
            if (event->kind == EVENT_RESULT && ((const struct result *)(const void *)event)->order_id != 0)
                ((struct result *)(uintptr_t)event)->order_id += 1;
        return;
    }
    if (command->kind == CMD_PLACE_ORDERS && injected_faults.half_batch
        && ((struct place_orders *)(void *)(head + 1))->count > 1)
        ((struct place_orders *)(void *)(head + 1))->count -= 1;
    if (command->domain == DOMAIN_SPOT && injected_faults.phantom) head->nonce -= 100000;
    if (injected_faults.one_unit && command->seq == 20) account_buckets(account_at(engine, SLOT_USERS))->available += 1;
}

/* The log has been read to its end. */
bool __real_server_prepare(struct server *server, struct log *log);
bool __wrap_server_prepare(struct server *server, struct log *log);
bool __wrap_server_prepare(struct server *server, struct log *log)
{
    world.moments &= ~(uint32_t)AT_START;
    followers_recovered(log_next_seq(log) - 1);
    ledger_recovered(log_next_seq(log) - 1);
    truth_keep(ledger_happened());
    marks_keep(ledger_happened());
    judge_limits(server->exchange.engine, ledger_happened());
    marks_judge(server->exchange.engine, ledger_happened(), true);
    borders.counts->recoveries += 1;
    borders.counts->raised_recoveries += limits_raised(UINT64_MAX) != 0;
    borders.counts->raised_snapshots += limits_raised(ledger_first_seq() - 1) != 0;
    if (world.forgives) borders.place_count = 0; /* anything that a lying disk lost is in no log */
    if (borders.die_later != 0) world.die_at = world.calls + borders.die_later;
    if (borders.fault_later != 0) world.fault_at = world.calls + borders.fault_later;
    return __real_server_prepare(server, log);
}

/* A batch has been published; the first call has the state before the first command. */
void __real_views_apply(struct views *views, const struct events *events, const struct view_block *block);
void __wrap_views_apply(struct views *views, const struct events *events, const struct view_block *block);
void __wrap_views_apply(struct views *views, const struct events *events, const struct view_block *block)
{
    if (fiber_here() && borders.followers != 0) {
        if (block != NULL && block->height == 0) truth_genesis(events);
        else truth_batch_ends(block == NULL ? NULL : &block->height);
    }
    __real_views_apply(views, events, block);
}

/* ---- publication to streams ---- */

/* The effect of a full ring on subscribers (dev_prices.c), without the eight megabytes that fill it. */
static void lose(const struct event_queues *queues)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if ((atomic_load(&queues->queues[i]->wants) & (WANT_TRADES | WANT_ACCOUNTS)) != 0)
            atomic_store(&queues->queues[i]->lost, 1);
}

void __real_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                             int64_t time_ms, bool last);
void __wrap_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                             int64_t time_ms, bool last);
void __wrap_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                             int64_t time_ms, bool last)
{
    if (world.loses && world_chance(400)) lose(queues);
    __real_event_queues_add(queues, events, height, time_ms, last);
}

/* The engine's thread may be interrupted in the middle of a batch that is partly published. */
void __real_event_queues_show(const struct event_queues *queues, bool whole);
void __wrap_event_queues_show(const struct event_queues *queues, bool whole);
void __wrap_event_queues_show(const struct event_queues *queues, bool whole)
{
    __real_event_queues_show(queues, whole);
    if (borders.followers != 0) fiber_maybe_yield(2);
}

#define NARROW 256

/*
 * The bound at which a reader is behind is lower than in the real server, otherwise there would have to be hundreds of
 * times as many messages.
 */
static size_t waiting_of(size_t most) { return world.is_narrow && most != SIZE_MAX ? most / NARROW : most; }

static bool begins_with(struct slice frame, const char *text)
{
    return memmem(frame.at, min_size(frame.len, 60), text, strlen(text)) != NULL;
}
static bool is_trades(struct slice frame) { return begins_with(frame, "\"trade\",\"type\":\"update\""); }
static bool is_receipts(struct slice frame)
{
    return begins_with(frame, "iquidation\",\"type\":\"update\"");
} /* of one symbol, or of all */

typedef bool send_frames(void *self, uint32_t slot, struct slice frames, size_t most);

static bool send_to(send_frames *send, void *self, uint32_t slot, struct slice frames, size_t most)
{
    bool sent;

    if (injected_faults.trade_lost && is_trades(frames)) return true;
    if (injected_faults.receipt_lost && is_receipts(frames)) return true;
    sent = send(self, slot, frames, waiting_of(most));
    if ((injected_faults.trade_twice && is_trades(frames)) || (injected_faults.receipt_twice && is_receipts(frames)))
        (void)send(self, slot, frames, waiting_of(most));
    return sent || injected_faults.slow_misses;
}

bool __real_gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most);
bool __wrap_gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most);
bool __wrap_gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most)
{
    return send_to(__real_gateway_stream_send, self, slot, frames, most);
}

bool __real_gateway_stream_share(void *self, uint32_t slot, struct slice frame, size_t most);
bool __wrap_gateway_stream_share(void *self, uint32_t slot, struct slice frame, size_t most);
bool __wrap_gateway_stream_share(void *self, uint32_t slot, struct slice frame, size_t most)
{
    return send_to(__real_gateway_stream_share, self, slot, frame, most);
}

struct stream;
struct topic;
struct topic *__real_topic_of_account(struct stream *stream, uint64_t account_id);
struct topic *__wrap_topic_of_account(struct stream *stream, uint64_t account_id);
struct topic *__wrap_topic_of_account(struct stream *stream, uint64_t account_id)
{
    return __real_topic_of_account(stream, account_id + injected_faults.other_account);
}

void __real_views_book(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit,
                       struct view_level *bids, struct view_level *asks, struct view_book *book);
void __wrap_views_book(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit,
                       struct view_level *bids, struct view_level *asks, struct view_book *book);
void __wrap_views_book(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit,
                       struct view_level *bids, struct view_level *asks, struct view_book *book)
{
    __real_views_book(views, market, symbol_id, limit, bids, asks, book);
    if (injected_faults.level_lost && book->bid_count > 1) book->bid_count -= 1;
}

/* The place at which the log's thread stands when it submits this batch. */
static struct commit_place *place_of(struct log_batch *batch)
{
    return (struct commit_place *)(void *)((uint8_t *)batch - offsetof(struct commit_place, batch.records));
}

/* For a plant: each batch of the log's thread is called durable before it is written,
   and the engine's thread has some time to believe it. */
__attribute__((noreturn)) static void append_late(struct log *log, struct log_batch *batch,
                                                  const struct log_applied *applied);
static bool                           late_at_work;

static struct log_batch *submitted;

void __real_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);
void __wrap_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);
void __wrap_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    if (injected_faults.applied_early && batch->count != 0 && ledger_serves()
        && commit_state(place_of(batch)) == COMMIT_WRITING)
        append_late(log, batch, applied);
    while (late_at_work) fiber_wait(NULL, world.mono_ns + 20000); /* a command alone, of the engine's thread */
    world.appends = fiber_number();
    submitted = batch;
    __real_log_submit(log, batch, applied);
}

int __real_log_wait(struct log *log);
int __wrap_log_wait(struct log *log);
int __wrap_log_wait(struct log *log)
{
    int error = __real_log_wait(log);

    world.appends = 0;
    borders.counts->switches += (world.moments & AT_SWITCH) != 0;
    world.moments &= ~(uint32_t)AT_SWITCH;
    if (error == 0) {
        borders.places[borders.place_count % PLACES] = (struct place){ submitted->position, submitted->len };
        borders.place_count += 1;
    }
    return injected_faults.append_says_yes ? 0 : error;
}

static void append_late(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    struct commit_place *place = place_of(batch);

    for (;;) {
        struct log_batch   copy = *batch;
        struct log_applied as_of = *applied;

        late_at_work = true;
        commit_set(place, COMMIT_DURABLE);
        for (int i = 0; i < 100; i++) fiber_wait(NULL, world.mono_ns + 20000);
        __real_log_submit(log, &copy, &as_of);
        if (__real_log_wait(log) != 0) files_exit_now(EXIT_DISK);
        late_at_work = false;
        while (commit_state(place) != COMMIT_WRITING) fiber_wait(NULL, world.mono_ns + 100000);
        blocks_name(batch, &(struct log_cursor){ 0 }, UINT32_MAX);
    }
}

void borders_life_begins(void)
{
    memset(paid_hours, 0, sizeof(paid_hours));
    received_ms = 0;
    borders.commands = 0;
    late_at_work = false;
}
