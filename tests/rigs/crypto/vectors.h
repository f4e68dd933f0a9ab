/* SPDX-License-Identifier: MIT */
/* vectors.h — for tests: the signing vectors of docs/spec/wire_vectors.json, and who a signature must be of. */
#ifndef RIGS_CRYPTO_VECTORS_H
#define RIGS_CRYPTO_VECTORS_H

#include "base/hex.h"
#include "rigs/spec_json.h"
#include "crypto/crypto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The address of the well-known key of wire 3.8. */
static const char owner_hex[] = "0x14791697260E4c9A71f18484C9f997B308e59325";

static inline struct hash256 hash_of_hex(const char *hex)
{
    struct hash256 hash;
    assert_true(hex_read_0x(slice_of(hex), hash.bytes, 32));
    return hash;
}

static inline struct address address_of_hex(const char *hex)
{
    struct address address;
    assert_true(hex_read_0x(slice_of(hex), address.bytes, 20));
    return address;
}

static inline void assert_hash(struct hash256 hash, const char *hex)
{
    struct hash256 wanted = hash_of_hex(hex);
    assert_memory_equal(hash.bytes, wanted.bytes, 32);
}

static inline void assert_signer(struct hash256 digest, const struct signature *signature, const char *hex)
{
    struct address signer, wanted = address_of_hex(hex), signers[3];
    bool           recovered[3];

    assert_true(recover_signer(&digest, signature, &signer));
    assert_memory_equal(signer.bytes, wanted.bytes, 20);

    recover_signers(3, (struct hash256[]){ digest, digest, digest },
                    (struct signature[]){ *signature, { .type = 1 }, *signature }, signers, recovered);
    assert_true(recovered[0] && !recovered[1] && recovered[2]);
    assert_memory_equal(signers[0].bytes, wanted.bytes, 20);
    assert_memory_equal(signers[2].bytes, wanted.bytes, 20);
}

static inline int set_up(void **state)
{
    (void)state;
    return crypto_init() ? 0 : -1;
}

/* ---- the vectors of wire 3.8 ---- */

static inline const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static inline uint64_t number_at(const json_t *object, const char *key)
{
    return strtoull(text_at(object, key), NULL, 10);
}

static inline const json_t *load_vectors(void)
{
    static json_t *vectors;

    if (vectors == NULL) vectors = load_json("wire_vectors.json");
    return vectors;
}

static inline const json_t *vector_named(const char *label)
{
    const json_t *vectors = load_vectors(), *row;
    size_t        index;

    json_array_foreach(vectors, index, row) {
        const char *name = text_at(row, "label");
        if (strncmp(name, label, strlen(label)) == 0 && name[strlen(label)] == ' ') return row;
    }
    fail_msg("no vector %s", label);
    return NULL;
}

static inline uint8_t domain_named(const char *name)
{
    if (strcmp(name, "spot") == 0) return DOMAIN_SPOT;
    if (strcmp(name, "futures") == 0) return DOMAIN_FUTURES;
    assert_string_equal(name, "universal");
    return DOMAIN_UNIVERSAL;
}

static inline uint64_t chain_of(const json_t *row)
{
    return (uint64_t)json_integer_value(json_object_get(row, "chainId"));
}

/* "batchNewOrder" out of {"type":"batchNewOrder","params":…}. */
static inline struct slice type_of(const char *payload)
{
    const char *start = payload + strlen("{\"type\":\"");
    return slice_make(start, (size_t)(strchr(start, '"') - start));
}

/* Both spellings of v; upper-case digits; without 0x; and back to the text that was sent. */
static inline void check_spellings(struct hash256 digest, const char *sent)
{
    struct signature signature;
    char             text[SIGNATURE_TEXT + 1] = { 0 };

    assert_true(signature_read(slice_of(sent), &signature));
    assert_signer(digest, &signature, owner_hex);
    signature_write(&signature, text);
    assert_string_equal(text, sent);

    text[132] = '1';
    text[133] = signature.v == 0 ? 'b' : 'c'; /* 27, 28 */
    assert_true(signature_read(slice_of(text), &signature));
    assert_signer(digest, &signature, owner_hex);
    for (char *c = text + 2; *c != '\0'; c++)
        if (*c >= 'a') *c = (char)(*c - 32);
    assert_true(signature_read(slice_of(text), &signature));
    assert_signer(digest, &signature, owner_hex);
    assert_true(signature_read(slice_of(text + 2), &signature));
    assert_signer(digest, &signature, owner_hex);
}

#endif
