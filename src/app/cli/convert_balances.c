/* SPDX-License-Identifier: MIT */
#include "app/cli/convert_balances.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* One account on both sides. */
struct pair {
    const struct genesis  *genesis;
    struct engine6_account then;
    struct view_margin     margin; /* now, as the members below */
    struct view_balance    spot[COINS_MAX];
    int64_t                evm[COINS_MAX];
    uint64_t               open_orders;
    bool                   differs;
};

static void print_units(int64_t units, uint32_t precision)
{
    char       text[64];
    struct out out = out_make(text, sizeof(text));

    wide_decimal_write(&out, (struct wide_decimal){ .digits = units, .scale = precision });
    (void)printf("%.*s", (int)out.len, text);
}

static void compare(struct pair *pair, const char *what, const struct name *of, int64_t then, int64_t now,
                    uint32_t precision)
{
    if (then == now) return;
    pair->differs = true;
    (void)printf("account %" PRIu64 ": %s", pair->then.account_id, what);
    if (of != NULL) (void)printf(" %.*s", (int)of->len, of->at);
    (void)printf(" then ");
    print_units(then, precision);
    (void)printf(", now ");
    print_units(now, precision);
    (void)printf("\n");
}

/* ---- money ---- */

/* Brings the rows of views_balances into the order of the coins. */
static void spread(struct view_balance balances[COINS_MAX], uint32_t count)
{
    while (count-- > 0) {
        struct view_balance row = balances[count];

        balances[count] = (struct view_balance){ 0 };
        balances[row.coin_id] = row;
    }
}

static void compare_money(struct pair *pair)
{
    const struct genesis *genesis = pair->genesis;

    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin *coin = &genesis->coins[i];

        compare(pair, "on spot", &coin->name, pair->then.coins[i].total, pair->spot[i].total, coin->precision);
        compare(pair, "in open orders", &coin->name, pair->then.coins[i].locked, pair->spot[i].locked, coin->precision);
        compare(pair, "in the EVM ledger", &coin->name, pair->then.coins[i].evm, pair->evm[i], coin->precision);
    }
    compare(pair, "in the perps wallet", &genesis->coins[COIN_MARGIN].name, pair->then.wallet, pair->margin.wallet,
            genesis->coins[COIN_MARGIN].precision);
    compare(pair, "open orders", NULL, pair->then.open_orders, (int64_t)pair->open_orders, 0);
}

/* ---- positions ---- */

static const struct position_changed *position_now(const struct pair *pair, uint32_t symbol_id)
{
    static const struct position_changed none;

    for (uint32_t i = 0; i < pair->margin.position_count; i++)
        if (pair->margin.positions[i].symbol_id == symbol_id) return &pair->margin.positions[i];
    return &none;
}

static void compare_position(struct pair *pair, uint32_t symbol_id, const struct engine6_position *then)
{
    const struct symbol           *symbol = &pair->genesis->perps[symbol_id - 1];
    const struct position_changed *now = position_now(pair, symbol_id);
    uint32_t                       precision = pair->genesis->coins[COIN_MARGIN].precision;
    int128_t cost = (int128_t)((uint128_t)(uint64_t)now->cost_high << 64 | (uint64_t)now->cost_low);

    compare(pair, "position in", &symbol->name, then->size, now->size, symbol->quantity_precision);
    compare(pair, "isolated margin in", &symbol->name, then->bucket, now->bucket, precision);
    if (then->cost != cost) {
        pair->differs = true;
        (void)printf("account %" PRIu64 ": cost of the position in %.*s differs\n", pair->then.account_id,
                     (int)symbol->name.len, symbol->name.at);
    }
}

/* ---- all accounts ---- */

static void look_up(struct pair *pair, const struct views *views)
{
    struct view_account account = { .account_id = pair->then.account_id };
    struct view_block   block;
    bool                known = views_account(views, account.account_id, &account);

    memset(pair->spot, 0, sizeof(pair->spot));
    spread(pair->spot, views_balances(views, MARKET_SPOT, account.account_id, pair->spot));
    pair->open_orders = views_margin(views, &account, &pair->margin, NULL, 0);
    pair->open_orders += views_open_orders(views, MARKET_SPOT, account.account_id, 0, &block, NULL, 0);
    for (uint32_t i = 0; i < pair->genesis->coin_count; i++)
        pair->evm[i] = known && account.is_primary ? views_evm_balance(views, &account.owner, i) : 0;
    if (known == (account.account_id >= ACCOUNT_FIRST) && (!known || address_equal(&account.owner, &pair->then.owner)))
        return;
    pair->differs = true;
    (void)printf("account %" PRIu64 ": its owner differs\n", pair->then.account_id);
}

/* Today's engine has opened an account that was not there. */
static void compare_count(const struct views *now, uint32_t rows, struct balances_report *report)
{
    struct view_account account;
    uint64_t            next = ACCOUNT_FIRST + (uint64_t)rows - ENGINE6_HOUSE_ROWS;

    if (!views_account(now, next, &account)) return;
    report->accounts += 1;
    report->differ += 1;
    (void)printf("account %" PRIu64 " is new, and so are all above it\n", next);
}

static bool is_compared(uint64_t account_id) { return account_id != 0 && account_id != ACCOUNT_BRIDGE; }

bool balances_compare(const struct engine6_state *then, const struct views *now, struct balances_report *report)
{
    const struct genesis    *genesis = then->genesis;
    uint32_t                 rows = engine6_account_count(then);
    struct engine6_position *positions = calloc((size_t)genesis->perps_count * rows + 1, sizeof(*positions));
    struct pair             *pair = calloc(1, sizeof(*pair));

    *report = (struct balances_report){ 0 };
    for (uint32_t i = 0; positions != NULL && i < genesis->perps_count; i++)
        engine6_positions(then, i + 1, positions + (size_t)i * rows);
    for (uint32_t row = 0; positions != NULL && pair != NULL && row < rows; row++) {
        *pair = (struct pair){ .genesis = genesis };
        engine6_account(then, row, &pair->then);
        if (!is_compared(pair->then.account_id)) continue;
        look_up(pair, now);
        compare_money(pair);
        for (uint32_t i = 0; i < genesis->perps_count; i++)
            compare_position(pair, i + 1, positions + (size_t)i * rows + row);
        report->accounts += 1;
        report->differ += pair->differs;
    }
    compare_count(now, rows, report);
    free(positions);
    free(pair);
    return report->accounts != 0;
}
