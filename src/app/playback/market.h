/* SPDX-License-Identifier: MIT */
/*
 * market.h — a symbol of the exchange that a recording is played into: its terms, the replay's accounts in it, and the
 * price at which the recording begins.
 */
#ifndef APP_PLAYBACK_MARKET_H
#define APP_PLAYBACK_MARKET_H

#include "app/cli/venue.h"
#include "model/text.h"
#include "playback/approach.h"
#include "playback/book.h"
#include "playback/rounding.h"

#define PLAYED_ACCOUNTS (PLAYBACK_MAKERS_MAX + PLAYBACK_TAKERS)

/* Its key follows from the symbol and its number: as public as those of the development accounts. */
struct played_account {
    uint8_t        secret[32];
    struct address address;
    uint64_t       id; /* 0: has no money yet */
};

struct played {
    bool                      found; /* the exchange has it */
    struct playback_market    market;
    struct playback_book     *book;
    struct playback_rounding *rounding; /* NULL: prices and quantities are played as they are */
    char                      base_coin[32], quote_coin[32];
    struct played_account     accounts[PLAYED_ACCOUNTS]; /* makers, then takers */
    int64_t                   trade_id;                  /* of the last public trade that was seen */
    struct decimal            index;                     /* the last recorded one */
    bool                      index_is_new;
};

/* A decimal member of a record, in units of 10^-precision; false: it is none, or does not fit. */
bool played_units(const json_t *record, const char *key, int precision, int64_t *units) MUST_USE;

/* Finds a symbol, of spot or perps, and reads its terms. False: venue->why. */
bool played_find(struct venue *venue, struct slice name, struct played *played) MUST_USE;

/* An empty book, and what rounds into it with `round`. False: no memory. */
bool played_renew_book(struct played *played, bool round) MUST_USE;

/* Plays an event in units of the market, rounded where that was wished. False: it does not fit into the book. */
bool played_play(struct played *played, const struct playback_event *event) MUST_USE;

/* The middle of the recorded book; 0: a side is empty. */
int64_t played_middle(const struct played *played);

/* Gives the account money, where it has none yet. False: venue->why. */
bool played_fund(struct venue *venue, struct played *played, uint32_t account) MUST_USE;

/* Cancels what the accounts of an earlier replay left open. False: venue->why. */
bool played_clear(struct venue *venue, struct played *played) MUST_USE;

/* Whether the price around which orders are taken comes to `price`, as the terms have it, and where it is now. Changes
 * nothing. False: venue->why. */
bool played_can_approach(struct venue *venue, const struct played *played, int64_t price, int64_t *now,
                         bool *can) MUST_USE;

/* The price at which an order may be placed lies in a band around the last trade (spot) or the mark (perps). Brings
 * that price to `price`, by trades between the replay's accounts or by the index and steps of the clock. False:
 * venue->why. */
bool played_approach(struct venue *venue, struct played *played, int64_t price) MUST_USE;

/* Sets the index of a perps symbol. False: venue->why. */
bool played_set_index(struct venue *venue, const struct played *played, struct decimal price) MUST_USE;

/* Sets trade_id: what trades from now on is newer. False: venue->why. */
bool played_see_trades(struct venue *venue, struct played *played) MUST_USE;

/* The best real levels of both sides, at most `cap` each. False: venue->why. */
bool played_read_book(struct venue *venue, const struct played *played, uint32_t cap,
                      struct playback_level_view levels[2][PLAYBACK_SHOWN * 5], uint32_t counts[2]) MUST_USE;

/* "spot", "perps" */
static inline const char *played_base(const struct played *played)
{
    return played->market.market == MARKET_SPOT ? "spot" : "perps";
}

#endif
