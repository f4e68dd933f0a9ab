/* SPDX-License-Identifier: MIT */
#include "pipeline/exchange.h"

#include "base/touch.h"
#include "io/files.h"
#include "model/enums.h"
#include "model/operator.h"
#include "pipeline/nonce_query.h"
#include "pipeline/console_log.h"
#include "diagnostics/program_log.h"
#include "stream/event_queue.h"

#include <stdlib.h>

#define TXS_BYTES (sizeof(struct history_tx) * BATCH_RECORDS_MAX * 4)
#define PART_BYTES                                                                                                     \
    (16 * 1024) /* of events, about as many orders: what the streams are shown at once of a long batch                 \
                 */
#define EVENTS_BATCH_BYTES (64 * 1024 * 1024) /* a batch folds in one go; address space, touched when used */
#define EVENTS_WARM_BYTES  (8 * 1024 * 1024)  /* of them, for all but the largest batches */

/* Engine and views for the limits of exchange->room. */
static bool take_state(struct exchange *exchange, bool folds)
{
    exchange->engine_memory = files_take_memory(engine_size(exchange->room));
    exchange->views_memory = folds ? files_take_memory(views_size(exchange->room)) : NULL;
    if (exchange->engine_memory != NULL && (!folds || exchange->views_memory != NULL)) return true;
    log_line(LOG_ERROR, "the system does not give %lu bytes of memory for the pools of the engine%s",
             (unsigned long)(engine_size(exchange->room) + (folds ? views_size(exchange->room) : 0)),
             folds ? " and the views" : "");
    return false;
}

/* What exchange_bytes counts. */
static void touch_state(struct exchange *exchange)
{
    files_touch_memory(exchange->engine_memory, engine_warm_bytes(exchange->room));
    if (exchange->views_memory != NULL) files_touch_memory(exchange->views_memory, views_size(exchange->room));
}

static size_t events_bytes(const struct genesis *genesis)
{
    return 2 * engine_events_bytes(genesis) + EVENTS_BATCH_BYTES;
}

static bool take_events(struct exchange *exchange)
{
    exchange->events_worst = engine_events_bytes(exchange->room);
    exchange->events.cap = events_bytes(exchange->room);
    exchange->events.at = files_take_memory(exchange->events.cap);
    if (exchange->events.at != NULL) return true;
    log_line(LOG_ERROR, "the system does not give %lu bytes of memory for the events of a command",
             (unsigned long)exchange->events.cap);
    return false;
}

uint64_t exchange_bytes(const struct genesis *genesis) { return engine_warm_bytes(genesis) + views_size(genesis); }

bool exchange_take(struct exchange *exchange, const struct genesis *genesis, bool folds, bool touch)
{
    bool taken;

    memset(exchange, 0, sizeof(*exchange));
    exchange->room = files_take_memory(sizeof(*exchange->room));
    if (exchange->room == NULL) return false;
    *exchange->room = *genesis;
    exchange->genesis = genesis;
    taken = take_state(exchange, folds) && take_events(exchange);
    if (taken && touch) touch_state(exchange);
    exchange->txs = files_take_memory(TXS_BYTES);
    exchange->replies.cap = REPLIES_BYTES;
    exchange->replies.at = files_take_memory(REPLIES_BYTES);
    return taken && exchange->txs != NULL && exchange->replies.at != NULL;
}

static void give_state(struct exchange *exchange)
{
    if (exchange->views_base != NULL) files_give_memory(exchange->views_base, exchange->views_base_bytes);
    if (exchange->views_memory != NULL) files_give_memory(exchange->views_memory, views_size(exchange->room));
    if (exchange->engine_memory != NULL) files_give_memory(exchange->engine_memory, engine_size(exchange->room));
    if (exchange->events.at != NULL) files_give_memory(exchange->events.at, exchange->events.cap);
}

