/* SPDX-License-Identifier: MIT */
/*
 * follow.c — reading from a position on, and reading behind a writer. Neither decides the meaning of the log's end:
 * after a resume journal_next decides it; a follower waits.
 */
#include "log/file/state.h"

#include <errno.h>

static enum log_fault no_such_position(struct journal *journal, const struct log_mark *mark, struct log_report *report,
                                       const char *what)
{
    journal->expected.next_seq = mark->next_seq;
    return recover_say(journal, report, LOG_DAMAGED, log_position_first(&mark->position),
                       log_position_second(&mark->position), "%s", what);
}

/* Skipped batches are not read: for progress. */
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

static int position_is_inside(struct journal *journal, uint64_t number, uint64_t offset, bool *inside)
{
    char     name[SEGMENT_NAME_MAX];
    uint64_t bytes = 0;
    int      error;

    segment_name(number, name);
    error = journal->disk.size(journal->disk.self, name, &bytes);
    *inside = offset % JOURNAL_BLOCK == 0 && offset < bytes && bytes - offset >= JOURNAL_BLOCK;
    return error;
}

/* The batch that precedes the mark. */
static enum log_fault find_mark(struct journal *journal, const struct log_mark *mark, struct log_batch *batch,
                                struct log_report *report)
{
    uint64_t        number = log_position_first(&mark->position), offset = log_position_second(&mark->position);
    struct log_mark found;
    bool            inside;
    int             error;

    if (number == 0 || number > journal->segments)
        return no_such_position(journal, mark, report, "the log ends before this place");
    error = position_is_inside(journal, number, offset, &inside);
    if (error != 0) return journal_fault_io(journal, report, number, "the segment cannot be read", error);
    if (!inside) return no_such_position(journal, mark, report, "the segment ends before this place");
    error = journal_read_batch(&journal->disk, &journal->instance, number, offset, batch->at, batch->cap, batch);
    if (error == EUCLEAN) return no_such_position(journal, mark, report, "there is no batch at this place");
    if (error != 0) return journal_fault_io(journal, report, number, "the batch cannot be read", error);
    found = log_mark_behind(batch);
    if (found.next_seq != mark->next_seq || found.time_ms != mark->time_ms
        || !hash256_equal(&found.chain, &mark->chain))
        return no_such_position(journal, mark, report, "another batch stands at this place");
    return LOG_OK;
}

enum log_fault journal_resume(struct journal *journal, const struct log_mark *mark, struct log_batch *batch,
                              struct log_report *report)
{
    uint64_t       number = log_position_first(&mark->position);
    enum log_fault fault;
    int            error;

    assert(!journal->ended && journal->batches == 0);
    fault = find_mark(journal, mark, batch, report);
    if (fault == LOG_OK) fault = recover_enter(journal, number, report);
    if (fault != LOG_OK) return fault;
    error = forget_before(journal, number);
    if (error != 0) return journal_fault_io(journal, report, number, "the folder cannot be read", error);
    journal->expected = (struct batch_expected){ mark->chain, mark->next_seq, mark->time_ms };
    journal->segment.last_offset = log_position_second(&mark->position);
    journal->segment.last_bytes = batch_padded(batch);
    journal->segment.offset = journal->segment.last_offset + journal->segment.last_bytes;
    return LOG_OK;
}

/* The writer may be in the middle of the batch: only bytes that can never become a valid one are a fault. */
static enum log_fault judge_waiting(struct journal *journal, const struct log_batch *batch, enum batch_verdict verdict,
                                    bool *partial, struct log_report *report)
{
    const struct segment *segment = &journal->segment;
    bool                  room = segment->header.bytes - segment->offset >= JOURNAL_BLOCK;

    *partial = verdict == BATCH_INCOMPLETE || (room && bytes_nonzero_end(batch->at, JOURNAL_BLOCK) != 0);
    if (verdict == BATCH_MISPLACED)
        return recover_say(journal, report, LOG_DAMAGED, segment->header.number, segment->offset,
                           "this batch does not continue the one before");
    if (segment->next_kind == NEXT_FOREIGN) return recover_foreign(journal, report, &segment->next);
    return LOG_OK;
}

enum log_fault journal_follow(struct journal *journal, struct log_batch *batch, struct log_applied *applied,
                              bool *there, bool *partial, struct log_report *report)
{
    enum batch_verdict verdict;
    struct hash256     chain;

    assert(!journal->ended && journal->options.read_only);
    *there = *partial = false;
    for (;;) {
        bool cut_here = recover_was_cut_here(journal);
        int  error = cut_here ? 0 : recover_read_batch(journal, batch, &verdict, &chain);

        if (cut_here) verdict = BATCH_NO_HEADER;
        if (error != 0)
            return journal_fault_io(journal, report, journal->segment.header.number, "the batch cannot be read", error);
        if (verdict == BATCH_GOOD && recover_padding_is_zero(batch->at)) {
            recover_take_batch(journal, batch, applied, &chain);
            recover_report_counts(journal, report);
            *there = true;
            return LOG_OK;
        }
        error = cut_here ? 0 : recover_peek_next(journal); /* it may have been begun since */
        if (error != 0)
            return journal_fault_io(journal, report, journal->segment.header.number + 1, "the header cannot be read",
                                    error);
        if (!recover_next_continues(journal) || (verdict != BATCH_NO_HEADER && !recover_was_cut_here(journal))) break;
        enum log_fault fault = recover_enter(journal, journal->segment.header.number + 1, report);
        if (fault != LOG_OK) return fault;
    }
    return judge_waiting(journal, batch, verdict, partial, report);
}
