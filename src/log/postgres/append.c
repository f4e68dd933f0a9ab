/* SPDX-License-Identifier: MIT */
/*
 * append.c — one INSERT for each batch, in a pipeline of the connection: the next one travels while this one is waited
 * for. An append is durable, fenced or unknown (decision 127).
 */
#include "log/postgres/planted.h"
#include "log/postgres/state.h"

void append_describe(const struct postgres_log *log, struct link_statement *statement, struct row_bytes *bytes,
                     uint8_t *payload, const struct row_place *before)
{
    struct row_header *header = &bytes->header;

    memcpy(header->magic, ROW_MAGIC, sizeof(header->magic));
    header->format = ROW_FORMAT;
    header->engine = LOG_ENGINE_VERSION;
    header->number = before->number + 1;
    header->first_seq = before->next_seq;
    header->committed = postgres_committed(log);
    row_seal(payload, header, &before->hash, &bytes->hash);

    statement->name = STATEMENT_APPEND;
    link_add_number(statement, header->shard);
    link_add_number(statement, (int64_t)header->number);
    link_add_number(statement, (int64_t)header->term);
    link_add_number(statement, header->kind);
    link_add_number(statement, (int64_t)header->first_seq);
    link_add_number(statement, header->count);
    link_add_number(statement, header->time_ms);
    link_add_number(statement, (int64_t)header->committed);
    link_add_bytes(statement, before->hash.bytes, sizeof(before->hash.bytes));
    link_add_bytes(statement, bytes->hash.bytes, sizeof(bytes->hash.bytes));
    link_add_bytes(statement, payload, header->bytes);
    link_add_number(statement, log->settings.needs_quorum ? 1 : 0);
}

/*
 * An INSERT compares the settings before its commit. When they are changed while that waits, the database lets it go,
 * and answers as if it had waited. It reads the settings anew before the next statement, which therefore knows.
 */
struct link_statement append_question(const struct postgres_log *log)
{
    struct link_statement question = { .name = STATEMENT_WAITED };

    link_add_number(&question, log->settings.needs_quorum ? 1 : 0);
    return question;
}

/* The statement and, behind its commit, the question; both travel at once. */
static bool send(struct postgres_log *log, const struct link_statement *statement)
{
    struct link_statement question = append_question(log);
    PGconn               *connection = log->rows.connection;

    if (!link_is_open(&log->rows) || !link_send(&log->rows, statement)) return false;
    if (pq.pipelineSync(connection) != 1 || !link_send(&log->rows, &question)) return false;
    return pq.pipelineSync(connection) == 1 && pq.flush(connection) >= 0;
}

void append_submit(struct log *base, struct log_batch *batch, const struct log_applied *applied)
{
    struct postgres_log  *log = postgres_of(base);
    struct flight        *flight = &log->flights[log->under_way];
    struct link_statement statement = { 0 };
    struct row            row = { 0 };
    struct row_place      before = log->ahead;
    struct row_bytes      bytes = { .header = { .kind = ROW_BATCH,
                                                .bytes = (uint32_t)batch->len,
                                                .term = log->ahead.term,
                                                .count = batch->count,
                                                .time_ms = batch->time_ms,
                                                .applied_number = applied->number,
                                                .applied_hash = applied->hash } };

    assert(log->under_way < FLIGHTS_MAX && !log->settings.read_only);
    assert(log->phase == PHASE_WRITES || log->phase == PHASE_LOST);
    *flight = (struct flight){ .batch = batch };
    log->under_way += 1;
    if (log->phase == PHASE_LOST) return;
    assert(batch->first_seq == log->ahead.next_seq && batch->time_ms >= log->ahead.time_ms);

    append_describe(log, &statement, &bytes, batch->at, &before);
    memcpy(batch->at + batch->len, bytes.hash.bytes, sizeof(bytes.hash.bytes)); /* log_mark_behind */
    row.column = bytes.header;
    row.hash = bytes.hash;
    flight->behind = row_behind(&row, &before);
    batch->position = log_position_make(0, flight->behind.number);
    log->ahead = flight->behind;
    if (!send(log, &statement)) { /* the outcome of those before it is open, too */
        log->phase = PHASE_LOST;
        log->error = EIO;
    }
}

static int lose(struct postgres_log *log, int error)
{
    log->phase = PHASE_LOST;
    log->error = error;
    return error;
}

/*
 * The end of the oldest append: the database has answered the commit, and the question behind it. The text of a warning
 * does not matter: the two that are known say that the commit is on one machine only.
 */
static int conclude(struct postgres_log *log)
{
    struct flight *flight = &log->flights[0];

    if (log->rows.warnings != 0 && !FAULT_PLANTED(WARNING_IS_OK)) return lose(log, EIO);
    if (flight->was_fenced && !FAULT_PLANTED(NO_FENCE)) return lose(log, ESTALE);
    if (!flight->was_fenced && (!flight->was_inserted || !flight->was_waited)) return lose(log, EIO);
    log->at = flight->behind;
    log->batches += 1;
    log->records += flight->batch->count;
    log->bytes += flight->batch->len;
    postgres_commit_to(log, log->at.number);
    return 0;
}

/* One result of the oldest append; true for the last one. */
static bool take_result(struct flight *flight, const PGresult *result)
{
    switch (pq.resultStatus(result)) {
    case PGRES_PIPELINE_SYNC: return ++flight->ends == 2; /* behind the commit, and behind the question */
    case PGRES_TUPLES_OK: flight->was_waited = link_is_true(result, 0, 0); break;
    default: flight->was_inserted = link_did_insert(result); flight->was_fenced = link_was_fenced(result);
    }
    return false;
}

/* Takes what has come; *done: the oldest append has ended, as *error says. */
static void take_results(struct postgres_log *log, bool *done, int *error)
{
    PGconn        *connection = log->rows.connection;
    struct flight *flight = &log->flights[0];
    uint32_t       nothing = 0;

    *done = true;
    *error = EIO;
    if (pq.flush(connection) < 0 || pq.consumeInput(connection) == 0) return;
    while (pq.isBusy(connection) == 0) {
        PGresult *result = pq.getResult(connection);
        bool      ends;

        if (result == NULL && (++nothing > 1 || !link_is_open(&log->rows))) return;
        if (result == NULL) continue;
        nothing = 0;
        ends = take_result(flight, result);
        pq.clear(result);
        if (ends) *error = conclude(log);
        if (ends) return;
    }
    *done = false;
}

static void drop_oldest(struct postgres_log *log)
{
    memmove(&log->flights[0], &log->flights[1], sizeof(log->flights) - sizeof(log->flights[0]));
    log->under_way -= 1;
}

int append_wait(struct log *base)
{
    struct postgres_log *log = postgres_of(base);
    const struct link   *links[] = { &log->rows, &log->news };
    bool                 done = false;
    int                  error = log->error;

    assert(log->under_way != 0);
    while (log->phase == PHASE_WRITES) {
        take_results(log, &done, &error);
        if (done) break;
        if (news_take_nudge(log)) return EAGAIN;
        news_collect(log);
        link_sleep(links, ARRAY_COUNT(links), log->wake, -1);
    }
    drop_oldest(log);
    if (error == 0) news_announce(log);
    else if (log->phase != PHASE_LOST) (void)lose(log, error);
    return error;
}
