/* SPDX-License-Identifier: MIT */
#include "market/backfill.h"

#include "base/fixed.h"
#include "market/path.h"
#include "market/step.h"

#define HOUR_MINUTES     60
#define HOUR_MS          (HOUR_MINUTES * MINUTE_MS)
#define ROOT_OF_MINUTE   7746 /* of 60 seconds, 1/1000 */
#define RANGE            125  /* per cent: trades reach further than the walk */
#define TRADES_LEAST     60   /* of a minute like any other */
#define TRADES_MORE      40
#define TRADE_DOLLARS    150
#define VOLUME_MOST      (40 * 1024) /* of the factor with a power law */
#define LIVELIEST        200         /* per cent of an ordinary minute's range */
#define ROUNDS_OF_A_ROOT 70

enum { DRAW_SHARED = 1 << 16, DRAW_OWN, DRAW_JUMP, DRAW_JUMP_SIZE, DRAW_ROUNDING };
enum { DRAW_HIGH = (1 << 16) + 16, DRAW_LOW, DRAW_TRADES, DRAW_VOLUME };

/* One symbol. Its path is in prices of `leader`: of the perps symbol that it follows, else its own. */
struct series {
    const struct symbol *symbol, *leader;
    uint32_t             path;   /* who draws: number of the perps symbol, others behind them */
    uint32_t             number; /* among all: spot symbols, then perps */
    int                  power;  /* value = price * quantity * 10^power */
    int64_t              dollar; /* units of the quote coin */
    int64_t             *ends;   /* by hour: the path's price at its end */
    struct bar          *hours;  /* the minutes of each hour that are inside, as one bar */
};

struct backfill {
    uint64_t       seed;
    int64_t        first_minute, end_minute; /* since 1970 */
    int64_t        first_hour;
    uint32_t       hour_count;
    uint32_t       spot_count, perps_count;
    struct series *series; /* spot, then perps; symbol NULL: it has none */
};

static uint64_t draw_at(const struct backfill *backfill, int64_t minute, uint32_t who, uint32_t what)
{
    return draw(backfill->seed, (uint64_t)minute, who, what);
}

/* ---- the walk, backwards ---- */

/* The price at the beginning of a minute from that at its end. The walk is the same in both directions. */
static int64_t price_before(const struct backfill *backfill, const struct series *series, int64_t minute, int64_t price)
{
    const struct symbol *leader = series->leader;
    uint32_t             path = series->path;
    int64_t              shared = draw_normal(draw_at(backfill, minute, PATH_EVERY_SYMBOL, DRAW_SHARED));
    int64_t              own = draw_normal(draw_at(backfill, minute, path, DRAW_OWN));
    int64_t              sum = path_normal(shared, own) * path_deviation(path) / 1000000 * ROOT_OF_MINUTE / 1000;

    if (draw_below(draw_at(backfill, minute, path, DRAW_JUMP), PATH_JUMP_SECONDS / 60) == 0)
        sum += path_jump(draw_at(backfill, minute, path, DRAW_JUMP_SIZE), path);
    sum += (int64_t)((int128_t)(leader->reference_price - price) * PATH_RATE / leader->reference_price
                     / (PATH_PULL_SECONDS / 60));
    return path_next(price, leader->tick_size, sum, draw_at(backfill, minute, path, DRAW_ROUNDING));
}

static int64_t hour_first(int64_t hour) { return hour * HOUR_MINUTES; }
static int64_t hour_end(const struct backfill *backfill, int64_t hour)
{
    return min_i64(backfill->end_minute, hour_first(hour + 1));
}

/* prices[i] is that at the beginning of minute i of the hour; one more for the end of its last minute. */
static void walk_hour(const struct backfill *backfill, const struct series *series, int64_t hour,
                      int64_t prices[HOUR_MINUTES + 1])
{
    int64_t count = hour_end(backfill, hour) - hour_first(hour);

    prices[count] = series->ends[hour - backfill->first_hour];
    for (int64_t i = count; i > 0; i--)
        prices[i - 1] = price_before(backfill, series, hour_first(hour) + i - 1, prices[i]);
}

