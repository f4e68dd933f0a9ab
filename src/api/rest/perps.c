/* SPDX-License-Identifier: MIT */
/*
 * perps.c — reads of the perps base: contracts, prices, and accounts with their margins (wire 1.1 to 1.3; mechanics 3).
 * What depends on marks is worked out when it is asked for, from one instant of the views.
 */
#include "api/inside.h"

static const struct decimal one = { .digits = 1 };

/* ---- markets ---- */

static void contract_row(struct call *call, uint32_t id)
{
    const struct views        *views = call->api->shared->views;
    struct margin_tier_record  tiers[MARGIN_TIERS_MAX];
    struct perps_symbol_record record;

    record_contract(views, views_symbol(views, MARKET_PERPS, id), &call->api->perps.contracts[id - 1], tiers, &record);
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

/* ---- what an account comes to ---- */

/* Reads the account and all its figures into api->perps; returns how many open orders there are in it. */
static uint32_t read_margin(struct api *api, const struct view_account *account)
{
    struct perps_room  *room = &api->perps;
    struct margin_terms terms = { api->shared->genesis, room->contracts };
    uint32_t count = views_margin(api->shared->views, account, &room->margin, room->orders, ORDERS_SHOWN_MAX);

    count = min_u32(count, ORDERS_SHOWN_MAX);
    margin_figures(&terms, &room->margin, room->orders, count, room->frozen, room->numbers, &room->figures);
    return count;
}

/* Orders of one symbol or (0) of all, at most `max`. */
static struct list order_list(struct api *api, uint32_t count, uint32_t symbol_id, uint32_t max)
{
    struct perps_room *room = &api->perps;
    uint32_t           shown = 0;

    for (uint32_t i = 0; i < count && shown < max; i++)
        if (symbol_id == 0 || room->orders[i].base.symbol_id == symbol_id)
            record_perps_order(api->shared->views, &room->orders[i], room->frozen[i], &room->order_records[shown++]);
    return (struct list){ room->order_records, shown, 0 };
}

static void record_open_position(struct api *api, uint32_t i, struct position_record *record)
{
    const struct views            *views = api->shared->views;
    struct perps_room             *room = &api->perps;
    struct margin_terms            terms = { api->shared->genesis, room->contracts };
    const struct position_changed *position = &room->margin.positions[i];
    const struct position_figures *figures = &room->figures.positions[i];
    uint32_t                       p = views_symbol(views, MARKET_PERPS, position->symbol_id)->price_precision;
    bool                           isolated = position->margin_mode == MARGIN_ISOLATED;

    record_position(views, position, figures->cost, record);
    record->initial_margin = record_money(views, figures->initial);
    record->margin = record_money(views, isolated ? position->bucket : figures->initial);
    record->unrealized = record_money(views, figures->profit);
    record->mark_price = decimal_plain(room->margin.prices[position->symbol_id - 1].mark, p);
    record->liquidation_price = decimal_plain(margin_liquidation_of(&terms, &room->margin, &room->figures, i), p);
}

/* Open positions of one symbol or (0) of all. */
static struct list position_list(struct api *api, uint32_t symbol_id)
{
    struct perps_room *room = &api->perps;
    uint32_t           shown = 0;

    for (uint32_t i = 0; i < room->margin.position_count; i++) {
        const struct position_changed *position = &room->margin.positions[i];
        if (position->position_id == 0 || (symbol_id != 0 && position->symbol_id != symbol_id)) continue;
        record_open_position(api, i, &room->position_records[shown++]);
    }
    return (struct list){ room->position_records, shown, 0 };
}

static void record_wallet(const struct api *api, const struct view_balance *balance,
                          struct perps_balance_record *record)
{
    const struct views          *views = api->shared->views;
    const struct margin_figures *figures = &api->perps.figures;
    const struct coin           *coin = views_coin(views, balance->coin_id);
    struct decimal               wallet = decimal_plain(balance->total, coin->precision);

    *record = (struct perps_balance_record){
        .id = coin->id,
        .coin = coin->name,
        .total = wallet,
        .collateral = wallet,
        .margin_ratio = one,
        .price = one,
        .margin = wallet,
        .locked = record_money(views, figures->required + figures->reserve),
        .isolated = record_money(views, figures->buckets),
        .available = record_money(views, figures->available),
        .transferable = record_money(views, figures->transferable),
    };
}

static struct list wallet_list(struct api *api)
{
    struct perps_room *room = &api->perps;

    for (uint32_t i = 0; i < room->margin.balance_count; i++)
        record_wallet(api, &room->margin.balances[i], &room->balances[i]);
    return (struct list){ room->balances, room->margin.balance_count, 0 };
}

/* What an account chose, or what one has that never did: the
   symbol's initial leverage, cross margin (mechanics 3.1). */
static struct list setting_list(struct api *api)
{
    const struct genesis *genesis = api->shared->genesis;
    struct perps_room    *room = &api->perps;

    for (uint32_t i = 0; i < genesis->perps_count; i++)
        room->settings[i] =
            (struct perps_setting_record){ genesis->perps[i].name, genesis->contracts[i].init_leverage, MARGIN_CROSS };
    for (uint32_t i = 0; i < room->margin.position_count; i++) {
        struct perps_setting_record *setting = &room->settings[room->margin.positions[i].symbol_id - 1];
        setting->leverage = room->margin.positions[i].leverage;
        setting->margin_mode = room->margin.positions[i].margin_mode;
    }
    return (struct list){ room->settings, genesis->perps_count, 0 };
}

/* ---- current state ---- */

static void answer_list(struct call *call, struct list rows)
{
    const struct view_block *block = &call->api->perps.margin.block;

    call_record(call, &(struct perps_list_record){ block->time_ms, block->height, rows });
}

void answer_perps_balances(struct call *call)
{
    struct view_account account;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    (void)read_margin(call->api, &account);
    answer_list(call, wallet_list(call->api));
}

void answer_perps_orders(struct call *call)
{
    struct view_account account;
    uint32_t            symbol_id, count;

    if (!call_account(call, call->query.open.account_id, &account)) return;
    if (!call_filter(call, &call->query.open.symbol, &symbol_id)) return;
    count = read_margin(call->api, &account);
    answer_list(call, order_list(call->api, count, symbol_id, call->query.open.limit));
}

/* By the number of the position, which rises with each that is opened; there are few. */
static void newest_first(struct position_record *rows, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct position_record row = rows[i];
        uint32_t               at = i;

        for (; at > 0 && rows[at - 1].id < row.id; at--) rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

void answer_positions(struct call *call)
{
    struct view_account account;
    struct list         positions;
    uint32_t            symbol_id;

    if (!call_account(call, call->query.open.account_id, &account)) return;
    if (!call_filter(call, &call->query.open.symbol, &symbol_id)) return;
    (void)read_margin(call->api, &account);
    positions = position_list(call->api, symbol_id);
    newest_first(call->api->perps.position_records, positions.count);
    positions.count = min_u32(positions.count, call->query.open.limit);
    answer_list(call, positions);
}

/* mm / av, up to 8 decimals; what cannot be divided is far above 1. */
#define RATIO_MOST ((int128_t)1000000 * RATE_ONE)
static struct wide_decimal maintenance_ratio(const struct margin_figures *figures)
{
    int128_t ratio = 0;

    if (figures->maintenance > 0)
        ratio = figures->equity > 0 ? div_ceil(figures->maintenance * RATE_ONE, figures->equity) : RATIO_MOST;
    return (struct wide_decimal){ margin_min(ratio, RATIO_MOST), 8 };
}

/* Into the records that position_list made: of the same positions in the same order. */
static void put_adl(struct api *api, int64_t now_ms)
{
    struct perps_room *room = &api->perps;
    uint32_t           groups[PERPS_MAX], shown = 0;

    adl_groups(&room->adl, api->shared, &room->margin, &room->figures, now_ms, groups);
    for (uint32_t i = 0; i < room->margin.position_count; i++)
        if (room->margin.positions[i].position_id != 0) room->position_records[shown++].adl = groups[i];
}

static void put_figures(const struct views *views, const struct margin_figures *figures,
                        struct perps_state_record *record)
{
    record->account_value = record_money(views, figures->equity);
    record->maintenance = record_money(views, figures->maintenance);
    record->maintenance_ratio = maintenance_ratio(figures);
    record->available = record_money(views, figures->available);
    record->available_isolated = record_money(views, figures->isolated);
    record->transferable = record_money(views, figures->transferable);
    record->isolated_margin = record_money(views, figures->buckets);
    record->cross_margin = record_money(views, figures->initial);
    record->isolated_order_margin = record_money(views, figures->reserve);
    record->cross_order_margin = record_money(views, figures->required - figures->initial);
}

void perps_state_write(struct api *api, int64_t now_ms, const struct view_account *account, struct out *out)
{
    struct perps_state_record record = { 0 };
    uint32_t                  count = read_margin(api, account);

    record.user = account->owner;
    record.account_id = account->account_id;
    record.user_id = account->user_id;
    put_figures(api->shared->views, &api->perps.figures, &record);
    record.balances = wallet_list(api);
    record.orders = order_list(api, count, 0, STATE_ORDERS_MAX);
    record.positions = position_list(api, 0);
    put_adl(api, now_ms);
    if (account->account_id != 0) record.settings = setting_list(api);
    record.block_time = api->perps.margin.block.time_ms;
    record.block_height = api->perps.margin.block.height;
    row_write(out, api->perps_state_form, &record);
}

struct list perps_positions(struct api *api, const struct view_account *account)
{
    (void)read_margin(api, account);
    return position_list(api, 0);
}

int128_t perps_order_frozen(struct api *api, const struct view_account *account, uint64_t order_id)
{
    uint32_t count = read_margin(api, account);

    for (uint32_t i = 0; i < count; i++)
        if (api->perps.orders[i].base.order_id == order_id) return api->perps.frozen[i];
    return 0;
}

void answer_perps_state(struct call *call)
{
    struct view_account account;

    if (!call_account(call, call->query.account.account_id, &account)) return;
    envelope_begin(call->body, call->context->now_ms);
    perps_state_write(call->api, call->context->now_ms, &account, call->body);
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
    if (query.account_id != 0) count = history_perps_orders(api->shared->history, &query, api->perps.orders);
    if (count < 0) {
        fail_history(call);
        return;
    }
    call_rows_begin(call);
    for (int i = 0; i < count; i++) {
        record_perps_order(api->shared->views, &api->perps.orders[i], 0, &record);
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
    if (query.account_id != 0) count = history_positions(api->shared->history, &query, api->perps.closed);
    if (count < 0) {
        fail_history(call);
        return;
    }
    call_rows_begin(call);
    for (int i = 0; i < count; i++) {
        record_position(api->shared->views, &api->perps.closed[i], 0, &record);
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
    if (query.account_id != 0) count = history_fundings(api->shared->history, &query, api->perps.fundings);
    if (count < 0) {
        fail_history(call);
        return;
    }
    call_rows_begin(call);
    for (int i = 0; i < count; i++) {
        record_funding(api->shared->views, &api->perps.fundings[i], &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}
