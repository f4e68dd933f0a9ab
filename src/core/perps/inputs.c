/* SPDX-License-Identifier: MIT */
#include "core/perps/inputs.h"
#include "core/book/book.h"
#include "core/perps/perps.h"
#include "core/state/rulings.h"

/* ---- a book as it stands ---- */

/* The average price of trading a notional into one side of a book (mechanics 3.10); 0 when it is not that deep. */
static int64_t impact_of_book(const struct engine *e, const struct market *market, uint8_t side, int64_t notional)
{
    struct impact impact = impact_of(notional, market->power);

    assert(notional > 0);
    for (uint32_t ix = market->sides[side].best; ix != 0; ix = book_behind(e, level_at(e, ix)))
        if (!impact_add(&impact, level_at(e, ix)->price, level_at(e, ix)->quantity)) return impact.price;
    return 0;
}

/* The middle of a spot book, in perps price units, when both sides are there and within 2 % of each other; else 0. */
static int64_t mid_of_spot(const struct market *market, const struct market *spot, int64_t bid, int64_t ask)
{
    int     finer = (int)market->symbol.price_precision - (int)spot->symbol.price_precision;
    int64_t mid;

    assert(finer >= -15 && finer <= 15);
    if (bid == 0 || ask == 0 || (int128_t)(ask > bid ? ask - bid : bid - ask) * 50 > bid) return 0;
    mid = bid + (ask - bid) / 2;
    if (finer < 0) return mid / pow10_i64(-finer);
    return mid > PRICE_MAX / pow10_i64(finer) ? 0 : mid * pow10_i64(finer);
}

static const struct market *spot_of(const struct engine *e, const struct perps_market *perps)
{
    if (perps->contract.spot_symbol_id == 0 || perps->contract.spot_impact_notional == 0) return NULL;
    return market_at(e, (uint8_t)perps->contract.spot_symbol_id);
}

static void look_at_book(const struct engine *e, const struct market *market, struct perps_market *perps)
{
    struct standing_book *book = &perps->book;
    int64_t               notional = perps->contract.impact_notional;

    book->revision = market->update_id;
    book->bid = impact_of_book(e, market, SIDE_BUY, notional);
    book->ask = impact_of_book(e, market, SIDE_SELL, notional);
    assert(book->bid == 0 || book->ask == 0 || book->bid <= book->ask);
}

static int64_t spot_mid_now(const struct engine *e, const struct market *market, const struct perps_market *perps)
{
    const struct market *spot = spot_of(e, perps);
    int64_t              notional = perps->contract.spot_impact_notional;

    if (spot == NULL) return 0;
    return mid_of_spot(market, spot, impact_of_book(e, spot, SIDE_BUY, notional),
                       impact_of_book(e, spot, SIDE_SELL, notional));
}

/* ---- time that it stood ---- */

/* The entry of an expired second is reused. */
static void begin_counting(struct standing_sums *sums, int64_t ms)
{
    assert(ms > 0);
    if (sums->read) *sums = (struct standing_sums){ 0 };
    sums->ms += ms;
}

static void count_book(struct standing_book *book, int64_t ms)
{
    struct standing_sums *sums = &book->sums;

    begin_counting(sums, ms);
    if (book->bid != 0) {
        sums->bid += (int128_t)book->bid * ms;
        sums->bid_ms += ms;
    }
    if (book->ask != 0) {
        sums->ask += (int128_t)book->ask * ms;
        sums->ask_ms += ms;
    }
    if (book->bid == 0 || book->ask == 0) return;
    sums->mid += (int128_t)(book->bid + (book->ask - book->bid) / 2) * ms;
    sums->mid_ms += ms;
}

/* Premium against the index of that time, which only moves in TICKs, behind inputs_count. */
static void count_premium(struct perps_market *perps, int64_t ms)
{
    perps->premium_stood += (int128_t)funding_premium(perps->index, perps->book.bid, perps->book.ask) * ms;
    perps->premium_stood_ms += ms;
}

static void count_spot(struct standing_spot *spot, int64_t ms)
{
    struct standing_sums *sums = &spot->sums;

    begin_counting(sums, ms);
    if (spot->now == 0) return;
    sums->mid += (int128_t)spot->now * ms;
    sums->mid_ms += ms;
}

/* Counts both books up to `to_ms` as they were last looked at. */
static void count_until(struct perps_market *perps, int64_t to_ms)
{
    int64_t book_ms = to_ms - perps->book.since_ms, spot_ms = to_ms - perps->spot.since_ms;

    assert(book_ms >= 0 && spot_ms >= 0);
    perps->book.since_ms = perps->spot.since_ms = to_ms;
    if (book_ms != 0) {
        count_book(&perps->book, book_ms);
        count_premium(perps, book_ms);
    }
    if (spot_ms != 0) count_spot(&perps->spot, spot_ms);
}