static void give_beside(struct exchange *exchange)
{
    struct exchange *beside = exchange->beside;

    exchange->beside = NULL;
    if (beside == NULL) return;
    if (beside->room != NULL) {
        give_state(beside);
        files_give_memory(beside->room, sizeof(*beside->room));
    }
    files_give_memory(beside, sizeof(*beside));
}

/* Memory for other limits beside that in use. False: there is none; *wanted is the amount needed. */
static bool take_beside(struct exchange *exchange, const struct limits *limits, uint64_t *wanted)
{
    struct exchange *beside = exchange->beside = files_take_memory(sizeof(*beside));

    *wanted = 0;
    if (beside == NULL) return false;
    beside->room = files_take_memory(sizeof(*beside->room));
    if (beside->room != NULL) {
        *beside->room = *exchange->room;
        beside->room->limits = *limits;
        *wanted = engine_size(beside->room) + (exchange->views_memory != NULL ? views_size(beside->room) : 0)
                + events_bytes(beside->room);
        if (take_state(beside, exchange->views_memory != NULL) && take_events(beside)) return true;
    }
    give_beside(exchange);
    return false;
}

bool exchange_reshape(struct exchange *exchange, const struct limits *limits)
{
    bool folds = exchange->views_memory != NULL;

    if (memcmp(&exchange->room->limits, limits, sizeof(*limits)) == 0) return true;
    assert(exchange->engine == NULL && exchange->views == NULL && !exchange->is_read);
    give_state(exchange);
    exchange->views_base = NULL;
    exchange->room->limits = *limits;
    return take_state(exchange, folds) && take_events(exchange);
}

/* The API refuses posts that a feeder has already made. */
static void show_seqs(struct exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->genesis->feeder_count; i++)
        atomic_store_explicit(&exchange->oracle_seqs[i], engine_oracle_seq(exchange->engine, i), memory_order_release);
}

void exchange_show(struct exchange *exchange)
{
    atomic_store(&exchange->time_ms, engine_time_ms(exchange->engine));
    show_seqs(exchange);
}

void exchange_begin(struct exchange *exchange, struct slice genesis_json)
{
    const struct genesis *genesis = exchange->genesis;

    exchange->engine = engine_init(exchange->engine_memory, genesis, &exchange->events);
    blocks_init(&exchange->blocks, genesis, genesis_json);
    if (exchange->views_memory != NULL) {
        exchange->views = views_init(exchange->views_memory, exchange->room);
        views_apply(exchange->views, &exchange->events, &(struct view_block){ 0, genesis->time_ms });
    }
    exchange->events.len = 0;
    exchange_show(exchange);
}

bool exchange_init(struct exchange *exchange, const struct genesis *genesis, struct slice genesis_json, bool folds,
                   bool touch)
{
    if (!exchange_take(exchange, genesis, folds, touch)) return false;
    exchange_begin(exchange, genesis_json);
    return true;
}

void exchange_touch(struct exchange *exchange)
{
    touch_state(exchange);
    memory_touch(exchange->events.at, EVENTS_WARM_BYTES);
    memory_touch(exchange->txs, TXS_BYTES);
    memory_touch(exchange->replies.at, REPLIES_BYTES);
}

void exchange_forget(struct exchange *exchange)
{
    if (exchange->views != NULL) views_deinit(exchange->views);
    exchange->views = NULL;
    exchange->engine = NULL;
    memset(&exchange->blocks, 0, sizeof(exchange->blocks));
    files_forget_memory(exchange->engine_memory, align_up(engine_size(exchange->room), 4096));
    if (exchange->views_memory != NULL)
        files_forget_memory(exchange->views_memory, align_up(views_size(exchange->room), 4096));
}

