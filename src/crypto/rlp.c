/* SPDX-License-Identifier: MIT */
#include "crypto/rlp.h"

#include <endian.h>

/* Big endian without leading zeros; how many of `bytes` are used. */
static size_t shortest(uint64_t value, uint8_t bytes[8])
{
    unsigned zeros = value == 0 ? 64 : (unsigned)__builtin_clzll(value) & ~7u;
    uint64_t first = htobe64(zeros == 64 ? 0 : value << zeros);

    memcpy(bytes, &first, sizeof(first));
    return 8 - zeros / 8;
}

void rlp_head(struct out *out, enum rlp_kind kind, size_t len)
{
    uint8_t bytes[8];
    size_t  count;

    if (len <= 55) {
        out_char(out, (char)((size_t)kind + len));
        return;
    }
    count = shortest(len, bytes);
    out_char(out, (char)((size_t)kind + 55 + count));
    out_bytes(out, bytes, count);
}

void rlp_bytes(struct out *out, const void *bytes, size_t len)
{
    bool alone = len == 1 && *(const uint8_t *)bytes < 0x80;

    if (!alone) rlp_head(out, RLP_STRING, len);
    out_bytes(out, bytes, len);
}

void rlp_u64(struct out *out, uint64_t value)
{
    uint8_t bytes[8];
    size_t  len = shortest(value, bytes);
    rlp_bytes(out, bytes, len);
}

void rlp_word(struct out *out, const uint8_t word[32])
{
    size_t zeros = 0;

    while (zeros < 32 && word[zeros] == 0) zeros++;
    rlp_bytes(out, word + zeros, 32 - zeros);
}
