/* SPDX-License-Identifier: MIT */
#include "server/gateway.h"

#include "io/clock.h"
#include "io/files.h"
#include "server/crowd.h"
#include "server/log.h"
#include "server/mail.h"
#include "stream/share.h"
#include "wire/frame.h"

#include <stdlib.h>

static_assert(NET_GENERATION_MAX >> 24 == 0, "a generation fits the origin token");

#define HEAD_BYTES     8192                                     /* status line and headers of an answer  */
#define ANSWER_BYTES   (API_ANSWER_BYTES_MAX + HEAD_BYTES)
#define OUTPUT_BYTES   (ANSWER_BYTES + 65536)                   /* one answer behind small unsent ones   */
#define DIRECT_BYTES   4096                                     /* bodies and frames from here on are sent from where they lie */
#define INPUT_SLACK    65536
#define INPUT_BYTES    (HTTP_BUFFER_BYTES + INPUT_SLACK)        /* a whole request behind small ones that are done */
#define UNSENT_BYTES   (256 * 1024 * 1024)                      /* for slow readers, per I/O thread      */
#define GROUP          16                                       /* writes that the engine is shown at once */
#define TURN_REQUESTS  PIPELINE_MAX                             /* of a connection; then it is the others' turn */
#define HELD_BYTES     (2 * HTTP_BODY_MAX + 65536)              /* the answer to a refused write: in development it shows, escaped, what was hashed */

/* A write in flight. */
struct pending { const struct endpoint *endpoint; struct quota quota; uint16_t route; bool close, browser; };

/* Answers whose commands happened at one time. */
struct due { int64_t applied_ns; uint64_t count; };
#define DUES 16

/* What the gateway remembers of a connection. */
struct link {
    struct pending      pending[PIPELINE_MAX];
    uint32_t            first, count;           /* of pending                                              */
    uint32_t            number;                 /* of the next write                                       */
    uint32_t            handled;                /* requests in its last turn                               */
    uint32_t            at;                     /* where the next request begins in the input              */
    int64_t             began_ms;               /* when its first byte was seen; 0 = no byte yet           */
    bool                headers_done, continued;
    bool                parked;                 /* `request` is complete and waits for replies before it   */
    bool                last;                   /* no further request is read                              */
    bool                linger;                 /* the peer may be sending still                           */
    bool                stream;                 /* a WebSocket: nothing but its frames comes any more      */
    bool                told;                   /* in gateway->told                                        */
    bool                alone;                  /* `request` is complete and waits for a command of its own */
    bool                dirty;                  /* in gateway->dirty                                       */
    bool                ready;                  /* in gateway->ready                                       */
    int64_t             behind_ns;              /* since then it has more than one turn's requests; 0 = not */
    size_t              held;                   /* bytes of an answer that waits at the end of the output  */
    struct http_request request;
    struct api_progress progress;               /* of `request`, when it is alone                          */
    _Alignas(16) uint8_t parser[];              /* http_parser_size()                                      */
};

struct gateway {
    struct gateway_shared *shared;
    struct gateway_settings settings;
    struct net            *net;
    struct api            *api;
    struct api_write       write;               /* of the request at hand */
    struct out             body;                /* likewise               */
    char                  *held;                /* scratch of HELD_BYTES  */
    uint32_t              *dirty, dirty_count;  /* slots with new replies */
    uint32_t              *ready, ready_count;  /* slots with input whose turn comes */
    uint32_t              *turn;                /* those of this turn     */
    uint8_t               *classes;             /* likewise, enum api_class */
    struct crowd           crowd;
    struct stream         *stream;
    uint32_t              *told, told_count;    /* slots with new frames to send */
    struct share           share;               /* of its time, that may go to pushes */
    uint64_t               promised;            /* bytes of `replies` that writes in flight may need */
    uint32_t               pushed;              /* writes the engine has not been shown */
    _Atomic uint32_t       connections;
    struct door_watch      watch;               /* of the request at hand */
    struct door_counters  *counters;
    struct due             dues[DUES];
    uint32_t               due_count;
    struct ring            writes, replies;
    struct stream_feed     feed;
};

static struct http_parser *parser_of(struct link *link) { return (struct http_parser *)(void *)link->parser; }

struct api_context gateway_context(const struct gateway_shared *shared)
{
    int64_t  engine_ms = atomic_load_explicit(shared->time_ms, memory_order_acquire);
    int64_t  offset_ms = atomic_load_explicit(&shared->offset_ms, memory_order_acquire);
    int64_t  pin_ms = atomic_load_explicit(&shared->pin_ms, memory_order_acquire);
    int64_t  wall_ms = clock_wall_ms() + offset_ms;
    uint32_t mode = atomic_load_explicit(&shared->mode, memory_order_relaxed);

