/* SPDX-License-Identifier: MIT */
#include "core/book/book.h"
#include "core/state/market.h"
#include "core/book/order.h"
#include "core/book/ladder.h"

uint32_t book_find(struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    return ladder_find(e, market, side, price);
}

uint32_t book_prefetch_page(const struct engine *e, uint8_t number, uint8_t side, int64_t price)
{
    uint32_t page = *ladder_hint_of(e, number, side, price);

    FETCH(page_at(e, page));
    return page;
}

uint32_t book_guess(const struct engine *e, uint32_t page_ix, uint8_t number, uint8_t side, int64_t price)
{
    const struct page *page = page_at(e, page_ix);

    return page->key == page_key_of(number, side, price) ? page_level(e, page, page_digit(price)) : 0;
}

void book_prefetch(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    uint32_t page = *ladder_hint(e, market, side, price);

    FETCH(order_at(e, level_at(e, book_guess(e, page, market->number, side, price))->tail));
}

void book_prefetch_end(const struct engine *e, const struct order *order)
{
    const struct level *level = level_at(e, order->level);

    if (level->count == 1) FETCH(page_at(e, level->page));
}

bool book_has_room(struct engine *e, const struct market *market, uint8_t side, int64_t price, int64_t quantity)
{
    if (quantity > AMOUNT_MAX - market->sides[side].quantity) return false;
    return e->level_count < e->limits.levels || book_find(e, market, side, price) != 0;
}

static ALWAYS_INLINE uint32_t level_take(struct engine *e)
{
    uint32_t ix = e->level_free;

    assert(e->level_count < e->limits.levels);
    if (ix != 0) e->level_free = level_at(e, ix)->head;
    else ix = e->level_end++;
    e->level_count += 1;
    return ix;
}

/* A level that its last order is leaving. */
static SHARED void level_give(struct engine *e, struct market *market, uint8_t side, uint32_t ix)
{
    struct level *level = level_at(e, ix);
    uint32_t      page = level->page;
    int64_t       price = level->price;

    assert(level->count == 1);
    *level = (struct level){ .head = e->level_free };
    e->level_free = ix;
    e->level_count -= 1;
    ladder_remove(e, market, side, ix, page, price);
}

/* The order behind all others of its level. */
static ALWAYS_INLINE void append(struct engine *e, struct market *market, struct order *order, uint32_t order_ix,
                                 uint32_t ix)
{
    struct book_side *side = &market->sides[order->side];
    struct level     *level = level_at(e, ix);
    int64_t           open = order_open(order);

    assert(order_ix != 0 && order->level == 0 && open > 0);
    order->level = ix;
    order->prev = level->tail;
    order->next = 0;
    *(level->tail != 0 ? &order_at(e, level->tail)->next : &level->head) = order_ix;
    level->tail = order_ix;
    level->count += 1;
    level->quantity += open;
    side->order_count += 1;
    side->quantity += open;
    assert(side->quantity > 0 && side->quantity <= AMOUNT_MAX);
}

/* The first order at its price; the page has room for one more level. */
static ALWAYS_INLINE void begin_level(struct engine *e, struct market *market, struct order *order, uint32_t order_ix,
                                      uint32_t page)
{
    struct book_side *side = &market->sides[order->side];
    uint32_t          ix = level_take(e);
    int64_t           open = order_open(order);

    assert(order_ix != 0 && order->level == 0 && open > 0);
    *level_at(e, ix) =
        (struct level){ .price = order->price, .quantity = open, .head = order_ix, .tail = order_ix, .count = 1 };
    order->level = ix;
    order->prev = order->next = 0;
    side->order_count += 1;
    side->quantity += open;
    assert(side->quantity > 0 && side->quantity <= AMOUNT_MAX);
    ladder_insert(e, market, order->side, page, ix);
}

/* Where a hint does not say the page, or the page is full. */
static NOINLINE void push_anywhere(struct engine *e, struct market *market, struct order *order, uint32_t order_ix)
{
    uint32_t page = ladder_page(e, market, order->side, order->price),
             ix = page_level(e, page_at(e, page), page_digit(order->price));

    if (ix != 0) append(e, market, order, order_ix, ix);
    else begin_level(e, market, order, order_ix, ladder_make_room(e, market, order->side, order->price, page));
}

