/* SPDX-License-Identifier: MIT */
/*
 * abi.h — the C interface of the public benchmark of matching engines (README.md), in declarations of our own.
 *
 * Its names collide with those of the core, so the functions have names of ours here and the benchmark's as symbols.
 * With -DDOJIMA_FLASH1=PATH, same_abi.c compares every struct with the benchmark's own header.
 *
 * A program calls flash1_init once, flash1_prebuild for every message there will be, in their order, then one function
 * per message, the queries between messages, and flash1_flush at the end. The adapter pushes reports into the
 * transport; sequence_number is that of the message that caused it. (A function that takes several messages is left
 * out, because it must not look at one before those in front of it are done.)
 */
#ifndef FLASH1_ABI_H
#define FLASH1_ABI_H

#include <stdint.h>

enum { FLASH1_BUY = 0, FLASH1_SELL = 1 };
enum { FLASH1_MESSAGE_NEW = 0, FLASH1_MESSAGE_CANCEL = 1, FLASH1_MESSAGE_MODIFY = 2 };
enum {
    FLASH1_ORDER_ACK = 0,
    FLASH1_TRADE = 1,
    FLASH1_CANCEL_ACK = 2,
    FLASH1_MODIFY_ACK = 3,
    FLASH1_CANCEL_REJECT = 4,
    FLASH1_MODIFY_REJECT = 5
};

/* Prices are in ticks, quantities in lots, ids dense from 1. */
struct flash1_new {
    uint64_t id, sequence;
    int64_t  price;
    uint32_t quantity;
    uint8_t  side, ioc, reserved[2];
};

struct flash1_cancel {
    uint64_t id, sequence;
};

/* Cancelled and placed again: the place in the queue is lost. */
struct flash1_modify {
    uint64_t id, sequence;
    int64_t  price;
    uint32_t quantity;
    uint8_t  side, reserved[3];
};

struct flash1_message {
    uint8_t type, reserved[7];
    union {
        struct flash1_new    placed;
        struct flash1_cancel cancel;
        struct flash1_modify modify;
    };
};

/* Of a trade: price (the maker's), quantity, maker and taker; of another one: order, side, price, quantity. */
struct flash1_report {
    uint8_t  type, side, reserved[6];
    uint64_t sequence, id;
    int64_t  price;
    uint32_t quantity, reserved2;
    uint64_t maker, taker, reserved3;
};

/* The queue of reports: `push` returns 1, or 0 when it is full. */
struct flash1_transport {
    void *(*create)(uint32_t capacity);
    int (*push)(void *queue, const struct flash1_report *report);
    uint32_t (*drain)(void *queue, struct flash1_report *out, uint32_t most);
    void (*flush)(void *queue);
    void (*destroy)(void *queue);
};

#define FLASH1_EXPORT __attribute__((visibility("default")))
/* clang-format off */
FLASH1_EXPORT void flash1_init(uint64_t seed, const struct flash1_transport *transport, void *queue)
    __asm__("engine_init");
FLASH1_EXPORT void     flash1_shutdown(void) __asm__("engine_shutdown");
FLASH1_EXPORT void     flash1_new(const struct flash1_new *message) __asm__("engine_on_new_order");
FLASH1_EXPORT void     flash1_cancel(const struct flash1_cancel *message) __asm__("engine_on_cancel");
FLASH1_EXPORT void     flash1_modify(const struct flash1_modify *message) __asm__("engine_on_modify");
FLASH1_EXPORT void     flash1_flush(void) __asm__("engine_flush");
/* INT64_MIN and INT64_MAX when there is none. */
FLASH1_EXPORT int64_t  flash1_best_bid(void) __asm__("engine_query_best_bid");
FLASH1_EXPORT int64_t  flash1_best_ask(void) __asm__("engine_query_best_ask");
FLASH1_EXPORT uint64_t flash1_depth(int64_t price, uint8_t side) __asm__("engine_query_depth_at");
/* Optional: what a gateway does with a message, outside the measured time. `message` is a flash1_new, flash1_cancel or
 * flash1_modify. */
FLASH1_EXPORT void flash1_prebuild(uint8_t type, const void *message) __asm__("engine_prebuild");
/* Optional: the adapter's own queue of reports, or NULL; create is called, and its result given to flash1_init. */
FLASH1_EXPORT const struct flash1_transport *flash1_get_transport(void) __asm__("engine_get_transport");
/* clang-format on */

#endif
