/* SPDX-License-Identifier: MIT */
/* write_order_test.c — signed writes: the order of their checks, their cost, and requests that are shed unread. */
#include "rigs/api/recoveries.h"
#include "rigs/api/write_rig.h"

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
    static const char *const shuffled =
        "{\"orders\":[{\"clOrdID\":\"a-1\",\"symbolID\":1,\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"quantity\":\"0.01\",\"price\":\"95000\"}],\"accountID\":1001}";
    static const char *const nobodys =
        "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}]}";
    const char         *sign = sign_as(0, rig_secret[2], DOMAIN_SPOT, 1, "batchNewOrder", canonical, NOW);
    struct http_request request;
    int                 before;

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

/*
 * A request that waits with others passes the same checks, is judged by the same digests, and needs no recovery of its
 * own where the first succeeds.
 */
static void who_waits_for_others_is_judged_alike(void **state)
{
    static char                     body[API_ANSWER_BYTES_MAX];
    static struct api_write         write;
    static struct pending_signature first, second;
    struct http_answer              answer;
    struct out                      out = out_make(body, sizeof(body));
    struct http_request             request, stranger;
    char                            sign[SIGNATURE_TEXT + 1];
    int                             before = recoveries;

    (void)state;
    snprintf(sign, sizeof(sign), "%s", sign_place(ONE_ORDER));
    request = place(ONE_ORDER, sign);
    stranger = place(ONE_ORDER, sign_as(0, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", ONE_ORDER, NOW));
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, &first),
                     API_AWAITS_SIGNATURE);
    assert_int_equal(api_begin(rig_api, &rig_context, &stranger, &write, &answer, &out, &second), API_AWAITS_SIGNATURE);
    assert_int_equal(recoveries, before);
    assert_int_equal(out.len, 0);
    api_recover((struct pending_signature *[]){ &first, &second }, 2);
    assert_int_equal(api_signature_done(&first), API_COMMAND);
    assert_memory_equal(&rig_write.room.head.signer, &rig_owner[0], 20);
    assert_int_equal(api_signature_done(&second), API_ANSWER);
    body[out.len] = '\0';
    assert_non_null(strstr(body, "the recovered address is unknown"));

    /* An error before the signature's check is answered at once. */
    request.header[HEADER_API_NONCE] = SLICE("1");
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, &first), API_ANSWER);
    request = place("{}", sign_place("{}"));
    assert_int_equal(api_begin(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out, &first), API_ANSWER);
}

/* Everything is wrong at first; each step mends the check that answered (process 2). */
static void checks_run_from_cheap_to_dear(void **state)
{
    static const char *const unknown_account =
        "{\"accountID\":4242,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":1}";
    static const char *const with_builder =
        "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}],\"builder\":1}";
    struct http_request request = place("{", "0x01");
    char                high_s[135];

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
    rig_put_header(&request, HEADER_API_SIGN,
                   sign_as(1, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", with_builder, NOW));
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

/* Each class alone: sent away with a free nonce before the signature is
   looked at, and for no weight; the others pass (process 4). */
static void a_class_that_is_shed_is_sent_away_unread(void **state)
{
    /* clang-format off */
    static const struct { uint8_t method; const char *path; uint32_t class; } asked[] = {
        { HTTP_DELETE, "/api/v1/spot/trade/orders/batch", CLASS_CANCEL },
          { HTTP_POST, "/api/v1/perps/trade/orders/schedule-cancel", CLASS_CANCEL },
        { HTTP_DELETE, "/api/v1/spot/accounts/api-keys", CLASS_CANCEL }, { HTTP_POST, "/api/v1/oracle", CLASS_CANCEL },
        { HTTP_POST, "/api/v1/spot/trade/orders/replace", CLASS_REPLACE },
          { HTTP_POST, "/api/v1/perps/trade/orders/modify", CLASS_REPLACE },
        { HTTP_POST, "/api/v1/spot/accounts/transfers", CLASS_TRANSFER },
          { HTTP_POST, "/api/v1/perps/trade/leverage", CLASS_TRANSFER },
        { HTTP_POST, "/api/v1/spot/trade/orders/batch", CLASS_RISK },
          { HTTP_POST, "/api/v1/perps/trade/orders", CLASS_RISK },
        { HTTP_GET, "/api/v1/spot/markets/symbols", CLASS_READ }, { HTTP_GET, "/healthz", OVERLOAD_CLASSES },
          { HTTP_GET, "/readyz", OVERLOAD_CLASSES },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(asked); i++) {
        for (uint32_t class = CLASS_CANCEL; class < OVERLOAD_CLASSES; class ++) {
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

/* All shed requests of a millisecond get the same response, with its time; a read's has no nonce. */
static void whoever_is_sent_away_is_told_when(void **state)
{
    /* clang-format off */
    static const struct { uint8_t method; const char *path; bool is_command; } asked[] = {
        { HTTP_POST, "/api/v1/spot/trade/orders/batch", true }, { HTTP_GET, "/api/v1/spot/markets/symbols", false },
        { HTTP_POST, "/api/v1/perps/trade/orders", true },
    };
    /* clang-format on */
    char first[512], when[64];

    (void)state;
    rig_context.shed = (1u << OVERLOAD_CLASSES) - 1;
    for (int64_t later = 0; later < 3; later++) {
        rig_context.now_ms = NOW + later;
        (void)snprintf(when, sizeof(when), "\"timestamp\":%ld", (long)rig_context.now_ms);
        for (size_t i = 0; i < 2 * ARRAY_COUNT(asked); i++) {
            struct http_request request = rig_request(asked[i / 2].method, asked[i / 2].path);
            assert_int_equal(rig_handle(&request), API_ANSWER);
            rig_expect(when);
            assert_int_equal(strstr(rig_body, "\"nonce\":\"not used\"") != NULL, asked[i / 2].is_command);
            if (i % 2 == 0) (void)snprintf(first, sizeof(first), "%.511s", rig_body);
            else assert_string_equal(rig_body, first);
        }
    }
    rig_context.shed = 0;
    rig_context.now_ms = NOW;
}

/* However early a write is refused, its response says that its nonce can be used again (process 2); a read has none. */
static void a_write_is_told_of_its_nonce_before_anything_of_it_is_read(void **state)
{
    struct http_request write = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch"),
                        read = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");
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
