/* SPDX-License-Identifier: MIT */
/*
 * keccak.c — our Keccak-256 compared with nettle's permutation.
 *
 *   bench_keccak
 *
 * Both hash the same bytes, in turns so that a noisy machine hits both, and must agree. The lengths are those in use:
 * one block, the payload of one order (300 bytes: three blocks), a batch of 100.
 */
#include <nettle/sha3.h>

#include "base/keccak.h"
#include "machine.h"

#define RATE   136
#define ROUNDS 15

/* nettle's permutation with Keccak's own padding. */
static struct hash256 nettle_keccak256(const uint8_t *bytes, size_t len)
{
    struct sha3_state state;
    struct hash256    hash;
    uint8_t           block[RATE] = { 0 };
    uint64_t          word;

    memset(&state, 0, sizeof(state));
    for (; len >= RATE; bytes += RATE, len -= RATE) {
        for (size_t i = 0; i < RATE / 8; i++) {
            memcpy(&word, bytes + 8 * i, 8);
            state.a[i] ^= word;
        }
        sha3_permute(&state);
    }
    memcpy(block, bytes, len);
    block[len] ^= 0x01;
    block[RATE - 1] ^= 0x80;
    for (size_t i = 0; i < RATE / 8; i++) {
        memcpy(&word, block + 8 * i, 8);
        state.a[i] ^= word;
    }
    sha3_permute(&state);
    memcpy(hash.bytes, state.a, sizeof(hash.bytes));
    return hash;
}

static struct hash256 our_keccak256(const uint8_t *bytes, size_t len) { return keccak256(bytes, len); }

/* Nanoseconds of one hash: `count` in a row, each fed with the one before it. */
static double measure(struct hash256 (*hash)(const uint8_t *, size_t), uint8_t *bytes, size_t len, int count)
{
    int64_t start = bench_ns();

    for (int i = 0; i < count; i++) {
        struct hash256 result = hash(bytes, len);
        memcpy(bytes, result.bytes, min_size(len, sizeof(result.bytes)));
    }
    return (double)(bench_ns() - start) / count;
}

static void compare(size_t len, int count)
{
    static uint8_t ours[16384], theirs[16384];
    double         our_ns[ROUNDS], their_ns[ROUNDS], ours_median, theirs_median;

    memset(ours, 0, sizeof(ours));
    memset(theirs, 0, sizeof(theirs));
    for (int i = 0; i < ROUNDS; i++) {
        our_ns[i] = measure(our_keccak256, ours, len, count);
        their_ns[i] = measure(nettle_keccak256, theirs, len, count);
    }
    if (memcmp(ours, theirs, len) != 0) {
        printf("WRONG: nettle disagrees at %zu bytes\n", len);
        exit(1);
    }
    ours_median = bench_median(our_ns, ROUNDS);
    theirs_median = bench_median(their_ns, ROUNDS);
    printf("keccak: %5zu bytes %8.0f ns, %.2f x nettle's speed (%.0f ns)\n", len, ours_median,
           theirs_median / ours_median, theirs_median);
}

int main(void)
{
    compare(RATE - 1, 20000);
    compare(300, 10000);
    compare(15000, 200);
    return 0;
}
