/* SPDX-License-Identifier: MIT */
/* write_refused_test.c — signed writes that are refused for their contents. */
#include "rigs/api/write_rig.h"

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
    /* An address without an account. */
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
    request = place(ONE_ORDER, sign_place("{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\","
                                          "\"side\":1,\"type\":1,\"timeInForce\":1,"
                                          "\"price\":\"95001\",\"quantity\":\"0.01\"}]}"));
    expect_refused(&request, 40101);
}

static void production_gives_one_text_without_details(void **state)
{
    static const char *const wanted =
        "{\"code\":40101,\"timestamp\":" NOW_TEXT ",\"error\":\"X-API-Sign is invalid\",\"details\":{"
        "\"rule\":\"an EIP-712 signature of the account's wallet\",\"field\":\"X-API-Sign\",\"nonce\":\"not used\"}}";
    struct http_request request =
        place(ONE_ORDER, sign_as(0, rig_secret[1], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));

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
    static const char *const unknown =
        "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
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
    const char         *good = sign_place(ONE_ORDER);
    char                text[140];
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
        case 4: snprintf(text, sizeof(text), "0x%.130s", good + 4); break; /* 65 bytes, no type byte */
        case 5: strcat(text, "00"); break;
        case 6: text[50] = 'g'; break;
        case 7: memcpy(text + 132, "02", 2); break; /* v */
        case 8: memset(text + 4, '0', 64); break;   /* r = 0 */
        default: memset(text + 68, 'f', 64); break; /* s above n */
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
    static const uint8_t n[32] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                   0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48,
                                   0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41 };
    struct signature     signature;
    struct http_request  request;
    char                 text[135] = { 0 };
    int                  borrow = 0;

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
    /* clang-format off */
    static const struct { const char *nonce; const char *reason; } rows[] = {
        { NULL, "malformed" }, { "", "malformed" }, { "+5", "malformed" }, { "05", "malformed" },
          { "5e0", "malformed" }, { "-1", "malformed" },
        { "1 0", "malformed" }, { "0x10", "malformed" }, { "18446744073709551616", "malformed" },
        { "0", "too old" }, { "1759827200000", "too old" }, { "1760086400000", "too far ahead" },
        { "9223372036854775808", "too far ahead" }, { "18446744073709551615", "too far ahead" },
    };
    /* clang-format on */
    static const uint64_t good[] = { NOW - 172800000 + 1, NOW + 86400000 - 1 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));
        char                reason[64];
        rig_put_header(&request, HEADER_API_NONCE, rows[i].nonce);
        expect_refused(&request, 40102);
        snprintf(reason, sizeof(reason), "\"reason\":\"%s\",\"serverTime\":" NOW_TEXT, rows[i].reason);
        rig_expect(reason);
        rig_expect("\"error\":\"nonce is invalid\"");
    }
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        struct http_request request =
            place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, good[i]));
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
    /* clang-format off */
    static const struct { const char *body; int code; const char *part; } rows[] = {
        { "", 40001, "" }, { "[]", 40001, "" }, { "{", 40001, "" }, { "null", 40001, "" },
          { "{\"accountID\":1001}", 40001, "orders" },
        { "{\"accountID\":1001,\"orders\":[]}", 40003, "orders" },
        { "{\"accountID\":1001,\"accountID\":1001,\"orders\":[]}", 40001, "accountID" },
        { "{\"accountID\":1001,\"account\":1,\"orders\":[]}", 40001, "account" },
        { "{\"accountID\":\"1001\",\"orders\":[]}", 40001, "accountID" },
        { "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}", 40001, "" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a b\",\"side\":1,\"type\":1,"
          "\"timeInForce\":1,\"price\":\"1\",\"quantity\":\"1\"}]}",
          40004, "orders[0].clOrdID" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"side\":1,\"type\":1,\"timeInForce\":1,"
          "\"price\":1,\"quantity\":\"1\"}]}",
          40001, "orders[0].price" },
        { "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"side\":1,\"type\":2,\"timeInForce\":1,"
          "\"quantity\":\"1\"}]}",
          40002, "orders[0].timeInForce" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = place(rows[i].body, sign_place(rows[i].body));
        char                part[64];
        expect_refused(&request, rows[i].code);
        assert_int_equal(rig_answer.status, 200);
        snprintf(part, sizeof(part), "\"field\":\"%s\"", rows[i].part);
        if (rows[i].part[0] != '\0') rig_expect(part);
    }
}

static void only_json_is_a_content_type_but_none_is_fine(void **state)
{
    static const char *const wrong[] = { "text/plain", "application/jsonp", "application/x-www-form-urlencoded" };
    static const char *const good[] = { "application/json", "Application/JSON", "application/json;charset=utf-8",
                                        "application/json ; charset=utf-8", "" };
    struct http_request      request = place(ONE_ORDER, sign_place(ONE_ORDER));

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
    static const char *const body =
        "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":{\"id\":3,\"fee\":\"0.1\"}}";
    struct http_request request = place(body, sign_place(body));

    (void)state;
    expect_refused(&request, 40005);
    rig_expect("\"field\":\"builder\"");
    rig_put_header(&request, HEADER_API_SIGN,
                   sign_as(0, rig_secret[1], DOMAIN_SPOT, 286623, "batchNewOrder", body, NOW));
    expect_refused(&request, 40101);
}

static void schedule_cancel_wants_its_account(void **state)
{
    /* clang-format off */
    static const struct { const char *body; int code; } rows[] = {
        { "{\"scheduledTimestamp\":1760000010000}", 40001 }, { "{\"accountID\":0}", 40001 },
          { "{\"accountID\":1001}", 0 },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request =
            place(rows[i].body, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "scheduleCancel", rows[i].body, NOW));
        request.path = SLICE("/api/v1/spot/trade/orders/schedule-cancel");
        if (rows[i].code != 0) expect_refused(&request, rows[i].code);
        else assert_int_equal(rig_handle(&request), API_COMMAND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
