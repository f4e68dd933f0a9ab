/* SPDX-License-Identifier: MIT */
/*
 * api.c — the cost of a request between its bytes and its response, without sockets.
 *
 *   bench_api
 *
 * Reads the order book with limit 10 while it does not change (served from the thread's cache) and while every request
 * finds it changed; for comparison, a copy of the same bytes. Prepares a signed order; for comparison, a bare recovery
 * of the same signature.
 */
#include "api_world.h"
#include "machine.h"

static void bench_book(const char *query, bool moving, int runs)
{
    struct http_request request = { .method = HTTP_GET,
                                    .path = SLICE("/api/v1/spot/markets/vBTC_vUSDC/orderbook"),
                                    .query = slice_of(query) };
    static char         copy[API_ANSWER_BYTES_MAX];
    int64_t             fold = 0, start, taken, copied;

    if (moving) {
        start = bench_ns();
        for (int i = 0; i < runs; i++) world_level(SIDE_BUY, 999990, 10 + i % 3);
        fold = bench_ns() - start;
    }
    start = bench_ns();
    for (int i = 0; i < runs; i++) {
        if (moving) world_level(SIDE_BUY, 999990, 20 + i % 3);
        world_expect(world_handle(&request) == API_ANSWER && memcmp(world.body, "{\"code\":0,", 10) == 0, "book");
    }
    taken = bench_ns() - start - fold;
    start = bench_ns();
    for (int i = 0; i < runs; i++) {
        memcpy(copy, world.body, world.body_len);
        __asm__ volatile("" : : "r"(copy) : "memory");
    }
    copied = bench_ns() - start;
    printf("book %-10s %-8s %7.0f ns, %6zu bytes; copying them %5.0f ns\n", query, moving ? "changed" : "cached",
           (double)taken / runs, world.body_len, (double)copied / runs);
}

static void bench_order(int runs)
{
    static const char order[] =
        "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"bench-000001\",\"side\":1,\"type\":1,"
        "\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    struct hash256      digest;
    struct http_request request = { .method = HTTP_POST,
                                    .path = SLICE("/api/v1/spot/trade/orders/batch"),
                                    .body = slice_of(order) };
    struct signature    signature;
    struct address      signer;
    char                text[135] = { 0 };
    int64_t             start, bare, whole;

    world_sign(slice_of(order), &digest, &signature, text);
    request.header[HEADER_API_NONCE] = SLICE("1760000000000");
    request.header[HEADER_API_SIGN] = slice_of(text);
    start = bench_ns();
    for (int i = 0; i < runs; i++) world_expect(recover_signer(&digest, &signature, &signer), "recover");
    bare = bench_ns() - start;
    start = bench_ns();
    for (int i = 0; i < runs; i++) world_expect(world_handle(&request) == API_COMMAND, "order");
    whole = bench_ns() - start;
    printf("signed order           %7.0f ns, bare recovery %.0f ns: recovery is %.1f %% of it\n", (double)whole / runs,
           (double)bare / runs, 100.0 * (double)bare / (double)whole);
}

int main(void)
{
    world_make();
    bench_book("limit=10", false, 2000000);
    bench_book("limit=10", true, 200000);
    bench_book("limit=1000", false, 100000);
    bench_book("limit=1000", true, 5000);
    bench_order(20000);
    return 0;
}
