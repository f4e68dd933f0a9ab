/* SPDX-License-Identifier: MIT */
/* write_test.c — signed writes with real signatures: what passes, what fails, and in which order. */
#include "api/test_rig.h"

#include <dlfcn.h>
#include <secp256k1_recovery.h>

#define PLACE  "/api/v1/spot/trade/orders/batch"
#define NONCE  NOW_TEXT
#define ONE_ORDER "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1," \
                  "\"price\":\"95000\",\"quantity\":\"0.01\"}]}"
#define ONE_CANCEL "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"c-1\",\"orderID\":7}]}"

/* Stands in front of the library's function and counts its calls. */
static int recoveries;

int secp256k1_ecdsa_recover(const secp256k1_context *context, secp256k1_pubkey *key,
                            const secp256k1_ecdsa_recoverable_signature *signature, const unsigned char *digest)
{
    int (*real)(const secp256k1_context *, secp256k1_pubkey *, const secp256k1_ecdsa_recoverable_signature *, const unsigned char *);
    void *symbol = dlsym(RTLD_NEXT, "secp256k1_ecdsa_recover");

    memcpy(&real, &symbol, sizeof(real));
    recoveries++;
    return real(context, key, signature, digest);
}

static char sign_text[4][135];

/* The X-API-Sign of a payload; slot keeps several at a time. */
static const char *sign_as(int slot, const uint8_t secret[32], uint8_t domain, uint64_t chain_id, const char *type,
                           const char *params, uint64_t nonce)
{
    struct hash256 separator = domain_separator(domain, chain_id), payload = payload_hash(slice_of(type), slice_of(params));
    struct hash256 digest = action_digest(&separator, &payload, nonce);
    struct signature signature;

    assert_true(sign_digest(&digest, secret, 1, &signature));
    signature_write(&signature, sign_text[slot]);
    sign_text[slot][134] = '\0';
    return sign_text[slot];
}

static const char *sign_place(const char *params)
{
    return sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", params, NOW);
}

static struct http_request place(const char *body, const char *sign)
{
    struct http_request request = rig_request(HTTP_POST, PLACE);

    request.body = slice_of(body);
    rig_put_header(&request, HEADER_API_NONCE, NONCE);
    rig_put_header(&request, HEADER_API_SIGN, sign);
    return request;
}

static void expect_refused(const struct http_request *request, int code)
{
    assert_int_equal(rig_handle(request), API_ANSWER);
    if (rig_code() != code) fail_msg("%d wanted: %s", code, rig_body);
    rig_expect("\"nonce\":\"not used\"");
}

/* ---- what passes ---- */

static void a_signed_batch_becomes_a_command_with_its_proof(void **state)
{
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));
    const char *signed_bytes = "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}";
    struct hash256 payload = keccak256(signed_bytes, strlen(signed_bytes));

    (void)state;
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json; charset=utf-8");
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_string_equal(api_endpoint_name(rig_write.endpoint), "POST /trade/orders/batch");
    assert_true(slice_is(rig_write.signed_bytes, signed_bytes));
    assert_int_equal(rig_write.room.head.kind, CMD_PLACE_ORDERS);
    assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + PAYLOAD_BYTES(place_orders, 1));
    assert_int_equal(rig_write.room.head.bytes % 8, 0);
    assert_int_equal(rig_write.room.head.market, MARKET_SPOT);
    assert_int_equal(rig_write.room.head.domain, DOMAIN_SPOT);
    assert_int_equal(rig_write.room.head.nonce, NOW);
    assert_int_equal(rig_write.room.head.chain_id, 286623);
    assert_memory_equal(&rig_write.room.head.payload_tag, payload.bytes, 8);
    assert_true(address_equal(&rig_write.room.head.signer, &rig_owner[0]));
    assert_int_equal(rig_write.room.place_orders.account_id, 1001);
    assert_int_equal(rig_write.room.place_orders.count, 1);
    assert_int_equal(rig_write.room.place_orders.items[0].price.digits, 95000);
    assert_int_equal(rig_write.room.place_orders.items[0].quantity.scale, 2);
    assert_int_not_equal(rig_write.class, CLASS_CANCEL);
    assert_false(rig_write.warn_foreign);
}

