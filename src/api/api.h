/* SPDX-License-Identifier: MIT */
/*
 * api.h — the interface as rows: an HTTP request becomes an answer from the views, or a command with
 * its proof; a command's results become the reply. No sockets, no clock, no state of its own but
 * caches; every function may run on any I/O thread with that thread's own struct api.
 */
#ifndef API_API_H
#define API_API_H

#include "crypto/crypto.h"
#include "limits/limiter.h"
#include "log/position.h"
#include "model/operator.h"
#include "model/transaction.h"
#include "rules/hints.h"
#include "views/views.h"
#include "wire/http.h"
#include "wire/shape.h"

#define API_ANSWER_BYTES_MAX (2 * 1024 * 1024) /* the largest answer: 1000 open orders, 1000 levels a side */

struct api_settings {
    bool                 development; /* errors explain refused signatures; both upstream chain ids */
    bool                 open_to_all; /* development: every peer may do what a developer does here (decision 924) */
    bool                 allow_public_chain_ids; /* production may accept 286623 and 138565 (ruling 8) */
    bool                 rpc_legacy;             /* transactions are shown as type 0x0, for clients that refuse 0x53 */
    bool                 strict_key_header; /* actions need X-API-Key (wire 7.1 row 1); without it ruling 7 holds */
    bool                 strict_decimals;   /* a body's decimals end in no zeros (wire 7.1 row 3); else ruling 5 */
    int64_t              faucet[COINS_MAX]; /* amount of a coin from the faucet, its units; 0 = none */
    struct operator_keys operators;         /* addresses that must confirm operator commands; none = no confirmation */
    /* addresses that may read /metrics; its `header` is not used. count 0 = this machine */
    struct proxies metrics_readers;
};

/* How full the pools of the engine are, by enum limit_pool; written by the engine's thread. */
struct api_pools {
    _Atomic uint64_t used[LIMITS], places[LIMITS];
};

/*
 * Whether all that precedes a redemption is checked a second time, so that the money may go (decision 243); waits a
 * moment for it. `command` is the hash of its canonical form: asked for again, it waits for no more than the first
 * time. Any thread.
 */
struct api_second_check {
    void *self;
    bool (*has_passed)(void *self, const struct hash256 *command);
};

/*
 * The log, for readers of a transaction's text. Reads the batch at a position (struct history_block) into `room` and
 * passes its commands in order, until `take` returns false. 0, or errno (EUCLEAN: no whole batch; ENODATA: the log was
 * trimmed).
 */
typedef bool api_take_command(void *context, const struct command *command, struct slice signed_bytes,
                              const uint8_t signature[65]);
struct api_log {
    void *self;
    int (*read)(void *self, const struct log_position_short *position, void *room, size_t cap, api_take_command *take,
                void *context);
};

/*
 * Whether a signed command cannot pass any more because of its nonce, by all that has been applied; *refused is then
 * the engine's refusal. It keeps in mind what it was asked, so a command that passes is to be sent. Any thread.
 */
struct api_nonces {
    void *self;
    bool (*refuse)(void *self, const struct command *command, struct refused *refused);
};

/* Writes /metrics; `api` is the calling thread's. */
struct api;
struct api_metrics {
    void *self;
    void (*write)(void *self, const struct api *api, struct out *out);
};

/* Tables of the server that are no pools of the engine, as members
   of a JSON array, {"name":…,"used":…,"value":…} each. */
struct api_tables {
    void *self;
    void (*write)(void *self, struct out *out);
};

/*
 * What this node is among those that share its log, for /readyz; `leader` is room for its URL. age_ms: for how long
 * this node has not known that it is up to date. Above the limit it is not ready (decision 162), which is above the 15
 * s in which the database is to have another primary.
 */
#define READY_AGE_MAX_MS 30000
struct ready_record;
struct api_node {
    void *self;
    void (*look)(void *self, struct ready_record *record, char leader[256]);
    int64_t (*age_ms)(void *self);
};

