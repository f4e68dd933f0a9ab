/* SPDX-License-Identifier: MIT */
/*
 * news.c — what is committed, told by the writer and heard by followers. A message that is lost costs time only: the
 * next row and the lease say the same.
 */
#include "log/postgres/planted.h"
#include "log/postgres/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ANNOUNCER                                                                                                      \
    "SELECT has_table_privilege(usesysid, 'dojima.log', 'INSERT')"                                                     \
    " FROM pg_stat_activity WHERE pid = $1"
#define ANNOUNCED_MAX 64 /* more without an answer: the database is busy, and a later one says more */

void news_nudge(struct log *log)
{
    uint64_t one = 1;
    ssize_t  done = write(postgres_of(log)->wake, &one, sizeof(one));

    (void)done; /* the counter is full: it was nudged before */
}

bool news_take_nudge(struct postgres_log *log)
{
    uint64_t count;

    return read(log->wake, &count, sizeof(count)) == sizeof(count);
}

static void drop(struct postgres_log *log)
{
    link_close(&log->news);
    log->listens = log->announces = false;
    log->announced = 0;
    log->announcer = 0;
}

static bool tell(struct postgres_log *log, const char *text)
{
    struct link_statement statement = { .text = text };
    PGresult             *result = link_ask(&log->news, &statement, LINK_ASK_MS);
    bool                  done = result != NULL && pq.resultStatus(result) <= PGRES_TUPLES_OK;

    pq.clear(result);
    if (!done) drop(log);
    return done;
}

/* ---- the writer ---- */

/* Commits of announcements wait for no disk: they change nothing that must last. */
static bool prepare_to_announce(struct postgres_log *log)
{
    if (log->announces && link_is_open(&log->news)) return true;
    if (!link_is_open(&log->news)) drop(log);
    if (!session_mend(&log->news, &log->settings, LINK_TELLS, "dojima news")) return false;
    if (log->listens && !tell(log, "UNLISTEN *")) return false;
    log->listens = false;
    if (!tell(log, "SET synchronous_commit = off")) return false;
    log->announces = pq.enterPipelineMode(log->news.connection) == 1;
    return log->announces;
}

static void collect_answers(struct postgres_log *log)
{
    PGconn *connection = log->news.connection;

    if (pq.flush(connection) < 0 || pq.consumeInput(connection) == 0) {
        drop(log);
        return;
    }
    for (uint32_t nothing = 0; nothing < 2 && log->announced != 0 && pq.isBusy(connection) == 0;) {
        PGresult *result = pq.getResult(connection);

        nothing = result == NULL ? nothing + 1 : 0;
        if (result != NULL && pq.resultStatus(result) == PGRES_PIPELINE_SYNC) log->announced -= 1;
        pq.clear(result);
    }
}

void news_announce(struct postgres_log *log)
{
    struct link_statement statement = { .name = STATEMENT_TELL };
    char                  text[64];

    if (!prepare_to_announce(log)) return;
    collect_answers(log);
    if (!log->announces || log->announced == ANNOUNCED_MAX) return;
    (void)snprintf(text, sizeof(text), "0 %" PRIu64 " %" PRIu64, log->at.term, postgres_committed(log));
    link_add_text(&statement, text);
    if (!link_send(&log->news, &statement) || pq.pipelineSync(log->news.connection) != 1) {
        drop(log);
        return;
    }
    log->announced += 1;
    if (pq.flush(log->news.connection) < 0) drop(log);
}

/* ---- a follower ---- */

static bool prepare_to_listen(struct postgres_log *log)
{
    if (log->listens && link_is_open(&log->news)) return true;
    drop(log);
    if (!session_mend(&log->news, &log->settings, LINK_TELLS, "dojima news")) return false;
    log->listens = tell(log, "LISTEN dojima");
    log->look = true; /* what was announced before is not heard */
    return log->listens;
}

/* Every role of the database may notify. A writer that has gone meanwhile is not believed either; that costs time. */
static bool may_append(struct postgres_log *log, int announcer)
{
    struct link_statement statement = { .text = ANNOUNCER };
    PGresult             *result;

    if (announcer == log->announcer) return true;
    link_add_number(&statement, announcer);
    result = link_ask(&log->news, &statement, LINK_ASK_MS);
    if (result == NULL) {
        drop(log);
        return false;
    }
    if (pq.resultStatus(result) == PGRES_TUPLES_OK && pq.ntuples(result) == 1 && link_is_true(result, 0, 0))
        log->announcer = announcer;
    pq.clear(result);
    return announcer == log->announcer;
}

static void take_announcement(struct postgres_log *log, const char *text)
{
    uint64_t shard = UINT64_MAX, term, number;

    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &shard, &term, &number) == 3 && shard == 0)
        postgres_commit_to(log, number);
}

static void collect_announcements(struct postgres_log *log)
{
    PGnotify *announcement;

    if (pq.consumeInput(log->news.connection) == 0) {
        drop(log);
        return;
    }
    while (link_is_open(&log->news) && (announcement = pq.notifies(log->news.connection)) != NULL) {
        if (may_append(log, announcement->be_pid)) take_announcement(log, announcement->extra);
        pq.freemem(announcement);
    }
}

void news_collect(struct postgres_log *log)
{
    if (!link_is_open(&log->news)) return;
    if (log->announces) collect_answers(log);
    else if (log->listens) collect_announcements(log);
}

void news_await(struct log *base, int64_t ms)
{
    struct postgres_log *log = postgres_of(base);
    const struct link   *links[] = { &log->news };
    int64_t              end_ms = link_now_ms() + ms, left;

    if (!link_is_open(&log->rows)) { /* log_follow tries again */
        link_sleep(links, 0, log->wake, min_i64(ms, LINK_MEND_MS));
        (void)news_take_nudge(log);
        return;
    }
    while (log->page == NULL && !log->look && (left = end_ms - link_now_ms()) >= 0) {
        if (news_take_nudge(log)) return;
        if (prepare_to_listen(log)) collect_announcements(log);
        if (postgres_committed(log) > log->at.number) return;
        link_sleep(links, link_is_open(&log->news) ? 1 : 0, log->wake, left);
        if (link_now_ms() >= end_ms) log->look = true;
    }
}
