/* SPDX-License-Identifier: MIT */
/* segment.c — names and headers of segment files, and looking through one for signs of life. */
#include "log/file/state.h"

#include <stdio.h>
#include <xxhash.h>

void segment_name(uint64_t number, char name[SEGMENT_NAME_MAX])
{
    snprintf(name, SEGMENT_NAME_MAX, "journal-%08llu.log", (unsigned long long)number);
}

static uint64_t checksum_of(const struct segment_header *header)
{
    return XXH3_64bits(header, offsetof(struct segment_header, checksum));
}

void segment_header_seal(struct segment_header *header)
{
    memcpy(header->magic, SEGMENT_MAGIC, sizeof(header->magic));
    header->format = JOURNAL_FORMAT;
    header->engine = LOG_ENGINE_VERSION;
    header->checksum = checksum_of(header);
}

/* Magic, versions and checksum have fixed offsets in every format, so that a newer one can be told from damage. */
static enum header_verdict header_judge(const struct journal *journal, const struct segment_header *header)
{
    if (memcmp(header->magic, SEGMENT_MAGIC, sizeof(header->magic)) != 0) return HEADER_BAD;
    if (header->checksum != checksum_of(header)) return HEADER_BAD;
    if (header->format != JOURNAL_FORMAT || header->engine != journal->options.engine) return HEADER_FOREIGN;
    return HEADER_GOOD;
}

int journal_read(struct journal *journal, int handle, uint64_t offset, void *bytes, size_t len)
{
    int error = 0;

    for (int i = 0; i < READ_TRIES; i++) {
        error = journal->disk.read(journal->disk.self, handle, offset, bytes, len);
        if (error == 0) return 0;
    }
    return error;
}

enum header_verdict segment_header_read(struct journal *journal, int handle, struct segment_header *header,
                                        bool *one_bad, int *error)
{
    const struct segment_header *copies = (const struct segment_header *)(const void *)journal->scratch;

    *one_bad = false;
    *error = journal_read(journal, handle, 0, journal->scratch, JOURNAL_HEADERS_BYTES);
    if (*error != 0) return HEADER_BAD;

    enum header_verdict first = header_judge(journal, &copies[0]), second = header_judge(journal, &copies[1]);
    if (first != HEADER_BAD && second != HEADER_BAD && memcmp(&copies[0], &copies[1], sizeof(*copies)) != 0)
        return HEADER_TWO;
    *one_bad = (first == HEADER_BAD) != (second == HEADER_BAD);
    memcpy(header, first != HEADER_BAD ? &copies[0] : &copies[1], sizeof(*header));
    return first != HEADER_BAD ? first : second;
}

int segment_header_write(struct journal *journal, int handle, const struct segment_header *header)
{
    assert(header->checksum == checksum_of(header)); /* sealed */
    memcpy(journal->scratch, header, sizeof(*header));
    memcpy(journal->scratch + sizeof(*header), header, sizeof(*header));
    int error = journal->disk.write(journal->disk.self, handle, 0, journal->scratch, JOURNAL_HEADERS_BYTES);
    return error != 0 ? error : journal->disk.sync(journal->disk.self, handle);
}

size_t bytes_nonzero_end(const uint8_t *bytes, size_t len)
{
    uint64_t word;

    while (len >= sizeof(word)) {
        memcpy(&word, bytes + len - sizeof(word), sizeof(word));
        if (word != 0) break;
        len -= sizeof(word);
    }
    while (len > 0 && bytes[len - 1] == 0) len--;
    return len;
}

/* The header at `bytes` was written for some other place of the segment. */
static bool is_stray(const struct journal *journal, const uint8_t *bytes, uint64_t number, uint64_t own, uint64_t to)
{
    struct batch_position position = { &journal->instance, number, 0 };

    for (position.offset = JOURNAL_HEADERS_BYTES; position.offset < to; position.offset += JOURNAL_BLOCK)
        if (position.offset != own && batch_header_is_valid(bytes, &position)) return true;
    return false;
}

static void scan_block(const struct journal *journal, const uint8_t *bytes, uint64_t number, uint64_t at, uint64_t from,
                       uint64_t to, struct segment_scan *scan)
{
    struct batch_position position = { &journal->instance, number, at };

    if (memcmp(bytes, BATCH_MAGIC, 8) != 0) return;
    if (scan->magic_at == 0) scan->magic_at = at;
    if (batch_header_is_valid(bytes, &position)) {
        if (at == from || scan->header_at != 0) return;
        scan->header_at = at;
        scan->first_seq = ((const struct batch_header *)(const void *)bytes)->first_seq;
    } else if (scan->stray_at == 0 && is_stray(journal, bytes, number, at, to)) {
        scan->stray_at = at;
    }
}

/* The block of the first byte from `at` on that may not be zero: what a sparse file does not have need not be read. */
static uint64_t next_data(const struct journal *journal, int handle, uint64_t at)
{
    uint64_t found;

    if (journal->disk.find_data == NULL) return at;
    found = journal->disk.find_data(journal->disk.self, handle, at);
    assert(found >= at);
    return found - found % JOURNAL_BLOCK;
}

int segment_scan(struct journal *journal, int handle, uint64_t number, uint64_t from, uint64_t to,
                 struct segment_scan *scan)
{
    assert(handle >= 0 && from % JOURNAL_BLOCK == 0);
    *scan = (struct segment_scan){ 0 };
    for (uint64_t at = next_data(journal, handle, from); at < to; at = next_data(journal, handle, at + SCRATCH_BYTES)) {
        size_t len = (size_t)min_u64(SCRATCH_BYTES, to - at);
        int    error = journal_read(journal, handle, at, journal->scratch, len);
        if (error != 0) return error;

        size_t end = bytes_nonzero_end(journal->scratch, len);
        if (end != 0) scan->nonzero_end = at + end;
        for (size_t i = 0; i < end && i + JOURNAL_BLOCK <= len; i += JOURNAL_BLOCK)
            scan_block(journal, journal->scratch + i, number, at + i, from, to, scan);
    }
    return 0;
}
