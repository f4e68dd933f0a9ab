/* SPDX-License-Identifier: MIT */
/*
 * pack.c — a file becomes its archive:
 *
 *     NAME            → NAME.zst.tmp written, synced, read back and compared
 *     NAME.zst.tmp    → NAME.zst, durably
 *     NAME            → removed, durably
 *
 * A process that is killed between these lines leaves NAME whole; the next one begins anew.
 */
#include "log/file/archive/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#define LEVEL 6 /* no thread waits for it, and the result is kept for good */

struct pack {
    const struct disk    *disk;
    int                   from, to; /* handles */
    struct archive_header header;
    struct archive_piece *index;
    uint8_t              *piece, *packed;
};

static size_t index_bytes(const struct pack *pack) { return pack->header.pieces * sizeof(struct archive_piece); }

static int read_piece(const struct pack *pack, uint32_t number)
{
    return pack->disk->read(pack->disk->self, pack->from, (uint64_t)number * ARCHIVE_PIECE, pack->piece,
                            piece_bytes(pack->header.bytes, number));
}

/* Frames first: how long they are stands in the index before them. */
static int write_frames(struct pack *pack)
{
    uint64_t at = sizeof(pack->header) + index_bytes(pack);

    for (uint32_t i = 0; i < pack->header.pieces; i++) {
        size_t bytes = piece_bytes(pack->header.bytes, i), packed;
        int    error = read_piece(pack, i);

        if (error != 0) return error;
        packed = ZSTD_compress(pack->packed, ZSTD_compressBound(ARCHIVE_PIECE), pack->piece, bytes, LEVEL);
        if (ZSTD_isError(packed)) return ENOMEM;
        error = pack->disk->write(pack->disk->self, pack->to, at, pack->packed, packed);
        if (error == 0 && sync_is_due(at, at + packed)) error = pack->disk->sync(pack->disk->self, pack->to);
        if (error != 0) return error;
        pack->index[i] = (struct archive_piece){ .at = at,
                                                 .bytes = (uint32_t)packed,
                                                 .checksum = XXH3_64bits(pack->packed, packed) };
        at += packed;
    }
    pack->header.archive_bytes = at;
    return 0;
}

static int write_index(struct pack *pack)
{
    struct archive_header *header = &pack->header;
    int                    error = 0;

    assert(header->archive_bytes >= sizeof(*header) + index_bytes(pack)); /* the frames are written */
    memcpy(header->magic, ARCHIVE_MAGIC, sizeof(header->magic));
    header->skippable = ARCHIVE_SKIPPABLE;
    header->skipped = (uint32_t)(sizeof(*header) - 8 + index_bytes(pack));
    header->format = ARCHIVE_FORMAT;
    header->checksum = archive_checksum(header, pack->index);
    if (header->pieces != 0)
        error = pack->disk->write(pack->disk->self, pack->to, sizeof(*header), pack->index, index_bytes(pack));
    if (error == 0) error = pack->disk->write(pack->disk->self, pack->to, 0, header, sizeof(*header));
    return error == 0 ? pack->disk->sync(pack->disk->self, pack->to) : error;
}

/* Every byte of it, as readers will get it, is the file's. */
static int prove(const struct pack *pack, const char *name)
{
    struct reader reader;
    int           error = reader_open(&reader, pack->disk, name);

    if (error != 0) return error;
    if (reader.header.bytes != pack->header.bytes) error = EUCLEAN;
    for (uint32_t i = 0; i < pack->header.pieces && error == 0; i++) {
        size_t bytes = piece_bytes(pack->header.bytes, i);

        error = read_piece(pack, i);
        if (error == 0) error = reader_read(&reader, pack->disk, (uint64_t)i * ARCHIVE_PIECE, pack->packed, bytes);
        if (error == 0 && memcmp(pack->piece, pack->packed, bytes) != 0) error = EUCLEAN;
    }
    reader_close(&reader, pack->disk);
    return error;
}

static int write_and_prove(struct pack *pack, const char *temporary)
{
    const struct disk *disk = pack->disk;
    int                error = disk->remove(disk->self, temporary);

    if (error != 0 && error != ENOENT) return error;
    error = disk->create(disk->self, temporary, 0);
    if (error != 0) return error;
    error = disk->open(disk->self, temporary, true, &pack->to);
    if (error != 0) return error;
    error = write_frames(pack);
    if (error == 0) error = write_index(pack);
    disk->close(disk->self, pack->to);
    return error == 0 ? prove(pack, temporary) : error;
}

static int pack_open(struct pack *pack, const char *name)
{
    const struct disk *disk = pack->disk;
    int                error = disk->size(disk->self, name, &pack->header.bytes);

    if (error != 0) return error;
    if (pack->header.bytes > ARCHIVE_BYTES_MAX) return EFBIG;
    pack->header.pieces = (uint32_t)((pack->header.bytes + ARCHIVE_PIECE - 1) / ARCHIVE_PIECE);
    pack->index = calloc(pack->header.pieces + 1, sizeof(*pack->index));
    pack->piece = malloc(ARCHIVE_PIECE);
    pack->packed = malloc(ZSTD_compressBound(ARCHIVE_PIECE));
    if (pack->index == NULL || pack->piece == NULL || pack->packed == NULL) return ENOMEM;
    return disk->open(disk->self, name, false, &pack->from);
}

int archive_pack(const struct disk *disk, const char *name, uint64_t *packed)
{
    struct pack pack = { .disk = disk, .from = -1 };
    char        final[ARCHIVE_NAME_MAX], temporary[ARCHIVE_NAME_MAX];
    int         error = ENAMETOOLONG;

    if (archive_name(name, ARCHIVE_SUFFIX, final) && archive_name(name, ARCHIVE_SUFFIX ".tmp", temporary))
        error = pack_open(&pack, name);
    if (error == 0) {
        error = write_and_prove(&pack, temporary);
        disk->close(disk->self, pack.from);
        if (error == 0) error = disk->rename(disk->self, temporary, final);
        if (error == 0) error = disk->remove(disk->self, name);
        else (void)!disk->remove(disk->self, temporary);
    }
    *packed = pack.header.archive_bytes;
    free(pack.index);
    free(pack.piece);
    free(pack.packed);
    return error;
}
