/* SPDX-License-Identifier: MIT */
/* watch_screen.c — pushes of streams become figures, and figures a screen. */
#include "app/cli/members.h"
#include "app/client/moment.h"
#include "app/client/table.h"
#include "app/client/watch_screen.h"
#include "io/terminal.h"

#include <stdio.h>
#include <stdlib.h>

#define TRADES_KEPT  60
#define SCREEN_BYTES (256 * 1024)
#define TIME_OF_DAY  11 /* where it begins in moment_text */

/* ---- pushes ---- */

/* Keys of a stream, and of the record that is read. */
static const struct {
    const char *channel, *from, *to;
} keys[] = {
    { "allTicker", "c", "lastPx" },         { "allTicker", "P", "changePct" }, { "allTicker", "b", "bidPx" },
    { "allTicker", "a", "askPx" },          { "allTicker", "v", "volume" },    { "allMarkPrice", "p", "markPrice" },
    { "allMarkPrice", "r", "fundingRate" },
};

static void take_figures(json_t *rows, const char *channel, const json_t *push)
{
    json_t *row;
    size_t  i;

    json_array_foreach(rows, i, row) {
        if (strcmp(text_at(row, "symbol"), text_at(push, "s")) != 0) continue;
        for (size_t k = 0; k < ARRAY_COUNT(keys); k++)
            if (strcmp(keys[k].channel, channel) == 0 && json_object_get(push, keys[k].from) != NULL)
                (void)json_object_set(row, keys[k].to, json_object_get(push, keys[k].from));
    }
}

static void take_trades(struct watch *watch, const json_t *data, bool is_snapshot)
{
    size_t count = json_array_size(data);

    if (is_snapshot) (void)json_array_clear(watch->trades);
    for (size_t i = 0; i < count; i++) /* a snapshot has the newest first */
        (void)json_array_insert(watch->trades, 0, json_array_get(data, is_snapshot ? count - 1 - i : i));
    while (json_array_size(watch->trades) > TRADES_KEPT)
        (void)json_array_remove(watch->trades, json_array_size(watch->trades) - 1);
}

void watch_take(struct watch *watch, const struct watch_side *side, const json_t *message)
{
    const char *channel = text_at(message, "channel");
    json_t     *data = json_object_get(message, "data"), *push;
    size_t      i;

    if (strcmp(channel, "l2Book") == 0) {
        json_decref(watch->book);
        watch->book = json_incref(data);
    } else if (strcmp(channel, "trade") == 0) {
        take_trades(watch, data, strcmp(text_at(message, "type"), "snapshot") == 0);
    } else {
        json_array_foreach(data, i, push) take_figures(json_object_get(watch->tickers, side->name), channel, push);
    }
}

/* ---- the screen ---- */

static const struct column market_columns[] = {
    { "SYMBOL", "symbol", COLUMN_TEXT },        { "LAST", "lastPx", COLUMN_NUMBER },
    { "CHANGE %", "changePct", COLUMN_SIGNED }, { "BID", "bidPx", COLUMN_NUMBER },
    { "ASK", "askPx", COLUMN_NUMBER },          { "VOLUME", "volume", COLUMN_NUMBER },
    { "MARK", "markPrice", COLUMN_NUMBER },     { "FUNDING", "fundingRate", COLUMN_SIGNED },
};
static const struct column book_columns[] = {
    { "SIZE", NULL, COLUMN_NUMBER },  { "BUY", NULL, COLUMN_NUMBER },      { "SELL", NULL, COLUMN_NUMBER },
    { "SIZE", NULL, COLUMN_NUMBER },  { "TIME (UTC)", NULL, COLUMN_TEXT }, { "SIDE", NULL, COLUMN_SIDE },
    { "PRICE", NULL, COLUMN_NUMBER }, { "SIZE", NULL, COLUMN_NUMBER },
};

static void add_markets(const struct watch *watch, struct table *table)
{
    for (size_t b = 0; b < 2; b++) {
        json_t *rows = json_object_get(watch->tickers, watch->sides[b].name), *row;
        size_t  i;

        json_array_foreach(rows, i, row) table_add_record(table, row, NULL);
    }
}

/* Levels and trades beside each other. */
static void add_book(const struct watch *watch, struct table *table)
{
    const json_t *bids = json_object_get(watch->book, "b"), *asks = json_object_get(watch->book, "a");

    for (uint32_t i = 0; i + 3 < watch->rows && i < TRADES_KEPT; i++) {
        const json_t *trade = json_array_get(watch->trades, i), *bid = json_array_get(bids, i),
                     *ask = json_array_get(asks, i);
        char texts[7][64], time[MOMENT_TEXT];
        bool has_time = moment_text(number_at(trade, "T"), time)[0] != '\0';

        table_add(table, (const char *const[]){
                             plain_value(json_array_get(bid, 1), texts[0], 64),
                             plain_value(json_array_get(bid, 0), texts[1], 64),
                             plain_value(json_array_get(ask, 0), texts[2], 64),
                             plain_value(json_array_get(ask, 1), texts[3], 64), has_time ? time + TIME_OF_DAY : "",
                             plain_member(trade, "S", texts[4], 64), plain_member(trade, "p", texts[5], 64),
                             plain_member(trade, "q", texts[6], 64) });
    }
}

/* Each line is cleared behind its text, and the rest of the screen behind the last one. */
static void put_lines(struct out *screen, struct slice lines)
{
    for (size_t i = 0; i < lines.len; i++) {
        if (lines.at[i] == '\n') out_literal(screen, "\033[K");
        out_char(screen, lines.at[i]);
    }
}

static void put_status(const struct watch *watch, struct out *screen)
{
    char line[sizeof(watch->client->origin) + sizeof(watch->status) + 16];

    (void)snprintf(line, sizeof(line), "q quits  %s  %s", watch->client->origin,
                   watch->status[0] != '\0' ? watch->status : "live");
    line[min_u64(sizeof(line) - 1, watch->columns)] = '\0';
    out_text(screen, line);
    out_literal(screen, "\033[K\033[J");
}

bool watch_draw(const struct watch *watch)
{
    bool       has_symbol = watch->symbol.name[0] != '\0';
    struct out lines = out_make(malloc(SCREEN_BYTES), SCREEN_BYTES),
               screen = out_make(malloc(2 * SCREEN_BYTES), 2 * SCREEN_BYTES);
    struct table table;
    bool         ok = lines.at != NULL && screen.at != NULL;

    table_begin(&table, has_symbol ? book_columns : market_columns,
                has_symbol ? ARRAY_COUNT(book_columns) : ARRAY_COUNT(market_columns));
    if (has_symbol) add_book(watch, &table);
    else add_markets(watch, &table);
    if (ok) {
        table_write(&table, &lines, watch->client->colours, watch->columns, watch->rows > 2 ? watch->rows - 1 : 2);
        out_literal(&screen, "\033[H");
        put_lines(&screen, out_slice(&lines));
        put_status(watch, &screen);
        ok = terminal_draw(out_slice(&screen));
    }
    table_end(&table);
    free(lines.at);
    free(screen.at);
    return ok;
}
