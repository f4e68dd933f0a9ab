/* SPDX-License-Identifier: MIT */
/* source_recording.c — a line of a recording: a push of the streams becomes events. */
#include "app/playback/recording.h"
#include "app/playback/source.h"
#include "app/cli/members.h"
#include "base/hex.h"

#include <stdio.h>

static bool decimal_at(const json_t *text, struct decimal *decimal)
{
    const char *value = json_string_value(text);

    return value != NULL && decimal_read(slice_of(value), decimal) == DECIMAL_OK && decimal->digits >= 0;
}

static struct playback_event event_at(const struct source *source, uint32_t symbol, enum playback_kind kind)
{
    return (struct playback_event){ .time_us = source->time_us, .symbol = symbol, .kind = (uint8_t)kind };
}

static bool find_symbol(struct sources *sources, struct source *source, const json_t *record, uint32_t *symbol)
{
    return source_symbol(sources, slice_of(text_at(record, "s")), symbol)
        || source_refuse(sources, source, "a push without a symbol, or of more than 64");
}

/* One side of a book: [price, size] each. */
static bool take_levels(struct sources *sources, struct source *source, uint32_t symbol, uint8_t side,
                        const json_t *levels)
{
    struct playback_event event = event_at(source, symbol, PLAYBACK_LEVEL);
    json_t               *level;
    size_t                i;

    event.side = side;
    json_array_foreach(levels, i, level) {
        if (!decimal_at(json_array_get(level, 0), &event.price) || event.price.digits == 0
            || !decimal_at(json_array_get(level, 1), &event.quantity))
            return source_refuse(sources, source, "a level that is no price and size");
        if (!source_add(sources, source, &event)) return false;
    }
    return true;
}

/* l4Book, l2Book: the whole book, or its changes. */
static bool take_book(struct sources *sources, struct source *source, const json_t *book, bool whole)
{
    struct playback_event event;
    uint32_t              symbol;
    int64_t               last;

    if (!find_symbol(sources, source, book, &symbol)) return false;
    last = source->symbols[symbol].update_id;
    if (!whole && number_at(book, "U") != last + 1 && last != 0) sources->gaps++;
    source->symbols[symbol].update_id = number_at(book, "u");
    event = event_at(source, symbol, PLAYBACK_SNAPSHOT);
    if (whole && !source_add(sources, source, &event)) return false;
    event.kind = PLAYBACK_SETTLED;
    return take_levels(sources, source, symbol, SIDE_BUY, json_object_get(book, "b"))
        && take_levels(sources, source, symbol, SIDE_SELL, json_object_get(book, "a"))
        && (!whole || source_add(sources, source, &event));
}

static bool take_trade(struct sources *sources, struct source *source, const json_t *trade, bool is_old)
{
    struct playback_event event;
    struct source_symbol *known;
    uint32_t              symbol;
    const char           *side = text_at(trade, "S");

    if (!find_symbol(sources, source, trade, &symbol)) return false;
    known = &source->symbols[symbol];
    if (number_at(trade, "t") <= known->trade_id) return true;
    known->trade_id = number_at(trade, "t");
    if (is_old) return true;
    event = event_at(source, symbol, PLAYBACK_TRADE);
    event.side = strcmp(side, "BUY") == 0 ? SIDE_BUY : strcmp(side, "SELL") == 0 ? SIDE_SELL : 0;
    if (!decimal_at(json_object_get(trade, "p"), &event.price) || event.price.digits == 0
        || !decimal_at(json_object_get(trade, "q"), &event.quantity) || event.quantity.digits == 0)
        return source_refuse(sources, source, "a trade without price and quantity");
    return source_add(sources, source, &event);
}

/* A snapshot has the newest first; the first one is of what was before the recording. */
static bool take_trades(struct sources *sources, struct source *source, const json_t *trades, bool is_snapshot)
{
    size_t   count = json_array_size(trades);
    uint32_t symbol;
    bool     is_old = false;

    if (is_snapshot && count != 0) {
        if (!find_symbol(sources, source, json_array_get(trades, 0), &symbol)) return false;
        is_old = !source->symbols[symbol].has_trades;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *trade = json_array_get(trades, is_snapshot ? count - 1 - i : i);

        if (!take_trade(sources, source, trade, is_old) || !find_symbol(sources, source, trade, &symbol)) return false;
        source->symbols[symbol].has_trades = true;
    }
    return true;
}

