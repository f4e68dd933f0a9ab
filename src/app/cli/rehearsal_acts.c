/* SPDX-License-Identifier: MIT */
/* rehearsal_acts.c — what a step of a scenario does. */
#include "app/cli/rehearsal.h"

#include "app/cli/members.h"
#include "app/dev_accounts.h"
#include "base/hex.h"
#include "crypto/crypto.h"
#include "model/decimal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_ACCOUNT 1001

__attribute__((format(printf, 2, 3))) static bool fail(struct rehearsal *rehearsal, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(rehearsal->why, sizeof(rehearsal->why), format, arguments);
    va_end(arguments);
    return false;
}

bool rehearsal_address(uint64_t account, char text[43])
{
    struct address address;
    struct out     out = out_make(text, 42);

    if (account < FIRST_ACCOUNT || account >= FIRST_ACCOUNT + DEV_ACCOUNTS) return false;
    if (!address_of_secret(dev_secrets[account - FIRST_ACCOUNT], &address)) return false;
    out_literal(&out, "0x");
    out_hex(&out, address.bytes, sizeof(address.bytes));
    text[42] = '\0';
    return true;
}

/* ---- calls ---- */

/* A method whose result does not matter. `params` is taken. */
static bool call(struct rehearsal *rehearsal, const char *method, json_t *params)
{
    json_t *result = venue_call(&rehearsal->venue, method, params);
    bool    ok = result != NULL;

    json_decref(params);
    json_decref(result);
    return ok || fail(rehearsal, "%s", rehearsal->venue.why);
}

/* ---- index prices ---- */

/* The index price of a symbol in units of `precision`; 0 = it has none. */
static bool read_index(struct rehearsal *rehearsal, const char *symbol, int precision, int64_t *units)
{
    struct decimal price;
    char           path[160];
    json_t        *rows;
    bool           ok;

    (void)snprintf(path, sizeof(path), "/api/v1/perps/markets/mark-prices?symbol=%.60s", symbol);
    rows = venue_read(&rehearsal->venue, path);
    if (rows == NULL) return fail(rehearsal, "%s", rehearsal->venue.why);
    ok = decimal_read(slice_of(text_at(json_array_get(rows, 0), "indexPrice")), &price) == DECIMAL_OK
      && decimal_to_units(price, precision, INT64_MAX / 200, units);
    json_decref(rows);
    return ok || fail(rehearsal, "%.60s has no index price", symbol);
}

/* "-12%" of a price, or a price: in units of `precision`. */
static bool read_target(const char *text, int64_t from, int precision, int64_t *to)
{
    size_t         len = strlen(text);
    bool           is_share = len > 0 && text[len - 1] == '%', plus = len > 0 && text[0] == '+';
    struct decimal value;
    int128_t       scaled;

    if (decimal_read(slice_make(text + plus, len - plus - is_share), &value) != DECIMAL_OK) return false;
    scaled = value.digits;
    if (is_share) {
        scaled = scaled * from / 100;
        for (uint32_t i = 0; i < value.scale; i++) scaled /= 10; /* toward zero */
        scaled += from;
    } else {
        for (int i = (int)value.scale; i < precision; i++) scaled *= 10;
        for (int i = precision; i < (int)value.scale; i++) scaled /= 10;
    }
    *to = (int64_t)scaled;
    return scaled > 0 && scaled < INT64_MAX / 4;
}

static int precision_of(struct rehearsal *rehearsal, const char *symbol)
{
    char    path[160];
    json_t *rows;
    int     precision;

    (void)snprintf(path, sizeof(path), "/api/v1/perps/markets/symbols?symbol=%.60s", symbol);
    rows = venue_read(&rehearsal->venue, path);
    precision = json_array_size(rows) != 0 ? (int)number_at(json_array_get(rows, 0), "pricePrecision") : -1;
    json_decref(rows);
    return precision;
}

