/* SPDX-License-Identifier: MIT */
/*
 * keys_test.c — wallet-level writes and writes by key, with real signatures: every spelling, every endpoint, every
 * refusal.
 */
#include "rigs/api/recoveries.h"
#include "rigs/api/signed_rig.h"
#include "crypto/typed.h"

#define SPOT_KEYS  "/api/v1/spot/accounts/api-keys"
#define PERPS_KEYS "/api/v1/perps/accounts/api-keys"
#define PLACE      "/api/v1/spot/trade/orders/batch"
#define ADD(more)                                                                                                      \
    "{\"accountID\":1001,\"name\":\"api-key-01\",\"type\":1,\"publicKey\":"                                            \
    "\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":0" more "}"
#define REVOKE "{\"accountID\":1001,\"name\":\"api-key-01\"}"
#define ORDER                                                                                                          \
    "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"     \
    "\"price\":\"95000\",\"quantity\":\"0.01\"}]}"

static const char *sign_action(const uint8_t secret[32], uint8_t domain, uint64_t chain_id, const char *type,
                               const char *params)
{
    return sign_as(0, secret, domain, chain_id, type, params, NOW);
}

/* Signs a body's grant in the spelling numbered as in crypto/typed.c. */
static const char *sign_grant(const uint8_t secret[32], int spelling, uint64_t domain_chain, uint64_t chain_id,
                              const char *body)
{
    struct hash256         separator = domain_separator(DOMAIN_UNIVERSAL, domain_chain), digest;
    struct add_key_request request;
    struct shape_error     error;
    struct key_grant       grant;

    assert_int_equal(shape_read(&add_key_shape, slice_of(body), &request, &error), REJECT_NONE);
    grant = key_grant_of(&request, NOW);
    grant.chain_id = chain_id;
    digest = key_spellings[spelling].digest(&separator, &grant);
    return sign_digest_as(0, secret, &digest, 2);
}

/* "/api/v1/user/{address of owner i}/api-keys" */
static const char *user_keys(int i)
{
    static char text[80];

    snprintf(text, sizeof(text), "/api/v1/user/%s/api-keys", rig_owner_hex(i));
    return text;
}

static void rig_key(uint64_t account, uint64_t user, uint32_t key_id, const char *name,
                    const struct address *public_key)
{
    struct key_changed *event = EVENT_ADD(&rig_events, KEY, key_changed, 0);

    event->account_id = account;
    event->user_id = user;
    event->key_id = key_id;
    event->key_type = 1;
    event->name = client_id_make(slice_of(name));
    event->public_key = *public_key;
    rig_apply();
}

/* ---- registering ---- */

