/* SPDX-License-Identifier: MIT */
/* trim.c — removes the beginning of the table, by its owner (log/trim.h, decision 133). */
#include "log/postgres/link.h"
#include "log/trim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define LEASE_MS  2000
#define ASK_MS    (60 * 1000)
#define REMOVE_MS (60 * 60 * 1000) /* many rows, and the quorum confirms them */

struct log_trim {
    struct link link;
    bool        locked;
};

/* The answer, or NULL with what is wrong in the report. */
static PGresult *ask(struct log_trim *trim, const struct link_statement *statement, int64_t ms,
                     struct log_report *report)
{
    PGresult *result = link_ask(&trim->link, statement, ms);

    if (result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK) return result;
    if (result == NULL) (void)link_say(report, LOG_IO, NULL, "the database of the log does not answer");
    else (void)link_say(report, LOG_IO, &trim->link, "the database refuses a statement");
    pq.clear(result);
    return NULL;
}

/* ---- opening ---- */

/* pg_has_role and not a privilege alone: the mark is a row of another table of the same owner. */
#define ROLE                                                                                                           \
    "SELECT current_user::text, to_regclass('dojima.log') IS NOT NULL, to_regclass('dojima.beginning') IS NOT NULL"    \
    " AND to_regclass('dojima.snapshots') IS NOT NULL, coalesce((SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class" \
    " WHERE oid = to_regclass('dojima.log')), false)"

/* In one session for as long as it lasts. */
#define LOCK                                                                                                           \
    "SELECT pg_try_advisory_lock(hashtext('dojima trim'), 0), set_config('synchronous_commit', 'on', false),"          \
    " set_config('client_min_messages', 'warning', false), set_config('statement_timeout', '0', false)"

/* The server notices the end of a session later than its client goes on. */
#define UNLOCK "SELECT pg_advisory_unlock(hashtext('dojima trim'), 0)"

static enum log_fault check_role(struct log_trim *trim, struct log_report *report)
{
    struct link_statement statement = { .text = ROLE };
    PGresult             *result = ask(trim, &statement, ASK_MS, report);
    char                  role[64];
    bool                  has_log, has_mark, is_owner;

    if (result == NULL) return LOG_IO;
    link_copy_text(result, 0, 0, role, sizeof(role));
    has_log = link_is_true(result, 0, 1);
    has_mark = link_is_true(result, 0, 2);
    is_owner = link_is_true(result, 0, 3);
    pq.clear(result);
    if (!has_log) return link_say(report, LOG_REFUSED, NULL, "the database has no tables for a log");
    if (!is_owner)
        return link_say(report, LOG_REFUSED, NULL,
                        "the role %s may not remove rows of the log; use the URL of its owner, with which dojima "
                        "init-log was run",
                        role);
    if (has_mark) return LOG_OK;
    return link_say(report, LOG_REFUSED, NULL,
                    "the tables are of an earlier version, which could not trim; run dojima init-log URL again with "
                    "both password files: it adds what is missing and changes nothing else");
}

static enum log_fault take_lock(struct log_trim *trim, struct log_report *report)
{
    struct link_statement statement = { .text = LOCK };
    PGresult             *result = ask(trim, &statement, ASK_MS, report);
    bool                  taken;

    if (result == NULL) return LOG_IO;
    taken = link_is_true(result, 0, 0);
    pq.clear(result);
    trim->locked = taken;
    if (taken) return LOG_OK;
    (void)link_say(report, LOG_REFUSED, NULL, "another process trims this log");
    report->error = EWOULDBLOCK;
    return LOG_REFUSED;
}

enum log_fault log_trim_open(const char *url, struct log_trim **out, struct log_report *report)
{
    const struct log_settings settings = { .url = url, .lease_ms = LEASE_MS };
    struct log_trim          *trim = calloc(1, sizeof(*trim));
    enum log_fault            fault;

    memset(report, 0, sizeof(*report));
    if (trim == NULL) return link_say(report, LOG_IO, NULL, "not enough memory");
    if (!link_connect(&trim->link, &settings, "dojima trim"))
        fault = link_say(report, LOG_IO, &trim->link, "the database cannot be reached");
    else fault = check_role(trim, report);
    if (fault == LOG_OK) fault = take_lock(trim, report);
    if (fault == LOG_OK) *out = trim;
    else log_trim_close(trim);
    return fault;
}

void log_trim_close(struct log_trim *trim)
{
    if (trim->locked) pq.clear(link_ask(&trim->link, &(struct link_statement){ .text = UNLOCK }, LEASE_MS));
    link_close(&trim->link);
    free(trim);
}

