/* SPDX-License-Identifier: MIT */
#include "log/postgres/rows.h"

/* In the order of the statement STATEMENT_PAGE (session.c). */
enum {
    COLUMN_SEQ,
    COLUMN_TERM,
    COLUMN_KIND,
    COLUMN_FIRST,
    COLUMN_COUNT,
    COLUMN_TIME,
    COLUMN_COMMITTED,
    COLUMN_PREV,
    COLUMN_HASH,
    COLUMN_PAYLOAD
};

struct row rows_at(const PGresult *page, int at)
{
    struct row row = { .payload = (const uint8_t *)pq.getvalue(page, at, COLUMN_PAYLOAD) };

    row.column.number = (uint64_t)link_number(page, at, COLUMN_SEQ);
    row.column.term = (uint64_t)link_number(page, at, COLUMN_TERM);
    row.column.kind = (uint16_t)link_number(page, at, COLUMN_KIND);
    row.column.first_seq = (uint64_t)link_number(page, at, COLUMN_FIRST);
    row.column.count = (uint32_t)link_number(page, at, COLUMN_COUNT);
    row.column.time_ms = link_number(page, at, COLUMN_TIME);
    row.column.committed = (uint64_t)link_number(page, at, COLUMN_COMMITTED);
    row.column.bytes = (uint32_t)pq.getlength(page, at, COLUMN_PAYLOAD);
    link_copy_hash(page, at, COLUMN_PREV, &row.previous);
    link_copy_hash(page, at, COLUMN_HASH, &row.hash);
    return row;
}

PGresult *rows_ask(struct link *link, uint64_t first, uint64_t last, int64_t ms)
{
    struct link_statement statement = { .name = STATEMENT_PAGE };
    PGresult             *page;

    link_add_number(&statement, (int64_t)first);
    link_add_number(&statement, (int64_t)last);
    page = link_ask(link, &statement, ms);
    if (page == NULL || pq.resultStatus(page) == PGRES_TUPLES_OK) return page;
    pq.clear(page);
    link_close(link);
    return NULL;
}
