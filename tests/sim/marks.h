/* SPDX-License-Identifier: MIT */
/* marks.h — states of the engine that each life must reach again, by a replay or from a snapshot. */
#ifndef SIM_MARKS_H
#define SIM_MARKS_H

#include "core/engine.h"

void marks_begin(void); /* of another world */
/* Commands after this one have not happened, or are lost. */
void marks_keep(uint64_t last_seq);
/*
 * Whether the state after a command is the remembered one. `add`: a new one is remembered, and the oldest one
 * forgotten.
 */
void marks_judge(const struct engine *engine, uint64_t seq, bool add);

#endif
