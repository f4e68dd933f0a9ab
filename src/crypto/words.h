/* SPDX-License-Identifier: MIT */
/*
 * words.h — hashStruct of EIP-712: keccak256 over the type's hash and one 32-byte word per member.
 * Only crypto/ includes it.
 */
#ifndef CRYPTO_WORDS_H
#define CRYPTO_WORDS_H

#include "base/keccak.h"

struct words {
    struct keccak keccak;
};

static inline struct hash256 text_hash(struct slice text) { return keccak256(text.at, text.len); }

static inline void words_add_hash(struct words *words, const struct hash256 *hash)
{
    keccak_add(&words->keccak, hash->bytes, sizeof(hash->bytes));
}

static inline void words_init(struct words *words, const struct hash256 *type)
{
    keccak_init(&words->keccak);
    words_add_hash(words, type);
}

/* A number of any uintN type, big endian, padded on the left. */
static inline struct hash256 word_of_u64(uint64_t value)
{
    struct hash256 word = { { 0 } };

    for (int i = 0; i < 8; i++) word.bytes[31 - i] = (uint8_t)(value >> (8 * i));
    return word;
}

static inline void words_add_u64(struct words *words, uint64_t value)
{
    struct hash256 word = word_of_u64(value);

    words_add_hash(words, &word);
}

/* A dynamic `string` or `bytes` member stands in the struct as its hash. */
static inline void words_add_text(struct words *words, struct slice text)
{
    struct hash256 hash = text_hash(text);
    words_add_hash(words, &hash);
}

static inline struct hash256 words_end(struct words *words) { return keccak_end(&words->keccak); }

#endif
