/* SPDX-License-Identifier: MIT */
/*
 * held.h — an engine alone, for commands that read a log and need neither blocks nor views. The engine moves into more
 * memory when the log raises a limit (ruling 75); every consumer of a log uses this or exchange_run.
 */
#ifndef PIPELINE_HELD_H
#define PIPELINE_HELD_H

#include "core/engine.h"

struct held {
    struct genesis room;   /* the log's genesis with the limits in force */
    struct engine *engine; /* NULL: not open */
    void          *memory;
    struct events  events; /* of the last command; those of the genesis after held_open */
};

/* Makes the engine of a genesis. False when there is not enough memory; held_close is to be called all the same. */
bool held_open(struct held *held, const struct genesis *genesis) MUST_USE;

/* Applies a log's next command; its events replace those before.
   False when there is no memory for a limit that it raises. */
bool held_apply(struct held *held, const struct command *command) MUST_USE;

/* Gives the memory back. */
void held_close(struct held *held);

#endif
