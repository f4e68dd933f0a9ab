/* SPDX-License-Identifier: MIT */
#include "present/account_perps.h"
#include "present/records.h"

#define STATE_ORDERS_MAX 100 /* O of WsPerpsState (wire 1.3) */

static const struct decimal one = { .digits = 1 };

static struct margin_terms terms_of(const struct present *present)
{
    return (struct margin_terms){ present->genesis, present->contracts };
}

void perps_account_read(struct present *present, const struct view_account *account)
{
    struct perps_room  *room = &present->perps;
    struct margin_terms terms = terms_of(present);
    uint32_t            count = views_margin(present->views, account, &room->margin, room->orders, ORDERS_SHOWN_MAX);

    room->order_count = min_u32(count, ORDERS_SHOWN_MAX);
    margin_figures(&terms, &room->margin, room->orders, room->order_count, room->frozen, room->numbers, &room->figures);
}

struct list perps_order_records(struct present *present, uint32_t symbol_id, uint32_t max)
{
    struct perps_room *room = &present->perps;
    uint32_t           shown = 0;

    for (uint32_t i = 0; i < room->order_count && shown < max; i++)
        if (symbol_id == 0 || room->orders[i].base.symbol_id == symbol_id)
            record_perps_order(present->views, &room->orders[i], room->frozen[i], &room->order_records[shown++]);
    return (struct list){ room->order_records, shown, 0 };
}

int128_t perps_order_frozen(const struct present *present, uint64_t order_id)
{
    const struct perps_room *room = &present->perps;

    for (uint32_t i = 0; i < room->order_count; i++)
        if (room->orders[i].base.order_id == order_id) return room->frozen[i];
    return 0;
}

/* ---- positions ---- */

static void record_open_position(const struct present *present, uint32_t i, struct position_record *record)
{
    const struct views            *views = present->views;
    const struct perps_room       *room = &present->perps;
    struct margin_terms            terms = terms_of(present);
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

struct list perps_position_records(struct present *present, uint32_t symbol_id)
{
    struct perps_room *room = &present->perps;
    uint32_t           shown = 0;

    for (uint32_t i = 0; i < room->margin.position_count; i++) {
        const struct position_changed *position = &room->margin.positions[i];
        if (position->position_id == 0 || (symbol_id != 0 && position->symbol_id != symbol_id)) continue;
        record_open_position(present, i, &room->position_records[shown++]);
    }
    return (struct list){ room->position_records, shown, 0 };
}

/* By the number of the position, which rises with each that is opened; there are few. */
struct list perps_newest_positions(struct present *present, uint32_t symbol_id, uint32_t max)
{
    struct position_record *rows = present->perps.position_records;
    struct list             list = perps_position_records(present, symbol_id);

    for (uint32_t i = 1; i < list.count; i++) {
        struct position_record row = rows[i];
        uint32_t               at = i;

        for (; at > 0 && rows[at - 1].id < row.id; at--) rows[at] = rows[at - 1];
        rows[at] = row;
    }
    list.count = min_u32(list.count, max);
    return list;
}

/* ---- balances and settings ---- */

static void record_wallet(const struct present *present, const struct view_balance *balance,
                          struct perps_balance_record *record)
{
    const struct views          *views = present->views;
    const struct margin_figures *figures = &present->perps.figures;
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

struct list perps_balance_records(struct present *present)
{
    struct perps_room *room = &present->perps;

    for (uint32_t i = 0; i < room->margin.balance_count; i++)
        record_wallet(present, &room->margin.balances[i], &room->balances[i]);
    return (struct list){ room->balances, room->margin.balance_count, 0 };
}

/* An account's choice, or the default: the symbol's initial leverage, cross margin (mechanics 3.1). */
static struct list setting_list(struct present *present)
{
    const struct genesis *genesis = present->genesis;
    struct perps_room    *room = &present->perps;

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

/* ---- the whole state ---- */

/* mm / av, up to 8 decimals; a division by zero gives a value far above 1. */
#define RATIO_MOST ((int128_t)1000000 * RATE_ONE)
static struct wide_decimal maintenance_ratio(const struct margin_figures *figures)
{
    int128_t ratio = 0;

    if (figures->maintenance > 0)
        ratio = figures->equity > 0 ? div_ceil(figures->maintenance * RATE_ONE, figures->equity) : RATIO_MOST;
    return (struct wide_decimal){ margin_min(ratio, RATIO_MOST), 8 };
}

/* Into the records that perps_position_records made: of the same positions in the same order. */
static void put_adl(struct present *present, int64_t now_ms)
{
    struct perps_room *room = &present->perps;
    uint32_t           groups[PERPS_MAX], shown = 0;

    adl_groups(&room->adl, present->views, present->genesis->rules.adl_mode, &room->margin, &room->figures, now_ms,
               groups);
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

void perps_state_write(struct present *present, int64_t now_ms, const struct view_account *account, struct out *out)
{
    const struct view_block  *block = perps_account_block(present);
    struct perps_state_record record = { 0 };

    perps_account_read(present, account);
    record.user = account->owner;
    record.account_id = account->account_id;
    record.user_id = account->user_id;
    put_figures(present->views, &present->perps.figures, &record);
    record.balances = perps_balance_records(present);
    record.orders = perps_order_records(present, 0, STATE_ORDERS_MAX);
    record.positions = perps_position_records(present, 0);
    put_adl(present, now_ms);
    if (account->account_id != 0) record.settings = setting_list(present);
    record.block_time = block->time_ms;
    record.block_height = block->height;
    row_write(out, present->perps_state_form, &record);
}
