/* SPDX-License-Identifier: MIT */
/*
 * inside.h — one replay: the sources, the exchange that they are played into, and what is measured.
 *     player.c   its life: prepare the exchange, play in time, report
 *     check.c    what is known before anything is changed
 *     pump.c     its connections
 *     send.c     ops of the books become signed requests
 *     hear.c     public trades of the exchange come back to the books
 *     drift.c    the real books beside the recorded ones
 */
#ifndef APP_PLAYBACK_INSIDE_H
#define APP_PLAYBACK_INSIDE_H

#include "app/playback/listener.h"
#include "app/playback/market.h"
#include "app/playback/sources.h"
#include "app/playback/trader.h"

#define REASONS_MAX 8

/* Why the exchange refused orders. */
struct reason {
    long     code;
    uint64_t count;
    char     text[96];
};

/* The drift of a symbol over the samples of a replay; quantities in units of its market. */
struct drift_sum {
    struct playback_drift last[2]; /* of bids, of asks */
    int128_t              recorded, missing, surplus;
    int64_t               best_most;
    uint64_t              samples;
};

/* Where a symbol begins: its price, in units, and the event that it was known with. */
struct beginning {
    int64_t     price, seen; /* seen: of the last trade, else of the first level; 0: none */
    const char *path;
    uint64_t    line;
};

struct player {
    struct venue    *venue;
    struct sources  *sources;
    const char      *maps;  /* "RECORDED=TRADED,…", or NULL */
    uint64_t         speed; /* 0: as fast as possible */
    int64_t          from_us;
    bool             from_start; /* from_us counts from the first event */
    bool             round, keep_index;
    struct trader    trader;
    struct listener  listeners[2];
    struct played   *played[SOURCE_SYMBOLS];
    struct drift_sum drift[SOURCE_SYMBOLS];
    struct beginning begins[SOURCE_SYMBOLS];
    int64_t          traded[SOURCE_SYMBOLS]; /* while it is checked: the quantity of the trades so far */
    uint64_t         levels, levels_most;    /* of all books, and what the exchange has room for; 0: it does not say */
    bool             begun;                  /* while it is checked: the start was met */
    bool             has_index[SOURCE_SYMBOLS];
    int64_t          first_us, last_us, start_us, now_us; /* of the recording */
    struct played   *shared; /* its accounts are used by somebody else; NULL: none that is known of */
    uint64_t         checked, events;
    uint64_t         answers;     /* that have come, */
    int64_t          answered_ns; /* and when the last one did, or none was owed */
    int64_t          began_ns, ended_ns, told_ns;
    struct reason    reasons[REASONS_MAX];
    char             why[320];
};

/* ---- of its files ---- */

__attribute__((format(printf, 2, 3))) bool player_fail(struct player *player, const char *format, ...);

/* Reads all that is played and finds its symbols. False: something is wrong with them, and nothing was changed. */
bool player_check(struct player *player) MUST_USE;

/* Sends and receives what is possible, waiting at most so long for something to happen. */
bool player_pump(struct player *player, int64_t wait_ms) MUST_USE;
/* Sends all ops of all books. */
bool player_flush(struct player *player) MUST_USE;
/* Waits until every request is answered. */
bool player_drain(struct player *player) MUST_USE;
/* What became of an item: trader->answered. */
void player_answered(void *self, const struct trader_request *request, uint32_t item, long code, const char *error);

/* Subscribes to the trades of all symbols and waits until that is in effect. */
bool player_listen(struct player *player) MUST_USE;
/* Trades that have come go to their books. */
bool player_hear(struct player *player) MUST_USE;

/* Looks at the real books, and tells. */
bool player_measure(struct player *player) MUST_USE;
/* What became of it all, on stdout. */
void player_report(const struct player *player);

#endif