/* V13 to V16 of the wire reference: signatures made by another program for account 1001 of another owner. */
static void the_published_registrations_are_accepted_on_every_endpoint(void **state)
{
    /* clang-format off */
    static const struct { const char *nonce, *body, *sign; uint64_t permissions; int code; } rows[] = {
        { "1760000000014", ADD(""), "0x02ec38dd98a01c86deb1cc93c340f83d93de3d46835a1ae4208ef657a6e2bc536e28abf1e6be473"
          "540e50cf47d959f7a65d91efcc1f5db24b2523edc1badb2e8e700", 0, 0 },
        { "1760000000015", ADD(""), "0x02dffb2199a93e946d66e49e762a62bd519d7ec388e7c84948b9f3629372ae05920854617e2d1c9"
          "9f9969c323b3729bfeb8ff6da1ad31f8f72eaa5b82d45199b6b01", 0, 0 },
        { "1760000000016", ADD(",\"permissions\":12"),
          "0x02ba8cd078ae15fa389ef41bd607a9d98a9717821727cc5be328c624313bdcb7a65b898621abfc9b71f7d350314bd0fbfb7d5eedb"
          "394f766f12478cad2eff1969c00", 12, 0 },
        { "1760000000017", ADD(",\"builder\":{\"id\":202,\"fee\":10}"),
          "0x02354c26a59e6d01bec67c1707b46e67a5d8d31b827b7bae52a65b26d7a5e9a2250912d96a8d38a89c3d7590608f1a2242559d028"
          "4b062c12edcd15d8b13680c3101", 0, 40005 },
    };
    /* clang-format on */
    static const char *const paths[] = { SPOT_KEYS, PERPS_KEYS,
                                         "/api/v1/user/0x14791697260E4c9A71f18484C9f997B308e59325/api-keys" };
    static const uint8_t     markets[] = { MARKET_SPOT, MARKET_PERPS, 0 };

    (void)state;
    rig_publish_owner();
    for (size_t i = 0; i < ARRAY_COUNT(rows) * ARRAY_COUNT(paths); i++) {
        size_t              row = i / ARRAY_COUNT(paths);
        struct http_request request =
            write_of(HTTP_POST, paths[i % ARRAY_COUNT(paths)], rows[row].body, rows[row].sign);
        char text[512];
        rig_put_header(&request, HEADER_API_NONCE, rows[row].nonce);
        if (rows[row].code != 0) {
            expect_refused(&request, rows[row].code);
            rig_expect("\"field\":\"builder\"");
            continue;
        }
        expect_command(&request);
        assert_int_equal(rig_write.room.head.kind, CMD_ADD_KEY);
        assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + sizeof(struct add_key));
        assert_int_equal(rig_write.room.head.domain, DOMAIN_UNIVERSAL);
        assert_int_equal(rig_write.room.head.market, markets[i % ARRAY_COUNT(paths)]);
        assert_int_equal(rig_write.room.head.chain_id, 286623);
        assert_int_equal(rig_write.room.head.key_id, 0);
        assert_true(address_equal(&rig_write.room.head.signer, &published_owner));
        assert_int_equal(rig_write.room.add_key.account_id, 1001);
        assert_int_equal(rig_write.room.add_key.permissions, rows[row].permissions);
        assert_int_equal(rig_write.room.add_key.public_key.bytes[0], 0x3d);
        assert_true(slice_is(client_id_slice(&rig_write.room.add_key.name), "api-key-01"));
        snprintf(text, sizeof(text), "{\"type\":\"addAPIKey\",\"params\":%s}", rows[row].body);
        assert_true(slice_is(rig_write.signed_bytes, text));
        assert_int_equal(rig_write.signature.type, 2);
        assert_int_not_equal(rig_write.class, CLASS_CANCEL);
    }
}

/* A signature is refused if it covers less than the body, or something else; a mask that is left out counts as 0. */
static void a_signature_must_say_all_that_is_granted(void **state)
{
    /* clang-format off */
    static const struct { const char *body; bool fits[KEY_SPELLINGS]; } rows[] = {
        { ADD(""),                                                            { true,  true,  false, false } },
        { ADD(",\"permissions\":0"),                                          { true,  true,  true,  false } },
        { ADD(",\"permissions\":3"),                                          { false, false, true,  false } },
        { ADD(",\"builder\":{\"id\":9,\"fee\":0}"),                           { false, false, false, true  } },
        { ADD(",\"builder\":{\"id\":9,\"fee\":5},\"permissions\":3"),         { false, false, false, true  } },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        for (int spelling = 0; spelling < KEY_SPELLINGS; spelling++) {
            struct http_request request = write_of(HTTP_POST, SPOT_KEYS, rows[i].body,
                                                   sign_grant(rig_secret[0], spelling, 286623, 286623, rows[i].body));
            bool                builder = strstr(rows[i].body, "builder") != NULL;
            if (!rows[i].fits[spelling]) expect_refused(&request, 40101);
            else if (builder) expect_refused(&request, 40005);
            else expect_command(&request);
        }
}

static void every_member_of_a_grant_is_covered(void **state)
{
    /* clang-format off */
    static const char *const changed[] = {
        "{\"accountID\":0,\"name\":\"api-key-01\",\"type\":1,"
            "\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":0,\"permissions\":8}",
        "{\"accountID\":1001,\"name\":\"api-key-02\",\"type\":1,"
            "\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":0,\"permissions\":8}",
        "{\"accountID\":1001,\"name\":\"api-key-01\",\"type\":1,"
            "\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8257\",\"expiresAt\":0,\"permissions\":8}",
        "{\"accountID\":1001,\"name\":\"api-key-01\",\"type\":1,"
            "\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":1,\"permissions\":8}",
        "{\"accountID\":1001,\"name\":\"api-key-01\",\"type\":1,"
            "\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":0,\"permissions\":4}",
        ADD(""),
    };
    /* clang-format on */
    char                sign[135];
    struct http_request request;

    (void)state;
    snprintf(sign, sizeof(sign), "%s", sign_grant(rig_secret[0], 2, 286623, 286623, ADD(",\"permissions\":8")));
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(",\"permissions\":8"), sign);
    expect_command(&request);
    rig_put_header(&request, HEADER_API_NONCE, "1760000000001");
    expect_refused(&request, 40101);
    for (size_t i = 0; i < ARRAY_COUNT(changed); i++) {
        request = write_of(HTTP_POST, SPOT_KEYS, changed[i], sign);
        expect_refused(&request, 40101);
    }
}

