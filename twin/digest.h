/* SPDX-License-Identifier: MIT */
/*
 * digest.h — a digest that two programs share when they produced the same bytes in the same order: a seed must give
 * the same history for every compiler and its options (tests/long/same_seed).
 */
#ifndef TWIN_DIGEST_H
#define TWIN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

static inline void digest_add(uint64_t *digest, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    *digest = (*digest ^ len) * UINT64_C(0x100000001b3);
    for (; len != 0; at++, len--) *digest = (*digest ^ *at) * UINT64_C(0x100000001b3);
    *digest ^= *digest >> 29;
}

#endif
