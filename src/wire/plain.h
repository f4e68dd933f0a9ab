/* SPDX-License-Identifier: MIT */
/*
 * plain.h — fast reading of plain bodies: the keys in the order of the rows, nothing between them, no zeros at the end
 * of decimals, as most programs write them. A shape is compiled once into the texts between its values, so that a body
 * is compared and its digits are added up, without a scan.
 *
 * What is plain shape_read takes too, with the same values. What is not plain may still be right: shape_read judges it.
 */
#ifndef WIRE_PLAIN_H
#define WIRE_PLAIN_H

#include "model/rejects.h"
#include "model/shape.h"

#define PLAIN_FORMS_MAX  48
#define PLAIN_PARTS_MAX  256
#define PLAIN_TEXT_WORDS 4

struct plain_form;

/* A value and the text in front of it: the key, its colon, and the quote of a value that has one. */
struct plain_part {
    uint64_t                 word[PLAIN_TEXT_WORDS], mask[PLAIN_TEXT_WORDS]; /* the text, eight bytes each */
    const struct field      *field;
    const struct plain_form *items; /* of a list */
    uint64_t                 max;   /* of a whole number */
    uint32_t                 offset;
    uint16_t                 values; /* of an enum: a bit for each of 0 to 9 that has a name */
    uint8_t                  len, kind;
    bool                     required, not_zero;
};

struct plain_form {
    const struct shape      *shape;
    const struct plain_part *parts;
    uint32_t                 count;
    uint32_t                 cleared; /* bytes of the struct in front of its list, or all of it */
};

/* All compiled forms of one owner. They contain pointers into it, so it must not move. */
struct plain_forms {
    uint32_t          form_count, part_count;
    struct plain_form forms[PLAIN_FORMS_MAX];
    struct plain_part parts[PLAIN_PARTS_MAX];
};

void plain_forms_init(struct plain_forms *forms);

/* The form of a shape and of the shapes of its lists; NULL: it requires a value of a kind that no plain body has. */
const struct plain_form *plain_form(struct plain_forms *forms, const struct shape *shape);

/*
 * Reads a plain body into `into` (shape->size bytes) and runs the shape's checks. True: `into` is what shape_read makes
 * of it, except that items behind the last one of a list keep what was there; and the body has no white space. False:
 * it is not plain or breaks a rule, and `into` is undefined.
 */
bool plain_read(const struct plain_form *form, struct slice json, void *into) MUST_USE;

#endif
