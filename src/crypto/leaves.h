/* SPDX-License-Identifier: MIT */
/*
 * leaves.h — Keccak-256 of much, eight pieces at a time. The bytes are cut into leaves of LEAF_BYTES, the last one as
 * long as what is left, and
 *
 *     digest = keccak(keccak(leaf 0) ‖ keccak(leaf 1) ‖ … ‖ how many bytes there were, 8 bytes, little endian)
 *
 * One Keccak after the other is what its chaining wants; leaves do not depend on one another, so eight of them go
 * through one vector permutation where the processor has one (six times the speed with AVX-512). The digest is the same
 * on every machine. It is what a block's stateRoot is made of (pipeline/blocks.h): "encoded events" are their leaves'
 * hashes.
 */
#ifndef CRYPTO_LEAVES_H
#define CRYPTO_LEAVES_H

#include "crypto/eight.h"

#define LEAF_BYTES 1087 /* eight whole blocks of Keccak-256, its one byte of padding included */

struct leaves {
    uint8_t       at[EIGHT * LEAF_BYTES]; /* what has not gone up yet; what comes in one piece is not copied */
    size_t        filled;
    uint64_t      total;
    struct keccak top;
};

void           leaves_begin(struct leaves *leaves);
void           leaves_add(struct leaves *leaves, const void *bytes, size_t len);
struct hash256 leaves_end(struct leaves *leaves);

#endif
