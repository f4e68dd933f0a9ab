/* SPDX-License-Identifier: MIT */
/*
 * received_receipts.c — receipts of liquidations: messages about the reason and the course of an account's
 * liquidation.
 */
#include "received_inside.h"

#include "client.h"
#include "crypto/crypto.h"
#include "model/shapes_receipts.h"

#define RECEIPTS_SHOWN  50
#define SLIPPAGE_DIGITS 8
#define HASH_TEXT       66 /* 0x and 64 digits */
#define CHAIN_ID        286623

static uint64_t receipts_received;

uint64_t received_receipts(void) { return receipts_received; }
void     received_receipts_begin(void) { receipts_received = 0; }

/* ---- one receipt ---- */

/* Absent when there is none. */
static bool says_or_not(struct slice object, const char *key, int64_t units, uint32_t digits)
{
    return units == 0 && json_member(object, key).at == NULL ? true : says(object, key, units, digits);
}

static void add_u64(struct keccak *keccak, uint64_t value)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (56 - 8 * i));
    keccak_add(keccak, bytes, sizeof(bytes));
}

/* The account in its public form: salted with the receipt; none of the fund. */
static bool says_account(struct slice data, const struct liquidated *is)
{
    struct slice   text = json_text(data, "account");
    char           want[HASH_TEXT];
    struct out     out = out_make(want, sizeof(want));
    struct hash256 hash;
    struct keccak  keccak;

    if (is->account_id == ACCOUNT_FUND) return says_bool(data, "fund", true) && text.at == NULL;
    if (is->account_id < CLIENT_ACCOUNT || is->account_id >= CLIENT_ACCOUNT + CLIENTS) return false;
    keccak_init(&keccak);
    keccak_add(&keccak, "dojima liquidation", 18);
    add_u64(&keccak, CHAIN_ID);
    add_u64(&keccak, is->receipt_id);
    keccak_add(&keccak, client_address((uint32_t)(is->account_id - CLIENT_ACCOUNT))->bytes, 20);
    add_u64(&keccak, is->account_id);
    hash = keccak_end(&keccak);
    out_text(&out, "0x");
    out_hex(&out, hash.bytes, sizeof(hash.bytes));
    return says_bool(data, "fund", false) && slice_equal(text, slice_make(want, HASH_TEXT));
}

/* The block is that of its command. Of the transaction it is only looked at that there is one. */
static bool says_place(struct slice data, uint64_t seq)
{
    const struct batch_row *batch = truth_batch_of(seq);
    struct slice            hash = json_text(data, "txHash");

    if (batch == NULL || json_number(data, "block") != batch->height || hash.len != HASH_TEXT) return false;
    for (size_t i = 2; i < hash.len; i++)
        if (hash.at[i] != '0') return true;
    return false;
}

/* The number of the stage in its liquidation, and how much of the position it closed. */
static bool says_stage(struct slice data, const struct liquidated *is, const struct symbol_row *symbol)
{
    uint32_t q = symbol->quantity_digits;

    return json_number(data, "receiptID") == is->receipt_id && json_number(data, "liquidationID") == is->liquidation_id
        && json_number(data, "symbolID") == is->symbol_id && json_number(data, "time") == (uint64_t)is->time_ms
        && json_number(data, "round") == is->round && says_name(data, "stage", liquidation_stage_names, is->stage)
        && says_name(data, "marginMode", margin_mode_names, is->margin_mode)
        && says_name(data, "side", side_names, is->side) && says(data, "sizeBefore", is->size_before, q)
        && says(data, "quantity", is->quantity, q) && says_or_not(data, "wantedQuantity", is->wanted, q)
        && json_number(data, "candidates") == is->candidates;
}

static bool says_prices(struct slice data, const struct liquidated *is, const struct symbol_row *symbol)
{
    uint32_t p = symbol->price_digits;

    return says_or_not(data, "limitPrice", is->limit, p) && says(data, "markPrice", is->mark, p)
        && says(data, "indexPrice", is->index, p) && says_name(data, "indexState", oracle_state_names, is->index_state)
        && says(data, "worsePrice", is->worse, p) && says(data, "bankruptcyPrice", is->bankruptcy_price, p)
        && says(data, "price", is->price, p) && says(data, "slippage", is->slippage, SLIPPAGE_DIGITS);
}

static bool says_amounts(struct slice data, const struct liquidated *is)
{
    /* clang-format off */
    const struct { const char *key; int64_t amount; bool must; } rows[] = {
        { "equity", is->equity, true }, { "maintenance", is->maintenance, true },
        { "equityAtWorse", is->equity_worse, true }, { "positionMaintenance", is->own_maintenance, true },
        { "share", is->share, true }, { "value", is->value, true }, { "fundCharge", is->charge, true },
        { "fundSymbolBudget", is->symbol_left, false }, { "fundTotalBudget", is->total_left, false },
        { "fundInventory", is->inventory, false }, { "fundInventoryLimit", is->inventory_limit, false },
        { "fundCarries", is->fund_carries, false }, { "fundEquity", is->fund_equity, false },
        { "fundBefore", is->fund_before, true }, { "fundAfter", is->fund_after, true },
    };
    /* clang-format on */

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        bool good = rows[i].must ? says(data, rows[i].key, rows[i].amount, COIN_DIGITS)
                                 : says_or_not(data, rows[i].key, rows[i].amount, COIN_DIGITS);
        if (!good) return false;
    }
    return true;
}

