/* SPDX-License-Identifier: MIT */
/* bench.h — the engine and its twin side by side over one history of
   commands; shrinking a history; printing it as a scenario. */
#ifndef TWIN_BENCH_H
#define TWIN_BENCH_H

#include <stdio.h>

#include "twin.h"

struct history;

struct twin_counts {
    uint64_t commands, events, trades, rejects[REJECT_COUNT], kinds[64], said; /* said: a digest of the commands */
    uint64_t bytes, encoded; /* of all events, and as they are hashed (model/encoded.h) */
};

/* The commands of a seed, compared one by one until `n` of them are done or something differs. */
struct history *history_play(uint64_t seed, uint32_t perps, uint64_t n, uint64_t each, enum twin_bug bug,
                             struct twin_counts *counts);
void            history_free(struct history *history);

/* The difference, or NULL. */
const char *history_wrong(const struct history *history);
uint64_t    history_count(const struct history *history);

/* Removes everything not needed to show a difference (delta debugging): commands, then items. */
void history_shrink(struct history *history);

/* Only the last command remains. */
void history_last(struct history *history);

/* The history as a scenario of tests/scenarios; parts that a scenario cannot express become comments. */
void history_print(const struct history *history, FILE *out);

/* The events of a command as text on the standard error, to find the cause of a difference. */
void events_print(const char *whose, const struct events *events);

void counts_print(const struct twin_counts *counts, FILE *out);

#endif