/* Vector V1 of the wire reference: a signature made by another program. */
static void the_published_signature_of_a_spot_batch_is_accepted(void **state)
{
    static const char *const body =
        "{\"accountID\":1003,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"spot-limit-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"},{\"symbolID\":1,\"clOrdID\":\"spot-mkt-1\",\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"250.5\"}]}";
    struct http_request request = place("", "0x01c34fa7bf19083da6c477e3327da115814aa5973cbdd175f8917df22aa4cd08d6785c53b4fad878d9f0a1fea2a190e7042523c0f2f3a543cede9a45260936aefd00");
    struct address owner = { { 0x14, 0x79, 0x16, 0x97, 0x26, 0x0E, 0x4c, 0x9A, 0x71, 0xf1, 0x84, 0x84, 0xC9, 0xf9, 0x97, 0xB3, 0x08, 0xe5, 0x93, 0x25 } };
    char text[512];

    (void)state;
    snprintf(text, sizeof(text), "%s", body);
    memcpy(strstr(text, "1003"), "1001", 4);            /* the vector signs for 1001 */
    views_deinit(rig_shared.views);
    memset(rig_shared.views, 0, views_size(&rig_genesis));
    views_init(rig_shared.views, &rig_genesis);
    rig_account(1001, 11, &owner);
    request.body = slice_of(text);
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.place_orders.count, 2);
    assert_true(rig_write.warn_foreign);                /* not an account of this genesis, on a public chain id */
}

static void white_space_never_matters(void **state)
{
    struct http_request request = place(" { \"accountID\" : 1001 ,\r\n\t\"orders\":[ {\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                        "\"price\":\"95000\",\"quantity\":\"0.01\"} ] } ", sign_place(ONE_ORDER));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}"));
}

static void the_body_as_received_and_its_canonical_form_are_both_good(void **state)
{
    static const char *const shuffled = "{\"orders\":[{\"clOrdID\":\"a-1\",\"symbolID\":1,\"side\":1,\"type\":1,\"timeInForce\":1,"
                                        "\"quantity\":\"0.0100\",\"price\":\"95000.0\"}],\"accountID\":1001}";
    struct http_request request = place(shuffled, sign_place(shuffled));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.signed_bytes.len, strlen(shuffled) + strlen("{\"type\":\"batchNewOrder\",\"params\":}"));
    request = place(shuffled, sign_place(ONE_ORDER));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}"));
}

static void every_spelling_of_signature_and_main_wallet_is_taken(void **state)
{
    char text[135];
    struct http_request request;

    (void)state;
    snprintf(text, sizeof(text), "%s", sign_place(ONE_ORDER));
    request = place(ONE_ORDER, text + 2);                       /* without 0x */
    assert_int_equal(rig_handle(&request), API_COMMAND);
    for (char *at = text + 2; *at != '\0'; at++) if (*at >= 'a' && *at <= 'f') *at = (char)(*at - 32);
    request = place(ONE_ORDER, text);                           /* upper case */
    rig_put_header(&request, HEADER_API_KEY, "default");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    memcpy(text + 132, text[133] == '0' ? "1b" : "1c", 2);      /* v 27, 28 */
    request = place(ONE_ORDER, text);
    rig_put_header(&request, HEADER_API_KEY, "");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_in_range(rig_write.signature.v, 0, 1);
}

static void both_chain_ids_are_tried_unless_the_header_picks_one(void **state)
{
    const char *sign = sign_as(0, rig_secret[0], DOMAIN_SPOT, 138565, "batchNewOrder", ONE_ORDER, NOW);
    struct http_request request = place(ONE_ORDER, sign);

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.head.chain_id, 138565);
    rig_put_header(&request, HEADER_API_CHAIN, "138565");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_refused(&request, 40101);
    rig_put_header(&request, HEADER_API_CHAIN, "1");
    expect_refused(&request, 40101);
    rig_expect("\"field\":\"X-API-Chain\",\"got\":\"1\"");
}

static void production_refuses_public_chain_ids_unless_told(void **state)
{
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));

    (void)state;
    rig_shared.settings.development = false;
    rig_genesis.chain_ids[1] = 777;
    rig_api = api_init(rig_api, &rig_shared);
    expect_refused(&request, 40101);
    request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 777, "batchNewOrder", ONE_ORDER, NOW));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_false(rig_write.warn_foreign);
    rig_shared.settings.allow_public_chain_ids = true;
    rig_api = api_init(rig_api, &rig_shared);
    request = place(ONE_ORDER, sign_place(ONE_ORDER));
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

