/* SPDX-License-Identifier: MIT */
/* oracle_test.c — how the api turns a feeder's post into a command, and its refusals before the log (ruling 45). */
#include "rigs/api/rig_chain.h"
#include "rigs/api/test_rig.h"

#include "crypto/typed.h"

#include <stdatomic.h>

static _Atomic uint64_t seqs[FEEDERS_MAX];

/* rig_secret[0] is the feeder; it has posted up to 6. */
static int begin(void **state)
{
    if (rig_begin(state) != 0) return 1;
    rig_genesis.feeder_count = 2;
    rig_genesis.feeders[0] = (struct feeder){ rig_owner[1], 1 };
    rig_genesis.feeders[1] = (struct feeder){ rig_owner[0], 2 };
    atomic_store(&seqs[0], 100);
    atomic_store(&seqs[1], 6);
    rig_shared.oracle_seqs = seqs;
    return 0;
}

static struct oracle_post good_post(void)
{
    struct oracle_post post = { .seq = 7, .count = 2, .timestamp_ms = NOW };

    post.items[0] = (struct oracle_price){ .symbol_id = 1, .price = 1000005, .perp_mid = 1000010 };
    post.items[1] = (struct oracle_price){ .symbol_id = 2, .price = 400025 };
    return post;
}

#define PRICES "[{\"symbolID\":1,\"price\":\"100000.5\",\"perpMid\":\"100001\"},{\"symbolID\":2,\"price\":\"4000.25\"}]"

/* Sends a body with the signature of `secret` over `post`. */
static enum api_outcome send(const char *body, const struct oracle_post *post, int secret, uint64_t chain_id)
{
    static char    text[SIGNATURE_TEXT + 1];
    struct hash256 separator = domain_separator(DOMAIN_ORACLE, chain_id),
                   digest = oracle_prices_digest(&separator, post);
    struct signature    signature;
    struct http_request request = rig_request(HTTP_POST, "/api/v1/oracle");

    assert_true(sign_digest(&digest, rig_secret[secret], 1, &signature));
    signature_write(&signature, text);
    rig_put_header(&request, HEADER_API_SIGN, text);
    request.body = slice_of(body);
    return rig_handle(&request);
}

static void a_good_post_becomes_a_command(void **state)
{
    static const char     body[] = "{\"seq\":7,\"timestamp\": " NOW_TEXT ",\"prices\":" PRICES "}";
    struct oracle_post    post = good_post();
    const struct command *head = &rig_write.room.head;

    (void)state;
    assert_int_equal(send(body, &post, 0, 138565), API_COMMAND); /* the second chain id too */
    assert_int_equal(head->kind, CMD_ORACLE_POST);
    assert_int_equal(head->domain, DOMAIN_ORACLE);
    assert_int_equal(head->market, 0);
    assert_int_equal(head->nonce, 7);
    assert_int_equal(head->chain_id, 138565);
    assert_memory_equal(&head->signer, &rig_owner[0], sizeof(head->signer));
    assert_int_equal(head->bytes, sizeof(*head) + PAYLOAD_BYTES(oracle_post, 2));
    assert_memory_equal(&rig_write.room.oracle_post, &post, PAYLOAD_BYTES(oracle_post, 2));
    assert_true(slice_is(rig_write.signed_bytes,
                         "{\"type\":\"oraclePrices\",\"params\":{\"seq\":7,\"timestamp\":" NOW_TEXT
                         ",\"prices\":" PRICES "}}"));
    memset(&post, 0, sizeof(post));
    assert_true(api_oracle_read(&rig_genesis, slice_of(body), &post)); /* and dojima verify reads it the same way */
    assert_memory_equal(&rig_write.room.oracle_post, &post, PAYLOAD_BYTES(oracle_post, 2));
}

static void refused(const char *body, const struct oracle_post *post, int secret, int code, const char *part)
{
    assert_int_equal(send(body, post, secret, 286623), API_ANSWER);
    assert_int_equal(rig_code(), code);
    rig_expect(part);
    rig_expect_not("nonce");
}

#define BODY(SEQ, TIME) "{\"seq\":" SEQ ",\"timestamp\":" TIME ",\"prices\":" PRICES "}"

static void what_the_engine_would_refuse_does_not_reach_the_log(void **state)
{
    struct oracle_post post = good_post();
    char               body[512];

    (void)state;
    post.seq = 6;
    refused(BODY("6", NOW_TEXT), &post, 0, 40102, "\"field\":\"seq\",\"got\":\"6\",\"need\":\"more than 6\"");
    post.seq = 7;
    refused(BODY("7", NOW_TEXT), &post, 1, 40102, "\"need\":\"more than 100\""); /* each feeder has its own */
    refused(BODY("7", NOW_TEXT), &post, 2, 40101, "\"field\":\"X-API-Sign\"");   /* a stranger */
    refused(BODY("8", NOW_TEXT), &post, 0, 40101, "\"field\":\"X-API-Sign\"");   /* something else was signed */
    for (int64_t away = -30001; away <= 5001; away += 30001 + 5001) {
        post.timestamp_ms = NOW + away;
        (void)snprintf(body, sizeof(body), BODY("7", "%ld"), (long)post.timestamp_ms);
        refused(body, &post, 0, 40102, "\"field\":\"timestamp\"");
        post.timestamp_ms -= away < 0 ? -1 : 1;
        (void)snprintf(body, sizeof(body), BODY("7", "%ld"), (long)post.timestamp_ms);
        assert_int_equal(send(body, &post, 0, 286623), API_COMMAND);
    }
}

