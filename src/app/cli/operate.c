/* SPDX-License-Identifier: MIT */
/*
 * operate.c — dojima account, deposit, redeem, market, cancel, staking, mode and faucet: one request through the
 * administration socket of a running exchange, and its outcome (rulings 30, 49). Each carries an id; a repetition with
 * the same id changes nothing, so a lost answer can be asked for again.
 */
#include "api/api.h"
#include "base/hex.h"
#include "io/files.h"
#include "model/operator.h"
#include "admin/admin.h"
#include "app/cli/arguments.h"
#include "diagnostics/program_log.h"
#include "app/cli/commands.h"
#include "wire/shape.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#define ID_BYTES 128 /* room for a given id with a coin's name behind it */

/* The command line. */
struct asking {
    const char *command;
    const char *data, *id, *engine, *tx;
    const char *signature; /* of a second person */
    const char *address, *coin, *amount;
    struct {
        const char *coin, *amount;
    } money;             /* as options */
    const char *symbol;  /* of orders that are canceled */
    uint64_t    account; /* 0 = the address's first one */
    uint64_t    at;      /* when a symbol is settled, Unix ms */
    bool        json, all, digest, between;
    char        fresh[40]; /* an id of our own */
    int         handle;
};

/* ---- asking ---- */

static int no_exchange(const struct asking *asking, const struct local_fault *fault)
{
    if (fault->code == ENAMETOOLONG) return complain(EXIT_USAGE, "%s: %s", asking->command, fault->text);
    if (fault->code == ENOENT || fault->code == ECONNREFUSED)
        return complain(EXIT_GENERAL,
                        "%s: no exchange is running on %.200s; start one with dojima dev --data DIR or dojima serve",
                        asking->command, asking->data);
    return complain(EXIT_GENERAL, "%s: %s", asking->command, fault->text);
}

static int connect_to(struct asking *asking)
{
    struct local_fault fault;
    char               path[1024];

    if (!admin_path(asking->data, path, sizeof(path)))
        return complain(EXIT_USAGE, "%s: the path of the folder is too long", asking->command);
    asking->handle = local_connect(path, &fault);
    return asking->handle >= 0 ? EXIT_FINE : no_exchange(asking, &fault);
}

