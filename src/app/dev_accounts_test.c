/* SPDX-License-Identifier: MIT */
/* The table of keys is the result of BIP-39 and BIP-32 for the words, with nettle and libsecp256k1 as judges. */
#include "crypto/crypto.h"
#include "app/dev_accounts.h"

#include <nettle/hmac.h>
#include <nettle/pbkdf2.h>
#include <secp256k1.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct node {
    uint8_t key[32], chain[32];
};

static struct node node_of(const uint8_t *key, size_t key_len, const uint8_t *data, size_t len)
{
    struct hmac_sha512_ctx hmac;
    uint8_t                both[64];
    struct node            node;

    hmac_sha512_set_key(&hmac, key_len, key);
    hmac_sha512_update(&hmac, len, data);
    hmac_sha512_digest(&hmac, sizeof(both), both);
    memcpy(node.key, both, 32);
    memcpy(node.chain, both + 32, 32);
    return node;
}

static struct node child(const secp256k1_context *context, const struct node *parent, uint32_t index)
{
    uint8_t     data[37] = { 0 };
    struct node node;

    if (index >> 31 != 0) {
        memcpy(data + 1, parent->key, 32);
    } else {
        secp256k1_pubkey key;
        size_t           len = 33;
        assert_int_equal(secp256k1_ec_pubkey_create(context, &key, parent->key), 1);
        assert_int_equal(secp256k1_ec_pubkey_serialize(context, data, &len, &key, SECP256K1_EC_COMPRESSED), 1);
    }
    for (int i = 0; i < 4; i++) data[33 + i] = (uint8_t)(index >> (24 - 8 * i));
    node = node_of(parent->chain, 32, data, sizeof(data));
    assert_int_equal(secp256k1_ec_seckey_tweak_add(context, node.key, parent->key), 1);
    return node;
}

static void the_keys_are_those_of_the_mnemonic(void **state)
{
    static const uint32_t path[] = { 44u | 1u << 31, 60u | 1u << 31, 1u << 31, 0 };
    secp256k1_context    *context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
    uint8_t               seed[64];
    struct node           node;

    (void)state;
    pbkdf2_hmac_sha512(strlen(DEV_MNEMONIC), (const uint8_t *)DEV_MNEMONIC, 2048, 8, (const uint8_t *)"mnemonic", 64,
                       seed);
    node = node_of((const uint8_t *)"Bitcoin seed", 12, seed, sizeof(seed));
    for (size_t i = 0; i < ARRAY_COUNT(path); i++) node = child(context, &node, path[i]);
    for (uint32_t i = 0; i < DEV_ACCOUNTS; i++) {
        struct node account = child(context, &node, i);
        assert_memory_equal(account.key, dev_secrets[i], 32);
    }
    secp256k1_context_destroy(context);
}

static void the_addresses_are_those_of_the_keys(void **state)
{
    static const uint8_t known[20] = { 0xf3, 0x9f, 0xd6, 0xe5, 0x1a, 0xad, 0x88, 0xf6, 0xf4, 0xce,
                                       0x6a, 0xb8, 0x82, 0x72, 0x79, 0xcf, 0xff, 0xb9, 0x22, 0x66 };
    struct address       address;

    (void)state;
    assert_true(crypto_init());
    for (uint32_t i = 0; i < DEV_ACCOUNTS; i++) {
        assert_true(address_of_secret(dev_secrets[i], &address));
        assert_memory_equal(address.bytes, dev_addresses[i].bytes, sizeof(address.bytes));
    }
    assert_memory_equal(dev_addresses[0].bytes, known, sizeof(known)); /* the one that everybody knows */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keys_are_those_of_the_mnemonic),
        cmocka_unit_test(the_addresses_are_those_of_the_keys),
    };
    return cmocka_run_group_tests_name("app/dev_accounts", tests, NULL, NULL);
}
