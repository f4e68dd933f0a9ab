/* SPDX-License-Identifier: MIT */
/* environment.h — what an environment is made of. Inside the room only. */
#ifndef ENVIRONMENT_ENVIRONMENT_H
#define ENVIRONMENT_ENVIRONMENT_H

#include "library/library.h"
#include "dojima/market.h"
#include "market/market.h"
#include "views/views.h"

#define ENVIRONMENT_SYMBOLS 16 /* further ones have no traders */
#define ENVIRONMENT_ACCOUNT ACCOUNT_FIRST
#define COMMANDS_ROOM       (1 << 20) /* of an instant: 19 traders, 16 symbols, three messages of at most 100 items */

/* All levels of one side, best first. */
struct book_side {
    struct view_level *levels;
    uint32_t           count;
    bool               touched; /* the observation has another */
};

/* A symbol as the account sees it. */
struct seen {
    const struct symbol *symbol;
    uint8_t              market;
    struct book_side     sides[2];
    int64_t             *words;         /* DOJIMA_SYMBOL_WORDS */
    int64_t             *book[2];       /* levels * DOJIMA_LEVEL_WORDS */
    int64_t             *position;      /* DOJIMA_POSITION_WORDS */
    int                  power;         /* value = price * quantity * 10^power */
    int                  balance_power; /* of the base coin's units to those of a quantity */
    int128_t             cost;          /* of the position */
};

struct dojima_environment {
    struct dojima_environment_setup setup;
    struct dojima_engine           *engine;
    struct views                   *views;
    struct traders                  traders;
    struct market_knobs             knobs;
    struct dojima_events            events;   /* since the last fold */
    uint8_t                        *commands; /* of the instant at hand */
    size_t                          commands_len, commands_at;
    int64_t                         time_ms; /* of the instant at hand */
    uint64_t                        steps, ids, logged;
    int64_t                         value;
    uint8_t                         episode; /* enum dojima_episode */
    bool                            has_episode;
    struct address                  address; /* of the account */
    uint32_t                        symbol_count, words;
    int64_t                        *account, *balances, *orders; /* in the observation */
    struct seen                     seen[ENVIRONMENT_SYMBOLS];
    size_t                          engine_at, views_at, commands_begin, events_at, books_at, bytes;
};

enum {
    ACCOUNT_TIME,
    ACCOUNT_VALUE,
    ACCOUNT_STEPS,
    ACCOUNT_OPEN,
    ACCOUNT_REJECT,
    ACCOUNT_FILLS,
    ACCOUNT_WALLET,
    ACCOUNT_REFUSED
};
enum {
    SYMBOL_LAST,
    SYMBOL_LAST_QUANTITY,
    SYMBOL_TRADES,
    SYMBOL_INDEX,
    SYMBOL_MARK,
    SYMBOL_FUNDING,
    SYMBOL_BIDS,
    SYMBOL_ASKS
};
enum { POSITION_SIZE, POSITION_COST, POSITION_BUCKET, POSITION_LEVERAGE };
enum { ORDER_ID, ORDER_SYMBOL, ORDER_SIDE, ORDER_PRICE, ORDER_QUANTITY, ORDER_EXECUTED, ORDER_CREATED, ORDER_TIF };

/* ---- apply.c ---- */

/* Gives the events since the last time to the views. */
void environment_fold(struct dojima_environment *environment);

/* Applies a command at the time of the instant, keeps its events for the views and shows them to the account. */
void environment_apply(struct dojima_environment *environment, struct command *command);

/* ---- observe.c ---- */

void    observe_at(struct dojima_environment *environment, int64_t *observation); /* from now on, with the same words */
void    observe_begin(struct dojima_environment *environment);
void    observe_events(struct dojima_environment *environment, size_t from);
void    observe_end(struct dojima_environment *environment); /* books, value and counts into the observation */
int64_t best_price(const struct seen *seen, uint32_t side);  /* 0 = there is none */

/* ---- act.c ---- */

void act(struct dojima_environment *environment, const int64_t action[DOJIMA_ACTION_WORDS]);

#endif