static bool do_index(struct rehearsal *rehearsal, const json_t *keys)
{
    const char        *symbol = text_at(keys, "symbol");
    struct index_move *move = NULL;
    int64_t            over_ms = 0;

    for (uint32_t i = 0; i < rehearsal->move_count; i++)
        if (strcmp(rehearsal->moves[i].symbol, symbol) == 0) move = &rehearsal->moves[i];
    if (move == NULL && rehearsal->move_count == INDEX_MOVES_MAX) return fail(rehearsal, "too many index prices move");
    if (move == NULL) move = &rehearsal->moves[rehearsal->move_count++];
    (void)snprintf(move->symbol, sizeof(move->symbol), "%s", symbol);
    move->precision = precision_of(rehearsal, symbol);
    if (move->precision < 0 || move->precision > 15) return fail(rehearsal, "%.60s is no symbol of perps", symbol);
    if (!read_index(rehearsal, symbol, move->precision, &move->from)) return false;
    if (!read_target(text_at(keys, "to"), move->from, move->precision, &move->to))
        return fail(rehearsal, "to: %.40s is neither a price nor a change as \"-12%%\" of the one that there is",
                    text_at(keys, "to"));
    if (move->from == 0) move->from = move->to;
    if (json_object_get(keys, "over") != NULL && !timeline_ms(text_at(keys, "over"), &over_ms)) assert(false);
    move->began_ms = rehearsal->now_ms;
    move->end_ms = rehearsal->now_ms + over_ms;
    move->is_over = false;
    return true;
}

/* The price of a move at this time, on its straight line, rounded toward zero. */
static int64_t price_at(const struct index_move *move, int64_t now_ms)
{
    int128_t way = move->to - move->from, took = min_i64(now_ms, move->end_ms) - move->began_ms;
    int64_t  whole = move->end_ms - move->began_ms;

    return whole == 0 ? move->to : move->from + (int64_t)(way * took / whole);
}

bool rehearsal_move_indexes(struct rehearsal *rehearsal)
{
    for (uint32_t i = 0; i < rehearsal->move_count; i++) {
        struct index_move *move = &rehearsal->moves[i];
        char               text[40];
        struct out         out = out_make(text, sizeof(text) - 1);

        if (move->is_over) continue;
        decimal_write(&out, decimal_make(price_at(move, rehearsal->now_ms), move->precision));
        text[out.len] = '\0';
        move->is_over = rehearsal->now_ms >= move->end_ms;
        if (!call(rehearsal, "dojima_setIndexPrice", json_pack("[{s:s,s:s}]", "symbol", move->symbol, "price", text)))
            return false;
    }
    return true;
}

/* ---- orders ---- */

/* The number of a symbol, and its base: 0 = there is none. */
static long long symbol_id(struct rehearsal *rehearsal, const char *symbol, bool *is_perps)
{
    static const char *const bases[] = { "spot", "perps" };

    for (int base = 0; base < 2; base++) {
        char      path[160];
        json_t   *rows;
        long long id;

        (void)snprintf(path, sizeof(path), "/api/v1/%s/markets/symbols?symbol=%.60s", bases[base], symbol);
        rows = venue_read(&rehearsal->venue, path);
        id = number_at(json_array_get(rows, 0), "id");
        json_decref(rows);
        *is_perps = base == 1;
        if (id != 0) return id;
    }
    return 0;
}

static const uint8_t *secret_of(const json_t *keys)
{
    long long account = number_at(keys, "account");

    return account >= FIRST_ACCOUNT && account < FIRST_ACCOUNT + DEV_ACCOUNTS ? dev_secrets[account - FIRST_ACCOUNT]
                                                                              : NULL;
}

/* The code of the only item, or of the whole. */
static long long code_of(const json_t *answer)
{
    long long     code = number_at(answer, "code");
    const json_t *item = json_array_get(json_object_get(answer, "data"), 0);

    return code != 0 || item == NULL ? code : number_at(item, "code");
}

