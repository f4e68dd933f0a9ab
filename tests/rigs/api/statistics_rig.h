/* SPDX-License-Identifier: MIT */
/*
 * statistics_rig.h — for tests: tickers and klines through api_handle, over real views and a real history, of trades
 * that the test makes at times of its own.
 */
#ifndef RIGS_API_STATISTICS_RIG_H
#define RIGS_API_STATISTICS_RIG_H

#include "api/inside.h"
#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define MINUTE     INT64_C(60000)
#define DAY        INT64_C(86400000)
#define TRADES_MAX 20000

static struct genesis     genesis;
static struct api_shared  shared;
static struct api        *api;
static struct api_context context = { .ready = true };
static uint8_t            event_bytes[1 << 16];
static struct events      events;
static char               path[96];
static char               body[API_ANSWER_BYTES_MAX + 1];
static struct traded      trades[TRADES_MAX];
static uint32_t           trade_count;
static uint64_t           next_seq, update_id, random_state;
static int64_t            now_ms;

static inline struct symbol make_symbol(uint32_t id, const char *name, uint32_t base, uint32_t price_precision,
                                        uint32_t quantity_precision)
{
    return (struct symbol){ .name = name_make(slice_of(name)),
                            .display_name = name_make(slice_of(name)),
                            .id = id,
                            .base_coin_id = base,
                            .price_precision = price_precision,
                            .quantity_precision = quantity_precision,
                            .market = MARKET_SPOT,
                            .status = SYMBOL_TRADING,
                            .reference_price = 1000000 };
}

static inline void open_history(void)
{
    assert_int_equal(history_open(path, &(struct hash256){ { 1 } }, SLICE("boot"), &shared.history), 0);
}

static inline int begin(void **state)
{
    (void)state;
    assert_true(crypto_init());
    memset(&genesis, 0, sizeof(genesis));
    genesis.chain_ids[0] = 286623;
    genesis.coin_count = 3;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    genesis.spot_count = 2;
    genesis.spot[0] = make_symbol(1, "vBTC_vUSDC", 1, 1, 5);
    genesis.spot[1] = make_symbol(2, "vETH_vUSDC", 2, 2, 4);
    genesis.limits = (struct limits){ .accounts = 10, .orders = 10, .levels = 100 };
    snprintf(path, sizeof(path), "%s/dojima-statistics-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    shared = (struct api_shared){ .genesis = &genesis, .settings = { .development = true }, .version = SLICE("0.1.0") };
    open_history();
    shared.views = views_init(calloc(1, views_size(&genesis)), &genesis);
    api = api_init(calloc(1, api_size(&shared)), &shared);
    events = (struct events){ event_bytes, 0, sizeof(event_bytes) };
    trade_count = 0;
    next_seq = update_id = 1;
    random_state = 88172645463325252u;
    now_ms = INT64_C(1790000040000); /* a whole minute: 2026-09-21 13:34 UTC */
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    history_close(shared.history);
    views_deinit(shared.views);
    free(shared.views);
    free(api);
    return folder_remove(path);
}

/* ---- what happens ---- */

static inline void apply(void)
{
    views_apply(shared.views, &events, NULL);
    history_apply(shared.history, &events);
    history_block(shared.history, &(struct history_block){ 0 }, NULL);
    events.len = 0;
}

static inline void began(void)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    event->seq = next_seq++;
    event->time_ms = now_ms;
}

/* A trade now; value as the engine computes it: price times quantity in units of the quote coin, floor. */
static inline void trade(uint32_t symbol_id, int64_t price, int64_t quantity)
{
    const struct symbol *symbol = &genesis.spot[symbol_id - 1];
    struct traded       *event;

    assert_true(trade_count < TRADES_MAX);
    began();
    event = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
    *event = (struct traded){ .head = event->head,
                              .trade_id = trade_count + 1,
                              .symbol_id = symbol_id,
                              .price = price,
                              .quantity = quantity,
                              .value = (int64_t)notional_floor(price, quantity,
                                                               symbol_notional_power(symbol, &genesis.coins[0])),
                              .time_ms = now_ms };
    trades[trade_count++] = *event;
    apply();
}

static inline void level(uint32_t symbol_id, uint8_t side, int64_t price, int64_t quantity)
{
    struct level_changed *event;

    began();
    event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);
    event->symbol_id = symbol_id;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id++;
    apply();
}

static inline const char *get(const char *target)
{
    char                full[256];
    const char         *mark = strchr(target, '?');
    struct http_request request = {
        .method = HTTP_GET, .minor_version = 1, .keep_alive = true, .method_text = SLICE("GET")
    };
    struct out              out = out_make(body, sizeof(body) - 1);
    static struct api_write write;
    struct http_answer      answer;

    snprintf(full, sizeof(full), "/api/v1/spot/markets/%.*s", mark != NULL ? (int)(mark - target) : (int)strlen(target),
             target);
    request.path = slice_of(full);
    request.query = mark != NULL ? slice_of(mark + 1) : (struct slice){ NULL, 0 };
    context.now_ms = now_ms;
    assert_int_equal(api_handle(api, &context, &request, &write, &answer, &out), API_ANSWER);
    assert_false(out.overflow);
    if (answer.kept.at != NULL) {
        assert_int_equal(out.len, 0);
        out_slice_put(&out, answer.kept);
    }
    assert_true(json_is_valid(out_slice(&out)));
    assert_int_equal(answer.status, 200);
    body[out.len] = '\0';
    return body;
}

/* The whole response to a request, with `data` as given. */
static inline void expect(const char *target, const char *data)
{
    static char text[sizeof(body)];

    snprintf(text, sizeof(text), "{\"code\":0,\"timestamp\":%lld,\"data\":%s}", (long long)now_ms, data);
    get(target);
    if (strcmp(body, text) != 0)
        fail_msg("%s at %lld\ngot  %.3000s\nwant %.3000s", target, (long long)now_ms, body, text);
}

static inline void expect_error(const char *target, int code, const char *error, const char *part)
{
    char text[160];

    get(target);
    snprintf(text, sizeof(text), "{\"code\":%d,\"timestamp\":%lld,\"error\":\"%s", code, (long long)now_ms, error);
    if (strncmp(body, text, strlen(text)) != 0 || strstr(body, part) == NULL) fail_msg("%s: %s", target, body);
}

#endif
