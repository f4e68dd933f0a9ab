/* SPDX-License-Identifier: MIT */
/* received.c — the channels, rows that are published one by one, and reads, which are judged like messages. */
#include "received_inside.h"

#include "client.h"

/* The symbols of the world (venue.c). */
static const struct symbol_row symbol_rows[] = {
    { MARKET_SPOT, 1, "vBTC_vUSDC", 1, 5 },
    { MARKET_SPOT, 2, "vETH_vUSDC", 2, 4 },
    { MARKET_PERPS, 1, "BTC-USD", 1, 5 },
};
const uint32_t coin_digits[TRUTH_COINS] = { COIN_DIGITS, 8, 8 };

static uint64_t last_received;

static struct received readers[CLIENTS][TOLD_READS];

uint64_t received_seq(void) { return last_received; }

/* A client that has read lost state starts again. */
void received_keep(uint64_t seq)
{
    if (seq < last_received) memset(readers, 0, sizeof(readers));
    last_received = min_u64(last_received, seq);
}

void was_received(uint64_t seq) { last_received = max_u64(last_received, seq); }

const struct symbol_row *row_of(uint8_t market, uint32_t id)
{
    for (size_t i = 0; i < ARRAY_COUNT(symbol_rows); i++)
        if (symbol_rows[i].market == market && symbol_rows[i].id == id) return &symbol_rows[i];
    return NULL;
}

const char *received_symbol_name(uint8_t market, uint32_t symbol_id)
{
    const struct symbol_row *row = row_of(market, symbol_id);

    return row != NULL ? row->name : "none";
}

uint32_t received_symbol(uint8_t market, struct slice name)
{
    for (size_t i = 0; i < ARRAY_COUNT(symbol_rows); i++)
        if (symbol_rows[i].market == market && slice_is(name, symbol_rows[i].name)) return symbol_rows[i].id;
    return 0;
}

void received_wrong(const struct received *received, const char *what, struct slice data)
{
    world_wrong("%s (%s, account %lu): %s: %.*s", received->channel->name,
                received_symbol_name(received->market, received->symbol_id), (unsigned long)received->account_id, what,
                (int)min_size(data.len, 200), data.at);
}

/* ---- rows that are sent one by one, none left out, none twice ---- */

static uint32_t next_wanted(const struct received *received, const struct rows *rows, row_symbol *symbol, uint32_t i)
{
    while (i < rows->count && symbol != NULL && received->symbol_id != 0
           && symbol(row_at(rows, i)) != received->symbol_id)
        i++;
    return i;
}

/*
 * The position of the first one is known within bounds: events before the subscription are not sent, and events after
 * its acknowledgement are. From there on each follows the one before it.
 */
void judge_row(struct received *received, const struct rows *rows, struct slice data, row_is_same *same,
               row_symbol *symbol)
{
    uint32_t i =
        next_wanted(received, rows, symbol, received->begun ? received->next : rows_behind(rows, received->asked_seq));
    uint32_t last = received->begun ? i : next_wanted(received, rows, symbol, rows_behind(rows, received->since_seq));

    while (i < last && !same(received, row_at(rows, i), data)) i = next_wanted(received, rows, symbol, i + 1);
    if (i >= rows->count) {
        received_wrong(received, "told of what has not happened", data);
    } else if (!same(received, row_at(rows, i), data)) {
        received_wrong(received, "is not what comes next", data);
    } else {
        was_received(row_seq(rows, i));
        received->next = i + 1;
        received->begun = true;
    }
}

bool rows_are_whole(const struct received *received, const struct rows *rows, row_symbol *symbol, uint64_t seq)
{
    uint32_t i =
        next_wanted(received, rows, symbol, received->begun ? received->next : rows_behind(rows, received->since_seq));

    return i == rows->count || row_seq(rows, i) > seq;
}

/* ---- reads ---- */

