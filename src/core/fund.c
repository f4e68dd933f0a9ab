/* SPDX-License-Identifier: MIT */
#include "core/fund.h"
#include "core/adl.h"
#include "core/forced.h"
#include "core/ledger.h"

#define UNWIND_PART 10                  /* of the fund's position, and of the depth, per TICK */
#define UNWIND_BAND 500000              /* 0.5 % around the mark                             */

/* A tenth of the position, no more than a tenth of what stands near the mark (mechanics 3.13). */
static void unwind(struct turn *turn, struct position *position)
{
    struct engine       *e = turn->engine;
    const struct market *market = market_at(e, position->market);
    int64_t              mark = perps_of(e, market)->mark, step = market->symbol.step_size, size = size_abs(position->stake.size), depth = 0, quantity;
    bool                 sells = position->stake.size > 0;
    int64_t              limit = sells ? price_below(mark, UNWIND_BAND) : price_above(mark, UNWIND_BAND);

    assert(position->account == SLOT_FUND && size > 0 && mark > 0 && limit >= 0);
    for (uint32_t ix = market->sides[sells ? SIDE_BUY : SIDE_SELL].best; ix != 0; ix = book_behind(level_at(e, ix))) {
        if (sells ? level_at(e, ix)->price < limit : level_at(e, ix)->price > limit) break;
        depth += level_at(e, ix)->quantity;
    }
    quantity = min_i64(size, (size / UNWIND_PART > step ? size / UNWIND_PART : step) / step * step);
    quantity = min_i64(quantity, depth / UNWIND_PART / step * step);
    assert(quantity >= 0 && quantity <= size && depth >= 0);
    assert(quantity % step == 0 || quantity == size);
    if (quantity > 0) (void)forced_order(turn, position, quantity, limit, REASON_LIQUIDATION);
}

bool fund_keep(struct turn *turn)
{
    struct engine           *e = turn->engine;
    const struct unit_entry  fund = { .slot = SLOT_FUND };
    struct health            health = trouble_health(e, &fund);
    uint32_t                 count = 0;

    for (uint32_t i = 0; i < e->perps_count; i++) {             /* symbols by id, as everywhere in a TICK (mechanics 0) */
        uint8_t          number = (uint8_t)(PERPS_FIRST + i);
        struct position *position = position_find(e, SLOT_FUND, number);

        count += position != NULL && position->stake.size != 0;
        if (position == NULL || position->stake.size == 0 || perps_is_suspended(e, number)) continue;
        if (health.equity < health.maintenance) adl_close(turn, position, position_value(e, position));
        else                                    unwind(turn, position);
        position = position_find(e, SLOT_FUND, number);
        if (position != NULL) position_settle(e, position);
    }
    ledger_tell(turn);
    return count != 0;
}

void fund_judge(struct turn *turn)
{
    struct engine        *e = turn->engine;
    const struct unit_entry fund = { .slot = SLOT_FUND };
    uint32_t              insolvent = trouble_health(e, &fund).equity < 0;
    struct venue_changed *event;

    if (insolvent == e->insolvent) return;
    assert(insolvent <= 1 && e->insolvent <= 1);
    e->insolvent = insolvent;
    event = EVENT_ADD(turn->events, VENUE, venue_changed, MARKET_PERPS);
    event->insolvent = (uint8_t)insolvent;
    event->fund = engine_margins(e)[SLOT_FUND].wallet;
}
