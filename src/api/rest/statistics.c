/* SPDX-License-Identifier: MIT */
/*
 * statistics.c — tickers and klines: folds of trades and books, computed on request (rulings 46, 47).
 *
 * Windows move with engine time even without trades, so cached answers are keyed by the current minute, or by the
 * newest bar, besides the versions of the data. Versions are read before the data: an answer is never older than the
 * last released reply (ruling 24).
 */
#include "api/rest/statistics.h"

#include "api/rest/kept.h"

void statistics_init(struct statistics *statistics, struct row_forms *forms)
{
    statistics->forms[STATISTIC_TICKER] = row_form(forms, &spot_ticker_shape);
    statistics->forms[STATISTIC_MINI] = row_form(forms, &mini_ticker_shape);
    statistics->perps_form = row_form(forms, &perps_ticker_shape);
    statistics->forms[STATISTIC_BOOK] = row_form(forms, &book_ticker_shape);
    statistics->forms[STATISTIC_KLINES] = row_form(forms, &kline_shape);
    statistics->epoch += 1;
}

static int64_t time_of(const struct call *call)
{
    return max_i64(call->context->now_ms, views_time_ms(call->api->shared->views));
}

/* ---- tickers ---- */

static uint64_t version_of(const struct api_shared *shared, enum statistic statistic, const struct symbol *symbol)
{
    uint64_t version = 0;

    if (statistic != STATISTIC_BOOK) version += history_bars_version(shared->history, symbol->market, symbol->id);
    if (statistic != STATISTIC_MINI) version += views_book_version(shared->views, symbol->market, symbol->id);
    if (statistic == STATISTIC_TICKER && symbol->market == MARKET_PERPS)
        version += views_price_version(shared->views, symbol->id);
    return version;
}

/* The rows of symbols first to last, with where each one ends. */
static void encode_tickers(const struct call *call, enum statistic statistic, uint32_t first, uint32_t last,
                           int64_t now_ms, struct statistic_slot *slot)
{
    const struct api_shared *shared = call->api->shared;
    bool                     prices = statistic == STATISTIC_TICKER && call->market == MARKET_PERPS;
    const struct row_form   *form = prices ? call->api->statistics.perps_form : call->api->statistics.forms[statistic];
    struct out               out = out_make(slot->bytes, sizeof(slot->bytes) - 1);

    slot->row_count = 0;
    out_char(&out, '[');
    for (uint32_t id = first; id <= last; id++) {
        const struct symbol *symbol = views_symbol(shared->views, call->market, id);
        struct ticker_record record;
        memset(&record, 0, sizeof(record));
        record.symbol = symbol->name;
        if (statistic != STATISTIC_BOOK) record_window(&call->api->present, symbol, now_ms, &record);
        if (statistic != STATISTIC_MINI) record_best(shared->views, symbol, &record);
        if (prices) record_prices(shared->views, symbol, &record);
        if (slot->row_count != 0) out_char(&out, ',');
        row_write(&out, form, &record);
        slot->row_end[slot->row_count++] = (uint32_t)out.len;
    }
    out_char(&out, ']');
    assert(!out.overflow); /* 128 symbols, and a row of each is below 2 KB */
    slot->len = (uint32_t)out.len;
}

/* Brings closeTime, the last value of each row, to this moment: 13 digits, from 2001 to 2286. */
#define CLOSE_DIGITS 13
static bool has_close_digits(int64_t time_ms)
{
    return time_ms >= INT64_C(1000000000000) && time_ms < INT64_C(10000000000000);
}

static void put_close_times(struct statistic_slot *slot, int64_t now_ms)
{
    char       digits[CLOSE_DIGITS + 8];
    struct out out = out_make(digits, sizeof(digits));

    out_i64(&out, now_ms);
    assert(out.len == CLOSE_DIGITS);
    for (uint32_t i = 0; i < slot->row_count; i++)
        memcpy(slot->bytes + slot->row_end[i] - 1 - CLOSE_DIGITS, digits, CLOSE_DIGITS);
}

