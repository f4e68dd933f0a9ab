/* SPDX-License-Identifier: MIT */
/*
 * test_rig.h — a small exchange for the tests of api/: real views over events made by hand, a history with contents
 * that the test sets, requests from one line, real signatures.
 */
#ifndef RIGS_API_TEST_RIG_H
#define RIGS_API_TEST_RIG_H

#include "api/rest/proof.h"
#include "rigs/api/rig_chain.h"
#include "base/fixed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#define NOW      INT64_C(1760000000000)
#define NOW_TEXT "1760000000000"

/* ---- a history made of arrays ---- */

static struct {
    struct order_changed       orders[4];
    struct filled              fills[4];
    struct perps_order_changed perps_orders[4];
    struct position_changed    positions[4];
    struct funded              fundings[4];
    int                        order_count, fill_count; /* or a negative errno */
    int                        perps_order_count, position_count, funding_count;
    struct history_receipt     receipts[8];
    struct adl_ranked          ranks[4];
    struct index_composed      composition; /* of every receipt; symbol_id 0 = of none */
    int                        receipt_count, rank_count;
    uint64_t                   newest_receipt;
    struct history_query       asked; /* the last query */
    struct tx_location         place;
    uint64_t                   place_seq;
    bool                       full;
} rig_history;

int history_orders(struct history *history, const struct history_query *query, struct order_changed *orders)
{
    (void)history;
    rig_history.asked = *query;
    for (int i = 0; i < rig_history.order_count; i++) orders[i] = rig_history.orders[i];
    return rig_history.order_count;
}

int history_fills(struct history *history, const struct history_query *query, struct filled *fills)
{
    (void)history;
    rig_history.asked = *query;
    for (int i = 0; i < rig_history.fill_count; i++) fills[i] = rig_history.fills[i];
    return rig_history.fill_count;
}

int history_perps_orders(struct history *history, const struct history_query *query, struct perps_order_changed *orders)
{
    (void)history;
    rig_history.asked = *query;
    for (int i = 0; i < rig_history.perps_order_count; i++) orders[i] = rig_history.perps_orders[i];
    return rig_history.perps_order_count;
}

int history_positions(struct history *history, const struct history_query *query, struct position_changed *positions)
{
    (void)history;
    rig_history.asked = *query;
    for (int i = 0; i < rig_history.position_count; i++) positions[i] = rig_history.positions[i];
    return rig_history.position_count;
}

int history_fundings(struct history *history, const struct history_query *query, struct funded *fundings)
{
    (void)history;
    rig_history.asked = *query;
    for (int i = 0; i < rig_history.funding_count; i++) fundings[i] = rig_history.fundings[i];
    return rig_history.funding_count;
}

int history_receipts(struct history *history, const struct history_query *query, struct history_receipt *receipts)
{
    int count = 0;

    (void)history;
    rig_history.asked = *query;
    if (query->limit == 0 || rig_history.receipt_count < 0)
        return rig_history.receipt_count < 0 ? rig_history.receipt_count : 0;
    for (int i = 0; i < rig_history.receipt_count && (uint32_t)count < query->limit; i++) {
        const struct liquidated *is = &rig_history.receipts[i].is;
        if ((query->symbol_id == 0 || is->symbol_id == query->symbol_id)
            && (query->from_id == 0 || is->receipt_id < query->from_id))
            receipts[count++] = rig_history.receipts[i];
    }
    return count;
}

uint64_t history_newest_receipt(const struct history *history)
{
    (void)history;
    return rig_history.newest_receipt;
}

int history_composition(struct history *history, uint64_t receipt_id, struct index_composed *composition)
{
    (void)history, (void)receipt_id;
    if (rig_history.composition.symbol_id == 0) return 0;
    *composition = rig_history.composition;
    return 1;
}

int history_ranking(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t max,
                    struct adl_ranked *ranks)
{
    int count = 0;

    (void)history, (void)receipt_id;
    for (int64_t i = first; i < rig_history.rank_count && (uint32_t)count < max; i++)
        ranks[count++] = rig_history.ranks[i];
    return rig_history.rank_count < 0 ? rig_history.rank_count : count;
}

bool history_transaction(struct history *history, uint64_t seq, struct tx_location *place)
{
    (void)history;
    if (seq != rig_history.place_seq) return false;
    *place = rig_history.place;
    return true;
}

bool history_is_full(const struct history *history)
{
    (void)history;
    return rig_history.full;
}

