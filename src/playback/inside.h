/* SPDX-License-Identifier: MIT */
/*
 * inside.h — what the files of this room share.
 *     orders.c   levels, the replay's orders at them, and the ops that make, reduce and cancel these
 *     play.c     recorded events
 *     drift.c    the recorded book and the real one
 */
#ifndef PLAYBACK_INSIDE_H
#define PLAYBACK_INSIDE_H

#include "base/id_map.h"
#include "playback/book.h"

/* A price of one side. In the pool from the first recorded quantity until nothing is recorded and no order is left. */
struct level {
    int64_t  price; /* 0: the place is free */
    int64_t  recorded;
    int64_t  own;         /* left in the replay's orders here, as far as is known */
    int64_t  owed;        /* to be placed once it is enough for an order */
    int64_t  left_over;   /* of orders that a user's order was traded in place of: removed at the next change */
    int64_t  cut;         /* recorded decreases that no trade has explained, */
    int64_t  cut_us;      /* and when the last one was */
    int64_t  changed_us;  /* when it was recorded last */
    uint32_t first, last; /* orders, in the order of their arrival; 0: none */
    uint32_t seen;        /* the snapshot that it was last in */
    uint32_t next_free;
    uint8_t  side;
};

/* A resting order of the replay, as far as is known. One whose CANCEL was sent stays in its queue, ended, until it is
 * known to be gone: its fills may be published later. */
struct order {
    uint64_t id;                      /* 0: the place is free */
    uint64_t recorded;                /* the recorded order that it stands for; 0: not recorded */
    int64_t  quantity, left;          /* its total, and what has not been traded */
    uint32_t next, before, level;     /* next: also of the free places */
    uint32_t place_stage, place_op;   /* its PLACE, */
    uint32_t reduce_stage, reduce_op; /* and its last REDUCE, which change as long as they were not sent */
    uint16_t account;
    bool     ended;
};

struct playback_book {
    struct playback_market market;
    struct id_map          by_price[2]; /* of bids, of asks: a place in `levels` */
    struct level          *levels;      /* PLAYBACK_LEVELS_MAX; the first one is not used */
    struct order          *orders;      /* PLAYBACK_ORDERS_MAX; the first one is not used */
    uint32_t               levels_used, levels_free, orders_used, orders_free;
    uint32_t               levels_taken; /* of those that were used: not free now */
    struct playback_op    *ops;
    uint32_t               op_count, op_cap;
    uint32_t               stage;
    bool                   stage_takes; /* what the stage at hand is of */
    bool                   started;
    bool                   full; /* something did not fit: playing ends */
    uint32_t               snapshot;
    uint64_t               last_id;
    int64_t                now_us;
    uint32_t               open[PLAYBACK_MAKERS_MAX];
    int64_t                net[PLAYBACK_TAKERS]; /* bought less sold: the takers share the position */
    struct playback_counts counts;
};

static inline uint8_t other_side(uint8_t side) { return side == SIDE_BUY ? SIDE_SELL : SIDE_BUY; }

/* The level of a price, made when there is none; NULL: no room, and the book is full. */
struct level *level_take(struct playback_book *book, uint8_t side, int64_t price);
/* NULL: there is none. */
struct level *level_find(const struct playback_book *book, uint8_t side, int64_t price);
/* Gives the place back when nothing is recorded and no order is left. */
void level_settle(struct playback_book *book, struct level *level);

/* More quantity at the back of the queue, for this recorded order. */
void makers_add(struct playback_book *book, struct level *level, int64_t quantity, uint64_t recorded);
/* All of it. */
void makers_clear(struct playback_book *book, struct level *level);
/* Less: of the order that stands for the recorded one first, then from the back. */
void makers_remove(struct playback_book *book, struct level *level, int64_t quantity, uint64_t recorded);
/* An order of a taker. */
void takers_send(struct playback_book *book, uint8_t side, int64_t price, int64_t quantity);
/* The smallest quantity of an order at a price. */
int64_t order_least(const struct playback_book *book, int64_t price);

#endif
