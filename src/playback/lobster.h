/* SPDX-License-Identifier: MIT */
/*
 * lobster.h — files of LOBSTER (lobsterdata.com): a line of the message file is one event at an order, the same line of
 * the order book file the best levels behind it. Times are seconds since midnight, prices are dollars times 10,000.
 */
#ifndef PLAYBACK_LOBSTER_H
#define PLAYBACK_LOBSTER_H

#include "playback/event.h"

#define LOBSTER_LEVELS_MAX  200
#define LOBSTER_CHANGES_MAX (4 * LOBSTER_LEVELS_MAX)

enum lobster_type {
    LOBSTER_SUBMITTED = 1,
    LOBSTER_REDUCED,
    LOBSTER_DELETED,
    LOBSTER_EXECUTED,
    LOBSTER_EXECUTED_HIDDEN,
    LOBSTER_CROSS, /* an auction */
    LOBSTER_HALT
};

struct lobster_message {
    int64_t        time_us;
    uint64_t       order; /* 0: none, as of hidden orders, auctions and halts */
    struct decimal price, quantity;
    uint8_t        type; /* enum lobster_type */
    uint8_t        side; /* of the order */
};

struct lobster_book {
    uint32_t columns;  /* of its line */
    uint32_t count[2]; /* levels of bids, of asks */
    struct {
        int64_t price, quantity; /* as in the file */
    } level[2][LOBSTER_LEVELS_MAX];
};

/* How many columns: 6 is a message, 4 for each level a book. 0: something that is no number. */
uint32_t lobster_columns(struct slice line);

/* Of a first line that is neither: whether it was meant to be one, as it begins with a number, and as `why` what is
 * wrong. */
bool lobster_differs(struct slice line, char why[PLAYBACK_WHY_BYTES]);
bool lobster_read_message(struct slice line, struct lobster_message *message, char why[PLAYBACK_WHY_BYTES]) MUST_USE;
bool lobster_read_book(struct slice line, struct lobster_book *book, char why[PLAYBACK_WHY_BYTES]) MUST_USE;

/* The trade that a message tells. False: none. */
bool lobster_trade(const struct lobster_message *message, struct playback_event *event);

/*
 * The levels that differ between two books, the changed order named where the message is of it. A level that has left
 * the range of the file is gone. Returns how many events.
 */
uint32_t lobster_changes(const struct lobster_book *before, const struct lobster_book *after,
                         const struct lobster_message *message, struct playback_event events[LOBSTER_CHANGES_MAX]);

#endif
