/* SPDX-License-Identifier: MIT */
/*
 * book.h — a recorded book as orders of a real one: recorded changes and trades in, orders of the replay out.
 *
 * Each recorded level is held by orders of makers of the replay, in the order in which its quantity came. When a level
 * grows, a new order joins the back of the queue; when it shrinks, the replay's own orders at it are reduced, the last
 * one first. A recorded trade is an order of a taker that trades at once or not at all, which meets whatever is first
 * in the real queue: an order of the replay or one of a user.
 *
 * Only changes of the recording are carried over, never its absolute quantities. So what a user took away does not
 * come back, and what the recording removes is removed once. Where a user's order was traded in place of one of the
 * replay, that one is left over and is removed at the next change of its level. Recorded takers may take more than the
 * book that was recorded just before held (the feeds of books are conflated): the difference is placed for them. And
 * as a taker takes the best price first, levels better than a recorded trade's were gone before it.
 *
 * The functions are pure: they return orders in `ops` and learn by playback_traded and playback_refused what became of
 * them. Prices, quantities and notionals are in units of the market (playback/event.h).
 */
#ifndef PLAYBACK_BOOK_H
#define PLAYBACK_BOOK_H

#include "playback/event.h"

#define PLAYBACK_LEVELS_MAX 131072 /* of both sides together */
#define PLAYBACK_ORDERS_MAX 65536
#define PLAYBACK_MAKERS_MAX 64  /* accounts */
#define PLAYBACK_MAKER_OPEN 990 /* orders of an account; the exchange's bound is 1000 */
#define PLAYBACK_TAKERS     4
#define PLAYBACK_LATE_US    200000 /* a trade may be recorded so long after the change of the book that it caused */
#define PLAYBACK_FRESH_US   20000  /* a level that changed so lately may be newer than a trade that follows it */
#define PLAYBACK_SHOWN      20     /* levels of a side that are compared */

enum playback_act { PLAYBACK_NOTHING = 0, PLAYBACK_CANCEL, PLAYBACK_REDUCE, PLAYBACK_PLACE, PLAYBACK_TAKE };

/* What is to be sent. The ops of one stage are sent in the order CANCEL, REDUCE, PLACE; those of a stage of TAKEs as
 * they are. */
struct playback_op {
    uint64_t id;    /* of the order: never 0, never used twice */
    uint32_t stage; /* rises */
    uint16_t account;
    uint8_t  act;  /* enum playback_act */
    uint8_t  side; /* enum side */
    int64_t  price;
    int64_t  quantity; /* PLACE, TAKE: of the order; REDUCE: its new total */
};

/* What happened, for the report; quantities in units. */
struct playback_counts {
    uint64_t levels, trades;                    /* recorded changes and trades that were played */
    uint64_t places, cancels, reduces, takes;   /* ops */
    int64_t  wanted, filled;                    /* of the takers' quantity */
    int64_t  user_took, user_given;             /* users took from the replay's makers, gave to its takers */
    int64_t  implied;                           /* placed for recorded takers without recorded makers */
    int64_t  passed;                            /* recorded at better prices than a trade's, which it proves gone */
    int64_t  left_over;                         /* makers that a user's order was traded in place of */
    int64_t  too_small;                         /* recorded trades below the smallest order: not played */
    uint64_t refused, unknown_side, no_account; /* orders refused; trades, changes that were not played */
};

struct playback_book;

/* NULL: no memory. */
struct playback_book *playback_book_open(const struct playback_market *market) MUST_USE;
void                  playback_book_close(struct playback_book *book);

/*
 * Plays one event at `price` and `quantity` (playback_scale). Before playback_book_start it is only remembered. False:
 * more levels or orders than there is room for, or no memory for the ops.
 */
bool playback_book_play(struct playback_book *book, const struct playback_event *event, int64_t price,
                        int64_t quantity) MUST_USE;

/* From now on orders are made: first those of the levels that are remembered. False: no memory. */
bool playback_book_start(struct playback_book *book) MUST_USE;

/* Prices of both sides that something is recorded at, or an order of the replay is at. */
uint32_t playback_book_levels(const struct playback_book *book);

/* The ops so far, in the order of their stages, and how many; playback_book_sent forgets them. */
const struct playback_op *playback_book_ops(const struct playback_book *book, uint32_t *count);
void                      playback_book_sent(struct playback_book *book);

/* The exchange refused to place this order. */
void playback_refused(struct playback_book *book, uint64_t id);

/* It canceled this one, which was open. */
void playback_canceled(struct playback_book *book, uint64_t id);

/*
 * A public trade of the exchange. `maker` is the account of the replay that made it, or PLAYBACK_FOREIGN. Fills are
 * counted down in the order of the queue, and an order that they use up is canceled as well: where a fill was
 * published after the order that it was of had been canceled, another one of the account was counted down, which rests.
 */
#define PLAYBACK_FOREIGN UINT16_MAX
struct playback_traded {
    int64_t  price, quantity;
    uint8_t  side; /* of the taker */
    bool     taker_ours;
    uint16_t maker;
};
void playback_traded(struct playback_book *book, const struct playback_traded *trade);

const struct playback_counts *playback_book_counts(const struct playback_book *book);

/* ---- the recorded book, and how far the real one is from it ---- */

struct playback_level_view {
    int64_t price, quantity;
};

/* The best recorded levels of a side, best first; returns how many. */
uint32_t playback_book_best(const struct playback_book *book, uint8_t side, uint32_t most,
                            struct playback_level_view best[]);

/* For tests: all that is recorded at a price, and what the replay's own orders have there. */
int64_t playback_book_recorded(const struct playback_book *book, uint8_t side, int64_t price);
int64_t playback_book_own(const struct playback_book *book, uint8_t side, int64_t price);

struct playback_drift {
    int64_t best;     /* |real best price - recorded best price|; -1: one of them has no level */
    int64_t missing;  /* quantity that the real book lacks at the recorded best levels */
    int64_t surplus;  /* and has beyond them, at prices up to the last of them */
    int64_t recorded; /* quantity of the recorded best levels */
};

/* Compares the best PLAYBACK_SHOWN recorded levels with the real ones of the same side, best first. */
struct playback_drift playback_book_drift(const struct playback_book *book, uint8_t side, uint32_t count,
                                          const struct playback_level_view real[]);

#endif
