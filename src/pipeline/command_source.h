/* SPDX-License-Identifier: MIT */
/*
 * command_source.h — commands that the exchange gives itself, in development: the traders of the built-in market. The
 * sequencer asks at the instants of engine time that the source names, when everything earlier has been applied; what
 * is added goes into a batch with exactly that time, behind the TICK of its second. The source belongs to the engine's
 * thread, keeps nothing from one instant to the next, and decides from the time and from what the exchange shows; so a
 * restart continues it, and the same log before it gives the same commands.
 */
#ifndef PIPELINE_COMMAND_SOURCE_H
#define PIPELINE_COMMAND_SOURCE_H

#include "base/slice.h"
#include "model/commands.h"

/* Adds a command: kind, bytes, market, domain with its mark, signer and payload are set; the rest is the sequencer's.
   `json` lies beside it in the log. False: the batch is full. */
struct source_writer {
    void *self;
    bool (*add)(void *self, struct command *command, struct slice json);
};

struct command_source {
    void *self;
    /* The first instant behind an engine time; INT64_MAX = none. Instants are multiples of a divisor of a second. */
    int64_t (*due_ms)(void *self, int64_t behind_ms);
    /* Adds the commands of an instant, perhaps none. */
    void (*fill)(void *self, int64_t time_ms, const struct source_writer *writer);
    /*
     * An advance of the clock begins or has ended: between the two the log need not be synced after each batch, because
     * no client gets an answer before the end (decision 627). NULL: it is synced all the same.
     */
    void (*hurry)(void *self, bool begins);
};

#endif
