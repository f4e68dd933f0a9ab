/* SPDX-License-Identifier: MIT */
#include "core/liquidation/adl.h"
#include "base/heap.h"
#include "core/account/account.h"
#include "core/liquidation/fund_day.h"
#include "core/perps/perps_take.h"
#include "core/liquidation/liquidation_unit.h"

/* ---- moving ---- */

static void emit_moved(struct apply_context *ctx, const struct position *position, uint64_t trade_id, int64_t quantity,
                       int64_t price, uint8_t reason)
{
    struct filled *event = EVENT_ADD(ctx->events, FILL, filled, MARKET_PERPS);

    assert(quantity != 0 && price >= 0 && price <= PRICE_MAX);
    assert(trade_id != 0 && trade_id < ctx->engine->next_trade_id);
    event->trade_id = trade_id;
    event->account_id = account_id_of(position->account);
    event->symbol_id = market_at(ctx->engine, position->market)->symbol.id;
    event->side = quantity > 0 ? SIDE_BUY : SIDE_SELL;
    event->reason = reason;
    event->price = price;
    event->quantity = size_abs(quantity);
    event->fee_coin_id = COIN_MARGIN;
    event->time_ms = ctx->engine->time_ms;
    event->liquidation_id = ctx->liquidation;
}

int64_t adl_average_price(const struct market *market, int128_t value, int64_t quantity)
{
    assert(quantity != 0 && value >= 0);
    int128_t price = market->power >= 0 ? value / ((int128_t)size_abs(quantity) * market->value_unit)
                                        : value * pow10_i64(-market->power) / size_abs(quantity);
    return (int64_t)margin_max(0, margin_min(price, PRICE_MAX));
}

void move_between(struct apply_context *ctx, struct position *from, struct position *to, int64_t quantity,
                  int128_t value, uint8_t reason, int64_t take_over_price)
{
    move_at(ctx, from, to,
            &(struct moved){ quantity, value, adl_average_price(market_at(ctx->engine, from->market), value, quantity),
                             take_over_price, reason });
}

/* Who has to go was bankrupt; the fund's own inventory is not (table 5.2). */
static uint8_t ends_as(const struct position *from, uint8_t reason)
{
    return reason == REASON_ADL && from->account != SLOT_FUND ? REASON_ADL_BANKRUPT : reason;
}

void move_at(struct apply_context *ctx, struct position *from, struct position *to, const struct moved *moved)
{
    struct engine *e = ctx->engine;
    uint64_t       trade_id = e->next_trade_id++, from_id = from->id, to_id = to->id;
    int64_t        quantity = moved->quantity, price = moved->price;
    uint8_t        reason = moved->reason;

    assert(from->market == to->market && from->account != to->account);
    assert((from->exposure.size > 0) == (quantity < 0)
           && size_abs(quantity) <= size_abs(from->exposure.size)); /* the counterparty only closes */
    emit_moved(ctx, from, trade_id, quantity, price, reason);
    emit_moved(ctx, to, trade_id, -quantity, price, reason);
    from->order_count += 1; /* neither row goes away while both are needed */
    to->order_count += 1;
    position_fill(ctx, &(struct side_of_fill){ .position = from,
                                               .quantity = quantity,
                                               .value = moved->value,
                                               .reason = ends_as(from, reason),
                                               .take_over_price = moved->take_over_price });
    position_fill(
        ctx, &(struct side_of_fill){ .position = to, .quantity = -quantity, .value = moved->value, .reason = reason });
    perps_after_change(ctx, from, from_id);
    perps_after_change(ctx, to, to_id);
    assert(from->order_count > 0 && to->order_count > 0);
    from->order_count -= 1;
    to->order_count -= 1;
    position_settle(e, from);
    position_settle(e, to);
}

/* ---- candidates ---- */

/* The other side, best candidate first: the fund, then by group and score, then by account (mechanics 3.12). */
static bool asked_before(const struct candidate *a, const struct candidate *b)
{
    if ((a->slot == SLOT_FUND) != (b->slot == SLOT_FUND)) return a->slot == SLOT_FUND;
    if ((a->score > 0) != (b->score > 0)) return a->score > 0;
    if (a->score != b->score) return a->score > b->score;
    if (a->leverage != b->leverage) return a->leverage > b->leverage;
    return a->slot < b->slot;
}

static bool asked_after(const struct candidate *a, const struct candidate *b) { return asked_before(b, a); }
HEAP_DEFINE_SORT(candidate, struct candidate, asked_after)

