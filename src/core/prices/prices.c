/* SPDX-License-Identifier: MIT */
#include "core/prices/prices.h"
#include "core/account/account.h"
#include "core/prices/composition.h"
#include "core/prices/index.h"
#include "core/perps/inputs.h"
#include "core/account/ledger.h"
#include "core/state/rulings.h"

/* ---- premium, mark, funding ---- */

/* Without ruling 67: the book at this instant. */
static int64_t premium_of_instant(const struct perps_market *perps)
{
    return funding_premium(perps->index, perps->book.bid, perps->book.ask);
}

/* A sample is the mean of the time since the last one that was or would have been taken (ruling 67). */
static void sample_premium(struct engine *e, struct market *market, struct perps_market *perps)
{
    int64_t instant = e->time_ms / e->rules.premium_sample_ms, premium;
    bool    counted;

    if (instant == perps->premium_ms) return;
    assert(instant > perps->premium_ms && perps->index > 0);
    perps->premium_ms = instant;
    counted = inputs_premium(perps, &premium);
    if (perps->state == ORACLE_IS_STALE || !market_trades(e, market)) return;
    if (!RULING(67)) premium = premium_of_instant(perps);
    else if (!counted) return;
    perps->premium_sum += premium;
    perps->premium_count += 1;
}

/* Until the funding that has not been settled yet; nothing when it is due, because the mark moves first (mechanics
 * 0, 3.9). */
static int64_t to_funding(const struct engine *e, const struct perps_market *perps)
{
    return max_i64(0, (perps->funding_hour + 1) * FUNDING_HOUR_MS - e->time_ms);
}

static void move_mark(struct engine *e, struct market *market, struct perps_market *perps, int64_t perp_mid)
{
    struct book_means  means = inputs_means(e, perps);
    struct mark_inputs in = {
        .index = perps->index,
        .best_bid = means.bid,
        .best_ask = means.ask,
        .mid = means.mid,
        .last = inputs_last(e, market, perps),
        .perp_mid = perp_mid,
        .funding_rate = perps->funding_rate,
        .to_funding_ms = to_funding(e, perps),
        .average_ticks = e->rules.mark_average_ticks,
    };
    struct mark_step step;

    assert(in.to_funding_ms >= 0 && in.to_funding_ms <= FUNDING_HOUR_MS && in.best_bid >= 0 && in.best_ask >= 0);
    assert(perps->mark > 0);
    if (market_is_settled(market)) return;
    step = price_mark(&perps->contract, &in, &perps->basis, perps->mark);
    assert(step.raw > 0);
    perps->mark_moved = step.mark > perps->mark ? step.mark - perps->mark : perps->mark - step.mark;
    perps->mark = step.mark;
    composition_of_mark(perps, &in, &step);
    inputs_end_second(perps);
}

static void emit_funded(struct apply_context *ctx, const struct position *position, int64_t payment, int64_t rate)
{
    struct funded *event = EVENT_ADD(ctx->events, FUNDING, funded, MARKET_PERPS);

    assert(position->id != 0 && position->exposure.size != 0 && rate != 0);
    event->account_id = account_id_of(position->account);
    event->position_id = position->id;
    event->symbol_id = market_at(ctx->engine, position->market)->symbol.id;
    event->payment = payment;
    event->rate = rate;
    event->time_ms = ctx->engine->time_ms;
}

/* The sum that the payers of an hour paid, and the sum that the receivers are due in full. */
struct funding_sums {
    int128_t paid, due;
};

/* The insurance fund pays no funding: a coalition alone in a book makes the premium by itself, and would earn what the
 * fund pays at an index that stands still. */
static bool pays_no_funding(const struct position *position, bool payer)
{
    return RULING(66) && payer && position->account == SLOT_FUND;
}

/* Of a position: above 0 what it pays, below 0 what it gets in full. */
static int128_t payment_in_full(const struct engine *e, const struct position *position, int64_t rate)
{
    return funding_payment(position_value(e, position), position->exposure.size > 0, rate);
}

