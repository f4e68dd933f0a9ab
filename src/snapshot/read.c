/* SPDX-License-Identifier: MIT */
#include "snapshot/snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#define READ_BYTES (1024 * 1024) /* of the file at once; more than a chunk can have */

static enum snapshot_fault __attribute__((format(printf, 3, 4)))
say(struct snapshot_report *report, enum snapshot_fault fault, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(report->text, sizeof(report->text), format, arguments);
    va_end(arguments);
    return fault;
}

static enum snapshot_fault failed(struct snapshot_report *report, const char *what, int error)
{
    report->error = error;
    return say(report, SNAPSHOT_IO, "%s: %s", what, strerror(error));
}

/* Magic, format and hash have fixed offsets in every format, so that a newer one can be told from damage. */
static enum snapshot_fault judge_header(const struct snapshot_header *header, uint64_t bytes,
                                        struct snapshot_report *report)
{
    struct hash256 hash = keccak256(header, offsetof(struct snapshot_header, hash));

    if (memcmp(header->magic, SNAPSHOT_MAGIC, sizeof(header->magic)) != 0)
        return say(report, SNAPSHOT_DAMAGED, "it does not begin like a snapshot");
    if (!hash256_equal(&hash, &header->hash)) return say(report, SNAPSHOT_DAMAGED, "its header fails its checksum");
    if (header->format != SNAPSHOT_FORMAT)
        return say(report, SNAPSHOT_FOREIGN, "it has format %u, this program knows %u", header->format,
                   SNAPSHOT_FORMAT);
    if (header->bytes != bytes)
        return say(report, SNAPSHOT_DAMAGED, "it has %llu bytes and should have %llu", (unsigned long long)bytes,
                   (unsigned long long)header->bytes);
    if (header->section_count > SNAPSHOT_SECTIONS_MAX) return say(report, SNAPSHOT_DAMAGED, "it has too many sections");
    return SNAPSHOT_OK;
}

static enum snapshot_fault read_header(const struct disk *disk, const char *name, int handle,
                                       struct snapshot_header *header, struct snapshot_report *report)
{
    uint64_t bytes;
    int      error = disk->size(disk->self, name, &bytes);

    if (error != 0) return failed(report, "it has no size", error);
    if (bytes < sizeof(*header)) return say(report, SNAPSHOT_DAMAGED, "it ends in its header");
    error = disk->read(disk->self, handle, 0, header, sizeof(*header));
    return error != 0 ? failed(report, "its header cannot be read", error) : judge_header(header, bytes, report);
}

static enum snapshot_fault open_file(const struct disk *disk, const char *name, int *handle,
                                     struct snapshot_report *report)
{
    int error = disk->open(disk->self, name, false, handle);

    memset(report, 0, sizeof(*report));
    if (error == ENOENT) return say(report, SNAPSHOT_ABSENT, "there is none");
    return error != 0 ? failed(report, "it cannot be opened", error) : SNAPSHOT_OK;
}

enum snapshot_fault snapshot_look(const struct disk *disk, const char *name, struct snapshot_header *facts,
                                  struct snapshot_report *report)
{
    int                 handle;
    enum snapshot_fault fault = open_file(disk, name, &handle, report);

    if (fault != SNAPSHOT_OK) return fault;
    fault = read_header(disk, name, handle, facts, report);
    disk->close(disk->self, handle);
    return fault;
}

/* ---- the body ---- */

struct loader {
    const struct disk             *disk;
    int                            handle;
    const struct snapshot_header  *header;
    const struct snapshot_section *sections; /* NULL: nothing is filled */
    struct keccak                  body;
    uint8_t                       *room;      /* READ_BYTES of the file */
    size_t                         len, used; /* of the room */
    uint64_t                       at;        /* of the file, behind the room */
    uint64_t                       next;      /* section and offset of the last chunk, and one */
    ZSTD_DCtx                     *context;
    uint8_t                       *spare; /* target of a chunk that is only checked */
    struct snapshot_report        *report;
};

/* `bytes` of the file lie in the room from `used` on; false when the file has not that many left, or cannot be read. */
static bool have(struct loader *loader, size_t bytes, int *error)
{
    size_t more;

    *error = 0;
    if (loader->len - loader->used >= bytes) return true;
    memmove(loader->room, loader->room + loader->used, loader->len - loader->used);
    loader->len -= loader->used;
    loader->used = 0;
    more = (size_t)min_u64(READ_BYTES - loader->len, loader->header->bytes - loader->at);
    if (more != 0)
        *error = loader->disk->read(loader->disk->self, loader->handle, loader->at, loader->room + loader->len, more);
    if (*error != 0) return false;
    keccak_add(&loader->body, loader->room + loader->len, more);
    loader->len += more;
    loader->at += more;
    return loader->len >= bytes;
}

