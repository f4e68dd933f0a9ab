/* SPDX-License-Identifier: MIT */
#include "gateway/gateway_inside.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "wire/frame.h"

#include <stdlib.h>

static_assert(NET_GENERATION_MAX >> 24 == 0, "a generation fits the origin token");

#define OUTPUT_BYTES (ANSWER_BYTES + 65536) /* one answer behind small unsent ones */
#define BODY_BYTES   (HTTP_HEAD_ROOM + API_ANSWER_BYTES_MAX)
#define INPUT_BYTES  (HTTP_BUFFER_BYTES + INPUT_SLACK) /* a whole request behind small ones that are done */
#define UNSENT_BYTES (256 * 1024 * 1024)               /* for slow readers, per I/O thread */

/* Closes idle connections and all streams. */
static void hang_up_idle(struct gateway *gateway)
{
    for (uint32_t slot = 0; slot < net_slot_count(gateway->net); slot++) {
        struct net_conn *conn = net_at(gateway->net, slot);
        struct session  *session = conn != NULL ? conn->owner : NULL;
        if (session != NULL && session->state == SESSION_STREAM)
            stream_hang_up(gateway->stream, slot, CLOSE_GOING_AWAY, "the exchange stops");
        if (session == NULL || session->state == SESSION_STREAM || session->began_ms != 0) continue;
        session->state = SESSION_ENDING;
        session_run(gateway, conn);
    }
}

/* ---- callbacks of the loop ---- */

/*
 * Polls while only a few small replies are awaited, because they come sooner than this thread could be woken; with many
 * or large replies it sleeps.
 */
static void gateway_watch(struct gateway *gateway)
{
    bool few = gateway->in_flight != 0 && gateway->in_flight <= WRITES_AT_ONCE
            && gateway->promised <= ring_cost(reply_bytes_max(BATCH_MAX));

    if (gateway->settings.busy_poll_ns != 0) net_watch(gateway->net, few ? gateway->settings.busy_poll_ns : 0);
}

/* What it knows of a state that is void. */
static void forget_branch(struct gateway *gateway)
{
    uint64_t epoch = atomic_load_explicit(&gateway->shared->epoch, memory_order_acquire);

    if (epoch == gateway->epoch) return;
    gateway->epoch = epoch;
    api_forget(gateway->api);
    gateway_set_stream_time(gateway);
    stream_begin_anew(gateway->stream);
    gateway_flush_streams(gateway);
}

static void on_woken(void *self)
{
    struct gateway *gateway = self;

    hold_here(gateway->shared->hold);
    forget_branch(gateway);
    gateway_look_for_faults(gateway);
    gateway_push_streams(gateway);
    gateway_take_replies(gateway);
    gateway_take_forwarded(gateway);
    gateway_watch(gateway);
    if (atomic_load_explicit(&gateway->shared->mode, memory_order_acquire) == MODE_STOPPING) hang_up_idle(gateway);
    writes_show(gateway, WRITES_AT_ONCE);
}

static void on_turned(void *self)
{
    gateway_turned(self);
    gateway_watch(self);
}

static void on_swept(void *self)
{
    struct gateway *gateway = self;

    if (stream_counts(gateway->stream).connections == 0) return;
    gateway_set_stream_time(gateway);
    stream_tick(gateway->stream);
    gateway_flush_streams(gateway);
}

static void on_opened(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;
    struct session *session = conn->owner;

    http_parser_init(parser_of(session));
    session->request = http_parsed(parser_of(session));
    atomic_store_explicit(&gateway->connections, net_count(gateway->net), memory_order_relaxed);
}

/* First everything is read, then everything is handled: each with its code and its data in the cache. */
static void on_received(void *self, struct net_conn *conn)
{
    session_ready(self, conn);
    if (((struct gateway *)self)->faulty) session_note_arrival(self, conn);
    gateway_push_streams(self);
}

static void on_drained(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;

    if (((struct session *)conn->owner)->state != SESSION_STREAM) {
        session_run(gateway, conn);
        return;
    }
    gateway_set_stream_time(gateway);
    stream_drained(gateway->stream, conn->slot);
    gateway_flush_streams(gateway);
}

