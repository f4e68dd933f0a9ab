/* SPDX-License-Identifier: MIT */
/*
 * wait.h — the messages of the interface, for one adapter. A message waits until WAIT_DONE more were delivered, and the
 * memory it will need is asked for meanwhile, as the exchange does with the commands of a batch; nothing is decided
 * before all earlier messages are done. A query and a flush do all that wait first: the interface lets an engine be
 * late until then, and counts the time. DOJIMA_FLASH1_WAIT=0 does each message before its call returns.
 *
 * The adapter defines wait_far, wait_near and wait_close, which prefetch for the message of a place, each what the one
 * before made readable, and wait_work, which does it. Any of the three may have been left out.
 */
#ifndef FLASH1_WAIT_H
#define FLASH1_WAIT_H

#include "adapter.h"
#include "core/engine.h"

#define WAIT_PLACES 8 /* a power of two */
#define WAIT_NEAR   (ENGINE_FAR - ENGINE_NEAR)
#define WAIT_CLOSE  (ENGINE_FAR - ENGINE_CLOSE)
#define WAIT_DONE   ENGINE_FAR
static_assert(WAIT_DONE < WAIT_PLACES, "a place for each message that waits, and for one more");

static struct flash1_message waiting[WAIT_PLACES];
static uint64_t              wait_delivered, wait_done;
static bool                  wait_none;

static void wait_far(const struct flash1_message *message, uint32_t place);
static void wait_near(const struct flash1_message *message, uint32_t place);
static void wait_close(const struct flash1_message *message, uint32_t place);
static void wait_work(const struct flash1_message *message, uint32_t place);

static void wait_begin(void)
{
    const char *most = getenv("DOJIMA_FLASH1_WAIT");

    wait_delivered = wait_done = 0;
    wait_none = most != NULL && strcmp(most, "0") == 0;
}

static void wait_work_oldest(void)
{
    uint32_t place = (uint32_t)(wait_done % WAIT_PLACES);

    wait_work(&waiting[place], place);
    wait_done += 1;
}

static void wait_end(void)
{
    while (wait_done != wait_delivered) wait_work_oldest();
}

/* The place that the message `back` before the last one has; there may have been a flush since. */
#define WAIT_STEP(step, back)                                                                                          \
    do {                                                                                                               \
        uint32_t place = (uint32_t)((wait_delivered - 1 - (back)) % WAIT_PLACES);                                      \
        if (wait_delivered - wait_done > (back)) step(&waiting[place], place);                                         \
    } while (0)

/* The message is in the next place. */
static inline void wait_deliver(void)
{
    wait_delivered += 1;
    if (wait_none) {
        wait_work_oldest();
        return;
    }
    WAIT_STEP(wait_far, 0);
    WAIT_STEP(wait_near, WAIT_NEAR);
    WAIT_STEP(wait_close, WAIT_CLOSE);
    if (wait_delivered - wait_done > WAIT_DONE) wait_work_oldest();
}

static inline struct flash1_message *wait_next(void) { return &waiting[wait_delivered % WAIT_PLACES]; }

void flash1_new(const struct flash1_new *message)
{
    wait_next()->type = FLASH1_MESSAGE_NEW;
    wait_next()->placed = *message;
    wait_deliver();
}

void flash1_cancel(const struct flash1_cancel *message)
{
    wait_next()->type = FLASH1_MESSAGE_CANCEL;
    wait_next()->cancel = *message;
    wait_deliver();
}

void flash1_modify(const struct flash1_modify *message)
{
    wait_next()->type = FLASH1_MESSAGE_MODIFY;
    wait_next()->modify = *message;
    wait_deliver();
}

void flash1_flush(void) { wait_end(); }

/* The price of the best level of a side, or `none`. */
static inline int64_t wait_best(const struct engine *e, const struct market *market, uint8_t side, int64_t none)
{
    uint32_t best;

    wait_end();
    best = market->sides[side].best;
    return best == 0 ? none : level_at(e, best)->price;
}

/* The quantity at a price. */
static inline uint64_t wait_depth(struct engine *e, const struct market *market, int64_t price, uint8_t side)
{
    wait_end();
    return price <= 0 ? 0 : (uint64_t)book_quantity(e, market, flash1_side(side), price);
}

#endif