/* The snapshots of a development exchange, as JSON objects of an array. */
struct api_snapshots {
    void *self;
    void (*list)(void *self, struct out *out);
    /* All that led to the present, as a JSON string of hex digits; false: it does not fit into the answer. */
    bool (*dump)(void *self, struct out *out);
    /* Takes such bytes for an ADVANCE_LOAD that follows. NULL, or why they are of no use. */
    const char *(*load)(void *self, struct slice bytes);
};

struct block_header;
struct rate_limit_record;
struct chaos;
struct history;

struct impersonation;
struct scenarios;
struct terminal;

/* Shared by all threads, read only. */
struct api_shared {
    const struct genesis      *genesis;
    struct views              *views;
    struct history            *history;
    struct api_settings        settings;
    struct slice               version; /* "0.1.0" */
    const struct api_log      *log;
    const struct block_header *block0; /* the genesis */
    struct slice public_accounts;      /* development: [accountID, address, privateKey] as JSON objects, for /docs */
    const _Atomic uint64_t   *oracle_seqs;   /* last seq of each feeder of the genesis */
    const struct api_metrics *metrics;       /* NULL = there is no /metrics */
    const struct api_nonces  *nonces;        /* NULL = only the engine looks at them */
    struct limiter           *limiter;       /* shared and written by all threads; NULL = no limits */
    const struct api_pools   *pools;         /* NULL = left out */
    const struct api_tables  *tables;        /* likewise */
    const struct api_node    *node;          /* NULL = the log is this node's own */
    struct chaos             *chaos;         /* rules of faults, likewise written by all; NULL = none, as outside dev */
    struct impersonation     *impersonation; /* written by all threads; NULL = there is none, outside development */
    const struct api_second_check *second_check; /* NULL = signatures are not checked again */
    const struct api_snapshots    *snapshots;    /* NULL = the log cannot go back */
    struct scenarios              *scenarios;    /* written by all threads; NULL = there are none, outside dev */
    struct terminal               *terminal;     /* files for browsers (api/terminal.h); NULL = none are served */
};

/* The contract of this program, the text of GET /openapi.json, without an exchange. From one thread. */
void api_write_contract(struct out *out, struct slice version);

size_t api_size(const struct api_shared *shared);
/* `shared` has its genesis, views and history by then; the rest of it may follow. */
struct api *api_init(void *memory, const struct api_shared *shared);

/* Another state stands where the old one was, perhaps elsewhere in memory: nothing that is kept is of use. */
void api_forget(struct api *api);

/* The thread's state for making records (present/present.h); its streams use the same. */
struct present;
struct present *api_present(struct api *api);

struct endpoint; /* a row of api/endpoints.c */

enum api_outcome {
    API_ANSWER,           /* *answer and the bytes in `body` are the reply */
    API_COMMAND,          /* *write goes to the sequencer; the reply comes later */
    API_AWAITS_SIGNATURE, /* waits for its signer: only of api_begin */
    API_FORWARD,          /* a write, and this node does not lead: it goes to the leader as it is */
};

/* Applied commands of one JSON-RPC request, and the result of each, as members of its answer. */
#define API_COMMANDS_MAX 8
struct api_progress {
    uint64_t seq; /* of the last one that is in the log; 0 = none is */
    uint32_t count;
    /* of a method that makes several commands one after the other (api/node/rpc_money.c) */
    int64_t  amount;
    uint8_t  stage;
    bool     grows;
    uint16_t len[API_COMMANDS_MAX];
    char     text[API_COMMANDS_MAX][256];
};

/* A write on its way to the log. */
struct api_write {
    const struct endpoint *endpoint;     /* needed again by api_reply */
    struct command_room    room;         /* room.head.bytes of it are used */
    struct slice           signed_bytes; /* in the api's own memory, good until the next call */
    struct signature       signature;
    struct hints           hints;       /* of a signed batch, hints_bytes of it; for the engine (rules/hints.h) */
    uint32_t               hints_bytes; /* 0 = none */
    bool                   alone;       /* of a JSON-RPC request: api_resume, not api_reply, goes on with it,
                                         * nothing behind it is read until then, and `progress` is kept */
    struct api_progress progress;
    uint8_t class;             /* enum overload_class */
    bool         warn_foreign; /* development: a stranger signed for a public chain id */
    uint8_t      advance_kind; /* enum advance_kind: how `offset_ms` of an ADVANCE_TIME is meant */
    struct quota quota;        /* of the API key, for the reply's headers; limit 0 = not counted */
};

