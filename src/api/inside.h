/* SPDX-License-Identifier: MIT */
/*
 * inside.h — the form of an interface row, and the state of a request on its way through this room. For the files of
 * api/ and for tools/apidoc.c, which prints the rows.
 */
#ifndef API_INSIDE_H
#define API_INSIDE_H

#include "api/answer_cache.h"
#include "api/api.h"
#include "base/chained.h"
#include "crypto/chain.h"
#include "limits/limiter.h"
#include "present/account_perps.h"
#include "present/fee_rates.h"
#include "present/records.h"
#include "wire/frame.h"
#include "wire/plain.h"

/* ---- rows ---- */

enum base { BASE_NONE, BASE_GATEWAY, BASE_SPOT, BASE_PERPS, BASE_COUNT };
extern const char *const base_path[BASE_COUNT]; /* "", "/api/v1", "/api/v1/spot", … */

/* A row may serve several bases: a bit each. */
/* clang-format off */
enum bases {
    BASES_NONE = 1 << BASE_NONE, BASES_GATEWAY = 1 << BASE_GATEWAY, BASES_SPOT = 1 << BASE_SPOT,
        BASES_PERPS = 1 << BASE_PERPS,
    BASES_BOTH = BASES_SPOT | BASES_PERPS,
};
/* clang-format on */

/* The market a base is about; 0 = none. */
static inline uint8_t base_market(uint8_t base)
{
    return base == BASE_SPOT ? (uint8_t)MARKET_SPOT : base == BASE_PERPS ? (uint8_t)MARKET_PERPS : 0;
}

/* Cost of a request in the rolling minute (wire 5.1, ruling 53). */
#define WEIGHT_UNLISTED 20 /* paths and methods that are no row */
enum weight_kind {
    WEIGHT_FIXED,   /* `weight` */
    WEIGHT_BOOK,    /* 5, 10 above 100 levels, 20 above 500 */
    WEIGHT_ROWS,    /* `weight`, and one more per 20 rows after the answer */
    WEIGHT_BATCH,   /* `weight`, and one more per 40 items */
    WEIGHT_CALLS,   /* `weight` for each call of a JSON-RPC body (rpc_call_count) */
    WEIGHT_METRICS, /* nothing for those who may read our metrics, `weight` for others */
};

struct call;

struct endpoint {
    uint8_t method, bases, weight_kind, weight;   /* bases: a set of enum bases */
    uint8_t command;                              /* enum command_kind of a signed write, 0 for a read */
    uint8_t class, sender;                        /* enum overload_class; enum command_sender of a signed write */
    bool                gives_list;               /* data is an array of `gives` */
    uint16_t            limit_default, limit_max; /* of the parameter `limit`, 0 = there is none */
    const char         *path;                     /* behind the base; {…} is a parameter */
    const struct shape *takes, *gives;            /* query of a read, data; NULL = none */
    void (*answer)(struct call *call);            /* reads */
    const char *name, *doc;
    const char *content_type; /* of an answer without envelope; NULL = it has one */
};
extern const struct endpoint endpoints[];
extern const uint32_t        endpoint_count;

/* The body of a write, or the query of a read; NULL = none. */
static inline const struct shape *endpoint_takes(const struct endpoint *row)
{
    return row->command != 0 ? command_row(row->command)->shape : row->takes;
}

/* A write's "type" in the signed payload (wire 2.1); NULL for a read. */
static inline const char *endpoint_type(const struct endpoint *row) { return command_row(row->command)->name; }

/* Paths of other generations of this interface, and where to go instead (ruling 58). */
struct redirect_target {
    uint8_t     base;
    const char *path, *text;
};
extern const struct redirect_target redirect_targets[];
extern const uint32_t               redirect_target_count;

/* ---- routes ---- */

