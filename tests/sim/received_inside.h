/* SPDX-License-Identifier: MIT */
/* received_inside.h — shared by the judges of messages. */
#ifndef SIM_RECEIVED_INSIDE_H
#define SIM_RECEIVED_INSIDE_H

#include "model/enums.h"
#include "received.h"

/* ---- received.c ---- */

#define COIN_DIGITS 6 /* of deposits: vUSDC */
extern const uint32_t coin_digits[TRUTH_COINS];

struct symbol_row {
    uint8_t     market;
    uint32_t    id;
    const char *name;
    uint32_t    price_digits, quantity_digits;
};
const struct symbol_row *row_of(uint8_t market, uint32_t id);
/* A client has seen that command. */
void was_received(uint64_t seq);
void received_wrong(const struct received *received, const char *what, struct slice data);

/* Rows that are sent one by one, none left out, none twice; of all symbols where `symbol` is NULL. */
typedef bool     row_is_same(const struct received *received, const void *row, struct slice data);
typedef uint32_t row_symbol(const void *row);
void             judge_row(struct received *received, const struct rows *rows, struct slice data, row_is_same *same,
                           row_symbol *symbol);
bool rows_are_whole(const struct received *received, const struct rows *rows, row_symbol *symbol, uint64_t seq);

/* ---- received_json.c ---- */

uint32_t json_count(struct slice array);
/* A decimal in quotes, in units of so many digits; false: it is none. */
bool read_units(struct slice value, uint32_t digits, int64_t *units);
bool says(struct slice object, const char *key, int64_t units, uint32_t digits);
bool says_name(struct slice object, const char *key, const struct enum_name *names, uint8_t value);
bool says_bool(struct slice object, const char *key, bool value);

/* ---- received_market.c, received_accounts.c, received_receipts.c: of each channel ---- */

void judge_l4(struct received *received, struct slice data, bool snapshot);
bool l4_is_whole(struct received *received, uint64_t seq);
void judge_l2(struct received *received, struct slice data, bool snapshot);
bool l2_is_whole(struct received *received, uint64_t seq);
void judge_trades(struct received *received, struct slice data, bool snapshot);
bool trades_are_whole(struct received *received, uint64_t seq);
void judge_best(struct received *received, struct slice data, bool snapshot);
bool best_is_whole(struct received *received, uint64_t seq);
void judge_mark(struct received *received, struct slice data, bool snapshot);
bool mark_is_whole(struct received *received, uint64_t seq);
void judge_receipts(struct received *received, struct slice data, bool snapshot);
bool receipts_are_whole(struct received *received, uint64_t seq);
void judge_read_receipts(struct received *received, struct slice data);
void judge_read_book(struct received *received, struct slice data);

void judge_state(struct received *received, struct slice data, bool snapshot);
bool state_is_whole(struct received *received, uint64_t seq);
void judge_update(struct received *received, struct slice data, bool snapshot);
bool updates_are_whole(struct received *received, uint64_t seq);
void judge_orders(struct received *received, struct slice data, bool snapshot);
bool orders_are_whole(struct received *received, uint64_t seq);
void judge_fills(struct received *received, struct slice data, bool snapshot);
bool fills_are_whole(struct received *received, uint64_t seq);
void judge_units(struct received *received, struct slice data, bool snapshot);
bool units_are_whole(struct received *received, uint64_t seq);

#endif
