/* SPDX-License-Identifier: MIT */
/*
 * records.h — from units to the records of wire 1 in decimals. For answers, and for the streams, which push the same
 * facts: nothing is computed twice in two ways.
 *
 * Each fills *record from the views, or from an event in units; lists in it point into memory of the caller. None fails
 * unless it returns an errno. Decimals are exact, except a ticker's change in per cent (4 decimals, half away from
 * zero) and averages, half up: the average prices of a position have 4 decimals more than the symbol's prices
 * (mechanics 1.3), that of a ticker has those of the quote coin.
 */
#ifndef PRESENT_RECORDS_H
#define PRESENT_RECORDS_H

#include "model/shapes_perps.h"
#include "model/shapes_receipts.h"
#include "model/shapes_statistics.h"
#include "present/present.h"

/* ---- spot, and records of both markets (record.c) ---- */
void record_symbol(const struct views *views, const struct symbol *symbol, struct spot_symbol_record *record);
void record_order(const struct views *views, const struct order_changed *order, struct order_record *record);
void record_trade(const struct views *views, const struct traded *trade, struct trade_record *record);
void record_fill(const struct views *views, const struct filled *fill, struct user_trade_record *record);
void record_balance(const struct views *views, const struct view_balance *balance, struct balance_record *record);
void record_key(const struct view_key *key, struct api_key_record *record);

/* ---- tickers and bars (record_market.c): of the last 24 hours, the best prices, mark and index; the rest of *record
 * stays ---- */
void record_window(const struct present *present, const struct symbol *symbol, int64_t now_ms,
                   struct ticker_record *record);
void record_best(const struct views *views, const struct symbol *symbol, struct ticker_record *record);
void record_prices(const struct views *views, const struct symbol *symbol, struct ticker_record *record);
/* A bar as a record; its start is the caller's to fill in. */
void record_bar(const struct views *views, const struct symbol *symbol, const struct bar *bar,
                struct kline_record *record);

/* ---- perps (record_perps.c) ---- */
/* A contract is complete; `tiers` is room for its margin tiers. */
void record_contract(const struct views *views, const struct symbol *symbol, const struct contract *contract,
                     struct margin_tier_record tiers[MARGIN_TIERS_MAX], struct perps_symbol_record *record);
void record_mark_price(const struct views *views, const struct symbol *symbol, struct mark_price_record *record);
void record_perps_order(const struct views *views, const struct perps_order_changed *order, int128_t frozen,
                        struct perps_order_record *record);
/* A position that is closed, or of which only what does not depend on the mark is wanted. */
void record_position(const struct views *views, const struct position_changed *position, int128_t cost,
                     struct position_record *record);
void record_funding(const struct views *views, const struct funded *funding, struct funding_record *record);
/* An amount of vUSDC that 64 bits may not hold. */
struct wide_decimal record_money(const struct views *views, int128_t amount);

/* ---- how the venue decided (record_receipts.c) ---- */

/* The composition of index and mark of a symbol; ages are those at now_ms. `sources` has room for its list. */
void record_composition(const struct present *present, const struct index_composed *made, int64_t now_ms,
                        struct index_source_record sources[SOURCES_SHOWN_MAX], struct composition_record *record);

/* Room for the lists of one receipt. */
struct receipt_room {
    struct index_source_record sources[SOURCES_SHOWN_MAX];
    struct refusal_record      refusals[8];
    struct ranked_record       own;
};
/*
 * A receipt with its composition, block and, in an account's list, the members for that account alone. 0 or a negative
 * errno of the history.
 */
int  record_receipt(const struct present *present, const struct history_receipt *receipt, struct receipt_room *room,
                    struct receipt_record *record);
void record_ranked(const struct present *present, const struct symbol *symbol, const struct adl_ranked *row,
                   struct ranked_record *record);
/* An account as a receipt shows it to everybody; zero for the fund. */
struct hash256 record_account_hash(const struct present *present, uint64_t receipt_id, uint64_t account_id);

#endif
