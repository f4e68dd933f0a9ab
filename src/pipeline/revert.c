/* SPDX-License-Identifier: MIT */
#include "pipeline/revert.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"

/* ---- answers ---- */

static void answer_number(struct server *server, uint64_t origin, uint32_t reply_bytes, uint64_t number)
{
    struct {
        struct reply_message head;
        struct result        result;
    } reply = { 0 };

    reply.head.origin = origin;
    reply.head.reply_bytes = reply_bytes;
    reply.head.events_bytes = sizeof(reply.result);
    reply.result.head = (struct event){ .kind = EVENT_RESULT, .bytes = sizeof(reply.result) };
    reply.result.order_id = number;
    server_answer(server, &reply.head);
}

/* ---- save points ---- */

static struct save_point point_here(const struct server *server, const struct revert *request)
{
    const struct exchange *exchange = &server->exchange;
    struct save_point      point = {
             .place = server->revert->mark,
             .block = exchange->blocks.applied.number,
             .created_ms = clock_wall_ms(),
             .offset_ms = engine_time_offset_ms(exchange->engine),
    };

    point.place.next_seq = engine_seq(exchange->engine) + 1;
    point.place.time_ms = atomic_load(&server->exchange.time_ms);
    memcpy(point.name, request->name, sizeof(point.name));
    return point;
}

/* A checkpoint in memory, to which history and state can go back without the log. */
static int keep_here(struct server *server, const struct log_mark *mark)
{
    struct revert_means *means = server->revert;
    int                  error;

    history_note_undo(server->exchange.history);
    error = history_flush(server->exchange.history);
    if (error == 0) checkpoints_move(&means->checkpoints, &server->exchange, mark, true);
    return error;
}

static enum reject make_point(struct server *server, const struct revert *request, struct save_point *point)
{
    struct revert_means *means = server->revert;
    int                  error;

    if (save_points_find(&means->points, 0, request->name, point)) return REJECT_SNAPSHOT_NAME;
    *point = point_here(server, request);
    pthread_mutex_lock(means->keeper);
    error = keep_here(server, &means->mark);
    pthread_mutex_unlock(means->keeper);
    if (error == 0) error = save_points_add(&means->points, point);
    if (error == 0) return REJECT_NONE;
    log_line(LOG_ERROR, "a snapshot cannot be written down: %s", strerror(error));
    return REJECT_BUSY;
}

static void save(struct server *server, const struct write_message *message, const struct revert *request)
{
    struct save_point point;
    enum reject       reject = make_point(server, request, &point);

    if (reject != REJECT_NONE) server_refuse(server, message, reject);
    else answer_number(server, message->origin, message->reply_bytes, point.id);
}

/* ---- the request to go back ---- */

static struct save_point beginning(const struct server *server)
{
    return (struct save_point){ .place = { .next_seq = 1,
                                           .time_ms = server->exchange.genesis->time_ms,
                                           .chain = replay_instance(server->revert->replay) } };
}

static enum reject find_target(struct server *server, const struct write_message *message, const struct revert *request,
                               struct save_point *point)
{
    *point = beginning(server);
    if (message->sent_ns < server->revert->reverted_ns) return REJECT_REVERT_RUNS;
    if (message->advance_kind == ADVANCE_RESET || message->advance_kind == ADVANCE_LOAD) return REJECT_NONE;
    return save_points_find(&server->revert->points, request->snapshot, request->name, point) ? REJECT_NONE
                                                                                              : REJECT_NO_SNAPSHOT;
}

/* Engine time goes on from the target's: from now on the engine's clock is behind by what has passed since. */
static struct revert plan_of(const struct save_point *point)
{
    struct revert plan = { .next_seq = point->place.next_seq,
                           .time_ms = point->place.time_ms,
                           .behind_ms = clock_wall_ms() + point->offset_ms - point->place.time_ms,
                           .snapshot = point->id };

