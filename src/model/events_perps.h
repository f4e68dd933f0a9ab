/* SPDX-License-Identifier: MIT */
/* events_perps.h — what happens only on the perps side; a part of events.h, which includes it. */
#ifndef MODEL_EVENTS_PERPS_H
#define MODEL_EVENTS_PERPS_H

#include "model/event.h"

/*
 * An order of the perps side: the members of every order, and those of perps. `base.head.kind` is PERPS_ORDER;
 * `base.frozen` is 0, because the amount frozen for an order depends on the mark: the reads compute it
 * (rules/margin.h).
 */
struct perps_order_changed {
    struct order_changed base;
    int64_t              stop_price;            /* 0 = not a stop */
    uint64_t             position_id;           /* a TP/SL is tied to, 0 = none */
    uint64_t             primary_order_id;      /* parent of an attached stop */
    uint64_t             attached_order_ids[2]; /* children of a bracket's parent */
    uint8_t              modifier, stop_type, trigger_type, reduce_only;
    uint8_t              triggered, reserved[3]; /* 1: the condition has been met */
};

/* A position after a change; the last one of a position has size 0. */
struct position_changed {
    struct event head;
    uint64_t     account_id, position_id;
    uint32_t     symbol_id, leverage;
    uint8_t      margin_mode, reason; /* enum margin_mode; enum end_reason once it is closed */
    uint8_t      taken_over, reserved[5];
    int64_t      size;                /* signed */
    int64_t      cost_low, cost_high; /* signed C, 128 bits, low half first */
    int64_t      bucket;
    int64_t      open_value, closed_size, close_value; /* cumulative: cumOpenCost, cumClosedSize, and their notional */
    int64_t      fees, max_size, realized;             /* realized: net of fees, funding and liquidation loss */
    int64_t      take_over_price;
    int64_t      created_ms, updated_ms;
    uint64_t     liquidation_id; /* the incident that ended it, as in its LIQUIDATION; 0 = none */
};

/* Leverage or margin mode of an account on a symbol. */
struct leverage_changed {
    struct event head;
    uint64_t     account_id;
    uint32_t     symbol_id, leverage;
    uint8_t      margin_mode, reserved[7];
};

#define FUNDING_DECIMALS 12 /* of rates of funding */

/* Prices and rates of a symbol after a TICK; only when something changed. */
struct price_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      state, reserved[3]; /* enum oracle_state */
    int64_t      index, mark;
    int64_t      funding_rate; /* the hour's prediction, 1e-12 */
    int64_t      next_funding_ms;
    int64_t      open_interest; /* base units */
    int64_t      held;          /* the median of a jump that is held back (mechanics 3.8), 0 = none */
};

/* Funding that one position paid (> 0) or received (< 0) at an hour. */
struct funded {
    struct event head;
    uint64_t     account_id, position_id;
    uint32_t     symbol_id, reserved;
    int64_t      payment; /* vUSDC units */
    int64_t      rate;    /* 1e-12 */
    int64_t      time_ms;
};

/* How far a perps symbol is from open to all (mechanics 3.15). */
struct phase_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      phase, reserved[3]; /* enum symbol_phase */
    int64_t      at_ms;              /* announced instant, 0 = none */
    int64_t      price;              /* of the settlement, 0 before it */
};

/*
 * A risk unit entered or left liquidation, or went a stage further (mechanics 3.11). symbol_id 0: the cross account.
 * Right behind it stand its positions as they were at that moment, `positions` times UNIT_POSITION; none once it is
 * healthy.
 */
struct unit_stage {
    struct event head;
    uint64_t     account_id;
    uint32_t     symbol_id;
    uint8_t      stage, positions, reserved[2]; /* enum liquidation_stage */
    int64_t      equity, maintenance;           /* vUSDC units */
    int64_t      time_ms;
    uint64_t     liquidation_id; /* from 1; the same from entry to release of one unit */
    int64_t      wallet;         /* of the account, vUSDC units */
};

/* A position of the unit whose stage the UNIT event before it announces. */
struct unit_position {
    struct event head;
    uint64_t     liquidation_id, account_id, position_id;
    uint32_t     symbol_id;
    uint8_t      margin_mode, reserved[3]; /* enum margin_mode */
    int64_t      size;                     /* signed */
    int64_t      mark, liquidation_price;  /* liquidation_price 0 = none */
};

/* The venue's own state: the fund went below zero, or is whole again. */
struct venue_changed {
    struct event head;
    uint8_t      insolvent, reserved[7];
    int64_t      fund; /* wallet of the insurance fund */
};

/* Why the fund did not take a unit over: a bit each (mechanics 3.13, ruling 66). */
enum fund_refusal {
    FUND_NO_SYMBOL_BUDGET = 1,
    FUND_NO_TOTAL_BUDGET = 2,
    FUND_NO_MONEY = 4,
    FUND_NO_INVENTORY = 8,
    FUND_NO_CARRY = 16
};

/*
 * The receipt of one stage of a liquidation, for one position (mechanics 3.11, 3.12). It follows the stage's other
 * events (fills and so on). BOOK: one liquidation order that traded. TAKEOVER: the whole position went to the
 * insurance fund. ADL: the whole position was closed against the other side; `candidates` times ADL_RANKED follow at
 * once, best first.
 *
 * `receipt_id` counts receipts from 1 over all symbols. `liquidation_id` is one incident: the number in UNIT, and a
 * number of its own for each position of the fund, or of a settled symbol, that is deleveraged. Equity, maintenance
 * and the fund are values before the stage unless their name says after. Money in vUSDC units; prices in the symbol's
 * units; ratios 1e-8.
 */
