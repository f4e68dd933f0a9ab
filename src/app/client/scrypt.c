/* SPDX-License-Identifier: MIT */
#include "app/client/scrypt.h"

#include "io/secret_file.h"

#include <nettle/pbkdf2.h>
#include <stdlib.h>

#define BLOCK_WORDS 16 /* of Salsa20, 32 bits each */

bool scrypt_is_possible(const struct scrypt_cost *cost)
{
    if (cost->n < 2 || (cost->n & (cost->n - 1)) != 0 || cost->r == 0 || cost->p == 0) return false;
    if (cost->n > SCRYPT_MEMORY_MAX / 128 || cost->r > SCRYPT_MEMORY_MAX / 128 / cost->n) return false;
    /* A bound of ours on the time that a file may demand. RFC 7914 also wants N < 2^(16 r), which wallets do not keep.
     */
    return cost->p <= 64 && cost->p * cost->r < (1 << 24) && cost->n * cost->r * cost->p <= (UINT64_C(1) << 28);
}

static uint32_t rotate(uint32_t word, uint32_t by) { return word << by | word >> (32 - by); }

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *b ^= rotate(*a + *d, 7);
    *c ^= rotate(*b + *a, 9);
    *d ^= rotate(*c + *b, 13);
    *a ^= rotate(*d + *c, 18);
}

/* Salsa20/8 (RFC 7914 section 3). */
static void salsa(uint32_t block[BLOCK_WORDS])
{
    uint32_t x[BLOCK_WORDS];

    memcpy(x, block, sizeof(x));
    for (int i = 0; i < 4; i++) {
        quarter(&x[0], &x[4], &x[8], &x[12]);
        quarter(&x[5], &x[9], &x[13], &x[1]);
        quarter(&x[10], &x[14], &x[2], &x[6]);
        quarter(&x[15], &x[3], &x[7], &x[11]);
        quarter(&x[0], &x[1], &x[2], &x[3]);
        quarter(&x[5], &x[6], &x[7], &x[4]);
        quarter(&x[10], &x[11], &x[8], &x[9]);
        quarter(&x[15], &x[12], &x[13], &x[14]);
    }
    for (int i = 0; i < BLOCK_WORDS; i++) block[i] += x[i];
}

/* scryptBlockMix: 2 r blocks of `from` into `to`, which are apart. */
static void mix_blocks(const uint32_t *from, uint32_t *to, size_t r)
{
    uint32_t x[BLOCK_WORDS];

    memcpy(x, from + (2 * r - 1) * BLOCK_WORDS, sizeof(x));
    for (size_t i = 0; i < 2 * r; i++) {
        for (size_t k = 0; k < BLOCK_WORDS; k++) x[k] ^= from[i * BLOCK_WORDS + k];
        salsa(x);
        memcpy(to + (i / 2 + (i % 2) * r) * BLOCK_WORDS, x, sizeof(x));
    }
}

/* scryptROMix of one piece. `table` has n pieces, `other` one. */
static void mix_piece(uint32_t *piece, uint32_t *table, uint32_t *other, uint64_t n, size_t r)
{
    size_t words = 2 * r * BLOCK_WORDS;

    for (uint64_t i = 0; i < n; i++) {
        memcpy(table + i * words, piece, words * sizeof(*piece));
        mix_blocks(table + i * words, piece, r);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t        low = piece[words - BLOCK_WORDS], high = piece[words - BLOCK_WORDS + 1];
        const uint32_t *row = table + ((low | high << 32) & (n - 1)) * words;

        for (size_t k = 0; k < words; k++) other[k] = piece[k] ^ row[k];
        mix_blocks(other, piece, r);
    }
}

static uint32_t read_word(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write_word(uint8_t *at, uint32_t word)
{
    for (uint32_t i = 0; i < 4; i++) at[i] = (uint8_t)(word >> (8 * i));
}

bool scrypt(struct slice password, struct slice salt, const struct scrypt_cost *cost, uint8_t *key, size_t len)
{
    size_t    r = cost->r, words = 2 * r * BLOCK_WORDS, bytes = cost->p * words * 4;
    uint8_t  *blocks = malloc(bytes);
    uint32_t *table = malloc((cost->n + 2) * words * sizeof(*table));
    bool      ok = blocks != NULL && table != NULL;

    assert(scrypt_is_possible(cost));
    if (ok) {
        uint32_t *piece = table + cost->n * words;

        pbkdf2_hmac_sha256(password.len, (const uint8_t *)password.at, 1, salt.len, (const uint8_t *)salt.at, bytes,
                           blocks);
        for (size_t i = 0; i < cost->p; i++) {
            for (size_t k = 0; k < words; k++) piece[k] = read_word(blocks + (i * words + k) * 4);
            mix_piece(piece, table, piece + words, cost->n, r);
            for (size_t k = 0; k < words; k++) write_word(blocks + (i * words + k) * 4, piece[k]);
        }
        pbkdf2_hmac_sha256(password.len, (const uint8_t *)password.at, 1, bytes, blocks, len, key);
        secret_forget(table, (cost->n + 2) * words * sizeof(*table));
        secret_forget(blocks, bytes);
    }
    free(table);
    free(blocks);
    return ok;
}
