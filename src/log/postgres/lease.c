/* SPDX-License-Identifier: MIT */
/*
 * lease.c — the lease as a row, by the clock of the database. A statement that takes or keeps it waits for the quorum
 * as an append does: a leader whose primary is cut off loses it. The others only look, and wait for no other machine.
 */
#include "log/lease.h"

#include "log/postgres/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NAME_TRIES  8 /* for the session of a process of this name that has just died */
#define NAME_TRY_MS 250
#define END_TRIES   20 /* for an own session that was ended */
#define END_TRY_MS  25

struct row_lease {
    struct lease         lease;
    struct postgres_log *log;
    struct link          link;
    int                  wake;
    char                 session[64]; /* in pg_stat_activity; of this process alone */
};
static_assert(offsetof(struct row_lease, lease) == 0, "a struct lease is the beginning of one");

static struct row_lease *row_of(struct lease *lease) { return (struct row_lease *)(void *)lease; }

/* ---- connecting ---- */

/* A statement of an earlier connection may still wait for the quorum, and hold the row. */
#define END_OTHERS                                                                                                     \
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"                                                    \
    " WHERE usename = current_user AND application_name = $1 AND pid <> pg_backend_pid()"
#define TAKE_NAME "SELECT pg_try_advisory_lock(hashtext('dojima node'), hashtext($1))"
#define HOLDER                                                                                                         \
    "SELECT coalesce(host(a.client_addr), 'this machine') || ', process ' || a.pid || ' of the database, since '"      \
    " || date_trunc('second', a.backend_start) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"               \
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2"                                                  \
    " AND l.classid::int8 = hashtext('dojima node')::int8 & 4294967295"                                                \
    " AND l.objid::int8 = hashtext($1)::int8 & 4294967295"

static PGresult *ask_text(struct row_lease *lease, const char *text, const char *value)
{
    struct link_statement statement = { .text = text };
    PGresult             *result;

    if (value != NULL) link_add_text(&statement, value);
    result = link_ask(&lease->link, &statement, LINK_ASK_MS);
    if (result != NULL && pq.resultStatus(result) <= PGRES_TUPLES_OK) return result;
    pq.clear(result);
    link_close(&lease->link);
    return NULL;
}

static int take_name(struct row_lease *lease, struct log_report *report)
{
    const char *node = lease->log->settings.node;
    PGresult   *result;
    char        holder[128] = "";
    bool        taken;

    result = ask_text(lease, TAKE_NAME, node);
    if (result == NULL) return ENOTCONN;
    taken = link_is_true(result, 0, 0);
    pq.clear(result);
    if (taken) return 0;
    result = ask_text(lease, HOLDER, node);
    if (result != NULL && pq.ntuples(result) == 1) link_copy_text(result, 0, 0, holder, sizeof(holder));
    pq.clear(result);
    (void)link_say(report, LOG_REFUSED, NULL, "another process runs as node %s (%s); each node needs its own name",
                   node, holder);
    return EEXIST;
}

static int connect_lease(struct row_lease *lease, struct log_report *report)
{
    PGresult *result;
    int64_t   ended;
    int       error;

    if (session_open(&lease->link, &lease->log->settings, LINK_TELLS, lease->session, report) != LOG_OK)
        return report->fault == LOG_REFUSED ? EPERM : ENOTCONN;
    result = ask_text(lease, END_OTHERS, lease->session);
    ended = result == NULL ? 0 : link_number(result, 0, 0);
    error = result == NULL ? ENOTCONN : take_name(lease, report);
    pq.clear(result);
    for (int i = 0; i < END_TRIES && error == EEXIST && ended != 0; i++) { /* they give their name back when they end */
        link_sleep(NULL, 0, -1, END_TRY_MS);
        error = take_name(lease, report);
    }
    result = error == 0 ? ask_text(lease, "LISTEN dojima_lease", NULL) : NULL;
    if (error == 0 && result == NULL) error = ENOTCONN;
    pq.clear(result);
    if (error != 0) link_close(&lease->link);
    return error;
}

static void name_session(struct row_lease *lease)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(lease->session, sizeof(lease->session), "dojima lease %.24s %lx", lease->log->settings.node,
                   (unsigned long)now.tv_sec * 1000000000UL + (unsigned long)now.tv_nsec);
}