static void account_zero_or_absent_is_the_signers_primary_one(void **state)
{
    static const char *const bodies[] = {
        "{\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}]}",
        "{\"accountID\":0,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}]}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        struct http_request request = place(bodies[i], sign_place(bodies[i]));
        assert_int_equal(rig_handle(&request), API_COMMAND);
        assert_int_equal(rig_write.room.place_orders.account_id, 0);
        request = place(bodies[i], sign_as(0, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", bodies[i], NOW));
        expect_refused(&request, 40101);
        rig_expect("the recovered address has no account");
    }
}

static void every_write_row_makes_its_command(void **state)
{
    static const struct { uint8_t method; const char *path, *type, *body; uint16_t kind; bool reduces; } rows[] = {
        { HTTP_POST, PLACE, "batchNewOrder", ONE_ORDER, CMD_PLACE_ORDERS, false },
        { HTTP_DELETE, PLACE, "batchCancelOrder", ONE_CANCEL, CMD_CANCEL_ORDERS, true },
        { HTTP_POST, "/api/v1/spot/trade/orders/replace", "replaceOrder",
          "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"r-1\",\"origOrderID\":7,\"price\":\"95001\"}]}", CMD_REPLACE_ORDERS, false },
        { HTTP_POST, "/api/v1/spot/trade/orders/schedule-cancel", "scheduleCancel",
          "{\"accountID\":1001,\"scheduledTimestamp\":1760000010000}", CMD_SCHEDULE_CANCEL, true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(rows[i].body, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, rows[i].type, rows[i].body, NOW));
        request.method = rows[i].method;
        request.path = slice_of(rows[i].path);
        assert_int_equal(rig_handle(&request), API_COMMAND);
        assert_int_equal(rig_write.room.head.kind, rows[i].kind);
        assert_int_equal(rig_write.class == CLASS_CANCEL, rows[i].reduces);
        assert_true(rig_write.room.head.bytes <= sizeof(struct command_room));
        for (size_t other = 0; other < ARRAY_COUNT(rows); other++) {       /* the type is part of what is signed */
            if (other == i) continue;
            rig_put_header(&request, HEADER_API_SIGN, sign_as(1, rig_secret[0], DOMAIN_SPOT, 286623, rows[other].type, rows[i].body, NOW));
            expect_refused(&request, 40101);
        }
    }
}

static void the_largest_batch_passes_and_one_more_does_not(void **state)
{
    static char body[64 * 1024];

    (void)state;
    for (int count = 99; count <= 101; count++) {
        struct out out = out_make(body, sizeof(body) - 1);
        struct http_request request;
        out_literal(&out, "{\"accountID\":1001,\"orders\":[");
        for (int i = 0; i < count; i++) {
            out_text(&out, i == 0 ? "" : ",");
            out_literal(&out, "{\"symbolID\":1,\"clOrdID\":\"batch-");
            out_i64(&out, i);
            out_literal(&out, "\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}");
        }
        out_literal(&out, "]}");
        body[out.len] = '\0';
        request = place(body, sign_place(body));
        if (count > BATCH_MAX) {
            expect_refused(&request, 40003);
        } else {
            assert_int_equal(rig_handle(&request), API_COMMAND);
            assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + PAYLOAD_BYTES(place_orders, count));
        }
    }
}

/* ---- what fails ---- */

static void wrong_identities_are_refused_with_their_likely_cause(void **state)
{
    struct http_request request;

    (void)state;
    /* The owner of another account. */
    request = place(ONE_ORDER, sign_as(0, rig_secret[1], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));
    expect_refused(&request, 40101);
    rig_expect("\"error\":\"X-API-Sign is invalid\"");
    rig_expect("accountID belongs to another address");
    rig_expect(rig_owner_hex(1));
    rig_expect("\"hashed\":\"{\\\"type\\\":\\\"batchNewOrder\\\",\\\"params\\\":{\\\"accountID\\\":1001,");
    rig_expect("\"digest\":\"0x");
    rig_expect("\"chainID\":286623");
    /* Somebody nobody knows. */
    request = place(ONE_ORDER, sign_as(0, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));
    expect_refused(&request, 40101);
    rig_expect("the recovered address is unknown");
    rig_expect(rig_owner_hex(2));
    /* The right wallet in another domain, for another chain, with another nonce, over another body. */
    request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_FUTURES, 286623, "batchNewOrder", ONE_ORDER, NOW));
    expect_refused(&request, 40101);
    request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 1, "batchNewOrder", ONE_ORDER, NOW));
    expect_refused(&request, 40101);
    request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW + 1));
    expect_refused(&request, 40101);
    request = place(ONE_ORDER, sign_place("{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                          "\"price\":\"95001\",\"quantity\":\"0.01\"}]}"));
    expect_refused(&request, 40101);
}

