/* SPDX-License-Identifier: MIT */
/*
 * events.h — events, the outputs of the engine; a part of dojima/engine.h, which includes it. Facts in the past tense,
 * in the order in which they became true:
 *
 *   COMMAND_BEGAN  RESULT*  (ORDER | FILL | TRADE | LEVEL | BALANCE | …)*   COMMAND_BEGAN …
 *
 * Each begins with a struct dojima_event and is a multiple of 8 bytes. Prices, quantities and amounts are integers in
 * the units of their symbol or coin. Kinds are append only: skip those that you do not know by head.bytes.
 */
#ifndef DOJIMA_EVENTS_H
#define DOJIMA_EVENTS_H

#include "dojima/commands.h"

#define DOJIMA_INDEX_SOURCES_MAX 16

enum dojima_event_kind {
    DOJIMA_EVENT_COMMAND_BEGAN = 1,   /* struct dojima_command_began */
    DOJIMA_EVENT_REFUSED = 2,         /* struct dojima_refused */
    DOJIMA_EVENT_RESULT = 3,          /* struct dojima_result */
    DOJIMA_EVENT_ORDER = 4,           /* struct dojima_order_changed */
    DOJIMA_EVENT_TRADE = 5,           /* struct dojima_traded */
    DOJIMA_EVENT_FILL = 6,            /* struct dojima_filled */
    DOJIMA_EVENT_BALANCE = 7,         /* struct dojima_balance */
    DOJIMA_EVENT_LEVEL = 8,           /* struct dojima_level_changed */
    DOJIMA_EVENT_ACCOUNT = 9,         /* struct dojima_account_opened */
    DOJIMA_EVENT_FEE_TIER = 10,       /* struct dojima_fee_tier */
    DOJIMA_EVENT_SCHEDULE = 11,       /* struct dojima_schedule */
    DOJIMA_EVENT_EVM_BALANCE = 12,    /* struct dojima_evm_balance */
    DOJIMA_EVENT_KEY = 13,            /* struct dojima_key_changed */
    DOJIMA_EVENT_TRANSFER = 14,       /* struct dojima_transferred */
    DOJIMA_EVENT_TIME = 15,           /* struct dojima_time_advanced */
    DOJIMA_EVENT_PERPS_ORDER = 16,    /* struct dojima_perps_order_changed */
    DOJIMA_EVENT_POSITION = 17,       /* struct dojima_position_changed */
    DOJIMA_EVENT_LEVERAGE = 18,       /* struct dojima_leverage_changed */
    DOJIMA_EVENT_PRICE = 19,          /* struct dojima_price_changed */
    DOJIMA_EVENT_FUNDING = 20,        /* struct dojima_funded */
    DOJIMA_EVENT_UNIT = 21,           /* struct dojima_unit_stage */
    DOJIMA_EVENT_VENUE = 22,          /* struct dojima_venue_changed */
    DOJIMA_EVENT_SYMBOL = 23,         /* struct dojima_symbol_changed */
    DOJIMA_EVENT_UNIT_POSITION = 24,  /* struct dojima_unit_position */
    DOJIMA_EVENT_PHASE = 25,          /* struct dojima_phase_changed */
    DOJIMA_EVENT_MODE = 26,           /* struct dojima_mode_changed */
    DOJIMA_EVENT_LIQUIDATION = 27,    /* struct dojima_liquidated */
    DOJIMA_EVENT_ADL_RANKED = 28,     /* struct dojima_adl_ranked */
    DOJIMA_EVENT_FUND = 29,           /* struct dojima_fund_changed */
    DOJIMA_EVENT_INDEX_COMPOSED = 30, /* struct dojima_index_composed */
};

enum dojima_order_status {
    DOJIMA_NEW = 1,
    DOJIMA_PARTIALLY_FILLED = 2,
    DOJIMA_FILLED = 3,
    DOJIMA_CANCELED = 4,
    DOJIMA_REJECTED = 5,
    DOJIMA_EXPIRED = 6,
    DOJIMA_PENDING_NEW = 7,
    DOJIMA_TRIGGERED = 10,
};

