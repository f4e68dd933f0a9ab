/* SPDX-License-Identifier: MIT */
/* units.h — of the search at a constant price (units.c): its moves, and its world (units_world.c). */
#ifndef SIM_ADVERSARY_UNITS_H
#define SIM_ADVERSARY_UNITS_H

#include "rigs/core/perps_fixture.h"

#define MOVES 24
#define HOUSE 3 /* user number */

uint32_t random_below(uint32_t n);

enum kind {
    SPOT,
    SPOT_PARTS,
    SPOT_FUNDS,
    SPOT_CANCEL,
    SPOT_REPLACE,
    PERPS,
    PERPS_STOP,
    PERPS_CANCEL,
    PERPS_REPLACE,
    LEVERAGE,
    MARGIN,
    TRANSFER,
    TIME,
    KINDS
};

struct move {
    uint8_t  kind, who, symbol, side, tif, flag;
    uint16_t target;
    int32_t  away;
    int64_t  quantity;
};
struct sequence {
    uint32_t    count;
    struct move moves[MOVES];
};

struct world {
    struct fixture *f;
    uint8_t        *begun; /* the engine's memory behind the start */
    size_t          bytes;
    struct fixture  start;
    bool            two, perps, thin; /* thin: only the adversaries quote perps */
    int64_t         each[HOUSE + 1];  /* a user's initial holdings, quote units */
};

int64_t price_of(const struct fixture *f, bool perps, uint32_t symbol);
void    world_make(struct world *world);
void    world_again(struct world *world); /* as it was made */
void    world_free(struct world *world);

/* Fills the fixture's command with that move of the sequence; false: it is none now. */
bool command_of(const struct world *world, const struct sequence *sequence, uint32_t number);

#endif
