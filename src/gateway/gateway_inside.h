/* SPDX-License-Identifier: MIT */
/*
 * gateway_inside.h — shared by the files of the gateway: an I/O thread's connections, and the state of each.
 *
 *     gateway_loop.c      start and stop, callbacks of the event loop
 *     gateway_turn.c      the order in which connections are served
 *     gateway_request.c   requests of a connection, one after the other
 *     gateway_answer.c    answers, in the order of the requests
 *     gateway_write.c     writes on their way to the engine
 *     gateway_reply.c     replies of the engine
 *     gateway_stream.c    connections that have become streams
 *     gateway_fresh.c     reads that wait for a command
 *     gateway_forward.c   writes that another node takes
 *     gateway_forwarded.c its answers
 *     gateway_context.c   time and mode at a request
 *     gateway_client.c    whose connection it is, behind a proxy
 *     gateway_faults.c    what rules of faults do to requests
 *     gateway_fate.c      what they do to messages of streams
 *     gateway_late.c      what they leave with a session: output that leaves later
 *     gateway_due.c       what they delayed and is due
 */
#ifndef GATEWAY_GATEWAY_INSIDE_H
#define GATEWAY_GATEWAY_INSIDE_H

#include "gateway/engine_messages.h"
#include "gateway/gateway.h"
#include "gateway/overload.h"
#include "stream/share.h"

#define HEAD_BYTES   8192 /* status line and headers of an answer */
#define ANSWER_BYTES (API_ANSWER_BYTES_MAX + HEAD_BYTES)
#define DIRECT_BYTES 4096 /* bodies and frames from here on are sent from where they lie */
#define INPUT_SLACK  65536
#define HELD_BYTES                                                                                                     \
    (2 * HTTP_BODY_MAX                                                                                                 \
     + 65536)            /* the answer to a refused write: in development it contains, escaped, the hashed text */
#define PUSH_PART     32 /* subscribers served before the next request is handled */
#define TURN_REQUESTS PIPELINE_MAX /* of a connection; then it is the others' turn */

/* A write in flight. */
struct pending {
    const struct endpoint *endpoint;
    struct quota           quota;
    uint16_t               route;
    bool                   close, browser;
};

/* Answers whose commands were applied at one time. */
struct answer_time {
    int64_t  applied_ns;
    uint64_t count;
};
#define ANSWER_TIMES 16

/* A connection that has something to send. `parts` lie with the stream
   and are not in the output yet; nothing else waits there then. */
struct pending_send {
    uint32_t     slot, count;
    struct slice parts[NET_PARTS_MAX];
};

static_assert(NET_PARTS_MAX * STREAM_SHARED <= STREAM_MARKET_WAITING, "they may wait");

/* The use of a peer's bytes, by state. Replies of writes in flight are written in every state but the last. */
enum session_state {
    SESSION_READING,          /* requests, up to PIPELINE_MAX writes ahead of their replies */
    SESSION_AWAITING_REPLIES, /* `request` is complete and has to be first in line */
    SESSION_AWAITING_SIGNER,  /* `request` waits in `waiting` until its signer is recovered */
    SESSION_AWAITING_ENGINE,  /* `request` continues when the command that it sent has been applied */
    SESSION_AWAITING_SEQ,     /* `request` continues when command `min_seq` has been applied, or at wait_until_ms */
    SESSION_PACED,            /* `request` continues in the next millisecond; the one before it weighed nothing */
    SESSION_AWAITING_LEADER,  /* `request` is with the node that leads */
    SESSION_AWAITING_TIME,    /* `request` continues when a rule of faults lets it */
    SESSION_SILENT,           /* a rule dropped an answer: nothing is read or sent any more */
    SESSION_ENDING,           /* no further request is read */
    SESSION_STREAM,           /* a WebSocket: nothing but its frames comes any more */
};