/* Why a nonce was refused. */
enum dojima_nonce_reason {
    DOJIMA_NONCE_OK = 0,
    DOJIMA_NONCE_MALFORMED = 1,
    DOJIMA_NONCE_USED = 2,
    DOJIMA_NONCE_TOO_SMALL = 3,
    DOJIMA_NONCE_TOO_OLD = 4,
    DOJIMA_NONCE_TOO_FAR_AHEAD = 5,
};

/* Which field of an item a refusal is about; OF_ROW: the one that every refusal with this number names. */
enum dojima_item_field {
    DOJIMA_FIELD_OF_ROW = 0,
    DOJIMA_FIELD_ORDER_ID = 1,
    DOJIMA_FIELD_CLIENT_ID = 2,
    DOJIMA_FIELD_ORIG_ORDER_ID = 3,
    DOJIMA_FIELD_ORIG_CLIENT_ID = 4,
    DOJIMA_FIELD_FUNDS = 5,
    DOJIMA_FIELD_AMOUNT = 6,
    DOJIMA_FIELD_COIN_ID = 7,
    DOJIMA_FIELD_TYPE = 8,
    DOJIMA_FIELD_TO_ACCOUNT_ID = 9,
    DOJIMA_FIELD_PUBLIC_KEY = 10,
    DOJIMA_FIELD_EXPIRES_AT = 11,
    DOJIMA_FIELD_BUILDER = 12,
    DOJIMA_FIELD_ENGINE = 13,
    DOJIMA_FIELD_STOP_PRICE = 14,
    DOJIMA_FIELD_TIER = 15,
    DOJIMA_FIELD_MODE = 16,
    DOJIMA_FIELD_NAME = 17,
    DOJIMA_FIELD_VALUE = 18,
};

/* Which members of a result are set: bits. */
enum dojima_result_said {
    DOJIMA_SAID_GOT = 1,
    DOJIMA_SAID_NEED = 2,
    DOJIMA_SAID_ID = 4, /* orig_client_id is the id that came */
};

/* A warning of an accepted item. */
enum dojima_result_warning {
    DOJIMA_WARNING_NONE = 0,
    DOJIMA_WARNING_STOP_BEYOND_LIQUIDATION = 1,
};

/* Why the insurance fund did not take a position over: bits. */
enum dojima_fund_refusal {
    DOJIMA_FUND_NO_SYMBOL_BUDGET = 1,
    DOJIMA_FUND_NO_TOTAL_BUDGET = 2,
    DOJIMA_FUND_NO_MONEY = 4,
    DOJIMA_FUND_NO_INVENTORY = 8,
    DOJIMA_FUND_NO_CARRY = 16,
};

struct dojima_event {
    uint16_t kind;   /* enum dojima_event_kind */
    uint16_t bytes;  /* of the whole record */
    uint8_t  market; /* enum dojima_market_kind, or 0 */
    uint8_t  reserved[3];
};

/* An order's whole state after a change; the last one of an order has an end status. */
struct dojima_order_changed {
    struct dojima_event     head;
    uint64_t                order_id, account_id;
    uint32_t                symbol_id;
    uint8_t                 side, type, time_in_force, status;
    uint8_t                 exec_type, reason, reserved[6]; /* enum dojima_exec_type, enum dojima_end_reason */
    struct dojima_client_id client_id;
    int64_t                 price;                    /* 0 = not given (market without bound) */
    int64_t                 quantity;                 /* origQty; 0 for an order by funds */
    int64_t                 funds;                    /* quote units; 0 = not by funds */
    int64_t                 executed, executed_value; /* base, quote */
    int64_t                 frozen;                   /* locked for the rest, in the coin spent */
    int64_t                 created_ms, updated_ms;
};

/* First event of every command that was applied. */
struct dojima_command_began {
    struct dojima_event head;
    uint64_t            seq;
    int64_t             time_ms;
    uint64_t            origin; /* zeroed before hashing */
    uint16_t            command_kind, reserved;
    uint32_t            account_id; /* the account of an accepted command of a user; else 0 */
};

