/* SPDX-License-Identifier: MIT */
/*
 * operate.c — dojima account, deposit, redeem, market and faucet: one request through the administration socket of a
 * running exchange, and what became of it (rulings 30, 49). Each carries an id; asking again with the same
 * id changes nothing, so a lost answer costs nothing.
 */
#include "base/hex.h"
#include "io/files.h"
#include "model/operator.h"
#include "server/arguments.h"
#include "server/house.h"
#include "server/log.h"
#include "server/server.h"
#include "wire/shape.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#define ID_BYTES 128                    /* room for a given id with a coin's name behind it */

/* What the command line says. */
struct asking {
    const char *command;
    const char *data, *id, *engine, *tx;
    const char *address, *coin, *amount;
    uint64_t    account;                /* 0 = the address's first one */
    bool        json;
    char        fresh[40];              /* an id of our own */
    int         handle;
};

/* ---- asking ---- */

static int no_exchange(const struct asking *asking, const struct local_fault *fault)
{
    if (fault->code == ENAMETOOLONG) return complain(EXIT_USAGE, "%s: %s", asking->command, fault->text);
    if (fault->code == ENOENT || fault->code == ECONNREFUSED)
        return complain(EXIT_GENERAL, "%s: no exchange is running on %.200s; start one with dojima dev --data DIR or dojima serve", asking->command, asking->data);
    return complain(EXIT_GENERAL, "%s: %s", asking->command, fault->text);
}

static int connect_to(struct asking *asking)
{
    struct local_fault fault;
    char               path[1024];

    if (strlen(asking->data) + sizeof("/" HOUSE_SOCKET) > sizeof(path)) return complain(EXIT_USAGE, "%s: the path of the folder is too long", asking->command);
    house_path(asking->data, path, sizeof(path));
    asking->handle = local_connect(path, &fault);
    return asking->handle >= 0 ? EXIT_FINE : no_exchange(asking, &fault);
}

