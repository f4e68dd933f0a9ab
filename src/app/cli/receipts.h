/* SPDX-License-Identifier: MIT */
/*
 * receipts.h — what auditors read of liquidations: every receipt of a log, and why one liquidation went as it did
 * (docs/OPERATIONS.md). The log is replayed by an engine of its own; nothing is written.
 */
#ifndef APP_CLI_RECEIPTS_H
#define APP_CLI_RECEIPTS_H

#include "pipeline/replay.h"

/* Called for every event of every command, in order, with the engine as the command left it; false stops the replay. */
typedef bool receipts_look(void *self, const struct engine *engine, const struct command *command,
                           const struct event *event);

/* Replays the whole log into an engine of its own. EXIT_FINE, or the code of the printed reason. */
int receipts_replay(struct replay *replay, const struct genesis *genesis, receipts_look *look, void *self);

/* dojima log --receipts: a line of every LIQUIDATION from command `first` to `last`. */
int receipts_print(struct replay *replay, const struct genesis *genesis, uint64_t first, uint64_t last);

/* Units as a decimal in text[64]; returns text. */
const char *receipts_units(int64_t units, uint32_t precision, char text[64]);

/* The line of one receipt. */
void receipts_print_line(const struct genesis *genesis, uint64_t seq, const struct liquidated *receipt);

#endif