int lease_of_row_open(struct log *log, struct lease **out, struct log_report *report)
{
    struct row_lease *lease = calloc(1, sizeof(*lease));
    int               error = ENOMEM;

    memset(report, 0, sizeof(*report));
    if (lease == NULL) return ENOMEM;
    lease->lease.kind = log->kind;
    lease->log = postgres_of(log);
    assert(lease->log->settings.node != NULL && lease->log->settings.lease_ms != 0);
    name_session(lease);
    lease->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (lease->wake >= 0) error = connect_lease(lease, report);
    for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
        link_sleep(NULL, 0, -1, NAME_TRY_MS);
        error = connect_lease(lease, report);
    }
    *out = &lease->lease;
    if (error != 0) lease_of_row_close(&lease->lease);
    return error;
}

void lease_of_row_close(struct lease *base)
{
    struct row_lease *lease = row_of(base);

    link_close(&lease->link);
    if (lease->wake >= 0) (void)close(lease->wake);
    free(lease);
}

/* ---- the row ---- */

/*
 * $1 node, $2 its URL, $3 term, $4 durable row, $5 command, $6 block, $7 compared block, $8 its hash, $9 wishes to
 * lead, $10 gives up, $11 length of the lease in ms, $12 in whose favour. A lease that was given up in favour of a node
 * is that node's for the length of a lease. One that ends later than in two leases was written by a primary whose clock
 * was ahead, and is free: its holder may be gone. If it is not, it is fenced, as by any other leader.
 */
#define STEP                                                                                                           \
    "WITH told AS (INSERT INTO dojima.progress AS p"                                                                   \
    " (node, url, term, row, command, block, compared, state_hash, seen)"                                              \
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()) ON CONFLICT (node) DO UPDATE SET url = excluded.url," \
    " term = excluded.term, row = excluded.row, command = excluded.command, block = excluded.block,"                   \
    " compared = excluded.compared, state_hash = excluded.state_hash, seen = excluded.seen),"                          \
    " now AS MATERIALIZED (SELECT clock_timestamp() AS t, make_interval(secs => $11::int8 / 1000.0) AS long),"         \
    " mine AS (UPDATE dojima.lease l SET holder = CASE WHEN $10 = 1 THEN '' ELSE $1 END, url = $2, term = $3,"         \
    " expires = CASE WHEN $10 = 1 THEN t ELSE t + long END, committed = greatest(l.committed, $4), handover_to = $12"  \
    " FROM now WHERE l.shard = 0 AND (($10 = 1 AND l.holder = $1) OR ($9 = 1 AND $10 = 0 AND (l.holder = $1"           \
    " OR (l.expires <= t AND (l.handover_to IN ('', $1) OR l.expires + long <= t)) OR l.expires > t + 2 * long)))"     \
    " RETURNING l.holder, l.url, l.expires, l.handover_to, true AS mine),"                                             \
    " seen AS (SELECT * FROM mine UNION ALL SELECT holder, url, expires, handover_to, false FROM dojima.lease"         \
    " WHERE shard = 0 AND NOT EXISTS (SELECT FROM mine))"                                                              \
    " SELECT s.holder, s.url, greatest(0, (extract(epoch FROM s.expires - clock_timestamp()) * 1000)::int8),"          \
    " s.handover_to, s.mine, coalesce(p.term, 0), coalesce(p.command, 0), coalesce(p.compared, 0), p.state_hash,"      \
    " set_config('synchronous_commit', CASE WHEN s.mine THEN 'on' ELSE 'local' END, true),"                            \
    " CASE WHEN $10 = 1 THEN pg_notify('dojima_lease', '')::text END"                                                  \
    " FROM seen s LEFT JOIN dojima.progress p ON p.node = s.holder"

static void describe(const struct row_lease *lease, const struct lease_wish *wish, const char *next,
                     struct link_statement *statement)
{
    statement->text = STEP;
    link_add_text(statement, lease->log->settings.node);
    link_add_text(statement, wish->url == NULL ? "" : wish->url);
    link_add_number(statement, (int64_t)wish->term);
    link_add_number(statement, (int64_t)postgres_committed(lease->log));
    link_add_number(statement, (int64_t)wish->command);
    link_add_number(statement, (int64_t)wish->block);
    link_add_number(statement, (int64_t)wish->compared);
    link_add_bytes(statement, wish->state.bytes, sizeof(wish->state.bytes));
    link_add_number(statement, wish->lead ? 1 : 0);
    link_add_number(statement, wish->release ? 1 : 0);
    link_add_number(statement, lease->log->settings.lease_ms);
    link_add_text(statement, next);
}

