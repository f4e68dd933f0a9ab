/* SPDX-License-Identifier: MIT */
/* record_market.c — tickers and bars: folds of trades and books, read at this moment (rulings 46, 47). */
#include "present/records.h"

/* ---- tickers ---- */

/* value / volume as a price in units of the quote coin, half up; value and volume in their units. */
static int128_t average_price(const struct bar *window, uint32_t quantity_precision)
{
    uint128_t price = window->value / window->volume, rest = window->value % window->volume;

    /* A sum of quantities stays below 2^103 (10^15 times 2^53 trades), so ten times the rest fits. */
    for (uint32_t i = 0; i < quantity_precision; i++) {
        rest *= 10;
        price = price * 10 + rest / window->volume;
        rest %= window->volume;
    }
    return (int128_t)(price + (rest * 2 >= window->volume ? 1 : 0));
}

/* Percent with four decimals, half away from zero. Prices are below 10^15, so nothing overflows. */
static int128_t percent(int64_t change, int64_t open)
{
    int128_t size = (int128_t)(change < 0 ? -change : change) * 1000000;
    int128_t rounded = (size * 2 + open) / ((int128_t)open * 2);

    return change < 0 ? -rounded : rounded;
}

void record_window(const struct present *present, const struct symbol *symbol, int64_t now_ms,
                   struct ticker_record *record)
{
    uint32_t   p = symbol->price_precision, q = symbol->quantity_precision;
    uint32_t   n = views_coin(present->views, symbol->quote_coin_id)->precision;
    struct bar window;

    record->close_ms = now_ms;
    if (!history_window(present->history, symbol->market, symbol->id, now_ms, &window)) {
        record->open_ms = window.start_ms;
        record->last = decimal_plain(symbol->reference_price,
                                     p); /* before the first trade, so that clients can plan one (ruling 46) */
        return;
    }
    record->open_ms = window.start_ms;
    record->last = decimal_plain(window.close, p);
    record->last_size = decimal_plain(window.last_quantity, q);
    record->open = decimal_plain(window.open, p);
    record->high = decimal_plain(window.high, p);
    record->low = decimal_plain(window.low, p);
    record->change = decimal_plain(window.close - window.open, p);
    record->change_pct = (struct wide_decimal){ percent(window.close - window.open, window.open), 4 };
    record->volume = (struct wide_decimal){ (int128_t)window.volume, q };
    record->quote_volume = (struct wide_decimal){ (int128_t)window.value, n };
    if (window.volume == 0) record->vwap = (struct wide_decimal){ window.close, p };
    else record->vwap = (struct wide_decimal){ average_price(&window, q), n };
}

void record_best(const struct views *views, const struct symbol *symbol, struct ticker_record *record)
{
    struct view_level bid = { 0, 0 }, ask = { 0, 0 };
    struct view_book  book;

    views_book(views, symbol->market, symbol->id, 1, &bid, &ask, &book);
    record->bid = decimal_plain(bid.price, symbol->price_precision);
    record->bid_size = decimal_plain(bid.quantity, symbol->quantity_precision);
    record->ask = decimal_plain(ask.price, symbol->price_precision);
    record->ask_size = decimal_plain(ask.quantity, symbol->quantity_precision);
}

void record_prices(const struct views *views, const struct symbol *symbol, struct ticker_record *record)
{
    struct price_changed price = views_price(views, symbol->id);

    record->funding_rate = decimal_plain(price.funding_rate, FUNDING_DECIMALS);
    record->next_funding_ms = price.next_funding_ms;
    record->index_price = decimal_plain(price.index, symbol->price_precision);
    record->mark_price = decimal_plain(price.mark, symbol->price_precision);
    record->open_interest = decimal_plain(price.open_interest, symbol->quantity_precision);
}

/* ---- bars ---- */

void record_bar(const struct views *views, const struct symbol *symbol, const struct bar *bar,
                struct kline_record *record)
{
    uint32_t p = symbol->price_precision;

    *record = (struct kline_record){
        .open = decimal_plain(bar->open, p),
        .high = decimal_plain(bar->high, p),
        .low = decimal_plain(bar->low, p),
        .close = decimal_plain(bar->close, p),
        .trades = bar->trades,
        .volume = { (int128_t)bar->volume, symbol->quantity_precision },
        .quote_volume = { (int128_t)bar->value, views_coin(views, symbol->quote_coin_id)->precision },
    };
}