/* The gateway's state of a connection. */
struct session {
    struct pending             pending[PIPELINE_MAX];
    uint32_t                   first, count;  /* of pending */
    uint32_t                   number;        /* of the next write */
    uint32_t                   handled;       /* requests in its last turn */
    uint32_t                   at;            /* where the next request begins in the input */
    int64_t                    began_ms;      /* when its first byte was seen; 0 = no byte yet */
    uint64_t                   min_seq;       /* of `request` in SESSION_AWAITING_SEQ */
    int64_t                    wait_until_ms; /* until then `request` waits for min_seq; 0 = it has not waited */
    uint16_t                   forward_route; /* of `request` in SESSION_AWAITING_LEADER */
    int64_t                    weightless_ms; /* of the last request that weighed nothing */
    bool                       known;         /* a request has begun on it */
    bool                       headers_done, continued;
    bool                       skipped;   /* an empty line before the request */
    bool                       judged;    /* rules of faults were asked about `request` */
    bool                       of_client; /* its place counts for the client behind a proxy, see session_count_client */
    uint8_t                    market;    /* of a stream */
    uint8_t                    state;     /* enum session_state */
    bool                       linger;    /* the peer may be sending still */
    bool                       dirty;     /* in gateway->dirty */
    bool                       ready;     /* in gateway->ready */
    int64_t                    behind_ns; /* since then it has more than one turn's requests; 0 = not */
    size_t                     held;      /* bytes of an answer that waits at the end of the output */
    struct session_faults     *faults;    /* what rules of faults do to it; NULL = nothing so far */
    const struct http_request *request;   /* its parser's */
    struct request_context    *waiting;   /* of `request`, SESSION_AWAITING_SIGNER */
    struct api_progress        progress;  /* of `request`, SESSION_AWAITING_ENGINE */
    _Alignas(16) uint8_t parser[];        /* http_parser_size() */
};

/*
 * The outcome of a request: of the current one, or of one that waits for its signer (`pending`; NULL = it may not
 * wait).
 */
struct request_context {
    struct api_write          write;
    struct http_answer        answer;
    struct request_timer      watch;
    struct pending_signature *pending;
    bool                      close;
};

/* A connection that may be gone when its turn comes. */
struct session_reference {
    uint32_t slot, generation;
};

struct gateway {
    struct gateway_shared           *shared;
    struct gateway_settings          settings;
    struct net                      *net;
    struct api                      *api;
    struct request_context          *contexts; /* API_PENDING_SIGNATURES for requests that wait, and one more */
    struct request_context          *current;  /* the request at hand: behind those that wait */
    struct session_reference         awaiting_signer[API_PENDING_SIGNATURES]; /* in the order in which they came */
    uint32_t                         awaiting_signer_count;
    struct session_reference        *timed; /* sessions that wait in AWAITING_SEQ or PACED, and some that are gone */
    uint32_t                         timed_count;
    bool                             groups_signatures;  /* several have their turn: requests may wait for others */
    struct out                       body;               /* of the request at hand, with HTTP_HEAD_ROOM in front */
    int64_t                          now_ms;             /* of the last request or reply, for its answer */
    struct http_date                 date;               /* of the last answer */
    char                            *held;               /* scratch of HELD_BYTES */
    uint32_t                        *dirty, dirty_count; /* slots with new replies */
    uint32_t                        *ready, ready_count; /* slots with input to be handled */
    uint32_t                        *turn;               /* those of this turn */
    uint8_t                         *classes;            /* likewise, enum overload_class */
    struct overload                  overload;
    bool                             leads;  /* the node took writes when the request at hand was looked at */
    bool                             faulty; /* there are rules of faults, or sessions that they left something with */
    struct session_reference        *disturbed; /* sessions with `faults`, and some that are gone */
    uint32_t                         disturbed_count;
    _Atomic(struct forward_answer *) forwarded; /* answers of the leader that have come, the last one first */
    struct stream                   *stream;
    struct pending_send             *pending_send; /* with new frames to send, a slot once at most */
    uint32_t                         pending_send_count;
    uint32_t                        *pending_send_at; /* by slot: its place in `pending_send`, from 1; 0 = not there */
    struct share                     share;           /* of its time, that may go to pushes */
    int64_t                          push_ns;         /* time taken by the push so far */
    uint64_t                         promised;        /* bytes of `replies` that writes in flight may need */
    uint32_t                         in_flight;       /* writes whose replies have not come */
    uint32_t                         pushed;          /* of them, those the engine has not been shown */
    bool                             announces;       /* it is one of shared->coming */
    bool                             wrote;           /* since it was so last: what came was a write indeed */
    _Atomic uint32_t                 connections;
    struct request_timer             watch; /* of the request at hand */
    struct io_counters              *counters;
    struct answer_time               answer_times[ANSWER_TIMES];
    uint32_t                         answer_time_count;
    struct ring                      writes, replies;
    struct event_queue               queue;
    uint64_t                         epoch; /* of the state that it has shown */
};

static inline struct http_parser *parser_of(struct session *session)
{
    return (struct http_parser *)(void *)session->parser;
}
static inline struct api_context gateway_now(const struct gateway *gateway) { return gateway_context(gateway->shared); }

/* A rule of faults shows another time to the request at hand; ahead by how much. */
void    gateway_skew(const struct net_conn *conn, struct api_context *context);
int64_t session_skew_ms(const struct session *session);