void exchange_begin_again(struct exchange *exchange, struct slice genesis_json)
{
    assert(!exchange->is_read);
    give_beside(exchange);
    exchange_forget(exchange);
    if (!exchange_reshape(exchange, &exchange->genesis->limits))
        exit(complain(EXIT_GENERAL, "not enough memory for the pools of the genesis"));
    exchange->events.len = exchange->folded = 0;
    exchange->replies.len = 0;
    exchange_begin(exchange, genesis_json);
}

void exchange_close(struct exchange *exchange)
{
    if (exchange->views != NULL) views_deinit(exchange->views);
    if (exchange->genesis == NULL) return;
    give_beside(exchange);
    give_state(exchange);
    if (exchange->txs != NULL) files_give_memory(exchange->txs, TXS_BYTES);
    if (exchange->replies.at != NULL) files_give_memory(exchange->replies.at, REPLIES_BYTES);
    files_give_memory(exchange->room, sizeof(*exchange->room));
    memset(exchange, 0, sizeof(*exchange));
}

/* Events since the last fold. */
static struct events rest_of(const struct exchange *exchange)
{
    size_t bytes = exchange->events.len - exchange->folded;

    return (struct events){ exchange->events.at + exchange->folded, bytes, bytes };
}

/*
 * A part of a batch's events is folded; readers of the views wait until the batch ends. Streams get events after views
 * and history, so a client that subscribes and then reads misses nothing.
 */
static void fold_part(struct exchange *exchange, uint64_t last_seq)
{
    struct events rest = rest_of(exchange);

    if (exchange->history != NULL && last_seq > exchange->history_seq) history_apply(exchange->history, &rest);
    if (exchange->views != NULL) views_part(exchange->views, &rest);
    if (exchange->streams != NULL)
        event_queues_add(exchange->streams, &rest, exchange->blocks.applied.number + 1, exchange->batch_ms, false);
    exchange->folded = exchange->events.len;
}

/* The memory of the folded events is free again. */
static void forget_folded(struct exchange *exchange)
{
    blocks_events(&exchange->blocks, &exchange->events);
    exchange->events.len = exchange->folded = 0;
}

/*
 * With a subscriber, events are published as soon as there are enough of them, while the engine continues the batch,
 * and the last of them before the block is hashed. All of the batch is durable, and no reader sees the views before
 * its end.
 */
static void show_part(struct exchange *exchange, uint64_t last_seq, size_t enough)
{
    if (exchange->streams == NULL || exchange->events.len - exchange->folded < enough
        || !event_queues_want_events(exchange->streams))
        return;
    fold_part(exchange, last_seq);
    event_queues_show(exchange->streams, false);
}

/* Copies the answer out of a command's events; block and hash are filled in when the batch ends. */
static struct reply_message *reply_add(struct replies *replies, const struct reply_route *routes,
                                       const struct events *events, bool has_items, bool is_transaction, uint32_t index,
                                       const struct hash256 *hash)
{
    struct reply_message *reply = (struct reply_message *)(void *)(replies->at + replies->len);
    uint8_t              *to = (uint8_t *)(reply + 1);

    assert(replies->len + routes->reply_bytes <= replies->cap);
    memset(reply, 0, sizeof(*reply));
    reply->origin = routes->origin;
    reply->reply_bytes = routes->reply_bytes;
    reply->is_transaction = is_transaction;
    if (is_transaction) {
        reply->place.hash = *hash;
        reply->place.index = index;
    }
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (has_items && event->kind > EVENT_RESULT) break; /* its results are all that is wanted, and come first */
        if (!reply_wants(event)) continue;
        assert(sizeof(*reply) + reply->events_bytes + event->bytes <= routes->reply_bytes);
        memcpy(to + reply->events_bytes, event, event->bytes);
        reply->events_bytes += event->bytes;
    }
    replies->len += sizeof(*reply) + reply->events_bytes;
    return reply;
}

/* A command that carries an operator's id: a new id is remembered when the command succeeds. */
static bool is_repeated(const struct exchange *exchange, const struct command *command, uint64_t ids_before,
                        uint8_t status)
{
    return command->domain == 0 && status != 0 && command_row(command->kind)->sender != SENDER_OPERATOR
        && engine_counts(exchange->engine).operator_ids == ids_before;
}