/* ---- a minute ---- */

/* Floor. Newton's method from above falls until it is there. */
static int64_t square_root(uint128_t square)
{
    int       bits = square >> 64 != 0 ? 128 - __builtin_clzll((uint64_t)(square >> 64))
                                       : 64 - __builtin_clzll((uint64_t)square | 1);
    uint128_t root = (uint128_t)1 << (bits + 1) / 2;

    if (square == 0) return 0;
    for (int round = 0; round < ROUNDS_OF_A_ROOT; round++) {
        uint128_t next = (root + (uint128_t)div_floor((int128_t)square, (int128_t)root)) / 2;

        if (next >= root) break;
        root = next;
    }
    return (int64_t)root;
}

/*
 * How far the walk reaches beyond its ends within a minute: the maximum of a Brownian bridge from a to b with deviation
 * s is (a + b + sqrt((b - a)^2 - 2 s^2 ln u)) / 2.
 */
static int64_t reach(int64_t move, int64_t deviation, uint64_t bits)
{
    uint128_t more = (uint128_t)deviation * (uint128_t)deviation * 2 * (uint128_t)draw_exponential(bits) / 65536;

    return square_root((uint128_t)((int128_t)move * move) + more);
}

static int64_t own_price(const struct series *series, int64_t path_price)
{
    const struct symbol *symbol = series->symbol;
    int64_t              price = step_rescale(path_price, series->leader->price_precision, symbol->price_precision);

    return max_i64(symbol->tick_size, price - price % symbol->tick_size);
}

static void draw_range(const struct backfill *backfill, const struct series *series, int64_t minute, struct bar *bar)
{
    int64_t tick = series->symbol->tick_size, sum = bar->open + bar->close, move = bar->close - bar->open, deviation;
    int64_t high, low;

    deviation =
        (int64_t)((int128_t)bar->close * path_deviation(series->path) / PATH_RATE * ROOT_OF_MINUTE * RANGE / 100000);
    high = (sum + reach(move, deviation, draw_at(backfill, minute, series->number, DRAW_HIGH))) / 2;
    low = (sum - reach(move, deviation, draw_at(backfill, minute, series->number, DRAW_LOW)) + 1) / 2;
    bar->high = max_i64(max_i64(bar->open, bar->close), high - high % tick);
    low = max_i64(tick, low + tick - 1);
    bar->low = min_i64(min_i64(bar->open, bar->close), low - low % tick);
}

/* Per cent of an ordinary range: livelier minutes have more trades. */
static int64_t liveliness(const struct series *series, const struct bar *bar)
{
    int128_t ordinary = (int128_t)bar->close * path_deviation(series->path) * ROOT_OF_MINUTE * 2 / 1000;

    if (ordinary == 0) return 100;
    return (int64_t)((int128_t)min_i64(LIVELIEST,
                                       (int64_t)((int128_t)(bar->high - bar->low) * PATH_RATE * 100 / ordinary)));
}

static void draw_volume(const struct backfill *backfill, const struct series *series, int64_t minute, struct bar *bar)
{
    const struct symbol *symbol = series->symbol;
    uint64_t trades = TRADES_LEAST + draw_below(draw_at(backfill, minute, series->number, DRAW_TRADES), TRADES_MORE);
    int64_t  factor = 2048 + draw_power(draw_at(backfill, minute, series->number, DRAW_VOLUME), VOLUME_MOST);
    int64_t  mean = (int64_t)(((int128_t)bar->open + bar->high + bar->low + bar->close) / 4), value, quantity;

    trades = trades * (60 + (uint64_t)liveliness(series, bar) / 2) / 100;
    value = (int64_t)trades * TRADE_DOLLARS * factor / 1024 * series->dollar;
    quantity = (int64_t)((int128_t)value * pow10_i64(series->power < 0 ? -series->power : 0)
                         / ((int128_t)mean * pow10_i64(series->power > 0 ? series->power : 0)));
    quantity = max_i64(quantity, (int64_t)trades * symbol->min_quantity);
    quantity -= quantity % symbol->step_size;
    bar->volume = (uint128_t)quantity;
    bar->value = (uint128_t)notional_floor(mean, quantity, series->power);
    bar->trades = trades;
}

