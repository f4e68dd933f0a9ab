/* SPDX-License-Identifier: MIT */
/*
 * http_same.h — a client repeats itself: the head of its next request equals the previous one but for the signature's
 * values and the length of the body. So a connection keeps the last head that was parsed; a head that equals it
 * outside these values need not be parsed again.
 *
 *     POST /api/v1/spot/trade/orders/batch HTTP/1.1 … X-API-Sign: ▒▒▒▒▒▒ … X-API-Nonce: ▒▒▒ … Content-Length: ▒▒▒ …
 *     CRLF CRLF
 *
 * A value may differ where it has as many bytes as before, all of them visible ASCII; a length, digits. No such byte
 * has a meaning for the parser of a head, so every result of parsing (framing, keep-alive, repeated headers) holds
 * again.
 */
#ifndef WIRE_HTTP_SAME_H
#define WIRE_HTTP_SAME_H

#include "base/slice.h"

#define SAME_BYTES 512 /* a longer head is read anew each time */
#define SAME_GAPS  3

/* Where a head may differ. */
struct same_gap {
    uint16_t at, len;
    bool     is_length;
};

struct same_head {
    uint16_t        bytes; /* of the head; 0 = none is kept */
    uint16_t        count;
    struct same_gap gaps[SAME_GAPS]; /* ascending; `count` of them */
    char            text[SAME_BYTES];
};

/* Keeps a head of `bytes` bytes, when it is short enough. `values`: any
   of them may be absent; `length` is that of Content-Length. */
void same_head_keep(struct same_head *same, const char *head, size_t bytes, const struct slice values[SAME_GAPS - 1],
                    struct slice length);

/* Whether these bytes begin with the kept head. *body_bytes is the body's length by its Content-Length, 0 on false. */
bool same_head_is(const struct same_head *same, const char *bytes, size_t len, uint64_t *body_bytes) MUST_USE;

/* 1 to 19 digits: no sign, no list, no way to overflow. */
bool length_read(struct slice text, uint64_t *length);

#endif
