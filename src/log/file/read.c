/* SPDX-License-Identifier: MIT */
/* read.c — reads one batch back from its position, at any time and from any thread: written batches never change. */
#include "log/file/batch.h"
#include "log/file/state.h"

#include <errno.h>

/* The header's own claims: earlier batches are not checked. */
static bool judge(const uint8_t *bytes, const struct batch_position *position)
{
    const struct batch_header *header = (const struct batch_header *)(const void *)bytes;
    struct batch_expected      expected = { header->previous, header->first_seq, header->time_ms };
    struct hash256             chain;

    return batch_judge(bytes, header->bytes, position, &expected, &chain) == BATCH_GOOD;
}

static int read_batch(const struct disk *disk, int handle, const struct batch_position *position, void *room,
                      size_t cap)
{
    const struct batch_header *header = room;
    int                        error = disk->read(disk->self, handle, position->offset, room, sizeof(*header));

    if (error != 0) return error;
    if (!batch_header_is_valid(room, position) || header->bytes < BATCH_BYTES_LEAST || header->bytes > cap)
        return EUCLEAN;
    error = disk->read(disk->self, handle, position->offset, room, header->bytes);
    if (error != 0) return error;
    return judge(room, position) ? 0 : EUCLEAN;
}

int journal_read_batch(const struct disk *disk, const struct hash256 *instance, uint64_t segment, uint64_t offset,
                       void *room, size_t cap, struct log_batch *batch)
{
    const struct batch_header  *header = room;
    const struct batch_position position = { instance, segment, offset };
    char                        name[SEGMENT_NAME_MAX];
    int                         handle, error;

    assert((uintptr_t)room % 8 == 0 && cap >= sizeof(*header));
    segment_name(segment, name);
    error = disk->open(disk->self, name, false, &handle);
    if (error != 0) return error;
    error = read_batch(disk, handle, &position, room, cap);
    disk->close(disk->self, handle);
    if (error != 0) return error;
    *batch = (struct log_batch){ .at = room,
                                 .len = header->bytes - sizeof(struct hash256),
                                 .cap = cap,
                                 .first_seq = header->first_seq,
                                 .count = header->count,
                                 .time_ms = header->time_ms,
                                 .position = log_position_make(segment, offset) };
    return 0;
}
