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
