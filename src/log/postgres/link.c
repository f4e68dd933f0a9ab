/* SPDX-License-Identifier: MIT */
/* link.c — connecting, asking and waiting. session.c checks what the connection must be like. */
#include "log/postgres/link.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define INT8_TYPE  20
#define TEXT_TYPE  25
#define BYTEA_TYPE 17

int64_t link_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool link_is_open(const struct link *link)
{
    return link->connection != NULL && pq.status(link->connection) == CONNECTION_OK;
}

void link_close(struct link *link)
{
    if (link->connection != NULL) pq.finish(link->connection);
    link->connection = NULL;
    link->warnings = 0;
    link->warning[0] = '\0';
}

enum log_fault link_say(struct log_report *report, enum log_fault fault, const struct link *link, const char *format,
                        ...)
{
    static const char missing[] = LIBPQ " cannot be loaded; Debian's package is libpq5";
    size_t            used;
    va_list           list;

    va_start(list, format);
    (void)vsnprintf(report->text, sizeof(report->text), format, list);
    va_end(list);
    used = strlen(report->text);
    if (link != NULL && link->connection != NULL && *pq.errorMessage(link->connection) != '\0')
        (void)snprintf(report->text + used, sizeof(report->text) - used, ": %s", pq.errorMessage(link->connection));
    else if (link != NULL && pq.library == NULL)
        (void)snprintf(report->text + used, sizeof(report->text) - used, ": %s", missing);
    for (char *at = report->text; *at != '\0'; at++)
        if (*at == '\n' || *at == '\t') *at = ' ';
    for (used = strlen(report->text); used != 0 && report->text[used - 1] == ' '; used--) report->text[used - 1] = '\0';
    report->fault = fault;
    report->error = fault == LOG_IO ? ENOTCONN : 0;
    return fault;
}

/* ---- connecting ---- */

/*
 * A commit whose wait for the standbys was interrupted succeeds with a warning (decision 127). The severity is not
 * translated, the text may be; no warning is expected on these sessions, so each one counts.
 */
static void take_notice(void *self, const PGresult *result)
{
    struct link *link = self;
    const char  *severity = pq.resultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char  *text = pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (severity == NULL || strcmp(severity, "WARNING") != 0) return;
    if (link->warnings++ == 0)
        (void)snprintf(link->warning, sizeof(link->warning), "%s", text == NULL ? "a warning" : text);
}

void link_move(struct link *from, struct link *to)
{
    assert(to->connection == NULL);
    *to = *from;
    if (to->connection != NULL) pq.setNoticeReceiver(to->connection, take_notice, to);
    *from = (struct link){ 0 };
}

PGconn *link_dial(const char *const *keys, const char *const *values)
{
    return libpq_load() ? pq.connectdbParams(keys, values, 1) : NULL;
}

bool link_connect(struct link *link, const struct log_settings *settings, const char *name)
{
    char        silence[16];
    const char *keys[] = {
        "connect_timeout", "keepalives_idle", "keepalives_interval",  "keepalives_count", "tcp_user_timeout",
        "gssencmode",      "dbname",          "target_session_attrs", "application_name", NULL
    };
    /* Before dbname: what the URL may set otherwise. Kerberos would make calls that the sandbox forbids. */
    const char *values[] = { "2", "1", "1", "2", silence, "disable", settings->url, "read-write", name, NULL };

    link_close(link);
    link->tried_ms = link_now_ms();
    (void)snprintf(silence, sizeof(silence), "%u", max_u32(settings->lease_ms, 1000));
    link->connection = link_dial(keys, values);
    if (link->connection != NULL) pq.setNoticeReceiver(link->connection, take_notice, link);
    return link_is_open(link);
}

/* ---- statements ---- */

void link_add_number(struct link_statement *statement, int64_t number)
{
    int at = statement->count++;

    assert(at < LINK_VALUES_MAX);
    statement->numbers[at] = __builtin_bswap64((uint64_t)number);
    statement->values[at] = (struct link_value){ INT8_TYPE, NULL, sizeof(uint64_t) };
}

void link_add_bytes(struct link_statement *statement, const void *at, size_t bytes)
{
    assert(statement->count < LINK_VALUES_MAX);
    statement->values[statement->count++] = (struct link_value){ BYTEA_TYPE, at, (int)bytes };
}

void link_add_text(struct link_statement *statement, const char *text)
{
    assert(statement->count < LINK_VALUES_MAX);
    statement->values[statement->count++] = (struct link_value){ TEXT_TYPE, text, (int)strlen(text) };
}

