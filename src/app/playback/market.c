/* SPDX-License-Identifier: MIT */
#include "app/playback/market.h"

#include "app/cli/members.h"
#include "base/keccak.h"
#include "crypto/crypto.h"
#include "model/genesis.h"

#include <stdio.h>
#include <stdlib.h>

#define DEPOSIT_BASE  "10000000"
#define DEPOSIT_QUOTE "10000000000"
#define CANCELS_MAX   BATCH_MAX

static bool say(struct venue *venue, const char *what, const struct played *played, const char *more)
{
    (void)snprintf(venue->why, sizeof(venue->why), "%.31s: %s%s", played->market.name.at, what, more);
    return false;
}

/* ---- terms ---- */

bool played_units(const json_t *record, const char *key, int precision, int64_t *units)
{
    struct decimal value;

    return decimal_read(slice_of(text_at(record, key)), &value) == DECIMAL_OK
        && decimal_to_units(value, precision, INT64_MAX / 4, units);
}

/* Spot: the bands of limit orders. Perps: half the maintenance rate of the first tier, which the step of the mark is
 * unless the operator made it smaller (mechanics 3.9). */
static bool read_reach(const json_t *row, struct playback_market *market)
{
    const json_t *tier = json_array_get(json_object_get(row, "marginTiers"), 0);
    int64_t       rate;

    if (market->market == MARKET_PERPS) {
        if (!played_units(tier, "maintenanceMarginRate", 8, &rate)) return false;
        market->reach_up = market->reach_down = min_i64(rate, RATE_ONE) / 2;
        return true;
    }
    if (!played_units(row, "buyLimitUpRatio", 8, &market->reach_up)
        || !played_units(row, "sellLimitDownRatio", 8, &market->reach_down))
        return false;
    market->reach_down = min_i64(market->reach_down, RATE_ONE);
    return true;
}

static bool read_terms(const json_t *row, struct playback_market *market)
{
    int price = (int)number_at(row, "pricePrecision"), quantity = (int)number_at(row, "quantityPrecision");

    if (price < 0 || quantity < 0 || price + quantity > DECIMAL_DIGITS_MAX) return false;
    market->symbol_id = (uint32_t)number_at(row, "id");
    market->price_precision = (uint8_t)price;
    market->quantity_precision = (uint8_t)quantity;
    if (!read_reach(row, market) || !played_units(row, "minPrice", price, &market->min_price)
        || !played_units(row, "maxPrice", price, &market->max_price))
        return false;
    if (market->max_price == 0) market->max_price = PRICE_MAX;
    return played_units(row, "tickSize", price, &market->tick) && played_units(row, "stepSize", quantity, &market->step)
        && played_units(row, "minQuantity", quantity, &market->min_quantity)
        && played_units(row, "maxQuantity", quantity, &market->max_quantity)
        && played_units(row, "minNotional", price + quantity, &market->min_notional)
        && played_units(row, "maxNotional", price + quantity, &market->max_notional) && market->tick > 0
        && market->step > 0;
}

/* Keys that anybody can compute; of no other account. */
static bool make_accounts(struct played *played)
{
    for (uint32_t i = 0; i < PLAYED_ACCOUNTS; i++) {
        struct played_account *account = &played->accounts[i];
        char                   words[96];
        int                    len =
            snprintf(words, sizeof(words), "dojima replay %s %.31s %u", played_base(played), played->market.name.at, i);
        struct hash256 hash = keccak256(words, (size_t)len);

        memcpy(account->secret, hash.bytes, sizeof(account->secret));
        if (!address_of_secret(account->secret, &account->address)) return false;
    }
    return true;
}

