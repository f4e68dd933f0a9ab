/* SPDX-License-Identifier: MIT */
/* source_csv.c — a line of Tardis or LOBSTER. */
#include "app/playback/source.h"

#include <stdio.h>

static bool mark(struct sources *sources, struct source *source, uint32_t symbol, enum playback_kind kind)
{
    return source_add(sources, source,
                      &(struct playback_event){ .time_us = source->time_us, .symbol = symbol, .kind = (uint8_t)kind });
}

/* Symbols of two exchanges may have the same name and are two markets; a name is played as one. */
static bool check_exchange(struct sources *sources, struct source *source, uint32_t symbol, struct slice exchange)
{
    struct name *known = &sources->exchanges[symbol];
    char         why[PLAYBACK_WHY_BYTES];

    if (exchange.len > NAME_MAX_LEN) return source_refuse(sources, source, "the name of the exchange is too long");
    if (known->len == 0) *known = name_make(exchange);
    if (slice_equal(name_slice(known), exchange)) return true;
    (void)snprintf(why, sizeof(why), "%.31s of %.*s, and above or in another file of %.31s: replay one exchange's",
                   sources->symbols[symbol].at, (int)exchange.len, exchange.at, known->at);
    return source_refuse(sources, source, why);
}

static bool take_tardis(struct sources *sources, struct source *source, struct slice line)
{
    struct tardis_row     row;
    struct source_symbol *symbol;
    char                  why[PLAYBACK_WHY_BYTES];

    if (source->line == 1) return true; /* the names of the columns */
    if (tardis_header(line) != TARDIS_NONE)
        return source_refuse(sources, source,
                             "the names of the columns once more: name several files, do not join them");
    if (!tardis_read(source->tardis, line, &row, why)) return source_refuse(sources, source, why);
    if (!source_symbol(sources, row.symbol, &row.event.symbol))
        return source_refuse(sources, source, "more than 64 symbols, or a name that is too long");
    if (!check_exchange(sources, source, row.event.symbol, row.exchange)) return false;
    source->time_us = row.event.time_us;
    symbol = &source->symbols[row.event.symbol];
    if (row.is_snapshot != symbol->in_snapshot
        && !mark(sources, source, row.event.symbol, row.is_snapshot ? PLAYBACK_SNAPSHOT : PLAYBACK_SETTLED))
        return false;
    symbol->in_snapshot = row.is_snapshot;
    return source_add(sources, source, &row.event);
}

static bool add_changes(struct sources *sources, struct source *source, const struct lobster_message *message)
{
    struct playback_event events[LOBSTER_CHANGES_MAX];
    uint32_t              count = lobster_changes(&source->books[1], &source->books[0], message, events);

    for (uint32_t i = 0; i < count; i++) {
        events[i].symbol = source->lobster_symbol;
        if (!source_add(sources, source, &events[i])) return false;
    }
    return true;
}

/* The next line of the order book file, which has as many lines as the message file, of as many columns each. */
static bool take_book(struct sources *sources, struct source *source)
{
    struct slice line;
    char         why[PLAYBACK_WHY_BYTES];

    source->books[1] = source->books[0];
    if (!lines_next(&source->book_lines, &line))
        return source_refuse_book(sources, source,
                                  source->book_lines.error != 0 ? strerror(source->book_lines.error)
                                                                : "this line is missing: the message file has more");
    if (!lobster_read_book(line, &source->books[0], why)) return source_refuse_book(sources, source, why);
    return source->line == 1 || source->books[0].columns == source->books[1].columns
        || source_refuse_book(sources, source, "another number of columns than the line above");
}

/* The first line's book is what the day begins with; from then on its message and the changes that it made. */
static bool take_lobster(struct sources *sources, struct source *source, struct slice line)
{
    struct lobster_message message;
    struct playback_event  trade;
    char                   why[PLAYBACK_WHY_BYTES];

    if (!lobster_read_message(line, &message, why)) return source_refuse(sources, source, why);
    if (!take_book(sources, source)) return false;
    source->time_us = message.time_us;
    if (source->line == 1)
        return mark(sources, source, source->lobster_symbol, PLAYBACK_SNAPSHOT)
            && add_changes(sources, source, &message)
            && mark(sources, source, source->lobster_symbol, PLAYBACK_SETTLED);
    if (lobster_trade(&message, &trade)) {
        trade.symbol = source->lobster_symbol;
        if (!source_add(sources, source, &trade)) return false;
    }
    return add_changes(sources, source, &message);
}

bool source_take_csv(struct sources *sources, struct source *source, struct slice line)
{
    return source->kind == SOURCE_TARDIS ? take_tardis(sources, source, line) : take_lobster(sources, source, line);
}

/* A snapshot that no other row follows is complete. */
bool source_end_csv(struct sources *sources, struct source *source)
{
    struct slice line;

    if (source->kind == SOURCE_LOBSTER && lines_next(&source->book_lines, &line))
        return source_refuse(sources, source, "the last line, but the order book file has more");
    for (uint32_t symbol = 0; symbol < sources->symbol_count; symbol++) {
        if (!source->symbols[symbol].in_snapshot) continue;
        source->symbols[symbol].in_snapshot = false;
        if (!mark(sources, source, symbol, PLAYBACK_SETTLED)) return false;
    }
    return true;
}
