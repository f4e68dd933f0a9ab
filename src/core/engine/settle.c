/* SPDX-License-Identifier: MIT */
#include "core/engine/settle.h"
#include "core/account/account.h"
#include "core/liquidation/adl.h"
#include "core/liquidation/fund_day.h"
#include "core/state/layout.h"
#include "core/account/ledger.h"
#include "core/perps/perps_take.h"
#include "core/liquidation/receipt.h"
#include "core/perps/setting.h"

#define LATE_SECONDS  5  /* a TICK that comes late stands for so many seconds at most */
#define CLOSING_STEPS 4  /* orders, deficits, pairs, settings */
#define COVER_ROWS    64 /* rows that deleveraging looks at, for one unit of work */

static int64_t window_seconds(const struct engine *e)
{
    assert(settle_window_ms(&e->rules) >= 1000 && settle_window_ms(&e->rules) % 1000 == 0);
    return settle_window_ms(&e->rules) / 1000;
}

static void emit_phase(struct apply_context *ctx, const struct market *market)
{
    const struct settlement *settlement = &perps_of(ctx->engine, market)->settlement;
    struct phase_changed    *event = EVENT_ADD(ctx->events, PHASE, phase_changed, MARKET_PERPS);

    assert(settlement->phase <= PHASE_SETTLED && (settlement->phase >= PHASE_SETTLING) == (settlement->at_ms != 0));
    event->symbol_id = market->symbol.id;
    event->phase = settlement->phase;
    event->at_ms = settlement->at_ms;
    event->price = settlement->price;
}

/* ---- commands of the operator ---- */

static bool withdraw(struct apply_context *ctx, struct market *market, struct result *result)
{
    struct engine     *e = ctx->engine;
    struct settlement *settlement = &perps_of(e, market)->settlement;
    int64_t            begins = settlement->at_ms - settle_window_ms(&e->rules);

    if (settlement->phase != PHASE_SETTLING) return refuse_plainly(result, REJECT_NOT_ANNOUNCED);
    if (e->time_ms >= begins)
        return refuse(result, REJECT_SETTLEMENT_BEGUN, decimal_make(e->time_ms, 0), decimal_make(begins - 1, 0));
    assert(settlement->price == 0 && settlement->seconds == 0); /* before its window nothing has been summed */
    *settlement = (struct settlement){ .phase = PHASE_OPEN };
    emit_phase(ctx, market);
    return true;
}

bool settle_announce(struct apply_context *ctx, const struct settle_symbol *command, struct result *result)
{
    struct engine     *e = ctx->engine;
    struct market     *market = market_find_perps(e, command->symbol_id);
    struct settlement *settlement;
    int64_t            earliest = e->time_ms + settle_notice_ms(&e->rules);

    if (market == NULL) return refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, command->symbol_id);
    if (market_is_settled(market)) return refuse_plainly(result, REJECT_SYMBOL_SETTLED);
    if (command->at_ms == 0) return withdraw(ctx, market, result);
    settlement = &perps_of(e, market)->settlement;
    if (settlement->phase == PHASE_SETTLING) return refuse_plainly(result, REJECT_SETTLEMENT_ANNOUNCED);
    if (command->at_ms < earliest)
        return refuse(result, REJECT_SETTLEMENT_NOTICE, decimal_make(command->at_ms, 0), decimal_make(earliest, 0));
    if (command->at_ms > e->time_ms + SETTLE_NOTICE_MAX_MS)
        return refuse(result, REJECT_NUMBER_RANGE, decimal_make(command->at_ms, 0),
                      decimal_make(e->time_ms + SETTLE_NOTICE_MAX_MS, 0));
    assert(settlement->phase <= PHASE_REDUCE_ONLY && settlement->price == 0);
    *settlement = (struct settlement){ .phase = PHASE_SETTLING, .at_ms = command->at_ms };
    assert(settlement->at_ms >= earliest && earliest >= e->time_ms);
    emit_phase(ctx, market);
    return true;
}