/* The command itself was refused: nothing ran, it is no transaction, no RESULT follows. Its nonce is unused. */
struct dojima_refused {
    struct dojima_event head;
    uint16_t            reject;       /* see dojima_reject_name */
    uint16_t            nonce_reason; /* enum dojima_nonce_reason when reject is BAD_NONCE */
    uint32_t            same_payload; /* 1: this very payload was executed under the nonce, as command `used_seq` */
    uint64_t            used_seq;
    uint64_t            nonce;    /* the value that was sent */
    uint64_t            smallest; /* BAD_NONCE, too small: the smallest one stored */
};

/* One per item of a batch, in item order (I3); one with index 0 for a command without items. */
struct dojima_result {
    struct dojima_event head;
    uint16_t            index;   /* item number from 0 */
    uint16_t            reject;  /* see dojima_reject_name; 0 = accepted */
    uint8_t             status;  /* enum dojima_order_status after the item, 0 when there is none */
    uint8_t             field;   /* enum dojima_item_field */
    uint8_t             said;    /* enum dojima_result_said: which of the following members are set */
    uint8_t             warning; /* enum dojima_result_warning of an accepted item */
    uint64_t order_id;           /* 0 when rejected without one. A transfer: its id; deposit and account: the account */
    struct dojima_client_id client_id;      /* echo of the item's */
    struct dojima_client_id orig_client_id; /* cancel: the order's own id; DOJIMA_SAID_ID: the id that came */
    struct dojima_decimal   got, need;      /* the value that was sent, and the value that was required */
};

/* The public trade. */
struct dojima_traded {
    struct dojima_event head;
    uint64_t            trade_id;
    uint32_t            symbol_id;
    uint8_t             taker_side;
    uint8_t             self; /* 1: both accounts belong to one user (ruling 71) */
    uint8_t             reserved[2];
    int64_t             price, quantity, value; /* value: quote units, the integer both sides moved */
    uint64_t            buyer_account_id, seller_account_id;
    int64_t             time_ms;
};

/* One side of a trade, as its account sees it; two per trade, maker first. */
struct dojima_filled {
    struct dojima_event     head;
    uint64_t                trade_id, order_id, account_id;
    uint32_t                symbol_id;
    uint8_t                 side, is_maker;
    uint8_t                 reason; /* enum dojima_end_reason: LIQUIDATION, TAKEOVER, ADL; 0 = a trade like any */
    uint8_t                 self;   /* 1: both accounts belong to one user (ruling 71) */
    struct dojima_client_id client_id;
    int64_t                 price, quantity;
    int64_t                 fee; /* units of fee_coin_id; negative = rebate */
    uint32_t                fee_coin_id, reserved2;
    int64_t                 time_ms;
    uint64_t                liquidation_id; /* the incident that forced it, as in its LIQUIDATION; 0 = none */
};

/*
 * A balance after a change, at most once per (account, coin) and item. head.market is the side (perps: the wallet,
 * which may be below zero, and locked = 0).
 */
struct dojima_balance {
    struct dojima_event head;
    uint64_t            account_id;
    uint32_t            coin_id, reserved;
    int64_t             total, locked;
};

/* The quantity at one price of a book after a change; 0 = the level is gone. update_id rises by one each time. */
struct dojima_level_changed {
    struct dojima_event head;
    uint32_t            symbol_id;
    uint8_t             side, reserved[3];
    int64_t             price, quantity;
    uint64_t            update_id;
};

struct dojima_account_opened {
    struct dojima_event   head;
    uint64_t              account_id, user_id;
    struct dojima_address owner;
    uint32_t              is_primary;
};

/* A user's tiers on one market changed (UTC day roll, operator). */
struct dojima_fee_tier {
    struct dojima_event head;
    uint64_t            user_id;
    uint8_t             tier, staking, rebate, reserved[5];
};

/* An account's scheduled cancel changed. fire_ms 0 = none. */
struct dojima_schedule {
    struct dojima_event head;
    uint64_t            account_id;
    int64_t             fire_ms;
    uint32_t            fired_today, fired; /* fired: 1 when this event is the firing itself */
};

/* The EVM ledger balance of an address after a change. */
struct dojima_evm_balance {
    struct dojima_event   head;
    struct dojima_address address;
    uint32_t              coin_id;
    int64_t               amount;
};