/* The symbol on one base. */
static bool find_on(struct venue *venue, uint8_t market, struct slice name, struct played *played)
{
    char    path[160];
    json_t *rows;
    bool    ok;

    (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/symbols", market == MARKET_SPOT ? "spot" : "perps");
    rows = venue_read(venue, path);
    if (rows == NULL) return false;
    ok = true;
    for (size_t i = 0; ok && !played->found && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);

        if (!slice_is(name, text_at(row, "name"))) continue;
        played->found = true;
        played->market.name = name_make(name);
        played->market.market = market;
        (void)snprintf(played->base_coin, sizeof(played->base_coin), "%s", text_at(row, "baseCoin"));
        (void)snprintf(played->quote_coin, sizeof(played->quote_coin), "%s", text_at(row, "quoteCoin"));
        if (!read_terms(row, &played->market) || !make_accounts(played))
            ok = say(venue, "its terms cannot be read", played, "");
        else if (strcmp(text_at(row, "status"), "TRADING") != 0) ok = say(venue, "does not trade", played, "");
        else if (text_at(row, "phase")[0] != '\0')
            ok = say(venue, "is not open to new orders: its phase is ", played, text_at(row, "phase"));
    }
    json_decref(rows);
    return ok;
}

bool played_find(struct venue *venue, struct slice name, struct played *played)
{
    if (name.len <= NAME_MAX_LEN
        && (!find_on(venue, MARKET_SPOT, name, played)
            || (!played->found && !find_on(venue, MARKET_PERPS, name, played))))
        return false;
    if (played->found) return true;
    (void)snprintf(venue->why, sizeof(venue->why),
                   "the exchange has no symbol %.*s; --map %.*s=NAME plays it as another", (int)min_size(name.len, 40),
                   name.at, (int)min_size(name.len, 40), name.at);
    return false;
}

/* ---- accounts ---- */

static void address_text(const struct address *address, char text[43])
{
    struct out out = out_make(text, 42);

    out_literal(&out, "0x");
    out_hex(&out, address->bytes, sizeof(address->bytes));
    text[42] = '\0';
}

/* Money of development; with the same id once only. */
static bool deposit(struct venue *venue, const struct played *played, struct played_account *account, const char *coin,
                    const char *amount)
{
    char    address[43], id[96];
    json_t *params, *result;

    address_text(&account->address, address);
    (void)snprintf(id, sizeof(id), "replay-%.20s-%s", address, coin);
    params = json_pack("[{s:s,s:s,s:s,s:s,s:s}]", "address", address, "coin", coin, "amount", amount, "engine",
                       played_base(played), "id", id);
    result = venue_call(venue, "dojima_deposit", params);
    json_decref(params);
    if (result == NULL) {
        char why[200];

        (void)snprintf(why, sizeof(why), " (%.180s)", venue->why);
        return say(venue, "only a development exchange gives the replay its accounts and money", played, why);
    }
    account->id = (uint64_t)number_at(result, "accountID");
    json_decref(result);
    return account->id != 0 || say(venue, "a deposit without an account", played, "");
}

bool played_fund(struct venue *venue, struct played *played, uint32_t account)
{
    struct played_account *funded = &played->accounts[account];

    assert(account < PLAYED_ACCOUNTS);
    if (funded->id != 0) return true;
    if (played->market.market == MARKET_SPOT && !deposit(venue, played, funded, played->base_coin, DEPOSIT_BASE))
        return false;
    return deposit(venue, played, funded, played->quote_coin, DEPOSIT_QUOTE);
}

static json_t *write_to(struct venue *venue, const struct played *played, uint32_t account, const char *method,
                        const char *path, const char *type, struct slice body)
{
    struct venue_write write = { .method = method,
                                 .path = path,
                                 .type = type,
                                 .body = body,
                                 .domain = played->market.market == MARKET_SPOT ? DOMAIN_SPOT : DOMAIN_FUTURES,
                                 .secret = played->accounts[account].secret };

    return venue_write(venue, &write);
}

