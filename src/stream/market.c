/* SPDX-License-Identifier: MIT */
/* market.c — messages of the market channels, from the present views and history. */
#include "stream/inside.h"

#include <stdlib.h>

/* ---- of each symbol: one, or all of the market ---- */

/* Writes the record of a symbol; false: nothing new. */
typedef bool write_symbol(struct stream *stream, struct topic *topic, const struct symbol *symbol,
                          struct last_published *last_published, bool whole, struct out *out);

/* The symbols of a topic that have something to send. */
static bool each_symbol(struct stream *stream, struct topic *topic, write_symbol *write, bool whole, struct out *out)
{
    const struct views *views = stream->settings.present->views;
    uint32_t            first = topic->key.symbol_id != 0 ? topic->key.symbol_id : 1;
    uint32_t            last = topic->key.symbol_id != 0 ? first : views_symbol_count(views, topic->key.market);
    bool                any = false;

    for (uint32_t id = first; id <= last; id++) {
        size_t before = out->len;
        if (any) out_char(out, ',');
        if (write(stream, topic, views_symbol(views, topic->key.market, id), &topic->last_published[id - first], whole,
                  out))
            any = true;
        else out->len = before;
    }
    return any;
}

/* ---- tickers ---- */

static uint64_t ticker_version(const struct stream *stream, const struct symbol *symbol, bool is_mini)
{
    const struct present *present = stream->settings.present;
    uint64_t              version = history_bars_version(present->history, symbol->market, symbol->id);

    return is_mini ? version : version + views_depth_version(present->views, symbol->market, symbol->id);
}

static bool write_ticker(struct stream *stream, struct topic *topic, const struct symbol *symbol,
                         struct last_published *last_published, bool whole, struct out *out)
{
    bool                        is_mini = channel_of(stream, topic)->is_mini;
    uint64_t                    version = ticker_version(stream, symbol, is_mini);
    struct stream_ticker_record record;

    if (!whole && last_published->version == version) return false;
    if (!whole) last_published->version = version;
    memset(&record, 0, sizeof(record));
    record.event_ms = stream->now_ms;
    record.ticker.symbol = symbol->name;
    record_window(stream->settings.present, symbol, stream->now_ms, &record.ticker);
    if (!is_mini) record_best(stream->settings.present->views, symbol, &record.ticker);
    shape_write(out, is_mini ? &stream_mini_shape : &stream_ticker_shape, &record, false);
    return true;
}

bool ticker_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_ticker, true, out);
}
bool ticker_update(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_ticker, false, out);
}

static bool level_equal(const struct view_level *a, const struct view_level *b)
{
    return a->price == b->price && a->quantity == b->quantity;
}

/* Only a change of the best level of a side is one. */
static bool write_best(struct stream *stream, struct topic *topic, const struct symbol *symbol,
                       struct last_published *last_published, bool whole, struct out *out)
{
    const struct views         *views = stream->settings.present->views;
    uint64_t                    version = views_depth_version(views, symbol->market, symbol->id);
    struct view_level           bid = { 0, 0 }, ask = { 0, 0 };
    struct view_book            book;
    struct stream_ticker_record record;
    int                         p = (int)symbol->price_precision, q = (int)symbol->quantity_precision;

    if (!whole && last_published->version == version) return false;
    if (!whole) topic->version = version;
    views_book(views, symbol->market, symbol->id, 1, &bid, &ask, &book);
    if (!whole) {
        bool same = level_equal(&bid, &last_published->bid) && level_equal(&ask, &last_published->ask);
        *last_published = (struct last_published){ version, bid, ask };
        if (same) return false;
    }
    memset(&record, 0, sizeof(record));
    record.event_ms = stream->now_ms;
    record.update_id = book.update_id;
    record.ticker.symbol = symbol->name;
    record.ticker.bid = decimal_make(bid.price, p);
    record.ticker.bid_size = decimal_make(bid.quantity, q);
    record.ticker.ask = decimal_make(ask.price, p);
    record.ticker.ask_size = decimal_make(ask.quantity, q);
    shape_write(out, &stream_book_ticker_shape, &record, false);
    return true;
}

bool book_ticker_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_best, true, out);
}
bool book_ticker_update(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_best, false, out);
}

/* ---- prices of the perps side ---- */

