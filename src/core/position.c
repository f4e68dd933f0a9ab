/* SPDX-License-Identifier: MIT */
#include "core/position.h"
#include "core/account.h"
#include "core/ledger.h"

static int64_t narrow(int128_t amount)
{
    assert(amount >= -(int128_t)AMOUNT_MAX * 2 && amount < (int128_t)AMOUNT_MAX * 2);
    return (int64_t)amount;
}

/* Counters of the record only ever inform: they stop at the bound instead of wrapping. */
static int64_t counted(int64_t total, int128_t more)
{
    int128_t sum = total + more;

    return sum > AMOUNT_MAX ? AMOUNT_MAX : sum < -AMOUNT_MAX ? -AMOUNT_MAX : (int64_t)sum;
}

void position_tell(struct turn *turn, const struct position *position, uint8_t reason, bool taken_over, int64_t take_over_price)
{
    struct position_changed *event = EVENT_ADD(turn->events, POSITION, position_changed, MARKET_PERPS);

    event->account_id = account_id_of(position->account);
    event->position_id = position->id;
    event->symbol_id = market_at(turn->engine, position->market)->symbol.id;
    event->leverage = position->leverage;
    event->margin_mode = position->mode;
    event->reason = reason;
    event->taken_over = taken_over;
    event->size = position->stake.size;
    event->cost_low = (int64_t)(uint64_t)(uint128_t)position->stake.cost;
    event->cost_high = (int64_t)(position->stake.cost >> 64);
    event->bucket = position->stake.bucket;
    event->open_value = position->open_value;
    event->closed_size = position->closed_size;
    event->close_value = position->close_value;
    event->fees = position->fees;
    event->max_size = position->max_size;
    event->realized = position->realized;
    event->take_over_price = take_over_price;
    event->created_ms = position->created_ms;
    event->updated_ms = position->updated_ms;
}

static void record_open(struct engine *e, struct position *position, const struct leg *leg, int64_t fee)
{
    assert(leg->opened > 0 && leg->closed == 0 && position->stake.size != 0);
    if (position->id == 0) {
        position->id = e->next_position_id++;
        position->created_ms = e->time_ms;
    }
    position->open_value = counted(position->open_value, leg->open_value);
    position->fees = counted(position->fees, fee);
    position->realized = counted(position->realized, -(int128_t)fee);
    if (size_abs(position->stake.size) > position->max_size) position->max_size = size_abs(position->stake.size);
    position->updated_ms = e->time_ms;
}

static void record_close(struct engine *e, struct position *position, const struct leg *leg, int64_t fee)
{
    assert(leg->closed > 0 && leg->opened == 0 && position->id != 0);
    position->closed_size = counted(position->closed_size, leg->closed);
    position->close_value = counted(position->close_value, leg->close_value);
    position->fees = counted(position->fees, fee);
    position->realized = counted(position->realized, leg->realized - fee);
    position->updated_ms = e->time_ms;
}

/* The next position in this row is another one. */
static void record_forget(struct position *position)
{
    assert(position->stake.size == 0 && position->stake.cost == 0 && position->stake.bucket == 0);
    position->id = 0;
    position->open_value = position->closed_size = position->close_value = 0;
    position->fees = position->max_size = position->realized = 0;
    position->created_ms = position->updated_ms = 0;
    position->stage = 0;
    position->liquidation = 0;
}

/* An isolated loss never reaches the wallet: a unit of rounding comes out of the bucket (mechanics 3.5). */
static void keep_in_bucket(struct position *position, struct leg *leg)
{
    if (!position_is_isolated(position) || leg->opened != 0 || leg->cash >= 0 || position->stake.size == 0) return;
    position->stake.bucket += (int64_t)leg->cash;
    leg->cash = 0;
}

/*
 * What a forced sale of a part yields stays in the isolated unit: what is sold was sized so that the unit is healthy with
 * it (mechanics 3.11). Given to the wallet in proportion, it would leave the rest exactly as sick as it was.
 */
static void keep_in_unit(struct position *position, struct leg *leg, int64_t fee)
{
    if (!position_is_isolated(position) || leg->opened != 0 || position->stake.size == 0) return;
    assert(fee >= 0);
    position->stake.bucket += (int64_t)leg->cash - fee;
    leg->cash = fee;                            /* the fee is paid out of the wallet, so it comes back here first */
}