    return (struct api_context){ .now_ms = max_i64(engine_ms, pin_ms != 0 ? min_i64(pin_ms, wall_ms) : wall_ms),
                                 .ready = mode == MODE_RUNNING, .offset_ms = offset_ms };
}

static struct api_context context_now(const struct gateway *gateway) { return gateway_context(gateway->shared); }

/* For a request of one connection: who is connected belongs to it. */
static struct api_context context_of(const struct gateway *gateway, const struct net_conn *conn)
{
    struct api_context context = context_now(gateway);

    memcpy(context.peer.bytes, conn->address, sizeof(context.peer.bytes));
    return context;
}

/* ---- answers ---- */

static void link_cut(struct gateway *gateway, struct net_conn *conn) { net_abort(gateway->net, conn); }

static struct slice body_of(const struct gateway *gateway, const struct http_answer *answer)
{
    return answer->kept.at != NULL ? answer->kept : out_slice(&gateway->body);
}

/* Behind the replies that are still to come: kept at the far end of the output until they are written. */
static void link_hold(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct link *link = conn->owner;
    struct out   text = out_make(gateway->held, HELD_BYTES);

    assert(link->held == 0);
    http_write(&text, answer, body_of(gateway, answer));
    if (text.overflow || !net_room(conn, text.len)) {
        link_cut(gateway, conn);
        return;
    }
    conn->output.cap -= text.len;
    memcpy(conn->output.at + conn->output.cap, text.at, text.len);
    link->held = text.len;
}

/* Its turn has come: true when there was one, and with it a reason to read on. */
static bool link_release(struct net_conn *conn)
{
    struct link *link = conn->owner;

    if (link->held == 0 || link->count != 0) return false;
    memmove(conn->output.at + conn->output.len, conn->output.at + conn->output.cap, link->held);
    conn->output.len += link->held;
    conn->output.cap += link->held;
    link->held = 0;
    return true;
}

static void link_answer(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct link *link = conn->owner;
    struct slice body = body_of(gateway, answer);

    if (answer->close) link->last = true;
    if (link->count != 0) {
        link_hold(gateway, conn, answer);
        return;
    }
    assert(!gateway->body.overflow);
    if (!net_room(conn, body.len + HEAD_BYTES)) {
        link_cut(gateway, conn);
        return;
    }
    if (body.len < DIRECT_BYTES || answer->head) {
        http_write(&conn->output, answer, body);
    } else {
        struct http_answer head = *answer;
        head.head = true;
        http_write(&conn->output, &head, body);
        net_send(gateway->net, conn, body);
    }
    if (conn->output.overflow) link_cut(gateway, conn);
}

static void link_refuse(struct gateway *gateway, struct net_conn *conn, enum reject reject)
{
    struct api_context context = context_now(gateway);
    struct api_noted   noted = { .route = API_ROUTES_MAX, .reject = (uint16_t)reject };
    struct http_answer answer = { 0 };
    struct link       *link = conn->owner;

    door_handled(gateway->counters, &gateway->watch);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    api_error(&context, reject, &answer, &gateway->body);
    answer.close = true;                        /* the rest of the request was not read (trust.md 5.8) */
    link->linger = true;
    link_answer(gateway, conn, &answer);
    door_answered(gateway->counters, &gateway->watch, &noted);
}

/* ---- writes ---- */

/* Room in both rings? A part of it is kept for whoever goes first: cancels find what nothing else may use (trust.md 5.9). */
static bool has_room(struct gateway *gateway, uint64_t bytes, uint64_t reply_bytes, uint8_t class)
{
    uint64_t kept = crowd_keeps(gateway->settings.ring_bytes, class);

    if (ring_free(&gateway->writes) < 2 * ring_cost(bytes) + kept) return false;
    return gateway->promised + ring_cost(reply_bytes) + ring_cost(REPLY_BYTES_MAX) + kept <= gateway->settings.ring_bytes;
}

