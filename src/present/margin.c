/* SPDX-License-Identifier: MIT */
#include "present/margin.h"
#include "present/fee_rates.h"

#include <stdlib.h>

/* A symbol of the account while its open orders are added up. */
struct row {
    const struct position_changed *position; /* NULL: never chose, and has none */
    uint32_t                       leverage;
    uint8_t                        mode, flip; /* side that closes first, 0 = none */
    int64_t                        size, volume;
    int128_t                       bucket, initial;
    struct margin_need             need[3]; /* by enum side */
};

static int power_of(const struct genesis *genesis, const struct symbol *symbol)
{
    return symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]);
}

/* While the mark catches up with the index, profit counts 0 (mechanics 3.3). */
static bool catches_up(const struct price_changed *price)
{
    return (int128_t)size_abs(price->mark - price->index) * 100 > price->index;
}

/*
 * The worst price for a side: of mark, index and a held back median the lowest for longs, the highest for shorts
 * (ruling 63).
 */
static int64_t worst_of(const struct price_changed *price, uint8_t side)
{
    int64_t held = price->held != 0 ? price->held : price->mark;

    if (side == SIDE_BUY) return min_i64(min_i64(price->mark, price->index), held);
    return max_i64(max_i64(price->mark, price->index), held);
}

static int128_t cost_of(const struct position_changed *position)
{
    return (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);
}

static void figure_position(const struct margin_terms *terms, const struct price_changed *price,
                            const struct position_changed *position, struct position_figures *figures)
{
    const struct symbol *symbol = &terms->genesis->perps[position->symbol_id - 1];

    *figures = (struct position_figures){ 0 };
    if (position->position_id == 0) return;
    figures->cost = cost_of(position);
    figures->value = notional_floor(price->mark, size_abs(position->size), power_of(terms->genesis, symbol));
    figures->initial = margin_initial(figures->value, position->leverage);
    figures->maintenance = margin_maintenance(&terms->contracts[position->symbol_id - 1], figures->value);
    figures->profit = (position->size < 0 ? -figures->value : figures->value) - figures->cost;
    figures->worst = margin_profit(worst_of(price, position->size < 0 ? SIDE_SELL : SIDE_BUY), position->size,
                                   figures->cost, power_of(terms->genesis, symbol));
}

/* ---- open orders ---- */

/* Resting and able to open: an order that freezes margin. A waiting stop does not. */
static bool order_needs(const struct perps_order_changed *order)
{
    bool is_stop = order->modifier == MODIFIER_STOP || order->modifier == MODIFIER_ATTACHED_STOP;

    if (order->reduce_only || (is_stop && !order->triggered)) return false;
    return order->base.status == STATUS_NEW || order->base.status == STATUS_PARTIALLY_FILLED;
}

static void row_start(const struct margin_terms *terms, const struct view_margin *margin, uint32_t symbol_id,
                      struct row *row)
{
    const struct symbol *symbol = &terms->genesis->perps[symbol_id - 1];
    int64_t              rate = fee_rates_of(&terms->genesis->perps_fees, symbol, margin->tier).taker;

    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
        row->need[side] = (struct margin_need){ .worst = worst_of(&margin->prices[symbol_id - 1], side),
                                                .taker_rate = max_i64(0, rate),
                                                .leverage = row->leverage,
                                                .power = power_of(terms->genesis, symbol),
                                                .buy = side == SIDE_BUY };
    if (row->size == 0) return;
    row->flip = row->size > 0 ? SIDE_SELL : SIDE_BUY;
    row->need[row->flip].skip = size_abs(row->size);
}

static int128_t order_need(struct row *row, const struct perps_order_changed *order)
{
    return margin_need_add(&row->need[order->base.side], order->base.price,
                           order->base.quantity - order->base.executed);
}

/* Execution priority: best price first, older first; symbols apart. */
static int by_priority(const void *a, const void *b, void *orders)
{
    const struct order_changed *x = &((const struct perps_order_changed *)orders)[*(const uint32_t *)a].base;
    const struct order_changed *y = &((const struct perps_order_changed *)orders)[*(const uint32_t *)b].base;
    bool                        x_before = x->order_id < y->order_id;

    if (x->symbol_id != y->symbol_id) return x->symbol_id < y->symbol_id ? -1 : 1;
    if (x->price != y->price) x_before = (x->price > y->price) == (x->side == SIDE_BUY);
    return x_before ? -1 : 1;
}

/* The need of each order. Their sequence matters only where some of the volume closes. */
static void freeze_orders(struct row *rows, const struct perps_order_changed *orders, uint32_t count, int128_t *frozen,
                          uint32_t *room)
{
    union {
        const void *from;
        void       *to;
    } cast = { .from = orders }; /* only compared */
    uint32_t sorted = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct row *row = &rows[orders[i].base.symbol_id - 1];
        frozen[i] = 0;
        if (!order_needs(&orders[i])) continue;
        row->volume += orders[i].base.quantity - orders[i].base.executed;
        if (orders[i].base.side == row->flip) room[sorted++] = i;
        else frozen[i] = order_need(row, &orders[i]);
    }
    if (sorted != 0) qsort_r(room, sorted, sizeof(*room), by_priority, cast.to);
    for (uint32_t i = 0; i < sorted; i++)
        frozen[room[i]] = order_need(&rows[orders[room[i]].base.symbol_id - 1], &orders[room[i]]);
}

