/* SPDX-License-Identifier: MIT */
#include "core/perps/risk_unit.h"
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

/* The value with the sign of the size, without a branch that would go wrong for every other position. */
static inline int128_t signed_by(int64_t size, int128_t value)
{
    int128_t mask = size >> 63;

    return (value ^ mask) - mask;
}

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

/* The unrealised profit at the price `worst`; `value` is the value at the mark, which often is that price. */
static ALWAYS_INLINE int128_t profit_at(const struct market *market, const struct perps_market *perps,
                                        const struct exposure *exposure, int64_t worst, int128_t value)
{
    if (worst != perps->mark) value = market_value_floor(market, worst, size_abs(exposure->size));
    return signed_by(exposure->size, value) - exposure->cost;
}

/* The same at the worst price of the position's side. */
static ALWAYS_INLINE int128_t profit_at_worst(const struct market *market, const struct perps_market *perps,
                                              const struct exposure *exposure, int128_t value)
{
    return profit_at(market, perps, exposure, perps_worst(perps, exposure->size), value);
}

int128_t position_worst_profit(const struct engine *e, const struct position *position)
{
    const struct market *market = perps_book(e, position->market);

    return profit_at_worst(market, perps_of(e, market), &position->exposure, position_value(e, position));
}

/* ---- open orders ---- */

static int64_t rate_in(const struct market *market, const struct margin_account *margin)
{
    return max_i64(market->taker_rate[margin->tiers.tier][margin->tiers.staking], 0);
}
static int64_t rate_of(const struct engine *e, const struct position *position)
{
    return rate_in(perps_book(e, position->market), engine_margins(e) + position->account);
}

/* Notionals up to here leave room in 64 bits for all that is added to them; all bits set, so that it bounds an OR. */
#define SMALL_VALUE (INT64_MAX / 4)

/*
 * The result of margin_need_add for one order of which nothing closes, where all of it fits 64 bits, as nearly always;
 * false where it does not. The sides differ by a mask, because a branch on them goes wrong every other time.
 */
static ALWAYS_INLINE bool need_small(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark,
                                     int64_t rate, int64_t price, int64_t open, int64_t *own)
{
    int64_t  lot, at_price, at_mark, loss, sells = -(int64_t)(side == SIDE_SELL);
    uint64_t worst, product;

    if (__builtin_mul_overflow(open, market->value_unit, &lot) || __builtin_mul_overflow(price, lot, &at_price)
        || __builtin_mul_overflow(mark, lot, &at_mark))
        return false;
    if (lot <= 0 || (at_price | at_mark) > SMALL_VALUE) return false;
    loss = ((at_price - at_mark) ^ sells) - sells;
    loss &= ~(loss >> 63);
    worst = (uint64_t)(at_price + (loss & sells)); /* a sale below the mark is worth the mark */
    if (__builtin_mul_overflow(worst, (uint64_t)rate, &product) || product > UINT64_MAX - RATE_ONE) return false;
    *own = (int64_t)((worst + leverage - 1) / leverage + (uint64_t)loss + (product + RATE_ONE - 1) / RATE_ONE);
    return true;
}

static COLD int128_t need_any(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark, int64_t rate,
                              int64_t price, int64_t open)
{
    struct margin_need need = {
        .worst = mark, .taker_rate = rate, .leverage = leverage, .power = market->power, .buy = side == SIDE_BUY
    };

    return margin_need_add(&need, price, open);
}

static ALWAYS_INLINE int128_t need_here(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark,
                                        int64_t rate, int64_t price, int64_t open)
{
    int64_t own = 0; /* gcc's thread sanitizer does not see that it is set */

    return need_small(market, leverage, side, mark, rate, price, open, &own)
             ? own
             : need_any(market, leverage, side, mark, rate, price, open);
}

