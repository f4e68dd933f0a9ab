/* SPDX-License-Identifier: MIT */
#include "log/postgres/row.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the struct is the bytes in the table");

static uint32_t bytes_of(const uint8_t *record)
{
    return ((const struct log_record_header *)(const void *)record)->bytes;
}

static void add_record(struct keccak *keccak, const uint8_t *record)
{
    uint64_t checksum = log_record_checksum(record);
    uint8_t  share[sizeof(struct hash256) + sizeof(checksum)];

    memcpy(share, ((const struct log_record_header *)(const void *)record)->tx_hash.bytes, sizeof(struct hash256));
    memcpy(share + sizeof(struct hash256), &checksum, sizeof(checksum));
    keccak_add(keccak, share, sizeof(share));
}

/* The hash of a row whose contents are valid. */
static struct hash256 hash_of(const uint8_t *payload, const struct row_header *header, const struct hash256 *previous)
{
    const uint8_t *at = payload + sizeof(*header);
    struct keccak  keccak;

    keccak_init(&keccak);
    keccak_add(&keccak, previous->bytes, sizeof(previous->bytes));
    keccak_add(&keccak, header, sizeof(*header));
    if (header->kind == ROW_GENESIS) {
        struct hash256 share = keccak256(at, header->bytes - sizeof(*header));

        keccak_add(&keccak, share.bytes, sizeof(share.bytes));
    }
    for (uint32_t i = 0; i < header->count; i++, at += bytes_of(at)) add_record(&keccak, at);
    return keccak_end(&keccak);
}

void row_seal(uint8_t *payload, const struct row_header *header, const struct hash256 *previous, struct hash256 *hash)
{
    uint8_t *at = payload + sizeof(*header);

    assert(header->bytes >= sizeof(*header) && (header->kind == ROW_BATCH || header->count == 0));
    memcpy(payload, header, sizeof(*header));
    for (uint32_t i = 0; i < header->count; i++, at += bytes_of(at)) log_record_seal(at);
    assert(header->kind == ROW_GENESIS || at == payload + header->bytes);
    *hash = hash_of(payload, header, previous);
}

static bool columns_agree(const struct row_header *column, const struct row_header *header)
{
    return column->shard == header->shard && column->kind == header->kind && column->bytes == header->bytes
        && column->number == header->number && column->term == header->term && column->first_seq == header->first_seq
        && column->count == header->count && column->time_ms == header->time_ms
        && column->committed == header->committed;
}

static bool records_are_valid(const uint8_t *payload, const struct row_header *header)
{
    size_t offset = sizeof(*header);

    for (uint32_t i = 0; i < header->count; i++) {
        if (!log_record_is_valid(payload + offset, header->bytes - offset, header->first_seq, i, header->time_ms))
            return false;
        offset += bytes_of(payload + offset);
    }
    return offset == header->bytes;
}

enum row_verdict row_judge(const struct row *row, const uint8_t *payload, uint32_t engine, struct row_header *header)
{
    static const uint8_t zeros[sizeof(header->reserved)];
    struct hash256       hash;

    assert((uintptr_t)payload % 8 == 0);
    if (row->column.bytes < sizeof(*header) || memcmp(payload, ROW_MAGIC, sizeof(header->magic)) != 0)
        return ROW_DAMAGED;
    memcpy(header, payload, sizeof(*header));
    if (header->format != ROW_FORMAT || header->engine != engine) return ROW_FOREIGN;
    if (!columns_agree(&row->column, header) || header->kind > ROW_FENCE || header->zero != 0) return ROW_DAMAGED;
    if (memcmp(header->reserved, zeros, sizeof(zeros)) != 0) return ROW_DAMAGED;
    if (header->kind != ROW_BATCH && header->count != 0) return ROW_DAMAGED;
    if (header->kind != ROW_GENESIS && !records_are_valid(payload, header)) return ROW_DAMAGED;
    hash = hash_of(payload, header, &row->previous);
    return hash256_equal(&hash, &row->hash) ? ROW_GOOD : ROW_DAMAGED;
}

bool row_continues(const struct row *row, const struct row_place *before)
{
    const struct row_header *column = &row->column;

    if (column->number != before->number + 1 || !hash256_equal(&row->previous, &before->hash)) return false;
    if (column->committed > before->number || column->first_seq != before->next_seq) return false;
    if (column->kind == ROW_FENCE) return column->term > before->term;
    return column->kind == ROW_BATCH && column->term == before->term && column->time_ms >= before->time_ms;
}

struct row_place row_behind(const struct row *row, const struct row_place *before)
{
    struct row_place place = { .number = row->column.number,
                               .term = row->column.term,
                               .next_seq = row->column.first_seq + row->column.count,
                               .time_ms = row->column.kind == ROW_FENCE ? before->time_ms : row->column.time_ms,
                               .hash = row->hash,
                               .chain = row->column.kind == ROW_FENCE ? before->chain : row->hash };
    return place;
}