/* One line there and back; *answer is the envelope, and the caller's. */
static int ask(const struct asking *asking, struct slice line, const char *id, char text[LOCAL_LINE_MAX],
               json_t **answer)
{
    size_t len;
    int    error = local_ask(asking->handle, line, text, &len);

    *answer = NULL;
    if (error == ENODATA)
        return complain(EXIT_GENERAL,
                        "%s: the exchange ended the connection without an answer%s%s; it answers its own user only, "
                        "and nobody while it stops",
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

static long long number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- what became of it ---- */

static int say_no(const struct asking *asking, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");
    const char   *field = text_at(details, "field"), *got = text_at(details, "got"), *need = text_at(details, "need"),
               *rule = text_at(details, "rule");

    return complain(EXIT_GENERAL, "%s: refused with %lld: %s%s%s%s%s%s%s", asking->command, number_at(answer, "code"),
                    text_at(answer, "error"), field[0] != '\0' ? "; " : "", field, got[0] != '\0' ? " is " : "", got,
                    need[0] != '\0' || rule[0] != '\0' ? "; needed: " : "", need[0] != '\0' ? need : rule);
}

/* The outcome for a symbol. */
static void say_market(const char *type, const json_t *params)
{
    const char *symbol = text_at(params, "symbol");

    if (strcmp(type, "settle") == 0)
        (void)printf("%s only takes orders that reduce, and is settled at %lld", symbol, number_at(params, "time"));
    else if (strcmp(type, "keep") == 0) (void)printf("%s is not settled", symbol);
    else (void)printf("%s is %s", symbol, text_at(params, "status"));
}

static void say_yes(const struct asking *asking, const json_t *data)
{
    const json_t *params = json_object_get(data, "params");
    const char   *address = text_at(params, "address"), *amount = text_at(params, "amount"),
               *coin = text_at(params, "coin");

    if (asking->between)
        (void)printf("%s %s from account %lld to account %lld, %s", amount, coin, number_at(params, "fromAccountID"),
                     number_at(params, "toAccountID"), text_at(params, "engine"));
    else if (strcmp(asking->command, "account") == 0)
        (void)printf("account %lld of %s is open", number_at(data, "accountID"), address);
    else if (strcmp(asking->command, "redeem") == 0) (void)printf("redeemed %s %s of %s", amount, coin, address);
    else if (strcmp(asking->command, "market") == 0) say_market(text_at(data, "type"), params);
    else if (strcmp(asking->command, "staking") == 0)
        (void)printf("%s has staking tier %lld", address, number_at(params, "tier"));
    else if (strcmp(asking->command, "mode") == 0) (void)printf("the mode is %s", text_at(params, "mode"));
    else if (strcmp(asking->command, "limits") == 0)
        (void)printf("%s has %lld places from this command on", text_at(params, "name"), number_at(data, "value"));
    else if (strcmp(asking->command, "cancel") == 0) (void)printf("%lld orders canceled", number_at(data, "canceled"));
    else
        (void)printf("%s %s to %s, account %lld, %s", amount, coin, address, number_at(data, "accountID"),
                     text_at(params, "engine"));
    (void)printf("\n  id  %s\n  tx  %s, block %lld, index %lld\n", text_at(params, "id"), text_at(data, "tx"),
                 number_at(data, "block"), number_at(data, "index"));
}

/* ---- two people ---- */

/* In single quotes, for a shell. */
static void print_quoted(struct slice text)
{
    (void)putchar('\'');
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\'') (void)fputs("'\\''", stdout);
        else (void)putchar(text.at[i]);
    (void)putchar('\'');
}

/* As wallets take it (eth_signTypedData_v4). */
static void print_typed_data(uint64_t chain_id, struct slice id, struct slice command)
{
    char       room[3 * LOCAL_LINE_MAX];
    struct out out = out_make(room, sizeof(room));

    out_literal(
        &out, "{\"types\":{\"EIP712Domain\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"version\",\"type\":"
              "\"string\"},"
              "{\"name\":\"chainId\",\"type\":\"uint256\"},{\"name\":\"verifyingContract\",\"type\":\"address\"}],"
              "\"OperatorCommand\":[{\"name\":\"id\",\"type\":\"string\"},{\"name\":\"command\",\"type\":\"string\"}]},"
              "\"primaryType\":\"OperatorCommand\",\"domain\":{\"name\":\"operator\",\"version\":\"1\",\"chainId\":");
    out_u64(&out, chain_id);
    out_literal(&out, ",\"verifyingContract\":\"0x0000000000000000000000000000000000000000\"},\"message\":{\"id\":");
    json_write_string(&out, id);
    out_literal(&out, ",\"command\":");
    json_write_string(&out, command);
    out_literal(&out, "}}");
    assert(!out.overflow);
    (void)printf("%.*s\n", (int)out.len, out.at);
}

/* The text that the second person signs; only the chain id comes from the exchange. */
static int print_digest(const struct asking *asking, const char *type, struct slice line)
{
    char               text[LOCAL_LINE_MAX + 1], room[LOCAL_LINE_MAX], id[OPERATOR_ID_MAX + 1];
    struct out         command = out_make(room, sizeof(room));
    struct shape_error error;
    struct hash256     digest;
    uint64_t           chain_id;
    size_t             head = strlen("{\"type\":\"\",\"params\":") + strlen(type);
    json_t            *answer;
    int                code;

    if (!api_operator_canonical(line, &command, id, &error))
        return complain(EXIT_GENERAL, "%s: this would be refused: %s %s", asking->command, error.field,
                        error.need[0] != '\0' ? error.need : reject_row(error.reject)->rule);
    code = ask(asking, SLICE("{\"type\":\"describe\"}"), "", text, &answer);
    if (code != EXIT_FINE) return code;
    chain_id = (uint64_t)number_at(json_object_get(answer, "data"), "chainID");
    json_decref(answer);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    if (asking->json) {
        print_typed_data(chain_id, slice_of(id), out_slice(&command));
        return EXIT_FINE;
    }
    digest = api_operator_digest(chain_id, slice_of(id), out_slice(&command));
    (void)printf("dojima sign operator %s ", type);
    print_quoted(slice_make(command.at + head, command.len - head - 1));
    (void)printf(" --chain %lu\n0x", (unsigned long)chain_id);
    for (size_t i = 0; i < sizeof(digest.bytes); i++) (void)printf("%02x", digest.bytes[i]);
    (void)printf("\n");
    return EXIT_FINE;
}

static int request_of(const struct asking *asking, const char *type, const struct shape *shape, const void *params,
                      const char *id)
{
    char       text[LOCAL_LINE_MAX + 1];
    struct out line = out_make(text, LOCAL_LINE_MAX - 1);
    json_t    *answer;
    int        code;

    out_literal(&line, "{\"type\":\"");
    out_text(&line, type);
    out_literal(&line, "\",\"params\":");
    shape_write(&line, shape, params, false);
    if (asking->signature != NULL) {
        out_literal(&line, ",\"signature\":");
        json_write_string(&line, slice_of(asking->signature));
    }
    out_char(&line, '}');
    if (asking->digest && !line.overflow) return print_digest(asking, type, out_slice(&line));
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

static int request(const struct asking *asking, const struct shape *shape, const void *params, const char *id)
{
    return request_of(asking, asking->command, shape, params, id);
}

/* ---- the command line ---- */

static int choose_id(struct asking *asking)
{
    struct out out = out_make(asking->fresh, sizeof(asking->fresh) - 1);
    uint8_t    random[16];
    size_t     len = 0;

    if (asking->digest && asking->signature != NULL)
        return complain(EXIT_USAGE, "%s: --digest is for before there is a --signature", asking->command);
    if (asking->id != NULL) return EXIT_FINE;
    if (asking->digest || asking->signature != NULL)
        return complain(EXIT_USAGE, "%s: --digest and --signature need --id: the signature covers it", asking->command);
    if (files_read("/dev/urandom", random, sizeof(random), &len) != 0 || len != sizeof(random))
        return complain(EXIT_GENERAL, "%s: no random bytes for an id; name one with --id", asking->command);
    out_hex(&out, random, sizeof(random));
    asking->fresh[out.len] = '\0';
    asking->id = asking->fresh;
    return EXIT_FINE;
}

static int read_address(const struct asking *asking, struct address *address)
{
    if (strlen(asking->address) == 42 && hex_read_0x(slice_of(asking->address), address->bytes, sizeof(address->bytes)))
        return EXIT_FINE;
    return complain(EXIT_USAGE, "%s: \"%.60s\" is not an address of 0x and 40 hex digits", asking->command,
                    asking->address);
}

static int read_amount(const struct asking *asking, const char *coin, const char *text, struct name *name,
                       struct decimal *amount)
{
    size_t len = strlen(coin);

    if (len == 0 || len > NAME_MAX_LEN)
        return complain(EXIT_USAGE, "%s: \"%.60s\" is not the name of a coin", asking->command, coin);
    *name = name_make(slice_of(coin));
    if (decimal_read(slice_of(text), amount) == DECIMAL_OK && amount->digits > 0) return EXIT_FINE;
    return complain(EXIT_USAGE,
                    "%s: \"%.60s\" is not an amount: at most 18 digits, with a point if need be, above zero",
                    asking->command, text);
}

static int read_engine(const struct asking *asking, uint8_t *engine)
{
    *engine = asking->engine != NULL && strcmp(asking->engine, "perps") == 0 ? MARKET_PERPS : MARKET_SPOT;
    if (asking->engine == NULL || strcmp(asking->engine, "spot") == 0 || *engine == MARKET_PERPS) return EXIT_FINE;
    return complain(EXIT_USAGE, "%s: --engine is spot or perps, not \"%.40s\"", asking->command, asking->engine);
}

static int give(const struct asking *asking, const char *coin, const char *amount, const char *id)
{
    struct operator_request params = { .id = slice_of(id), .deposit.account_id = (uint32_t)asking->account };
    int                     code = read_address(asking, &params.deposit.address);

    if (code == EXIT_FINE) code = read_amount(asking, coin, amount, &params.coin, &params.amount);
    if (code == EXIT_FINE) code = read_engine(asking, &params.deposit.engine);
    return code == EXIT_FINE ? request(asking, &deposit_request_shape, &params, id) : code;
}

static int read_account_id(const struct asking *asking, const char *text, uint32_t *account_id)
{
    struct decimal number;

    if (decimal_read(slice_of(text), &number) != DECIMAL_OK || number.scale != 0 || number.digits <= 0
        || number.digits > UINT32_MAX)
        return complain(EXIT_USAGE, "%s: \"%.40s\" is not the number of an account", asking->command, text);
    *account_id = (uint32_t)number.digits;
    return EXIT_FINE;
}

/* The words are two accounts; the amounts are options. */
static int run_between(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id) };
    int                     code;

    if (asking->coin == NULL || asking->money.coin == NULL || asking->money.amount == NULL)
        return complain(EXIT_USAGE, "account: --between needs two accounts, --coin and --amount");
    code = read_account_id(asking, asking->address, &params.transfer_between.from_account_id);
    if (code == EXIT_FINE) code = read_account_id(asking, asking->coin, &params.transfer_between.to_account_id);
    if (code == EXIT_FINE)
        code = read_amount(asking, asking->money.coin, asking->money.amount, &params.coin, &params.amount);
    if (code == EXIT_FINE) code = read_engine(asking, &params.transfer_between.engine);
    return code == EXIT_FINE ? request_of(asking, "transferBetween", &transfer_request_shape, &params, asking->id)
                             : code;
}

