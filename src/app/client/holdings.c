/* SPDX-License-Identifier: MIT */
/* holdings.c — dojima balances, positions, orders: what an account has. */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/client.h"
#include "app/client/moment.h"
#include "app/client/symbol.h"
#include "app/client/table.h"

#include <stdio.h>

static const char *const bases[] = { "spot", "perps" };

/* {"spot": data, "perps": data} of a read of the account; NULL: the reason was printed, *code is set. */
static json_t *read_account(struct client *client, const char *what, const char *more, int *code)
{
    char    query[128], path[512];
    json_t *both = NULL;

    *code = client_find_owner(client);
    if (*code != EXIT_FINE) return NULL;
    (void)snprintf(path, sizeof(path), "/accounts/%s/%s%s", client->owner, what, client_query(client, more, query));
    both = client_read_both(client, path);
    if (both == NULL) *code = EXIT_GENERAL;
    return both;
}

/* The rows of a base: the array itself, or the member `key` of the object. */
static const json_t *rows_of(const json_t *both, const char *base, const char *key)
{
    const json_t *data = json_object_get(both, base);

    return json_is_array(data) ? data : json_object_get(data, key);
}

/* ---- balances ---- */

static const struct column balance_columns[] = {
    { "COIN", "coin", COLUMN_TEXT },
    { "ON", NULL, COLUMN_TEXT },
    { "TOTAL", "total", COLUMN_NUMBER },
    { "LOCKED", "locked", COLUMN_NUMBER },
};

static int run_balances(struct client *client)
{
    struct table table;
    int          code;
    json_t      *both = read_account(client, "balances", "", &code);

    if (both == NULL) return code;
    if (client->json) {
        code = client_print(client, both);
    } else {
        table_begin(&table, balance_columns, ARRAY_COUNT(balance_columns));
        for (size_t b = 0; b < 2; b++)
            for (size_t i = 0; i < json_array_size(rows_of(both, bases[b], "balances")); i++)
                table_add_record(&table, json_array_get(rows_of(both, bases[b], "balances"), i),
                                 (const char *const[]){ bases[b] });
        table_print(&table, client->colours, "There is no money in this account.");
        table_end(&table);
    }
    json_decref(both);
    return code;
}

int command_balances(int argc, char **argv)
{
    struct client          client = { .command = "balances" };
    const struct argument  rows[] = { ROW_CLIENT(client), ROW_ACCOUNT(client) };
    const struct arguments arguments = {
        "balances", NULL, "The money of an account, on spot and on perps.", rows, ARRAY_COUNT(rows), NULL
    };

    return client_run(&client, &arguments, argc, argv, 0, 0, run_balances);
}

/* ---- positions ---- */

static const struct column position_columns[] = {
    { "SYMBOL", "symbol", COLUMN_TEXT },
    { "SIDE", NULL, COLUMN_SIDE },
    { "SIZE", "size", COLUMN_NUMBER },
    { "ENTRY", "avgEntryPrice", COLUMN_NUMBER },
    { "MARK", "markPrice", COLUMN_NUMBER },
    { "PNL", "unrealizedPnl", COLUMN_SIGNED },
    { "LIQUIDATION", "liquidationPrice", COLUMN_NUMBER },
    { "MARGIN", "margin", COLUMN_NUMBER },
    { "MODE", "marginMode", COLUMN_TEXT },
    { "LEVERAGE", "leverage", COLUMN_NUMBER },
};

static void print_positions(const struct client *client, const json_t *rows)
{
    struct table table;

    table_begin(&table, position_columns, ARRAY_COUNT(position_columns));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);

        table_add_record(&table, row, (const char *const[]){ text_at(row, "size")[0] == '-' ? "SHORT" : "LONG" });
    }
    table_print(&table, client->colours, "There are no open positions.");
    table_end(&table);
}

static int run_positions(struct client *client)
{
    char    query[128];
    json_t *data;
    int     code = client_find_owner(client);

    if (code != EXIT_FINE) return code;
    data = client_read(client, "/api/v1/perps/accounts/%s/positions%s", client->owner, client_query(client, "", query));
    if (data == NULL) return EXIT_GENERAL;
    if (client->json) code = client_print(client, data);
    else print_positions(client, json_object_get(data, "positions"));
    json_decref(data);
    return code;
}

int command_positions(int argc, char **argv)
{
    struct client          client = { .command = "positions" };
    const struct argument  rows[] = { ROW_CLIENT(client), ROW_ACCOUNT(client) };
    const struct arguments arguments = { "positions",       NULL, "The open positions of an account.", rows,
                                         ARRAY_COUNT(rows), NULL };

    return client_run(&client, &arguments, argc, argv, 0, 0, run_positions);
}

/* ---- orders ---- */

static const struct column order_columns[] = {
    { "ORDER", "orderID", COLUMN_NUMBER },   { "SYMBOL", "symbol", COLUMN_TEXT },
    { "SIDE", "side", COLUMN_SIDE },         { "TYPE", NULL, COLUMN_TEXT },
    { "PRICE", "price", COLUMN_NUMBER },     { "STOP", "stopPrice", COLUMN_NUMBER },
    { "SIZE", "origQty", COLUMN_NUMBER },    { "DONE", "executedQty", COLUMN_NUMBER },
    { "STATUS", "status", COLUMN_TEXT },     { "TIF", "timeInForce", COLUMN_TEXT },
    { "CLIENT ID", "clOrdID", COLUMN_TEXT }, { "CREATED (UTC)", NULL, COLUMN_TEXT },
};

static void add_order(struct table *table, const json_t *row)
{
    const char *stop = text_at(row, "stopType");
    char        time[MOMENT_TEXT];

    table_add_record(table, row,
                     (const char *const[]){ stop[0] != '\0' ? stop : text_at(row, "type"),
                                            moment_text(number_at(row, "createdAt"), time) });
}

static void print_orders(const struct client *client, const json_t *both)
{
    struct table table;

    table_begin(&table, order_columns, ARRAY_COUNT(order_columns));
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < json_array_size(rows_of(both, bases[b], "orders")); i++)
            add_order(&table, json_array_get(rows_of(both, bases[b], "orders"), i));
    table_print(&table, client->colours, client->history ? "There are no orders." : "There are no open orders.");
    table_end(&table);
}

static int run_orders(struct client *client)
{
    char    more[64] = "";
    int     code;
    json_t *both;

    if (client->limit != 0) (void)snprintf(more, sizeof(more), "limit=%lu", (unsigned long)client->limit);
    both = read_account(client, client->history ? "orders/history" : "orders", more, &code);
    if (both == NULL) return code;
    if (client->json) code = client_print(client, both);
    else print_orders(client, both);
    json_decref(both);
    return code;
}

int command_orders(int argc, char **argv)
{
    struct client         client = { .command = "orders" };
    const struct argument rows[] = {
        ROW_CLIENT(client),
        { "history", ARGUMENT_FLAG, 0, &client.history, "", "The orders that have ended instead of the open ones." },
        { "limit", ARGUMENT_U64, 500, &client.limit, "N", "At most so many on each side, the newest." },
        ROW_ACCOUNT(client)
    };
    const struct arguments arguments = {
        "orders", NULL, "The open orders of an account, on spot and on perps.", rows, ARRAY_COUNT(rows), NULL
    };

    return client_run(&client, &arguments, argc, argv, 0, 0, run_orders);
}
