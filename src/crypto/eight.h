/* SPDX-License-Identifier: MIT */
/*
 * eight.h — Keccak-256 of many things at once. One hash is a chain of permutations, each waiting for the one before it;
 * eight of them do not know of one another, and go through one vector permutation where the processor has one. The
 * digests are those of keccak256, on every machine.
 */
#ifndef CRYPTO_EIGHT_H
#define CRYPTO_EIGHT_H

#include "base/keccak.h"
#include "base/slice.h"

#define EIGHT             8
#define EIGHT_BLOCK_BYTES 136 /* bytes that one permutation of Keccak-256 absorbs */

/* Eight states, word by word. */
struct eight {
    _Alignas(64) uint64_t word[25][EIGHT];
};

/*
 * Absorbs one block into each state. The blocks need not be adjacent; lanes whose bits are set in `fresh` start a new
 * state.
 */
void eight_absorb(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh);

/* The first words of a lane's state: the digest, once its padded last block has been absorbed. */
struct hash256 eight_hash(const struct eight *eight, uint32_t lane);

/* One of many things that are hashed: its parts one behind the other, and where the digest goes. */
#define EIGHT_PARTS 3
struct eight_job {
    struct slice    parts[EIGHT_PARTS];
    struct hash256 *hash;
};

/* *job->hash = keccak256(parts) for each; the lengths need not be alike. */
void eight_hash_all(const struct eight_job *jobs, uint32_t count);

#endif
