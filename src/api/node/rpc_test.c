/* SPDX-License-Identifier: MIT */
#include "api/node/rpc.h"
#include "rigs/api/test_rig.h"

/* The response to a body; the status is that of the transport, always 200 but for notifications alone. */
static const char *rpc(const char *body)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");

    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    request.body = slice_of(body);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, rig_body[0] == '\0' ? 204 : 200);
    return rig_body;
}

static void expect_error(const char *body, const char *id, int code)
{
    char start[128];

    (void)snprintf(start, sizeof(start), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"", id,
                   code);
    rpc(body);
    if (strncmp(rig_body, start, strlen(start)) != 0) fail_msg("%s\nis answered\n%s\nnot\n%s", body, rig_body, start);
}

#define CALL(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define OK(id, result)   "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}"

static void a_call_is_answered_with_its_id(void **state)
{
    (void)state;
    assert_string_equal(rpc(CALL("1", "eth_chainId")), OK("1", "\"0x45f9f\""));
    assert_string_equal(rpc(CALL("\"a\\u0062 c\"", "net_version")), OK("\"a\\u0062 c\"", "\"286623\""));
    assert_string_equal(rpc(CALL("null", "net_listening")), OK("null", "true"));
    assert_string_equal(rpc(CALL("-1.5e3", "eth_syncing")), OK("-1.5e3", "false"));
    assert_string_equal(rpc(CALL("18446744073709551616", "eth_gasPrice")), OK("18446744073709551616", "\"0x0\""));
    assert_string_equal(rpc(CALL("0", "web3_clientVersion")), OK("0", "\"dojima/0.1.0\""));
    assert_string_equal(rpc(CALL("0", "eth_blockNumber")), OK("0", "\"0x0\""));
    assert_string_equal(rpc(" {\t\"method\" : \"eth_chainId\" ,\r\n\"params\": [ ] ,\"id\":7,\"jsonrpc\":\"2.0\"} "),
                        OK("7", "\"0x45f9f\""));
    assert_string_equal(rpc("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"extra\":{\"a\":[1]}}"),
                        OK("1", "\"0x45f9f\""));
}

static void what_is_not_json_is_a_parse_error(void **state)
{
    /* clang-format off */
    static const char *const bodies[] = {
        "", " ", "{", "}", "[", "nonsense", "{\"jsonrpc\":\"2.0\",\"method\":\"x\",}", "[1,]", "{} {}", "\"\xff\"",
            "{'a':1}", "01",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"},{\"jsonrpc\"",
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) expect_error(bodies[i], "null", -32700);
}

static void json_that_is_no_request_is_invalid(void **state)
{
    (void)state;
    expect_error("1", "null", -32600);
    expect_error("null", "null", -32600);
    expect_error("\"eth_chainId\"", "null", -32600);
    expect_error("{}", "null", -32600);
    expect_error("[]", "null", -32600);
    expect_error("[ ]", "null", -32600);
    expect_error("{\"id\":1,\"method\":\"eth_chainId\"}", "1", -32600);
    expect_error("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"eth_chainId\"}", "1", -32600);
    expect_error("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"eth_chainId\"}", "1", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1}", "1", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}", "1", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"method\":1,\"params\":\"bar\"}", "null", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"eth_chainId\"}", "null", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"eth_chainId\"}", "null", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"eth_chainId\"}", "null", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"params\":\"x\"}", "1", -32600);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"eth_chainId\"}", "2", -32600);
}

static void unknown_methods_and_bad_parameters_have_their_codes(void **state)
{
    (void)state;
    expect_error(CALL("1", "eth_call"), "1", -32601);
    expect_error(CALL("1", "eth_sendRawTransaction"), "1", -32601);
    expect_error(CALL("1", ""), "1", -32601);
    expect_error(CALL("1", "ETH_CHAINID"), "1", -32601);
    expect_error(CALL("1", "eth_newFilter\\u0000\\\"<"), "1", -32601);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"params\":[1]}", "1", -32602);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"params\":{}}", "1", -32602);
}

/* JSON has several spellings of a string, and they mean the same. */
static void escapes_mean_what_they_stand_for(void **state)
{
    (void)state;
    assert_string_equal(rpc(CALL("1", "eth\\u005fchain\\u0049d")), OK("1", "\"0x45f9f\""));
    assert_string_equal(rpc("{\"jsonrpc\":\"2\\u002e0\",\"\\u0069d\":\"\\u0031\",\"\\u006dethod\":\"eth_chainId\"}"),
                        OK("\"\\u0031\"", "\"0x45f9f\""));
    rpc("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getBlockTransactionCountByNumber\",\"params\":["
        "\"l\\u0061test\"]}");
    rig_expect("\"result\":");
    rpc("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getBlockTransactionCountByNumber\",\"params\":["
        "\"\\u0030\\u00780\"]}");
    rig_expect("\"result\":");
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getBlockTransactionCountByNumber\",\"params\":["
                 "\"l\\u0000test\"]}",
                 "1", -32602);
    expect_error(CALL("1", "eth_chainId\\u0000"), "1", -32601);
    expect_error(CALL("1", "eth\\/chainId"), "1", -32601);
    expect_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"m\\u0065thod\":\"eth_chainId\"}", "1",
                 -32600); /* one key, twice */
}

