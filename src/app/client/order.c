/* SPDX-License-Identifier: MIT */
/* order.c — dojima buy, sell, bracket: one order, or one with its take profit and stop loss. */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/amount.h"
#include "app/client/plain.h"
#include "app/client/symbol.h"
#include "app/client/write.h"
#include "base/out.h"
#include "io/files.h"
#include "model/text.h"

#include <stdio.h>

/* The options and words of one order. */
struct order_words {
    const char *size, *symbol, *price; /* price NULL: a market order */
    const char *funds, *take_profit, *stop_loss, *client_id, *price_option;
    bool        post_only, ioc, reduce_only;
    uint8_t     side;
    char        fresh[32];
};

static struct order_words order; /* of the one command that this process runs */

/* ---- words ---- */

/* "@ PRICE", "@PRICE", "market", or nothing behind SIZE SYMBOL. */
static int read_price(const struct client *client, char **words, int count, bool *is_market)
{
    *is_market = count == 1 && strcmp(words[0], "market") == 0;
    order.price = order.price_option;
    if (count == 0 || *is_market) {
        if (order.price != NULL && *is_market)
            return complain(EXIT_USAGE, "%s: a market order has no --price", client->command);
        return EXIT_FINE;
    }
    if (order.price != NULL) return complain(EXIT_USAGE, "%s: the price is given twice", client->command);
    if (count == 1 && words[0][0] == '@') order.price = words[0] + 1;
    else if (count == 2 && strcmp(words[0], "@") == 0) order.price = words[1];
    else
        return complain(EXIT_USAGE, "%s: behind SIZE SYMBOL comes @ PRICE, or the word market, not \"%.40s\"",
                        client->command, words[0]);
    return EXIT_FINE;
}

static int check_amounts(const struct client *client)
{
    const struct {
        const char *name, **text;
    } amounts[] = { { "SIZE", &order.size },
                    { "the price", &order.price },
                    { "--funds", &order.funds },
                    { "--tp", &order.take_profit },
                    { "--sl", &order.stop_loss } };

    for (size_t i = 0; i < ARRAY_COUNT(amounts); i++) {
        int code = amount_check(client->command, amounts[i].name, amounts[i].text);

        if (code != EXIT_FINE) return code;
    }
    return EXIT_FINE;
}

static int read_words(const struct client *client, char **words, int count)
{
    int  code, used = order.funds != NULL ? 1 : 2;
    bool is_market;

    if (count < used)
        return complain(EXIT_USAGE, "%s: name the size and the symbol (see dojima %s --help)", client->command,
                        client->command);
    order.size = order.funds != NULL ? NULL : words[0];
    order.symbol = words[used - 1];
    if (order.funds != NULL && count > 2)
        return complain(EXIT_USAGE, "%s: with --funds SIZE is left out: %s --funds %.40s SYMBOL market",
                        client->command, client->command, order.funds);
    code = read_price(client, words + used, count - used, &is_market);
    if (code != EXIT_FINE) return code;
    if (order.price == NULL && !is_market)
        return complain(EXIT_USAGE,
                        "%s: say the price with @ PRICE, or write the word market to take what the book has",
                        client->command);
    if (order.funds != NULL && !is_market)
        return complain(EXIT_USAGE, "%s: --funds is for a market order", client->command);
    if (order.stop_loss != NULL && order.take_profit == NULL)
        return complain(EXIT_USAGE, "%s: --sl stands beside --tp (perps place rule 4)", client->command);
    if (order.post_only && order.ioc)
        return complain(EXIT_USAGE, "%s: only one of --post-only and --ioc", client->command);
    if (is_market && order.post_only)
        return complain(EXIT_USAGE, "%s: a market order cannot be --post-only", client->command);
    return check_amounts(client);
}

/* An id of our own, so that a copy of this order is never placed while it is open. */
static int choose_id(const struct client *client)
{
    uint8_t    random[8];
    struct out out = out_make(order.fresh, sizeof(order.fresh) - 1);

    if (order.client_id != NULL) {
        if (text_is_client_id(slice_of(order.client_id))) return EXIT_FINE;
        return complain(EXIT_USAGE, "%s: --client-id wants 1 to 36 of 0-9 a-z A-Z _ -", client->command);
    }
    if (!files_random(random, sizeof(random)))
        return complain(EXIT_GENERAL, "%s: no random bytes for an id; name one with --client-id", client->command);
    out_literal(&out, "cli-");
    out_hex(&out, random, sizeof(random));
    order.fresh[out.len] = '\0';
    order.client_id = order.fresh;
    return EXIT_FINE;
}

