/* SPDX-License-Identifier: MIT */
/* answers_market.c — answers about markets: symbols, coins, books, best prices, mark prices. */
#include "ask.h"

static void put_filters(struct text *t, const struct twin *twin, const struct symbol *s)
{
    uint32_t p = s->price_precision, q = s->quantity_precision, n = quote_of(twin, s)->precision;

    number(t, "pricePrecision", p);
    amount(t, "tickSize", s->tick_size, p);
    amount(t, "minPrice", s->min_price, p);
    amount(t, "maxPrice", s->max_price, p);
    number(t, "quantityPrecision", q);
    amount(t, "stepSize", s->step_size, q);
    amount(t, "minQuantity", s->min_quantity, q);
    amount(t, "maxQuantity", s->max_quantity, q);
    amount(t, "marketMinQuantity", s->market_min_quantity, q);
    amount(t, "marketMaxQuantity", s->market_max_quantity, q);
    amount(t, "minNotional", s->min_notional, n);
    amount(t, "maxNotional", s->max_notional, n);
    amount(t, "buyLimitUpRatio", s->buy_limit_up_ratio, 8);
    amount(t, "sellLimitDownRatio", s->sell_limit_down_ratio, 8);
    amount(t, "marketDeviationRatio", s->market_deviation_ratio, 8);
}

static void put_fees_and_status(struct text *t, const struct twin *twin, const struct symbol *s)
{
    const struct symbol_state *state = &twin->state[s->market][s->id - 1];

    amount(t, "makerFee", s->maker_fee, 8);
    amount(t, "takerFee", s->taker_fee, 8);
    amount(t, "feeDiscount", s->fee_discount, 8);
    word(t, "status", status_now(twin, s->market, s->id) == SYMBOL_TRADING ? "TRADING" : "HALT");
    amount(t, "lastTradePrice",
           state->last != 0 || answers_planted == ANSWER_BUG_LAST ? state->last : s->reference_price,
           s->price_precision);
    amount(t, "listingReferencePrice", s->reference_price, s->price_precision);
}

static void put_spot_symbol(struct text *t, const struct twin *twin, const struct symbol *s)
{
    const struct coin *base = &twin->genesis.coins[s->base_coin_id];

    number(t, "id", s->id);
    named(t, "name", &s->name);
    named(t, "displayName", &s->display_name);
    number(t, "baseCoinID", base->id);
    named(t, "baseCoin", &base->name);
    number(t, "baseCoinPrecision", base->precision);
    number(t, "quoteCoinID", s->quote_coin_id);
    named(t, "quoteCoin", &quote_of(twin, s)->name);
    number(t, "quoteCoinPrecision", quote_of(twin, s)->precision);
    put_filters(t, twin, s);
    put_fees_and_status(t, twin, s);
}

/* Mechanics 3.2: rates and deductions from bounds and leverages alone. */
static void put_tiers(struct text *t, const struct contract *c, uint32_t money)
{
    int128_t deduction = 0;

    key(t, "marginTiers");
    put(t, "[");
    for (uint32_t i = 0; i < c->tier_count; i++) {
        int64_t rate = 100000000 / (2 * (int64_t)c->tiers[i].max_leverage);

        if (i != 0)
            deduction += divide_floor((int128_t)c->tiers[i - 1].max_notional
                                          * (rate - 100000000 / (2 * (int64_t)c->tiers[i - 1].max_leverage)),
                                      100000000);
        if (i != 0) put(t, ",");
        open_object(t);
        amount(t, "maxNotionalValue", c->tiers[i].max_notional, money);
        amount(t, "maintenanceMarginRate", rate, 8);
        number(t, "maxLeverage", c->tiers[i].max_leverage);
        amount(t, "maintenanceDeduction", deduction, money);
        close_object(t);
    }
    put(t, "]");
}