static int run_account(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id) };
    int                     code;

    if (asking->between) return run_between(asking);
    if (asking->coin != NULL || asking->money.coin != NULL || asking->money.amount != NULL || asking->engine != NULL)
        return complain(EXIT_USAGE, "account: two accounts, --coin, --amount and --engine go with --between");
    code = read_address(asking, &params.open_account.owner);

    return code == EXIT_FINE ? request(asking, &account_request_shape, &params, asking->id) : code;
}

static int run_deposit(struct asking *asking) { return give(asking, asking->coin, asking->amount, asking->id); }

static int run_redeem(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id),
                                       .tx = slice_of(asking->tx != NULL ? asking->tx : "") };
    int                     code = read_address(asking, &params.redeem.address);

    if (code == EXIT_FINE) code = read_amount(asking, asking->coin, asking->amount, &params.coin, &params.amount);
    return code == EXIT_FINE ? request(asking, &redeem_request_shape, &params, asking->id) : code;
}

static int read_symbol(const struct asking *asking, const char *text, struct name *name)
{
    size_t len = strlen(text);

    if (len == 0 || len > NAME_MAX_LEN)
        return complain(EXIT_USAGE, "%s: \"%.60s\" is not the name of a symbol", asking->command, text);
    *name = name_make(slice_of(text));
    return EXIT_FINE;
}

