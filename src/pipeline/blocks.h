/* SPDX-License-Identifier: MIT */
/*
 * blocks.h — the chain over the applied log (mechanics 8.1, 8.2; rulings 27, 28, 57).
 *
 * A batch of the log whose application gives at least one transaction is the next block; batch boundaries are log
 * content, so every replay finds the same blocks. A transaction is a command that was authentic and fresh (whatever
 * the results of its items), a deposit, or a TICK that settled funding, liquidated, fired or cancelled. Posts of the
 * built-in feeder of development mode are none.
 *
 *   stateRoot        = keccak(stateRoot before ‖ digest of the batch's encoded events by leaves (crypto/leaves.h));
 *                    encoded: model/encoded.h
 *   transactionsRoot = keccak(transaction hashes, concatenated)
 *   receiptsRoot     = keccak(one byte per transaction: 1 when at least one item succeeded, else 0)
 *
 * Block 0 is the genesis: its time of creation, stateRoot = keccak(32 zero bytes ‖ keccak(genesis JSON)), and the
 * empty-trie constant for both other roots.
 */
#ifndef PIPELINE_BLOCKS_H
#define PIPELINE_BLOCKS_H

#include "crypto/chain.h"
#include "crypto/leaves.h"
#include "log/log.h"
#include "model/events.h"
#include "model/genesis.h"
#include "rules/encode.h"

#define BLOCKS_REMEMBERED 64 /* a batch header names a block at most three batches back */

struct blocks {
    struct block_header genesis; /* block 0 */
    struct block_header last;    /* of the last block */
    struct log_applied  applied; /* its number and hash */
    struct log_applied  recent[BLOCKS_REMEMBERED];
    uint64_t            chain_id;     /* of unsigned transactions */
    uint64_t            transactions; /* in all blocks */
    struct encoder      encoder;
    bool                whole; /* events are hashed as they are, as in logs up to version 7 */
    /* the batch at work */
    struct leaves events;
    struct keccak hashes, receipts;
    uint32_t      count;
    uint8_t       status; /* of the last transaction: 1 when at least one item succeeded */
};

/* Block 0. */
void blocks_init(struct blocks *blocks, const struct genesis *genesis, struct slice genesis_json);

/* A batch begins. */
void blocks_begin(struct blocks *blocks);

/*
 * One command of the batch and the events it made, which are not hashed here. True when it is a transaction; then *hash
 * is its hash and its index is blocks->count - 1.
 */
bool blocks_add(struct blocks *blocks, const struct log_record *record, const struct events *events,
                struct hash256 *hash);

/* A post of the built-in feeder: like a TICK's own effect, it is no transaction. */
bool blocks_is_pulse(const struct command *command);

/*
 * The events of whole commands of the batch, in order; all of them before the end. Hashing them takes long, and no
 * caller needs the result earlier.
 */
void blocks_events(struct blocks *blocks, const struct events *events);

/* The batch ends at its time. True when it became a block, which is then blocks->applied. */
bool blocks_end(struct blocks *blocks, int64_t time_ms);

/* Whether a batch header's claim about an earlier block agrees with the applied one. */
bool blocks_agree(const struct blocks *blocks, const struct log_applied *claim);

/* The hash of the transaction a TICK is when it fired something: cause {"type":"tick","params":{"time":…}}. */
struct hash256 blocks_tick_hash(const struct blocks *blocks, const struct command *command);

/*
 * Fills in the transaction hashes of a batch's records, many at a time; a system command has none in the log. Up to
 * `most` records from *named on, which moves behind them: a batch may be named in parts while it grows.
 */
void blocks_name(struct log_batch *batch, struct log_cursor *named, uint32_t most);

/* The hash of the transaction a write is (transaction_of). */
struct hash256 blocks_write_hash(const struct command *command, struct slice input, const uint8_t signature[65]);

#endif
