/* SPDX-License-Identifier: MIT */
/* adapter.h — what both adapters share: reports, sides and sizes. */
#ifndef FLASH1_ADAPTER_H
#define FLASH1_ADAPTER_H

#include "abi.h"
#include "bare_book.h"
#include "queue.h"

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

/* Through another queue than ours. */
static NOINLINE void flash1_push(const struct flash1_sink *sink, struct flash1_report report)
{
    while (sink->transport->push(sink->queue, &report) == 0) __builtin_ia32_pause();
}

static inline bool flash1_is_own(const struct flash1_sink *sink)
{
    if (__builtin_expect(sink->transport != &queue_transport, 0)) return false;
    while (!queue_has_room(sink->queue)) __builtin_ia32_pause();
    return true;
}

/* A report of another type than a trade. */
static NOINLINE void flash1_tell_theirs(const struct flash1_sink *sink, uint8_t type, uint64_t sequence, uint64_t id,
                                        uint8_t side, int64_t price, int64_t quantity)
{
    flash1_push(sink, (struct flash1_report){ .type = type,
                                              .side = side,
                                              .sequence = sequence,
                                              .id = id,
                                              .price = price,
                                              .quantity = (uint32_t)quantity });
}

static inline void flash1_tell(const struct flash1_sink *sink, uint8_t type, uint64_t sequence, uint64_t id,
                               uint8_t side, int64_t price, int64_t quantity)
{
    if (flash1_is_own(sink)) queue_put(sink->queue, type, side, sequence, id, price, (uint32_t)quantity, 0, 0);
    else flash1_tell_theirs(sink, type, sequence, id, side, price, quantity);
}

static inline void flash1_tell_trade(const struct flash1_sink *sink, uint64_t sequence, uint64_t maker, uint64_t taker,
                                     int64_t price, int64_t quantity)
{
    if (flash1_is_own(sink)) {
        queue_put(sink->queue, FLASH1_TRADE, 0, sequence, 0, price, (uint32_t)quantity, maker, taker);
        return;
    }
    flash1_push(sink, (struct flash1_report){ .type = FLASH1_TRADE,
                                              .sequence = sequence,
                                              .price = price,
                                              .quantity = (uint32_t)quantity,
                                              .maker = maker,
                                              .taker = taker });
}

/* Ends the program: a workload that the exchange has no room or no prices for must not be measured. */
static inline void flash1_expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "dojima: %s\n", what);
    abort();
}

static inline uint8_t flash1_side(uint8_t side) { return side == FLASH1_BUY ? SIDE_BUY : SIDE_SELL; }

#endif