static bool push_write(struct gateway *gateway, struct net_conn *conn)
{
    struct api_write     *write = &gateway->write;
    struct command       *command = &write->room.head;
    struct link          *link = conn->owner;
    uint32_t              reply_bytes = reply_bytes_max(command_items(command));
    uint64_t              bytes = sizeof(struct write_message) + command->bytes + write->signed_bytes.len;
    struct write_message *message;

    if (atomic_load_explicit(&gateway->shared->shed, memory_order_relaxed) != 0 && write->class != CLASS_CANCEL) return false;
    if (!has_room(gateway, bytes, reply_bytes, write->class)) return false;
    message = ring_reserve(&gateway->writes, bytes);
    assert(message != NULL && command->bytes % 8 == 0);
    *message = (struct write_message){
        .origin = origin_pack((struct origin){ gateway->settings.thread, conn->slot, conn->generation, link->number }),
        .command_bytes = command->bytes, .signed_bytes = (uint32_t)write->signed_bytes.len,
        .reply_bytes = reply_bytes, .leap = write->leap, .sent_ns = gateway->watch.at_ns,
    };
    memcpy(message->signature, write->signature.r, 32);
    memcpy(message->signature + 32, write->signature.s, 32);
    message->signature[64] = write->signature.v;
    memcpy(message + 1, command, command->bytes);
    memcpy((uint8_t *)(message + 1) + command->bytes, write->signed_bytes.at, write->signed_bytes.len);
    ring_fill(&gateway->writes, bytes);
    gateway->promised += ring_cost(reply_bytes);
    gateway->pushed += 1;
    return true;
}

static bool turn_is_late(struct gateway *gateway)
{
    struct crowd *crowd = &gateway->crowd;

    return crowd->late || crowd->behind || (crowd_is_long(crowd, gateway->watch.at_ns) && crowd_is_late(crowd, clock_thread_ns()));
}

/* Which classes of requests are sent away unread, a bit each: what has no room, and what has waited too long. */
static uint32_t who_is_shed(struct gateway *gateway, const struct http_request *request)
{
    uint32_t shed = 0;

    if (turn_is_late(gateway)) shed = CROWD_ALL_BUT_CANCELS;
    if (request->method != HTTP_POST && request->method != HTTP_DELETE) return shed;
    if (atomic_load_explicit(&gateway->shared->shed, memory_order_relaxed) != 0) shed |= CROWD_WRITES_BUT_CANCELS;
    for (uint32_t class = CLASS_RISK + 1; class-- > CLASS_CANCEL;) {
        if (has_room(gateway, sizeof(struct write_message) + sizeof(struct command), reply_bytes_max(1), (uint8_t)class)) break;
        shed |= 1u << class;
    }
    return shed;
}

/* Sends the write at hand; false when there is no room for it. */
static bool send_write(struct gateway *gateway, struct net_conn *conn, bool close)
{
    struct link *link = conn->owner;

    if (!push_write(gateway, conn)) return false;
    link->pending[(link->first + link->count++) % PIPELINE_MAX] = (struct pending){
        gateway->write.endpoint, gateway->write.quota, api_noted(gateway->api).route, close, link->request.header[HEADER_ORIGIN].at != NULL };
    link->number += 1;
    link->last = close;
    link->alone = gateway->write.alone;
    if (link->alone) link->progress = gateway->write.progress;
    return true;
}

/* Goes on with a JSON-RPC request: true when its next command is on its way, else its answer is ready. */
static bool link_resume(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                        const struct api_result *result, bool close, struct http_answer *answer)
{
    const struct link *link = conn->owner;

    gateway->watch.at_ns = clock_mono_ns();
    for (;;) {
        gateway->body.len = 0;
        gateway->body.overflow = false;
        if (api_resume(gateway->api, context, &link->request, result, &gateway->write, answer, &gateway->body) == API_ANSWER)
            return false;
        if (send_write(gateway, conn, close)) return true;
        result = NULL;
    }
}

static void warn_foreign(struct gateway *gateway)
{
    if (atomic_exchange_explicit(&gateway->shared->foreign_warned, 1, memory_order_relaxed) != 0) return;
    log_line(LOG_WARN, "an address that is not one of the development accounts signs for a public chain id: "
                       "the same signature is valid on the public venue for two days");
}

/* ---- streams ---- */

static void stream_now(struct gateway *gateway)
{
    stream_clock(gateway->stream, context_now(gateway).now_ms, net_now_ms(gateway->net));
}

/* What was told goes out; who is not behind any more is told what it missed. */
static void flush_streams(struct gateway *gateway)
{
    while (gateway->told_count != 0) {
        struct net_conn *conn = net_at(gateway->net, gateway->told[--gateway->told_count]);
        if (conn == NULL) continue;
        ((struct link *)conn->owner)->told = false;
        net_flush(gateway->net, conn);
        if (!conn->closing && net_unsent(conn) == 0) stream_drained(gateway->stream, conn->slot);
    }
}

static bool stream_send(void *self, uint32_t slot, struct slice frames, size_t most)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);
    struct link     *link;

    if (conn == NULL) return true;                              /* it is gone already */
    link = conn->owner;
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) net_flush(gateway->net, conn);
    if (conn->closing) return true;
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) return false;
    if (frames.len >= DIRECT_BYTES) net_send(gateway->net, conn, frames);
    else                            out_bytes(&conn->output, frames.at, frames.len);
    if (conn->closing || net_unsent(conn) == 0) return true;
    if (!link->told) gateway->told[gateway->told_count++] = slot;
    link->told = true;
    return true;
}

