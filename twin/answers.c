/* SPDX-License-Identifier: MIT */
/*
 * answers.c — what the api answers, against what the twin would have answered.
 *
 * The twin's text is written here from its own arrays, one line per key, in the order of wire 1.1 to 1.5; of what stands between
 * them only the words of model/ are shared: names of enums, texts and rules of rejects.
 */
#include <inttypes.h>

#include "ask.h"

static uint32_t reads_rate = 1;

void answers_rate(uint32_t rate) { reads_rate = rate; }

/* A transaction of which a reply tells is where this program says it is. */
bool __wrap_history_transaction(struct history *history, uint64_t seq, struct history_place *place);
bool __wrap_history_transaction(struct history *history, uint64_t seq, struct history_place *place)
{
    (void)history;
    *place = (struct history_place){ .block = seq + 7, .index = (uint32_t)(seq % 5) };
    memset(place->hash.bytes, (int)(seq & 0xff), sizeof(place->hash.bytes));
    return true;
}

struct answers *answers_open(struct views *views, const struct genesis *genesis)
{
    struct answers *answers = calloc(1, sizeof(*answers));

    if (!crypto_init()) abort();
    answers->shared = (struct api_shared){ .genesis = genesis, .views = views, .settings = { .development = true }, .version = SLICE("0") };
    answers->api = api_init(calloc(1, api_size(&answers->shared)), &answers->shared);
    answers->body = malloc(TEXT_ROOM);
    answers->want.at = malloc(TEXT_ROOM);
    answers->now_ms = genesis->time_ms;
    if (reads_rate != 0) past_open(answers);
    return answers;
}

void answers_close(struct answers *answers)
{
    past_close(answers);
    free(answers->api);
    free(answers->body);
    free(answers->want.at);
    free(answers->held);
    free(answers);
}

/* ---- markets ---- */

uint32_t symbol_count(const struct twin *twin, uint8_t market) { return market == MARKET_PERPS ? twin->genesis.perps_count : twin->genesis.spot_count; }
const struct symbol *symbol_of(const struct twin *twin, uint8_t market, uint32_t id) { return market == MARKET_PERPS ? &twin->genesis.perps[id - 1] : &twin->genesis.spot[id - 1]; }
const struct coin *quote_of(const struct twin *twin, const struct symbol *s) { return &twin->genesis.coins[s->quote_coin_id]; }

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
    word(t, "status", state->status == SYMBOL_TRADING ? "TRADING" : "HALT");
    amount(t, "lastTradePrice", state->last != 0 || answers_planted == ANSWER_BUG_LAST ? state->last : s->reference_price, s->price_precision);
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

        if (i != 0) deduction += divide_floor((int128_t)c->tiers[i - 1].max_notional * (rate - 100000000 / (2 * (int64_t)c->tiers[i - 1].max_leverage)), 100000000);
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
    if (c->base.len != 0) named(t, "baseCoin", &c->base); else words(t, "baseCoin", s->name.at, base);
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
    if (state->phase != 0) word(t, "phase", enum_name_of(symbol_phase_names, state->phase));
    if (state->settle_ms != 0) number(t, "settlementTime", state->settle_ms);
    amount_if(t, "settlementPrice", state->settle_price, s->price_precision);
}

#define ALL UINT32_MAX                      /* not one of them only, by name */

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
        else                        put_spot_symbol(t, twin, symbol_of(twin, market, id));
        close_object(t);
    }
    put(t, "]");
    return check(answers, "%s/markets/symbols?symbol=%s", BASE(market), only != ALL ? symbol_of(twin, market, only)->name.at : "");
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
    return check(answers, "%s/markets/coins?coin=%s", BASE(market), only != ALL ? twin->genesis.coins[only].name.at : "");
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
    return check(answers, "/api/v1/perps/markets/mark-prices?symbol=%s", only != ALL ? symbol_of(twin, MARKET_PERPS, only)->name.at : "");
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
        if (price == 0 || better(side, o->is.base.price, price)) { price = o->is.base.price; *quantity = 0; }
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
        for (uint32_t shown = 0; shown < levels && (price = next_level(twin, s, side, price, &quantity)) != 0; shown++) {
            put(t, shown == 0 ? "[\"" : ",[\"");
            put_number(t, price, s->price_precision);
            put(t, "\",\"");
            put_number(t, quantity, s->quantity_precision);
            put(t, "\"]");
        }
        put(t, "]");
    }
    close_object(t);
    if (levels == 10 && one_in(&answers->dice, 2)) return check(answers, "%s/markets/%s/orderbook", BASE(s->market), s->name.at);
    return check(answers, "%s/markets/%s/orderbook?%s=%u", BASE(s->market), s->name.at, one_in(&answers->dice, 2) ? "limit" : "depth", levels + (levels == 1000 ? dice(&answers->dice, 2) : 0));
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

            if (answers_planted == ANSWER_BUG_SECOND_LEVEL && price != 0) price = next_level(twin, s, side, price, &quantity);
            amount(t, side == SIDE_BUY ? "bidPx" : "askPx", price, s->price_precision);
            amount(t, side == SIDE_BUY ? "bidSz" : "askSz", quantity, s->quantity_precision);
        }
        close_object(t);
    }
    put(t, "]");
    return check(answers, "%s/markets/bookTickers?symbol=%s", BASE(market), only != ALL ? symbol_of(twin, market, only)->name.at : "");
}

