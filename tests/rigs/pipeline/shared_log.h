/* SPDX-License-Identifier: MIT */
/*
 * shared_log.h — a log in memory that several nodes of one test share, with the rules of decision 127: a row goes only
 * behind the row that its writer has seen last, and a fence takes the log from whoever wrote before. What becomes of a
 * node's next batch can be chosen, so that each answer of a database has a test.
 */
#ifndef RIGS_PIPELINE_SHARED_LOG_H
#define RIGS_PIPELINE_SHARED_LOG_H

#include "log/kind.h"

#include <errno.h>
#include <stdlib.h>

#define SHARED_ROWS      256
#define SHARED_UNDER_WAY 2

struct shared_row {
    uint8_t           *bytes; /* NULL: a fence */
    struct log_batch   batch;
    struct log_applied applied;
};

struct shared_store {
    struct shared_row rows[SHARED_ROWS];
    uint64_t          count, term;
};

/*
 * What becomes of the next batch of a node: NEXT_LOST, NEXT_KEPT and NEXT_ALL_KEPT answer EIO, and the row is not
 * there, or is, or all that are under way are. NEXT_WAITS: the database does not answer yet, and log_nudge has ended
 * the wait.
 */
enum shared_next { NEXT_WELL = 0, NEXT_LOST, NEXT_KEPT, NEXT_ALL_KEPT, NEXT_WAITS };

struct shared_log {
    struct log                head;
    struct shared_store      *store;
    uint64_t                  row, seq; /* the next row to read or write, and the next command */
    uint64_t                  fence;    /* row of a fence of ours that is not reached yet, from 1; 0 = none */
    enum shared_next          next;
    bool                      is_down; /* the database does not answer */
    uint32_t                  under_way, most_under_way;
    struct log_batch         *submitted[SHARED_UNDER_WAY];
    const struct log_applied *applied[SHARED_UNDER_WAY];
};

static inline struct shared_log *shared_of(struct log *log) { return (struct shared_log *)(void *)log; }

static inline struct shared_row *shared_add(struct shared_store *store)
{
    assert(store->count < SHARED_ROWS);
    return &store->rows[store->count++];
}

static inline void shared_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    struct shared_log *shared = shared_of(log);

    assert(shared->under_way < SHARED_UNDER_WAY);
    shared->submitted[shared->under_way] = batch;
    shared->applied[shared->under_way] = applied;
    shared->under_way += 1;
    if (shared->under_way > shared->most_under_way) shared->most_under_way = shared->under_way;
}

/* The oldest under way becomes a row. */
static inline void shared_keep(struct shared_log *shared)
{
    struct shared_row *row = shared_add(shared->store);
    struct log_batch  *batch = shared->submitted[0];

    row->bytes = malloc(batch->len);
    assert(row->bytes != NULL);
    memcpy(row->bytes, batch->at, batch->len);
    row->batch = *batch;
    row->applied = *shared->applied[0];
    shared->submitted[0] = shared->submitted[1];
    shared->applied[0] = shared->applied[1];
    shared->under_way -= 1;
}

static inline int shared_wait(struct log *log)
{
    struct shared_log *shared = shared_of(log);
    struct log_batch  *batch = shared->submitted[0];
    enum shared_next   next = shared->next;

    assert(shared->under_way != 0);
    if (next == NEXT_WAITS) return EAGAIN;
    shared->next = NEXT_WELL;
    if (shared->row != shared->store->count) return ESTALE;
    if (next == NEXT_LOST) return EIO;
    shared_keep(shared);
    while (next == NEXT_ALL_KEPT && shared->under_way != 0) shared_keep(shared);
    if (next != NEXT_WELL) return EIO;
    batch->position = log_position_make(0, ++shared->row);
    shared->seq = batch->first_seq + batch->count;
    return 0;
}

static inline enum log_fault shared_follow(struct log *log, struct log_batch *batch, struct log_applied *applied,
                                           bool *there, bool *partial, struct log_report *report)
{
    struct shared_log       *shared = shared_of(log);
    const struct shared_row *row;
    struct log_batch         room = *batch;

    *partial = *there = false;
    report->error = EIO;
    if (shared->is_down) return LOG_IO;
    while (shared->row < shared->store->count && shared->store->rows[shared->row].bytes == NULL) shared->row += 1;
    if (shared->row == shared->store->count) return LOG_OK;
    row = &shared->store->rows[shared->row++];
    *batch = row->batch;
    batch->at = room.at;
    batch->cap = room.cap;
    memcpy(batch->at, row->bytes, row->batch.len);
    batch->position = log_position_make(0, shared->row);
    *applied = row->applied;
    shared->seq = batch->first_seq + batch->count;
    *there = true;
    return LOG_OK;
}

static inline enum log_fault shared_lead(struct log *log, uint64_t *term, bool *leads, struct log_report *report)
{
    struct shared_log *shared = shared_of(log);

    report->error = EIO;
    if (shared->is_down) return LOG_IO;
    if (shared->fence == 0) {
        *shared_add(shared->store) = (struct shared_row){ .bytes = NULL };
        shared->fence = shared->store->count;
        shared->store->term += 1;
    }
    *term = shared->store->term;
    *leads = shared->row + 1 >= shared->fence;
    if (!*leads) return LOG_OK;
    shared->row = shared->fence;
    shared->fence = 0;
    return LOG_OK;
}

static inline void shared_follow_again(struct log *log) { shared_of(log)->under_way = 0; }

static inline void     shared_await(struct log *log, int64_t ms) { (void)log, (void)ms; }
static inline void     shared_nudge(struct log *log) { (void)log; }
static inline uint64_t shared_next_seq(const struct log *log) { return ((const struct shared_log *)log)->seq; }
static inline bool     shared_is_short(const struct log *log) { return log == NULL; }

static inline struct log_figures shared_figures(const struct log *log)
{
    (void)log;
    return (struct log_figures){ 0 };
}

static const struct log_kind shared_kind = {
    .name = "shared memory",
    .follow = shared_follow,
    .submit = shared_submit,
    .wait = shared_wait,
    .under_way = SHARED_UNDER_WAY,
    .await = shared_await,
    .nudge = shared_nudge,
    .lead = shared_lead,
    .follow_again = shared_follow_again,
    .next_seq = shared_next_seq,
    .is_short = shared_is_short,
    .figures = shared_figures,
};

static inline void shared_open(struct shared_log *log, struct shared_store *store)
{
    *log = (struct shared_log){ .head.kind = &shared_kind, .store = store, .seq = 1 };
}

static inline void shared_forget(struct shared_store *store)
{
    for (uint64_t i = 0; i < store->count; i++) free(store->rows[i].bytes);
    *store = (struct shared_store){ .count = 0 };
}

#endif