/*
 * The request of an ADVANCE_TIME. Only the sequencer knows the offset that holds when the command is judged, so it
 * writes the payload and the signed bytes itself: a new absolute offset. The kinds behind ADVANCE_TO ask for something
 * that is no command of the log; the engine's thread does it when everything before it has been applied.
 */
enum advance_kind {
    ADVANCE_NONE = 0,
    ADVANCE_BY,    /* payload.offset_ms more than until then */
    ADVANCE_TO,    /* the next block has exactly the engine time payload.offset_ms */
    ADVANCE_TRY,   /* the command is applied to a copy of the engine; the reply is that of the copy */
    ADVANCE_CLOCK, /* the clock runs at the rate payload.offset_ms from now on, in millionths (model/clock_rate.h), or
                    * CLOCK_RATE_FIRST */
    /* those below are judged by pipeline/revert.c; the payload is a struct revert that has a number or a name */
    ADVANCE_SAVE,   /* a snapshot */
    ADVANCE_REVERT, /* back to one */
    ADVANCE_RESET,  /* back to the beginning of the log */
    ADVANCE_LOAD,   /* likewise, and then what api_snapshots.load was given */
};

/*
 * Progress of a request, for an owner with a clock: it is parsed (and its body read); then, if signed, its signer is
 * known. Reported in this order, each at most once, and not for a request that ended before.
 */
enum api_step { API_PARSED, API_VERIFIED };
struct api_watch {
    void (*reached)(struct api_watch *watch, enum api_step step);
};

/*
 * The state of the server at the call. now_ms: engine time now, max(last command, clock + offset), for timestamps; the
 * early check of the nonce window removes the offset again (rulings 9, 40, 44).
 */
struct api_context {
    struct api_watch *watch; /* called with the progress of a request; NULL = none */
    int64_t           now_ms;
    bool              ready;     /* replay finished, log healthy (/readyz) */
    int64_t           offset_ms; /* development: engine time runs ahead of the clock */
    struct ip         peer;      /* the connected peer; a proxy may name another client */
    uint32_t          shed;      /* classes that are sent away: bit 1 << enum overload_class; only api_handle looks */
    int64_t *weightless_ms;      /* of the connection: a request without weight notes its time, and the owner lets what
                                    follows it wait for the next millisecond (decision 307). NULL = not noted */
    int64_t  mono_ms;            /* now, on the clock of that */
    uint32_t second;             /* of a clock that does not go back, and the offset: for rolling minutes */
    uint64_t applied_seq;        /* last command that reads show; set when the answer is that it is too old */
    uint8_t  freshness;          /* enum api_freshness */
    bool     forwards;           /* another node leads: a write becomes API_FORWARD */
    bool     forwarded;          /* another node passed the request on: `peer` is the client, whom that node charged */
};

/* Whether the reads of this node show the command that X-Dojima-Min-Seq names. */
enum api_freshness { FRESH = 0, FRESH_TOO_LATE, FRESH_MALFORMED };

/*
 * The command that a request wants to see, of its header X-Dojima-Min-Seq. FRESH_MALFORMED: the header is no number or
 * stands twice. Signed writes name none, because the leader has applied all that is answered: *seq is 0 then.
 */
enum api_freshness api_min_seq(const struct http_request *request, uint64_t *seq);

/*
 * Handles one complete request. Answers are written into `body` (at least API_ANSWER_BYTES_MAX);
 * for API_COMMAND `write` is filled. The checks of a write run in the order of process 2.
 */
enum api_outcome api_handle(struct api *api, const struct api_context *context, const struct http_request *request,
                            struct api_write *write, struct http_answer *answer, struct out *body);