/* dojima market SYMBOL settle --at MS, and keep, which withdraws it. */
static int settle_market(const struct asking *asking, const struct name *symbol, bool settles)
{
    struct operator_request params = { .id = slice_of(asking->id), .symbol = *symbol, .time = asking->at };

    if (settles && asking->at == 0)
        return complain(EXIT_USAGE, "market: settle needs --at, the instant in Unix milliseconds");
    return settles ? request_of(asking, "settle", &settle_request_shape, &params, asking->id)
                   : request_of(asking, "keep", &keep_request_shape, &params, asking->id);
}

/* The words are a symbol and its new status. */
static int run_market(struct asking *asking)
{
    /* clang-format off */
    static const struct { const char *word; uint8_t status; } becomes[] = {
        { "halt", SYMBOL_HALT }, { "trade", SYMBOL_TRADING }, { "reduce", SYMBOL_REDUCE_ONLY },
          { "settle", SYMBOL_SETTLED }, { "keep", 0 },
    };
    /* clang-format on */
    struct operator_request params = { .id = slice_of(asking->id) };
    size_t                  row = 0;
    int                     code = asking->engine != NULL ? read_engine(asking, &params.set_market.engine) : EXIT_FINE;

    if (code != EXIT_FINE) return code;
    while (row < ARRAY_COUNT(becomes) && strcmp(becomes[row].word, asking->coin) != 0) row++;
    if (row == ARRAY_COUNT(becomes))
        return complain(EXIT_USAGE, "market: halt, trade, reduce, settle or keep, not \"%.40s\"", asking->coin);
    code = read_symbol(asking, asking->address, &params.symbol);
    if (code != EXIT_FINE) return code;
    params.set_market.status = becomes[row].status;
    if (params.set_market.status == 0 || params.set_market.status == SYMBOL_SETTLED)
        return settle_market(asking, &params.symbol, params.set_market.status != 0);
    return request(asking, &market_request_shape, &params, asking->id);
}

