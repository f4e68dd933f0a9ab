/* SPDX-License-Identifier: MIT */
/* book.c — the book alone behind the interface of the public benchmark. */
#include "adapter.h"

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
}

void flash1_shutdown(void) { bare_book_close(&book); }
void flash1_flush(void) {}

void flash1_new(const struct flash1_new *message)
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

void flash1_cancel(const struct flash1_cancel *message)
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

void flash1_modify(const struct flash1_modify *message)
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

int64_t flash1_best_bid(void) { return flash1_best(book.engine, book.market, SIDE_BUY, INT64_MIN); }
int64_t flash1_best_ask(void) { return flash1_best(book.engine, book.market, SIDE_SELL, INT64_MAX); }

uint64_t flash1_depth(int64_t price, uint8_t side)
{
    return price <= 0 ? 0 : (uint64_t)book_quantity(book.engine, book.market, flash1_side(side), price);
}

void flash1_batch(const struct flash1_message *messages, uint32_t count) { flash1_each(messages, count); }
