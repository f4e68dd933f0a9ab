/* SPDX-License-Identifier: MIT */
#include "core/perps/position.h"
#include "core/account/account.h"
#include "core/account/ledger.h"

static int64_t narrow(int128_t amount)
{
    assert(amount >= -(int128_t)AMOUNT_MAX * 2 && amount < (int128_t)AMOUNT_MAX * 2);
    return (int64_t)amount;
}

/* Counters of the record only ever inform: they stop at the bound instead of wrapping. */
static COLD int64_t counted_wide(int64_t total, int128_t more)
{
    int128_t sum = total + more;

    return sum > AMOUNT_MAX ? AMOUNT_MAX : sum < -AMOUNT_MAX ? -AMOUNT_MAX : (int64_t)sum;
}

/* The same in 64 bits, where nearly every sum stays far below the bound. One comparison looks at both ends of it. */
static inline int64_t counted(int64_t total, int128_t more)
{
    int64_t sum;

    return (int64_t)more != more || __builtin_add_overflow(total, (int64_t)more, &sum)
                || (uint64_t)sum + AMOUNT_MAX > 2 * (uint64_t)AMOUNT_MAX
             ? counted_wide(total, more)
             : sum;
}

SHARED void position_emit(struct apply_context *ctx, const struct position *position, uint8_t reason,
                          int64_t take_over_price)
{
    struct position_changed *event = events_room(ctx->events, sizeof(*event));

    event->head = EVENT_HEAD(POSITION, position_changed, MARKET_PERPS);
    event->account_id = account_id_of(position->account);
    event->position_id = position->id;
    event->symbol_id = perps_book(ctx->engine, position->market)->symbol.id;
    event->leverage = position->leverage;
    event->margin_mode = position->mode;
    event->reason = reason;
    event->taken_over = take_over_price != 0;
    memset(event->reserved, 0, sizeof(event->reserved));
    event->size = position->exposure.size;
    event->cost_low = (int64_t)(uint64_t)(uint128_t)position->exposure.cost;
    event->cost_high = (int64_t)(position->exposure.cost >> 64);
    event->bucket = position->exposure.bucket;
    event->open_value = position->open_value;
    event->closed_size = position->closed_size;
    event->close_value = position->close_value;
    event->fees = position->fees;
    event->max_size = position->max_size;
    event->realized = position->realized;
    event->take_over_price = take_over_price;
    event->created_ms = position->created_ms;
    event->updated_ms = position->updated_ms;
    event->liquidation_id = end_is_forced(reason) ? ctx->liquidation : 0;
}

static COLD void count_open_large(struct position *position, int128_t value, int64_t fee)
{
    assert(position->id != 0 && value >= 0);
    position->open_value = counted(position->open_value, value);
    position->fees = counted(position->fees, fee);
    position->realized = counted(position->realized, -fee);
}

/* The counters of an opening; most stay so small that one look at the three sums together suffices. */
static inline void count_open(struct position *position, int128_t value, int64_t fee)
{
    int64_t opened, fees, realized;

    if ((int64_t)value != value || __builtin_add_overflow(position->open_value, (int64_t)value, &opened)
        || __builtin_add_overflow(position->fees, fee, &fees)
        || __builtin_sub_overflow(position->realized, fee, &realized)
        || ((((uint64_t)opened + AMOUNT_MAX) | ((uint64_t)fees + AMOUNT_MAX) | ((uint64_t)realized + AMOUNT_MAX)) >> 63)
               != 0) {
        count_open_large(position, value, fee);
        return;
    }
    position->open_value = opened;
    position->fees = fees;
    position->realized = realized;
}

static inline void record_open(struct engine *e, struct position *position, int128_t value, int64_t fee)
{
    assert(position->exposure.size != 0);
    if (position->id == 0) {
        position->id = e->next_position_id++;
        position->created_ms = e->time_ms;
    }
    count_open(position, value, fee);
    position->max_size = max_i64(position->max_size, size_abs(position->exposure.size));
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
    assert(position->exposure.size == 0 && position->exposure.cost == 0 && position->exposure.bucket == 0);
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
    assert(position_is_isolated(position));
    if (leg->cash >= 0 || position->exposure.size == 0) return;
    position->exposure.bucket += (int64_t)leg->cash;
    leg->cash = 0;
}