static const char *check_market(struct answers *answers, struct twin *twin, uint8_t market)
{
    for (uint32_t again = 0; again < 2; again++) {
        uint32_t only = again == 0 ? ALL : 1 + dice(&answers->dice, symbol_count(twin, market));

        TRY(check_symbols(answers, twin, market, only));
        TRY(check_coins(answers, twin, market, again == 0 ? ALL : dice(&answers->dice, twin->genesis.coin_count)));
        TRY(check_best(answers, twin, market, only));
        if (market == MARKET_PERPS) TRY(check_mark_prices(answers, twin, only));
    }
    for (uint32_t id = 1; id <= symbol_count(twin, market); id++) {
        TRY(check_book(answers, twin, symbol_of(twin, market, id), 1000));
        TRY(check_book(answers, twin, symbol_of(twin, market, id), one_in(&answers->dice, 2) ? 10 : 1 + dice(&answers->dice, 5)));
    }
    return NULL;
}

/* ---- orders ---- */

static int64_t size_of(int64_t size) { return size < 0 ? -size : size; }

/* Whether `other` is executed before `order`, of the same side of a symbol (mechanics 3.4). */
static bool goes_before(const struct order *other, const struct order *order)
{
    const struct order_changed *a = &other->is.base, *b = &order->is.base;

    return a->price != b->price ? better(a->side, a->price, b->price) : a->order_id < b->order_id;
}

/* Wire, marginFrozen: what an order adds to the margin its symbol needs; what would close adds nothing. */
static int128_t frozen(struct twin *twin, const struct account *account, const struct order *order)
{
    const struct symbol   *s = symbol_of(twin, MARKET_PERPS, order->is.base.symbol_id);
    const struct position *position = position_of(twin, account, s);
    int64_t                mark = mark_of(twin, s), x = order_rest(order), closes = 0, rate = fee_rate(twin, account, s, false), worst = order->is.base.price;
    int128_t               value, at_mark, at_price, lost;
    bool                   buys = order->is.base.side == SIDE_BUY;

    if (order->is.reduce_only || !order->rests) return 0;
    if (position->is.size != 0 && (position->is.size < 0) == buys && answers_planted != ANSWER_BUG_FROZEN) closes = size_of(position->is.size);
    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];

        if (o->market != MARKET_PERPS || !o->rests || o->is.reduce_only || o->is.base.account_id != account->id || o->is.base.symbol_id != s->id) continue;
        if (o->is.base.side == order->is.base.side && goes_before(o, order)) closes -= order_rest(o);
    }
    if (closes > 0) x = closes < x ? x - closes : 0;
    if (!buys && mark > worst) worst = mark;
    value = n_exact(s, &twin->genesis, worst, x, false);
    at_mark = n_exact(s, &twin->genesis, mark, x, false);
    at_price = n_exact(s, &twin->genesis, order->is.base.price, x, false);
    lost = buys ? at_price - at_mark : at_mark - at_price;
    return divide_ceil(value, position->is.leverage) + divide_ceil(value * (rate > 0 ? rate : 0), 100000000) + (lost > 0 ? lost : 0);
}

static const char *say(struct spelling spelling, const char *whole_word, const char *letter) { return spelling.brief ? letter : whole_word; }
static void maybe(struct text *t, struct spelling spelling, const char *whole_word, const char *letter, int128_t units, uint32_t precision)
{
    if (spelling.brief) amount_or_null(t, letter, units, precision); else amount_if(t, whole_word, units, precision);
}

void put_order_begin(struct text *t, const struct symbol *s, const struct order_changed *o, struct spelling spelling)
{
    named(t, say(spelling, "symbol", "s"), &s->name);
    if (spelling.brief) client(t, "c", &o->client_id);
    count_of(t, say(spelling, "orderID", "i"), o->order_id);
    if (!spelling.brief) client(t, "clOrdID", &o->client_id);
    word(t, say(spelling, "side", "S"), o->side == SIDE_BUY ? "BUY" : "SELL");
    word(t, say(spelling, "type", "o"), o->type == TYPE_LIMIT ? "LIMIT" : "MARKET");
    word(t, say(spelling, "timeInForce", "f"), enum_name_of(time_in_force_names, o->time_in_force));
}

/* What all orders say from the price to what is frozen. */
void put_order_numbers(struct text *t, const struct twin *twin, const struct symbol *s, const struct order_changed *o, int128_t held, uint32_t held_precision, struct spelling spelling)
{
    uint32_t p = s->price_precision, q = s->quantity_precision, n = quote_of(twin, s)->precision;
    uint8_t  status = o->status == STATUS_PENDING_NEW && answers_planted != ANSWER_BUG_SLEEPING ? STATUS_NEW : o->status;

    maybe(t, spelling, "price", "p", o->price, p);
    maybe(t, spelling, "origQty", "q", o->quantity, q);
    maybe(t, spelling, "funds", "F", o->funds, n);
    word(t, say(spelling, "status", "X"), enum_name_of(order_status_names, status));
    amount(t, say(spelling, "executedQty", "z"), o->executed, q);
    amount(t, say(spelling, "executedValue", "v"), o->executed_value, n);
    amount(t, say(spelling, "marginFrozen", "M"), held, held_precision);
}

