/* SPDX-License-Identifier: MIT */
/* change.c — dojima cancel, replace: open orders by their number or client id. */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/amount.h"
#include "app/client/plain.h"
#include "app/client/symbol.h"
#include "app/client/write.h"
#include "model/decimal.h"
#include "model/enums.h"

#include <limits.h>
#include <stdio.h>

static const char *const bases[] = { "spot", "perps" };

/* The open orders of the account: {"spot": {orders}, "perps": {orders}}. */
static json_t *read_open(struct client *client)
{
    char query[128], path[512];

    (void)snprintf(path, sizeof(path), "/accounts/%s/orders%s", client->owner, client_query(client, "", query));
    return client_read_both(client, path);
}

static const json_t *orders_of(const json_t *open, size_t base)
{
    return json_object_get(json_object_get(open, bases[base]), "orders");
}

/* Is it this order: its number, or its client id? */
static bool is_order(const json_t *row, const char *word)
{
    char number[24];

    (void)snprintf(number, sizeof(number), "%lld", number_at(row, "orderID"));
    return strcmp(word, number) == 0 || strcmp(word, text_at(row, "clOrdID")) == 0;
}

/* The open order with this number or client id; *base is where it stands. NULL: the reason was printed. */
static const json_t *find_open(const struct client *client, const json_t *open, const char *word, size_t *base)
{
    const json_t *found = NULL;
    char          asked[48];

    (void)snprintf(asked, sizeof(asked), "%s", word);
    plain_clean(asked);
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < json_array_size(orders_of(open, b)); i++) {
            const json_t *row = json_array_get(orders_of(open, b), i);

            if (!is_order(row, word)) continue;
            if (found != NULL) {
                (void)complain(EXIT_GENERAL, "%s: \"%s\" is several open orders; name one by its number",
                               client->command, asked);
                return NULL;
            }
            found = row;
            *base = b;
        }
    if (found == NULL)
        (void)complain(EXIT_GENERAL, "%s: there is no open order \"%s\" (dojima orders lists them)", client->command,
                       asked);
    return found;
}

/* The symbolID of each order is asked for once a symbol. -1: the reason was printed. */
static json_int_t symbol_id(struct client *client, json_t *known, const json_t *row)
{
    struct client_symbol symbol;
    const char          *name = text_at(row, "symbol");

    if (json_object_get(known, name) == NULL) {
        if (symbol_find(client, name, &symbol) != EXIT_FINE) return -1;
        (void)json_object_set_new(known, name, json_integer((json_int_t)symbol.id));
    }
    return (json_int_t)number_at(known, name);
}

/* ---- cancel ---- */

static void say_canceled(const json_t *data)
{
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *row = json_array_get(data, i);
        char          texts[2][64];

        if (number_at(row, "code") == 0)
            (void)printf("order %s %s\n", plain_member(row, "orderID", texts[0], sizeof(texts[0])),
                         plain_member(row, "status", texts[1], sizeof(texts[1])));
    }
}

/* One request, at most BATCH_MAX cancels. */
static int send_cancels(struct client *client, size_t base, json_t *cancels)
{
    struct client_write write = { base == 0 ? MARKET_SPOT : MARKET_PERPS, "DELETE",
                                  base == 0 ? "/trade/orders/batch" : "/trade/orders",
                                  base == 0 ? "batchCancelOrder" : "cancelOrder", NULL };
    int                 code;

    write.body = json_pack("{s:I,s:O}", "accountID", (json_int_t)client->account, "cancels", cancels);
    if (write.body == NULL) return complain(EXIT_GENERAL, "%s: not enough memory", client->command);
    code = client_write(client, &write, say_canceled);
    json_decref(write.body);
    return code;
}

