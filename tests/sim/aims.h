/* SPDX-License-Identifier: MIT */
/*
 * aims.h — commands for outcomes that random flow rarely reaches: an order below the smallest quantity, a withdrawal
 * by an account in liquidation, a settlement withdrawn too late. Each looks at the state, makes the one command that
 * fits it, and, when it takes several commands, continues with the next.
 *
 * The results are not judged here; the flow's table of outcomes shows whether all of them were reached.
 */
#ifndef SIM_AIMS_H
#define SIM_AIMS_H

#include "rigs/core/perps_fixture.h"

struct aims {
    uint64_t rolls;           /* their own random numbers */
    uint32_t next, left;      /* an aim that takes several commands, and how many more */
    uint32_t slot, symbol_id; /* the account and symbol of the aim */
    uint32_t named;           /* names used */
    uint32_t speaker;         /* slot of the account that must send the command; 0 = any */
};

void aims_begin(struct aims *aims, uint64_t seed);

/* Fills f->room, but for the signature, when there is something to aim at and it is its turn. */
bool aims_next(struct aims *aims, struct fixture *f) MUST_USE;

#endif
