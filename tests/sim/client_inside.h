/* SPDX-License-Identifier: MIT */
/* client_inside.h — the writes of the clients, which client.c sends and whose results ledger.c keeps. */
#ifndef SIM_CLIENT_INSIDE_H
#define SIM_CLIENT_INSIDE_H

#include "ledger.h"

#define WRITES_MAX 8192

/* One write, sent once or more, the same bytes each time. */
struct write {
    uint64_t    nonce, tag; /* tag: of the payload, as the command carries it */
    uint32_t    client, items, bytes;
    uint32_t    sent, refused; /* how often it was sent; how often answered "not executed" */
    bool        acknowledged, single;
    uint64_t    answer;   /* the reply, folded (fold) */
    struct fact executed; /* the outcome in the log */
    char       *request;
};

extern struct write writes[WRITES_MAX];
extern uint32_t     write_count;
extern uint64_t     acknowledged_seq; /* the last command that was answered */

/* A checksum of results, of a reply or of events. */
uint64_t fold(uint64_t sum, uint64_t what);
uint64_t fold_bytes(uint64_t sum, const uint8_t *at, size_t len);

void ledger_check(const struct write *write); /* its reply against its outcome in the log */
void ledger_begin(void);                      /* of a new world: nothing has happened */

/* The price of the index by hand, in whole dollars: the last one requested; the next one is drawn. */
extern uint32_t index_now;
void            draw_index(void);

#endif
