/* SPDX-License-Identifier: MIT */
/* watch_screen.h — what dojima watch knows, and how it is drawn. */
#ifndef APP_CLIENT_WATCH_SCREEN_H
#define APP_CLIENT_WATCH_SCREEN_H

#include "app/client/plain.h"
#include "app/client/symbol.h"
#include "app/playback/listener.h"

struct watch_side {
    const char     *name, *path; /* "spot", "/ws/spot" */
    bool            wanted;
    struct listener listener;
    int64_t         again_ns; /* not connected: when to try */
};

struct watch {
    struct client       *client;
    struct client_symbol symbol;        /* name "": all of them */
    json_t              *tickers;       /* {"spot": records, "perps": records} */
    json_t              *book, *trades; /* of the symbol: the last push; the newest trade first */
    struct watch_side    sides[2];
    char                 status[200]; /* "": the streams are live */
    uint32_t             columns, rows;
    int64_t              drawn_ns;
    bool                 changed; /* since it was drawn */
};

/* Takes in a push of a stream. */
void watch_take(struct watch *watch, const struct watch_side *side, const json_t *message);

/* Draws the whole screen. False: it cannot be written. */
bool watch_draw(const struct watch *watch);

#endif
