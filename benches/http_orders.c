/* SPDX-License-Identifier: MIT */
#include "http_orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS 8 /* prices of each side; one digit */

void bench_accounts(struct bench_account *accounts, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        int            len = snprintf(text, sizeof(text), "bench account %zu", i);
        struct hash256 secret = keccak256(text, (size_t)len);
        memcpy(accounts[i].secret, secret.bytes, 32);
        if (!address_of_secret(accounts[i].secret, &accounts[i].address)) exit(1);
    }
}

/*
 * Order number `i` of an account: 0.00006 at about the reference price, worth 6 vUSDC. Every bid is above every ask, so
 * no two orders of opposite sides rest at once, in whatever order they arrive.
 */
static int write_order(char *text, size_t cap, size_t account, size_t tick, size_t i)
{
    bool buys = account % 2 == 0;

    return snprintf(
        text, cap,
        "{\"symbolID\":1,\"clOrdID\":\"h%zu\",\"side\":%d,\"type\":1,\"timeInForce\":1,\"price\":\"%d.%zu\","
        "\"quantity\":\"0.00006\"}",
        i, buys ? 1 : 2, buys ? 100001 : 100000, tick + 1);
}

/* The body of request number `i` of an account; returns its length. */
static size_t write_body(char *text, size_t cap, size_t account, size_t i, uint32_t orders)
{
    size_t tick = (i / 2) % TICKS;
    size_t len = (size_t)snprintf(text, cap, "{\"accountID\":%zu,\"orders\":[", BENCH_FIRST_ACCOUNT + account);

    for (uint32_t k = 0; k < orders && len < cap; k++) {
        if (k != 0) text[len++] = ',';
        len += (size_t)write_order(text + len, cap - len, account, tick, i * orders + k);
    }
    if (len + 3 > cap) exit(1);
    memcpy(text + len, "]}", 3);
    return len + 2;
}

static struct bench_request request_of(const char *text, int len, size_t cap, uint32_t orders, size_t first)
{
    char *copy = malloc((size_t)len + 1);

    if (len < 0 || (size_t)len >= cap || copy == NULL) exit(1);
    memcpy(copy, text, (size_t)len + 1);
    return (struct bench_request){ copy, (uint32_t)len, orders, first };
}

struct bench_request *bench_requests(const struct bench_flow *flow, struct hash256 *digests,
                                     struct signature *signatures)
{
    static const char     type[] = "batchNewOrder";
    static char           body[20000], text[21000];
    struct bench_request *requests = calloc(flow->count, sizeof(*requests));
    struct hash256        separator = domain_separator(DOMAIN_SPOT, BENCH_CHAIN_ID);

    if (requests == NULL) exit(1);
    for (size_t i = 0; i < flow->count; i++) {
        size_t         number = flow->first + i, account = number % flow->account_count;
        size_t         body_len = write_body(body, sizeof(body), account, number, flow->orders);
        struct hash256 payload =
            payload_hash((struct slice){ type, sizeof(type) - 1 }, (struct slice){ body, body_len });
        struct hash256   digest = action_digest(&separator, &payload, flow->nonce + number);
        struct signature signature;
        char             sign[SIGNATURE_TEXT];

        if (!sign_digest(&digest, flow->accounts[account].secret, 1, &signature)) exit(1);
        signature_write(&signature, sign);
        requests[i] = request_of(text,
                                 snprintf(text, sizeof(text),
                                          "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                          "Content-Type: application/json\r\n"
                                          "Accept: application/json\r\nX-API-Nonce: %" PRIu64
                                          "\r\nX-API-Sign: %.*s\r\nContent-Length: %zu\r\n\r\n%.*s",
                                          flow->nonce + number, SIGNATURE_TEXT, sign, body_len, (int)body_len, body),
                                 sizeof(text), flow->orders, number * flow->orders);
        if (digests != NULL) {
            digests[i] = digest;
            signatures[i] = signature;
        }
    }
    return requests;
}

struct bench_request *bench_reads(const char *path, size_t count)
{
    struct bench_request *requests = calloc(count, sizeof(*requests));
    char                  text[512];

    if (requests == NULL) exit(1);
    requests[0] = request_of(
        text,
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n", path),
        sizeof(text), 0, 0);
    for (size_t i = 1; i < count; i++) requests[i] = requests[0];
    return requests;
}

void bench_forget(struct bench_request *requests, size_t count)
{
    bool shared = requests[0].orders == 0; /* bench_reads */

    for (size_t i = 0; i < (shared ? 1 : count); i++) free((void *)(uintptr_t)requests[i].text);
    free(requests);
}
