/* SPDX-License-Identifier: MIT */
/* orders.c — levels, the replay's orders at them, and the ops that make, reduce and cancel these. */
#include "playback/inside.h"

#include "base/fixed.h"

#include <stdlib.h>

/* ---- memory ---- */

struct playback_book *playback_book_open(const struct playback_market *market)
{
    struct playback_book *book = calloc(1, sizeof(*book));
    uint64_t              places = id_map_places(PLAYBACK_LEVELS_MAX);

    assert(market->tick > 0 && market->step > 0);
    if (book == NULL) return NULL;
    book->market = *market;
    book->levels = calloc(PLAYBACK_LEVELS_MAX, sizeof(*book->levels));
    book->orders = calloc(PLAYBACK_ORDERS_MAX, sizeof(*book->orders));
    book->levels_used = book->orders_used = book->stage = 1;
    for (int i = 0; i < 2; i++)
        book->by_price[i] = (struct id_map){ calloc(places, sizeof(struct id_entry)), places - 1 };
    if (book->levels != NULL && book->orders != NULL && book->by_price[0].entries != NULL
        && book->by_price[1].entries != NULL)
        return book;
    playback_book_close(book);
    return NULL;
}

void playback_book_close(struct playback_book *book)
{
    if (book == NULL) return;
    for (int i = 0; i < 2; i++) free(book->by_price[i].entries);
    free(book->levels);
    free(book->orders);
    free(book->ops);
    free(book);
}

/* ---- levels ---- */

static struct id_map *prices_of(struct playback_book *book, uint8_t side)
{
    return &book->by_price[side == SIDE_BUY ? 0 : 1];
}

struct level *level_find(const struct playback_book *book, uint8_t side, int64_t price)
{
    uint32_t ix = id_map_get(&book->by_price[side == SIDE_BUY ? 0 : 1], (uint64_t)price);

    return ix == 0 ? NULL : &book->levels[ix];
}

struct level *level_take(struct playback_book *book, uint8_t side, int64_t price)
{
    struct level *level = level_find(book, side, price);
    uint32_t      ix = book->levels_free;

    assert(price > 0 && (side == SIDE_BUY || side == SIDE_SELL));
    if (level != NULL) return level;
    if (ix != 0) book->levels_free = book->levels[ix].next_free;
    else if (book->levels_used < PLAYBACK_LEVELS_MAX) ix = book->levels_used++;
    book->full |= ix == 0;
    if (ix == 0) return NULL;
    level = &book->levels[ix];
    *level = (struct level){ .price = price, .side = side };
    book->levels_taken++;
    id_map_put(prices_of(book, side), (uint64_t)price, ix);
    return level;
}

void level_settle(struct playback_book *book, struct level *level)
{
    if (level->recorded != 0 || level->first != 0) return;
    id_map_remove(prices_of(book, level->side), (uint64_t)level->price);
    *level = (struct level){ .next_free = book->levels_free };
    book->levels_taken--;
    book->levels_free = (uint32_t)(level - book->levels);
}

uint32_t playback_book_levels(const struct playback_book *book) { return book->levels_taken; }

/* ---- ops ---- */

/* A stage is either of makers or of takers. */
static void begin_stage(struct playback_book *book, bool takes)
{
    if (book->stage_takes != takes) book->stage++;
    book->stage_takes = takes;
}

static struct playback_op *add_op(struct playback_book *book, enum playback_act act)
{
    begin_stage(book, act == PLAYBACK_TAKE);
    if (book->op_count == book->op_cap) {
        uint32_t            cap = max_u32(2 * book->op_cap, 1024);
        struct playback_op *ops = realloc(book->ops, cap * sizeof(*ops));

        book->full |= ops == NULL;
        if (ops == NULL) return NULL;
        book->ops = ops;
        book->op_cap = cap;
    }
    book->ops[book->op_count] = (struct playback_op){ .act = (uint8_t)act, .stage = book->stage };
    return &book->ops[book->op_count++];
}

const struct playback_op *playback_book_ops(const struct playback_book *book, uint32_t *count)
{
    *count = book->op_count;
    return book->ops;
}

void playback_book_sent(struct playback_book *book)
{
    book->op_count = 0;
    book->stage++;
}

/* ---- bounds of one order ---- */

int64_t order_least(const struct playback_book *book, int64_t price)
{
    return playback_order_least(&book->market, price);
}

static int64_t order_most(const struct playback_book *book, int64_t price)
{
    return playback_order_most(&book->market, price);
}

/* ---- the makers' orders ---- */

/* The first account with room; PLAYBACK_MAKERS_MAX: none has. */
static uint16_t find_account(const struct playback_book *book)
{
    uint16_t account = 0;

    while (account < PLAYBACK_MAKERS_MAX && book->open[account] >= PLAYBACK_MAKER_OPEN) account++;
    return account;
}

