/* SPDX-License-Identifier: MIT */
/*
 * rpc.h — POST /rpc: JSON-RPC 2.0 as rows. A method is a row with its parameters; the dispatcher checks the call
 * against the row, so a handler finds values of the right kind and writes one JSON value.
 *
 * A method either answers (`answer`), or makes an operator command (`command`), whose result is rendered when the
 * command is durable (`reply`). Commands exist in development only, for peers on this machine. Several commands of one
 * batch run one after the other, each when the previous one is durable; the other calls of such a batch are answered
 * behind the last.
 */
#ifndef API_NODE_RPC_H
#define API_NODE_RPC_H

#include "api/inside.h"

#define RPC_CALLS_MAX  100 /* of one batch */
#define RPC_PARAMS_MAX 8   /* of one method */
#define RPC_WEIGHT     20  /* of each call (ruling 53) */
#define RPC_DEPTH_MAX  32  /* levels of JSON */

/* JSON-RPC 2.0, section 5.1; RPC_REFUSED is ours: the call is well formed, and cannot be done. */
/* clang-format off */
enum rpc_code {
    RPC_PARSE = -32700, RPC_INVALID = -32600, RPC_NO_METHOD = -32601, RPC_BAD_PARAMS = -32602,
    RPC_INTERNAL = -32603, RPC_REFUSED = -32000, RPC_PRUNED = 4444,
};
/* clang-format on */

enum rpc_kind {
    RPC_QUANTITY = 1, /* "0x1f", no leading zeros, at most 64 bits */
    RPC_BLOCK,        /* a quantity or earliest, latest, safe, finalized, pending (`number` then) */
    RPC_HASH,         /* 0x and 64 hex digits */
    RPC_ADDRESS,      /* 0x and 40 hex digits */
    RPC_BOOL,
    RPC_COUNT, /* a JSON number without sign and point, or a quantity */
    RPC_ANY,   /* any JSON value, as `raw` */
};

struct rpc_param {
    const char *name;
    uint8_t     kind;     /* enum rpc_kind */
    bool        optional; /* only behind the required ones */
    const char *doc;
};

struct rpc_value {
    bool           given;   /* false: optional and absent, or null */
    bool           flag;    /* RPC_BOOL */
    bool           is_head; /* RPC_BLOCK: a tag that means the last block */
    uint64_t       number;  /* RPC_QUANTITY, RPC_BLOCK, RPC_COUNT */
    struct hash256 hash;
    struct address address;
    struct slice   raw; /* as sent */
};

struct rpc_call;
struct rpc_method {
    const char             *name;
    const struct rpc_param *params;
    uint32_t                param_count;
    /* Writes the result, one JSON value, to rpc->out; or rpc_fail. */
    void (*answer)(struct rpc_call *rpc);
    /* Fills room, signed_bytes, signature (zero) and class of the write; false after rpc_fail. */
    bool (*command)(struct rpc_call *rpc, struct api_write *write);
    /* Writes the result of the durable command to rpc->out (at most 120 bytes); or rpc_fail. NULL: true. */
    void (*reply)(struct rpc_call *rpc, const struct api_result *result);
    const char *gives, *doc; /* the result; one sentence */
    /* A command that consists of several: another one when the one before has succeeded; false: there is none, or after
     * rpc_fail. NULL = it is one. */
    bool (*more)(struct rpc_call *rpc, struct api_write *write);
    /* A method whose answer may be long, and that is alone in its request: writes the result to rpc->out; `result` is
     * that of its command, NULL when it made none. Then `reply` is not used. */
    void (*explain)(struct rpc_call *rpc, struct api_result *result);
    uint16_t    kind; /* enum command_kind of rpc_operator */
    const char *adds; /* rpc_operator: a member that the request has besides, as JSON; NULL = none */
    /* An action of viem's test client that has no meaning here: RPC_NO_METHOD with this sentence, at most 120 bytes. */
    const char *refuses;
    bool        local; /* an answer for development only, and for peers on this machine, like a command */
};
extern const struct rpc_method rpc_methods[];
extern const uint32_t          rpc_method_count;

/* One call on its way. */
struct rpc_call {
    struct call             *call; /* api, context, request */
    const struct rpc_method *method;
    struct rpc_value         params[RPC_PARAMS_MAX];
    struct out              *out;
    int32_t                  code;        /* enum rpc_code; 0 = fine */
    int32_t                  reject_code; /* of the exchange, for error.data; 0 = none */
    char                     message[128];
};

/* Adds to the message of a failure what is printable of a text, as far as there is room. */
void rpc_say(struct rpc_call *rpc, struct slice text);

/* Notes an error; `got` is shown behind the text, cut and made printable; may be empty. */
void rpc_fail(struct rpc_call *rpc, enum rpc_code code, const char *text, struct slice got);

/* A command that the exchange refused: RPC_REFUSED with the sentence and the code of the reject. */
void rpc_fail_reject(struct rpc_call *rpc, enum reject reject);

/* Strings and hashes as JSON. */
void rpc_out_quantity(struct out *out, uint64_t value); /* "0x1f", with quotes */
void rpc_out_bytes(struct out *out, const void *bytes, size_t len);

/* A request that its shape or its names refuse: RPC_BAD_PARAMS with field, need and what was sent. Gives false. */
bool rpc_fail_request(struct rpc_call *rpc, const struct failure *failure);

/* An id that is new in this exchange, written into `into`. */
struct slice rpc_fresh_id(const struct rpc_call *rpc, char *into, size_t cap);

/* The next JSON value of a text that is JSON; moves behind it. */
struct scan;
struct slice rpc_take_value(struct scan *scan);

