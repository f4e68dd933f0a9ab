/* SPDX-License-Identifier: MIT */
/* rehearsal.h — one run of a scenario (timeline.h) against an exchange. */
#ifndef APP_CLI_REHEARSAL_H
#define APP_CLI_REHEARSAL_H

#include "app/cli/timeline.h"
#include "app/cli/venue.h"

#define INDEX_MOVES_MAX 16

/* An index price on its way. */
struct index_move {
    char    symbol[32];
    int64_t from, to;         /* prices, in units of `precision` */
    int64_t began_ms, end_ms; /* of the scenario */
    int     precision;
    bool    is_over;
};

struct rehearsal {
    const struct timeline *timeline;
    struct venue           venue;
    bool                   is_own; /* the exchange was started for it: its clock stands, and this program moves it */
    int                    pid;    /* of that exchange */
    char                   url[64], folder[256];
    int64_t                now_ms;   /* of the scenario */
    int64_t                began_ms; /* engine time when it began, Unix ms */
    uint32_t               orders;   /* placed so far */
    uint32_t               move_count;
    struct index_move      moves[INDEX_MOVES_MAX];
    uint64_t               run; /* in client ids: another run with the same exchange uses others */
    char                   why[400];
};

/* ---- rehearsal_exchange.c ---- */

/* Starts an exchange with the scenario's market and seed, its clock standing, in a folder of its own. False: why. */
bool rehearsal_start(struct rehearsal *rehearsal) MUST_USE;
/* Kills it as a power failure would, and starts it again with the same folder. False: why. */
bool rehearsal_restart(struct rehearsal *rehearsal) MUST_USE;
/* Ends it and removes its folder. */
void rehearsal_stop(struct rehearsal *rehearsal);

/* ---- rehearsal_acts.c ---- */

/* Does one step. False: why. */
bool rehearsal_act(struct rehearsal *rehearsal, const struct step *step) MUST_USE;
/* Posts the index prices that are on their way. False: why. */
bool rehearsal_move_indexes(struct rehearsal *rehearsal) MUST_USE;

/* ---- rehearsal_storm.c ---- */

/* Clients connect, get the book of a symbol, lose their connections and come back, each time with a new snapshot.
 * False: why. */
bool rehearsal_storm(struct rehearsal *rehearsal, const json_t *keys, bool is_perps) MUST_USE;

/* ---- rehearsal_expect.c ---- */

/* Whether an expectation holds now; `got` is what was found instead, cut to fit. False with why[0] != 0: it could not
 * be asked. */
bool rehearsal_holds(struct rehearsal *rehearsal, const struct expectation *expectation, char *got, size_t cap);

/* The address of a development account as text, 43 bytes; false for other numbers. */
bool rehearsal_address(uint64_t account, char text[43]);

#endif
