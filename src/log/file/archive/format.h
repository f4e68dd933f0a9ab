/* SPDX-License-Identifier: MIT */
/*
 * format.h — the bytes of an archived file. All numbers are little endian.
 *
 * NAME.zst holds NAME cut into pieces of 256 KiB, each a zstd frame of its own, so that any place of it can be
 * read without what stands before. In front stands a frame that decompressors skip, and in it the index:
 *
 *     +------------+--------------------+---------+---------+---------+
 *     | skippable  | header | index ..  | frame 1 | frame 2 | ...     |
 *     +------------+--------------------+---------+---------+---------+
 *
 *     offset  bytes
 *          0      4   0x184D2A5D: a skippable frame
 *          4      4   its bytes behind this number: header and index
 *          8      8   "DOJIMAAR"
 *         16      4   format version (ARCHIVE_FORMAT)
 *         20      4   pieces
 *         24      8   bytes of NAME
 *         32      8   bytes of this file
 *         40      8   XXH3-64 of bytes 0 .. 39 and of the index
 *         48          index: for each piece
 *                        8   where its frame begins in this file
 *                        4   bytes of the frame
 *                        4   zero
 *                        8   XXH3-64 of the frame (decompressors pass over bits that mean nothing)
 *
 * Valid: the file has the size it says, the checksum is right, frames follow each other without a gap, and each
 * frame that is read has its checksum. `zstd -d` makes NAME of it again, byte for byte.
 */
#ifndef LOG_FILE_ARCHIVE_FORMAT_H
#define LOG_FILE_ARCHIVE_FORMAT_H

#include "base/base.h"

#define ARCHIVE_FORMAT    1
#define ARCHIVE_MAGIC     "DOJIMAAR"
#define ARCHIVE_SKIPPABLE 0x184D2A5Du
#define ARCHIVE_SUFFIX    ".zst"
#define ARCHIVE_PIECE     (256 * 1024)
#define ARCHIVE_BYTES_MAX (UINT64_C(1) << 33) /* of a file that can be archived */

struct archive_header {
    uint32_t skippable, skipped;
    char     magic[8];
    uint32_t format, pieces;
    uint64_t bytes, archive_bytes;
    uint64_t checksum;
};
static_assert(sizeof(struct archive_header) == 48, "reaches disk");

struct archive_piece {
    uint64_t at;
    uint32_t bytes, reserved;
    uint64_t checksum;
};
static_assert(sizeof(struct archive_piece) == 24, "reaches disk");

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the structs above are the bytes on disk");

#endif
