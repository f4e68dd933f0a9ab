/* SPDX-License-Identifier: MIT */
#include "core/perps/reduce.h"
#include "base/heap.h"
#include "core/book/book.h"
#include "core/perps/perps_emit.h"
#include "core/perps/perps_end.h"

/* Resting reduce-only orders of a row, the last in their order of execution first, in the scratch. */
struct reducing {
    int64_t  price;
    uint64_t queued;
    uint32_t ix;
    uint8_t  side, reserved[3];
};
static_assert(sizeof(struct reducing) <= SCRATCH_ORDER, "the scratch has a place for each order of an account");

/* At one price the queue decides, not the id: a replacement may have
   sent an older order to the back (mechanics 2.8, 3.6). */
static bool reduces_after(const struct reducing *a, const struct reducing *b)
{
    assert(a->side == b->side);
    if (a->price != b->price) return side_better(a->side, b->price, a->price);
    return a->queued > b->queued;
}

HEAP_DEFINE(reducing, struct reducing, reduces_after)

/*
 * A level's event number rises with each event, and every order that comes to rest causes one: so it gives the order
 * of arrival.
 */
void perps_queue(struct engine *e, struct market *market, uint32_t ix)
{
    book_push(e, market, ix);
    if (order_reduces(order_at(e, ix))) stop_at(e, ix)->queued = market->update_id;
}

static uint32_t gather_reducing(struct engine *e, const struct position *position, struct reducing *into)
{
    uint32_t count = 0;

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);

        if (order->market != position->market || order->level == 0 || !order_reduces(order)) continue;
        into[count++] =
            (struct reducing){ .price = order->price, .queued = stop_at(e, ix)->queued, .ix = ix, .side = order->side };
    }
    assert(count <= position->reducing_count);
    reducing_make(into, count);
    return count;
}

static void shrink_to(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix,
                      int64_t open)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    int64_t        open_before = order_open(order);

    assert(open > 0 && open < open_before && order->level != 0);
    book_shrink(e, market, order, open_before - open);
    order->quantity = order->executed + open;
    position_order_changed(e, position, order, open_before, open);
    order->updated_ms = e->time_ms;
    perps_emit(ctx, ix, EXEC_REPLACED, REASON_REDUCE_ONLY_TRIM);
    book_emit_level(ctx, market, order);
}

/* How much more is to be closed than there is: all of it when the position has turned or is gone. */
static int64_t excess_of(const struct position *position)
{
    int64_t closes = size_abs(position->reducing), size = position->exposure.size;

    if (closes == 0) return 0;
    if (size == 0 || (size > 0) == (position->reducing > 0)) return closes;
    return closes > size_abs(size) ? closes - size_abs(size) : 0;
}

/*
 * The last ones end, as far back as needed; the first of those may keep a part. Events are in their order of
 * execution.
 */
static COLD void trim_reducing(struct apply_context *ctx, struct position *position, int64_t excess)
{
    struct engine   *e = ctx->engine;
    struct market   *market = market_at(e, position->market);
    struct reducing *orders = engine_scratch(e);
    uint32_t         count = gather_reducing(e, position, orders), at = count;
    int64_t          kept;

    for (; excess > 0; excess -= order_open(order_at(e, orders[at].ix))) {
        struct reducing last = orders[0];

        assert(at > 0);
        orders[0] = orders[--at];
        reducing_sink(orders, 0, at);
        orders[at] = last;
    }
    kept = -excess;
    for (; at < count; at++, kept = 0) {
        if (kept != 0) shrink_to(ctx, market, position, orders[at].ix, kept);
        else perps_end(ctx, orders[at].ix, STATUS_CANCELED, REASON_REDUCE_ONLY_TRIM);
    }
}

void perps_trim(struct apply_context *ctx, struct position *position)
{
    int64_t excess = position->reducing_count == 0 ? 0 : excess_of(position); /* nearly none: a line not touched */

    if (excess != 0) trim_reducing(ctx, position, excess);
}

int64_t perps_reduce_room(const struct engine *e, const struct position *position, uint8_t side, int64_t price)
{
    int64_t room = size_abs(position->exposure.size);

    if (position->reducing_count == 0) return room;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (order->market != position->market || order->level == 0 || !order_reduces(order) || order->side != side)
            continue;
        if (!side_better(side, price, order->price)) room -= order_open(order);
    }
    assert(room <= size_abs(position->exposure.size));
    return room > 0 ? room : 0;
}