/* There are no trades; statistics_test.c has a history of its own. */
uint64_t history_bars_version(const struct history *history, uint8_t market, uint32_t symbol_id)
{
    (void)history, (void)market, (void)symbol_id;
    return 0;
}

bool history_first_trade(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t *minute_ms)
{
    (void)history, (void)market, (void)symbol_id, (void)minute_ms;
    return false;
}

int history_bars(struct history *history, const struct history_bars_query *query, struct bar bars[HISTORY_BARS_MAX],
                 struct bar *before)
{
    (void)history, (void)query, (void)bars, (void)before;
    return 0;
}

bool history_window(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t now_ms,
                    struct bar *window)
{
    (void)history, (void)market, (void)symbol_id;
    *window = (struct bar){ .start_ms = now_ms - now_ms % MINUTE_MS - 1440 * MINUTE_MS };
    return false;
}

/* ---- the exchange ---- */

static struct genesis     rig_genesis;
static struct api_shared  rig_shared;
static struct api        *rig_api;
static struct api_context rig_context;
static uint8_t            rig_event_bytes[1 << 16];
static struct events      rig_events;
static uint8_t            rig_secret[3][32]; /* owners of accounts 1001, 1002, and of none */
static struct address     rig_owner[3];

static inline void rig_symbol(struct symbol *symbol, uint32_t id, const char *name, const char *display, uint32_t base,
                              uint32_t price_precision, uint32_t quantity_precision, int64_t reference)
{
    *symbol = (struct symbol){
        .name = name_make(slice_of(name)),
        .display_name = name_make(slice_of(display)),
        .id = id,
        .base_coin_id = base,
        .price_precision = price_precision,
        .quantity_precision = quantity_precision,
        .market = MARKET_SPOT,
        .status = SYMBOL_TRADING,
        .tick_size = 1,
        .step_size = 1,
        .min_quantity = 1,
        .market_min_quantity = 1,
        .max_quantity = 1000 * pow10_i64((int)quantity_precision),
        .market_max_quantity = 100 * pow10_i64((int)quantity_precision),
        .min_notional = 5000000,
        .max_notional = INT64_C(10000000000000),
        .buy_limit_up_ratio = 5000000,
        .sell_limit_down_ratio = 5000000,
        .market_deviation_ratio = 1000000,
        .maker_fee = 35000,
        .taker_fee = 65000,
        .reference_price = reference,
    };
}

static inline void rig_make_genesis(void)
{
    struct genesis *g = &rig_genesis;

    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->chain_ids[1] = 138565;
    g->time_ms = NOW - 1000;
    g->development = g->prices_by_hand = 1;
    g->coin_count = 3;
    g->coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    g->coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    g->coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    g->spot_count = 2;
    rig_symbol(&g->spot[0], 1, "vBTC_vUSDC", "BTC/USDC", 1, 1, 5, 1000000);
    rig_symbol(&g->spot[1], 2, "vETH_vUSDC", "ETH/USDC", 2, 2, 4, 400000);
    g->perps_count = 2;
    rig_symbol(&g->perps[0], 1, "BTC-USD", "BTC-USD", 1, 1, 5, 1000000);
    rig_symbol(&g->perps[1], 2, "ETH-USD", "ETH-USD", 2, 2, 4, 400000);
    for (uint32_t i = 0; i < 2; i++) {
        g->perps[i].market = MARKET_PERPS;
        g->perps[i].maker_fee = 12000;
        g->perps[i].taker_fee = 40000;
    }
    /* clang-format off */
    g->contracts[0] = (struct contract){ .tier_count = 3, .init_leverage = 10, .interest_rate = 10000,
        .open_interest_cap_value = 500000000000000, .tiers = {
        { .max_notional = 4000000000000, .max_leverage = 25 }, { .max_notional = 10000000000000, .max_leverage = 20 },
        { .max_notional = 50000000000000, .max_leverage = 10 } } };
    g->contracts[1] = (struct contract){ .tier_count = 2, .init_leverage = 10, .interest_rate = 10000, .tiers = {
        { .max_notional = 4000000000000, .max_leverage = 20 },
          { .max_notional = 20000000000000, .max_leverage = 10 } } };
    g->limits = (struct limits){ .accounts = 100, .orders = 1000, .levels = 30000, .positions = 100 };
    g->perps_fees = (struct fee_table){ .tier_count = 1, .staking_count = 1, .rebate_count = 1,
        .tiers = { { 0, 12000, 40000 } } };
    g->spot_fees = (struct fee_table){
        .tier_count = 5, .staking_count = 4, .rebate_count = 3,
        .tiers = { { 0, 35000, 65000 }, { 5, 30000, 60000 }, { 25, 25000, 50000 }, { 100, 15000, 40000 },
            { 500, 10000, 30000 } },
        .staking_discount = { 0, 5000000, 10000000, 20000000 }, .rebate_rate = { 0, -2000, -4000 },
    };
    /* clang-format on */
    g->account_count = 1;
    g->accounts[0].owner = rig_owner[0];
}

