/* SPDX-License-Identifier: MIT */
/*
 * postgres.h — a PostgreSQL server for one test: its folder is made and removed with it. It needs the binaries of the
 * Debian package postgresql, and another user than root (then `postgres` is taken).
 */
#ifndef SUPPORT_POSTGRES_H
#define SUPPORT_POSTGRES_H

#include <libpq-fe.h>
#include <stdbool.h>

struct test_postgres {
    char folder[64];
    int  port;
    int  standbys;
    char admin[160]; /* URL of the superuser */
};

/* False, and a line on stderr that begins with "skipped:", where there is no PostgreSQL. */
bool test_postgres_start(struct test_postgres *postgres, int standbys);
void test_postgres_stop(struct test_postgres *postgres);

/* pg_ctl ACTION of the primary (number 0) or of a standby, with more arguments; 0 = done. */
int test_postgres_control(const struct test_postgres *postgres, int number, const char *action);

/* Runs SQL as the superuser; asserts that it succeeds. */
void test_postgres_run(const struct test_postgres *postgres, const char *text);

/* The first value of a query, in a static room. */
const char *test_postgres_value(const struct test_postgres *postgres, const char *text);

#endif