static void production_gives_one_text_without_details(void **state)
{
    static const char *const wanted = "{\"code\":40101,\"timestamp\":" NOW_TEXT ",\"error\":\"X-API-Sign is invalid\",\"details\":{"
        "\"rule\":\"an EIP-712 signature of the account's wallet\",\"field\":\"X-API-Sign\",\"nonce\":\"not used\"}}";
    struct http_request request = place(ONE_ORDER, sign_as(0, rig_secret[1], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));

    (void)state;
    rig_shared.settings = (struct api_settings){ .allow_public_chain_ids = true };
    rig_api = api_init(rig_api, &rig_shared);
    expect_refused(&request, 40101);
    assert_string_equal(rig_body, wanted);
    rig_put_header(&request, HEADER_API_SIGN, "0x02");
    expect_refused(&request, 40101);
    assert_string_equal(rig_body, wanted);
    rig_put_header(&request, HEADER_API_CHAIN, "5");
    rig_put_header(&request, HEADER_API_SIGN, sign_place(ONE_ORDER));
    expect_refused(&request, 40101);
    assert_string_equal(rig_body, wanted);
}

static void an_unknown_account_and_an_unknown_key_are_named(void **state)
{
    static const char *const unknown = "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                       "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    struct http_request request = place(unknown, sign_place(unknown));

    (void)state;
    expect_refused(&request, 40403);
    rig_expect("\"field\":\"accountID\",\"got\":\"4242\"");
    request = place(ONE_ORDER, sign_place(ONE_ORDER));
    rig_put_header(&request, HEADER_API_KEY, "my-key");
    expect_refused(&request, 40103);
    rig_expect("\"error\":\"unknown API key\"");
    rig_expect("\"got\":\"my-key\"");
    rig_put_header(&request, HEADER_API_KEY, rig_owner_hex(0));
    expect_refused(&request, 40103);
    rig_expect("the key's name, not its address");
    rig_put_header(&request, HEADER_API_KEY, "Default");
    expect_refused(&request, 40103);
}

static void malformed_signatures_are_refused_by_form(void **state)
{
    const char *good = sign_place(ONE_ORDER);
    char text[140];
    struct http_request request = place(ONE_ORDER, NULL);

    (void)state;
    expect_refused(&request, 40101);
    rig_expect("\"got\":\"nothing\"");
    for (int form = 0; form < 10; form++) {
        snprintf(text, sizeof(text), "%s", good);
        switch (form) {
        case 0: memcpy(text, "0X", 2); break;
        case 1: memcpy(text + 2, "00", 2); break;
        case 2: memcpy(text + 2, "02", 2); break;
        case 3: text[133] = '\0'; break;
        case 4: snprintf(text, sizeof(text), "0x%s", good + 4); break;         /* 65 bytes, no type byte */
        case 5: strcat(text, "00"); break;
        case 6: text[50] = 'g'; break;
        case 7: memcpy(text + 132, "02", 2); break;                             /* v */
        case 8: memset(text + 4, '0', 64); break;                               /* r = 0 */
        default: memset(text + 68, 'f', 64); break;                             /* s above n */
        }
        request = place(ONE_ORDER, text);
        expect_refused(&request, 40101);
        if (form == 4) rig_expect("the type byte 01 before r, s and v is missing");
    }
    request = place(ONE_ORDER, good);
    request.repeated[HEADER_API_SIGN] = true;
    expect_refused(&request, 40101);
}

