/* SPDX-License-Identifier: MIT */
#include "pipeline/logbook.h"

static int read_log(void *self, const struct log_position_short *position, void *room, size_t cap,
                    api_take_command *take, void *context)
{
    struct log_position place = log_position_lengthen(position);
    struct log_cursor   cursor = { 0, 0 };
    struct log_batch    batch;
    struct log_record   record;
    int                 error = log_read(self, &place, room, cap, &batch);

    if (error != 0) return error;
    while (log_batch_next(&batch, &cursor, &record)
           && take(context, record.command, record.signed_bytes, record.signature)) {}
    return 0;
}

struct api_log logbook_of(struct log *log) { return (struct api_log){ log, read_log }; }
