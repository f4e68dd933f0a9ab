/* SPDX-License-Identifier: MIT */
/*
 * market.h — the built-in market of a development exchange: traders with accounts of their own, and the path of the
 * index prices. A step is a pure function of seed, knobs, time and what the views show; nothing is kept between two
 * steps, so a restart continues the market. docs/market.md has the formulas.
 *
 * Every MARKET_STEP_MS of engine time, when all earlier commands have been applied and folded, market_step writes the
 * commands of that instant: orders and cancels, marked COMMAND_BY_TRADER and without number and time, and money for
 * accounts that have none.
 */
#ifndef MARKET_MARKET_H
#define MARKET_MARKET_H

#include "model/commands.h"
#include "model/genesis.h"
#include "views/views.h"

#define MARKET_STEP_MS INT64_C(100) /* divides half a second */
#define MARKET_TRADERS 19

struct market_knobs {
    uint8_t  preset; /* enum market_preset; 0 = none */
    uint8_t  pulled; /* per cent of the makers that have no orders */
    uint16_t takers; /* rate of the takers, per cent of the preset's */
    int32_t  drift;  /* of the indexes, 1e-6 an hour */
};

struct traders {
    uint64_t              seed;
    const struct genesis *genesis;
    const struct views   *views;
    struct address        traders[MARKET_TRADERS]; /* market_init */
};

struct traders market_make(uint64_t seed, const struct genesis *genesis, const struct views *views);

/* Where the commands of a step go; false: there is no room for more of them in this step. */
struct market_writer {
    void *self;
    bool (*send)(void *self, struct command *command);
    /* Money from outside, in units of the coin; `name` is unique for ever. */
    bool (*deposit)(void *self, const struct deposit *deposit, struct slice name);
};

/* The first step behind an engine time; INT64_MAX without a preset. */
int64_t market_due_ms(const struct market_knobs *knobs, int64_t behind_ms);

/* Writes the commands of the step at `time_ms`, a multiple of MARKET_STEP_MS. */
void market_step(const struct traders *market, const struct market_knobs *knobs, int64_t time_ms,
                 const struct market_writer *writer);

/* The addresses of the traders, of which nobody has a key. */
struct address market_trader(uint32_t trader);

#endif
