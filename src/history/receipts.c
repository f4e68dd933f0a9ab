/* SPDX-License-Identifier: MIT */
/*
 * receipts.c — receipts of liquidations: the lists that contain each of them, and its parts in pieces.
 *
 * The composition of an index is emitted before the first receipt that it decided in the same TICK, and the rows of a
 * ranking follow their receipt; so both are known without reading anything older than the command.
 */
#include "history/state.h"

#include <errno.h>

/* ---- remembering; a replay may bring receipts again that were on the disk already ---- */

static struct row *remember_receipt(struct history *history, uint64_t owner, enum receipt_role role, uint32_t rank)
{
    struct row *row = pending_add(&history->pending, ROW_RECEIPT);

    row->receipt = history->receipt;
    row->receipt.owner = owner;
    row->receipt.role = role;
    row->receipt.rank = rank;
    row->seq = history->receipt.seq;
    pending_link(&history->pending, row);
    return row;
}

static void remember_piece(struct history *history, const struct receipt_piece *piece)
{
    struct row *row = pending_add(&history->pending, ROW_RECEIPT_PIECE);

    assert(piece->bytes > 0 && piece->bytes <= sizeof(piece->at));
    row->piece = *piece;
    row->seq = history->receipt.seq;
    pending_link(&history->pending, row);
}

static void remember_composition(struct history *history, uint64_t receipt_id, const struct index_composed *composition)
{
    const uint8_t *from = (const uint8_t *)composition;
    size_t         left = sizeof(*composition);

    for (uint32_t number = 0; number < COMPOSITION_PIECES; number++) {
        struct receipt_piece piece = { .receipt_id = receipt_id,
                                       .number = number,
                                       .bytes = (uint32_t)min_u64(left, sizeof(piece.at)) };

        memcpy(piece.at, from, piece.bytes);
        from += piece.bytes;
        left -= piece.bytes;
        remember_piece(history, &piece);
    }
    assert(left == 0);
}

void receipts_composed(struct history *history, const struct index_composed *event)
{
    assert(event->symbol_id >= 1 && event->symbol_id <= PERPS_MAX);
    history->compositions[event->symbol_id - 1] = *event;
}

void receipts_liquidated(struct history *history, const struct liquidated *event, uint64_t seq)
{
    const struct index_composed *composition = &history->compositions[event->symbol_id - 1];

    assert(event->symbol_id >= 1 && event->symbol_id <= PERPS_MAX);
    history->receipt = (struct history_receipt){ .is = *event, .seq = seq };
    history->heard_receipt = max_u64(history->heard_receipt, event->receipt_id);
    history->piece = (struct receipt_piece){ .receipt_id = event->receipt_id, .number = COMPOSITION_PIECES };
    (void)remember_receipt(history, 0, RECEIPT_PUBLIC, 0);
    (void)remember_receipt(history, event->account_id, RECEIPT_LIQUIDATED, 0);
    if (composition->symbol_id != 0) remember_composition(history, event->receipt_id, composition);
}

void receipts_ranked(struct history *history, const struct adl_ranked *event)
{
    struct receipt_piece *piece = &history->piece;

    assert(event->receipt_id == history->receipt.is.receipt_id && event->account_id != 0);
    memcpy(piece->at + piece->bytes, event, sizeof(*event));
    piece->bytes += (uint32_t)sizeof(*event);
    if (event->taken != 0) (void)remember_receipt(history, event->account_id, RECEIPT_DELEVERAGED, event->rank);
    if (piece->bytes < sizeof(piece->at)) return;
    remember_piece(history, piece);
    piece->number += 1;
    piece->bytes = 0;
}

void receipts_end(struct history *history)
{
    if (history->piece.bytes != 0) remember_piece(history, &history->piece);
    history->piece.bytes = 0;
}

/* ---- reading ---- */

uint64_t history_newest_receipt(const struct history *history)
{
    return __atomic_load_n(&history->newest_receipt, __ATOMIC_ACQUIRE);
}

/* Copies pieces `first` to `first + count - 1` that are in memory, each into its place; bytes 0: not there. */
static void pieces_of_pending(struct history *history, uint64_t receipt_id, uint32_t first, uint32_t count,
                              struct receipt_piece *pieces)
{
    struct pending *pending = &history->pending;

    pthread_mutex_lock(&pending->lock);
    const struct row *row = pending_newest(pending, ROW_RECEIPT_PIECE, receipt_id, 0);
    for (; row != NULL; row = pending_older(pending, row)) {
        if (row->kind != ROW_RECEIPT_PIECE || row->piece.receipt_id != receipt_id) continue;
        if (row->piece.number >= first && row->piece.number - first < count)
            pieces[row->piece.number - first] = row->piece;
    }
    pthread_mutex_unlock(&pending->lock);
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

int receipts_load(struct history *history)
{
    struct history_query query = { .market = MARKET_PERPS };
    struct store_reader  reader;
    struct store_list    list;
    int                  error = store_begin(&history->store, &reader);

    if (error != 0) return error;
    error = list_open(&list, &reader, &store_lists[LIST_RECEIPTS], &query);
    if (error == 0) {
        error = list_seek(&list, (struct rank){ UINT64_MAX, UINT64_MAX });
        if (error == 0 && list.at_row) history->newest_receipt = history->heard_receipt = list.rank.major;
        list_close(&list);
    }
    store_end(&reader);
    return error;
}
