/* SPDX-License-Identifier: MIT */
/*
 * asks.h — what the I/O threads ask the engine: whether a nonce is used, before the signer's budget is spent and the
 * log is written (rulings 9, 16; decision 245).
 *
 * The engine is locked while commands are applied. Between two of them it gives way to whoever asks, so a question
 * waits for one command and not for a batch. Few are asked: for a nonce above all that came before of its signer the
 * answer is known. The highest one of each signer is kept in a table of fixed size; a signer who is not in it is asked
 * for.
 */
#ifndef PIPELINE_ASKS_H
#define PIPELINE_ASKS_H

#include "core/engine.h"

#include <pthread.h>
#include <stdatomic.h>

#define ASKS_SIGNERS  65536 /* rows: a signer has one for each domain */
#define ASKS_TOGETHER 4     /* of them, in a cache line: the places that a signer may have */

/* The highest nonce that came of a signer in a domain. Torn, it is wrong: then the engine is asked too often, or not.
 */
struct ask_row {
    _Atomic uint64_t signer, highest; /* 0 = empty */
};

struct asks {
    struct engine *const *asked;  /* read under the lock, because a raise moves the engine */
    pthread_mutex_t       engine; /* held by whoever changes it, or looks at it from another thread */
    pthread_mutex_t       turn;   /* taken before it by whoever wants it next */
    _Atomic uint32_t      waiting;
    _Atomic uint64_t      shown; /* the last command of a batch whose effects reads show */
    _Atomic uint32_t      epoch; /* another one: the table is empty */
    _Alignas(64) struct ask_row rows[ASKS_SIGNERS];
};

/* In zeroed memory. The engine, which `asked` is where to find, stands at the last command that reads show. */
void asks_open(struct asks *asks, struct engine *const *asked);
void asks_close(struct asks *asks);

/* The engine's thread around the commands of a batch. `own`: they came through our door. */
void asks_begin(struct asks *asks, bool own);
void asks_end(struct asks *asks);
/* What is shown from now on. */
void asks_show(struct asks *asks, uint64_t seq);

/* Lets those in who ask. */
void asks_let_in(struct asks *asks);

/* The same between two commands; nearly always nobody does. */
static inline void asks_give_way(struct asks *asks)
{
    if (atomic_load_explicit(&asks->waiting, memory_order_relaxed) != 0) asks_let_in(asks);
}

/* struct api_nonces; `self` is a struct asks. */
bool asks_refuse_nonce(void *self, const struct command *command, struct refused *refused);

#endif
