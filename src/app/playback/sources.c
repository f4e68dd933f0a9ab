/* SPDX-License-Identifier: MIT */
#include "app/playback/sources.h"

#include "app/playback/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- formats ---- */

static bool refuse_path(struct sources *sources, const char *path, const char *why)
{
    if (sources->why[0] == '\0') (void)snprintf(sources->why, sizeof(sources->why), "%.120s: %.190s", path, why);
    return false;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* "AAPL_2012-06-21_…_message_50.csv" is of AAPL. */
static bool name_lobster(struct sources *sources, struct source *source)
{
    const char *name = file_name(source->path);

    if (!source_symbol(sources, slice_make(name, strcspn(name, "_.")), &source->lobster_symbol))
        return refuse_path(sources, source->path, "the name of the file begins with no symbol");
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source *other = &sources->source[i];

        if (other != source && other->kind == SOURCE_LOBSTER && other->path != NULL
            && other->lobster_symbol == source->lobster_symbol)
            return refuse_path(sources, source->path, "its times have no date: days of a symbol are played one by one");
    }
    return true;
}

/* Two files whose names have "message" and "orderbook" in the same place are of one day where the rest is the same. */
static bool are_of_one_day(const char *message_path, const char *book_path)
{
    const char *message = file_name(message_path), *book = file_name(book_path);
    const char *m = strstr(message, "message"), *b = strstr(book, "orderbook");

    if (m == NULL || b == NULL) return true;
    return slice_equal(slice_make(message, (size_t)(m - message)), slice_make(book, (size_t)(b - book)))
        && slice_is(slice_of(m + strlen("message")), b + strlen("orderbook"));
}

/* A source that lacks this file. */
static bool lacks(const struct source *source, const char *path, bool is_message)
{
    if (source->kind != SOURCE_LOBSTER || (is_message ? source->path : source->book_path) != NULL) return false;
    return is_message ? are_of_one_day(path, source->book_path) : are_of_one_day(source->path, path);
}

/* The message file and the order book file of LOBSTER are one source, whichever comes first. */
static bool add_lobster(struct sources *sources, const char *path, uint32_t columns)
{
    struct source *source = &sources->source[0];
    bool           is_message = columns == 6;

    for (uint32_t i = 0; i < sources->count; i++, source++)
        if (lacks(source, path, is_message)) break;
    if (source == &sources->source[sources->count]) {
        sources->count++;
        source->kind = SOURCE_LOBSTER;
        source->books = calloc(2, sizeof(*source->books));
        if (source->books == NULL) return refuse_path(sources, path, "not enough memory");
    }
    *(is_message ? &source->path : &source->book_path) = path;
    return !is_message || name_lobster(sources, source);
}

/* Of the first bytes of a file that is no text of ours: what it is. NULL: it may be. */
static const char *known_as(struct slice line)
{
    static const struct {
        const char *bytes, *what;
        size_t      len;
    } kinds[] = {
        { "\x1f\x8b", "is compressed; gunzip it first", 2 },
        { "\x28\xb5\x2f\xfd", "is compressed; unzstd it first", 4 },
        { "\xfd"
          "7zXZ",
          "is compressed; unxz it first", 5 },
        { "BZh", "is compressed; bunzip2 it first", 3 },
        { "PK\x03\x04", "is an archive; unzip it first", 4 },
        { "\xff\xfe", "is UTF-16; write it as plain text, without a byte order mark", 2 },
        { "\xfe\xff", "is UTF-16; write it as plain text, without a byte order mark", 2 },
        { "\xef\xbb\xbf",
          "begins with a byte order mark, as spreadsheets write it, which change numbers too; play "
          "the file as it came",
          3 },
    };

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (line.len >= kinds[i].len && memcmp(line.at, kinds[i].bytes, kinds[i].len) == 0) return kinds[i].what;
    return NULL;
}

