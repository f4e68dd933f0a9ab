/* SPDX-License-Identifier: MIT */
/*
 * format.h — the bytes of a snapshot. All numbers are little endian.
 *
 *     0        4096
 *     +--------+---------+---------+---------+-----+
 *     | header | chunk   | chunk   | chunk   | ... |
 *     +--------+---------+---------+---------+-----+
 *
 * Header, zeros where nothing is named:
 *
 *     offset  bytes
 *          0      8   "DOJIMASN"
 *          8      4   format version (SNAPSHOT_FORMAT)
 *         12      4   engine version, that of the log's segments
 *         16     32   instance: keccak256 of the genesis JSON
 *         48     32   layout: what memory of this build looks like, as far as the sections show it
 *         80      8   seq of the last command that is in it
 *         88      8   engine time then, ms
 *         96     16   place in the log: of the batch that was applied last (log/position.h)
 *        112     32     chain behind it
 *        144      8   number of the last block
 *        152     32     its hash
 *        184     32   state hash (engine_hash)
 *        216      8   when it was written, Unix ms: for people
 *        224      8   bytes of this file
 *        232     32   keccak256 of everything behind the header
 *        264      4   sections
 *        268      4   zero
 *        272          of each section:  4 kind, 4 zero, 8 bytes of memory
 *        528     40   limits of the pools when it was written, in the order of struct limits (ruling 75)
 *       4064     32   keccak256 of bytes 0 .. 4063
 *
 * Chunk: 256 KiB of a section, or what is left of it, as a zstd frame. A chunk that is all zeros is left out.
 * They come in the order of sections and offsets.
 *
 *     offset  bytes
 *          0      4   number of the section, from 0
 *          4      4   bytes of the frame
 *          8      8   offset in the section, a multiple of 256 KiB
 *         16      8   XXH3-64 of the memory
 *         24          frame, zeros up to a multiple of 8
 *
 * Valid: both hashes, the file's length, the versions, and every chunk. So no bit of the file can change unseen.
 * Memory is kept as it lies there: a snapshot is read by a build whose `layout` is the same, or not at all. The
 * log is what is kept for ever; a snapshot only spares reading it.
 */
#ifndef SNAPSHOT_FORMAT_H
#define SNAPSHOT_FORMAT_H

#include "base/keccak.h"
#include "log/position.h"

#define SNAPSHOT_FORMAT       1
#define SNAPSHOT_MAGIC        "DOJIMASN"
#define SNAPSHOT_HEADER_BYTES 4096
#define SNAPSHOT_CHUNK        (256 * 1024)
#define SNAPSHOT_SECTIONS_MAX 16
#define SNAPSHOT_LIMITS       10

struct snapshot_section_row {
    uint32_t kind, reserved;
    uint64_t bytes;
};
static_assert(sizeof(struct snapshot_section_row) == 16, "reaches disk");

struct snapshot_header {
    char                        magic[8];
    uint32_t                    format, engine;
    struct hash256              instance, layout;
    uint64_t                    seq;
    int64_t                     time_ms;
    struct log_position         position;
    struct hash256              chain;
    uint64_t                    block_number;
    struct hash256              block_hash;
    struct hash256              state_hash;
    int64_t                     written_ms;
    uint64_t                    bytes;
    struct hash256              body;
    uint32_t                    section_count, reserved;
    struct snapshot_section_row sections[SNAPSHOT_SECTIONS_MAX];
    uint32_t                    limits[SNAPSHOT_LIMITS];
    uint8_t        reserved2[SNAPSHOT_HEADER_BYTES - 272 - 16 * SNAPSHOT_SECTIONS_MAX - 4 * SNAPSHOT_LIMITS - 32];
    struct hash256 hash;
};
static_assert(sizeof(struct snapshot_header) == SNAPSHOT_HEADER_BYTES, "reaches disk");
static_assert(offsetof(struct snapshot_header, position) == 96, "reaches disk");
static_assert(offsetof(struct snapshot_header, sections) == 272, "reaches disk");

struct snapshot_chunk {
    uint32_t section, packed;
    uint64_t offset, checksum;
};
static_assert(sizeof(struct snapshot_chunk) == 24, "reaches disk");

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the structs above are the bytes on disk");

#endif