static void answer_statistic(struct call *call, enum statistic statistic)
{
    const struct api_shared *shared = call->api->shared;
    struct statistic_key     key = { .statistic = (uint8_t)statistic, .market = call->market };
    struct statistic_slot   *slot;
    int64_t                  now_ms = time_of(call);
    bool                     timed = statistic != STATISTIC_BOOK;
    uint64_t                 version = 0;
    uint32_t                 first, last;

    if (!call_symbols(call, &first, &last)) return;
    for (uint32_t id = first; id <= last; id++)
        version += version_of(shared, statistic, views_symbol(shared->views, call->market, id));
    if (call->query.symbol.symbol.len != 0) key.symbol_id = first;
    if (timed) key.first = key.last = now_ms / MINUTE_MS;
    slot = statistic_slot_of(&call->api->statistics, &key);
    if (!statistic_key_equal(&slot->key, &key) || slot->version != version || (timed && !has_close_digits(now_ms))) {
        encode_tickers(call, statistic, first, last, now_ms, slot);
        slot->key = key;
        slot->version = version;
    }
    if (timed && has_close_digits(now_ms)) put_close_times(slot, now_ms);
    answer_kept(call, slot->bytes, slot->len);
}

void answer_tickers(struct call *call) { answer_statistic(call, STATISTIC_TICKER); }
void answer_mini_tickers(struct call *call) { answer_statistic(call, STATISTIC_MINI); }
void answer_book_tickers(struct call *call) { answer_statistic(call, STATISTIC_BOOK); }

/* ---- klines ---- */

/* Writes bars one after the other; a bar without trades repeats the close before it. */
struct kline_writer {
    const struct row_form *form;
    struct kline_record    record;
    uint32_t               p, q, n; /* decimals of prices, quantities, quote amounts */
    bool                   any;
};

static void write_bar(struct kline_writer *writer, const struct bar *bar, struct out *out)
{
    struct kline_record *record = &writer->record;

    record->open = (struct decimal){ bar->open, writer->p, 0 };
    record->high = (struct decimal){ bar->high, writer->p, 0 };
    record->low = (struct decimal){ bar->low, writer->p, 0 };
    record->close = (struct decimal){ bar->close, writer->p, 0 };
    record->volume = (struct wide_decimal){ (int128_t)bar->volume, writer->q };
    record->quote_volume = (struct wide_decimal){ (int128_t)bar->value, writer->n };
    record->trades = bar->trades;
    if (writer->any) out_char(out, ',');
    writer->any = true;
    row_write(out, writer->form, record);
}

static void write_gap(struct kline_writer *writer, int64_t close, struct out *out)
{
    write_bar(writer, &(struct bar){ .open = close, .high = close, .low = close, .close = close }, out);
}

/* The part of an encoded array that no trade can change any more: the bars before `next`. */
struct kline_final {
    int64_t next;
    size_t  len;
};

/* Bars key->first … key->last behind the contents of `out`; `next` is the first one to come. */
static int encode_klines(struct statistics *statistics, const struct api_shared *shared, const struct symbol *symbol,
                         const struct statistic_key *key, int64_t next, struct kline_final *final, struct out *out)
{
    enum interval             interval = (enum interval)key->interval;
    struct history_bars_query query = { symbol->market, interval, symbol->id, next, key->last };
    struct kline_writer       writer = {
              .form = statistics->forms[STATISTIC_KLINES],
              .any = next != key->first,
              .p = symbol->price_precision,
              .q = symbol->quantity_precision,
              .n = views_coin(shared->views, symbol->quote_coin_id)->precision,
    };
    struct bar before;
    int        count = history_bars(shared->history, &query, statistics->bars, &before), at = 0;
    int64_t    close = before.close;

    if (count < 0) return count;
    for (; next <= key->last; next++) {
        if (next == final->next) final->len = out->len;
        writer.record.start_ms = interval_start(interval, next);
        if (at < count && statistics->bars[at].start_ms == writer.record.start_ms) {
            close = statistics->bars[at].close;
            write_bar(&writer, &statistics->bars[at++], out);
        } else {
            write_gap(&writer, close, out);
        }
    }
    return 0;
}

bool statistics_encode_klines(struct statistics *statistics, const struct api_shared *shared,
                              const struct symbol *symbol, enum interval interval, int64_t first, int64_t last,
                              struct out *out)
{
    struct statistic_key key = { STATISTIC_KLINES, symbol->market, (uint8_t)interval, symbol->id, first, last };
    struct kline_final   final = { INT64_MAX, 0 };

    out_char(out, '[');
    if (encode_klines(statistics, shared, symbol, &key, first, &final, out) < 0) return false;
    out_char(out, ']');
    return true;
}

/*
 * Brings a slot up to date. When it had the same bars before, those that had ended then are kept: trades come in order
 * of time, so only the bar of the last command's time and later ones change.
 */