static uint32_t take_order(struct playback_book *book)
{
    uint32_t ix = book->orders_free;

    if (ix != 0) book->orders_free = book->orders[ix].next;
    else if (book->orders_used < PLAYBACK_ORDERS_MAX) ix = book->orders_used++;
    return ix;
}

/* Out of its queue; the place is free. */
static void drop_order(struct playback_book *book, struct order *order)
{
    struct level *level = &book->levels[order->level];
    uint32_t      ix = (uint32_t)(order - book->orders);

    assert(order->id != 0 && order->ended);
    *(order->before != 0 ? &book->orders[order->before].next : &level->first) = order->next;
    *(order->next != 0 ? &book->orders[order->next].before : &level->last) = order->before;
    *order = (struct order){ .next = book->orders_free };
    book->orders_free = ix;
}

/* What it has left does not count any more. */
static void end_order(struct playback_book *book, struct order *order)
{
    assert(!order->ended && book->open[order->account] != 0);
    book->levels[order->level].own -= order->left;
    book->open[order->account]--;
    order->ended = true;
}

static bool place_order(struct playback_book *book, struct level *level, int64_t quantity, uint64_t recorded)
{
    uint16_t            account = find_account(book);
    uint32_t            ix = account == PLAYBACK_MAKERS_MAX ? 0 : take_order(book), level_ix;
    struct playback_op *op;
    struct order       *order;

    book->counts.no_account += ix == 0;
    if (ix == 0 || (op = add_op(book, PLAYBACK_PLACE)) == NULL) return false;
    level_ix = (uint32_t)(level - book->levels);
    order = &book->orders[ix];
    *order = (struct order){ .id = ++book->last_id << 16 | ix,
                             .recorded = recorded,
                             .quantity = quantity,
                             .left = quantity,
                             .before = level->last,
                             .level = level_ix,
                             .account = account,
                             .place_stage = book->stage,
                             .place_op = book->op_count - 1 };
    *(level->last != 0 ? &book->orders[level->last].next : &level->first) = ix;
    level->last = ix;
    level->own += quantity;
    book->open[account]++;
    book->counts.places++;
    op->id = order->id, op->account = account, op->side = level->side, op->price = level->price;
    op->quantity = quantity;
    return true;
}

void makers_add(struct playback_book *book, struct level *level, int64_t quantity, uint64_t recorded)
{
    int64_t least = order_least(book, level->price), most = order_most(book, level->price);

    assert(quantity >= 0);
    level->owed += quantity;
    while (level->owed >= least && most >= least) {
        int64_t part = min_i64(level->owed, most);

        if (!place_order(book, level, part, recorded)) return;
        level->owed -= part;
    }
}

/* Cancels it; what was not sent yet is not sent. */
static void cancel_order(struct playback_book *book, struct order *order)
{
    struct playback_op *op;
    bool                sent = order->place_stage != book->stage;

    end_order(book, order);
    if (order->reduce_stage == book->stage) book->ops[order->reduce_op].act = PLAYBACK_NOTHING;
    if (!sent) {
        book->ops[order->place_op].act = PLAYBACK_NOTHING;
        book->counts.places--;
    } else if ((op = add_op(book, PLAYBACK_CANCEL)) != NULL) {
        op->id = order->id, op->account = order->account, op->side = book->levels[order->level].side;
        op->price = book->levels[order->level].price;
        book->counts.cancels++;
    }
    if (!sent || order->left == 0) drop_order(book, order);
}

/* A smaller total, in the op that was not sent yet or in one of its own. */
static void reduce_order(struct playback_book *book, struct order *order, int64_t by)
{
    struct level       *level = &book->levels[order->level];
    struct playback_op *op;

    order->quantity -= by;
    order->left -= by;
    level->own -= by;
    if (order->place_stage == book->stage) op = &book->ops[order->place_op];
    else if (order->reduce_stage == book->stage) op = &book->ops[order->reduce_op];
    else {
        op = add_op(book, PLAYBACK_REDUCE);
        if (op == NULL) return;
        op->id = order->id, op->account = order->account, op->side = level->side, op->price = level->price;
        order->reduce_stage = book->stage;
        order->reduce_op = book->op_count - 1;
        book->counts.reduces++;
    }
    op->quantity = order->quantity;
}

/* Takes at most `quantity` off one order, and returns what remains to be taken off others. A rest that is too small
 * for an order goes with it, and is owed. */
static int64_t cut_order(struct playback_book *book, struct level *level, struct order *order, int64_t quantity)
{
    int64_t part = min_i64(quantity, order->left), rest = order->left - part;

    if (rest != 0 && order->quantity - part >= order_least(book, level->price)) {
        reduce_order(book, order, part);
    } else {
        cancel_order(book, order);
        level->owed += rest;
    }
    return quantity - part;
}