static void replies_place(struct replies *replies, uint64_t block)
{
    for (size_t at = 0; at < replies->len;) {
        struct reply_message *reply = (struct reply_message *)(void *)(replies->at + at);
        if (reply->is_transaction) reply->place.block = block;
        at += sizeof(*reply) + reply->events_bytes;
    }
}

/* ---- more places (ruling 75) ---- */

/* The memory of the views before they moved; with readers the views themselves are still in the first of it. */
static void give_old_views(struct exchange *exchange, void *memory, size_t bytes)
{
    size_t fixed = align_up(views_fixed_bytes(exchange->room), 4096);

    if (!exchange->is_read || exchange->views_base != NULL) {
        files_give_memory(memory, bytes);
        return;
    }
    exchange->views_base = memory;
    exchange->views_base_bytes = bytes;
    if (bytes > fixed) files_forget_memory((uint8_t *)memory + fixed, (bytes - fixed) & ~(size_t)4095);
}

/* Engine, views and room for events move into the memory that was taken for the new limits. */
static void move_state(struct exchange *exchange)
{
    struct exchange *beside = exchange->beside;
    void            *old_engine = exchange->engine_memory, *old_views = exchange->views_memory;
    struct events    old_events = exchange->events;
    size_t           engine_bytes = engine_size(exchange->room), views_bytes = views_size(exchange->room);

    exchange->room->limits = beside->room->limits;
    exchange->engine_memory = beside->engine_memory;
    exchange->views_memory = beside->views_memory;
    exchange->events = beside->events;
    exchange->events_worst = beside->events_worst;
    exchange->engine = engine_move(exchange->engine_memory, exchange->engine, &exchange->room->limits);
    if (exchange->views != NULL) {
        struct views *views = exchange->views;

        exchange->views = views_move(exchange->views_memory, views, exchange->room, exchange->is_read);
        if (!exchange->is_read) views_deinit(views);
        give_old_views(exchange, old_views, views_bytes);
    }
    files_give_memory(old_engine, engine_bytes);
    files_give_memory(old_events.at, old_events.cap);
    beside->engine_memory = beside->views_memory = beside->events.at = NULL;
    give_beside(exchange);
}

bool exchange_reserve(struct exchange *exchange, const struct command *command, struct exchange_lack *lack)
{
    const struct raise_limit *raise = command_payload(command);
    struct limits             limits;

    if (!engine_raises(exchange->engine, command, &limits)) return true;
    if (exchange->beside != NULL && memcmp(&exchange->beside->room->limits, &limits, sizeof(limits)) == 0) return true;
    give_beside(exchange);
    *lack = (struct exchange_lack){ .pool = raise->pool, .places = raise->places };
    if (!take_beside(exchange, &limits, &lack->wanted)) return false;
    lack->wanted = exchange_bytes(exchange->beside->room);
    lack->has = exchange->memory_max;
    if (lack->has == 0 || lack->wanted <= lack->has) return true;
    give_beside(exchange);
    return false;
}

/* Everything made so far is folded, so that nothing lies in the room that
   goes. Live, the memory has been taken before the log knew of it. */
static void make_room(struct exchange *exchange, const struct command *command)
{
    const struct raise_limit *raise = command_payload(command);
    const char               *pool;
    struct limits             limits;

    if (!engine_raises(exchange->engine, command, &limits)) return;
    pool = enum_name_of(limit_pool_names, raise->pool);
    fold_part(exchange, command->seq - 1);
    forget_folded(exchange);
    if (exchange->beside == NULL || memcmp(&exchange->beside->room->limits, &limits, sizeof(limits)) != 0) {
        uint64_t wanted;

        give_beside(exchange);
        if (!take_beside(exchange, &limits, &wanted))
            exit(complain(EXIT_GENERAL,
                          "not enough memory: command %lu of the log raises %s to %u places, for which all pools need "
                          "%lu bytes of address space",
                          (unsigned long)command->seq, pool, raise->places, (unsigned long)wanted));
    }
    move_state(exchange);
    log_line(LOG_INFO, "the pool %s has %u places from command %lu on", pool, raise->places,
             (unsigned long)command->seq);
}