static struct bar bar_of_minute(const struct backfill *backfill, const struct series *series, int64_t minute,
                                const int64_t prices[HOUR_MINUTES + 1])
{
    const int64_t *at = &prices[minute % HOUR_MINUTES];
    struct bar     bar = { .start_ms = minute * MINUTE_MS,
                           .open = own_price(series, at[0]),
                           .close = own_price(series, at[1]) };

    draw_range(backfill, series, minute, &bar);
    draw_volume(backfill, series, minute, &bar);
    return bar;
}

/* ---- spans ---- */

/* The walk of the hour that was read last. */
struct walked {
    int64_t hour; /* -1 = none */
    int64_t prices[HOUR_MINUTES + 1];
};

static void add(struct bar *sum, const struct bar *bar)
{
    int64_t start_ms = sum->start_ms;

    if (sum->trades != 0) {
        bar_merge(sum, bar);
        return;
    }
    *sum = *bar;
    sum->start_ms = start_ms;
}

/* The minutes from `minute` to `end` of one hour. */
static void add_minutes(const struct backfill *backfill, const struct series *series, int64_t minute, int64_t end,
                        struct walked *walked, struct bar *sum)
{
    int64_t hour = minute / HOUR_MINUTES;

    if (walked->hour != hour) walk_hour(backfill, series, hour, walked->prices);
    walked->hour = hour;
    for (; minute < end; minute++) {
        struct bar bar = bar_of_minute(backfill, series, minute, walked->prices);

        add(sum, &bar);
    }
}

/* Minutes from `minute` to `end`, all inside: by whole hours where there are such. */
static void add_span(const struct backfill *backfill, const struct series *series, int64_t minute, int64_t end,
                     struct walked *walked, struct bar *sum)
{
    while (minute < end) {
        int64_t hour = minute / HOUR_MINUTES, until = min_i64(end, hour_end(backfill, hour));
        bool whole = minute == max_i64(backfill->first_minute, hour_first(hour)) && until == hour_end(backfill, hour);

        if (whole) add(sum, &series->hours[hour - backfill->first_hour]);
        else add_minutes(backfill, series, minute, until, walked, sum);
        minute = until;
    }
}

static const struct series *series_of(const struct backfill *backfill, uint8_t market, uint32_t symbol_id)
{
    uint32_t number = (market == MARKET_PERPS ? backfill->spot_count : 0) + symbol_id - 1;

    assert(symbol_id >= 1 && number < backfill->spot_count + backfill->perps_count);
    return &backfill->series[number];
}

bool backfill_has(const struct backfill *backfill, uint8_t market, uint32_t symbol_id)
{
    return series_of(backfill, market, symbol_id)->symbol != NULL;
}

void backfill_bars(const struct backfill *backfill, uint8_t market, uint32_t symbol_id, enum interval interval,
                   int64_t first, int64_t last, struct bar *bars)
{
    const struct series *series = series_of(backfill, market, symbol_id);
    struct walked        walked = { .hour = -1 };

    assert(series->symbol != NULL && first <= last);
    for (int64_t n = first; n <= last; n++) {
        int64_t start_ms = interval_start(interval, n);
        int64_t from = max_i64(backfill->first_minute, start_ms / MINUTE_MS);
        int64_t to = min_i64(backfill->end_minute, interval_start(interval, n + 1) / MINUTE_MS);

        assert(from < to);
        bars[n - first] = (struct bar){ .start_ms = start_ms };
        add_span(backfill, series, from, to, &walked, &bars[n - first]);
    }
}