static uint32_t gather_candidates(const struct engine *e, const struct position *against, struct candidate *into)
{
    uint32_t count = 0, profitable = 0, rank = 0;

    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        const struct position *position = position_at(e, ix);
        int128_t               profit, equity;

        if (position->market != against->market || position->exposure.size == 0
            || (position->exposure.size > 0) == (against->exposure.size > 0))
            continue;
        assert(position->id != 0 && position->account < e->account_end);
        profit = position_profit(e, position);
        equity = risk_unit_health(e, position).equity;
        into[count] = (struct candidate){ .slot = position->account,
                                          .ix = ix,
                                          .left = size_abs(position->exposure.size),
                                          .size = size_abs(position->exposure.size),
                                          .position_id = position->id,
                                          .cost = risk_unit_shown(position->exposure.cost),
                                          .equity = risk_unit_shown(equity) };
        into[count].score = adl_score(profit, position->exposure.cost, position_value(e, position), equity);
        into[count].leverage = adl_leverage(position_value(e, position), equity);
        if (profit > 0 && into[count].score == 0) into[count].score = 1; /* profitable, if barely */
        profitable += into[count].score > 0 && position->account != SLOT_FUND;
        count += 1;
    }
    assert(count <= e->position_count);
    candidate_sort(into, count);
    for (uint32_t i = 0; i < count; i++)
        into[i].group = into[i].slot == SLOT_FUND      ? 0
                      : e->rules.adl_mode == ADL_QUEUE ? 1 + rank++
                      : into[i].score > 0              ? adl_group(rank++, profitable)
                                                       : 6;
    return count;
}

/*
 * How much a candidate can take at this price without its unit falling below zero: nothing where it is there already,
 * unless this brings it back, since a closed position would leave a debt behind that no unit answers for. The fund,
 * which may be below zero, takes what costs it nothing.
 */
static int64_t bearable(const struct engine *e, const struct candidate *candidate, int128_t value, int64_t whole,
                        int64_t step, uint32_t parts)
{
    const struct position *position = position_at(e, candidate->ix);
    int64_t                size = size_abs(position->exposure.size);
    int128_t               equity = risk_unit_health(e, position).equity, at_mark = position_value(e, position);
    int128_t               here = div_floor(value * size, whole),
             loss = position->exposure.size > 0 ? at_mark - here : here - at_mark;

    assert(whole > 0 && size > 0 && step > 0);
    assert(value >= 0 && parts > 0); /* it is one of them */
    equity -= parts;                 /* each part is rounded down, and the last takes what is left */
    if (loss <= equity || (loss <= 0 && candidate->slot == SLOT_FUND)) return size;
    if (equity <= 0) return 0;
    return (int64_t)(equity * size / loss) / step * step;
}

/* ---- sharing ---- */

struct sharing {
    struct position *position;    /* the position to be closed */
    uint32_t         candidates;  /* on the other side */
    int64_t          whole, left; /* its size at the start, and still */
    int128_t         value, used; /* in total, and booked so far */
    uint8_t          reason;
};

/*
 * Counts what the fund loses when it takes a part of the position for `value`: measured at t, the worse of mark and
 * index for the position. Deleveraging puts the loss on it as on any other party, so no limit applies (ruling 66).
 */
static void fund_bears(struct engine *e, const struct position *position, int64_t part, int128_t value)
{
    int64_t  worse = liquidation_unit_worse_price(e, position);
    int128_t at_worse = market_value_floor(market_at(e, position->market), worse, part);

    assert(position->exposure.size != 0 && position->account != SLOT_FUND);
    assert(part > 0 && part <= size_abs(position->exposure.size));
    fund_lost_beyond(e, position->market, position->exposure.size > 0 ? value - at_worse : at_worse - value);
}

static void take_part(struct apply_context *ctx, struct sharing *sharing, struct candidate *candidate, int64_t part)
{
    struct position *position = sharing->position, *other = position_at(ctx->engine, candidate->ix);
    int64_t          sign = position->exposure.size > 0 ? -1 : 1;
    int128_t         value =
        part == sharing->left ? sharing->value - sharing->used : div_floor(sharing->value * part, sharing->whole);

    assert(part > 0 && part <= sharing->left && part <= candidate->left);
    sharing->used += value;
    assert(value >= 0 && sharing->used <= sharing->value);
    sharing->left -= part;
    candidate->left -= part;
    candidate->value += (int64_t)value;
    if (candidate->slot == SLOT_FUND) fund_bears(ctx->engine, position, part, value);
    move_between(ctx, position, other, sign * part, value, sharing->reason, 0);
}

