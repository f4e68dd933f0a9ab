/* SPDX-License-Identifier: MIT */
/*
 * recover.c — reading a log back, and deciding what its end means (process 5).
 *
 *   at the first place without a good batch:
 *     the next segment continues exactly here .............. go on there
 *     a good batch or segment behind it ..................... damage: refuse
 *     a header for this place that does not continue ........ damage: refuse
 *     a header here or behind, written for another place .... damage: refuse
 *     a header for this place, bytes behind its batch ....... damage: refuse
 *     only zeros from here on ............................... clean end
 *     anything else ......................................... torn: cut, go on in a new segment
 *   at a good batch whose last block is not filled with zeros:
 *     nothing behind it ..................................... the write was torn there: the batch is whole, zeros are
 *     written again anything .............................................. damage: refuse
 *
 * A batch is written only after the one before was durable, so a power cut can spoil the last one and
 * nothing else; whatever follows something bad proves that the bad thing was once good.
 */
#include "log/file/state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define GAP_LOOK 16 /* files looked for behind the last one, to notice one that is missing */

void recover_report_counts(const struct journal *journal, struct log_report *report)
{
    report->parts = journal->segments;
    report->batches = journal->batches;
    report->records = journal->records;
    report->bytes = journal->bytes;
    report->bytes_total = journal->bytes_total;
}