/* The order of keys and white space are not part of typed data. */
static void the_form_of_a_grants_body_does_not_matter(void **state)
{
    static const char *const shuffled =
        "{ \"expiresAt\":0,\"publicKey\" : "
        "\"0x3D4595C8742d0a58173a9963c05755b59a8f8256\",\"type\":1,\"name\":\"api-key-01\",\"accountID\":1001}";
    struct http_request request =
        write_of(HTTP_POST, SPOT_KEYS, shuffled, sign_grant(rig_secret[0], 1, 286623, 286623, ADD("")));

    (void)state;
    expect_command(&request);
    assert_true(slice_is(
        rig_write.signed_bytes,
        "{\"type\":\"addAPIKey\",\"params\":{\"expiresAt\":0,\"publicKey\":"
        "\"0x3D4595C8742d0a58173a9963c05755b59a8f8256\",\"type\":1,\"name\":\"api-key-01\",\"accountID\":1001}}"));
}

static void the_domain_may_be_of_the_chain_the_wallet_is_on(void **state)
{
    static const uint64_t own[] = { 286623, 138565 };
    struct http_request   request;

    (void)state;
    for (int spelling = 0; spelling < 2; spelling++)
        for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
            /* connected to chain 1; the message names one of ours where it names any */
            request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], spelling, 1, own[i], ADD("")));
            rig_put_header(&request, HEADER_API_CHAIN, "1");
            expect_command(&request);
            assert_int_equal(rig_write.room.head.chain_id, 1);
            rig_put_header(&request, HEADER_API_CHAIN, NULL);
            expect_refused(&request, 40101);
            rig_put_header(&request, HEADER_API_CHAIN, "286623");
            expect_refused(&request, 40101);
            /* on one of ours */
            request =
                write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], spelling, own[i], own[i], ADD("")));
            expect_command(&request);
            assert_int_equal(rig_write.room.head.chain_id, own[i]);
        }
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""),
                       sign_grant(rig_secret[0], 1, 1, 1, ADD(""))); /* names another exchange */
    rig_put_header(&request, HEADER_API_CHAIN, "1");
    expect_refused(&request, 40101);
    request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE,
                       sign_action(rig_secret[0], DOMAIN_UNIVERSAL, 1, "revokeAPIKey", REVOKE));
    rig_put_header(&request, HEADER_API_CHAIN, "1");
    expect_command(&request);
    assert_int_equal(rig_write.room.head.chain_id, 1);
}