/*
 * The same in two parts, for many requests at once: the signers of all that wait are recovered together
 * (recover_signers), which for many takes a fifth of the time. A request waits in `pending`, which is the caller's,
 * when it has passed every check before its signature: API_AWAITS_SIGNATURE. Memory that it points to must stay until
 * api_signature_done decides it, by the checks behind the signature in their order. Any other request is handled at
 * once, and `pending` is free.
 */
struct pending_signature; /* memory of pending_signature_size() bytes, aligned to 64 */
size_t           pending_signature_size(void);
enum api_outcome api_begin(struct api *api, const struct api_context *context, const struct http_request *request,
                           struct api_write *write, struct http_answer *answer, struct out *body,
                           struct pending_signature *pending);
/* Recovers the signers of 1 to API_PENDING_SIGNATURES requests, all of which wait. */
#define API_PENDING_SIGNATURES 32
void             api_recover(struct pending_signature *const waiting[], uint32_t count);
enum api_outcome api_signature_done(struct pending_signature *pending);

/*
 * The outcome of a write: its events, only those of kinds REFUSED and RESULT, for a change of leverage its LEVERAGE,
 * and its transaction.
 */
struct api_result {
    struct events      events;
    bool               is_transaction;
    struct tx_location place;      /* hash, block, index when is_transaction */
    uint64_t           seq;        /* of the command in the log; 0 = it is not there */
    struct quota       quota;      /* as api_write had it */
    char               extra[320]; /* room for the X-Chain-*, X-Dojima-Seq and X-RateLimit-* header lines */
};
void api_reply(struct api *api, const struct api_context *context, const struct endpoint *endpoint,
               struct api_result *result, struct http_answer *answer, struct out *body);

/*
 * Continues a JSON-RPC request whose command has become durable (result), or could not be sent (NULL). `request` is
 * still the one given to api_handle, write->progress the one that it filled in. API_COMMAND: the next command.
 */
enum api_outcome api_resume(struct api *api, const struct api_context *context, const struct http_request *request,
                            const struct api_result *result, struct api_write *write, struct http_answer *answer,
                            struct out *body);

/* May this request be handled before the writes that were sent before it are answered? */
bool api_may_overtake(const struct http_request *request);

/*
 * One line of the administration socket (ruling 49): {"type":…,"params":…}, or {"type":"describe"}, {"type":"pools"}.
 * The answer is one JSON envelope in `answer`; for API_COMMAND `write` is filled, write->signed_bytes names the request
 * again in api_operator_reply.
 */
#define API_OPERATOR_BYTES 8192

/*
 * A line of the administration socket, for the audit log. Slices are valid as long as write->signed_bytes. `command`
 * is canonical and never has the signature; it is empty when the line was not understood.
 */
struct api_said {
    bool                       only_looks; /* the request changes nothing */
    enum reject                reject;     /* of an answer: why it was refused */
    struct slice               command;
    const char                *text;      /* of an answer: the same in words */
    const struct operator_key *confirmed; /* address of the second signature; NULL = none */
    struct address             stranger;  /* address that signed without the right to; zeros = none */
};
enum api_outcome api_operator(struct api *api, const struct api_context *context, struct slice line,
                              struct api_write *write, struct api_said *said, struct out *answer);

/* The answer to an operator whose command cannot be taken now. */
void api_operator_refuse(const struct api_context *context, enum reject reject, struct out *answer);
/* The answer of a node that follows the one with this URL. */
void api_operator_elsewhere(const struct api_context *context, const char *leader, struct out *answer);

/*
 * The type that an operator may ask for with this number, counted from 0, and the shape of its params; NULL behind the
 * last. In the order of model/command_rows.h.
 */
const char *api_operator_offered(size_t index, const struct shape **shape);

/*
 * The text that the second person signs: {"type":…,"params":…} in canonical form into `canonical`, and the operator's
 * id in it (in `id`, OPERATOR_ID_MAX bytes). False: it is no operator command, and *error names the fault.
 */
bool api_operator_canonical(struct slice text, struct out *canonical, char id[OPERATOR_ID_MAX + 1],
                            struct shape_error *error);

