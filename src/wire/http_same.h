/* SPDX-License-Identifier: MIT */
/*
 * http_same.h — a client repeats itself: the head of its next request is that of the one before, but for who signed
 * what and how long the body is. So a connection keeps the last head that was read, and where it compares equal outside
 * these values it has been read already.
 *
 *     POST /api/v1/spot/trade/orders/batch HTTP/1.1 … X-API-Sign: ▒▒▒▒▒▒ … X-API-Nonce: ▒▒▒ … Content-Length: ▒▒▒ …
 *     CRLF CRLF
 *
 * A value may differ where it has as many bytes as before, all of them visible ASCII; of a length, digits. No such byte
 * means anything to the reading of a head, so whatever was found out about it (framing, keep-alive, what is repeated)
 * holds again.
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

/* Does the kept head stand at the beginning of these bytes? Then
 *body_bytes is how long it says the body is, 0 when it does not. */
bool same_head_is(const struct same_head *same, const char *bytes, size_t len, uint64_t *body_bytes) MUST_USE;

/* 1 to 19 digits: no sign, no list, no way to overflow. */
bool length_read(struct slice text, uint64_t *length);

#endif