/*
 * The proceeds of a partial forced sale stay in the isolated unit: the sold quantity was chosen so that the unit is
 * healthy with them (mechanics 3.11). Moved to the wallet in proportion, they would leave the rest exactly as
 * unhealthy as before.
 */
static void keep_in_unit(struct position *position, struct leg *leg, int64_t fee)
{
    if (position->exposure.size == 0) return;
    assert(fee >= 0);
    assert(leg->closed > 0 && leg->opened == 0);
    position->exposure.bucket += (int64_t)leg->cash - fee;
    leg->cash = fee; /* the fee is paid out of the wallet, so it comes back here first */
}

/* Effects of both kinds of leg beside exposure and record: open interest, wallet, fee. */
static SHARED void book_leg(struct engine *e, const struct position *position, int64_t before, int64_t cash,
                            int64_t fee)
{
    perps_at(e, position->market)->open_interest += long_part(position->exposure.size) - long_part(before);
    ledger_leg(e, position->account, cash, fee);
}

/*
 * Of an isolated row: the amount that an opening on the side of `quantity` moves into the bucket, with its loss at
 * worst (ruling 65).
 */
static struct leg_terms terms_of(const struct engine *e, const struct position *position, int64_t quantity)
{
    const struct market *market = perps_book(e, position->market);

    return (struct leg_terms){ .leverage = position->leverage,
                               .power = market->power,
                               .worst = RULING(65) ? perps_worst(perps_of(e, market), quantity) : 0 };
}

static COLD int64_t bucket_margin(const struct engine *e, const struct position *position, int64_t quantity,
                                  int128_t value)
{
    struct leg_terms terms = terms_of(e, position, quantity);

    return leg_margin(&terms, quantity, value);
}

static void open_leg(struct apply_context *ctx, const struct side_of_fill *side, int64_t quantity, int128_t value,
                     int64_t fee)
{
    struct engine   *e = ctx->engine;
    struct position *position = side->position;
    int64_t          before = position->exposure.size;
    struct leg       leg = leg_open(&position->exposure, quantity, value,
                              position_is_isolated(position) ? bucket_margin(e, position, quantity, value) : 0);

    book_leg(e, position, before, narrow(leg.cash), fee);
    assert(leg.opened > 0 && leg.closed == 0);
    record_open(e, position, value, fee);
    position_emit(ctx, position, REASON_NONE, 0);
}

/* `reason`: why the position ends, if it does. */
static void close_leg(struct apply_context *ctx, const struct side_of_fill *side, int64_t closed, int128_t value,
                      int64_t fee, uint8_t reason)
{
    struct engine   *e = ctx->engine;
    struct position *position = side->position;
    int64_t          before = position->exposure.size;
    struct leg       leg = leg_close(&position->exposure, closed, value, position_is_isolated(position));

    if (position_is_isolated(position)) {
        keep_in_bucket(position, &leg);
        if (side->reason == REASON_LIQUIDATION) keep_in_unit(position, &leg, fee + side->fund_fee);
    }
    book_leg(e, position, before, narrow(leg.cash), fee);
    if (side->fund_fee > 0) ledger_to_fund(e, position->account, side->fund_fee);
    record_close(e, position, &leg, fee + side->fund_fee);
    if (position->exposure.size != 0) reason = REASON_NONE;
    position_emit(ctx, position, reason, position->exposure.size == 0 ? side->take_over_price : 0);
    if (position->exposure.size == 0) record_forget(position);
}

/* The part of a flip's fee or rebate that the closing record bears: floor(fee * closed / value) (mechanics 3.1). */
static int64_t fee_share(int64_t fee, int128_t closed, int128_t value)
{
    assert(closed >= 0 && closed <= value);
    if (fee == 0) return 0;
    return fee > 0 ? (int64_t)div_floor(fee * closed, value) : -(int64_t)div_ceil(-fee * closed, value);
}

