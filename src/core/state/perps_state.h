/* SPDX-License-Identifier: MIT */
/* SPDX-License-Identifier: MIT */
#ifndef CORE_STATE_PERPS_STATE_H
#define CORE_STATE_PERPS_STATE_H

#include "model/events.h"
#include "rules/funding.h"
#include "rules/leg.h"
#include "rules/liquidation.h"
#include "rules/margin.h"
#include "rules/price.h"

#define FEEDERS_STATE_MAX 16
#define TRIGGER_KINDS     4 /* by enum trigger_type */
#define RISING            0 /* fires when the reference is at or above */
#define FALLING           1 /* at or below */

/*
 * An account's row in one perps symbol: the position, its settings, and the sums of its open orders. The row stays
 * while any of these differs from a new account's. Cache line by cache line: members that a TICK reads, further ones
 * that orders change, those that only fills change, those of TP/SL and reduce-only orders and of liquidations. What a
 * fill needs besides is in the first line, so that it touches three.
 */
struct position {
    struct exposure exposure;                    /* size, bucket, cost */
    uint32_t        account;                     /* slot */
    uint32_t        next;                        /* of the same account, 0 = last */
    uint8_t         market, mode;                /* number; enum margin_mode */
    uint8_t         stage, leverage;             /* isolated: enum liquidation_stage, 0 = healthy */
    uint32_t        order_count, reducing_count; /* all open; resting reduce-only */
    int32_t         need_rate;                   /* the taker rate that the needs are for */
    int64_t         created_ms;

    /* open orders, derived: the sum of their needs when the worst of their side is `need_at`, as if nothing closed */
    int128_t need[2];    /* by side_index() */
    int64_t  need_at[2]; /* by side_index(): perps_worst_of the side */
    int64_t  volume[2];  /* by side_index(): open quantity of orders that are not reduce-only */

    uint64_t id; /* 0 = no position */
    int64_t  open_value, closed_size, close_value;
    int64_t  fees, max_size, realized;
    int64_t  updated_ms;

    uint64_t liquidation; /* isolated: number of the liquidation it is in, 0 = healthy */
    uint32_t tried;       /* isolated: price step at which its liquidation was last tried */
    uint32_t stop_count;  /* of open orders the stops */
    int64_t  reducing;    /* open quantity of resting reduce-only orders: of buys above zero, of sells below */
    uint32_t reserved[10];
};
static_assert(LEVERAGE_MAX <= UINT8_MAX, "a byte holds a leverage");
static_assert(offsetof(struct position, need) == 64 && offsetof(struct position, id) == 128
                  && offsetof(struct position, liquidation) == 192,
              "by cache lines");
static_assert(sizeof(struct position) == 256, "whole cache lines");

/* The TP/SL part of an order, or of the parent of some; in the same slot as its struct order. */
struct stop {
    int64_t  price;       /* stopPrice */
    int64_t  cap;         /* requested quantity; 0 = follows the parent, or the whole position */
    uint64_t position_id; /* position it is tied to, 0 = none */
    uint64_t primary_id;  /* parent order, 0 = none */
    union {
        struct {
            uint32_t left, right;
        };               /* in the tree of its trigger, or in the list of retries */
        uint64_t queued; /* of a reduce-only order that rests, stop or not: the later, the further back in its queue */
    };
    uint32_t parent;                  /* in the tree */
    uint32_t relation[2];             /* a parent's children; a child's parent and sibling; 0 = gone */
    uint8_t  kind, trigger, modifier; /* enum stop_type, trigger_type, order_modifier */
    uint8_t  type;                    /* enum order_type of the order that it becomes */
    uint8_t  retries;                 /* TICKs it has been tried again */
    uint8_t  fresh, reserved[6];      /* 1: fired in this TICK, so it is not tried again in it */
};
static_assert(sizeof(struct stop) <= 64, "an armed stop is three cache lines");

/* A feeder's last word on one symbol. */
struct feeder_post {
    int64_t price, perp_mid, posted_ms;
};

/* Prices of a book times the milliseconds for which it stood, and these (ruling 67; inputs.h). */
struct standing_sums {
    int128_t bid, ask, mid;
    int64_t  bid_ms, ask_ms, mid_ms; /* for so long the side, or both, had the depth */
    int64_t  ms;                     /* counted in all */
    uint64_t read;                   /* 1: it belongs to the second before */
    uint64_t reserved;
};

/* The own perps book, as it was when it was last looked at. */
struct standing_book {
    struct standing_sums sums;
    uint64_t             revision; /* market.update_id then */
    int64_t              since_ms; /* the values before, already counted */
    int64_t              bid, ask; /* impact prices; 0 = not that deep */
};

/* The spot book that stands in for feeders. */
struct standing_spot {
    struct standing_sums sums; /* mid alone */
    uint64_t             revision;
    int64_t              since_ms;
    int64_t              now; /* its middle in perps price units; 0 = not deep, not narrow */
    uint64_t             reserved;
};

/* Trades of one second: sums of quantity, and of price times quantity. */
#define TRADED_SECONDS 61 /* the second of now and the 60 before it */
struct traded_second {
    int64_t  second;
    uint64_t reserved;
    int128_t quantity, value;
};

