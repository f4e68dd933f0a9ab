/* SPDX-License-Identifier: MIT */
/* adapter.h — what both adapters share: reports, prices, sizes, and several messages in one call. */
#ifndef FLASH1_ADAPTER_H
#define FLASH1_ADAPTER_H

#include "abi.h"
#include "bare_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLASH1_ORDERS (1u << 20) /* resting at once */
#define FLASH1_LEVELS (1u << 20)
#define FLASH1_IDS    (1u << 22)

/* Where reports go. */
struct flash1_sink {
    const struct flash1_transport *transport;
    void                          *queue;
};

static inline void flash1_push(const struct flash1_sink *sink, const struct flash1_report *report)
{
    while (sink->transport->push(sink->queue, report) == 0) __builtin_ia32_pause();
}

static inline void flash1_tell(const struct flash1_sink *sink, uint8_t type, uint64_t sequence, uint64_t id,
                               uint8_t side, int64_t price, int64_t quantity)
{
    struct flash1_report report = {
        .type = type, .side = side, .sequence = sequence, .id = id, .price = price, .quantity = (uint32_t)quantity
    };
    flash1_push(sink, &report);
}

static inline void flash1_tell_trade(const struct flash1_sink *sink, uint64_t sequence, uint64_t maker, uint64_t taker,
                                     int64_t price, int64_t quantity)
{
    struct flash1_report report = { .type = FLASH1_TRADE,
                                    .sequence = sequence,
                                    .price = price,
                                    .quantity = (uint32_t)quantity,
                                    .maker = maker,
                                    .taker = taker };
    flash1_push(sink, &report);
}

/* Ends the program: a workload that the exchange has no room or no prices for must not be measured. */
static inline void flash1_expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "dojima: %s\n", what);
    abort();
}

static inline uint8_t flash1_side(uint8_t side) { return side == FLASH1_BUY ? SIDE_BUY : SIDE_SELL; }

/* The price of the best level of a side, or `none`. */
static inline int64_t flash1_best(const struct engine *e, const struct market *market, uint8_t side, int64_t none)
{
    uint32_t best = market->sides[side].best;

    return best == 0 ? none : level_at(e, best)->price;
}

/* The messages one after the other, none looked at before the one in front of it is done. */
static inline void flash1_each(const struct flash1_message *messages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct flash1_message *message = &messages[i];

        if (message->type == FLASH1_MESSAGE_NEW) flash1_new(&message->placed);
        else if (message->type == FLASH1_MESSAGE_CANCEL) flash1_cancel(&message->cancel);
        else flash1_modify(&message->modify);
    }
}

#endif