static void read_view(const struct row_lease *lease, const PGresult *result, struct lease_view *view)
{
    *view = (struct lease_view){ .remaining_ms = link_number(result, 0, 2),
                                 .term = (uint64_t)link_number(result, 0, 5),
                                 .command = (uint64_t)link_number(result, 0, 6),
                                 .compared = (uint64_t)link_number(result, 0, 7) };
    link_copy_text(result, 0, 0, view->holder, sizeof(view->holder));
    link_copy_text(result, 0, 1, view->url, sizeof(view->url));
    link_copy_text(result, 0, 3, view->next, sizeof(view->next));
    link_copy_hash(result, 0, 8, &view->state);
    view->is_ours = view->remaining_ms > 0 && strcmp(view->holder, lease->log->settings.node) == 0;
}

/* A commit that was not waited for to its end keeps no lease. */
static int step(struct row_lease *lease, const struct lease_wish *wish, const char *next, struct lease_view *view)
{
    struct link_statement statement = { 0 };
    struct log_report     report = { 0 };
    PGresult             *result;
    int                   error = link_is_open(&lease->link) ? 0 : connect_lease(lease, &report);

    if (error != 0) return error;
    describe(lease, wish, next, &statement);
    result = link_ask(&lease->link, &statement, lease->log->settings.lease_ms);
    if (result == NULL) return ETIMEDOUT;
    if (pq.resultStatus(result) != PGRES_TUPLES_OK || pq.ntuples(result) != 1 || lease->link.warnings != 0) error = EIO;
    if (error == 0) read_view(lease, result, view);
    pq.clear(result);
    if (error != 0) link_close(&lease->link);
    return error;
}

int lease_of_row_step(struct lease *base, const struct lease_wish *wish, struct lease_view *view)
{
    return step(row_of(base), wish, "", view);
}

#define GIVE                                                                                                           \
    "WITH given AS (UPDATE dojima.lease SET holder = '', expires = clock_timestamp(), handover_to = $2"                \
    " WHERE shard = 0 AND holder = $1 AND EXISTS (SELECT FROM dojima.progress WHERE node = $2"                         \
    " AND seen > clock_timestamp() - make_interval(secs => $3::int8 * 3 / 1000.0)) RETURNING 1)"                       \
    " SELECT pg_notify('dojima_lease', '') FROM given"

int lease_of_row_hand_over(struct lease *base, const char *node)
{
    struct row_lease     *lease = row_of(base);
    struct link_statement statement = { .text = GIVE };
    PGresult             *result;
    int                   error;

    link_add_text(&statement, lease->log->settings.node);
    link_add_text(&statement, node);
    link_add_number(&statement, lease->log->settings.lease_ms);
    result = link_ask(&lease->link, &statement, lease->log->settings.lease_ms);
    if (result == NULL) return ETIMEDOUT;
    error = pq.resultStatus(result) != PGRES_TUPLES_OK ? EIO : pq.ntuples(result) == 1 ? 0 : ENOENT;
    pq.clear(result);
    return error;
}

/* ---- waiting ---- */

/* Whether another node has given the lease up since the last look. */
static bool take_news(struct row_lease *lease)
{
    PGnotify *news;
    bool      any = false;

    if (!link_is_open(&lease->link)) return false;
    if (pq.consumeInput(lease->link.connection) == 0) {
        link_close(&lease->link);
        return true;
    }
    while ((news = pq.notifies(lease->link.connection)) != NULL) {
        any = true;
        pq.freemem(news);
    }
    return any;
}

void lease_of_row_await(struct lease *base, int64_t ms)
{
    struct row_lease  *lease = row_of(base);
    const struct link *links[] = { &lease->link };
    uint64_t           count;

    if (take_news(lease)) return;
    link_sleep(links, link_is_open(&lease->link) ? 1 : 0, lease->wake, ms);
    (void)take_news(lease);
    (void)(read(lease->wake, &count, sizeof(count)) == sizeof(count));
}

void lease_of_row_nudge(struct lease *base)
{
    uint64_t one = 1;

    (void)(write(row_of(base)->wake, &one, sizeof(one)) == sizeof(one));
}