static bool take_marks(struct sources *sources, struct source *source, const json_t *marks)
{
    json_t *mark;
    size_t  i;

    json_array_foreach(marks, i, mark) {
        struct playback_event event = event_at(source, 0, PLAYBACK_INDEX);

        if (!find_symbol(sources, source, mark, &event.symbol)) return false;
        if (!decimal_at(json_object_get(mark, "i"), &event.price))
            return source_refuse(sources, source, "a mark price without an index");
        if (event.price.digits != 0 && !source_add(sources, source, &event)) return false;
    }
    return true;
}

static bool take_push(struct sources *sources, struct source *source, const json_t *push)
{
    const char   *channel = text_at(push, "channel");
    const json_t *data = json_object_get(push, "data");
    bool          is_snapshot = strcmp(text_at(push, "type"), "snapshot") == 0;

    if (strcmp(channel, "l4Book") == 0) return take_book(sources, source, data, is_snapshot);
    if (strcmp(channel, "l2Book") == 0) return take_book(sources, source, data, true);
    if (strcmp(channel, "trade") == 0) return take_trades(sources, source, data, is_snapshot);
    if (strcmp(channel, "markPrice") == 0) return take_marks(sources, source, data);
    return true;
}

/* The last line: as many lines as it says, and their hash. */
static bool take_end(struct sources *sources, struct source *source, const json_t *line)
{
    struct hash256 hash, said;

    source->whole = true;
    if (sources->checked) return true;
    hash = keccak_end(&source->hash);
    if (!hex_read_0x(slice_of(text_at(line, "keccak256")), said.bytes, sizeof(said.bytes))
        || !hash256_equal(&hash, &said) || (uint64_t)number_at(line, "lines") + 1 != source->line)
        return source_refuse(sources, source, "the recording was changed, or is damaged: its hash is another one");
    return true;
}

static bool take_first(struct sources *sources, struct source *source, const json_t *line)
{
    char why[96];

    if (number_at(line, "version") == RECORDING_VERSION) return true;
    (void)snprintf(why, sizeof(why), "version %lld of recordings is not known; this program reads version %d",
                   number_at(line, "version"), RECORDING_VERSION);
    return source_refuse(sources, source, why);
}

static bool take_json(struct sources *sources, struct source *source, const json_t *line)
{
    int64_t time_ms = number_at(line, "t");

    if (json_object_get(line, "end") != NULL) return take_end(sources, source, line);
    if (time_ms <= 0 || time_ms > INT64_MAX / 1000) return source_refuse(sources, source, "a line without a time");
    source->time_us = time_ms * 1000;
    if (source->line == 1) return take_first(sources, source, line);
    if (json_object_get(line, "lost") != NULL) sources->after_last++;
    if (json_object_get(line, "push") != NULL) return take_push(sources, source, json_object_get(line, "push"));
    return true;
}

/* The half line that a killed recorder leaves is the last one; with others behind it the file is damaged. */
static bool take_half_line(struct sources *sources, struct source *source)
{
    struct slice next;

    if (!sources->may_be_cut)
        return source_refuse(sources, source, "the recording is cut or damaged: a line that is no JSON");
    if (lines_next(&source->lines, &next))
        return source_refuse(sources, source, "a line that is no JSON, and more behind it: damaged, not cut");
    source->ended = true;
    return true;
}

bool source_take_recording(struct sources *sources, struct source *source, struct slice line)
{
    json_t *json = json_loadb(line.at, line.len, 0, NULL);
    bool    ok;

    if (source->whole) ok = source_refuse(sources, source, "a line behind the last one");
    else if (!json_is_object(json)) ok = take_half_line(sources, source);
    else ok = take_json(sources, source, json);
    if (ok && !source->ended && !source->whole && !sources->checked) {
        keccak_add(&source->hash, line.at, line.len);
        keccak_add(&source->hash, "\n", 1);
    }
    json_decref(json);
    return ok;
}
