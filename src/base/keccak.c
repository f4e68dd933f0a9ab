/* SPDX-License-Identifier: MIT */
#include "base/keccak.h"

#define RATE_BYTES 136          /* 1088 of the 1600 bits: 256-bit output */

static const uint64_t round_constant[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static inline uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

/* theta, rho, pi, chi and iota of FIPS 202, one round, from `a` into `b`. Lane (x, y) is a[x + 5y]. */
static inline __attribute__((always_inline)) void keccak_round(const uint64_t a[25], uint64_t b[25], uint64_t constant)
{
    static const int turn[25] = {       /* rho's rotation of lane i */
        0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
    };
    uint64_t column[5], theta[5], moved[25];

#pragma GCC unroll 5
    for (int x = 0; x < 5; x++)
        column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma GCC unroll 5
    for (int x = 0; x < 5; x++)
        theta[x] = column[(x + 4) % 5] ^ rotate(column[(x + 1) % 5], 1);
#pragma GCC unroll 25
    for (int i = 0; i < 25; i++) {
        int      x = i % 5, y = i / 5;
        uint64_t lane = a[i] ^ theta[x];
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = turn[i] == 0 ? lane : rotate(lane, turn[i]);
    }
#pragma GCC unroll 25
    for (int i = 0; i < 25; i++) {
        int row = i - i % 5;
        b[i] = moved[i] ^ (~moved[row + (i + 1) % 5] & moved[row + (i + 2) % 5]);
    }
    b[0] ^= constant;
}

static void permute(uint64_t lane[25])
{
    uint64_t other[25];

    for (int round = 0; round < 24; round += 2) {
        keccak_round(lane, other, round_constant[round]);
        keccak_round(other, lane, round_constant[round + 1]);
    }
}

/* Lanes are little endian, and so are the machines this runs on (asserted in keccak_init). */
static void absorb(struct keccak *keccak, const uint8_t *bytes, size_t len)
{
    uint8_t *state = (uint8_t *)keccak->lane;
    for (size_t i = 0; i < len; i++) state[keccak->filled + i] ^= bytes[i];
}

static void absorb_block(struct keccak *keccak, const uint8_t *bytes)
{
    for (size_t i = 0; i < RATE_BYTES / 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        keccak->lane[i] ^= word;
    }
}

void keccak_init(struct keccak *keccak)
{
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are read as they lie in memory");
    memset(keccak, 0, sizeof(*keccak));
}

void keccak_add(struct keccak *keccak, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len != 0) {
        if (keccak->filled == 0 && len >= RATE_BYTES) {
            absorb_block(keccak, at);
            permute(keccak->lane);
            at += RATE_BYTES;
            len -= RATE_BYTES;
            continue;
        }
        size_t part = min_size(len, RATE_BYTES - keccak->filled);
        absorb(keccak, at, part);
        keccak->filled += (uint32_t)part;
        at += part;
        len -= part;
        if (keccak->filled == RATE_BYTES) {
            permute(keccak->lane);
            keccak->filled = 0;
        }
    }
}

struct hash256 keccak_end(struct keccak *keccak)
{
    struct hash256 hash;
    uint8_t       *state = (uint8_t *)keccak->lane;

    state[keccak->filled] ^= 0x01;          /* Keccak's own padding, not SHA-3's 0x06 */
    state[RATE_BYTES - 1] ^= 0x80;
    permute(keccak->lane);
    memcpy(hash.bytes, state, sizeof(hash.bytes));
    return hash;
}

struct hash256 keccak256(const void *bytes, size_t len)
{
    struct keccak keccak;

    keccak_init(&keccak);
    keccak_add(&keccak, bytes, len);
    return keccak_end(&keccak);
}
