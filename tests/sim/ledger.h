/* SPDX-License-Identifier: MIT */
/* ledger.h — what the ledgers of the clients (client.c) and of the operator (operator.c) share. */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include "client.h"

/*
 * What the log says of something: the command that did it (0: none has), and what came of it. While a life reads the
 * log it is `read` that counts; only a start that comes to its end makes it what holds.
 */
struct fact {
    uint64_t seq, result, read_seq, read_result;
};

uint64_t fact_before(const struct fact *fact);
void     fact_put(struct fact *fact, uint64_t seq, uint64_t result);
/* The log has been read: what it says from its first command on holds; what stands before it is in a snapshot. */
void fact_settle(struct fact *fact);

extern struct ledger_counts ledger_sums;

/* ---- the operator (operator.c) ---- */

void operator_begin(const struct limits *limits); /* of another world: the limits it is founded with */
void operator_step(void);                         /* says something, or hears the answer */
void operator_lost(void);                         /* the server has gone */
void operator_life_begins(uint64_t happened);     /* … the last command that anybody knows of */
/* A command of the house. */
void           operator_applied(const struct command *command, const struct events *events);
void           operator_recovered(uint64_t last_seq);
extern int64_t operator_ns; /* when he wants to do something again */

#endif
