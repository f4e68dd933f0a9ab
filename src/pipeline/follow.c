/* SPDX-License-Identifier: MIT */
#include "pipeline/follow.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"

#define UNREACHABLE_MS 100 /* between two attempts to reach the log */

/* A log that cannot be reached is tried again: reads go on meanwhile. Any other fault ends the process: damage, or the
 * log was trimmed behind this node. */
static void survive(struct commit_slot *commit, enum log_fault fault, const struct log_report *report)
{
    if (fault == LOG_REFUSED) {
        log_line(LOG_ERROR, "the log cannot be followed any more: %s", report->text);
        files_exit_now(EXIT_GENERAL);
    }
    if (fault != LOG_IO) {
        log_line(LOG_ERROR, "the log is damaged: %s", report->text);
        files_exit_now(EXIT_DAMAGE);
    }
    if (!commit->is_unreachable) log_line(LOG_WARN, "the log cannot be read: %s; trying again", report->text);
    commit->is_unreachable = true;
    log_await(commit->log, UNREACHABLE_MS);
}

/* This node holds the lease and has read everything there is: the fence, and whatever came before it meanwhile. */
static void try_to_lead(struct commit_slot *commit)
{
    struct leadership *lead = commit->lead;
    struct log_report  report = { .fault = LOG_OK };
    uint64_t           term = 0;
    bool               leads = false;
    enum log_fault     fault = log_lead(commit->log, &term, &leads, &report);

    if (fault != LOG_OK) survive(commit, fault, &report);
    if (fault != LOG_OK || !leads) return;
    atomic_store(&lead->term, term);
    atomic_store(&lead->fence_ms, clock_wall_ms());
    commit->leads = true;
    commit_set(commit_at(commit), COMMIT_LEADS);
}

/* Drops the connection and the batches that were under way as a leader. */
static void leave_writing(struct commit_slot *commit)
{
    assert(commit->submitted == 0);
    commit->has_lost = false;
    if (!commit->leads) return;
    log_follow_again(commit->log);
    commit->leads = false;
}

void commit_read(struct commit_slot *commit, int64_t wait_ms)
{
    struct leadership   *lead = commit->lead;
    struct commit_place *place = commit_at(commit);
    struct log_report    report = { .fault = LOG_OK };
    bool                 there = false, partial = false;
    enum log_fault       fault;

    leave_writing(commit);
    fault = log_follow(commit->log, &place->batch.records, &place->applied, &there, &partial, &report);
    if (fault != LOG_OK) {
        survive(commit, fault, &report);
        return;
    }
    if (commit->is_unreachable) log_line(LOG_INFO, "the log can be read again");
    commit->is_unreachable = false;
    if (there) {
        place->batch.waiting = 0;
        commit_set(place, COMMIT_DURABLE);
    } else if (atomic_load(&lead->wish) == WISH_LEAD && leadership_holds(lead, clock_mono_ns())) {
        try_to_lead(commit);
    } else {
        log_await(commit->log, wait_ms);
    }
}
