/* SPDX-License-Identifier: MIT */
/* bars.c — tickers, klines and trades, from the list of all trades each time (rulings 19, 46, 47; wire 1.1). */
#include <inttypes.h>

#include "ask.h"

#define MINUTE INT64_C(60000)

/* ---- 24 hours ---- */

/* The trades of a symbol from a time on, in one record; the last of all of them too. */
struct window {
    bool     ever;
    int64_t  from, open, high, low, last, last_size;
    int128_t volume, value;
    uint64_t trades;
};

static void take(struct window *w, const struct traded *trade)
{
    if (w->trades++ == 0) w->open = w->high = w->low = trade->price;
    if (trade->price > w->high) w->high = trade->price;
    if (trade->price < w->low) w->low = trade->price;
    w->last = trade->price;
    w->volume += trade->quantity;
    w->value += trade->value;
}

static bool is_in(const struct traded *trade, const struct symbol *s)
{
    return trade->head.market == s->market && trade->symbol_id == s->id;
}

/* The current minute and the 1,440 before it. */
static struct window window_of(const struct answers *answers, const struct symbol *s)
{
    int64_t       this_minute = answers->now_ms - answers->now_ms % MINUTE;
    struct window w = { .from = this_minute - 1440 * MINUTE };

    for (uint32_t i = 0; i < answers->past.trade_count; i++) {
        const struct traded *trade = &answers->past.trades[i];

        if (!is_in(trade, s)) continue;
        w.ever = true;
        w.last = trade->price;
        w.last_size = trade->quantity;
        if (trade->time_ms >= w.from && (answers_planted != ANSWER_BUG_WINDOW || trade->time_ms < this_minute))
            take(&w, trade);
    }
    if (w.trades == 0) w.open = w.high = w.low = w.last;
    return w;
}

static void put_best(struct text *t, struct twin *twin, const struct symbol *s)
{
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
        int64_t quantity, price = next_level(twin, s, side, 0, &quantity);

        amount(t, side == SIDE_BUY ? "bidPx" : "askPx", price, s->price_precision);
        amount(t, side == SIDE_BUY ? "bidSz" : "askSz", quantity, s->quantity_precision);
    }
}

/* The average price in the decimals of the quote coin, halves up. */
static void put_vwap(struct text *t, const struct twin *twin, const struct symbol *s, const struct window *w)
{
    int128_t above = w->value * power10((int)s->quantity_precision);

    if (w->trades == 0) amount(t, "vwap", w->last, s->price_precision);
    else if (answers_planted == ANSWER_BUG_VWAP) amount(t, "vwap", above / w->volume, quote_of(twin, s)->precision);
    else amount(t, "vwap", (2 * above + w->volume) / (2 * w->volume), quote_of(twin, s)->precision);
}

/* Percent of the first price, four decimals, halves away from zero: a number without quotes. */
static void put_percent(struct text *t, const struct window *w)
{
    int128_t change = w->last - w->open, size = change < 0 ? -change : change, percent = 0;

    if (w->open != 0)
        percent = answers_planted == ANSWER_BUG_PERCENT ? size * 1000000 / w->open
                                                        : (2 * size * 1000000 + w->open) / (2 * (int128_t)w->open);
    key(t, "changePct");
    put_number(t, change < 0 ? -percent : percent, 4);
}

static void put_ticker(struct answers *answers, struct twin *twin, const struct symbol *s, bool mini)
{
    const struct symbol_state *state = &twin->state[s->market][s->id - 1];
    uint32_t                   p = s->price_precision, q = s->quantity_precision;
    struct window              w = window_of(answers, s);
    struct text               *t = &answers->want;

    open_object(t);
    named(t, "symbol", &s->name);
    amount(t, "lastPx", w.last != 0 ? w.last : s->reference_price, p); /* ruling 46 */
    if (!mini) {
        amount(t, "lastSz", w.last_size, q);
        put_vwap(t, twin, s, &w);
    }
    amount(t, "openPx", w.open, p);
    amount(t, "highPx", w.high, p);
    amount(t, "lowPx", w.low, p);
    if (!mini) {
        amount(t, "change", w.last - w.open, p);
        put_percent(t, &w);
    }
    amount(t, "volume", w.volume, q);
    amount(t, "quoteVolume", w.value, quote_of(twin, s)->precision);
    if (!mini) put_best(t, twin, s);
    if (!mini && s->market == MARKET_PERPS) {
        amount(t, "fundingRate", state->told.funding_rate, 12);
        number(t, "nextFundingTime", state->told.next_funding_ms);
        amount(t, "indexPrice", state->index, p);
        amount(t, "markPrice", state->mark, p);
        amount(t, "openInterest", open_interest(twin, s), q);
    }
    number(t, "openTime", w.from);
    number(t, "closeTime", answers->now_ms);
    close_object(t);
}

