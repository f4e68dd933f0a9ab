/* SPDX-License-Identifier: MIT */
/* raise.h — a raise of a limit (ruling 75) on its way to the log: it goes there only when there is memory for it. */
#ifndef PIPELINE_RAISE_H
#define PIPELINE_RAISE_H

#include "pipeline/server.h"

/*
 * For the sequencer; `self` is the struct server. Takes the memory that the raise needs. False: there is not so much,
 * the message has been answered with 42026, which names the pool and the bytes, and nothing has changed.
 */
bool raise_fits(void *self, const struct write_message *message);

#endif
