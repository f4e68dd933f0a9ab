/* SPDX-License-Identifier: MIT */
/*
 * frame_client.h — the other end of a WebSocket (RFC 6455), without sockets: the handshake of a client, its masked
 * frames, and the messages of a server.
 */
#ifndef WIRE_FRAME_CLIENT_H
#define WIRE_FRAME_CLIENT_H

#include "wire/frame.h"

#define FRAME_KEY_CHARS  24
#define FRAME_CLIENT_MAX (16u * 1024 * 1024) /* a message of a server */

/* The Sec-WebSocket-Key of 16 unpredictable bytes. */
void frame_client_key(const uint8_t random[16], char key[FRAME_KEY_CHARS]);

/* The request that begins a WebSocket. `host`: the Host header's value. */
void frame_client_request(struct out *out, struct slice host, struct slice path, const char key[FRAME_KEY_CHARS]);

/* The answer to it: how many bytes it is long; 0: more is needed; -1: it is a refusal or no answer to this key. */
int64_t frame_client_answer(struct slice bytes, const char key[FRAME_KEY_CHARS]);

/* A whole frame, masked. `mask`: unpredictable. */
void frame_client_write(struct out *out, enum frame_opcode opcode, struct slice payload, const uint8_t mask[4]);

/* Of one connection, zeroed at first. */
struct frame_client {
    char  *bytes; /* that were received and not taken */
    size_t len, cap, used;
    char  *message; /* in several frames: those that came */
    size_t message_len, message_cap;
    bool   fragmented;
};
void frame_client_close(struct frame_client *client);

/* Room for at least `more` bytes behind the ones that were received; the caller puts them there and adds them to
 * client->len. NULL: no memory. */
char *frame_client_room(struct frame_client *client, size_t more) MUST_USE;

enum frame_client_result { FRAME_CLIENT_MORE, FRAME_CLIENT_MESSAGE, FRAME_CLIENT_BROKEN };

/* The next message: a whole text or binary, a ping, a pong or a close. Its payload is good until the next call.
 * BROKEN: the server breaks the protocol, a message is too long, or memory is short. */
enum frame_client_result frame_client_next(struct frame_client *client, uint8_t *opcode, struct slice *payload);

#endif
