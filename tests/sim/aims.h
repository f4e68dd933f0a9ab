/* SPDX-License-Identifier: MIT */
/*
 * aims.h — commands for outcomes that chance seldom comes to: an order below the smallest quantity, a withdrawal by
 * somebody in liquidation, a settlement withdrawn too late. Each looks at what there is, says the one thing that
 * fits it, and, where it takes several commands to get there, goes on with the next.
 *
 * What comes of it is not judged here; the crowd's table of outcomes says whether all of them were reached.
 */
#ifndef SIM_AIMS_H
#define SIM_AIMS_H

#include "rigs/core/perps_fixture.h"

struct aims {
    uint64_t rolls;           /* dice of their own */
    uint32_t next, left;      /* an aim that takes several commands, and how many more */
    uint32_t slot, symbol_id; /* whom and what it is about */
    uint32_t named;           /* names given */
    uint32_t speaker;         /* slot of the account that must speak; 0 = anybody */
};

void aims_begin(struct aims *aims, uint64_t seed);

/* Fills f->room, but for the signature, when there is something to aim at and it is its turn. */
bool aims_next(struct aims *aims, struct fixture *f) MUST_USE;

#endif