#define SEGMENTS_MAX 6
#define ROUTES_MAX   API_ROUTES_MAX
struct path {
    uint8_t      base;
    uint32_t     count;
    struct slice segments[SEGMENTS_MAX];
};
struct route {
    struct path path;
    uint32_t    next; /* in its chain */
    uint8_t     row;  /* index into endpoints */
};
struct routes {
    const struct endpoint *rows; /* endpoints */
    uint32_t               row_count;
    struct chained         table;
    uint32_t               heads[256];
    struct route           at[1 + ROUTES_MAX];             /* from 1, one per row and base */
    uint8_t                number[ROUTES_MAX][BASE_COUNT]; /* by row and base: its place in `at` */
    int8_t                 parameter[ROUTES_MAX];          /* by row: which segment is its parameter, -1 = none */
};
void routes_init(struct routes *routes, const struct endpoint *rows, uint32_t row_count);

/* Splits a request path; false when it has too many segments to be one of ours. */
bool path_split(struct slice text, struct path *path);

/* The first row of this path, and the next one (other methods); NULL at the end. Literals compare exactly. */
const struct endpoint *route_first(const struct routes *routes, const struct path *path);
const struct endpoint *route_next(const struct routes *routes, const struct path *path, const struct endpoint *row);

/* The row of a path and a method, HEAD being GET; NULL when there is none. */
const struct endpoint *route_find(const struct routes *routes, const struct path *path, uint8_t method);
/* The same from the first row of the path on. */
const struct endpoint *route_of_method(const struct routes *routes, const struct path *path, const struct endpoint *row,
                                       uint8_t method);

/* api_class. */
uint8_t route_class(const struct routes *routes, struct slice bytes);

/* The number of the route of a row on a base. */
uint32_t route_number(const struct routes *routes, const struct endpoint *row, uint8_t base);

/* Which segment of a row's path is its parameter; -1 when none. */
int route_parameter(const struct routes *routes, const struct endpoint *row);

/* Undoes %XX into `into`, where there is any; false on a broken escape, a zero byte or when it does not fit. */
bool percent_decode(struct slice text, char *into, size_t cap, struct slice *decoded);

/* ---- failures ---- */

struct failure {
    enum reject              reject;                       /* REJECT_NONE = none */
    const char              *text;                         /* instead of the row's text; NULL = the row's */
    uint8_t                  limit;                        /* enum api_limit, of REJECT_RATE_LIMIT */
    struct details_record    details;                      /* rule and field default to the row's */
    struct rate_limit_record limited;                      /* instead of details, of REJECT_RATE_LIMIT */
    char                     got[64], field[64], need[96]; /* room for texts that are put together */
};

/* Notes what is wrong; `field` and `got` are copied, cut and made printable; both may be empty. */
void fail(struct failure *failure, enum reject reject, struct slice field, struct slice got);
/* The same with a number as the value sent. */
void fail_number(struct failure *failure, enum reject reject, struct slice field, uint64_t got);
/* The same from an error of the shape reader. */
void fail_shape(struct failure *failure, const struct shape_error *error);

void envelope_begin(struct out *out, int64_t now_ms); /* {"code":0,"timestamp":N,"data": */
void envelope_end(struct out *out);
void envelope_error(struct out *out, int64_t now_ms, const struct failure *failure);

/* "0x" and the shortest hex form of a number. */
void out_quantity(struct out *out, uint64_t value);

/* ---- one request ---- */

#define BOOK_LIMIT_MAX     1000
#define HISTORY_LIMIT_MAX  1000
#define KEYS_SHOWN_MAX     1024 /* of a user; at most 5 per account */
#define ACCOUNTS_SHOWN_MAX 4096 /* of a user */

union query {
    struct symbol_query         symbol;
    struct coin_query           coin;
    struct limit_query          limit;
    struct kline_query          kline;
    struct account_query        account;
    struct account_symbol_query account_symbol;
    struct history_page_query   page;
    struct account_name_query   account_name;
    struct open_query           open;
    struct market_symbol_query  market_symbol;
    struct receipts_query       receipts;
    struct ranking_query        ranking;
};

/* The charge of a request in the rolling minute, as far as it can be given back. */
struct charge {
    struct minute_key key;
    uint32_t          second, weight;
};