static void stream_finish(void *self, uint32_t slot)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);

    if (conn != NULL) net_finish(gateway->net, conn, true);
}

/* Frames of a client; its half of the connection may also have ended. */
static void run_stream(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;
    uint32_t     bytes = conn->input_len, at = link->at;

    stream_now(gateway);
    stream_received(gateway->stream, conn->slot, slice_make(conn->input + at, bytes - at));
    if (!conn->closing) {
        link->at = 0;
        net_consume(gateway->net, conn, bytes);
        if (conn->ended) net_finish(gateway->net, conn, false);
    }
    flush_streams(gateway);
}

static void write_upgrade(struct net_conn *conn, struct slice key)
{
    out_literal(&conn->output, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ");
    frame_accept(&conn->output, key);
    out_literal(&conn->output, "\r\n\r\n");
}

/* A request that asks for another protocol: true when it was for a stream, which it has become or been answered why not. */
static bool link_upgrade(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct link       *link = conn->owner;
    uint8_t            market = api_stream_market(request->path);
    struct api_context context;
    struct http_answer answer = { 0 };
    struct ip          client;
    enum reject        reject;
    uint32_t           wait;

    if (market == 0) return false;
    context = context_of(gateway, conn);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    reject = api_upgrade(&context, request, &answer, &gateway->body);
    if (reject == REJECT_NONE) {
        client = api_client(gateway->shared->api, &context.peer, request);
        stream_now(gateway);
        if (stream_open(gateway->stream, conn->slot, market, &client, &wait)) {
            link->stream = true;
            conn->deadline_ms = INT64_MAX;
            write_upgrade(conn, request->header[HEADER_WS_KEY]);
            tally_add(&gateway->counters->handshakes[market - 1][REJECT_NONE], 1);
            return true;
        }
        api_too_many_streams(gateway->api, &context, wait, &answer, &gateway->body);
        reject = REJECT_RATE_LIMIT;
    }
    tally_add(&gateway->counters->handshakes[market - 1][reject], 1);
    answer.close = true;
    link_answer(gateway, conn, &answer);
    return true;
}

static void link_handle(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct api_context context = context_of(gateway, conn);
    struct http_answer answer = { 0 };
    struct api_noted   noted;
    bool               close = !request->keep_alive || !context.ready, busy = false;
    enum api_outcome   outcome;

    if (request->header[HEADER_UPGRADE].at != NULL && link_upgrade(gateway, conn, request)) return;
    /* Time travel takes rolling minutes along: tests of what comes after a 429 need not wait for it. */
    if (gateway->shared->api->limiter != NULL) context.second = (uint32_t)((gateway->watch.at_ns / 1000000 + context.offset_ms) / 1000);
    if (request->header[HEADER_EXPECT].at != NULL && !request->expect_continue && request->minor_version == 1) {
        link_refuse(gateway, conn, REJECT_BAD_HTTP);        /* an expectation nobody here can meet */
        return;
    }
    gateway->body.len = 0;
    gateway->body.overflow = false;
    gateway->write.warn_foreign = false;
    gateway->write.leap = LEAP_NONE;
    context.watch = &gateway->watch.head;
    context.shed = who_is_shed(gateway, request);
    outcome = api_handle(gateway->api, &context, request, &gateway->write, &answer, &gateway->body);
    door_handled(gateway->counters, &gateway->watch);
    crowd_handled(&gateway->crowd);
    if (gateway->write.warn_foreign) warn_foreign(gateway);
    if (outcome == API_COMMAND && send_write(gateway, conn, close)) return;
    if (outcome == API_COMMAND && gateway->write.alone) {
        if (link_resume(gateway, conn, &context, NULL, close, &answer)) return;
    } else if (outcome == API_COMMAND) {
        answer = (struct http_answer){ .allow_origin = answer.allow_origin };
        gateway->body.len = 0;
        api_error(&context, REJECT_BUSY, &answer, &gateway->body);
        busy = true;
    }
    noted = api_noted(gateway->api);
    if (busy) noted.reject = REJECT_BUSY;
    answer.close |= close;
    link_answer(gateway, conn, &answer);
    door_answered(gateway->counters, &gateway->watch, &noted);
}

/* ---- requests ---- */

static void next_request(struct link *link, size_t bytes)
{
    link->at += (uint32_t)bytes;
    link->began_ms = 0;
    link->parked = link->headers_done = link->continued = false;
    http_parser_init(parser_of(link));
}

/* A client that asked may now send its body; whoever sends it anyway is not told. */
static void say_continue(struct net_conn *conn, struct link *link)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (link->continued || link->count != 0 || !link->headers_done || !link->request.expect_continue) return;
    link->continued = true;
    if (net_room(conn, sizeof(text) - 1)) out_bytes(&conn->output, text, sizeof(text) - 1);
}