static bool write_mark(struct stream *stream, struct topic *topic, const struct symbol *symbol,
                       struct last_published *last_published, bool whole, struct out *out)
{
    const struct views  *views = stream->settings.present->views;
    uint64_t             version = views_price_version(views, symbol->id);
    struct price_changed price;
    int                  p = (int)symbol->price_precision;

    (void)topic;
    if (!whole && last_published->version == version) return false;
    if (!whole) last_published->version = version;
    price = views_price(views, symbol->id);
    shape_write(out, &stream_mark_shape,
                &(struct stream_mark_record){ .event_ms = stream->now_ms,
                                              .symbol = symbol->name,
                                              .open_interest =
                                                  decimal_make(price.open_interest, (int)symbol->quantity_precision),
                                              .mark = decimal_make(price.mark, p),
                                              .index = decimal_make(price.index, p),
                                              .funding_rate = decimal_make(price.funding_rate, 12),
                                              .next_funding_ms = price.next_funding_ms },
                false);
    return true;
}

bool mark_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_mark, true, out);
}
bool mark_update(struct stream *stream, struct topic *topic, struct out *out)
{
    return each_symbol(stream, topic, write_mark, false, out);
}

/* vUSDC is the only collateral, counts in full and is worth one (mechanics 3.3); the others count nothing. */
static void write_coin(const struct stream *stream, const struct coin *coin, struct out *out)
{
    struct decimal one = { .digits = coin->id == COIN_MARGIN };

    shape_write(out, &stream_coin_shape,
                &(struct stream_coin_record){
                    .id = coin->id, .coin = coin->name, .price = one, .margin_ratio = one, .event_ms = stream->now_ms },
                false);
}

bool coin_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    const struct views *views = stream->settings.present->views;

    if (topic->key.symbol_id != 0) {
        write_coin(stream, views_coin(views, topic->key.symbol_id - 1), out);
        return true;
    }
    for (uint32_t id = 0; id < views_coin_count(views); id++) {
        if (id != 0) out_char(out, ',');
        write_coin(stream, views_coin(views, id), out);
    }
    return true;
}

/* Their prices never change. */
bool coin_update(struct stream *stream, struct topic *topic, struct out *out)
{
    (void)stream, (void)topic, (void)out;
    return false;
}

/* ---- trades ---- */

static void write_trade(const struct stream *stream, const struct traded *trade, struct out *out)
{
    struct stream_trade_record record = { .event_ms = trade->time_ms };

    record_trade(stream->settings.present->views, trade, &record.trade);
    shape_write(out, &stream_trade_shape, &record, false);
}

/* Newest first, down to the last one that was sent to all. */
bool trade_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    uint32_t count = views_trades(stream->settings.present->views, topic->key.market, topic->key.symbol_id,
                                  TRADES_SHOWN, stream->trades);
    bool     any = false;

    for (uint32_t i = 0; i < count; i++) {
        if (stream->trades[i].trade_id > topic->trade_id) continue;
        if (any) out_char(out, ',');
        write_trade(stream, &stream->trades[i], out);
        any = true;
    }
    return true;
}

static struct topic *trade_topic(struct stream *stream, uint8_t market, uint32_t symbol_id)
{
    struct topic_key key = { .market = market, .symbol_id = symbol_id };

    while (stream->channels[key.channel].wants != WANT_TRADES) key.channel++;
    return topic_find(stream, &key);
}

/* The trades of a symbol among those that wait, in one message. */
static void publish_symbol(struct stream *stream, struct topic *topic, uint32_t from)
{
    const struct channel *channel = channel_of(stream, topic);
    struct out            out = push_begin(stream, channel, false);

    for (uint32_t i = from; i < stream->waiting_count; i++) {
        const struct traded *trade = &stream->waiting[i];
        if (trade->head.market != topic->key.market || trade->symbol_id != topic->key.symbol_id
            || trade->trade_id <= topic->trade_id)
            continue;
        if (i != from) out_char(&out, ',');
        write_trade(stream, trade, &out);
        topic->trade_id = trade->trade_id;
    }
    push_all(stream, topic, push_end(channel, &out));
}

void trades_publish(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->waiting_count; i++) {
        const struct traded *trade = &stream->waiting[i];
        struct topic        *topic = trade_topic(stream, trade->head.market, trade->symbol_id);
        if (topic != NULL && trade->trade_id > topic->trade_id) publish_symbol(stream, topic, i);
    }
    stream->waiting_count = 0;
}

