/* SPDX-License-Identifier: MIT */
/* rows.h — rows as an answer of the database has them. */
#ifndef LOG_POSTGRES_ROWS_H
#define LOG_POSTGRES_ROWS_H

#include "log/postgres/row.h"
#include "log/postgres/session.h"

/* Rows from `first` to `last`, as many as fit into a page, in order; NULL: no answer, and the link is closed. */
PGresult *rows_ask(struct link *link, uint64_t first, uint64_t last, int64_t ms) MUST_USE;

/* Row number `at` of a page; its payload is a part of the page. */
struct row rows_at(const PGresult *page, int at);

#endif
