/* SPDX-License-Identifier: MIT */
/*
 * commands.h — commands, the inputs of the engine; a part of dojima/engine.h, which includes it.
 *
 * A command is its head and the payload of its kind behind it, as the log keeps them: little endian, fixed layout, no
 * padding that is not named `reserved` and zero. Kinds are append only. A payload with `items` holds `count` of them;
 * only these are part of the command:
 *
 *     +-----------------------+-----------------------------+
 *     | struct dojima_command | payload of `kind`           |   command.bytes = both, a multiple of 8
 *     +-----------------------+-----------------------------+
 *
 * Each enum here has the numbers of the wire (docs/spec/wire, 0.6); 0 means "not given" everywhere.
 */
#ifndef DOJIMA_COMMANDS_H
#define DOJIMA_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#define DOJIMA_BATCH_MAX         100 /* items of one command */
#define DOJIMA_ORACLE_PRICES_MAX 64
#define DOJIMA_CLIENT_ID_MAX     36

enum dojima_command_kind {
    DOJIMA_PLACE_ORDERS = 1,      /* struct dojima_place_orders */
    DOJIMA_CANCEL_ORDERS = 2,     /* struct dojima_cancel_orders */
    DOJIMA_REPLACE_ORDERS = 3,    /* struct dojima_replace_orders */
    DOJIMA_SCHEDULE_CANCEL = 4,   /* struct dojima_schedule_cancel */
    DOJIMA_TICK = 5,              /* struct dojima_tick */
    DOJIMA_DEPOSIT = 6,           /* struct dojima_deposit */
    DOJIMA_TRANSFER = 7,          /* struct dojima_transfer_asset */
    DOJIMA_ADD_KEY = 8,           /* struct dojima_add_key */
    DOJIMA_REVOKE_KEY = 9,        /* struct dojima_revoke_key */
    DOJIMA_OPEN_ACCOUNT = 10,     /* struct dojima_open_account */
    DOJIMA_REDEEM = 11,           /* struct dojima_redeem */
    DOJIMA_ADVANCE_TIME = 12,     /* struct dojima_advance_time */
    DOJIMA_PLACE_PERPS = 13,      /* struct dojima_place_perps */
    DOJIMA_CANCEL_PERPS = 14,     /* struct dojima_cancel_perps */
    DOJIMA_MODIFY_ORDER = 15,     /* struct dojima_modify_order */
    DOJIMA_UPDATE_LEVERAGE = 16,  /* struct dojima_update_leverage */
    DOJIMA_UPDATE_MARGIN = 17,    /* struct dojima_update_margin */
    DOJIMA_ORACLE_POST = 18,      /* struct dojima_oracle_post */
    DOJIMA_SET_INDEX = 19,        /* struct dojima_set_index */
    DOJIMA_SET_MARKET = 20,       /* struct dojima_set_market */
    DOJIMA_SETTLE = 21,           /* struct dojima_settle_symbol */
    DOJIMA_CANCEL_FOR = 22,       /* struct dojima_cancel_for */
    DOJIMA_SET_STAKING = 23,      /* struct dojima_set_staking */
    DOJIMA_SET_MODE = 24,         /* struct dojima_set_mode */
    DOJIMA_RAISE_LIMIT = 25,      /* struct dojima_raise_limit */
    DOJIMA_TRANSFER_BETWEEN = 26, /* struct dojima_transfer_between */
    DOJIMA_SET_TRADERS = 28,      /* struct dojima_set_traders */
};

