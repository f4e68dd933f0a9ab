/* SPDX-License-Identifier: MIT */
/*
 * cycle.h — order operations as commands with the JSON that would have been signed, without signatures: for code
 * behind the checks of the api. After a whole cycle every order has ended, so it can be run any number of times.
 *
 * Accounts take turns in pairs. A place turn is 90 orders that stay, at 2,000 prices beyond the middle, and 10 at the
 * middle: even accounts buy there and rest, odd ones sell to them at once. When 100 of an account stay, its turn
 * cancels the 100 oldest ones. So 90 of 190 operations cancel, 5 trade as takers, and none is refused.
 */
#ifndef BENCH_CYCLE_H
#define BENCH_CYCLE_H

#include "app/config.h"

#define CYCLE_ACCOUNTS 20
#define CYCLE_COMMAND  100 /* operations of a turn */

struct cycle_command {
    const uint8_t *at; /* struct command without seq, time and nonce; its text behind it */
    uint32_t       command_bytes, text_bytes, operations, account;
};

struct cycle {
    struct cycle_command *commands;
    uint32_t              count;
    uint64_t              operations;
};

/* In commands of `per_command` operations: 1 … CYCLE_COMMAND, a
   divisor of it. The memory stays until the process ends. */
struct cycle cycle_make(uint32_t per_command);

/* The configuration of an exchange with these accounts, which have
   money enough for 50,000 cycles. Exits when it is refused. */
void cycle_config(struct config *config);

#endif