void trades_take(struct stream *stream, const struct events *events)
{
    if (stream->want_counts[1] == 0) return;
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind != EVENT_TRADE) continue;
        if (stream->waiting_count == WAITING_MAX) trades_publish(stream);
        stream->waiting[stream->waiting_count++] = *(const struct traded *)event;
    }
}

static void see_trades(struct stream *stream, struct topic *topic)
{
    if (views_trades(stream->settings.present->views, topic->key.market, topic->key.symbol_id, 1, stream->trades) != 0)
        topic->trade_id = stream->trades[0].trade_id;
}

void trades_lost(struct stream *stream)
{
    for (uint32_t i = 0; i < stream->live_count; i++) {
        struct topic *topic = &stream->topics[stream->live[i]];
        if (channel_of(stream, topic)->wants != WANT_TRADES) continue;
        see_trades(stream, topic);
        for (uint32_t ix = topic->first; ix != 0; ix = stream->subscriptions[ix].next)
            push_snapshot(stream, &stream->subscriptions[ix]);
    }
}

/* ---- books ---- */

static struct list level_list(struct stream *stream, const struct symbol *symbol, int side,
                              const struct view_level *levels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stream->records[side][i] =
            (struct level_record){ decimal_make(levels[i].price, (int)symbol->price_precision),
                                   decimal_make(levels[i].quantity, (int)symbol->quantity_precision) };
    return (struct list){ stream->records[side], count, 0 };
}

/* One side, merged. */
struct merged {
    uint32_t count;
    bool     is_whole; /* the last level has all of its prices, and none is missing behind it */
};

static int64_t add_capped(int64_t a, int64_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }

/* Levels merged to multiples of `tick`, bids down and asks up; the best BOOK_SHOWN of them. */
static struct merged merge_levels(const struct view_level *levels, uint32_t count, uint32_t limit, int64_t tick,
                                  bool up, struct view_level *into)
{
    uint32_t n = 0, i = 0;

    while (i < count && n < BOOK_SHOWN) {
        int64_t price = levels[i].price - levels[i].price % tick, quantity = 0;
        if (up && price != levels[i].price) price += tick;
        for (; i < count && (up ? levels[i].price <= price : levels[i].price >= price); i++)
            quantity = add_capped(quantity, levels[i].quantity);
        into[n++] = (struct view_level){ price, quantity };
    }
    return (struct merged){ n, i < count || count < limit };
}

/* The book that a topic merges: as many prices of it as the topic has needed so far. */
static struct book_copy l2_copy(struct stream *stream, const struct topic *topic, bool of_round)
{
    const struct symbol *symbol = topic_symbol(stream, topic);
    const struct views  *views = stream->settings.present->views;
    struct book_copy     copy = { .limit = topic->key.tick <= symbol->tick_size ? BOOK_SHOWN + 1 : BOOK_LEVELS_MAX,
                                  .version = views_depth_version(views, symbol->market, symbol->id),
                                  .levels = { stream->levels[0], stream->levels[1] } };

    if (topic->deep && deep_book_read(stream, symbol, of_round, &copy)) return copy;
    views_book(views, symbol->market, symbol->id, copy.limit, stream->levels[0], stream->levels[1], &copy.book);
    return copy;
}

/* A last level that may lack prices is left out: its size would be wrong. The only one of its side stays. */
static uint32_t count_shown(struct merged merged)
{
    return merged.is_whole || merged.count <= 1 ? merged.count : merged.count - 1;
}

/* The version of the book that it wrote. */
static uint64_t l2_write(struct stream *stream, struct topic *topic, bool of_round, struct out *out)
{
    const struct symbol *symbol = topic_symbol(stream, topic);
    int64_t              tick = max_i64(1, topic->key.tick);
    struct book_copy     copy = l2_copy(stream, topic, of_round);
    struct merged bids = merge_levels(copy.levels[0], copy.book.bid_count, copy.limit, tick, false, stream->shown[0]);
    struct merged asks = merge_levels(copy.levels[1], copy.book.ask_count, copy.limit, tick, true, stream->shown[1]);

    if (!topic->deep && !(bids.is_whole && asks.is_whole)) {
        topic->deep = true;
        return l2_write(stream, topic, of_round, out);
    }
    shape_write(
        out, &stream_book_shape,
        &(struct stream_book_record){ .symbol = symbol->name,
                                      .update_id = copy.book.update_id,
                                      .event_ms = stream->now_ms,
                                      .asks = level_list(stream, symbol, 1, stream->shown[1], count_shown(asks)),
                                      .bids = level_list(stream, symbol, 0, stream->shown[0], count_shown(bids)) },
        false);
    return copy.version;
}

