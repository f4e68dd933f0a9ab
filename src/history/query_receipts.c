/* SPDX-License-Identifier: MIT */
/* query_receipts.c — what belongs to one receipt: its composition and its ranking. */
#include "history/state.h"

#include <errno.h>

/* Copies pieces `first` to `first + count - 1` that are in memory, each into its place; bytes 0: not there. */
static void pieces_of_pending(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t count,
                              struct receipt_piece *pieces)
{
    struct pending *pending = &history->pending;

    pending_read_begin(pending);
    const struct row *row = pending_newest(pending, ROW_RECEIPT_PIECE, receipt_id, 0);
    for (; row != NULL; row = pending_older(pending, row)) {
        if (row->kind != ROW_RECEIPT_PIECE || row->piece.receipt_id != receipt_id) continue;
        if (row->piece.number >= first && row->piece.number - first < count)
            pieces[row->piece.number - first] = row->piece;
    }
    pending_read_end(pending);
}

/* Memory is looked at first: the writer removes a piece there only once it is on the disk. */
static int read_pieces(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t count,
                       struct receipt_piece *pieces)
{
    struct store_reader reader;
    int                 error;

    memset(pieces, 0, count * sizeof(*pieces));
    pieces_of_pending(history, receipt_id, first, count, pieces);
    error = store_begin(&history->store, &reader);
    if (error != 0) return history_note(history, error);
    for (uint32_t i = 0; i < count && error == 0; i++) {
        bool found = true;
        if (pieces[i].bytes == 0) error = store_piece(&reader, receipt_id, first + i, &found, &pieces[i]);
        if (!found) break;
    }
    store_end(&reader);
    return history_note(history, error);
}

int history_composition(struct history *history, uint64_t receipt_id, struct index_composed *composition)
{
    struct receipt_piece pieces[COMPOSITION_PIECES];
    uint8_t             *into = (uint8_t *)composition;
    int                  error = read_pieces(history, receipt_id, 0, COMPOSITION_PIECES, pieces);

    if (error != 0) return error;
    if (pieces[0].bytes == 0) return 0;
    for (uint32_t i = 0; i < COMPOSITION_PIECES; i++) {
        size_t left = sizeof(*composition) - (size_t)(into - (uint8_t *)composition);
        if (pieces[i].bytes == 0 || pieces[i].bytes > left) return history_note(history, -EUCLEAN);
        memcpy(into, pieces[i].at, pieces[i].bytes);
        into += pieces[i].bytes;
    }
    return 1;
}

#define PIECES_AT_ONCE 64
int history_ranking(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t max,
                    struct adl_ranked *ranks)
{
    struct receipt_piece pieces[PIECES_AT_ONCE];
    uint32_t             number = COMPOSITION_PIECES + first / RANKS_OF_PIECE, skip = first % RANKS_OF_PIECE, count = 0;

    for (bool more = true; more && count < max; number += PIECES_AT_ONCE) {
        int error = read_pieces(history, receipt_id, number, PIECES_AT_ONCE, pieces);

        if (error != 0) return error;
        for (uint32_t i = 0; i < PIECES_AT_ONCE && more; i++) {
            uint32_t rows = (uint32_t)(pieces[i].bytes / sizeof(*ranks));
            for (; skip < rows && count < max; skip++)
                memcpy(&ranks[count++], pieces[i].at + skip * sizeof(*ranks), sizeof(*ranks));
            more = rows == RANKS_OF_PIECE;
            skip = 0;
        }
    }
    return (int)count;
}
