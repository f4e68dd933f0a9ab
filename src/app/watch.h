/* SPDX-License-Identifier: MIT */
/*
 * watch.h — the exchange's side of its shadow: starts it, reads its messages, compares them with the exchange's own
 * blocks, and raises the alarm. It has a thread of its own that no other thread waits for.
 */
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include "history/history.h"
#include "app/shadow.h"

#include <pthread.h>
#include <stdatomic.h>

/* How the shadow is run; seconds 0: there is none. */
struct watch_settings {
    uint64_t    seconds, commands;
    bool        archive;
    bool        stops;  /* a difference stops the exchange */
    const char *config; /* file of the configuration, for a shared log; NULL: the log is files */
};

/* Facts about the shadow; any thread may read. */
struct watch_counts {
    _Atomic uint64_t alive;       /* 1 while a shadow is connected */
    _Atomic uint64_t seq, block;  /* how far it has come */
    _Atomic uint64_t agreed;      /* blocks that were compared and are the same */
    _Atomic uint64_t differences; /* and that are not */
    _Atomic uint64_t snapshots, snapshot_seq, restarts;
};

struct watch {
    struct watch_settings settings;
    const char           *folder;
    struct history       *history;
    struct watch_counts   counts;
    pthread_t             thread;
    _Atomic uint32_t      stop;
    int                   handle, pid;
    bool                  running;
};

/* Starts shadow and thread; a shadow that cannot be started is logged, and the exchange continues without. */
void watch_start(struct watch *watch, const char *folder, struct history *history,
                 const struct watch_settings *settings);

/* Ends both. */
void watch_stop(struct watch *watch);

/* Handles one message of the shadow. False: it is not a message. */
bool watch_hear(struct watch *watch, const struct shadow_message *message);

/* A difference was found and the setting makes it fatal. */
bool watch_stopped_all(const struct watch *watch);

#endif