/* clang-format off */
static const struct read_row { const char *before, *behind, *name; uint8_t market; uint32_t symbol_id, level;
    } read_rows[TOLD_READS] = {
    [TOLD_READ_BOOK] = { "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=5", NULL, "a read of the book", MARKET_SPOT,
        1, 5 },
    [TOLD_READ_PERPS_BOOK] = { "/api/v1/perps/markets/BTC-USD/orderbook?limit=20", NULL, "a read of the book",
        MARKET_PERPS, 1, 20 },
    [TOLD_READ_STATE]       = { "/api/v1/spot/accounts/0x", "/state", "a read of the state", MARKET_SPOT, 0, 0 },
    [TOLD_READ_PERPS_STATE] = { "/api/v1/perps/accounts/0x", "/state", "a read of the state", MARKET_PERPS, 0, 0 },
    [TOLD_READ_RECEIPTS] = { "/api/v1/perps/liquidations?limit=20", NULL, "a read of the liquidations", MARKET_PERPS, 1,
        20 },
};
/* clang-format on */

void received_read_path(enum received_read read, const struct address *user, struct out *out)
{
    out_text(out, read_rows[read].before);
    if (read_rows[read].behind == NULL) return;
    out_hex(out, user->bytes, 20);
    out_text(out, read_rows[read].behind);
}

void received_read(enum received_read read, uint32_t client, struct slice body, uint64_t floor_seq)
{
    const struct read_row  *row = &read_rows[read];
    struct received_channel channel = { .name = row->name };
    struct received        *received = &readers[client][read];

    received->channel = &channel;
    received->market = row->market;
    received->symbol_id = row->symbol_id;
    received->level = row->level;
    received->account_id = CLIENT_ACCOUNT + client;
    received->floor_seq = floor_seq;
    if (read == TOLD_READ_RECEIPTS) judge_read_receipts(received, json_member(body, "data"));
    else if (row->level != 0) judge_read_book(received, json_member(body, "data"));
    else judge_state(received, json_member(body, "data"), true);
}

/* ---- what is only listened to ---- */

static void judge_nothing(struct received *received, struct slice data, bool snapshot)
{
    (void)data, (void)snapshot;
    received->begun = true;
}

#define PERPS 2
#define BOTH  3

/* clang-format off */
const struct received_channel received_channels[] = {
    { "l4Book",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_l4,      l4_is_whole },
    { "l2Book",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_l2,      l2_is_whole },
    { "trade",              BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_trades,  trades_are_whole },
    { "bookTicker",         BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_best,    best_is_whole },
    { "allBookTicker",      BOTH,  TOLD_TAKES_NOTHING, true,  false, false, judge_best,    best_is_whole },
    { "markPrice",          PERPS, TOLD_TAKES_SYMBOL,  true,  false, true,  judge_mark,    mark_is_whole },
    { "allMarkPrice",       PERPS, TOLD_TAKES_NOTHING, true,  false, false, judge_mark,    mark_is_whole },
    { "liquidation",        PERPS, TOLD_TAKES_SYMBOL,  true,  false, true,  judge_receipts, receipts_are_whole },
    { "allLiquidation",     PERPS, TOLD_TAKES_NOTHING, true,  false, false, judge_receipts, receipts_are_whole },
    { "ticker",             BOTH,  TOLD_TAKES_SYMBOL,  true,  false, true,  judge_nothing, NULL },
    { "allMiniTicker",      BOTH,  TOLD_TAKES_NOTHING, true,  false, false, judge_nothing, NULL },
    { "allCoinPrice",       PERPS, TOLD_TAKES_NOTHING, true,  false, false, judge_nothing, NULL },
    { "accountState",       BOTH,  TOLD_TAKES_USER,    true,  false, false, judge_state,   state_is_whole },
    { "accountUpdate",      BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_update,  updates_are_whole },
    { "accountOrderUpdate", BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_orders,  orders_are_whole },
    { "accountTrade",       BOTH,  TOLD_TAKES_USER,    false, true,  false, judge_fills,   fills_are_whole },
    { "accountEvent",       PERPS, TOLD_TAKES_USER,    false, true,  false, judge_units,   units_are_whole },
};
/* clang-format on */
const uint32_t received_channel_count = ARRAY_COUNT(received_channels);