static void put_perps_symbol(struct text *t, const struct twin *twin, const struct symbol *s)
{
    const struct contract     *c = &twin->genesis.contracts[s->id - 1];
    const struct symbol_state *state = &twin->state[MARKET_PERPS][s->id - 1];
    uint32_t                   money = quote_of(twin, s)->precision;
    size_t                     base = 0;

    while (base < s->name.len && s->name.at[base] != '-') base++;
    number(t, "id", s->id);
    named(t, "name", &s->name);
    named(t, "displayName", &s->display_name);
    if (c->base.len != 0) named(t, "baseCoin", &c->base);
    else words(t, "baseCoin", s->name.at, base);
    number(t, "quoteCoinID", s->quote_coin_id);
    named(t, "quoteCoin", &quote_of(twin, s)->name);
    number(t, "quoteCoinPrecision", money);
    amount(t, "openInterestCap", c->open_interest_cap, s->quantity_precision);
    amount(t, "openInterestCapUSD", c->open_interest_cap_value, money);
    put_filters(t, twin, s);
    number(t, "maxLeverage", c->tiers[0].max_leverage);
    number(t, "initLeverage", c->init_leverage);
    put_tiers(t, c, money);
    number(t, "fundingInterval", 3600);
    amount(t, "interestRate", c->interest_rate, 8);
    amount(t, "maxFundingRate", c->max_funding, 8);
    amount(t, "minFundingRate", c->min_funding, 8);
    put_fees_and_status(t, twin, s);
    amount(t, "markPrice", answers_planted == ANSWER_BUG_MARK ? state->index : state->mark, s->price_precision);
    amount(t, "indexPrice", state->index, s->price_precision);
    if (phase_now(twin, s->id) != PHASE_OPEN)
        word(t, "phase", enum_name_of(symbol_phase_names, phase_now(twin, s->id)));
    if (state->settle_ms != 0) number(t, "settlementTime", state->settle_ms);
    amount_if(t, "settlementPrice", state->settle_price, s->price_precision);
}

static const char *check_symbols(struct answers *answers, struct twin *twin, uint8_t market, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 1; id <= symbol_count(twin, market); id++) {
        if (only != ALL && id != only) continue;
        if (id != 1 && only == ALL) put(t, ",");
        open_object(t);
        if (market == MARKET_PERPS) put_perps_symbol(t, twin, symbol_of(twin, market, id));
        else put_spot_symbol(t, twin, symbol_of(twin, market, id));
        close_object(t);
    }
    put(t, "]");
    return check(answers, "%s/markets/symbols?symbol=%s", BASE(market),
                 only != ALL ? symbol_of(twin, market, only)->name.at : "");
}

static const char *check_coins(struct answers *answers, struct twin *twin, uint8_t market, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 0; id < twin->genesis.coin_count; id++) {
        if (only != ALL && id != only) continue;
        if (id != 0 && only == ALL) put(t, ",");
        open_object(t);
        number(t, "id", id);
        named(t, "name", &twin->genesis.coins[id].name);
        number(t, "precision", twin->genesis.coins[id].precision);
        if (market == MARKET_PERPS) amount(t, "marginRatio", id == COIN_MARGIN, 0);
        if (market == MARKET_PERPS && id == COIN_MARGIN) amount(t, "price", 1, 0);
        close_object(t);
    }
    put(t, "]");
    return check(answers, "%s/markets/coins?coin=%s", BASE(market),
                 only != ALL ? twin->genesis.coins[only].name.at : "");
}

static const char *check_mark_prices(struct answers *answers, struct twin *twin, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 1; id <= twin->genesis.perps_count; id++) {
        const struct symbol       *s = symbol_of(twin, MARKET_PERPS, id);
        const struct symbol_state *state = &twin->state[MARKET_PERPS][id - 1];

        if (only != ALL && id != only) continue;
        if (id != 1 && only == ALL) put(t, ",");
        open_object(t);
        named(t, "symbol", &s->name);
        amount(t, "fundingRate", state->told.funding_rate, 12);
        number(t, "nextFundingTime", state->told.next_funding_ms);
        amount(t, "indexPrice", state->index, s->price_precision);
        amount(t, "markPrice", state->mark, s->price_precision);
        amount(t, "openInterest", open_interest(twin, s), s->quantity_precision);
        close_object(t);
    }
    put(t, "]");
    return check(answers, "/api/v1/perps/markets/mark-prices?symbol=%s",
                 only != ALL ? symbol_of(twin, MARKET_PERPS, only)->name.at : "");
}