void put_times(struct text *t, const struct order_changed *o, struct spelling spelling)
{
    number(t, say(spelling, "createdAt", "ct"), o->created_ms);
    number(t, say(spelling, "updatedAt", "ut"), o->updated_ms);
}

static void put_spot_order(struct text *t, struct twin *twin, const struct order *order, struct spelling spelling)
{
    const struct symbol *s = symbol_of(twin, MARKET_SPOT, order->is.base.symbol_id);
    uint32_t             coin_id;
    int64_t              held = order_holds(twin, order, &coin_id);

    put_order_begin(t, s, &order->is.base, spelling);
    put_order_numbers(t, twin, s, &order->is.base, held, twin->genesis.coins[coin_id].precision, spelling);
    put_times(t, &order->is.base, spelling);
}

void put_stop(struct text *t, const struct symbol *s, const struct perps_order_changed *o, struct spelling spelling)
{
    bool first = true;

    amount_if(t, say(spelling, "stopPrice", "sp"), o->stop_price, s->price_precision);
    if (o->stop_type != 0)    word(t, say(spelling, "stopType", "st"), enum_name_of(stop_type_names, o->stop_type));
    if (o->trigger_type != 0) word(t, say(spelling, "triggerType", "tt"), enum_name_of(trigger_type_names, o->trigger_type));
    if (o->position_id != 0)      count_of(t, say(spelling, "positionID", "pid"), o->position_id);
    if (o->primary_order_id != 0) count_of(t, say(spelling, "primaryOrderID", "poid"), o->primary_order_id);
    if (o->attached_order_ids[0] == 0 && o->attached_order_ids[1] == 0) return;
    key(t, say(spelling, "attachedOrderIDs", "aoids"));
    put(t, "[");
    for (uint32_t i = 0; i < 2; i++)
        if (o->attached_order_ids[i] != 0) { put(t, first ? "%" PRIu64 : ",%" PRIu64, o->attached_order_ids[i]); first = false; }
    put(t, "]");
}

static void put_perps_order(struct text *t, struct twin *twin, const struct account *account, const struct order *order, struct spelling spelling)
{
    const struct symbol *s = symbol_of(twin, MARKET_PERPS, order->is.base.symbol_id);

    put_order_begin(t, s, &order->is.base, spelling);
    put_order_numbers(t, twin, s, &order->is.base, frozen(twin, account, order), quote_of(twin, s)->precision, spelling);
    if (spelling.brief) put_times(t, &order->is.base, spelling);
    word(t, say(spelling, "positionSide", "ps"), "BOTH");
    flag(t, say(spelling, "reduceOnly", "R"), order->is.reduce_only != 0);
    if (!spelling.brief) word(t, "modifier", enum_name_of(order_modifier_names, order->is.modifier));
    put_stop(t, s, &order->is, spelling);
    if (!spelling.brief) put_times(t, &order->is.base, spelling);
}

/* Newest first, at most `most`. */
static void put_orders(struct text *t, struct twin *twin, const struct account *account, uint8_t market, uint32_t only, uint32_t most, struct spelling spelling)
{
    uint64_t limit = answers_planted == ANSWER_BUG_OLDEST_FIRST ? 0 : UINT64_MAX;

    put(t, "[");
    for (uint32_t n = 0; n < most; n++) {
        const struct order *next = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            const struct order *o = &twin->orders[i];
            uint64_t            id = o->is.base.order_id;

            if (o->market != market || o->is.base.account_id != account->id || (only != ALL && o->is.base.symbol_id != only)) continue;
            if (answers_planted == ANSWER_BUG_OLDEST_FIRST ? id > limit && (next == NULL || id < next->is.base.order_id) : id < limit && (next == NULL || id > next->is.base.order_id)) next = o;
        }
        if (next == NULL) break;
        limit = next->is.base.order_id;
        if (n != 0) put(t, ",");
        open_object(t);
        if (market == MARKET_PERPS) put_perps_order(t, twin, account, next, spelling); else put_spot_order(t, twin, next, spelling);
        close_object(t);
    }
    put(t, "]");
}

/* ---- accounts ---- */

void owner_text(const struct account *account, char into[43])
{
    (void)snprintf(into, 3, "0x");
    for (size_t i = 0; i < 20; i++) (void)snprintf(into + 2 + 2 * i, 3, "%02x", account->owner.bytes[i]);
}

#define ASK(market, account, what) do { char owner_[43]; owner_text(account, owner_); \
    TRY(check(answers, "%s/accounts/%s/" what "accountID=%" PRIu64, BASE(market), owner_, (account)->id)); } while (0)

/* Whether the account has ever been told of the coin. */
static bool ever_held(const struct answers *answers, uint64_t account_id, uint8_t market, uint32_t coin)
{
    for (uint32_t i = 0; i < answers->held_count; i++)
        if (answers->held[i].account_id == account_id && answers->held[i].market == market && answers->held[i].coin_id == coin) return true;
    return false;
}

