/* SPDX-License-Identifier: MIT */
/* siphash.h — SipHash-1-3: without the seed a client cannot choose keys that collide (Aumasson and Bernstein, 2012). */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include "base/base.h"

/* The hash of so many bytes, a multiple of 8. */
uint64_t siphash13(const uint64_t seed[2], const void *key, size_t bytes);

#endif