bool l2_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    (void)l2_write(stream, topic, false, out);
    return true;
}

bool l2_update(struct stream *stream, struct topic *topic, struct out *out)
{
    if (views_depth_version(stream->settings.present->views, topic->key.market, topic->key.symbol_id) == topic->version)
        return false;
    topic->version = l2_write(stream, topic, true, out);
    return true;
}

/* The book as last sent to all, so that updates continue from it without a gap. */
bool l4_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    const struct symbol         *symbol = topic_symbol(stream, topic);
    const struct published_book *book = topic->book;

    shape_write(out, &stream_book_shape,
                &(struct stream_book_record){
                    .symbol = symbol->name,
                    .update_id = book->update_id,
                    .event_ms = stream->now_ms,
                    .asks = level_list(stream, symbol, 1, book->levels + topic->key.level, book->count[1]),
                    .bids = level_list(stream, symbol, 0, book->levels, book->count[0]) },
                false);
    return true;
}

/* The difference from levels `from` to levels `to`, both best first: changed sizes, 0 for a removed level. */
static uint32_t differ(const struct view_level *from, uint32_t from_count, const struct view_level *to,
                       uint32_t to_count, bool falling, struct view_level *changes)
{
    uint32_t i = 0, k = 0, n = 0;

    while (i < from_count || k < to_count) {
        if (i < from_count && k < to_count && from[i].price == to[k].price) {
            if (from[i].quantity != to[k].quantity) changes[n++] = to[k];
            i++, k++;
        } else if (k == to_count || (i < from_count && (from[i].price > to[k].price) == falling)) {
            changes[n++] = (struct view_level){ from[i++].price, 0 };
        } else {
            changes[n++] = to[k++];
        }
    }
    return n;
}

/*
 * An update is the difference between the best levels as last sent and now, so that a client that applies it has
 * exactly the best `level` levels of each side, whichever entered or left the range.
 */
bool l4_update(struct stream *stream, struct topic *topic, struct out *out)
{
    const struct views    *views = stream->settings.present->views;
    const struct symbol   *symbol = topic_symbol(stream, topic);
    struct published_book *last_published = topic->book;
    uint64_t first = last_published->update_id + 1, version = views_depth_version(views, symbol->market, symbol->id);
    uint32_t counts[2], level = topic->key.level;
    struct view_book book;

    if (version == topic->version) return false;
    if (level > 100 && stream->mono_ms - topic->pushed_ms < 100) return false; /* deep ones cost a long copy */
    topic->version = version;
    topic->pushed_ms = stream->mono_ms;
    views_book(views, symbol->market, symbol->id, level, stream->levels[0], stream->levels[1], &book);
    if (book.update_id == last_published->update_id) return false;
    counts[0] = differ(last_published->levels, last_published->count[0], stream->levels[0], book.bid_count, true,
                       stream->shown[0]);
    counts[1] = differ(last_published->levels + level, last_published->count[1], stream->levels[1], book.ask_count,
                       false, stream->shown[1]);
    memcpy(last_published->levels, stream->levels[0], book.bid_count * sizeof(struct view_level));
    memcpy(last_published->levels + level, stream->levels[1], book.ask_count * sizeof(struct view_level));
    last_published->count[0] = book.bid_count;
    last_published->count[1] = book.ask_count;
    last_published->update_id = book.update_id;
    shape_write(out, &stream_book_shape,
                &(struct stream_book_record){ .symbol = symbol->name,
                                              .first_id = first,
                                              .update_id = book.update_id,
                                              .event_ms = stream->now_ms,
                                              .asks = level_list(stream, symbol, 1, stream->shown[1], counts[1]),
                                              .bids = level_list(stream, symbol, 0, stream->shown[0], counts[0]) },
                false);
    return true;
}

/* ---- candles ---- */