static const char *check_tickers(struct answers *answers, struct twin *twin, uint8_t market, bool mini)
{
    struct question query = { .count = 0 };
    uint32_t        only = 0;
    bool            first = true;

    query_symbol(answers, &query, twin, market);
    query_end(answers, &query);
    if (!query_fault(answers, &query, NULL) && query_symbol_of(answers, &query, twin, market, &only)) {
        begin(answers);
        put(&answers->want, "[");
        for (uint32_t id = 1; id <= symbol_count(twin, market); id++) {
            if (only != 0 && id != only) continue;
            if (!first) put(&answers->want, ",");
            first = false;
            put_ticker(answers, twin, symbol_of(twin, market, id), mini);
        }
        put(&answers->want, "]");
    }
    return check(answers, "%s/markets/%s?%s", BASE(market), mini ? "miniTickers" : "tickers", query.line);
}

/* ---- bars ---- */

enum { MONTH = 0, WEEK = 7 * 1440 }; /* minutes of an interval; a month has its own */
/* clang-format off */
static const struct { const char *name; int64_t minutes; bool on_perps; } intervals[] = {
    { "1m", 1, true }, { "5m", 5, true }, { "15m", 15, true }, { "30m", 30, true }, { "1h", 60, true },
      { "4h", 240, true },
    { "8h", 480, false }, { "12h", 720, false }, { "1D", 1440, true }, { "3D", 4320, false }, { "1W", WEEK, true },
      { "1M", MONTH, true },
    { "1d", 1440, true },  { "3d", 4320, false }, { "1w", WEEK, true },
};
/* clang-format on */
#define SPELLINGS 3 /* at the end, which are other spellings */

static int64_t days_of_month(int64_t year, int64_t month)
{
    static const int64_t days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month] + (month == 1 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0) ? 1 : 0);
}

/* When the bar with this time in it begins, and when the next one does; month by month from 1970. */
static int64_t bar_of(int64_t minutes, int64_t time_ms, int64_t *next_ms)
{
    int64_t length = minutes * MINUTE, shift = minutes == WEEK && answers_planted != ANSWER_BUG_WEEK ? 4 * DAY_MS : 0,
            start = 0, end = 31 * DAY_MS;

    if (minutes == MONTH) {
        for (int64_t month = 1; end <= time_ms; month++) {
            start = end;
            end += days_of_month(1970 + month / 12, month % 12) * DAY_MS;
        }
        *next_ms = end;
        return start;
    }
    start = time_ms - ((time_ms - shift) % length + length) % length; /* 1970-01-05 was a Monday */
    *next_ms = start + length;
    return start;
}

static void put_bar(struct answers *answers, const struct twin *twin, const struct symbol *s, int64_t start,
                    int64_t end)
{
    struct window w = { .from = start };
    struct text  *t = &answers->want;
    int64_t       close = 0;

    for (uint32_t i = 0; i < answers->past.trade_count; i++) {
        const struct traded *trade = &answers->past.trades[i];

        if (!is_in(trade, s) || trade->time_ms >= end) continue;
        if (trade->time_ms >= start) take(&w, trade);
        close = trade->price;
    }
    if (w.trades == 0 && answers_planted != ANSWER_BUG_GAP) w.open = w.high = w.low = w.last = close;
    open_object(t);
    number(t, "t", start);
    amount(t, "o", w.open, s->price_precision);
    amount(t, "h", w.high, s->price_precision);
    amount(t, "l", w.low, s->price_precision);
    amount(t, "c", w.last, s->price_precision);
    amount(t, "v", w.volume, s->quantity_precision);
    amount(t, "q", w.value, quote_of(twin, s)->precision);
    count_of(t, "n", w.trades);
    close_object(t);
}

struct range {
    bool     has_start, has_end;
    uint64_t start, end;
    uint32_t limit;
};

/* Bars begin with the first trade and end with the open one; the first `limit`
   from startTime on, else the last ones; of a time behind the open one none. */
