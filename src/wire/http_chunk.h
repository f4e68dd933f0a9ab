/* SPDX-License-Identifier: MIT */
/*
 * http_chunk.h — a chunked body, decoded in place as it arrives: the data of all chunks is moved
 * together to the front, extensions and trailers are dropped (process 1). Only wire/ includes it.
 */
#ifndef WIRE_HTTP_CHUNK_H
#define WIRE_HTTP_CHUNK_H

#include "model/rejects.h"

/* Bytes of sizes, extensions, line ends and trailers in one request: the room that HTTP_BUFFER_BYTES leaves for them.
 */
#define CHUNK_FRAMING_MAX 16384

struct chunks {
    uint8_t  state;
    bool     complete;
    uint32_t digits;     /* of the size being read */
    uint32_t trailers;   /* lines */
    size_t   extension;  /* bytes of the one being read */
    uint64_t left;       /* data bytes of the current chunk */
    size_t   consumed;   /* bytes read, framing included */
    size_t   body_bytes; /* data moved together */
};

void chunks_init(struct chunks *chunks);

/*
 * Continues with all bytes behind the header block. Sets `complete` with the last byte of the body; bytes behind it
 * are not read.
 */
enum reject chunks_read(struct chunks *chunks, char *bytes, size_t len) MUST_USE;

#endif