/* The context of a request: its connection's peer is part of it. */
static inline struct api_context session_context(struct gateway *gateway, const struct net_conn *conn)
{
    struct api_context context = gateway_now(gateway);

    if (gateway->faulty) gateway_skew(conn, &context);
    gateway->now_ms = context.now_ms;
    memcpy(context.peer.bytes, conn->address, sizeof(context.peer.bytes));
    return context;
}

/* It has input: its turn comes. */
static inline void session_ready(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (!session->ready) gateway->ready[gateway->ready_count++] = conn->slot;
    session->ready = true;
}

/* Another request, or an answer that was held, may be looked at. */
static inline bool session_may_read(const struct net_conn *conn)
{
    const struct session *session = conn->owner;

    return !conn->closing && session->state <= SESSION_AWAITING_REPLIES && session->count < PIPELINE_MAX
        && session->held == 0;
}

static inline void session_abort(struct gateway *gateway, struct net_conn *conn) { net_abort(gateway->net, conn); }

/* ---- requests ---- */

/* Goes on with a connection as far as it can: requests, answers, and at last the bytes. */
void session_run(struct gateway *gateway, struct net_conn *conn);
/*
 * Runs one turn of the connection. Records that it has a backlog before it runs, and clears that when no further input
 * is ready and no request waits for its signer.
 */
void session_take_turn(struct gateway *gateway, struct net_conn *conn);
/* Replies have been written: they are sent at once, and the peer's further input waits for its turn. */
void session_answered(struct gateway *gateway, struct net_conn *conn);
/* `request` is done. */
void session_end_request(struct gateway *gateway, struct net_conn *conn);
/*
 * A proxy keeps its connections for the requests of any client. One that a client holds, as a stream or with a body
 * that does not come, counts for him until the request is done. False: he has all that he may (ruling 76).
 */
bool session_count_client(struct gateway *gateway, struct net_conn *conn, const struct http_request *request) MUST_USE;
/* It is the proxy's again. */
void session_leave_client(struct gateway *gateway, struct net_conn *conn);
/* Recovers the signers that sessions wait for, all together, and continues the sessions in the order of arrival. */
void gateway_recover_signers(struct gateway *gateway);

/* ---- requests that wait for a command or the next millisecond ---- */

/*
 * Whether the request at hand waits, in SESSION_AWAITING_SEQ, for the command that it names. When it does not,
 * context->freshness says how it is answered.
 */
bool session_await_seq(struct gateway *gateway, struct net_conn *conn, struct api_context *context);
/* Whether the request at hand waits, in SESSION_PACED, behind one that weighed nothing (decision 307). */
bool session_pace(struct gateway *gateway, struct net_conn *conn);
/* Sessions whose command has been applied, or whose time is over, get their turn. */
void gateway_resume_timed(struct gateway *gateway);

/* ---- writes that another node takes ---- */

/*
 * A request that another node has passed on (X-Dojima-Forwarded) and that has the secret of the nodes: its client is
 * the one that the node names, who was charged there. Without the secret it is a request like any other.
 */
void request_trust_node(const struct gateway *gateway, const struct http_request *request, struct api_context *context);
/* Sends the request at hand to the leader, SESSION_AWAITING_LEADER; false: it has been answered. */
bool session_forward(struct gateway *gateway, struct net_conn *conn, const struct api_context *context);
/* Answers `request` of a session, of this route, with one of the 503s. */
void session_refuse_forward(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                            enum reject reject, uint16_t route, bool close);
/* Gives the leader's answers to their connections. */
void gateway_take_forwarded(struct gateway *gateway);
/* Drops those that are left. */
void gateway_drop_forwarded(struct gateway *gateway);

/* ---- answers ---- */

/* Writes an answer (body: gateway->body, or what it keeps), or holds it until the replies before it are there. */
void session_answer(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer);
/*
 * Sends head and body in one piece from where the body lies, with one call and no copy: the head is put into the room
 * in front of it. Nothing waits in the output. False: nothing is sent, because there is no room, or the head is longer.
 */
bool session_send_in_place(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer,
                           struct slice body) MUST_USE;
/* The header line with the time of an answer. */
struct slice gateway_date(struct gateway *gateway);
/*
 * Answers a request of a new node for a copy of this one's files: true. False: it is another request. Only with
 * X-Dojima-Forwarded.
 */
bool session_copy(struct gateway *gateway, struct net_conn *conn, const struct http_request *request,
                  const struct api_context *context);
/* Answers a request that cannot be read on, and reads no other. */
void session_refuse(struct gateway *gateway, struct net_conn *conn, enum reject reject);
/* The turn of an answer that was held has come: true when there was one, and with it a reason to read on. */
bool session_release_answer(struct net_conn *conn);

/* ---- writes ---- */

