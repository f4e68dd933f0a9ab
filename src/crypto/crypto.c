/* SPDX-License-Identifier: MIT */
#include "crypto/crypto.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include "base/hex.h"
#include "base/out.h"
#include "crypto/eight.h"
#include "crypto/prepare.h"
#include "crypto/words.h"

#define DOMAIN_COUNT 5

/* Written once by crypto_init, only read afterwards: every thread may use it. */
static struct {
    secp256k1_context *context;
    struct hash256     domain_type, action_type, version;
    struct hash256     domain_name[DOMAIN_COUNT + 1]; /* by enum domain */
} crypto;

/* The order of the curve and its half, rounded down; big endian (SEC 2, 2.4.1). */
static const uint8_t order[32] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
    0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
};
static const uint8_t half_order[32] = {
    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0x5d, 0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0,
};

static bool is_zero(const uint8_t word[32])
{
    uint8_t bits = 0;
    for (int i = 0; i < 32; i++) bits |= word[i];
    return bits == 0;
}

bool signature_read(struct slice header, struct signature *signature)
{
    uint8_t bytes[SIGNATURE_BYTES];

    if (!hex_read_0x(header, bytes, sizeof(bytes))) return false;
    signature->type = bytes[0];
    memcpy(signature->r, bytes + 1, 32);
    memcpy(signature->s, bytes + 33, 32);
    signature->v = bytes[65] >= 27 ? (uint8_t)(bytes[65] - 27) : bytes[65];

    if (signature->type != 1 && signature->type != 2) return false;
    if (signature->v > 1) return false;
    if (is_zero(signature->r) || memcmp(signature->r, order, 32) >= 0) return false;
    /* The library's recovery accepts order - s in place of s, so it is refused here (ruling 6). */
    return !is_zero(signature->s) && memcmp(signature->s, half_order, 32) <= 0;
}

void signature_write(const struct signature *signature, char text[SIGNATURE_TEXT])
{
    struct out out = out_make(text, SIGNATURE_TEXT);

    out_literal(&out, "0x");
    out_hex(&out, &signature->type, 1);
    out_hex(&out, signature->r, 32);
    out_hex(&out, signature->s, 32);
    out_hex(&out, &signature->v, 1);
    assert(!out.overflow && out.len == SIGNATURE_TEXT);
}

struct hash256 payload_hash(struct slice type, struct slice params)
{
    struct keccak keccak;

    keccak_init(&keccak);
    keccak_add(&keccak, "{\"type\":\"", 9);
    keccak_add(&keccak, type.at, type.len);
    keccak_add(&keccak, "\",\"params\":", 11);
    keccak_add(&keccak, params.at, params.len);
    keccak_add(&keccak, "}", 1);
    return keccak_end(&keccak);
}

struct hash256 domain_separator(uint8_t domain, uint64_t chain_id)
{
    struct words words;

    assert(domain >= DOMAIN_SPOT && domain <= DOMAIN_COUNT);
    assert(crypto.context != NULL);
    words_init(&words, &crypto.domain_type);
    words_add_hash(&words, &crypto.domain_name[domain]);
    words_add_hash(&words, &crypto.version);
    words_add_u64(&words, chain_id);
    words_add_u64(&words, 0); /* verifyingContract: the zero address */
    return words_end(&words);
}

struct hash256 typed_digest(const struct hash256 *separator, const struct hash256 *message)
{
    uint8_t bytes[66] = { 0x19, 0x01 };

    memcpy(bytes + 2, separator->bytes, 32);
    memcpy(bytes + 34, message->bytes, 32);
    return keccak256(bytes, sizeof(bytes));
}

struct hash256 action_struct_hash(const struct hash256 *payload, uint64_t nonce)
{
    struct words words;

    assert(crypto.context != NULL);
    words_init(&words, &crypto.action_type);
    words_add_hash(&words, payload);
    words_add_u64(&words, nonce);
    return words_end(&words);
}

struct hash256 action_digest(const struct hash256 *separator, const struct hash256 *payload, uint64_t nonce)
{
    struct hash256 message = action_struct_hash(payload, nonce);
    return typed_digest(separator, &message);
}

static struct slice hash_slice(const struct hash256 *hash)
{
    return slice_make((const char *)hash->bytes, sizeof(hash->bytes));
}

void action_digests(uint32_t count, const struct action_text texts[], struct hash256 payloads[],
                    struct hash256 digests[])
{
    struct eight_job jobs[ACTION_TEXTS];
    struct hash256   nonces[ACTION_TEXTS], messages[ACTION_TEXTS];

