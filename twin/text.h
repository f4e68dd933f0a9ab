/* SPDX-License-Identifier: MIT */
/* text.h — JSON as the twin writes it: one call per key, numbers in units with a precision. */
#ifndef TWIN_TEXT_H
#define TWIN_TEXT_H

#include "world.h"

#define TEXT_ROOM ((size_t)2 * 1024 * 1024) /* of one answer */

struct text {
    char  *at;
    size_t len;
    bool   first;
};

void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void letters(struct text *text, const char *at, size_t len);

/* Units of 10^-precision: digits, a point, no zero at the end; "0" has no sign. */
void put_number(struct text *text, int128_t units, uint32_t precision);

/* Members of an object, with the comma before them where there is one. */
void open_object(struct text *text);
void close_object(struct text *text);
void key(struct text *text, const char *name);
void words(struct text *text, const char *name, const char *at, size_t len);
void word(struct text *text, const char *name, const char *value);
void named(struct text *text, const char *name, const struct name *value);
void client(struct text *text, const char *name, const struct client_id *value);
void number(struct text *text, const char *name, int64_t value);
void count_of(struct text *text, const char *name, uint64_t value);
void flag(struct text *text, const char *name, bool value);
void amount(struct text *text, const char *name, int128_t units, uint32_t precision);
void amount_if(struct text *text, const char *name, int128_t units, uint32_t precision); /* nothing when it is 0 */
void amount_or_null(struct text *text, const char *name, int128_t units, uint32_t precision);
void decimal(struct text *text, const char *name, struct decimal value);
void address(struct text *text, const char *name, const struct address *value);

#endif