static SHARED int128_t need_in(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark, int64_t rate,
                               int64_t price, int64_t open)
{
    return open == 0 ? 0 : need_here(market, leverage, side, mark, rate, price, open);
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

/* No resting order of the row can open: then its sums are not kept. */
static bool is_without_orders(const struct position *position)
{
    return (position->volume[0] | position->volume[1]) == 0;
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

/* The sums at today's prices, and at today's fee. */
static void need_refresh(struct engine *e, struct position *position)
{
    int64_t rate = rate_of(e, position);
    bool    moved = position->need_at[side_index(SIDE_BUY)] != worst_of(e, position, SIDE_BUY)
              || position->need_at[side_index(SIDE_SELL)] != worst_of(e, position, SIDE_SELL);

    if (moved || position->need_rate != rate) need_again(e, position, rate);
}

/*
 * The most that the price's movement since the sums were made can have added to them: each unit of volume its
 * notional, its margin, its fee (together less than three times the notional of the movement, as a leverage is at
 * least 1 and a fee at most all of it) and a unit for each of the three roundings per order.
 */
static COLD int128_t need_drift_of(const struct engine *e, const struct position *position, uint8_t side, int64_t now)
{
    int64_t then = position->need_at[side_index(side)], way = now > then ? now - then : then - now;

    int64_t volume = position->volume[side_index(side)];

    if (volume == 0) return 0;
    return 3
         * (market_value_floor(perps_book(e, position->market), way, volume) + 1 + 2 * (int128_t)position->order_count);
}

/* `worst`: the worst price of the side. */
static inline int128_t need_drift_to(const struct engine *e, const struct position *position, uint8_t side,
                                     int64_t worst)
{
    return worst == position->need_at[side_index(side)] ? 0 : need_drift_of(e, position, side, worst);
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

        whole -= need_of(e, position, side, price, first.open) - need_of(e, position, side, price, first.open - closes);
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
    need[side_index(extra->side)] +=
        need_by_rate(e, position, extra->side, worst_of(e, position, extra->side), rate, extra->price, extra->open)
        + extra->funds;
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

    need_refresh(e, position);
    needs_whole(e, position, position->need_rate, extra, need);
    if (size != 0 && need[at] != 0) need[at] = need_behind(e, position, flip, size_abs(size), extra, need[at]);
    return margin_required(size, margin_of_position(e, position), need[side_index(SIDE_BUY)],
                           need[side_index(SIDE_SELL)]);
}

void position_verify_need(const struct engine *e, const struct position *position)
{
    int128_t need[2];

    if (position->need_rate != rate_of(e, position) || position->order_count == 0) return;
    need_sum(e, position, position->need_at, need);
    assert(need[0] == position->need[0] && need[1] == position->need[1]);
}

/* ---- units ---- */

/* The wanted members of struct risk_unit; the others stay 0. Margins need divisions. */
enum unit_part { WITH_COUNTED = 1, WITH_MARGINS = 2, WITH_INITIAL = 4, WITH_WORST = 8 };

static ALWAYS_INLINE struct risk_unit risk_unit_sum_of(const struct engine *e, uint32_t slot, unsigned parts)
{
    struct risk_unit unit = { 0 };

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position     *position = position_at(e, ix);
        const struct perps_market *perps = perps_at(e, position->market);
        int128_t                   value, profit;

        if (position->exposure.size == 0 || position_is_isolated(position)) continue;
        value = position_value(e, position);
        profit = signed_by(position->exposure.size, value) - position->exposure.cost;
        unit.profit += profit;
        if (parts & (WITH_COUNTED | WITH_WORST)) {
            profit = profit_at_worst(perps_book(e, position->market), perps, &position->exposure, value);
            unit.worst += profit;
            unit.counted += profit > 0 && perps_catches_up(perps) ? 0 : profit;
        }
        if (parts & WITH_MARGINS) unit.maintenance += margin_maintenance(&perps->contract, value);
        if (parts & WITH_INITIAL) unit.initial += margin_initial(value, position->leverage);
    }
    return unit;
}

struct risk_unit risk_unit_cross(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_COUNTED | WITH_MARGINS | WITH_INITIAL);
}
struct risk_unit risk_unit_cross_initial(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_INITIAL | WITH_WORST);
}
struct risk_unit risk_unit_cross_counted(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_COUNTED);
}

