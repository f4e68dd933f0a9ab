/* SPDX-License-Identifier: MIT */
/*
 * read.c — rows in order, each checked against the one before. A follower gets rows that are known to be durable, and
 * no others, even when they can be read (decision 127); a reader that only reads gets all that are there.
 */
#include "log/postgres/planted.h"
#include "log/postgres/rows.h"
#include "log/postgres/state.h"

#include <inttypes.h>
#include <stdio.h>

enum log_fault read_say(const struct postgres_log *log, struct log_report *report, enum log_fault fault,
                        const char *what)
{
    return link_say(report, fault, NULL, "%s (behind row %" PRIu64 ", command %" PRIu64 ")", what, log->at.number,
                    log->at.next_seq - 1);
}

static enum log_fault no_answer(struct postgres_log *log, struct log_report *report)
{
    read_forget_page(log);
    return link_say(report, LOG_IO, &log->rows, "the database of the log does not answer");
}

void read_forget_page(struct postgres_log *log)
{
    pq.clear(log->page);
    log->page = NULL;
}

bool read_last(struct postgres_log *log, struct last_row *last)
{
    struct link_statement statement = { .name = STATEMENT_LAST };
    PGresult             *result = link_ask(&log->rows, &statement, LINK_ASK_MS);
    bool good = result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK && pq.ntuples(result) == 1;

    if (good) {
        last->place = (struct row_place){ .number = (uint64_t)link_number(result, 0, 0),
                                          .term = (uint64_t)link_number(result, 0, 1),
                                          .next_seq = (uint64_t)link_number(result, 0, 3),
                                          .time_ms = link_number(result, 0, 4) };
        link_copy_hash(result, 0, 2, &last->place.hash);
        last->committed = max_u64((uint64_t)link_number(result, 0, 5), (uint64_t)link_number(result, 0, 6));
    }
    pq.clear(result);
    if (!good) link_close(&log->rows);
    return good;
}

/* ---- the genesis ---- */

static enum log_fault foreign(struct log_report *report, const struct row_header *header, uint32_t engine)
{
    report->found_format = header->format;
    report->found_engine = header->engine;
    return link_say(report, LOG_FOREIGN, NULL,
                    "the log is of format %u and engine version %u, this program reads format %u and version %u",
                    header->format, header->engine, ROW_FORMAT, engine);
}

enum log_fault read_begin(struct postgres_log *log, struct log_report *report)
{
    PGresult                   *page = rows_ask(&log->rows, 0, 0, LINK_ASK_MS);
    struct row                  row;
    struct row_header           header = { 0 };
    enum row_verdict            verdict = ROW_DAMAGED;
    static const struct hash256 zeros;

    if (page == NULL) return no_answer(log, report);
    if (pq.ntuples(page) == 0) {
        pq.clear(page);
        return link_say(report, LOG_ABSENT, NULL, "the database holds no log yet");
    }
    row = rows_at(page, 0);
    if (row.column.bytes > sizeof(header) && row.column.bytes <= sizeof(log->genesis)) {
        memcpy(log->genesis, row.payload, row.column.bytes);
        verdict = row_judge(&row, log->genesis, postgres_engine(log), &header);
    }
    pq.clear(page);
    if (verdict == ROW_FOREIGN) return foreign(report, &header, postgres_engine(log));
    if (verdict != ROW_GOOD || header.kind != ROW_GENESIS || !hash256_equal(&row.previous, &zeros))
        return link_say(report, LOG_DAMAGED, NULL, "row 0 is not the beginning of a log");
    log->genesis_bytes = header.bytes - sizeof(header);
    log->instance = keccak256(log->genesis + sizeof(header), log->genesis_bytes);
    log->at = (struct row_place){
        .term = header.term, .next_seq = 1, .time_ms = INT64_MIN, .hash = row.hash, .chain = row.hash
    };
    if (!log->settings.past_trimmed) return LOG_OK;
    if (!beginning_ask(&log->rows, &log->beginning, LINK_ASK_MS)) return no_answer(log, report);
    if (log->beginning.gone.row != 0) log->at = log->beginning.before;
    return LOG_OK;
}

