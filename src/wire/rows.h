/* SPDX-License-Identifier: MIT */
/*
 * rows.h — many records of one shape, written fast. The shape is turned once into what stands between
 * the values; then a record costs its digits and a few copies. What is written is byte for byte what
 * shape_write writes.
 */
#ifndef WIRE_ROWS_H
#define WIRE_ROWS_H

#include "wire/shape.h"

#define ROW_FIELDS_MAX 24
#define ROW_TEXT_MAX   32

struct row_part {
    uint8_t  kind, len;
    bool     quoted;
    uint32_t offset;
    char     text[ROW_TEXT_MAX];        /* everything between the value before and this one, copied whole */
};

struct row_form {
    const struct shape *shape;
    uint32_t            count;
    uint32_t            bytes_max;      /* of a record */
    struct row_part     parts[ROW_FIELDS_MAX];
};

/*
 * The form of a shape whose rows are all REQUIRED and of the kinds U64, U32, I64, DECIMAL, WIDE and NAME;
 * anything else is asserted.
 */
void row_form_make(struct row_form *form, const struct shape *shape);

/* Writes one record. */
void row_write(struct out *out, const struct row_form *form, const void *record);

#endif