void settle_restrict(struct apply_context *ctx, struct market *market, bool reduce_only)
{
    struct settlement *settlement = &perps_of(ctx->engine, market)->settlement;
    uint8_t            phase = reduce_only ? PHASE_REDUCE_ONLY : PHASE_OPEN;

    if (settlement->phase > PHASE_REDUCE_ONLY || settlement->phase == phase) return;
    assert(settlement->at_ms == 0 && settlement->price == 0);
    settlement->phase = phase;
    emit_phase(ctx, market);
}

/* ---- the price ---- */

static void sample_index(const struct engine *e, struct perps_market *perps)
{
    struct settlement *settlement = &perps->settlement;
    int64_t            from = (settlement->at_ms - settle_window_ms(&e->rules)) / 1000, now = e->time_ms / 1000,
            last = max_i64(settlement->sampled, from);
    int64_t seconds = min_i64(min_i64(now - last, LATE_SECONDS), window_seconds(e) - settlement->seconds);

    if (now <= last) return;
    assert(seconds >= 0 && perps->index > 0);
    settlement->sampled = now;
    if (perps->state == ORACLE_IS_STALE) return;
    settlement->sum += (int128_t)perps->index * seconds;
    settlement->seconds += seconds;
    assert(settlement->seconds <= window_seconds(e) && settlement->sum >= settlement->seconds);
}

/* The price is known: nothing trades any more, and index and mark are that price for ever. */
static void begin_closing(struct apply_context *ctx, struct market *market, struct perps_market *perps)
{
    struct symbol_changed *event = EVENT_ADD(ctx->events, SYMBOL, symbol_changed, MARKET_PERPS);

    assert(perps->settlement.seconds == window_seconds(ctx->engine) && !market_is_settled(market));
    perps->settlement.price = (int64_t)(perps->settlement.sum / perps->settlement.seconds);
    assert(perps->settlement.price > 0 && perps->settlement.price <= PRICE_MAX);
    perps->settlement.phase = PHASE_CLOSING;
    perps->index = perps->mark = perps->settlement.price;
    perps->premium_sum = 0;
    perps->premium_count = 0;
    perps->funding_rate = 0;
    market->symbol.status = event->status = SYMBOL_SETTLED;
    event->symbol_id = market->symbol.id;
    emit_phase(ctx, market);
}

/* ---- closing ---- */

/*
 * Work continues while the TICK has units of it left, and room for the events of the largest unit: every account of
 * the other side may get a part.
 */
static bool may_go_on(const struct apply_context *ctx, uint32_t room) { return room > 0 && layout_has_room(ctx); }

static void spend(uint32_t *room, uint32_t units)
{
    assert(units > 0);
    *room -= (uint32_t)min_u64(*room, units);
}

/* The account's newest order in the symbol: children go before their parent, so that each ends for the same reason. */
static uint32_t newest_order(const struct engine *e, uint32_t slot, uint8_t number)
{
    assert(slot < e->account_end && market_is_perps(number));
    for (uint32_t ix = account_at(e, slot)->order_tail; ix != 0; ix = order_at(e, ix)->account_prev)
        if (order_at(e, ix)->market == number) return ix;
    return 0;
}

static bool end_orders(struct apply_context *ctx, const struct market *market, uint32_t at[2], uint32_t *room)
{
    struct engine *e = ctx->engine;
    uint32_t       ix;

    for (; at[0] < e->account_end; at[0]++) {
        const struct position *position = position_find(e, at[0], market->number);

        if (position == NULL || position->order_count == 0) continue;
        for (; (ix = newest_order(e, at[0], market->number)) != 0; spend(room, 1)) {
            if (*room == 0) return false;
            perps_end(ctx, ix, STATUS_CANCELED, REASON_SETTLEMENT);
        }
        position = position_find(e, at[0], market->number);
        assert(position == NULL
               || (position->order_count == 0 && position->stop_count == 0)); /* the row counted what the list had */
    }
    return true;
}

/* A position's owner before it is closed. */
struct closing {
    uint32_t slot;
    bool     isolated;
    int64_t  wallet;
};