static bool add_cancel(struct client *client, json_t *known, json_t *cancels, size_t base, const json_t *row)
{
    json_int_t id = symbol_id(client, known, row), number = (json_int_t)number_at(row, "orderID");

    if (id < 0) return false;
    if (base == 0)
        return json_array_append_new(cancels,
                                     json_pack("{s:I,s:s,s:I}", "symbolID", id, "clOrdID", "", "orderID", number))
            == 0;
    return json_array_append_new(cancels, json_pack("{s:I,s:I}", "symbolID", id, "orderID", number)) == 0;
}

/* Sends what is gathered for a base, a request per BATCH_MAX. */
static int send_gathered(struct client *client, size_t base, const json_t *cancels)
{
    int code = EXIT_FINE;

    for (size_t from = 0; from < json_array_size(cancels); from += BATCH_MAX) {
        json_t *part = json_array();
        int     sent;

        for (size_t i = from; i < json_array_size(cancels) && i < from + BATCH_MAX; i++)
            (void)json_array_append(part, json_array_get(cancels, i));
        sent = send_cancels(client, base, part);
        json_decref(part);
        if (sent != EXIT_FINE) code = sent;
    }
    return code;
}

/* The cancels of both bases out of the words, or of all that is open. */
static int gather(struct client *client, const json_t *open, json_t *known, json_t *const cancels[2])
{
    for (int w = 0; w < client->count; w++) {
        size_t        base = 0;
        const json_t *row = find_open(client, open, client->words[w], &base);

        if (row == NULL || !add_cancel(client, known, cancels[base], base, row)) return EXIT_GENERAL;
    }
    for (size_t b = 0; client->all && b < 2; b++)
        for (size_t i = 0; i < json_array_size(orders_of(open, b)); i++) {
            const json_t *row = json_array_get(orders_of(open, b), i);

            if (client->symbol != NULL && strcmp(client->symbol, text_at(row, "symbol")) != 0) continue;
            if (!add_cancel(client, known, cancels[b], b, row)) return EXIT_GENERAL;
        }
    return EXIT_FINE;
}

/* Cancels what the words name, on both bases. With --json: one array of outcomes. */
static int cancel_open(struct client *client, const json_t *open)
{
    json_t *known = json_object(), *cancels[2] = { json_array(), json_array() };
    int     code = gather(client, open, known, cancels);

    client->outcomes = client->json ? json_array() : NULL;
    if (code == EXIT_FINE && json_array_size(cancels[0]) + json_array_size(cancels[1]) == 0 && !client->json)
        (void)printf("There are no open orders.\n");
    if (code == EXIT_FINE) {
        int spot = send_gathered(client, 0, cancels[0]), perps = send_gathered(client, 1, cancels[1]);

        code = spot != EXIT_FINE ? spot : perps;
    }
    if (client->json && client_print(client, client->outcomes) != EXIT_FINE) code = EXIT_GENERAL;
    json_decref(client->outcomes);
    json_decref(cancels[0]);
    json_decref(cancels[1]);
    json_decref(known);
    return code;
}

static int run_cancel(struct client *client)
{
    json_t              *open;
    struct client_symbol symbol;
    int                  code;

    if (client->all == (client->count != 0) || (client->symbol != NULL && !client->all))
        return complain(EXIT_USAGE,
                        "cancel: name orders by their number or client id, or --all, perhaps with --symbol");
    code = client_sign_in(client);
    if (code == EXIT_FINE && client->symbol != NULL) code = symbol_find(client, client->symbol, &symbol);
    if (code != EXIT_FINE) return code;
    if (client->symbol != NULL) client->symbol = symbol.name;
    open = read_open(client);
    if (open == NULL) return EXIT_GENERAL;
    code = cancel_open(client, open);
    json_decref(open);
    return code;
}

static void print_operators(void)
{
    (void)printf("\nWith --data DIR it is the operator's command, for orders of any account on the exchange of that "
                 "folder:\n  dojima cancel --data DIR --help\n");
}

