/* SPDX-License-Identifier: MIT */
/* faults.c — reads that are refused: no such path, parameters, addresses,
   accounts, symbols and coins (rulings 1, 2, 4, 19, 21, 42; wire 1.4). */
#include <inttypes.h>

#include "ask.h"

enum {
    TAKES_ACCOUNT = 1,
    TAKES_SYMBOL = 2,
    TAKES_LIMIT = 4,
    TAKES_NAME = 8,
    TAKES_COIN = 16,
    TAKES_MARKET = 32,
    ON_SPOT = 64,
    ON_PERPS = 128,
    ON_BOTH = ON_SPOT | ON_PERPS,
    ON_GATEWAY = 256,
    TAKES_COUNT = 512
};

/* The parts of the path before and behind a symbol or an address; behind NULL: the path has neither. */
/* clang-format off */
static const struct { const char *before, *behind; uint32_t takes; } reads[] = {
    { "markets/symbols", NULL, ON_BOTH | TAKES_SYMBOL },       { "markets/coins", NULL, ON_BOTH | TAKES_COIN },
    { "markets/bookTickers", NULL, ON_BOTH | TAKES_SYMBOL },   { "markets/mark-prices", NULL, ON_PERPS | TAKES_SYMBOL },
    { "markets/index-composition", NULL, ON_PERPS | TAKES_SYMBOL },
    { "markets/", "/orderbook", ON_BOTH | TAKES_LIMIT },
    { "accounts/", "/balances", ON_BOTH | TAKES_ACCOUNT },
      { "accounts/", "/orders", ON_BOTH | TAKES_ACCOUNT | TAKES_SYMBOL | TAKES_COUNT },
    { "accounts/", "/positions", ON_PERPS | TAKES_ACCOUNT | TAKES_SYMBOL | TAKES_COUNT },
    { "accounts/", "/state", ON_BOTH | TAKES_ACCOUNT },
      { "accounts/", "/api-keys", ON_BOTH | TAKES_ACCOUNT | TAKES_NAME },
    { "accounts/", "/fee-rate", ON_BOTH | TAKES_ACCOUNT | TAKES_SYMBOL },
    { "user/", "/status", ON_GATEWAY },                        { "user/", "/subaccounts", ON_GATEWAY },
    { "user/", "/api-keys", ON_GATEWAY | TAKES_ACCOUNT | TAKES_NAME },
      { "user/", "/fee-rate", ON_GATEWAY | TAKES_MARKET | TAKES_SYMBOL },
    { "user/", "/ratelimit", ON_GATEWAY },
};
/* clang-format on */

bool account_fault(struct answers *answers, struct twin *twin, const char *owner, uint64_t account_id,
                   const struct account **account)
{
    char text[24], its_owner[43];

    *account = NULL;
    if (strlen(owner) != 42 || strncmp(owner, "0x", 2) != 0 || strspn(owner + 2, "0123456789abcdef") != 40) {
        put_fault(answers, REJECT_BAD_ADDRESS, "userAddress", owner, NULL);
        return false;
    }
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *a = &twin->accounts[i];

        owner_text(a, its_owner);
        if (a->id < ACCOUNT_FIRST || (strcmp(its_owner, owner) != 0 && answers_planted != ANSWER_BUG_FOREIGN)) continue;
        if (account_id == 0 ? a->primary && strcmp(its_owner, owner) == 0 : a->id == account_id) *account = a;
    }
    if (*account != NULL || account_id == 0) return true;
    (void)snprintf(text, sizeof(text), "%" PRIu64, account_id);
    put_fault(answers, REJECT_ACCOUNT_NOT_FOUND, "accountID", text, NULL);
    return false;
}

static void draw(struct answers *answers, const struct twin *twin, uint32_t takes, uint8_t market,
                 const struct account *account, struct question *query)
{
    static const char *const names[] = { "k1", "", "none_of-this", "no.such",
                                         "much-too-long-for-the-name-of-an-API-key" };
    static const char *const coins[] = { "vUSDC", "", "vNONE", "vusdc", "this-is-longer-than-any-name-can-be" };
    static const char *const markets[] = { "spot", "perps", "", "futures", "SPOT" };
    struct random_state     *d = &answers->random_state;
    uint32_t                 which = random_below(d, 5);

    if ((takes & TAKES_ACCOUNT) != 0 && one_in(d, 2))
        query_number(answers, query, "accountID",
                     one_in(d, 2)   ? account->id
                     : one_in(d, 2) ? twin->accounts[random_below(d, twin->account_count)].id
                                    : 999999);
    if ((takes & TAKES_SYMBOL) != 0) query_symbol(answers, query, twin, market);
    if ((takes & (TAKES_LIMIT | TAKES_COUNT)) != 0) query_limit(answers, query, "limit", 1000);
    if ((takes & TAKES_LIMIT) != 0) query_limit(answers, query, "depth", 1000);
    if ((takes & TAKES_NAME) != 0)
        query_text(query, "name", names[which], which > 2 ? REJECT_BAD_KEY_NAME : REJECT_NONE, NULL);
    if ((takes & TAKES_COIN) != 0)
        query_text(query, "coin", coins[which], which > 3 ? REJECT_COIN_NOT_FOUND : REJECT_NONE, NULL);
    if ((takes & TAKES_MARKET) != 0)
        query_text(query, "market", markets[which], which > 1 ? REJECT_BAD_PARAMETER : REJECT_NONE,
                   "one of the enum's names");
    query_end(answers, query);
}

