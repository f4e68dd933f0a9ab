/* SPDX-License-Identifier: MIT */
/*
 * exchange.c — the system under test: views with a few users, and in front of them the api of an exchange in
 * development and of two in production.
 */
#include <stdlib.h>

#include "exchange.h"

struct exchange exchange;

/* Sets whether the history's memory has room for more. */
bool __wrap_history_is_full(const struct history *history);
bool __wrap_history_is_full(const struct history *history)
{
    (void)history;
    return exchange.full;
}

static void a_symbol(struct symbol *symbol, uint32_t id, uint8_t market, const char *name)
{
    *symbol = (struct symbol){
        .name = name_make(slice_of(name)),
        .display_name = name_make(slice_of(name)),
        .id = id,
        .base_coin_id = id,
        .price_precision = id,
        .quantity_precision = 5,
        .market = market,
        .status = SYMBOL_TRADING,
        .tick_size = 1,
        .step_size = 1,
        .min_quantity = 1,
        .market_min_quantity = 1,
        .reference_price = 1000000,
    };
}

static void make_genesis(struct genesis *g, const struct shop_row *row)
{
    static const char *const coins[] = { "vUSDC", "vBTC", "vETH" };

    *g = (struct genesis){
        .time_ms = INT64_C(1759999999000),
        .development = row->development,
        .coin_count = 3,
        .spot_count = 2,
        .perps_count = 2,
        .feeder_count = 1,
    };
    for (uint32_t i = 0; i < 3; i++) g->coins[i] = (struct coin){ name_make(slice_of(coins[i])), i, i == 0 ? 6 : 8 };
    a_symbol(&g->spot[0], 1, MARKET_SPOT, "vBTC_vUSDC");
    a_symbol(&g->spot[1], 2, MARKET_SPOT, "vETH_vUSDC");
    a_symbol(&g->perps[0], 1, MARKET_PERPS, "BTC-USD");
    a_symbol(&g->perps[1], 2, MARKET_PERPS, "ETH-USD");
    for (int i = 0; i < 2; i++) {
        g->contracts[i] = (struct contract){ .tier_count = 1, .init_leverage = 10, .interest_rate = 10000 };
        g->contracts[i].tiers[0] = (struct margin_tier){ .max_notional = 4000000000000, .max_leverage = 20 };
    }
    for (uint32_t i = 0; i < row->chain_count; i++) g->chain_ids[i] = row->chains[i];
    if (!row->development && !row->public_ids) g->chain_ids[row->chain_count] = 286623;
    g->limits = (struct limits){ .accounts = 20, .orders = 100, .levels = 100, .positions = 20 };
    g->spot_fees =
        (struct fee_table){ .tier_count = 1, .staking_count = 1, .rebate_count = 1, .tiers = { { 0, 12000, 40000 } } };
    g->perps_fees = g->spot_fees;
    g->rules.strict_position_side = row->strict_sides;
    g->feeders[0] = (struct feeder){ people[FEEDER].address, 1 };
}

static void tell_people(struct views *views)
{
    static uint8_t room[1 << 14];
    struct events  events = { room, 0, sizeof(room) };

    for (uint32_t i = 0; i < account_row_count; i++) {
        struct account_opened *event = EVENT_ADD(&events, ACCOUNT, account_opened, 0);
        event->account_id = account_rows[i].id;
        event->user_id = account_rows[i].user;
        event->owner = people[account_rows[i].who].address;
        event->is_primary = account_rows[i].primary;
    }
    for (uint32_t i = 0; i < key_row_count; i++)
        for (uint8_t revoked = 0; revoked <= key_rows[i].revoked; revoked++) {
            struct key_changed *event = EVENT_ADD(&events, KEY, key_changed, 0);
            event->account_id = key_rows[i].account;
            event->user_id = key_rows[i].user;
            event->name = client_id_make(slice_of(key_rows[i].name));
            event->key_type = KEY_EVM;
            event->key_id = i + 1;
            event->public_key = people[key_rows[i].who].address;
            event->expires_ms = key_rows[i].who == KEY_LATE ? 1 : 0;
            event->permissions = key_rows[i].who == KEY_B ? 15 : 0;
            event->revoked = revoked;
        }
    views_apply(views, &events, NULL);
}