static SHARED void push(struct engine *e, struct market *market, struct order *order, uint32_t order_ix)
{
    uint32_t           page_ix = *ladder_hint(e, market, order->side, order->price), ix;
    const struct page *page = page_at(e, page_ix);

    if (page->key != page_key(market, order->side, order->price) || !page_has_room(page)) {
        push_anywhere(e, market, order, order_ix);
        return;
    }
    ix = page_level(e, page, page_digit(order->price));
    if (ix != 0) append(e, market, order, order_ix, ix);
    else begin_level(e, market, order, order_ix, page_ix);
}

void book_push(struct engine *e, struct market *market, uint32_t order_ix)
{
    push(e, market, order_at(e, order_ix), order_ix);
}

/* Whether a level is that of an order's price, by its youngest order: then no page need be asked. Level 0 has none. */
static inline bool is_level_of(const struct engine *e, uint32_t ix, const struct order *order)
{
    const struct level *level = level_at(e, ix);
    const struct order *tail = order_at(e, level->tail);

    return level->price == order->price && tail->market == order->market && tail->side == order->side;
}

void book_push_guess(struct engine *e, struct market *market, struct order *order, uint32_t order_ix, uint32_t guess)
{
    if (guess < e->level_end && is_level_of(e, guess, order)) append(e, market, order, order_ix, guess);
    else push(e, market, order, order_ix);
}

/* The sums of an order's level and side without it; returns what is left at the price. */
static inline int64_t uncount(struct market *market, struct order *order, struct level *level)
{
    struct book_side *side = &market->sides[order->side];
    int64_t           open = order_open(order), rest = level->quantity - open;

    assert(order->level != 0 && level->price == order->price);
    side->order_count -= 1;
    side->quantity -= open;
    assert((rest | side->quantity) >= 0 && (rest == 0) == (level->count == 1));
    order->level = 0;
    return rest;
}

HOT int64_t book_remove_row(struct engine *e, struct market *market, struct order *order)
{
    uint32_t      ix = order->level;
    struct level *level = level_at(e, ix);
    int64_t       rest = uncount(market, order, level);

    if (rest == 0) {
        level_give(e, market, order->side, ix);
        return 0;
    }
    *(order->prev != 0 ? &order_at(e, order->prev)->next : &level->head) = order->next;
    *(order->next != 0 ? &order_at(e, order->next)->prev : &level->tail) = order->prev;
    level->count -= 1;
    level->quantity = rest;
    return rest;
}

int64_t book_remove(struct engine *e, struct market *market, uint32_t order_ix)
{
    return book_remove_row(e, market, order_at(e, order_ix));
}

HOT void book_pop(struct engine *e, struct market *market, struct order *order)
{
    uint32_t      ix = order->level;
    struct level *level = level_at(e, ix);
    int64_t       rest = uncount(market, order, level);

    assert(order->prev == 0);
    if (rest == 0) {
        level_give(e, market, order->side, ix);
        return;
    }
    level->head = order->next;
    order_at(e, order->next)->prev = 0;
    level->count -= 1;
    level->quantity = rest;
}

void book_shrink(struct engine *e, struct market *market, const struct order *order, int64_t quantity)
{
    struct level *level = level_at(e, order->level);

    assert(order->level != 0 && quantity > 0 && quantity < order_open(order));
    level->quantity -= quantity;
    market->sides[order->side].quantity -= quantity;
    assert(level->quantity > 0);
}

int64_t book_quantity(struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    uint32_t ix = book_find(e, market, side, price);
    return ix == 0 ? 0 : level_at(e, ix)->quantity;
}

void book_write(struct level_changed *event, struct market *market, uint8_t side, int64_t price, int64_t quantity)
{
    uint64_t update_id = market->update_id + 1;

    event->head = EVENT_HEAD(LEVEL, level_changed, market->kind);
    market->update_id = update_id;
    event_word(event, offsetof(struct level_changed, symbol_id), market->symbol.id | (uint64_t)side << 32);
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id;
}

