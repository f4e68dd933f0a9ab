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

/* Why the price of a symbol is not known, or NULL. Under REDUCE_ONLY prices and liquidations go on. */
static const char *not_priced(const struct engine *e, const struct market *market)
{
    const struct perps_market *perps = perps_of(e, market);

    if (e->mode == VENUE_CANCEL_ONLY) return enum_name_of(venue_mode_names, e->mode);
    if (market_is_settled(market)) return enum_name_of(symbol_phase_names, PHASE_SETTLED);
    if (!market_trades(e, market)) return enum_name_of(symbol_status_names, SYMBOL_HALT);
    if (perps->state != ORACLE_LIVE) return enum_name_of(oracle_state_names, perps->state);
    return perps->held_price != 0 ? "HELD_BACK" : NULL;
}

/* Why the prices of a symbol are not live, or NULL. */
static const char *not_live(const struct engine *e, const struct market *market)
{
    return e->mode != VENUE_RUN ? enum_name_of(venue_mode_names, e->mode) : not_priced(e, market);
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

typedef bool        row_counts(const struct engine *e, const struct position *position);
typedef const char *market_state(const struct engine *e, const struct market *market);

/* The first symbol by id that `state` names a reason for, of the account's rows that count, and *why; NULL = none. */
static const struct market *first_held(const struct engine *e, uint32_t slot, row_counts *counts, market_state *state,
                                       const char **why)
{
    const struct market *first = NULL;

    *why = NULL;
    if (!RULING(64)) return NULL;
    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position *position = position_at(e, ix);
        const struct market   *market = perps_book(e, position->market);
        const char            *reason = state(e, market);

        assert(position->account == slot);

        if (reason == NULL || (first != NULL && first->number < market->number) || !counts(e, position)) continue;
        first = market;
        *why = reason;
    }
    return first;
}

bool margin_may_leave(const struct engine *e, uint32_t slot, struct result *result)
{
    const char          *why;
    const struct market *first = first_held(e, slot, is_exposed, not_live, &why);

    return first == NULL || refuse_not_live(result, first, why);
}

static bool is_cross(const struct engine *e, const struct position *position)
{
    assert(position->account < e->account_end);
    return position->exposure.size != 0 && !position_is_isolated(position);
}

bool margin_cross_is_priced(const struct engine *e, uint32_t slot)
{
    const char *why;

    assert(slot < e->account_end);
    return first_held(e, slot, is_cross, not_priced, &why) == NULL;
}

bool margin_may_isolate(const struct engine *e, uint32_t slot, struct result *result)
{
    const char          *why;
    const struct market *first = first_held(e, slot, is_cross, not_priced, &why);

    assert(slot < e->account_end && (first == NULL) == (why == NULL));
    return first == NULL || refuse_not_live(result, first, why);
}
