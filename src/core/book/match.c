/* SPDX-License-Identifier: MIT */
#include "core/book/match.h"
#include "base/heap.h"

static bool reaches(const struct taker *taker, int64_t price)
{
    uint8_t side = taker->order->side;

    if (taker->limit != 0 && !side_reaches(side, taker->limit, price)) return false;
    if (taker->type == TYPE_LIMIT) return true;
    /* Cross-multiplied: no division, no rounding (E18). */
    return side == SIDE_BUY ? (int128_t)price * RATE_ONE <= taker->band : (int128_t)price * RATE_ONE >= taker->band;
}

/* floor_step(funds / price), at most `most` (mechanics 1.3, 2.3). */
static int64_t affordable(const struct market *market, int64_t funds, int64_t price, int64_t most)
{
    int128_t quantity = market->power >= 0 ? div_floor(funds, (int128_t)price * market->value_unit)
                                           : div_floor((int128_t)funds * pow10_i64(-market->power), price);

    assert(funds >= 0 && price > 0 && quantity >= 0);
    if (quantity >= most) return most;
    return (int64_t)quantity - (int64_t)quantity % market->symbol.step_size;
}

enum match_stop match_next(struct engine *e, const struct market *market, const struct taker *taker,
                           struct match *match)
{
    const struct order *order = taker->order;
    struct order       *maker;
    const struct level *level;
    uint32_t            best = market->sides[side_other(order->side)].best;

    if (taker->by_funds ? taker->funds_left == 0 : order_open(order) == 0) return MATCH_DONE;
    if (taker->spent) return MATCH_DUST;
    if (best == 0) return MATCH_EMPTY;
    level = level_at(e, best);
    if (!reaches(taker, level->price)) return MATCH_BOUND;
    maker = order_at(e, level->head);
    match->maker = level->head;
    match->order = maker;
    match->level = level;
    match->price = level->price;
    if (taker->by_funds) match->quantity = affordable(market, taker->funds_left, level->price, order_open(maker));
    else match->quantity = min_i64(order_open(order), order_open(maker));
    match->by_funds = taker->by_funds && match->quantity < order_open(maker) ? match->quantity : 0;
    return match->quantity == 0 ? MATCH_DUST : MATCH_FOUND;
}

SHARED void match_look(const struct engine *e, struct match_sight *sight)
{
    const struct order *order = order_at(e, sight->last);
    struct account     *account = account_at(e, order->account);

    if (sight->account != NULL) volume_prefetch(e, sight->account->user);
    FETCH(account);
    FETCH(account_buckets(account));
    order_prefetch_filled(e, order);
    sight->account = account;
    sight->last = order->next;
    if (order->next == 0) {
        sight->level = level_at(e, book_behind(e, sight->level));
        sight->last = sight->level->head;
    }
    FETCH(order_at(e, sight->last));
    FETCH(&order_at(e, sight->last)->client_id);
}

static void execute(struct order *order, int64_t quantity, int64_t value)
{
    order->executed += quantity;
    order->executed_value = add_saturating(order->executed_value, value, AMOUNT_MAX);
}

HOT void match_fill(struct engine *e, struct market *market, struct taker *taker, const struct match *match,
                    int64_t value)
{
    struct order *maker = match->order;
    int64_t       open = order_open(maker);

    assert(match->quantity > 0 && match->quantity <= open);
    assert(maker->side != taker->order->side && maker->price == match->price);
    if (match->quantity == open) book_pop(e, market, maker);
    else book_shrink(e, market, maker, match->quantity);
    execute(maker, match->quantity, value);
    execute(taker->order, match->quantity, value);
    if (taker->by_funds) {
        taker->funds_left -= value;
        taker->spent = match->by_funds != 0 && match->quantity == match->by_funds;
    }
    assert(taker->funds_left >= 0 && (taker->by_funds || order_open(taker->order) >= 0));
}

/* What rests at a price where a taker of the other side traded: nothing is in front of it. */
static int64_t rest_at(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    const struct level *best = level_at(e, market->sides[side].best); /* level 0 has no price */

    assert(best->price == 0 || !side_better(side, best->price, price));
    return best->price == price ? best->quantity : 0;
}

void match_leave_level(struct apply_context *ctx, struct market *market, struct taker *taker, int64_t next_price)
{
    uint8_t side = side_other(taker->order->side);
    int64_t price = taker->touched_price;

    if (price != 0 && price != next_price)
        book_emit(ctx, market, side, price, rest_at(ctx->engine, market, side, price));
    taker->touched_price = next_price;
}

