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

struct account_request {
    struct slice   id;
    struct address address;
};

/* A deposit, or a faucet's gift. */
struct deposit_request {
    struct slice   id;
    struct address address;
    uint8_t        engine; /* enum market_kind */
    struct name    coin;
    struct decimal amount;
    uint32_t       account_id; /* an account of the address; 0 = its primary one */
};

struct redeem_request {
    struct slice   id;
    struct address address;
    struct name    coin;
    struct decimal amount;
    struct slice   tx; /* the transaction that pays out elsewhere, as a note; may be empty */
};

/* Time travel in development, as the sequencer writes it. */
struct advance_request {
    int64_t offset;
};

/* Development: an index price by hand. */
struct set_index_request {
    struct name    symbol; /* of a perps market */
    struct decimal price;
};
extern const struct shape set_index_request_shape;

struct market_request {
    struct slice id;
    uint8_t      engine; /* enum market_kind; 0 = the side that has the symbol, spot first */
    struct name  symbol;
    uint8_t      status; /* enum symbol_status: TRADING, HALT or REDUCE_ONLY */
};
extern const struct shape market_request_shape;

/* The settlement of a perps symbol is announced, or what was announced is withdrawn. */
struct settle_request {
    struct slice id;
    struct name  symbol;
    uint64_t     time; /* Unix ms; 0 in a request that withdraws */
};
extern const struct shape settle_request_shape, keep_request_shape;

/* Open orders are canceled: of a side or both, of a symbol or all, of an account or all. */
struct cancel_request {
    struct slice id;
    uint8_t      engine;     /* enum market_kind; 0 = both, or the side that has the symbol, spot first */
    struct name  symbol;     /* empty = all */
    uint32_t     account_id; /* 0 = all */
};
extern const struct shape cancel_request_shape;

/* The staking tier of a user (mechanics 2.6). */
struct staking_request {
    struct slice   id;
    struct address address;
    uint32_t       tier;
};
extern const struct shape staking_request_shape;

/* The mode of the venue. */
struct mode_request {
    struct slice id;
    uint8_t      mode; /* enum venue_mode */
};
extern const struct shape mode_request_shape;

/* More places for a pool (ruling 75). */
struct limit_request {
    struct slice id;
    uint8_t      name; /* enum limit_pool */
    uint32_t     value;
};
extern const struct shape     limit_request_shape;
extern const struct enum_name limit_pool_names[];

/* Money between two accounts of one user. */
struct transfer_request {
    struct slice   id;
    uint32_t       from_account_id, to_account_id;
    uint8_t        engine; /* enum market_kind */
    struct name    coin;
    struct decimal amount;
};
extern const struct shape transfer_request_shape;

extern const struct shape account_request_shape, deposit_request_shape, redeem_request_shape, advance_request_shape;

/* A deposit as dojima_deposit has it: id and engine may be left out. */
extern const struct shape rpc_deposit_shape;

#endif
