/* SPDX-License-Identifier: MIT */
/*
 * journal_rig.h — a journal over a memory disk, with a ledger of every batch that was handed to it, so
 * that a test can ask after any accident: is what comes back a prefix of what was handed over, does it
 * hold all that was acknowledged, is every byte the same?
 */
#ifndef SUPPORT_JOURNAL_RIG_H
#define SUPPORT_JOURNAL_RIG_H

#include "memory_disk.h"

#include "log/file/format.h"
#include "log/file/journal.h"

#include <stdio.h>
#include <stdlib.h>

#define RIG_BATCHES     256
#define RIG_BATCH_BYTES (64 * 1024)
#define RIG_GENESIS     "{\"name\":\"a journal in a test\",\"coins\":[]}"

struct rig_batch {
    uint64_t           first_seq;
    uint32_t           count;
    int64_t            time_ms;
    struct log_applied applied;
};

struct rig {
    struct memory_disk  memory;
    struct log_settings options;
    struct journal     *journal;
    struct log_report   report;
    void               *journal_memory;
    struct log_batch    batch;
    struct rig_batch    ledger[RIG_BATCHES];
    uint32_t            handed, acked; /* batches in the ledger; how many of them were acknowledged */
    uint32_t            recovered;     /* by the last rig_open */
    uint32_t            variant;       /* changes the content of records */
};

static inline void rig_init(struct rig *rig, uint64_t file_bytes)
{
    memset(rig, 0, sizeof(*rig));
    memory_disk_init(&rig->memory);
    rig->options = (struct log_settings){ .file_bytes = file_bytes };
    rig->journal_memory = aligned_alloc(4096, align_up(journal_size(), 4096));
    rig->batch = (struct log_batch){ .at = aligned_alloc(4096, RIG_BATCH_BYTES), .cap = RIG_BATCH_BYTES };
    assert(rig->journal_memory != NULL && rig->batch.at != NULL);
}

static inline void rig_free(struct rig *rig)
{
    memory_disk_free(&rig->memory);
    free(rig->journal_memory);
    free(rig->batch.at);
}

static inline enum log_fault rig_create(struct rig *rig)
{
    return journal_create(rig->journal_memory, &rig->memory.disk, &rig->options, SLICE(RIG_GENESIS), &rig->journal,
                          &rig->report);
}

/* The record that stands at `seq`: kind, length and bytes follow from the number. */
static inline struct log_record rig_record(const struct rig *rig, uint64_t seq, int64_t time_ms,
                                           struct command_room *room, char text[512])
{
    struct log_record record = { .command = &room->head };
    size_t            len = seq % 7 == 0 ? 0 : (size_t)(seq * 37 % 300 + 10);

    memset(room, 0, sizeof(*room));
    for (size_t i = 0; i < len; i++) text[i] = (char)('a' + (seq + i + rig->variant) % 26);
    room->head = (struct command){ .kind = seq % 7 == 0 ? CMD_TICK : CMD_PLACE_ORDERS,
                                   .seq = seq,
                                   .time_ms = time_ms,
                                   .market = MARKET_SPOT,
                                   .nonce = seq + 1000,
                                   .origin = 77,
                                   .payload_tag = seq ^ rig->variant };
    if (seq % 7 == 0) {
        room->head.bytes = sizeof(struct command) + sizeof(struct tick);
    } else {
        room->place_orders.count = 1 + (uint32_t)(seq % 3);
        for (uint32_t i = 0; i < room->place_orders.count; i++) room->place_orders.items[i].symbol_id = seq * 10 + i;
        room->head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_orders, room->place_orders.count));
        record.tx_hash = keccak256(text, len);
        memset(record.signature, (int)(seq & 0xff), sizeof(record.signature));
    }
    record.signed_bytes = slice_make(text, len);
    return record;
}

/* Hands over a batch of `count` records; 0 or what journal_wait answered. */
static inline int rig_append(struct rig *rig, uint32_t count)
{
    struct rig_batch   *entry = &rig->ledger[rig->handed];
    struct command_room room;
    char                text[512];

    assert(rig->handed < RIG_BATCHES);
    *entry = (struct rig_batch){ .first_seq = journal_next_seq(rig->journal),
                                 .count = count,
                                 .time_ms = 1000 + rig->handed * 3 };
    entry->applied.number = rig->handed;
    memset(entry->applied.hash.bytes, (int)rig->handed, sizeof(entry->applied.hash.bytes));

    log_batch_begin(&rig->batch, entry->first_seq, entry->time_ms);
    for (uint32_t i = 0; i < count; i++) {
        struct log_record record = rig_record(rig, entry->first_seq + i, entry->time_ms, &room, text);
        bool              fits = log_batch_add(&rig->batch, &record);
        assert(fits);
    }
    rig->handed++;
    journal_submit(rig->journal, &rig->batch, &entry->applied);
    int error = journal_wait(rig->journal);
    if (error == 0) rig->acked = rig->handed;
    return error;
}

/* The batch that was read is the one of the ledger, to the last byte. */
static inline bool rig_batch_is(const struct rig *rig, const struct rig_batch *entry, const struct log_applied *applied)
{
    struct log_cursor   cursor = { 0 };
    struct log_record   got;
    struct command_room room;
    char                text[512];
    uint32_t            seen = 0;

    if (rig->batch.first_seq != entry->first_seq || rig->batch.count != entry->count
        || rig->batch.time_ms != entry->time_ms)
        return false;
    if (memcmp(applied, &entry->applied, sizeof(*applied)) != 0) return false;
    while (log_batch_next(&rig->batch, &cursor, &got)) {
        struct log_record want = rig_record(rig, entry->first_seq + seen, entry->time_ms, &room, text);
        room.head.origin = 0;
        if (got.command->bytes != room.head.bytes || memcmp(got.command, &room, room.head.bytes) != 0) return false;
        if (!slice_equal(got.signed_bytes, want.signed_bytes) || !hash256_equal(&got.tx_hash, &want.tx_hash))
            return false;
        if (memcmp(got.signature, want.signature, sizeof(got.signature)) != 0) return false;
        seen++;
    }
    return seen == entry->count;
}

/*
 * Opens and reads to the end. What came back, `recovered` batches, is always compared with the ledger:
 * *same says whether all of it was right. After LOG_OK the journal can be appended to.
 */
static inline enum log_fault rig_open(struct rig *rig, bool *same)
{
    struct slice       genesis;
    struct log_applied applied;
    bool               end = false;
    enum log_fault     fault;

    *same = true;
    rig->recovered = 0;
    fault = journal_open(rig->journal_memory, &rig->memory.disk, &rig->options, &rig->journal, &genesis, &rig->report);
    if (fault != LOG_OK) return fault;
    *same = slice_is(genesis, RIG_GENESIS);
    for (;;) {
        fault = journal_next(rig->journal, &rig->batch, &applied, &end, &rig->report);
        if (fault != LOG_OK || end) return fault;
        if (rig->recovered >= rig->handed || !rig_batch_is(rig, &rig->ledger[rig->recovered], &applied)) {
            *same = false;
            return fault;
        }
        rig->recovered++;
    }
}

/* After an accident the ledger forgets what did not come back. */
static inline void rig_go_on(struct rig *rig) { rig->handed = rig->acked = rig->recovered; }

#endif