enum dojima_market_kind { DOJIMA_SPOT = 1, DOJIMA_PERPS = 2 };
enum dojima_domain { DOJIMA_DOMAIN_SPOT = 1, DOJIMA_DOMAIN_FUTURES = 2, DOJIMA_DOMAIN_UNIVERSAL = 3 };
enum dojima_side { DOJIMA_BUY = 1, DOJIMA_SELL = 2 };
enum dojima_order_type { DOJIMA_LIMIT = 1, DOJIMA_MARKET = 2 };
enum dojima_time_in_force { DOJIMA_GTC = 1, DOJIMA_FOK = 2, DOJIMA_IOC = 3, DOJIMA_GTX = 4 };
enum dojima_modifier { DOJIMA_NORMAL = 1, DOJIMA_STOP = 2, DOJIMA_BRACKET = 3, DOJIMA_ATTACHED_STOP = 4 };
enum dojima_stop_type { DOJIMA_STOP_LOSS = 1, DOJIMA_TAKE_PROFIT = 2 };
enum dojima_trigger_type { DOJIMA_LAST_PRICE = 1, DOJIMA_MARK_PRICE = 2, DOJIMA_INDEX_PRICE = 3 };
enum dojima_position_side { DOJIMA_BOTH = 1, DOJIMA_LONG = 2, DOJIMA_SHORT = 3 };
enum dojima_margin_mode { DOJIMA_ISOLATED = 1, DOJIMA_CROSS = 2 };

/*
 * A mark in the upper bits of command.domain: the signer is taken at its word, the command has no nonce and the right
 * of a main wallet. Only an exchange whose genesis says "development": 1 takes marked commands.
 */
#define DOJIMA_IMPERSONATED 0x80

struct dojima_decimal {
    int64_t  digits;
    uint32_t scale;    /* 0 .. 18 */
    uint32_t reserved; /* zero */
};

/*
 * A client order id: 0 to 36 characters of [0-9a-zA-Z_-] (spot place rule 2). The bytes behind
 * `len` are zero, so that two equal ids are equal under memcmp. len 0 means "not given".
 */
struct dojima_client_id {
    uint8_t len;
    char    at[39];
};

/* The name of a coin, symbol or key: 0 to 31 characters. The bytes behind `len` are zero. */
struct dojima_name {
    uint8_t len;
    char    at[31];
};

struct dojima_address {
    uint8_t bytes[20];
};

/* One order of POST /trade/orders (wire 2.3). */
struct dojima_perps_order {
    struct dojima_client_id client_id;
    uint8_t                 modifier, side, type, time_in_force;
    uint8_t                 stop_type, trigger_type, position_side, reduce_only; /* stop and trigger: 0 = not given */
    struct dojima_decimal   price, quantity, funds, stop_price;                  /* zero = not given */
};

struct dojima_place_perps {
    uint64_t                  account_id;
    uint32_t                  count, builder_given;
    uint64_t                  symbol_id; /* one request, one symbol */
    struct dojima_perps_order items[DOJIMA_BATCH_MAX];
};

/* Exactly one of the two names the target; clOrdID is not the request's own id here. */
struct dojima_perps_cancel {
    uint64_t                symbol_id;
    struct dojima_client_id client_id;
    uint64_t                order_id;
};

struct dojima_cancel_perps {
    uint64_t                   account_id;
    uint32_t                   count, reserved;
    struct dojima_perps_cancel items[DOJIMA_BATCH_MAX];
};

/* A TP/SL order that has not triggered (wire 2.3, mechanics 4.6). */
struct dojima_modify_order {
    uint64_t                account_id, symbol_id;
    uint64_t                order_id; /* this or the client id */
    struct dojima_client_id client_id;
    struct dojima_decimal   price, quantity, stop_price; /* zero = as it was */
};

struct dojima_update_leverage {
    uint64_t account_id, symbol_id;
    uint32_t leverage;
    uint8_t  margin_mode, reserved[3]; /* enum dojima_margin_mode */
};

struct dojima_update_margin {
    uint64_t              account_id, symbol_id;
    struct dojima_decimal amount; /* vUSDC; below zero takes out */
};

/* A price of a feeder (mechanics 3.8, ruling 45), in the symbol's price unit. */
struct dojima_oracle_price {
    uint32_t symbol_id, reserved;
    int64_t  price, perp_mid; /* perp_mid 0 = none */
};

struct dojima_oracle_post {
    uint64_t                   seq; /* rises with every post of a feeder */
    uint32_t                   count, reserved;
    int64_t                    timestamp_ms; /* within [T - 30 s, T + 5 s] */
    struct dojima_oracle_price items[DOJIMA_ORACLE_PRICES_MAX];
};