/* In production a signature that names no exchange must be for our own chain id (ruling 8). */
static void production_takes_a_foreign_domain_only_with_its_own_id_in_the_message(void **state)
{
    struct http_request request;

    (void)state;
    rig_shared.settings.development = false;
    rig_genesis.chain_ids[0] = 777;
    rig_genesis.chain_ids[1] = 0;
    rig_api = api_init(rig_api, &rig_shared);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], 1, 286623, 777, ADD("")));
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_command(&request);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], 0, 286623, 777, ADD("")));
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_refused(&request, 40101);
    request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE,
                       sign_action(rig_secret[0], DOMAIN_UNIVERSAL, 286623, "revokeAPIKey", REVOKE));
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_refused(&request, 40101);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], 0, 777, 777, ADD("")));
    expect_command(&request);
}

static void the_owner_in_the_path_must_be_the_accounts(void **state)
{
    const char *
        body = ADD(""),
       *nameless =
           "{\"name\":\"bot\",\"type\":1,\"publicKey\":\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\",\"expiresAt\":0}";
    struct http_request request =
        write_of(HTTP_POST, user_keys(0), body, sign_grant(rig_secret[0], 0, 286623, 286623, body));

    (void)state;
    expect_command(&request);
    request = write_of(HTTP_POST, user_keys(1), body, sign_grant(rig_secret[0], 0, 286623, 286623, body));
    expect_refused(&request, 40403);
    rig_expect("\"field\":\"accountID\",\"got\":\"1001\"");
    request = write_of(HTTP_POST, user_keys(1), body, sign_grant(rig_secret[1], 0, 286623, 286623, body));
    expect_refused(&request, 40403);
    request =
        write_of(HTTP_POST, "/api/v1/user/0x12/api-keys", body, sign_grant(rig_secret[0], 0, 286623, 286623, body));
    expect_refused(&request, 40001);
    rig_expect("\"field\":\"userAddress\"");
    /* without an account the path names one */
    request = write_of(HTTP_POST, user_keys(0), nameless, sign_grant(rig_secret[0], 0, 286623, 286623, nameless));
    expect_command(&request);
    assert_int_equal(rig_write.room.add_key.account_id, 0);
    request = write_of(HTTP_POST, user_keys(1), nameless, sign_grant(rig_secret[0], 0, 286623, 286623, nameless));
    expect_refused(&request, 40101);
    request = write_of(HTTP_POST, user_keys(2), nameless, sign_grant(rig_secret[2], 0, 286623, 286623, nameless));
    expect_refused(&request, 40403);
}

static void a_refused_registration_says_what_was_looked_at(void **state)
{
    struct http_request request =
        write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[1], 0, 286623, 286623, ADD("")));
    char sign[135];

    (void)state;
    expect_refused(&request, 40101);
    rig_expect("\"cause\":\"the recovered address is known here, but accountID belongs to another address\"");
    rig_expect("\"hashed\":\"AddAPIKey{\\\"accountID\\\":1001,\\\"name\\\":\\\"api-key-01\\\",\\\"keyType\\\":1,"
               "\\\"publicKey\\\":"
               "\\\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\\\",\\\"expiresAt\\\":0,\\\"nonce\\\":1760000000000}\"");
    rig_expect(rig_owner_hex(1));
    snprintf(sign, sizeof(sign), "%s", sign_grant(rig_secret[0], 0, 286623, 286623, ADD("")));
    memcpy(sign + 2, "01", 2);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign);
    expect_refused(&request, 40101);
    rig_expect("type byte 02: typed data of its own, signed in the domain universal by the main wallet");
    memmove(sign + 2, sign + 4, 131);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign);
    expect_refused(&request, 40101);
    rig_expect("the type byte 02 before r, s and v is missing");
}

