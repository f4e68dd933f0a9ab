/* SPDX-License-Identifier: MIT */
/* ledger.h — shared by the ledgers of the clients (ledger.c) and of the operator (operator.c). */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include "client.h"

/*
 * The log's record of a request: the command that executed it (0: none), and its result. While a life reads the log it
 * sets `read_seq` and `read_result`; a start that completes makes them valid.
 */
struct fact {
    uint64_t seq, result, read_seq, read_result;
};

uint64_t fact_before(const struct fact *fact);
void     fact_put(struct fact *fact, uint64_t seq, uint64_t result);
/* The log has been read: its record from its first command on is valid; earlier commands are in a snapshot. */
void fact_settle(struct fact *fact);

extern struct ledger_counts ledger_sums;

/* ---- the operator (operator.c) ---- */

void operator_begin(const struct limits *limits); /* of a new world: its initial limits */
void operator_step(void);                         /* sends a request, or receives a reply */
void operator_lost(void);                         /* the server has ended */
void operator_life_begins(uint64_t happened);     /* … the last command that any client has seen */
/* A command of the operator. */
void           operator_applied(const struct command *command, const struct events *events);
void           operator_recovered(uint64_t last_seq);
extern int64_t operator_ns; /* when he wants to do something again */

#endif