/* Classes of the session's requests that are refused unread, a bit each: no room for them, or too old. */
uint32_t write_sheds(struct gateway *gateway, const struct session *session, const struct http_request *request);
/* Sends the write at hand; false when there is no room for it. */
bool write_send(struct gateway *gateway, struct net_conn *conn, bool close);
/* Goes on with a JSON-RPC request: true when its next command is on its way, else its answer is ready. */
bool session_resume_request(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                            const struct api_result *result, bool close, struct http_answer *answer);
/* Wakes the engine for the write at hand, whose signer is not recovered yet, when it may sleep and nothing else comes.
 */
void writes_announce(struct gateway *gateway, const struct http_request *request);
/* The turn ends: what was announced has been shown, or was refused. */
void writes_announced(struct gateway *gateway);
/* Shows the engine what was sent, when there is so much of it. */
void writes_show(struct gateway *gateway, uint32_t enough);

/* ---- replies ---- */

/* Takes all replies that are there, and continues with their connections. */
void gateway_take_replies(struct gateway *gateway);

/* ---- rules of faults: of development alone, and nothing of it is called while gateway->faulty is false ---- */

/* Whether there is anything to ask; at the beginning of each turn. */
void gateway_look_for_faults(struct gateway *gateway);
/* What was delayed and is due goes on. */
void gateway_run_faults(struct gateway *gateway);
/* What rules know of a session; NULL: no memory, and nothing happens to it. */
struct session_faults *session_faults(struct gateway *gateway, struct net_conn *conn);
void                   session_forget_faults(struct session *session);

/*
 * Asks the rules about `request`, once, and lets it wait. True: it is not to be handled now; it waits in
 * SESSION_AWAITING_TIME, has been refused, or its connection was reset.
 */
bool session_is_disturbed(struct gateway *gateway, struct net_conn *conn);
/* The answer to the request at hand is in the output from `from` on: it leaves with a header, later, or not at all. */
void session_disturb_answer(struct gateway *gateway, struct net_conn *conn, size_t from);

/* Bytes have come; and the first of the input were consumed. */
void session_note_arrival(struct gateway *gateway, struct net_conn *conn);
void session_forget_arrivals(struct session *session, uint32_t bytes);
/* When the last of these bytes of the input came. */
int64_t session_arrived_ms(const struct session *session, uint32_t bytes, int64_t now_ms);

/* Answers or messages of the session wait to leave. */
bool               session_has_late(const struct session *session);
static inline bool session_is_late(const struct session *session)
{
    return session->faults != NULL && session_has_late(session);
}
/* Takes what stands in the output from `from` on, to send it at that time and behind what waits already. */
void session_send_later(struct gateway *gateway, struct net_conn *conn, size_t from, int64_t due_ms);

/* struct stream_owner, `fate`. */
enum stream_fate gateway_stream_fate(void *self, uint32_t slot, struct stream_about *about);
/* A frame that leaves later: true, and *fine as gateway_stream_send returns it. */
bool session_sends_late(struct gateway *gateway, struct net_conn *conn, struct slice frames, size_t most, bool *fine);
/* Ends the stream behind the messages that wait. False: none wait, so the caller ends it. */
bool session_ends_late(struct session *session);
/* Ends a stream without a close frame, behind the messages before. */
void gateway_stream_cut(struct gateway *gateway, struct net_conn *conn);
/* How many bytes of a stream's input have arrived by now, after the latency of a rule. */
uint32_t session_arrived_input(struct gateway *gateway, struct net_conn *conn);

/* ---- turns ---- */

/* Serves every ready connection once; one that becomes ready meanwhile is served in the next turn. */
void gateway_turned(struct gateway *gateway);

/* ---- streams ---- */

/* A request to switch protocols: true when it was for a stream; it has become one or been refused with a reason. */
bool session_upgrade(struct gateway *gateway, struct net_conn *conn, const struct http_request *request,
                     const struct api_context *context);
/* Frames of a client; its half of the connection may also have ended. */
void session_read_stream(struct gateway *gateway, struct net_conn *conn);
/* Pushes new events to subscribers, between two requests if need be, and soon if not now. */
void gateway_push_streams(struct gateway *gateway);
/* Sends pending messages; a subscriber that has caught up gets the ones it missed. */
void gateway_flush_streams(struct gateway *gateway);
/* The connection of a slot is closed, and its pending messages are dropped. */
void gateway_drop_stream(struct gateway *gateway, uint32_t slot);
/* Says what time it is. */
void gateway_set_stream_time(struct gateway *gateway);
/* struct stream_owner. */
bool gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most);
bool gateway_stream_share(void *self, uint32_t slot, struct slice frame, size_t most);
void gateway_stream_settle(void *self);
void gateway_stream_finish(void *self, uint32_t slot);

#endif