static inline void rig_apply(void)
{
    views_apply(rig_shared.views, &rig_events, NULL);
    rig_events.len = 0;
}

static inline void rig_account(uint64_t id, uint64_t user, const struct address *owner)
{
    struct account_opened *event = EVENT_ADD(&rig_events, ACCOUNT, account_opened, 0);

    event->account_id = id;
    event->user_id = user;
    event->owner = *owner;
    event->is_primary = 1;
    rig_apply();
}

static inline void rig_balance(uint64_t account, uint32_t coin, int64_t total, int64_t locked)
{
    struct balance *event = EVENT_ADD(&rig_events, BALANCE, balance, MARKET_SPOT);

    event->account_id = account;
    event->coin_id = coin;
    event->total = total;
    event->locked = locked;
    rig_apply();
}

static inline void rig_level(uint32_t symbol, uint8_t side, int64_t price, int64_t quantity, uint64_t update_id)
{
    struct level_changed *event = EVENT_ADD(&rig_events, LEVEL, level_changed, MARKET_SPOT);

    event->symbol_id = symbol;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id;
    rig_apply();
}

/* An order as the engine would emit it; the caller changes members. */
static inline struct order_changed rig_order(uint64_t id, uint8_t status)
{
    return (struct order_changed){
        .head = { .kind = EVENT_ORDER, .bytes = sizeof(struct order_changed), .market = MARKET_SPOT },
        .order_id = id,
        .account_id = 1001,
        .symbol_id = 1,
        .side = SIDE_BUY,
        .type = TYPE_LIMIT,
        .time_in_force = TIF_GTC,
        .status = status,
        .client_id = client_id_make(SLICE("my-1")),
        .price = 950000,
        .quantity = 1000,
        .frozen = INT64_C(950000000),
        .created_ms = NOW - 500,
        .updated_ms = NOW - 400,
    };
}

static inline void rig_emit_order(const struct order_changed *order)
{
    memcpy(EVENT_ADD(&rig_events, ORDER, order_changed, MARKET_SPOT), order, sizeof(*order));
    rig_apply();
}

static inline void rig_emit_fee_tier(uint64_t user, uint8_t tier, uint8_t staking, uint8_t rebate)
{
    struct fee_tier *event = EVENT_ADD(&rig_events, FEE_TIER, fee_tier, MARKET_SPOT);

    event->user_id = user;
    event->tier = tier;
    event->staking = staking;
    event->rebate = rebate;
    rig_apply();
}

static int rig_begin(void **state)
{
    (void)state;
    assert_true(crypto_init());
    for (uint8_t i = 0; i < 3; i++) {
        memset(rig_secret[i], 0x11 + i, 32);
        assert_true(address_of_secret(rig_secret[i], &rig_owner[i]));
    }
    memset(&rig_history, 0, sizeof(rig_history));
    memset(&rig_chain, 0, sizeof(rig_chain));
    rig_make_genesis();
    rig_shared = (struct api_shared){ .genesis = &rig_genesis,
                                      .settings = { .development = true },
                                      .version = SLICE("0.1.0"),
                                      .log = &rig_log,
                                      .block0 = &rig_chain.block0 };
    rig_shared.views = views_init(calloc(1, views_size(&rig_genesis)), &rig_genesis);
    rig_api = api_init(calloc(1, api_size(&rig_shared)), &rig_shared);
    rig_context = (struct api_context){ .now_ms = NOW, .ready = true };
    rig_events = (struct events){ rig_event_bytes, 0, sizeof(rig_event_bytes) };
    rig_account(1001, 11, &rig_owner[0]);
    rig_account(1002, 12, &rig_owner[1]);
    return 0;
}

MAYBE_UNUSED static int rig_end(void **state)
{
    (void)state;
    views_deinit(rig_shared.views);
    free(rig_shared.views);
    free(rig_api);
    return 0;
}