/*
 * Between two requests, what is done goes off the front of the input: at once when nothing is behind it,
 * else only now and then, because the rest has to be moved. Never inside a request: its slices point there.
 */
static void link_tidy(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    if (link->began_ms != 0 || link->at == 0 || (link->at != conn->input_len && link->at <= INPUT_SLACK)) return;
    net_consume(gateway->net, conn, link->at);
    link->at = 0;
}

/* Reads on; true when `link->request` is complete. */
static bool link_parse(struct gateway *gateway, struct net_conn *conn)
{
    struct link     *link = conn->owner;
    enum reject      reject = REJECT_BAD_HTTP;
    enum http_result result;

    if (!link->parked) link_tidy(gateway, conn);
    if (!link->parked && link->at == conn->input_len) return false;
    door_begins(&gateway->watch);
    if (link->parked) return true;
    if (link->began_ms == 0) link->began_ms = max_i64(1, net_now_ms(gateway->net));
    link->request.expect_continue = false;
    result = http_parse(parser_of(link), conn->input + link->at, conn->input_len - link->at, &link->request, &reject,
                        &link->headers_done);
    if (result == HTTP_ERROR) link_refuse(gateway, conn, reject);
    if (result == HTTP_MORE) say_continue(conn, link);
    return result == HTTP_DONE;
}

/* Writes may be answered behind writes; everything else waits until it is first in line. */
static bool must_wait(const struct link *link)
{
    return link->count != 0 && !api_may_overtake(&link->request);
}

static bool may_read(const struct net_conn *conn)
{
    const struct link *link = conn->owner;

    return !conn->closing && !link->last && !link->alone && !link->stream && link->count < PIPELINE_MAX && link->held == 0;
}

static void link_deadline(struct gateway *gateway, struct net_conn *conn)
{
    const struct link *link = conn->owner;

    if (link->count != 0 || link->parked) conn->deadline_ms = INT64_MAX;
    else if (link->began_ms != 0) conn->deadline_ms = link->began_ms + (link->headers_done ? BODY_MS : HEADER_MS);
    else conn->deadline_ms = net_now_ms(gateway->net) + IDLE_MS;
}

static void make_ready(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    if (!link->ready) gateway->ready[gateway->ready_count++] = conn->slot;
    link->ready = true;
}

/* It has input already: its next turn comes without anything new to read. */
static void turn_again(struct gateway *gateway, struct net_conn *conn)
{
    make_ready(gateway, conn);
    net_turn_within(gateway->net, 0);
}

/*
 * Requests, one after the other, until one is incomplete or has to wait, or the connection has had its turn.
 * True: only room for answers is missing.
 */
static bool link_advance(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    while (may_read(conn)) {
        if (!net_room(conn, ANSWER_BYTES)) return true;
        if (link->handled >= (gateway->crowd.is_one ? CROWD_EACH : TURN_REQUESTS) && (link->parked || link->at != conn->input_len)) {
            turn_again(gateway, conn);
            return false;
        }
        if (!link_parse(gateway, conn)) return false;
        link->parked = must_wait(link);
        if (link->parked) return false;
        link_handle(gateway, conn, &link->request);
        if (api_noted(gateway->api).reject != REJECT_BUSY) link->handled += 1;
        if (!link->alone) next_request(link, link->request.bytes);
    }
    return false;
}

/* Goes on with a connection as far as it can: requests, answers, and at last the bytes. */
static void link_run(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;
    bool         full = true;

    while (full && !conn->closing) {
        if (!link->stream) full = link_advance(gateway, conn);
        if (conn->closing) return;
        if (link->stream) {
            net_flush(gateway->net, conn);
            if (!conn->closing) run_stream(gateway, conn);
            return;
        }
        if (link_release(conn)) full = true;
        link_deadline(gateway, conn);
        if (!full && link->count == 0 && (link->last || (conn->ended && !link->parked && !link->ready))) {
            net_finish(gateway->net, conn, link->linger);
            return;
        }
        net_flush(gateway->net, conn);
        if (!net_room(conn, ANSWER_BYTES)) return;          /* `drained` brings us back */
    }
}

/*
 * Replies have been written: they go out at once. What the peer sent behind them waits for its turn like that of all
 * others; else those who send without waiting would take the whole thread.
 */
