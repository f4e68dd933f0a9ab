/* SPDX-License-Identifier: MIT */
/*
 * kind.h — the functions of an implementation of the log. Each is specified by the function of the same name in log.h.
 */
#ifndef LOG_KIND_H
#define LOG_KIND_H

#include "log/log.h"
#include "log/trim.h"

struct lease;
struct lease_wish;
struct lease_view;

struct log_kind {
    const char *name;
    size_t (*bytes)(void);
    enum log_fault (*create)(void *memory, const struct disk *folder, const struct log_settings *settings,
                             struct slice genesis, struct log_report *report);
    enum log_fault (*open)(void *memory, const struct disk *folder, const struct log_settings *settings,
                           struct log **log, struct slice *genesis, struct log_report *report);
    void (*close)(struct log *log);

    void (*knows)(struct log *log, uint64_t seq, const char *holder);
    enum log_fault (*next)(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *end,
                           struct log_report *report);
    enum log_fault (*resume)(struct log *log, const struct log_mark *mark, struct log_batch *batch,
                             struct log_report *report);
    enum log_fault (*follow)(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *there,
                             bool *partial, struct log_report *report);
    int (*read)(const struct log *log, const struct log_position *position, void *room, size_t cap,
                struct log_batch *batch);

    void (*submit)(struct log *log, struct log_batch *batch, const struct log_applied *applied);
    int (*wait)(struct log *log);
    uint32_t under_way; /* the batches that may be under way at a time */

    /* NULL in a log that is not shared */
    void (*await)(struct log *log, int64_t ms);
    void (*nudge)(struct log *log);
    enum log_fault (*lead)(struct log *log, uint64_t *term, bool *leads, struct log_report *report);
    void (*follow_again)(struct log *log);
    int (*tell_snapshots)(struct log *log, const struct log_mark *older, const struct log_mark *newer);
    bool (*trimmed)(const struct log *log, struct log_trimmed *trimmed);
    int (*lease_open)(struct log *log, struct lease **lease, struct log_report *report);
    int (*lease_step)(struct lease *lease, const struct lease_wish *wish, struct lease_view *view);
    int (*lease_hand_over)(struct lease *lease, const char *node);
    void (*lease_close)(struct lease *lease);
    void (*lease_await)(struct lease *lease, int64_t ms);
    void (*lease_nudge)(struct lease *lease);

    struct hash256 (*chain)(const struct log *log);
    uint64_t (*next_seq)(const struct log *log);

    bool (*wants_spare)(const struct log *log);
    int (*prepare)(struct log *log);
    bool (*is_short)(const struct log *log);
    struct log_figures (*figures)(const struct log *log);
    uint64_t (*reserve)(const struct log *log);

    /* The next part before `needed`, the earliest position that is held; NULL: no reader holds one. */
    int (*pack)(struct log *log, const struct log_position *needed, struct log_packed *packed);
    int (*check)(const struct log *log, uint32_t *packed, char name[LOG_PART_NAME]);
};

/* The head of every log: the implementation sets `kind`, log.c owns the holds. */
struct log {
    const struct log_kind *kind;
    bool                   is_held[LOG_HOLDS];
    struct log_position    holds[LOG_HOLDS];
};

/* The head of every lease. */
struct lease {
    const struct log_kind *kind;
};

/* The row of each implementation (log/open.c); NULL behind the last one. */
extern const struct log_kind *const log_kinds[];

#endif
