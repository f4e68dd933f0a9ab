/* SPDX-License-Identifier: MIT */
#include "pipeline/logbook.h"

#include "log/file/journal.h"

static int read_log(void *self, uint32_t segment, uint64_t offset, void *room, size_t cap, api_take_command *take,
                    void *context)
{
    const struct logbook *logbook = self;
    struct log_cursor     cursor = { 0, 0 };
    struct log_batch      batch;
    struct log_record     record;
    int error = journal_read_batch(logbook->disk, &logbook->instance, segment, offset, room, cap, &batch);

    if (error != 0) return error;
    while (log_batch_next(&batch, &cursor, &record)
           && take(context, record.command, record.signed_bytes, record.signature)) {}
    return 0;
}

void logbook_init(struct logbook *logbook, const struct disk *disk, struct slice genesis_json)
{
    *logbook = (struct logbook){ .disk = disk,
                                 .instance = keccak256(genesis_json.at, genesis_json.len),
                                 .log = { logbook, read_log } };
}