/* The equity of a position's unit at the worst prices (ruling 63). */
static int128_t worst_equity(const struct engine *e, const struct position *position)
{
    if (position_is_isolated(position)) return position->exposure.bucket + position_worst_profit(e, position);
    return risk_unit_worst_equity(e, position->account);
}

/*
 * The amount that a payer pays: at most its unit's equity at the worst prices, because the fund would owe the rest
 * when it takes the unit over (ruling 66).
 */
static int128_t payment_borne(const struct engine *e, const struct position *position, int64_t rate)
{
    int128_t full = payment_in_full(e, position, rate);

    assert(full >= 0);
    return RULING(66) ? margin_min(full, margin_max(0, worst_equity(e, position))) : full;
}

static bool is_payer(const struct position *position, int64_t rate)
{
    assert(position->exposure.size != 0 && rate != 0);
    return (position->exposure.size > 0) == (rate > 0);
}

static struct funding_sums sum_funding(const struct engine *e, const struct market *market, int64_t rate)
{
    struct funding_sums sums = { 0 };

    assert(rate != 0 && market_is_perps(market->number));
    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        const struct position *position = position_at(e, ix);

        if (position->market != market->number || position->exposure.size == 0) continue;
        if (!is_payer(position, rate)) sums.due -= payment_in_full(e, position, rate);
        else if (!pays_no_funding(position, true)) sums.paid += payment_borne(e, position, rate);
    }
    assert(sums.paid >= 0 && sums.due >= 0);
    return sums;
}

/*
 * Payers, or receivers, of one symbol by account id; returns the sum paid. Receivers share it where it is less than
 * they are due.
 */
static int128_t settle_side(struct apply_context *ctx, const struct market *market, int64_t rate, bool payers,
                            const struct funding_sums *sums)
{
    struct engine *e = ctx->engine;
    int128_t       sum = 0;

    for (uint32_t slot = 0; slot < e->account_end; slot++) {
        struct position *position =
            engine_margins(e)[slot].positions == 0 ? NULL : position_find(e, slot, market->number);
        int128_t payment;

        if (position == NULL || position->exposure.size == 0 || is_payer(position, rate) != payers
            || pays_no_funding(position, payers))
            continue;
        payment = payers ? payment_borne(e, position, rate) : payment_in_full(e, position, rate);
        if (!payers && sums->due > sums->paid) payment = -div_floor(-payment * sums->paid, sums->due);
        assert(payers ? payment >= 0 : payment <= 0);
        position_pay(e, position, payment);
        emit_funded(ctx, position, (int64_t)payment, rate);
        sum += payment;
    }
    return sum;
}

/* The remainder of rounding is the fund's (mechanics 1.3). */
static void settle_funding(struct apply_context *ctx, struct market *market, struct perps_market *perps)
{
    struct engine *e = ctx->engine;
    int64_t        rate =
        market_trades(e, market) ? funding_rate(&perps->contract, perps->premium_sum, perps->premium_count) : 0;
    struct funding_sums sums;
    int128_t            dust;

    assert(perps->premium_count != 0 || perps->premium_sum == 0);
    perps->premium_sum = 0;
    perps->premium_count = 0;
    if (rate == 0 || perps->open_interest == 0) return;
    sums = sum_funding(e, market, rate);
    dust = settle_side(ctx, market, rate, true, &sums);
    assert(dust == sums.paid);
    dust += settle_side(ctx, market, rate, false, &sums);
    assert(dust >= 0);
    assert(dust <= AMOUNT_MAX);
    ledger_position(e, SLOT_FUND, (int64_t)dust);
}

static void roll_hour(struct apply_context *ctx, struct market *market, struct perps_market *perps)
{
    int64_t hour = ctx->engine->time_ms / FUNDING_HOUR_MS;

    assert(hour >= perps->funding_hour);
    if (hour != perps->funding_hour) {
        settle_funding(ctx, market, perps);
        perps->funding_hour = hour;
    }
    perps->funding_rate = market_trades(ctx->engine, market)
                            ? funding_rate(&perps->contract, perps->premium_sum, perps->premium_count)
                            : 0;
}

