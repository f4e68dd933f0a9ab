/* SPDX-License-Identifier: MIT */
/*
 * venue.h — an exchange at a URL, for sub-commands that are its clients: reads, signed writes, calls of /rpc. Blocking,
 * one request at a time, from one thread.
 */
#ifndef APP_CLI_VENUE_H
#define APP_CLI_VENUE_H

#include "base/slice.h"

#include <jansson.h>

struct venue {
    const char *url;      /* the caller's: http://HOST:PORT or https://HOST, without a path */
    uint64_t    chain_id; /* of signatures; 0: the exchange's first, by venue_learn_chain */
    uint64_t    nonce;    /* of the last signed write */
    int64_t     ahead_ms; /* of the exchange's time, as its last answer has it, over the clock of this machine */
    int         status;   /* of the last answer, HTTP; 0 = there was none */
    char       *text;     /* of the last answer */
    char        why[320]; /* one sentence: why the last call gave nothing */
};

/* Where an exchange is looked for when neither the command line nor the environment names one. */
#define VENUE_URL "http://127.0.0.1:8080"

/* `given` by the command line; where it is NULL, DOJIMA_URL, else VENUE_URL. It lives as long as the environment. */
const char *venue_url(const char *given);

/* Takes memory for answers. False: venue->why; `url` has a path, or none of the two schemes, or memory is short. */
bool venue_open(struct venue *venue, const char *url) MUST_USE;
void venue_close(struct venue *venue);

/* One request. The answer as JSON, whatever its status, owned by the caller; NULL: venue->why. `lines`: header lines,
 * each with its CR LF. `method`: "POST" or "DELETE", which send `body`; NULL = GET. */
json_t *venue_ask(struct venue *venue, const char *method, const char *path, struct slice lines,
                  struct slice body) MUST_USE;

/* `data` of the answer to a read; NULL: venue->why, also when the exchange refuses. Owned by the caller. */
json_t *venue_read(struct venue *venue, const char *path) MUST_USE;

/* `result` of a call of /rpc; `params` is an array, or NULL for none. NULL: venue->why, the exchange's words. */
json_t *venue_call(struct venue *venue, const char *method, const json_t *params) MUST_USE;

/* Sets chain_id, where it is 0, to the exchange's first. False: venue->why. */
bool venue_learn_chain(struct venue *venue) MUST_USE;

/*
 * The next nonce, also in venue->nonce: above the one before, and the time of this machine's clock, or of the exchange
 * where that is behind it. One that is ahead may have leapt, which moves no nonces (ruling 44).
 */
uint64_t venue_next_nonce(struct venue *venue);

/* A write that is signed with the main key of an account. */
struct venue_write {
    const char    *method, *path; /* "POST", "/api/v1/spot/trade/orders/batch" */
    const char    *type;          /* "batchNewOrder" (wire 3.1) */
    uint8_t        domain;        /* enum domain */
    struct slice   body;          /* compact JSON, its keys in the order of the interface */
    const uint8_t *secret;        /* 32 bytes */
};

/* The whole answer, owned by the caller; NULL: venue->why. A refusal is an answer. */
json_t *venue_write(struct venue *venue, const struct venue_write *write) MUST_USE;

/* The reason of an answer that refuses, into venue->why: code, text, field and what would be needed. False. */
bool venue_refused(struct venue *venue, const json_t *answer);

#endif