bool link_send(struct link *link, const struct link_statement *statement)
{
    const char *values[LINK_VALUES_MAX];
    int         lengths[LINK_VALUES_MAX], formats[LINK_VALUES_MAX], sent;
    Oid         types[LINK_VALUES_MAX];

    for (int i = 0; i < statement->count; i++) {
        const struct link_value *value = &statement->values[i];

        values[i] = value->at == NULL ? (const char *)&statement->numbers[i] : value->at;
        lengths[i] = value->bytes;
        formats[i] = 1;
        types[i] = value->type;
    }
    if (link->connection == NULL) return false;
    if (statement->name != NULL)
        sent = pq.sendQueryPrepared(link->connection, statement->name, statement->count, values, lengths, formats, 1);
    else
        sent =
            pq.sendQueryParams(link->connection, statement->text, statement->count, types, values, lengths, formats, 1);
    return sent == 1;
}

/* Reads what has come; true when a result can be taken, or the connection is broken. */
static bool is_ready(struct link *link)
{
    if (pq.flush(link->connection) < 0 || pq.consumeInput(link->connection) == 0) return true;
    return pq.isBusy(link->connection) == 0;
}

PGresult *link_ask(struct link *link, const struct link_statement *statement, int64_t ms)
{
    const struct link *links[] = { link };
    int64_t            end_ms = link_now_ms() + ms, left;
    PGresult          *answer = NULL;

    if (!link_is_open(link) || !link_send(link, statement)) {
        link_close(link);
        return NULL;
    }
    for (;;) {
        PGresult *result;

        while (!is_ready(link) && (left = end_ms - link_now_ms()) > 0) link_sleep(links, 1, -1, left);
        if (!is_ready(link)) break;
        result = pq.getResult(link->connection);
        if (result == NULL && link_is_open(link)) return answer;
        if (result == NULL) break;
        /* An error behind a row is the error of the commit. */
        if (answer != NULL) pq.clear(answer);
        answer = result;
    }
    pq.clear(answer);
    link_close(link);
    return NULL;
}

void link_sleep(const struct link *links[], uint32_t count, int wake, int64_t ms)
{
    struct pollfd polls[4];
    nfds_t        used = 0;

    assert(count < ARRAY_COUNT(polls));
    for (uint32_t i = 0; i < count; i++) {
        PGconn *connection = links[i]->connection;

        if (connection == NULL || pq.socket(connection) < 0) continue;
        polls[used++] = (struct pollfd){ .fd = pq.socket(connection),
                                         .events = (short)(pq.flush(connection) == 1 ? POLLIN | POLLOUT : POLLIN) };
    }
    if (wake >= 0) polls[used++] = (struct pollfd){ .fd = wake, .events = POLLIN };
    (void)poll(polls, used, ms < 0 ? -1 : (int)min_i64(ms, 1000 * 1000));
}

/* ---- results ---- */

bool link_was_fenced(const PGresult *result)
{
    const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);

    if (state != NULL) return strcmp(state, "23505") == 0;
    return pq.resultStatus(result) == PGRES_COMMAND_OK && strcmp(pq.cmdTuples((PGresult *)(uintptr_t)result), "0") == 0;
}

bool link_did_insert(const PGresult *result)
{
    return pq.resultStatus(result) == PGRES_COMMAND_OK && strcmp(pq.cmdTuples((PGresult *)(uintptr_t)result), "1") == 0;
}

int64_t link_number(const PGresult *result, int row, int column)
{
    const char *at = pq.getvalue(result, row, column);
    uint64_t    number = 0;

    for (int i = 0; i < pq.getlength(result, row, column); i++) number = number << 8 | (uint8_t)at[i];
    return (int64_t)number;
}

bool link_is_true(const PGresult *result, int row, int column)
{
    return pq.getlength(result, row, column) == 1 && *pq.getvalue(result, row, column) == 1;
}

void link_copy_hash(const PGresult *result, int row, int column, struct hash256 *hash)
{
    memset(hash, 0, sizeof(*hash));
    if (pq.getlength(result, row, column) == sizeof(hash->bytes))
        memcpy(hash->bytes, pq.getvalue(result, row, column), sizeof(hash->bytes));
}

void link_copy_text(const PGresult *result, int row, int column, char *text, size_t cap)
{
    size_t len = min_u64((uint64_t)pq.getlength(result, row, column), cap - 1);

    memcpy(text, pq.getvalue(result, row, column), len);
    text[len] = '\0';
}
