/* SPDX-License-Identifier: MIT */
#include "log/file/batch.h"

#include <xxhash.h>

#define CHECKSUM_BYTES sizeof(uint64_t)

static uint64_t header_checksum(const struct batch_header *header, const struct batch_position *position)
{
    uint64_t seed;

    memcpy(&seed, position->instance->bytes, sizeof(seed));
    seed += (position->segment << 40) + position->offset;
    return XXH3_64bits_withSeed(header, offsetof(struct batch_header, checksum), seed);
}

void log_batch_begin(struct log_batch *batch, uint64_t first_seq, int64_t time_ms)
{
    assert(batch->cap >= JOURNAL_BLOCK && (uintptr_t)batch->at % 8 == 0);
    assert(first_seq > 0);

    memset(batch->at, 0, sizeof(struct batch_header));
    batch->len = sizeof(struct batch_header);
    batch->first_seq = first_seq;
    batch->count = 0;
    batch->time_ms = time_ms;
}

bool log_batch_add(struct log_batch *batch, const struct log_record *record)
{
    const struct command *command = record->command;
    size_t                signed_room = align_up(record->signed_bytes.len, 8);
    size_t                bytes = sizeof(struct record_header) + command->bytes + signed_room + CHECKSUM_BYTES;
    size_t                room = batch->cap & ~(size_t)(JOURNAL_BLOCK - 1); /* the padded batch fits too */
    uint8_t              *at = batch->at + batch->len;

    assert(command->bytes >= sizeof(struct command) && command->bytes % 8 == 0);
    assert(command->seq == batch->first_seq + batch->count && command->time_ms == batch->time_ms);
    assert(command_name(command->kind) != NULL);
    if (bytes + sizeof(struct hash256) > room - batch->len) return false;

    struct record_header header = { .bytes = (uint32_t)bytes,
                                    .command_bytes = command->bytes,
                                    .signed_bytes = (uint32_t)record->signed_bytes.len,
                                    .tx_hash = record->tx_hash };
    memcpy(header.signature, record->signature, sizeof(header.signature));
    memcpy(at, &header, sizeof(header));

    struct command *copy = (struct command *)(void *)(at + sizeof(header));
    memcpy(copy, command, command->bytes);
    copy->origin = 0;

    uint8_t *text = (uint8_t *)copy + command->bytes;
    if (signed_room != 0) {
        memset(text + signed_room - 8, 0, 8);
        memcpy(text, record->signed_bytes.at, record->signed_bytes.len);
    }
    batch->len += bytes; /* the checksum comes when all of the batch is sealed */
    batch->count += 1;
    return true;
}

struct hash256 *log_batch_hash(struct log_batch *batch, const struct log_cursor *cursor)
{
    size_t offset = cursor->index == 0 ? sizeof(struct batch_header) : cursor->offset;

    assert(cursor->index < batch->count && offset < batch->len);
    return &((struct record_header *)(void *)(batch->at + offset))->tx_hash;
}

bool log_batch_next(const struct log_batch *batch, struct log_cursor *cursor, struct log_record *record)
{
    if (cursor->index == batch->count) return false;
    if (cursor->index == 0) cursor->offset = sizeof(struct batch_header);

    const uint8_t              *at = batch->at + cursor->offset;
    const struct record_header *header = (const struct record_header *)(const void *)at;
    const uint8_t              *command = at + sizeof(*header);

    assert(cursor->offset + header->bytes <= batch->len);
    memset(record, 0, sizeof(*record));
    record->command = (const struct command *)(const void *)command;
    record->signed_bytes = slice_make(command + header->command_bytes, header->signed_bytes);
    memcpy(record->signature, header->signature, sizeof(record->signature));
    record->tx_hash = header->tx_hash;
    cursor->offset += header->bytes;
    cursor->index += 1;
    return true;
}

bool batch_header_is_valid(const void *bytes, const struct batch_position *position)
{
    struct batch_header header;

    if (memcmp(bytes, BATCH_MAGIC, 8) != 0) return false;
    memcpy(&header, bytes, sizeof(header));
    return header.checksum == header_checksum(&header, position);
}

bool batch_header_continues(const struct batch_header *header, const struct batch_expected *expected)
{
    return header->first_seq == expected->next_seq && header->durable_seq == expected->next_seq - 1
        && header->time_ms >= expected->time_ms && hash256_equal(&header->previous, &expected->chain)
        && header->bytes >= BATCH_BYTES_LEAST && header->bytes % 8 == 0 && header->reserved == 0
        && header->flags == (header->count == 0 ? BATCH_CLOSING : 0);
}

