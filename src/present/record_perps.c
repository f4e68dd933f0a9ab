/* SPDX-License-Identifier: MIT */
/* record_perps.c — from events of the perps side in units to the records of wire 1.1 to 1.3 in decimals. */
#include "present/records.h"

#define RATE_DECIMALS   8
#define FUNDING_SECONDS 3600

static uint32_t       money_decimals(const struct views *views) { return views_coin(views, COIN_MARGIN)->precision; }
static struct decimal money(const struct views *views, int64_t amount)
{
    return decimal_plain(amount, money_decimals(views));
}

struct wide_decimal record_money(const struct views *views, int128_t amount)
{
    return (struct wide_decimal){ amount, money_decimals(views) };
}

/* ---- markets ---- */

/* The base of a contract is a name only; where the genesis has none, the part before the dash. */
static struct name base_coin_name(const struct symbol *symbol, const struct contract *contract)
{
    struct slice name = name_slice(&symbol->name);
    const char  *dash = memchr(name.at, '-', name.len);

    if (contract->base.len != 0) return contract->base;
    return name_make(dash == NULL ? name : slice_make(name.at, (size_t)(dash - name.at)));
}

void record_contract(const struct views *views, const struct symbol *symbol, const struct contract *contract,
                     struct margin_tier_record tiers[MARGIN_TIERS_MAX], struct perps_symbol_record *record)
{
    struct price_changed price = views_price(views, symbol->id);
    struct phase_changed phase = views_phase(views, symbol->id);
    uint32_t             p = symbol->price_precision;

    for (uint32_t i = 0; i < contract->tier_count; i++) {
        const struct margin_tier *tier = &contract->tiers[i];
        tiers[i] =
            (struct margin_tier_record){ money(views, tier->max_notional), decimal_plain(tier->rate, RATE_DECIMALS),
                                         money(views, tier->deduction), tier->max_leverage };
    }
    *record = (struct perps_symbol_record){
        .interest_cap = decimal_plain(contract->open_interest_cap, symbol->quantity_precision),
        .interest_cap_value = money(views, contract->open_interest_cap_value),
        .max_leverage = contract->tiers[0].max_leverage,
        .init_leverage = contract->init_leverage,
        .funding_interval = FUNDING_SECONDS,
        .tiers = { tiers, contract->tier_count, 0 },
        .interest_rate = decimal_plain(contract->interest_rate, RATE_DECIMALS),
        .max_funding = decimal_plain(contract->max_funding, RATE_DECIMALS),
        .min_funding = decimal_plain(contract->min_funding, RATE_DECIMALS),
        .mark_price = decimal_plain(price.mark, p),
        .index_price = decimal_plain(price.index, p),
        .phase = phase.phase,
        .settlement_ms = phase.at_ms,
        .settlement_price = decimal_plain(phase.price, p),
    };
    record_symbol(views, symbol, &record->symbol);
    record->symbol.base_coin = base_coin_name(symbol, contract);
}

void record_mark_price(const struct views *views, const struct symbol *symbol, struct mark_price_record *record)
{
    struct price_changed price = views_price(views, symbol->id);
    uint32_t             p = symbol->price_precision;

    *record = (struct mark_price_record){
        .symbol = symbol->name,
        .funding_rate = decimal_plain(price.funding_rate, FUNDING_DECIMALS),
        .next_funding_ms = price.next_funding_ms,
        .index_price = decimal_plain(price.index, p),
        .mark_price = decimal_plain(price.mark, p),
        .open_interest = decimal_plain(price.open_interest, symbol->quantity_precision),
    };
}

/* ---- orders ---- */

/* A dormant stop is NEW for clients, whose documents know no other status (wire 7.1 row 29); it has no position yet. */
void record_perps_order(const struct views *views, const struct perps_order_changed *order, int128_t frozen,
                        struct perps_order_record *record)
{
    record_order(views, &order->base, &record->order);
    record->order.frozen = money(views, frozen > INT64_MAX ? INT64_MAX : (int64_t)frozen);
    if (record->order.status == STATUS_PENDING_NEW) record->order.status = STATUS_NEW;
    record->position_side = POSITION_BOTH;
    record->modifier = order->modifier;
    record->stop_type = order->stop_type;
    record->trigger_type = order->trigger_type;
    record->reduce_only = order->reduce_only != 0;
    record->stop_price =
        decimal_plain(order->stop_price, views_symbol(views, MARKET_PERPS, order->base.symbol_id)->price_precision);
    record->position_id = order->position_id;
    record->primary_order_id = order->primary_order_id;
    record->attached = (struct list){ record->attached_ids, 0, 0 };
    for (uint32_t i = 0; i < 2; i++)
        if (order->attached_order_ids[i] != 0)
            record->attached_ids[record->attached.count++].id = order->attached_order_ids[i];
}

/* ---- positions ---- */

void record_position(const struct views *views, const struct position_changed *position, int128_t cost,
                     struct position_record *record)
{
    const struct symbol *symbol = views_symbol(views, MARKET_PERPS, position->symbol_id);
    int                  power = symbol_notional_power(symbol, views_coin(views, symbol->quote_coin_id));
    uint32_t             q = symbol->quantity_precision;
    bool                 active = position->size != 0;

    *record = (struct position_record){
        .id = position->position_id,
        .symbol_id = position->symbol_id,
        .account_id = position->account_id,
        .symbol = symbol->name,
        .margin_mode = position->margin_mode,
        .side = POSITION_BOTH,
        .reason = active ? (uint8_t)REASON_NONE : position->reason,
        .size = decimal_plain(position->size, q),
        .max_size = decimal_plain(position->max_size, q),
        .closed_size = decimal_plain(position->closed_size, q),
        .entry_price = active ? margin_average(symbol, power, cost, position->size)
                              : margin_average(symbol, power, position->open_value, position->closed_size),
        .close_price = margin_average(symbol, power, position->close_value, position->closed_size),
        .open_cost = money(views, position->open_value),
        .trading_fee = money(views, position->fees),
        .realized = money(views, position->realized),
        .take_over_price = decimal_plain(position->take_over_price, symbol->price_precision),
        .leverage = position->leverage,
        .active = active,
        .taken_over = position->taken_over != 0,
        .created_ms = position->created_ms,
        .updated_ms = position->updated_ms,
        .liquidation_id = active ? 0 : position->liquidation_id,
    };
    if (active && position->margin_mode == MARGIN_ISOLATED) record->isolated = money(views, position->bucket);
}

void record_funding(const struct views *views, const struct funded *funding, struct funding_record *record)
{
    *record = (struct funding_record){
        .symbol = views_symbol(views, MARKET_PERPS, funding->symbol_id)->name,
        .fee_coin = views_coin(views, COIN_MARGIN)->name,
        .position_id = funding->position_id,
        .position_side = POSITION_BOTH,
        .fee = money(views, funding->payment),
        .rate = decimal_plain(funding->rate, FUNDING_DECIMALS),
        .time_ms = funding->time_ms,
    };
}
