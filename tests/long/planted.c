/* SPDX-License-Identifier: MIT */
/* planted.c — a reader that does not check a batch's records or chain (the linker's --wrap). */
#include "log/file/batch.h"

enum batch_verdict __real_batch_judge(const void *bytes, size_t len, const struct batch_position *place,
                                      const struct batch_expected *expected, struct hash256 *chain);
enum batch_verdict __wrap_batch_judge(const void *bytes, size_t len, const struct batch_position *place,
                                      const struct batch_expected *expected, struct hash256 *chain);

/* Checks that the lengths can be walked, and not the contents of the records. */
static bool lengths_fit(const uint8_t *at, const struct batch_header *header)
{
    size_t end = header->bytes - sizeof(struct hash256), offset = sizeof(*header);

    for (uint32_t i = 0; i < header->count; i++) {
        const struct log_record_header *record = (const struct log_record_header *)(const void *)(at + offset);
        const struct command           *command = (const struct command *)(const void *)(record + 1);

        if (end - offset < sizeof(*record) + sizeof(*command) || record->bytes > end - offset || record->bytes % 8 != 0)
            return false;
        if (sizeof(*record) + (uint64_t)record->command_bytes + align_up(record->signed_bytes, 8) + 8 != record->bytes)
            return false;
        if (command->bytes != record->command_bytes) return false;
        offset += record->bytes;
    }
    return offset == end;
}

enum batch_verdict __wrap_batch_judge(const void *bytes, size_t len, const struct batch_position *place,
                                      const struct batch_expected *expected, struct hash256 *chain)
{
    enum batch_verdict         verdict = __real_batch_judge(bytes, len, place, expected, chain);
    const struct batch_header *header = bytes;

    if (verdict != BATCH_INCOMPLETE || header->bytes < BATCH_BYTES_LEAST || header->bytes > len
        || !lengths_fit(bytes, header))
        return verdict;
    memcpy(chain->bytes, (const uint8_t *)bytes + header->bytes - sizeof(*chain), sizeof(*chain));
    return BATCH_GOOD;
}