/* One line there and back; *answer is the envelope, and the caller's. */
static int ask(const struct asking *asking, struct slice line, const char *id, char text[LOCAL_LINE_MAX], json_t **answer)
{
    size_t len;
    int    error = local_ask(asking->handle, line, text, &len);

    *answer = NULL;
    if (error == ENODATA)
        return complain(EXIT_GENERAL, "%s: the exchange ended the connection without an answer%s%s; it answers its own user only, and nobody while it stops",
                        asking->command, id[0] != '\0' ? "; ask again with --id " : "", id);
    if (error != 0) return complain(EXIT_GENERAL, "%s: no answer: %s", asking->command, strerror(error));
    text[len] = '\0';
    *answer = json_loadb(text, len, 0, NULL);
    return *answer != NULL ? EXIT_FINE : complain(EXIT_GENERAL, "%s: the answer is not JSON", asking->command);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static long long number_at(const json_t *object, const char *key) { return json_integer_value(json_object_get(object, key)); }

/* ---- what became of it ---- */

static int say_no(const struct asking *asking, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");
    const char   *field = text_at(details, "field"), *got = text_at(details, "got"), *need = text_at(details, "need"), *rule = text_at(details, "rule");

    return complain(EXIT_GENERAL, "%s: refused with %lld: %s%s%s%s%s%s%s", asking->command, number_at(answer, "code"), text_at(answer, "error"),
                    field[0] != '\0' ? "; " : "", field, got[0] != '\0' ? " is " : "", got,
                    need[0] != '\0' || rule[0] != '\0' ? "; needed: " : "", need[0] != '\0' ? need : rule);
}

static void say_yes(const struct asking *asking, const json_t *data)
{
    const json_t *params = json_object_get(data, "params");
    const char   *address = text_at(params, "address"), *amount = text_at(params, "amount"), *coin = text_at(params, "coin");

    if (strcmp(asking->command, "account") == 0) (void)printf("account %lld of %s is open", number_at(data, "accountID"), address);
    else if (strcmp(asking->command, "redeem") == 0) (void)printf("redeemed %s %s of %s", amount, coin, address);
    else if (strcmp(asking->command, "market") == 0) (void)printf("%s is %s", text_at(params, "symbol"), text_at(params, "status"));
    else (void)printf("%s %s to %s, account %lld, %s", amount, coin, address, number_at(data, "accountID"), text_at(params, "engine"));
    (void)printf("\n  id  %s\n  tx  %s, block %lld, index %lld\n", text_at(params, "id"), text_at(data, "tx"), number_at(data, "block"), number_at(data, "index"));
}

static int request(const struct asking *asking, const struct shape *shape, const void *params, const char *id)
{
    char       text[LOCAL_LINE_MAX + 1];
    struct out line = out_make(text, LOCAL_LINE_MAX - 1);
    json_t    *answer;
    int        code;

    out_literal(&line, "{\"type\":\"");
    out_text(&line, asking->command);
    out_literal(&line, "\",\"params\":");
    shape_write(&line, shape, params, false);
    out_char(&line, '}');
    if (line.overflow) return complain(EXIT_USAGE, "%s: the request is too long", asking->command);
    code = ask(asking, out_slice(&line), id, text, &answer);
    if (code != EXIT_FINE) return code;
    if (asking->json) (void)printf("%s\n", text);
    if (number_at(answer, "code") != 0 && asking->json) code = EXIT_GENERAL;
    else if (number_at(answer, "code") != 0) code = say_no(asking, answer);
    else if (!asking->json) say_yes(asking, json_object_get(answer, "data"));
    json_decref(answer);
    return code;
}

/* ---- the command line ---- */

static int choose_id(struct asking *asking)
{
    struct out out = out_make(asking->fresh, sizeof(asking->fresh) - 1);
    uint8_t    random[16];
    size_t     len = 0;

    if (asking->id != NULL) return EXIT_FINE;
    if (files_read("/dev/urandom", random, sizeof(random), &len) != 0 || len != sizeof(random))
        return complain(EXIT_GENERAL, "%s: no random bytes for an id; name one with --id", asking->command);
    out_hex(&out, random, sizeof(random));
    asking->fresh[out.len] = '\0';
    asking->id = asking->fresh;
    return EXIT_FINE;
}

static int read_address(const struct asking *asking, struct address *address)
{
    if (strlen(asking->address) == 42 && hex_read_0x(slice_of(asking->address), address->bytes, sizeof(address->bytes))) return EXIT_FINE;
    return complain(EXIT_USAGE, "%s: \"%.60s\" is not an address of 0x and 40 hex digits", asking->command, asking->address);
}

static int read_amount(const struct asking *asking, const char *coin, const char *text, struct name *name, struct decimal *amount)
{
    size_t len = strlen(coin);

    if (len == 0 || len > NAME_MAX_LEN) return complain(EXIT_USAGE, "%s: \"%.60s\" is not the name of a coin", asking->command, coin);
    *name = name_make(slice_of(coin));
    if (decimal_read(slice_of(text), amount) == DECIMAL_OK && amount->digits > 0) return EXIT_FINE;
    return complain(EXIT_USAGE, "%s: \"%.60s\" is not an amount: at most 18 digits, with a point if need be, above zero", asking->command, text);
}

static int read_engine(const struct asking *asking, uint8_t *engine)
{
    *engine = asking->engine != NULL && strcmp(asking->engine, "perps") == 0 ? MARKET_PERPS : MARKET_SPOT;
    if (asking->engine == NULL || strcmp(asking->engine, "spot") == 0 || *engine == MARKET_PERPS) return EXIT_FINE;
    return complain(EXIT_USAGE, "%s: --engine is spot or perps, not \"%.40s\"", asking->command, asking->engine);
}

static int give(const struct asking *asking, const char *coin, const char *amount, const char *id)
{
    struct deposit_request params = { .id = slice_of(id), .account_id = (uint32_t)asking->account };
    int                    code = read_address(asking, &params.address);

    if (code == EXIT_FINE) code = read_amount(asking, coin, amount, &params.coin, &params.amount);
    if (code == EXIT_FINE) code = read_engine(asking, &params.engine);
    return code == EXIT_FINE ? request(asking, &deposit_request_shape, &params, id) : code;
}

static int run_account(struct asking *asking)
{
    struct account_request params = { .id = slice_of(asking->id) };
    int                    code = read_address(asking, &params.address);

    return code == EXIT_FINE ? request(asking, &account_request_shape, &params, asking->id) : code;
}

static int run_deposit(struct asking *asking) { return give(asking, asking->coin, asking->amount, asking->id); }

static int run_redeem(struct asking *asking)
{
    struct redeem_request params = { .id = slice_of(asking->id), .tx = slice_of(asking->tx != NULL ? asking->tx : "") };
    int                   code = read_address(asking, &params.address);

    if (code == EXIT_FINE) code = read_amount(asking, asking->coin, asking->amount, &params.coin, &params.amount);
    return code == EXIT_FINE ? request(asking, &redeem_request_shape, &params, asking->id) : code;
}

/* The words are a symbol and what is to become of it. */
static int run_market(struct asking *asking)
{
    struct market_request params = { .id = slice_of(asking->id) };
    bool                  halt = strcmp(asking->coin, "halt") == 0;
    size_t                len = strlen(asking->address);
    int                   code = asking->engine != NULL ? read_engine(asking, &params.engine) : EXIT_FINE;

    if (code != EXIT_FINE) return code;
    if (!halt && strcmp(asking->coin, "trade") != 0) return complain(EXIT_USAGE, "market: halt or trade, not \"%.40s\"", asking->coin);
    if (len == 0 || len > NAME_MAX_LEN) return complain(EXIT_USAGE, "market: \"%.60s\" is not the name of a symbol", asking->address);
    params.symbol = name_make(slice_of(asking->address));
    params.status = halt ? SYMBOL_HALT : SYMBOL_TRADING;
    return request(asking, &market_request_shape, &params, asking->id);
}

/* What is not said is what the exchange gives by itself: every coin that it has a gift of, or the one named. */
static int run_faucet(struct asking *asking)
{
    char    text[LOCAL_LINE_MAX + 1], id[ID_BYTES];
    json_t *answer, *coin;
    size_t  index, gifts = 0;
    int     code;

    if (asking->amount != NULL) return give(asking, asking->coin, asking->amount, asking->id);
    code = ask(asking, SLICE("{\"type\":\"describe\"}"), "", text, &answer);
    if (code != EXIT_FINE) return code;
    json_array_foreach(json_object_get(json_object_get(answer, "data"), "coins"), index, coin) {
        const char *name = text_at(coin, "coin"), *gift = text_at(coin, "faucet");
        if (code != EXIT_FINE || strcmp(gift, "0") == 0 || (asking->coin != NULL && strcmp(asking->coin, name) != 0)) continue;
        (void)snprintf(id, sizeof(id), "%s-%s", asking->id, name);
        code = give(asking, name, gift, id);
        gifts += 1;
    }
    json_decref(answer);
    if (gifts == 0) return complain(EXIT_GENERAL, "faucet: it is off%s%s (the setting faucet in a coin's section turns it on)",
                                    asking->coin != NULL ? " for " : "", asking->coin != NULL ? asking->coin : "");
    return code;
}

/* The words behind the options: an address, then what the command takes. */
static int take_words(struct asking *asking, int argc, char **argv, int operand, int least, int most)
{
    int count = argc - operand;

    if (asking->data == NULL) return complain(EXIT_USAGE, "%s: --data DIR is needed: the folder of the running exchange", asking->command);
    if (count < least || count > most)
        return complain(EXIT_USAGE, "%s: %s (see dojima %s --help)", asking->command, count < least ? "words are missing" : "too many words", asking->command);
    asking->address = argv[operand];
    asking->coin = count > 1 ? argv[operand + 1] : NULL;
    asking->amount = count > 2 ? argv[operand + 2] : NULL;
    return EXIT_FINE;
}

static int operate(struct asking *asking, const struct arguments *arguments, int argc, char **argv, int least, int most, int (*run)(struct asking *))
{
    int operand, code;

    asking->handle = -1;
    if (!arguments_read(arguments, argc, argv, &operand, &code)) return code;
    code = take_words(asking, argc, argv, operand, least, most);
    if (code == EXIT_FINE) code = choose_id(asking);
    if (code == EXIT_FINE) code = connect_to(asking);
    if (code == EXIT_FINE) code = run(asking);
    files_close(asking->handle);
    return code;
}

#define ROW_DATA(asking)   { "data", ARGUMENT_TEXT, 0, &(asking).data, "DIR", "Folder of the running exchange." }
#define ROW_ID(asking)     { "id",   ARGUMENT_TEXT, 0, &(asking).id,   "ID",  "Asking again with the same id changes nothing; a fresh one when not given." }
#define ROW_JSON(asking)   { "json", ARGUMENT_FLAG, 0, &(asking).json, "",    "The answer as a line of JSON." }
#define ROW_ACCOUNT(asking) { "account", ARGUMENT_U64, UINT32_MAX, &(asking).account, "ID", "One of the address's accounts; its first one when not given." }
#define ROW_ENGINE(asking) { "engine", ARGUMENT_TEXT, 0, &(asking).engine, "NAME", "spot, or perps for vUSDC; spot when not given." }

int command_account(int argc, char **argv)
{
    struct asking          asking = { .command = "account" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "account", "ADDRESS", "Opens one more account for an address. Its first one comes with its first deposit.", rows, ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 1, 1, run_account);
}

int command_deposit(int argc, char **argv)
{
    struct asking          asking = { .command = "deposit" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ACCOUNT(asking), ROW_ENGINE(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "deposit", "ADDRESS COIN AMOUNT", "Credits money from outside; the first deposit of an address opens its account.", rows, ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 3, 3, run_deposit);
}

int command_redeem(int argc, char **argv)
{
    struct asking          asking = { .command = "redeem" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), { "tx", ARGUMENT_TEXT, 0, &asking.tx, "TX", "The transaction elsewhere that pays it out; kept in the log." }, ROW_JSON(asking) };
    const struct arguments arguments = { "redeem", "ADDRESS COIN AMOUNT", "Burns what an address has withdrawn to the EVM ledger: it has left the exchange.", rows, ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 3, 3, run_redeem);
}

int command_market(int argc, char **argv)
{
    struct asking          asking = { .command = "market" };
    const struct argument  rows[] = { ROW_DATA(asking), { "engine", ARGUMENT_TEXT, 0, &asking.engine, "NAME", "spot or perps; when not given the side that has the symbol, spot first." },
                                      ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "market", "SYMBOL halt|trade", "Halts a symbol, or lets it trade. While it is halted orders can be canceled and nothing else happens to them.",
                                         rows, ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 2, 2, run_market);
}

int command_faucet(int argc, char **argv)
{
    struct asking          asking = { .command = "faucet" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ACCOUNT(asking), ROW_ENGINE(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "faucet", "ADDRESS [COIN [AMOUNT]]", "Gives money for trying things out, where the configuration allows it; dojima dev does.", rows, ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 1, 3, run_faucet);
}
