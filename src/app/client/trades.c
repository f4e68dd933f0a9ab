/* SPDX-License-Identifier: MIT */
/* trades.c — dojima trades: of a symbol, or one's own. */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/moment.h"
#include "app/client/symbol.h"
#include "app/client/table.h"

#include <stdio.h>

static const struct column public_columns[] = {
    { "TIME (UTC)", NULL, COLUMN_TEXT }, { "SYMBOL", "s", COLUMN_TEXT }, { "SIDE", "S", COLUMN_SIDE },
    { "PRICE", "p", COLUMN_NUMBER },     { "SIZE", "q", COLUMN_NUMBER },
};
static const struct column own_columns[] = {
    { "TIME (UTC)", NULL, COLUMN_TEXT }, { "SYMBOL", "symbol", COLUMN_TEXT },   { "SIDE", "side", COLUMN_SIDE },
    { "PRICE", "price", COLUMN_NUMBER }, { "SIZE", "quantity", COLUMN_NUMBER }, { "FEE", "fee", COLUMN_NUMBER },
    { "COIN", "feeCoin", COLUMN_TEXT },  { "ORDER", "orderID", COLUMN_NUMBER },
};

static void add_rows(struct table *table, const json_t *rows, const char *time_key)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        char          time[MOMENT_TEXT];

        table_add_record(table, row, (const char *const[]){ moment_text(number_at(row, time_key), time) });
    }
}

static unsigned long wanted_rows(const struct client *client) { return client->limit != 0 ? client->limit : 20; }

static int print_own(const struct client *client, const json_t *both)
{
    struct table table;

    if (client->json) return client_print(client, both);
    table_begin(&table, own_columns, ARRAY_COUNT(own_columns));
    add_rows(&table, json_object_get(both, "spot"), "time");
    add_rows(&table, json_object_get(both, "perps"), "time");
    table_print(&table, client->colours, "There are no trades.");
    table_end(&table);
    return EXIT_FINE;
}

static int show_own(struct client *client)
{
    char    query[128], more[64], path[512];
    json_t *both;
    int     code = client_find_owner(client);

    if (code != EXIT_FINE) return code;
    (void)snprintf(more, sizeof(more), "limit=%lu", wanted_rows(client));
    (void)snprintf(path, sizeof(path), "/accounts/%s/trades%s", client->owner, client_query(client, more, query));
    both = client_read_both(client, path);
    if (both == NULL) return EXIT_GENERAL;
    code = print_own(client, both);
    json_decref(both);
    return code;
}

static int print_public(const struct client *client, const json_t *rows)
{
    struct table table;

    if (client->json) return client_print(client, rows);
    table_begin(&table, public_columns, ARRAY_COUNT(public_columns));
    add_rows(&table, rows, "T");
    table_print(&table, client->colours, "There are no trades.");
    table_end(&table);
    return EXIT_FINE;
}

static int run_trades(struct client *client)
{
    struct client_symbol symbol;
    json_t              *rows;
    int                  code;

    if (client->mine && client->count == 0) return show_own(client);
    if (client->mine || client->count == 0)
        return complain(EXIT_USAGE, "trades: name a symbol, or --mine for the account's own trades in all of them");
    code = symbol_find(client, client->words[0], &symbol);
    if (code != EXIT_FINE) return code;
    rows = client_read(client, "/api/v1/%s/markets/%s/trades?limit=%lu", symbol.base, symbol.name, wanted_rows(client));
    if (rows == NULL) return EXIT_GENERAL;
    code = print_public(client, rows);
    json_decref(rows);
    return code;
}

int command_trades(int argc, char **argv)
{
    struct client          client = { .command = "trades" };
    const struct argument  rows[] = { ROW_CLIENT(client),
                                      { "mine", ARGUMENT_FLAG, 0, &client.mine, "", "The account's own trades." },
                                      { "limit", ARGUMENT_U64, 500, &client.limit, "N",
                                        "Trades, the newest; 20 when not given, on each side with --mine." },
                                      ROW_ACCOUNT(client) };
    const struct arguments arguments = { "trades", "[SYMBOL]",        "The last trades of a symbol, or one's own.",
                                         rows,     ARRAY_COUNT(rows), NULL };

    return client_run(&client, &arguments, argc, argv, 0, 1, run_trades);
}
