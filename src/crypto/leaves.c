/* SPDX-License-Identifier: MIT */
#include "crypto/leaves.h"

#define BLOCKS       ((LEAF_BYTES + 1) / EIGHT_BLOCK_BYTES)
#define LEAF_PADDING 0x81 /* first and last bit of Keccak's padding in one byte */
#define WORTH_LANES  3    /* fewer leaves are hashed one after the other */
static_assert((LEAF_BYTES + 1) % EIGHT_BLOCK_BYTES == 0, "whole blocks");

/* Eight leaves that lie one behind the other. All but their last blocks are read where they are. */
static void hash_leaves(const uint8_t *from, struct hash256 hashes[EIGHT])
{
    static const size_t last = LEAF_BYTES + 1 - EIGHT_BLOCK_BYTES;
    uint8_t             ends[EIGHT][EIGHT_BLOCK_BYTES];
    const uint8_t      *blocks[EIGHT];
    struct eight        eight;

    for (uint32_t lane = 0; lane < EIGHT; lane++) blocks[lane] = from + lane * LEAF_BYTES;
    for (uint32_t block = 0; block < BLOCKS - 1; block++) {
        eight_absorb(&eight, blocks, block == 0 ? UINT8_MAX : 0);
        for (uint32_t lane = 0; lane < EIGHT; lane++) blocks[lane] += EIGHT_BLOCK_BYTES;
    }
    for (uint32_t lane = 0; lane < EIGHT; lane++) {
        memcpy(ends[lane], from + lane * LEAF_BYTES + last, EIGHT_BLOCK_BYTES - 1);
        ends[lane][EIGHT_BLOCK_BYTES - 1] = LEAF_PADDING;
        blocks[lane] = ends[lane];
    }
    eight_absorb(&eight, blocks, 0);
    for (uint32_t lane = 0; lane < EIGHT; lane++) hashes[lane] = eight_hash(&eight, lane);
}

/* So many leaves, at most EIGHT, go up; behind the last one there is room for the rest of eight. */
static void go_up(struct leaves *leaves, const uint8_t *from, size_t count)
{
    struct hash256 hashes[EIGHT];

    if (count == 0) return;
    if (count >= WORTH_LANES) hash_leaves(from, hashes);
    else
        for (size_t leaf = 0; leaf < count; leaf++) hashes[leaf] = keccak256(from + leaf * LEAF_BYTES, LEAF_BYTES);
    keccak_add(&leaves->top, hashes, count * sizeof(hashes[0]));
}

void leaves_begin(struct leaves *leaves)
{
    leaves->filled = 0;
    leaves->total = 0;
    keccak_init(&leaves->top);
}

void leaves_add(struct leaves *leaves, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    leaves->total += len;
    while (len != 0) {
        size_t part = min_size(len, sizeof(leaves->at) - leaves->filled);

        if (part == sizeof(leaves->at)) {
            go_up(leaves, from, EIGHT);
        } else {
            memcpy(leaves->at + leaves->filled, from, part);
            leaves->filled += part;
            if (leaves->filled == sizeof(leaves->at)) {
                go_up(leaves, leaves->at, EIGHT);
                leaves->filled = 0;
            }
        }
        from += part;
        len -= part;
    }
}

struct hash256 leaves_end(struct leaves *leaves)
{
    size_t full = leaves->filled / LEAF_BYTES, rest = leaves->filled % LEAF_BYTES;

    go_up(leaves, leaves->at, full);
    if (rest != 0) {
        struct hash256 last = keccak256(leaves->at + full * LEAF_BYTES, rest);
        keccak_add(&leaves->top, &last, sizeof(last));
    }
    keccak_add(&leaves->top, &leaves->total, sizeof(leaves->total));
    return keccak_end(&leaves->top);
}
