/* SPDX-License-Identifier: MIT */
/*
 * member.h — one value between its text and its member of the C struct; shared by the reader of bodies, the reader of
 * queries and the writer. Only wire/ includes it; the interface is shape.h.
 */
#ifndef WIRE_MEMBER_H
#define WIRE_MEMBER_H

#include "wire/shape.h"

/* Whole numbers: KIND_U64, KIND_U32, KIND_I64, KIND_OPTIONAL_U64 and enums by number. `text` is a JSON number. */
enum reject number_into(const struct field *field, struct slice text, void *member, const char **need) MUST_USE;

/* Values in strings: CLIENT_ID, NAME, ADDRESS, HASH, DECIMAL, TEXT and enums by name. */
enum reject text_into(const struct field *field, struct slice text, void *member, const char **need) MUST_USE;

/* The error for a missing or malformed KIND_CLIENT_ID. */
enum reject client_id_reject(const struct field *field);

/* Is the member other than zero, that is, given? */
bool member_is_given(const struct field *field, const void *from);

/* "at most 64 items": the rule of a list other than a batch. `front` is at most 16 bytes. */
#define ITEMS_NEED_BYTES 40
void write_items_need(const char *front, const struct field *field, char need[ITEMS_NEED_BYTES]);

/* At most `cap` - 1 bytes of a text, each printable ASCII, with a zero behind; "..." marks what is cut. */
void excerpt(struct slice text, char *into, size_t cap);

#endif