static void bad_bodies_of_keys_name_the_field(void **state)
{
#define BODY(account, name, type, key, expires, more)                                                                  \
    "{\"accountID\":" account ",\"name\":" name ",\"type\":" type ",\"publicKey\":" key ",\"expiresAt\":" expires more \
    "}"
#define GOOD_KEY "\"0x3d4595c8742d0a58173a9963c05755b59a8f8256\""
    /* clang-format off */
    static const struct { const char *body, *field; int code; } rows[] = {
        { BODY("1001", "\"default\"", "1", GOOD_KEY, "0", ""), "name", 40001 },
        { BODY("1001", "\"\"", "1", GOOD_KEY, "0", ""), "name", 40001 },
        { BODY("1001", "\"a b\"", "1", GOOD_KEY, "0", ""), "name", 40001 },
        { BODY("1001", "\"0123456789012345678901234567890123456\"", "1", GOOD_KEY, "0", ""), "name", 40001 },
        { BODY("1001", "7", "1", GOOD_KEY, "0", ""), "name", 40001 },
        { BODY("1001", "\"bot\"", "0", GOOD_KEY, "0", ""), "type", 40001 },
        { BODY("1001", "\"bot\"", "2", GOOD_KEY, "0", ""), "type", 40001 },
        { BODY("1001", "\"bot\"", "\"EVM\"", GOOD_KEY, "0", ""), "type", 40001 },
        { BODY("1001", "\"bot\"", "1", "\"3d4595c8742d0a58173a9963c05755b59a8f8256\"", "0", ""), "publicKey", 40001 },
        { BODY("1001", "\"bot\"", "1", "\"0x3d45\"", "0", ""), "publicKey", 40001 },
        { BODY("1001", "\"bot\"", "1", "\"0x0000000000000000000000000000000000000000\"", "0", ""), "publicKey", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "-1", ""), "expiresAt", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "\"0\"", ""), "expiresAt", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "9223372036854775808", ""), "expiresAt", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"permissions\":16"), "permissions", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"permissions\":\"1\""), "permissions", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"builder\":{}"), "builder.id", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"builder\":{\"id\":0,\"fee\":1}"), "builder.id", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"builder\":{\"id\":1,\"fee\":\"0.1\"}"), "builder.fee",
          40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"builder\":null"), "builder", 40001 },
        { BODY("1001", "\"bot\"", "1", GOOD_KEY, "0", ",\"note\":1"), "note", 40001 },
        { BODY("\"1001\"", "\"bot\"", "1", GOOD_KEY, "0", ""), "accountID", 40001 },
        { "{\"accountID\":1001,\"type\":1,\"publicKey\":" GOOD_KEY ",\"expiresAt\":0}", "name", 40001 },
        { "{\"accountID\":1001,\"name\":\"bot\",\"type\":1,\"publicKey\":" GOOD_KEY "}", "expiresAt", 40001 },
        { "{\"accountID\":1001,\"name\":\"bot\",\"type\":1,\"expiresAt\":0}", "publicKey", 40001 },
        { "{\"accountID\":1001,\"name\":\"bot\",\"publicKey\":" GOOD_KEY ",\"expiresAt\":0}", "type", 40001 },
        { BODY("4242", "\"bot\"", "1", GOOD_KEY, "0", ""), "accountID", 40403 },
    };
    /* clang-format on */
    char sign[135];

    (void)state;
    snprintf(sign, sizeof(sign), "%s", sign_grant(rig_secret[0], 0, 286623, 286623, ADD("")));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = write_of(HTTP_POST, SPOT_KEYS, rows[i].body, sign);
        char                part[64];
        recoveries = 0;
        expect_refused(&request, rows[i].code);
        snprintf(part, sizeof(part), "\"field\":\"%s\"", rows[i].field);
        rig_expect(part);
        assert_int_equal(recoveries, 0);
    }
}

/* ---- revoking ---- */

