/* SPDX-License-Identifier: MIT */
/* shapes_receipts.c — rows of the records that document the venue's decisions. */
#include "model/shapes_receipts.h"

const struct enum_name index_source_names[] = {
    { SOURCE_FEEDER, "FEEDER" }, { SOURCE_HAND, "HAND" }, { SOURCE_SPOT_BOOK, "SPOT_BOOK" }, { 0, NULL }
};
const struct enum_name liquidation_stage_names[] = {
    { STAGE_BOOK, "BOOK" }, { STAGE_TAKEOVER, "TAKEOVER" }, { STAGE_ADL, "ADL" }, { 0, NULL }
};
const struct enum_name fund_refusal_names[] = { { 1, "NO_SYMBOL_BUDGET" }, { 2, "NO_TOTAL_BUDGET" }, { 4, "NO_MONEY" },
                                                { 8, "NO_INVENTORY" },     { 16, "NO_CARRY" },       { 0, NULL } };
const struct enum_name receipt_role_names[] = { { 1, "LIQUIDATED" }, { 2, "DELEVERAGED" }, { 0, NULL } };

/* ---- query parameters ---- */

#define Q(member, key, doc) FIELD(struct receipts_query, member, key, OPTIONAL, doc)
#define Q_PAGE                                                                                                         \
    P_SYMBOL(struct receipts_query),                                                                                   \
        FIELD_FLAGS(struct receipts_query, liquidation_id, "liquidationID", OPTIONAL, FLAG_NOT_ZERO,                   \
                    "Only the stages of this liquidation."),                                                           \
        Q(start_ms, "startTime", "Unix milliseconds, inclusive; absent means no bound."),                              \
        Q(end_ms, "endTime", "Unix milliseconds, inclusive; absent means no bound."),                                  \
        Q(limit, "limit", "Receipts, 1 to 200, default 50; more is cut to 200."),                                      \
        Q(from_id, "fromID", "Continue below this receiptID.")

static const struct field receipts_query_fields[] = { Q_PAGE };
SHAPE(receipts_query_shape, struct receipts_query, "LiquidationsQuery", receipts_query_fields, NULL, "");

static const struct field own_receipts_query_fields[] = { P_ACCOUNT(struct receipts_query), Q_PAGE };
SHAPE(own_receipts_query_shape, struct receipts_query, "AccountLiquidationsQuery", own_receipts_query_fields, NULL, "");

static const struct field ranking_query_fields[] = {
    FIELD_FLAGS(struct ranking_query, receipt_id, "receiptID", REQUIRED, FLAG_NOT_ZERO, "Receipt of an ADL."),
    FIELD(struct ranking_query, from_rank, "fromRank", OPTIONAL, "First place of the ranking, from 0."),
    FIELD(struct ranking_query, limit, "limit", OPTIONAL, "Rows, 1 to 1000, default 100; more is cut to 1000."),
};
SHAPE(ranking_query_shape, struct ranking_query, "LiquidationRankingQuery", ranking_query_fields, NULL, "");

/* ---- index and mark ---- */

/* clang-format off */
static const struct field index_source_fields[] = {
    FIELD_ENUM(struct index_source_record, type, "type", REQUIRED, 0, index_source_names,
               "FEEDER: signed posts; HAND: set by hand, in development; SPOT_BOOK: the middle of the own spot book, "
                   "asked only when the others are too few."),
    FIELD(struct index_source_record, feeder, "address", OPTIONAL, "FEEDER: the address that signs its posts."),
    FIELD(struct index_source_record, symbol, "symbol", OPTIONAL, "SPOT_BOOK: name of the spot market."),
    FIELD(struct index_source_record, weight, "weight", REQUIRED,
        "Weight in the median; 0 for the spot book, which is not in it."),
    FIELD(struct index_source_record, price, "price", OPTIONAL, "Its last price; absent before the first one."),
    FIELD(struct index_source_record, perp_mid, "perpMid", OPTIONAL,
        "Middle of the perpetual elsewhere, posted with it."),
    FIELD(struct index_source_record, updated_ms, "updatedAt", OPTIONAL, "When it came, ms."),
    FIELD(struct index_source_record, age_ms, "age", OPTIONAL,
        "How old it is, ms: now, or at the time of the receipt; absent before the first one."),
    FIELD(struct index_source_record, valid, "valid", REQUIRED, "Whether it counted in that second."),
};
/* clang-format on */
SHAPE(index_source_shape, struct index_source_record, "IndexSource", index_source_fields, NULL,
      "A source of an index price.");

