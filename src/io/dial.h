/* SPDX-License-Identifier: MIT */
/*
 * dial.h — a connection to another program's address, for sub-commands that are clients: bytes out, bytes in, plain or
 * through TLS. libcurl makes the connection (as fetch.h does the requests) and its certificate must be good for its
 * host. One thread; nothing but dial_open and dial_wait waits.
 */
#ifndef IO_DIAL_H
#define IO_DIAL_H

#include "base/slice.h"

#define DIAL_WHY_BYTES 160
#define DIAL_MAX       8 /* connections that dial_wait waits for */

struct dial;

/* `url`: http://HOST:PORT or https://HOST. NULL: `why` is one sentence. */
struct dial *dial_open(const char *url, int64_t timeout_ms, char why[DIAL_WHY_BYTES]) MUST_USE;
void         dial_close(struct dial *dial);

/* Sends what the connection takes now; *sent: how many bytes. False: it has ended. */
bool dial_send(struct dial *dial, struct slice bytes, size_t *sent) MUST_USE;

/* Takes what has come, at most `cap` bytes; *len 0: nothing yet. False: it has ended. */
bool dial_receive(struct dial *dial, void *into, size_t cap, size_t *len) MUST_USE;

/* Waits until one of them has bytes, or one of `writing` takes some, at most timeout_ms. */
void dial_wait(uint32_t count, struct dial *const dials[], const bool writing[], int64_t timeout_ms);

#endif