void makers_remove(struct playback_book *book, struct level *level, int64_t quantity, uint64_t recorded)
{
    int64_t owed = min_i64(quantity, level->owed);

    assert(quantity >= 0);
    begin_stage(book, false);
    for (uint32_t ix = recorded != 0 ? level->last : 0; ix != 0; ix = book->orders[ix].before)
        if (book->orders[ix].recorded == recorded && !book->orders[ix].ended) {
            quantity = cut_order(book, level, &book->orders[ix], quantity);
            owed = min_i64(quantity, level->owed);
            break;
        }
    level->owed -= owed;
    quantity -= owed;
    for (uint32_t ix = level->last, before; ix != 0 && quantity > 0; ix = before) {
        before = book->orders[ix].before;
        if (!book->orders[ix].ended) quantity = cut_order(book, level, &book->orders[ix], quantity);
    }
}

void makers_clear(struct playback_book *book, struct level *level)
{
    makers_remove(book, level, level->owed + level->own, 0);
    level->owed = level->left_over = 0;
}

static struct order *order_of(struct playback_book *book, uint64_t id)
{
    struct order *order = &book->orders[id & 0xffff];

    static_assert(PLAYBACK_ORDERS_MAX == 0x10000, "an id holds the place of its order");
    return id != 0 && order->id == id ? order : NULL;
}

void playback_refused(struct playback_book *book, uint64_t id)
{
    struct order *order = order_of(book, id);
    struct level *level;

    book->counts.refused++;
    if (order == NULL) return;
    level = &book->levels[order->level];
    if (!order->ended) {
        level->owed += order->left; /* tried again when the level grows */
        end_order(book, order);
    }
    drop_order(book, order);
    level_settle(book, level);
}

void playback_canceled(struct playback_book *book, uint64_t id)
{
    struct order *order = order_of(book, id);

    struct level *level = order != NULL ? &book->levels[order->level] : NULL;

    if (order == NULL || !order->ended) return;
    drop_order(book, order);
    level_settle(book, level);
}

/* ---- the takers' ---- */

/* The account whose position the order makes smallest. */
static uint16_t find_taker(const struct playback_book *book, uint8_t side)
{
    uint16_t best = 0;

    for (uint16_t i = 1; i < PLAYBACK_TAKERS; i++)
        if (side == SIDE_BUY ? book->net[i] < book->net[best] : book->net[i] > book->net[best]) best = i;
    return best;
}

void takers_send(struct playback_book *book, uint8_t side, int64_t price, int64_t quantity)
{
    int64_t  least = order_least(book, price), most = order_most(book, price);
    uint16_t account = find_taker(book, side);

    assert(quantity >= least);
    while (quantity >= least && most >= least) {
        int64_t             part = min_i64(quantity, most);
        struct playback_op *op = add_op(book, PLAYBACK_TAKE);

        if (op == NULL) return;
        op->id = ++book->last_id << 16;
        op->account = account, op->side = side, op->price = price, op->quantity = part;
        book->net[account] += side == SIDE_BUY ? part : -part;
        book->counts.takes++;
        book->counts.wanted += part;
        quantity -= part;
    }
}

/* ---- fills ---- */

/* The fills of one account at one level, in the order of the queue. */
static void count_down(struct playback_book *book, struct level *level, uint16_t account, int64_t quantity)
{
    begin_stage(book, false);
    for (uint32_t ix = level->first, next; ix != 0 && quantity > 0; ix = next) {
        struct order *order = &book->orders[ix];
        int64_t       part = min_i64(order->left, quantity);

        next = order->next;
        if (order->account != account || order->place_stage == book->stage) continue;
        order->left -= part;
        quantity -= part;
        if (!order->ended) level->own -= part;
        if (order->left != 0) continue;
        if (order->ended) drop_order(book, order);
        else cancel_order(book, order);
    }
}

/* The level whose orders a user's order was traded in place of: the best one with orders of the replay. */
static struct level *best_own(const struct playback_book *book, uint8_t side)
{
    struct level *best = NULL;

    for (uint32_t i = 1; i < book->levels_used; i++) {
        struct level *level = &book->levels[i];

        if (level->side != side || level->own <= level->left_over) continue;
        if (best == NULL || (side == SIDE_BUY ? level->price > best->price : level->price < best->price)) best = level;
    }
    return best;
}

void playback_traded(struct playback_book *book, const struct playback_traded *trade)
{
    uint8_t       side = other_side(trade->side);
    struct level *level = level_find(book, side, trade->price);

    if (trade->taker_ours) book->counts.filled += trade->quantity;
    if (trade->maker != PLAYBACK_FOREIGN) {
        if (!trade->taker_ours) book->counts.user_took += trade->quantity;
        if (level == NULL) return;
        count_down(book, level, trade->maker, trade->quantity);
        level_settle(book, level);
    } else if (trade->taker_ours) {
        book->counts.user_given += trade->quantity;
        book->counts.left_over += trade->quantity;
        level = best_own(book, side);
        if (level != NULL) level->left_over += min_i64(trade->quantity, level->own - level->left_over);
    }
}
