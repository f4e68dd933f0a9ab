/* SPDX-License-Identifier: MIT */
/*
 * batch.h — commands on their way into the log, and out of it: a batch is the unit that is appended, becomes durable
 * and is read back. The form of its records is the same in every log; the bytes before and behind them are the
 * affair of the log that holds them.
 *
 *     at                128                                len
 *     +-----------------+----------+----------+-----+------+-------+---------------+
 *     | the log's own   | record   | record   | ... |      | chain | the log's own |
 *     +-----------------+----------+----------+-----+------+-------+---------------+
 *
 * Record, a multiple of 8 bytes (ruling 55). All numbers are little endian.
 *
 *     offset  bytes
 *          0      4   bytes of the record
 *          4      4   bytes of the command
 *          8      4   bytes of signed JSON
 *         12      4   zero
 *         16     32   transaction hash, zero when it can be no transaction
 *         48     65   signature r, s, v; zero when unsigned
 *        113      7   zero
 *        120          command: struct command with origin 0, and its payload as far as it is used
 *          …          signed JSON, zeros up to a multiple of 8
 *          …      8   XXH3-64 of everything before it in the record
 *   Valid: lengths fit each other, checksum, a known kind, command.bytes is its length, its seq is first
 *   seq + index and its time the batch's.
 */
#ifndef LOG_BATCH_H
#define LOG_BATCH_H

#include "base/keccak.h"
#include "base/slice.h"
#include "log/position.h"
#include "model/commands.h"

#define LOG_BATCH_HEAD  128  /* bytes in front of the records */
#define LOG_BATCH_BLOCK 4096 /* a log may fill a batch with zeros to a multiple of it */

/* One command in the log. */
struct log_record {
    const struct command *command; /* origin is written as 0 */
    /* {"type":…,"params":…} exactly as hashed, or the JSON cause of a TX_SYSTEM; empty for a TICK */
    struct slice signed_bytes;
    /* 65 bytes r, s, v(0/1), zero when unsigned, for which NULL stands in a record that is added */
    const uint8_t *signature;
    /* zero when it can be no transaction, for which NULL stands in a record that is added */
    const struct hash256 *tx_hash;
};

struct log_batch {
    uint8_t            *at;       /* aligned to 8; the caller's memory */
    size_t              len, cap; /* len: up to the end of the last record; cap: 512 KiB take any record */
    uint64_t            first_seq;
    uint32_t            count; /* records */
    int64_t             time_ms;
    struct log_position position; /* where it stands; known once it was submitted or read */
};

/* Starts a batch whose first command will have first_seq; all its commands carry time_ms. */
void log_batch_begin(struct log_batch *batch, uint64_t first_seq, int64_t time_ms);

/* Appends a record; false when the rest of the batch is too small (it starts the next one). */
bool log_batch_add(struct log_batch *batch, const struct log_record *record) MUST_USE;

/* Reads record number `index` back; everything in it points into the batch. */
struct log_cursor {
    size_t   offset;
    uint32_t index;
};
bool log_batch_next(const struct log_batch *batch, struct log_cursor *cursor, struct log_record *record) MUST_USE;

/* Where the transaction hash of the record stands that log_batch_next reads next; it may be filled in until the batch
 * is submitted. */
struct hash256 *log_batch_hash(struct log_batch *batch, const struct log_cursor *cursor);

/* A position of the log behind a batch. A reader that kept the state at that position need not read what precedes it.
 */
struct log_mark {
    struct log_position position; /* of that batch */
    uint64_t            next_seq; /* of the command behind it */
    int64_t             time_ms;  /* of that batch */
    struct hash256      chain;    /* behind it */
};

/* The place behind a batch that was submitted or read; behind a REVERT command number and time are its target's. */
struct log_mark log_mark_behind(const struct log_batch *batch);

/* The REVERT that a batch consists of; NULL: it is another batch. */
const struct revert *log_batch_revert(const struct log_batch *batch);

/* ---- for the logs themselves ---- */

struct log_record_header {
    uint32_t       bytes, command_bytes, signed_bytes, reserved;
    struct hash256 tx_hash;
    uint8_t        signature[65], reserved2[7];
};
static_assert(sizeof(struct log_record_header) == 120, "reaches disk");

/* Writes the checksum of a record that log_batch_add made. */
void log_record_seal(uint8_t *at);

/* A record of at most `room` bytes that is number `index` of its batch. */
bool log_record_is_valid(const uint8_t *at, size_t room, uint64_t first_seq, uint32_t index, int64_t time_ms);

/* The checksum of a valid record. */
uint64_t log_record_checksum(const uint8_t *at);

#endif
