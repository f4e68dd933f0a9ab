/* SPDX-License-Identifier: MIT */
/*
 * scenario.h — a log as a scenario for tests/scenarios: its genesis, every command as it was applied, its outcome, and
 * the final state. A player of the scenario gets the same results from the engine alone, or the first line that
 * differs.
 */
#ifndef APP_CLI_SCENARIO_H
#define APP_CLI_SCENARIO_H

#include "pipeline/replay.h"

#define SCENARIO_RESULTS_MAX 32768 /* bytes of them: a line for each of BATCH_MAX items */

/* The results of one command, a line each: "  result INDEX ok|REJECT #ID STATUS", or "  refused REJECT". */
void scenario_results(struct out *out, const struct events *events);

/* Prints commands to stdout, from the first one to `last`. EXIT_FINE, or what went wrong was printed. */
int scenario_print(struct replay *replay, const struct genesis *genesis, uint64_t last);

#endif
