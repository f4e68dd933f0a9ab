/* SPDX-License-Identifier: MIT */
#include "history/undo.h"

#include <stdlib.h>

#define HEAD_BYTES 4
#define TAIL_BYTES 4

static void drop(struct undo *undo, struct undo_transaction *transaction)
{
    undo->bytes -= transaction->cap;
    free(transaction->at);
    *transaction = (struct undo_transaction){ 0 };
}

void undo_clear(struct undo *undo)
{
    for (uint32_t i = 0; i < undo->count; i++) drop(undo, &undo->all[i]);
    undo->count = 0;
}

void undo_free(struct undo *undo)
{
    undo_clear(undo);
    free(undo->all);
    *undo = (struct undo){ 0 };
}

/* A transaction without its record cannot be undone, and none before it. */
static void give_up(struct undo *undo)
{
    undo_clear(undo);
    undo->short_of_memory = true;
}

/* The oldest half of the bytes goes. */
static void forget_oldest(struct undo *undo)
{
    uint32_t gone = 0;

    while (gone < undo->count && undo->bytes > undo->bytes_max / 2) drop(undo, &undo->all[gone++]);
    memmove(undo->all, undo->all + gone, (undo->count - gone) * sizeof(*undo->all));
    undo->count -= gone;
}

void undo_begin(struct undo *undo, uint64_t seq_before)
{
    undo->short_of_memory = false;
    if (!undo->on) return;
    if (undo->bytes > undo->bytes_max) forget_oldest(undo);
    if (undo->count == undo->cap) {
        uint32_t                 cap = undo->cap == 0 ? 256 : 2 * undo->cap;
        struct undo_transaction *all = realloc(undo->all, cap * sizeof(*all));

        if (all == NULL) {
            give_up(undo);
            return;
        }
        undo->all = all;
        undo->cap = cap;
    }
    undo->all[undo->count++] = (struct undo_transaction){ .seq_before = seq_before };
}

void undo_cancel(struct undo *undo)
{
    if (undo->on && !undo->short_of_memory) undo_pop(undo);
}

static bool make_room(struct undo *undo, struct undo_transaction *transaction, size_t bytes)
{
    size_t   cap = transaction->cap == 0 ? 4096 : transaction->cap;
    uint8_t *at;

    if (transaction->len + bytes <= transaction->cap) return true;
    while (cap < transaction->len + bytes) cap *= 2;
    at = realloc(transaction->at, cap);
    if (at == NULL) return false;
    undo->bytes += cap - transaction->cap;
    transaction->at = at;
    transaction->cap = cap;
    return true;
}

void undo_note(struct undo *undo, uint8_t table, const void *key, size_t key_bytes, const void *old, size_t old_bytes)
{
    uint32_t                 bytes = (uint32_t)(HEAD_BYTES + key_bytes + (old != NULL ? old_bytes : 0) + TAIL_BYTES);
    uint16_t                 kept = old != NULL ? (uint16_t)old_bytes : UNDO_ABSENT;
    struct undo_transaction *transaction;
    uint8_t                 *at;

    if (undo->short_of_memory) return;
    assert(undo->on && undo->count != 0 && key_bytes <= UINT8_MAX && old_bytes < UNDO_ABSENT);
    transaction = &undo->all[undo->count - 1];
    if (!make_room(undo, transaction, bytes)) {
        give_up(undo);
        return;
    }
    at = transaction->at + transaction->len;
    at[0] = table;
    at[1] = (uint8_t)key_bytes;
    memcpy(at + 2, &kept, sizeof(kept));
    memcpy(at + HEAD_BYTES, key, key_bytes);
    if (old != NULL) memcpy(at + HEAD_BYTES + key_bytes, old, old_bytes);
    memcpy(at + bytes - TAIL_BYTES, &bytes, sizeof(bytes));
    transaction->len += bytes;
}

bool undo_before(const struct undo_transaction *transaction, size_t *end, struct undo_record *record)
{
    const uint8_t *at;
    uint32_t       bytes;

    if (*end == 0) return false;
    memcpy(&bytes, transaction->at + *end - TAIL_BYTES, sizeof(bytes));
    assert(bytes <= *end);
    *end -= bytes;
    at = transaction->at + *end;
    *record = (struct undo_record){ .table = at[0], .key_bytes = at[1], .key = at + HEAD_BYTES };
    memcpy(&record->old_bytes, at + 2, sizeof(record->old_bytes));
    record->old = record->old_bytes != UNDO_ABSENT ? at + HEAD_BYTES + record->key_bytes : NULL;
    return true;
}

void undo_pop(struct undo *undo)
{
    assert(undo->count != 0);
    drop(undo, &undo->all[--undo->count]);
}