#define C(member, key, presence, doc) FIELD(struct composition_record, member, key, presence, doc)
/* clang-format off */
static const struct field composition_fields[] = {
    C(symbol, "symbol", REQUIRED, "Symbol."),
    C(symbol_id, "symbolID", REQUIRED, "Its number."),
    FIELD_ENUM(struct composition_record, state, "state", REQUIRED, 0, oracle_state_names,
               "LIVE: the median of a quorum; FALLBACK: the own spot book, slowly; STALE: frozen; BOOTSTRAP: no "
                   "source has ever spoken."),
    C(held_back, "heldBack", REQUIRED, "Whether a jump of the median is held back."),
    C(index, "indexPrice", REQUIRED, "Index price."),
    C(mark, "markPrice", REQUIRED, "Mark price."),
    C(time_ms, "time", REQUIRED, "Second in which all this was last found different, ms."),
    C(valid_count, "validSources", REQUIRED, "Sources in the median."),
    C(quorum, "quorum", REQUIRED, "How many it takes for an index."),
    C(median, "medianPrice", OPTIONAL, "Weighted median of the valid sources; absent without a quorum."),
    C(held_price, "candidatePrice", OPTIONAL, "Median that is held back."),
    C(held_count, "candidateSeen", OPTIONAL, "Seconds in a row that agreed on it within 1 %."),
    C(held_need, "candidateNeeded", OPTIONAL, "Seconds in a row that it takes."),
    FIELD_LIST(struct composition_record, sources, "sources", REQUIRED, &index_source_shape,
        "All sources, valid or not."),
    C(bid, "bidPrice", OPTIONAL, "Bid that the mark was made of; absent where the book had not enough."),
    C(ask, "askPrice", OPTIONAL, "Ask that the mark was made of."),
    C(last, "lastPrice", OPTIONAL, "Trades that the mark was made of."),
    C(perp_mid, "perpMidPrice", OPTIONAL, "Weighted median of the sources' perpMid."),
    C(by_basis, "basisPrice", OPTIONAL,
        "First price of the mark: index plus the average distance of the book's middle."),
    C(by_book, "bookPrice", OPTIONAL, "Second: median of bid, ask and last."),
    C(by_feeders, "feederPrice", OPTIONAL, "Third: perpMidPrice, or the index with the funding that is due."),
    C(raw, "rawMarkPrice", OPTIONAL, "Median of the three, before the band around the index and the step of a second."),
};
/* clang-format on */
SHAPE(composition_shape, struct composition_record, "IndexComposition", composition_fields, NULL,
      "What index and mark of a symbol are made of.");

/* ---- receipts ---- */

static const struct field refusal_fields[] = {
    FIELD_ENUM(struct refusal_record, reason, "reason", REQUIRED, 0, fund_refusal_names,
               "Why the fund did not take the unit."),
};
const struct shape refusal_shape = {
    .name = "FundRefusal",
    .doc = "The name alone.",
    .fields = refusal_fields,
    .field_count = ARRAY_COUNT(refusal_fields),
    .size = sizeof(struct refusal_record),
    .bare = true,
};

#define K(member, key, presence, doc) FIELD(struct ranked_record, member, key, presence, doc)
#define ACCOUNT_DOC                                                                                                    \
    "keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID "     \
    "(numbers as 8 bytes, big endian): an owner knows its own."
static const struct field ranked_fields[] = {
    K(receipt_id, "receiptID", REQUIRED, "Receipt that the ranking belongs to."),
    K(rank, "rank", REQUIRED, "Place, from 0: the lower, the sooner it takes a part."),
    K(group, "group", REQUIRED,
      "0 the fund; 1 to 5 the lights, in queue mode the place in the queue; 6 without profit. A group shares by size."),
    K(account, "account", OPTIONAL, ACCOUNT_DOC),
    K(fund, "fund", REQUIRED, "Whether it is the insurance fund."),
    K(score, "score", REQUIRED, "Profit by cost times leverage; 0 without profit."),
    K(leverage, "leverage", REQUIRED, "Leverage of its unit at mark."),
    K(size, "size", REQUIRED, "Size of its position before, without sign."),
    K(bears, "bears", OPTIONAL,
      "Most that its unit could take at the price; absent when nothing or when its group was not reached."),
    K(reached, "reached", REQUIRED, "Whether its group was reached."),
    K(taken, "taken", REQUIRED, "Its share."),
    K(value, "value", REQUIRED, "What its share was booked at, vUSDC."),
};
SHAPE(ranked_shape, struct ranked_record, "LiquidationRank", ranked_fields, NULL, "A place in the ranking of an ADL.");