/* ---- in order ---- */

/* The highest row that may be given out. */
static uint64_t horizon(const struct postgres_log *log)
{
    if (log->settings.read_only && log->last != 0) return log->last;
    if (log->phase == PHASE_FENCED) return max_u64(log->fence.number, postgres_committed(log));
    if (log->at.next_seq <= log->known_seq) return INT64_MAX;
    return FAULT_PLANTED(AHEAD_OF_COMMIT) ? INT64_MAX : postgres_committed(log);
}

/* A row that is not there: it was trimmed, or it is missing. */
static enum log_fault missing_row(struct postgres_log *log, uint64_t number, struct log_report *report)
{
    struct beginning beginning;

    if (!beginning_ask(&log->rows, &beginning, LINK_ASK_MS)) return no_answer(log, report);
    if (number < beginning.gone.row) return beginning_refuse(&beginning, report);
    return link_say(report, LOG_DAMAGED, NULL, "row %" PRIu64 " is missing", number);
}

static enum log_fault damaged_row(struct postgres_log *log, const struct row *row, enum row_verdict verdict,
                                  struct log_report *report)
{
    uint64_t number = row->column.number;

    if (number != log->at.number + 1) return missing_row(log, log->at.number + 1, report);
    if (verdict == ROW_DAMAGED)
        return link_say(report, LOG_DAMAGED, NULL, "row %" PRIu64 " does not agree with its hash", number);
    if (row->column.term < log->at.term)
        return link_say(report, LOG_DAMAGED, NULL, "the term of row %" PRIu64 " is lower than the one before", number);
    return link_say(report, LOG_DAMAGED, NULL, "row %" PRIu64 " does not continue the row before", number);
}

/* Copies the row to the batch's memory, judges it, and goes behind it. */
static enum log_fault take_row(struct postgres_log *log, struct log_batch *batch, struct log_applied *applied,
                               bool *is_batch, struct log_report *report)
{
    struct row        row = rows_at(log->page, log->page_at);
    struct row_header header;
    enum row_verdict  verdict = ROW_DAMAGED;

    if (row.column.bytes + sizeof(row.hash) > batch->cap)
        return link_say(report, LOG_IO, NULL, "row %" PRIu64 " is larger than the memory to read it",
                        row.column.number);
    memcpy(batch->at, row.payload, row.column.bytes);
    verdict = row_judge(&row, batch->at, postgres_engine(log), &header);
    if (verdict == ROW_FOREIGN) return foreign(report, &header, postgres_engine(log));
    if (verdict == ROW_GOOD && !row_continues(&row, &log->at)) verdict = ROW_MISPLACED;
    if (verdict != ROW_GOOD) return damaged_row(log, &row, verdict, report);

    memcpy(batch->at + row.column.bytes, row.hash.bytes, sizeof(row.hash.bytes));
    *batch = (struct log_batch){ .at = batch->at,
                                 .len = row.column.bytes,
                                 .cap = batch->cap,
                                 .first_seq = header.first_seq,
                                 .count = header.count,
                                 .time_ms = header.time_ms,
                                 .position = log_position_make(0, header.number) };
    *applied = (struct log_applied){ header.applied_number, header.applied_hash };
    *is_batch = header.kind == ROW_BATCH;
    postgres_commit_to(log, header.committed);
    log->at = row_behind(&row, &log->at);
    log->ahead = log->at;
    log->page_at += 1;
    if (log->page_at == pq.ntuples(log->page)) read_forget_page(log);
    if (!*is_batch) return LOG_OK;
    log->batches += 1;
    log->records += header.count;
    log->bytes += header.bytes;
    return LOG_OK;
}

static void report_counts(const struct postgres_log *log, struct log_report *report)
{
    report->batches = log->batches;
    report->records = log->records;
    report->bytes = log->bytes;
    report->bytes_total = max_u64(log->bytes, log->bytes_total);
}