void exchange_open(void)
{
    if (exchange.views != NULL) return;
    if (!crypto_init()) abort();
    people_come();
    assert(shop_count == ARRAY_COUNT(exchange.shops));
    for (uint32_t i = 0; i < shop_count; i++) make_genesis(&exchange.shops[i].genesis, &shop_rows[i]);
    exchange.views_bytes = views_size(&exchange.shops[0].genesis);
    exchange.views = views_init(calloc(1, exchange.views_bytes), &exchange.shops[0].genesis);
    tell_people(exchange.views);
    exchange.views_as_they_were = malloc(exchange.views_bytes);
    memcpy(exchange.views_as_they_were, exchange.views, exchange.views_bytes);
    exchange.seqs[0] = FEEDERS_LAST_SEQ;
    exchange.parser = calloc(1, http_parser_size());
    http_parser_init(exchange.parser);
    for (uint32_t i = 0; i < shop_count; i++) {
        struct shop *shop = &exchange.shops[i];
        shop->shared = (struct api_shared){
            .genesis = &shop->genesis,
            .views = exchange.views,
            .version = SLICE("1"),
            .oracle_seqs = exchange.seqs,
            .settings = { .development = shop_rows[i].development, .allow_public_chain_ids = shop_rows[i].public_ids },
        };
        shop->api = api_init(calloc(1, api_size(&shop->shared)), &shop->shared);
    }
}

/* ---- limits ---- */

void exchange_limit(const struct sent *asked, struct api_context *context)
{
    static struct limiter         limiter;
    static void                  *memory;
    const struct limiter_settings settings = { .weight_per_minute = asked->limit, .addresses = 16 };
    struct shop                  *shop = &exchange.shops[asked->shop];
    struct http_request           other = {
                  .method = HTTP_GET, .minor_version = 1, .method_text = SLICE("GET"), .path = SLICE("/nowhere")
    };
    struct api_context before = *context;

    shop->shared.limiter = NULL;
    context->second = 1000;
    if (asked->limit == 0) return;
    if (memory != NULL) limiter_deinit(&limiter);
    free(memory);
    memory = aligned_alloc(64, align_up(limiter_size(&settings), 64));
    memset(memory, 0, limiter_size(&settings));
    limiter_init(&limiter, memory, &settings, (const uint64_t[2]){ 1, asked->seed });
    shop->shared.limiter = &limiter;
    for (uint32_t i = 0; i < asked->prior_count; i++) {
        static char        room[4096];
        struct http_answer answer;
        struct api_write   write;
        struct out         out = out_make(room, sizeof(room));

        before.second = context->second - asked->prior_ago[i];
        (void)api_handle(shop->api, &before, &other, &write, &answer, &out);
    }
}

/* ---- a request as bytes ---- */

static void put_header(struct text *t, const char *name, const struct header *header, bool tight)
{
    if (header->there) put(t, "%s:%s%s%s\r\n", name, tight ? "" : " ", header->text, tight ? " \t " : "");
    if (header->twice) put(t, "%s: %s\r\n", name, header->text[0] != '\0' ? "another" : "");
}

/* The body in pieces of a length each that follows from the seed. */
static void put_chunks(struct text *t, const struct sent *asked)
{
    size_t at = 0, len;

    put(t, "Transfer-Encoding: chunked\r\n\r\n");
    for (uint64_t more = asked->seed; at < asked->body_len; at += len, more = more * 5 + 3) {
        len = 1 + (more >> 7) % (asked->body_len / 4 + 9);
        if (len > asked->body_len - at) len = asked->body_len - at;
        put(t, "%zx\r\n", len);
        letters(t, asked->body + at, len);
        put(t, "\r\n");
    }
    put(t, "0\r\n\r\n");
}

size_t write_request(const struct sent *asked, char *into)
{
    struct text t = { into, 0, true };

    put(&t, "%s %s HTTP/1.1\r\nHost: exchange\r\n", asked->method, asked->path);
    if (asked->origin) put(&t, "Origin: https://page.example\r\n");
    put_header(&t, "X-API-Nonce", &asked->nonce, asked->tight);
    put_header(&t, "x-api-sign", &asked->sign_text, asked->tight);
    put_header(&t, "X-API-Key", &asked->key, asked->tight);
    put_header(&t, "X-API-Chain", &asked->chain, asked->tight);
    put_header(&t, "Content-Type", &asked->type, asked->tight);
    if (asked->chunked) {
        put_chunks(&t, asked);
        return t.len;
    }
    put(&t, "Content-Length: %zu\r\n\r\n", asked->body_len);
    letters(&t, asked->body, asked->body_len);
    return t.len;
}