SHARED int128_t risk_unit_worth(const struct engine *e, uint32_t slot)
{
    return engine_margins(e)[slot].wallet + risk_unit_sum_of(e, slot, 0).profit;
}

int128_t risk_unit_worst_equity(const struct engine *e, uint32_t slot)
{
    return engine_margins(e)[slot].wallet + risk_unit_sum_of(e, slot, WITH_WORST).worst;
}

static NOINLINE struct worth worth_by_rows(struct engine *e, uint32_t slot)
{
    const struct margin_account *margin = engine_margins(e) + slot;
    struct worth                 worth = { margin->wallet, 0 };
    int128_t                     needs = 0, worst = worth.whole;

    for (uint32_t ix = margin->positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position           *position = position_at(e, ix);
        const struct market       *market = perps_book(e, position->market);
        const struct perps_market *perps = perps_of(e, market);
        int64_t                    size = position->exposure.size, low = perps_worst_of(perps, SIDE_BUY),
                high = perps_worst_of(perps, SIDE_SELL);
        int128_t value;

        if (position->need_rate != rate_in(market, margin)) need_refresh(e, position);
        needs += position->need[0] + position->need[1] + need_drift_to(e, position, SIDE_BUY, low)
               + need_drift_to(e, position, SIDE_SELL, high);
        if (size == 0 || position_is_isolated(position)) continue;
        value = market_value_floor(market, perps->mark, size_abs(size));
        worth.whole += signed_by(size, value) - position->exposure.cost;
        worst += profit_at(market, perps, &position->exposure, size < 0 ? high : low, value);
        needs += margin_initial(value, position->leverage);
    }
    worth.spare = worst - needs;
    return worth;
}

/*
 * The same of the cross position of an account's only row, whose sums are of today: false where that is not so, or not
 * all of it fits 64 bits.
 */
static ALWAYS_INLINE bool worth_alone(const struct engine *e, const struct margin_account *margin, struct worth *worth)
{
    const struct position     *position = position_at(e, margin->positions);
    const struct market       *market;
    const struct perps_market *perps;
    int64_t                    size = position->exposure.size, low, high, value, at_worst;
    int128_t                   spare = margin->wallet;

    if (margin->positions == 0 || position->next != 0 || position_is_isolated(position)) return false;
    market = perps_book(e, position->market);
    perps = perps_at(e, position->market);
    low = perps_worst_of(perps, SIDE_BUY);
    high = perps_worst_of(perps, SIDE_SELL);
    if (!is_without_orders(position)) {
        if (position->need_rate != rate_in(market, margin) || position->need_at[side_index(SIDE_BUY)] != low
            || position->need_at[side_index(SIDE_SELL)] != high)
            return false;
        spare -= position->need[0] + position->need[1];
    }
    worth->whole = margin->wallet;
    if (size != 0) {
        if (!market_value_small(market, perps->mark, size_abs(size), &value)
            || !market_value_small(market, size < 0 ? high : low, size_abs(size), &at_worst))
            return false;
        worth->whole += signed_by(size, value) - position->exposure.cost;
        spare += signed_by(size, at_worst) - position->exposure.cost;
        spare -= ((uint64_t)value + position->leverage - 1) / position->leverage;
    }
    worth->spare = spare;
    return true;
}

SHARED struct worth risk_unit_worth_spare(struct engine *e, uint32_t slot)
{
    struct worth worth;

    return worth_alone(e, engine_margins(e) + slot, &worth) ? worth : worth_by_rows(e, slot);
}

SHARED int128_t risk_unit_spare(struct engine *e, uint32_t slot)
{
    struct worth worth;

    assert(slot < e->account_end);
    return worth_alone(e, engine_margins(e) + slot, &worth) ? worth.spare : worth_by_rows(e, slot).spare;
}

int128_t position_reserve(const struct position *position, int128_t required)
{
    return margin_max(0,
                      required - max_i64(position->exposure.bucket, 0)); /* funding below zero is the unit's own loss */
}