static void put_spot_balances(struct answers *answers, struct twin *twin, const struct account *account, struct spelling spelling)
{
    struct text *t = &answers->want;
    bool         first = true;

    put(t, "[");
    for (uint32_t coin = 0; coin < twin->genesis.coin_count; coin++) {
        const struct coin *of = &twin->genesis.coins[coin];

        if (!ever_held(answers, account->id, MARKET_SPOT, coin)) continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        number(t, say(spelling, "id", "i"), coin);
        named(t, say(spelling, "coin", "a"), &of->name);
        amount(t, say(spelling, "total", "t"), account->total[coin], of->precision);
        amount(t, say(spelling, "locked", "l"), answers_planted == ANSWER_BUG_LOCKED ? 0 : locked(twin, account, coin), of->precision);
        close_object(t);
    }
    put(t, "]");
}

static const char *check_spot_account(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text *t = &answers->want;

    begin(answers);
    open_object(t);
    block(answers);
    key(t, "balances");
    put_spot_balances(answers, twin, account, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_SPOT, account, "balances?");
    begin(answers);
    open_object(t);
    block(answers);
    key(t, "orders");
    put_orders(t, twin, account, MARKET_SPOT, ALL, 1000, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_SPOT, account, "orders?");
    begin(answers);
    open_object(t);
    address(t, "user", &account->owner);
    count_of(t, "aid", account->id);
    count_of(t, "uid", account->user_id);
    key(t, "B");
    put_spot_balances(answers, twin, account, (struct spelling){ true });
    key(t, "O");
    put_orders(t, twin, account, MARKET_SPOT, ALL, 1000, (struct spelling){ true });
    key(t, "TO");
    put(t, "[]");
    block(answers);
    close_object(t);
    ASK(MARKET_SPOT, account, "state?");
    return NULL;
}

/* What a perps account comes to (mechanics 3.3, 3.4). */
struct figures { int128_t equity, maintenance, initial, buckets, needs, reserves, available, isolated, transferable; };

static struct figures figures_of(struct twin *twin, const struct account *account)
{
    struct figures f = { .equity = cross_equity(twin, account, false), .maintenance = cross_maintenance(twin, account), .needs = needs(twin, account),
                         .reserves = reserves(twin, account), .isolated = available_isolated(twin, account), .transferable = withdrawable(twin, account) };

    f.available = cross_equity(twin, account, true) - f.needs - (answers_planted == ANSWER_BUG_AVAILABLE ? 0 : f.reserves);
    if (f.available < 0) f.available = 0;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position *p = &account->positions[i];

        f.buckets += p->is.bucket;
        if (p->is.margin_mode == MARGIN_CROSS) f.initial += position_margin(twin, &twin->genesis.perps[i], p);
    }
    return f;
}

/* value / size in prices with four more decimals, halves up; 0 of nothing. */
int128_t average(const struct twin *twin, const struct symbol *s, int128_t value, int64_t size)
{
    int      k = (int)quote_of(twin, s)->precision - (int)s->price_precision - (int)s->quantity_precision;
    int128_t above = (value < 0 ? -value : value) * 10000, below = size_of(size);

    if (size == 0) return 0;
    if (k >= 0) below *= power10(k); else above *= power10(-k);
    return answers_planted == ANSWER_BUG_ENTRY ? divide_floor(above, below) : divide_floor(2 * above + below, 2 * below);
}

static int64_t liquidation(struct twin *twin, const struct account *account, const struct symbol *s)
{
    if (answers_planted == ANSWER_BUG_LIQUIDATION && position_of(twin, account, s)->is.margin_mode == MARGIN_CROSS) return 0;
    return liquidation_price(twin, account, s);
}

static void put_position(struct text *t, struct twin *twin, const struct account *account, const struct symbol *s)
{
    const struct position         *p = position_of(twin, account, s);
    const struct position_changed *is = &p->is;
    uint32_t                       q = s->quantity_precision, n = quote_of(twin, s)->precision, a = s->price_precision + 4;
    int128_t                       initial = position_margin(twin, s, p);

    count_of(t, "id", is->position_id);
    named(t, "symbol", &s->name);
    word(t, "marginMode", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "side", "BOTH");
    word(t, "positionSide", "BOTH");
    amount(t, "size", is->size, q);
    amount(t, "initialMargin", initial, n);
    amount(t, "avgEntryPrice", average(twin, s, p->cost, is->size), a);
    amount(t, "cumOpenCost", is->open_value, n);
    amount(t, "cumTradingFee", is->fees, n);
    amount(t, "cumClosedSize", is->closed_size, q);
    amount(t, "avgClosePrice", average(twin, s, is->close_value, is->closed_size), a);
    amount(t, "maxSize", is->max_size, q);
    amount(t, "realizedPnL", is->realized, n);
    number(t, "leverage", is->leverage);
    flag(t, "active", true);
    flag(t, "isTakenOver", false);
    amount(t, "takeOverPrice", 0, 0);
    number(t, "createdAt", is->created_ms);
    number(t, "updatedAt", is->updated_ms);
    number(t, "symbolID", s->id);
    count_of(t, "accountID", account->id);
    amount(t, "quantity", is->size, q);
    amount(t, "entryPrice", average(twin, s, p->cost, is->size), a);
    amount(t, "markPrice", mark_of(twin, s), s->price_precision);
    amount(t, "liquidationPrice", liquidation(twin, account, s), s->price_precision);
    amount(t, "unrealizedPnl", profit(twin, s, p, false), n);
    amount(t, "margin", is->margin_mode == MARGIN_CROSS ? initial : is->bucket, n);
}

