/* SPDX-License-Identifier: MIT */
/*
 * shape.h — the strict reader and the canonical writer of JSON, driven by the rows of model/shape.h.
 *
 * The reader accepts exactly RFC 8259 with these additions: UTF-8 is checked, a key occurs at most
 * once, only keys of the shape, numbers are integers without sign, point, exponent or leading zero
 * (KIND_I64 may be negative), depth at most 8, nothing but white space behind the value.
 */
#ifndef WIRE_SHAPE_H
#define WIRE_SHAPE_H

#include "model/rejects.h"
#include "model/shape.h"

/* Why a text was refused: the row, the key at fault, the value sent and the value required. */
struct shape_error {
    enum reject reject;
    char        field[64]; /* "orders[3].price", terminated by a zero; "" = the whole body */
    char        got[64];   /* the value sent, shortened, printable */
    char        need[96];  /* overrides the reject row's rule when not empty */
    size_t      at;        /* byte offset in the text */
};

/*
 * Reads one JSON object into `into` (shape->size bytes, zeroed here first). Runs the shape's check and those of its
 * items. REJECT_NONE = accepted; otherwise *error has the reason and `into` is undefined.
 */
enum reject shape_read(const struct shape *shape, struct slice json, void *into, struct shape_error *error) MUST_USE;

/* The same, and a decimal has one spelling: zeros at its end behind the point are refused (wire 7.1 row 3). */
enum reject shape_read_strictly(const struct shape *shape, struct slice json, void *into,
                                struct shape_error *error) MUST_USE;

/* Writes the canonical form: compact, row order, canonical decimals, absent optionals left out.
 * Enums as integers when `request`, as names otherwise. */
void shape_write(struct out *out, const struct shape *shape, const void *from, bool request);

/*
 * Reads a query string ("limit=10&symbol=a%20b", without '?') by the same rows. Unknown parameters
 * are ignored, repeated known ones refused (ruling 4); an empty query is fine.
 */
enum reject shape_read_query(const struct shape *shape, struct slice query, void *into,
                             struct shape_error *error) MUST_USE;

/* Copies a valid JSON text without its insignificant white space (ruling 4); at most json.len bytes. */
void json_compact(struct slice json, struct out *out);

/* Is this text one valid JSON value (RFC 8259, UTF-8 checked, duplicate keys allowed)? For the JSONTestSuite. */
bool json_is_valid(struct slice json);

/* A JSON string with its quotes and escapes; bytes that are no UTF-8 become U+FFFD. (jansson owns the shorter name.) */
void json_write_string(struct out *out, struct slice text);

#endif