/* Pro rata to size inside a group, left-over steps to the higher score (E10b). */
static void share_group(struct apply_context *ctx, struct sharing *sharing, struct candidate *first, uint32_t count,
                        int64_t step)
{
    struct engine *e = ctx->engine;
    int64_t        total = 0, wanted, rest;

    assert(count > 0 && step > 0 && sharing->left > 0);
    for (uint32_t i = 0; i < count; i++) {
        first[i].reached = 1;
        first[i].left =
            min_i64(first[i].left, bearable(e, &first[i], sharing->value, sharing->whole, step, sharing->candidates));
        assert(first[i].left >= 0);
        total += first[i].left;
    }
    if (total == 0) return;
    rest = wanted = min_i64(sharing->left, total);
    for (uint32_t i = 0; i < count; i++) rest -= first[i].part = adl_part(wanted, first[i].left, total, step);
    assert(rest >= 0);
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        int64_t more = min_i64(rest, first[i].left - first[i].part);
        first[i].part += more;
        rest -= more;
    }
    assert(rest == 0); /* no more was wanted than they can bear */
    for (uint32_t i = 0; i < count; i++)
        if (first[i].part != 0) take_part(ctx, sharing, &first[i], first[i].part);
}

/* A loss that no party could bear is the fund's (mechanics 3.12, 5); no limit applies to it. */
static void leave_to_fund(struct apply_context *ctx, struct sharing *sharing)
{
    struct engine   *e = ctx->engine;
    struct position *position = sharing->position, *fund = position_make(e, SLOT_FUND, position->market);
    int64_t          sign = position->exposure.size > 0 ? -1 : 1;
    int128_t         value = sharing->value - sharing->used;

    assert(fund != NULL && sharing->left > 0);
    assert(size_abs(position->exposure.size) == sharing->left); /* the parts before have closed all the rest */
    fund_bears(e, position, sharing->left, value);
    perps_at(e, position->market)->fund.gapped = 1;
    move_between(ctx, position, fund, sign * sharing->left, value, sharing->reason, 0);
}

uint32_t adl_close(struct apply_context *ctx, struct position *position, int128_t value, uint8_t reason)
{
    struct engine    *e = ctx->engine;
    struct candidate *candidates = engine_candidates(e);
    uint32_t          count = gather_candidates(e, position, candidates), at = 0;
    struct sharing    sharing = { .position = position,
                                  .candidates = count,
                                  .whole = size_abs(position->exposure.size),
                                  .left = size_abs(position->exposure.size),
                                  .value = value,
                                  .reason = reason };
    int64_t           step = market_at(e, position->market)->symbol.step_size;

    assert(position->exposure.size != 0);
    assert(sharing.whole > 0 && value >= 0);
    position->order_count += 1;
    while (at < count && sharing.left > 0) {
        uint32_t end = at;

        assert(at == 0 || candidates[at].group > candidates[at - 1].group);
        while (end < count && candidates[end].group == candidates[at].group) end++;
        share_group(ctx, &sharing, &candidates[at], end - at, step);
        at = end;
    }
    if (sharing.left > 0 && position->account != SLOT_FUND) leave_to_fund(ctx, &sharing);
    assert(position->exposure.size == 0 || position->account == SLOT_FUND);
    assert(position->order_count > 0);
    position->order_count -= 1;
    position_settle(e, position);
    return count;
}

void adl_emit_ranking(struct apply_context *ctx, uint64_t receipt_id, uint32_t count)
{
    const struct candidate *candidates = engine_candidates(ctx->engine);

    assert(receipt_id != 0 && receipt_id < ctx->engine->next_receipt_id);
    assert(count < ctx->engine->position_end); /* a row each */
    for (uint32_t i = 0; i < count; i++) {
        const struct candidate *candidate = &candidates[i];
        struct adl_ranked      *event = EVENT_ADD(ctx->events, ADL_RANKED, adl_ranked, MARKET_PERPS);

        assert(candidate->left >= 0 && candidate->part >= 0 && candidate->left + candidate->part <= candidate->size);
        event->receipt_id = receipt_id;
        event->account_id = account_id_of(candidate->slot);
        event->position_id = candidate->position_id;
        event->rank = i;
        event->group = candidate->group;
        event->score = candidate->score;
        event->leverage = candidate->leverage;
        event->size = candidate->size;
        event->bears = candidate->reached ? candidate->left + candidate->part : -1;
        event->taken = candidate->part;
        event->value = candidate->value;
        event->cost = candidate->cost;
        event->equity = candidate->equity;
    }
}
