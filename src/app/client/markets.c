/* SPDX-License-Identifier: MIT */
/* markets.c — dojima markets, book: what an exchange shows to everybody. */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/plain.h"
#include "app/client/symbol.h"
#include "app/client/table.h"

#include <stdio.h>

/* ---- markets ---- */

static const struct column market_columns[] = {
    { "SYMBOL", "symbol", COLUMN_TEXT },         { "ON", NULL, COLUMN_TEXT },
    { "LAST", "lastPx", COLUMN_NUMBER },         { "CHANGE %", "changePct", COLUMN_SIGNED },
    { "BID", "bidPx", COLUMN_NUMBER },           { "ASK", "askPx", COLUMN_NUMBER },
    { "VOLUME", "volume", COLUMN_NUMBER },       { "MARK", "markPrice", COLUMN_NUMBER },
    { "FUNDING", "fundingRate", COLUMN_SIGNED },
};

static int print_markets(const struct client *client, const json_t *both)
{
    struct table table;
    const char  *base;
    json_t      *rows, *row;
    size_t       i;

    table_begin(&table, market_columns, ARRAY_COUNT(market_columns));
    json_object_foreach((json_t *)both, base, rows)
        json_array_foreach(rows, i, row) table_add_record(&table, row, (const char *const[]){ base });
    table_print(&table, client->colours, "There are no symbols.");
    table_end(&table);
    return EXIT_FINE;
}

/* One symbol: everything that its record says. */
static int print_record(json_t *record)
{
    const char *key;
    json_t     *value;

    json_object_foreach(record, key, value) {
        char name[40], text[512];

        (void)snprintf(name, sizeof(name), "%s", key);
        plain_clean(name);
        (void)printf("%-24s %s\n", name, plain_value(value, text, sizeof(text)));
    }
    return EXIT_FINE;
}

static int show_symbol(struct client *client)
{
    struct client_symbol symbol;
    json_t              *rows;
    int                  code = symbol_find(client, client->words[0], &symbol);

    if (code != EXIT_FINE) return code;
    rows = client_read(client, "/api/v1/%s/markets/symbols?symbol=%s", symbol.base, symbol.name);
    if (rows == NULL) return EXIT_GENERAL;
    code = client->json ? client_print(client, json_array_get(rows, 0)) : print_record(json_array_get(rows, 0));
    json_decref(rows);
    return code;
}

static int run_markets(struct client *client)
{
    json_t *both;
    int     code;

    if (client->count == 1) return show_symbol(client);
    both = client_read_both(client, "/markets/tickers");
    if (both == NULL) return EXIT_GENERAL;
    code = client->json ? client_print(client, both) : print_markets(client, both);
    json_decref(both);
    return code;
}

int command_markets(int argc, char **argv)
{
    struct client          client = { .command = "markets" };
    const struct argument  rows[] = { ROW_CLIENT(client) };
    const struct arguments arguments = {
        "markets", "[SYMBOL]",        "The symbols of an exchange with their prices; with a symbol, its rules.",
        rows,      ARRAY_COUNT(rows), NULL
    };

    return client_run(&client, &arguments, argc, argv, 0, 1, run_markets);
}

/* ---- book ---- */

static const struct column book_columns[] = {
    { "SIDE", NULL, COLUMN_SIDE },
    { "PRICE", NULL, COLUMN_NUMBER },
    { "SIZE", NULL, COLUMN_NUMBER },
};

static void add_level(struct table *table, const char *side, const json_t *level)
{
    char price[64], size[64];

    table_add(table, (const char *const[]){ side, plain_value(json_array_get(level, 0), price, sizeof(price)),
                                            plain_value(json_array_get(level, 1), size, sizeof(size)) });
}

/* As in a terminal: selling levels above, the best ones in the middle. */
static int print_book(const struct client *client, const json_t *book)
{
    const json_t *asks = json_object_get(book, "asks"), *bids = json_object_get(book, "bids");
    struct table  table;

    table_begin(&table, book_columns, ARRAY_COUNT(book_columns));
    for (size_t i = json_array_size(asks); i-- > 0;) add_level(&table, "SELL", json_array_get(asks, i));
    for (size_t i = 0; i < json_array_size(bids); i++) add_level(&table, "BUY", json_array_get(bids, i));
    table_print(&table, client->colours, "The book is empty.");
    table_end(&table);
    return EXIT_FINE;
}

static int run_book(struct client *client)
{
    struct client_symbol symbol;
    json_t              *book;
    int                  code = symbol_find(client, client->words[0], &symbol);

    if (code != EXIT_FINE) return code;
    book = client_read(client, "/api/v1/%s/markets/%s/orderbook?limit=%lu", symbol.base, symbol.name,
                       (unsigned long)(client->limit != 0 ? client->limit : 10));
    if (book == NULL) return EXIT_GENERAL;
    code = client->json ? client_print(client, book) : print_book(client, book);
    json_decref(book);
    return code;
}

int command_book(int argc, char **argv)
{
    struct client          client = { .command = "book" };
    const struct argument  rows[] = { ROW_CLIENT(client),
                                      { "limit", ARGUMENT_U64, 1000, &client.limit, "N",
                                        "Levels of each side; 10 when not given." } };
    const struct arguments arguments = {
        "book", "SYMBOL", "The order book of a symbol.", rows, ARRAY_COUNT(rows), NULL
    };

    return client_run(&client, &arguments, argc, argv, 1, 1, run_book);
}