static void a_revocation_is_good_in_either_domain_on_every_endpoint(void **state)
{
    const char *const paths[] = { SPOT_KEYS, PERPS_KEYS, user_keys(0) };
    /* by path: universal, spot, futures */
    static const bool good[3][4] = { { false, true, false, true },
                                     { false, false, true, true },
                                     { false, true, true, true } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
        for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_UNIVERSAL; domain++)
            for (uint64_t chain = 0; chain < 2; chain++) {
                struct http_request request =
                    write_of(HTTP_DELETE, paths[i], REVOKE,
                             sign_action(rig_secret[0], domain, rig_genesis.chain_ids[chain], "revokeAPIKey", REVOKE));
                if (!good[i][domain]) {
                    expect_refused(&request, 40101);
                    continue;
                }
                expect_command(&request);
                assert_int_equal(rig_write.room.head.kind, CMD_REVOKE_KEY);
                assert_int_equal(rig_write.room.head.domain, domain);
                assert_int_equal(rig_write.room.head.chain_id, rig_genesis.chain_ids[chain]);
                assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + sizeof(struct revoke_key));
                assert_true(slice_is(client_id_slice(&rig_write.room.revoke_key.name), "api-key-01"));
                assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"revokeAPIKey\",\"params\":" REVOKE "}"));
                assert_int_equal(rig_write.class, CLASS_CANCEL);
            }
}

/* V11 and V11b. */
static void the_published_revocations_are_accepted(void **state)
{
    static const char *const signs[] = {
        "0x02566e6a1d58bf9cff5cbaed3708476cc9afce5a8747cf2801246ca5426518fc383fd37b44a5fb45b75e713300c1063b6edc385871a4"
        "750b48f0d278cfad28162301",
        "0x0161524b237ff2656f5b7db032f5f928f4397af8655af4f3fb6326b400050418ba35bbf1ea646f216e263d10238f44865531b7f43d70"
        "333a143664a8c135b0254901",
    };

    (void)state;
    rig_publish_owner();
    for (size_t i = 0; i < ARRAY_COUNT(signs); i++) {
        struct http_request request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE, signs[i]);
        rig_put_header(&request, HEADER_API_NONCE, "1760000000012");
        expect_command(&request);
        assert_true(address_equal(&rig_write.room.head.signer, &published_owner));
    }
}

static void a_signature_of_one_domain_is_none_under_the_other_byte(void **state)
{
    char                sign[135];
    struct http_request request;

    (void)state;
    snprintf(sign, sizeof(sign), "%s", sign_action(rig_secret[0], DOMAIN_UNIVERSAL, 286623, "revokeAPIKey", REVOKE));
    memcpy(sign + 2, "01", 2);
    request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE, sign);
    expect_refused(&request, 40101);
    snprintf(sign, sizeof(sign), "%s", sign_action(rig_secret[0], DOMAIN_SPOT, 286623, "revokeAPIKey", REVOKE));
    memcpy(sign + 2, "02", 2);
    request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE, sign);
    expect_refused(&request, 40101);
    request = write_of(HTTP_DELETE, SPOT_KEYS, "{\"accountID\":1001,\"name\":\"default\"}", sign);
    expect_refused(&request, 40001);
    rig_expect("\"field\":\"name\"");
}

static void only_the_main_wallet_manages_keys(void **state)
{
    struct http_request request;

    (void)state;
    rig_key(1001, 11, 5, "bot", &rig_owner[2]);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[2], 0, 286623, 286623, ADD("")));
    expect_refused(&request, 40101);
    rig_expect("API key bot signed, but only the main wallet may");
    rig_put_header(&request, HEADER_API_KEY, "bot");
    expect_refused(&request, 40105);
    rig_expect("the main wallet signs this; leave the header out");
    request = write_of(HTTP_DELETE, SPOT_KEYS, REVOKE,
                       sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "revokeAPIKey", REVOKE));
    rig_put_header(&request, HEADER_API_KEY, "bot");
    expect_refused(&request, 40105);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], 0, 286623, 286623, ADD("")));
    rig_put_header(&request, HEADER_API_KEY, "default"); /* the main wallet's name */
    expect_command(&request);
}

