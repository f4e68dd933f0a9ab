/* SPDX-License-Identifier: MIT */
/* explain_check.h — numbers of a receipt, compared with the results of the rules. */
#ifndef APP_CLI_EXPLAIN_CHECK_H
#define APP_CLI_EXPLAIN_CHECK_H

#include "base/fixed.h"

#define EXPLAIN_AGREED_MAX 32

/*
 * Results of comparisons: the agreements since the last call of explain_agreed, each once, and the total of
 * disagreements.
 */
struct explain_check {
    const char *agreed[EXPLAIN_AGREED_MAX]; /* names with static storage */
    uint32_t    agreed_count, compared, wrong;
};

/* Compares a recorded number with that of its rule; prints a difference at once. `what` has static storage. */
void explain_expect(struct explain_check *check, const char *what, int128_t told, int128_t computed);

/* Prints what agreed since the last call, nothing if there is nothing. */
void explain_agreed(struct explain_check *check);

#endif
