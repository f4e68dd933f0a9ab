/* SPDX-License-Identifier: MIT */
/* reader.c — one archive: from its index to any offset of its file. */
#include "log/file/archive/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

uint64_t archive_checksum(const struct archive_header *header, const struct archive_piece *index)
{
    uint64_t seed = XXH3_64bits(header, offsetof(struct archive_header, checksum));

    return XXH3_64bits_withSeed(index, header->pieces * sizeof(*index), seed);
}

/* Everything but the checksum, which needs the index. */
static bool header_fits(const struct archive_header *header, uint64_t file_bytes)
{
    uint64_t pieces = (header->bytes + ARCHIVE_PIECE - 1) / ARCHIVE_PIECE,
             index = pieces * sizeof(struct archive_piece);

    return header->skippable == ARCHIVE_SKIPPABLE && memcmp(header->magic, ARCHIVE_MAGIC, sizeof(header->magic)) == 0
        && header->format == ARCHIVE_FORMAT && header->bytes <= ARCHIVE_BYTES_MAX && header->pieces == pieces
        && header->skipped == sizeof(*header) - 8 + index && header->archive_bytes == file_bytes;
}

static int read_header(const struct disk *disk, const char *name, int handle, struct archive_header *header)
{
    uint64_t bytes;
    int      error = disk->size(disk->self, name, &bytes);

    if (error != 0) return error;
    if (bytes < sizeof(*header)) return EUCLEAN;
    error = disk->read(disk->self, handle, 0, header, sizeof(*header));
    if (error != 0) return error;
    return header_fits(header, bytes) ? 0 : EUCLEAN;
}

/* Frames lie one behind the other, from the index to the end of the file, and none is longer than its room. */
static bool index_fits(const struct reader *reader)
{
    uint64_t at = 8 + (uint64_t)reader->header.skipped;

    for (uint32_t i = 0; i < reader->header.pieces; i++) {
        const struct archive_piece *piece = &reader->index[i];
        if (piece->at != at || piece->bytes > ZSTD_compressBound(ARCHIVE_PIECE) || piece->reserved != 0) return false;
        at += piece->bytes;
    }
    return at == reader->header.archive_bytes
        && reader->header.checksum == archive_checksum(&reader->header, reader->index);
}

static int read_index(struct reader *reader, const struct disk *disk, const char *name)
{
    size_t bytes;
    int    error = read_header(disk, name, reader->handle, &reader->header);

    if (error != 0) return error;
    bytes = reader->header.pieces * sizeof(struct archive_piece);
    reader->index = malloc(bytes + 1);
    reader->piece = malloc(ARCHIVE_PIECE);
    reader->packed = malloc(ZSTD_compressBound(ARCHIVE_PIECE));
    if (reader->index == NULL || reader->piece == NULL || reader->packed == NULL) return ENOMEM;
    if (bytes != 0) error = disk->read(disk->self, reader->handle, sizeof(reader->header), reader->index, bytes);
    if (error != 0) return error;
    return index_fits(reader) ? 0 : EUCLEAN;
}

int reader_open(struct reader *reader, const struct disk *disk, const char *name)
{
    int error;

    *reader = (struct reader){ .handle = -1 };
    error = disk->open(disk->self, name, false, &reader->handle);
    if (error != 0) return error;
    (void)pthread_mutex_init(&reader->lock, NULL);
    error = read_index(reader, disk, name);
    if (error != 0) reader_close(reader, disk);
    return error;
}

void reader_close(struct reader *reader, const struct disk *disk)
{
    assert(reader->handle >= 0); /* open, and closed once */
    disk->close(disk->self, reader->handle);
    (void)pthread_mutex_destroy(&reader->lock);
    free(reader->index);
    free(reader->piece);
    free(reader->packed);
    *reader = (struct reader){ .handle = -1 };
}

static int hold_piece(struct reader *reader, const struct disk *disk, uint32_t number)
{
    const struct archive_piece *piece = &reader->index[number];
    size_t                      bytes = piece_bytes(reader->header.bytes, number);
    int                         error;

    assert(number < reader->header.pieces);
    if (reader->held == number + 1) return 0;
    reader->held = 0;
    error = disk->read(disk->self, reader->handle, piece->at, reader->packed, piece->bytes);
    if (error != 0) return error;
    if (XXH3_64bits(reader->packed, piece->bytes) != piece->checksum) return EUCLEAN;
    if (ZSTD_decompress(reader->piece, ARCHIVE_PIECE, reader->packed, piece->bytes) != bytes) return EUCLEAN;
    reader->held = number + 1;
    return 0;
}

static int read_pieces(struct reader *reader, const struct disk *disk, uint64_t offset, uint8_t *to, size_t len)
{
    while (len != 0) {
        uint32_t number = (uint32_t)(offset / ARCHIVE_PIECE);
        size_t   from = (size_t)(offset % ARCHIVE_PIECE), part = min_size(len, ARCHIVE_PIECE - from);
        int      error = hold_piece(reader, disk, number);

        if (error != 0) return error;
        memcpy(to, reader->piece + from, part);
        to += part;
        offset += part;
        len -= part;
    }
    return 0;
}

int reader_read(struct reader *reader, const struct disk *disk, uint64_t offset, void *bytes, size_t len)
{
    int error;

    if (offset > reader->header.bytes || len > reader->header.bytes - offset) return EIO;
    (void)pthread_mutex_lock(&reader->lock);
    error = read_pieces(reader, disk, offset, bytes, len);
    (void)pthread_mutex_unlock(&reader->lock);
    return error;
}

int archive_size(const struct disk *disk, const char *name, uint64_t *bytes)
{
    struct archive_header header;
    int                   handle, error = disk->open(disk->self, name, false, &handle);

    if (error != 0) return error;
    error = read_header(disk, name, handle, &header);
    disk->close(disk->self, handle);
    if (error == 0) *bytes = header.bytes;
    return error;
}