/* An API key was registered or revoked. Numbers of keys are never re-used. */
struct dojima_key_changed {
    struct dojima_event     head;
    uint64_t                account_id, user_id;
    struct dojima_client_id name;
    uint8_t                 key_type, revoked, reserved[6];
    uint32_t                key_id;
    struct dojima_address   public_key;
    int64_t                 expires_ms;  /* 0 = never */
    uint64_t                permissions; /* disable mask (wire 0.6) */
};

/*
 * A movement of money between the parts of the exchange, in or out: one event per movement, for receipts. A transfer
 * between spot and perps has two, out of one side (…_WITHDRAW) and into the other (…_DEPOSIT), with one number;
 * head.market is the side of the movement.
 */
struct dojima_transferred {
    struct dojima_event   head;
    uint64_t              number;      /* of the transfer, from 1, over all kinds (ruling 38) */
    uint64_t              account_id;  /* the account; 0 for a redemption */
    uint64_t              transfer_id; /* of the request, 0 for deposits and redemptions */
    struct dojima_address address;     /* owner */
    uint32_t              coin_id;
    int64_t               amount;
    uint8_t               type; /* enum dojima_transfer_type */
    uint8_t               reserved[7];
    int64_t               time_ms;
};

struct dojima_time_advanced {
    struct dojima_event head;
    int64_t             offset_ms;
};

/* An operator halted a symbol, or lets it trade. */
struct dojima_symbol_changed {
    struct dojima_event head;
    uint32_t            symbol_id;
    uint8_t             status, reserved[3]; /* enum dojima_symbol_status */
};

/* An operator set another mode of the venue; SYMBOL and PHASE still carry each symbol's own. */
struct dojima_mode_changed {
    struct dojima_event head;
    uint8_t             mode, before; /* enum dojima_venue_mode */
    uint8_t             reserved[6];
};

/*
 * An order of the perps side: the members of every order, and those of perps. `base.head.kind` is PERPS_ORDER;
 * `base.frozen` is 0, because the amount frozen for an order depends on the mark; the reads compute it.
 */
struct dojima_perps_order_changed {
    struct dojima_order_changed base;
    int64_t                     stop_price;            /* 0 = not a stop */
    uint64_t                    position_id;           /* a TP/SL is tied to, 0 = none */
    uint64_t                    primary_order_id;      /* parent of an attached stop */
    uint64_t                    attached_order_ids[2]; /* children of a bracket's parent */
    uint8_t                     modifier, stop_type, trigger_type, reduce_only;
    uint8_t                     triggered, reserved[3]; /* 1: the condition has been met */
};

/* A position after a change; the last one of a position has size 0. */
struct dojima_position_changed {
    struct dojima_event head;
    uint64_t            account_id, position_id;
    uint32_t            symbol_id, leverage;
    uint8_t             margin_mode, reason; /* enum dojima_margin_mode; enum dojima_end_reason once it is closed */
    uint8_t             taken_over, reserved[5];
    int64_t             size;                /* signed */
    int64_t             cost_low, cost_high; /* signed C, 128 bits, low half first */
    int64_t             bucket;
    int64_t  open_value, closed_size, close_value; /* cumulative: cumOpenCost, cumClosedSize, and their notional */
    int64_t  fees, max_size, realized;             /* realized: net of fees, funding and liquidation loss */
    int64_t  take_over_price;
    int64_t  created_ms, updated_ms;
    uint64_t liquidation_id; /* the incident that ended it, as in its LIQUIDATION; 0 = none */
};

/* Leverage or margin mode of an account on a symbol. */
struct dojima_leverage_changed {
    struct dojima_event head;
    uint64_t            account_id;
    uint32_t            symbol_id, leverage;
    uint8_t             margin_mode, reserved[7];
};

/* Prices and rates of a symbol after a TICK; only when something changed. */
struct dojima_price_changed {
    struct dojima_event head;
    uint32_t            symbol_id;
    uint8_t             state, reserved[3]; /* enum dojima_oracle_state */
    int64_t             index, mark;
    int64_t             funding_rate; /* the hour's prediction, 1e-12 */
    int64_t             next_funding_ms;
    int64_t             open_interest; /* base units */
    int64_t             held;          /* the median of a jump that is held back (mechanics 3.8), 0 = none */
};