/* One batch of cancels; the rows that are not of the symbol stay. */
static bool cancel_rows(struct venue *venue, const struct played *played, uint32_t account, const json_t *orders,
                        size_t from, size_t count)
{
    bool       is_spot = played->market.market == MARKET_SPOT;
    char       text[CANCELS_MAX * 96 + 64];
    struct out body = out_make(text, sizeof(text));
    json_t    *answer;

    out_literal(&body, "{\"accountID\":");
    out_u64(&body, played->accounts[account].id);
    out_literal(&body, ",\"cancels\":[");
    for (size_t i = from; i < from + count; i++) {
        out_text(&body, i == from ? "{\"symbolID\":" : ",{\"symbolID\":");
        out_u64(&body, played->market.symbol_id);
        if (is_spot) out_literal(&body, ",\"clOrdID\":\"\"");
        out_literal(&body, ",\"orderID\":");
        out_u64(&body, (uint64_t)number_at(json_array_get(orders, i), "orderID"));
        out_char(&body, '}');
    }
    out_literal(&body, "]}");
    assert(!body.overflow);
    answer = write_to(venue, played, account, "DELETE",
                      is_spot ? "/api/v1/spot/trade/orders/batch" : "/api/v1/perps/trade/orders",
                      is_spot ? "batchCancelOrder" : "cancelOrder", out_slice(&body));
    json_decref(answer);
    return answer != NULL;
}

/* An account that the exchange does not know yet has no orders. */
static bool clear_account(struct venue *venue, struct played *played, uint32_t account, bool *any)
{
    char    address[43], path[200];
    json_t *data, *orders;
    size_t  count;
    bool    ok = true;

    address_text(&played->accounts[account].address, address);
    (void)snprintf(path, sizeof(path), "/api/v1/%s/accounts/%s/orders?symbol=%.31s", played_base(played), address,
                   played->market.name.at);
    *any = false;
    data = venue_read(venue, path);
    if (data == NULL) return true;
    orders = json_object_get(data, "orders");
    count = json_array_size(orders);
    *any = true;
    if (count != 0) ok = played_fund(venue, played, account);
    for (size_t at = 0; ok && at < count; at += CANCELS_MAX)
        ok = cancel_rows(venue, played, account, orders, at, min_size(CANCELS_MAX, count - at));
    json_decref(data);
    return ok;
}

bool played_clear(struct venue *venue, struct played *played)
{
    bool any = true;

    for (uint32_t i = 0; i < PLAYBACK_MAKERS_MAX && any; i++)
        if (!clear_account(venue, played, i, &any)) return false;
    return true;
}

/* ---- the price at which it begins ---- */

bool played_set_index(struct venue *venue, const struct played *played, struct decimal price)
{
    char       text[48];
    struct out out = out_make(text, sizeof(text) - 1);
    json_t    *params, *result;

    decimal_write(&out, price);
    text[out.len] = '\0';
    params = json_pack("[{s:s,s:s}]", "symbol", played->market.name.at, "price", text);
    result = venue_call(venue, "dojima_setIndexPrice", params);
    json_decref(params);
    json_decref(result);
    return result != NULL;
}

/* The price around which the band lies now. */
static bool read_price(struct venue *venue, const struct played *played, int64_t *price)
{
    bool    is_spot = played->market.market == MARKET_SPOT, ok;
    char    path[160];
    json_t *rows;

    (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/symbols?symbol=%.31s", played_base(played),
                   played->market.name.at);
    rows = venue_read(venue, path);
    if (rows == NULL) return false;
    ok = played_units(json_array_get(rows, 0), is_spot ? "lastTradePrice" : "markPrice", played->market.price_precision,
                      price);
    json_decref(rows);
    return ok || say(venue, "its price cannot be read", played, "");
}

/* One order of the smallest size at `price`. */
static bool place_one(struct venue *venue, const struct played *played, uint32_t account, uint8_t side, uint8_t force,
                      int64_t price)
{
    const struct playback_market *market = &played->market;
    char                          text[512];
    struct out                    body = out_make(text, sizeof(text));
    json_t                       *answer;

    out_literal(&body, "{\"accountID\":");
    out_u64(&body, played->accounts[account].id);
    out_literal(&body, ",\"orders\":[{\"symbolID\":");
    out_u64(&body, market->symbol_id);
    out_literal(&body, ",\"clOrdID\":\"approach\",\"side\":");
    out_u64(&body, side);
    out_literal(&body, ",\"type\":1,\"timeInForce\":");
    out_u64(&body, force);
    out_literal(&body, ",\"price\":\"");
    decimal_write(&body, decimal_make(price, market->price_precision));
    out_literal(&body, "\",\"quantity\":\"");
    decimal_write(&body, decimal_make(playback_order_least(market, price), market->quantity_precision));
    out_literal(&body, "\"}]}");
    assert(!body.overflow);
    answer =
        write_to(venue, played, account, "POST", "/api/v1/spot/trade/orders/batch", "batchNewOrder", out_slice(&body));
    json_decref(answer);
    return answer != NULL;
}

