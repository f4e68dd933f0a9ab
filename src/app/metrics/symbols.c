/* SPDX-License-Identifier: MIT */
/* symbols.c — the rows of the markets: one sample a symbol, the fund, liquidations. */
#include "app/metrics/scrape.h"
#include "model/enums.h"

/* ---- symbols ---- */

/* The value of a symbol's sample: `units` of 10^-decimals. */
struct figure {
    int64_t  units;
    uint32_t decimals;
};
typedef struct figure figure_of(const struct views *views, const struct symbol *symbol);

static void scrape_market(const struct scrape *scrape, const struct metric *row, uint8_t market, figure_of *figure)
{
    const struct views *views = views_of(scrape);

    for (uint32_t id = 1; id <= views_symbol_count(views, market); id++) {
        const struct symbol *symbol = views_symbol(views, market, id);
        struct figure        value = figure(views, symbol);
        struct sample        sample = sample_begin(scrape->out, row->name, "");
        sample_label(&sample, "market", slice_of(market == MARKET_SPOT ? "spot" : "perps"));
        sample_label(&sample, "symbol", name_slice(&symbol->name));
        sample_end_decimal(&sample, value.units, value.decimals);
    }
}

/* One per row: both markets, or perps alone. */
#define SYMBOLS(NAME, UNITS, DECIMALS)                                                                                 \
    static struct figure NAME##_of(const struct views *views, const struct symbol *symbol)                             \
    {                                                                                                                  \
        (void)views;                                                                                                   \
        return (struct figure){ (int64_t)(UNITS), DECIMALS };                                                          \
    }
