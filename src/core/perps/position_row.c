/* SPDX-License-Identifier: MIT */
#include "core/perps/position_row.h"
#include "core/perps/position_inside.h"
#include "core/account/fees.h"
#include "base/heap.h"

/* ---- rows ---- */

uint32_t position_index(const struct engine *e, const struct position *position)
{
    return (uint32_t)(position - engine_positions(e));
}

struct position *position_find(const struct engine *e, uint32_t slot, uint8_t market)
{
    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next)
        if (position_at(e, ix)->market == market) return position_at(e, ix);
    return NULL;
}

/* The fund has a row of its own per symbol, so that a takeover always finds one. */
bool position_has_room(const struct engine *e, uint32_t slot)
{
    return slot == SLOT_FUND || e->position_count < e->limits.positions;
}

struct position *position_make(struct engine *e, uint32_t slot, uint8_t market)
{
    struct position       *position = position_find(e, slot, market);
    struct margin_account *margin = engine_margins(e) + slot;
    uint32_t               ix;

    assert(slot < e->account_end && market_is_perps(market));
    if (position != NULL) return position;
    if (!position_has_room(e, slot)) return NULL;
    ix = e->position_free;
    if (ix != 0) e->position_free = position_at(e, ix)->next;
    else ix = e->position_end++;
    e->position_count += 1;
    position = position_at(e, ix);
    memset(position, 0, sizeof(*position));
    position->account = slot;
    position->market = market;
    position->mode = MARGIN_CROSS;
    position->leverage = (uint8_t)perps_at(e, market)->contract.init_leverage;
    position->next = margin->positions;
    assert(e->position_count <= e->limits.positions + e->perps_count + 1);
    margin->positions = ix;
    return position;
}

static bool says_nothing(const struct engine *e, const struct position *position)
{
    return position->exposure.size == 0 && position->order_count == 0 && position->mode == MARGIN_CROSS
        && position->leverage == perps_at(e, position->market)->contract.init_leverage;
}

bool position_says_nothing(const struct engine *e, const struct position *position)
{
    return says_nothing(e, position);
}

void position_settle(struct engine *e, struct position *position)
{
    uint32_t  ix = position_index(e, position);
    uint32_t *link = &engine_margins(e)[position->account].positions;

    if (!says_nothing(e, position)) return;
    assert(position->id == 0 && position->exposure.cost == 0 && position->exposure.bucket == 0);
    assert(position->stop_count == 0 && position->reducing_count == 0 && position->reducing == 0
           && position->volume[0] == 0 && position->volume[1] == 0);
    while (*link != ix) link = &position_at(e, *link)->next;
    *link = position->next;
    memset(position, 0, sizeof(*position));
    position->next = e->position_free;
    e->position_free = ix;
    e->position_count -= 1;
}

/* ---- figures of one position ---- */

int128_t position_value(const struct engine *e, const struct position *position)
{
    const struct market *market = perps_book(e, position->market);

    return market_value_floor(market, perps_at(e, position->market)->mark, size_abs(position->exposure.size));
}

int128_t position_initial(const struct engine *e, const struct position *position)
{
    return margin_initial(position_value(e, position), position->leverage);
}

int128_t position_maintenance(const struct engine *e, const struct position *position)
{
    return margin_maintenance(&perps_at(e, position->market)->contract, position_value(e, position));
}

int128_t position_profit(const struct engine *e, const struct position *position)
{
    return signed_by(position->exposure.size, position_value(e, position)) - position->exposure.cost;
}

int128_t position_worst_profit(const struct engine *e, const struct position *position)
{
    const struct market *market = perps_book(e, position->market);

    return profit_at_worst(market, perps_of(e, market), &position->exposure, position_value(e, position));
}

/* ---- open orders ---- */

static int64_t rate_of(const struct engine *e, const struct position *position)
{
    return rate_in(perps_book(e, position->market), engine_margins(e) + position->account);
}

