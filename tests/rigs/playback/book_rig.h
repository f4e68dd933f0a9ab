/* SPDX-License-Identifier: MIT */
/*
 * book_rig.h — for tests: a book of the replay beside an exchange that the test plays by hand. A test plays recorded
 * events, takes the operations that the book sends, and answers what they did.
 */
#ifndef RIGS_PLAYBACK_BOOK_RIG_H
#define RIGS_PLAYBACK_BOOK_RIG_H

#include "playback/book.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Price unit 0.1, quantity unit 0.00001; an order has at least 10 units and a notional of at least 5000. */
static const struct playback_market market = {
    .name = { 7, "BTC-USD" },
    .symbol_id = 1,
    .market = MARKET_PERPS,
    .price_precision = 1,
    .quantity_precision = 5,
    .max_price = 1000000000000000,
    .tick = 1,
    .step = 1,
    .min_quantity = 10,
    .max_quantity = 1000,
    .min_notional = 5000,
};

static struct playback_book *book;
static int64_t               now_us;

static inline int open_book(void **state)
{
    (void)state;
    now_us = 1000000000;
    book = playback_book_open(&market);
    return book == NULL;
}

static inline int close_book(void **state)
{
    (void)state;
    playback_book_close(book);
    return 0;
}

static inline void play(uint8_t kind, uint8_t side, int64_t price, int64_t quantity)
{
    struct playback_event event = { .time_us = now_us, .kind = kind, .side = side };

    assert_true(playback_book_play(book, &event, price, quantity));
}

static inline void level(uint8_t side, int64_t price, int64_t quantity) { play(PLAYBACK_LEVEL, side, price, quantity); }
static inline void trade(uint8_t side, int64_t price, int64_t quantity) { play(PLAYBACK_TRADE, side, price, quantity); }

/* A LEVEL that is the work of one recorded order. */
static inline void level_by(uint64_t order, int64_t price, int64_t quantity)
{
    struct playback_event event = { .time_us = now_us, .kind = PLAYBACK_LEVEL, .side = SIDE_BUY, .order = order };

    assert_true(playback_book_play(book, &event, price, quantity));
}

/* The next op that is none, from `*at` on. */
static inline const struct playback_op *next_op(uint32_t *at)
{
    uint32_t                  count;
    const struct playback_op *ops = playback_book_ops(book, &count);

    while (*at < count && ops[*at].act == PLAYBACK_NOTHING) ++*at;
    return *at == count ? NULL : &ops[(*at)++];
}

/* The only op; then everything is sent. */
static inline struct playback_op one_op(uint8_t act, int64_t price, int64_t quantity)
{
    uint32_t                  at = 0;
    const struct playback_op *op = next_op(&at);
    struct playback_op        copy;

    assert_non_null(op);
    copy = *op;
    assert_int_equal(op->act, act);
    assert_int_equal(op->price, price);
    assert_int_equal(op->quantity, quantity);
    assert_null(next_op(&at));
    playback_book_sent(book);
    return copy;
}

static inline void no_op(void)
{
    uint32_t at = 0;

    assert_null(next_op(&at));
    playback_book_sent(book);
}

static inline void traded(uint8_t taker, int64_t price, int64_t quantity, bool taker_ours, uint16_t maker)
{
    playback_traded(book, &(struct playback_traded){ price, quantity, taker, taker_ours, maker });
}

static inline void start(void) { assert_true(playback_book_start(book)); }

#endif
