/* SPDX-License-Identifier: MIT */
/*
 * siphash.h — SipHash-1-3: a hash under a secret seed, for tables whose keys are chosen by strangers. Without the seed
 * they cannot find keys that collide (Aumasson and Bernstein, 2012).
 */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include "base/base.h"

/* The hash of `count` words of 8 bytes each, as SipHash-1-3 of their little-endian bytes. */
uint64_t siphash13(const uint64_t seed[2], const uint64_t *words, size_t count);

#endif