int command_cancel_own(int argc, char **argv)
{
    struct client          client = { .command = "cancel" };
    const struct argument  rows[] = { ROW_CLIENT(client),
                                      { "all", ARGUMENT_FLAG, 0, &client.all, "", "All open orders of the account." },
                                      { "symbol", ARGUMENT_TEXT, 0, &client.symbol, "NAME",
                                        "With --all: only orders in this symbol." },
                                      ROW_ACCOUNT(client),
                                      ROW_WRITE(client) };
    const struct arguments arguments = {
        "cancel", "[ORDER]...",      "Cancels open orders of an account, by their number or client id.",
        rows,     ARRAY_COUNT(rows), print_operators
    };

    return client_run(&client, &arguments, argc, argv, 0, INT_MAX, run_cancel);
}

/* --data DIR is how every operator's command is told where; nothing of a trader's has it (decision 240). */
int command_cancel_either(int argc, char **argv)
{
    bool has_data = false, has_url = false;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--data") == 0 || strncmp(argv[i], "--data=", 7) == 0) has_data = true;
        if (strcmp(argv[i], "--url") == 0 || strncmp(argv[i], "--url=", 6) == 0) has_url = true;
    }
    if (has_data && has_url)
        return complain(EXIT_USAGE, "cancel: --data is the operator's command and --url a trader's: only one of them");
    return has_data ? command_cancel(argc, argv) : command_cancel_own(argc, argv);
}

/* ---- replace ---- */

static const char *new_price, *new_size, *new_stop;
static bool        behind_at; /* the price came as @ PRICE */

static void say_replaced(const json_t *data)
{
    if (json_is_array(data)) say_canceled(data);
    else (void)printf("changed\n");
}

/* < 0, 0 or > 0; 0 as well where one of them is no decimal. */
static int compare(const char *a, const char *b)
{
    struct decimal left, right;
    int128_t       difference;

    if (decimal_read(slice_of(a), &left) != DECIMAL_OK || decimal_read(slice_of(b), &right) != DECIMAL_OK) return 0;
    difference =
        (int128_t)left.digits * pow10_i64((int)right.scale) - (int128_t)right.digits * pow10_i64((int)left.scale);
    return (difference > 0) - (difference < 0);
}

/*
 * The price of a MARKET stop is the worst one that it takes, not its trigger: beyond the trigger it would fire and
 * trade with nobody. A person who writes @ PRICE means the trigger.
 */
static int check_market_stop(const json_t *row)
{
    const char *worst = new_price != NULL ? new_price : text_at(row, "price");
    const char *trigger = new_stop != NULL ? new_stop : text_at(row, "stopPrice");
    int         side = strcmp(text_at(row, "side"), "SELL") == 0 ? 1 : -1;
    char        texts[2][48];

    if (behind_at)
        return complain(EXIT_USAGE,
                        "replace: order %lld is a MARKET stop without a limit: --stop moves the trigger, --price sets "
                        "the worst price that it takes",
                        number_at(row, "orderID"));
    if (compare(worst, trigger) * side <= 0) return EXIT_FINE;
    (void)snprintf(texts[0], sizeof(texts[0]), "%s", worst);
    (void)snprintf(texts[1], sizeof(texts[1]), "%s", trigger);
    plain_clean(texts[0]);
    plain_clean(texts[1]);
    return complain(EXIT_USAGE,
                    "replace: order %lld would fire at %s and then trade with nobody, because %s is the worst price "
                    "that it takes (--price); --stop moves the trigger",
                    number_at(row, "orderID"), texts[1], texts[0]);
}

static int check_changes(const json_t *row)
{
    if (text_at(row, "stopType")[0] == '\0' && new_stop != NULL)
        return complain(EXIT_USAGE, "replace: order %lld is no TP/SL order and has no stop price",
                        number_at(row, "orderID"));
    if (text_at(row, "stopType")[0] != '\0' && strcmp(text_at(row, "type"), "MARKET") == 0)
        return check_market_stop(row);
    return EXIT_FINE;
}

