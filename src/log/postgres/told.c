/* SPDX-License-Identifier: MIT */
/* told.c — what a node tells the database about its snapshots: log/trim.h reads it. */
#include "log/postgres/state.h"

/* It waits for no other machine: a row that is lost leaves an older one, and less is trimmed. */
#define TELL_SNAPSHOTS                                                                                                 \
    "WITH told AS (INSERT INTO dojima.snapshots AS s (node, older, newer, command, told)"                              \
    " VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT (node) DO UPDATE SET older = excluded.older,"             \
    " newer = excluded.newer, command = excluded.command, told = excluded.told)"                                       \
    " SELECT set_config('synchronous_commit', 'local', true)"

static int error_of(const PGresult *result)
{
    const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);

    if (pq.resultStatus(result) == PGRES_TUPLES_OK) return 0;
    if (state != NULL && strcmp(state, "42P01") == 0) return ENOENT; /* no such table */
    return state != NULL && strcmp(state, "42501") == 0 ? EACCES : EIO;
}

int told_snapshots(struct log *base, const struct log_mark *older, const struct log_mark *newer)
{
    struct postgres_log  *log = postgres_of(base);
    struct link_statement statement = { .text = TELL_SNAPSHOTS };
    PGresult             *result;
    int                   error;

    assert(log->phase == PHASE_READS);
    link_add_text(&statement, log->settings.node);
    link_add_number(&statement, older == NULL ? 0 : (int64_t)log_position_second(&older->position));
    link_add_number(&statement, newer == NULL ? 0 : (int64_t)log_position_second(&newer->position));
    link_add_number(&statement, older == NULL ? 0 : (int64_t)older->next_seq - 1);
    result = link_ask(&log->rows, &statement, LINK_ASK_MS);
    if (result == NULL) return ENOTCONN;
    error = error_of(result);
    pq.clear(result);
    return error;
}
