/* SPDX-License-Identifier: MIT */
/* mix.h — numbers that look random, made of a number that does not. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include "base/base.h"

/* The finalizer of splitmix64: each input bit flips about half of the output bits. */
static inline uint64_t mix_u64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
