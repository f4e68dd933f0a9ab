/* SPDX-License-Identifier: MIT */
/*
 * lead.c — becoming the writer. A fence is appended behind everything that the database shows; once
 * it is durable no earlier writer can append, and everything before it is final (decision 127).
 */
#include "log/postgres/planted.h"
#include "log/postgres/state.h"

#define FENCE_TRIES 16 /* the row before the fence may change meanwhile */

static int64_t patience_ms(const struct postgres_log *log)
{
    return max_i64(2 * (int64_t)log->settings.lease_ms, LINK_ASK_MS);
}

/* What the table ends with continues what was read. */
static enum log_fault check_last(const struct postgres_log *log, const struct row_place *last,
                                 struct log_report *report)
{
    if (last->number < log->at.number || last->term < log->at.term)
        return read_say(log, report, LOG_DAMAGED, "the database has lost rows that were read");
    if (last->number == log->at.number && !hash256_equal(&last->hash, &log->at.hash))
        return read_say(log, report, LOG_DAMAGED, "the database has another row in the place of the last one");
    return LOG_OK;
}

enum outcome { OUTCOME_DURABLE, OUTCOME_FENCED, OUTCOME_UNKNOWN };

/* Behind a commit: it waited for all that it should. */
static bool was_waited(struct postgres_log *log)
{
    struct link_statement question = append_question(log);
    PGresult             *result = link_ask(&log->rows, &question, LINK_ASK_MS);
    bool waited = result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK && pq.ntuples(result) == 1
               && link_is_true(result, 0, 0);

    pq.clear(result);
    return waited;
}

static enum outcome insert_fence(struct postgres_log *log, const struct row_place *last)
{
    alignas(8) uint8_t    payload[sizeof(struct row_header)];
    struct link_statement statement = { 0 };
    struct row_bytes      bytes = { .header = { .kind = ROW_FENCE, .bytes = sizeof(payload), .term = last->term + 1 } };
    struct row            row = { 0 };
    enum outcome          outcome = OUTCOME_UNKNOWN;
    PGresult             *result;

    if (FAULT_PLANTED(LEASE_ONLY)) {
        log->fence = *last;
        return OUTCOME_DURABLE;
    }
    append_describe(log, &statement, &bytes, payload, last);
    result = link_ask(&log->rows, &statement, patience_ms(log));
    if (result != NULL && log->rows.warnings == 0 && link_did_insert(result)) outcome = OUTCOME_DURABLE;
    else if (result != NULL && log->rows.warnings == 0 && link_was_fenced(result)) outcome = OUTCOME_FENCED;
    pq.clear(result);
    if (outcome == OUTCOME_DURABLE && !was_waited(log)) outcome = OUTCOME_UNKNOWN;
    row.column = bytes.header;
    row.hash = bytes.hash;
    log->fence = row_behind(&row, last->number == log->at.number ? &log->at : last);
    return outcome;
}

static enum log_fault fence(struct postgres_log *log, struct log_report *report)
{
    for (uint32_t i = 0; i < FENCE_TRIES; i++) {
        struct last_row last;
        enum log_fault  fault;
        enum outcome    outcome;

        if (!read_last(log, &last)) return link_say(report, LOG_IO, NULL, "the database of the log does not answer");
        fault = check_last(log, &last.place, report);
        if (fault != LOG_OK) return fault;
        outcome = insert_fence(log, &last.place);
        if (outcome == OUTCOME_DURABLE) {
            log->phase = PHASE_FENCED;
            if (last.place.number + 1 == log->fence.number && last.place.number == log->at.number) log->at = log->fence;
            return LOG_OK;
        }
        if (outcome == OUTCOME_UNKNOWN) {
            link_close(&log->rows);
            return link_say(report, LOG_IO, NULL, "the database of the log did not make the fence durable");
        }
    }
    return link_say(report, LOG_IO, NULL, "another process appends to the log");
}

static enum log_fault begin_to_write(struct postgres_log *log, struct log_report *report)
{
    if (!hash256_equal(&log->at.hash, &log->fence.hash))
        return read_say(log, report, LOG_DAMAGED, "another row stands in the place of this node's fence");
    if (pq.enterPipelineMode(log->rows.connection) != 1)
        return link_say(report, LOG_IO, &log->rows, "the connection to the database broke");
    log->rows.warnings = 0;
    postgres_commit_to(log, log->fence.number);
    log->phase = PHASE_WRITES;
    log->ahead = log->at;
    log->error = 0;
    news_announce(log);
    return LOG_OK;
}

enum log_fault lead_lead(struct log *base, uint64_t *term, bool *leads, struct log_report *report)
{
    struct postgres_log *log = postgres_of(base);
    enum log_fault       fault = LOG_OK;

    *leads = false;
    assert(!log->settings.read_only && log->phase != PHASE_WRITES);
    if (log->phase == PHASE_LOST) read_follow_again(base);
    if (!link_is_open(&log->rows)) { /* log_follow connects, and compares what it finds there */
        log->phase = PHASE_READS;
        return link_say(report, LOG_IO, NULL, "the database of the log is not connected");
    }
    if (log->phase == PHASE_FENCED && log->at.number > log->fence.number)
        log->phase = PHASE_READS; /* others wrote on */
    if (log->phase == PHASE_READS) fault = fence(log, report);
    if (fault != LOG_OK) return fault;
    *term = log->fence.term;
    if (log->at.number != log->fence.number) return LOG_OK;
    fault = begin_to_write(log, report);
    *leads = fault == LOG_OK;
    return fault;
}
