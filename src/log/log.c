/* SPDX-License-Identifier: MIT */
/* log.c — the functions of log.h: the common part of all logs, and dispatch to the implementation. */
#include "log/kind.h"

void log_close(struct log *log) { log->kind->close(log); }

void log_knows(struct log *log, uint64_t seq) { log->kind->knows(log, seq); }

enum log_fault log_next(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *end,
                        struct log_report *report)
{
    return log->kind->next(log, batch, applied, end, report);
}

enum log_fault log_resume(struct log *log, const struct log_mark *mark, struct log_batch *batch,
                          struct log_report *report)
{
    return log->kind->resume(log, mark, batch, report);
}

enum log_fault log_follow(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *there,
                          bool *partial, struct log_report *report)
{
    return log->kind->follow(log, batch, applied, there, partial, report);
}

int log_read(const struct log *log, const struct log_position *position, void *room, size_t cap,
             struct log_batch *batch)
{
    return log->kind->read(log, position, room, cap, batch);
}

void log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    log->kind->submit(log, batch, applied);
}

int log_wait(struct log *log) { return log->kind->wait(log); }

struct hash256 log_chain(const struct log *log) { return log->kind->chain(log); }

uint64_t log_next_seq(const struct log *log) { return log->kind->next_seq(log); }

bool log_wants_spare(const struct log *log) { return log->kind->wants_spare(log); }

int log_prepare(struct log *log) { return log->kind->prepare(log); }

bool log_is_short(const struct log *log) { return log->kind->is_short(log); }

struct log_figures log_figures(const struct log *log) { return log->kind->figures(log); }

uint64_t log_reserve(const struct log *log) { return log->kind->reserve(log); }

int log_check(const struct log *log, uint32_t *packed, char name[LOG_PART_NAME])
{
    return log->kind->check(log, packed, name);
}

/* ---- holds ---- */

uint32_t log_hold(struct log *log, const struct log_position *position)
{
    uint32_t hold = 0;

    while (hold < LOG_HOLDS && log->is_held[hold]) hold++;
    assert(hold < LOG_HOLDS);
    log->is_held[hold] = true;
    log->holds[hold] = *position;
    return hold;
}

void log_release(struct log *log, uint32_t hold)
{
    assert(hold < LOG_HOLDS && log->is_held[hold]);
    log->is_held[hold] = false;
}

int log_pack(struct log *log, struct log_packed *packed)
{
    const struct log_position *needed = NULL;

    for (uint32_t hold = 0; hold < LOG_HOLDS; hold++)
        if (log->is_held[hold] && (needed == NULL || log_position_compare(&log->holds[hold], needed) < 0))
            needed = &log->holds[hold];
    *packed = (struct log_packed){ 0 };
    return log->kind->pack(log, needed, packed);
}
