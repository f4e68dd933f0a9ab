/* SPDX-License-Identifier: MIT */
/*
 * follow.c — reading from a place on, and reading behind somebody who writes. Neither decides what the end of
 * a log means: whoever resumes goes on with journal_next, whoever follows waits.
 */
#include "journal/state.h"

#include <errno.h>

static_assert(SEGMENT_NAME_MAX == 32, "as journal.h says");

void journal_segment_name(uint64_t number, char name[32]) { segment_name(number, name); }

struct journal_mark journal_mark_behind(const struct journal_batch *batch)
{
    struct journal_mark place = { .segment = batch->segment, .offset = batch->offset, .next_seq = batch->first_seq + batch->count,
                                   .time_ms = batch->time_ms };

    memcpy(place.chain.bytes, batch->at + batch->len, sizeof(place.chain.bytes));      /* the trailer */
    return place;
}

static enum journal_fault no_such_place(struct journal *journal, const struct journal_mark *place, struct journal_report *report, const char *what)
{
    journal->expected.next_seq = place->next_seq;
    return recover_say(journal, report, JOURNAL_DAMAGED, place->segment, place->offset, "%s", what);
}

/* What is skipped is not to be read: for progress. */
static int forget_before(struct journal *journal, uint64_t number)
{
    char     name[SEGMENT_NAME_MAX];
    uint64_t bytes;
    int      error = 0;

    for (uint64_t before = 1; before < number && error == 0; before++) {
        segment_name(before, name);
        error = journal->disk.size(journal->disk.self, name, &bytes);
        if (error == 0) journal->bytes_total -= bytes;
    }
    return error;
}

static int place_is_inside(struct journal *journal, const struct journal_mark *place, bool *inside)
{
    char     name[SEGMENT_NAME_MAX];
    uint64_t bytes = 0;
    int      error;

    segment_name(place->segment, name);
    error = journal->disk.size(journal->disk.self, name, &bytes);
    *inside = place->offset % JOURNAL_BLOCK == 0 && place->offset < bytes && bytes - place->offset >= JOURNAL_BLOCK;
    return error;
}

enum journal_fault journal_resume(struct journal *journal, const struct journal_mark *place, struct journal_batch *batch,
                                  struct journal_report *report)
{
    struct journal_mark found;
    enum journal_fault   fault;
    bool                 inside;
    int                  error;

    assert(!journal->ended && journal->batches == 0);
    if (place->segment == 0 || place->segment > journal->segments) return no_such_place(journal, place, report, "the log ends before this place");
    error = place_is_inside(journal, place, &inside);
    if (error != 0) return journal_fault_io(journal, report, place->segment, "the segment cannot be read", error);
    if (!inside) return no_such_place(journal, place, report, "the segment ends before this place");
    error = journal_read_batch(&journal->disk, &journal->instance, place->segment, place->offset, batch->at, batch->cap, batch);
    if (error == EUCLEAN) return no_such_place(journal, place, report, "there is no batch at this place");
    if (error != 0) return journal_fault_io(journal, report, place->segment, "the batch cannot be read", error);
    found = journal_mark_behind(batch);
    if (found.next_seq != place->next_seq || found.time_ms != place->time_ms || !hash256_equal(&found.chain, &place->chain))
        return no_such_place(journal, place, report, "another batch stands at this place");

    fault = recover_enter(journal, place->segment, report);
    if (fault != JOURNAL_OK) return fault;
    error = forget_before(journal, place->segment);
    if (error != 0) return journal_fault_io(journal, report, place->segment, "the folder cannot be read", error);
    journal->expected = (struct batch_expected){ place->chain, place->next_seq, place->time_ms };
    journal->segment.last_offset = place->offset;
    journal->segment.last_bytes = align_up(batch->len + sizeof(struct hash256), JOURNAL_BLOCK);
    journal->segment.offset = place->offset + journal->segment.last_bytes;
    return JOURNAL_OK;
}

/* Whoever writes may be in the middle of it: only what can never become right is a fault. */
static enum journal_fault judge_waiting(struct journal *journal, const struct journal_batch *batch, enum batch_verdict verdict, bool *partial,
                                        struct journal_report *report)
{
    const struct segment *segment = &journal->segment;
    bool                  room = segment->header.bytes - segment->offset >= JOURNAL_BLOCK;

    *partial = verdict == BATCH_INCOMPLETE || (room && bytes_nonzero_end(batch->at, JOURNAL_BLOCK) != 0);
    if (verdict == BATCH_MISPLACED)
        return recover_say(journal, report, JOURNAL_DAMAGED, segment->header.number, segment->offset, "this batch does not continue the one before");
    if (segment->next_kind == NEXT_FOREIGN)
        return recover_say(journal, report, JOURNAL_FOREIGN, segment->header.number + 1, 0, "the segment was written by another version");
    return JOURNAL_OK;
}

enum journal_fault journal_follow(struct journal *journal, struct journal_batch *batch, struct journal_applied *applied,
                                  bool *there, bool *partial, struct journal_report *report)
{
    enum batch_verdict verdict;
    struct hash256     chain;

    assert(!journal->ended && journal->options.read_only);
    *there = *partial = false;
    for (;;) {
        bool cut_here = recover_was_cut_here(journal);
        int  error = cut_here ? 0 : recover_read_batch(journal, batch, &verdict, &chain);

        if (cut_here) verdict = BATCH_NO_HEADER;
        if (error != 0) return journal_fault_io(journal, report, journal->segment.header.number, "the batch cannot be read", error);
        if (verdict == BATCH_GOOD && recover_padding_is_zero(batch->at)) {
            recover_take_batch(journal, batch, applied, &chain);
            recover_report_counts(journal, report);
            *there = true;
            return JOURNAL_OK;
        }
        error = cut_here ? 0 : recover_peek_next(journal);      /* it may have been begun since */
        if (error != 0) return journal_fault_io(journal, report, journal->segment.header.number + 1, "the header cannot be read", error);
        if (!recover_next_continues(journal) || (verdict != BATCH_NO_HEADER && !recover_was_cut_here(journal))) break;
        enum journal_fault fault = recover_enter(journal, journal->segment.header.number + 1, report);
        if (fault != JOURNAL_OK) return fault;
    }
    return judge_waiting(journal, batch, verdict, partial, report);
}
