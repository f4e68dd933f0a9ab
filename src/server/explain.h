/* SPDX-License-Identifier: MIT */
/* explain.h — what the files of dojima explain-liquidation share: numbers that are compared with what the rules give, and the index. */
#ifndef SERVER_EXPLAIN_H
#define SERVER_EXPLAIN_H

#include "core/engine.h"

#define EXPLAIN_AGREED_MAX 32

/* What was compared: what agreed since explain_agreed was called last, each once, and in all how much did not. */
struct explain_check {
    const char *agreed[EXPLAIN_AGREED_MAX];     /* names with static storage */
    uint32_t    agreed_count, compared, wrong;
};

/* A number that was told against the one that its rule gives; a difference is printed at once. `what` has static storage. */
void explain_expect(struct explain_check *check, const char *what, int128_t told, int128_t computed);

/* Prints what agreed since the last call, nothing if there is nothing. */
void explain_agreed(struct explain_check *check);

/*
 * Prints what index and mark of a receipt's symbol were made of, and compares the index with the sources, the mark with its inputs
 * (mechanics 3.8, 3.9). `mark_before`: of the TICK before. `engine`: the replayed one, for the symbol's parameters.
 */
void explain_index(struct explain_check *check, const struct genesis *genesis, const struct engine *engine, const struct index_composed *made,
                   int64_t mark_before, const struct liquidated *receipt);

#endif