/* What a file is, by its first line. */
static bool look_at(struct sources *sources, const char *path, struct slice line)
{
    enum tardis_kind tardis = tardis_header(line);
    uint32_t         columns = tardis == TARDIS_NONE ? lobster_columns(line) : 0;
    char             why[PLAYBACK_WHY_BYTES];

    if (known_as(line) != NULL) return refuse_path(sources, path, known_as(line));
    if (columns == 6 || (columns != 0 && columns % 4 == 0)) return add_lobster(sources, path, columns);
    if (tardis == TARDIS_NONE && !recording_begins(line) && (lobster_differs(line, why) || tardis_differs(line, why)))
        return refuse_path(sources, path, why);
    if (tardis == TARDIS_NONE && !recording_begins(line))
        return refuse_path(sources, path,
                           "neither a recording of dojima record, nor incremental_book_L2 or trades of Tardis, nor a "
                           "message or order book file of LOBSTER");
    sources->source[sources->count++] = (struct source){
        .kind = tardis != TARDIS_NONE ? SOURCE_TARDIS : SOURCE_RECORDING, .tardis = tardis, .path = path
    };
    return true;
}

static bool find_format(struct sources *sources, const char *path)
{
    struct lines lines;
    struct slice line = SLICE("");
    int          error = lines_open(&lines, path);
    bool         ok;

    if (error != 0) ok = refuse_path(sources, path, strerror(error));
    else if (!lines_are_kept(&lines))
        ok = refuse_path(sources, path,
                         "is no plain file; it is read twice, so write what a pipe has into a file first");
    else if (!lines_next(&lines, &line))
        ok = refuse_path(sources, path, lines.error != 0 ? strerror(lines.error) : "is empty");
    else ok = look_at(sources, path, line);
    lines_close(&lines);
    return ok;
}

/* ---- opening ---- */

static void close_lines(struct source *source)
{
    lines_close(&source->lines);
    lines_close(&source->book_lines);
}

static bool open_lines(struct sources *sources, struct source *source)
{
    int error = lines_open(&source->lines, source->path), book_error = 0;

    if (source->book_path != NULL) book_error = lines_open(&source->book_lines, source->book_path);
    if (error != 0) return refuse_path(sources, source->path, strerror(error));
    if (book_error != 0) return refuse_path(sources, source->book_path, strerror(book_error));
    keccak_init(&source->hash);
    source->line = source->count = source->at = 0;
    source->time_us = 0;
    source->ended = source->whole = false;
    memset(source->symbols, 0, sizeof(source->symbols));
    if (source->books != NULL) memset(source->books, 0, 2 * sizeof(*source->books));
    return true;
}

bool sources_rewind(struct sources *sources)
{
    bool ok = true;

    sources->gaps = sources->after_last = 0;
    memset(sources->teller, 0, sizeof(sources->teller));
    for (uint32_t i = 0; i < sources->count; i++) {
        close_lines(&sources->source[i]);
        ok = ok && open_lines(sources, &sources->source[i]);
    }
    return ok;
}

bool sources_open(struct sources *sources, int count, char **paths)
{
    if (count < 1 || count > SOURCE_FILES) {
        (void)snprintf(sources->why, sizeof(sources->why), "1 to %d files are replayed together", SOURCE_FILES);
        return false;
    }
    for (int i = 0; i < count; i++) {
        for (int earlier = 0; earlier < i; earlier++)
            if (slice_is(slice_of(paths[earlier]), paths[i])) return refuse_path(sources, paths[i], "is named twice");
        if (!find_format(sources, paths[i])) return false;
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->source[i];

        if (source->kind == SOURCE_RECORDING && sources->count > 1)
            return refuse_path(sources, source->path, "a recording is replayed alone");
        if (source->kind != sources->source[0].kind)
            return refuse_path(sources, source->path != NULL ? source->path : source->book_path,
                               "files of LOBSTER have no date, and are not replayed beside those of Tardis");
        if (source->kind == SOURCE_LOBSTER && (source->path == NULL || source->book_path == NULL))
            return refuse_path(sources, source->path != NULL ? source->path : source->book_path,
                               source->path != NULL ? "needs its order book file" : "needs its message file");
    }
    return sources_rewind(sources);
}