/* ---- bodies ---- */

static void set_number(json_t *object, const char *key, uint64_t number)
{
    (void)json_object_set_new(object, key, json_integer((json_int_t)number));
}

static uint8_t time_in_force(void)
{
    if (order.price == NULL || order.ioc) return TIF_IOC;
    return order.post_only ? TIF_GTX : TIF_GTC;
}

/* The members that orders of both markets have beside each other. */
static void set_terms(json_t *item)
{
    set_number(item, "side", order.side);
    set_number(item, "type", order.price != NULL ? TYPE_LIMIT : TYPE_MARKET);
    set_number(item, "timeInForce", time_in_force());
    set_text(item, "price", order.price);
    set_text(item, "quantity", order.size);
    set_text(item, "funds", order.funds);
}

static json_t *spot_body(const struct client *client, const struct client_symbol *symbol)
{
    json_t *item = json_object();

    set_number(item, "symbolID", symbol->id);
    set_text(item, "clOrdID", order.client_id);
    set_terms(item);
    return json_pack("{s:I,s:[o]}", "accountID", (json_int_t)client->account, "orders", item);
}

/* The order itself, or a parent whose children are the stops behind it. */
static json_t *perps_item(bool has_stops)
{
    json_t *item = json_object();

    set_text(item, "clOrdID", order.client_id);
    set_number(item, "modifier", has_stops ? MODIFIER_BRACKET : MODIFIER_NORMAL);
    set_terms(item);
    (void)json_object_set_new(item, "reduceOnly", json_boolean(order.reduce_only));
    set_number(item, "positionSide", POSITION_BOTH);
    return item;
}

/* A market order of the other side when the mark reaches the price. */
static json_t *stop_item(const char *ending, const char *price, uint8_t type)
{
    json_t *item = json_object();
    char    id[CLIENT_ID_MAX + 1];

    (void)snprintf(id, sizeof(id), "%.33s%s", order.client_id, ending);
    set_text(item, "clOrdID", id);
    set_number(item, "modifier", MODIFIER_ATTACHED_STOP);
    set_number(item, "side", order.side == SIDE_BUY ? SIDE_SELL : SIDE_BUY);
    set_number(item, "type", TYPE_MARKET);
    set_number(item, "timeInForce", TIF_IOC);
    set_text(item, "quantity", order.size);
    set_text(item, "stopPrice", price);
    set_number(item, "stopType", type);
    set_number(item, "triggerType", TRIGGER_MARK_PRICE);
    (void)json_object_set_new(item, "reduceOnly", json_true());
    set_number(item, "positionSide", POSITION_BOTH);
    return item;
}

static json_t *perps_body(const struct client *client, const struct client_symbol *symbol)
{
    bool    has_stops = order.take_profit != NULL || order.stop_loss != NULL;
    json_t *items = json_pack("[o]", perps_item(has_stops));

    if (order.take_profit != NULL)
        (void)json_array_append_new(items, stop_item("-tp", order.take_profit, STOP_TAKE_PROFIT));
    if (order.stop_loss != NULL) (void)json_array_append_new(items, stop_item("-sl", order.stop_loss, STOP_LOSS));
    return json_pack("{s:I,s:I,s:o}", "accountID", (json_int_t)client->account, "symbolID", (json_int_t)symbol->id,
                     "orders", items);
}

/* ---- sending ---- */

static void say_placed(const json_t *data)
{
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *row = json_array_get(data, i);
        char          texts[4][64];

        if (number_at(row, "code") != 0) continue;
        (void)printf("order %s %s  (%s)", plain_member(row, "orderID", texts[0], sizeof(texts[0])),
                     plain_member(row, "status", texts[1], sizeof(texts[1])),
                     plain_member(row, "clOrdID", texts[2], sizeof(texts[2])));
        (void)printf("%s%s\n", json_object_get(row, "warning") != NULL ? "  warning: " : "",
                     plain_member(row, "warning", texts[3], sizeof(texts[3])));
    }
}

static int send_order(struct client *client, const struct client_symbol *symbol)
{
    bool                is_spot = symbol->market == MARKET_SPOT;
    struct client_write write = { symbol->market, "POST", is_spot ? "/trade/orders/batch" : "/trade/orders",
                                  is_spot ? "batchNewOrder" : "newOrder", NULL };
    int                 code;

    if (is_spot && (order.reduce_only || order.take_profit != NULL || order.stop_loss != NULL))
        return complain(EXIT_USAGE, "%s: --reduce-only, --tp and --sl are for perps; %s is on spot", client->command,
                        symbol->name);
    write.body = is_spot ? spot_body(client, symbol) : perps_body(client, symbol);
    if (write.body == NULL) return complain(EXIT_GENERAL, "%s: not enough memory", client->command);
    code = client_write(client, &write, say_placed);
    json_decref(write.body);
    return code;
}