/* Development: an index price by hand; counts as a feeder's post and silences the built-in one. */
struct dojima_set_index {
    uint32_t symbol_id, by_hand; /* by_hand 0: the built-in feeder speaks */
    int64_t  price;
};

struct dojima_command {
    uint32_t              bytes;       /* header and payload, a multiple of 8 */
    uint16_t              kind;        /* enum dojima_command_kind */
    uint8_t               market;      /* enum dojima_market_kind; 0 for commands of no market */
    uint8_t               domain;      /* enum dojima_domain of the signature, or a mark and a domain; 0 = of no user */
    uint64_t              seq;         /* number of the command, from 1; 0 = the next one */
    int64_t               time_ms;     /* engine time, Unix milliseconds; never goes back */
    uint64_t              nonce;       /* X-API-Nonce */
    uint64_t              origin;      /* yours; it comes back in COMMAND_BEGAN */
    uint64_t              chain_id;    /* the EIP-712 chain id that was signed; 0 = unsigned */
    uint64_t              payload_tag; /* first 8 bytes of keccak(signed bytes), to recognize a repetition */
    struct dojima_address signer;      /* recovered; zero = unsigned */
    uint32_t              key_id;      /* number of the API key that signed; 0 = the main wallet, or unsigned */
};

/* Optional numbers for which 0 is a value (scheduledTimestamp). */
struct dojima_optional_u64 {
    uint64_t value;
    uint64_t given;
};

struct dojima_new_order {
    uint64_t                symbol_id;
    struct dojima_client_id client_id;
    uint8_t                 side, type, time_in_force, reserved[5];
    struct dojima_decimal   price, quantity, funds; /* zero = not given */
};

struct dojima_place_orders {
    uint64_t                account_id;              /* 0 = the signer's primary account */
    uint32_t                count, builder_given;    /* builder_given: 0 */
    struct dojima_new_order items[DOJIMA_BATCH_MAX]; /* `count` of them are given */
};

struct dojima_cancel_order {
    uint64_t                symbol_id;
    struct dojima_client_id client_id; /* names the request; target when both below are absent */
    uint64_t                order_id;
    struct dojima_client_id orig_client_id;
};

struct dojima_cancel_orders {
    uint64_t                   account_id;
    uint32_t                   count, reserved;
    struct dojima_cancel_order items[DOJIMA_BATCH_MAX];
};

struct dojima_replace_order {
    uint64_t                symbol_id;
    struct dojima_client_id client_id; /* names the request, becomes an alias */
    uint64_t                orig_order_id;
    struct dojima_client_id orig_client_id;
    struct dojima_decimal   price, quantity;
};

struct dojima_replace_orders {
    uint64_t                    account_id;
    uint32_t                    count, reserved;
    struct dojima_replace_order items[DOJIMA_BATCH_MAX];
};

struct dojima_schedule_cancel {
    uint64_t                   account_id;
    struct dojima_optional_u64 scheduled_ms; /* not given = clear the schedule */
};

/* missed 1: an instant that passed while the exchange was down. It moves no price and settles no funding; missed
   hours are settled once, by the first TICK that is not one of these (mechanics 3.10, ruling 43). */
struct dojima_tick {
    uint64_t missed;
};

/* First 16 bytes of keccak(text) of an id that the operator chose; it makes an operator's command idempotent. */
struct dojima_operator_id {
    uint8_t bytes[16];
};

/* Money from outside into an account of an address; makes user and primary account on first use (mechanics 7). */
struct dojima_deposit {
    struct dojima_address     address;
    uint32_t                  coin_id;
    int64_t                   amount;              /* > 0, units of the coin */
    uint8_t                   engine, reserved[3]; /* enum dojima_market_kind: the side it is credited on */
    uint32_t                  account_id;          /* an account of the address; 0 = its primary one */
    struct dojima_operator_id id;
};

/* Money out of the exchange: burns what an address has in the EVM ledger (mechanics 7). */
struct dojima_redeem {
    struct dojima_address     address;
    uint32_t                  coin_id;
    int64_t                   amount; /* > 0, units of the coin */
    struct dojima_operator_id id;
};

/* One more account for a user that exists; the new id is in the ACCOUNT event. */
struct dojima_open_account {
    struct dojima_address     owner;
    uint32_t                  reserved;
    struct dojima_operator_id id;
};