/* One sentence: segment, offset, last good seq, and the fault there. */
enum log_fault recover_say(const struct journal *journal, struct log_report *report, enum log_fault fault,
                           uint64_t number, uint64_t offset, const char *format, ...)
{
    char    name[SEGMENT_NAME_MAX], what[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    segment_name(number, name);
    recover_report_counts(journal, report);
    report->fault = fault;
    snprintf(report->text, sizeof(report->text), "%s, offset %llu, after seq %llu: %s", name,
             (unsigned long long)offset, (unsigned long long)(journal->expected.next_seq - 1), what);
    return fault;
}

enum log_fault journal_fault_io(struct journal *journal, struct log_report *report, uint64_t number, const char *what,
                                int error)
{
    report->error = error;
    return recover_say(journal, report, error == EUCLEAN ? LOG_DAMAGED : LOG_IO, number, journal->segment.offset,
                       "%s: %s", what, strerror(error));
}

enum log_fault recover_foreign(const struct journal *journal, struct log_report *report,
                               const struct segment_header *header)
{
    report->found_format = header->format;
    report->found_engine = header->engine;
    return recover_say(journal, report, LOG_FOREIGN, header->number, 0,
                       "format %u of engine version %u, and format %u of engine version %u is read", header->format,
                       header->engine, JOURNAL_FORMAT, journal->options.engine);
}

static int file_size(struct journal *journal, uint64_t number, uint64_t *bytes)
{
    char name[SEGMENT_NAME_MAX];

    segment_name(number, name);
    return journal->disk.size(journal->disk.self, name, bytes);
}

static int file_open(struct journal *journal, uint64_t number, bool write, int *handle)
{
    char name[SEGMENT_NAME_MAX];

    segment_name(number, name);
    return journal->disk.open(journal->disk.self, name, write, handle);
}

/* ---- segments ---- */

/* Counts the segment files; *missing is the first that is not there although a later one is (0 = none). */
static int count_segments(struct journal *journal, uint64_t *missing)
{
    uint64_t bytes, number = 1;
    int      error;

    *missing = 0;
    for (; (error = file_size(journal, number, &bytes)) == 0; number++) journal->bytes_total += bytes;
    if (error != ENOENT) return error;
    journal->segments = (uint32_t)(number - 1);
    for (uint64_t later = number + 1; later <= number + GAP_LOOK; later++) {
        error = file_size(journal, later, &bytes);
        if (error == 0) {
            *missing = number;
            return 0;
        }
        if (error != ENOENT) return error;
    }
    return 0;
}

/* Looks at the header behind the current segment. */
int recover_peek_next(struct journal *journal)
{
    struct segment *segment = &journal->segment;
    uint64_t        number = segment->header.number + 1, bytes;
    bool            one_bad;
    int             handle, error = file_size(journal, number, &bytes);

    segment->next_kind = NEXT_NONE;
    if (error == ENOENT) return 0;
    if (error != 0) return error;
    segment->next_kind = NEXT_BAD;
    if (bytes < JOURNAL_SEGMENT_MIN) return 0;
    error = file_open(journal, number, false, &handle);
    if (error != 0) return error;

    enum header_verdict verdict = segment_header_read(journal, handle, &segment->next, &one_bad, &error);
    if (verdict == HEADER_GOOD) segment->next_kind = NEXT_GOOD;
    else if (verdict == HEADER_FOREIGN) segment->next_kind = NEXT_FOREIGN;
    else if (verdict == HEADER_TWO) segment->next_kind = NEXT_TWO;
    journal->disk.close(journal->disk.self, handle);
    return error;
}

/* Opens segment `number`, whose header is good, and checks the bytes behind it. */
enum log_fault recover_enter(struct journal *journal, uint64_t number, struct log_report *report)
{
    struct segment *segment = &journal->segment;
    uint64_t        bytes = 0;
    bool            one_bad;
    int             handle, error = file_size(journal, number, &bytes);

    if (error == 0) error = file_open(journal, number, false, &handle);
    if (error != 0) return journal_fault_io(journal, report, number, "the segment cannot be opened", error);
    if (segment->handle >= 0) journal->disk.close(journal->disk.self, segment->handle);
    *segment = (struct segment){ .handle = handle };

    enum header_verdict verdict = segment_header_read(journal, handle, &segment->header, &one_bad, &error);
    if (error != 0) return journal_fault_io(journal, report, number, "the header cannot be read", error);
    if (verdict == HEADER_FOREIGN) return recover_foreign(journal, report, &segment->header);
    if (verdict == HEADER_TWO)
        return recover_say(journal, report, LOG_DAMAGED, number, 0, "the two copies of the header differ");
    if (verdict == HEADER_BAD)
        return recover_say(journal, report, LOG_DAMAGED, number, 0, "no copy of the header is good");
    if (segment->header.bytes != bytes || segment->header.number != number)
        return recover_say(journal, report, LOG_DAMAGED, number, 0,
                           "the file has %llu bytes and should be number %llu with %llu", (unsigned long long)bytes,
                           (unsigned long long)segment->header.number, (unsigned long long)segment->header.bytes);
    if (one_bad) {
        (void)recover_say(journal, report, LOG_OK, number, 0,
                          "one copy of the header is damaged; the other one was used");
        memcpy(report->warning, report->text, sizeof(report->warning));
    }

    segment->offset = segment_first(&segment->header);
    error = recover_peek_next(journal);
    return error == 0 ? LOG_OK : journal_fault_io(journal, report, number + 1, "the header cannot be read", error);
}

/* The next segment begins exactly where the log stands. */
bool recover_next_continues(const struct journal *journal)
{
    const struct segment_header *next = &journal->segment.next;
    return journal->segment.next_kind == NEXT_GOOD && hash256_equal(&next->chain, &journal->expected.chain)
        && next->first_seq == journal->expected.next_seq && next->number == journal->segment.header.number + 1
        && hash256_equal(&next->instance, &journal->instance);
}

/* Whether the next segment records a cut of the log at this offset. */
bool recover_was_cut_here(const struct journal *journal)
{
    const struct segment *segment = &journal->segment;
    return recover_next_continues(journal) && segment->next.cut_segment == segment->header.number
        && segment->next.cut_offset == segment->offset;
}

/* ---- opening ---- */

/* Segment 1 without a header: a creation that never finished (no client got an answer), or damage? */
static int first_is_unbegun(struct journal *journal, uint64_t bytes, bool *unbegun)
{
    struct segment_header header;
    struct segment_scan   scan;
    uint64_t              second;
    bool                  one_bad;
    int                   handle, error;

    *unbegun = false;
    if (bytes < JOURNAL_SEGMENT_MIN) return 0;
    error = file_size(journal, 2, &second);
    if (error != ENOENT) return error;
    error = file_open(journal, 1, false, &handle);
    if (error != 0) return error;
    if (segment_header_read(journal, handle, &header, &one_bad, &error) == HEADER_BAD && error == 0) {
        error = segment_scan(journal, handle, 1, JOURNAL_HEADERS_BYTES, bytes & ~(uint64_t)(JOURNAL_BLOCK - 1), &scan);
        *unbegun = error == 0 && scan.magic_at == 0;
    }
    journal->disk.close(journal->disk.self, handle);
    return error;
}

int journal_remove_unbegun(struct journal *journal)
{
    char     name[SEGMENT_NAME_MAX];
    uint64_t bytes;
    bool     unbegun = false;
    int      error = file_size(journal, 1, &bytes);

    if (error == ENOENT) return 0;
    if (error == 0) error = first_is_unbegun(journal, bytes, &unbegun);
    if (error != 0) return error;
    if (!unbegun) return EEXIST;
    segment_name(1, name);
    return journal->disk.remove(journal->disk.self, name);
}

/* Reads the genesis behind the header of segment 1 and proves that it is the one of this log. */
static enum log_fault read_genesis(struct journal *journal, struct log_report *report)
{
    const struct segment_header *header = &journal->segment.header;
    uint64_t                     bytes = header->genesis_bytes;

    if (bytes == 0 || bytes > JOURNAL_GENESIS_MAX || segment_first(header) > header->bytes)
        return recover_say(journal, report, LOG_DAMAGED, 1, 0, "the genesis cannot have %llu bytes",
                           (unsigned long long)bytes);
    size_t padded = align_up(bytes, JOURNAL_BLOCK);
    int    error = journal_read(journal, journal->segment.handle, JOURNAL_HEADERS_BYTES, journal->genesis, padded);
    if (error != 0) return journal_fault_io(journal, report, 1, "the genesis cannot be read", error);

    journal->genesis_bytes = bytes;
    journal->instance = keccak256(journal->genesis, (size_t)bytes);
    journal->expected.chain = journal->instance;
    if (!hash256_equal(&journal->instance, &header->instance) || !hash256_equal(&header->chain, &header->instance)
        || header->first_seq != 1)
        return recover_say(journal, report, LOG_DAMAGED, 1, JOURNAL_HEADERS_BYTES,
                           "the genesis is not the one the header names");
    if (bytes_nonzero_end(journal->genesis + bytes, padded - bytes) != 0)
        return recover_say(journal, report, LOG_DAMAGED, 1, JOURNAL_HEADERS_BYTES + bytes,
                           "the bytes behind the genesis are not zero");
    return LOG_OK;
}

static enum log_fault open_first(struct journal *journal, struct log_report *report)
{
    uint64_t missing, bytes;
    bool     unbegun;
    int      error = count_segments(journal, &missing);

    if (error != 0) return journal_fault_io(journal, report, 1, "the folder cannot be read", error);
    if (missing != 0)
        return recover_say(journal, report, LOG_DAMAGED, missing, 0, "the segment is missing, later ones are there");
    if (journal->segments == 0) return recover_say(journal, report, LOG_ABSENT, 1, 0, "there is no journal");

    error = file_size(journal, 1, &bytes);
    if (error == 0) error = first_is_unbegun(journal, bytes, &unbegun);
    if (error != 0) return journal_fault_io(journal, report, 1, "the segment cannot be read", error);
    if (unbegun) return recover_say(journal, report, LOG_ABSENT, 1, 0, "the journal was never begun");
    if (bytes < JOURNAL_SEGMENT_MIN)
        return recover_say(journal, report, LOG_DAMAGED, 1, bytes, "the file ends before its first batch");

    enum log_fault fault = recover_enter(journal, 1, report);
    return fault != LOG_OK ? fault : read_genesis(journal, report);
}

enum log_fault journal_open(void *memory, const struct disk *disk, const struct log_settings *options,
                            struct journal **journal_out, struct slice *genesis, struct log_report *report)
{
    struct journal *journal = journal_init(memory, disk, options);

    memset(report, 0, sizeof(*report));
    enum log_fault fault = open_first(journal, report);
    if (fault != LOG_OK) {
        journal_close(journal);
        return fault;
    }
    recover_report_counts(journal, report);
    *genesis = slice_make(journal->genesis, (size_t)journal->genesis_bytes);
    *journal_out = journal;
    return LOG_OK;
}

/* ---- the next batch ---- */

/* Reads and judges what stands at the current offset. */
int recover_read_batch(struct journal *journal, struct log_batch *batch, enum batch_verdict *verdict,
                       struct hash256 *chain)
{
    const struct segment      *segment = &journal->segment;
    struct batch_position      position = { &journal->instance, segment->header.number, segment->offset };
    uint64_t                   room = segment->header.bytes - segment->offset;
    const struct batch_header *header = (const struct batch_header *)(const void *)batch->at;
    int                        error;

    assert(batch->cap >= JOURNAL_BLOCK);
    *verdict = BATCH_NO_HEADER;
    if (room < JOURNAL_BLOCK) return 0;
    error = journal_read(journal, segment->handle, segment->offset, batch->at, JOURNAL_BLOCK);
    if (error != 0 || !batch_header_is_valid(batch->at, &position)) return error;

    size_t padded = align_up(header->bytes, JOURNAL_BLOCK);
    *verdict = BATCH_MISPLACED;
    if (!batch_header_continues(header, &journal->expected) || padded > room) return 0;
    if (padded > batch->cap) return EMSGSIZE;
    if (padded > JOURNAL_BLOCK)
        error = journal_read(journal, segment->handle, segment->offset + JOURNAL_BLOCK, batch->at + JOURNAL_BLOCK,
                             padded - JOURNAL_BLOCK);
    if (error == 0) *verdict = batch_judge(batch->at, padded, &position, &journal->expected, chain);
    return error;
}

/* No write that has ended leaves anything else there. */
bool recover_padding_is_zero(const uint8_t *batch)
{
    uint32_t bytes = ((const struct batch_header *)(const void *)batch)->bytes;
    return bytes_nonzero_end(batch + bytes, align_up(bytes, JOURNAL_BLOCK) - bytes) == 0;
}

void recover_take_batch(struct journal *journal, struct log_batch *batch, struct log_applied *applied,
                        const struct hash256 *chain)
{
    const struct batch_header *header = (const struct batch_header *)(const void *)batch->at;
    struct segment            *segment = &journal->segment;

    batch->len = header->bytes - sizeof(struct hash256);
    batch->first_seq = header->first_seq;
    batch->count = header->count;
    batch->time_ms = header->time_ms;
    batch->position = log_position_make(segment->header.number, segment->offset);
    *applied = (struct log_applied){ header->applied_number, header->applied_hash };

    segment->last_offset = segment->offset;
    segment->last_bytes = align_up(header->bytes, JOURNAL_BLOCK);
    segment->offset += segment->last_bytes;
    journal->expected = expected_behind(batch);
    assert(hash256_equal(&journal->expected.chain, chain));
    journal->batches += 1;
    journal->records += header->count;
    journal->bytes += segment->last_bytes;
}

/* ---- the end ---- */

/* The file behind the last segment may be a spare or a header that was torn, but must hold nothing. */
static enum log_fault judge_spare(struct journal *journal, struct log_report *report)
{
    uint64_t            number = journal->segment.header.number + 1, bytes, later;
    struct segment_scan scan;
    int                 handle, error;

    if (journal->segment.next_kind == NEXT_NONE) return LOG_OK;
    error = file_size(journal, number, &bytes);
    if (error == 0) error = file_open(journal, number, false, &handle);
    if (error != 0) return journal_fault_io(journal, report, number, "the spare segment cannot be read", error);
    error = segment_scan(journal, handle, number, JOURNAL_HEADERS_BYTES, bytes, &scan);
    journal->disk.close(journal->disk.self, handle);
    if (error != 0) return journal_fault_io(journal, report, number, "the spare segment cannot be read", error);

    if (bytes < JOURNAL_SEGMENT_MIN || bytes % JOURNAL_BLOCK != 0)
        return recover_say(journal, report, LOG_DAMAGED, number, bytes, "the file is too short to be a segment");
    if (scan.nonzero_end != 0)
        return recover_say(journal, report, LOG_DAMAGED, number, scan.nonzero_end,
                           "there is content, but no copy of the header is good");
    error = file_size(journal, number + 1, &later);
    if (error != 0 && error != ENOENT)
        return journal_fault_io(journal, report, number + 1, "the folder cannot be read", error);
    if (error == 0)
        return recover_say(journal, report, LOG_DAMAGED, number, 0,
                           "no copy of the header is good, and another segment follows");
    return LOG_OK;
}

/* Is there proof that the log once went on behind the current offset? *torn_end: last damaged byte, 0 = clean. */
static enum log_fault judge_end(struct journal *journal, const struct log_batch *batch, enum batch_verdict verdict,
                                uint64_t *torn_end, struct log_report *report)
{
    const struct segment *segment = &journal->segment;
    uint64_t              number = segment->header.number, at = segment->offset;
    struct segment_scan   scan;

    assert(verdict != BATCH_GOOD && segment->handle >= 0);
    *torn_end = 0;
    if (verdict == BATCH_MISPLACED)
        return recover_say(journal, report, LOG_DAMAGED, number, at, "this batch does not continue the one before");
    if (segment->next_kind == NEXT_FOREIGN) return recover_foreign(journal, report, &segment->next);
    if (segment->next_kind == NEXT_GOOD || segment->next_kind == NEXT_TWO)
        return recover_say(journal, report, LOG_DAMAGED, number, at,
                           "what stood here is damaged; segment %llu came after it", (unsigned long long)number + 1);

    enum log_fault fault = judge_spare(journal, report);
    if (fault != LOG_OK) return fault;
    int error = segment_scan(journal, segment->handle, number, at, segment->header.bytes, &scan);
    if (error != 0) return journal_fault_io(journal, report, number, "the segment cannot be read", error);
    if (scan.header_at != 0)
        return recover_say(journal, report, LOG_DAMAGED, number, at,
                           "what stood here is damaged; a batch that begins with seq %llu follows at offset %llu",
                           (unsigned long long)scan.first_seq, (unsigned long long)scan.header_at);
    if (scan.stray_at != 0)
        return recover_say(journal, report, LOG_DAMAGED, number, at,
                           "what stood here is damaged; at offset %llu lies a batch of another place",
                           (unsigned long long)scan.stray_at);

    uint32_t bytes =
        ((const struct batch_header *)(const void *)batch->at)->bytes; /* good when the batch is only incomplete */
    if (verdict == BATCH_INCOMPLETE && scan.nonzero_end > at + align_up(bytes, JOURNAL_BLOCK))
        return recover_say(journal, report, LOG_DAMAGED, number, at,
                           "what stood here is damaged; something was written behind it");
    *torn_end = scan.nonzero_end;
    return LOG_OK;
}

/* Copies [from, to) of the current segment into a file of its own. */
static int keep_torn(struct journal *journal, uint64_t from, uint64_t to, const char *name)
{
    struct disk *disk = &journal->disk;
    int          handle, error = disk->remove(disk->self, name);

    assert(from < to);
    if (error != 0 && error != ENOENT) return error;
    error = disk->create(disk->self, name, to - from);
    if (error != 0) return error;
    error = disk->open(disk->self, name, true, &handle);
    if (error != 0) return error;
    for (uint64_t at = from; at < to && error == 0; at += SCRATCH_BYTES) {
        size_t len = (size_t)min_u64(SCRATCH_BYTES, to - at);
        error = journal_read(journal, journal->segment.handle, at, journal->scratch, len);
        if (error == 0) error = disk->write(disk->self, handle, at - from, journal->scratch, len);
    }
    if (error == 0) error = disk->sync(disk->self, handle);
    disk->close(disk->self, handle);
    return error;
}

/* Cuts a torn tail: the bytes stay where they are and in a copy, and the log continues in a new segment. */
static enum log_fault cut(struct journal *journal, uint64_t torn_end, struct log_report *report)
{
    uint64_t number = journal->segment.header.number, at = journal->segment.offset;

    report->torn = true;
    report->torn_at = at;
    report->torn_bytes = torn_end - at;
    report->torn_after_seq = journal->expected.next_seq - 1;
    snprintf(report->torn_file, sizeof(report->torn_file), "journal-%08u-%08llu.torn", (uint32_t)number,
             (unsigned long long)at);
    if (journal->options.strict_tail)
        return recover_say(journal, report, LOG_DAMAGED, number, at,
                           "the tail looks torn (%llu bytes), and a strict tail was asked for",
                           (unsigned long long)report->torn_bytes);
    recover_say(journal, report, LOG_OK, number, at, "the tail is torn: %llu bytes are cut",
                (unsigned long long)report->torn_bytes);
    if (journal->options.read_only) return LOG_OK;

    int error = keep_torn(journal, at, torn_end, report->torn_file);
    if (error == 0) error = journal_rotate(journal, at, report->torn_bytes);
    return error == 0 ? LOG_OK : journal_fault_io(journal, report, number, "the torn tail cannot be cut", error);
}

/*
 * A good batch, and noise in the bytes that fill its last block: the sector that was under way when the power went.
 * Only a batch with nothing behind it can be that; it is taken, and write_last_again puts the zeros there.
 */
static enum log_fault judge_padding(struct journal *journal, struct log_batch *batch, struct log_report *report)
{
    static const char     what[] = "the bytes that fill the batch's last block are not zero";
    const struct segment *segment = &journal->segment;
    uint64_t              number = segment->header.number, at = segment->offset;
    uint32_t              bytes = ((const struct batch_header *)(const void *)batch->at)->bytes;
    size_t                padded = align_up(bytes, JOURNAL_BLOCK);
    struct segment_scan   scan;
    int error = segment_scan(journal, segment->handle, number, at + padded, segment->header.bytes, &scan);

    if (error != 0) return journal_fault_io(journal, report, number, "the segment cannot be read", error);
    if (scan.nonzero_end != 0 || (segment->next_kind != NEXT_NONE && segment->next_kind != NEXT_BAD)
        || journal->options.strict_tail)
        return recover_say(journal, report, LOG_DAMAGED, number, at, "%s", what);
    (void)recover_say(journal, report, LOG_OK, number, at, "%s; it is the last one, and whole", what);
    memcpy(report->warning, report->text, sizeof(report->warning));
    memset(batch->at + bytes, 0, padded - bytes);
    return LOG_OK;
}

/* The batch as it was read from where it stands, with zeros behind its end. */
static int read_last(struct journal *journal, struct log_batch *batch)
{
    const struct segment *segment = &journal->segment;
    int error = journal_read(journal, segment->handle, segment->last_offset, batch->at, (size_t)segment->last_bytes);
    uint32_t bytes = ((const struct batch_header *)(const void *)batch->at)->bytes;

    if (error == 0 && bytes > segment->last_bytes) error = EUCLEAN; /* it was good a moment ago */
    if (error == 0) memset(batch->at + bytes, 0, (size_t)segment->last_bytes - bytes);
    return error;
}

/*
 * Makes durable what was read last. After a kill it may have been only in memory of the system, and
 * after a failed sync a new sync alone would not write it; so it is written again, the same bytes. A
 * segment without a batch has its header written again; a genesis was durable before its header came.
 */
static int write_last_again(struct journal *journal, struct log_batch *batch)
{
    struct segment *segment = &journal->segment;
    struct disk    *disk = &journal->disk;
    int             handle, error = file_open(journal, segment->header.number, true, &handle);

    if (error != 0) return error;
    disk->close(disk->self, segment->handle);
    segment->handle = handle;
    segment->zeroed = journal->options.spare ? segment->header.bytes : segment->offset;
    if (segment->last_offset != 0) {
        assert(segment->last_bytes <= batch->cap && segment->last_bytes % JOURNAL_BLOCK == 0);
        error = read_last(journal, batch);
        if (error == 0)
            error = disk->write(disk->self, handle, segment->last_offset, batch->at, (size_t)segment->last_bytes);
        return error != 0 ? error : disk->sync(disk->self, handle);
    }
    return segment_header_write(journal, handle, &segment->header);
}

void journal_knows(struct journal *journal, uint64_t seq, const char *holder)
{
    assert(!journal->ended);
    journal->known_seq = seq;
    journal->holder = holder;
}

static enum log_fault finish(struct journal *journal, struct log_batch *batch, enum batch_verdict verdict,
                             struct log_report *report)
{
    uint64_t       torn_end, bytes;
    enum log_fault fault = judge_end(journal, batch, verdict, &torn_end, report);

    if (fault != LOG_OK) return fault;
    if (journal->known_seq >= journal->expected.next_seq)
        return recover_say(journal, report, LOG_DAMAGED, journal->segment.header.number, journal->segment.offset,
                           "the log ends here, but %s holds command %llu: the end of the log is gone (remove history "
                           "and snapshots to go on without it)",
                           journal->holder, (unsigned long long)journal->known_seq);
    if (torn_end != 0) fault = cut(journal, torn_end, report);
    if (fault != LOG_OK) return fault;
    if (torn_end == 0 && !journal->options.read_only) {
        int error = write_last_again(journal, batch);
        if (error != 0)
            return journal_fault_io(journal, report, journal->segment.header.number,
                                    "the last batch cannot be made durable", error);
    }
    journal->ended = true;
    if (file_size(journal, journal->segment.header.number + 1, &bytes) != 0
        || journal->disk.size(journal->disk.self, JOURNAL_BALLAST_NAME, &bytes) != 0)
        journal_want_ahead(journal);
    return LOG_OK;
}

enum log_fault journal_next(struct journal *journal, struct log_batch *batch, struct log_applied *applied, bool *end,
                            struct log_report *report)
{
    enum batch_verdict verdict;
    struct hash256     chain;

    assert(!journal->ended);
    *end = false;
    for (;;) {
        bool cut_here = recover_was_cut_here(journal);
        verdict = BATCH_NO_HEADER;
        int error = cut_here ? 0 : recover_read_batch(journal, batch, &verdict, &chain);
        if (error != 0)
            return journal_fault_io(journal, report, journal->segment.header.number, "the batch cannot be read", error);
        if (verdict == BATCH_GOOD && !recover_padding_is_zero(batch->at)) {
            enum log_fault fault = judge_padding(journal, batch, report);
            if (fault != LOG_OK) return fault;
        }
        if (verdict == BATCH_GOOD) {
            recover_take_batch(journal, batch, applied, &chain);
            recover_report_counts(journal, report);
            return LOG_OK;
        }
        if (verdict != BATCH_NO_HEADER || !recover_next_continues(journal)) break;
        enum log_fault fault = recover_enter(journal, journal->segment.header.number + 1, report);
        if (fault != LOG_OK) return fault;
    }
    enum log_fault fault = finish(journal, batch, verdict, report);
    recover_report_counts(journal, report);
    *end = fault == LOG_OK;
    return fault;
}
