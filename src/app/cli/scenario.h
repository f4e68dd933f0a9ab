/* SPDX-License-Identifier: MIT */
/*
 * scenario.h — a log as a story that tests/scenarios plays: its genesis, every command as it was applied, what came of
 * it, and the state it ends in. Whoever plays it gets the same results from the engine alone, or learns at which line
 * not.
 */
#ifndef APP_CLI_SCENARIO_H
#define APP_CLI_SCENARIO_H

#include "pipeline/replay.h"

/* Prints commands to stdout, from the first one to `last`. EXIT_FINE, or what went wrong was printed. */
int scenario_print(struct replay *replay, const struct genesis *genesis, uint64_t last);

#endif
