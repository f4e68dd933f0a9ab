/* SPDX-License-Identifier: MIT */
/* create.c — a new log. */
#include "log/file/state.h"

#include <errno.h>

/* Segment 1 with the genesis; the header comes last, so that a log without one was never begun. */
static int write_first_segment(struct journal *journal, struct slice genesis)
{
    struct disk    *disk = &journal->disk;
    struct segment *segment = &journal->segment;
    char            name[SEGMENT_NAME_MAX];
    int             error;

    segment_name(1, name);
    error = disk->create(disk->self, name, journal->options.file_bytes);
    if (error != 0) return error;
    error = disk->open(disk->self, name, true, &segment->handle);
    if (error != 0) return error;
    error = disk->write(disk->self, segment->handle, JOURNAL_HEADERS_BYTES, genesis.at, genesis.len);
    if (error == 0) error = disk->sync(disk->self, segment->handle);
    if (error == 0) error = segment_header_write(journal, segment->handle, &segment->header);
    if (error != 0) disk->close(disk->self, segment->handle);
    return error;
}

enum log_fault journal_create(void *memory, const struct disk *disk, const struct log_settings *options,
                              struct slice genesis, struct journal **journal_out, struct log_report *report)
{
    struct journal        *journal = journal_init(memory, disk, options);
    struct segment_header *header = &journal->segment.header;

    assert(!options->read_only);
    assert(genesis.len > 0 && genesis.len <= JOURNAL_GENESIS_MAX);
    assert(JOURNAL_HEADERS_BYTES + genesis.len <= options->file_bytes);
    memset(report, 0, sizeof(*report));

    journal->instance = keccak256(genesis.at, genesis.len);
    journal->expected.chain = journal->instance;
    *header = (struct segment_header){ .instance = journal->instance,
                                       .number = 1,
                                       .bytes = options->file_bytes,
                                       .first_seq = 1,
                                       .chain = journal->instance,
                                       .genesis_bytes = genesis.len };
    segment_header_seal(header);

    int error = journal_remove_unbegun(journal);
    if (error == 0) error = write_first_segment(journal, genesis);
    if (error != 0) return journal_fault_io(journal, report, 1, "a new journal cannot be written", error);

    memcpy(journal->genesis, genesis.at, genesis.len);
    journal->genesis_bytes = genesis.len;
    journal->segment.offset = segment_first(header);
    journal->segment.zeroed = options->spare ? header->bytes : journal->segment.offset;
    journal->segments = report->parts = 1;
    journal->ended = true;
    journal_want_ahead(journal);
    *journal_out = journal;
    return LOG_OK;
}
