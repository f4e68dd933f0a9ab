/* SPDX-License-Identifier: MIT */
#include "app/playback/listener.h"

#include "io/clock.h"
#include "io/files.h"

#include <stdio.h>

#define CONNECT_MS    10000
#define SEND_MS       10000
#define PING_NS       (20 * INT64_C(1000000000)) /* the exchange ends a silent connection after 60 s */
#define RECEIVE_BYTES 65536

static bool fail(struct listener *listener, const char *url, const char *why)
{
    (void)snprintf(listener->why, sizeof(listener->why), "%.90s: %.100s", url, why);
    return false;
}

/* All of it, waiting where the connection is full. */
static bool send_all(struct listener *listener, struct slice bytes)
{
    int64_t end_ns = clock_mono_ns() + SEND_MS * INT64_C(1000000);

    while (bytes.len != 0) {
        size_t sent;

        if (!dial_send(listener->dial, bytes, &sent)) return false;
        bytes = slice_make(bytes.at + sent, bytes.len - sent);
        if (bytes.len != 0 && clock_mono_ns() > end_ns) return false;
        if (bytes.len != 0) dial_wait(1, &listener->dial, (const bool[]){ true }, 100);
    }
    return true;
}

static bool send_frame(struct listener *listener, enum frame_opcode opcode, struct slice payload)
{
    char       bytes[8192];
    uint8_t    mask[4];
    struct out out = out_make(bytes, sizeof(bytes));

    if (!files_random(mask, sizeof(mask))) return false;
    frame_client_write(&out, opcode, payload, mask);
    return !out.overflow && send_all(listener, out_slice(&out));
}

bool listener_send(struct listener *listener, struct slice text) { return send_frame(listener, FRAME_TEXT, text); }

/* More bytes behind those that wait. False: the connection has ended. */
static bool take_bytes(struct listener *listener, size_t *len)
{
    char *room = frame_client_room(&listener->frames, RECEIVE_BYTES);

    if (room == NULL || !dial_receive(listener->dial, room, RECEIVE_BYTES, len)) return false;
    listener->frames.len += *len;
    return true;
}

static bool shake_hands(struct listener *listener, const char *url, const char *path)
{
    uint8_t     random[16];
    char        key[FRAME_KEY_CHARS], text[1024];
    const char *host = strstr(url, "//");
    struct out  out = out_make(text, sizeof(text));
    int64_t     end_ns = clock_mono_ns() + CONNECT_MS * INT64_C(1000000), used = 0;

    assert(host != NULL);
    if (!files_random(random, sizeof(random))) return fail(listener, url, "no random bytes");
    frame_client_key(random, key);
    frame_client_request(&out, slice_of(host + 2), slice_of(path), key);
    if (out.overflow || !send_all(listener, out_slice(&out))) return fail(listener, url, "the connection has ended");
    while (used == 0) {
        size_t len;

        if (clock_mono_ns() > end_ns) return fail(listener, url, "no answer to the WebSocket handshake");
        if (!take_bytes(listener, &len)) return fail(listener, url, "refuses WebSocket connections");
        used = frame_client_answer(slice_make(listener->frames.bytes, listener->frames.len), key);
        if (used < 0) return fail(listener, url, "has no streams at /ws/spot and /ws/perps");
        if (used == 0 && len == 0) dial_wait(1, &listener->dial, (const bool[]){ false }, 100);
    }
    listener->frames.used = (size_t)used;
    return true;
}

bool listener_open(struct listener *listener, const char *url, const char *path)
{
    char why[DIAL_WHY_BYTES];

    *listener = (struct listener){ .pinged_ns = clock_mono_ns() };
    listener->dial = dial_open(url, CONNECT_MS, why);
    if (listener->dial == NULL) return fail(listener, path, why);
    if (shake_hands(listener, url, path)) return true;
    listener_close(listener);
    return false;
}

void listener_close(struct listener *listener)
{
    dial_close(listener->dial);
    listener->dial = NULL;
    frame_client_close(&listener->frames);
}

bool listener_receive(struct listener *listener)
{
    size_t len = 0;

    do {
        if (listener->broken || !take_bytes(listener, &len))
            return fail(listener, "streams", "the connection has ended");
    } while (len != 0); /* TLS may hold more than the socket shows */
    if (clock_mono_ns() - listener->pinged_ns < PING_NS) return true;
    listener->pinged_ns = clock_mono_ns();
    return send_frame(listener, FRAME_TEXT, SLICE("{\"op\":\"ping\"}"))
        || fail(listener, "streams", "the connection has ended");
}

bool listener_next(struct listener *listener, struct slice *text)
{
    uint8_t opcode;

    for (;;) {
        switch (frame_client_next(&listener->frames, &opcode, text)) {
        case FRAME_CLIENT_MORE: return false;
        case FRAME_CLIENT_BROKEN: listener->broken = true; return false;
        default: break;
        }
        if (opcode == FRAME_TEXT) return true;
        if (opcode == FRAME_PING && !send_frame(listener, FRAME_PONG, *text)) return false;
    }
}