static struct closing closing_of(const struct engine *e, const struct position *position)
{
    assert(position->id != 0 && position->account < e->account_end);
    return (struct closing){ position->account, position_is_isolated(position),
                             engine_margins(e)[position->account].wallet };
}

/*
 * Amounts that no wallet may owe go to the fund: units of rounding, and losses that no price could cover (mechanics
 * 1.6, 3.5).
 */
static void close_account(struct apply_context *ctx, const struct closing *closing, uint8_t number)
{
    struct engine   *e = ctx->engine;
    struct position *position = position_find(e, closing->slot, number);
    int64_t          wallet = engine_margins(e)[closing->slot].wallet, owed = 0;

    assert(number >= PERPS_FIRST && closing->slot < e->account_end);
    if (closing->isolated) owed = closing->wallet - wallet;
    else if (!position_any_cross(e, closing->slot)) owed = -wallet;
    if (owed > 0 && closing->slot != SLOT_FUND) {
        ledger_position(e, closing->slot, owed);
        ledger_position(e, SLOT_FUND, -owed);
        fund_lost_beyond(e, number, owed);
    }
    assert(closing->slot == SLOT_FUND || !closing->isolated || ledger_wallet(e, closing->slot) >= closing->wallet);
    assert(closing->slot == SLOT_FUND || closing->isolated || position_any_cross(e, closing->slot)
           || ledger_wallet(e, closing->slot) >= 0);
    if (position != NULL) position_settle(e, position);
}

/* The position's share of its unit's deficit. */
static int128_t deficit_of(const struct engine *e, const struct position *position)
{
    struct health health = risk_unit_health(e, position);
    int128_t      own = position_maintenance(e, position);

    assert(own >= 0 && own <= health.maintenance);
    if (health.equity >= 0) return 0;
    return health.maintenance <= own ? -health.equity : -liquidation_share(health.equity, own, health.maintenance);
}

/* The fund pays what it may of the deficit; the rest is borne by
   the other side, as in deleveraging (mechanics 3.12). */
static void cover(struct apply_context *ctx, struct position *position, int128_t deficit)
{
    struct engine *e = ctx->engine;
    struct closing closing = closing_of(e, position);
    uint8_t        number = position->market;
    int64_t        size = size_abs(position->exposure.size);
    int128_t       value = position_value(e, position), paid = margin_min(deficit, fund_budget(e, number)),
             rest = deficit - paid;
    struct liquidated receipt =
        receipt_of(e, &(struct unit_entry){ .slot = position->account, .market = closing.isolated ? number : 0 },
                   position, STAGE_ADL, risk_unit_health(e, position));

    assert(deficit > 0 && paid >= 0 && rest >= 0 && position->account != SLOT_FUND);
    ledger_position(e, SLOT_FUND, (int64_t)-paid);
    position_pay(e, position, -paid);
    fund_lost(e, number, paid);
    value = position->exposure.size > 0 ? value + rest : margin_max(0, value - rest);
    assert(value >= 0);
    receipt.charge = (int64_t)paid;
    receipt_begin(ctx, &receipt);
    receipt.candidates = adl_close(ctx, position, value, rest > 0 ? REASON_ADL : REASON_SETTLEMENT);
    close_account(ctx, &closing, number);
    adl_emit_ranking(ctx, receipt_emit(ctx, &receipt, size, value), receipt.candidates);
}

/* Covers the position's part of a deficit, which closes it; false when there is none. */
static bool is_covered(struct apply_context *ctx, struct position *position, uint32_t *room)
{
    int128_t deficit = position->account == SLOT_FUND ? 0 : deficit_of(ctx->engine, position);

    assert(position->exposure.size != 0 && deficit >= 0);
    if (deficit == 0) return false;
    cover(ctx, position, deficit);
    spend(room, 1 + ctx->engine->position_end / COVER_ROWS);
    return true;
}