/* Bar number `index`; one without trades repeats the close before it. False: no trade yet. */
static bool write_candle(struct stream *stream, struct topic *topic, int64_t index, struct out *out)
{
    const struct present       *present = stream->settings.present;
    const struct symbol        *symbol = topic_symbol(stream, topic);
    struct slice                name = slice_of(topic->key.interval);
    struct bar                  before;
    enum interval               interval;
    struct stream_candle_record record = { .symbol = symbol->name, .interval = { .len = (uint8_t)name.len } };
    bool                        known = interval_by_name(symbol->market, name, &interval);
    int                         count = -1;

    if (known) {
        struct history_bars_query query = { symbol->market, interval, symbol->id, index, index };

        count = history_bars(present->history, &query, stream->bars, &before);
    }
    if (count < 0 || (count == 0 && before.trades == 0)) return false;
    if (count == 0)
        stream->bars[0] =
            (struct bar){ .open = before.close, .high = before.close, .low = before.close, .close = before.close };
    record_bar(present->views, symbol, &stream->bars[0], &record.bar);
    memcpy(record.interval.at, name.at, name.len);
    record.bar.start_ms = interval_start(interval, index);
    record.end_ms = interval_start(interval, index + 1) - 1;
    record.closed = stream->now_ms > record.end_ms;
    shape_write(out, &stream_candle_shape, &record, false);
    return true;
}

static int64_t current_bar(const struct stream *stream, const struct topic *topic)
{
    enum interval interval;
    bool          known = interval_by_name(topic->key.market, slice_of(topic->key.interval), &interval);

    assert(known);
    return interval_index(interval, stream->now_ms);
}

bool candle_snapshot(struct stream *stream, struct topic *topic, struct out *out)
{
    return write_candle(stream, topic, current_bar(stream, topic), out);
}

/* An ended bar is sent once more, closed; the next one after that. */
bool candle_update(struct stream *stream, struct topic *topic, struct out *out)
{
    uint64_t version = history_bars_version(stream->settings.present->history, topic->key.market, topic->key.symbol_id);
    int64_t  bar = current_bar(stream, topic), last_published = topic->bar;

    if (version == topic->version && bar == last_published) return false;
    if (last_published != 0 && last_published < bar) {
        topic->bar = bar;
        topic->version = version - 1; /* the new one is due at the next turn */
        return write_candle(stream, topic, last_published, out);
    }
    topic->bar = bar;
    topic->version = version;
    return write_candle(stream, topic, bar, out);
}

/* ---- beginnings ---- */

static bool begin_book(struct stream *stream, struct topic *topic)
{
    const struct views     *views = stream->settings.present->views;
    const struct topic_key *key = &topic->key;
    struct view_book        book;

    topic->book = malloc(sizeof(*topic->book) + 2 * (size_t)key->level * sizeof(struct view_level));
    if (topic->book == NULL) return false;
    topic->version = views_depth_version(views, key->market, key->symbol_id);
    views_book(views, key->market, key->symbol_id, key->level, topic->book->levels, topic->book->levels + key->level,
               &book);
    topic->book->update_id = book.update_id;
    topic->book->count[0] = book.bid_count;
    topic->book->count[1] = book.ask_count;
    return true;
}

/* Later messages are differences from now: the versions are read before the first snapshot is sent. */
static bool last_published_begin(struct stream *stream, struct topic *topic)
{
    uint32_t   count = topic->key.symbol_id != 0
                         ? 1
                         : max_u32(1, views_symbol_count(stream->settings.present->views, topic->key.market));
    struct out nowhere = push_begin(stream, channel_of(stream, topic), false);

    topic->last_published = calloc(count, sizeof(*topic->last_published));
    if (topic->last_published == NULL) return false;
    (void)channel_of(stream, topic)->update(stream, topic, &nowhere);
    return true;
}

bool topic_begin(struct stream *stream, struct topic *topic)
{
    const struct channel *channel = channel_of(stream, topic);

    topic->pushed_ms = stream->mono_ms;
    if (channel->level) return begin_book(stream, topic);
    if (channel->keeps_published) return last_published_begin(stream, topic);
    if (channel->wants == WANT_TRADES) see_trades(stream, topic);
    if (channel->receipts) receipts_begin(stream, topic);
    if (channel->interval) topic->bar = current_bar(stream, topic);
    if (channel->interval)
        topic->version =
            history_bars_version(stream->settings.present->history, topic->key.market, topic->key.symbol_id);
    if (channel->tick_size)
        topic->version = views_depth_version(stream->settings.present->views, topic->key.market, topic->key.symbol_id);
    return true;
}
