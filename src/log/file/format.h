/* SPDX-License-Identifier: MIT */
/*
 * format.h — the bytes of the journal. All numbers are little endian. Nothing here is ever re-used:
 * a new meaning gets a new format version, and an older program refuses it without touching it.
 *
 * A journal is a row of segment files journal-00000001.log, journal-00000002.log … of fixed size, full
 * of zeros when they are born:
 *
 *     0        4096     8192              (segment 1: + genesis, padded to 4096)
 *     +--------+--------+---------+---------+---------+------------------+
 *     | header | header | batch   | batch   | batch   | zeros            |
 *     +--------+--------+---------+---------+---------+------------------+
 *
 * Segment header, written twice, 4096 bytes each, zeros where nothing is named:
 *
 *     offset  bytes
 *          0      8   "DOJIMASG"
 *          8      4   format version (JOURNAL_FORMAT)
 *         12      4   engine version (LOG_ENGINE_VERSION of log/log.h)
 *         16     32   instance: keccak256 of the genesis JSON
 *         48      8   number of this segment, from 1
 *         56      8   bytes of this file
 *         64      8   seq of the first command that can stand here
 *         72     32   chain after the last batch before this segment; of segment 1: the instance
 *        104      8   bytes of genesis JSON behind the headers (segment 1), else 0
 *        112      8   a torn tail was cut before this segment: its segment, else 0
 *        120      8     the offset of the cut there
 *        128      8     damaged bytes behind it
 *       4088      8   XXH3-64 of bytes 0 .. 4087
 *   Valid: magic, checksum, both versions known, instance and number those of this journal, and the
 *   file has the size it says. One valid copy is enough; two valid ones that differ are damage.
 *   A last segment without a valid header and with nothing but zeros behind it is a spare, or one
 *   whose first header write was torn: nothing was ever written into it.
 *
 * Genesis, in segment 1 at 8192: the JSON that keccak256 turns into the instance, zeros up to 4096.
 *
 * Batch, at a multiple of 4096, padded with zeros to one:
 *
 *     offset  bytes
 *          0      8   "DOJIMABT"
 *          8      4   bytes from the magic to the end of the trailer
 *         12      4   records; 0 = a closing batch
 *         16      8   seq of the first record (closing: the next seq there will be)
 *         24      8   engine time of all its commands, ms; never less than that of the batch before
 *         32      8   last seq that was durable when this batch was written: all before it
 *         40      8   number of the last block applied
 *         48     32   and its hash
 *         80     32   chain after the batch before
 *        112      4   flags: bit 0 closing
 *        116      4   zero
 *        120      8   XXH3-64 of bytes 0 .. 119, seeded with instance, segment and offset
 *        128          records
 *          …     32   trailer: chain = keccak256(chain before ‖ header ‖ (transaction hash ‖ checksum) of each record)
 *   Valid: header checksum at exactly this place, first seq and chain continue the journal, time does not
 *   go back, every record is valid, and the trailer is the chain. The seed makes a batch that lies where
 *   it was not written invalid at once; a header holds zero bytes, so no signed JSON can look like one.
 *
 * Records: log/batch.h.
 */
#ifndef LOG_FILE_FORMAT_H
#define LOG_FILE_FORMAT_H

#include "log/log.h"

#define JOURNAL_FORMAT 1 /* this page */

#define JOURNAL_BLOCK         4096
#define JOURNAL_HEADERS_BYTES (2 * JOURNAL_BLOCK)
#define JOURNAL_GENESIS_MAX   (1024 * 1024)
#define JOURNAL_BALLAST_BYTES (64 * 1024 * 1024)
#define JOURNAL_BALLAST_NAME  "ballast"
#define JOURNAL_SPARE_NAME    "spare" /* the next segment, until it is whole and gets its name */
#define JOURNAL_SEGMENT_MIN   (JOURNAL_HEADERS_BYTES + 2 * JOURNAL_BLOCK)

#define SEGMENT_MAGIC "DOJIMASG"
#define BATCH_MAGIC   "DOJIMABT"

struct segment_header {
    char           magic[8];
    uint32_t       format, engine;
    struct hash256 instance;
    uint64_t       number, bytes, first_seq;
    struct hash256 chain;
    uint64_t       genesis_bytes;
    uint64_t       cut_segment, cut_offset, cut_bytes;
    uint8_t        reserved[JOURNAL_BLOCK - 136 - 8];
    uint64_t       checksum;
};
static_assert(sizeof(struct segment_header) == JOURNAL_BLOCK, "reaches disk");
static_assert(offsetof(struct segment_header, cut_bytes) == 128, "reaches disk");

struct batch_header {
    char           magic[8];
    uint32_t       bytes, count;
    uint64_t       first_seq;
    int64_t        time_ms;
    uint64_t       durable_seq;
    uint64_t       applied_number;
    struct hash256 applied_hash;
    struct hash256 previous;
    uint32_t       flags, reserved;
    uint64_t       checksum;
};
static_assert(sizeof(struct batch_header) == 128, "reaches disk");
#define BATCH_CLOSING 1u

#define BATCH_BYTES_LEAST (sizeof(struct batch_header) + sizeof(struct hash256))

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the structs above are the bytes on disk");

#endif