static void put_bars(struct answers *answers, const struct twin *twin, const struct symbol *s, int64_t minutes,
                     const struct range *range)
{
    int64_t  last_ms = answers->now_ms, start = 0, next = 0, from, behind = 0;
    uint32_t count = 0, skip = 0, shown = 0;
    bool     traded = false;

    begin(answers);
    put(&answers->want, "[");
    for (uint32_t i = 0; i < answers->past.trade_count && !traded; i++) {
        if (!is_in(&answers->past.trades[i], s)) continue;
        start = bar_of(minutes, answers->past.trades[i].time_ms, &next);
        traded = true;
    }
    if (range->has_end && range->end < (uint64_t)last_ms) last_ms = (int64_t)range->end;
    (void)bar_of(minutes, last_ms, &behind);
    if (traded && (!range->has_start || range->start < (uint64_t)behind)) {
        if (range->has_start) {
            from = bar_of(minutes, (int64_t)range->start, &(int64_t){ 0 });
            if (from > start) start = bar_of(minutes, from, &next);
        }
        for (int64_t at = start, end = next; at <= last_ms; count++) at = bar_of(minutes, end, &end);
        if (count > range->limit && (!range->has_start || answers_planted == ANSWER_BUG_LAST_BARS))
            skip = count - range->limit;
        for (int64_t at = start, end = next; at <= last_ms && shown < range->limit; at = bar_of(minutes, end, &end)) {
            if (skip > 0) {
                skip--;
                continue;
            }
            if (shown++ != 0) put(&answers->want, ",");
            put_bar(answers, twin, s, at, end);
        }
    }
    put(&answers->want, "]");
}

/* A time at, right before or behind a bar's edge, a trade, now, or far away. */
static uint64_t a_time(struct answers *answers, int64_t minutes)
{
    struct random_state *d = &answers->random_state;
    int64_t              time_ms = answers->now_ms, next;

    if (answers->past.trade_count != 0 && one_in(d, 2))
        time_ms = answers->past.trades[random_below(d, answers->past.trade_count)].time_ms;
    if (one_in(d, 3)) time_ms = bar_of(minutes, time_ms, &next);
    else if (one_in(d, 3)) time_ms -= (int64_t)random_below(d, 90) * DAY_MS / 7;
    time_ms += (int64_t)random_below(d, 3) - 1;
    if (one_in(d, 20)) return one_in(d, 2) ? UINT64_MAX : (uint64_t)INT64_MAX + random_below(d, 2);
    if (one_in(d, 20)) return random_below(d, 2);
    return (uint64_t)time_ms;
}

static void put_interval_fault(struct answers *answers, uint8_t market, const char *got)
{
    struct reject_row row = *reject_row(REJECT_BAD_INTERVAL);
    struct text      *t = &answers->want;
    char              names[80] = "", text[128];

    for (uint32_t i = 0; i + SPELLINGS < ARRAY_COUNT(intervals); i++) {
        if (market == MARKET_PERPS && !intervals[i].on_perps) continue;
        (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i == 0 ? "" : ", ",
                       intervals[i].name);
    }
    (void)snprintf(text, sizeof(text), "invalid interval, one of %s", names);
    row.text = text;
    begin_error(answers, &row);
    t->first = true;
    word(t, "field", "interval");
    if (got[0] != 0) word(t, "got", got);
    word(t, "need", names);
    close_object(t);
}

static void put_klines(struct answers *answers, const struct twin *twin, uint8_t market, const char *name,
                       const struct question *query, uint32_t most)
{
    const struct parameter *interval = query_find(query, "interval"), *start = query_find(query, "startTime"),
                           *end = query_find(query, "endTime");
    const struct symbol *s = NULL;
    struct range         range = { .has_start = start != NULL,
                                   .has_end = end != NULL,
                                   .limit = query_limit_of(query, most, 500) };
    int64_t              minutes = -1;
    char                 text[24];

    for (uint32_t id = 1; id <= symbol_count(twin, market); id++)
        if (strcmp(symbol_of(twin, market, id)->name.at, name) == 0) s = symbol_of(twin, market, id);
    if (s == NULL) {
        put_fault(answers, REJECT_SYMBOL_NOT_FOUND, "symbol", name, NULL);
        return;
    }
    for (uint32_t i = 0; i < ARRAY_COUNT(intervals); i++)
        if (strcmp(intervals[i].name, interval->text) == 0 && (market == MARKET_SPOT || intervals[i].on_perps))
            minutes = intervals[i].minutes;
    if (minutes < 0) {
        put_interval_fault(answers, market, interval->text);
        return;
    }
    if (start != NULL) range.start = start->value;
    if (end != NULL) range.end = end->value;
    (void)snprintf(text, sizeof(text), "%" PRIu64, range.start);
    if (start != NULL && end != NULL && range.start > range.end)
        put_fault(answers, REJECT_BAD_TIME_RANGE, "startTime", text, NULL);
    else put_bars(answers, twin, s, minutes, &range);
}

