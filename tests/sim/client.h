/* SPDX-License-Identifier: MIT */
/*
 * client.h — the clients of the simulated world, and their ledger: for every write the request, its reply, and its
 * result in the log. From these follow the errors that must never happen: a reply without its effect, an effect
 * without a request, half a batch, any effect twice.
 */
#ifndef SIM_CLIENT_H
#define SIM_CLIENT_H

#include "model/commands.h"
#include "model/events.h"
#include "model/genesis.h"
#include "world.h"

#define CLIENTS        4
#define CLIENT_ACCOUNT 1001 /* of the first of them */

struct ledger_counts {
    uint64_t deposits, deposits_answered, raises, raises_answered, indexes, writes, acknowledged, refused, unknown,
        retried, reads, cuts, answers_of_used;
};

/* New clients with the wallets of the development accounts. */
void clients_begin(void);
/* Runs one step of one of them; *wake_ns: when the next one is due. False: none is due now. */
bool clients_step(int64_t *wake_ns);
/* The server has ended. */
void clients_lost(void);

/* ---- the ledger ---- */
void ledger_life_begins(void); /* the log will be read from its beginning */
void ledger_applied(const struct command *command, const struct events *events);
/* All of the log has been read: everything that was answered is in it. `last_seq`: the last command in it. */
void     ledger_recovered(uint64_t last_seq);
bool     ledger_serves(void);    /* ledger_recovered was called in this life */
uint64_t ledger_first_seq(void); /* the first command that this life has read: earlier ones are in a snapshot */
uint64_t ledger_last_seq(void);  /* the last command that this life has applied */
uint64_t ledger_happened(void);  /* … and the last that any client may have seen */
/* Whether any client is still waiting for a reply. */
bool clients_wait(void);
/* An address of one of them. */
const struct address *client_address(uint32_t client);
struct ledger_counts  ledger_counts(void);
/* Whether these are the limits after a command of the log, with its raises; and how many were accepted up to one. */
bool     limits_are(const struct limits *limits, uint64_t seq);
uint64_t limits_raised(uint64_t last_seq);

#endif