/* A signed write; its answer must have the code that the step names, or none. */
static bool write_signed(struct rehearsal *rehearsal, const json_t *keys, const struct venue_write *write)
{
    json_t   *answer = venue_write(&rehearsal->venue, write);
    long long code, wanted = number_at(keys, "refused");

    if (answer == NULL) return fail(rehearsal, "%s", rehearsal->venue.why);
    code = code_of(answer);
    if (code != wanted) {
        char *text = json_dumps(answer, JSON_COMPACT);

        (void)fail(rehearsal, "code %lld instead of %lld: %.200s", code, wanted, text != NULL ? text : "");
        free(text);
    }
    json_decref(answer);
    return code == wanted;
}

/* One order's members in the order of the interface (wire 4). */
static void write_order(struct rehearsal *rehearsal, const json_t *keys, bool is_perps, long long id, struct out *out)
{
    const char *price = text_at(keys, "price");
    bool        is_limit = price[0] != '\0', buys = strcmp(text_at(keys, "side"), "buy") == 0;

    out_literal(out, "{");
    if (!is_perps) {
        out_literal(out, "\"symbolID\":");
        out_i64(out, id);
        out_literal(out, ",");
    }
    out_literal(out, "\"clOrdID\":\"s");
    out_u64(out, rehearsal->run);
    out_char(out, '-');
    out_u64(out, ++rehearsal->orders);
    out_text(out, is_perps ? "\",\"modifier\":1,\"side\":" : "\",\"side\":");
    out_text(out, buys ? "1" : "2");
    out_text(out, is_limit ? ",\"type\":1,\"timeInForce\":1,\"price\":\"" : ",\"type\":2,\"timeInForce\":3");
    if (is_limit) {
        out_text(out, price);
        out_char(out, '"');
    }
    out_literal(out, ",\"quantity\":\"");
    out_text(out, text_at(keys, "quantity"));
    out_char(out, '"');
    if (is_perps) {
        out_text(out,
                 json_is_true(json_object_get(keys, "reduceOnly")) ? ",\"reduceOnly\":true" : ",\"reduceOnly\":false");
        out_literal(out, ",\"positionSide\":1");
    }
    out_char(out, '}');
}

static bool do_order(struct rehearsal *rehearsal, const json_t *keys)
{
    const char        *side = text_at(keys, "side");
    bool               is_perps;
    long long          id = symbol_id(rehearsal, text_at(keys, "symbol"), &is_perps);
    char               text[512];
    struct out         body = out_make(text, sizeof(text));
    struct venue_write write = { .method = "POST", .secret = secret_of(keys) };

    if (id == 0) return fail(rehearsal, "symbol: %.60s is not listed", text_at(keys, "symbol"));
    if (write.secret == NULL) return fail(rehearsal, "account: only 1001 to 1010");
    if (strcmp(side, "buy") != 0 && strcmp(side, "sell") != 0) return fail(rehearsal, "side: buy or sell");
    out_literal(&body, "{\"accountID\":");
    out_i64(&body, number_at(keys, "account"));
    if (is_perps) {
        out_literal(&body, ",\"symbolID\":");
        out_i64(&body, id);
    }
    out_literal(&body, ",\"orders\":[");
    write_order(rehearsal, keys, is_perps, id, &body);
    out_literal(&body, "]}");
    if (body.overflow) return fail(rehearsal, "price, quantity: too long");
    write.path = is_perps ? "/api/v1/perps/trade/orders" : "/api/v1/spot/trade/orders/batch";
    write.type = is_perps ? "newOrder" : "batchNewOrder";
    write.domain = is_perps ? DOMAIN_FUTURES : DOMAIN_SPOT;
    write.body = out_slice(&body);
    return write_signed(rehearsal, keys, &write);
}