static void link_answered(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    (void)link_release(conn);
    if (conn->closing || !may_read(conn) || (!link->parked && link->at == conn->input_len)) {
        link_run(gateway, conn);
        return;
    }
    link_deadline(gateway, conn);
    net_flush(gateway->net, conn);
    if (!conn->closing) turn_again(gateway, conn);
}

/*
 * A batch costs a wake, a write and an fdatasync, whatever its size, and waking is a system call when the
 * engine's thread sleeps. So writes are shown in groups: when everything that was ready has been handled,
 * or when there are enough for a batch.
 */
static void show_writes(struct gateway *gateway, uint32_t enough)
{
    if (gateway->pushed < enough) return;
    gateway->pushed = 0;
    ring_show(&gateway->writes);
    park_nudge(&gateway->shared->engine);
}

/* ---- replies ---- */

/* An answer has been written; how long it took is worked out for all that go out together. The last one of the list
 * stands for what no longer fits: it happened before that. */
static void note_due(struct gateway *gateway, int64_t applied_ns)
{
    struct due *last = gateway->due_count != 0 ? &gateway->dues[gateway->due_count - 1] : NULL;

    if (last != NULL && (last->applied_ns == applied_ns || gateway->due_count == DUES)) last->count += 1;
    else gateway->dues[gateway->due_count++] = (struct due){ applied_ns, 1 };
}

static void count_dues(struct gateway *gateway)
{
    int64_t now_ns;

    if (gateway->due_count == 0) return;
    now_ns = clock_mono_ns();
    for (uint32_t i = 0; i < gateway->due_count; i++)
        histogram_add(&gateway->counters->answer, now_ns - gateway->dues[i].applied_ns, gateway->dues[i].count);
    gateway->due_count = 0;
}

static void take_reply(struct gateway *gateway, const struct reply_message *message)
{
    struct origin      origin = origin_unpack(message->origin);
    struct net_conn   *conn = net_find(gateway->net, origin.slot, origin.generation);
    struct api_context context;
    struct http_answer answer = { 0 };
    struct api_result  result;
    struct link       *link;
    struct pending     pending;
    struct api_noted   noted;

    gateway->promised -= ring_cost(message->reply_bytes);
    result.events = (struct events){ (uint8_t *)(uintptr_t)(message + 1), message->events_bytes, message->events_bytes };
    door_items(gateway->counters, &result.events);
    if (conn == NULL) return;                                   /* nobody waits any more */
    context = context_of(gateway, conn);
    link = conn->owner;
    assert(link->count != 0 && ((link->number - link->count) & 0xffff) == origin.request);
    pending = link->pending[link->first];
    link->first = (link->first + 1) % PIPELINE_MAX;
    link->count -= 1;

    result.is_transaction = message->is_transaction != 0;
    result.place = message->place;
    result.quota = pending.quota;
    if (link->alone) {
        link->alone = false;
        gateway->write.progress = link->progress;
        if (link_resume(gateway, conn, &context, &result, pending.close, &answer)) return;
        next_request(link, link->request.bytes);
    } else {
        gateway->body.len = 0;
        gateway->body.overflow = false;
        api_reply(gateway->api, &context, pending.endpoint, &result, &answer, &gateway->body);
        if (!pending.browser) answer.allow_origin = SLICE("");      /* as with answers: who names no origin asks no leave */
    }
    noted = api_noted(gateway->api);
    noted.route = pending.route;
    door_request(gateway->counters, &noted);
    note_due(gateway, message->applied_ns);
    answer.close |= pending.close;
    if (net_room(conn, gateway->body.len + HEAD_BYTES)) http_write(&conn->output, &answer, out_slice(&gateway->body));
    else link_cut(gateway, conn);
    if (!link->dirty) gateway->dirty[gateway->dirty_count++] = conn->slot;
    link->dirty = true;
}

/* Lets the connections go that nothing is happening on. */
static void hang_up_idle(struct gateway *gateway)
{
    for (uint32_t slot = 0; slot < net_slot_count(gateway->net); slot++) {
        struct net_conn *conn = net_at(gateway->net, slot);
        struct link     *link = conn != NULL ? conn->owner : NULL;
        if (link != NULL && link->stream) stream_hang_up(gateway->stream, slot, CLOSE_GOING_AWAY, "the exchange stops");
        if (link == NULL || link->stream || link->began_ms != 0) continue;
        link->last = true;
        link_run(gateway, conn);
    }
}