static void the_twin_with_a_high_s_is_refused(void **state)
{
    static const uint8_t n[32] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                                   0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41 };
    struct signature signature;
    struct http_request request;
    char text[135] = { 0 };
    int borrow = 0;

    (void)state;
    assert_true(signature_read(slice_of(sign_place(ONE_ORDER)), &signature));
    for (int i = 31; i >= 0; i--) {
        int digit = n[i] - signature.s[i] - borrow;
        borrow = digit < 0;
        signature.s[i] = (uint8_t)(digit + 256 * borrow);
    }
    signature.v ^= 1;
    signature_write(&signature, text);
    request = place(ONE_ORDER, text);
    expect_refused(&request, 40101);
    rig_expect("s in the lower half");
}

static void nonces_are_digits_within_the_window_at_both_ends(void **state)
{
    static const struct { const char *nonce; const char *reason; } rows[] = {
        { NULL, "malformed" }, { "", "malformed" }, { "+5", "malformed" }, { "05", "malformed" }, { "5e0", "malformed" }, { "-1", "malformed" },
        { "1 0", "malformed" }, { "0x10", "malformed" }, { "18446744073709551616", "malformed" },
        { "0", "too old" }, { "1759827200000", "too old" }, { "1760086400000", "too far ahead" },
        { "9223372036854775808", "too far ahead" }, { "18446744073709551615", "too far ahead" },
    };
    static const uint64_t good[] = { NOW - 172800000 + 1, NOW + 86400000 - 1 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));
        char reason[64];
        rig_put_header(&request, HEADER_API_NONCE, rows[i].nonce);
        expect_refused(&request, 40102);
        snprintf(reason, sizeof(reason), "\"reason\":\"%s\",\"serverTime\":" NOW_TEXT, rows[i].reason);
        rig_expect(reason);
        rig_expect("\"error\":\"nonce is invalid\"");
    }
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        struct http_request request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, good[i]));
        char text[32];
        snprintf(text, sizeof(text), "%llu", (unsigned long long)good[i]);
        rig_put_header(&request, HEADER_API_NONCE, text);
        assert_int_equal(rig_handle(&request), API_COMMAND);
        request.repeated[HEADER_API_NONCE] = true;
        expect_refused(&request, 40102);
    }
}

static void bodies_are_read_strictly_and_the_key_is_named(void **state)
{
    static const struct { const char *body; int code; const char *part; } rows[] = {
        { "", 40001, "" }, { "[]", 40001, "" }, { "{", 40001, "" }, { "null", 40001, "" }, { "{\"accountID\":1001}", 40001, "orders" },
        { "{\"accountID\":1001,\"orders\":[]}", 40003, "orders" },
        { "{\"accountID\":1001,\"accountID\":1001,\"orders\":[]}", 40001, "accountID" },
        { "{\"accountID\":1001,\"account\":1,\"orders\":[]}", 40001, "account" },
        { "{\"accountID\":\"1001\",\"orders\":[]}", 40001, "accountID" },
        { "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}", 40001, "" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a b\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"1\",\"quantity\":\"1\"}]}",
          40004, "orders[0].clOrdID" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":1,\"quantity\":\"1\"}]}",
          40001, "orders[0].price" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"side\":1,\"type\":2,\"timeInForce\":1,\"quantity\":\"1\"}]}",
          40002, "orders[0].timeInForce" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(rows[i].body, sign_place(rows[i].body));
        char part[64];
        expect_refused(&request, rows[i].code);
        assert_int_equal(rig_answer.status, 200);
        snprintf(part, sizeof(part), "\"field\":\"%s\"", rows[i].part);
        if (rows[i].part[0] != '\0') rig_expect(part);
    }
}

static void only_json_is_a_content_type_but_none_is_fine(void **state)
{
    static const char *const wrong[] = { "text/plain", "application/jsonp", "application/x-www-form-urlencoded" };
    static const char *const good[] = { "application/json", "Application/JSON", "application/json;charset=utf-8", "application/json ; charset=utf-8", "" };
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        rig_put_header(&request, HEADER_CONTENT_TYPE, wrong[i]);
        expect_refused(&request, 40001);
        rig_expect("\"field\":\"Content-Type\"");
    }
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        rig_put_header(&request, HEADER_CONTENT_TYPE, good[i]);
        assert_int_equal(rig_handle(&request), API_COMMAND);
    }
}

static void a_builder_is_not_supported_once_the_signature_is_good(void **state)
{
    static const char *const body = "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                    "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":{\"id\":3,\"fee\":\"0.1\"}}";
    struct http_request request = place(body, sign_place(body));

    (void)state;
    expect_refused(&request, 40005);
    rig_expect("\"field\":\"builder\"");
    rig_put_header(&request, HEADER_API_SIGN, sign_as(0, rig_secret[1], DOMAIN_SPOT, 286623, "batchNewOrder", body, NOW));
    expect_refused(&request, 40101);
}