static int run_cancel(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id), .cancel_for.account_id = (uint32_t)asking->account };
    bool                    some = asking->symbol != NULL || asking->account != 0 || asking->engine != NULL;
    int                     code = asking->engine != NULL ? read_engine(asking, &params.cancel_for.engine) : EXIT_FINE;

    if (code != EXIT_FINE) return code;
    if (some == asking->all)
        return complain(EXIT_USAGE, "cancel: %s",
                        some ? "--all is everything; leave it out, or the rest"
                             : "name an account or a symbol, or use --all");
    if (asking->symbol != NULL) code = read_symbol(asking, asking->symbol, &params.symbol);
    return code == EXIT_FINE ? request_of(asking, "cancelOrders", &cancel_request_shape, &params, asking->id) : code;
}

static int run_staking(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id) };
    struct decimal          tier;
    int                     code = read_address(asking, &params.set_staking.owner);

    if (code != EXIT_FINE) return code;
    if (decimal_read(slice_of(asking->coin), &tier) != DECIMAL_OK || tier.scale != 0 || tier.digits < 0
        || tier.digits > UINT32_MAX)
        return complain(EXIT_USAGE, "staking: \"%.40s\" is not a tier: a number from 0", asking->coin);
    params.set_staking.tier = (uint32_t)tier.digits;
    return request(asking, &staking_request_shape, &params, asking->id);
}

static int run_mode(struct asking *asking)
{
    static const struct {
        const char *word;
        uint8_t     mode;
    } modes[] = { { "run", VENUE_RUN }, { "cancel-only", VENUE_CANCEL_ONLY }, { "reduce-only", VENUE_REDUCE_ONLY } };
    struct operator_request params = { .id = slice_of(asking->id) };

    for (size_t i = 0; i < ARRAY_COUNT(modes); i++)
        if (strcmp(modes[i].word, asking->address) == 0) params.set_mode.mode = modes[i].mode;
    if (params.set_mode.mode == 0)
        return complain(EXIT_USAGE, "mode: run, cancel-only or reduce-only, not \"%.40s\"", asking->address);
    return request(asking, &mode_request_shape, &params, asking->id);
}

/* Every pool with its used places. */
static int list_limits(struct asking *asking)
{
    char    text[LOCAL_LINE_MAX + 1];
    json_t *answer, *pool;
    size_t  index;
    int     code = ask(asking, SLICE("{\"type\":\"pools\"}"), "", text, &answer);

    if (code != EXIT_FINE) return code;
    if (asking->json) (void)puts(text);
    else json_array_foreach(json_object_get(json_object_get(answer, "data"), "limits"), index, pool)
        {
            long long used = number_at(pool, "used"), value = number_at(pool, "value");

            (void)printf("%-10s %10lld of %10lld  %3lld %%\n", text_at(pool, "name"), used, value,
                         value == 0 ? 0 : used * 100 / value);
        }
    json_decref(answer);
    return EXIT_FINE;
}

static int run_limits(struct asking *asking)
{
    struct operator_request params = { .id = slice_of(asking->id) };
    struct decimal          value;

    if (asking->address == NULL) return list_limits(asking);
    if (asking->coin == NULL)
        return complain(EXIT_USAGE, "limits: say how many places %.40s shall have", asking->address);
    for (const struct enum_name *pool = limit_pool_names; pool->name != NULL; pool++)
        if (strcmp(pool->name, asking->address) == 0) params.raise_limit.pool = pool->value;
    if (params.raise_limit.pool == 0)
        return complain(EXIT_USAGE, "limits: \"%.40s\" is not the name of a pool; dojima limits --data DIR lists them",
                        asking->address);
    if (decimal_read(slice_of(asking->coin), &value) != DECIMAL_OK || value.scale != 0 || value.digits < 0
        || value.digits > UINT32_MAX)
        return complain(EXIT_USAGE, "limits: \"%.40s\" is not a number of places: a whole number up to %d",
                        asking->coin, POOL_PLACES_MAX);
    params.raise_limit.places = (uint32_t)value.digits;
    return request(asking, &limit_request_shape, &params, asking->id);
}

