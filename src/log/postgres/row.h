/* SPDX-License-Identifier: MIT */
/*
 * row.h — the bytes of one row of the table, and the judgement of them. Pure: bytes in, verdict out.
 *
 * The payload of a row is a header of 128 bytes and what the row holds: nothing (a fence), the genesis JSON, or the
 * records of a batch (log/batch.h). All numbers are little endian.
 *
 *     offset  bytes
 *          0      8   "DOJIMARW"
 *          8      4   format version (ROW_FORMAT)
 *         12      4   engine version (LOG_ENGINE_VERSION of log/log.h)
 *         16      2   shard
 *         18      2   kind: 0 genesis, 1 batch, 2 fence
 *         20      4   bytes of the payload
 *         24      8   number of the row, from 0
 *         32      8   term of its writer
 *         40      8   seq of the first command (a batch without records: the next seq there will be)
 *         48      4   records
 *         52      4   zero
 *         56      8   engine time of all its commands, ms; never less than that of the batch before
 *         64      8   number of the last row that the writer knew to be durable
 *         72      8   number of the last block applied
 *         80     32   and its hash
 *        112     16   zero
 *        128          contents
 *
 *   hash = keccak256(hash of the row before ‖ header ‖ share), where the share of a batch is (transaction hash ‖
 *   checksum) of each record, that of the genesis is keccak256 of its JSON, and a fence has none. The row before the
 *   genesis has a hash of zeros.
 *   Valid: the columns of the table say what the header says, the hash is the one of the contents, and the row
 * continues the one before: number + 1, its hash, a term that is not lower (a fence: higher), the next seq, no earlier
 * time.
 */
#ifndef LOG_POSTGRES_ROW_H
#define LOG_POSTGRES_ROW_H

#include "log/log.h"

#define ROW_FORMAT 1 /* this page */
#define ROW_MAGIC  "DOJIMARW"

enum row_kind { ROW_GENESIS = 0, ROW_BATCH, ROW_FENCE };

struct row_header {
    char           magic[8];
    uint32_t       format, engine;
    uint16_t       shard, kind;
    uint32_t       bytes;
    uint64_t       number, term, first_seq;
    uint32_t       count, zero;
    int64_t        time_ms;
    uint64_t       committed;
    uint64_t       applied_number;
    struct hash256 applied_hash;
    uint8_t        reserved[16];
};
static_assert(sizeof(struct row_header) == LOG_BATCH_HEAD, "reaches disk");
static_assert(offsetof(struct row_header, applied_hash) == 80, "reaches disk");

/* A row as the table has it: the columns, and the payload. */
struct row {
    struct row_header column; /* number, term, kind, first_seq, count, time_ms, committed, shard, bytes are set */
    struct hash256    previous, hash;
    const uint8_t    *payload; /* column.bytes bytes; any alignment */
};

/* The place behind a row, which the next one must continue. */
struct row_place {
    uint64_t       number, term, next_seq;
    int64_t        time_ms;
    struct hash256 hash;  /* of the row */
    struct hash256 chain; /* of the last batch, or of the genesis: fences do not change it */
};

enum row_verdict {
    ROW_GOOD = 0,
    ROW_FOREIGN,  /* of another format or engine version; *header says which */
    ROW_DAMAGED,  /* the columns, the payload and the hash do not agree */
    ROW_MISPLACED /* whole, but it does not continue the row before */
};

/* Completes the header of a row behind `before` in the first 128 bytes of `payload`; *hash is the hash of the row. */
void row_seal(uint8_t *payload, const struct row_header *header, const struct hash256 *previous, struct hash256 *hash);

/*
 * Judges a row by itself: `payload` holds row->column.bytes bytes, aligned to 8. engine: the version that is read.
 * *header is copied from it.
 */
enum row_verdict row_judge(const struct row *row, const uint8_t *payload, uint32_t engine, struct row_header *header);

/* Whether a good row continues the place; and the place behind it. */
bool             row_continues(const struct row *row, const struct row_place *before);
struct row_place row_behind(const struct row *row, const struct row_place *before);

#endif
