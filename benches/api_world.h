/* SPDX-License-Identifier: MIT */
/*
 * api_world.h — the api of a small exchange, without sockets and without an engine: one market with a deep book, one
 * account.
 */
#ifndef BENCH_API_WORLD_H
#define BENCH_API_WORLD_H

#include "api/api.h"

#define NOW INT64_C(1760000000000)

struct world {
    struct api        *api;
    struct api_context context;
    struct api_write   write;
    struct http_answer answer;
    char               body[API_ANSWER_BYTES_MAX];
    size_t             body_len;
    uint8_t            secret[32]; /* of the account's owner */
};

extern struct world world;

/* Everything in `world`; there is no history. */
void world_make(void);

/* One level of the book changes. */
void world_level(uint8_t side, int64_t price, int64_t quantity);
/* An order of account 1001 rests. */
void world_open_order(uint64_t order_id);

/* The answer is in world.body, or the command in world.write. */
enum api_outcome world_handle(const struct http_request *request);

/* X-API-Sign of a batchNewOrder with nonce NOW; `text` has room for SIGNATURE_TEXT bytes. */
void world_sign(struct slice order, struct hash256 *digest, struct signature *signature, char *text);

/* Prints and exits when it does not hold. */
void world_expect(bool holds, const char *what);

#endif