static void take_replies(struct gateway *gateway)
{
    void    *message;
    uint64_t bytes;

    for (; (message = ring_peek(&gateway->replies, &bytes)) != NULL; ring_next(&gateway->replies))
        take_reply(gateway, message);
    for (uint32_t i = 0; i < gateway->dirty_count; i++) {
        struct net_conn *conn = net_at(gateway->net, gateway->dirty[i]);
        if (conn == NULL) continue;
        ((struct link *)conn->owner)->dirty = false;
        link_answered(gateway, conn);
    }
    gateway->dirty_count = 0;
    count_dues(gateway);
}

/* What has happened goes to the subscribers, between two requests if need be, and soon if not now. */
static void tell_streams(struct gateway *gateway)
{
    if (!stream_is_due(gateway->stream)) return;
    if (!share_allows(&gateway->share, clock_mono_ns(), net_idle_ns(gateway->net))) {
        net_turn_within(gateway->net, 1);
        return;
    }
    stream_now(gateway);
    stream_turn(gateway->stream);
    flush_streams(gateway);
    share_spend(&gateway->share, clock_mono_ns());
}

static void on_woken(void *self)
{
    struct gateway *gateway = self;

    tell_streams(gateway);
    take_replies(gateway);
    if (atomic_load_explicit(&gateway->shared->mode, memory_order_acquire) == MODE_STOPPING) hang_up_idle(gateway);
    show_writes(gateway, GROUP);
}

/* ---- what the loop tells ---- */

static void on_swept(void *self)
{
    struct gateway *gateway = self;

    if (stream_counts(gateway->stream).connections == 0) return;
    stream_now(gateway);
    stream_tick(gateway->stream);
    flush_streams(gateway);
}

static void on_opened(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;

    http_parser_init(parser_of(conn->owner));
    atomic_store_explicit(&gateway->connections, net_count(gateway->net), memory_order_relaxed);
}

/* First everything is read, then everything is handled: each with its code and its data in the cache. */
static void on_received(void *self, struct net_conn *conn)
{
    make_ready(self, conn);
}

static void on_drained(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;

    if (!((struct link *)conn->owner)->stream) {
        link_run(gateway, conn);
        return;
    }
    stream_now(gateway);
    stream_drained(gateway->stream, conn->slot);
    flush_streams(gateway);
}

/* The next request of a connection is whatever its bytes begin with; a stream asks for nothing. */
static uint8_t class_of(const struct gateway *gateway, uint32_t slot)
{
    const struct net_conn *conn = net_at(gateway->net, slot);
    const struct link     *link = conn != NULL ? conn->owner : NULL;

    if (link == NULL || link->stream) return CLASS_READ;
    return crowd_class(slice_make(conn->input + link->at, conn->input_len - link->at));
}

static void take_turn(struct gateway *gateway, uint32_t slot)
{
    struct net_conn *conn = net_at(gateway->net, slot);
    struct link     *link;

    if (conn == NULL) return;
    link = conn->owner;
    link->ready = false;
    link->handled = 0;
    crowd_looks(&gateway->crowd, &link->behind_ns);
    link_run(gateway, conn);
    if (!link->ready) link->behind_ns = 0;
    show_writes(gateway, GROUP);
    take_replies(gateway);
    tell_streams(gateway);
}

/* Many at once: class by class, and in each whoever came last first, so that those who are sent away are not always the same. */
static void take_turns_in_order(struct gateway *gateway, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) gateway->classes[i] = class_of(gateway, gateway->turn[i]);
    for (uint32_t class = CLASS_CANCEL; class < API_CLASSES; class++)
        for (uint32_t i = count; i-- > 0;)
            if (gateway->classes[i] == class) take_turn(gateway, gateway->turn[i]);
}

/* Everybody whose turn it is has one; who becomes ready meanwhile has the next. */
static void on_turned(void *self)
{
    struct gateway *gateway = self;
    uint32_t       *turn = gateway->ready, count = gateway->ready_count;

    gateway->ready = gateway->turn;
    gateway->ready_count = 0;
    gateway->turn = turn;
    crowd_is_none(&gateway->crowd);
    if (count > CROWD_CONNECTIONS) {
        crowd_begins(&gateway->crowd, clock_mono_ns(), clock_thread_ns());
        take_turns_in_order(gateway, count);
    } else {
        for (uint32_t i = 0; i < count; i++) take_turn(gateway, turn[i]);
    }
    show_writes(gateway, 1);
    tell_streams(gateway);
}

/* A request had begun: 408. Nothing had: the silent close that every client knows. */
static void on_expired(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;
    struct link    *link = conn->owner;

    if (link->began_ms == 0 || link->count != 0) {
        net_finish(gateway->net, conn, false);
        return;
    }
    door_begins(&gateway->watch);
    link_refuse(gateway, conn, REJECT_REQUEST_TIMEOUT);
    if (!conn->closing) net_finish(gateway->net, conn, true);
}

