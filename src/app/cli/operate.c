/* SPDX-License-Identifier: MIT */
/*
 * operate.c — dojima account, deposit, redeem, market, cancel, staking, mode, limits and faucet: one request through
 * the administration socket of a running exchange, and its outcome (rulings 30, 49). Each carries an id; a repetition
 * with the same id changes nothing, so a lost answer can be asked for again.
 */
#include "app/cli/asking.h"
#include "app/cli/commands.h"
#include "base/hex.h"

#include <stdio.h>

#define ID_BYTES 128 /* room for a given id with a coin's name behind it */

static int request(const struct asking *asking, const struct shape *shape, const void *params, const char *id)
{
    return asking_request(asking, asking->command, shape, params, id);
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
    return code == EXIT_FINE ? asking_request(asking, "transferBetween", &transfer_request_shape, &params, asking->id)
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
    return settles ? asking_request(asking, "settle", &settle_request_shape, &params, asking->id)
                   : asking_request(asking, "keep", &keep_request_shape, &params, asking->id);
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
    return code == EXIT_FINE ? asking_request(asking, "cancelOrders", &cancel_request_shape, &params, asking->id)
                             : code;
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
    int     code = asking_line(asking, SLICE("{\"type\":\"pools\"}"), "", text, &answer);

    if (code != EXIT_FINE) return code;
    if (asking->json) (void)puts(text);
    else
        json_array_foreach(json_object_get(json_object_get(answer, "data"), "limits"), index, pool) {
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
    code = asking_line(asking, SLICE("{\"type\":\"describe\"}"), "", text, &answer);
    if (code != EXIT_FINE) return code;
    json_array_foreach(json_object_get(json_object_get(answer, "data"), "coins"), index, coin) {
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

    return asking_run(&asking, &arguments, argc, argv, 1, 2, run_account);
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

    return asking_run(&asking, &arguments, argc, argv, 3, 3, run_deposit);
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

    return asking_run(&asking, &arguments, argc, argv, 3, 3, run_redeem);
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

    return asking_run(&asking, &arguments, argc, argv, 2, 2, run_market);
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

    return asking_run(&asking, &arguments, argc, argv, 0, 0, run_cancel);
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

    return asking_run(&asking, &arguments, argc, argv, 2, 2, run_staking);
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

    return asking_run(&asking, &arguments, argc, argv, 1, 1, run_mode);
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

    return asking_run(&asking, &arguments, argc, argv, 0, 2, run_limits);
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

    return asking_run(&asking, &arguments, argc, argv, 1, 3, run_faucet);
}