/* The console tells what someone has asked for: the traders of a development market have a hundred commands a second.
 */
static bool is_shown(const struct command *command, const struct reply_route *route)
{
    return command->kind == CMD_TICK || (route != NULL && route->origin != 0);
}

static void run_command(struct exchange *exchange, const struct log_record *record, const struct engine_ahead *ahead,
                        const struct reply_route *routes)
{
    struct blocks *blocks = &exchange->blocks;
    struct events  own;
    struct hash256 hash;
    size_t         from;
    uint64_t       ids = record->command->domain == 0 ? engine_counts(exchange->engine).operator_ids : 0;
    bool           is_transaction;

    if (exchange->events.cap - exchange->events.len < exchange->events_worst) {
        fold_part(exchange, record->command->seq - 1);
        forget_folded(exchange);
    }
    if (record->command->kind == CMD_RAISE_LIMIT) make_room(exchange, record->command);
    from = exchange->events.len;
    engine_apply_ahead(exchange->engine, record->command, ahead, &exchange->events);
    if (record->command->kind == CMD_ORACLE_POST) show_seqs(exchange);
    own = (struct events){ exchange->events.at + from, exchange->events.len - from, exchange->events.len - from };
    is_transaction = blocks_add(blocks, record, &own, &hash);
    if (is_transaction) {
        assert(blocks->count <= BATCH_RECORDS_MAX * 4);
        exchange->txs[blocks->count - 1] = (struct history_tx){ record->command->seq, hash, blocks->status, 0 };
    }
    if (routes != NULL && routes->origin != 0) {
        struct reply_message *reply =
            reply_add(&exchange->replies, routes, &own, command_row(record->command->kind)->item_bytes != 0,
                      is_transaction, blocks->count - 1, &hash);

        reply->seq = record->command->seq;
        reply->repeated = is_repeated(exchange, record->command, ids, is_transaction ? blocks->status : 0);
    }
    if (exchange->console_log != NULL && is_shown(record->command, routes))
        console_log_command(exchange->console_log, record->command, record->signed_bytes, &own);
    show_part(exchange, record->command->seq, PART_BYTES);
}

/* The block a batch became, as the history keeps it. */
static struct history_block kept_block(const struct exchange *exchange, const struct log_batch *batch)
{
    const struct blocks *blocks = &exchange->blocks;

    return (struct history_block){
        .hash = blocks->applied.hash,
        .state_root = blocks->last.state_root,
        .number = blocks->applied.number,
        .time_ms = batch->time_ms,
        .first_seq = exchange->txs[0].seq,
        .last_seq = exchange->txs[blocks->count - 1].seq,
        .position = log_position_shorten(&batch->position),
        .count = blocks->count,
    };
}

/* The rest of a batch's events, and its block, into history and views: a client that sees a height finds its block. */
static void remember(struct exchange *exchange, const struct log_batch *batch, bool is_block)
{
    const struct log_applied *block = &exchange->blocks.applied;
    struct view_block         shown = { block->number, batch->time_ms };
    uint64_t                  last_seq = batch->first_seq + batch->count - 1;
    struct events             rest = rest_of(exchange);

    if (exchange->history != NULL && last_seq > exchange->history_seq) {
        struct history_block kept = is_block ? kept_block(exchange, batch) : (struct history_block){ 0 };

        history_apply(exchange->history, &rest);
        history_block(exchange->history, &kept, exchange->txs);
    }
    if (exchange->views != NULL) views_apply(exchange->views, &rest, is_block ? &shown : NULL);
    if (exchange->streams != NULL) event_queues_add(exchange->streams, &rest, block->number, batch->time_ms, true);
    exchange->events.len = exchange->folded = 0;
}

