/* SPDX-License-Identifier: MIT */
/*
 * frame.h — WebSocket (RFC 6455) without sockets: the handshake, whole messages from a client, and the head of a frame
 * that we send. frame_header.h splits frames; the checks of a server are here: masks, reserved bits, opcodes,
 * fragments, UTF-8, close codes, lengths.
 *
 * A connection needs memory only while a frame or a message is incomplete: buffers come from a pool per thread. A
 * message that we send is encoded once and shared by all its receivers, because a server's frames are not masked.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "base/out.h"

#define FRAME_MESSAGE_MAX 4096 /* of a client (process 1) */
#define FRAME_CONTROL_MAX 125
#define FRAME_HEAD_MAX    10 /* before the payload of a frame of ours */

enum frame_opcode {
    FRAME_CONTINUATION = 0,
    FRAME_TEXT = 1,
    FRAME_BINARY = 2,
    FRAME_CLOSE = 8,
    FRAME_PING = 9,
    FRAME_PONG = 10
};

/* Why a connection ends (RFC 6455, 7.4). */
/* clang-format off */
enum frame_close {
    CLOSE_NONE = 0, CLOSE_NORMAL = 1000, CLOSE_GOING_AWAY = 1001, CLOSE_PROTOCOL = 1002, CLOSE_UNSUPPORTED = 1003,
    CLOSE_NO_STATUS = 1005, CLOSE_BAD_DATA = 1007, CLOSE_POLICY = 1008, CLOSE_TOO_BIG = 1009, CLOSE_RESTART = 1012,
    CLOSE_OVERLOADED = 1013,
};
/* clang-format on */

struct frame_room;
struct frame_pool {
    struct frame_room *free;
}; /* zeroed at first; of one thread */
void frame_pool_close(struct frame_pool *pool);

/* Of one connection, zeroed at first. */
struct frame_reader {
    struct frame_room *room;  /* NULL between messages */
    bool               ended; /* nothing that comes now is looked at */
};

/* An incoming message: a whole text, a ping or pong with its payload, a close with its code (1005 = none). */
struct frame_message {
    uint8_t      opcode;  /* enum frame_opcode, never CONTINUATION or BINARY */
    uint16_t     code;    /* CLOSE: the code to answer with; the client's own, or the reason of a refusal */
    struct slice payload; /* good until the next call of the taker's connection */
};

/*
 * Takes all of `bytes`; calls `take` for each whole message until it returns false. A violation of the protocol is
 * reported as a CLOSE with its code and ends the reader. False: no memory.
 */
typedef bool frame_take(void *self, const struct frame_message *message);
bool         frame_read(struct frame_pool *pool, struct frame_reader *reader, struct slice bytes, frame_take *take,
                        void *self) MUST_USE;

/* The connection is gone. */
void frame_reader_close(struct frame_pool *pool, struct frame_reader *reader);

/* The bytes before a payload of `len` bytes; returns how many they are. */
uint32_t frame_head(uint8_t head[FRAME_HEAD_MAX], enum frame_opcode opcode, uint64_t len);

/* Encodes a whole frame; the reason of a close is cut to fit. */
void frame_write(struct out *out, enum frame_opcode opcode, struct slice payload);
void frame_write_close(struct out *out, uint16_t code, struct slice reason);

/* Is this a Sec-WebSocket-Key: 16 bytes in base64? */
bool frame_key_is_valid(struct slice key);

/* The Sec-WebSocket-Accept that answers a key: 28 characters. */
void frame_accept(struct out *out, struct slice key);

#endif
