/* SPDX-License-Identifier: MIT */
/*
 * checkpoints.h — states of a development exchange in memory, so that going back takes milliseconds. It is a cache: a
 * state that is not here is made from the log.
 *
 *     checkpoint 1 ── pages ── checkpoint 2 ── pages ── base ── changed pages ── now
 *
 * The base (io/pages.h) is the whole memory of engine and views at one place of the log. A checkpoint holds what was in
 * the base on the pages that a later base wrote over; going back to it writes these into the base, the last checkpoint
 * first, and drops the changed pages. When the pages of all checkpoints are too many, every second one goes, and its
 * pages to the one before.
 *
 * Threads that read the views may go on reading while the base moves: what they read stays the same. The first bytes of
 * the views are no part of the base, because readers write there (locks).
 */
#ifndef PIPELINE_CHECKPOINTS_H
#define PIPELINE_CHECKPOINTS_H

#include "io/pages.h"
#include "pipeline/branches.h"
#include "pipeline/exchange.h"

struct checkpoint;

struct checkpoints {
    struct pages        pages[2];  /* of the engine; of the views behind their head */
    const void         *memory[2]; /* of which exchange: engine and views */
    bool                is_begun;  /* the base holds a state */
    struct checkpoint  *base;      /* facts about it */
    struct checkpoint **all;       /* ascending; their places are on the live path */
    uint32_t            count, cap;
    size_t              page_count; /* of all checkpoints */
    int64_t             moved_ns;   /* when the base moved last, and how long that took */
    int64_t             took_ns;
};

/* Takes from the system what a sandbox would refuse later. Where that is not possible, all functions below do nothing.
 */
void checkpoints_open(struct checkpoints *points, const struct exchange *exchange);
void checkpoints_close(struct checkpoints *points);

/* The base moves to the present, which is the state at `mark`; with `keep` that is a checkpoint from now on. */
void checkpoints_move(struct checkpoints *points, const struct exchange *exchange, const struct log_mark *mark,
                      bool keep);

/* Whether the base is so far behind that it should move when there is nothing else to do. */
bool checkpoints_are_due(const struct checkpoints *points);

/*
 * The last checkpoint on a path becomes the present, and those behind it go: *mark is its place. False: there is none,
 * and nothing has changed. No other thread reads.
 */
bool checkpoints_restore(struct checkpoints *points, struct exchange *exchange, const struct live_path *path,
                         struct log_mark *mark);

/* The memory is about to hold another state altogether, and is all zeros then; checkpoints_move begins anew. */
void checkpoints_forget(struct checkpoints *points, const struct exchange *exchange);

#endif