/* A partial request gets 408. An idle connection is closed without a message, as clients expect. */
static void on_expired(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;
    struct session *session = conn->owner;

    if (session->began_ms == 0 || session->count != 0) {
        net_finish(gateway->net, conn, false);
        return;
    }
    request_timer_rest(&gateway->watch);
    request_timer_begin(&gateway->watch);
    session_refuse(gateway, conn, REJECT_REQUEST_TIMEOUT);
    if (!conn->closing) net_finish(gateway->net, conn, true);
}

static void on_closed(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;

    if (((struct session *)conn->owner)->state == SESSION_STREAM) gateway_drop_stream(gateway, conn->slot);
    session_forget_faults(conn->owner);
    atomic_store_explicit(&gateway->connections, net_count(gateway->net) - 1, memory_order_relaxed);
}

/* ---- its life ---- */

/* The last one never waits. */
static void open_contexts(struct gateway *gateway)
{
    size_t   bytes = pending_signature_size();
    uint8_t *pending = files_take_memory(API_PENDING_SIGNATURES * bytes);

    gateway->contexts = gateway->current =
        files_take_memory((API_PENDING_SIGNATURES + 1) * sizeof(struct request_context));
    if (gateway->contexts == NULL || pending == NULL) {
        gateway->contexts = NULL;
        return;
    }
    for (uint32_t i = 0; i < API_PENDING_SIGNATURES; i++)
        gateway->contexts[i].pending = (struct pending_signature *)(void *)(pending + i * bytes);
}

struct gateway *gateway_open(struct gateway_shared *shared, struct net_listener *listener,
                             const struct gateway_settings *settings)
{
    struct gateway     *gateway = files_take_memory(sizeof(*gateway));
    struct net_settings net = { settings->connections,
                                INPUT_BYTES,
                                OUTPUT_BYTES,
                                (uint32_t)(sizeof(struct session) + http_parser_size()),
                                FIRST_MS,
                                UNSENT_BYTES };
    struct net_owner    owner = { gateway,   on_opened, on_received, on_drained, on_expired,
                                  on_closed, on_woken,  on_turned,   on_swept };
    void               *api = files_take_memory(api_size(shared->api));
    void               *writes = files_take_memory(settings->ring_bytes);
    void               *replies = files_take_memory(settings->ring_bytes);
    char               *body = files_take_memory(BODY_BYTES);
    void               *queue = files_take_memory(EVENT_QUEUE_BYTES);

    if (gateway == NULL || api == NULL || writes == NULL || replies == NULL || body == NULL) return NULL;
    gateway->shared = shared;
    gateway->settings = *settings;
    gateway->api = api_init(api, shared->api);
    gateway->body = out_make(body + HTTP_HEAD_ROOM, API_ANSWER_BYTES_MAX);
    gateway->held = files_take_memory(HELD_BYTES);
    gateway->counters = files_take_memory(sizeof(*gateway->counters));
    open_contexts(gateway);
    gateway->dirty = calloc(settings->connections, sizeof(uint32_t));
    /* A slot that becomes ready, is freed and taken again before its turn comes may stand there twice. */
    gateway->ready = calloc(2 * (size_t)settings->connections, sizeof(uint32_t));
    gateway->turn = calloc(2 * (size_t)settings->connections, sizeof(uint32_t));
    gateway->classes = calloc(2 * (size_t)settings->connections, 1);
    gateway->timed = calloc(2 * (size_t)settings->connections, sizeof(struct session_reference));
    if (shared->chaos != NULL)
        gateway->disturbed = calloc(2 * (size_t)settings->connections, sizeof(struct session_reference));
    gateway->pending_send = calloc(settings->connections, sizeof(struct pending_send));
    gateway->pending_send_at = calloc(settings->connections, sizeof(uint32_t));
    if (queue == NULL) return NULL;
    event_queue_init(&gateway->queue, queue);
    gateway->stream =
        stream_new(&(struct stream_settings){ api_present(gateway->api),
                                              shared->streams,
                                              &gateway->queue,
                                              { gateway, gateway_stream_send, gateway_stream_share,
                                                gateway_stream_settle, gateway_stream_finish, gateway_stream_fate },
                                              settings->connections,
                                              &gateway->faulty });
    ring_init(&gateway->writes, writes, settings->ring_bytes);
    ring_init(&gateway->replies, replies, settings->ring_bytes);
    gateway->net = net_open(listener, &net, &owner);
    return gateway->held != NULL && gateway->contexts != NULL && gateway->counters != NULL && gateway->dirty != NULL
                && gateway->ready != NULL && gateway->turn != NULL && gateway->classes != NULL && gateway->timed != NULL
                && (shared->chaos == NULL || gateway->disturbed != NULL) && gateway->pending_send != NULL
                && gateway->pending_send_at != NULL && gateway->stream != NULL && gateway->net != NULL
             ? gateway
             : NULL;
}

