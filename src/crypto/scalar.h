/* SPDX-License-Identifier: MIT */
/*
 * scalar.h — numbers modulo n, the order of secp256k1: the part of recovery before points. Only crypto/ includes it.
 * All data is public (signatures and digests), so nothing needs constant time.
 *
 *     n = 2^256 - 0x14551231950b75fc4402da1732fc9bebf
 *
 * Products are Montgomery's: scalar_mul(a, b) = a b / 2^256 mod n. A number x "raised" is x 2^256 mod n; a raised
 * number times a plain one is the plain product, two raised ones give the raised product.
 */
#ifndef CRYPTO_SCALAR_H
#define CRYPTO_SCALAR_H

#include "base/slice.h"

struct scalar {
    uint64_t at[4];
}; /* least significant word first, below n unless said otherwise */

/* From 32 bytes, big endian; false when the number is n or more, which *scalar then holds all the same. */
bool scalar_read(const uint8_t bytes[32], struct scalar *scalar) MUST_USE;

/* A number below 2^256 modulo n: 2^256 < 2 n, so n is taken off once at most. */
void scalar_reduce(struct scalar *scalar);

bool          scalar_is_zero(const struct scalar *a);
bool          scalar_equal(const struct scalar *a, const struct scalar *b);
struct scalar scalar_mul(const struct scalar *a, const struct scalar *b);
struct scalar scalar_sub(const struct scalar *a, const struct scalar *b);
struct scalar scalar_raise(const struct scalar *a);

/* 1 / a, raised in and raised out; 0 for 0. */
struct scalar scalar_inverse(const struct scalar *a);

/* Of x and n - x the one that is at most n / 2, into x; true when it is the latter. */
bool scalar_make_low(struct scalar *x);

/*
 * k = ±low ± high λ mod n with low and high below 2^128, where λ is the cube root of 1 that (x, y) → (β x, y)
 * multiplies points by. False when a half is longer than that, which no k causes; the
 * caller then leaves the signature to the library.
 */
struct scalar_halves {
    struct scalar half[2];
    bool          minus[2];
};
bool scalar_split(const struct scalar *k, struct scalar_halves *halves) MUST_USE;

/*
 * Digits of k in base 2^bits (4 or 8), least significant first, between 1 - 2^(bits-1) and 2^(bits-1):
 * k = Σ digit[i] 2^(bits i). `count` of them must suffice: false when they do not.
 */
bool scalar_digits(const struct scalar *k, uint32_t bits, uint32_t count, int16_t digits[]) MUST_USE;

extern const struct scalar scalar_order, scalar_lambda_raised;

#endif