static void put_state_position(struct text *t, struct twin *twin, const struct account *account, const struct symbol *s)
{
    const struct position         *p = position_of(twin, account, s);
    const struct position_changed *is = &p->is;
    uint32_t                       q = s->quantity_precision, n = quote_of(twin, s)->precision, a = s->price_precision + 4;

    count_of(t, "i", is->position_id);
    named(t, "s", &s->name);
    word(t, "m", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "ps", "BOTH");
    amount(t, "sz", is->size, q);
    if (is->margin_mode == MARGIN_CROSS || is->bucket == 0) { key(t, "iw"); put(t, "null"); }
    else amount(t, "iw", is->bucket, n);
    amount(t, "ep", average(twin, s, p->cost, is->size), a);
    amount(t, "co", is->open_value, n);
    amount(t, "cf", is->fees, n);
    amount(t, "cc", is->closed_size, q);
    amount(t, "cp", average(twin, s, is->close_value, is->closed_size), a);
    amount(t, "ms", is->max_size, q);
    amount(t, "cr", is->realized, n);
    amount(t, "ur", profit(twin, s, p, false), n);
    number(t, "l", is->leverage);
    amount(t, "lp", liquidation(twin, account, s), s->price_precision);
    number(t, "adl", light_of(twin, account, s));
    number(t, "ct", is->created_ms);
    number(t, "ut", is->updated_ms);
}

static void put_positions(struct text *t, struct twin *twin, const struct account *account, uint32_t only, bool brief)
{
    bool first = true;

    put(t, "[");
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        if (account->positions[i].is.size == 0 || (only != ALL && i + 1 != only)) continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        if (brief) put_state_position(t, twin, account, &twin->genesis.perps[i]);
        else       put_position(t, twin, account, &twin->genesis.perps[i]);
        close_object(t);
    }
    put(t, "]");
}

static void put_wallet(struct answers *answers, struct twin *twin, const struct account *account, const struct figures *f, bool brief)
{
    const struct coin *coin = &twin->genesis.coins[COIN_MARGIN];
    uint32_t           n = coin->precision;
    struct text       *t = &answers->want;

    put(t, "[");
    if (!ever_held(answers, account->id, MARKET_PERPS, COIN_MARGIN)) { put(t, "]"); return; }
    open_object(t);
    number(t, brief ? "i" : "id", COIN_MARGIN);
    named(t, brief ? "a" : "coin", &coin->name);
    amount(t, brief ? "wb" : "total", account->wallet, n);
    amount(t, brief ? "co" : "collateral", account->wallet, n);
    amount(t, brief ? "mr" : "marginRatio", 1, 0);
    amount(t, brief ? "px" : "price", 1, 0);
    if (!brief) amount(t, "locked", f->needs + f->reserves, n);
    if (brief) {
        amount(t, "iw", f->buckets, n);
        amount(t, "aw", f->available, n);
        amount(t, "at", f->transferable, n);
        amount(t, "ww", f->transferable, n);
        amount(t, "wm", account->wallet, n);
        amount(t, "am", f->available, n);
    }
    close_object(t);
    put(t, "]");
}

/* mm / av at 8 decimals, up; where there is nothing to divide by, a million. */
static int128_t ratio_of(const struct figures *f)
{
    int128_t most = (int128_t)1000000 * 100000000, ratio;

    if (f->maintenance == 0) return 0;
    if (f->equity <= 0) return most;
    ratio = answers_planted == ANSWER_BUG_RATIO ? divide_floor(f->maintenance * 100000000, f->equity) : divide_ceil(f->maintenance * 100000000, f->equity);
    return ratio < most ? ratio : most;
}

static const char *check_perps_state(struct answers *answers, struct twin *twin, const struct account *account, const struct figures *f)
{
    struct text *t = &answers->want;
    uint32_t     n = twin->genesis.coins[COIN_MARGIN].precision;

    begin(answers);
    open_object(t);
    address(t, "user", &account->owner);
    count_of(t, "aid", account->id);
    count_of(t, "uid", account->user_id);
    amount(t, "av", f->equity, n);
    amount(t, "mm", f->maintenance, n);
    amount(t, "mmr", ratio_of(f), 8);
    amount(t, "am", f->available, n);
    amount(t, "ami", f->isolated, n);
    amount(t, "amw", f->transferable, n);
    amount(t, "im", f->buckets, n);
    amount(t, "cm", f->initial, n);
    amount(t, "oim", f->reserves, n);
    amount(t, "ocm", f->needs - f->initial, n);
    key(t, "B");
    put_wallet(answers, twin, account, f, true);
    key(t, "O");
    put_orders(t, twin, account, MARKET_PERPS, ALL, 100, (struct spelling){ true });
    key(t, "P");
    put_positions(t, twin, account, ALL, true);
    key(t, "S");
    put(t, "[");
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct position_changed *is = &account->positions[i].is;

        if (i != 0) put(t, ",");
        open_object(t);
        named(t, "s", &twin->genesis.perps[i].name);
        number(t, "l", answers_planted == ANSWER_BUG_SETTING ? twin->genesis.contracts[i].init_leverage : is->leverage);
        word(t, "m", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
        close_object(t);
    }
    put(t, "]");
    key(t, "TO");
    put(t, "[]");
    block(answers);
    close_object(t);
    ASK(MARKET_PERPS, account, "state?");
    return NULL;
}