static NOINLINE void fill_any(struct apply_context *ctx, const struct side_of_fill *side)
{
    struct position *position = side->position;
    int64_t          amount = size_abs(side->quantity), size = position->exposure.size;
    bool             closes = size != 0 && (size > 0) != (side->quantity > 0);
    int64_t          closed = closes ? min_i64(amount, size_abs(size)) : 0, opened = amount - closed, fee = side->fee;
    int128_t         value = side->value;

    assert(side->fund_fee == 0 || opened == 0);
    if (closed != 0) {
        int128_t close_value = opened == 0 ? value : div_floor(value * closed, amount);
        int64_t  close_fee = opened == 0 ? fee : fee_share(fee, close_value, value);

        close_leg(ctx, side, closed, close_value, close_fee,
                  side->reason != 0 ? side->reason
                  : opened != 0     ? REASON_FLIP
                                    : REASON_USER);
        value -= close_value;
        fee -= close_fee;
    }
    if (opened != 0) open_leg(ctx, side, side->quantity > 0 ? opened : -opened, value, fee);
}

/* A fill of a cross row that only opens, or adds to what there is. */
static ALWAYS_INLINE void fill_opening(struct apply_context *ctx, const struct side_of_fill *side)
{
    struct engine   *e = ctx->engine;
    struct position *position = side->position;

    assert(side->fund_fee == 0);
    (void)leg_open(&position->exposure, side->quantity, side->value, 0);
    perps_at(e, position->market)->open_interest += long_part(side->quantity);
    ledger_leg(e, position->account, 0, side->fee);
    record_open(e, position, side->value, side->fee);
    position_emit(ctx, position, REASON_NONE, 0);
}

SHARED void position_fill(struct apply_context *ctx, const struct side_of_fill *side)
{
    const struct position *position = side->position;
    int64_t                size = position->exposure.size;

    if (!position_is_isolated(position) && (size == 0 || (size > 0) == (side->quantity > 0))) fill_opening(ctx, side);
    else fill_any(ctx, side);
}

struct exposure position_after(const struct engine *e, const struct position *position, int64_t quantity,
                               int128_t value, int128_t *cash)
{
    struct exposure  exposure = position->exposure;
    struct leg_terms terms = terms_of(e, position, quantity);

    *cash = leg_apply(&exposure, quantity, value, position_is_isolated(position) ? &terms : NULL).cash;
    return exposure;
}

static inline int128_t gain_at(const struct engine *e, const struct position *position, int64_t quantity,
                               int128_t value, int64_t price_before, int64_t price_after)
{
    const struct market *market = perps_book(e, position->market);
    int64_t              held = position->exposure.size, after = held + quantity;
    int128_t             before_value = market_value_floor(market, price_before, size_abs(held)),
             after_value = market_value_floor(market, price_after, size_abs(after));

    assert(!position_is_isolated(position) && quantity != 0 && value >= 0);
    return (after < 0 ? -after_value : after_value) - (held < 0 ? -before_value : before_value)
         - (quantity > 0 ? value : -value);
}

int128_t position_gain(const struct engine *e, const struct position *position, int64_t quantity, int128_t value)
{
    int64_t mark = perps_at(e, position->market)->mark;

    return gain_at(e, position, quantity, value, mark, mark);
}

int128_t position_gain_worst(const struct engine *e, const struct position *position, int64_t quantity, int128_t value)
{
    const struct perps_market *perps = perps_at(e, position->market);
    int64_t                    held = position->exposure.size;

    return gain_at(e, position, quantity, value, perps_worst(perps, held), perps_worst(perps, held + quantity));
}

int64_t position_fee_most(const struct engine *e, const struct side_of_fill *side, int128_t worth)
{
    const struct position *position = side->position;
    int64_t                held = position->exposure.size;
    int128_t               left;

    if (held == 0 || (held > 0) == (side->quantity > 0)) return INT64_MAX;
    if (position_is_isolated(position)) {
        (void)position_after(e, position, side->quantity, side->value, &left);
        if (size_abs(side->quantity) > size_abs(held))
            left += engine_margins(e)[position->account].wallet; /* a flip opens with it */
    } else {
        left = worth + position_gain(e, position, side->quantity, side->value);
    }
    return (int64_t)margin_min(margin_max(0, left), INT64_MAX);
}

void position_pay(struct engine *e, struct position *position, int128_t amount)
{
    assert(position->exposure.size != 0 && position->id != 0);
    if (position_is_isolated(position))
        position->exposure.bucket = narrow((int128_t)position->exposure.bucket - amount);
    else ledger_position(e, position->account, narrow(-amount));
    position->realized = counted(position->realized, -amount);
    position->updated_ms = e->time_ms;
}
