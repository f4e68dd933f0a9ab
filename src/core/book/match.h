/* SPDX-License-Identifier: MIT */
/* match.h — a taker against the book: prices, quantities, time and owners of orders; nothing about money. */
#ifndef CORE_BOOK_MATCH_H
#define CORE_BOOK_MATCH_H

#include "core/book/book.h"
#include "core/account/fees.h"
#include "core/account/volume.h"
#include "core/state/market.h"
#include "core/book/order.h"
#include "core/state/rulings.h"

/* An order while it takes. */
struct taker {
    struct order *order; /* in the pool when it is being replaced, else on the stack */
    int64_t       limit; /* no trade beyond this price; 0 = no limit */
    int128_t      band;  /* no trade beyond band / 1e8 (spot place rule 10); 0 = no band */
    bool          by_funds;
    bool          spent;       /* by funds: they bought what they could at a maker that had more; a fraction of a
                                  unit that rounding left must not buy it again (mechanics 2.3)    */
    uint8_t type;              /* enum order_type */
    int64_t funds, funds_left; /* by funds: quote units */
    int64_t held;              /* still held for it, in the coin it spends */
    int64_t touched_price;     /* of the level it traded at last, not emitted yet; 0 = none */
};

enum match_stop {
    MATCH_FOUND = 0, /* there is a next maker */
    MATCH_DONE,      /* nothing left to trade */
    MATCH_DUST,      /* funds left cannot buy one step at the next price */
    MATCH_BOUND,     /* the next price is beyond limit or band */
    MATCH_EMPTY,     /* the other side is empty */
};

/* One candidate: the order at the front, its index and level, and how much of it the taker
   takes; by_funds: that is all its funds buy of it, else 0. */
struct match {
    uint32_t            maker;
    struct order       *order;
    const struct level *level;
    int64_t             price, quantity, by_funds;
};

/* Asks early for the first candidate of a taker of this side. */
static inline void match_prefetch(const struct engine *e, const struct market *market, uint8_t side)
{
    const struct order *maker = order_at(e, level_at(e, market->sides[side_other(side)].best)->head);

    FETCH(maker);
    FETCH(&maker->client_id);
}

/* The order that one at this price meets first; 0 = it would rest. */
uint32_t match_first(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/*
 * Prefetches the memory that a trade with this maker touches beside the order: its account, its neighbours, and the
 * next maker.
 */
static inline void match_prefetch_trade(const struct engine *e, const struct order *maker)
{
    const struct account *account = account_at(e, maker->account);

    FETCH(account);
    FETCH(account_buckets((struct account *)(uintptr_t)account));
    FETCH(&order_at(e, maker->next)->client_id);
    order_prefetch_end(e, maker);
}

/*
 * Prefetches the memory behind the maker's account and client id, which were prefetched before: volumes, and the table
 * slot of the id when the order ends. match_prefetch_settlement also prefetches the volumes of the taker.
 */
static inline void match_prefetch_maker(const struct engine *e, const struct order *maker)
{
    volume_prefetch(e, account_at(e, maker->account)->user);
    order_prefetch(e, maker->key);
}
static inline void match_prefetch_settlement(const struct engine *e, uint32_t taker, const struct order *maker)
{
    volume_prefetch(e, account_at(e, taker)->user);
    match_prefetch_maker(e, maker);
}

/*
 * What a taker that goes from maker to maker looks ahead at: the memory of a maker is found in three steps, each from
 * what the one before fetched.
 */
struct match_sight {
    const struct level   *level;   /* of the last maker that was asked for */
    const struct account *account; /* of the maker before it, on its way; NULL = none */
    uint32_t              last;    /* its order is on its way */
};

/* One maker further on: to be called for each maker once, and twice for the first. */
void match_look(const struct engine *e, struct match_sight *sight);

/* The next candidate. A self-trade is for the caller to see (match_is_own); nothing is changed here. */
enum match_stop match_next(struct engine *e, const struct market *market, const struct taker *taker,
                           struct match *match) MUST_USE;

/*
 * The next candidate at the price of a match that was carried out, or whose maker was taken off the book; false where
 * match_next has to be asked.
 */
static inline bool match_more(const struct engine *e, const struct taker *taker, struct match *match)
{
    const struct level *level = match->level;
    int64_t             left = order_open(taker->order);

    if (level->count == 0 || level->price != match->price || taker->by_funds || left == 0) return false;
    match->maker = level->head;
    match->order = order_at(e, level->head);
    match->quantity = min_i64(left, order_open(match->order));
    return true;
}

/* Carries the match out in the book and on both orders' executed quantity and value. */
void match_fill(struct engine *e, struct market *market, struct taker *taker, const struct match *match, int64_t value);

/* Appends the LEVEL of the price that traded last, once the taker has left it; next_price 0 = it is done. */
void match_leave_level(struct apply_context *ctx, struct market *market, struct taker *taker, int64_t next_price);

/* Whether the two may not trade with each other under the scope of self-trade prevention (mechanics 2.7). */
bool match_is_own(const struct engine *e, uint32_t taker, uint32_t maker);

/*
 * Whether both accounts (slots, or their rows) belong to one user: such a trade counts towards no tier, pays no rebate,
 * is no input of the mark and no LAST trigger; its records are marked (ruling 71).
 */
static inline bool match_is_self(const struct engine *e, uint32_t taker, uint32_t maker)
{
    return RULING(71) && account_at(e, taker)->user == account_at(e, maker)->user;
}
static inline bool match_rows_are_self(const struct account *taker, const struct account *maker)
{
    return RULING(71) && taker->user == maker->user;
}

/* Whether an order at this price would trade at once, own orders included (mechanics 2.5). */
bool match_crosses(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* The cost of a market buy of order_open(taker->order), own orders skipped (mechanics 2.3). */
int128_t match_cost(const struct engine *e, const struct market *market, const struct taker *taker);

#endif
