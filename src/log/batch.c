/* SPDX-License-Identifier: MIT */
#include "log/batch.h"

#include <xxhash.h>

#define CHECKSUM_BYTES sizeof(uint64_t)

void log_batch_begin(struct log_batch *batch, uint64_t first_seq, int64_t time_ms)
{
    assert(batch->cap >= LOG_BATCH_BLOCK && (uintptr_t)batch->at % 8 == 0);
    assert(first_seq > 0);

    memset(batch->at, 0, LOG_BATCH_HEAD);
    batch->len = LOG_BATCH_HEAD;
    batch->first_seq = first_seq;
    batch->count = 0;
    batch->time_ms = time_ms;
}

/*
 * In its place and member by member: a header that is made elsewhere and copied is read while its pieces are on their
 * way to the cache, behind all that was written before them, and each record waits for that (60 ns).
 */
static void write_header(struct log_record_header *header, const struct log_record *record, size_t bytes)
{
    static const uint8_t        unsigned_bytes[65];
    static const struct hash256 no_hash;

    header->bytes = (uint32_t)bytes;
    header->command_bytes = record->command->bytes;
    header->signed_bytes = (uint32_t)record->signed_bytes.len;
    header->reserved = 0;
    memcpy(&header->tx_hash, record->tx_hash == NULL ? &no_hash : record->tx_hash, sizeof(header->tx_hash));
    memcpy(header->signature, record->signature == NULL ? unsigned_bytes : record->signature,
           sizeof(header->signature));
    memset(header->reserved2, 0, sizeof(header->reserved2));
}

bool log_batch_add(struct log_batch *batch, const struct log_record *record)
{
    const struct command *command = record->command;
    size_t                signed_room = align_up(record->signed_bytes.len, 8);
    size_t                bytes = sizeof(struct log_record_header) + command->bytes + signed_room + CHECKSUM_BYTES;
    size_t                room = batch->cap & ~(size_t)(LOG_BATCH_BLOCK - 1); /* the padded batch fits too */
    uint8_t              *at = batch->at + batch->len;

    assert(command->bytes >= sizeof(struct command) && command->bytes % 8 == 0);
    assert(command->seq == batch->first_seq + batch->count && command->time_ms == batch->time_ms);
    assert(command_name(command->kind) != NULL);
    if (bytes + sizeof(struct hash256) > room - batch->len) return false;

    write_header((void *)at, record, bytes);
    struct command *copy = (struct command *)(void *)(at + sizeof(struct log_record_header));
    memcpy(copy, command, command->bytes);
    copy->origin = 0;

    uint8_t *text = (uint8_t *)copy + command->bytes;
    if (signed_room != 0) {
        memset(text + signed_room - 8, 0, 8);
        memcpy(text, record->signed_bytes.at, record->signed_bytes.len);
    }
    batch->len += bytes; /* the checksum comes when all of the batch is sealed */
    batch->count += 1;
    assert(batch->len % 8 == 0 && batch->len + sizeof(struct hash256) <= batch->cap);
    return true;
}

struct hash256 *log_batch_hash(struct log_batch *batch, const struct log_cursor *cursor)
{
    size_t offset = cursor->index == 0 ? LOG_BATCH_HEAD : cursor->offset;

    assert(cursor->index < batch->count && offset < batch->len);
    return &((struct log_record_header *)(void *)(batch->at + offset))->tx_hash;
}

bool log_batch_next(const struct log_batch *batch, struct log_cursor *cursor, struct log_record *record)
{
    if (cursor->index == batch->count) return false;
    if (cursor->index == 0) cursor->offset = LOG_BATCH_HEAD;

    const uint8_t                  *at = batch->at + cursor->offset;
    const struct log_record_header *header = (const struct log_record_header *)(const void *)at;
    const uint8_t                  *command = at + sizeof(*header);

    assert(cursor->offset + header->bytes <= batch->len);
    record->command = (const struct command *)(const void *)command;
    record->signed_bytes = slice_make(command + header->command_bytes, header->signed_bytes);
    record->signature = header->signature;
    record->tx_hash = &header->tx_hash;
    cursor->offset += header->bytes;
    cursor->index += 1;
    return true;
}

const struct revert *log_batch_revert(const struct log_batch *batch)
{
    const struct log_record_header *header =
        (const struct log_record_header *)(const void *)(batch->at + LOG_BATCH_HEAD);
    const struct command *command = (const struct command *)(const void *)(header + 1);

    if (batch->count != 1 || command->kind != CMD_REVERT) return NULL;
    if (command->bytes != sizeof(*command) + sizeof(struct revert)) return NULL;
    return command_payload(command);
}

struct log_mark log_mark_behind(const struct log_batch *batch)
{
    struct log_mark mark = { .position = batch->position,
                             .next_seq = batch->first_seq + batch->count,
                             .time_ms = batch->time_ms };

    const struct revert *revert = log_batch_revert(batch);

    assert(batch->len >= LOG_BATCH_HEAD && batch->len + sizeof(mark.chain) <= batch->cap);
    memcpy(mark.chain.bytes, batch->at + batch->len, sizeof(mark.chain.bytes));
    if (revert != NULL) {
        mark.next_seq = revert->next_seq;
        mark.time_ms = revert->time_ms;
    }
    return mark;
}

uint64_t log_record_checksum(const uint8_t *at)
{
    uint64_t checksum;

    memcpy(&checksum, at + ((const struct log_record_header *)(const void *)at)->bytes - CHECKSUM_BYTES,
           sizeof(checksum));
    return checksum;
}

void log_record_seal(uint8_t *at)
{
    size_t   covered = ((const struct log_record_header *)(const void *)at)->bytes - CHECKSUM_BYTES;
    uint64_t checksum = XXH3_64bits(at, covered);

    memcpy(at + covered, &checksum, sizeof(checksum));
}

bool log_record_is_valid(const uint8_t *at, size_t room, uint64_t first_seq, uint32_t index, int64_t time_ms)
{
    const struct log_record_header *header = (const struct log_record_header *)(const void *)at;
    const struct command           *command = (const struct command *)(const void *)(header + 1);

    assert((uintptr_t)at % 8 == 0);
    if (room < sizeof(*header) + sizeof(*command) + CHECKSUM_BYTES) return false;
    if (header->bytes > room || header->bytes % 8 != 0) return false;
    if (header->command_bytes < sizeof(*command) || header->command_bytes % 8 != 0) return false;
    if (sizeof(*header) + (uint64_t)header->command_bytes + align_up(header->signed_bytes, 8) + CHECKSUM_BYTES
        != header->bytes)
        return false;
    if (log_record_checksum(at) != XXH3_64bits(at, header->bytes - CHECKSUM_BYTES)) return false;
    return command->bytes == header->command_bytes && command_name(command->kind) != NULL && command->origin == 0
        && command->seq == first_seq + index && command->time_ms == time_ms;
}