static void schedule_cancel_wants_its_account(void **state)
{
    static const struct { const char *body; int code; } rows[] = {
        { "{\"scheduledTimestamp\":1760000010000}", 40001 }, { "{\"accountID\":0}", 40001 }, { "{\"accountID\":1001}", 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(rows[i].body, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "scheduleCancel", rows[i].body, NOW));
        request.path = SLICE("/api/v1/spot/trade/orders/schedule-cancel");
        if (rows[i].code != 0) expect_refused(&request, rows[i].code);
        else assert_int_equal(rig_handle(&request), API_COMMAND);
    }
}

static void full_memory_sheds_new_risk_but_never_cancels(void **state)
{
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));

    (void)state;
    rig_history.full = true;
    expect_refused(&request, 50301);
    assert_int_equal(rig_answer.status, 503);
    assert_memory_equal(rig_answer.extra.at, "Retry-After: ", 13);
    request = place(ONE_CANCEL, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchCancelOrder", ONE_CANCEL, NOW));
    request.method = HTTP_DELETE;
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

static int recoveries_of(struct http_request request, const char *key, const char *chain)
{
    int before = recoveries;

    rig_put_header(&request, HEADER_API_KEY, key);
    rig_put_header(&request, HEADER_API_CHAIN, chain);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    return recoveries - before;
}

static void a_failure_costs_at_most_two_recoveries_per_chain_id(void **state)
{
    static const char *const canonical = ONE_ORDER;
    static const char *const shuffled = "{\"orders\":[{\"clOrdID\":\"a-1\",\"symbolID\":1,\"side\":1,\"type\":1,\"timeInForce\":1,"
                                        "\"quantity\":\"0.01\",\"price\":\"95000\"}],\"accountID\":1001}";
    static const char *const nobodys = "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                       "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    const char *sign = sign_as(0, rig_secret[2], DOMAIN_SPOT, 1, "batchNewOrder", canonical, NOW);
    struct http_request request;
    int before;

    (void)state;
    rig_waits = false;
    assert_int_equal(recoveries_of(place(shuffled, sign), NULL, NULL), 4);
    assert_int_equal(recoveries_of(place(canonical, sign), NULL, NULL), 2);
    assert_int_equal(recoveries_of(place(shuffled, sign), NULL, "138565"), 2);
    assert_int_equal(recoveries_of(place(canonical, sign), NULL, "138565"), 1);
    assert_int_equal(recoveries_of(place(canonical, sign), NULL, "1"), 0);
    assert_int_equal(recoveries_of(place(canonical, sign), "some-key", NULL), 0);
    assert_int_equal(recoveries_of(place(nobodys, sign), NULL, NULL), 0);
    assert_int_equal(recoveries_of(place("{}", sign), NULL, NULL), 0);
    before = recoveries;
    request = place(canonical, sign_place(canonical));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(recoveries - before, 1);
    rig_waits = true;
}

/* Who waits with others passes the same checks, is judged by the same digests, and costs no recovery of its own where the first is right. */
static void who_waits_for_others_is_judged_alike(void **state)
{
    static char             body[API_ANSWER_BYTES_MAX];
    static struct api_write write;
    struct http_answer      answer;
    struct out              out = out_make(body, sizeof(body));
    struct http_request     request, stranger;
    char                    sign[SIGNATURE_TEXT + 1];
    int                     before = recoveries;

    (void)state;
    snprintf(sign, sizeof(sign), "%s", sign_place(ONE_ORDER));
    request = place(ONE_ORDER, sign);
    stranger = place(ONE_ORDER, sign_as(0, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, 0), API_WAITS);
    assert_int_equal(api_begin(rig_api, &rig_context, &stranger, &write, &answer, &out, 1), API_WAITS);
    assert_int_equal(recoveries, before);
    assert_int_equal(out.len, 0);
    api_recover(rig_api, 2);
    assert_int_equal(api_go_on(rig_api, 0), API_COMMAND);
    assert_memory_equal(&rig_write.room.head.signer, &rig_owner[0], 20);
    assert_int_equal(api_go_on(rig_api, 1), API_ANSWER);
    body[out.len] = '\0';
    assert_non_null(strstr(body, "the recovered address is unknown"));

    /* What is wrong before the signature is answered at once. */
    request.header[HEADER_API_NONCE] = SLICE("1");
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, 0), API_ANSWER);
    request = place("{}", sign_place("{}"));
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, 0), API_ANSWER);
}