static int128_t need_by_rate(const struct engine *e, const struct position *position, uint8_t side, int64_t mark,
                             int64_t rate, int64_t price, int64_t open)
{
    return need_in(perps_book(e, position->market), position->leverage, side, mark, rate, price, open);
}

static int128_t need_at(const struct engine *e, const struct position *position, uint8_t side, int64_t mark,
                        int64_t price, int64_t open)
{
    return need_by_rate(e, position, side, mark, rate_of(e, position), price, open);
}

/* The m of mechanics 3.4 for the orders of a side: the worst price for their opening (ruling 63). */
static int64_t worst_of(const struct engine *e, const struct position *position, uint8_t side)
{
    return perps_worst_of(perps_at(e, position->market), side);
}

static int128_t need_of(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                        int64_t open)
{
    return need_at(e, position, side, worst_of(e, position, side), price, open);
}

/* Resting, of this row, and able to open: an order that freezes margin. */
static bool order_needs(const struct position *position, const struct order *order)
{
    return order->market == position->market && order->level != 0 && !order_reduces(order);
}

/* The sums of a row's orders as if nothing closed, at any prices, by side_index(). */
static void need_sum(const struct engine *e, const struct position *position, const int64_t at[2], int128_t need[2])
{
    need[0] = need[1] = 0;
    if (is_without_orders(position)) return;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (order_needs(position, order))
            need[side_index(order->side)] +=
                need_at(e, position, order->side, at[side_index(order->side)], order->price, order_open(order));
    }
}

/* The prices that the sums of a row depend on. */
static inline void need_at_now(const struct perps_market *perps, struct position *position)
{
    position->need_at[side_index(SIDE_BUY)] = perps_worst_of(perps, SIDE_BUY);
    position->need_at[side_index(SIDE_SELL)] = perps_worst_of(perps, SIDE_SELL);
}

static COLD void need_again(const struct engine *e, struct position *position, int64_t rate)
{
    need_at_now(perps_at(e, position->market), position);
    need_sum(e, position, position->need_at, position->need);
    position->need_rate = (int32_t)rate;
}

void position_need_refresh(struct engine *e, struct position *position)
{
    int64_t rate = rate_of(e, position);
    bool    moved = position->need_at[side_index(SIDE_BUY)] != worst_of(e, position, SIDE_BUY)
              || position->need_at[side_index(SIDE_SELL)] != worst_of(e, position, SIDE_SELL);

    if (moved || position->need_rate != rate) need_again(e, position, rate);
}

static inline int128_t need_drift(const struct engine *e, const struct position *position, uint8_t side)
{
    return need_drift_to(e, position, side, worst_of(e, position, side));
}

/* The first order of a row that can open: its sums begin, at today's prices and fee. */
static void need_begin(const struct perps_market *perps, struct position *position, int64_t rate)
{
    position->need[0] = position->need[1] = 0;
    need_at_now(perps, position);
    position->need_rate = (int32_t)rate;
}

/* `known`: the order's need together with the remaining open orders, at today's prices and fee; below 0: not computed.
 */
static ALWAYS_INLINE void change_order(struct engine *e, struct position *position, const struct order *order,
                                       int64_t open_before, int64_t open_after, int128_t known)
{
    const struct market *market;
    unsigned             at = side_index(order->side);
    uint32_t             leverage = position->leverage;
    int64_t              rate;

    if (order_reduces(order)) {
        position->reducing += (open_after - open_before) * side_sign(order->side);
        return;
    }
    market = perps_book(e, position->market);
    rate = rate_in(market, engine_margins(e) + position->account);
    if (is_without_orders(position)) need_begin(perps_at(e, position->market), position, rate);
    position->volume[at] += open_after - open_before;
    assert(position->volume[at] >= 0);
    if (position->need_rate != rate) {
        position->need_rate = -1; /* no rate: summed again before their next use */
        return;
    }
    if (known >= 0 && position->need_at[at] == worst_of(e, position, order->side)) {
        position->need[at] += known;
        return;
    }
    if (open_after != 0)
        position->need[at] +=
            need_in(market, leverage, order->side, position->need_at[at], rate, order->price, open_after);
    if (open_before != 0)
        position->need[at] -=
            need_here(market, leverage, order->side, position->need_at[at], rate, order->price, open_before);
}

