/* SPDX-License-Identifier: MIT */
/* log.c — the functions of log.h: the common part of all logs, and dispatch to the implementation. */
#include "log/kind.h"
#include "log/lease.h"

void log_close(struct log *log) { log->kind->close(log); }

void log_knows(struct log *log, uint64_t seq, const char *holder) { log->kind->knows(log, seq, holder); }

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

uint32_t log_under_way(const struct log *log)
{
    assert(log->kind->under_way >= 1);
    return log->kind->under_way;
}

bool log_is_shared(const struct log *log) { return log->kind->lead != NULL; }

void log_await(struct log *log, int64_t ms)
{
    assert(log_is_shared(log) && ms >= 0);
    log->kind->await(log, ms);
}

void log_nudge(struct log *log)
{
    if (log_is_shared(log)) log->kind->nudge(log);
}

enum log_fault log_lead(struct log *log, uint64_t *term, bool *leads, struct log_report *report)
{
    assert(log_is_shared(log));
    return log->kind->lead(log, term, leads, report);
}

void log_follow_again(struct log *log)
{
    assert(log_is_shared(log));
    log->kind->follow_again(log);
}

int log_tell_snapshots(struct log *log, const struct log_mark *older, const struct log_mark *newer)
{
    assert(log_is_shared(log) && (older == NULL) == (newer == NULL));
    return log->kind->tell_snapshots(log, older, newer);
}

bool log_trimmed(const struct log *log, struct log_trimmed *trimmed)
{
    return log->kind->trimmed != NULL && log->kind->trimmed(log, trimmed);
}

void log_digest_add(struct hash256 *digest, const struct log_batch *batch, const struct log_applied *applied)
{
    uint64_t      numbers[] = { batch->first_seq, batch->count, (uint64_t)batch->time_ms, applied->number };
    struct keccak keccak;

    assert(batch->len >= LOG_BATCH_HEAD);
    keccak_init(&keccak);
    keccak_add(&keccak, digest->bytes, sizeof(digest->bytes));
    keccak_add(&keccak, numbers, sizeof(numbers));
    keccak_add(&keccak, applied->hash.bytes, sizeof(applied->hash.bytes));
    keccak_add(&keccak, batch->at + LOG_BATCH_HEAD, batch->len - LOG_BATCH_HEAD);
    *digest = keccak_end(&keccak);
}

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

/* ---- the lease ---- */

int lease_open(struct log *log, struct lease **lease, struct log_report *report)
{
    assert(log_is_shared(log));
    return log->kind->lease_open(log, lease, report);
}

int lease_step(struct lease *lease, const struct lease_wish *wish, struct lease_view *view)
{
    int error = lease->kind->lease_step(lease, wish, view);

    assert(error != 0 || !view->is_ours || view->remaining_ms > 0);
    return error;
}

int lease_hand_over(struct lease *lease, const char *node) { return lease->kind->lease_hand_over(lease, node); }

void lease_await(struct lease *lease, int64_t ms) { lease->kind->lease_await(lease, ms); }

void lease_nudge(struct lease *lease) { lease->kind->lease_nudge(lease); }

void lease_close(struct lease *lease) { lease->kind->lease_close(lease); }