/* ---- requests ---- */

static char               rig_body[API_ANSWER_BYTES_MAX];
static struct http_answer rig_answer;
static struct api_write   rig_write;
static char               rig_owner_text[3][43];

static inline void rig_put_header(struct http_request *request, enum http_header header, const char *value)
{
    request->header[header] = value != NULL ? slice_of(value) : (struct slice){ NULL, 0 };
}

/* "GET /path?query" without headers and body. */
static inline struct http_request rig_request(uint8_t method, const char *target)
{
    const char         *mark = strchr(target, '?');
    struct http_request request = {
        .method = method,
        .minor_version = 1,
        .keep_alive = true,
        .method_text = SLICE("METHOD"),
        .path = slice_make(target, mark != NULL ? (size_t)(mark - target) : strlen(target)),
        .query = mark != NULL ? slice_of(mark + 1) : (struct slice){ NULL, 0 },
    };
    return request;
}

static inline enum api_outcome rig_handled(enum api_outcome outcome, struct out *out)
{
    if (outcome == API_ANSWER && rig_answer.kept.at != NULL) {
        assert_int_equal(out->len, 0);
        out_slice_put(out, rig_answer.kept);
    }
    assert_false(out->overflow);
    assert_true(out->len == 0 || rig_answer.content_type != NULL || json_is_valid(out_slice(out)));
    rig_body[out->len] = '\0';
    return outcome;
}

/* Every other signed request waits for its signer, in the company of
   one that is its like; not where recoveries are counted. */
static bool rig_waits = true;

static inline enum api_outcome rig_handle(const struct http_request *request)
{
    struct out                      out = out_make(rig_body, sizeof(rig_body) - 1);
    static struct pending_signature pending[2];
    static uint32_t                 turn;
    enum api_outcome                outcome;

    if (!rig_waits || turn++ % 2 == 0)
        return rig_handled(api_handle(rig_api, &rig_context, request, &rig_write, &rig_answer, &out), &out);
    outcome = api_begin(rig_api, &rig_context, request, &rig_write, &rig_answer, &out, &pending[0]);
    if (outcome == API_AWAITS_SIGNATURE) {
        pending[1] = pending[0];
        api_recover((struct pending_signature *[]){ &pending[0], &pending[1] }, 2);
        outcome = api_signature_done(&pending[0]);
    }
    return rig_handled(outcome, &out);
}

/* The body of a GET's response; "%1" to "%3" in the target stand for the addresses of the owners. */
static inline const char *rig_get(const char *target)
{
    static char         text[4096];
    struct out          out = out_make(text, sizeof(text) - 1);
    struct http_request request;

    for (const char *at = target; *at != '\0'; at++) {
        if (at[0] == '%' && at[1] >= '1' && at[1] <= '3' && (at[2] == '/' || at[2] == '\0')) {
            out_literal(&out, "0x");
            out_hex(&out, rig_owner[at[1] - '1'].bytes, 20);
            at++;
        } else {
            out_char(&out, *at);
        }
    }
    text[out.len] = '\0';
    request = rig_request(HTTP_GET, text);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    return rig_body;
}

static inline const char *rig_owner_hex(int i)
{
    struct out out = out_make(rig_owner_text[i], 42);

    out_literal(&out, "0x");
    out_hex(&out, rig_owner[i].bytes, 20);
    rig_owner_text[i][42] = '\0';
    return rig_owner_text[i];
}

/* The value of "code" of the last answer. */
static inline int rig_code(void)
{
    assert_memory_equal(rig_body, "{\"code\":", 8);
    return atoi(rig_body + 8);
}

static inline void rig_expect(const char *part)
{
    if (strstr(rig_body, part) == NULL) fail_msg("%s\nis not in\n%s", part, rig_body);
}

static inline void rig_expect_not(const char *part)
{
    if (strstr(rig_body, part) != NULL) fail_msg("%s\nis in\n%s", part, rig_body);
}

/* Another spelling of the last request has the same answer. */
static inline void rig_expect_same(const char *target)
{
    char *before = strdup(rig_body);

    assert_string_equal(rig_get(target), before);
    free(before);
}

#define OK_BODY(data) "{\"code\":0,\"timestamp\":" NOW_TEXT ",\"data\":" data "}"
#define TEST(name)    cmocka_unit_test_setup_teardown(name, rig_begin, rig_end)

#endif
