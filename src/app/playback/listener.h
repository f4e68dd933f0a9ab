/* SPDX-License-Identifier: MIT */
/* listener.h — a WebSocket to the streams of an exchange (wire 6), for sub-commands that are its clients. */
#ifndef APP_PLAYBACK_LISTENER_H
#define APP_PLAYBACK_LISTENER_H

#include "io/dial.h"
#include "wire/frame_client.h"

struct listener {
    struct dial        *dial; /* NULL: not connected */
    struct frame_client frames;
    int64_t             pinged_ns;
    bool                broken; /* the other side breaks the protocol, or memory is short */
    char                why[200];
};

/* Connects to `url`, http://HOST:PORT or https://HOST, at `path`, "/ws/spot". False: listener->why. */
bool listener_open(struct listener *listener, const char *url, const char *path) MUST_USE;
void listener_close(struct listener *listener);

/* Sends a text message whole. False: the connection has ended. */
bool listener_send(struct listener *listener, struct slice text) MUST_USE;

/* Takes in what has come, answers pings and sends some against idleness. False: it has ended, listener->why. */
bool listener_receive(struct listener *listener) MUST_USE;

/* The next text message that was taken in, good until the next call. */
bool listener_next(struct listener *listener, struct slice *text) MUST_USE;

#endif
