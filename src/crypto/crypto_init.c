/* SPDX-License-Identifier: MIT */
/* crypto_init.c — known answers are computed, then lanes are used where they give them. */
#include "base/hex.h"
#include "crypto/crypto.h"
#include "crypto/prepare.h"
#include "crypto/recover.h"

/* The published signature of a well-known key over one order (mechanics E17), with the result of every step. */
static const char known_type[] = "batchNewOrder";
static const char known_params[] =
    "{\"accountID\":1001,\"orders\":[{\"symbolID\":42,\"clOrdID\":\"order-001\",\"side\":1,\"type\":1,"
    "\"timeInForce\":1,\"price\":\"50000\",\"quantity\":\"0.1\"}]}";
static const char known_secret[] = "0123456789012345678901234567890123456789012345678901234567890123";
static const char known_signature[] =
    "0x01641c5ba6f66af45475184ca753c974b6fbd6115407ee22abade94142df21bd451d8c0e61405155a2ded314bae5f7e490"
    "723ae6fd0e6816c4c474d1ec88df4d1100";

static bool hash_is(struct hash256 hash, const char *hex)
{
    struct hash256 wanted;
    return hex_read(slice_of(hex), wanted.bytes, 32) && hash256_equal(&hash, &wanted);
}

static bool known_answers_hold(void)
{
    struct hash256   separator, payload, digest;
    struct signature signature, made;
    struct address   signer, owner;
    uint8_t          secret[32];

    if (!hash_is(keccak256("", 0), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")) return false;

    separator = domain_separator(DOMAIN_SPOT, 286623);
    if (!hash_is(separator, "7f4b08bc6b5452f0df86b3a598318de19ca8de243d51b12d09eec6d8086ec7cf")) return false;
    payload = payload_hash(slice_of(known_type), slice_of(known_params));
    if (!hash_is(payload, "79266447c6ec27cf89b94aabb305a3024db881fea07ca20fb8f9a741d27fed24")) return false;
    digest = action_digest(&separator, &payload, 100);
    if (!hash_is(digest, "b57d91076b378652ebe59224ad82e729f3c2efa9790ac30d762bdada62b19cea")) return false;

    if (!hex_read(slice_of(known_secret), secret, sizeof(secret))) return false;
    if (!signature_read(slice_of(known_signature), &signature)) return false;
    if (!recover_signer(&digest, &signature, &signer) || !address_of_secret(secret, &owner)) return false;
    if (!address_equal(&signer, &owner)) return false;
    return sign_digest(&digest, secret, 1, &made) && memcmp(&made, &signature, sizeof(made)) == 0;
}

/* 2^(8 i) G for the lanes of recover.c, from the library. */
static bool lanes_bases(struct lanes_key bases[BASE_DIGITS])
{
    for (int i = 0; i < BASE_DIGITS; i++) {
        uint8_t secret[32] = { 0 }, point[65];

        secret[31 - i] = 1;
        if (!crypto_point(secret, point)) return false;
        memcpy(bases[i].bytes, point + 1, sizeof(bases[i].bytes));
    }
    return true;
}

static bool is_begun, is_ready; /* written before there are threads that read them */

bool crypto_is_ready(void) { return is_ready; }

bool crypto_begin(void)
{
    if (!is_begun) is_begun = crypto_prepare();
    return is_begun;
}

bool crypto_check(void)
{
    struct lanes_key bases[BASE_DIGITS];

    assert(is_begun);
    if (!known_answers_hold() || !lanes_bases(bases)) return false;
    recover_begin(bases);
    is_ready = true;
    return true;
}

bool crypto_init(void) { return crypto_begin() && crypto_check(); }
