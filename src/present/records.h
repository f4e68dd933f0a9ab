/* SPDX-License-Identifier: MIT */
/*
 * records.h — from units to the records of wire 1 in decimals. For answers, and for the streams, which push the same
 * facts: nothing is computed twice in two ways.
 */
#ifndef PRESENT_RECORDS_H
#define PRESENT_RECORDS_H

#include "api/api.h"
#include "model/shapes_perps.h"
#include "model/shapes_receipts.h"
#include "model/shapes_statistics.h"

void record_order(const struct views *views, const struct order_changed *order, struct order_record *record);
void record_trade(const struct views *views, const struct traded *trade, struct trade_record *record);
void record_fill(const struct views *views, const struct filled *fill, struct user_trade_record *record);
void record_balance(const struct views *views, const struct view_balance *balance, struct balance_record *record);

/* The last 24 hours of a symbol, and its best prices; the rest of *record is zeroed. */
void record_window(const struct api_shared *shared, const struct symbol *symbol, int64_t now_ms,
                   struct ticker_record *record);
void record_best(const struct api_shared *shared, const struct symbol *symbol, struct ticker_record *record);

/* A bar as a record; its start is the caller's to fill in. */
void record_bar(const struct views *views, const struct symbol *symbol, const struct bar *bar,
                struct kline_record *record);

/* WsPerpsState of an account at this moment; in the thread's own room. */
void perps_state_write(struct api *api, int64_t now_ms, const struct view_account *account, struct out *out);

/* Its open positions, as position_record; and what one of its orders freezes, 0 when it is not open. Likewise. */
struct list perps_positions(struct api *api, const struct view_account *account);
int128_t    perps_order_frozen(struct api *api, const struct view_account *account, uint64_t order_id);
void        record_perps_order(const struct views *views, const struct perps_order_changed *order, int128_t frozen,
                               struct perps_order_record *record);

/* ---- how the venue decided (record_receipts.c) ---- */

/* What index and mark of a symbol are made of; ages are those at now_ms. `sources` is room for its list. */
void record_composition(const struct api_shared *shared, const struct index_composed *made, int64_t now_ms,
                        struct index_source_record sources[SOURCES_SHOWN_MAX], struct composition_record *record);

/* Room for the lists of one receipt. */
struct receipt_room {
    struct index_source_record sources[SOURCES_SHOWN_MAX];
    struct refusal_record      refusals[8];
    struct ranked_record       own;
};
/* A receipt with its composition, block and, of an account's list, what
   only the account may know. 0 or a negative errno of the history. */
int  record_receipt(const struct api_shared *shared, const struct history_receipt *receipt, struct receipt_room *room,
                    struct receipt_record *record);
void record_ranked(const struct api_shared *shared, const struct symbol *symbol, const struct adl_ranked *row,
                   struct ranked_record *record);
/* An account as a receipt shows it to everybody; zero for the fund. */
struct hash256 record_account_hash(const struct api_shared *shared, uint64_t receipt_id, uint64_t account_id);

#endif