static int place(struct client *client, char **words, int count)
{
    struct client_symbol symbol;
    int                  code = read_words(client, words, count);

    if (code == EXIT_FINE) code = choose_id(client);
    if (code == EXIT_FINE) code = client_sign_in(client);
    if (code == EXIT_FINE) code = symbol_find(client, order.symbol, &symbol);
    return code == EXIT_FINE ? send_order(client, &symbol) : code;
}

static int run_side(struct client *client) { return place(client, client->words, client->count); }

static int run_bracket(struct client *client)
{
    if (strcmp(client->words[0], "buy") == 0) order.side = SIDE_BUY;
    else if (strcmp(client->words[0], "sell") == 0) order.side = SIDE_SELL;
    else return complain(EXIT_USAGE, "bracket: begin with buy or sell, not \"%.40s\"", client->words[0]);
    if (order.take_profit == NULL)
        return complain(EXIT_USAGE, "bracket: --tp PRICE is needed, and --sl PRICE may stand beside it");
    return place(client, client->words + 1, client->count - 1);
}

/* clang-format off */
#define ROWS_ORDER(client)                                                                                             \
    { "price", ARGUMENT_TEXT, 0, &order.price_option, "P", "The limit, the same as @ PRICE." },                        \
    { "tp", ARGUMENT_TEXT, 0, &order.take_profit, "P",                                                                 \
      "Perps: a market order closes the position when the mark price reaches P (take profit)." },                      \
    { "sl", ARGUMENT_TEXT, 0, &order.stop_loss, "P",                                                                   \
      "Perps: a market order closes the position when the mark price reaches P (stop loss); goes with --tp." },        \
    { "client-id", ARGUMENT_TEXT, 0, &order.client_id, "ID", "Its clOrdID; a fresh one when not given." },             \
    ROW_ACCOUNT(client), ROW_WRITE(client)
#define ROWS_SIDE(client)                                                                                              \
    { "post-only", ARGUMENT_FLAG, 0, &order.post_only, "", "Refused instead of taking from the book (GTX)." },         \
    { "ioc", ARGUMENT_FLAG, 0, &order.ioc, "", "What is not executed at once is canceled." },                          \
    { "reduce-only", ARGUMENT_FLAG, 0, &order.reduce_only, "", "Perps: only makes a position smaller." },              \
    { "funds", ARGUMENT_TEXT, 0, &order.funds, "AMOUNT",                                                               \
      "Instead of SIZE, of a market order to buy: how much of the quote coin." }
/* clang-format on */

static void print_examples(void)
{
    (void)printf("\n  dojima buy 0.01 vBTC_vUSDC @ 100000\n  dojima buy 0.01 BTC-USD @ 100000 --tp 105000 --sl 98000\n"
                 "  dojima sell 0.5 ETH-USD market --reduce-only\n  dojima buy --funds 250 vBTC_vUSDC market\n");
}

static int run_one(const char *command, uint8_t side, int argc, char **argv)
{
    struct client          client = { .command = command };
    const struct argument  rows[] = { ROW_CLIENT(client), ROWS_SIDE(client), ROWS_ORDER(client) };
    const struct arguments arguments = { command,
                                         "SIZE SYMBOL @ PRICE|market",
                                         side == SIDE_BUY ? "Places an order to buy, on spot or perps."
                                                          : "Places an order to sell, on spot or perps.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         print_examples };

    order.side = side;
    return client_run(&client, &arguments, argc, argv, 1, 4, run_side);
}

int command_buy(int argc, char **argv) { return run_one("buy", SIDE_BUY, argc, argv); }
int command_sell(int argc, char **argv) { return run_one("sell", SIDE_SELL, argc, argv); }

int command_bracket(int argc, char **argv)
{
    struct client          client = { .command = "bracket" };
    const struct argument  rows[] = { ROW_CLIENT(client), ROWS_ORDER(client) };
    const struct arguments arguments = { "bracket",
                                         "buy|sell SIZE SYMBOL @ PRICE|market --tp P [--sl P]",
                                         "Places a perps order with its take profit and stop loss, all or nothing.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return client_run(&client, &arguments, argc, argv, 3, 5, run_bracket);
}
