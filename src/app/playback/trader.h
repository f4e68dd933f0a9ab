/* SPDX-License-Identifier: MIT */
/*
 * trader.h — signed writes to an exchange, several on their way at once on one connection. The exchange executes them
 * in the order in which they are sent (a connection's requests are in order), and answers in that order.
 */
#ifndef APP_PLAYBACK_TRADER_H
#define APP_PLAYBACK_TRADER_H

#include "app/cli/venue.h"
#include "crypto/crypto.h"
#include "io/dial.h"

#define TRADER_FLIGHT 12 /* requests without an answer; the exchange takes 16 of a connection at once */
#define TRADER_ITEMS  BATCH_MAX

/* One request: what it says, and what its answer is matched with. */
struct trader_request {
    const char    *method, *path; /* "POST", "/api/v1/spot/trade/orders/batch" */
    const char    *type;          /* "batchNewOrder" */
    uint8_t        market;        /* enum market_kind */
    const uint8_t *secret;
    struct slice   body;
    void          *owner; /* the caller's */
    uint8_t        act;   /* the caller's */
    uint32_t       count; /* items */
    uint64_t       ids[TRADER_ITEMS];
};

struct trader {
    struct dial          *dial; /* NULL: not connected */
    const char           *host;
    struct venue         *venue;         /* its nonce is that of the next request */
    struct hash256        separators[2]; /* of spot and perps */
    char                 *out, *in;
    size_t                out_len, out_sent, out_cap, in_len, in_cap;
    struct trader_request flight[TRADER_FLIGHT];
    uint32_t              first, count;
    uint64_t              requests, refused;
    char                  why[240];
    void                 *self; /* of `answered` */
    /* What became of an item: code 0, or why the exchange refused it. */
    void (*answered)(void *self, const struct trader_request *request, uint32_t item, long code, const char *error);
};

/* Connects to the venue's exchange. Both sign with the same accounts, and so share its nonce. `trader` has `self` and
 * `answered`, and is zero otherwise. False: trader->why. */
bool trader_open(struct trader *trader, struct venue *venue) MUST_USE;
void trader_close(struct trader *trader);

/* Signs a request and puts it behind the others, for trader_pump to send. False: trader->why. There must be room:
 * trader->count < TRADER_FLIGHT. */
bool trader_send(struct trader *trader, const struct trader_request *request) MUST_USE;

/* Sends and receives what is possible now. False: trader->why; the connection has ended, or a request was refused as a
 * whole for a reason that will not go away. */
bool trader_pump(struct trader *trader) MUST_USE;

static inline bool trader_is_writing(const struct trader *trader) { return trader->out_sent != trader->out_len; }

#endif