/* Without options the exchange gives its defaults: every coin with a configured gift, or the named one. */
static int run_faucet(struct asking *asking)
{
    char    text[LOCAL_LINE_MAX + 1], id[ID_BYTES];
    json_t *answer, *coin;
    size_t  index, gifts = 0;
    int     code;

    if (asking->amount != NULL) return give(asking, asking->coin, asking->amount, asking->id);
    if (asking->digest || asking->signature != NULL)
        return complain(EXIT_USAGE, "faucet: name coin and amount; the signature covers both");
    code = ask(asking, SLICE("{\"type\":\"describe\"}"), "", text, &answer);
    if (code != EXIT_FINE) return code;
    json_array_foreach(json_object_get(json_object_get(answer, "data"), "coins"), index, coin)
    {
        const char *name = text_at(coin, "coin"), *gift = text_at(coin, "faucet");
        if (code != EXIT_FINE || strcmp(gift, "0") == 0 || (asking->coin != NULL && strcmp(asking->coin, name) != 0))
            continue;
        (void)snprintf(id, sizeof(id), "%s-%s", asking->id, name);
        code = give(asking, name, gift, id);
        gifts += 1;
    }
    json_decref(answer);
    if (gifts == 0)
        return complain(EXIT_GENERAL, "faucet: it is off%s%s (the setting faucet in a coin's section turns it on)",
                        asking->coin != NULL ? " for " : "", asking->coin != NULL ? asking->coin : "");
    return code;
}

/* The words behind the options: an address, then what the command takes. */
static int take_words(struct asking *asking, int argc, char **argv, int operand, int least, int most)
{
    int count = argc - operand;

    if (asking->data == NULL)
        return complain(EXIT_USAGE, "%s: --data DIR is needed: the folder of the running exchange", asking->command);
    if (count < least || count > most)
        return complain(EXIT_USAGE, "%s: %s (see dojima %s --help)", asking->command,
                        count < least ? "words are missing" : "too many words", asking->command);
    asking->address = count > 0 ? argv[operand] : NULL;
    asking->coin = count > 1 ? argv[operand + 1] : NULL;
    asking->amount = count > 2 ? argv[operand + 2] : NULL;
    return EXIT_FINE;
}

static int operate(struct asking *asking, const struct arguments *arguments, int argc, char **argv, int least, int most,
                   int (*run)(struct asking *))
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

#define ROW_DATA(asking)                                                                                               \
    {                                                                                                                  \
        "data", ARGUMENT_TEXT, 0, &(asking).data, "DIR", "Folder of the running exchange."                             \
    }
/* clang-format off */
#define ROW_ID(asking) { "id", ARGUMENT_TEXT, 0, &(asking).id, "ID", \
    "Asking again with the same id changes nothing; a fresh one when not given." }, \
                           { "digest", ARGUMENT_FLAG, 0, &(asking).digest, "", \
                             "Sends nothing: prints what a second person signs where the exchange wants one (with " \
                             "--json: for a wallet)." }, \
                           { "signature", ARGUMENT_TEXT, 0, &(asking).signature, "HEX", \
                             "That person's signature: 0x, 01, r, s and v." }
/* clang-format on */
#define ROW_JSON(asking)                                                                                               \
    {                                                                                                                  \
        "json", ARGUMENT_FLAG, 0, &(asking).json, "", "The answer as a line of JSON."                                  \
    }
#define ROW_ACCOUNT(asking)                                                                                            \
    {                                                                                                                  \
        "account", ARGUMENT_U64, UINT32_MAX, &(asking).account, "ID",                                                  \
            "One of the address's accounts; its first one when not given."                                             \
    }
#define ROW_ENGINE(asking)                                                                                             \
    {                                                                                                                  \
        "engine", ARGUMENT_TEXT, 0, &(asking).engine, "NAME", "spot, or perps for vUSDC; spot when not given."         \
    }

