/* SPDX-License-Identifier: MIT */
/* tardis.h — CSV files of Tardis (docs.tardis.dev): incremental_book_L2 and trades. Times are microseconds since 1970,
 * of which `local_timestamp`, the arrival at the recorder, orders the file. */
#ifndef PLAYBACK_TARDIS_H
#define PLAYBACK_TARDIS_H

#include "playback/event.h"

enum tardis_kind { TARDIS_NONE = 0, TARDIS_BOOK, TARDIS_TRADES };

/* What a file is by its first line. */
enum tardis_kind tardis_header(struct slice line);

/* Of a first line that is neither header: whether it was meant to be one, or a row without a header, and as `why` which
 * column differs. */
bool tardis_differs(struct slice line, char why[PLAYBACK_WHY_BYTES]);

struct tardis_row {
    struct playback_event event; /* LEVEL or TRADE, its symbol left out */
    struct slice          exchange, symbol;
    bool                  is_snapshot; /* LEVEL: the first such row behind others begins a new book */
};

/* One row. False: `why` names the column. */
bool tardis_read(enum tardis_kind kind, struct slice line, struct tardis_row *row,
                 char why[PLAYBACK_WHY_BYTES]) MUST_USE;

#endif