/* A record of at most `room` bytes that is number `index` of its batch. */
static bool record_is_valid(const uint8_t *at, size_t room, const struct batch_header *batch, uint32_t index)
{
    const struct record_header *header = (const struct record_header *)(const void *)at;
    const struct command       *command = (const struct command *)(const void *)(header + 1);
    uint64_t                    checksum;

    if (room < sizeof(*header) + sizeof(*command) + CHECKSUM_BYTES) return false;
    if (header->bytes > room || header->bytes % 8 != 0) return false;
    if (header->command_bytes < sizeof(*command) || header->command_bytes % 8 != 0) return false;
    if (sizeof(*header) + (uint64_t)header->command_bytes + align_up(header->signed_bytes, 8) + CHECKSUM_BYTES
        != header->bytes)
        return false;
    memcpy(&checksum, at + header->bytes - CHECKSUM_BYTES, sizeof(checksum));
    if (checksum != XXH3_64bits(at, header->bytes - CHECKSUM_BYTES)) return false;
    return command->bytes == header->command_bytes && command_name(command->kind) != NULL && command->origin == 0
        && command->seq == batch->first_seq + index && command->time_ms == batch->time_ms;
}

/* Feeds a record's share of the chain. */
static void chain_add_record(struct keccak *keccak, const uint8_t *at)
{
    const struct record_header *header = (const struct record_header *)(const void *)at;
    uint8_t                     share[sizeof(struct hash256) + CHECKSUM_BYTES];

    memcpy(share, header->tx_hash.bytes, sizeof(struct hash256));
    memcpy(share + sizeof(struct hash256), at + header->bytes - CHECKSUM_BYTES, CHECKSUM_BYTES);
    keccak_add(keccak, share, sizeof(share));
}

static void chain_begin(struct keccak *keccak, const struct hash256 *previous, const struct batch_header *header)
{
    keccak_init(keccak);
    keccak_add(keccak, previous->bytes, sizeof(previous->bytes));
    keccak_add(keccak, header, sizeof(*header));
}

enum batch_verdict batch_judge(const void *bytes, size_t len, const struct batch_position *position,
                               const struct batch_expected *expected, struct hash256 *chain)
{
    const uint8_t             *at = bytes;
    const struct batch_header *header = bytes;
    struct keccak              keccak;

    assert((uintptr_t)bytes % 8 == 0);
    if (len < BATCH_BYTES_LEAST || !batch_header_is_valid(bytes, position)) return BATCH_NO_HEADER;
    if (!batch_header_continues(header, expected)) return BATCH_MISPLACED;
    if (header->bytes > len) return BATCH_INCOMPLETE;

    size_t end = header->bytes - sizeof(struct hash256), offset = sizeof(*header);
    chain_begin(&keccak, &expected->chain, header);
    for (uint32_t i = 0; i < header->count; i++) {
        if (!record_is_valid(at + offset, end - offset, header, i)) return BATCH_INCOMPLETE;
        chain_add_record(&keccak, at + offset);
        offset += ((const struct record_header *)(const void *)(at + offset))->bytes;
    }
    if (offset != end) return BATCH_INCOMPLETE;
    *chain = keccak_end(&keccak);
    return memcmp(at + end, chain->bytes, sizeof(chain->bytes)) == 0 ? BATCH_GOOD : BATCH_INCOMPLETE;
}

static void record_seal(uint8_t *at)
{
    size_t   covered = ((const struct record_header *)(const void *)at)->bytes - CHECKSUM_BYTES;
    uint64_t checksum = XXH3_64bits(at, covered);

    memcpy(at + covered, &checksum, sizeof(checksum));
}

size_t batch_seal(struct log_batch *batch, const struct batch_position *position, const struct batch_expected *expected,
                  const struct log_applied *applied, struct hash256 *chain)
{
    size_t               padded = batch_padded(batch), offset = sizeof(struct batch_header);
    struct batch_header *header = (struct batch_header *)(void *)batch->at;
    struct keccak        keccak;

    assert(padded <= batch->cap);
    *header = (struct batch_header){ .magic = BATCH_MAGIC,
                                     .bytes = (uint32_t)(batch->len + sizeof(*chain)),
                                     .count = batch->count,
                                     .first_seq = batch->first_seq,
                                     .time_ms = batch->time_ms,
                                     .durable_seq = batch->first_seq - 1,
                                     .applied_number = applied->number,
                                     .applied_hash = applied->hash,
                                     .previous = expected->chain,
                                     .flags = batch->count == 0 ? BATCH_CLOSING : 0 };
    header->checksum = header_checksum(header, position);

    chain_begin(&keccak, &expected->chain, header);
    for (uint32_t i = 0; i < batch->count; i++) {
        record_seal(batch->at + offset);
        chain_add_record(&keccak, batch->at + offset);
        offset += ((const struct record_header *)(const void *)(batch->at + offset))->bytes;
    }
    assert(offset == batch->len);
    *chain = keccak_end(&keccak);
    memcpy(batch->at + batch->len, chain->bytes, sizeof(chain->bytes));
    memset(batch->at + batch->len + sizeof(*chain), 0, padded - batch->len - sizeof(*chain));
    return padded;
}
