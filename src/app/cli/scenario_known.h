/* SPDX-License-Identifier: MIT */
/* scenario_known.h — the scenarios that are in the program (src/app/scenarios). */
#ifndef APP_CLI_SCENARIO_KNOWN_H
#define APP_CLI_SCENARIO_KNOWN_H

#include "app/cli/timeline.h"
#include "base/out.h"

extern const uint32_t scenario_known_count;

/* The text of one, from 0. */
struct slice scenario_known_text(uint32_t number);
/* The number of the one with this name; false: there is none. */
bool scenario_known_find(struct slice name, uint32_t *number) MUST_USE;
/* Whether it plays only in an exchange that was started for it: it kills that exchange. */
bool scenario_needs_own(const struct timeline *timeline);
/* All as a JSON array: name, about, market, endsMs, steps, expectations, own. */
void scenario_known_write(struct out *out);

#endif
