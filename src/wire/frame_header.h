/* SPDX-License-Identifier: MIT */
/*
 * frame_header.h — the header of a WebSocket frame (RFC 6455, 5.2), for both sides: who must set a mask, which opcodes
 * and reserved bits are taken, and how long a message may be, the readers decide (frame.c, frame_client.c).
 */
#ifndef WIRE_FRAME_HEADER_H
#define WIRE_FRAME_HEADER_H

#include "base/slice.h"

#define FRAME_HEADER_MAX 14 /* bytes */

struct frame_header {
    uint64_t payload;  /* bytes behind the header */
    uint32_t bytes;    /* of the header itself, the mask's too */
    uint8_t  opcode;   /* 0 to 15 */
    uint8_t  reserved; /* the three bits, 0 to 7 */
    bool     fin, masked;
    uint8_t  mask[4]; /* zeros when it is not masked */
};

enum frame_header_result {
    FRAME_HEADER_MORE, /* it needs more bytes */
    FRAME_HEADER_WHOLE,
    FRAME_HEADER_BROKEN /* a control frame in fragments or longer than 125 bytes, a length in more bytes than needed */
};

/* The header at the beginning of `bytes`; *header is good when it is WHOLE. */
enum frame_header_result frame_header_read(struct slice bytes, struct frame_header *header) MUST_USE;

#endif
