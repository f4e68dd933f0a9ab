/* SPDX-License-Identifier: MIT */
/*
 * journal_rig.h — a journal over a memory disk, with a ledger of every batch given to it. After any fault a test can
 * check: the batches read back are a prefix of those given, include all acknowledged ones, and every byte is the same.
 */
#ifndef SUPPORT_JOURNAL_RIG_H
#define SUPPORT_JOURNAL_RIG_H

#include "log_records.h"
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

/* Appends a batch of `count` records; 0 or the result of journal_wait. */
static inline int rig_append(struct rig *rig, uint32_t count)
{
    struct rig_batch *entry = &rig->ledger[rig->handed];

    assert(rig->handed < RIG_BATCHES);
    *entry = (struct rig_batch){ .first_seq = journal_next_seq(rig->journal),
                                 .count = count,
                                 .time_ms = 1000 + rig->handed * 3 };
    entry->applied.number = rig->handed;
    memset(entry->applied.hash.bytes, (int)rig->handed, sizeof(entry->applied.hash.bytes));

    records_fill(&rig->batch, rig->variant, entry->first_seq, count, entry->time_ms);
    rig->handed++;
    journal_submit(rig->journal, &rig->batch, &entry->applied);
    int error = journal_wait(rig->journal);
    if (error == 0) rig->acked = rig->handed;
    return error;
}

/* The batch that was read is the one of the ledger, to the last byte. */
static inline bool rig_batch_is(const struct rig *rig, const struct rig_batch *entry, const struct log_applied *applied)
{
    return memcmp(applied, &entry->applied, sizeof(*applied)) == 0
        && records_are(&rig->batch, rig->variant, entry->first_seq, entry->count, entry->time_ms);
}

/*
 * Opens and reads to the end. The batches read back, `recovered` of them, are always compared with the ledger: *same
 * is false if any differs. After LOG_OK the journal can be appended to.
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

/* After a fault the ledger forgets the batches that were not read back. */
static inline void rig_go_on(struct rig *rig) { rig->handed = rig->acked = rig->recovered; }

#endif
