/* SPDX-License-Identifier: MIT */
/* scrypt.h — the key derivation of RFC 7914, over nettle's PBKDF2. */
#ifndef APP_CLIENT_SCRYPT_H
#define APP_CLIENT_SCRYPT_H

#include "base/slice.h"

#define SCRYPT_MEMORY_MAX (UINT64_C(1) << 30)

struct scrypt_cost {
    uint64_t n; /* a power of two, at least 2 */
    uint64_t r, p;
};

/* Whether n is a power of two, and the cost takes at most SCRYPT_MEMORY_MAX bytes and some minutes. */
bool scrypt_is_possible(const struct scrypt_cost *cost);

/* Derives `len` bytes; the cost is possible. False: there is no memory. */
bool scrypt(struct slice password, struct slice salt, const struct scrypt_cost *cost, uint8_t *key,
            size_t len) MUST_USE;

#endif
