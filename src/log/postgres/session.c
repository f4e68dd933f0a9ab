/* SPDX-License-Identifier: MIT */
#include "log/postgres/session.h"

#include "log/postgres/planted.h"

/* client_min_messages: above it the warning about an interrupted wait would not be sent. */
#define SESSION                                                                                                        \
    "SELECT set_config('client_min_messages', 'warning', false), set_config('statement_timeout', '0', false),"         \
    " set_config('lock_timeout', '0', false), set_config('idle_session_timeout', '0', false),"                         \
    " set_config('idle_in_transaction_session_timeout', '0', false), set_config('search_path', 'pg_catalog', false),"  \
    " set_config('tcp_keepalives_idle', '1', false), set_config('tcp_keepalives_interval', '1', false),"               \
    " set_config('tcp_keepalives_count', '3', false)"

#define FACTS                                                                                                          \
    "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('synchronous_standby_names')," \
    " current_setting('fsync') = 'on', r.rolsuper, r.rolcreaterole OR r.rolcreatedb OR r.rolreplication"               \
    " OR r.rolbypassrls, to_regclass('dojima.log') IS NOT NULL, r.rolname::text"                                       \
    " FROM pg_roles r WHERE r.rolname = current_user"

#define RIGHTS                                                                                                         \
    "SELECT has_table_privilege('dojima.log', 'SELECT') AND has_table_privilege('dojima.lease', 'SELECT'),"            \
    " has_table_privilege('dojima.log', 'INSERT') AND has_table_privilege('dojima.lease', 'UPDATE'),"                  \
    " has_table_privilege('dojima.log', 'UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"                              \
    " OR has_any_column_privilege('dojima.log', 'UPDATE') OR has_schema_privilege('dojima', 'CREATE')"                 \
    " OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'dojima.log'::regclass), 'MEMBER')"

/* What a commit waits for, by the settings of this moment; $1: another machine is wanted. */
#define WAITS(wants)                                                                                                   \
    "current_setting('synchronous_commit') IN ('on', 'remote_apply')"                                                  \
    " AND (" wants " = 0 OR current_setting('synchronous_standby_names') <> '')"

#define WAITED "PREPARE " STATEMENT_WAITED "(int8) AS SELECT " WAITS("$1")

#define APPEND                                                                                                         \
    "PREPARE " STATEMENT_APPEND "(int8, int8, int8, int8, int8, int8, int8, int8, bytea, bytea, bytea, int8) AS"       \
    " INSERT INTO dojima.log"                                                                                          \
    " (shard, seq, term, kind, first_command, commands, engine_ms, committed, prev, hash, payload)"                    \
    " SELECT $1::int2, $2, $3, $4::int2, $5, $6::int4, $7, $8, $9, $10, $11 WHERE"                                     \
    " EXISTS (SELECT FROM dojima.log WHERE shard = $1::int2 AND seq = $2 - 1 AND hash = $9)"                           \
    " AND " WAITS("$12")

/* For the planted faults that tests must find: without the comparison; and without a word about the quorum. */
#define APPEND_UNCOMPARED                                                                                              \
    "PREPARE " STATEMENT_APPEND "(int8, int8, int8, int8, int8, int8, int8, int8, bytea, bytea, bytea, int8) AS"       \
    " INSERT INTO dojima.log"                                                                                          \
    " (shard, seq, term, kind, first_command, commands, engine_ms, committed, prev, hash, payload)"                    \
    " SELECT $1::int2, $2, $3, $4::int2, $5, $6::int4, $7, $8, $9, $10, $11 WHERE $12 >= 0"

#define WAITED_UNASKED "PREPARE " STATEMENT_WAITED "(int8) AS SELECT $1 >= 0"

#define PAGE                                                                                                           \
    "PREPARE " STATEMENT_PAGE "(int8, int8) AS"                                                                        \
    " SELECT seq, term, kind, first_command, commands, engine_ms, committed, prev, hash, payload FROM dojima.log"      \
    " WHERE shard = 0 AND seq >= $1 AND seq <= $2 ORDER BY seq LIMIT 16"

#define LAST                                                                                                           \
    "PREPARE " STATEMENT_LAST " AS"                                                                                    \
    " SELECT seq, term, hash, first_command + commands, engine_ms, committed,"                                         \
    " coalesce((SELECT committed FROM dojima.lease WHERE shard = 0), 0)"                                               \
    " FROM dojima.log WHERE shard = 0 ORDER BY seq DESC LIMIT 1"

#define TELL "PREPARE " STATEMENT_TELL "(text) AS SELECT pg_notify('dojima', $1)"

/* One row, or a fault. */
static PGresult *ask_row(struct link *link, const char *text, struct log_report *report)
{
    struct link_statement statement = { .text = text };
    PGresult             *result = link_ask(link, &statement, LINK_ASK_MS);

    if (result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK && pq.ntuples(result) == 1) return result;
    (void)link_say(report, LOG_IO, link, "the database of the log does not answer");
    pq.clear(result);
    return NULL;
}

static enum log_fault refuse(struct log_report *report, const char *text)
{
    return link_say(report, LOG_REFUSED, NULL, "%s", text);
}

/* That a commit which succeeds is on the disk of another machine too (decision 127). */
static enum log_fault check_durability(const PGresult *facts, const struct log_settings *settings,
                                       struct log_report *report)
{
    char commit[32], names[2];