void prices_init(struct engine *e, const struct genesis *genesis)
{
    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct perps_market *perps = &engine_perps(e)[i];

        assert(e->time_ms > 0 && e->rules.premium_sample_ms != 0);

        index_init(e, genesis, market_at(e, (uint8_t)(PERPS_FIRST + i)), perps);
        perps->book.since_ms = perps->spot.since_ms = e->time_ms;
        perps->funding_hour = e->time_ms / FUNDING_HOUR_MS;
        perps->premium_ms = e->time_ms / e->rules.premium_sample_ms;
    }
}

/* One second of price movement, at e->time_ms. */
static void move_prices(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;
    int64_t        perp_mids[PERPS_MAX];

    assert(e->time_ms >= e->priced_ms && e->perps_count <= PERPS_MAX);
    e->price_step += 1;
    e->priced_ms = e->time_ms;
    for (uint32_t i = 0; i < e->perps_count; i++) inputs_count(e, &engine_perps(e)[i]);
    for (uint32_t i = 0; i < e->perps_count; i++)
        index_aggregate(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i], &perp_mids[i]);
    for (uint32_t i = 0; i < e->perps_count; i++)
        sample_premium(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i]);
    for (uint32_t i = 0; i < e->perps_count; i++)
        move_mark(e, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i], perp_mids[i]);
    for (uint32_t i = 0; i < e->perps_count; i++)
        roll_hour(ctx, market_at(e, (uint8_t)(PERPS_FIRST + i)), &engine_perps(e)[i]);
}

/*
 * Whole seconds from the last one whose prices are known to now, which a TICK makes up for one by one; -1 = it does
 * not.
 */
static int64_t quiet_seconds(const struct engine *e)
{
    int64_t seconds = e->time_ms / SECOND_MS - e->priced_ms / SECOND_MS;

    assert(e->quiet <= 1 && seconds >= 0);
    return e->quiet != 0 && seconds <= QUIET_SECONDS_MAX ? seconds : -1;
}

/*
 * The seconds of a quiet exchange that had no TICK, each at its own time; no account has a position, so they emit
 * nothing.
 */
static void make_up(struct apply_context *ctx, int64_t seconds)
{
    struct engine *e = ctx->engine;
    int64_t        now = e->time_ms, last = now / 1000;

    assert(seconds >= 0 && seconds <= QUIET_SECONDS_MAX);
    for (int64_t second = last - seconds + 1; second <= last; second++) {
        e->time_ms = second * 1000;
        move_prices(ctx);
    }
    e->time_ms = now;
}

void prices_tick(struct apply_context *ctx)
{
    int64_t seconds = quiet_seconds(ctx->engine);

    if (seconds < 0) move_prices(ctx);
    else make_up(ctx, seconds);
}

/* A settled symbol has none. */
static int64_t next_funding(const struct engine *e, uint32_t i)
{
    assert(i < e->perps_count);
    return market_is_settled(market_at(e, (uint8_t)(PERPS_FIRST + i)))
             ? 0
             : (e->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;
}

void prices_emit(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct perps_market  *perps = &engine_perps(e)[i];
        struct price_changed  now = { .symbol_id = i + 1,
                                      .state = perps->state,
                                      .index = perps->index,
                                      .mark = perps->mark,
                                      .funding_rate = perps->funding_rate,
                                      .open_interest = perps->open_interest,
                                      .next_funding_ms = next_funding(e, i),
                                      .held = perps->held_price };
        struct price_changed *event;

        assert(perps->open_interest >= 0 && perps->mark > 0 && perps->index > 0);
        if (memcmp(&now, &perps->told, sizeof(now)) == 0) continue;
        perps->told = now;
        event = EVENT_ADD(ctx->events, PRICE, price_changed, MARKET_PERPS);
        now.head = event->head;
        *event = now;
    }
}