/* Everything is wrong at first; each step mends the check that answered (trust.md B3). */
static void checks_run_from_cheap_to_dear(void **state)
{
    static const char *const unknown_account = "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                               "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":1}";
    static const char *const with_builder = "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                            "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":1}";
    struct http_request request = place("{", "0x01");
    char high_s[135];

    (void)state;
    rig_history.full = true;
    snprintf(high_s, sizeof(high_s), "%s", sign_place(with_builder));
    memset(high_s + 68, 'e', 64);
    rig_put_header(&request, HEADER_API_NONCE, "01");
    rig_put_header(&request, HEADER_API_KEY, "somebody");
    rig_put_header(&request, HEADER_API_CHAIN, "99");
    rig_put_header(&request, HEADER_CONTENT_TYPE, "text/html");

    expect_refused(&request, 40102);
    rig_expect("malformed");
    rig_put_header(&request, HEADER_API_NONCE, "1");
    expect_refused(&request, 40101);
    rig_expect("66 bytes in hex");
    rig_put_header(&request, HEADER_API_SIGN, high_s);
    expect_refused(&request, 40001);
    rig_expect("Content-Type");
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    expect_refused(&request, 40102);
    rig_expect("too old");
    rig_put_header(&request, HEADER_API_NONCE, NONCE);
    expect_refused(&request, 40001);
    request.body = slice_of(unknown_account);
    expect_refused(&request, 40403);
    request.body = slice_of(with_builder);
    expect_refused(&request, 40103);
    rig_put_header(&request, HEADER_API_KEY, "default");
    expect_refused(&request, 40101);
    rig_expect("X-API-Chain");
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_refused(&request, 40101);
    rig_expect("lower half");
    rig_put_header(&request, HEADER_API_SIGN, sign_as(1, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", with_builder, NOW));
    expect_refused(&request, 40101);
    rig_expect("recovered");
    rig_put_header(&request, HEADER_API_SIGN, sign_place(with_builder));
    expect_refused(&request, 40005);
    request.body = SLICE(ONE_ORDER);
    rig_put_header(&request, HEADER_API_SIGN, sign_place(ONE_ORDER));
    expect_refused(&request, 50301);
    rig_history.full = false;
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

/* Each class alone: sent away with a free nonce before the signature is looked at, and for no weight; the others pass (trust.md 5.9). */
static void a_class_that_is_shed_is_sent_away_unread(void **state)
{
    static const struct { uint8_t method; const char *path; uint32_t class; } asked[] = {
        { HTTP_DELETE, "/api/v1/spot/trade/orders/batch", CLASS_CANCEL }, { HTTP_POST, "/api/v1/perps/trade/orders/schedule-cancel", CLASS_CANCEL },
        { HTTP_DELETE, "/api/v1/spot/accounts/api-keys", CLASS_CANCEL }, { HTTP_POST, "/api/v1/oracle", CLASS_CANCEL },
        { HTTP_POST, "/api/v1/spot/trade/orders/replace", CLASS_REPLACE }, { HTTP_POST, "/api/v1/perps/trade/orders/modify", CLASS_REPLACE },
        { HTTP_POST, "/api/v1/spot/accounts/transfers", CLASS_TRANSFER }, { HTTP_POST, "/api/v1/perps/trade/leverage", CLASS_TRANSFER },
        { HTTP_POST, "/api/v1/spot/trade/orders/batch", CLASS_RISK }, { HTTP_POST, "/api/v1/perps/trade/orders", CLASS_RISK },
        { HTTP_GET, "/api/v1/spot/markets/symbols", CLASS_READ }, { HTTP_GET, "/healthz", API_CLASSES }, { HTTP_GET, "/readyz", API_CLASSES },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(asked); i++) {
        for (uint32_t class = CLASS_CANCEL; class < API_CLASSES; class++) {
            struct http_request request = rig_request(asked[i].method, asked[i].path);
            rig_context.shed = 1u << class;
            assert_int_equal(rig_handle(&request), API_ANSWER);
            assert_int_equal(rig_answer.status == 503, class == asked[i].class);
            if (class != asked[i].class) continue;
            assert_int_equal(rig_code(), 50301);
            assert_false(rig_answer.close);
            assert_true(slice_is(rig_answer.extra, "Retry-After: 1\r\n"));
            if (asked[i].class != CLASS_READ) rig_expect("\"nonce\":\"not used\"");
        }
    }
    rig_context.shed = 0;
}

/* All of a millisecond are told the same, with its time; a read is told nothing of a nonce. */
static void whoever_is_sent_away_is_told_when(void **state)
{
    static const struct { uint8_t method; const char *path; bool is_command; } asked[] = {
        { HTTP_POST, "/api/v1/spot/trade/orders/batch", true }, { HTTP_GET, "/api/v1/spot/markets/symbols", false },
        { HTTP_POST, "/api/v1/perps/trade/orders", true },
    };
    char first[512], when[64];

    (void)state;
    rig_context.shed = (1u << API_CLASSES) - 1;
    for (int64_t later = 0; later < 3; later++) {
        rig_context.now_ms = NOW + later;
        (void)snprintf(when, sizeof(when), "\"timestamp\":%ld", (long)rig_context.now_ms);
        for (size_t i = 0; i < 2 * ARRAY_COUNT(asked); i++) {
            struct http_request request = rig_request(asked[i / 2].method, asked[i / 2].path);
            assert_int_equal(rig_handle(&request), API_ANSWER);
            rig_expect(when);
            assert_int_equal(strstr(rig_body, "\"nonce\":\"not used\"") != NULL, asked[i / 2].is_command);
            if (i % 2 == 0) (void)snprintf(first, sizeof(first), "%.511s", rig_body);
            else            assert_string_equal(rig_body, first);
        }
    }
    rig_context.shed = 0;
    rig_context.now_ms = NOW;
}

/* However soon a write is refused, it is told that its nonce can be sent again (trust.md B3); a read has none. */
static void a_write_is_told_of_its_nonce_before_anything_of_it_is_read(void **state)
{
    struct http_request write = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch"), read = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");
    struct http_request broken = rig_request(HTTP_DELETE, "/api/v1/user/%zz/api-keys");

    (void)state;
    expect_refused(&broken, 40001);
    rig_expect("\"field\":\"path\",\"got\":\"%zz\"");
    rig_context.ready = false;
    expect_refused(&write, 50301);
    assert_int_equal(rig_handle(&read), API_ANSWER);
    assert_int_equal(rig_code(), 50301);
    rig_expect_not("nonce");
    rig_context.ready = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_signed_batch_becomes_a_command_with_its_proof),
        TEST(the_published_signature_of_a_spot_batch_is_accepted),
        TEST(white_space_never_matters),
        TEST(the_body_as_received_and_its_canonical_form_are_both_good),
        TEST(every_spelling_of_signature_and_main_wallet_is_taken),
        TEST(both_chain_ids_are_tried_unless_the_header_picks_one),
        TEST(production_refuses_public_chain_ids_unless_told),
        TEST(account_zero_or_absent_is_the_signers_primary_one),
        TEST(every_write_row_makes_its_command),
        TEST(the_largest_batch_passes_and_one_more_does_not),
        TEST(wrong_identities_are_refused_with_their_likely_cause),
        TEST(production_gives_one_text_without_details),
        TEST(an_unknown_account_and_an_unknown_key_are_named),
        TEST(malformed_signatures_are_refused_by_form),
        TEST(the_twin_with_a_high_s_is_refused),
        TEST(nonces_are_digits_within_the_window_at_both_ends),
        TEST(bodies_are_read_strictly_and_the_key_is_named),
        TEST(only_json_is_a_content_type_but_none_is_fine),
        TEST(a_builder_is_not_supported_once_the_signature_is_good),
        TEST(schedule_cancel_wants_its_account),
        TEST(full_memory_sheds_new_risk_but_never_cancels),
        TEST(a_failure_costs_at_most_two_recoveries_per_chain_id),
        TEST(who_waits_for_others_is_judged_alike),
        TEST(checks_run_from_cheap_to_dear),
        TEST(a_class_that_is_shed_is_sent_away_unread),
        TEST(whoever_is_sent_away_is_told_when),
        TEST(a_write_is_told_of_its_nonce_before_anything_of_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