static void what_depends_on_the_body_is_named(void **state)
{
    /* clang-format off */
    static const struct { const char *prices; int code; const char *part; } rows[] = {
        { "[]", 40003, "\"got\":\"0 items\",\"need\":\"1 to 64 items\"" },
        { "[{\"symbolID\":3,\"price\":\"1\"}]", 40401, "\"field\":\"symbolID\",\"got\":\"3\"" },
        { "[{\"symbolID\":0,\"price\":\"1\"}]", 40401, "\"field\":\"symbolID\",\"got\":\"0\"" },
        { "[{\"symbolID\":1,\"price\":\"1.05\"}]", 42201, "\"field\":\"price\",\"got\":\"1.05\"" },
        { "[{\"symbolID\":1,\"price\":\"1\",\"perpMid\":\"1.05\"}]", 42201, "\"field\":\"perpMid\",\"got\":\"1.05\"" },
        { "[{\"symbolID\":1,\"price\":\"100000000000000.1\"}]", 42201, "\"field\":\"price\"" },
        { "[{\"symbolID\":1,\"price\":1}]", 40001, "prices[0].price" },
        { "[{\"symbolID\":1}]", 40001, "prices[0].price" },
        { "[{\"symbolID\":1,\"price\":\"1\",\"mid\":\"1\"}]", 40001, "prices[0].mid" },
    };
    /* clang-format on */
    struct oracle_post post = good_post();
    char               body[512];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        (void)snprintf(body, sizeof(body), "{\"seq\":7,\"timestamp\":" NOW_TEXT ",\"prices\":%s}", rows[i].prices);
        refused(body, &post, 0, rows[i].code, rows[i].part);
    }
    refused("{\"seq\":0,\"timestamp\":" NOW_TEXT ",\"prices\":" PRICES "}", &post, 0, 40001, "\"field\":\"seq\"");
    refused("{\"seq\":7,\"prices\":" PRICES "}", &post, 0, 40001, "\"field\":\"timestamp\"");
}

static void a_post_has_a_signature_of_its_type_and_no_nonce(void **state)
{
    struct http_request request = rig_request(HTTP_POST, "/api/v1/oracle");
    char                text[SIGNATURE_TEXT + 1] = { 0 };

    (void)state;
    request.body = SLICE(BODY("7", NOW_TEXT));
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_code(), 40101);
    (void)snprintf(text, sizeof(text), "0x02%0130d", 1);
    rig_put_header(&request, HEADER_API_SIGN, text);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_code(), 40101);
    rig_expect("type byte 01");
}

/* The rule of batches names 100 items; the bound here is the maximum number of symbols. */
static void one_price_too_many_is_told_how_many_there_may_be(void **state)
{
    struct oracle_post post = good_post();
    char               body[4096];
    struct out         out = out_make(body, sizeof(body) - 1);

    (void)state;
    out_literal(&out, "{\"seq\":7,\"timestamp\":" NOW_TEXT ",\"prices\":[");
    for (int i = 0; i <= ORACLE_PRICES_MAX; i++)
        out_text(&out, i == 0 ? "{\"symbolID\":1,\"price\":\"1\"}" : ",{\"symbolID\":1,\"price\":\"1\"}");
    out_literal(&out, "]}");
    body[out.len] = '\0';
    refused(body, &post, 0, 40003, "\"field\":\"prices\",\"got\":\"more items\",\"need\":\"at most 64 items\"");
}

/* As for every client that fails to prove its authority (ruling 30). */
static void in_production_a_stranger_is_not_told_why(void **state)
{
    struct oracle_post post = good_post();

    (void)state;
    refused(BODY("7", NOW_TEXT), &post, 2, 40101, "\"recovered\"");
    rig_shared.settings.development = false;
    refused(BODY("7", NOW_TEXT), &post, 2, 40101,
            "\"error\":\"X-API-Sign is invalid\",\"details\":{\"rule\":\"a registered feeder's "
            "signature\",\"field\":\"X-API-Sign\"}}");
    refused(BODY("6", NOW_TEXT), &post, 0, 40101, "\"field\":\"X-API-Sign\"}}"); /* whatever the cause */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_good_post_becomes_a_command, begin, rig_end),
        cmocka_unit_test_setup_teardown(what_the_engine_would_refuse_does_not_reach_the_log, begin, rig_end),
        cmocka_unit_test_setup_teardown(what_depends_on_the_body_is_named, begin, rig_end),
        cmocka_unit_test_setup_teardown(a_post_has_a_signature_of_its_type_and_no_nonce, begin, rig_end),
        cmocka_unit_test_setup_teardown(one_price_too_many_is_told_how_many_there_may_be, begin, rig_end),
        cmocka_unit_test_setup_teardown(in_production_a_stranger_is_not_told_why, begin, rig_end),
    };
    return cmocka_run_group_tests_name("api/operator/oracle", tests, NULL, NULL);
}