    memcpy(plan.position, point->place.position.bytes, sizeof(plan.position));
    memcpy(plan.chain, point->place.chain.bytes, sizeof(plan.chain));
    memcpy(plan.name, point->name, sizeof(plan.name));
    return plan;
}

uint32_t revert_judge(struct server *server, const struct write_message *message)
{
    const struct revert *request = command_payload((const struct command *)(const void *)(message + 1));
    struct save_point    point;
    struct revert        plan;
    enum reject          reject = server->revert == NULL ? REJECT_MODE_FORBIDS : REJECT_NONE;

    if (reject == REJECT_NONE && message->advance_kind == ADVANCE_SAVE) save(server, message, request);
    else if (reject == REJECT_NONE) reject = find_target(server, message, request, &point);
    if (reject == REJECT_NONE && message->advance_kind != ADVANCE_SAVE) {
        plan = plan_of(&point);
        server->revert->loads = message->advance_kind == ADVANCE_LOAD;
        sequence_revert_log(&server->sequencer, server->writes, atomic_load(&server->exchange.time_ms), &plan);
        return 1;
    }
    if (reject != REJECT_NONE) server_refuse(server, message, reject);
    sequence_advance_refuse(&server->sequencer, server->writes);
    return 1;
}

/* ---- it happens ---- */

bool revert_is_durable(const struct server *server)
{
    return server->revert != NULL && log_batch_revert(&server->durable.records) != NULL;
}

void revert_note(struct server *server, const struct log_batch *batch)
{
    if (server->revert != NULL) server->revert->mark = log_mark_behind(batch);
}

void revert_idle(struct server *server)
{
    struct revert_means *means = server->revert;

    if (means == NULL || !checkpoints_are_due(&means->checkpoints)) return;
    checkpoints_move(&means->checkpoints, &server->exchange, &means->mark, false);
}

static struct log_mark target_of(const struct revert *revert)
{
    struct log_mark target = { .next_seq = revert->next_seq, .time_ms = revert->time_ms };

    memcpy(target.position.bytes, revert->position, sizeof(revert->position));
    memcpy(target.chain.bytes, revert->chain, sizeof(revert->chain));
    return target;
}

/* The state at the last checkpoint before the target; false: there is none, and the history may be of another branch.
 */
static bool use_checkpoint(struct server *server, const struct log_position *at, struct log_mark *from)
{
    struct exchange *exchange = &server->exchange;
    struct live_path path;
    bool             found;

    if (!live_path_to(&server->revert->replay->branches, at, &path)) return false;
    found = checkpoints_restore(&server->revert->checkpoints, exchange, &path, from)
         && history_go_back(exchange->history, from->next_seq - 1, at);
    live_path_free(&path);
    if (found) exchange->history_seq = from->next_seq - 1;
    return found;
}

/* The beginning of the log. */
static int begin_again(struct server *server, const struct log_position *at)
{
    struct exchange *exchange = &server->exchange;

    checkpoints_forget(&server->revert->checkpoints, exchange);
    exchange_begin_again(exchange, server->revert->replay->genesis_json);
    exchange->history_seq = 0;
    if (history_begin_anew(exchange->history, at) == 0) return EXIT_FINE;
    return complain(EXIT_DISK, "the history cannot be emptied");
}

/* The state at a REVERT's target, from a checkpoint or from the log; nothing of it is shown to streams or printed. */
static int remake(struct server *server, const struct log_position *at, const struct log_mark *target)
{
    struct log_mark from = { .next_seq = 1 };
    int             code = use_checkpoint(server, at, &from) ? EXIT_FINE : EXIT_STOPPED;

    if (code == EXIT_FINE && log_position_compare(&from.position, &target->position) == 0) return EXIT_FINE;
    if (code == EXIT_STOPPED) {
        from = (struct log_mark){ .next_seq = 1 };
        code = begin_again(server, at);
    }
    if (code == EXIT_FINE) code = replay_again(server->revert->replay, &server->exchange, &from, at);
    if (code == EXIT_FINE && keep_here(server, target) != 0)
        code = complain(EXIT_DISK, "the history cannot be written");
    return code;
}