struct call {
    struct api                *api;
    const struct api_context  *context;
    const struct http_request *request;
    const struct endpoint     *endpoint;
    uint8_t                    base, market; /* of the path; market 0 = of none */
    struct slice               parameter;    /* decoded, of the path */
    union query                query;
    struct http_answer        *answer;
    struct out                *body;
    uint32_t                   rows; /* written by call_row */
    struct failure             failure;
    struct api_write          *write;      /* for what the request may become */
    bool                       resumed;    /* JSON-RPC: its command is durable, or could not be sent */
    bool                       is_command; /* JSON-RPC: `write` is to be sent */
    bool                       is_forward; /* JSON-RPC: it has a command, and another node leads */
    bool                       overloaded; /* its class is refused: it is not charged */
    bool                       tries;      /* the request is explained and not done: it is charged nowhere */
    const struct api_result   *result;     /* resumed: the outcome of the command; NULL = not sent */
    struct charge              charge;
    struct quota               quota;   /* of the API key; limit 0 = not counted */
    struct pending_signature  *pending; /* where it may wait for its signer (pending_signature.c); NULL = it may not */
    bool                       waits;   /* which it does */
    bool                       plain;   /* its body is plain (wire/plain.h) */
};

/* Reports the progress of the request. */
static inline void call_reached(const struct call *call, enum api_step step)
{
    struct api_watch *watch = call->context->watch;

    if (watch != NULL) watch->reached(watch, step);
}

/* Writes data that is one record. */
void call_record(struct call *call, const void *record);

/* Writes data that is an array: begin, each row, end. */
void call_rows_begin(struct call *call);
void call_rows_end(struct call *call);
void call_row(struct call *call, const void *record);

/* Whether a development exchange has the request from this machine: no proxy between, and no page of another site. */
bool call_is_developers(const struct call *call);

/* Decodes the parameter of the endpoint's path. False after fail(). */
bool call_read_path(struct call *call, const struct path *path);

/* Compiles what the results of writes are written by. */
void reply_init(struct api *api);

/* The failure of a command that the engine refuses for its nonce (ruling 35). */
void fail_used_nonce(const struct api *api, const struct api_context *context, const struct refused *refused,
                     struct failure *failure);

/* X-Dojima-Seq, the number of a command in the log; nothing for 0. */
void seq_line(uint64_t seq, struct out *out);

/* ---- what a thread keeps ---- */

#define BOOK_SLOTS 64
#define BOOK_BYTES (96 * 1024) /* 1000 levels a side, encoded */
struct book_slot {
    uint64_t version;
    uint32_t epoch; /* of api.books_epoch; another one: empty */
    uint32_t symbol_id, limit, len, market;
    char     head[KEPT_HEAD]; /* room for head and envelope, right before the encoding */
    char     bytes[BOOK_BYTES];
};
static_assert(offsetof(struct book_slot, bytes) == offsetof(struct book_slot, head) + KEPT_HEAD, "they are one piece");

/* Memory for the chain node: one block, one batch of the log, one receipt. */
#define RPC_TXS_MAX     16384
#define RPC_EFFECTS_MAX 2048
struct rpc_room {
    struct history_transacted txs[RPC_TXS_MAX];
    union history_effect      effects[RPC_EFFECTS_MAX];
    _Alignas(8) uint8_t log[1024 * 1024 + 8192];
};

/* Memory for a page of ended orders and positions of the perps side. */
union perps_page {
    struct perps_order_changed orders[HISTORY_LIMIT_MAX];
    struct position_changed    positions[HISTORY_LIMIT_MAX];
    struct funded              fundings[HISTORY_LIMIT_MAX];
};

/* Room for receipts of liquidations and the insurance fund. */
#define RECEIPTS_SHOWN_MAX 200
#define RANKS_SHOWN_MAX    1000
struct receipts {
    struct history_receipt    rows[RECEIPTS_SHOWN_MAX];
    struct receipt_room       room;
    struct adl_ranked         ranks[RANKS_SHOWN_MAX];
    struct fund_symbol_record fund_symbols[PERPS_MAX];
    struct fund_day_record    fund_days[FUND_DAYS_MAX];
};

#define DONE_FIELDS_MAX  8 /* of result_shape, without those of a refusal */
#define SIGNED_BYTES_MAX (HTTP_BODY_MAX + 512)
/* The answer to requests refused in a millisecond. */
struct redirect {
    int64_t now_ms;
    size_t  len;
    char    text[512];
};

