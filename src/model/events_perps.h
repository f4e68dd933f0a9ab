/* SPDX-License-Identifier: MIT */
/* events_perps.h — what happens only on the perps side; a part of events.h, which includes it. */
#ifndef MODEL_EVENTS_PERPS_H
#define MODEL_EVENTS_PERPS_H

/*
 * An order of the perps side: what every order is, and what only these are. `base.head.kind` is PERPS_ORDER;
 * `base.frozen` is 0, because what an order freezes depends on the mark: the reads compute it (risk/margin.h).
 */
struct perps_order_changed {
    struct order_changed base;
    int64_t              stop_price;                    /* 0 = not a stop                        */
    uint64_t             position_id;                   /* a TP/SL is tied to, 0 = none          */
    uint64_t             primary_order_id;              /* parent of an attached stop            */
    uint64_t             attached_order_ids[2];         /* children of a bracket's parent        */
    uint8_t              modifier, stop_type, trigger_type, reduce_only;
    uint8_t              triggered, reserved[3];        /* 1: the condition has been met         */
};

/* A position after a change; the last one of a position has size 0. */
struct position_changed {
    struct event head;
    uint64_t     account_id, position_id;
    uint32_t     symbol_id, leverage;
    uint8_t      margin_mode, reason;                   /* enum margin_mode; enum end_reason once it is closed */
    uint8_t      taken_over, reserved[5];
    int64_t      size;                                  /* signed                                */
    int64_t      cost_low, cost_high;                   /* signed C, 128 bits, low half first    */
    int64_t      bucket;
    int64_t      open_value, closed_size, close_value;  /* cumulative: cumOpenCost, cumClosedSize, and their notional */
    int64_t      fees, max_size, realized;              /* realized: net of fees, funding and liquidation loss        */
    int64_t      take_over_price;
    int64_t      created_ms, updated_ms;
};

/* Leverage or margin mode of an account on a symbol. */
struct leverage_changed {
    struct event head;
    uint64_t     account_id;
    uint32_t     symbol_id, leverage;
    uint8_t      margin_mode, reserved[7];
};

#define FUNDING_DECIMALS 12                             /* of rates of funding                  */

/* Prices and rates of a symbol after a TICK; only when something changed. */
struct price_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      state, reserved[3];                    /* enum oracle_state                     */
    int64_t      index, mark;
    int64_t      funding_rate;                          /* the hour's prediction, 1e-12          */
    int64_t      next_funding_ms;
    int64_t      open_interest;                         /* base units                            */
};

/* What one position paid (> 0) or got (< 0) at an hour. */
struct funded {
    struct event head;
    uint64_t     account_id, position_id;
    uint32_t     symbol_id, reserved;
    int64_t      payment;                               /* vUSDC units                           */
    int64_t      rate;                                  /* 1e-12                                 */
    int64_t      time_ms;
};

/* How far a perps symbol is from open to all (mechanics 3.15). */
struct phase_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      phase, reserved[3];                    /* enum symbol_phase                     */
    int64_t      at_ms;                                 /* announced instant, 0 = none           */
    int64_t      price;                                 /* of the settlement, 0 before it        */
};

/*
 * A risk unit entered or left liquidation, or went a stage further (mechanics 3.11). symbol_id 0: the cross account.
 * Right behind it stand its positions as they were at that moment, `positions` times UNIT_POSITION; none once it is healthy.
 */
struct unit_stage {
    struct event head;
    uint64_t     account_id;
    uint32_t     symbol_id;
    uint8_t      stage, positions, reserved[2];         /* enum liquidation_stage                */
    int64_t      equity, maintenance;                   /* vUSDC units                           */
    int64_t      time_ms;
    uint64_t     liquidation_id;                        /* from 1; the same from entry to release of one unit */
    int64_t      wallet;                                /* of the account, vUSDC units           */
};

/* A position of a unit whose stage the UNIT before it tells. */
struct unit_position {
    struct event head;
    uint64_t     liquidation_id, account_id, position_id;
    uint32_t     symbol_id;
    uint8_t      margin_mode, reserved[3];              /* enum margin_mode                      */
    int64_t      size;                                  /* signed                                */
    int64_t      mark, liquidation_price;               /* liquidation_price 0 = none            */
};

/* The venue's own state: the fund went below zero, or is whole again. */
struct venue_changed {
    struct event head;
    uint8_t      insolvent, reserved[7];
    int64_t      fund;                                  /* wallet of the insurance fund          */
};

#endif
