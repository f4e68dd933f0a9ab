/* SPDX-License-Identifier: MIT */
#include "core/reduce.h"
#include "core/book.h"
#include "core/perps_end.h"

/* Resting reduce-only orders of a row in their order of execution, in the scratch. */
struct reducing { int64_t price; uint64_t id; uint32_t ix, reserved; };
static_assert(sizeof(struct reducing) <= SCRATCH_ORDER, "the scratch has a place for each order of an account");

/* At one price the queue decides, not the id: a replacement may have sent an older order to the back (mechanics 2.8, 3.6). */
static bool queued_before(const struct engine *e, uint32_t first, uint32_t second)
{
    for (uint32_t ix = order_at(e, first)->next; ix != 0; ix = order_at(e, ix)->next) if (ix == second) return true;
    return false;
}

static bool reduces_before(const struct engine *e, uint8_t side, const struct reducing *a, const struct reducing *b)
{
    if (a->price != b->price) return side_better(side, a->price, b->price);
    return queued_before(e, a->ix, b->ix);
}

static uint32_t gather_reducing(struct engine *e, const struct position *position, struct reducing *into)
{
    uint32_t count = 0;

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        struct reducing     entry = { order->price, order->id, ix, 0 };
        uint32_t            at = count;

        if (order->market != position->market || order->level == 0 || !order_reduces(order)) continue;
        for (; at > 0 && reduces_before(e, order->side, &entry, &into[at - 1]); at--) into[at] = into[at - 1];
        into[at] = entry;
        count += 1;
    }
    assert(count <= account_at(e, position->account)->order_count);
    return count;
}

static void shrink_to(struct turn *turn, struct market *market, uint32_t ix, int64_t open)
{
    struct engine *e = turn->engine;
    struct order  *order = order_at(e, ix);

    assert(open > 0 && open < order_open(order) && order->level != 0);
    book_shrink(e, market, order, order_open(order) - open);
    order->quantity = order->executed + open;
    order->updated_ms = e->time_ms;
    perps_tell(turn, ix, EXEC_REPLACED, REASON_REDUCE_ONLY_TRIM);
    book_tell_level(turn, market, order);
}

static COLD void trim_reducing(struct turn *turn, struct position *position)
{
    struct engine   *e = turn->engine;
    struct market   *market = market_at(e, position->market);
    struct reducing *orders = engine_scratch(e);
    uint32_t         count = gather_reducing(e, position, orders);
    int64_t          left = size_abs(position->stake.size);
    uint8_t          closing = position->stake.size > 0 ? SIDE_SELL : SIDE_BUY;

    assert(count <= position->reducing_count);
    for (uint32_t i = 0; i < count; i++) {
        const struct order *order = order_at(e, orders[i].ix);
        int64_t             open = order->side == closing ? min_i64(order_open(order), left) : 0;

        if (open == 0)                      perps_end(turn, orders[i].ix, STATUS_CANCELED, REASON_REDUCE_ONLY_TRIM);
        else if (open < order_open(order))  shrink_to(turn, market, orders[i].ix, open);
        left -= open;
        assert(left >= 0);
    }
}

void perps_trim(struct turn *turn, struct position *position)
{
    if (position->reducing_count != 0) trim_reducing(turn, position);
}

int64_t perps_reduce_room(const struct engine *e, const struct position *position, uint8_t side, int64_t price)
{
    int64_t room = size_abs(position->stake.size);

    if (position->reducing_count == 0) return room;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (order->market != position->market || order->level == 0 || !order_reduces(order) || order->side != side) continue;
        if (!side_better(side, price, order->price)) room -= order_open(order);
    }
    assert(room <= size_abs(position->stake.size));
    return room > 0 ? room : 0;
}