#define BOTH(NAME, UNITS)                                                                                              \
    SYMBOLS(NAME, UNITS, 0)                                                                                            \
    void NAME(const struct scrape *scrape, const struct metric *row)                                                   \
    {                                                                                                                  \
        scrape_market(scrape, row, MARKET_SPOT, NAME##_of);                                                            \
        scrape_market(scrape, row, MARKET_PERPS, NAME##_of);                                                           \
    }
#define PERPS(NAME, UNITS, DECIMALS)                                                                                   \
    SYMBOLS(NAME, UNITS, DECIMALS)                                                                                     \
    void NAME(const struct scrape *scrape, const struct metric *row)                                                   \
    {                                                                                                                  \
        scrape_market(scrape, row, MARKET_PERPS, NAME##_of);                                                           \
    }
BOTH(scrape_open_orders, views_symbol_totals(views, symbol->market, symbol->id).open_orders)
BOTH(scrape_trades, views_symbol_totals(views, symbol->market, symbol->id).trades)
BOTH(scrape_halted, views_symbol_status(views, symbol->market, symbol->id) == SYMBOL_HALT)
PERPS(scrape_stops, views_symbol_totals(views, MARKET_PERPS, symbol->id).waiting_stops, 0)
PERPS(scrape_positions, views_symbol_totals(views, MARKET_PERPS, symbol->id).positions, 0)
PERPS(scrape_index, views_price(views, symbol->id).index, symbol->price_precision)
PERPS(scrape_mark, views_price(views, symbol->id).mark, symbol->price_precision)
PERPS(scrape_interest, views_price(views, symbol->id).open_interest, symbol->quantity_precision)
PERPS(scrape_funding, views_price(views, symbol->id).funding_rate, FUNDING_DECIMALS)

void scrape_mode(const struct scrape *scrape, const struct metric *row)
{
    for (const struct enum_name *name = venue_mode_names; name->name != NULL; name++) {
        struct sample sample = sample_begin(scrape->out, row->name, "");
        sample_label(&sample, "mode", slice_of(name->name));
        sample_end(&sample, name->value == views_mode(views_of(scrape)));
    }
}

void scrape_oracle(const struct scrape *scrape, const struct metric *row)
{
    const struct views *views = views_of(scrape);

    for (uint32_t id = 1; id <= views_symbol_count(views, MARKET_PERPS); id++) {
        uint8_t state = views_price(views, id).state;
        for (const struct enum_name *name = oracle_state_names; name->name != NULL; name++) {
            struct sample sample = sample_begin(scrape->out, row->name, "");
            sample_label(&sample, "symbol", name_slice(&views_symbol(views, MARKET_PERPS, id)->name));
            sample_label(&sample, "state", slice_of(name->name));
            sample_end(&sample, name->value == state);
        }
    }
}

/* ---- risk ---- */

void scrape_fund(const struct scrape *scrape, const struct metric *row)
{
    struct view_balance balances[COINS_MAX];
    uint32_t            count = views_balances(views_of(scrape), MARKET_PERPS, ACCOUNT_FUND, balances);
    int64_t             fund = 0;

    for (uint32_t i = 0; i < count; i++)
        if (balances[i].coin_id == COIN_MARGIN) fund = balances[i].total;
    put_decimal(scrape, row, fund, scrape->instance->genesis.coins[COIN_MARGIN].precision);
}

/* Everything that the fund's worth follows from, of one instant. */
static void fund_of(const struct scrape *scrape, struct view_margin *fund)
{
    static const struct view_account account = { .account_id = ACCOUNT_FUND };

    (void)views_margin(views_of(scrape), &account, fund, NULL, 0);
}

void scrape_fund_positions(const struct scrape *scrape, const struct metric *row)
{
    const struct views *views = views_of(scrape);
    struct view_margin  fund;

    fund_of(scrape, &fund);
    for (uint32_t id = 1; id <= views_symbol_count(views, MARKET_PERPS); id++) {
        const struct symbol *symbol = views_symbol(views, MARKET_PERPS, id);
        struct sample        sample = sample_begin(scrape->out, row->name, "");
        int64_t              size = 0;

        for (uint32_t i = 0; i < fund.position_count; i++)
            if (fund.positions[i].symbol_id == id) size = fund.positions[i].size;
        sample_label(&sample, "market", SLICE("perps"));
        sample_label(&sample, "symbol", name_slice(&symbol->name));
        sample_end_decimal(&sample, size, symbol->quantity_precision);
    }
}

/* Wallet and positions, these at the index: the fund's wallet if it closed them there (mechanics 3.13). */
void scrape_fund_equity(const struct scrape *scrape, const struct metric *row)
{
    const struct genesis *genesis = &scrape->instance->genesis;
    struct view_margin    fund;
    int128_t              equity;

    fund_of(scrape, &fund);
    equity = fund.wallet;
    for (uint32_t i = 0; i < fund.position_count; i++) {
        const struct position_changed *position = &fund.positions[i];
        const struct symbol           *symbol = &genesis->perps[position->symbol_id - 1];
        int                            power = symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]);
        int64_t                        size = position->size < 0 ? -position->size : position->size;
        int128_t                       value = notional_floor(fund.prices[position->symbol_id - 1].index, size, power);

        if (size == 0) continue;
        equity += position->size < 0 ? -value : value;
        equity -= (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);
    }
    put_decimal(scrape, row, (int64_t)equity, genesis->coins[COIN_MARGIN].precision);
}

void scrape_liquidations(const struct scrape *scrape, const struct metric *row)
{
    static const char *const names[] = {
        [STAGE_HEALTHY] = "healthy", [STAGE_BOOK] = "book", [STAGE_TAKEOVER] = "takeover", [STAGE_ADL] = "adl"
    };
    struct view_totals totals = views_totals(views_of(scrape));

    for (uint32_t stage = STAGE_HEALTHY; stage < ARRAY_COUNT(names); stage++)
        put_one(scrape, row, "stage", names[stage], totals.stages[stage]);
}

void scrape_forced(const struct scrape *scrape, const struct metric *row)
{
    struct view_totals totals = views_totals(views_of(scrape));

    for (uint8_t reason = REASON_NONE + 1; reason < VIEW_REASONS; reason++) {
        bool always = reason == REASON_LIQUIDATION || reason == REASON_TAKEOVER || reason == REASON_ADL;
        if (always || totals.forced[reason] != 0)
            put_one(scrape, row, "reason", enum_name_of(end_reason_names, reason), totals.forced[reason]);
    }
}
