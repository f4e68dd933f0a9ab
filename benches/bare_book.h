/* SPDX-License-Identifier: MIT */
/*
 * bare_book.h — the core's book without accounts, money and events: price-time priority, orders found by ids that count
 * from 1. One symbol. For measuring the book alone (benches/book.c, benches/flash1).
 */
#ifndef BENCH_BARE_BOOK_H
#define BENCH_BARE_BOOK_H

#include "core/book/match.h"
#include "core/engine.h"

struct bare_book {
    struct engine *engine;
    struct market *market;
    uint32_t      *place; /* order slot by id; 0 = does not rest */
    uint64_t       ids;   /* ids are below it */
    size_t         bytes, event_bytes;
    void          *events;
};

/* A genesis with one spot symbol and the limits given; accounts, signers and deposits may be 0. Exits when wrong. */
void bare_genesis(struct genesis *genesis, const struct limits *limits);

/* An empty book for so many resting orders, levels and ids. All pages of its pools are touched when `touch`. */
struct bare_book bare_book_open(uint32_t orders, uint32_t levels, uint64_t ids, bool touch);
void             bare_book_close(struct bare_book *book);

/* Both are called with the quantities before the trade. */
typedef void bare_trade(void *arg, const struct order *maker, const struct order *taker, const struct match *match);

static inline void bare_give(struct engine *e, uint32_t ix)
{
    struct order *order = order_at(e, ix);

    order->id = 0, order->level = 0, order->executed_value = 0;
    order->next = e->order_free;
    e->order_free = ix;
    e->order_count -= 1;
}

/* Matches the order in the slot; what is left rests unless `ioc`. Returns what is left. */
static inline int64_t bare_work(struct bare_book *book, uint32_t ix, bool ioc, bare_trade *trade, void *arg)
{
    struct engine         *e = book->engine;
    struct order          *order = order_at(e, ix);
    struct taker           taker = { .order = order, .limit = order->price, .type = TYPE_LIMIT };
    UNTOUCHED struct match match;
    int64_t                left;

    for (enum match_stop stop = match_next(e, book->market, &taker, &match); stop == MATCH_FOUND;
         stop = match_more(e, &taker, &match) ? MATCH_FOUND : match_next(e, book->market, &taker, &match)) {
        struct order *maker = match.order;

        trade(arg, maker, order, &match);
        match_fill(e, book->market, &taker, &match, 0);
        maker->status = STATUS_PARTIALLY_FILLED;
        if (order_open(maker) != 0) continue;
        book->place[maker->id] = 0;
        bare_give(e, match.maker);
    }
    left = order_open(order);
    if (left != 0 && !ioc) {
        order->status = order->executed == 0 ? STATUS_NEW : STATUS_PARTIALLY_FILLED;
        book_push(e, book->market, ix);
        return left;
    }
    book->place[order->id] = 0;
    bare_give(e, ix);
    return left;
}

/* A new order; side is enum side, price from 1, the id one that does not rest. Returns what it did not trade. */
static inline int64_t bare_add(struct bare_book *book, uint64_t id, uint8_t side, int64_t price, int64_t quantity,
                               bool ioc, bare_trade *trade, void *arg)
{
    uint32_t      ix = order_take(book->engine);
    struct order *order = order_at(book->engine, ix);

    assert(id < book->ids);
    order->id = id, order->price = price, order->quantity = quantity, order->executed = 0;
    order->level = 0;
    order->market = book->market->number, order->side = side, order->time_in_force = TIF_GTC;
    book->place[id] = ix;
    return bare_work(book, ix, ioc, trade, arg);
}

/* The resting order with this id, or NULL. */
static inline struct order *bare_find(const struct bare_book *book, uint64_t id)
{
    uint32_t ix = id < book->ids ? book->place[id] : 0;

    return ix == 0 ? NULL : order_at(book->engine, ix);
}

/* Takes a resting order out. */
static inline void bare_cancel(struct bare_book *book, uint64_t id)
{
    uint32_t ix = book->place[id];

    (void)book_remove(book->engine, book->market, ix);
    book->place[id] = 0;
    bare_give(book->engine, ix);
}

/* A resting order gets another price and open quantity, behind all others. Returns what did not trade. */
static inline int64_t bare_replace(struct bare_book *book, uint64_t id, int64_t price, int64_t quantity,
                                   bare_trade *trade, void *arg)
{
    uint32_t      ix = book->place[id];
    struct order *order = order_at(book->engine, ix);

    (void)book_remove(book->engine, book->market, ix);
    order->price = price, order->quantity = quantity, order->executed = 0;
    return bare_work(book, ix, false, trade, arg);
}

#endif
