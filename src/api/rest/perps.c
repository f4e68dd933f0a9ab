/* SPDX-License-Identifier: MIT */
/*
 * perps.c — reads of the perps base: contracts, prices, and accounts with their margins (wire 1.1 to 1.3; mechanics 3).
 */
#include "api/inside.h"

static const struct decimal one = { .digits = 1 };

/* ---- markets ---- */

static void contract_row(struct call *call, uint32_t id)
{
    const struct views        *views = call->api->shared->views;
    struct margin_tier_record  tiers[MARGIN_TIERS_MAX];
    struct perps_symbol_record record;

    record_contract(views, views_symbol(views, MARKET_PERPS, id), &call->api->present.contracts[id - 1], tiers,
                    &record);
    call_row(call, &record);
}

void answer_perps_symbols(struct call *call) { call_symbol_rows(call, KEPT_SYMBOLS, contract_row); }

/* vUSDC is the only collateral and counts in full (mechanics 3.3). */
static void coin_row(struct call *call, uint32_t id)
{
    const struct coin       *coin = views_coin(call->api->shared->views, id);
    struct perps_coin_record record = { .id = coin->id, .name = coin->name, .precision = coin->precision };

    if (id == COIN_MARGIN) record.margin_ratio = record.price = one;
    call_row(call, &record);
}

void answer_perps_coins(struct call *call) { call_coin_rows(call, coin_row); }

static void mark_price_row(struct call *call, uint32_t id)
{
    const struct views      *views = call->api->shared->views;
    struct mark_price_record record;

    record_mark_price(views, views_symbol(views, MARKET_PERPS, id), &record);
    call_row(call, &record);
}

void answer_mark_prices(struct call *call) { call_symbol_rows(call, KEPT_PRICES, mark_price_row); }

/* ---- current state ---- */

static void answer_list(struct call *call, struct list rows)
{
    const struct view_block *block = perps_account_block(&call->api->present);

    call_record(call, &(struct perps_list_record){ block->time_ms, block->height, rows });
}

void answer_perps_balances(struct call *call)
{
    struct present     *present = &call->api->present;
    struct view_account account;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    perps_account_read(present, &account);
    answer_list(call, perps_balance_records(present));
}

void answer_perps_orders(struct call *call)
{
    struct present     *present = &call->api->present;
    struct view_account account;
    uint32_t            symbol_id;

    if (!call_account(call, call->query.open.account_id, &account)) return;
    if (!call_filter(call, &call->query.open.symbol, &symbol_id)) return;
    perps_account_read(present, &account);
    answer_list(call, perps_order_records(present, symbol_id, call->query.open.limit));
}

void answer_positions(struct call *call)
{
    struct present     *present = &call->api->present;
    struct view_account account;
    uint32_t            symbol_id;

    if (!call_account(call, call->query.open.account_id, &account)) return;
    if (!call_filter(call, &call->query.open.symbol, &symbol_id)) return;
    perps_account_read(present, &account);
    answer_list(call, perps_newest_positions(present, symbol_id, call->query.open.limit));
}

void answer_perps_state(struct call *call)
{
    struct view_account account;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    envelope_begin(call->body, call->context->now_ms);
    perps_state_write(&call->api->present, call->context->now_ms, &account, call->body);
    envelope_end(call->body);
}

/* ---- history ---- */

void answer_perps_orders_history(struct call *call)
{
    struct api               *api = call->api;
    struct history_query      query;
    struct perps_order_record record;
    int                       count = 0;

    if (!call_page(call, &query)) return;
    if (query.account_id != 0) count = history_perps_orders(api->shared->history, &query, api->perps_page.orders);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_perps_order(api->shared->views, &api->perps_page.orders[i], 0, &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

void answer_positions_history(struct call *call)
{
    struct api            *api = call->api;
    struct history_query   query;
    struct position_record record;
    int                    count = 0;

    if (!call_page(call, &query)) return;
    if (query.account_id != 0) count = history_positions(api->shared->history, &query, api->perps_page.positions);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_position(api->shared->views, &api->perps_page.positions[i], 0, &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

void answer_fundings(struct call *call)
{
    struct api           *api = call->api;
    struct history_query  query;
    struct funding_record record;
    int                   count = 0;

    if (!call_page(call, &query)) return;
    if (query.account_id != 0) count = history_fundings(api->shared->history, &query, api->perps_page.fundings);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_funding(api->shared->views, &api->perps_page.fundings[i], &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}
