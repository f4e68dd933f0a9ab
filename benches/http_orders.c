/* SPDX-License-Identifier: MIT */
#include "http_orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void bench_accounts(struct bench_account accounts[BENCH_ACCOUNTS])
{
    char text[32];

    for (int i = 0; i < BENCH_ACCOUNTS; i++) {
        int len = snprintf(text, sizeof(text), "bench account %d", i);
        struct hash256 secret = keccak256(text, (size_t)len);
        memcpy(accounts[i].secret, secret.bytes, 32);
        if (!address_of_secret(accounts[i].secret, &accounts[i].address)) exit(1);
    }
}

/* The body of order number `i`: 0.00006 at about the reference price, worth 6 vUSDC. */
static int order_body(char *text, size_t cap, size_t i)
{
    size_t account = i % BENCH_ACCOUNTS;
    size_t tick = (i / 2) % 16;

    return snprintf(text, cap,
                    "{\"accountID\":%zu,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"h%zu\",\"side\":%d,\"type\":1,\"timeInForce\":1,"
                    "\"price\":\"%zu.%zu\",\"quantity\":\"0.00006\"}]}",
                    BENCH_FIRST_ACCOUNT + account, i, account % 2 == 0 ? 1 : 2, 100000 + tick / 9, tick % 9 + 1);
}

static void make_request(const struct bench_account *account, const struct hash256 *separator, uint64_t nonce, size_t i,
                         struct bench_request *request, struct hash256 *digest, struct signature *signature)
{
    static const char type[] = "batchNewOrder";
    char body[256], sign[SIGNATURE_TEXT];
    int  body_len = order_body(body, sizeof(body), i), len;
    struct hash256 payload = payload_hash((struct slice){ type, sizeof(type) - 1 }, (struct slice){ body, (size_t)body_len });

    *digest = action_digest(separator, &payload, nonce);
    if (!sign_digest(digest, account->secret, 1, signature)) exit(1);
    signature_write(signature, sign);
    len = snprintf(request->text, sizeof(request->text),
                   "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                   "Accept: application/json\r\nX-API-Nonce: %" PRIu64 "\r\nX-API-Sign: %.*s\r\nContent-Length: %d\r\n\r\n%.*s",
                   nonce, SIGNATURE_TEXT, sign, body_len, body_len, body);
    if (len < 0 || (size_t)len >= sizeof(request->text)) exit(1);
    request->len = (uint16_t)len;
}

void bench_requests(const struct bench_account *accounts, uint64_t nonce, struct bench_request *requests, size_t count,
                    struct hash256 *digests, struct signature *signatures)
{
    struct hash256 separator = domain_separator(DOMAIN_SPOT, BENCH_CHAIN_ID);
    struct hash256 digest;
    struct signature signature;

    for (size_t i = 0; i < count; i++) {
        make_request(&accounts[i % BENCH_ACCOUNTS], &separator, nonce + i, i, &requests[i], &digest, &signature);
        if (digests) { digests[i] = digest; signatures[i] = signature; }
    }
}