/* The next batch up to the horizon; fences are passed over. *there false: there is none. */
static enum log_fault next_row(struct postgres_log *log, struct log_batch *batch, struct log_applied *applied,
                               bool *there, struct log_report *report)
{
    *there = false;
    while (!*there) {
        uint64_t       last = horizon(log);
        enum log_fault fault;

        if (log->at.number >= last) {
            read_forget_page(log); /* its rows may be replaced before they are durable */
            return LOG_OK;
        }
        if (log->page == NULL) {
            log->page = rows_ask(&log->rows, log->at.number + 1, last, LINK_ASK_MS);
            log->page_at = 0;
            if (log->page == NULL) return no_answer(log, report);
            if (pq.ntuples(log->page) == 0) read_forget_page(log);
            if (log->page == NULL) return LOG_OK; /* announced, but not there: not yet */
        }
        fault = take_row(log, batch, applied, there, report);
        if (fault != LOG_OK) return fault;
        if (log->at.number >= horizon(log)) read_forget_page(log); /* likewise, however late the next call */
    }
    report_counts(log, report);
    return LOG_OK;
}

/* What the database knows to be durable, when nothing else says more. */
static bool look(struct postgres_log *log, struct last_row *last)
{
    if (!read_last(log, last)) return false;
    postgres_commit_to(log, last->committed);
    log->look = false;
    return true;
}

/* Another part of the folder holds a command that the log has not (log_knows). */
static enum log_fault check_end(const struct postgres_log *log, struct log_report *report)
{
    if (log->known_seq < log->at.next_seq) return LOG_OK;
    return link_say(report, LOG_DAMAGED, NULL,
                    "the log ends behind command %" PRIu64 ", but command %" PRIu64 " was answered and is in %s",
                    log->at.next_seq - 1, log->known_seq, log->holder);
}

enum log_fault read_next(struct log *base, struct log_batch *batch, struct log_applied *applied, bool *end,
                         struct log_report *report)
{
    struct postgres_log *log = postgres_of(base);
    struct last_row      last;
    bool                 there = false;
    enum log_fault       fault;

    *end = false;
    if (log->look && !look(log, &last)) return no_answer(log, report);
    if (log->settings.read_only && log->last == 0) {
        if (!read_last(log, &last)) return no_answer(log, report);
        log->last = last.place.number;
    }
    fault = next_row(log, batch, applied, &there, report);
    if (fault != LOG_OK || there) return fault;
    report_counts(log, report);
    *end = true;
    return check_end(log, report);
}

/* ---- behind a writer ---- */

/* The row that was read last is not there: it may be the last one of those that were trimmed. */
static enum log_fault lost_row(struct postgres_log *log, bool *open, struct log_report *report)
{
    struct beginning beginning;

    *open = beginning_ask(&log->rows, &beginning, LINK_ASK_MS);
    if (!*open) return LOG_OK;
    if (log->at.number + 1 == beginning.gone.row && hash256_equal(&beginning.before.hash, &log->at.hash)) return LOG_OK;
    if (log->at.number < beginning.gone.row) return beginning_refuse(&beginning, report);
    return read_say(log, report, LOG_DAMAGED, "the database has lost the row that was read last");
}

/* After a new connection: the database has the row that was read last, or it has lost what was durable. */
static enum log_fault connect_again(struct postgres_log *log, bool *open, struct log_report *report)
{
    PGresult  *page;
    struct row row = { 0 };
    int        found;

    *open = link_is_open(&log->rows);
    if (*open) return LOG_OK;
    read_forget_page(log);
    *open = session_mend(&log->rows, &log->settings, LINK_WRITES, "dojima log");
    if (!*open) return LOG_OK;
    log->look = true;
    page = rows_ask(&log->rows, log->at.number, log->at.number, LINK_ASK_MS);
    *open = page != NULL;
    if (page == NULL) return LOG_OK;
    found = pq.ntuples(page);
    if (found != 0) row = rows_at(page, 0);
    pq.clear(page);
    if (found == 0) return lost_row(log, open, report);
    if (hash256_equal(&row.hash, &log->at.hash)) return LOG_OK;
    return read_say(log, report, LOG_DAMAGED,
                    "the database has another row in the place of the one that was read last");
}

