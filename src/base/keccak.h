/* SPDX-License-Identifier: MIT */
/*
 * keccak.h — Keccak-256 with its original padding (0x01), as Ethereum uses it; not SHA3-256.
 *
 * The permutation is ours because it is measured faster than nettle's (benches/keccak.c prints the
 * ratio) and because the sealed core hashes its own state and may not link a library. nettle is its
 * judge in keccak_test.c.
 */
#ifndef BASE_KECCAK_H
#define BASE_KECCAK_H

#include "base/slice.h"

struct hash256 {
    uint8_t bytes[32];
};

struct keccak {
    uint64_t lane[25];
    uint32_t filled; /* bytes absorbed into the current block, 0 .. 135 */
};

void           keccak_init(struct keccak *keccak);
void           keccak_add(struct keccak *keccak, const void *bytes, size_t len);
struct hash256 keccak_end(struct keccak *keccak);

/* The hash of one run of bytes. */
struct hash256 keccak256(const void *bytes, size_t len);

static inline bool hash256_equal(const struct hash256 *a, const struct hash256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

#endif
