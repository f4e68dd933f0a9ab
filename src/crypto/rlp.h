/* SPDX-License-Identifier: MIT */
/*
 * rlp.h — recursive length prefix, writing only: a string is its bytes behind their length, a number
 * is its big-endian bytes without leading zeros, a list is its items behind their total length.
 * Only crypto/ includes it.
 *
 *   one byte below 0x80        itself
 *   string of 0 .. 55 bytes    0x80 + length
 *   longer string              0xb7 + bytes of the length, the length
 *   list of 0 .. 55 bytes      0xc0 + length
 *   longer list                0xf7 + bytes of the length, the length
 */
#ifndef CRYPTO_RLP_H
#define CRYPTO_RLP_H

#include "base/out.h"

enum rlp_kind { RLP_STRING = 0x80, RLP_LIST = 0xc0 };

/* The prefix of a string or list of `len` bytes; not for single bytes below 0x80, which have none. */
void rlp_head(struct out *out, enum rlp_kind kind, size_t len);

void rlp_bytes(struct out *out, const void *bytes, size_t len);
void rlp_u64(struct out *out, uint64_t value);

/* A number of 32 big-endian bytes. */
void rlp_word(struct out *out, const uint8_t word[32]);

#endif