static const char *check_perps_account(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text   *t = &answers->want;
    struct figures f = figures_of(twin, account);

    begin(answers);
    open_object(t);
    block(answers);
    key(t, "balances");
    put_wallet(answers, twin, account, &f, false);
    close_object(t);
    ASK(MARKET_PERPS, account, "balances?");
    begin(answers);
    open_object(t);
    block(answers);
    key(t, "orders");
    put_orders(t, twin, account, MARKET_PERPS, ALL, 1000, (struct spelling){ false });
    close_object(t);
    ASK(MARKET_PERPS, account, "orders?");
    begin(answers);
    open_object(t);
    block(answers);
    for (uint32_t i = 0; i < 2; i++) {                          /* twice: the second for older clients */
        key(t, i == 0 ? "positions" : "orders");
        put_positions(t, twin, account, ALL, false);
    }
    close_object(t);
    ASK(MARKET_PERPS, account, "positions?");
    return check_perps_state(answers, twin, account, &f);
}

/* Orders and positions of one symbol alone. */
static const char *check_one_symbol(struct answers *answers, struct twin *twin, const struct account *account, uint8_t market)
{
    struct text *t = &answers->want;
    uint32_t     only = 1 + dice(&answers->dice, symbol_count(twin, market));
    char         owner[43];

    owner_text(account, owner);
    for (uint32_t list = 0; list < (market == MARKET_PERPS ? 2 : 1); list++) {
        begin(answers);
        open_object(t);
        block(answers);
        for (uint32_t i = 0; i <= list; i++) {
            key(t, list == 1 && i == 0 ? "positions" : "orders");
            if (list == 0) put_orders(t, twin, account, market, answers_planted == ANSWER_BUG_FILTER ? ALL : only, 1000, (struct spelling){ false });
            else           put_positions(t, twin, account, only, false);
        }
        close_object(t);
        TRY(check(answers, "%s/accounts/%s/%s?symbol=%s&accountID=%" PRIu64, BASE(market), owner, list == 0 ? "orders" : "positions", symbol_of(twin, market, only)->name.at, account->id));
    }
    return NULL;
}

/* ---- users ---- */

static const char *check_fees(struct answers *answers, struct twin *twin, const struct account *account, uint8_t market, const struct symbol *s)
{
    const struct account   *user = account_primary(twin, account);
    const struct fee_table *table = market == MARKET_PERPS ? &twin->genesis.perps_fees : &twin->genesis.spot_fees;
    uint8_t                 tier = answers_planted == ANSWER_BUG_TIER ? 0 : user->fees[market].tier;
    int64_t                 rebate = table->rebate_rate[user->fees[market].rebate];
    struct text            *t = &answers->want;
    char                    owner[43];

    begin(answers);
    open_object(t);
    amount(t, "makerFeeRate", s != NULL ? fee_rate(twin, account, s, true) : rebate != 0 ? rebate : table->tiers[tier].maker, 8);
    amount(t, "takerFeeRate", s != NULL ? fee_rate(twin, account, s, false) : table->tiers[tier].taker, 8);
    if (s != NULL) amount_if(t, "feeDiscount", s->fee_discount, 8);
    number(t, "feeTier", tier);
    number(t, "stakingTier", 0);
    number(t, "makerRebateTier", user->fees[market].rebate);
    close_object(t);
    owner_text(account, owner);
    if (account->primary && one_in(&answers->dice, 3)) return check(answers, "/api/v1/user/%s/fee-rate?symbol=%s%s", owner, s != NULL ? s->name.at : "", market == MARKET_PERPS ? "&market=perps" : one_in(&answers->dice, 2) ? "&market=spot" : "");
    return check(answers, "%s/accounts/%s/fee-rate?accountID=%" PRIu64 "%s%.*s", BASE(market), owner, account->id, s != NULL ? "&symbol=" : "", s != NULL ? (int)s->name.len : 0, s != NULL ? s->name.at : "");
}

/* Oldest registration first; of one account, or (0) of the user. */
static void put_keys(struct text *t, const struct twin *twin, const struct account *account, uint64_t account_id, const struct client_id *name)
{
    uint32_t last = 0;

    put(t, "[");
    for (bool first = true;; first = false) {
        const struct key *next = NULL;

        for (uint32_t i = 0; i < twin->key_count; i++) {
            const struct key *k = &twin->keys[i];

            if ((!k->live && answers_planted != ANSWER_BUG_KEYS) || k->is.user_id != account->user_id || (account_id != 0 && k->is.account_id != account_id)) continue;
            if (name != NULL && !client_id_equal(&k->is.name, name)) continue;
            if (k->is.key_id > last && (next == NULL || k->is.key_id < next->is.key_id)) next = k;
        }
        if (next == NULL) break;
        last = next->is.key_id;
        if (!first) put(t, ",");
        open_object(t);
        client(t, "name", &next->is.name);
        word(t, "type", "EVM");
        address(t, "publicKey", &next->is.public_key);
        number(t, "expiresAt", next->is.expires_ms);
        count_of(t, "permissions", next->is.permissions);
        close_object(t);
    }
    put(t, "]");
}

