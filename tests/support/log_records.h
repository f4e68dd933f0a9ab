/* SPDX-License-Identifier: MIT */
/*
 * log_records.h — batches whose content follows from their numbers, so that a test can check that a
 * log returns the appended batches, to the last byte. `variant` makes another content of the same numbers.
 */
#ifndef SUPPORT_LOG_RECORDS_H
#define SUPPORT_LOG_RECORDS_H

#include "log/log.h"

/* What a record points to beside its command. */
struct record_parts {
    char           text[512];
    uint8_t        signature[65];
    struct hash256 hash;
};

/* The record that stands at `seq`: kind, length and bytes follow from the number. */
static inline struct log_record record_at(uint32_t variant, uint64_t seq, int64_t time_ms, struct command_room *room,
                                          struct record_parts *parts)
{
    struct log_record record = { .command = &room->head, .signature = parts->signature, .tx_hash = &parts->hash };
    size_t            len = seq % 7 == 0 ? 0 : (size_t)(seq * 37 % 300 + 10);

    memset(room, 0, sizeof(*room));
    memset(parts, 0, sizeof(*parts));
    for (size_t i = 0; i < len; i++) parts->text[i] = (char)('a' + (seq + i + variant) % 26);
    room->head = (struct command){ .kind = seq % 7 == 0 ? CMD_TICK : CMD_PLACE_ORDERS,
                                   .seq = seq,
                                   .time_ms = time_ms,
                                   .market = MARKET_SPOT,
                                   .nonce = seq + 1000,
                                   .origin = 77,
                                   .payload_tag = seq ^ variant };
    if (seq % 7 == 0) {
        room->head.bytes = sizeof(struct command) + sizeof(struct tick);
    } else {
        room->place_orders.count = 1 + (uint32_t)(seq % 3);
        for (uint32_t i = 0; i < room->place_orders.count; i++) room->place_orders.items[i].symbol_id = seq * 10 + i;
        room->head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_orders, room->place_orders.count));
        parts->hash = keccak256(parts->text, len);
        memset(parts->signature, (int)(seq & 0xff), sizeof(parts->signature));
    }
    record.signed_bytes = slice_make(parts->text, len);
    return record;
}

/* Fills a batch with `count` records from first_seq on. */
static inline void records_fill(struct log_batch *batch, uint32_t variant, uint64_t first_seq, uint32_t count,
                                int64_t time_ms)
{
    struct command_room room;
    struct record_parts parts;

    log_batch_begin(batch, first_seq, time_ms);
    for (uint32_t i = 0; i < count; i++) {
        struct log_record record = record_at(variant, first_seq + i, time_ms, &room, &parts);
        bool              fits;

        if (record.signed_bytes.len == 0) record.signature = NULL, record.tx_hash = NULL; /* the same as zeros */
        fits = log_batch_add(batch, &record);
        assert(fits);
    }
}

/* The batch holds exactly what records_fill would put into it. */
static inline bool records_are(const struct log_batch *batch, uint32_t variant, uint64_t first_seq, uint32_t count,
                               int64_t time_ms)
{
    struct log_cursor   cursor = { 0 };
    struct log_record   got;
    struct command_room room;
    struct record_parts parts;
    uint32_t            seen = 0;

    if (batch->first_seq != first_seq || batch->count != count || batch->time_ms != time_ms) return false;
    while (log_batch_next(batch, &cursor, &got)) {
        struct log_record want = record_at(variant, first_seq + seen, time_ms, &room, &parts);
        room.head.origin = 0;
        if (got.command->bytes != room.head.bytes || memcmp(got.command, &room, room.head.bytes) != 0) return false;
        if (!slice_equal(got.signed_bytes, want.signed_bytes) || !hash256_equal(got.tx_hash, want.tx_hash))
            return false;
        if (memcmp(got.signature, want.signature, sizeof(parts.signature)) != 0) return false;
        seen++;
    }
    return seen == count;
}

#endif
