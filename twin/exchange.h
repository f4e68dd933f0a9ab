/* SPDX-License-Identifier: MIT */
/* exchange.h — the exchange's own code, as much of it as answers a
   request: three of them, which differ in how they are set up. */
#ifndef TWIN_EXCHANGE_H
#define TWIN_EXCHANGE_H

#include "refused.h"

#include "api/inside.h"

struct shop {
    struct genesis    genesis;
    struct api_shared shared;
    struct api       *api;
};
struct exchange {
    struct shop         shops[3];
    struct views       *views;
    void               *views_as_they_were;
    size_t              views_bytes;
    _Atomic uint64_t    seqs[FEEDERS_MAX];
    struct http_parser *parser;
    bool                full; /* the history's memory */
};
extern struct exchange exchange;

/* Opens it, unless it is open. */
void exchange_open(void);

/* Sets the budget of the exchange as the request finds it: with the cost of earlier requests from its address. */
void exchange_limit(const struct sent *asked, struct api_context *context);

/* The request as a client sends it, HTTP_BUFFER_BYTES at most. */
size_t write_request(const struct sent *asked, char *into);

#endif
