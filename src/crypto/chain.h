/* SPDX-License-Identifier: MIT */
/*
 * chain.h — the form of the chain: RLP, transactions and block headers, and their hashes (mechanics 8.1, 8.2; rulings
 * 27, 28, 57). Pure functions; they store nothing.
 */
#ifndef CRYPTO_CHAIN_H
#define CRYPTO_CHAIN_H

#include "base/out.h"
#include "crypto/crypto.h"
#include "crypto/eight.h"
#include "model/commands.h"

#define TX_SIGNED 0x53 /* a signed write */
#define TX_SYSTEM 0x54 /* a system or operator transaction: r = s = 0 */

struct transaction {
    uint8_t          type; /* TX_SIGNED, TX_SYSTEM */
    uint64_t         chain_id, nonce;
    struct address   to;        /* 0x…1001 spot, 0x…1002 perps, 0x…1003 oracle, 0x…1004 system */
    struct slice     input;     /* the signed bytes {"type":…,"params":…}, or the cause as JSON */
    uint8_t          domain;    /* on the chain: 0 spot, 1 futures, 2 other */
    struct signature signature; /* zero for TX_SYSTEM */
};

/* Addresses of the engines: the low two bytes are 0x1001 .. 0x1004. */
struct address chain_address(uint16_t low);

/*
 * The raw form, type ‖ rlp([chainId, nonce, to, value 0, input, domain, yParity, r, s]), as something to be hashed,
 * [front][input][back], at most input.len + 256 bytes: the input is the only part without a bound, so the two
 * others are made in `parts` and the input is never copied. With other transactions: eight_hash_all.
 */
struct transaction_parts {
    char front[64], back[96];
};
struct eight_job transaction_job(const struct transaction *tx, struct transaction_parts *parts, struct hash256 *hash);

/* keccak256 of the raw form. */
struct hash256 transaction_hash(const struct transaction *tx);

/*
 * The transaction of a command (mechanics 8.2): of its signed bytes and signature (r, s, v), or, for an unsigned
 * command, a system transaction with the command's chain id and nonce. A marked command's has the type of a system
 * transaction too, and `to` and `domain` as if it were signed. `to` is the engine of the command's market, for
 * transfers the gateway, for prices of feeders the oracle.
 */
struct transaction transaction_of(const struct command *command, struct slice input, const uint8_t signature[65]);

/* The same in the caller's memory, for each command of a batch: a copy of it takes 30 ns, because it is read while its
 * members are on their way to the cache. */
void transaction_set(struct transaction *tx, const struct command *command, struct slice input,
                     const uint8_t signature[65]);

/* The transaction a TICK is when it did something; its input,
   {"type":"tick","params":{"time":…}}, is written to `text`. */
#define TICK_TEXT_MAX 64
struct transaction transaction_of_tick(const struct command *command, uint64_t chain_id, char text[TICK_TEXT_MAX]);

/* Where transfers go: 0x0101…01. */
struct address gateway_address(void);

struct block_header {
    struct hash256 parent_hash, state_root, transactions_root, receipts_root;
    uint64_t       number;
    int64_t        time_ms;
};

#define BLOCK_GAS_LIMIT 30000000

/* Bytes of the RLP header. */
uint32_t block_bytes(const struct block_header *header);

/* keccak256 of the 15-field RLP header (mechanics 8.1). */
struct hash256 block_hash(const struct block_header *header);

/* keccak256(rlp("")): the root of an empty trie. */
struct hash256 empty_trie_root(void);

#endif