int command_account(int argc, char **argv)
{
    struct asking         asking = { .command = "account" };
    const struct argument rows[] = {
        ROW_DATA(asking),
        { "between", ARGUMENT_FLAG, 0, &asking.between, "", "Moves money from account A to account B of one user." },
        { "coin", ARGUMENT_TEXT, 0, &asking.money.coin, "NAME", "between: the coin." },
        { "amount", ARGUMENT_TEXT, 0, &asking.money.amount, "AMOUNT", "between: how much of it." },
        ROW_ENGINE(asking),
        ROW_ID(asking),
        ROW_JSON(asking)
    };
    const struct arguments arguments = {
        "account",
        "ADDRESS | --between A B",
        "Opens one more account for an address. Its first one comes with its first deposit. "
        "With --between: moves money between two accounts of one user; out of perps not more than may leave.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 1, 2, run_account);
}

int command_deposit(int argc, char **argv)
{
    struct asking          asking = { .command = "deposit" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ACCOUNT(asking), ROW_ENGINE(asking), ROW_ID(asking),
                                      ROW_JSON(asking) };
    const struct arguments arguments = {
        "deposit",
        "ADDRESS COIN AMOUNT",
        "Credits money from outside; the first deposit of an address opens its account.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 3, 3, run_deposit);
}

int command_redeem(int argc, char **argv)
{
    struct asking          asking = { .command = "redeem" };
    const struct argument  rows[] = { ROW_DATA(asking),
                                      ROW_ID(asking),
                                      { "tx", ARGUMENT_TEXT, 0, &asking.tx, "TX",
                                        "The transaction elsewhere that pays it out; kept in the log." },
                                      ROW_JSON(asking) };
    const struct arguments arguments = {
        "redeem",
        "ADDRESS COIN AMOUNT",
        "Burns what an address has withdrawn to the EVM ledger: it has left the exchange.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 3, 3, run_redeem);
}

int command_market(int argc, char **argv)
{
    struct asking          asking = { .command = "market" };
    const struct argument  rows[] = { ROW_DATA(asking),
                                      { "engine", ARGUMENT_TEXT, 0, &asking.engine, "NAME",
                                        "spot or perps; when not given the side that has the symbol, spot first." },
                                      { "at", ARGUMENT_U64, INT64_MAX, &asking.at, "MS",
                                        "settle: the instant, Unix milliseconds." },
                                      ROW_ID(asking),
                                      ROW_JSON(asking) };
    const struct arguments arguments = {
        "market",
        "SYMBOL halt|trade|reduce|settle|keep",
        "Halts a symbol, or lets it trade. While it is halted orders can be canceled and nothing else happens to them. "
        "On perps: reduce lets only orders through that reduce; settle announces its settlement at the average of the "
        "index, keep withdraws the announcement.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 2, 2, run_market);
}

int command_cancel(int argc, char **argv)
{
    struct asking         asking = { .command = "cancel" };
    const struct argument rows[] = {
        ROW_DATA(asking),
        { "symbol", ARGUMENT_TEXT, 0, &asking.symbol, "NAME", "Only orders in this symbol." },
        { "account", ARGUMENT_U64, UINT32_MAX, &asking.account, "ID", "Only orders of this account." },
        { "engine", ARGUMENT_TEXT, 0, &asking.engine, "NAME",
          "spot or perps; both when not given, or the side that has the symbol, spot first." },
        { "all", ARGUMENT_FLAG, 0, &asking.all, "", "All open orders of the exchange." },
        ROW_ID(asking),
        ROW_JSON(asking)
    };
    const struct arguments arguments = { "cancel",          "",  "Cancels open orders; they end as OPERATOR.", rows,
                                         ARRAY_COUNT(rows), NULL };

    return operate(&asking, &arguments, argc, argv, 0, 0, run_cancel);
}

int command_staking(int argc, char **argv)
{
    struct asking          asking = { .command = "staking" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "staking",
                                         "ADDRESS TIER",
                                         "Sets the staking tier of a user: of all its accounts, on both sides, from "
                                         "the next fill on. 0 has no discount.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return operate(&asking, &arguments, argc, argv, 2, 2, run_staking);
}

int command_mode(int argc, char **argv)
{
    struct asking          asking = { .command = "mode" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = {
        "mode",
        "run|cancel-only|reduce-only",
        "Sets what may happen on the whole venue. run: the status of each symbol applies. "
        "cancel-only: as if all symbols were halted. reduce-only: on perps only orders that reduce; spot continues. "
        "Symbols keep their own halts; the stricter of both counts.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 1, 1, run_mode);
}

int command_limits(int argc, char **argv)
{
    struct asking          asking = { .command = "limits" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = {
        "limits",
        "[NAME VALUE]",
        "Gives a pool of a running exchange more places, at once and for good. Without NAME: every pool, and how "
        "full it is. A pool never shrinks; docs/limits.md describes each.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 0, 2, run_limits);
}

int command_faucet(int argc, char **argv)
{
    struct asking          asking = { .command = "faucet" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ACCOUNT(asking), ROW_ENGINE(asking), ROW_ID(asking),
                                      ROW_JSON(asking) };
    const struct arguments arguments = {
        "faucet",
        "ADDRESS [COIN [AMOUNT]]",
        "Gives money for trying things out, where the configuration allows it; dojima dev does.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };

    return operate(&asking, &arguments, argc, argv, 1, 3, run_faucet);
}