struct liquidated {
    struct event head;
    uint64_t     receipt_id, liquidation_id, account_id, position_id;
    uint32_t     symbol_id;
    uint8_t      stage, margin_mode, side,
        round; /* enum liquidation_stage, margin_mode; of the closing order; from 1 in the TICK */
    uint8_t index_state, refusal,
        reserved[2];     /* enum oracle_state; ADL: enum fund_refusal, 0 = the fund was not considered */
    uint32_t candidates; /* ADL: rows of the ranking that follow */
    int64_t  time_ms;
    int64_t  size_before;   /* signed */
    int64_t  quantity;      /* closed by this stage */
    int64_t  wanted, limit; /* BOOK: requested quantity, and the worst price allowed; else 0 */
    /* of the unit at mark; TAKEOVER, ADL: of its live rows, with their part of the equity */
    int64_t equity, maintenance;
    int64_t equity_worse;           /* the same at `worse` of each position: E_t */
    int64_t own_maintenance, share; /* of the position; its share of E (BOOK, TAKEOVER) or of E_t (ADL) */
    int64_t mark, index, worse;     /* worse: t of mechanics 3.11 */
    /* BOOK: at mark, to the tick; TAKEOVER: takeOverPrice; ADL: at t, improved by the subsidy */
    int64_t bankruptcy_price;
    int64_t value, price; /* value at which `quantity` was closed: quote units, and per unit of size, rounded down */
    int64_t slippage;     /* of `price` against mark; > 0: worse for the account */
    int64_t charge;       /* the fund's loss by it, charged to its day */
    int64_t symbol_left, total_left; /* TAKEOVER, ADL: of the day's budgets, before */
    /* TAKEOVER, ADL: of the fund in the symbol if it took the position; 0 = no limit */
    int64_t inventory, inventory_limit;
    int64_t fund_carries, fund_equity; /* TAKEOVER, ADL: its whole inventory, and its equity, if it took the unit */
    int64_t fund_before, fund_after;   /* wallet of the fund */
};

/* A row of the ranking of an ADL, behind its LIQUIDATION (mechanics 3.12). */
struct adl_ranked {
    struct event head;
    uint64_t     receipt_id, account_id, position_id;
    /* rank from 0; group 0 = the fund, 1 to 5 the lights (or the queue's place), 6 = no profit (fifths) */
    uint32_t rank, group;
    int64_t  score, leverage; /* leverage: of the unit, 1e-6 */
    int64_t  size;            /* of its position before, absolute */
    int64_t  bears;           /* most that its unit can take; -1 = its group was not reached */
    int64_t  taken, value;    /* its share, and the notional it was booked at */
    int64_t  cost, equity; /* signed cost C of its position and equity of its unit, before: the inputs of its score */
};

/* The insurance fund after a TICK that changed it; symbol_id 0: the whole
   fund, else what it has in that symbol (mechanics 3.13, ruling 66). */
struct fund_changed {
    struct event head;
    uint32_t     symbol_id, reserved;
    int64_t      time_ms, day_ms;       /* day_ms: start of the UTC day that the losses are of */
    int64_t      wallet, equity;        /* of the whole fund, in every row */
    int64_t      size;                  /* signed; 0 for the whole */
    int64_t inventory, inventory_limit; /* notional at mark; of the whole fund: the sum, and the most that its equity
                                           supports. 0 = no limit */
    int64_t loss, loss_limit;           /* charged today, and the most that may be */
    int64_t beyond; /* lost today in deleveraging, beside the charges (mechanics 3.12, 4 and 5); no limit */
};

/*
 * Composition of index and mark of a symbol in a TICK (mechanics 3.8, 3.9); emitted when it differs from the last one
 * emitted, and in every TICK that liquidates in the symbol, before the first receipt. Prices are in the symbol's
 * units; 0 = none.
 */
#define INDEX_SOURCES_MAX 16 /* a place for each feeder of the genesis; the last one: set by hand */
#define INDEX_SOURCE_HAND (INDEX_SOURCES_MAX - 1)
struct index_source {
    int64_t price, perp_mid; /* last post; price 0 = it never posted */
    int64_t posted_ms;
    uint8_t valid, reserved[7]; /* 1: it counted in this TICK */
};
struct index_composed {
    struct event        head;
    uint32_t            symbol_id;
    uint8_t             state, reserved[3]; /* enum oracle_state */
    int64_t             time_ms;            /* of the TICK that made it */
    int64_t             index, mark;
    int64_t             median;                /* of the valid sources */
    int64_t             spot_mid;              /* own spot book; only where it was used, without a quorum of feeders */
    int64_t             held_price;            /* a jump that is held back */
    uint32_t            held_count, held_need; /* aggregations in a row that agreed on it, and how many are needed */
    uint32_t            valid_count, quorum;
    int64_t             bid, ask, last, perp_mid;      /* inputs of the mark */
    int64_t             by_basis, by_book, by_feeders; /* its three prices */
    int64_t             raw;                           /* their median, before band and step */
    struct index_source sources[INDEX_SOURCES_MAX];
};

#endif