/* Both books of a symbol are read again where they have changed; their previous state is counted first. */
static void look_again(const struct engine *e, const struct market *market, struct perps_market *perps)
{
    const struct market *spot = spot_of(e, perps);
    bool                 own = perps->book.revision != market->update_id,
         other = spot != NULL && perps->spot.revision != spot->update_id;

    if (!own && !other) return;
    count_until(perps, e->time_ms);
    if (own) look_at_book(e, market, perps);
    if (!other) return;
    perps->spot.revision = spot->update_id;
    perps->spot.now = spot_mid_now(e, market, perps);
}

void inputs_pass(struct engine *e)
{
    for (uint32_t i = 0; i < e->perps_count; i++) look_again(e, &e->markets[PERPS_FIRST - 1 + i], engine_perps(e) + i);
}

void inputs_count(const struct engine *e, struct perps_market *perps) { count_until(perps, e->time_ms); }

/* ---- what comes of it ---- */

static int64_t mean(int128_t sum, int64_t sum_ms, int64_t ms, int64_t otherwise)
{
    assert(ms > 0 && sum_ms >= 0 && sum_ms <= ms);
    return (int64_t)((sum + (int128_t)otherwise * (ms - sum_ms)) / ms);
}

static int64_t best_price(const struct engine *e, const struct market *market, uint8_t side)
{
    uint32_t best = market->sides[side].best;
    return best == 0 ? 0 : level_at(e, best)->price;
}

/* Without ruling 67: the best prices of this instant. */
static struct book_means best_prices(const struct engine *e, const struct market *market,
                                     const struct perps_market *perps)
{
    struct book_means means = { best_price(e, market, SIDE_BUY), best_price(e, market, SIDE_SELL), perps->index };

    if (means.bid != 0 && means.ask != 0) means.mid = means.bid + (means.ask - means.bid) / 2;
    return means;
}

struct book_means inputs_means(const struct engine *e, const struct perps_market *perps)
{
    const struct standing_sums *sums = &perps->book.sums;
    struct book_means           means = { .mid = perps->index };

    assert(perps->index > 0);
    if (!RULING(67)) return best_prices(e, &e->markets[PERPS_FIRST - 1 + (perps - engine_perps(e))], perps);
    if (sums->ms == 0) return means;
    if (sums->bid_ms != 0) means.bid = mean(sums->bid, sums->bid_ms, sums->ms, perps->index);
    if (sums->ask_ms != 0) means.ask = mean(sums->ask, sums->ask_ms, sums->ms, perps->index);
    means.mid = mean(sums->mid, sums->mid_ms, sums->ms, perps->index);
    assert(means.mid > 0 && means.bid >= 0 && means.ask >= 0);
    return means;
}

int64_t inputs_spot_mid(const struct engine *e, const struct market *market, const struct perps_market *perps)
{
    const struct standing_sums *sums = &perps->spot.sums;

    if (!RULING(67)) return spot_mid_now(e, market, perps);
    assert(sums->mid_ms >= 0 && sums->mid_ms <= sums->ms);
    if (sums->mid_ms == 0 || 2 * sums->mid_ms < sums->ms) return 0;
    return (int64_t)(sums->mid / sums->mid_ms);
}

bool inputs_premium(struct perps_market *perps, int64_t *premium)
{
    int64_t ms = perps->premium_stood_ms;

    if (ms == 0) return false;
    *premium = (int64_t)(perps->premium_stood / ms);
    assert(*premium >= -FUNDING_ONE && *premium <= FUNDING_ONE);
    perps->premium_stood = 0;
    perps->premium_stood_ms = 0;
    return true;
}

void inputs_end_second(struct perps_market *perps) { perps->book.sums.read = perps->spot.sums.read = 1; }

/* ---- trades ---- */

void inputs_trade(const struct engine *e, struct perps_market *perps, int64_t price, int64_t quantity)
{
    int64_t               second = (int64_t)((uint64_t)e->time_ms / SECOND_MS);
    struct traded_second *row = &perps->traded[second % TRADED_SECONDS];

    assert(price > 0 && quantity > 0);
    if (row->second != second) *row = (struct traded_second){ .second = second };
    row->quantity += quantity;
    row->value += (int128_t)price * quantity;
}

/* Whether price * quantity, summed, is a notional of at least `least` quote units (mechanics 1.2). */
static bool reaches_notional(const struct market *market, int128_t value, int64_t least)
{
    return market->power >= 0 ? value >= div_ceil(least, pow10_i64(market->power))
                              : value >= (int128_t)least * pow10_i64(-market->power);
}

int64_t inputs_last(const struct engine *e, const struct market *market, const struct perps_market *perps)
{
    int64_t  second = e->time_ms / SECOND_MS;
    int128_t quantity = 0, value = 0;

    if (!RULING(67))
        return perps->last_trade_ms != 0 && e->time_ms - perps->last_trade_ms < LAST_FRESH_MS ? perps->last_between : 0;
    for (uint32_t i = 0; i < TRADED_SECONDS; i++) {
        if (second - perps->traded[i].second >= TRADED_SECONDS) continue;
        quantity += perps->traded[i].quantity;
        value += perps->traded[i].value;
    }
    assert(quantity >= 0 && value >= quantity); /* no price is below one unit */
    if (quantity == 0 || !reaches_notional(market, value, perps->contract.impact_notional)) return 0;
    return (int64_t)(value / quantity);
}