static const char *check_klines(struct answers *answers, struct twin *twin, uint8_t market, const struct symbol *s)
{
    static const char *const others[] = { "2m", "1Y", "", "1H", "1mo", "60" };
    struct random_state     *d = &answers->random_state;
    const char              *name = one_in(d, 25) ? "no-such-symbol" : s->name.at;
    uint32_t        most = market == MARKET_PERPS ? 1000 : 1500, which = random_below(d, ARRAY_COUNT(intervals));
    struct question query = { .count = 0 };

    if (!one_in(d, 40))
        query_text(&query, "interval",
                   one_in(d, 20) ? others[random_below(d, ARRAY_COUNT(others))] : intervals[which].name, REJECT_NONE,
                   NULL);
    if (one_in(d, 3)) query_number(answers, &query, "startTime", a_time(answers, intervals[which].minutes));
    if (one_in(d, 3)) query_number(answers, &query, "endTime", a_time(answers, intervals[which].minutes));
    query_limit(answers, &query, "limit", most);
    query_end(answers, &query);
    if (!query_fault(answers, &query, "interval")) put_klines(answers, twin, market, name, &query, most);
    return check(answers, "%s/markets/%s/klines?%s", BASE(market), name, query.line);
}

/* ---- trades ---- */

static const char *check_newest(struct answers *answers, const struct symbol *s)
{
    struct text    *t = &answers->want;
    struct question query = { .count = 0 };

    query_limit(answers, &query, "limit", 500);
    query_end(answers, &query);
    if (!query_fault(answers, &query, NULL)) {
        uint32_t most = query_limit_of(&query, 500, 50), shown = 0;

        begin(answers);
        put(t, "[");
        for (uint32_t i = answers->past.trade_count; i-- > 0 && shown < most;) {
            const struct traded *trade = &answers->past.trades[i];

            if (!is_in(trade, s)) continue;
            if (shown++ != 0) put(t, ",");
            open_object(t);
            count_of(t, "t", trade->trade_id);
            number(t, "T", trade->time_ms);
            named(t, "s", &s->name);
            word(t, "S", (trade->taker_side == SIDE_BUY) != (answers_planted == ANSWER_BUG_TAKER) ? "BUY" : "SELL");
            amount(t, "p", trade->price, s->price_precision);
            amount(t, "q", trade->quantity, s->quantity_precision);
            count_of(t, "bi", trade->buyer_account_id);
            count_of(t, "si", trade->seller_account_id);
            if (trade->self) flag(t, "self", true);
            close_object(t);
        }
        put(t, "]");
    }
    return check(answers, "%s/markets/%s/trades?%s", BASE(s->market), s->name.at, query.line);
}

/* The time without commands before a question. */
static int64_t a_silence(struct random_state *d, int64_t now_ms)
{
    int64_t next = MINUTE - now_ms % MINUTE;

    switch (random_below(d, 8)) {
    case 0: return next - 1 + random_below(d, 2);
    case 1: return next + 1439 * MINUTE - 1 + random_below(d, 2);
    case 2: return next + 1440 * MINUTE - 1 + random_below(d, 2);
    case 3: next = (int64_t)random_below(d, 40) * DAY_MS; return next + random_below(d, 86400000);
    default: return 0;
    }
}

const char *check_statistics(struct answers *answers, struct twin *twin, uint8_t market)
{
    int64_t     now_ms = answers->now_ms;
    const char *wrong = NULL;

    for (uint32_t id = 1; id <= symbol_count(twin, market); id++)
        TRY(check_newest(answers, symbol_of(twin, market, id)));
    for (uint32_t again = 0; again < 2 && wrong == NULL; again++) { /* now, and perhaps later: time never goes back */
        wrong = check_tickers(answers, twin, market, false);
        if (wrong == NULL) wrong = check_tickers(answers, twin, market, true);
        for (uint32_t id = 1; id <= symbol_count(twin, market) && wrong == NULL; id++)
            wrong = check_klines(answers, twin, market, symbol_of(twin, market, id));
        answers->now_ms += a_silence(&answers->random_state, answers->now_ms);
    }
    answers->now_ms = now_ms;
    return wrong;
}