typedef int128_t required_by(struct engine *e, struct position *position, const struct extra_order *extra);

static struct demand demand_by(struct engine *e, uint32_t slot, const struct position *except, required_by *required_of)
{
    struct demand demand = { 0 };

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);
        int128_t         required;

        if (position == except || (position->exposure.size == 0 && is_without_orders(position))) continue;
        required = required_of(e, position, NULL);
        if (position_is_isolated(position)) demand.reserve += position_reserve(position, required);
        else demand.required += required;
    }
    return demand;
}

int128_t risk_unit_reserve(struct engine *e, uint32_t slot, const struct position *except)
{
    int128_t reserve = 0;

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);

        if (position == except || !position_is_isolated(position) || is_without_orders(position)) continue;
        reserve += position_reserve(position, position_required(e, position, NULL));
    }
    return reserve;
}

struct demand risk_unit_demand_most(struct engine *e, uint32_t slot, const struct position *except)
{
    return demand_by(e, slot, except, position_required_most);
}
struct demand risk_unit_demand(struct engine *e, uint32_t slot, const struct position *except)
{
    return demand_by(e, slot, except, position_required);
}

/*
 * Adds a cross row's counting profit less its largest need, `own` more on one side included, to *left. `low` and
 * `high` are the worst prices of buys and of sells. False: its sums are of another fee rate, or the row is isolated.
 */
static ALWAYS_INLINE bool add_row(const struct engine *e, const struct position *position, const struct market *market,
                                  const struct perps_market *perps, int64_t rate, int64_t low, int64_t high,
                                  int128_t own_buy, int128_t own_sell, int128_t *left)
{
    int64_t  size = position->exposure.size;
    int128_t value, profit;

    if (position_is_isolated(position)) return false;
    if (!is_without_orders(position)) {
        if (position->need_rate != rate) return false;
        own_buy += position->need[side_index(SIDE_BUY)];
        own_sell += position->need[side_index(SIDE_SELL)];
        own_buy += need_drift_to(e, position, SIDE_BUY, low);
        own_sell += need_drift_to(e, position, SIDE_SELL, high);
    }
    if (size == 0) {
        *left -= margin_max(own_buy, own_sell);
        return true;
    }
    value = market_value_floor(market, perps->mark, size_abs(size));
    profit = profit_at(market, perps, &position->exposure, size < 0 ? high : low, value);
    if (!perps_catches_up(perps) || profit < 0) *left += profit;
    *left -= margin_required(size, margin_initial(value, position->leverage), own_buy, own_sell);
    return true;
}

static bool add_other_rows(const struct engine *e, const struct margin_account *margin, const struct position *except,
                           int128_t *left)
{
    for (uint32_t ix = margin->positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position     *position = position_at(e, ix);
        const struct market       *market = perps_book(e, position->market);
        const struct perps_market *perps = perps_of(e, market);

        if (position != except
            && !add_row(e, position, market, perps, rate_in(market, margin), perps_worst_of(perps, SIDE_BUY),
                        perps_worst_of(perps, SIDE_SELL), 0, 0, left))
            return false;
    }
    return true;
}

HOT bool risk_unit_covers_alone(const struct engine *e, const struct unit_row *row, uint8_t side, int64_t price,
                                int64_t open, struct cover *cover)
{
    const struct position     *position = row->position;
    const struct perps_market *perps = row->perps;
    const struct market       *market = row->market;
    int64_t size = position->exposure.size, rate = rate_in(market, row->margin), low = perps_worst_of(perps, SIDE_BUY),
            high = perps_worst_of(perps, SIDE_SELL), own, value, at_worst;
    int128_t left = row->margin->wallet;

    if (position_at(e, row->margin->positions) != position || position->next != 0 || position_is_isolated(position))
        return false;
    if (!is_without_orders(position)) {
        if (position->need_rate != rate || position->need_at[side_index(SIDE_BUY)] != low
            || position->need_at[side_index(SIDE_SELL)] != high)
            return false;
        left -= position->need[0] + position->need[1];
    }
    if (size != 0) {
        if (!market_value_small(market, perps->mark, size_abs(size), &value)
            || !market_value_small(market, size < 0 ? high : low, size_abs(size), &at_worst) || perps_catches_up(perps))
            return false;
        left += signed_by(size, at_worst) - position->exposure.cost;
        left -= ((uint64_t)value + position->leverage - 1) / position->leverage;
    }
    if (open == 0
        || !need_small(market, position->leverage, side, side == SIDE_BUY ? low : high, rate, price, open, &own)
        || left < own)
        return false;
    *cover = (struct cover){ .own = own, .spare = left - own, .both = true };
    return true;
}