#define RING 8 /* records read ahead: those of ENGINE_FAR commands, and the one that runs; a power of two */
static_assert(RING > ENGINE_FAR, "a place for each");

/* The records of a batch that were read and looked at, and have not run. */
struct reading {
    struct log_cursor   cursor;
    uint32_t            read;
    struct log_record   ring[RING];
    struct engine_ahead ahead[RING];
};

/* Reads on until `count` records have been read, or all; the engine takes its first look at each. */
static void read_until(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own,
                       struct reading *reading, uint32_t count)
{
    for (; reading->read < count; reading->read++) {
        struct log_record *record = &reading->ring[reading->read % RING];

        if (!log_batch_next(batch, &reading->cursor, record)) return;
        engine_prefetch_far(exchange->engine, record->command,
                            own == NULL ? NULL : batch_hints_of(&own->hints, reading->read),
                            &reading->ahead[reading->read % RING]);
    }
}

/*
 * Runs a batch's commands in order, with prefetches for the next ones. Prefetches are spread, because the processor
 * has only a few outstanding cache lines at a time.
 */
static void run_commands(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own)
{
    struct reading reading = { 0 };

    read_until(exchange, batch, own, &reading, ENGINE_FAR);
    for (uint32_t index = 0; index < ENGINE_NEAR && index < reading.read; index++)
        engine_prefetch_near(exchange->engine, &reading.ahead[index]);
    for (uint32_t index = 0; index < ENGINE_CLOSE && index < reading.read; index++)
        engine_prefetch_close(exchange->engine, &reading.ahead[index]);
    for (uint32_t index = 0; index < batch->count; index++) {
        if (index + ENGINE_NEAR < reading.read)
            engine_prefetch_near(exchange->engine, &reading.ahead[(index + ENGINE_NEAR) % RING]);
        if (index + ENGINE_CLOSE < reading.read)
            engine_prefetch_close(exchange->engine, &reading.ahead[(index + ENGINE_CLOSE) % RING]);
        assert(index < reading.read);
        run_command(exchange, &reading.ring[index % RING], &reading.ahead[index % RING],
                    own == NULL ? NULL : &own->routes[index]);
        if (exchange->nonce_query != NULL) nonce_query_give_way(exchange->nonce_query);
        read_until(exchange, batch, own, &reading, index + 1 + ENGINE_FAR);
    }
    assert(reading.read == batch->count);
}

void exchange_run(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own)
{
    bool is_block;

    exchange->replies.len = 0;
    exchange->batch_ms = batch->time_ms;
    blocks_begin(&exchange->blocks);
    if (exchange->nonce_query != NULL) nonce_query_begin(exchange->nonce_query, own != NULL);
    run_commands(exchange, batch, own);
    if (exchange->nonce_query != NULL) nonce_query_end(exchange->nonce_query);
    show_part(exchange, batch->first_seq + batch->count - 1, 1);
    blocks_events(&exchange->blocks, &exchange->events);
    is_block = blocks_end(&exchange->blocks, batch->time_ms);
    if (batch->count != 0) remember(exchange, batch, is_block);
    if (exchange->nonce_query != NULL) nonce_query_show(exchange->nonce_query, batch->first_seq + batch->count - 1);
    if (is_block) replies_place(&exchange->replies, exchange->blocks.applied.number);
    if (batch->time_ms > atomic_load_explicit(&exchange->time_ms, memory_order_relaxed))
        atomic_store_explicit(&exchange->time_ms, batch->time_ms, memory_order_release);
    if (exchange->streams != NULL && batch->count != 0) event_queues_show(exchange->streams, true);
}
