/* SPDX-License-Identifier: MIT */
/*
 * truth.h — the state of the exchange, from events alone, kept over all lives of a world: rows in the order in which
 * they happened, each with its command. Messages and replies are compared with it.
 */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "model/commands.h"
#include "model/events.h"
#include "world.h"

#define TRUTH_SPOT   2 /* symbols of each market */
#define TRUTH_PERPS  1
#define TRUTH_COINS  3
#define TRUTH_LEVELS 256 /* of a side, more than the pool of levels has */
#define TRUTH_ORDERS 320 /* open ones of an account */

/* Each row begins with the number of its command, which rises. */
struct rows {
    uint8_t *at;
    uint32_t count, cap, bytes;
};

struct level_row {
    uint64_t             seq;
    struct level_changed level;
};
struct trade_row {
    uint64_t      seq;
    struct traded trade;
};
struct fill_row {
    uint64_t      seq;
    struct filled fill;
};
struct price_row {
    uint64_t             seq;
    struct price_changed price;
};
struct told_unit {
    uint64_t          seq;
    struct unit_stage unit;
};
/* `made`: the composition of index and mark in the last event before the receipt. */
struct receipt_row {
    uint64_t              seq;
    struct liquidated     receipt;
    struct index_composed made;
};
struct balance_row {
    uint64_t seq;
    uint32_t coin_id;
    int64_t  total, locked;
};
struct position_row {
    uint64_t seq;
    uint64_t id;
    uint32_t symbol_id;
    int64_t  size;
};
/* A change of an order, or one of the executions that led to it;
   `fill` is its trade, if it has one (trade_id 0: none). */
struct order_row {
    uint64_t                   seq;
    struct perps_order_changed order;
    struct filled              fill;
    bool                       is_state;
};
/* Rows that became valid together: their last command, and the last block then. */
struct batch_row {
    uint64_t seq, height;
    int64_t  time_ms;
};

struct symbol_truth {
    struct rows levels, trades, prices, receipts;
};
struct account_truth {
    struct rows orders, fills, balances, positions, units;
};

/* NULL: not one that is looked at. */
struct symbol_truth  *truth_symbol(uint8_t market, uint32_t symbol_id);
struct account_truth *truth_account(uint8_t market, uint64_t account_id);
const struct rows    *truth_batches(void);

static inline const void *row_at(const struct rows *rows, uint32_t i) { return rows->at + (size_t)i * rows->bytes; }
static inline uint64_t    row_seq(const struct rows *rows, uint32_t i) { return *(const uint64_t *)row_at(rows, i); }
/* The first row behind a command; rows->count: there is none. */
uint32_t rows_behind(const struct rows *rows, uint64_t seq);

/* The batch that a command belongs to; the end of the last whole one. */
const struct batch_row *truth_batch_of(uint64_t seq);
uint64_t                truth_whole(void);

/* ---- what happens ---- */
void truth_begin(bool kept); /* another world; `kept`: whether clients compare with the rows */
bool truth_is_kept(void);
void truth_keep(uint64_t last_seq); /* commands after this one have not happened, or are lost */
void truth_genesis(const struct events *events);
void truth_applied(const struct command *command, const struct events *events);
void truth_batch_ends(const uint64_t *height); /* NULL: it made no block */

/* ---- a book, going forward through its rows ---- */
struct truth_level {
    int64_t price, quantity;
};
struct ladder {
    struct truth_level levels[2][TRUTH_LEVELS];
    uint32_t           count[2];
    uint64_t           update_id;
    uint32_t           row;
};

void ladder_clear(struct ladder *ladder);
/* Quantity 0 takes a level away. */
void ladder_set(struct ladder *ladder, bool asks, int64_t price, int64_t quantity);
/* Goes on to an update id; false: there is no such, or it lies behind. */
bool ladder_reach(struct ladder *ladder, const struct rows *levels, uint64_t update_id);
/* The best `most` levels of both are the same. */
bool ladder_equal(const struct ladder *a, const struct ladder *b, uint32_t most);

/* ---- an account, likewise ---- */
struct standing {
    uint64_t seq;
    uint32_t balance, order, position; /* rows that it has seen */
    struct {
        bool    held;
        int64_t total, locked;
    } coins[TRUTH_COINS];
    struct {
        uint64_t id;
        int64_t  size;
    } positions[TRUTH_PERPS];
    struct perps_order_changed open[TRUTH_ORDERS];
    uint32_t                   open_count;
};
void standing_reach(struct standing *standing, const struct account_truth *account, uint64_t seq);

#endif
