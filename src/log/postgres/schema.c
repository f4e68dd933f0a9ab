/* SPDX-License-Identifier: MIT */
/* schema.c — the tables of a shared log, the roles that use them, and the URLs of these. */
#include "log/postgres/link.h"
#include "log/setup.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * The roles belong to the whole server, the rest to one database. A writer appends and reads; nothing but the owner
 * changes or removes a row of the log.
 */
static const char *const statements[] = {
    "SET client_min_messages = warning",
    "DO $$ BEGIN CREATE ROLE dojima_writer LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "DO $$ BEGIN CREATE ROLE dojima_reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "CREATE SCHEMA IF NOT EXISTS dojima",
    "REVOKE ALL ON SCHEMA dojima FROM PUBLIC",
    "CREATE TABLE IF NOT EXISTS dojima.log (shard int2 NOT NULL, seq int8 NOT NULL, term int8 NOT NULL,"
    " kind int2 NOT NULL, first_command int8 NOT NULL, commands int4 NOT NULL, engine_ms int8 NOT NULL,"
    " committed int8 NOT NULL, prev bytea NOT NULL, hash bytea NOT NULL, payload bytea NOT NULL,"
    " PRIMARY KEY (shard, seq), CHECK (octet_length(prev) = 32), CHECK (octet_length(hash) = 32))",
    "ALTER TABLE dojima.log ALTER COLUMN payload SET STORAGE EXTERNAL",
    "ALTER TABLE dojima.log SET (autovacuum_vacuum_insert_scale_factor = 0,"
    " autovacuum_vacuum_insert_threshold = 100000)",
    "CREATE TABLE IF NOT EXISTS dojima.lease (shard int2 PRIMARY KEY, term int8 NOT NULL, holder text NOT NULL,"
    " url text NOT NULL, expires timestamptz NOT NULL, committed int8 NOT NULL, handover_to text NOT NULL)"
    " WITH (fillfactor = 50)",
    "INSERT INTO dojima.lease VALUES (0, 0, '', '', 'epoch', 0, '') ON CONFLICT DO NOTHING",
    "CREATE TABLE IF NOT EXISTS dojima.progress (node text PRIMARY KEY, url text NOT NULL, term int8 NOT NULL,"
    " row int8 NOT NULL, command int8 NOT NULL, block int8 NOT NULL, compared int8 NOT NULL,"
    " state_hash bytea NOT NULL, seen timestamptz NOT NULL) WITH (fillfactor = 50)",
    "CREATE TABLE IF NOT EXISTS dojima.snapshots (node text PRIMARY KEY, older int8 NOT NULL, newer int8 NOT NULL,"
    " command int8 NOT NULL, told timestamptz NOT NULL) WITH (fillfactor = 50)",
    "CREATE TABLE IF NOT EXISTS dojima.beginning (shard int2 PRIMARY KEY, first int8 NOT NULL, term int8 NOT NULL,"
    " next_command int8 NOT NULL, engine_ms int8 NOT NULL, hash bytea NOT NULL, chain bytea NOT NULL,"
    " batches int8 NOT NULL, digest bytea NOT NULL, since timestamptz NOT NULL)",
    "GRANT USAGE ON SCHEMA dojima TO dojima_writer, dojima_reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA dojima TO dojima_writer, dojima_reader",
    "GRANT INSERT ON dojima.log TO dojima_writer",
    "GRANT UPDATE ON dojima.lease TO dojima_writer",
    "GRANT INSERT, UPDATE ON dojima.progress, dojima.snapshots TO dojima_writer",
};

static enum log_fault run(struct link *link, const char *text, struct log_report *report)
{
    PGresult      *result = pq.exec(link->connection, text);
    enum log_fault fault = LOG_OK;

    if (pq.resultStatus(result) > PGRES_TUPLES_OK)
        fault = link_say(report, LOG_REFUSED, link, "the database refused to set up the log");
    pq.clear(result);
    return fault;
}

static bool is_password(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    return len >= 8 && text[len] == '\0';
}

static enum log_fault set_password(struct link *link, const char *role, const char *password, struct log_report *report)
{
    char text[256];

    (void)snprintf(text, sizeof(text), "ALTER ROLE %s LOGIN PASSWORD '%s'", role, password);
    return run(link, text, report);
}

/* ---- URLs ---- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.~,:", c) != NULL;
}

static void add(char *url, const char *text, bool encode)
{
    size_t at = strlen(url);

    for (; *text != '\0' && at + 4 < LOG_URL_MAX; text++) {
        if (!encode || is_plain(*text)) url[at++] = *text;
        else at += (size_t)snprintf(url + at, 4, "%%%02X", (unsigned)(uint8_t)*text);
    }
    url[at] = '\0';
}

static const char *value_of(const PQconninfoOption *options, const char *key)
{
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, key) == 0) return options->val;
    return NULL;
}

/* The list of hosts and of ports may have several members; they are kept as parameters, which URLs allow. */
static void write_url(const PQconninfoOption *options, const char *role, const char *password, char url[LOG_URL_MAX])
{
    static const char *const kept[] = { "host", "hostaddr", "port", "sslmode", "sslrootcert" };
    const char              *database = value_of(options, "dbname");
    char                     mark = '?';

    url[0] = '\0';
    add(url, "postgres://", false);
    add(url, role, true);
    add(url, ":", false);
    add(url, password, true);
    add(url, "@/", false);
    add(url, database == NULL ? "postgres" : database, true);
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        const char *value = value_of(options, kept[i]);

        if (value == NULL || *value == '\0') continue;
        add(url, (const char[]){ mark, '\0' }, false);
        add(url, kept[i], false);
        add(url, "=", false);
        add(url, value, true);
        mark = '&';
    }
}

static enum log_fault set_up(struct link *link, struct log_setup *setup, struct log_report *report)
{
    PQconninfoOption *options = NULL;
    enum log_fault    fault = LOG_OK;

    for (size_t i = 0; i < ARRAY_COUNT(statements) && fault == LOG_OK; i++) fault = run(link, statements[i], report);
    if (fault == LOG_OK) fault = set_password(link, "dojima_writer", setup->writer, report);
    if (fault == LOG_OK) fault = set_password(link, "dojima_reader", setup->reader, report);
    if (fault == LOG_OK) options = pq.conninfo(link->connection);
    if (options == NULL) return fault;
    write_url(options, "dojima_writer", setup->writer, setup->writer_url);
    write_url(options, "dojima_reader", setup->reader, setup->reader_url);
    pq.conninfoFree(options);
    return LOG_OK;
}

enum log_fault log_set_up(struct log_setup *setup, struct log_report *report)
{
    const char    *keys[] = { "connect_timeout", "gssencmode", "dbname", "target_session_attrs", NULL };
    const char    *values[] = { "5", "disable", setup->url, "read-write", NULL };
    struct link    link = { 0 };
    enum log_fault fault;

    memset(report, 0, sizeof(*report));
    if (!is_password(setup->writer) || !is_password(setup->reader))
        return link_say(report, LOG_REFUSED, NULL,
                        "a password has at least 8 letters and digits, and no other characters");
    link.connection = link_dial(keys, values);
    if (!link_is_open(&link)) fault = link_say(report, LOG_IO, &link, "the database cannot be reached");
    else fault = set_up(&link, setup, report);
    link_close(&link);
    return fault;
}