/* The digest of that on an exchange with this chain id. */
struct hash256 api_operator_digest(uint64_t chain_id, struct slice id, struct slice canonical);
/* The engine's verdict, REJECT_NONE when it was applied. */
enum reject api_operator_reply(const struct api_context *context, struct slice input, const struct api_result *result,
                               struct out *answer);

/*
 * Decodes the signed bytes of an operator command again, for dojima verify. False: they are none. Only head.kind,
 * head.bytes and the payload of `room` are filled.
 */
bool api_operator_read(const struct genesis *genesis, struct slice bytes, struct command_room *room);

/* Decodes the body of a feeder's post again, for dojima verify; false: it is none. */
bool api_oracle_read(const struct genesis *genesis, struct slice body, struct oracle_post *post);

/* An error envelope: transport conditions of the gateway (rulings 1, 34) and shedding. */
void api_error(const struct api_context *context, enum reject reject, struct http_answer *answer, struct out *body);

/* ---- rules of faults (about.c) ---- */

/*
 * Whose request it is, as far as its text says, before anything is checked: of a write the accountID of its body, of a
 * read that of its query and the address in its path; the one is looked up by the other. 0 and false: it does not say.
 */
struct api_about {
    uint64_t       account_id;
    bool           has_owner;
    struct address owner;
};
void api_about(const struct api_shared *shared, const struct http_request *request, struct api_about *about);
/* A refusal that a rule of faults demands; `wait` in seconds, of REJECT_RATE_LIMIT. */
void api_refuse(struct api *api, const struct api_context *context, enum reject reject, uint32_t wait,
                struct http_answer *answer, struct out *body);

/* ---- streams (upgrade.c) ---- */

/* The market of /ws/spot and /ws/perps, 0 for any other path. */
uint8_t api_stream_market(struct slice path);
/* Behind a trusted proxy the client that it names, else the connected peer. */
struct ip api_client(const struct api_shared *shared, const struct ip *peer, const struct http_request *request);
/*
 * Whether this request, which has an Upgrade header, may become a stream: REJECT_NONE, or why not. It weighs nothing
 * itself, because streams of an address are counted (wire 5.3).
 */
enum reject api_upgrade(const struct api_context *context, const struct http_request *request);
/*
 * Answers such a request that became none, which weighs as one without a row (ruling 53): the reject that *answer and
 * `body` have is this one, or REJECT_RATE_LIMIT where no weight is left.
 */
enum reject api_refuse_upgrade(struct api *api, const struct api_context *context, const struct http_request *request,
                               enum reject reject, struct api_write *write, struct http_answer *answer,
                               struct out *body);
/* The same where the address has too many streams already (wire 5.3): it weighs nothing. */
enum reject api_too_many_streams(struct api *api, const struct api_context *context, const struct http_request *request,
                                 const struct rate_limit_record *limited, struct api_write *write,
                                 struct http_answer *answer, struct out *body);

/* ---- for counters ---- */

/* Routes: a row of the endpoint table on one of its bases. A request without a row has the number API_ROUTES_MAX. */
#define API_ROUTES_MAX 160
struct api_route {
    const char *method, *base, *path;
};
uint32_t         api_route_count(const struct api *api);
struct api_route api_route(const struct api *api, uint32_t route);

/*
 * The class under overload (enum overload_class) of the request that begins with these bytes, from the row of its
 * endpoint. Only for the order of handling: a request without a row, or with an incomplete target, is a read.
 */
uint8_t api_class(const struct api *api, struct slice bytes);

/* The limit that refused. */
enum api_limit { LIMIT_NONE, LIMIT_ADDRESS, LIMIT_ORDERS, LIMIT_KEY_MINUTE, LIMIT_KEY_MONTH, API_LIMITS };
extern const char *const api_limit_names[API_LIMITS];

/* The final outcome of the request (api_handle, api_resume) or the reply (api_reply: `route` is not known). */
struct api_noted {
    uint16_t route, reject;
    uint8_t  limit;
}; /* enum reject, enum api_limit */
struct api_noted api_noted(const struct api *api);

#endif
