/* SPDX-License-Identifier: MIT */
#include "core/engine/perps_verify.h"
#include "core/book/book.h"
#include "core/perps/bracket.h"
#include "core/liquidation/fund_day.h"
#include "core/engine/settle.h"
#include "core/perps/stop.h"

/* The sums in the rows equal those over the account's list of open orders. */
struct tally {
    uint32_t orders, stops, reducing, globals[3];
    int64_t  volume[3], reduces[3];
};

static struct tally count_orders(const struct engine *e, const struct position *position)
{
    struct tally tally = { 0 };

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);

        if (order->market != position->market) continue;
        tally.orders += 1;
        tally.stops += order_is_stop(order);
        tally.globals[order_is_stop(order) && stop_at(e, ix)->modifier == MODIFIER_STOP && stop_at(e, ix)->cap == 0
                              && order_reduces(order)
                          ? stop_at(e, ix)->kind
                          : 0] += 1;
        if (order->level == 0) continue;
        if (order_reduces(order)) {
            tally.reducing += 1;
            tally.reduces[order->side] += order_open(order);
        } else {
            tally.volume[order->side] += order_open(order);
        }
    }
    return tally;
}

static void verify_position(const struct engine *e, const struct position *position)
{
    struct tally tally = count_orders(e, position);
    int64_t      size = position->exposure.size;
    uint8_t      closing = size > 0 ? SIDE_SELL : SIDE_BUY;

    assert(position->leverage >= 1 && (position->mode == MARGIN_CROSS || position->mode == MARGIN_ISOLATED));
    assert(!position_says_nothing(e, position)); /* such a row is free, and counts in no pool (ruling 50) */
    if (size == 0)
        assert(position->exposure.cost == 0 && position->exposure.bucket == 0 && position->stage == 0); /* I29 */
    assert((position->stage == 0) == (position->liquidation == 0) && position->liquidation < e->next_liquidation_id);
    assert((size == 0) == (position->id == 0) && position->id < e->next_position_id);
    if (size > 0) assert(position->exposure.cost >= 0);
    if (size < 0) assert(position->exposure.cost <= 0);
    if (position->mode == MARGIN_CROSS) assert(position->exposure.bucket == 0);
    assert(tally.orders == position->order_count && tally.stops == position->stop_count
           && tally.reducing == position->reducing_count);
    assert(tally.volume[SIDE_BUY] == position->volume[side_index(SIDE_BUY)]
           && tally.volume[SIDE_SELL] == position->volume[side_index(SIDE_SELL)]);
    assert(position->reducing == tally.reduces[SIDE_BUY] - tally.reduces[SIDE_SELL]);            /* I30 */
    position_verify_need(e, position);                                                           /* I32 */
    assert(tally.globals[STOP_LOSS] <= 1 && tally.globals[STOP_TAKE_PROFIT] <= 1);               /* I33 */
    assert(tally.reduces[closing] <= size_abs(size) && tally.reduces[side_other(closing)] == 0); /* I30 */
}

/* Reduce-only orders know their order in each queue (mechanics 3.6). */
static void verify_queues(const struct engine *e, uint8_t number)
{
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
        for (uint32_t level = market_at(e, number)->sides[side].best; level != 0;
             level = book_behind(e, level_at(e, level))) {
            uint64_t last = 0;

            for (uint32_t ix = level_at(e, level)->head; ix != 0; ix = order_at(e, ix)->next) {
                if (!order_reduces(order_at(e, ix))) continue;
                assert(last == 0 || stop_at(e, ix)->queued > last); /* I30 */
                last = stop_at(e, ix)->queued;
            }
        }
}

/* Sizes of a symbol sum to zero, and the longs are the open interest (mechanics 1.6, 2). */
static void verify_symbol(const struct engine *e, uint8_t number)
{
    int128_t longs = 0, shorts = 0;

    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        const struct position *position = position_at(e, ix);
        if (position->market != number) continue;
        if (position->exposure.size > 0) longs += position->exposure.size;
        else shorts -= position->exposure.size;
    }
    assert(longs == shorts && longs == perps_at(e, number)->open_interest && longs <= QUANTITY_MAX); /* I28 */
    assert(perps_at(e, number)->mark > 0 && perps_at(e, number)->index > 0);
    verify_queues(e, number);
    settle_verify(e, number);
}

/* Every row is in its account's list once, and every account's rows are about different markets. */
static uint32_t verify_lists(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t slot = 0; slot < e->account_end; slot++) {
        const struct margin_account *margin = engine_margins(e) + slot;
        uint64_t                     seen = 0;
        uint32_t                     stops = 0;

        assert((margin->stage == 0) == (margin->liquidation == 0)
               && margin->liquidation < e->next_liquidation_id); /* I29 */
        for (uint32_t ix = margin->positions; ix != 0; ix = position_at(e, ix)->next, count++) {
            const struct position *position = position_at(e, ix);
            uint64_t               bit = UINT64_C(1) << (position->market - PERPS_FIRST);

            assert(position->account == slot && (seen & bit) == 0);
            seen |= bit;
            stops += position->stop_count;
            verify_position(e, position);
        }
        assert(stops == margin->stop_count && !margin->touched);
    }
    return count;
}

/* Brackets: ties lead both ways, children of a parent that works sleep or are armed (mechanics 1.6, 9). */
static void verify_ties(const struct engine *e)
{
    for (uint32_t ix = 1; ix < e->order_end; ix++) {
        const struct order *order = order_at(e, ix);
        const struct stop  *stop = stop_at(e, ix);

        if (order->status == 0 || !order_has_stop(order)) continue;
        if (stop->modifier == MODIFIER_ATTACHED_STOP && order->status != STATUS_PENDING_NEW)
            assert(order_open(order) <= bracket_open(e, ix)); /* I31 */
        if (order->status == STATUS_PENDING_NEW)
            assert(stop->modifier == MODIFIER_ATTACHED_STOP && stop->relation[0] != 0); /* I31 */
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t other = stop->relation[i];
            if (other == 0) continue;
            assert(order_at(e, other)->status != 0 && order_has_stop(order_at(e, other)));
            assert(order_at(e, other)->account == order->account && order_at(e, other)->market == order->market);
            assert(stop_at(e, other)->relation[0] == ix || stop_at(e, other)->relation[1] == ix); /* I31 */
        }
    }
}

void perps_verify(const struct engine *e)
{
    uint32_t free_rows = 0;

    assert(verify_lists(e) == e->position_count);
    for (uint32_t ix = e->position_free; ix != 0; ix = position_at(e, ix)->next) free_rows += 1;
    assert(e->position_count + free_rows == e->position_end - 1); /* I15 */
    for (uint32_t i = 0; i < e->perps_count; i++) verify_symbol(e, (uint8_t)(PERPS_FIRST + i));
    stop_verify(e);
    verify_ties(e);
    fund_verify(e);
    assert(engine_margins(e)[SLOT_FEES].wallet >= 0); /* mechanics 1.6, 3 */
}