SHARED void position_order_changed(struct engine *e, struct position *position, const struct order *order,
                                   int64_t open_before, int64_t open_after)
{
    change_order(e, position, order, open_before, open_after, -1);
}

HOT void position_order_leaves(struct engine *e, struct position *position, const struct order *order, int64_t open)
{
    change_order(e, position, order, open, 0, -1);
}

HOT void position_order_leaves_plain(struct engine *e, const struct market *market, struct position *position,
                                     const struct order *order, int64_t open)
{
    unsigned at = side_index(order->side);
    int64_t  rate = rate_in(market, engine_margins(e) + position->account);

    assert(!order_reduces(order) && position->volume[at] >= open);
    position->volume[at] -= open;
    if (position->need_rate != rate) {
        position->need_rate = -1; /* as above */
        return;
    }
    position->need[at] -=
        need_here(market, position->leverage, order->side, position->need_at[at], rate, order->price, open);
}

HOT void position_order_rests_plain(const struct unit_row *row, struct position *position, uint8_t side, int64_t open,
                                    int128_t need)
{
    unsigned at = side_index(side);

    assert(row->position == position && need >= 0 && open > 0);
    if (is_without_orders(position)) need_begin(row->perps, position, rate_in(row->market, row->margin));
    position->volume[at] += open;
    position->need[at] += need;
}

HOT void position_order_rests(struct engine *e, struct position *position, const struct order *order, int128_t need)
{
    change_order(e, position, order, 0, order_open(order), need);
}

/*
 * The need of a purchase by funds when the first `closed` of what it buys closes (mechanics 3.4): margin, loss at its
 * bound and fee of the funds that are left. What closes costs the lowest price at least, so no more is left to open.
 */
static COLD int128_t need_of_funds(const struct engine *e, const struct position *position,
                                   const struct extra_order *extra, int64_t closed)
{
    const struct market *market = perps_book(e, position->market);
    int128_t             funds = extra->funds - market_value_floor(market, extra->lowest, closed), at_worst;

    assert(extra->side == SIDE_BUY && extra->lowest > 0 && extra->lowest <= extra->price);
    assert(closed >= 0 && closed <= extra->open && funds >= 0);
    if (closed == extra->open) return 0;
    at_worst = div_floor(funds * worst_of(e, position, SIDE_BUY), extra->price);
    return margin_initial(funds, position->leverage) + margin_max(0, funds - at_worst)
         + div_ceil(funds * rate_of(e, position), RATE_ONE);
}

/*
 * The need of a side's orders when the first `skip` of their volume closes, best price first, older first. `rank` is
 * the price, of a buy negative: the lowest is first.
 */
struct priority {
    int64_t  rank;
    uint64_t id;
    int64_t  open;
};
static_assert(sizeof(struct priority) <= SCRATCH_ORDER, "the scratch has a place for each order of an account");

#define STANDS_BEFORE(a, b) ((a)->rank != (b)->rank ? (a)->rank < (b)->rank : (a)->id < (b)->id)
HEAP_DEFINE(priority, struct priority, STANDS_BEFORE)

static inline int64_t rank_of(uint8_t side, int64_t price) { return side == SIDE_BUY ? -price : price; }

static uint32_t gather(const struct engine *e, const struct position *position, uint8_t side,
                       const struct extra_order *extra, struct priority *into)
{
    uint32_t count = 0;

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (!order_needs(position, order) || order->side != side || (extra != NULL && order->id == extra->without))
            continue;
        into[count++] = (struct priority){ rank_of(side, order->price), order->id, order_open(order) };
    }
    if (extra != NULL && extra->side == side && extra->open != 0)
        into[count++] =
            (struct priority){ rank_of(side, extra->price), extra->without != 0 ? extra->without : UINT64_MAX,
                               extra->open }; /* where it will stand: a replacement keeps its number */
    assert(count <= account_at(e, position->account)->order_count + 1);
    priority_make(into, count);
    return count;
}

