/* SPDX-License-Identifier: MIT */
/* explain_index.h — what index and mark of a liquidation were made of. */
#ifndef APP_CLI_EXPLAIN_INDEX_H
#define APP_CLI_EXPLAIN_INDEX_H

#include "app/cli/explain_check.h"
#include "core/engine.h"

/* The inputs of a TICK's mark that its composition does not contain; prices in price units. */
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
