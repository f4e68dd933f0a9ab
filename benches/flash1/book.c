/* SPDX-License-Identifier: MIT */
/* book.c — the book alone behind the interface of the public benchmark. */
#include "wait.h"

static struct bare_book   book;
static struct flash1_sink sink;

struct aggressor {
    uint64_t sequence;
};

static void tell_trade(void *arg, const struct order *maker, const struct order *taker, const struct match *match)
{
    const struct aggressor *aggressor = arg;

    flash1_tell_trade(&sink, aggressor->sequence, maker->id, taker->id, match->price, match->quantity);
}

void flash1_init(uint64_t seed, const struct flash1_transport *transport, void *queue)
{
    (void)seed;
    sink = (struct flash1_sink){ transport, queue };
    book = bare_book_open(FLASH1_ORDERS, FLASH1_LEVELS, FLASH1_IDS, true);
    wait_begin();
}

void flash1_shutdown(void) { bare_book_close(&book); }

static void work_new(const struct flash1_new *message)
{
    struct aggressor aggressor = { message->sequence };
    int64_t          left;

    flash1_expect(message->price > 0 && message->price <= PRICE_MAX, "a price out of range");
    flash1_expect(message->id < FLASH1_IDS && order_has_room(book.engine), "too many orders");
    flash1_tell(&sink, FLASH1_ORDER_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
    left = bare_add(&book, message->id, flash1_side(message->side), message->price, message->quantity,
                    message->ioc != 0, tell_trade, &aggressor);
    if (message->ioc != 0 && left != 0)
        flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id, message->side, message->price, left);
}

static void work_cancel(const struct flash1_cancel *message)
{
    const struct order *order = bare_find(&book, message->id);

    if (order == NULL) {
        flash1_tell(&sink, FLASH1_CANCEL_REJECT, message->sequence, message->id, 0, 0, 0);
        return;
    }
    flash1_tell(&sink, FLASH1_CANCEL_ACK, message->sequence, message->id,
                order->side == SIDE_BUY ? FLASH1_BUY : FLASH1_SELL, order->price, 0);
    bare_cancel(&book, message->id);
}

static void work_modify(const struct flash1_modify *message)
{
    struct aggressor aggressor = { message->sequence };

    if (bare_find(&book, message->id) == NULL) {
        flash1_tell(&sink, FLASH1_MODIFY_REJECT, message->sequence, message->id, 0, 0, 0);
        return;
    }
    flash1_expect(message->price > 0 && message->price <= PRICE_MAX, "a price out of range");
    (void)bare_replace(&book, message->id, message->price, message->quantity, tell_trade, &aggressor);
    flash1_tell(&sink, FLASH1_MODIFY_ACK, message->sequence, message->id, message->side, message->price,
                message->quantity);
}

static void wait_work(const struct flash1_message *message, uint32_t place)
{
    (void)place;
    if (message->type == FLASH1_MESSAGE_NEW) work_new(&message->placed);
    else if (message->type == FLASH1_MESSAGE_CANCEL) work_cancel(&message->cancel);
    else work_modify(&message->modify);
}

/* ---- prefetching; the messages have their id in the same place ---- */

static void wait_far(const struct flash1_message *message, uint32_t place)
{
    (void)place;
    if (message->placed.id < FLASH1_IDS) FETCH(&book.place[message->placed.id]);
    if (message->type == FLASH1_MESSAGE_NEW && message->placed.price > 0)
        (void)book_prefetch_page(book.engine, book.market->number, flash1_side(message->placed.side),
                                 message->placed.price);
}

static void wait_near(const struct flash1_message *message, uint32_t place)
{
    (void)place;
    if (message->type == FLASH1_MESSAGE_NEW) {
        if (message->placed.price > 0)
            book_prefetch(book.engine, book.market, flash1_side(message->placed.side), message->placed.price);
        return;
    }
    FETCH(order_at(book.engine, message->placed.id < FLASH1_IDS ? book.place[message->placed.id] : 0));
}

static void wait_close(const struct flash1_message *message, uint32_t place)
{
    const struct order *order = bare_find(&book, message->placed.id);

    (void)place;
    if (message->type == FLASH1_MESSAGE_NEW || order == NULL) return;
    FETCH(level_at(book.engine, order->level));
    FETCH(order_at(book.engine, order->prev));
    FETCH(order_at(book.engine, order->next));
}

int64_t  flash1_best_bid(void) { return wait_best(book.engine, book.market, SIDE_BUY, INT64_MIN); }
int64_t  flash1_best_ask(void) { return wait_best(book.engine, book.market, SIDE_SELL, INT64_MAX); }
uint64_t flash1_depth(int64_t price, uint8_t side) { return wait_depth(book.engine, book.market, price, side); }