/* A symbol of either side trades, or is halted; a perps symbol also takes only orders that reduce (mechanics 3.15). */
struct dojima_set_market {
    uint32_t                  symbol_id;
    uint8_t                   engine, status, reserved[2]; /* enum dojima_market_kind, enum dojima_symbol_status */
    struct dojima_operator_id id;
};

/* A perps symbol will be settled at an instant, or what was announced is withdrawn (mechanics 3.15). */
struct dojima_settle_symbol {
    uint32_t                  symbol_id, reserved;
    int64_t                   at_ms; /* 0 = withdrawn */
    struct dojima_operator_id id;
};

/* The operator cancels open orders: of a side or both, of a symbol or all, of an account or all. */
struct dojima_cancel_for {
    uint32_t                  symbol_id;           /* 0 = all; only with an engine */
    uint32_t                  account_id;          /* 0 = all */
    uint8_t                   engine, reserved[7]; /* enum dojima_market_kind; 0 = both */
    struct dojima_operator_id id;
};

/* The staking tier of a user: of all its accounts, on both sides, from the next fill on (mechanics 2.6). */
struct dojima_set_staking {
    struct dojima_address     owner;
    uint32_t                  tier;
    struct dojima_operator_id id;
};

/* The mode of the whole venue: of all symbols of both sides, from the next command on. */
struct dojima_set_mode {
    uint8_t                   mode, reserved[7]; /* enum dojima_venue_mode */
    struct dojima_operator_id id;
};

/* A pool of the engine gets more places, from the next command on; it never shrinks (ruling 75). */
struct dojima_raise_limit {
    uint8_t                   pool, reserved[3]; /* enum dojima_limit_pool */
    uint32_t                  places;            /* at most 100,000,000 */
    struct dojima_operator_id id;                /* names the request; nothing is kept */
};

/* Money between two accounts of one user, on one side (mechanics 7). */
struct dojima_transfer_between {
    uint32_t                  from_account_id, to_account_id;
    uint32_t                  coin_id;
    uint8_t                   engine, reserved[3]; /* enum dojima_market_kind: the side it is moved on */
    int64_t                   amount;              /* > 0, units of the coin */
    struct dojima_operator_id id;
};

/* Development: engine time runs ahead of the clock by `offset_ms` from now
   on; it only grows (ruling 43). The same again changes nothing. */
struct dojima_advance_time {
    int64_t offset_ms;
};

/* Development: how the traders of the built-in market behave from now on (src/market). All zero: as at the start. */
struct dojima_set_traders {
    uint8_t  preset, reserved[3]; /* enum dojima_market_preset; 0 = that of the start */
    uint32_t pulled;              /* per cent of the makers that have no orders, 0 .. 100 */
    int64_t  takers;              /* per cent by which takers come more often, -100 .. 1900 */
    int64_t  drift;               /* of the indexes, 1e-6 an hour, at most 1,000,000 either way */
};

/* A transfer between spot, perps and the EVM ledger (service 4.2, service 4.5; mechanics 7). */
struct dojima_transfer_asset {
    uint64_t              account_id; /* fromAccountID */
    uint64_t              id;         /* idempotent per (engine, account) */
    uint64_t              to_account_id, coin_id;
    struct dojima_decimal amount;
    uint8_t               type, reserved[7]; /* enum dojima_transfer_type */
};

/* An API key for an account (wire 2.4). `permissions` is the disable mask, 0 = everything allowed. */
struct dojima_add_key {
    uint64_t                account_id;
    struct dojima_client_id name;
    uint8_t                 key_type, reserved[3]; /* 1 = EVM address */
    uint32_t                builder_given;         /* known; the API refuses it with NOT_SUPPORTED */
    struct dojima_address   public_key;
    uint32_t                reserved2;
    uint64_t                expires_ms;      /* 0 = never */
    uint64_t permissions, permissions_given; /* the two members of a struct dojima_optional_u64: 0 is a value */
};

struct dojima_revoke_key {
    uint64_t                account_id;
    struct dojima_client_id name;
};

#endif