struct api {
    const struct api_shared *shared;
    struct api_noted         noted;
    struct routes            routes;
    struct hint_tables       hint_tables;
    uint32_t                 chain_count;
    uint64_t                 chain_ids[CHAIN_IDS_MAX];
    struct hash256           separators[DOMAIN_ORACLE + 1][CHAIN_IDS_MAX]; /* by enum domain */
    struct row_forms         forms;
    const struct row_form   *gives[ROUTES_MAX]; /* by row of the endpoint table; NULL = it gives none */
    const struct row_form   *book_form;
    const struct row_form   *done_form; /* of done_shape: the rows of result_shape that an item has that was done */
    struct shape             done_shape;
    struct field             done_fields[DONE_FIELDS_MAX];
    struct plain_forms       plain_forms;
    const struct plain_form *takes[ROUTES_MAX]; /* of writes, by row of the endpoint table; NULL = no body is plain */
    char                     extra[1280];       /* header lines of the current answer */
    char                     parameter[256];
    struct redirect          redirect[2]; /* reads; commands, with a word about their nonce */

    /* Room for one answer. */
    struct view_level        levels[2][BOOK_LIMIT_MAX];
    struct level_record      level_records[2][BOOK_LIMIT_MAX];
    struct view_key          keys[KEYS_SHOWN_MAX];
    struct api_key_record    key_records[KEYS_SHOWN_MAX];
    uint64_t                 account_ids[ACCOUNTS_SHOWN_MAX];
    struct subaccount_record subaccounts[ACCOUNTS_SHOWN_MAX];
    struct present           present;
    union perps_page         perps_page;
    struct receipts          receipts;
    struct view_balance      balances[COINS_MAX];
    struct balance_record    balance_records[COINS_MAX];
    struct order_changed     orders[ORDERS_SHOWN_MAX];
    struct order_record      order_records[ORDERS_SHOWN_MAX];
    struct traded            trades[VIEW_TRADES_MAX];
    struct filled            fills[HISTORY_LIMIT_MAX];
    uint32_t                 books_epoch; /* from 1; the next one empties all slots without touching them */
    struct book_slot         books[BOOK_SLOTS];
    struct rpc_room          rpc;
    struct statistics        statistics;

    /* {"type":…,"params":…} as received, and as we would write it. */
    char signed_raw[SIGNED_BYTES_MAX], signed_canonical[SIGNED_BYTES_MAX];
};

/* ---- one request, step by step (handle.c) ---- */
void             call_init(struct call *call, struct api *api, const struct api_context *context,
                           const struct http_request *request, struct api_write *write, struct http_answer *answer,
                           struct out *body);
enum api_outcome call_handle(struct call *call);
/* Writes the answer to a failed request. */
enum api_outcome call_finish(struct call *call);

/* ---- answers (market.c, account.c, health.c) ---- */
void answer_symbols(struct call *call);
void answer_coins(struct call *call);
void answer_order_book(struct call *call);
void answer_trades(struct call *call);
void answer_balances(struct call *call);
void answer_open_orders(struct call *call);
void answer_state(struct call *call);
void answer_fee_rate(struct call *call);
void answer_api_keys(struct call *call);
void answer_perps_symbols(struct call *call);
void answer_perps_coins(struct call *call);
void answer_mark_prices(struct call *call);
void answer_perps_balances(struct call *call);
void answer_perps_orders(struct call *call);
void answer_positions(struct call *call);
void answer_perps_state(struct call *call);
void answer_perps_orders_history(struct call *call);
void answer_positions_history(struct call *call);
void answer_fundings(struct call *call);
void answer_index_composition(struct call *call);
void answer_liquidations(struct call *call);
void answer_liquidation_ranking(struct call *call);
void answer_account_liquidations(struct call *call);
void answer_insurance_fund(struct call *call);
void answer_time(struct call *call);
bool metrics_are_for(const struct call *call); /* whether its client may read GET /metrics (client.c) */
extern const struct slice upgrade_lines;       /* what a request for a stream must have (upgrade.c) */
void                      answer_status(struct call *call);
void                      answer_user_status(struct call *call);
void                      answer_subaccounts(struct call *call);
void                      answer_user_keys(struct call *call);
void                      answer_user_fee_rate(struct call *call);
void                      answer_quota(struct call *call);
void                      answer_orders_history(struct call *call);
void                      answer_account_trades(struct call *call);
void                      answer_stream(struct call *call);
void                      answer_metrics(struct call *call);
void                      answer_health(struct call *call);
void                      answer_ready(struct call *call);
void                      answer_version(struct call *call);

