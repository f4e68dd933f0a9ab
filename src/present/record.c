/* SPDX-License-Identifier: MIT */
/* record.c — from events in units to the records of wire 1 in decimals. */
#include "present/records.h"

#define RATE_DECIMALS 8

static struct decimal rate(int64_t units) { return decimal_plain(units, RATE_DECIMALS); }
static uint32_t       precision_of(const struct views *views, uint32_t coin_id)
{
    return views_coin(views, coin_id)->precision;
}

/* Clients know two words; one that is settled is halted for good. */
static uint8_t wire_status(uint8_t status) { return status == SYMBOL_SETTLED ? SYMBOL_HALT : status; }

void record_symbol(const struct views *views, const struct symbol *symbol, struct spot_symbol_record *record)
{
    const struct coin *base = views_coin(views, symbol->base_coin_id),
                      *quote = views_coin(views, symbol->quote_coin_id);
    uint32_t p = symbol->price_precision, q = symbol->quantity_precision, n = quote->precision;

    *record = (struct spot_symbol_record){
        .id = symbol->id,
        .name = symbol->name,
        .display_name = symbol->display_name,
        .base_coin_id = base->id,
        .base_coin = base->name,
        .base_coin_precision = base->precision,
        .quote_coin_id = quote->id,
        .quote_coin = quote->name,
        .quote_coin_precision = quote->precision,
        .price_precision = symbol->price_precision,
        .quantity_precision = symbol->quantity_precision,
        .tick_size = decimal_plain(symbol->tick_size, p),
        .min_price = decimal_plain(symbol->min_price, p),
        .max_price = decimal_plain(symbol->max_price, p),
        .step_size = decimal_plain(symbol->step_size, q),
        .min_quantity = decimal_plain(symbol->min_quantity, q),
        .max_quantity = decimal_plain(symbol->max_quantity, q),
        .market_min_quantity = decimal_plain(symbol->market_min_quantity, q),
        .market_max_quantity = decimal_plain(symbol->market_max_quantity, q),
        .min_notional = decimal_plain(symbol->min_notional, n),
        .max_notional = decimal_plain(symbol->max_notional, n),
        .buy_limit_up_ratio = rate(symbol->buy_limit_up_ratio),
        .sell_limit_down_ratio = rate(symbol->sell_limit_down_ratio),
        .market_deviation_ratio = rate(symbol->market_deviation_ratio),
        .maker_fee = rate(symbol->maker_fee),
        .taker_fee = rate(symbol->taker_fee),
        .fee_discount = rate(symbol->fee_discount),
        .status = wire_status(views_symbol_status(views, symbol->market, symbol->id)),
        .last_trade_price = decimal_plain(views_last_price(views, symbol->market, symbol->id), p),
        .listing_reference_price = decimal_plain(symbol->reference_price, p),
    };
}

/* A buy locks quote coin, a sell base coin (wire: marginFrozen). */
void record_order(const struct views *views, const struct order_changed *order, struct order_record *record)
{
    const struct symbol *symbol = views_symbol(views, order->head.market, order->symbol_id);
    uint32_t             p = symbol->price_precision, q = symbol->quantity_precision,
             n = precision_of(views, symbol->quote_coin_id);
    uint32_t spent = order->side == SIDE_BUY ? n : precision_of(views, symbol->base_coin_id);

    *record = (struct order_record){
        .symbol = symbol->name,
        .order_id = order->order_id,
        .client_id = order->client_id,
        .side = order->side,
        .type = order->type,
        .time_in_force = order->time_in_force,
        .status = order->status,
        .reason = status_is_open(order->status) ? (uint8_t)REASON_NONE : order->reason,
        .price = decimal_plain(order->price, p),
        .quantity = decimal_plain(order->quantity, q),
        .funds = decimal_plain(order->funds, n),
        .executed = decimal_plain(order->executed, q),
        .executed_value = decimal_plain(order->executed_value, n),
        .frozen = decimal_plain(order->frozen, spent),
        .created_ms = order->created_ms,
        .updated_ms = order->updated_ms,
    };
}

void record_trade(const struct views *views, const struct traded *trade, struct trade_record *record)
{
    const struct symbol *symbol = views_symbol(views, trade->head.market, trade->symbol_id);

    *record = (struct trade_record){
        .id = trade->trade_id,
        .time_ms = trade->time_ms,
        .symbol = symbol->name,
        .taker_side = trade->taker_side,
        .price = decimal_plain(trade->price, symbol->price_precision),
        .quantity = decimal_plain(trade->quantity, symbol->quantity_precision),
        .buyer = trade->buyer_account_id,
        .seller = trade->seller_account_id,
        .self = trade->self != 0,
    };
}

void record_fill(const struct views *views, const struct filled *fill, struct user_trade_record *record)
{
    const struct symbol *symbol = views_symbol(views, fill->head.market, fill->symbol_id);
    const struct coin   *fee_coin = views_coin(views, fill->fee_coin_id);

    *record = (struct user_trade_record){
        .symbol = symbol->name,
        .fee_coin = fee_coin->name,
        .trade_id = fill->trade_id,
        .order_id = fill->order_id,
        .client_id = fill->client_id,
        .side = fill->side,
        .is_maker = fill->is_maker != 0,
        .reason = fill->reason,
        .self = fill->self != 0,
        .price = decimal_plain(fill->price, symbol->price_precision),
        .quantity = decimal_plain(fill->quantity, symbol->quantity_precision),
        .fee = decimal_plain(fill->fee, fee_coin->precision),
        .time_ms = fill->time_ms,
        .liquidation_id = fill->liquidation_id,
    };
}

void record_balance(const struct views *views, const struct view_balance *balance, struct balance_record *record)
{
    const struct coin *coin = views_coin(views, balance->coin_id);

    *record = (struct balance_record){
        .id = coin->id,
        .coin = coin->name,
        .total = decimal_plain(balance->total, coin->precision),
        .locked = decimal_plain(balance->locked, coin->precision),
    };
}

void record_key(const struct view_key *key, struct api_key_record *record)
{
    *record = (struct api_key_record){
        .name = key->name,
        .type = key->key_type,
        .public_key = key->public_key,
        .expires_ms = key->expires_ms,
        .permissions = key->permissions,
    };
}
