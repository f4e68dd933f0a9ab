/* SPDX-License-Identifier: MIT */
/*
 * leaves.h — Keccak-256 of long input, eight pieces at a time. The bytes are cut into leaves of LEAF_BYTES, the last
 * one shorter, and
 *
 *     digest = keccak(keccak(leaf 0) ‖ keccak(leaf 1) ‖ … ‖ number of bytes, 8 bytes, little endian)
 *
 * Keccak's own chaining is sequential; leaves are independent, so eight of them go through one vector permutation
 * where the processor has one (six times the speed with AVX-512). The digest is the same on every machine. A block's
 * stateRoot is made of it (pipeline/blocks.h): "encoded events" are the hashes of their leaves.
 */
#ifndef CRYPTO_LEAVES_H
#define CRYPTO_LEAVES_H

#include "crypto/eight.h"

#define LEAF_BYTES 1087 /* eight whole blocks of Keccak-256, its one byte of padding included */

struct leaves {
    uint8_t       at[EIGHT * LEAF_BYTES]; /* bytes of an incomplete leaf; input in one piece is not copied */
    size_t        filled;
    uint64_t      total;
    struct keccak top;
};

void           leaves_begin(struct leaves *leaves);
void           leaves_add(struct leaves *leaves, const void *bytes, size_t len);
struct hash256 leaves_end(struct leaves *leaves);

#endif