/* Symbols first to last of call->market: all, or the one that call->query.symbol names; false when there is no such. */
bool call_symbols(struct call *call, uint32_t *first, uint32_t *last);

/* The parameters of a page as a query of the store, on call->market; both times are inclusive (ruling 20). */
bool call_page(struct call *call, struct history_query *query);

/* The history store answered an error. */
void fail_history(struct call *call);

/* Begins the rows of an answer from the history, which gave so many. False: it gave none (< 0), and that is answered.
 */
bool call_history_begin(struct call *call, int count) MUST_USE;

/* The address in the path, or a failure of the call. */
bool call_address(struct call *call, struct address *address);

/*
 * The account of a read: the address's primary one, or the named one, which must be its own (ruling 42). An address
 * without a user is not an error: ids 0 (ruling 21).
 */
bool call_account(struct call *call, uint64_t account_id, struct view_account *account);

/* The id of the symbol a read is filtered by; 0 = all. False when there is no such symbol. */
bool call_filter(struct call *call, const struct name *name, uint32_t *symbol_id);

/* Data that is an array with a row for each symbol, or each coin,
   that the query names: kept encoded until the views change. */
void call_symbol_rows(struct call *call, enum statistic kept, void (*row)(struct call *call, uint32_t id));
void call_coin_rows(struct call *call, void (*row)(struct call *call, uint32_t id));

/* Fee rates of a user on call->market, as data. */
void call_fee_rate(struct call *call, uint64_t user_id, const struct name *symbol);

/* The keys of a user: of one account or (0) of all, by name or (empty) all of them; into api->key_records. */
struct list call_keys(struct call *call, uint64_t user_id, uint64_t account_id, const struct client_id *name);

/* A symbol by its name, or a failure of the call. */
const struct symbol *call_symbol(struct call *call, struct slice name);

/* ---- failure.c ---- */
/* Status and headers of a failure, without its body. */
void failure_status(enum reject reject, struct http_answer *answer);
/* Status, headers and body of a failure. */
void answer_failure(const struct api_context *context, const struct failure *failure, struct http_answer *answer,
                    struct out *body);

/* ---- limits (limit.c): each false when call->failure is REJECT_RATE_LIMIT ---- */
void limit_free(const struct call *call); /* notes the time of a request without weight (decision 307) */
/* Before any work; `row` NULL = no row; `calls`: how many of /rpc, else 1. */
bool limit_request(struct call *call, const struct endpoint *row, uint32_t calls);
bool limit_levels(struct call *call);                         /* once the query is read */
bool limit_items(struct call *call, const void *payload);     /* once the body is read */
void limit_rows(struct call *call);                           /* behind the answer */
bool limit_write(struct call *call, struct api_write *write); /* once everything else of `write` is filled */
bool limit_key_name(struct call *call);                       /* the chain node's: any name */

/* Body and header lines of the decided answer. */
void limit_body(struct out *out, int64_t now_ms, const struct failure *failure);
void limit_lines(struct out *out, const struct quota *quota);
void limit_headers(struct call *call); /* into call->answer->extra */

/* ---- writes (write.c) ---- */
/* Runs the checks from the headers to the queue; false when call->failure has the reason. */
bool write_prepare(struct call *call, struct api_write *write);
/* Continues a waiting one (call->waits) once its signer is known. */
bool write_signature_done(struct call *call);
/* Charges what a write that goes to the leader weighs beyond its row; false: no budget is left. */
bool write_forward(struct call *call);
/* Whether a Content-Type is that of JSON. */
bool type_is_json(struct slice type);
/* 0 | [1-9][0-9]*, at most 2^64 - 1. */
bool number_read(struct slice text, uint64_t *value) MUST_USE;

#endif