/* All that is below zero first, while the other side is still whole. */
static bool cover_deficits(struct apply_context *ctx, const struct market *market, uint32_t at[2], uint32_t *room)
{
    struct engine *e = ctx->engine;

    for (; at[0] < e->account_end; at[0]++) {
        struct position *position = position_find(e, at[0], market->number);

        if (position == NULL || position->exposure.size == 0) continue;
        if (!may_go_on(ctx, *room)) return false;
        (void)is_covered(ctx, position, room);
        if (at[0] % COVER_ROWS == 0) spend(room, 1);
    }
    return true;
}

/* The next position of a side from an account on, around the end:
   the fund may have got one behind. NULL: there is none. */
static struct position *next_position(const struct engine *e, uint8_t number, bool is_long, uint32_t *at)
{
    assert(market_is_perps(number));
    for (uint32_t count = 0; count < e->account_end; count++, *at += 1) {
        struct position *position;

        if (*at >= e->account_end) *at = 0;
        position = position_find(e, *at, number);
        if (position != NULL && position->exposure.size != 0 && (position->exposure.size > 0) == is_long)
            return position;
    }
    return NULL;
}

static void close_pair(struct apply_context *ctx, const struct market *market, struct position *buyer,
                       struct position *seller)
{
    struct engine *e = ctx->engine;
    struct closing closings[] = { closing_of(e, buyer), closing_of(e, seller) };
    int64_t        quantity = min_i64(size_abs(buyer->exposure.size), size_abs(seller->exposure.size)),
            price = perps_of(e, market)->settlement.price;
    int64_t interest = perps_of(e, market)->open_interest;

    assert(price > 0 && buyer->exposure.size > 0 && seller->exposure.size < 0 && buyer->account != seller->account);
    assert(quantity > 0 && quantity <= interest);
    move_at(ctx, buyer, seller,
            &(struct moved){ -quantity, market_value_floor(market, price, quantity), price, 0, REASON_SETTLEMENT });
    assert(perps_of(e, market)->open_interest == interest - quantity);
    for (uint32_t i = 0; i < ARRAY_COUNT(closings); i++) close_account(ctx, &closings[i], market->number);
}

/*
 * Longs and shorts, each by account: the first of one side is closed against the first of the other. Prices of other
 * symbols may have moved since deficits were covered, so a cross unit is checked once more.
 */
static bool close_pairs(struct apply_context *ctx, const struct market *market, uint32_t at[2], uint32_t *room)
{
    struct engine   *e = ctx->engine;
    struct position *is_long, *is_short;

    for (; perps_of(e, market)->open_interest != 0; spend(room, 1)) {
        if (!may_go_on(ctx, *room)) return false;
        is_long = next_position(e, market->number, true, &at[0]);
        is_short = next_position(e, market->number, false, &at[1]);
        assert(is_long != NULL && is_short != NULL); /* sizes sum to zero (I28) */
        if (!is_covered(ctx, is_long, room) && !is_covered(ctx, is_short, room))
            close_pair(ctx, market, is_long, is_short);
    }
    return true;
}

/* Rows that only hold a leverage or a margin mode of the symbol go back to the pool. */
static bool forget_settings(struct apply_context *ctx, const struct market *market, uint32_t at[2], uint32_t *room)
{
    struct engine *e = ctx->engine;

    for (; at[0] < e->account_end; at[0]++) {
        struct position *position = position_find(e, at[0], market->number);

        if (position == NULL) continue;
        if (at[0] == SLOT_FUND) {
            position_settle(e, position);
            continue;
        } /* the fund has no settings; skip */
        assert(position->exposure.size == 0 && position->order_count == 0);
        if (!may_go_on(ctx, *room)) return false;
        position->mode = MARGIN_CROSS;
        position->leverage = (uint8_t)perps_of(e, market)->contract.init_leverage;
        setting_emit(ctx, position);
        position_settle(e, position);
        spend(room, 1);
    }
    return true;
}

