/* SPDX-License-Identifier: MIT */
/*
 * rows.h — fast writing of records with known shapes. A shape is compiled once into the text between its values; then
 * a record costs its digits and a few copies. The output equals that of shape_write byte for byte.
 */
#ifndef WIRE_ROWS_H
#define WIRE_ROWS_H

#include "wire/shape.h"

#define ROW_FORMS_MAX 96
#define ROW_PARTS_MAX 768
#define ROW_WORDS_MAX 256
#define ROW_TEXT_MAX  32

/* The spelling of a value of an enum; len 0 = it has none. */
struct row_word {
    uint8_t len;
    char    text[31];
};

/* A value and everything between the one before and it, which is copied whole. */
struct row_part {
    uint8_t             kind, len, word_count;
    uint8_t             absence; /* enum presence of a member that may be omitted or null, 0 = always written */
    bool                quoted;
    uint32_t            offset;
    const struct field *field;
    union {
        const struct row_form *form;
        const struct row_word *words;
    } of;                    /* of its items; of its enum, by value */
    char text[ROW_TEXT_MAX]; /* begins with a comma, ends with the quote of a value that has one */
};

struct row_form {
    const struct shape    *shape;
    const struct row_part *parts;
    uint32_t               count;
    uint32_t bytes_max;   /* of a record, lists, objects and texts in it not counted, and some room behind it */
    char     open, close; /* 0: the value alone */
};

/* All compiled forms of one owner. They contain pointers into it, so it must not move. */
struct row_forms {
    uint32_t                form_count, part_count, word_count;
    struct row_form         forms[ROW_FORMS_MAX];
    struct row_part         parts[ROW_PARTS_MAX];
    struct row_word         words[ROW_WORDS_MAX];
    const struct enum_name *names[ROW_WORDS_MAX]; /* the enum whose first word is here; NULL = none */
};

void row_forms_init(struct row_forms *forms);

/* The form of a shape and of all shapes in it; a second call returns the same one. */
const struct row_form *row_form(struct row_forms *forms, const struct shape *shape);

/* Writes one record. */
void row_write(struct out *out, const struct row_form *form, const void *record);

#endif