    link_copy_text(facts, 0, 1, commit, sizeof(commit));
    link_copy_text(facts, 0, 2, names, sizeof(names));
    if (link_is_true(facts, 0, 0))
        return link_say(report, LOG_IO, NULL, "the database of the log is a standby; the URL must reach the primary");
    if (strcmp(commit, "on") != 0 && strcmp(commit, "remote_apply") != 0)
        return link_say(report, LOG_REFUSED, NULL,
                        "synchronous_commit is %s: a commit would not wait for the disks; set it to on for this role "
                        "and database",
                        commit);
    if (!settings->needs_quorum) return LOG_OK;
    if (names[0] == '\0')
        return refuse(report, "synchronous_standby_names is empty: a commit would be on one machine only; set it, as "
                              "in ANY 1 (n2, n3), or set [log] quorum = off for a single database");
    if (!link_is_true(facts, 0, 3)) return refuse(report, "fsync is off in the database of the log; set it to on");
    return LOG_OK;
}

static enum log_fault check_role(const PGresult *facts, bool is_owner, struct log_report *report)
{
    char role[64];

    link_copy_text(facts, 0, 7, role, sizeof(role));
    if (!is_owner && (link_is_true(facts, 0, 4) || link_is_true(facts, 0, 5)))
        return link_say(report, LOG_REFUSED, NULL,
                        "the role %s may do more than write a log (superuser, or it creates roles or databases); use "
                        "the URL that dojima init-log prints",
                        role);
    if (!link_is_true(facts, 0, 6))
        return link_say(report, LOG_REFUSED, NULL,
                        "the database has no tables for a log; dojima init-log URL makes them");
    return LOG_OK;
}

static enum log_fault check_rights(struct link *link, const struct log_settings *settings, struct log_report *report)
{
    PGresult *rights = ask_row(link, RIGHTS, report);
    bool      reads, writes, more;

    if (rights == NULL) return LOG_IO;
    reads = link_is_true(rights, 0, 0);
    writes = link_is_true(rights, 0, 1);
    more = link_is_true(rights, 0, 2);
    pq.clear(rights);
    if (more && !settings->is_owner)
        return refuse(report, "the role may change or remove rows of the log, or owns it; use the URL that dojima "
                              "init-log prints");
    if (!reads || (!settings->read_only && !writes))
        return refuse(report, "the role may not write the log; use the writer's URL that dojima init-log prints");
    return LOG_OK;
}

static enum log_fault check(struct link *link, const struct log_settings *settings, struct log_report *report)
{
    PGresult      *facts = ask_row(link, FACTS, report);
    enum log_fault fault = facts == NULL ? LOG_IO : LOG_OK;

    if (fault == LOG_OK && !settings->read_only) fault = check_durability(facts, settings, report);
    if (fault == LOG_OK) fault = check_role(facts, settings->is_owner, report);
    pq.clear(facts);
    return fault == LOG_OK ? check_rights(link, settings, report) : fault;
}

static enum log_fault prepare(struct link *link, const char *text, struct log_report *report)
{
    struct link_statement statement = { .text = text };
    PGresult             *result = link_ask(link, &statement, LINK_ASK_MS);
    bool                  done = result != NULL && pq.resultStatus(result) == PGRES_COMMAND_OK;

    if (!done) (void)link_say(report, LOG_IO, link, "the database of the log does not take a statement");
    pq.clear(result);
    return done ? LOG_OK : LOG_IO;
}

static enum log_fault prepare_append(struct link *link, struct log_report *report)
{
    bool           is_local = FAULT_PLANTED(REPLY_BEFORE_COMMIT);
    enum log_fault fault =
        prepare(link, is_local || FAULT_PLANTED(NO_PREDECESSOR) ? APPEND_UNCOMPARED : APPEND, report);

    if (fault == LOG_OK) fault = prepare(link, is_local ? WAITED_UNASKED : WAITED, report);
    return fault == LOG_OK && is_local ? prepare(link, "SET synchronous_commit = local", report) : fault;
}

static enum log_fault checks_pass(struct link *link, const struct log_settings *settings, enum link_use use,
                                  struct log_report *report)
{
    PGresult      *session = ask_row(link, SESSION, report);
    enum log_fault fault = session == NULL ? LOG_IO : LOG_OK;

    pq.clear(session);
    if (fault == LOG_OK) fault = check(link, settings, report);
    if (fault == LOG_OK && use == LINK_TELLS) return prepare(link, TELL, report);
    if (fault == LOG_OK) fault = prepare(link, PAGE, report);
    if (fault == LOG_OK && use == LINK_WRITES) fault = prepare(link, LAST, report);
    if (fault == LOG_OK && use == LINK_WRITES && !settings->read_only) fault = prepare_append(link, report);
    return fault;
}

enum log_fault session_open(struct link *link, const struct log_settings *settings, enum link_use use, const char *name,
                            struct log_report *report)
{
    enum log_fault fault;

    if (!link_connect(link, settings, name))
        fault = link_say(report, LOG_IO, link, "the database of the log, [log] url, cannot be reached");
    else fault = checks_pass(link, settings, use, report);
    if (fault == LOG_OK && pq.setnonblocking(link->connection, 1) != 0)
        fault = link_say(report, LOG_IO, link, "the connection to the database broke");
    link->warnings = 0;
    if (fault != LOG_OK) link_close(link);
    return fault;
}

bool session_mend(struct link *link, const struct log_settings *settings, enum link_use use, const char *name)
{
    struct log_report report = { 0 };

    if (link_is_open(link)) return true;
    if (link->tried_ms != 0 && link_now_ms() - link->tried_ms < LINK_MEND_MS) return false;
    return session_open(link, settings, use, name, &report) == LOG_OK;
}