    assert(count <= ACTION_TEXTS && crypto.context != NULL);
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++)
        jobs[i] = (struct eight_job){ .parts = { texts[i].text }, .hash = &payloads[i] };
    eight_hash_all(jobs, count);
    for (uint32_t i = 0; i < count; i++) {
        nonces[i] = word_of_u64(texts[i].nonce);
        jobs[i] = (struct eight_job){ .parts = { hash_slice(&crypto.action_type), hash_slice(&payloads[i]),
                                                 hash_slice(&nonces[i]) },
                                      .hash = &messages[i] };
    }
    eight_hash_all(jobs, count);
    for (uint32_t i = 0; i < count; i++)
        jobs[i] = (struct eight_job){ .parts = { SLICE("\x19\x01"), hash_slice(texts[i].separator),
                                                 hash_slice(&messages[i]) },
                                      .hash = &digests[i] };
    eight_hash_all(jobs, count);
}

/* The last 20 bytes of the hash of the uncompressed point without its leading 04. */
static struct address address_of_key(const secp256k1_pubkey *key)
{
    struct address address;
    struct hash256 hash;
    uint8_t        point[65];
    size_t         len = sizeof(point);

    secp256k1_ec_pubkey_serialize(crypto.context, point, &len, key, SECP256K1_EC_UNCOMPRESSED);
    assert(len == sizeof(point));
    hash = keccak256(point + 1, 64);
    memcpy(address.bytes, hash.bytes + 12, sizeof(address.bytes));
    return address;
}

bool recover_signer(const struct hash256 *digest, const struct signature *signature, struct address *signer)
{
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey                      key;
    uint8_t                               compact[64];

    assert(crypto.context != NULL);
    if (signature->v > 1) return false;
    memcpy(compact, signature->r, 32);
    memcpy(compact + 32, signature->s, 32);
    if (!secp256k1_ecdsa_recoverable_signature_parse_compact(crypto.context, &parsed, compact, signature->v))
        return false;
    if (!secp256k1_ecdsa_recover(crypto.context, &key, &parsed, digest->bytes)) return false;
    *signer = address_of_key(&key);
    return true;
}

bool sign_digest(const struct hash256 *digest, const uint8_t secret[32], uint8_t type, struct signature *signature)
{
    secp256k1_ecdsa_recoverable_signature made;
    uint8_t                               compact[64];
    int                                   recovery;

    assert(crypto.context != NULL);
    assert(type == 1 || type == 2);
    if (!secp256k1_ecdsa_sign_recoverable(crypto.context, &made, digest->bytes, secret, NULL, NULL)) return false;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(crypto.context, compact, &recovery, &made);
    if (recovery > 1) return false; /* r was above the order: one signature in 2^127 */
    signature->type = type;
    signature->v = (uint8_t)recovery;
    memcpy(signature->r, compact, 32);
    memcpy(signature->s, compact + 32, 32);
    return true;
}

bool address_of_secret(const uint8_t secret[32], struct address *address)
{
    secp256k1_pubkey key;

    assert(crypto.context != NULL);
    if (!secp256k1_ec_pubkey_create(crypto.context, &key, secret)) return false;
    *address = address_of_key(&key);
    return true;
}

bool crypto_point(const uint8_t secret[32], uint8_t point[65])
{
    secp256k1_pubkey key;
    size_t           len = 65;

    assert(crypto.context != NULL);
    if (!secp256k1_ec_pubkey_create(crypto.context, &key, secret)) return false;
    secp256k1_ec_pubkey_serialize(crypto.context, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
    return true;
}

bool crypto_prepare(void)
{
    static const char *const names[DOMAIN_COUNT + 1] = {
        [DOMAIN_SPOT] = "spot",     [DOMAIN_FUTURES] = "futures",   [DOMAIN_UNIVERSAL] = "universal",
        [DOMAIN_ORACLE] = "oracle", [DOMAIN_OPERATOR] = "operator",
    };

    if (crypto.context == NULL) crypto.context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    if (crypto.context == NULL) return false;
    crypto.domain_type =
        text_hash(slice_of("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"));
    crypto.action_type = text_hash(slice_of("ExchangeAction(bytes32 payloadHash,uint64 nonce)"));
    crypto.version = text_hash(slice_of("1"));
    for (int domain = DOMAIN_SPOT; domain <= DOMAIN_COUNT; domain++)
        crypto.domain_name[domain] = text_hash(slice_of(names[domain]));
    return true;
}
