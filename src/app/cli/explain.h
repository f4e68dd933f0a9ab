/* SPDX-License-Identifier: MIT */
/* explain.h — what the files of dojima explain-liquidation share: numbers
   that are compared with what the rules give, and the index. */
#ifndef APP_CLI_EXPLAIN_H
#define APP_CLI_EXPLAIN_H

#include "core/engine.h"

#define EXPLAIN_AGREED_MAX 32

/* What was compared: what agreed since explain_agreed was called last, each once, and in all how much did not. */
struct explain_check {
    const char *agreed[EXPLAIN_AGREED_MAX]; /* names with static storage */
    uint32_t    agreed_count, compared, wrong;
};

/* A number that was told against the one that its rule gives; a
   difference is printed at once. `what` has static storage. */
void explain_expect(struct explain_check *check, const char *what, int128_t told, int128_t computed);

/* Prints what agreed since the last call, nothing if there is nothing. */
void explain_agreed(struct explain_check *check);

/* What the mark of a TICK was made from besides what its composition tells; prices in price units. */
struct explain_before {
    int64_t  mark;          /* of the TICK before, price units */
    bool     known;         /* the rest was seen: this replay applied the TICK before, and prices moved once since */
    int128_t basis;         /* average of the middle's distance from the index that the TICK before left */
    int64_t  mid;           /* middle of the book, averaged over the second of this TICK */
    int64_t  funding_rate;  /* of the hour, as the TICK before left it */
    int64_t  to_funding_ms; /* from this TICK to the funding that was not settled yet; 0 = it is due */
};

/*
 * Prints what index and mark of a receipt's symbol were made of, and compares the index with the sources, the mark with
 * its inputs (mechanics 3.8, 3.9). `engine`: the replayed one, for the symbol's parameters.
 */
void explain_index(struct explain_check *check, const struct genesis *genesis, const struct engine *engine,
                   const struct index_composed *made, const struct explain_before *before,
                   const struct liquidated *receipt);

#endif
