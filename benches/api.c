/* SPDX-License-Identifier: MIT */
/*
 * api.c — what does a request cost between its bytes and its answer, sockets not counted?
 *
 *   bench_api
 *
 * The order book with limit 10 is asked for while it stands still (served from the thread's cache) and
 * while every request finds it changed; beside it stands a copy of the same bytes. A signed order is
 * prepared beside a bare recovery of the same signature.
 */
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOW    INT64_C(1760000000000)
#define LEVELS 1000

static struct genesis  genesis;
static struct views   *views;
static struct api     *api;
static struct api_context context = { .now_ms = NOW, .ready = true };
static struct events   events;
static char            body[API_ANSWER_BYTES_MAX];
static size_t          body_len;
static struct history *history;
static char            folder[] = "/tmp/dojima-bench-XXXXXX";

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void tell_level(uint8_t side, int64_t price, int64_t quantity)
{
    static uint64_t update_id;
    struct level_changed *event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);

    event->symbol_id = 1;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = ++update_id;
    views_apply(views, &events, NULL);
    events.len = 0;
}

static void make(const struct address *owner)
{
    struct api_shared *shared = calloc(1, sizeof(*shared));
    struct account_opened *account;

    genesis.chain_ids[0] = 286623;
    genesis.coin_count = 2;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.spot_count = 1;
    genesis.spot[0] = (struct symbol){ .name = name_make(SLICE("vBTC_vUSDC")), .id = 1, .base_coin_id = 1, .price_precision = 1,
                                       .quantity_precision = 5, .market = MARKET_SPOT, .status = SYMBOL_TRADING };
    genesis.limits = (struct limits){ .accounts = 1000, .orders = 1000, .levels = 10000 };
    views = views_init(calloc(1, views_size(&genesis)), &genesis);
    *shared = (struct api_shared){ .genesis = &genesis, .views = views, .history = history, .settings = { .development = true } };
    events = (struct events){ calloc(1, 1 << 16), 0, 1 << 16 };
    account = EVENT_ADD(&events, ACCOUNT, account_opened, 0);
    account->account_id = 1001;
    account->user_id = 1;
    account->owner = *owner;
    account->is_primary = 1;
    for (int64_t i = 0; i < LEVELS; i++) {
        tell_level(SIDE_BUY, 999990 - i * 10, 12345 + i);
        tell_level(SIDE_SELL, 1000000 + i * 10, 54321 + i);
    }
    api = api_init(calloc(1, api_size(shared)), shared);
}

static enum api_outcome handle(const struct http_request *request)
{
    static struct api_write write;
    struct out out = out_make(body, sizeof(body));
    struct http_answer answer;
    enum api_outcome outcome = api_handle(api, &context, request, &write, &answer, &out);

    body_len = out.len;
    return outcome;
}

static void expect(bool holds, const char *what)
{
    if (holds) return;
    printf("WRONG: %s: %.*s\n", what, (int)body_len, body);
    exit(1);
}

static void bench_book(const char *query, bool moving, int runs)
{
    struct http_request request = { .method = HTTP_GET, .path = SLICE("/api/v1/spot/markets/vBTC_vUSDC/orderbook"), .query = slice_of(query) };
    static char copy[API_ANSWER_BYTES_MAX];
    int64_t fold = 0, start, taken, copied;

    if (moving) {
        start = now_ns();
        for (int i = 0; i < runs; i++) tell_level(SIDE_BUY, 999990, 10 + i % 3);
        fold = now_ns() - start;
    }
    start = now_ns();
    for (int i = 0; i < runs; i++) {
        if (moving) tell_level(SIDE_BUY, 999990, 20 + i % 3);
        expect(handle(&request) == API_ANSWER && memcmp(body, "{\"code\":0,", 10) == 0, "book");
    }
    taken = now_ns() - start - fold;
    start = now_ns();
    for (int i = 0; i < runs; i++) {
        memcpy(copy, body, body_len);
        __asm__ volatile("" : : "r"(copy) : "memory");
    }
    copied = now_ns() - start;
    printf("book %-10s %-8s %7.0f ns, %6zu bytes; copying them %5.0f ns\n", query, moving ? "changed" : "cached",
           (double)taken / runs, body_len, (double)copied / runs);
}

static void bench_order(const uint8_t secret[32], int runs)
{
    static const char order[] = "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"bench-000001\",\"side\":1,\"type\":1,"
                                "\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    struct hash256 separator = domain_separator(DOMAIN_SPOT, 286623), payload = payload_hash(SLICE("batchNewOrder"), slice_of(order));
    struct hash256 digest = action_digest(&separator, &payload, NOW);
    struct http_request request = { .method = HTTP_POST, .path = SLICE("/api/v1/spot/trade/orders/batch"), .body = slice_of(order) };
    struct signature signature;
    struct address signer;
    char text[135] = { 0 };
    int64_t start, bare, whole;

    expect(sign_digest(&digest, secret, 1, &signature), "sign");
    signature_write(&signature, text);
    request.header[HEADER_API_NONCE] = SLICE("1760000000000");
    request.header[HEADER_API_SIGN] = slice_of(text);
    start = now_ns();
    for (int i = 0; i < runs; i++) expect(recover_signer(&digest, &signature, &signer), "recover");
    bare = now_ns() - start;
    start = now_ns();
    for (int i = 0; i < runs; i++) expect(handle(&request) == API_COMMAND, "order");
    whole = now_ns() - start;
    printf("signed order           %7.0f ns, bare recovery %.0f ns: recovery is %.1f %% of it\n", (double)whole / runs,
           (double)bare / runs, 100.0 * (double)bare / (double)whole);
}

int main(void)
{
    uint8_t secret[32];
    struct address owner;

    memset(secret, 7, sizeof(secret));
    expect(crypto_init() && address_of_secret(secret, &owner), "crypto");
    expect(mkdtemp(folder) != NULL &&
           history_open(folder, &(struct hash256){ { 1 } }, SLICE("bench"), &history) == 0, "history");
    make(&owner);
    bench_book("limit=10", false, 2000000);
    bench_book("limit=10", true, 200000);
    bench_book("limit=1000", false, 100000);
    bench_book("limit=1000", true, 5000);
    bench_order(secret, 20000);
    history_close(history);
    fflush(stdout);
    execlp("rm", "rm", "-r", folder, (char *)NULL);
    return 1;
}