/* ---- planning ---- */

/* A program that only looked at the lease has no URL, and is no node. $1: nodes to leave out. */
#define NODES                                                                                                          \
    "SELECT p.node, p.seen > clock_timestamp() - interval '1 minute', p.node = ANY (string_to_array($1, ',')),"        \
    " coalesce(s.older, 0), coalesce(s.command, 0), p.command FROM dojima.progress p"                                  \
    " LEFT JOIN dojima.snapshots s ON s.node = p.node WHERE p.url <> '' ORDER BY coalesce(s.older, 0), p.node"

#define UNKNOWN                                                                                                        \
    "SELECT n FROM unnest(string_to_array($1, ',')) n"                                                                 \
    " WHERE NOT EXISTS (SELECT FROM dojima.progress p WHERE p.node = n) LIMIT 1"

/* $1: the lowest of the limits. The row is a batch, is known to be durable, and has one behind it. */
#define PLAN                                                                                                           \
    "SELECT coalesce((SELECT first FROM dojima.beginning WHERE shard = 0), 1), coalesce((SELECT max(l.seq)"            \
    " FROM dojima.log l WHERE l.shard = 0 AND l.kind = 1 AND l.seq <= $1 AND l.seq <= greatest("                       \
    "(SELECT committed FROM dojima.lease WHERE shard = 0),"                                                            \
    " (SELECT committed FROM dojima.log WHERE shard = 0 ORDER BY seq DESC LIMIT 1))), 0)"

enum { NODE_NAME, NODE_RUNS, NODE_WITHOUT, NODE_OLDER, NODE_SNAPSHOT_COMMAND, NODE_COMMAND };

/* One node's say; plan->older is lowered to its older snapshot. */
static enum log_fault hear_node(const PGresult *nodes, int at, struct log_trim_plan *plan, struct log_report *report)
{
    char     node[64];
    bool     runs = link_is_true(nodes, at, NODE_RUNS);
    uint64_t older = (uint64_t)link_number(nodes, at, NODE_OLDER);

    link_copy_text(nodes, at, NODE_NAME, node, sizeof(node));
    if (link_is_true(nodes, at, NODE_WITHOUT)) {
        if (!runs) return LOG_OK;
        return link_say(report, LOG_REFUSED, NULL, "node %s ran within the last minute: it cannot be left out", node);
    }
    if (older == 0)
        return link_say(report, LOG_REFUSED, NULL,
                        "node %s holds the trim: it has told of no two verified snapshots (%s)", node,
                        runs ? "it needs shadow = on, and time for two"
                             : "it does not run; start it, or leave it out with --without if it is gone for good");
    if (link_number(nodes, at, NODE_COMMAND) < link_number(nodes, at, NODE_SNAPSHOT_COMMAND))
        return link_say(report, LOG_REFUSED, NULL,
                        "node %s holds the trim: it has applied command %" PRId64
                        ", and its older snapshot stands at %" PRId64,
                        node, link_number(nodes, at, NODE_COMMAND), link_number(nodes, at, NODE_SNAPSHOT_COMMAND));
    if (older >= plan->older) return LOG_OK;
    plan->older = older;
    memcpy(plan->node, node, sizeof(plan->node));
    return LOG_OK;
}

static enum log_fault check_without(struct log_trim *trim, const char *without, struct log_report *report)
{
    struct link_statement statement = { .text = UNKNOWN };
    PGresult             *result;
    enum log_fault        fault = LOG_OK;
    char                  node[64];

    link_add_text(&statement, without);
    result = ask(trim, &statement, ASK_MS, report);
    if (result == NULL) return LOG_IO;
    if (pq.ntuples(result) != 0) {
        link_copy_text(result, 0, 0, node, sizeof(node));
        fault = link_say(report, LOG_REFUSED, NULL, "the database knows no node \"%s\"", node);
    }
    pq.clear(result);
    return fault;
}

static enum log_fault hear_nodes(struct log_trim *trim, const char *without, struct log_trim_plan *plan,
                                 struct log_report *report)
{
    struct link_statement statement = { .text = NODES };
    PGresult             *nodes;
    enum log_fault        fault = LOG_OK;

    link_add_text(&statement, without);
    nodes = ask(trim, &statement, ASK_MS, report);
    if (nodes == NULL) return LOG_IO;
    for (int i = 0; i < pq.ntuples(nodes) && fault == LOG_OK; i++) fault = hear_node(nodes, i, plan, report);
    pq.clear(nodes);
    if (fault == LOG_OK && plan->older == UINT64_MAX)
        return link_say(report, LOG_REFUSED, NULL, "no node has told of two verified snapshots (shadow = on)");
    return fault;
}

