/* SPDX-License-Identifier: MIT */
#include "base/keccak.h"

#include <stdatomic.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define RATE_BYTES 136 /* 1088 of the 1600 bits: 256-bit output */

#define LANE uint64_t
#include "base/keccak_rounds.h"

static void permute_plain(uint64_t lane[25]) { all_rounds(lane); }

#if defined(__x86_64__)
/*
 * The same permutation with instructions that processors since 2013 have: and-not in one step, rotations that keep
 * their source. Nearly a third faster, with the same result.
 */
__attribute__((target("bmi,bmi2"))) static void permute_bmi(uint64_t lane[25]) { all_rounds(lane); }

/* Bits 3 and 8 of ebx in leaf 7 of cpuid. */
static bool has_bmi(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 3 & 1) != 0 && (b >> 8 & 1) != 0;
}

static void permute(uint64_t lane[25])
{
    static _Atomic uint8_t
            known; /* 0 = not yet known, 1 = plain, 2 = with BMI; the query takes microseconds in a virtual machine */
    uint8_t choice = atomic_load_explicit(&known, memory_order_relaxed);

    if (choice == 0) {
        choice = has_bmi() ? 2 : 1;
        atomic_store_explicit(&known, choice, memory_order_relaxed);
    }
    if (choice == 2) permute_bmi(lane);
    else permute_plain(lane);
}
#else
static void permute(uint64_t lane[25]) { permute_plain(lane); }
#endif

/* Lanes are little endian, and so are the machines this runs on (asserted in keccak_init). */
static void absorb(struct keccak *keccak, const uint8_t *bytes, size_t len)
{
    uint8_t *state = (uint8_t *)keccak->lane + keccak->filled;

    for (; len >= 8; state += 8, bytes += 8, len -= 8) {
        uint64_t word, lane;
        memcpy(&word, bytes, 8);
        memcpy(&lane, state, 8);
        lane ^= word;
        memcpy(state, &lane, 8);
    }
    for (size_t i = 0; i < len; i++) state[i] ^= bytes[i];
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

    state[keccak->filled] ^= 0x01; /* Keccak's own padding, not SHA-3's 0x06 */
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
