/* SPDX-License-Identifier: MIT */
/*
 * genesis.h — what the exchange is before its first command: chain ids, coins, markets, fee tables,
 * rules, pool sizes and the first accounts. It is the first record of the log, as canonical JSON
 * printed and read by the shape rows of shapes_genesis.c, so a data folder explains itself.
 *
 * The configuration file of `dojima serve` is the same rows in INI form (app/config_rows.c).
 */
#ifndef MODEL_GENESIS_H
#define MODEL_GENESIS_H

#include "model/contract.h"
#include "model/decimal.h"
#include "model/enums.h"
#include "model/text.h"

#define COINS_MAX            64  /* an account remembers with one bit each which coins it ever held */
#define SYMBOLS_MAX          128 /* spot */
#define PERPS_MAX            64  /* one bit each in a word */
#define CHAIN_IDS_MAX        4
#define FEE_TIERS_MAX        8
#define GENESIS_ACCOUNTS_MAX 256
#define FEE_DAYS             14 /* volume window of the fee tiers, completed UTC days */

#define PRICE_MAX    1000000000000000 /* 10^15 (mechanics 1.1) */
#define QUANTITY_MAX 999999999999999  /* below 10^15 */
#define AMOUNT_MAX   (INT64_C(1) << 62)

#define ACCOUNT_FUND   1 /* insurance fund (ruling 30) */
#define ACCOUNT_FEES   2 /* fee vault */
#define ACCOUNT_BRIDGE 999
#define ACCOUNT_FIRST  1001 /* first id of a user */

#define COIN_MARGIN 0 /* vUSDC, the only coin of the perps side (ruling 39) */

struct coin {
    struct name name;
    uint32_t    id;        /* its index in genesis.coins */
    uint32_t    precision; /* 0 .. 8 */
};

/*
 * A symbol. Prices are in units of 10^-price_precision, quantities of 10^-quantity_precision,
 * notionals in units of the quote coin, ratios and rates of 1e-8. A bound of 0 is no bound.
 */
struct symbol {
    struct name name, display_name;
    uint32_t    id; /* from 1, its index in its market + 1 */
    uint32_t    base_coin_id, quote_coin_id;
    uint32_t    price_precision, quantity_precision;
    uint8_t     market, status, reserved[2];
    int64_t     tick_size, min_price, max_price;
    int64_t     step_size, min_quantity, max_quantity;
    int64_t     market_min_quantity, market_max_quantity;
    int64_t     min_notional, max_notional;
    int64_t     buy_limit_up_ratio, sell_limit_down_ratio, market_deviation_ratio;
    int64_t     maker_fee, taker_fee, fee_discount;
    int64_t     reference_price; /* listingReferencePrice; 0 = none */
};

struct fee_row {
    int64_t volume, maker, taker;
}; /* volume: vUSDC units; rates 1e-8 */

struct fee_table {
    uint32_t       tier_count, staking_count, rebate_count, reserved;
    struct fee_row tiers[FEE_TIERS_MAX];            /* ascending volume, first is 0 */
    int64_t        staking_discount[FEE_TIERS_MAX]; /* 1e-8 */
    int64_t        rebate_share[FEE_TIERS_MAX];     /* share of maker volume, 1e-8 */
    int64_t        rebate_rate[FEE_TIERS_MAX];      /* 0 = none, else negative, 1e-8 */
};

enum stp_scope { STP_ACCOUNT = 1, STP_USER = 2, STP_NONE = 3 };
enum client_id_reuse { REUSE_FINISHED = 1, REUSE_FILLED = 2 };
enum bracket_mode { BRACKET_PROTECT = 0, BRACKET_ANCHOR = 1 }; /* children wake with the first fill, or with the last */
#define JUMP_TICKS_MAX      1000
#define AVERAGE_TICKS_MAX   86400
#define TAKE_OVER_WHOLE_MAX 1000
enum adl_mode { ADL_FIFTHS = 0, ADL_QUEUE = 1 }; /* shared inside a fifth, or one after the other */