#define L(member, key, doc)             FIELD(struct receipt_record, member, key, REQUIRED, doc)
#define L_IF(member, key, doc)          FIELD(struct receipt_record, member, key, OPTIONAL, doc)
#define L_SIGNED(member, key, doc)      FIELD_FLAGS(struct receipt_record, member, key, REQUIRED, FLAG_SIGNED, doc)
#define L_ENUM(member, key, names, doc) FIELD_ENUM(struct receipt_record, member, key, REQUIRED, 0, names, doc)
/* clang-format off */
#define RECEIPT \
    L(receipt_id, "receiptID", "Number of the receipt, over all symbols."), \
    L(liquidation_id, "liquidationID", "Number of the liquidation that the stage belongs to."), \
    L(symbol, "symbol", "Symbol."), \
    L(symbol_id, "symbolID", "Its number."), \
    L(time_ms, "time", "When it happened, ms."), \
    L(block, "block", "Block of it."), \
    L(transaction, "txHash", "Transaction of it."), \
    L_ENUM(stage, "stage", liquidation_stage_names, \
        "BOOK: sold in the book; TAKEOVER: taken by the fund; ADL: closed against the other side."), \
    L(round, "round", "Which order, or position, of the unit in this second, from 1."), \
    L_IF(account, "account", ACCOUNT_DOC), \
    L(fund, "fund", "Whether the fund's own position was closed."), \
    L_ENUM(margin_mode, "marginMode", margin_mode_names, \
        "CROSS: the unit is all cross positions and the wallet; ISOLATED: this position and its margin."), \
    L_ENUM(side, "side", side_names, "Side of the closing order."), \
    L_SIGNED(size_before, "sizeBefore", "Size of the position before; negative is short."), \
    L(quantity, "quantity", "What this stage closed of it."), \
    L_IF(wanted, "wantedQuantity", "BOOK: the quantity to be closed."), \
    L_IF(limit, "limitPrice", "BOOK: worst price that was allowed."), \
    L_SIGNED(equity, "equity", "Equity of the unit at mark, before. TAKEOVER, ADL: the part of its positions that " \
        "are not suspended, by maintenance margin."), \
    L(maintenance, "maintenance", "Maintenance margin of the same, before; liquidation begins when equity is less."), \
    L_SIGNED(equity_worse, "equityAtWorse", \
        "Equity of the same with every position at the worse of its mark and index."), \
    L(own_maintenance, "positionMaintenance", "Maintenance margin of this position alone."), \
    L_SIGNED(share, "share", "The position's share of the unit's equity, by its part of the maintenance margin: at " \
        "mark, for ADL at worsePrice."), \
    L(mark, "markPrice", "Mark price of that second."), \
    L(index, "indexPrice", "Index price of that second."), \
    L_ENUM(index_state, "indexState", oracle_state_names, "Where the index came from."), \
    L(worse, "worsePrice", "t: the worse of mark and index for the account."), \
    L(bankruptcy_price, "bankruptcyPrice", "Price at which the share is used up."), \
    L(price, "price", "What was paid per unit, rounded down."), \
    L(value, "value", "What was paid in all, vUSDC."), \
    L_SIGNED(slippage, "slippage", "Distance of price from mark as a ratio; above 0 is worse for the account."), \
    L_SIGNED(charge, "fundCharge", "What the fund lost by it, charged to its day."), \
    L_IF(symbol_left, "fundSymbolBudget", \
        "TAKEOVER, ADL: the rest of the fund's limit of loss on the symbol that day, before."), \
    L_IF(total_left, "fundTotalBudget", "TAKEOVER, ADL: the rest of its limit for all symbols, before."), \
    L_IF(inventory, "fundInventory", \
        "TAKEOVER, ADL: value of the fund's position in the symbol if it took this one."), \
    L_IF(inventory_limit, "fundInventoryLimit", "TAKEOVER, ADL: the most it may be; absent without a limit."), \
    L_IF(fund_carries, "fundCarries", "TAKEOVER, ADL: value of all that the fund would hold."), \
    FIELD_FLAGS(struct receipt_record, fund_equity, "fundEquity", OPTIONAL, FLAG_SIGNED, \
        "TAKEOVER, ADL: the fund's equity if it took it."), \
    FIELD_LIST(struct receipt_record, refusal, "fundRefusal", OPTIONAL, &refusal_shape, \
        "ADL: why the fund did not take the unit."), \
    L_SIGNED(fund_before, "fundBefore", "Wallet of the fund before."), \
    L_SIGNED(fund_after, "fundAfter", "Wallet of the fund after."), \
    L(candidates, "candidates", "ADL: rows of the ranking, read with /liquidations/ranking."), \
    FIELD_OBJECT(struct receipt_record, composition, "composition", REQUIRED, &composition_shape, \
        "What index and mark were made of.")