bool match_is_own(const struct engine *e, uint32_t taker, uint32_t maker)
{
    switch (e->rules.stp_scope) {
    case STP_ACCOUNT: return taker == maker;
    case STP_USER: return account_at(e, taker)->user == account_at(e, maker)->user;
    default: return false;
    }
}

bool match_crosses(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    uint32_t best = market->sides[side_other(side)].best;
    return best != 0 && side_reaches(side, price, level_at(e, best)->price);
}

uint32_t match_first(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    return match_crosses(e, market, side, price) ? level_at(e, market->sides[side_other(side)].best)->head : 0;
}

/* Value order by order, -1 when there are more than `patience` of them. */
static int128_t cost_by_orders(const struct engine *e, const struct market *market, const struct taker *taker,
                               uint32_t patience)
{
    int64_t  open = order_open(taker->order);
    int128_t cost = 0;

    for (uint32_t ix = market->sides[SIDE_SELL].best; ix != 0 && open > 0; ix = book_behind(e, level_at(e, ix))) {
        const struct level *level = level_at(e, ix);

        if (!reaches(taker, level->price)) break;
        for (uint32_t maker_ix = level->head; maker_ix != 0 && open > 0; maker_ix = order_at(e, maker_ix)->next) {
            const struct order *maker = order_at(e, maker_ix);
            int64_t             quantity = min_i64(open, order_open(maker));

            if (patience-- == 0) return -1;
            if (match_is_own(e, taker->order->account, maker->account)) continue;
            cost += market_value_floor(market, level->price, quantity);
            open -= quantity;
        }
    }
    assert(cost >= 0 && open >= 0);
    return cost;
}

/* ---- by levels, where a value has no fraction: then per-level sums are exact, but for own orders ---- */

#define OWN_MAX                                                                                                        \
    1024 /* own orders that are taken off the levels; with more, or of more accounts, each order is asked              \
          */

struct own {
    int64_t price, open;
};

static bool own_before(const struct own *a, const struct own *b) { return a->price < b->price; }
HEAP_DEFINE(own, struct own, own_before)

/* The account's own asks as a heap, the best on top; false when they are more than fit. */
static bool gather_own(const struct engine *e, const struct market *market, uint32_t slot, struct own own[OWN_MAX],
                       uint32_t *count)
{
    *count = 0;
    if (e->rules.stp_scope == STP_NONE) return true;
    for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);

        if (order->market != market->number || order->level == 0 || order->side != SIDE_SELL) continue;
        if (*count == OWN_MAX) return false;
        own[(*count)++] = (struct own){ order->price, order_open(order) };
    }
    own_make(own, *count);
    return true;
}

static NOINLINE int128_t cost_by_levels(const struct engine *e, const struct market *market, const struct taker *taker)
{
    UNTOUCHED struct own own[OWN_MAX];
    int64_t              open = order_open(taker->order);
    int128_t             cost = 0;
    uint32_t             count;

    if (!gather_own(e, market, taker->order->account, own, &count)) return cost_by_orders(e, market, taker, UINT32_MAX);
    for (uint32_t ix = market->sides[SIDE_SELL].best; ix != 0 && open > 0; ix = book_behind(e, level_at(e, ix))) {
        const struct level *level = level_at(e, ix);
        int64_t             there = level->quantity;

        if (!reaches(taker, level->price)) break;
        for (; count > 0 && own[0].price == level->price; own_sink(own, 0, count)) {
            there -= own[0].open;
            own[0] = own[--count];
        }
        assert(there >= 0 && (count == 0 || own[0].price > level->price));
        there = min_i64(open, there);
        cost += market_value_floor(market, level->price, there);
        open -= there;
    }
    assert(cost >= 0 && open >= 0);
    return cost;
}

#define PATIENCE 64 /* most orders meet fewer */

/* A refused order costs no fee, so it must not cause a walk over the whole book: as many steps as levels are enough. */
int128_t match_cost(const struct engine *e, const struct market *market, const struct taker *taker)
{
    bool     by_levels = market->value_unit != 0 && e->rules.stp_scope != STP_USER;
    int128_t cost = cost_by_orders(e, market, taker, by_levels ? PATIENCE : UINT32_MAX);

    return cost >= 0 ? cost : cost_by_levels(e, market, taker);
}