void read_follow_again(struct log *base)
{
    struct postgres_log *log = postgres_of(base);

    read_forget_page(log);
    link_close(&log->rows);
    link_close(&log->news);
    log->rows.tried_ms = log->news.tried_ms = 0;
    log->listens = log->announces = false;
    log->announced = 0;
    log->under_way = 0;
    log->ahead = log->at;
    log->phase = PHASE_READS;
    log->error = 0;
    log->look = true;
}

enum log_fault read_follow(struct log *base, struct log_batch *batch, struct log_applied *applied, bool *there,
                           bool *partial, struct log_report *report)
{
    struct postgres_log *log = postgres_of(base);
    struct last_row      last;
    bool                 open;
    enum log_fault       fault;

    *there = *partial = false;
    if (log->phase == PHASE_LOST) read_follow_again(base);
    assert(log->phase != PHASE_WRITES);
    fault = connect_again(log, &open, report);
    if (fault != LOG_OK || !open) return fault;
    if (log->look && !look(log, &last)) return LOG_OK;
    if (log->page == NULL && log->listens) news_collect(log);
    fault = next_row(log, batch, applied, there, report);
    return fault == LOG_IO && !link_is_open(&log->rows) ? LOG_OK : fault; /* it is connected again next time */
}

/* ---- from a mark on ---- */

static enum log_fault no_such_mark(const struct log_mark *mark, struct log_report *report, const char *what)
{
    return link_say(report, LOG_DAMAGED, NULL, "%s (row %" PRIu64 ", command %" PRIu64 ")", what,
                    log_position_second(&mark->position), mark->next_seq - 1);
}

/* There is no row at a mark: it was trimmed, or it was never there. */
static enum log_fault no_row(struct postgres_log *log, const struct log_mark *mark, struct log_report *report)
{
    struct beginning beginning;

    if (!beginning_ask(&log->rows, &beginning, LINK_ASK_MS)) return no_answer(log, report);
    if (log_position_second(&mark->position) < beginning.gone.row) return beginning_refuse(&beginning, report);
    return no_such_mark(mark, report, "there is no batch at this place");
}

enum log_fault read_resume(struct log *base, const struct log_mark *mark, struct log_batch *batch,
                           struct log_report *report)
{
    struct postgres_log *log = postgres_of(base);
    uint64_t             number = log_position_second(&mark->position);
    struct row_header    header;
    struct row           row;
    enum row_verdict     verdict = ROW_DAMAGED;
    PGresult            *page;

    assert(log->batches == 0 && log->at.number == 0);
    if (log_position_first(&mark->position) != 0)
        return no_such_mark(mark, report, "this place is one of a log of another kind");
    page = rows_ask(&log->rows, number, number, LINK_ASK_MS);
    if (page == NULL) return no_answer(log, report);
    if (number == 0 || pq.ntuples(page) == 0) {
        pq.clear(page);
        return no_row(log, mark, report);
    }
    row = rows_at(page, 0);
    if (row.column.bytes <= batch->cap) {
        memcpy(batch->at, row.payload, row.column.bytes);
        verdict = row_judge(&row, batch->at, postgres_engine(log), &header);
    }
    pq.clear(page);
    if (verdict != ROW_GOOD || row.column.kind != ROW_BATCH)
        return no_such_mark(mark, report, "there is no batch at this place");
    if (row.column.first_seq + row.column.count != mark->next_seq || row.column.time_ms != mark->time_ms
        || !hash256_equal(&row.hash, &mark->chain))
        return no_such_mark(mark, report, "another batch stands at this place");
    log->at = log->ahead = row_behind(&row, &log->at);
    postgres_commit_to(log, number);
    return LOG_OK;
}
