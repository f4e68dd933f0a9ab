/* SPDX-License-Identifier: MIT */
/*
 * climb.h — the search: in each world a pool of the best sequences by each goal is changed and crossed, and started
 * again when it makes no progress.
 */
#ifndef ADVERSARY_CLIMB_H
#define ADVERSARY_CLIMB_H

#include "goals.h"
#include "moves.h"

/* Where to search: seed of the world, goal, and setting or WORLD_SETTINGS for any. */
struct site {
    uint64_t     seed;
    enum goal    goal;
    enum setting setting;
};

struct found {
    struct site     at;
    enum goal       by;
    struct sequence sequence;
    struct score    score;
};

/* Counts over all worlds. */
struct tally {
    uint64_t sequences, commands, worlds, accepted, refused, fills, liquidated, taken_over, deleveraged;
    int128_t best[GOALS];
};

/* Plays a sequence from the start of the world. True: something was taken. */
bool climb_play(struct world *world, enum goal goal, const struct sequence *sequence, struct score *score,
                struct tally *tally);

/* At most so many sequences in the world of this seed. True: found. */
bool climb_world(struct site at, uint64_t sequences, struct tally *tally, struct found *found);

/* As short as it can be and still a gain of the same goal. */
void climb_shrink(struct world *world, struct found *found, struct tally *tally);

/* A world from its seed; the same each time. */
void climb_begin(struct world *world, struct site at);

#endif
