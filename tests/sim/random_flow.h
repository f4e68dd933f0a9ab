/* SPDX-License-Identifier: MIT */
/*
 * random_flow.h — random hostile flow in a small world, at a high rate: every command, spot and perps mixed, most of
 * them sensible, many of them mutated, and after EACH of them every invariant (engine_verify and judge.h).
 *
 * One number decides everything: the sizes of the world, its users, the mix, the faults. The same number plays the
 * same commands on every machine.
 */
#ifndef SIM_RANDOM_FLOW_H
#define SIM_RANDOM_FLOW_H

#include "judge.h"

#define FLOW_KINDS COMMAND_KINDS /* enum command_kind, from 1 */

/* How often each command (by its items) ended how; column REJECT_NONE: accepted. */
struct outcomes {
    uint64_t cell[FLOW_KINDS][REJECT_COUNT];
};

/* Cells of the matrix: those there are, those that were hit less often than `goal`, those hit that cannot be. */
struct outcome_counts {
    uint32_t possible, few, strange;
};
struct outcome_counts outcomes_count(const struct outcomes *outcomes, uint64_t goal);
bool                  outcome_is_possible(uint16_t kind, enum reject reject);

struct flow_counts {
    uint64_t commands, trades, liquidations, fundings, triggered, replayed;
};

/* A plant of a test: called after each command with the engine and its events, before anything is looked at. */
typedef void flow_fault(struct fixture *f, uint64_t command);

struct flow_run {
    uint64_t           seed, commands;
    bool               verbose;  /* a line per command on stdout */
    flow_fault        *inject;   /* NULL outside of tests */
    struct outcomes   *outcomes; /* added to */
    struct flow_counts counts;
    struct hash256     hash;       /* of the state at the end */
    char               wrong[256]; /* the violation, and after which command; "" = none */
};

/* Plays a seed. False: run->wrong. A broken invariant of engine_verify stops the process, as everywhere. */
bool flow_play(struct flow_run *run) MUST_USE;

#endif
