/* SPDX-License-Identifier: MIT */
/* causes.h — where requests stood, from the figures of an exchange before and after a run. */
#ifndef BENCH_CAUSES_H
#define BENCH_CAUSES_H

#include "served.h"

#define CAUSES_MAX 32

/* Counts: of all, and of those that took more than about 1 and 2 ms; of a thread: how often it slept, and how long it
 * waited for a core. */
struct cause {
    char   name[24];
    double all, over_1ms, over_2ms, seconds;
};

struct causes {
    struct cause before[CAUSES_MAX], after[CAUSES_MAX];
    size_t       count;
};

void causes_begin(struct causes *causes, const struct served *served);
void causes_end(struct causes *causes, const struct served *served);

/* Prints a table; shares are of `requests`. */
void causes_tell(const struct causes *causes, size_t requests);

#endif