/* Chunks come in order, none twice, inside their section. *memory: where it goes, *len: its bytes there. */
static bool chunk_fits(struct loader *loader, const struct snapshot_chunk *chunk, uint8_t **memory, size_t *len)
{
    const struct snapshot_header *header = loader->header;
    uint64_t                      place;

    if (chunk->section >= header->section_count || chunk->offset % SNAPSHOT_CHUNK != 0) return false;
    if (chunk->offset >= header->sections[chunk->section].bytes || chunk->packed > ZSTD_compressBound(SNAPSHOT_CHUNK))
        return false;
    place = (uint64_t)chunk->section << 48 | (chunk->offset / SNAPSHOT_CHUNK);
    if (place < loader->next) return false;
    loader->next = place + 1;
    *len = (size_t)min_u64(SNAPSHOT_CHUNK, header->sections[chunk->section].bytes - chunk->offset);
    *memory = loader->sections == NULL ? loader->spare : (uint8_t *)loader->sections[chunk->section].at + chunk->offset;
    return true;
}

static enum snapshot_fault ends_inside(struct loader *loader, uint64_t from, int error)
{
    if (error != 0) return failed(loader->report, "it cannot be read", error);
    return say(loader->report, SNAPSHOT_DAMAGED, "it ends inside the chunk at %llu", (unsigned long long)from);
}

static enum snapshot_fault load_chunk(struct loader *loader)
{
    uint64_t              from = loader->at - (loader->len - loader->used);
    struct snapshot_chunk chunk;
    uint8_t              *memory;
    size_t                len, padded;
    int                   error;

    if (!have(loader, sizeof(chunk), &error)) return ends_inside(loader, from, error);
    memcpy(&chunk, loader->room + loader->used, sizeof(chunk));
    if (!chunk_fits(loader, &chunk, &memory, &len))
        return say(loader->report, SNAPSHOT_DAMAGED, "the chunk at %llu is none", (unsigned long long)from);
    padded = sizeof(chunk) + align_up(chunk.packed, 8);
    if (!have(loader, padded, &error)) return ends_inside(loader, from, error);
    if (ZSTD_decompressDCtx(loader->context, memory, len, loader->room + loader->used + sizeof(chunk), chunk.packed)
            != len
        || XXH3_64bits(memory, len) != chunk.checksum)
        return say(loader->report, SNAPSHOT_DAMAGED, "the chunk at %llu fails its checksum", (unsigned long long)from);
    loader->used += padded;
    return SNAPSHOT_OK;
}

static enum snapshot_fault load_chunks(struct loader *loader)
{
    struct hash256 body;

    keccak_init(&loader->body);
    loader->at = SNAPSHOT_HEADER_BYTES;
    while (loader->at < loader->header->bytes || loader->used < loader->len) {
        enum snapshot_fault fault = load_chunk(loader);
        if (fault != SNAPSHOT_OK) return fault;
    }
    body = keccak_end(&loader->body);
    return hash256_equal(&body, &loader->header->body)
             ? SNAPSHOT_OK
             : say(loader->report, SNAPSHOT_DAMAGED, "its content does not have the hash in its header");
}

static enum snapshot_fault load_body(struct loader *loader)
{
    enum snapshot_fault fault = SNAPSHOT_IO;

    loader->context = ZSTD_createDCtx();
    loader->room = malloc(READ_BYTES);
    loader->spare = malloc(SNAPSHOT_CHUNK);
    if (loader->context == NULL || loader->room == NULL || loader->spare == NULL)
        (void)failed(loader->report, "no memory", ENOMEM);
    else fault = load_chunks(loader);
    (void)ZSTD_freeDCtx(loader->context);
    free(loader->room);
    free(loader->spare);
    return fault;
}

static bool sections_are(const struct snapshot_header *header, const struct snapshot_section *sections, uint32_t count)
{
    if (header->section_count != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (header->sections[i].kind != sections[i].kind || header->sections[i].bytes != sections[i].bytes)
            return false;
    return true;
}

static enum snapshot_fault load(const struct disk *disk, const char *name, const struct snapshot_header *facts,
                                const struct snapshot_section *sections, uint32_t count, struct snapshot_report *report)
{
    struct snapshot_header header;
    struct loader          loader = { .disk = disk, .header = &header, .sections = sections, .report = report };
    enum snapshot_fault    fault = open_file(disk, name, &loader.handle, report);

    if (fault != SNAPSHOT_OK) return fault;
    fault = read_header(disk, name, loader.handle, &header, report);
    if (fault == SNAPSHOT_OK && facts != NULL && !hash256_equal(&facts->hash, &header.hash))
        fault = say(report, SNAPSHOT_DAMAGED, "it is another one than a moment ago");
    if (fault == SNAPSHOT_OK && facts != NULL && !sections_are(&header, sections, count))
        fault = say(report, SNAPSHOT_DAMAGED, "its sections are not those that were requested");
    if (fault == SNAPSHOT_OK) fault = load_body(&loader);
    disk->close(disk->self, loader.handle);
    return fault;
}

enum snapshot_fault snapshot_load(const struct disk *disk, const char *name, const struct snapshot_header *facts,
                                  const struct snapshot_section *sections, uint32_t count,
                                  struct snapshot_report *report)
{
    return load(disk, name, facts, sections, count, report);
}

enum snapshot_fault snapshot_check(const struct disk *disk, const char *name, struct snapshot_report *report)
{
    return load(disk, name, NULL, NULL, 0, report);
}