/* Funding that one position paid (> 0) or received (< 0) at an hour. */
struct dojima_funded {
    struct dojima_event head;
    uint64_t            account_id, position_id;
    uint32_t            symbol_id, reserved;
    int64_t             payment; /* vUSDC units */
    int64_t             rate;    /* 1e-12 */
    int64_t             time_ms;
};

/* How far a perps symbol is from open to all (mechanics 3.15). */
struct dojima_phase_changed {
    struct dojima_event head;
    uint32_t            symbol_id;
    uint8_t             phase, reserved[3]; /* enum dojima_symbol_phase */
    int64_t             at_ms;              /* announced instant, 0 = none */
    int64_t             price;              /* of the settlement, 0 before it */
};

/*
 * A risk unit entered or left liquidation, or went a stage further (mechanics 3.11). symbol_id 0: the cross account.
 * Right behind it stand its positions as they were at that moment, `positions` times UNIT_POSITION; none once it is
 * healthy.
 */
struct dojima_unit_stage {
    struct dojima_event head;
    uint64_t            account_id;
    uint32_t            symbol_id;
    uint8_t             stage, positions, reserved[2]; /* enum dojima_liquidation_stage */
    int64_t             equity, maintenance;           /* vUSDC units */
    int64_t             time_ms;
    uint64_t            liquidation_id; /* from 1; the same from entry to release of one unit */
    int64_t             wallet;         /* of the account, vUSDC units */
};

/* A position of the unit whose stage the UNIT event before it announces. */
struct dojima_unit_position {
    struct dojima_event head;
    uint64_t            liquidation_id, account_id, position_id;
    uint32_t            symbol_id;
    uint8_t             margin_mode, reserved[3]; /* enum dojima_margin_mode */
    int64_t             size;                     /* signed */
    int64_t             mark, liquidation_price;  /* liquidation_price 0 = none */
};

/* The venue's own state: the fund went below zero, or is whole again. */
struct dojima_venue_changed {
    struct dojima_event head;
    uint8_t             insolvent, reserved[7];
    int64_t             fund; /* wallet of the insurance fund */
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
struct dojima_liquidated {
    struct dojima_event head;
    uint64_t            receipt_id, liquidation_id, account_id, position_id;
    uint32_t            symbol_id;
    uint8_t             stage, margin_mode, side,
        round; /* enum dojima_liquidation_stage, margin_mode; of the closing order; from 1 in the TICK */
    uint8_t index_state, refusal,
        reserved[2];     /* enum dojima_oracle_state; ADL: enum dojima_fund_refusal, 0 = the fund was not considered */
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
struct dojima_adl_ranked {
    struct dojima_event head;
    uint64_t            receipt_id, account_id, position_id;
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
struct dojima_fund_changed {
    struct dojima_event head;
    uint32_t            symbol_id, reserved;
    int64_t             time_ms, day_ms; /* day_ms: start of the UTC day that the losses are of */
    int64_t             wallet, equity;  /* of the whole fund, in every row */
    int64_t             size;            /* signed; 0 for the whole */
    int64_t inventory, inventory_limit;  /* notional at mark; of the whole fund: the sum, and the most that its equity
                                            supports. 0 = no limit */
    int64_t loss, loss_limit;            /* charged today, and the most that may be */
    int64_t beyond; /* lost today where no other party could bear more (mechanics 3.12, 5); no limit */
};

struct dojima_index_source {
    int64_t price, perp_mid; /* last post; price 0 = it never posted */
    int64_t posted_ms;
    uint8_t valid, reserved[7]; /* 1: it counted in this TICK */
};

struct dojima_index_composed {
    struct dojima_event head;
    uint32_t            symbol_id;
    uint8_t             state, reserved[3]; /* enum dojima_oracle_state */
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
    struct dojima_index_source sources[DOJIMA_INDEX_SOURCES_MAX];
};

#endif
