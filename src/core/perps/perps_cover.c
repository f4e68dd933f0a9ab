/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_cover.h"
#include "core/perps/margin.h"
#include "core/perps/risk_unit.h"
#include "core/state/rulings.h"

/* An isolated row as it is after a fill. */
struct filled_row {
    struct exposure exposure;
    int128_t        notional, profit, cash;
}; /* at mark; at worst; of the wallet, the fee paid */

static struct filled_row row_after(const struct engine *e, const struct side_of_fill *side)
{
    const struct market       *market = perps_book(e, side->position->market);
    const struct perps_market *perps = perps_of(e, market);
    struct filled_row          after;

    after.exposure = position_after(e, side->position, side->quantity, side->value, &after.cash);
    after.cash -= side->fee;
    after.notional = market_value_floor(market, perps->mark, size_abs(after.exposure.size));
    after.profit =
        margin_profit(perps_worst(perps, after.exposure.size), after.exposure.size, after.exposure.cost, market->power);
    return after;
}

/* The part of a long's notional that is profit needs no margin. */
static struct row_margin margin_of_row(const struct filled_row *after, uint32_t leverage)
{
    int128_t notional = after->exposure.size > 0 ? margin_min(after->notional, after->exposure.cost) : after->notional;

    return (struct row_margin){ after->exposure.bucket + margin_min(after->profit, 0),
                                margin_initial(notional, leverage) };
}

COLD struct row_margin perps_row_margin(const struct engine *e, struct position *position, int64_t quantity,
                                        int64_t price)
{
    const struct market *market = perps_book(e, position->market);
    struct side_of_fill  side = { .position = position,
                                  .quantity = quantity,
                                  .value = market_value_floor(market, price, size_abs(quantity)) };
    struct filled_row    after = row_after(e, &side);

    assert(position_is_isolated(position) && position->exposure.size != 0
           && (position->exposure.size > 0) == (quantity > 0));
    return margin_of_row(&after, position->leverage);
}

/* The reserve of the row's orders after the fill; `resting` is the filled one in the book. */
static int128_t reserve_after(struct engine *e, const struct side_of_fill *side, const struct order *resting,
                              const struct filled_row *after)
{
    struct position   *position = side->position;
    struct exposure    before = position->exposure;
    struct extra_order rest = { 0 };
    int128_t           reserve;

    if (resting != NULL)
        rest = (struct extra_order){ .side = resting->side,
                                     .price = resting->price,
                                     .open = order_open(resting) - size_abs(side->quantity),
                                     .without = resting->id };
    position->exposure = after->exposure;
    reserve = position_reserve(position, position_required(e, position, resting == NULL ? NULL : &rest));
    position->exposure = before;
    return reserve;
}

/* The bucket of an isolated row comes out of the same wallet that the cross account needs. */
static COLD bool bucket_covers(struct engine *e, const struct side_of_fill *side, const struct order *resting)
{
    const struct position *position = side->position;
    struct risk_unit       unit = risk_unit_cross_initial(e, position->account);
    struct filled_row      after = row_after(e, side);
    int128_t               wallet = engine_margins(e)[position->account].wallet + after.cash, needs = unit.initial;
    struct row_margin      row = margin_of_row(&after, position->leverage);

    assert(position_is_isolated(position) && side->quantity != 0);
    if (!margin_cross_is_priced(e, position->account)) return false; /* ruling 64 */
    if (!RULING(65))
        return wallet >= 0 && after.exposure.bucket + after.profit >= margin_initial(after.notional, position->leverage)
            && wallet + unit.worst >= needs;
    if (wallet < 0 || row.has < row.needs) return false;
    return wallet + unit.worst
        >= needs + risk_unit_reserve(e, position->account, position) + reserve_after(e, side, resting, &after);
}

HOT bool perps_covers(struct engine *e, struct position *position, const struct order *resting,
                      const struct side_of_fill *side)
{
    const struct market *market = perps_book(e, position->market);
    int128_t             notional, left;
    struct risk_unit     unit;

    if (position_is_isolated(position)) return bucket_covers(e, side, resting);
    notional =
        market_value_floor(market, perps_of(e, market)->mark, size_abs(position->exposure.size + side->quantity));
    unit = risk_unit_cross_initial(e, position->account);
    left = engine_margins(e)[position->account].wallet + unit.worst
         + position_gain_worst(e, position, side->quantity, side->value) - side->fee
         - (unit.initial - position_initial(e, position) + margin_initial(notional, position->leverage));
    return left >= 0 && (!RULING(65) || left >= risk_unit_reserve(e, position->account, NULL));
}

COLD bool perps_covers_without_65(struct engine *e, const struct side_of_fill *side, bool closed)
{
    struct position  *position = side->position;
    struct risk_unit  unit;
    struct filled_row after;

    if (!position_is_isolated(position)) return !closed || perps_covers(e, position, NULL, side);
    after = row_after(e, side);
    if (engine_margins(e)[position->account].wallet + after.cash < 0) return false;
    if (after.exposure.bucket + (after.exposure.size < 0 ? -after.notional : after.notional) - after.exposure.cost < 0)
        return false;
    unit = risk_unit_cross(e, position->account);
    return risk_unit_equity(e, position->account, &unit) + after.cash >= unit.initial;
}