/* clang-format on */

static const struct field receipt_fields[] = { RECEIPT };
SHAPE(receipt_shape, struct receipt_record, "Liquidation", receipt_fields, NULL,
      "Receipt of one stage of a liquidation, with everything it was decided by.");

static const struct field own_receipt_fields[] = {
    L_ENUM(role, "role", receipt_role_names,
           "LIQUIDATED: it was this account's position; DELEVERAGED: this account took a part of it."),
    L(account_id, "accountID", "The account of the request."),
    L_IF(position_id, "positionID", "LIQUIDATED: its position."),
    FIELD_LIST(struct receipt_record, own, "own", OPTIONAL, &ranked_shape, "DELEVERAGED: its own row of the ranking."),
    RECEIPT,
};
SHAPE(own_receipt_shape, struct receipt_record, "AccountLiquidation", own_receipt_fields, NULL,
      "A receipt as the account reads it that was in it.");

/* ---- the fund ---- */

#define S(member, key, flags, doc) FIELD_FLAGS(struct fund_symbol_record, member, key, REQUIRED, flags, doc)
static const struct field fund_symbol_fields[] = {
    S(symbol, "symbol", 0, "Symbol."),
    S(symbol_id, "symbolID", 0, "Its number."),
    S(size, "size", FLAG_SIGNED, "Position of the fund; negative is short."),
    S(inventory, "inventory", 0, "Its value at mark."),
    S(inventory_limit, "inventoryLimit", 0, "The most it may be; 0 = no limit."),
    S(loss, "dayLoss", 0, "Charged to the day on this symbol."),
    S(loss_limit, "dayLossLimit", 0, "The most that may be charged on it to one day."),
    S(beyond, "dayBeyond", 0, "Lost that day in deleveraging, beside what was charged; no limit applies."),
};
SHAPE(fund_symbol_shape, struct fund_symbol_record, "InsuranceFundSymbol", fund_symbol_fields, NULL,
      "What the insurance fund has in a symbol.");

#define D(member, key, flags, doc) FIELD_FLAGS(struct fund_day_record, member, key, REQUIRED, flags, doc)
static const struct field fund_day_fields[] = {
    D(day_ms, "day", 0, "Begin of the UTC day, ms."),
    D(begin, "begin", FLAG_SIGNED, "Balance at its begin."),
    D(end, "end", FLAG_SIGNED, "Balance at its end, or now."),
    D(paid, "paid", 0, "All that went out of the wallet."),
    D(received, "received", 0, "All that came in."),
    D(loss, "loss", 0, "Charged to the day by take-overs and by what unwinding brought less."),
    D(beyond, "beyond", 0, "Lost in deleveraging, beside what was charged."),
};
SHAPE(fund_day_shape, struct fund_day_record, "InsuranceFundDay", fund_day_fields, NULL,
      "A UTC day of the insurance fund: end = begin - paid + received.");

#define F(member, key, flags, doc) FIELD_FLAGS(struct fund_record, member, key, REQUIRED, flags, doc)
static const struct field fund_fields[] = {
    BLOCK(struct fund_record),
    F(coin, "coin", 0, "Coin of all amounts."),
    F(balance, "balance", FLAG_SIGNED, "Wallet of the fund."),
    F(equity, "equity", FLAG_SIGNED, "Its wallet and the unrealized profit of its positions, as of updatedAt."),
    F(insolvent, "insolvent", 0, "Whether equity is below zero: then nothing leaves the venue."),
    F(inventory, "inventory", 0, "Value of all its positions at mark."),
    F(inventory_limit, "inventoryLimit", 0, "The most that its equity carries; 0 = no limit."),
    F(day_ms, "day", 0, "UTC day of dayLoss, begin in ms."),
    F(loss, "dayLoss", 0, "Charged to the day over all symbols."),
    F(loss_limit, "dayLossLimit", 0, "The most that may be charged to one day."),
    F(beyond, "dayBeyond", 0, "Lost that day in deleveraging, beside what was charged; no limit applies."),
    F(updated_ms, "updatedAt", 0, "When positions, limits and losses were last found different, ms."),
    FIELD_LIST(struct fund_record, symbols, "symbols", REQUIRED, &fund_symbol_shape, "All symbols, by id."),
    FIELD_LIST(struct fund_record, days, "days", REQUIRED, &fund_day_shape,
               "The last 30 UTC days, newest first; none before the venue began."),
};
SHAPE(fund_shape, struct fund_record, "InsuranceFund", fund_fields, NULL, "The insurance fund.");