static const char *check_user(struct answers *answers, struct twin *twin, const struct account *account)
{
    struct text *t = &answers->want;
    bool         first = true;
    char         owner[43];

    owner_text(account, owner);
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++) {
        begin(answers);
        put_keys(t, twin, account, account->id, NULL);
        ASK(market, account, "api-keys?");
        if (twin->key_count != 0) {
            const struct client_id *name = &twin->keys[dice(&answers->dice, twin->key_count)].is.name;

            begin(answers);
            put_keys(t, twin, account, account->id, name);
            TRY(check(answers, "%s/accounts/%s/api-keys?name=%s&accountID=%" PRIu64, BASE(market), owner, name->at, account->id));
        }
        if (symbol_count(twin, market) == 0) continue;
        TRY(check_fees(answers, twin, account, market, NULL));
        for (uint32_t id = 1; id <= symbol_count(twin, market); id++) TRY(check_fees(answers, twin, account, market, symbol_of(twin, market, id)));
    }
    if (!account->primary) return NULL;
    begin(answers);
    open_object(t);
    key(t, "spot");
    put_keys(t, twin, account, 0, NULL);
    key(t, "perps");
    put_keys(t, twin, account, 0, NULL);
    close_object(t);
    TRY(check(answers, "/api/v1/user/%s/api-keys", owner));
    begin(answers);
    open_object(t);
    word(t, "status", "Active");
    count_of(t, "userID", account->user_id);
    close_object(t);
    TRY(check(answers, "/api/v1/user/%s/status", owner));
    begin(answers);
    open_object(t);
    count_of(t, "userID", account->user_id);
    count_of(t, "primaryAccountID", account->id);
    key(t, "subaccounts");
    put(t, "[");
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *a = &twin->accounts[i];

        if (a->id < ACCOUNT_FIRST || a->user_id != account->user_id || (answers_planted == ANSWER_BUG_SUBACCOUNTS && !a->primary)) continue;
        if (!first) put(t, ",");
        first = false;
        open_object(t);
        count_of(t, "id", a->id);
        address(t, "evmAddress", &a->owner);
        close_object(t);
    }
    put(t, "]");
    close_object(t);
    return check(answers, "/api/v1/user/%s/subaccounts", owner);
}

const char *answers_compare(struct answers *answers, struct twin *twin)
{
    if (reads_rate == 0 || answers->past.history == NULL || answers->asked++ % reads_rate != 0) return NULL;
    answers->dice = (struct dice){ .state = ((uint64_t)answers->now_ms << 20 ^ twin->command->nonce << 8 ^ twin->command->kind) * UINT64_C(0x9e3779b97f4a7c15) | 1 };
    TRY(check_market(answers, twin, MARKET_SPOT));
    TRY(check_statistics(answers, twin, MARKET_SPOT));
    if (twin->genesis.perps_count != 0) {
        TRY(check_market(answers, twin, MARKET_PERPS));
        TRY(check_statistics(answers, twin, MARKET_PERPS));
    }
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *account = &twin->accounts[i];

        if (account->id < ACCOUNT_FIRST) continue;
        TRY(check_spot_account(answers, twin, account));
        if (twin->genesis.perps_count != 0) TRY(check_perps_account(answers, twin, account));
        TRY(check_user(answers, twin, account));
        TRY(check_one_symbol(answers, twin, account, MARKET_SPOT));
        if (twin->genesis.perps_count != 0) TRY(check_one_symbol(answers, twin, account, MARKET_PERPS));
        TRY(check_ratelimit(answers, twin, account));
        TRY(check_histories(answers, twin, account));
        TRY(check_faults(answers, twin, account));
    }
    return NULL;
}

/* ---- replies to writes ---- */

static void put_result_details(struct text *t, const struct result *result, bool first)
{
    const struct reject_row *row = reject_row(result->reject);
    const char              *field = result->field == FIELD_OF_ROW ? row->field : item_field_text[result->field];
    bool                     changed = answers_planted == ANSWER_BUG_GOT && (result->said & SAID_NEED) != 0;

    t->first = first;
    if (row->rule[0] != 0) word(t, "rule", row->rule);
    if (field[0] != 0)     word(t, "field", field);
    if ((result->said & SAID_ID) != 0)        client(t, "got", &result->orig_client_id);
    else if ((result->said & SAID_GOT) != 0)  decimal(t, "got", changed ? result->need : result->got);
    if ((result->said & SAID_NEED) != 0)      decimal(t, "need", changed ? result->got : result->need);
}

static void put_item(struct text *t, const struct result *result)
{
    const struct reject_row *row = result->reject == REJECT_NONE ? NULL : reject_row(result->reject);
    uint8_t                  status = result->status;

    open_object(t);
    number(t, "code", row == NULL ? 0 : row->code);
    client(t, "clOrdID", &result->client_id);
    if (row != NULL) word(t, "error", row->text);
    if (row == NULL) {
        if (result->order_id != 0) count_of(t, "orderID", result->order_id);
        if (result->orig_client_id.len != 0 && answers_planted != ANSWER_BUG_ORIGINAL) client(t, "origClOrdID", &result->orig_client_id);
    } else if (status == 0) {
        status = STATUS_REJECTED;
    }
    if (status != 0) word(t, "status", enum_name_of(order_status_names, status));
    if (row != NULL) {
        word(t, "message", row->text);
        key(t, "details");
        open_object(t);
        put_result_details(t, result, true);
        close_object(t);
    } else if (result->warning != WARNING_NONE) {
        word(t, "warning", enum_name_of(result_warning_names, result->warning));
    }
    close_object(t);
}