/* How far the own spot book may move the index (ruling 68). */
struct drift {
    int64_t  anchor;              /* last LIVE index, or where BOOTSTRAP began; 0 = neither yet */
    int64_t  hour_index, hour_ms; /* where the running hour of the drift began, and when */
    uint64_t was_live;            /* 1: there has been a LIVE index */
};

/* The settlement of a delisted symbol (settle.h): its time, and the inputs of the average of the index. */
struct settlement {
    int128_t sum;                      /* of index times seconds */
    int64_t  at_ms;                    /* announced instant; 0 = none */
    int64_t  seconds;                  /* in the sum */
    int64_t  sampled;                  /* the second that was last looked at */
    int64_t  price;                    /* 0 until it is known */
    uint8_t  phase, step, reserved[6]; /* enum symbol_phase; position of the closing */
    uint32_t at[2];                    /* the accounts it has come to */
};

/*
 * The insurance fund in one symbol (fund_day.h). `cushion`: what units brought along that were taken over here, less
 * what unwinding has spent of it; `gapped`: 1 when some of the position came at a loss. Both are for the position there
 * is.
 */
struct fund_symbol {
    int64_t             loss, beyond; /* of the UTC day */
    int64_t             cushion;
    uint32_t            gapped, reserved;
    struct fund_changed told; /* the last FUND */
};

/*
 * The insurance fund's UTC day: its number, the wallet at its first TICK, charges, and losses that no party could
 * bear.
 */
struct fund_day {
    int64_t day, wallet, loss, beyond;
};

/* A perps symbol beyond its book. */
struct perps_market {
    struct contract contract;
    int64_t         index, mark;        /* 0 = not yet */
    uint8_t         state, reserved[7]; /* enum oracle_state */
    int64_t         index_ms;           /* when the index was last fresh */
    int64_t         held_price;         /* a jump held back, and how often it has been seen */
    uint32_t        held_count, reserved2;
    int64_t         last_between;  /* last price between two users, compared with LAST triggers; 0 = none (ruling 71) */
    int64_t         last_trade_ms; /* when that was */
    int64_t         open_interest;
    int128_t        basis;       /* of the mark's first price */
    int128_t        premium_sum; /* of the hour */
    uint32_t        premium_count, reserved3;
    int64_t         premium_ms;    /* number of the last instant sampled */
    int64_t         funding_hour;  /* hour number last settled */
    int64_t         funding_rate;  /* prediction */
    int64_t         by_hand;       /* development: the index set by hand, 0 = none */
    int128_t        premium_stood; /* premium times ms since the last sample */
    int64_t         premium_stood_ms;
    int64_t         mark_moved; /* how far the mark went in its last step */
    struct standing_book  book;
    struct standing_spot  spot;
    struct drift          drift;
    struct traded_second  traded[TRADED_SECONDS];
    struct settlement     settlement;
    struct feeder_post    posts[FEEDERS_STATE_MAX];
    uint32_t              triggers[TRIGGER_KINDS][2]; /* roots, [enum trigger_type][RISING, FALLING] */
    struct fund_symbol    fund;                       /* actions of the insurance fund in this symbol */
    struct price_changed  told;                       /* the last PRICE */
    struct index_composed made,
        composed; /* composition of the prices: in the last TICK; as last emitted (INDEX_COMPOSED) */
    uint32_t composed_step, reserved4; /* price step at which that was emitted */
};
static_assert(INDEX_SOURCES_MAX == FEEDERS_STATE_MAX, "a source for each place");

/* Fee tiers of one side (mechanics 2.6). */
struct tiers {
    uint8_t tier, staking, rebate;
};

/* The perps side of an account. */
struct margin_account {
    int64_t      wallet;      /* W, vUSDC units; below zero while unrealised profit covers it */
    uint32_t     positions;   /* list of rows */
    uint32_t     stop_count;  /* armed and dormant */
    struct tiers tiers;       /* on perps */
    uint8_t      stage   : 4; /* cross unit: enum liquidation_stage, 0 = healthy */
    uint8_t      touched : 4; /* the wallet changed in this item */
    uint32_t     tried;       /* cross unit: price step at which its liquidation was last tried */
    uint64_t     liquidation; /* cross unit: number of the liquidation it is in, 0 = healthy */
};
static_assert(sizeof(struct margin_account) == 32, "half a cache line, so that it lies in one");

/* ---- room to work in; no state ---- */

struct fired {
    uint64_t id;
    uint32_t ix;
    uint8_t  kind, reserved[3];
};

/* A risk unit to be looked at; market 0: the cross account.
   `liquidation`: the number while it is, which may outlive its row. */
struct unit_entry {
    int128_t equity, maintenance;
    uint32_t slot;
    uint8_t  market, reserved[3];
    uint64_t liquidation;
};

/* Cross figures of an account, summed in the scan with this number. */
struct unit_sum {
    int128_t profit, maintenance;
    uint64_t scan, reserved;
};

/* Somebody on the other side of a position that must go. */
struct candidate {
    int64_t  score, leverage, left, part, size, value, cost, equity;
    uint64_t position_id;
    uint32_t slot, ix, group, reached;
};

#endif
