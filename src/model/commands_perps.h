/* SPDX-License-Identifier: MIT */
/* commands_perps.h — payloads of commands that exist on the perps side only; a part of commands.h, which includes it.
 */
#ifndef MODEL_COMMANDS_PERPS_H
#define MODEL_COMMANDS_PERPS_H

#include "model/decimal.h"
#include "model/enums.h"
#include "model/text.h"

/* One order of POST /trade/orders (wire 2.3). */
struct perps_order {
    struct client_id client_id;
    uint8_t          modifier, side, type, time_in_force;
    uint8_t          stop_type, trigger_type, position_side, reduce_only; /* stop and trigger: 0 = not given */
    struct decimal   price, quantity, funds, stop_price;                  /* zero = not given */
};
static_assert(sizeof(struct perps_order) == 112, "reaches disk");

struct place_perps {
    uint64_t           account_id;
    uint32_t           count, builder_given;
    uint64_t           symbol_id; /* one request, one symbol */
    struct perps_order items[BATCH_MAX];
};

/* Exactly one of the two names the target; clOrdID is not the request's own id here. */
struct perps_cancel {
    uint64_t         symbol_id;
    struct client_id client_id;
    uint64_t         order_id;
};
static_assert(sizeof(struct perps_cancel) == 56, "reaches disk");

struct cancel_perps {
    uint64_t            account_id;
    uint32_t            count, reserved;
    struct perps_cancel items[BATCH_MAX];
};

/* A TP/SL order that has not triggered (wire 2.3, mechanics 4.6). */
struct modify_order {
    uint64_t         account_id, symbol_id;
    uint64_t         order_id; /* this or the client id */
    struct client_id client_id;
    struct decimal   price, quantity, stop_price; /* zero = as it was */
};

struct update_leverage {
    uint64_t account_id, symbol_id;
    uint32_t leverage;
    uint8_t  margin_mode, reserved[3]; /* enum margin_mode */
};

struct update_margin {
    uint64_t       account_id, symbol_id;
    struct decimal amount; /* vUSDC; below zero takes out */
};

/* Prices of a feeder (mechanics 3.8, ruling 45): integers in the symbol's price unit. */
#define ORACLE_PRICES_MAX 64
#define ORACLE_PAST_MS    30000 /* how old a post's timestamp may be */
#define ORACLE_FUTURE_MS  5000  /* and how far ahead */
struct oracle_price {
    uint32_t symbol_id, reserved;
    int64_t  price, perp_mid;
}; /* perp_mid 0 = none */
struct oracle_post {
    uint64_t            seq; /* rises with every post of a feeder */
    uint32_t            count, reserved;
    int64_t             timestamp_ms; /* within [T - 30 s, T + 5 s] */
    struct oracle_price items[ORACLE_PRICES_MAX];
};

/* Development: an index price by hand; counts as a feeder's post and silences the built-in one. */
struct set_index {
    uint32_t symbol_id, by_hand; /* by_hand 0: the built-in feeder speaks */
    int64_t  price;
};

#endif