void sources_close(struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        close_lines(&sources->source[i]);
        free(sources->source[i].events);
        free(sources->source[i].books);
    }
    sources->count = 0;
}

/* ---- reading ---- */

static bool take_line(struct sources *sources, struct source *source)
{
    struct slice line;
    int64_t      before_us = source->time_us;
    bool         ok;

    source->count = source->at = 0;
    source->ended = !lines_next(&source->lines, &line);
    if (source->lines.error != 0) return refuse_path(sources, source->path, strerror(source->lines.error));
    if (source->ended && source->kind == SOURCE_RECORDING && !source->whole && !sources->may_be_cut)
        return source_refuse(sources, source, "the recording is cut: its last line is missing (--cut plays it)");
    if (source->ended) return source_end_csv(sources, source);
    source->line++;
    ok = source->kind == SOURCE_RECORDING ? source_take_recording(sources, source, line)
                                          : source_take_csv(sources, source, line);
    return ok
        && (source->time_us >= before_us
            || source_refuse(sources, source, "the time is before that of the line above"));
}

/* Reads on until the source has an event or its end. */
static bool fill(struct sources *sources, struct source *source)
{
    while (source->at == source->count && !source->ended)
        if (!take_line(sources, source)) return false;
    return true;
}

/* Of two with the same time the trade comes first: it is the reason for the change of the book. */
static bool is_before(const struct source *a, const struct source *b)
{
    const struct playback_event *first = &a->events[a->at], *second = &b->events[b->at];

    if (first->time_us != second->time_us) return first->time_us < second->time_us;
    return first->kind == PLAYBACK_TRADE && second->kind != PLAYBACK_TRADE;
}

/* Files of days follow each other. Where two files of a symbol lie over each other, its changes and trades would be
 * played twice. */
static bool check_teller(struct sources *sources, struct source *source, uint32_t symbol)
{
    const struct source **teller = &sources->teller[symbol][source->tardis == TARDIS_BOOK ? 0 : 1], *other = *teller;
    struct source_symbol *told = &source->symbols[symbol];
    char                  why[PLAYBACK_WHY_BYTES];

    *teller = source;
    if (other == source || !told->told) {
        told->told = true;
        return true;
    }
    (void)snprintf(why, sizeof(why), "%.31s is in %.80s as well, in the same time", sources->symbols[symbol].at,
                   file_name(other->path));
    return source_refuse(sources, source, why);
}

bool sources_next(struct sources *sources, struct playback_event *event)
{
    struct source *best = NULL;

    for (uint32_t i = 0; i < sources->count; i++) {
        struct source *source = &sources->source[i];

        if (!fill(sources, source)) return false;
        if (source->at < source->count && (best == NULL || is_before(source, best))) best = source;
    }
    if (best == NULL) return false;
    sources->last = best;
    *event = best->events[best->at++];
    return best->kind != SOURCE_TARDIS || check_teller(sources, best, event->symbol);
}

/* ---- what an event cannot be ---- */

/* The column of a part, as its file names it. Which one of an order book of LOBSTER has not been kept. */
static const char *column_of(const struct source *source, bool is_level, enum playback_part part)
{
    bool is_price = part == PLAYBACK_PRICE;

    if (part == PLAYBACK_FITS) return "";
    if (source->kind == SOURCE_TARDIS) return is_price ? "price " : "amount ";
    if (source->kind == SOURCE_LOBSTER && !is_level) return is_price ? "column 5, price " : "column 4, size ";
    return is_price ? "price " : "size ";
}

bool sources_refuse(struct sources *sources, const struct playback_event *event, enum playback_part part,
                    const char *why)
{
    bool is_level = event->kind == PLAYBACK_LEVEL;
    char text[PLAYBACK_WHY_BYTES + 32];

    (void)snprintf(text, sizeof(text), "%s%s", column_of(sources->last, is_level, part), why);
    if (sources->last->kind == SOURCE_LOBSTER && is_level) return source_refuse_book(sources, sources->last, text);
    return source_refuse(sources, sources->last, text);
}