/* Step by step, each from its current account: no account gets an order or a position behind it. */
static void go_on_closing(struct apply_context *ctx, struct market *market, uint32_t *room)
{
    static bool (*const steps[CLOSING_STEPS])(struct apply_context *, const struct market *, uint32_t at[2],
                                              uint32_t *room) = { end_orders, cover_deficits, close_pairs,
                                                                  forget_settings };
    struct settlement *settlement = &perps_of(ctx->engine, market)->settlement;

    assert(settlement->phase == PHASE_CLOSING && settlement->price > 0 && market_is_settled(market));
    for (; settlement->step < ARRAY_COUNT(steps); settlement->step++, settlement->at[0] = settlement->at[1] = 0) {
        if (steps[settlement->step](ctx, market, settlement->at, room)) continue;
        ctx->engine->work_left = 1;
        return;
    }
    assert(perps_of(ctx->engine, market)->open_interest == 0);
    settlement->phase = PHASE_SETTLED;
    emit_phase(ctx, market);
}

static bool is_ready(const struct engine *e, const struct settlement *settlement)
{
    assert(settlement->phase == PHASE_SETTLING && settlement->seconds <= window_seconds(e));
    return e->time_ms >= settlement->at_ms && settlement->seconds == window_seconds(e);
}

void settle_tick(struct apply_context *ctx, bool goes_on)
{
    struct engine *e = ctx->engine;
    uint32_t       room = settle_per_tick(&e->rules);

    assert(room > 0 && ctx->liquidation == 0);
    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct market       *market = market_at(e, (uint8_t)(PERPS_FIRST + i));
        struct perps_market *perps = perps_of(e, market);

        if (perps->settlement.phase == PHASE_SETTLING && !goes_on) {
            sample_index(e, perps);
            if (is_ready(e, &perps->settlement)) begin_closing(ctx, market, perps);
        }
        if (perps->settlement.phase == PHASE_CLOSING) go_on_closing(ctx, market, &room);
    }
    assert(ctx->liquidation == 0 && ctx->taking == 0);
}

/* ---- when ---- */

int64_t settle_due_ms(const struct engine *e)
{
    int64_t due = INT64_MAX;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        const struct settlement *settlement = &engine_perps(e)[i].settlement;
        if (settlement->phase == PHASE_SETTLING && settlement->at_ms > e->time_ms)
            due = min_i64(due, settlement->at_ms);
    }
    return due;
}

bool settle_waits(const struct engine *e)
{
    for (uint32_t i = 0; i < e->perps_count; i++)
        if (engine_perps(e)[i].settlement.phase == PHASE_SETTLING) return true;
    return false;
}

/* ---- invariants ---- */

static void verify_empty(const struct engine *e, uint8_t number)
{
    for (uint32_t ix = 1; ix < e->position_end; ix++) assert(position_at(e, ix)->market != number);
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) assert(market_at(e, number)->sides[side].order_count == 0);
    assert(perps_at(e, number)->open_interest == 0);
}

void settle_verify(const struct engine *e, uint8_t number)
{
    const struct perps_market *perps = perps_at(e, number);
    const struct settlement   *settlement = &perps->settlement;
    bool announced = settlement->phase >= PHASE_SETTLING, priced = settlement->phase >= PHASE_CLOSING;

    assert(settlement->phase <= PHASE_SETTLED && announced == (settlement->at_ms != 0)
           && priced == market_is_settled(market_at(e, number)));
    assert(settlement->seconds >= 0 && settlement->seconds <= window_seconds(e)
           && settlement->sum >= settlement->seconds);
    assert(announced || (settlement->seconds == 0 && settlement->sum == 0 && settlement->sampled == 0)); /* I37 */
    assert(priced == (settlement->price != 0)
           && (priced || (settlement->step == 0 && settlement->at[0] == 0 && settlement->at[1] == 0)));
    if (!priced) return;
    assert(settlement->seconds == window_seconds(e)
           && settlement->price == (int64_t)(settlement->sum / settlement->seconds));
    assert(perps->mark == settlement->price && perps->index == settlement->price && perps->funding_rate == 0); /* I37 */
    assert((settlement->phase == PHASE_SETTLED) == (settlement->step == CLOSING_STEPS));
    if (settlement->phase == PHASE_SETTLED) verify_empty(e, number); /* I38 */
    else assert(e->work_left == 1);
}