/* Quotes in a message are escaped and readable; a result of a command has no room for escapes. */
static void messages_quote_with_apostrophes(void **state)
{
    (void)state;
    rpc("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"eth_chainId\"}");
    rig_expect("\"message\":\"not a request: jsonrpc '2.0', a method,");
    rpc("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getBalance\",\"params\":[\"0x12\"]}");
    rig_expect("address must be 0x and 40 hex digits, not '0x12'\"");
    rpc(CALL("1", "eth_new\\\"\\u0000"));
    rig_expect("the method is not offered: eth_new?'?u0000\"");
}

static void the_content_type_is_json_or_absent(void **state)
{
    static const char *const wrong[] = { "text/plain", "application/jsonx", "application/json-patch+json" };
    struct http_request      request = rig_request(HTTP_POST, "/rpc");

    (void)state;
    request.body = SLICE(CALL("1", "eth_chainId"));
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_string_equal(rig_body, OK("1", "\"0x45f9f\""));
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json; charset=utf-8");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_string_equal(rig_body, OK("1", "\"0x45f9f\""));
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        rig_put_header(&request, HEADER_CONTENT_TYPE, wrong[i]);
        assert_int_equal(rig_handle(&request), API_ANSWER);
        rig_expect("\"code\":-32600");
    }
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    request.repeated[HEADER_CONTENT_TYPE] = true;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    rig_expect("\"code\":-32600");
}

static void other_methods_of_http_are_refused(void **state)
{
    (void)state;
    rig_get("/rpc");
    assert_int_equal(rig_answer.status, 405);
    assert_int_equal(rig_code(), 40590);
}

static void a_batch_answers_each_call_in_its_order(void **state)
{
    (void)state;
    assert_string_equal(rpc("[" CALL("1", "eth_chainId") "]"), "[" OK("1", "\"0x45f9f\"") "]");
    assert_string_equal(rpc(" [ " CALL("1", "eth_chainId") " , " CALL("\"b\"", "net_version") " ] "),
                        "[" OK("1", "\"0x45f9f\"") "," OK("\"b\"", "\"286623\"") "]");
    rpc("[" CALL("1", "eth_chainId") ",1,{\"foo\":\"boo\"}," CALL("2", "nope") "," CALL("3", "net_version") "]");
    rig_expect("[" OK("1", "\"0x45f9f\"") ",{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,");
    rig_expect(",{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,");
    rig_expect("," OK("3", "\"286623\"") "]");
}

static void notifications_are_not_answered(void **state)
{
    (void)state;
    assert_string_equal(rpc("{\"jsonrpc\":\"2.0\",\"method\":\"eth_chainId\"}"), "");
    assert_string_equal(rpc("{\"jsonrpc\":\"2.0\",\"method\":\"no_such_method\"}"), "");
    assert_string_equal(
        rpc("[{\"jsonrpc\":\"2.0\",\"method\":\"eth_chainId\"},{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"), "");
    assert_string_equal(rpc("[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}," CALL(
                            "1", "eth_chainId") ",{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"),
                        "[" OK("1", "\"0x45f9f\"") "]");
}

static void a_batch_has_at_most_a_hundred_calls(void **state)
{
    static char body[16384];
    struct out  out;

    (void)state;
    for (int calls = 100; calls <= 101; calls++) {
        out = out_make(body, sizeof(body) - 1);
        for (int i = 0; i < calls; i++)
            out_text(&out, i == 0 ? "[" CALL("1", "eth_chainId") : "," CALL("1", "eth_chainId"));
        out_char(&out, ']');
        body[out.len] = '\0';
        assert_int_equal(rpc_call_count(out_slice(&out)), calls);
        if (calls == 101) expect_error(body, "null", -32600);
        else assert_memory_equal(rpc(body), "[" OK("1", "\"0x45f9f\""), 40);
    }
}

static void calls_are_counted_before_they_are_done(void **state)
{
    (void)state;
    assert_int_equal(rpc_call_count(SLICE("")), 1);
    assert_int_equal(rpc_call_count(SLICE("nonsense")), 1);
    assert_int_equal(rpc_call_count(SLICE("[]")), 1);
    assert_int_equal(rpc_call_count(SLICE("{}")), 1);
    assert_int_equal(rpc_call_count(SLICE(" [ 1 , {} , [] ] ")), 3);
}

static void depth_is_bounded(void **state)
{
    char body[256];

    (void)state;
    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"x\":%.*s%.*s}", 31,
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 31, "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    assert_string_equal(rpc(body), OK("1", "\"0x45f9f\""));
    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\",\"x\":%.*s%.*s}", 32,
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 32, "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    expect_error(body, "null", -32700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_is_answered_with_its_id),
        TEST(what_is_not_json_is_a_parse_error),
        TEST(json_that_is_no_request_is_invalid),
        TEST(unknown_methods_and_bad_parameters_have_their_codes),
        TEST(escapes_mean_what_they_stand_for),
        TEST(messages_quote_with_apostrophes),
        TEST(the_content_type_is_json_or_absent),
        TEST(other_methods_of_http_are_refused),
        TEST(a_batch_answers_each_call_in_its_order),
        TEST(notifications_are_not_answered),
        TEST(a_batch_has_at_most_a_hundred_calls),
        TEST(calls_are_counted_before_they_are_done),
        TEST(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