/* Rules that are settings (mechanics 11, rulings 10, 54). */
struct rules {
    uint8_t  stp_scope;                 /* enum stp_scope */
    uint8_t  client_id_reuse;           /* enum client_id_reuse */
    uint8_t  replace_keeps_place;       /* 1: a pure decrease keeps its place in the queue */
    uint8_t  nonce_floor_when_full;     /* 1: "above the smallest" only once 100 are stored */
    uint8_t  strict_position_side;      /* 1: LONG and SHORT in a request are refused (mechanics 3.1) */
    uint8_t  bracket_mode;              /* enum bracket_mode (mechanics 4.3) */
    uint8_t  dms_keeps_stops;           /* 1: a scheduled cancel leaves reduce-only stops (mechanics 6) */
    uint8_t  adl_mode;                  /* enum adl_mode (mechanics 3.12) */
    uint32_t open_orders_per_account;   /* 0 = no limit */
    uint32_t schedule_triggers_per_day; /* 10 */

    /* perps (mechanics 11) */
    uint32_t armed_stops_per_account; /* 100 */
    uint32_t triggers_per_command;    /* 10 000 (ruling 61) */
    uint32_t liquidations_per_tick;   /* 1 000 units */
    uint32_t stop_retry_ticks;        /* 60, at most 255 */
    uint32_t oracle_quorum;           /* feeders needed for an index */
    uint32_t oracle_stale_ms;         /* 60 000 */
    int64_t  oracle_jump_ratio;       /* 0.10, 1e-8 */
    int64_t  liquidation_buffer;      /* beta 0.10 */
    int64_t  liquidation_slippage;    /* 0.02 */
    int64_t  fund_loss_ratio;         /* 0.20 of the fund per symbol and UTC day */
    int64_t  liquidation_fee;         /* 0: the fund's share of a liquidation's traded value, 1e-8 */
    int64_t  fund_fee_share;          /* 0: of the perps fees, to the fund, 1e-8 */

    /* settlement (mechanics 3.15); 0 in logs that are older: the defaults of core/engine/settle.h */
    uint32_t settlement_notice_ms; /* 86 400 000; at least the window */
    uint32_t settlement_window_ms; /* 3 600 000, whole seconds */
    uint32_t settlements_per_tick; /* 2 000 orders and pairs of positions */

    /* of these 0 means the default, because logs that are older do not have them (rules_complete) */
    uint32_t oracle_jump_ticks;               /* 3 aggregations in a row believe a jump */
    uint32_t mark_average_ticks;              /* 150: time constant of the mark's average */
    uint32_t premium_sample_ms;               /* 5 000 */
    uint32_t take_over_part, take_over_whole; /* 2 of 3: taken over below that part of the maintenance margin */
    int64_t  fund_total_ratio;                /* 0.20 of the fund for all symbols and UTC day (ruling 66) */
};

/* Pool sizes (ruling 50). Full pools are answered with CAPACITY, so they are part of the log. */
struct limits {
    uint32_t accounts;  /* users' accounts */
    uint32_t orders;    /* open orders */
    uint32_t levels;    /* prices with orders, over all books */
    uint32_t signers;   /* nonce sets */
    uint32_t deposits;  /* ids of operators remembered */
    uint32_t keys;      /* addresses that are or were API keys */
    uint32_t transfers; /* transfer ids remembered, over all accounts */
    uint32_t positions; /* perps positions, and settings that differ */
    uint32_t burnt_ids; /* with clOrdIDReuse = filled: ids that are spent, and open orders */
    uint32_t reserved;
};

/*
 * The pools by number, as commands that raise one name them; never re-used. A row: number, name in the configuration
 * and for operators, member. An operator raises a pool to at most POOL_PLACES_MAX places.
 */