/* A limit order is replaced, a stop that has not triggered is modified (wire 2.3, 2.4). */
static int send_replace(struct client *client, size_t base, const json_t *row, json_int_t symbol)
{
    bool                is_stop = text_at(row, "stopType")[0] != '\0';
    struct client_write write = { base == 0 ? MARKET_SPOT : MARKET_PERPS, "POST",
                                  is_stop ? "/trade/orders/modify" : "/trade/orders/replace",
                                  is_stop ? "modifyOrder" : "replaceOrder", NULL };
    json_int_t          number = (json_int_t)number_at(row, "orderID");
    int                 code = check_changes(row);

    if (code != EXIT_FINE) return code;
    if (is_stop)
        write.body =
            json_pack("{s:I,s:I,s:I,s:s*,s:s*,s:s*}", "accountID", (json_int_t)client->account, "symbolID", symbol,
                      "orderID", number, "price", new_price, "quantity", new_size, "stopPrice", new_stop);
    else
        write.body = json_pack("{s:I,s:[{s:I,s:s,s:I,s:s*,s:s*}]}", "accountID", (json_int_t)client->account, "orders",
                               "symbolID", symbol, "clOrdID", text_at(row, "clOrdID"), "origOrderID", number, "price",
                               new_price, "quantity", new_size);
    if (write.body == NULL) return complain(EXIT_GENERAL, "%s: not enough memory", client->command);
    code = client_write(client, &write, say_replaced);
    json_decref(write.body);
    return code;
}

/* Behind the order: "@ PRICE" or "@PRICE", the same as --price but of a MARKET stop. */
static int read_changes(const struct client *client)
{
    const char *price = client->count == 3 && strcmp(client->words[1], "@") == 0 ? client->words[2]
                      : client->count == 2 && client->words[1][0] == '@'         ? client->words[1] + 1
                                                                                 : NULL;
    int         code;

    if ((client->count > 1) != (price != NULL) || (price != NULL && new_price != NULL))
        return complain(EXIT_USAGE, "replace: behind the order comes @ PRICE, or --price, once");
    behind_at = price != NULL;
    if (behind_at) new_price = price;
    if (new_price == NULL && new_size == NULL && new_stop == NULL)
        return complain(EXIT_USAGE, "replace: say what changes: @ PRICE, --size or --stop");
    code = amount_check("replace", "the price", &new_price);
    if (code == EXIT_FINE) code = amount_check("replace", "--size", &new_size);
    return code == EXIT_FINE ? amount_check("replace", "--stop", &new_stop) : code;
}

static int run_replace(struct client *client)
{
    json_t       *open, *known;
    const json_t *row;
    json_int_t    symbol;
    size_t        base = 0;
    int           code = read_changes(client);

    if (code == EXIT_FINE) code = client_sign_in(client);
    if (code != EXIT_FINE) return code;
    open = read_open(client);
    if (open == NULL) return EXIT_GENERAL;
    known = json_object();
    row = find_open(client, open, client->words[0], &base);
    symbol = row != NULL ? symbol_id(client, known, row) : -1;
    code = symbol >= 0 ? send_replace(client, base, row, symbol) : EXIT_GENERAL;
    json_decref(known);
    json_decref(open);
    return code;
}

int command_replace(int argc, char **argv)
{
    struct client         client = { .command = "replace" };
    const struct argument rows[] = {
        ROW_CLIENT(client),
        { "price", ARGUMENT_TEXT, 0, &new_price, "P",
          "The new limit, the same as @ PRICE; of a stop that is a market order the worst price it takes." },
        { "size", ARGUMENT_TEXT, 0, &new_size, "Q", "The new size, what is executed already included." },
        { "stop", ARGUMENT_TEXT, 0, &new_stop, "P", "Of a take profit or stop loss: the price that triggers it." },
        ROW_ACCOUNT(client),
        ROW_WRITE(client)
    };
    const struct arguments arguments = {
        "replace", "ORDER [@ PRICE]", "Changes price or size of an open order; it keeps its number.",
        rows,      ARRAY_COUNT(rows), NULL
    };

    return client_run(&client, &arguments, argc, argv, 1, 3, run_replace);
}