/* ---- making ---- */

/* A walk from the end to the beginning, and the bar of each hour. */
static void make_series(const struct backfill *backfill, struct series *series)
{
    int64_t price = series->leader->reference_price;

    for (int64_t i = (int64_t)backfill->hour_count - 1; i >= 0; i--) {
        int64_t       hour = backfill->first_hour + i;
        int64_t       from = max_i64(backfill->first_minute, hour_first(hour));
        struct walked walked = { .hour = -1 };

        series->ends[i] = price;
        series->hours[i] = (struct bar){ .start_ms = hour * HOUR_MS };
        add_minutes(backfill, series, from, hour_end(backfill, hour), &walked, &series->hours[i]);
        price = walked.prices[0];
    }
}

static void begin_series(struct backfill *backfill, const struct genesis *genesis, uint32_t number, uint8_t *room)
{
    struct series       *series = &backfill->series[number];
    bool                 perps = number >= genesis->spot_count;
    const struct symbol *symbol = perps ? &genesis->perps[number - genesis->spot_count] : &genesis->spot[number];
    uint32_t             leader = perps ? symbol->id : step_perps_of(genesis, symbol->id);
    const struct coin   *quote = &genesis->coins[symbol->quote_coin_id];

    series->leader = leader != 0 ? &genesis->perps[leader - 1] : symbol;
    if (series->leader->reference_price <= 0) return;
    series->symbol = symbol;
    series->number = number;
    series->path = leader != 0 ? leader - 1 : genesis->perps_count + number;
    series->power = symbol_notional_power(symbol, quote);
    series->dollar = pow10_i64((int)quote->precision);
    series->hours = (void *)room;
    series->ends = (void *)(room + backfill->hour_count * sizeof(*series->hours));
}

static struct backfill span_of(const struct genesis *genesis)
{
    struct backfill span = { .seed = genesis->backfill_seed,
                             .end_minute = genesis->time_ms / MINUTE_MS,
                             .spot_count = genesis->spot_count,
                             .perps_count = genesis->perps_count };

    assert(genesis->backfill_minutes != 0 && genesis->backfill_minutes <= BACKFILL_MINUTES_MAX);
    span.first_minute = span.end_minute - genesis->backfill_minutes;
    span.first_hour = span.first_minute / HOUR_MINUTES;
    span.hour_count = (uint32_t)((span.end_minute - 1) / HOUR_MINUTES - span.first_hour + 1);
    return span;
}

/* Of the hours of a symbol. */
static size_t series_bytes(const struct backfill *span)
{
    return align_up(span->hour_count * (sizeof(struct bar) + sizeof(int64_t)), 16);
}

static size_t head_bytes(const struct backfill *span)
{
    return align_up(sizeof(*span), 16) + align_up((span->spot_count + span->perps_count) * sizeof(*span->series), 16);
}

size_t backfill_bytes(const struct genesis *genesis)
{
    struct backfill span = span_of(genesis);

    return head_bytes(&span) + (span.spot_count + span.perps_count) * series_bytes(&span);
}

struct backfill *backfill_make(const struct genesis *genesis, void *memory)
{
    struct backfill *backfill = memory;
    uint8_t         *room = memory;

    *backfill = span_of(genesis);
    backfill->series = (void *)(room + align_up(sizeof(*backfill), 16));
    room += head_bytes(backfill);
    for (uint32_t i = 0; i < backfill->spot_count + backfill->perps_count; i++) {
        begin_series(backfill, genesis, i, room + i * series_bytes(backfill));
        if (backfill->series[i].symbol != NULL) make_series(backfill, &backfill->series[i]);
    }
    return backfill;
}

int64_t backfill_first_ms(const struct backfill *backfill) { return backfill->first_minute * MINUTE_MS; }
int64_t backfill_end_ms(const struct backfill *backfill) { return backfill->end_minute * MINUTE_MS; }
