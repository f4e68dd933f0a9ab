/* SPDX-License-Identifier: MIT */
/* marks.h — states of the engine that each life must come to again, be it by a replay or from a snapshot. */
#ifndef SIM_MARKS_H
#define SIM_MARKS_H

#include "core/engine.h"

void marks_begin(void); /* of another world */
/* What is behind this command has not happened, or not any more. */
void marks_keep(uint64_t last_seq);
/* The state behind a command is the one that was there. `add`: one that
   is not known is remembered, and the oldest one forgotten. */
void marks_judge(const struct engine *engine, uint64_t seq, bool add);

#endif