static bool coin_fault(struct answers *answers, const struct twin *twin, const struct question *query)
{
    const struct parameter *coin = query_find(query, "coin");

    if (coin == NULL || coin->text[0] == 0) return false;
    for (uint32_t id = 0; id < twin->genesis.coin_count; id++)
        if (strcmp(twin->genesis.coins[id].name.at, coin->text) == 0) return false;
    put_fault(answers, REJECT_COIN_NOT_FOUND, "coin", coin->text, NULL);
    return true;
}

/* The fault, in the order of the checks; false: none. */
static bool has_fault(struct answers *answers, struct twin *twin, uint32_t which, uint8_t market, const char *middle,
                      const struct question *query)
{
    const struct parameter *id = query_find(query, "accountID"), *of = query_find(query, "market");
    const struct account   *account;
    uint32_t                symbol_id = 0;

    if (query_fault(answers, query, NULL)) return true;
    if (of != NULL && strcmp(of->text, "perps") == 0) market = MARKET_PERPS;
    if ((reads[which].takes & TAKES_LIMIT) != 0) {
        for (uint32_t i = 1; i <= symbol_count(twin, market); i++)
            if (strcmp(symbol_of(twin, market, i)->name.at, middle) == 0) symbol_id = i;
        if (symbol_id == 0) put_fault(answers, REJECT_SYMBOL_NOT_FOUND, "symbol", middle, NULL);
        return symbol_id == 0;
    }
    if (reads[which].behind != NULL && !account_fault(answers, twin, middle, id != NULL ? id->value : 0, &account))
        return true;
    return coin_fault(answers, twin, query) || !query_symbol_of(answers, query, twin, market, &symbol_id);
}

static const char *check_path(struct answers *answers)
{
    static const char *const paths[] = { "/api/v1/spot/markets",
                                         "/api/v1/spot/markets/mark-prices",
                                         "/api/v1/perps/Markets/symbols",
                                         "/api/v1/perps/accounts/0x12",
                                         "/api/v2/time",
                                         "/nothing" };
    const char              *path = paths[random_below(&answers->random_state, ARRAY_COUNT(paths))];

    put_fault(answers, answers_planted == ANSWER_BUG_PATH ? REJECT_SYMBOL_NOT_FOUND : REJECT_PATH_NOT_FOUND, "path",
              path, NULL);
    return check(answers, "%s", path);
}

static const char *check_fault(struct answers *answers, struct twin *twin, const struct account *account)
{
    static const char *const addresses[] = { "0x12",
                                             "abc",
                                             "0x00000000000000000000000000000000000000",
                                             "0x000000000000000000000000000000000000000g",
                                             "1x0000000000000000000000000000000000000000",
                                             "0x0000000000000000000000000000000000000bad" };
    struct random_state     *d = &answers->random_state;
    uint32_t                 which = random_below(d, ARRAY_COUNT(reads)), takes = reads[which].takes;
    uint8_t                  market =
        (takes & ON_PERPS) != 0 && twin->genesis.perps_count != 0 && ((takes & ON_SPOT) == 0 || one_in(d, 2))
                             ? MARKET_PERPS
                             : MARKET_SPOT;
    const char *base = (takes & ON_GATEWAY) != 0 ? "/api/v1" : BASE(market),
               *behind = reads[which].behind != NULL ? reads[which].behind : "";
    struct question query = { .count = 0 };
    char            middle[64] = "";

    if ((takes & ON_BOTH) == ON_PERPS && market != MARKET_PERPS) return NULL;
    if ((takes & TAKES_LIMIT) != 0)
        (void)snprintf(middle, sizeof(middle), "%s",
                       one_in(d, 4) ? "no-such-symbol" : symbol_of(twin, market, 1)->name.at);
    else if (reads[which].behind != NULL && one_in(d, 6))
        (void)snprintf(middle, sizeof(middle), "%s", addresses[random_below(d, ARRAY_COUNT(addresses))]);
    else if (reads[which].behind != NULL) owner_text(account, middle);
    draw(answers, twin, takes, market, account, &query);
    if (!has_fault(answers, twin, which, market, middle, &query))
        return NULL; /* the answer itself is tested elsewhere */
    return check(answers, "%s/%s%s%s?%s", base, reads[which].before, middle, behind, query.line);
}

const char *check_faults(struct answers *answers, struct twin *twin, const struct account *account)
{
    for (uint32_t again = 0; again < 6; again++) TRY(check_fault(answers, twin, account));
    return one_in(&answers->random_state, 4) ? check_path(answers) : NULL;
}