static void on_closed(void *self, struct net_conn *conn)
{
    struct gateway *gateway = self;

    if (((struct link *)conn->owner)->stream) stream_closed(gateway->stream, conn->slot);
    atomic_store_explicit(&gateway->connections, net_count(gateway->net) - 1, memory_order_relaxed);
}

/* ---- its life ---- */

struct gateway *gateway_open(struct gateway_shared *shared, struct net_listener *listener, const struct gateway_settings *settings)
{
    struct gateway     *gateway = aligned_alloc(64, align_up(sizeof(*gateway), 64));
    struct net_settings net = { settings->connections, INPUT_BYTES, OUTPUT_BYTES,
                                (uint32_t)(sizeof(struct link) + http_parser_size()), IDLE_MS, UNSENT_BYTES };
    struct net_owner    owner = { gateway, on_opened, on_received, on_drained, on_expired, on_closed, on_woken, on_turned, on_swept };
    void               *api = files_take_memory(api_size(shared->api), false);
    void               *writes = files_take_memory(settings->ring_bytes, false);
    void               *replies = files_take_memory(settings->ring_bytes, false);
    void               *body = files_take_memory(API_ANSWER_BYTES_MAX, false);
    void               *feed = files_take_memory(FEED_BYTES, false);

    if (gateway == NULL || api == NULL || writes == NULL || replies == NULL || body == NULL) return NULL;
    memset(gateway, 0, sizeof(*gateway));
    gateway->shared = shared;
    gateway->settings = *settings;
    gateway->api = api_init(api, shared->api);
    gateway->body = out_make(body, API_ANSWER_BYTES_MAX);
    gateway->held = files_take_memory(HELD_BYTES, false);
    gateway->counters = files_take_memory(sizeof(*gateway->counters), false);
    gateway->dirty = calloc(settings->connections, sizeof(uint32_t));
    /* A slot that becomes ready, is freed and taken again before its turn comes may stand there twice. */
    gateway->ready = calloc(2 * (size_t)settings->connections, sizeof(uint32_t));
    gateway->turn = calloc(2 * (size_t)settings->connections, sizeof(uint32_t));
    gateway->classes = calloc(2 * (size_t)settings->connections, 1);
    gateway->told = calloc(settings->connections, sizeof(uint32_t));
    if (feed == NULL) return NULL;
    stream_feed_init(&gateway->feed, feed);
    gateway->stream = stream_new(&(struct stream_settings){ shared->api, gateway->api, shared->streams, &gateway->feed,
                                                            { gateway, stream_send, stream_finish }, settings->connections });
    ring_init(&gateway->writes, writes, settings->ring_bytes);
    ring_init(&gateway->replies, replies, settings->ring_bytes);
    gateway->net = net_open(listener, &net, &owner);
    return gateway->held != NULL && gateway->counters != NULL && gateway->dirty != NULL && gateway->ready != NULL
           && gateway->turn != NULL && gateway->classes != NULL && gateway->told != NULL && gateway->stream != NULL && gateway->net != NULL ? gateway : NULL;
}

void gateway_run(struct gateway *gateway) { net_run(gateway->net); }

void gateway_close(struct gateway *gateway)
{
    net_close(gateway->net);
    files_give_memory(gateway->api, api_size(gateway->shared->api));
    files_give_memory(gateway->writes.at, gateway->settings.ring_bytes);
    files_give_memory(gateway->replies.at, gateway->settings.ring_bytes);
    files_give_memory(gateway->body.at, API_ANSWER_BYTES_MAX);
    files_give_memory(gateway->held, HELD_BYTES);
    files_give_memory(gateway->counters, sizeof(*gateway->counters));
    files_give_memory(gateway->feed.ring.at, FEED_BYTES);
    stream_free(gateway->stream);
    free(gateway->told);
    free(gateway->dirty);
    free(gateway->ready);
    free(gateway->turn);
    free(gateway->classes);
    free(gateway);
}

struct ring *gateway_writes(struct gateway *gateway)  { return &gateway->writes; }
struct stream_feed *gateway_feed(struct gateway *gateway)    { return &gateway->feed; }
struct ring *gateway_replies(struct gateway *gateway) { return &gateway->replies; }
void         gateway_wake(struct gateway *gateway)    { net_wake(gateway->net); }
void         gateway_stop(struct gateway *gateway)    { net_stop(gateway->net); }

struct stream_counts gateway_streams(struct gateway *gateway) { return stream_counts(gateway->stream); }
const struct door_counters *gateway_counters(struct gateway *gateway) { return gateway->counters; }

uint32_t gateway_connections(struct gateway *gateway)
{
    return atomic_load_explicit(&gateway->connections, memory_order_relaxed);
}
