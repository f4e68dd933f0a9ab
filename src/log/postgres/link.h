/* SPDX-License-Identifier: MIT */
/*
 * link.h — a connection to the database. It belongs to one thread, or to a lock.
 */
#ifndef LOG_POSTGRES_LINK_H
#define LOG_POSTGRES_LINK_H

#include "log/log.h"
#include "log/postgres/libpq.h"

struct link {
    PGconn  *connection;   /* NULL: not connected */
    uint32_t warnings;     /* of the database, since it was connected */
    char     warning[160]; /* the first one */
    int64_t  tried_ms;     /* when it was last tried to connect; 0 = never */
};

/* Milliseconds of a clock that nobody sets. */
int64_t link_now_ms(void);

/* A connection with these parameters, as PQconnectdbParams gives it; NULL: no memory, or no libpq on this machine. */
PGconn *link_dial(const char *const *keys, const char *const *values) MUST_USE;

/*
 * Connects, as `name` in pg_stat_activity, to the host of the URL that can be written to: at most about 2 seconds for
 * each host. False: PQerrorMessage says why. Only session.c and trim.c call it.
 */
bool link_connect(struct link *link, const struct log_settings *settings, const char *name) MUST_USE;

void link_close(struct link *link);
void link_move(struct link *from, struct link *to); /* `to` is not open */
bool link_is_open(const struct link *link);

/* One parameter of a statement, in the binary form of its type. */
struct link_value {
    Oid         type;
    const void *at;
    int         bytes;
};
#define LINK_VALUES_MAX 12

struct link_statement {
    const char       *name; /* that it was prepared under; NULL: `text` is sent */
    const char       *text;
    int               count;
    struct link_value values[LINK_VALUES_MAX];
    uint64_t          numbers[LINK_VALUES_MAX]; /* of link_add_number */
};

void link_add_number(struct link_statement *statement, int64_t number);
void link_add_bytes(struct link_statement *statement, const void *at, size_t bytes);
void link_add_text(struct link_statement *statement, const char *text);

/* Sends it; its rows come in binary form. False: the connection is broken. */
bool link_send(struct link *link, const struct link_statement *statement) MUST_USE;

/*
 * Sends it outside of a pipeline and waits for its end, at most `ms`. NULL: no answer, and the link is closed. Else a
 * result that PQclear frees: PGRES_TUPLES_OK, PGRES_COMMAND_OK, or an error of the database.
 */
PGresult *link_ask(struct link *link, const struct link_statement *statement, int64_t ms) MUST_USE;

/* Waits until one of the sockets (-1: none) can be read, or `connection` written to when it has bytes left; or `ms`. */
void link_sleep(const struct link *links[], uint32_t count, int wake, int64_t ms);

/* SQLSTATE 23505, or an INSERT that found no predecessor: the row is not in the table. */
bool link_was_fenced(const PGresult *result);
bool link_did_insert(const PGresult *result);

/* Members of a binary row. */
int64_t link_number(const PGresult *result, int row, int column);
bool    link_is_true(const PGresult *result, int row, int column);
void    link_copy_hash(const PGresult *result, int row, int column, struct hash256 *hash);
void    link_copy_text(const PGresult *result, int row, int column, char *text, size_t cap);

/* report->text = the text, and the database's error behind it. Returns the fault. */
enum log_fault __attribute__((format(printf, 4, 5)))
link_say(struct log_report *report, enum log_fault fault, const struct link *link, const char *format, ...);

#endif
