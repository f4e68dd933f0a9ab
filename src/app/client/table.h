/* SPDX-License-Identifier: MIT */
/* table.h — rows of text in columns, for a person. */
#ifndef APP_CLIENT_TABLE_H
#define APP_CLIENT_TABLE_H

#include "base/out.h"

#include <jansson.h>

enum column_kind {
    COLUMN_TEXT,
    COLUMN_NUMBER, /* to the right */
    COLUMN_SIGNED, /* to the right; below zero in red, above in green */
    COLUMN_SIDE    /* BUY and LONG in green, SELL and SHORT in red */
};

struct column {
    const char *title, *key; /* key: of the records that table_add_record takes; NULL = given by hand */
    uint8_t     kind;
};

#define COLUMNS_MAX 16

struct table {
    const struct column *columns;
    uint32_t             count; /* of columns, at most COLUMNS_MAX */
    json_t              *rows;  /* arrays of strings */
};

void table_begin(struct table *table, const struct column *columns, uint32_t count);
void table_end(struct table *table);

/* A row by hand: one text per column, which need not be clean; NULL = "". */
void table_add(struct table *table, const char *const cells[]);

/* A row out of a record; `first` stands in the columns without a key, in turn. */
void table_add_record(struct table *table, const json_t *record, const char *const first[]);

uint32_t table_size(const struct table *table);

/* Writes title and rows, at most `rows` lines, only the columns that fit into `width`; 0 = all. */
void table_write(const struct table *table, struct out *out, bool colours, uint32_t width, uint32_t rows);

/* Writes all of it to standard output; `none` is the line for a table without rows. */
void table_print(const struct table *table, bool colours, const char *none);

#endif
