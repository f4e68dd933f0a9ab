/* SPDX-License-Identifier: MIT */
/*
 * streams_notes.h — how far each trade is between log and socket, and since when. The functions of the exchange there
 * are wrapped (linked with --wrap) by ones that note it.
 */
#ifndef BENCH_STREAMS_NOTES_H
#define BENCH_STREAMS_NOTES_H

#include <stdatomic.h>
#include <stdint.h>

#define TRADES_MAX (4 << 20)

/*
 * The child's time stamps of each trade: when it became durable, when the engine began its batch, when it was
 * published and its readers woken, when the I/O thread began to send it, and when the first socket had it. Every order
 * is for the same quantity at the same price: a trade is a sale and a purchase.
 */
struct tally {
    uint64_t         sold, bought;
    _Atomic uint64_t trades;
    int64_t          at_ns[TRADES_MAX];
};
struct notes {
    struct tally durable, begun, shown, told, sent;
    uint64_t     added;
};

/* Shared with the child that serves. */
extern struct notes *notes;

/* Makes them, all zero; before the child is. */
void notes_open(void);

#endif
