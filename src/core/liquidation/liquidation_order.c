/* SPDX-License-Identifier: MIT */
#include "core/liquidation/liquidation_order.h"
#include "core/account/fees.h"
#include "core/liquidation/receipt.h"
#include "core/perps/perps_emit.h"

#define ROUNDS 8 /* IOCs per unit and TICK (mechanics 3.11) */

struct liquidation_fill liquidation_order(struct apply_context *ctx, struct position *position, int64_t quantity,
                                          int64_t limit, uint8_t reason)
{
    struct engine          *e = ctx->engine;
    struct market          *market = market_at(e, position->market);
    uint32_t                ix = order_take(e);
    struct order           *order = order_at(e, ix);
    struct perps_taker      taker = { .position = position, .order_ix = ix, .reduces = true, .reason = reason };
    struct liquidation_fill done;

    assert(quantity > 0 && quantity <= size_abs(position->exposure.size) && limit >= 0);
    assert(ctx->taking == 0);
    order->id = e->next_order_id++;
    order->price = limit;
    order->quantity = quantity;
    order->next = 0;
    order->account = position->account;
    order->market = position->market;
    order->side = position->exposure.size > 0 ? SIDE_SELL : SIDE_BUY;
    order->time_in_force = TIF_IOC | ORDER_REDUCES;
    order->created_ms = order->updated_ms = e->time_ms;
    taker.taker = (struct taker){ .order = order, .limit = limit, .type = TYPE_LIMIT };
    position->order_count += 1;
    ctx->taking = ix;
    (void)perps_take(ctx, market, &taker);
    ctx->taking = 0;
    done = (struct liquidation_fill){ order->executed, order->executed_value };
    assert(done.quantity >= 0 && done.quantity <= quantity && done.value >= 0);
    order_move(order, order_open(order) == 0 ? STATUS_FILLED : STATUS_EXPIRED);
    perps_emit(ctx, ix, order->status == STATUS_FILLED ? EXEC_FILLED : EXEC_EXPIRED, reason);
    order_give(e, ix);
    assert(position->order_count > 0);
    position->order_count -= 1;
    position_settle(e, position);
    return done;
}

/* The quantity to close now: the shortage, or all where a smaller one would leave dust (mechanics 3.11). */
static int64_t shortage(const struct engine *e, const struct position *position, struct health health)
{
    const struct market *market = market_at(e, position->market);
    int64_t size = size_abs(position->exposure.size), rate = max_i64(fees_taker_rate(e, market, position->account), 0);
    int64_t quantity =
        liquidation_quantity(&perps_of(e, market)->contract, health.equity, health.maintenance,
                             perps_of(e, market)->mark, position->exposure.size, rate + e->rules.liquidation_fee,
                             e->rules.liquidation_buffer, market->symbol.step_size, market->power);
    int128_t rest = market_value_floor(market, perps_of(e, market)->mark, size - quantity);

    assert(quantity >= 0 && rest >= 0);
    assert(size > 0 && rate <= RATE_ONE);
    return quantity >= size || rest < market->symbol.min_notional ? size : quantity;
}

static int64_t worst_price(const struct engine *e, const struct position *position)
{
    int64_t mark = perps_at(e, position->market)->mark, bankrupt = risk_unit_bankruptcy_price(e, position);
    int64_t tick = market_at(e, position->market)->symbol.tick_size, slipped;

    assert(mark > 0 && bankrupt >= 0 && tick > 0);

    if (position->exposure.size > 0) {
        slipped = (price_below(mark, e->rules.liquidation_slippage) + tick - 1) / tick * tick;
        return bankrupt > slipped ? bankrupt : slipped;
    }
    slipped = price_above(mark, e->rules.liquidation_slippage) / tick * tick;
    return bankrupt < slipped ? bankrupt : slipped;
}

/* Whether the book has a counterparty within the bound; otherwise no order is made. */
static bool book_reaches(const struct engine *e, const struct position *position, int64_t limit)
{
    assert(position->exposure.size != 0 && limit >= 0);
    return limit > 0
        && match_crosses(e, market_at(e, position->market), position->exposure.size > 0 ? SIDE_SELL : SIDE_BUY, limit);
}

/* One order of stage 1, with its receipt; false when nothing of it traded. */
static bool sell_some(struct apply_context *ctx, const struct unit_entry *unit, struct position *position,
                      struct health health, uint32_t round)
{
    struct engine          *e = ctx->engine;
    struct liquidated       receipt = receipt_of(e, unit, position, STAGE_BOOK, health);
    struct liquidation_fill done;

    assert(round >= 1 && round <= ROUNDS);
    assert(health.equity < health.maintenance);
    receipt.round = (uint8_t)round;
    receipt.wanted = shortage(e, position, health);
    receipt.limit = worst_price(e, position);
    if (receipt.wanted == 0 || !book_reaches(e, position, receipt.limit)) return false;
    receipt_begin(ctx, &receipt);
    done = liquidation_order(ctx, position, receipt.wanted, receipt.limit, REASON_LIQUIDATION);
    if (done.quantity == 0) {
        receipt_drop(ctx);
        return false;
    }
    (void)receipt_emit(ctx, &receipt, done.quantity, done.value);
    return true;
}

bool liquidation_sale(struct apply_context *ctx, const struct unit_entry *unit, struct health *health)
{
    struct engine *e = ctx->engine;
    uint64_t       empty = 0;

    assert(health->equity < health->maintenance);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct position *position = liquidation_unit_largest_without(e, unit, empty);
        uint8_t          number;

        if (position == NULL) return liquidation_unit_largest(e, unit) == NULL;
        assert(position->exposure.size != 0 && position->account == unit->slot);
        number = position->market;
        if (!sell_some(ctx, unit, position, *health, round + 1)) {
            empty |= UINT64_C(1) << (number - PERPS_FIRST);
            continue;
        }
        *health = liquidation_unit_health(e, unit);
        if (health->equity >= health->maintenance) return true;
    }
    return false;
}