static bool do_leverage(struct rehearsal *rehearsal, const json_t *keys)
{
    bool               is_perps, is_isolated = strcmp(text_at(keys, "mode"), "isolated") == 0;
    long long          id = symbol_id(rehearsal, text_at(keys, "symbol"), &is_perps);
    char               text[200];
    struct out         body = out_make(text, sizeof(text));
    struct venue_write write = { .method = "POST",
                                 .path = "/api/v1/perps/trade/leverage",
                                 .type = "updateLeverage",
                                 .domain = DOMAIN_FUTURES,
                                 .secret = secret_of(keys) };

    if (id == 0 || !is_perps) return fail(rehearsal, "symbol: %.60s is no symbol of perps", text_at(keys, "symbol"));
    if (write.secret == NULL) return fail(rehearsal, "account: only 1001 to 1010");
    if (!is_isolated && json_object_get(keys, "mode") != NULL && strcmp(text_at(keys, "mode"), "cross") != 0)
        return fail(rehearsal, "mode: cross or isolated");
    out_literal(&body, "{\"accountID\":");
    out_i64(&body, number_at(keys, "account"));
    out_literal(&body, ",\"symbolID\":");
    out_i64(&body, id);
    out_literal(&body, ",\"leverage\":");
    out_i64(&body, number_at(keys, "leverage"));
    out_text(&body, is_isolated ? ",\"marginMode\":1}" : ",\"marginMode\":2}");
    assert(!body.overflow);
    write.body = out_slice(&body);
    return write_signed(rehearsal, keys, &write);
}

/* ---- which ---- */

static json_t *list_of_one(const json_t *object) { return json_pack("[O]", object); }

static bool do_halt(struct rehearsal *rehearsal, const json_t *keys)
{
    const char *method = json_is_false(json_object_get(keys, "halted")) ? "dojima_resume" : "dojima_halt";

    return call(rehearsal, method, json_pack("[{s:s}]", "symbol", text_at(keys, "symbol")));
}

/* A copy in which each text "{+25h}" is the engine time 25 h after the scenario's beginning, in Unix ms. */
static json_t *with_times(const struct rehearsal *rehearsal, const json_t *json)
{
    json_t     *copy = json_is_object(json) ? json_object() : json_is_array(json) ? json_array() : NULL;
    const char *text = json_string_value(json), *name;
    char        time[24];
    json_t     *value;
    int64_t     ms;
    size_t      i;

    if (json_is_object(json)) {
        json_object_foreach((json_t *)json, name, value)
            (void)json_object_set_new(copy, name, with_times(rehearsal, value));
        return copy;
    }
    if (json_is_array(json)) {
        json_array_foreach((json_t *)json, i, value) (void)json_array_append_new(copy, with_times(rehearsal, value));
        return copy;
    }
    if (text != NULL && sscanf(text, "{+%20[0-9a-z]}", time) == 1 && timeline_ms(time, &ms))
        return json_integer(rehearsal->began_ms + ms);
    return json_incref((json_t *)json);
}

static bool do_call(struct rehearsal *rehearsal, const json_t *keys)
{
    const json_t *params = json_object_get(keys, "params");

    return call(rehearsal, text_at(keys, "method"), params != NULL ? with_times(rehearsal, params) : NULL);
}

static bool do_storm(struct rehearsal *rehearsal, const json_t *keys)
{
    bool is_perps;

    if (symbol_id(rehearsal, text_at(keys, "symbol"), &is_perps) == 0)
        return fail(rehearsal, "symbol: %.60s is not listed", text_at(keys, "symbol"));
    return rehearsal_storm(rehearsal, keys, is_perps);
}

static bool do_restart(struct rehearsal *rehearsal)
{
    if (!rehearsal->is_own) return fail(rehearsal, "the exchange at this URL was not started by the scenario");
    return rehearsal_restart(rehearsal);
}

bool rehearsal_act(struct rehearsal *rehearsal, const struct step *step)
{
    const json_t *keys = step->keys;

    switch (step->row->number) {
    case DO_INDEX: return do_index(rehearsal, keys);
    case DO_MARKET: return call(rehearsal, "dojima_setTraders", list_of_one(json_object_get(keys, "set")));
    case DO_ORDER: return do_order(rehearsal, keys);
    case DO_LEVERAGE: return do_leverage(rehearsal, keys);
    case DO_HALT: return do_halt(rehearsal, keys);
    case DO_CHAOS: return call(rehearsal, "dojima_chaosAdd", list_of_one(json_object_get(keys, "rule")));
    case DO_CALL: return do_call(rehearsal, keys);
    case DO_RESTART: return do_restart(rehearsal);
    case DO_STORM: return do_storm(rehearsal, keys);
    default: assert(false); return false;
    }
}