#define POOL_PLACES_MAX 100000000
#define POOLS(X)                                                                                                       \
    X(1, ACCOUNTS, "accounts", accounts)                                                                               \
    X(2, ORDERS, "orders", orders)                                                                                     \
    X(3, LEVELS, "levels", levels)                                                                                     \
    X(4, SIGNERS, "signers", signers)                                                                                  \
    X(5, DEPOSITS, "deposits", deposits)                                                                               \
    X(6, KEYS, "keys", keys)                                                                                           \
    X(7, TRANSFERS, "transfers", transfers)                                                                            \
    X(8, POSITIONS, "positions", positions)                                                                            \
    X(9, CLIENT_IDS, "clientIds", burnt_ids)
enum limit_pool {
#define X(number, NAME, name, member) POOL_##NAME = number,
    POOLS(X)
#undef X
};
#define LIMITS 10 /* an entry for each pool, and one for none */

/* The places of a pool; 0 of a number that is none. */
static inline uint32_t limits_get(const struct limits *limits, uint8_t pool)
{
    switch (pool) {
#define X(number, NAME, name, member)                                                                                  \
    case POOL_##NAME: return limits->member;
        POOLS(X)
#undef X
    default: return 0;
    }
}

static inline void limits_set(struct limits *limits, uint8_t pool, uint32_t places)
{
    switch (pool) {
#define X(number, NAME, name, member)                                                                                  \
    case POOL_##NAME: limits->member = places; return;
        POOLS(X)
#undef X
    default: return;
    }
}

struct genesis_account {
    struct address owner;
    uint32_t       spot_count;      /* of spot[] that are written down: the highest coin id with money + 1 */
    int64_t        spot[COINS_MAX]; /* opening balances by coin id, in coin units */
    int64_t        perps;           /* opening balance of the perps wallet, vUSDC units */
};

/* Who may post index prices, and how much its word weighs (mechanics 3.8). */
#define FEEDERS_MAX 15
struct feeder {
    struct address address;
    uint32_t       weight;
}; /* weight 1 .. FEEDER_WEIGHT_MAX */
#define FEEDER_WEIGHT_MAX 1000000

struct genesis {
    uint64_t         chain_ids[CHAIN_IDS_MAX]; /* the first is the node's own; 0 = unused */
    int64_t          time_ms;                  /* creation */
    uint32_t         development;              /* 1: dojima dev */
    uint32_t         coin_count, spot_count, account_count;
    uint32_t         perps_count, feeder_count;
    uint32_t         prices_by_hand, reserved; /* 1: development, reference prices count as set by hand (ruling 77) */
    struct limits    limits;
    struct rules     rules;
    struct fee_table spot_fees, perps_fees; /* perps: no tiers in logs that are older */
    struct coin      coins[COINS_MAX];
    struct symbol    spot[SYMBOLS_MAX];
    struct symbol    perps[PERPS_MAX];
    struct contract  contracts[PERPS_MAX]; /* of perps[i] */
    struct feeder    feeders[FEEDERS_MAX];
    int64_t          fund; /* the insurance fund's opening wallet */
    struct genesis_account accounts[GENESIS_ACCOUNTS_MAX];
    uint32_t               backfill_minutes; /* development: bars of so long before the beginning (decision 628) */
    uint32_t               reserved2;
    uint64_t               backfill_seed;
    uint64_t               table_secret[2]; /* of the tables over what clients choose; 0, 0: development, older logs */
};
#define BACKFILL_MINUTES_MIN 60
#define BACKFILL_MINUTES_MAX (366 * 1440)

/* k of mechanics 1.2 for a symbol: precision(quote) - pricePrecision - quantityPrecision. */
static inline int symbol_notional_power(const struct symbol *symbol, const struct coin *quote)
{
    return (int)quote->precision - (int)symbol->price_precision - (int)symbol->quantity_precision;
}

/* The chain ids of the public venue; a signature for one of them is valid there too (ruling 8). */
#define PUBLIC_CHAIN      286623
#define PUBLIC_CHAIN_TEST 138565
static inline bool is_public_chain(uint64_t chain_id)
{
    return chain_id == PUBLIC_CHAIN || chain_id == PUBLIC_CHAIN_TEST;
}

#endif
