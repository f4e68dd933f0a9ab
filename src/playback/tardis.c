/* SPDX-License-Identifier: MIT */
#include "playback/tardis.h"

#include "playback/columns.h"

#define COLUMNS 8

static const char *const headers[] = {
    [TARDIS_BOOK] = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount",
    [TARDIS_TRADES] = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount",
};

enum tardis_kind tardis_header(struct slice line)
{
    if (line.len != 0 && line.at[line.len - 1] == '\r') line.len--;
    if (slice_is(line, headers[TARDIS_BOOK])) return TARDIS_BOOK;
    return slice_is(line, headers[TARDIS_TRADES]) ? TARDIS_TRADES : TARDIS_NONE;
}

static bool read_side(enum tardis_kind kind, struct slice value, uint8_t *side)
{
    *side = 0;
    if (slice_is(value, kind == TARDIS_BOOK ? "bid" : "buy")) *side = SIDE_BUY;
    else if (slice_is(value, kind == TARDIS_BOOK ? "ask" : "sell")) *side = SIDE_SELL;
    return *side != 0 || (kind == TARDIS_TRADES && slice_is(value, "unknown"));
}

bool tardis_read(enum tardis_kind kind, struct slice line, struct tardis_row *row, char why[PLAYBACK_WHY_BYTES])
{
    struct slice value[COLUMNS];
    bool         is_book = kind == TARDIS_BOOK;

    assert(kind != TARDIS_NONE);
    *row = (struct tardis_row){ .event.kind = is_book ? PLAYBACK_LEVEL : PLAYBACK_TRADE };
    if (columns_split(line, COLUMNS, value) != COLUMNS) return columns_refuse(why, "not 8 columns", line);
    row->symbol = value[1];
    if (row->symbol.len == 0) return columns_refuse(why, "no symbol", SLICE(""));
    if (!columns_integer(value[3], &row->event.time_us) || row->event.time_us <= 0)
        return columns_refuse(why, "local_timestamp is no microseconds", value[3]);
    row->is_snapshot = is_book && slice_is(value[4], "true");
    if (is_book && !row->is_snapshot && !slice_is(value[4], "false"))
        return columns_refuse(why, "is_snapshot is neither true nor false", value[4]);
    if (!read_side(kind, value[5], &row->event.side)) return columns_refuse(why, "side is not known", value[5]);
    if (!columns_decimal(value[6], &row->event.price) || row->event.price.digits == 0)
        return columns_refuse(why, "price is no number above 0", value[6]);
    if (!columns_decimal(value[7], &row->event.quantity) || (!is_book && row->event.quantity.digits == 0))
        return columns_refuse(why, "amount is no quantity", value[7]);
    return true;
}