/* IMreq of a cross symbol, R of an isolated one. */
static void add_demand(const struct row *row, struct margin_figures *figures)
{
    bool     isolated = row->mode == MARGIN_ISOLATED;
    int128_t held = margin_max(0, row->bucket); /* what funding took below 0 is a loss of the unit, and no reserve */
    int128_t required = margin_required(row->size, isolated ? held : row->initial, row->need[SIDE_BUY].total,
                                        row->need[SIDE_SELL].total);

    if (isolated) figures->reserve += margin_max(0, required - held);
    else figures->required += required;
}

/* ---- the account ---- */

static void rows_start(const struct margin_terms *terms, const struct view_margin *margin,
                       const struct margin_figures *figures, struct row *rows)
{
    for (uint32_t i = 0; i < terms->genesis->perps_count; i++)
        rows[i] = (struct row){ .leverage = terms->contracts[i].init_leverage, .mode = MARGIN_CROSS };
    for (uint32_t i = 0; i < margin->position_count; i++) {
        const struct position_changed *position = &margin->positions[i];
        rows[position->symbol_id - 1] = (struct row){ .position = position,
                                                      .leverage = position->leverage,
                                                      .mode = position->margin_mode,
                                                      .size = position->size,
                                                      .bucket = position->bucket,
                                                      .initial = figures->positions[i].initial };
    }
    for (uint32_t i = 0; i < terms->genesis->perps_count; i++) row_start(terms, margin, i + 1, &rows[i]);
}

/* Sums of the cross account; returns its profit at the worst prices, as far as it counts for new risk. */
static int128_t add_positions(const struct margin_terms *terms, const struct view_margin *margin,
                              struct margin_figures *figures)
{
    int128_t counted = 0;

    for (uint32_t i = 0; i < margin->position_count; i++) {
        const struct position_changed *position = &margin->positions[i];
        const struct price_changed    *price = &margin->prices[position->symbol_id - 1];
        struct position_figures       *own = &figures->positions[i];

        figure_position(terms, price, position, own);
        figures->buckets += position->bucket;
        if (position->margin_mode == MARGIN_ISOLATED) continue;
        figures->profit += own->profit;
        counted += own->worst > 0 && catches_up(price) ? 0 : own->worst;
        figures->maintenance += own->maintenance;
        figures->initial += own->initial;
    }
    return counted;
}

/*
 * Whether money is held because prices are not live where the account has a position or an order that could open one
 * (ruling 64).
 */
static bool is_held(const struct view_margin *margin, const struct perps_order_changed *orders, uint32_t count)
{
    if (margin->not_live == 0) return false;
    for (uint32_t i = 0; i < margin->position_count; i++)
        if (margin->positions[i].size != 0 && (margin->not_live >> (margin->positions[i].symbol_id - 1) & 1) != 0)
            return true;
    for (uint32_t i = 0; i < count; i++)
        if (!orders[i].reduce_only && (margin->not_live >> (orders[i].base.symbol_id - 1) & 1) != 0) return true;
    return false;
}

void margin_figures(const struct margin_terms *terms, const struct view_margin *margin,
                    const struct perps_order_changed *orders, uint32_t count, int128_t *frozen, uint32_t *room,
                    struct margin_figures *figures)
{
    struct row rows[PERPS_MAX] UNTOUCHED;
    int128_t   counted, left, held;

    memset(figures, 0, offsetof(struct margin_figures, positions));
    counted = add_positions(terms, margin, figures);
    rows_start(terms, margin, figures, rows);
    freeze_orders(rows, orders, count, frozen, room);
    for (uint32_t i = 0; i < terms->genesis->perps_count; i++)
        if (rows[i].size != 0 || rows[i].volume != 0) add_demand(&rows[i], figures);
    held = figures->required + figures->reserve;
    left = margin->wallet + counted - held;
    figures->equity = margin->wallet + figures->profit;
    figures->available = margin_max(0, left);
    figures->isolated = margin_max(0, margin_min(margin->wallet - figures->reserve, left));
    figures->transferable =
        is_held(margin, orders, count) ? 0 : margin_max(0, margin->wallet + margin_min(counted, 0) - held);
}

int64_t margin_liquidation_of(const struct margin_terms *terms, const struct view_margin *margin,
                              const struct margin_figures *figures, uint32_t i)
{
    const struct position_changed *position = &margin->positions[i];
    const struct position_figures *own = &figures->positions[i];
    const struct symbol           *symbol = &terms->genesis->perps[position->symbol_id - 1];
    int128_t profit = figures->profit - own->profit, maintenance = figures->maintenance - own->maintenance;
    int128_t cash = position->margin_mode == MARGIN_ISOLATED ? position->bucket : margin->wallet + profit - maintenance;

    return margin_liquidation_price(&terms->contracts[position->symbol_id - 1], position->size, own->cost, cash,
                                    symbol->tick_size, power_of(terms->genesis, symbol));
}

struct wide_decimal margin_average(const struct symbol *symbol, int power, int128_t value, int64_t quantity)
{
    uint128_t           above = (uint128_t)(value < 0 ? -value : value), below = (uint128_t)size_abs(quantity);
    struct wide_decimal average = { 0, symbol->price_precision + 4 };

    if (quantity == 0) return average;
    if (power >= 0) below *= (uint64_t)pow10_i64(power);
    else above *= (uint64_t)pow10_i64(-power);
    above = above * 10000 * 2 + below;
    average.digits = (int128_t)(above / (below * 2));
    return average;
}
