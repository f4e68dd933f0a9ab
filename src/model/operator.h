/* SPDX-License-Identifier: MIT */
/*
 * operator.h — the operator's requests as written: the params of {"type":…,"params":…}. This text comes through the
 * administration socket, stands in the log beside its command, and is the input of its transaction (ruling 49). Where
 * two people are required, the second one's signature follows the params: {"type":…,"params":…,"signature":"0x…"}.
 */
#ifndef MODEL_OPERATOR_H
#define MODEL_OPERATOR_H

#include "model/shape.h"

#define OPERATOR_ID_MAX 64 /* printable characters without quote and backslash */

#define OPERATOR_TX_MAX 128

/*
 * Addresses that may confirm the operator's requests (sections [operator 0xADDRESS]); not part of the genesis. count
 * 0: no confirmation is required.
 */
#define OPERATOR_KEYS_MAX 8
struct operator_key {
    struct address address;
    struct name    name;
}; /* the name is for people; may be empty */
struct operator_keys {
    uint32_t            count;
    struct operator_key keys[OPERATOR_KEYS_MAX];
};

/*
 * Every request is read into this. Values that the payload has as they are written are read into the payload itself;
 * names, amounts and the id are replaced by numbers afterwards (`lookup` of the field, api/operator/payload.c).
 */
struct operator_request {
    struct slice   id;           /* comes first; printable, chosen by the operator */
    struct slice   tx;           /* a note: the transaction that pays out elsewhere; may be empty */
    struct name    coin, symbol; /* empty = not given */
    struct decimal amount;       /* of the coin, or a price of the symbol */
    uint64_t       time;         /* Unix ms */
    union {
#define OF_NODE(payload)
#define OF_DEVELOPER(payload)     struct payload payload;
#define OF_OPERATOR(payload)      struct payload payload;
#define OF_OPERATOR_ONCE(payload) struct payload payload;
#define OF_FEEDER(payload)
#define OF_KEY(payload)
#define OF_WALLET(payload)
#define OF_WALLET_ANYHOW(payload)
#define X(number, NAME, name, payload, form, item, sides, right, sender, ...) OF_##sender(payload)
        COMMANDS(X)
#undef X
    };
};

extern const struct shape account_request_shape, deposit_request_shape, redeem_request_shape, advance_request_shape,
    set_index_request_shape, traders_request_shape, market_request_shape, settle_request_shape, keep_request_shape,
    cancel_request_shape, staking_request_shape, mode_request_shape, limit_request_shape, transfer_request_shape;

extern const struct enum_name limit_pool_names[];

/* A deposit as dojima_deposit has it: id and engine may be left out. */
extern const struct shape rpc_deposit_shape;

/* A balance as dojima_setBalance has it (deposit.engine 3: the EVM ledger), and a symbol by its name. */
extern const struct shape rpc_balance_shape, rpc_symbol_shape;

#endif