enum log_fault log_trim_plan(struct log_trim *trim, uint64_t below, const char *without, struct log_trim_plan *plan,
                             struct log_report *report)
{
    struct link_statement statement = { .text = PLAN };
    PGresult             *result;
    enum log_fault        fault;

    memset(report, 0, sizeof(*report));
    *plan = (struct log_trim_plan){ .older = UINT64_MAX };
    if (without == NULL) without = "";
    fault = check_without(trim, without, report);
    if (fault == LOG_OK) fault = hear_nodes(trim, without, plan, report);
    if (fault != LOG_OK) return fault;
    if (below > plan->older)
        return link_say(report, LOG_REFUSED, NULL,
                        "--below %" PRIu64 " is more than may go: the older snapshot of node %s stands at row %" PRIu64,
                        below, plan->node, plan->older);
    link_add_number(&statement, (int64_t)(below == 0 ? plan->older : below));
    result = ask(trim, &statement, ASK_MS, report);
    if (result == NULL) return LOG_IO;
    plan->first = (uint64_t)link_number(result, 0, 0);
    plan->row = (uint64_t)link_number(result, 0, 1);
    pq.clear(result);
    return LOG_OK;
}

/* ---- removing ---- */

/*
 * One statement, so one transaction, which sees one state of the table. $1 the row, $2 its hash, $3 batches before it,
 * $4 their digest. The genesis counts as the batch before the first one; its time is before every other.
 */
#define APPLY                                                                                                          \
    "WITH kept AS (SELECT first_command FROM dojima.log WHERE shard = 0 AND seq = $1 AND kind = 1 AND hash = $2),"     \
    " before AS (SELECT term, hash FROM dojima.log WHERE shard = 0 AND seq = $1 - 1),"                                 \
    " batch AS (SELECT hash, CASE kind WHEN 0 THEN -9223372036854775808 ELSE engine_ms END AS engine_ms"               \
    " FROM dojima.log WHERE shard = 0 AND seq < $1 AND kind IN (0, 1) ORDER BY seq DESC LIMIT 1),"                     \
    " marked AS (INSERT INTO dojima.beginning AS b"                                                                    \
    " (shard, first, term, next_command, engine_ms, hash, chain, batches, digest, since)"                              \
    " SELECT 0, $1, before.term, kept.first_command, batch.engine_ms, before.hash, batch.hash, $3, $4,"                \
    " clock_timestamp() FROM kept, before, batch ON CONFLICT (shard) DO UPDATE SET first = excluded.first,"            \
    " term = excluded.term, next_command = excluded.next_command, engine_ms = excluded.engine_ms,"                     \
    " hash = excluded.hash, chain = excluded.chain, batches = excluded.batches, digest = excluded.digest,"             \
    " since = excluded.since WHERE b.first < excluded.first RETURNING 1),"                                             \
    " removed AS (DELETE FROM dojima.log WHERE shard = 0 AND seq > 0 AND seq < $1 AND EXISTS (SELECT FROM marked)"     \
    " RETURNING 1) SELECT count(*) FROM removed"

enum log_fault log_trim_apply(struct log_trim *trim, uint64_t row, const struct hash256 *hash,
                              const struct log_trimmed *gone, uint64_t *removed, struct log_report *report)
{
    struct link_statement statement = { .text = APPLY };
    PGresult             *result;

    assert(row > 1 && gone->row == row);
    memset(report, 0, sizeof(*report));
    trim->link.warnings = 0;
    link_add_number(&statement, (int64_t)row);
    link_add_bytes(&statement, hash->bytes, sizeof(hash->bytes));
    link_add_number(&statement, (int64_t)gone->batches);
    link_add_bytes(&statement, gone->digest.bytes, sizeof(gone->digest.bytes));
    result = ask(trim, &statement, REMOVE_MS, report);
    if (result == NULL) return LOG_IO;
    *removed = (uint64_t)link_number(result, 0, 0);
    pq.clear(result);
    if (trim->link.warnings != 0)
        return link_say(report, LOG_IO, NULL, "the database did not make the trim durable (%s); repeat it",
                        trim->link.warning);
    if (*removed != 0) return LOG_OK;
    return link_say(report, LOG_REFUSED, NULL, "row %" PRIu64 " is not the one that was copied; nothing was removed",
                    row);
}