static int klines_refresh(struct call *call, const struct symbol *symbol, const struct statistic_key *key,
                          struct statistic_slot *slot)
{
    const struct api_shared *shared = call->api->shared;
    struct out               out = out_make(slot->bytes, sizeof(slot->bytes) - 1); /* the end of the envelope */
    uint64_t                 version = history_bars_version(shared->history, symbol->market, symbol->id);
    int64_t ended = interval_index((enum interval)key->interval, max_i64(0, views_time_ms(shared->views)));
    bool    same = statistic_key_equal(&slot->key, key);

    if (same && slot->version == version) return 0;
    struct kline_final final = { max_i64(key->first, min_i64(ended, key->last)), 1 };
    out_char(&out, '[');
    if (same) out.len = slot->final_len;
    if (same) final = (struct kline_final){ max_i64(final.next, slot->final_next), slot->final_len };
    slot->key.statistic = 0;
    int error =
        encode_klines(&call->api->statistics, shared, symbol, key, same ? slot->final_next : key->first, &final, &out);
    if (error < 0) return error;
    out_char(&out, ']');
    assert(!out.overflow);
    slot->key = *key;
    slot->version = version;
    slot->len = (uint32_t)out.len;
    slot->final_next = final.next;
    slot->final_len = (uint32_t) final.len;
    return 0;
}

static void fail_interval(struct call *call, struct slice got)
{
    struct failure    *failure = &call->failure;
    struct statistics *statistics = &call->api->statistics;
    struct out         text = out_make(statistics->text, sizeof(statistics->text) - 1),
               need = out_make(failure->need, sizeof(failure->need));

    out_literal(&text, "invalid interval, one of ");
    interval_names(call->market, &text);
    interval_names(call->market, &need);
    assert(!text.overflow && !need.overflow);
    statistics->text[text.len] = '\0';
    fail(failure, REJECT_BAD_INTERVAL, SLICE("interval"), got);
    failure->text = statistics->text;
    failure->details.need = out_slice(&need);
}

static int64_t time_given(struct optional_u64 time) { return time.value > INT64_MAX ? INT64_MAX : (int64_t)time.value; }

/*
 * The requested bars (ruling 47): with startTime the first `limit` from the one that contains it, else the last
 * `limit` up to endTime or now. None before the first trade's, none behind the open one. False: none.
 */
static bool kline_range(const struct call *call, const struct symbol *symbol, struct statistic_key *key)
{
    const struct kline_query *query = &call->query.kline;
    enum interval             interval = (enum interval)key->interval;
    int64_t now_ms = time_of(call), end_ms = query->end_ms.given ? min_i64(time_given(query->end_ms), now_ms) : now_ms;
    int64_t start_ms = time_given(query->start_ms), first_ms, oldest;

    if (!history_first_trade(call->api->shared->history, symbol->market, symbol->id, &first_ms)) return false;
    oldest = interval_index(interval, first_ms);
    key->last = interval_index(interval, end_ms);
    key->first = max_i64(oldest, key->last - query->limit + 1);
    if (query->start_ms.given) {
        if (start_ms >= interval_start(interval, key->last + 1)) return false; /* behind the open bar (decision 506) */
        key->first = max_i64(oldest, interval_index(interval, start_ms));
        key->last = min_i64(key->last, key->first + query->limit - 1);
    }
    return key->first <= key->last;
}

void answer_klines(struct call *call)
{
    const struct kline_query *query = &call->query.kline;
    const struct symbol      *symbol = call_symbol(call, call->parameter);
    struct statistic_key      key = { .statistic = STATISTIC_KLINES, .market = call->market };
    struct statistic_slot    *slot;
    enum interval             interval;
    int                       error;

    if (symbol == NULL) return;
    if (!interval_by_name(call->market, query->interval, &interval)) {
        fail_interval(call, query->interval);
        return;
    }
    if (query->start_ms.given && query->end_ms.given && query->start_ms.value > query->end_ms.value) {
        fail_number(&call->failure, REJECT_BAD_TIME_RANGE, SLICE("startTime"), query->start_ms.value);
        return;
    }
    key.interval = (uint8_t)interval;
    key.symbol_id = symbol->id;
    if (!kline_range(call, symbol, &key)) {
        call_rows_begin(call);
        call_rows_end(call);
        return;
    }
    slot = statistic_slot_of(&call->api->statistics, &key);
    error = klines_refresh(call, symbol, &key, slot);
    if (error == 0) answer_kept(call, slot->bytes, slot->len);
    else fail(&call->failure, REJECT_INTERNAL, SLICE(""), SLICE(""));
}
