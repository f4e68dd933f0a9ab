/* SPDX-License-Identifier: MIT */
#include "snapshot/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#define LEVEL 1 /* written every few minutes: size matters less than delay */

struct writer {
    const struct disk *disk;
    int                handle;
    uint64_t           at; /* bytes written */
    struct keccak      body;
    ZSTD_CCtx         *context;
    uint8_t           *room; /* a chunk's head and frame */
    size_t             room_bytes;
};

const char *snapshot_name(uint32_t place)
{
    static const char *const names[SNAPSHOT_PLACES] = { "snapshot-a", "snapshot-b" };

    assert(place < SNAPSHOT_PLACES);
    return names[place];
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
    return len == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
}

static int write_chunk(struct writer *writer, uint32_t section, uint64_t offset, const uint8_t *bytes, size_t len)
{
    struct snapshot_chunk head = { .section = section, .offset = offset };
    size_t                packed, padded;
    int                   error;

    packed = ZSTD_compressCCtx(writer->context, writer->room + sizeof(head), writer->room_bytes - sizeof(head), bytes,
                               len, LEVEL);
    if (ZSTD_isError(packed)) return ENOMEM;
    head.packed = (uint32_t)packed;
    head.checksum = XXH3_64bits(bytes, len);
    memcpy(writer->room, &head, sizeof(head));
    padded = align_up(packed, 8);
    memset(writer->room + sizeof(head) + packed, 0, padded - packed);
    error = writer->disk->write(writer->disk->self, writer->handle, writer->at, writer->room, sizeof(head) + padded);
    if (error != 0) return error;
    keccak_add(&writer->body, writer->room, sizeof(head) + padded);
    writer->at += sizeof(head) + padded;
    if (!sync_is_due(writer->at - sizeof(head) - padded, writer->at)) return 0;
    return writer->disk->sync(writer->disk->self, writer->handle);
}

static int write_section(struct writer *writer, uint32_t number, const struct snapshot_section *section)
{
    const uint8_t *memory = section->at;
    int            error = 0;

    for (uint64_t at = 0; at < section->bytes && error == 0; at += SNAPSHOT_CHUNK) {
        size_t len = (size_t)min_u64(SNAPSHOT_CHUNK, section->bytes - at);
        if (!is_zero(memory + at, len)) error = write_chunk(writer, number, at, memory + at, len);
    }
    return error;
}

/* The header is written last: without it there is no snapshot. */
static int write_header(struct writer *writer, struct snapshot_header *facts, const struct snapshot_section *sections,
                        uint32_t count)
{
    const struct disk *disk = writer->disk;
    int                error;

    memcpy(facts->magic, SNAPSHOT_MAGIC, sizeof(facts->magic));
    facts->format = SNAPSHOT_FORMAT;
    facts->bytes = writer->at;
    facts->body = keccak_end(&writer->body);
    facts->section_count = count;
    for (uint32_t i = 0; i < count; i++)
        facts->sections[i] = (struct snapshot_section_row){ sections[i].kind, 0, sections[i].bytes };
    facts->hash = keccak256(facts, offsetof(struct snapshot_header, hash));
    error = disk->write(disk->self, writer->handle, 0, facts, sizeof(*facts));
    return error == 0 ? disk->sync(disk->self, writer->handle) : error;
}

static int write_all(struct writer *writer, struct snapshot_header *facts, const struct snapshot_section *sections,
                     uint32_t count)
{
    int error = 0;

    writer->at = SNAPSHOT_HEADER_BYTES;
    keccak_init(&writer->body);
    for (uint32_t i = 0; i < count && error == 0; i++) error = write_section(writer, i, &sections[i]);
    return error == 0 ? write_header(writer, facts, sections, count) : error;
}

static int make_file(const struct disk *disk, const char *name, int *handle)
{
    int error = disk->remove(disk->self, name);

    if (error != 0 && error != ENOENT) return error;
    error = disk->create(disk->self, name, 0);
    return error == 0 ? disk->open(disk->self, name, true, handle) : error;
}

int snapshot_write(const struct disk *disk, const char *name, struct snapshot_header *facts,
                   const struct snapshot_section *sections, uint32_t count)
{
    struct writer writer = { .disk = disk, .context = ZSTD_createCCtx() };
    int           error = ENOMEM;

    assert(count <= SNAPSHOT_SECTIONS_MAX);
    writer.room_bytes = sizeof(struct snapshot_chunk) + ZSTD_compressBound(SNAPSHOT_CHUNK);
    writer.room = malloc(writer.room_bytes + 8);
    if (writer.context != NULL && writer.room != NULL) error = make_file(disk, name, &writer.handle);
    if (error == 0) {
        error = write_all(&writer, facts, sections, count);
        disk->close(disk->self, writer.handle);
        if (error != 0) (void)!disk->remove(disk->self, name);
    }
    free(writer.room);
    (void)ZSTD_freeCCtx(writer.context);
    return error;
}
