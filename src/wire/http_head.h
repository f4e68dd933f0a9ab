/* SPDX-License-Identifier: MIT */
/*
 * http_head.h — llhttp behind a small door: one complete header block in, its lines out. Only wire/
 * includes it, and http_head.c alone sees llhttp, whose names would clash with those of http.h.
 */
#ifndef WIRE_HTTP_HEAD_H
#define WIRE_HTTP_HEAD_H

#include "base/slice.h"

#define HEAD_LINES_MAX 64

struct head_line { struct slice name, value; };     /* the value without white space around it */

struct head {
    struct slice     target;
    uint64_t         content_length;                /* as llhttp read it; 0 when there is none  */
    bool             chunked;                       /* as llhttp read it                        */
    bool             wants_close, wants_keep_alive; /* tokens of the Connection lines           */
    uint32_t         count;
    struct head_line lines[HEAD_LINES_MAX];
};

/* A character of a method or a field name (RFC 9110, 5.6.2). */
bool head_is_token_char(char c);

/*
 * Reads a header block that ends with its empty line. `method` stands at its beginning, and `known`
 * is handed to llhttp in its place, so that methods llhttp has never heard of can be answered 405.
 */
bool head_read(struct slice block, struct slice method, struct slice known, struct head *head) MUST_USE;

#endif
