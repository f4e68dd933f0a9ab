/* SPDX-License-Identifier: MIT */
/*
 * undo.h — what the last transactions of the store replaced, in memory, so that they can be undone one by one, the last
 * one first. Private to this room.
 *
 *     record     table 1 | bytes of the key 1 | bytes of the old value 2 (UNDO_ABSENT: none) | key | old value | bytes
 * of the record 4
 */
#ifndef HISTORY_UNDO_H
#define HISTORY_UNDO_H

#include "base/base.h"

#define UNDO_ABSENT UINT16_MAX

struct undo_transaction {
    uint64_t seq_before; /* the store's before it */
    uint8_t *at;
    size_t   len, cap;
};

struct undo {
    bool                     on;
    bool                     short_of_memory; /* a record is missing in the transaction that is being written */
    size_t                   bytes, bytes_max;
    struct undo_transaction *all; /* oldest first */
    uint32_t                 count, cap;
};

void undo_free(struct undo *undo);
void undo_clear(struct undo *undo); /* there is nothing to undo any more */

/* A transaction begins; those before it can be undone only with it. And: it did not happen. */
void undo_begin(struct undo *undo, uint64_t seq_before);
void undo_cancel(struct undo *undo);

/* A row is put; `old` NULL: there was none. */
void undo_note(struct undo *undo, uint8_t table, const void *key, size_t key_bytes, const void *old, size_t old_bytes);

struct undo_record {
    uint8_t     table, key_bytes;
    uint16_t    old_bytes; /* UNDO_ABSENT: there was none */
    const void *key, *old;
};
/* The record that ends at *end of a transaction, and where the one before it ends. False: there is none. */
bool undo_before(const struct undo_transaction *transaction, size_t *end, struct undo_record *record);

/* The last transaction has been undone. */
void undo_pop(struct undo *undo);

#endif