HOT bool risk_unit_covers_most(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                               int64_t open, struct cover *cover)
{
    const struct margin_account *margin = engine_margins(e) + position->account;
    const struct market         *market = perps_book(e, position->market);
    const struct perps_market   *perps = perps_at(e, position->market);
    int64_t                      rate = rate_in(market, margin), low = perps_worst_of(perps, SIDE_BUY),
            high = perps_worst_of(perps, SIDE_SELL);
    int128_t left = margin->wallet, own, buys;

    cover->own = own = need_in(market, position->leverage, side, side == SIDE_BUY ? low : high, rate, price, open);
    buys = own & -(int128_t)(side == SIDE_BUY); /* all of it or nothing */
    if (!add_row(e, position, market, perps, rate, low, high, buys, own - buys, &left)) return false;
    if (!add_other_rows(e, margin, position, &left) || left < 0) return false;
    cover->spare = left;
    return true;
}

struct available risk_unit_available(struct engine *e, uint32_t slot)
{
    struct risk_unit unit = risk_unit_cross(e, slot);
    struct demand    demand = risk_unit_demand(e, slot, NULL);
    int128_t         wallet = engine_margins(e)[slot].wallet,
             free_margin = wallet + unit.counted - demand.required - demand.reserve;

    assert(demand.required >= 0 && demand.reserve >= 0);
    return (struct available){
        .margin = margin_max(0, free_margin),
        .isolated = margin_max(0, margin_min(wallet - demand.reserve, free_margin)),
        .transferable = margin_max(0, wallet + margin_min(unit.counted, 0) - demand.required - demand.reserve),
    };
}

struct health risk_unit_health(const struct engine *e, const struct position *position)
{
    struct risk_unit unit;

    if (position_is_isolated(position))
        return (struct health){ position->exposure.bucket + position_profit(e, position),
                                position_maintenance(e, position) };
    unit = risk_unit_cross(e, position->account);
    return (struct health){ risk_unit_equity(e, position->account, &unit), unit.maintenance };
}

int64_t risk_unit_bankruptcy_price(const struct engine *e, const struct position *position)
{
    const struct market *market = perps_book(e, position->market);
    struct health        health = risk_unit_health(e, position);
    int128_t             share = health.equity;

    if (!position_is_isolated(position))
        share = liquidation_share(health.equity, position_maintenance(e, position), health.maintenance);
    assert(position->exposure.size != 0 && health.maintenance >= 0);
    return liquidation_bankruptcy_price(position_value(e, position), position->exposure.size, share,
                                        market->symbol.tick_size, market->power);
}

bool risk_unit_surely_bears(const struct engine *e, const struct position *position, int64_t price, int128_t worth)
{
    const struct market         *market = perps_book(e, position->market);
    const struct margin_account *margin = engine_margins(e) + position->account;
    int64_t                      size = position->exposure.size, tick = market->symbol.tick_size;
    int128_t                     value = position_value(e, position);

    assert(size != 0 && price > 0);
    if (worth < 0 || value == 0 || price <= tick) return false;
    if (!position_is_isolated(position) && (position_at(e, margin->positions) != position || position->next != 0))
        return false;
    return size > 0 ? market_value_floor(market, price - tick, size) >= value - worth
                    : market_value_ceil(market, price + tick, -size) <= value + worth;
}
