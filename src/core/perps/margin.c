/* SPDX-License-Identifier: MIT */
#include "core/perps/margin.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/perps/risk_unit.h"

int64_t margin_withdrawable(struct engine *e, uint32_t slot)
{
    int64_t  wallet = max_i64(ledger_wallet(e, slot), 0);
    int128_t transferable;

    if (e->perps_count == 0) return wallet;
    transferable = risk_unit_available(e, slot).transferable;
    assert(transferable >= 0);
    return (int64_t)margin_min(transferable, wallet);
}

/* Why the prices of a symbol are not live, or NULL. */
static const char *not_live(const struct engine *e, const struct market *market)
{
    const struct perps_market *perps = perps_of(e, market);

    if (e->mode != VENUE_RUN) return enum_name_of(venue_mode_names, e->mode);
    if (market_is_settled(market)) return enum_name_of(symbol_phase_names, PHASE_SETTLED);
    if (!market_trades(e, market)) return enum_name_of(symbol_status_names, SYMBOL_HALT);
    if (perps->state != ORACLE_LIVE) return enum_name_of(oracle_state_names, perps->state);
    return perps->held_price != 0 ? "HELD_BACK" : NULL;
}

/* An armed or dormant stop that opens; a resting order that could open is in the row's volume. */
static bool has_opening_stop(const struct engine *e, const struct position *position)
{
    if (position->stop_count == 0) return false;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next)
        if (order_at(e, ix)->market == position->market && order_is_stop(order_at(e, ix))
            && !order_reduces(order_at(e, ix)))
            return true;
    return false;
}

static bool is_exposed(const struct engine *e, const struct position *position)
{
    return position->exposure.size != 0 || (position->volume[0] | position->volume[1]) != 0
        || has_opening_stop(e, position);
}

/* The symbol and its state go where an id that came would stand: "BTC-USD HELD_BACK". */
static COLD bool refuse_not_live(struct result *result, const struct market *market, const char *state)
{
    struct slice     name = name_slice(&market->symbol.name), why = slice_of(state);
    size_t           shown = name.len < CLIENT_ID_MAX - 1 - why.len ? name.len : CLIENT_ID_MAX - 1 - why.len;
    struct client_id text = { .len = (uint8_t)(shown + 1 + why.len) };

    assert(why.len < CLIENT_ID_MAX / 2 && text.len <= CLIENT_ID_MAX);
    for (size_t i = 0; i < shown; i++) text.at[i] = name.at[i];
    text.at[shown] = ' ';
    for (size_t i = 0; i < why.len; i++) text.at[shown + 1 + i] = why.at[i];
    return refuse_id(result, REJECT_PRICES_NOT_LIVE, FIELD_OF_ROW, &text);
}

bool margin_may_leave(const struct engine *e, uint32_t slot, struct result *result)
{
    const struct market *first = NULL;
    const char          *why = NULL;

    if (!RULING(64)) return true;
    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position *position = position_at(e, ix);
        const struct market   *market = perps_book(e, position->market);
        const char            *state = not_live(e, market);

        assert(position->account == slot);

        if (state == NULL || (first != NULL && first->number < market->number) || !is_exposed(e, position)) continue;
        first = market;
        why = state;
    }
    return first == NULL || refuse_not_live(result, first, why);
}