/* Spot: the replay's accounts trade with each other at `price`. */
static bool trade_at(struct venue *venue, struct played *played, int64_t from, int64_t price)
{
    uint8_t  side = price > from ? SIDE_SELL : SIDE_BUY;
    uint32_t taker = PLAYBACK_MAKERS_MAX;

    return played_fund(venue, played, 0) && played_fund(venue, played, taker)
        && place_one(venue, played, 0, side, TIF_GTC, price)
        && place_one(venue, played, taker, side == SIDE_BUY ? SIDE_SELL : SIDE_BUY, TIF_IOC, price);
}

/* Perps: the index by hand, then the mark follows it with the seconds. */
static bool step_clock(struct venue *venue)
{
    json_t *params = json_pack("[i]", 1), *result = venue_call(venue, "evm_increaseTime", params);

    json_decref(params);
    json_decref(result);
    return result != NULL;
}

bool played_can_approach(struct venue *venue, const struct played *played, int64_t price, int64_t *now, bool *can)
{
    if (!read_price(venue, played, now)) return false;
    *can = playback_comes_to(&played->market, *now, price);
    return true;
}

bool played_approach(struct venue *venue, struct played *played, int64_t price)
{
    bool is_spot = played->market.market == MARKET_SPOT;

    assert(price > 0);
    if (!is_spot && !played_set_index(venue, played, decimal_make(price, played->market.price_precision))) return false;
    for (uint32_t step = 0; step < PLAYBACK_STEPS_MAX; step++) {
        int64_t now, next;

        if (!read_price(venue, played, &now)) return false;
        if (playback_is_near(now, price)) return true;
        next = playback_next_step(&played->market, now, price);
        if (next == now) break;
        if (is_spot ? !trade_at(venue, played, now, next) : !step_clock(venue)) return false;
    }
    return say(venue, "its price does not come to the one that the recording begins with", played, "");
}

/* ---- what is there ---- */

bool played_see_trades(struct venue *venue, struct played *played)
{
    char    path[160];
    json_t *rows;

    (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/%.31s/trades?limit=1", played_base(played),
                   played->market.name.at);
    rows = venue_read(venue, path);
    if (rows == NULL) return false;
    played->trade_id = number_at(json_array_get(rows, 0), "t");
    json_decref(rows);
    return true;
}

/* One of [price, size]; 0: it is none. */
static int64_t level_units(const json_t *row, size_t i, int precision)
{
    const char    *text = json_string_value(json_array_get(row, i));
    struct decimal value;
    int64_t        units;

    if (text == NULL || decimal_read(slice_of(text), &value) != DECIMAL_OK) return 0;
    return decimal_to_units(value, precision, INT64_MAX / 4, &units) ? units : 0;
}

bool played_read_book(struct venue *venue, const struct played *played, uint32_t cap,
                      struct playback_level_view levels[2][PLAYBACK_SHOWN * 5], uint32_t counts[2])
{
    const struct playback_market *market = &played->market;
    char                          path[160];
    json_t                       *data;

    assert(cap <= PLAYBACK_SHOWN * 5);
    (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/%.31s/orderbook?limit=%u", played_base(played),
                   market->name.at, cap);
    data = venue_read(venue, path);
    if (data == NULL) return false;
    for (uint32_t side = 0; side < 2; side++) {
        const json_t *rows = json_object_get(data, side == 0 ? "bids" : "asks");

        counts[side] = (uint32_t)min_size(json_array_size(rows), cap);
        for (uint32_t i = 0; i < counts[side]; i++)
            levels[side][i] =
                (struct playback_level_view){ level_units(json_array_get(rows, i), 0, market->price_precision),
                                              level_units(json_array_get(rows, i), 1, market->quantity_precision) };
    }
    json_decref(data);
    return true;
}
