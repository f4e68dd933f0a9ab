/* SPDX-License-Identifier: MIT */
/* inside.h — an archive that is open for reading. Private to this room. */
#ifndef LOG_FILE_ARCHIVE_INSIDE_H
#define LOG_FILE_ARCHIVE_INSIDE_H

#include "log/file/archive/archive.h"
#include "log/file/archive/format.h"

#include <pthread.h>
#include <stdio.h>

#define ARCHIVE_NAME_MAX 80

/* One open archive, with the piece that was read last. */
struct reader {
    pthread_mutex_t       lock; /* guards piece and packed */
    struct archive_header header;
    struct archive_piece *index;
    int                   handle; /* of the inner disk */
    uint32_t              held;   /* number of the piece in `piece`, from 1; 0: none */
    uint8_t              *piece, *packed;
};

/* NAME.zst, or false when the name is too long to be archived. */
static inline bool archive_name(const char *name, const char *suffix, char text[ARCHIVE_NAME_MAX])
{
    return snprintf(text, ARCHIVE_NAME_MAX, "%s%s", name, suffix) < ARCHIVE_NAME_MAX;
}

/* Bytes of a piece of a file. */
static inline size_t piece_bytes(uint64_t bytes, uint32_t number)
{
    assert((uint64_t)number * ARCHIVE_PIECE < bytes);
    return (size_t)min_u64(ARCHIVE_PIECE, bytes - (uint64_t)number * ARCHIVE_PIECE);
}

uint64_t archive_checksum(const struct archive_header *header, const struct archive_piece *index);

/* Opens an archive by its own name, checks header and index. 0, EUCLEAN or errno; reader_close follows only 0. */
int  reader_open(struct reader *reader, const struct disk *disk, const char *name) MUST_USE;
void reader_close(struct reader *reader, const struct disk *disk);

/* Reads what stood at `offset` of the file. 0, EUCLEAN, EIO behind the end, or errno. */
int reader_read(struct reader *reader, const struct disk *disk, uint64_t offset, void *bytes, size_t len) MUST_USE;

/* The header alone: for the size of a file. 0, EUCLEAN or errno. */
int archive_size(const struct disk *disk, const char *name, uint64_t *bytes) MUST_USE;

#endif