static bool says_composition(struct slice data, const struct index_composed *made, const struct symbol_row *symbol)
{
    uint32_t p = symbol->price_digits;

    return says(data, "indexPrice", made->index, p) && says(data, "markPrice", made->mark, p)
        && json_number(data, "time") == (uint64_t)made->time_ms && says_bool(data, "heldBack", made->held_price != 0)
        && json_number(data, "validSources") == made->valid_count && says_or_not(data, "medianPrice", made->median, p)
        && says_or_not(data, "rawMarkPrice", made->raw, p) && slice_is(json_text(data, "symbol"), symbol->name);
}

static bool same_receipt(const struct received *received, const void *at, struct slice data)
{
    const struct receipt_row *row = at;
    const struct symbol_row  *symbol = row_of(MARKET_PERPS, row->receipt.symbol_id);

    return (received->symbol_id == 0 || received->symbol_id == row->receipt.symbol_id)
        && slice_is(json_text(data, "symbol"), symbol->name) && says_stage(data, &row->receipt, symbol)
        && says_prices(data, &row->receipt, symbol) && says_amounts(data, &row->receipt)
        && says_account(data, &row->receipt) && says_place(data, row->seq)
        && says_composition(json_member(data, "composition"), &row->made, symbol);
}

/* ---- lists of them ---- */

static const struct rows *receipt_rows(void)
{
    static_assert(TRUTH_PERPS == 1, "the receipts of one symbol are those of all");
    return &truth_symbol(MARKET_PERPS, 1)->receipts;
}

static uint64_t id_at(const struct rows *rows, uint32_t i)
{
    return ((const struct receipt_row *)row_at(rows, i))->receipt.receipt_id;
}

/*
 * The newest receipts, newest first, without a gap, `most` of them or all that exist. Returns how many existed when
 * they were the newest; UINT32_MAX after an error, which is reported.
 */
static uint32_t judge_newest_receipts(struct received *received, struct slice data, uint32_t most)
{
    const struct rows *rows = receipt_rows();
    uint32_t           count = json_count(data), end = count == 0 ? 0 : rows->count, i;
    const char        *at = NULL;
    struct slice       item;

    if (count != 0 && json_item(data, &at, &item))
        while (end > 0 && id_at(rows, end - 1) != json_number(item, "receiptID")) end--;
    i = end;
    for (at = NULL; json_item(data, &at, &item); i--) {
        if (i == 0 || !same_receipt(received, row_at(rows, i - 1), item)) {
            received_wrong(received, "is not the newest receipts", item);
            return UINT32_MAX;
        }
    }
    if (count != min_u32(most, end)) {
        received_wrong(received, "leaves receipts out", data);
        return UINT32_MAX;
    }
    if (end != 0) was_received(row_seq(rows, end - 1));
    receipts_received += count;
    return end;
}

/* A snapshot may be older than its request; later receipts are sent next. */
void judge_receipts(struct received *received, struct slice data, bool snapshot)
{
    const char  *at = NULL;
    struct slice item;
    uint32_t     end;

    if (!snapshot) {
        if (!received->begun) received_wrong(received, "begins without a snapshot", data);
        for (; json_item(data, &at, &item); receipts_received++)
            judge_row(received, receipt_rows(), item, same_receipt, NULL);
        return;
    }
    end = judge_newest_receipts(received, data, RECEIPTS_SHOWN);
    if (end == UINT32_MAX) return;
    if (received->begun && end < received->next) received_wrong(received, "goes back", data);
    received->next = end;
    received->begun = true;
}

bool receipts_are_whole(struct received *received, uint64_t seq)
{
    return received->begun && rows_are_whole(received, receipt_rows(), NULL, seq);
}

/* Reads show receipts when their batch is complete, and a subscriber may have seen a part of it before. */
static uint32_t shown_by(uint64_t seq)
{
    const struct rows *rows = receipt_rows();
    uint32_t           count = rows_behind(rows, seq);

    for (; count != 0; count--) {
        const struct batch_row *batch = truth_batch_of(row_seq(rows, count - 1));
        if (batch != NULL && batch->seq <= seq) break;
    }
    return count;
}

void judge_read_receipts(struct received *received, struct slice data)
{
    uint32_t end = judge_newest_receipts(received, data, received->level);

    if (end == UINT32_MAX) return;
    if (end < received->next) received_wrong(received, "goes back", data);
    if (end < shown_by(received->floor_seq))
        received_wrong(received, "is older than what was told before it was asked for", data);
    received->next = end;
}