/* The need of a side without what closes: the whole sum, less what the
   first orders would need, plus what is left of the last of them. */
static int128_t need_behind(struct engine *e, const struct position *position, uint8_t side, int64_t skip,
                            const struct extra_order *extra, int128_t whole)
{
    struct priority *heap = engine_scratch(e);
    uint32_t         count = gather(e, position, side, extra, heap);

    while (skip > 0 && count > 0) {
        struct priority first = heap[0];
        int64_t         closes = min_i64(skip, first.open), price = rank_of(side, first.rank);

        if (extra != NULL && extra->funds != 0 && first.id == UINT64_MAX)
            whole -= need_of_funds(e, position, extra, 0) - need_of_funds(e, position, extra, closes);
        else
            whole -=
                need_of(e, position, side, price, first.open) - need_of(e, position, side, price, first.open - closes);
        skip -= closes;
        heap[0] = heap[--count];
        if (count > 0) priority_sink(heap, 0, count);
    }
    assert(whole >= 0);
    return whole;
}

/* Both sides' needs as if nothing closed, the extra order in and the one it replaces out. */
static inline void needs_whole(const struct engine *e, const struct position *position, int64_t rate,
                               const struct extra_order *extra, int128_t need[2])
{
    need[0] = position->need[0];
    need[1] = position->need[1];
    if (extra == NULL) return;
    if (extra->without != 0) {
        const struct order *old = order_at(e, order_find_id(e, position->account, extra->without));
        if (order_needs(position, old))
            need[side_index(old->side)] -= need_by_rate(
                e, position, old->side, position->need_at[side_index(old->side)], rate, old->price, order_open(old));
    }
    need[side_index(extra->side)] += extra->funds != 0
                                       ? need_of_funds(e, position, extra, 0)
                                       : need_by_rate(e, position, extra->side, worst_of(e, position, extra->side),
                                                      rate, extra->price, extra->open);
}

static int128_t margin_of_position(const struct engine *e, const struct position *position)
{
    return position_is_isolated(position) ? max_i64(position->exposure.bucket, 0) : position_initial(e, position);
}

HOT int128_t position_required_most(struct engine *e, struct position *position, const struct extra_order *extra)
{
    int128_t need[2];
    int64_t  rate = rate_of(e, position);

    if (position->need_rate != rate) need_again(e, position, rate);
    needs_whole(e, position, rate, extra, need);
    need[side_index(SIDE_BUY)] += need_drift(e, position, SIDE_BUY);
    need[side_index(SIDE_SELL)] += need_drift(e, position, SIDE_SELL);
    return margin_required(position->exposure.size, margin_of_position(e, position), need[side_index(SIDE_BUY)],
                           need[side_index(SIDE_SELL)]);
}

int128_t position_need_of(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                          int64_t open)
{
    return need_of(e, position, side, price, open);
}

int128_t position_required(struct engine *e, struct position *position, const struct extra_order *extra)
{
    int64_t  size = position->exposure.size;
    uint8_t  flip = size > 0 ? SIDE_SELL : SIDE_BUY;
    unsigned at = side_index(flip);
    int128_t need[2];

    position_need_refresh(e, position);
    needs_whole(e, position, position->need_rate, extra, need);
    if (size != 0 && need[at] != 0) need[at] = need_behind(e, position, flip, size_abs(size), extra, need[at]);
    return margin_required(size, margin_of_position(e, position), need[side_index(SIDE_BUY)],
                           need[side_index(SIDE_SELL)]);
}

int128_t position_reserve(const struct position *position, int128_t required)
{
    return margin_max(0,
                      required - max_i64(position->exposure.bucket, 0)); /* funding below zero is the unit's own loss */
}

void position_verify_need(const struct engine *e, const struct position *position)
{
    int128_t need[2];

    if (position->need_rate != rate_of(e, position) || position->order_count == 0) return;
    need_sum(e, position, position->need_at, need);
    assert(need[0] == position->need[0] && need[1] == position->need[1]);
}