/* ---- trading by key ---- */

static void a_key_signs_for_every_account_of_its_owner(void **state)
{
    static const char *const other =
        "{\"accountID\":1003,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    static const char *const foreign =
        "{\"accountID\":1002,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    struct account_opened *event = EVENT_ADD(&rig_events, ACCOUNT, account_opened, 0);
    struct http_request    request;

    (void)state;
    event->account_id = 1003;
    event->user_id = 11;
    event->owner = rig_owner[0];
    rig_apply();
    rig_key(1001, 11, 5, "bot", &rig_owner[2]);
    request =
        write_of(HTTP_POST, PLACE, ORDER, sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", ORDER));
    rig_put_header(&request, HEADER_API_KEY, "bot");
    expect_command(&request);
    assert_int_equal(rig_write.room.head.key_id, 5);
    assert_true(address_equal(&rig_write.room.head.signer, &rig_owner[2]));
    assert_false(rig_write.warn_foreign); /* the owner is one of the genesis */
    request =
        write_of(HTTP_POST, PLACE, other, sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", other));
    rig_put_header(&request, HEADER_API_KEY, "bot");
    expect_command(&request);
    request =
        write_of(HTTP_POST, PLACE, foreign, sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", foreign));
    rig_put_header(&request, HEADER_API_KEY, "bot");
    expect_refused(&request, 40103); /* that owner has no such key */
}

/* Ruling 7, and the switch of wire 7.1 row 1. */
static void an_absent_key_header_is_refused_where_that_is_asked_for(void **state)
{
    struct http_request request =
        write_of(HTTP_POST, PLACE, ORDER, sign_action(rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", ORDER));

    (void)state;
    expect_command(&request);
    rig_shared.settings.strict_key_header = true;
    expect_refused(&request, 40103);
    rig_expect("\"field\":\"X-API-Key\",\"got\":\"nothing\"");
    rig_put_header(&request, HEADER_API_KEY, "default");
    expect_command(&request);
    rig_put_header(&request, HEADER_API_KEY, "");
    expect_command(&request);
    request = write_of(HTTP_POST, SPOT_KEYS, ADD(""), sign_grant(rig_secret[0], 0, 286623, 286623, ADD("")));
    expect_command(&request); /* wallet-level: clients send none (wire 2.6) */
}

static void a_name_and_its_signer_must_agree(void **state)
{
    static const char *const nameless =
        "{\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    struct http_request request;

    (void)state;
    rig_key(1001, 11, 5, "bot", &rig_owner[2]);
    rig_key(1001, 11, 6, "desk", &rig_owner[1]);
    request =
        write_of(HTTP_POST, PLACE, ORDER, sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", ORDER));
    expect_refused(&request, 40101); /* the key without its name */
    rig_expect("API key bot signed: send its name in X-API-Key");
    rig_put_header(&request, HEADER_API_KEY, "desk"); /* another key's name */
    expect_refused(&request, 40101);
    rig_put_header(&request, HEADER_API_KEY, "Bot");
    expect_refused(&request, 40103);
    rig_put_header(&request, HEADER_API_KEY, rig_owner_hex(2));
    expect_refused(&request, 40103);
    rig_expect("the key's name, not its address");
    request =
        write_of(HTTP_POST, PLACE, ORDER, sign_action(rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", ORDER));
    rig_put_header(&request, HEADER_API_KEY, "bot"); /* the main wallet under the key's name */
    expect_refused(&request, 40101);
    rig_expect("the main wallet signed: leave X-API-Key out");
    request = write_of(HTTP_POST, PLACE, nameless,
                       sign_action(rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", nameless));
    rig_put_header(&request, HEADER_API_KEY, "bot"); /* the key's owner is missing */
    expect_refused(&request, 40103);
    rig_expect("the account in the body");
}

/* ---- what a failure costs ---- */

static int recoveries_of(struct http_request request, const char *key, const char *chain)
{
    recoveries = 0;
    rig_put_header(&request, HEADER_API_KEY, key);
    rig_put_header(&request, HEADER_API_CHAIN, chain);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    return recoveries;
}

static void a_failure_costs_a_bounded_number_of_recoveries(void **state)
{
    static const char *const shuffled = "{\"name\":\"api-key-01\",\"accountID\":1001}";
    char                     grant[135], byte1[135], byte2[135];

    (void)state;
    rig_waits = false;
    rig_key(1001, 11, 5, "bot", &rig_owner[2]);
    snprintf(grant, sizeof(grant), "%s", sign_grant(rig_secret[2], 0, 5, 5, ADD("")));
    snprintf(byte1, sizeof(byte1), "%s", sign_action(rig_secret[2], DOMAIN_SPOT, 5, "revokeAPIKey", REVOKE));
    snprintf(byte2, sizeof(byte2), "%s", sign_action(rig_secret[2], DOMAIN_UNIVERSAL, 5, "revokeAPIKey", REVOKE));
    /* two spellings, two chain ids */
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(""), grant), NULL, NULL), 4);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(""), grant), NULL, "138565"), 2);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(""), grant), NULL, "1"), 3);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(",\"permissions\":0"), grant), NULL, NULL), 6);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(",\"permissions\":1"), grant), NULL, NULL), 2);
    assert_int_equal(
        recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(",\"builder\":{\"id\":1,\"fee\":1}"), grant), NULL, NULL), 2);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, SPOT_KEYS, ADD(""), grant), "bot", NULL), 0);
    /* a revocation: as received and canonical; on the gateway in two domains */
    assert_int_equal(recoveries_of(write_of(HTTP_DELETE, SPOT_KEYS, REVOKE, byte1), NULL, NULL), 2);
    assert_int_equal(recoveries_of(write_of(HTTP_DELETE, SPOT_KEYS, shuffled, byte1), NULL, NULL), 4);
    assert_int_equal(recoveries_of(write_of(HTTP_DELETE, SPOT_KEYS, shuffled, byte2), NULL, "1"), 2);
    assert_int_equal(recoveries_of(write_of(HTTP_DELETE, user_keys(0), shuffled, byte1), NULL, NULL), 8);
    assert_int_equal(recoveries_of(write_of(HTTP_DELETE, user_keys(0), shuffled, byte1), NULL, "1"), 0);
    /* by key: the same as by the main wallet */
    assert_int_equal(recoveries_of(write_of(HTTP_POST, PLACE, ORDER, byte1), "bot", NULL), 2);
    assert_int_equal(recoveries_of(write_of(HTTP_POST, PLACE, ORDER, byte1), "nobody", NULL), 0);
    rig_waits = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_published_registrations_are_accepted_on_every_endpoint),
        TEST(a_signature_must_say_all_that_is_granted),
        TEST(every_member_of_a_grant_is_covered),
        TEST(the_form_of_a_grants_body_does_not_matter),
        TEST(the_domain_may_be_of_the_chain_the_wallet_is_on),
        TEST(production_takes_a_foreign_domain_only_with_its_own_id_in_the_message),
        TEST(the_owner_in_the_path_must_be_the_accounts),
        TEST(a_refused_registration_says_what_was_looked_at),
        TEST(bad_bodies_of_keys_name_the_field),
        TEST(a_revocation_is_good_in_either_domain_on_every_endpoint),
        TEST(the_published_revocations_are_accepted),
        TEST(a_signature_of_one_domain_is_none_under_the_other_byte),
        TEST(only_the_main_wallet_manages_keys),
        TEST(a_key_signs_for_every_account_of_its_owner),
        TEST(an_absent_key_header_is_refused_where_that_is_asked_for),
        TEST(a_name_and_its_signer_must_agree),
        TEST(a_failure_costs_a_bounded_number_of_recoveries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
