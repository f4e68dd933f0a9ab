/* SPDX-License-Identifier: MIT */
#include "crypto/leaves.h"

/* Eight lanes of eight states. Without vectors of that size the compiler takes what there is. */
typedef uint64_t lanes __attribute__((vector_size(64)));
#define LANE lanes
#include "base/keccak_rounds.h"

#define BLOCK_BYTES  136
#define BLOCK_WORDS  (BLOCK_BYTES / 8)
#define LEAF_PADDING 0x81               /* first and last bit of Keccak's padding in one byte */
#define WORTH_LANES  3                  /* fewer leaves are hashed one after the other */
static_assert((LEAF_BYTES + 1) % BLOCK_BYTES == 0, "whole blocks");

static inline __attribute__((always_inline)) void absorb_blocks(const uint8_t *from, lanes state[25])
{
    for (uint32_t word = 0; word < BLOCK_WORDS; word++) {
        uint64_t value[LEAF_LANES];
        lanes    all;

        for (uint32_t lane = 0; lane < LEAF_LANES; lane++) memcpy(&value[lane], from + lane * (LEAF_BYTES + 1) + 8 * word, 8);
        memcpy(&all, value, sizeof(all));
        state[word] ^= all;
    }
}

static inline __attribute__((always_inline)) void hash_all(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES])
{
    lanes state[25] = { 0 };

    for (uint32_t block = 0; block < LEAF_BYTES + 1; block += BLOCK_BYTES) {
        absorb_blocks(leaves->at[0] + block, state);
        all_rounds(state);
    }
    for (uint32_t lane = 0; lane < LEAF_LANES; lane++)
        for (uint32_t word = 0; word < 4; word++) memcpy(hashes[lane].bytes + 8 * word, (const uint8_t *)&state[word] + 8 * lane, 8);
}

static void hash_plain(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES]) { hash_all(leaves, hashes); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void hash_avx2(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES]) { hash_all(leaves, hashes); }
__attribute__((target("avx512f"))) static void hash_avx512(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES]) { hash_all(leaves, hashes); }

static void hash_leaves(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES])
{
    if (__builtin_cpu_supports("avx512f"))   hash_avx512(leaves, hashes);
    else if (__builtin_cpu_supports("avx2")) hash_avx2(leaves, hashes);
    else                                     hash_plain(leaves, hashes);
}
#else
static void hash_leaves(const struct leaves *leaves, struct hash256 hashes[LEAF_LANES]) { hash_plain(leaves, hashes); }
#endif

/* The whole leaves go up; their room is free again. */
static void raise_full(struct leaves *leaves)
{
    struct hash256 hashes[LEAF_LANES];

    if (leaves->full == 0) return;
    if (leaves->full >= WORTH_LANES) hash_leaves(leaves, hashes);
    else for (uint32_t leaf = 0; leaf < leaves->full; leaf++) hashes[leaf] = keccak256(leaves->at[leaf], LEAF_BYTES);
    keccak_add(&leaves->top, hashes, leaves->full * sizeof(hashes[0]));
    leaves->full = 0;
}

void leaves_begin(struct leaves *leaves)
{
    leaves->full = leaves->filled = 0;
    leaves->total = 0;
    keccak_init(&leaves->top);
    for (uint32_t lane = 0; lane < LEAF_LANES; lane++) leaves->at[lane][LEAF_BYTES] = LEAF_PADDING;
}

void leaves_add(struct leaves *leaves, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    leaves->total += len;
    while (len != 0) {
        size_t part = min_size(len, LEAF_BYTES - leaves->filled);

        memcpy(leaves->at[leaves->full] + leaves->filled, from, part);
        leaves->filled += (uint32_t)part;
        from += part;
        len -= part;
        if (leaves->filled != LEAF_BYTES) continue;
        leaves->filled = 0;
        leaves->full += 1;
        if (leaves->full == LEAF_LANES) raise_full(leaves);
    }
}

struct hash256 leaves_end(struct leaves *leaves)
{
    uint32_t       rest = leaves->filled;
    const uint8_t *at = leaves->at[leaves->full];

    raise_full(leaves);
    if (rest != 0) {
        struct hash256 last = keccak256(at, rest);
        keccak_add(&leaves->top, &last, sizeof(last));
    }
    keccak_add(&leaves->top, &leaves->total, sizeof(leaves->total));
    return keccak_end(&leaves->top);
}
