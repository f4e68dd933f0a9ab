/* SPDX-License-Identifier: MIT */
#include "playback/tardis.h"

#include "playback/columns.h"

#define COLUMNS 8

/* Seconds since 1970 of 2000-01-01 and 2100-01-01: what a market recorded lies between them. */
#define DATE_FIRST INT64_C(946684800)
#define DATE_END   INT64_C(4102444800)

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

/* Number of the first column that differs; COLUMNS: none does. */
static uint32_t first_difference(enum tardis_kind kind, uint32_t count, const struct slice value[COLUMNS])
{
    struct slice wanted[COLUMNS];
    uint32_t     i = 0;

    if (columns_split(slice_of(headers[kind]), COLUMNS, wanted) != COLUMNS) return 0;
    while (i < min_u32(count, COLUMNS) && slice_equal(value[i], wanted[i])) i++;
    return i;
}

/* "column 6 is not side, as in incremental_book_L2 of Tardis: price" */
static void tell_difference(enum tardis_kind kind, uint32_t at, struct slice value, char why[PLAYBACK_WHY_BYTES])
{
    char         problem[PLAYBACK_WHY_BYTES - 64];
    struct out   out = out_make(problem, sizeof(problem) - 1);
    struct slice wanted[COLUMNS];

    if (columns_split(slice_of(headers[kind]), COLUMNS, wanted) != COLUMNS) return;
    out_literal(&out, "column ");
    out_u64(&out, at + 1);
    out_literal(&out, " is not ");
    out_slice_put(&out, wanted[at]);
    out_text(&out, kind == TARDIS_BOOK ? ", as in incremental_book_L2 of Tardis" : ", as in trades of Tardis");
    problem[out.len] = '\0';
    (void)columns_refuse(why, problem, value);
}

bool tardis_differs(struct slice line, char why[PLAYBACK_WHY_BYTES])
{
    struct slice     value[COLUMNS];
    uint32_t         count = columns_split(line, COLUMNS, value);
    uint32_t         book = first_difference(TARDIS_BOOK, count, value);
    uint32_t         trades = first_difference(TARDIS_TRADES, count, value);
    enum tardis_kind kind = trades > book ? TARDIS_TRADES : TARDIS_BOOK;
    uint32_t         at = max_u32(book, trades);

    if (count != COLUMNS && at == 0) return false;
    if (at == COLUMNS) (void)columns_refuse(why, "more than the 8 columns of Tardis", SLICE(""));
    else tell_difference(kind, at, at < count ? value[at] : SLICE(""), why);
    return true;
}

/* Of printable ASCII: names are written to terminals. */
static bool is_name(struct slice value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] <= ' ' || value.at[i] > '~') return false;
    return value.len != 0;
}

static bool read_side(enum tardis_kind kind, struct slice value, uint8_t *side)
{
    *side = 0;
    if (slice_is(value, kind == TARDIS_BOOK ? "bid" : "buy")) *side = SIDE_BUY;
    else if (slice_is(value, kind == TARDIS_BOOK ? "ask" : "sell")) *side = SIDE_SELL;
    return *side != 0 || (kind == TARDIS_TRADES && slice_is(value, "unknown"));
}

static bool is_date(int64_t time, int64_t second) { return time / second >= DATE_FIRST && time / second < DATE_END; }

/* The unit in which a time that is no microseconds would be a date; NULL: none. Nanoseconds have more digits than are
 * read. */
static const char *other_unit(struct slice value, int64_t time)
{
    if (is_date(time, 1)) return ", but seconds";
    if (is_date(time, 1000)) return ", but milliseconds";
    if (value.len == 19 && columns_integer(slice_make(value.at, 16), &time) && is_date(time, 1000000))
        return ", but nanoseconds";
    return "";
}

/* Times of another unit would be played a thousand times too fast or too slowly, without a word (decision 146). */
static bool read_time(struct slice value, int64_t *time_us, char why[PLAYBACK_WHY_BYTES])
{
    char       problem[PLAYBACK_WHY_BYTES - 64];
    struct out out = out_make(problem, sizeof(problem) - 1);

    if (columns_integer(value, time_us) && is_date(*time_us, 1000000)) return true;
    out_literal(&out, "local_timestamp is no microseconds of a date of 2000 to 2099");
    out_text(&out, other_unit(value, *time_us));
    problem[out.len] = '\0';
    return columns_refuse(why, problem, value);
}

bool tardis_read(enum tardis_kind kind, struct slice line, struct tardis_row *row, char why[PLAYBACK_WHY_BYTES])
{
    struct slice value[COLUMNS];
    bool         is_book = kind == TARDIS_BOOK;

    assert(kind != TARDIS_NONE);
    *row = (struct tardis_row){ .event.kind = is_book ? PLAYBACK_LEVEL : PLAYBACK_TRADE };
    if (columns_split(line, COLUMNS, value) != COLUMNS) return columns_refuse(why, "not 8 columns", line);
    row->exchange = value[0];
    row->symbol = value[1];
    if (!is_name(row->exchange)) return columns_refuse(why, "exchange is no name", row->exchange);
    if (!is_name(row->symbol)) return columns_refuse(why, "symbol is no name", row->symbol);
    if (!read_time(value[3], &row->event.time_us, why)) return false;
    row->is_snapshot = is_book && slice_is(value[4], "true");
    if (is_book && !row->is_snapshot && !slice_is(value[4], "false"))
        return columns_refuse(why, "is_snapshot is neither true nor false", value[4]);
    if (!read_side(kind, value[5], &row->event.side)) return columns_refuse(why, "side is not known", value[5]);
    if (!columns_decimal(value[6], &row->event.price) || row->event.price.digits == 0)
        return columns_refuse(why, "price is no number above 0 of at most 18 digits", value[6]);
    if (!columns_decimal(value[7], &row->event.quantity) || (!is_book && row->event.quantity.digits == 0))
        return columns_refuse(why,
                              is_book ? "amount is no number of at most 18 digits"
                                      : "amount is no number above 0 of at most 18 digits",
                              value[7]);
    return true;
}