/* "quantity", "block", …: the kind of a parameter, for people. */
const char *rpc_kind_name(uint8_t kind);

/* The number of calls in a body, at least 1; its weight is known before any work is done. */
uint32_t rpc_call_count(struct slice body);

/* The answer function of POST /rpc. */
void answer_rpc(struct call *call);

/* ---- handlers: rpc_node.c ---- */
void rpc_client_version(struct rpc_call *rpc);
void rpc_net_version(struct rpc_call *rpc);
void rpc_net_listening(struct rpc_call *rpc);
void rpc_syncing(struct rpc_call *rpc);
void rpc_chain_id(struct rpc_call *rpc);
void rpc_gas_price(struct rpc_call *rpc);
void rpc_block_number(struct rpc_call *rpc);
void rpc_automine(struct rpc_call *rpc);
void rpc_pool_content(struct rpc_call *rpc);
void rpc_pool_status(struct rpc_call *rpc);

/* ---- handlers: rpc_transaction.c ---- */
void rpc_transaction_by_number(struct rpc_call *rpc);
void rpc_transaction_by_block_hash(struct rpc_call *rpc);
void rpc_transaction_by_hash(struct rpc_call *rpc);

/* ---- handlers: rpc_receipt.c ---- */
void rpc_receipt(struct rpc_call *rpc);

/* ---- handlers: rpc_block.c ---- */
void rpc_block_by_number(struct rpc_call *rpc);
void rpc_block_by_hash(struct rpc_call *rpc);
void rpc_count_by_number(struct rpc_call *rpc);
void rpc_count_by_hash(struct rpc_call *rpc);

/* ---- handlers: rpc_chain.c ---- */
void rpc_balance(struct rpc_call *rpc);
void rpc_transaction_count(struct rpc_call *rpc);

/* ---- development: rpc_explain.c ---- */
void rpc_explain_signature(struct rpc_call *rpc);
bool rpc_explain_order(struct rpc_call *rpc, struct api_write *write);
void rpc_explain_order_answer(struct rpc_call *rpc, struct api_result *result);

/* ---- development: rpc_money.c ---- */
#define RPC_STAGES_MAX 3
enum rpc_place { RPC_PLACE_SPOT = MARKET_SPOT, RPC_PLACE_PERPS = MARKET_PERPS, RPC_PLACE_EVM, RPC_PLACES };
bool rpc_set_balance(struct rpc_call *rpc, struct api_write *write);
bool rpc_set_balance_more(struct rpc_call *rpc, struct api_write *write);
bool rpc_set_wei(struct rpc_call *rpc, struct api_write *write);
bool rpc_set_wei_more(struct rpc_call *rpc, struct api_write *write);

/* ---- development: rpc_operator.c ---- */
bool rpc_operator(struct rpc_call *rpc, struct api_write *write);
void rpc_operator_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_funding_now(struct rpc_call *rpc, struct api_write *write);
void rpc_funding_now_reply(struct rpc_call *rpc, const struct api_result *result);

/* ---- development: rpc_impersonate.c ---- */
void rpc_impersonate(struct rpc_call *rpc);
void rpc_stop_impersonating(struct rpc_call *rpc);
void rpc_impersonate_all(struct rpc_call *rpc);

/* ---- development: rpc_snapshot.c ---- */
bool rpc_snapshot(struct rpc_call *rpc, struct api_write *write);
void rpc_snapshot_reply(struct rpc_call *rpc, const struct api_result *result);
void rpc_snapshots(struct rpc_call *rpc);
bool rpc_revert(struct rpc_call *rpc, struct api_write *write);
bool rpc_reset(struct rpc_call *rpc, struct api_write *write);
void rpc_dump_state(struct rpc_call *rpc);
bool rpc_load_state(struct rpc_call *rpc, struct api_write *write);

/* ---- development: rpc_dev.c ---- */
bool rpc_deposit(struct rpc_call *rpc, struct api_write *write);
void rpc_deposit_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_increase_time(struct rpc_call *rpc, struct api_write *write);
void rpc_increase_time_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_set_next_time(struct rpc_call *rpc, struct api_write *write);
bool rpc_step(struct rpc_call *rpc, struct api_write *write);
void rpc_step_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_set_clock(struct rpc_call *rpc, struct api_write *write);
bool rpc_clear(struct rpc_call *rpc, struct api_write *write);
void rpc_clear_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_mine(struct rpc_call *rpc, struct api_write *write);
bool rpc_mine_blocks(struct rpc_call *rpc, struct api_write *write);
bool rpc_set_automine(struct rpc_call *rpc, struct api_write *write);
void rpc_mine_reply(struct rpc_call *rpc, const struct api_result *result);
bool rpc_set_index(struct rpc_call *rpc, struct api_write *write);
void rpc_true_reply(struct rpc_call *rpc, const struct api_result *result);
void rpc_null_reply(struct rpc_call *rpc, const struct api_result *result);
void rpc_history(struct rpc_call *rpc);

/* ---- development: rpc_chaos.c ---- */
void rpc_chaos_add(struct rpc_call *rpc);
void rpc_chaos_list(struct rpc_call *rpc);
void rpc_chaos_remove(struct rpc_call *rpc);
void rpc_chaos_clear(struct rpc_call *rpc);

/* ---- development: rpc_scenario.c ---- */
void rpc_scenario_list(struct rpc_call *rpc);
void rpc_scenario_start(struct rpc_call *rpc);
void rpc_scenario_status(struct rpc_call *rpc);
void rpc_scenario_stop(struct rpc_call *rpc);

#endif
