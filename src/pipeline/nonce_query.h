/* SPDX-License-Identifier: MIT */
/*
 * nonce_query.h — what the I/O threads ask the engine: whether a nonce is used, before the signer's budget is spent and
 * the log is written (rulings 9, 16; decision 245).
 *
 * The engine is locked while commands are applied. Between two of them it gives way to whoever query, so a question
 * waits for one command and not for a batch. Few are asked: for a nonce above all that came before of its signer the
 * answer is known. The highest one of each signer is kept in a table of fixed size; a signer who is not in it is asked
 * for.
 */
#ifndef PIPELINE_NONCE_QUERY_H
#define PIPELINE_NONCE_QUERY_H

#include "core/engine.h"

#include <pthread.h>
#include <stdatomic.h>

#define NONCE_QUERY_SIGNERS  65536 /* rows: a signer has one for each domain */
#define NONCE_QUERY_TOGETHER 4     /* of them, in a cache line: the places that a signer may have */

/* The highest nonce that came of a signer in a domain. Torn, it is wrong: then the engine is asked too often, or not.
 */
struct nonce_query_row {
    _Atomic uint64_t signer, highest; /* 0 = empty */
};

struct nonce_query {
    struct engine *const *asked;  /* read under the lock, because a raise moves the engine */
    pthread_mutex_t       engine; /* held by whoever changes it, or looks at it from another thread */
    pthread_mutex_t       turn;   /* taken before it by whoever wants it next */
    _Atomic uint32_t      waiting;
    _Atomic uint64_t      shown; /* the last command of a batch whose effects reads show */
    _Atomic uint32_t      epoch; /* another one: the table is empty */
    _Alignas(64) struct nonce_query_row rows[NONCE_QUERY_SIGNERS];
};

/* In zeroed memory. The engine, which `asked` is where to find, stands at the last command that reads show. */
void nonce_query_open(struct nonce_query *query, struct engine *const *asked);
void nonce_query_close(struct nonce_query *query);

/* The engine's thread around the commands of a batch. `own`: they came through this node's sockets. */
void nonce_query_begin(struct nonce_query *query, bool own);
void nonce_query_end(struct nonce_query *query);
/* What is shown from now on. */
void nonce_query_show(struct nonce_query *query, uint64_t seq);

/* Lets those in who ask. */
void nonce_query_let_in(struct nonce_query *query);

/* The same between two commands; nearly always nobody does. */
static inline void nonce_query_give_way(struct nonce_query *query)
{
    if (atomic_load_explicit(&query->waiting, memory_order_relaxed) != 0) nonce_query_let_in(query);
}

/* struct api_nonces; `self` is a struct nonce_query. */
bool nonce_query_refuses(void *self, const struct command *command, struct refused *refused);

#endif
