/* SPDX-License-Identifier: MIT */
/* report.h — the findings as a list that people can read and a run can replay, and the line of JSON at the end. */
#ifndef ADVERSARY_REPORT_H
#define ADVERSARY_REPORT_H

#include "climb.h"

void report_found(FILE *to, const struct found *found);
void report_tally(const struct tally *tally, uint64_t seed, const char *without, const struct found *found,
                  double seconds);

/* Names of goals and settings; false: an unknown name. */
bool goal_read(const char *text, enum goal *goal);
bool setting_read(const char *text, enum setting *setting);

/*
 * Replays a list and prints the state of each account after each move. The exit code: 1 when something is taken, 2
 * when the list cannot be read.
 */
int report_replay(const char *path);

#endif
