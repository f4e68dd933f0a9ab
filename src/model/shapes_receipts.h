/* SPDX-License-Identifier: MIT */
/*
 * shapes_receipts.h — records that document the venue's decisions: composition of index and mark, receipts of
 * liquidations with the ranking of an ADL, the insurance fund. Rows in shapes_receipts.c.
 */
#ifndef MODEL_SHAPES_RECEIPTS_H
#define MODEL_SHAPES_RECEIPTS_H

#include "model/shapes_reply.h"

/* ---- query parameters ---- */

struct receipts_query {
    uint64_t            account_id, liquidation_id, from_id;
    struct name         symbol;
    uint32_t            limit;
    struct optional_u64 start_ms, end_ms;
};
struct ranking_query {
    uint64_t            receipt_id;
    struct optional_u64 from_rank;
    uint32_t            limit;
};

/* ---- index and mark ---- */

enum index_source_type { SOURCE_FEEDER = 1, SOURCE_HAND = 2, SOURCE_SPOT_BOOK = 3 };
struct index_source_record {
    uint8_t             type;
    struct address      feeder;
    struct name         symbol; /* SPOT_BOOK: of the spot market */
    uint32_t            weight;
    struct decimal      price, perp_mid;
    int64_t             updated_ms;
    struct optional_u64 age_ms;
    bool                valid;
};

#define SOURCES_SHOWN_MAX 18 /* feeders, by hand, the spot book */
struct composition_record {
    struct name    symbol;
    uint64_t       symbol_id;
    uint8_t        state;
    bool           held_back;
    struct decimal index, mark, median, held_price;
    uint32_t       held_count, held_need, valid_count, quorum;
    int64_t        time_ms;
    struct list    sources;
    struct decimal bid, ask, last, perp_mid, by_basis, by_book, by_feeders, raw;
};

/* ---- receipts ---- */

struct refusal_record {
    uint8_t reason;
}; /* bare */

struct ranked_record {
    uint64_t       receipt_id;
    uint32_t       rank, group;
    struct hash256 account;
    bool           fund;
    struct decimal score, leverage, size, bears, taken, value;
    bool           reached;
};

struct receipt_record {
    uint64_t       receipt_id, liquidation_id, symbol_id, block;
    struct name    symbol;
    int64_t        time_ms;
    struct hash256 transaction, account;
    bool           fund;
    uint8_t        stage, margin_mode, side, index_state;
    uint32_t       round, candidates;
    struct decimal size_before, quantity, wanted, limit;
    struct decimal equity, maintenance, equity_worse, own_maintenance, share;
    struct decimal mark, index, worse, bankruptcy_price, price, value, slippage;
    struct decimal charge, symbol_left, total_left, inventory, inventory_limit, fund_carries, fund_equity, fund_before,
        fund_after;
    struct list               refusal;
    struct composition_record composition;

    /* of the account that reads its own */
    uint8_t     role;
    uint64_t    account_id, position_id;
    struct list own; /* its row of the ranking */
};

/* ---- the fund ---- */

struct fund_symbol_record {
    struct name    symbol;
    uint64_t       symbol_id;
    struct decimal size, inventory, inventory_limit, loss, loss_limit, beyond;
};
struct fund_day_record {
    int64_t        day_ms;
    struct decimal begin, end, paid, received, loss, beyond;
};
struct fund_record {
    struct name    coin;
    struct decimal balance, equity, inventory, inventory_limit, loss, loss_limit, beyond;
    bool           insolvent;
    int64_t        day_ms, updated_ms, block_time;
    uint64_t       block_height;
    struct list    symbols, days;
};

extern const struct enum_name index_source_names[], fund_refusal_names[], receipt_role_names[],
    liquidation_stage_names[];
extern const struct shape receipts_query_shape, own_receipts_query_shape, ranking_query_shape;
extern const struct shape index_source_shape, composition_shape, refusal_shape, ranked_shape, receipt_shape,
    own_receipt_shape, fund_symbol_shape, fund_day_shape, fund_shape;

#endif
