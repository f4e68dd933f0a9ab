/* SPDX-License-Identifier: MIT */
#include "core/perps/setting.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/perps/margin.h"
#include "core/perps/post_trade.h"

void setting_emit(struct apply_context *ctx, const struct position *position)
{
    struct leverage_changed *event = EVENT_ADD(ctx->events, LEVERAGE, leverage_changed, MARKET_PERPS);

    assert(position->account >= SLOT_USERS && position->account < ctx->engine->account_end);
    assert(position->leverage >= 1 && (position->mode == MARGIN_CROSS || position->mode == MARGIN_ISOLATED));
    event->account_id = account_id_of(position->account);
    event->symbol_id = market_at(ctx->engine, position->market)->symbol.id;
    event->leverage = position->leverage;
    event->margin_mode = position->mode;
}

/* The symbol of a setting: there is one, and it is not settled. */
static bool pass_market(const struct market *market, uint64_t id, struct result *result)
{
    if (market == NULL) refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, id);
    else if (market_is_settled(market)) refuse_plainly(result, REJECT_SYMBOL_SETTLED);
    else return true;
    return false;
}

void setting_leverage(struct apply_context *ctx, uint32_t slot, const struct update_leverage *command,
                      struct result *result)
{
    struct engine       *e = ctx->engine;
    const struct market *market = market_find_perps(e, command->symbol_id);
    struct position     *position;
    uint32_t             most;

    if (!pass_payload(payload_update_leverage(command), result)) return;
    if (!pass_market(market, command->symbol_id, result)) return;
    most = perps_of(e, market)->contract.tiers[0].max_leverage;
    assert(most >= 1 && most <= LEVERAGE_MAX);
    if (command->leverage < 1 || command->leverage > most) {
        refuse(result, REJECT_LEVERAGE_RANGE, decimal_make(command->leverage, 0), decimal_make(most, 0));
        return;
    }
    position = position_find(e, slot, market->number);
    if (position != NULL && (position->exposure.size != 0 || position->order_count != 0)) {
        refuse_plainly(result, REJECT_LEVERAGE_LOCKED);
        return;
    }
    if (position == NULL) position = position_make(e, slot, market->number);
    if (position == NULL) {
        refuse_plainly(result, REJECT_CAPACITY);
        return;
    }
    assert(position->exposure.size == 0 && position->order_count == 0);
    assert(position->account == slot && position->market == market->number && position->exposure.bucket == 0);
    assert(command->margin_mode == MARGIN_CROSS || command->margin_mode == MARGIN_ISOLATED);
    position->leverage = (uint8_t)command->leverage;
    position->mode = command->margin_mode;
    setting_emit(ctx, position);
    position_settle(e, position);
}

void setting_margin(struct apply_context *ctx, uint32_t slot, const struct update_margin *command,
                    struct result *result)
{
    struct engine       *e = ctx->engine;
    const struct market *market = market_find_perps(e, command->symbol_id);
    int                  precision = (int)e->coins[COIN_MARGIN].precision;
    struct decimal       size = { command->amount.digits < 0 ? -command->amount.digits : command->amount.digits,
                            command->amount.scale, 0 };
    bool             adds = command->amount.digits > 0;
    struct position *position;
    int64_t          amount;
    int128_t         most, before;

    if (!pass_payload(payload_update_margin(command), result)) return;
    if (!pass_market(market, command->symbol_id, result)) return;
    if (size.scale > (uint32_t)precision) {
        refuse(result, REJECT_MARGIN_AMOUNT, command->amount, decimal_make(precision, 0));
        return;
    }
    if (!decimal_to_units(size, precision, AMOUNT_MAX, &amount)) amount = INT64_MAX; /* more than there can be */
    position = position_find(e, slot, market->number);
    if (position == NULL || position->exposure.size == 0) {
        refuse_plainly(result, REJECT_NO_POSITION);
        return;
    }
    if (!position_is_isolated(position)) {
        refuse_plainly(result, REJECT_NOT_ISOLATED);
        return;
    }
    if (!(adds ? margin_may_isolate(e, slot, result) : margin_may_leave(e, slot, result))) return;
    most = adds ? risk_unit_available(e, slot).isolated
                : margin_removable(perps_worst(perps_of(e, market), position->exposure.size), perps_of(e, market)->mark,
                                   position->exposure.size, position->exposure.cost, position->exposure.bucket,
                                   position->leverage, market->power);
    if (!adds && amount <= most && !post_trade_may_release(e, position, amount)) most = 0;
    if (amount > most) {
        refuse(result, REJECT_MARGIN_ROOM, command->amount,
               decimal_make((int64_t)margin_min(most, INT64_MAX), precision));
        return;
    }
    assert(amount > 0 && most >= 0);
    before = (int128_t)ledger_wallet(e, slot) + position->exposure.bucket;
    position->exposure.bucket += adds ? amount : -amount;
    assert(adds || position->exposure.bucket >= 0);
    ledger_position(e, slot, adds ? -amount : amount);
    assert((int128_t)ledger_wallet(e, slot) + position->exposure.bucket == before); /* their sum stays the same */
    position->updated_ms = e->time_ms;
    position_emit(ctx, position, REASON_NONE, 0);
}