void book_emit(struct apply_context *ctx, struct market *market, uint8_t side, int64_t price, int64_t quantity)
{
    book_write(events_room(ctx->events, sizeof(struct level_changed)), market, side, price, quantity);
}

void book_emit_level(struct apply_context *ctx, struct market *market, const struct order *order)
{
    book_emit(ctx, market, order->side, order->price, level_at(ctx->engine, order->level)->quantity);
}

/* One level: list, sums, and the orders that may rest (mechanics 1.6, 5). */
static void verify_level(const struct engine *e, const struct market *market, uint8_t side, uint32_t ix)
{
    const struct level *level = level_at(e, ix);
    uint32_t            count = 0, previous = 0;
    int64_t             quantity = 0;

    assert(level->price > 0 && level->count > 0);
    for (uint32_t order_ix = level->head; order_ix != 0; order_ix = order_at(e, order_ix)->next) {
        const struct order *order = order_at(e, order_ix);

        assert(count < level->count);
        assert(order->level == ix && order->prev == previous);
        assert(order->price == level->price && order->side == side && order->market == market->number);
        assert(order->executed >= 0 && order_open(order) > 0);
        assert(order->status == (order->executed == 0 ? STATUS_NEW : STATUS_PARTIALLY_FILLED));
        assert(order_tif(order) == TIF_GTC || order_tif(order) == TIF_GTX);
        quantity += order_open(order);
        previous = order_ix;
        count += 1;
    }
    assert(level->tail == previous && level->count == count && level->quantity == quantity); /* I6 */
}

static uint32_t verify_side(const struct engine *e, const struct market *market, uint8_t side_of,
                            struct ladder_use *use)
{
    const struct book_side *side = &market->sides[side_of];
    uint32_t                orders = 0, levels = 0;
    int128_t                quantity = 0;

    ladder_verify(e, market, side_of, use);
    for (uint32_t ix = side->best; ix != 0; ix = book_behind(e, level_at(e, ix))) {
        assert(page_side(page_at(e, level_at(e, ix)->page)) == side_of && levels++ < side->level_count);
        verify_level(e, market, side_of, ix);
        orders += level_at(e, ix)->count;
        quantity += level_at(e, ix)->quantity;
    }
    assert(levels == side->level_count && side->order_count == orders && side->quantity == quantity);
    return orders;
}

static void verify_market(const struct engine *e, const struct market *market, uint32_t *orders, uint32_t *levels,
                          struct ladder_use *use)
{
    uint32_t bid = market->sides[SIDE_BUY].best, ask = market->sides[SIDE_SELL].best;

    *orders += verify_side(e, market, SIDE_BUY, use) + verify_side(e, market, SIDE_SELL, use);
    *levels += market->sides[SIDE_BUY].level_count + market->sides[SIDE_SELL].level_count;
    if (bid != 0 && ask != 0) assert(level_at(e, bid)->price < level_at(e, ask)->price); /* I6 */
}

/* Orders that wait for their price, or to be tried again, rest in no book. */
static uint32_t waiting_orders(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++)
        for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next)
            count += order_at(e, ix)->level == 0;
    return count;
}

void book_verify(const struct engine *e)
{
    struct ladder_use use = { 0 };
    uint32_t          orders = waiting_orders(e), levels = 0;

    for (uint32_t i = 0; i < e->market_count; i++) verify_market(e, &e->markets[i], &orders, &levels, &use);
    for (uint32_t i = 0; i < e->perps_count; i++)
        verify_market(e, &e->markets[SYMBOLS_MAX + i], &orders, &levels, &use);
    assert(orders == e->order_count && levels == e->level_count);
    for (uint32_t ix = e->level_free; ix != 0; ix = level_at(e, ix)->head) levels += 1;
    for (uint32_t ix = e->rung_free; ix != 0; ix = engine_rungs(e)[ix].child[0]) use.rungs += 1;
    assert(levels == e->level_end - 1 && use.rungs == e->rung_end - 1); /* I15 */
    page_verify_pools(e, use.pages, use.wide);
}
