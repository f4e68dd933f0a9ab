/* SPDX-License-Identifier: MIT */
/*
 * judge.h — invariants that engine_verify cannot check, because it looks at the state and these are about events: the
 * events of each command against those of all commands before (docs/spec/invariants.md, list of the judge; numbers in
 * brackets in judge.c).
 *
 * The judge keeps its own list of open orders, its own positions and its own sum of fees, from events alone.
 */
#ifndef SIM_JUDGE_H
#define SIM_JUDGE_H

#include "rigs/core/perps_fixture.h"

#define JUDGE_ORDERS   512
#define JUDGE_FILLS    4096
#define JUDGE_ACCOUNTS 64

/* An order that is open, or in the events of the present command. */
struct known_order {
    uint64_t id;
    int64_t  price, quantity, executed, filled; /* filled: by the fills of this command */
    int64_t  was_executed;                      /* before this command */
    uint8_t  side, time_in_force, status, market;
    bool     reduce_only, asleep, received, by_funds; /* asleep: a stop that has not triggered; told: in this command */
};

struct known_fill {
    const struct filled *fill;
    int64_t              size_before;
};

struct judge {
    uint64_t           seq, trade_id;
    int64_t            time_ms;
    struct known_order orders[JUDGE_ORDERS];
    uint32_t           order_count;
    struct known_fill  fills[JUDGE_FILLS];
    uint32_t           fill_count;
    int64_t            sizes[JUDGE_ACCOUNTS][2]; /* by slot and perps symbol */
    int64_t            vault[COINS_MAX], vault_wallet;
    int128_t           funding[2]; /* of this command, by symbol */
    uint32_t           funded[2];
    int64_t            charged[2], charged_day; /* to the fund by receipts, by symbol, in that UTC day */
    uint32_t opened[JUDGE_ACCOUNTS]; /* symbol id in which the account's last fill of this command opened, 0 = none */
    struct limits limits;            /* of the last command; nothing before the first one */
    uint8_t       mode;              /* the last emitted enum venue_mode; 0 = none yet */
    uint64_t      trades, liquidations, fundings, triggered; /* how much has happened */
    char          wrong[160];                                /* the first violation; "" = none */
};

/* Checks the events of the command that was just applied. False: judge->wrong has the violation. */
bool judge_command(struct judge *judge, const struct fixture *f) MUST_USE;

#endif
