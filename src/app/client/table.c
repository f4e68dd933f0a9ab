/* SPDX-License-Identifier: MIT */
#include "app/client/table.h"

#include "app/client/plain.h"

#include <stdio.h>
#include <stdlib.h>

#define CELL_BYTES 128
#define GREEN      "\033[32m"
#define RED        "\033[31m"
#define BOLD       "\033[1m"
#define PLAIN      "\033[0m"

void table_begin(struct table *table, const struct column *columns, uint32_t count)
{
    assert(count <= COLUMNS_MAX);
    *table = (struct table){ columns, count, json_array() };
}

void table_end(struct table *table)
{
    json_decref(table->rows);
    table->rows = NULL;
}

uint32_t table_size(const struct table *table) { return (uint32_t)json_array_size(table->rows); }

static void append_cell(json_t *row, const char *text)
{
    char cell[CELL_BYTES];

    (void)snprintf(cell, sizeof(cell), "%s", text != NULL ? text : "");
    plain_clean(cell);
    (void)json_array_append_new(row, json_string(cell));
}

void table_add(struct table *table, const char *const cells[])
{
    json_t *row = json_array();

    for (uint32_t i = 0; i < table->count; i++) append_cell(row, cells[i]);
    (void)json_array_append_new(table->rows, row);
}

void table_add_record(struct table *table, const json_t *record, const char *const first[])
{
    json_t  *row = json_array();
    uint32_t next = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        char text[CELL_BYTES];

        if (table->columns[i].key == NULL) append_cell(row, first[next++]);
        else append_cell(row, plain_member(record, table->columns[i].key, text, sizeof(text)));
    }
    (void)json_array_append_new(table->rows, row);
}

/* ---- writing ---- */

static const char *cell_at(const struct table *table, size_t row, uint32_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(table->rows, row), column));

    return text != NULL ? text : "";
}

static const char *colour_of(uint8_t kind, const char *text)
{
    if (kind == COLUMN_SIGNED && text[0] == '-') return RED;
    if (kind == COLUMN_SIGNED && strspn(text, "0.") != strlen(text)) return GREEN;
    if (kind == COLUMN_SIDE && (strcmp(text, "BUY") == 0 || strcmp(text, "LONG") == 0)) return GREEN;
    if (kind == COLUMN_SIDE && (strcmp(text, "SELL") == 0 || strcmp(text, "SHORT") == 0)) return RED;
    return NULL;
}

static void pad(struct out *out, size_t count)
{
    while (count-- > 0) out_char(out, ' ');
}

static void write_cell(struct out *out, const struct column *column, const char *text, const char *colour, size_t width)
{
    bool   is_text = column->kind == COLUMN_TEXT || column->kind == COLUMN_SIDE;
    size_t gap = width - strlen(text);

    if (!is_text) pad(out, gap);
    if (colour != NULL) out_text(out, colour);
    out_text(out, text);
    if (colour != NULL) out_text(out, PLAIN);
    if (is_text) pad(out, gap);
}

/* The widths of the columns; how many of them fit. */
static uint32_t measure(const struct table *table, uint32_t width, size_t widths[COLUMNS_MAX])
{
    size_t sum = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        widths[i] = strlen(table->columns[i].title);
        for (size_t row = 0; row < table_size(table); row++) {
            size_t len = strlen(cell_at(table, row, i));
            if (len > widths[i]) widths[i] = len;
        }
        sum += widths[i] + (i != 0 ? 2 : 0);
        if (width != 0 && i != 0 && sum > width) return i;
    }
    return table->count;
}

void table_write(const struct table *table, struct out *out, bool colours, uint32_t width, uint32_t rows)
{
    size_t   widths[COLUMNS_MAX];
    uint32_t columns = measure(table, width, widths);

    for (uint32_t i = 0; i < columns; i++) {
        pad(out, i != 0 ? 2 : 0);
        write_cell(out, &table->columns[i], table->columns[i].title, colours ? BOLD : NULL, widths[i]);
    }
    out_char(out, '\n');
    for (size_t row = 0; row < table_size(table) && (rows == 0 || row + 1 < rows); row++) {
        for (uint32_t i = 0; i < columns; i++) {
            const char *text = cell_at(table, row, i);

            pad(out, i != 0 ? 2 : 0);
            write_cell(out, &table->columns[i], text, colours ? colour_of(table->columns[i].kind, text) : NULL,
                       widths[i]);
        }
        out_char(out, '\n');
    }
}

void table_print(const struct table *table, bool colours, const char *none)
{
    size_t     cap = (table_size(table) + 1) * (size_t)table->count * (CELL_BYTES + 16) + 16;
    struct out out = out_make(malloc(cap), cap);

    if (table_size(table) == 0) (void)printf("%s\n", none);
    else if (out.at != NULL) table_write(table, &out, colours, 0, 0);
    (void)fwrite(out.at, 1, out.len, stdout);
    free(out.at);
}