/* The level behind `behind` (0: the best one): its price, and the quantity at it; price 0: there is none. */
int64_t next_level(struct twin *twin, const struct symbol *s, uint8_t side, int64_t behind, int64_t *quantity)
{
    int64_t price = 0;

    *quantity = 0;
    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];

        if (!o->rests || o->market != s->market || o->is.base.symbol_id != s->id || o->is.base.side != side) continue;
        if (behind != 0 && !better(side, behind, o->is.base.price)) continue;
        if (price == 0 || better(side, o->is.base.price, price)) {
            price = o->is.base.price;
            *quantity = 0;
        }
        if (o->is.base.price == price) *quantity += order_rest(o);
    }
    return price;
}

static const char *check_book(struct answers *answers, struct twin *twin, const struct symbol *s, uint32_t levels)
{
    struct text *t = &answers->want;

    begin(answers);
    open_object(t);
    block(answers);
    count_of(t, "updateID", answers_planted == ANSWER_BUG_UPDATE_ID ? 0 : twin->state[s->market][s->id - 1].update_id);
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
        int64_t quantity, price = 0;

        key(t, side == SIDE_BUY ? "bids" : "asks");
        put(t, "[");
        for (uint32_t shown = 0; shown < levels && (price = next_level(twin, s, side, price, &quantity)) != 0;
             shown++) {
            put(t, shown == 0 ? "[\"" : ",[\"");
            put_number(t, price, s->price_precision);
            put(t, "\",\"");
            put_number(t, quantity, s->quantity_precision);
            put(t, "\"]");
        }
        put(t, "]");
    }
    close_object(t);
    if (levels == 10 && one_in(&answers->random_state, 2))
        return check(answers, "%s/markets/%s/orderbook", BASE(s->market), s->name.at);
    if (levels == 1000) levels += random_below(&answers->random_state, 2);
    return check(answers, "%s/markets/%s/orderbook?%s=%u", BASE(s->market), s->name.at,
                 one_in(&answers->random_state, 2) ? "limit" : "depth", levels);
}

static const char *check_best(struct answers *answers, struct twin *twin, uint8_t market, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 1; id <= symbol_count(twin, market); id++) {
        const struct symbol *s = symbol_of(twin, market, id);

        if (only != ALL && id != only) continue;
        if (id != 1 && only == ALL) put(t, ",");
        open_object(t);
        named(t, "symbol", &s->name);
        for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
            int64_t quantity, price = next_level(twin, s, side, 0, &quantity);

            if (answers_planted == ANSWER_BUG_SECOND_LEVEL && price != 0)
                price = next_level(twin, s, side, price, &quantity);
            amount(t, side == SIDE_BUY ? "bidPx" : "askPx", price, s->price_precision);
            amount(t, side == SIDE_BUY ? "bidSz" : "askSz", quantity, s->quantity_precision);
        }
        close_object(t);
    }
    put(t, "]");
    return check(answers, "%s/markets/bookTickers?symbol=%s", BASE(market),
                 only != ALL ? symbol_of(twin, market, only)->name.at : "");
}

const char *check_market(struct answers *answers, struct twin *twin, uint8_t market)
{
    for (uint32_t again = 0; again < 2; again++) {
        uint32_t only = again == 0 ? ALL : 1 + random_below(&answers->random_state, symbol_count(twin, market));

        TRY(check_symbols(answers, twin, market, only));
        TRY(check_coins(answers, twin, market,
                        again == 0 ? ALL : random_below(&answers->random_state, twin->genesis.coin_count)));
        TRY(check_best(answers, twin, market, only));
        if (market == MARKET_PERPS) TRY(check_mark_prices(answers, twin, only));
        if (market == MARKET_PERPS) TRY(check_compositions(answers, twin, only));
    }
    for (uint32_t id = 1; id <= symbol_count(twin, market); id++) {
        TRY(check_book(answers, twin, symbol_of(twin, market, id), 1000));
        TRY(check_book(answers, twin, symbol_of(twin, market, id),
                       one_in(&answers->random_state, 2) ? 10 : 1 + random_below(&answers->random_state, 5)));
    }
    return NULL;
}