/* One leg that only opens or only closes. */
HOT static struct leg book_leg(struct turn *turn, const struct side_of_fill *side, int64_t quantity, int128_t value, int64_t fee)
{
    struct engine   *e = turn->engine;
    struct position *position = side->position;
    int64_t          before = position->stake.size;
    struct leg       leg = leg_apply(&position->stake, quantity, value, position_is_isolated(position), position->leverage);

    assert(leg.opened == 0 || leg.closed == 0);
    keep_in_bucket(position, &leg);
    if (side->reason == REASON_LIQUIDATION) keep_in_unit(position, &leg, fee + side->fund_fee);
    perps_at(e, position->market)->open_interest += long_part(position->stake.size) - long_part(before);
    ledger_position(e, position->account, narrow(leg.cash));
    if (fee > 0) ledger_perps_fee(e, position->account, fee);
    if (fee < 0) ledger_perps_rebate(e, position->account, -fee);
    if (side->fund_fee > 0) ledger_to_fund(e, position->account, side->fund_fee);
    if (leg.opened != 0) record_open(e, position, &leg, fee);
    else                 record_close(e, position, &leg, fee + side->fund_fee);
    return leg;
}

static void close_leg(struct turn *turn, const struct side_of_fill *side, int64_t quantity, int128_t value, int64_t fee, struct fill_effect *effect)
{
    struct position *position = side->position;
    struct leg       leg = book_leg(turn, side, quantity, value, fee);

    effect->closed = leg.closed;
    effect->realized = leg.realized;
    effect->ended = position->stake.size == 0;
    if (!effect->ended) { position_tell(turn, position, REASON_NONE, false, 0); return; }
    position_tell(turn, position, side->reason != 0 ? side->reason : effect->opened != 0 ? REASON_FLIP : REASON_USER,
                  side->take_over_price != 0, side->take_over_price);
    record_forget(position);
}

HOT struct fill_effect position_fill(struct turn *turn, const struct side_of_fill *side)
{
    struct position   *position = side->position;
    int64_t            amount = size_abs(side->quantity), sign = side->quantity > 0 ? 1 : -1;
    bool               closes = position->stake.size != 0 && (position->stake.size > 0) != (side->quantity > 0);
    int64_t            closed = closes ? min_i64(amount, size_abs(position->stake.size)) : 0, fee = side->fee;
    struct fill_effect effect = { .opened = amount - closed };
    int128_t           value = side->value;

    assert(side->fund_fee == 0 || effect.opened == 0);
    if (closed != 0) {
        int128_t close_value = effect.opened == 0 ? value : div_floor(value * closed, amount);
        int64_t  close_fee = effect.opened == 0 || fee <= 0 ? fee : min_i64(fee, (int64_t)div_ceil(close_value * side->rate, RATE_ONE));

        close_leg(turn, side, sign * closed, close_value, close_fee, &effect);
        value -= close_value;
        fee -= close_fee;
    }
    if (effect.opened != 0) {
        (void)book_leg(turn, side, sign * effect.opened, value, fee);
        position_tell(turn, position, REASON_NONE, false, 0);
    }
    return effect;
}

struct stake position_after(const struct position *position, int64_t quantity, int128_t value, int128_t *cash)
{
    struct stake stake = position->stake;

    *cash = leg_apply(&stake, quantity, value, position_is_isolated(position), position->leverage).cash;
    return stake;
}

int64_t position_fee_most(const struct engine *e, const struct side_of_fill *side)
{
    const struct position *position = side->position;
    const struct market   *market = market_at(e, position->market);
    int64_t                held = position->stake.size;
    int128_t               cash, left, profit;
    struct stake           after;

    if (held == 0 || (held > 0) == (side->quantity > 0)) return INT64_MAX;
    after = position_after(position, side->quantity, side->value, &cash);
    if (position_is_isolated(position)) {
        if (size_abs(side->quantity) > size_abs(held)) cash += engine_margins(e)[position->account].wallet;     /* a flip opens with it */
        return (int64_t)margin_min(margin_max(0, cash), INT64_MAX);
    }
    profit = margin_profit(perps_of(e, market)->mark, after.size, after.cost, market->power) - position_profit(e, position);
    left = unit_worth(e, position->account) + cash + profit;
    return (int64_t)margin_min(margin_max(0, left), INT64_MAX);
}

void position_pay(struct engine *e, struct position *position, int128_t amount)
{
    assert(position->stake.size != 0 && position->id != 0);
    if (position_is_isolated(position)) position->stake.bucket = narrow((int128_t)position->stake.bucket - amount);
    else                                ledger_position(e, position->account, narrow(-amount));
    position->realized = counted(position->realized, -amount);
    position->updated_ms = e->time_ms;
}
