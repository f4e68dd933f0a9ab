/* SPDX-License-Identifier: MIT */
#include "log/file/batch.h"

#include <xxhash.h>

static_assert(sizeof(struct batch_header) == LOG_BATCH_HEAD && JOURNAL_BLOCK == LOG_BATCH_BLOCK,
              "a batch leaves this room in front and behind");

static uint64_t header_checksum(const struct batch_header *header, const struct batch_position *position)
{
    uint64_t seed;

    memcpy(&seed, position->instance->bytes, sizeof(seed));
    seed += (position->segment << 40) + position->offset;
    return XXH3_64bits_withSeed(header, offsetof(struct batch_header, checksum), seed);
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

/* Feeds a record's share of the chain. */
static void chain_add_record(struct keccak *keccak, const uint8_t *at)
{
    const struct log_record_header *header = (const struct log_record_header *)(const void *)at;
    uint64_t                        checksum = log_record_checksum(at);
    uint8_t                         share[sizeof(struct hash256) + sizeof(checksum)];

    memcpy(share, header->tx_hash.bytes, sizeof(struct hash256));
    memcpy(share + sizeof(struct hash256), &checksum, sizeof(checksum));
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
        if (!log_record_is_valid(at + offset, end - offset, header->first_seq, i, header->time_ms))
            return BATCH_INCOMPLETE;
        chain_add_record(&keccak, at + offset);
        offset += ((const struct log_record_header *)(const void *)(at + offset))->bytes;
    }
    assert(offset <= end); /* each record was judged to be within its room */
    if (offset != end) return BATCH_INCOMPLETE;
    *chain = keccak_end(&keccak);
    return memcmp(at + end, chain->bytes, sizeof(chain->bytes)) == 0 ? BATCH_GOOD : BATCH_INCOMPLETE;
}

size_t batch_seal(struct log_batch *batch, const struct batch_position *position, const struct batch_expected *expected,
                  const struct log_applied *applied, struct hash256 *chain)
{
    size_t               padded = batch_padded(batch), offset = sizeof(struct batch_header);
    struct batch_header *header = (struct batch_header *)(void *)batch->at;
    struct keccak        keccak;

    assert(padded <= batch->cap);
    assert(batch->first_seq == expected->next_seq && position->offset % JOURNAL_BLOCK == 0);
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
        log_record_seal(batch->at + offset);
        chain_add_record(&keccak, batch->at + offset);
        offset += ((const struct log_record_header *)(const void *)(batch->at + offset))->bytes;
    }
    assert(offset == batch->len);
    *chain = keccak_end(&keccak);
    memcpy(batch->at + batch->len, chain->bytes, sizeof(chain->bytes));
    memset(batch->at + batch->len + sizeof(*chain), 0, padded - batch->len - sizeof(*chain));
    return padded;
}

struct batch_expected expected_behind(const struct log_batch *batch)
{
    struct log_mark mark = log_mark_behind(batch);

    return (struct batch_expected){ mark.chain, mark.next_seq, mark.time_ms };
}
