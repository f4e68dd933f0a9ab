/* SPDX-License-Identifier: MIT */
/*
 * Recovery of many signers at once gives each signature the signer that libsecp256k1 gives it alone, whatever its
 * neighbours. The input is a row of signatures, each with a byte that chooses how it is made: from bytes of the input,
 * by a key, by a key and then damaged, or so that the sum of two points has equal or opposite ones.
 */
#include "crypto/crypto.h"
#include "fuzz/fuzz.h"

#include <secp256k1.h>

#define MOST 40

enum how { RAW, GOOD, DAMAGED, CRAFTED, SMALL, AGAIN, HOWS };

static secp256k1_context *library;

static void take(struct choices *choices, uint8_t *into, size_t len)
{
    for (size_t i = 0; i < len; i++) into[i] = (uint8_t)choose(choices, 1);
}

/* A number between 1 and 255 or, negative, n less it; 0 becomes 1. */
static void put_small(uint8_t bytes[32], uint8_t number, bool minus)
{
    memset(bytes, 0, 32);
    bytes[31] = number != 0 ? number : 1;
    if (minus) assert(secp256k1_ec_seckey_negate(library, bytes));
}

static void put_some(struct choices *choices, uint8_t bytes[32])
{
    uint8_t number = (uint8_t)choose(choices, 1);

    put_small(bytes, number, choose(choices, 1) % 2 != 0);
}

/* R = k G for a small k. */
static void put_point(struct signature *signature, uint8_t k)
{
    secp256k1_pubkey key;
    uint8_t          secret[32], point[65];
    size_t           len = sizeof(point);

    put_small(secret, k, false);
    assert(secp256k1_ec_pubkey_create(library, &key, secret));
    secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
    memcpy(signature->r, point + 1, 32);
    signature->v = point[64] & 1;
}

static void put_good(struct choices *choices, struct hash256 *digest, struct signature *signature)
{
    uint8_t secret[32];

    put_small(secret, (uint8_t)choose(choices, 1), false);
    take(choices, digest->bytes, 4);
    *digest = keccak256(digest->bytes, 4);
    assert(sign_digest(digest, secret, 1, signature));
}

/* z = ±times k s: then the key is (±times - 1) … of one point, which
   is infinity for one, and twice the same for another. */
static void put_crafted(struct choices *choices, struct hash256 *digest, struct signature *signature)
{
    uint8_t k = (uint8_t)choose(choices, 1), times, factor[32];

    put_point(signature, k);
    put_some(choices, signature->s);
    memcpy(digest->bytes, signature->s, 32);
    put_small(factor, k, false);
    assert(secp256k1_ec_seckey_tweak_mul(library, digest->bytes, factor));
    times = (uint8_t)(1 + choose(choices, 1) % 4);
    put_small(factor, times, choose(choices, 1) % 2 != 0);
    assert(secp256k1_ec_seckey_tweak_mul(library, digest->bytes, factor));
}

static void put(struct choices *choices, uint32_t at, struct hash256 digests[], struct signature signatures[])
{
    enum how          how = (enum how)choose_of(choices, HOWS);
    struct hash256   *digest = &digests[at];
    struct signature *signature = &signatures[at];
    uint8_t          *half, mask;

    switch (how) {
    case RAW:
        take(choices, digest->bytes, 32);
        take(choices, signature->r, 32);
        take(choices, signature->s, 32);
        signature->v = (uint8_t)choose_of(choices, 4);
        break;
    case DAMAGED:
        put_good(choices, digest, signature);
        mask = (uint8_t)choose(choices, 1);
        half = choose(choices, 1) % 2 != 0 ? signature->r : signature->s;
        half[choose_of(choices, 32)] ^= mask;
        signature->v ^= (uint8_t)choose_of(choices, 2);
        break;
    case CRAFTED: put_crafted(choices, digest, signature); break;
    case SMALL:
        put_point(signature, (uint8_t)choose(choices, 1));
        put_some(choices, signature->s);
        put_some(choices, digest->bytes);
        break;
    case AGAIN:
        if (at != 0) {
            uint32_t other = choose_of(choices, at);
            *digest = digests[other];
            *signature = signatures[other];
            break;
        }
        put_good(choices, digest, signature);
        break;
    default: put_good(choices, digest, signature);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices   choices = { data, size };
    struct hash256   digests[MOST] = { 0 };
    struct signature signatures[MOST] = { 0 };
    struct address   signers[MOST], signer;
    bool             recovered[MOST];
    uint32_t         count = 0;

    if (library == NULL) {
        assert(crypto_init());
        library = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    }
    while (choices.len != 0 && count < MOST) put(&choices, count++, digests, signatures);
    recover_signers(count, digests, signatures, signers, recovered);
    for (uint32_t i = 0; i < count; i++) {
        bool wanted = recover_signer(&digests[i], &signatures[i], &signer);

        assert(recovered[i] == wanted);
        assert(!wanted || address_equal(&signers[i], &signer));
    }
    return 0;
}