/* The batches of a state go into the log again, and happen; its reader has checked them. */
static int load(struct server *server, struct log_mark *mark)
{
    struct revert_means *means = server->revert;
    struct log_batch    *batch = &means->replay->batch;
    struct log_applied   claim;
    int                  error = 0, code = EXIT_FINE;

    pthread_mutex_lock(&means->loading_lock);
    while (code == EXIT_FINE && means->loading.at != NULL && dump_next(&means->loading, batch, &claim)) {
        error = log_append(server->commit.log, batch, &claim);
        if (error != 0) break;
        exchange_run(&server->exchange, batch, NULL);
        code = replay_spare_history(&server->exchange);
        *mark = means->mark = log_mark_behind(batch);
    }
    dump_close(&means->loading);
    pthread_mutex_unlock(&means->loading_lock);
    if (code != EXIT_FINE) return code;
    if (error == 0) error = keep_here(server, mark);
    return error == 0 ? EXIT_FINE : complain(EXIT_DISK, "the state cannot be written to the log: %s", strerror(error));
}

/* *place: the target; where a state was loaded, its end. */
static int go_back(struct server *server, const struct log_position *at, struct log_mark *place)
{
    struct exchange           *exchange = &server->exchange;
    const struct event_queues *streams = exchange->streams;
    struct console_log        *console_log = exchange->console_log;
    bool                       is_read = exchange->is_read;
    int                        code;

    exchange->streams = NULL;
    exchange->console_log = NULL;
    exchange->is_read = false;
    code = remake(server, at, place);
    if (code == EXIT_FINE && server->revert->loads) code = load(server, place);
    server->revert->loads = false;
    exchange->streams = streams;
    exchange->console_log = console_log;
    exchange->is_read = is_read;
    return code;
}

/* Time and numbers as the other threads see them. */
static void show_place(struct server *server, int64_t time_ms)
{
    struct gateway_shared *shared = &server->shared;
    int64_t                wall_ms = clock_wall_ms(), offset_ms = engine_time_offset_ms(server->exchange.engine);

    engine_clock_set(shared->clock, wall_ms, time_ms - offset_ms, engine_clock_rate(shared->clock));
    exchange_show(&server->exchange);
    atomic_store(&server->exchange.time_ms, time_ms);
    atomic_store(&shared->pin_ms, 0);
    atomic_store(&shared->offset_ms, offset_ms);
    atomic_store(&shared->applied_seq, engine_seq(server->exchange.engine));
    atomic_fetch_add(&shared->epoch, 1);
}

void revert_apply(struct server *server)
{
    struct revert_means        *means = server->revert;
    const struct command_batch *batch = &server->durable;
    const struct revert         revert = *log_batch_revert(&batch->records);
    const struct reply_route    route = batch->routes[0];
    const struct log_position   at = batch->records.position;
    struct log_mark             place = target_of(&revert);

    means->stop(means->self);
    if (!branches_add(&means->replay->branches, &batch->records)) files_exit_now(EXIT_GENERAL);
    /* What is durable has to happen; the next start makes it happen from the log. */
    if (go_back(server, &at, &place) != EXIT_FINE) files_exit_now(EXIT_DAMAGE);
    assert(engine_seq(server->exchange.engine) + 1 == place.next_seq);
    sequence_begin_at(&server->sequencer, place.next_seq, place.time_ms);
    show_place(server, place.time_ms);
    server->applied_ns = means->reverted_ns = clock_mono_ns();
    means->go(means->self, server->exchange.views);
    log_line(LOG_INFO, "back at command %lu, block %lu", (unsigned long)place.next_seq - 1,
             (unsigned long)server->exchange.blocks.applied.number);
    answer_number(server, route.origin, route.reply_bytes, revert.snapshot);
}