/* Nothing ran (service: Authentication 5; ruling 35). */
static void put_refused(struct answers *answers, const struct refused *refused)
{
    const struct reject_row *row = reject_row(refused->reject);
    struct text             *t = &answers->want;
    char                     text[32], need[48];
    bool                     used = refused->reject == REJECT_ORACLE_SEQ || (refused->reject == REJECT_BAD_NONCE && refused->nonce_reason == NONCE_USED);

    begin_error(answers, row);
    (void)snprintf(text, sizeof(text), "%" PRIu64, refused->nonce);
    (void)snprintf(need, sizeof(need), "more than %" PRIu64, refused->smallest);
    if (row->rule[0] != 0)  word(t, "rule", row->rule);
    if (row->field[0] != 0) word(t, "field", row->field);
    if (refused->reject == REJECT_BAD_NONCE || refused->reject == REJECT_ORACLE_SEQ) word(t, "got", text);
    if (refused->nonce_reason == NONCE_TOO_SMALL) word(t, "need", need);
    if (refused->reject == REJECT_BAD_NONCE) {
        word(t, "reason", nonce_reason_text[refused->nonce_reason]);
        number(t, "serverTime", answers->now_ms);
    }
    if (!used && answers_planted != ANSWER_BUG_NONCE) word(t, "nonce", "not used");
    if (refused->same_payload) {
        key(t, "hash");
        put(t, "\"0x");
        for (uint32_t i = 0; i < 32; i++) put(t, "%02x", (unsigned)(refused->used_seq & 0xff));
        put(t, "\"");
        count_of(t, "block", refused->used_seq + 7);
        count_of(t, "index", refused->used_seq % 5);
    }
    put(t, "}}");
}

/* The row of a signed write; NULL: nobody signs this. */
static const struct endpoint *endpoint_of(const struct command *command)
{
    for (uint32_t i = 0; i < endpoint_count; i++)
        if (endpoints[i].command == command->kind && endpoints[i].type != NULL && endpoints[i].answer == NULL) return &endpoints[i];
    return NULL;
}

static void put_reply(struct answers *answers, const struct endpoint *endpoint, const struct twin *twin)
{
    const struct event *first = events_first(&twin->events);
    struct text        *t = &answers->want;

    while (first != NULL && first->kind != EVENT_RESULT && first->kind != EVENT_REFUSED) first = events_next(&twin->events, first);
    assert(first != NULL);
    if (first->kind == EVENT_REFUSED) { put_refused(answers, (const void *)first); return; }
    if (endpoint->gives == &result_shape) {
        bool next = false;

        begin(answers);
        put(t, "[");
        for (const struct event *e = first; e != NULL; e = events_next(&twin->events, e)) {
            if (e->kind != EVENT_RESULT) continue;
            if (next) put(t, ",");
            next = true;
            put_item(t, (const void *)e);
        }
        put(t, "]}");
        return;
    }
    if (((const struct result *)(const void *)first)->reject != REJECT_NONE) {
        begin_error(answers, reject_row(((const struct result *)(const void *)first)->reject));
        put_result_details(t, (const void *)first, true);
        put(t, "}}");
        return;
    }
    if (endpoint->command != CMD_TRANSFER) {
        t->len = 0;
        put(t, "{\"code\":0,\"timestamp\":%" PRId64 "}", answers->now_ms);
        return;
    }
    begin(answers);
    open_object(t);
    if (answers_planted != ANSWER_BUG_TRANSFER) count_of(t, "id", ((const struct result *)(const void *)first)->order_id);
    close_object(t);
    put(t, "}");
}

void answers_told(struct answers *answers, const struct events *told)
{
    past_told(answers, told);
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        const struct balance *balance = (const void *)e;

        if (e->kind != EVENT_BALANCE || balance->total == 0 || ever_held(answers, balance->account_id, e->market, balance->coin_id)) continue;
        answers->held = realloc(answers->held, (answers->held_count + 1) * sizeof(*answers->held));
        answers->held[answers->held_count++] = (struct held){ balance->account_id, balance->coin_id, e->market };
    }
}

const char *answers_reply(struct answers *answers, struct twin *twin, const struct command *command, const struct events *told)
{
    const struct endpoint *endpoint = endpoint_of(command);
    struct api_context     context = { .now_ms = command->time_ms, .ready = true };
    struct api_result      result = { 0 };
    struct http_answer     answer;
    struct out             out = out_make(answers->body, TEXT_ROOM);
    char                   what[64];

    answers->now_ms = command->time_ms;
    answers->height = command->seq;
    past_hear(answers, twin);
    answers_told(answers, told);
    if (endpoint == NULL) return NULL;
    result.events = (struct events){ malloc(told->len), 0, told->len };
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        if (e->kind != EVENT_RESULT && e->kind != EVENT_REFUSED) continue;
        memcpy(result.events.at + result.events.len, e, e->bytes);
        result.events.len += e->bytes;
    }
    put_reply(answers, endpoint, twin);
    api_reply(answers->api, &context, endpoint, &result, &answer, &out);
    free(result.events.at);
    (void)snprintf(what, sizeof(what), "reply to a command of kind %u", command->kind);
    return differs(answers, what, answers->body, out.len);
}
