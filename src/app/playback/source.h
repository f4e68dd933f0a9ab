/* SPDX-License-Identifier: MIT */
/*
 * source.h — one of the files that are replayed: a recording of `dojima record`, a file of Tardis, or the two files of
 * LOBSTER. All is checked while it is read; a reader that has seen the end knows that every line is good.
 *     source.c             what the formats need
 *     source_csv.c         a line of Tardis or LOBSTER
 *     source_recording.c   a line of a recording
 *     sources.c            which format a file has, the order of several files
 */
#ifndef APP_PLAYBACK_SOURCE_H
#define APP_PLAYBACK_SOURCE_H

#include "base/keccak.h"
#include "io/lines.h"
#include "playback/event.h"
#include "playback/lobster.h"
#include "playback/tardis.h"

#define SOURCE_FILES   8
#define SOURCE_SYMBOLS 64

enum source_kind { SOURCE_RECORDING = 1, SOURCE_TARDIS, SOURCE_LOBSTER };

/* What one file has told of a symbol so far. */
struct source_symbol {
    bool    in_snapshot; /* Tardis: the last row was of one */
    bool    told;        /* Tardis: its events have begun */
    bool    has_trades;  /* recordings: some were published, the last one with this id */
    int64_t trade_id, update_id;
};

struct source {
    uint8_t                kind; /* enum source_kind */
    enum tardis_kind       tardis;
    const char            *path, *book_path; /* LOBSTER: messages, order book */
    struct lines           lines, book_lines;
    uint64_t               line;
    struct playback_event *events; /* of the last lines, from `at` on */
    uint32_t               count, at, cap;
    bool                   ended;
    int64_t                time_us; /* of the last line */
    struct source_symbol   symbols[SOURCE_SYMBOLS];
    struct lobster_book   *books; /* LOBSTER: the last one, and the one before */
    uint32_t               lobster_symbol;
    struct keccak          hash;  /* recordings: of the lines before the last */
    bool                   whole; /* recordings: the last line was read */
};

struct sources {
    struct source        source[SOURCE_FILES];
    uint32_t             count;
    struct name          symbols[SOURCE_SYMBOLS];   /* as they are recorded */
    struct name          exchanges[SOURCE_SYMBOLS]; /* Tardis: where the symbol was recorded */
    const struct source *teller[SOURCE_SYMBOLS][2]; /* Tardis: the file that a symbol's book, its trades are in now */
    uint32_t             symbol_count;
    bool                 may_be_cut;       /* a recording without its last line ends at its last whole one */
    bool                 checked;          /* all was read once: hashes are not computed again */
    uint64_t             gaps, after_last; /* recordings: books that lacked updates; connections that were lost */
    const struct source *last;             /* that of the last event */
    char                 why[320];         /* "FILE:LINE: …" */
};

/* ---- of the formats ---- */

/* One more event of the line at hand. False: no memory. */
bool source_add(struct sources *sources, struct source *source, const struct playback_event *event) MUST_USE;
/* The number of a recorded symbol. False: too many, or a name that is too long. */
bool source_symbol(struct sources *sources, struct slice name, uint32_t *symbol) MUST_USE;
/* "FILE:LINE: WHY"; false. */
bool source_refuse(struct sources *sources, const struct source *source, const char *why);
/* The same of the order book file of LOBSTER. */
bool source_refuse_book(struct sources *sources, const struct source *source, const char *why);

/* Behind the last line. */
bool source_end_csv(struct sources *sources, struct source *source) MUST_USE;
bool source_take_csv(struct sources *sources, struct source *source, struct slice line) MUST_USE;
bool source_take_recording(struct sources *sources, struct source *source, struct slice line) MUST_USE;

#endif