void gateway_touch(struct gateway *gateway)
{
    memory_touch(gateway->api, api_size(gateway->shared->api));
    memory_touch(gateway->writes.at, gateway->settings.ring_bytes);
    memory_touch(gateway->replies.at, gateway->settings.ring_bytes);
    memory_touch(gateway->body.at - HTTP_HEAD_ROOM, BODY_BYTES);
    memory_touch(gateway->held, HELD_BYTES);
    memory_touch(gateway->counters, sizeof(*gateway->counters));
    memory_touch(gateway->contexts, (API_PENDING_SIGNATURES + 1) * sizeof(struct request_context));
    memory_touch(gateway->contexts[0].pending, API_PENDING_SIGNATURES * pending_signature_size());
    memory_touch(gateway->queue.ring.at, EVENT_QUEUE_BYTES);
    stream_touch(gateway->stream);
    net_touch(gateway->net);
}

/* A stop can end the loop between a request and the end of its turn. */
void gateway_run(struct gateway *gateway)
{
    net_run(gateway->net);
    writes_announced(gateway);
}

void gateway_close(struct gateway *gateway)
{
    net_close(gateway->net);
    gateway_drop_forwarded(gateway);
    files_give_memory(gateway->api, api_size(gateway->shared->api));
    files_give_memory(gateway->writes.at, gateway->settings.ring_bytes);
    files_give_memory(gateway->replies.at, gateway->settings.ring_bytes);
    files_give_memory(gateway->body.at - HTTP_HEAD_ROOM, BODY_BYTES);
    files_give_memory(gateway->held, HELD_BYTES);
    files_give_memory(gateway->contexts[0].pending, API_PENDING_SIGNATURES * pending_signature_size());
    files_give_memory(gateway->contexts, (API_PENDING_SIGNATURES + 1) * sizeof(struct request_context));
    files_give_memory(gateway->counters, sizeof(*gateway->counters));
    files_give_memory(gateway->queue.ring.at, EVENT_QUEUE_BYTES);
    stream_free(gateway->stream);
    free(gateway->pending_send);
    free(gateway->pending_send_at);
    free(gateway->dirty);
    free(gateway->ready);
    free(gateway->turn);
    free(gateway->classes);
    free(gateway->timed);
    free(gateway->disturbed);
    files_give_memory(gateway, sizeof(*gateway));
}

struct ring        *gateway_writes(struct gateway *gateway) { return &gateway->writes; }
struct event_queue *gateway_event_queue(struct gateway *gateway) { return &gateway->queue; }
struct ring        *gateway_replies(struct gateway *gateway) { return &gateway->replies; }
void                gateway_wake(struct gateway *gateway) { net_wake(gateway->net); }
void                gateway_stop(struct gateway *gateway) { net_stop(gateway->net); }

struct stream_counts      gateway_streams(struct gateway *gateway) { return stream_counts(gateway->stream); }
const struct io_counters *gateway_counters(struct gateway *gateway) { return gateway->counters; }

uint32_t gateway_connections(struct gateway *gateway)
{
    return atomic_load_explicit(&gateway->connections, memory_order_relaxed);
}