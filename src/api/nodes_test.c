/* SPDX-License-Identifier: MIT */
/* nodes_test.c — requests on a node that shares its log with others: reads that name a command, writes for the leader.
 */
#include "rigs/api/test_rig.h"

static struct limiter limiter;

static void limit(void)
{
    static const struct limiter_settings settings = {
        .weight_per_minute = 100,
        .addresses = 64,
        .key_per_minute = 1,
        .key_per_month = 100000,
        .keys = 64,
        .key_groups = { [GROUP_RPC] = 1 },
    };
    static const uint64_t seed[2] = { 3, 4 };
    static void          *memory;

    free(memory);
    memory = aligned_alloc(64, limiter_size(&settings) + 64);
    memset(memory, 0, limiter_size(&settings) + 64);
    limiter_init(&limiter, memory, &settings, seed);
    rig_shared.limiter = &limiter;
    rig_context.second = 1000;
    assert_true(ip_read(SLICE("127.0.0.1"), &rig_context.peer));
}

static int begin(void **state)
{
    int result = rig_begin(state);

    limit();
    return result;
}

/* What is left of the address's weight; all of it is spent then. */
static uint32_t left(void)
{
    struct minute_key key = ip_key(&rig_context.peer);
    uint32_t          units = 0, second = rig_context.second;

    while (minutes_spend(limiter.weight, &key, 1, &second) == 0) units += 1;
    return units;
}

static struct http_request write_of(const char *body)
{
    struct http_request request = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch");

    request.body = slice_of(body);
    return request;
}

static struct http_request call_of(const char *body)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");

    request.body = slice_of(body);
    return request;
}

/* ---- /readyz ---- */

static void look_nowhere(void *self, struct ready_record *record, char leader[256])
{
    (void)self;
    leader[0] = '\0';
    record->node = SLICE("n1");
}

static int64_t age_of(void *self) { return *(int64_t *)self; }

static void a_node_that_may_be_old_is_not_ready(void **state)
{
    int64_t         age_ms = 30000;
    struct api_node node = { &age_ms, look_nowhere, age_of };

    (void)state;
    rig_shared.node = &node;
    (void)rig_get("/readyz");
    assert_int_equal(rig_answer.status, 200);
    rig_expect("\"node\":\"n1\"");
    age_ms = 30001;
    (void)rig_get("/readyz");
    assert_int_equal(rig_answer.status, 503);
    assert_int_equal(rig_code(), 50301);
    rig_expect("\"got\":\"31 s\",\"need\":\"at most 30 s\"");
    rig_shared.node = NULL;
    (void)rig_get("/readyz");
    assert_int_equal(rig_answer.status, 200);
}

/* ---- X-Dojima-Min-Seq ---- */

static enum api_freshness read_header(uint8_t method, const char *target, const char *value, uint64_t *seq)
{
    struct http_request request = rig_request(method, target);

    rig_put_header(&request, HEADER_MIN_SEQ, value);
    return api_min_seq(&request, seq);
}

static void the_header_is_a_plain_number(void **state)
{
    static const char *const wrong[] = { "", "-1", "+1", "1.5", "01", "0x1", "1 2", "1,2", "18446744073709551616" };
    struct http_request      twice = rig_request(HTTP_GET, "/api/v1/time");
    uint64_t                 seq;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++)
        assert_int_equal(read_header(HTTP_GET, "/api/v1/time", wrong[i], &seq), FRESH_MALFORMED);
    assert_int_equal(read_header(HTTP_GET, "/api/v1/time", "18446744073709551615", &seq), FRESH);
    assert_true(seq == UINT64_MAX);
    assert_int_equal(read_header(HTTP_GET, "/api/v1/time", "0", &seq), FRESH);
    assert_int_equal(seq, 0);
    assert_int_equal(read_header(HTTP_GET, "/api/v1/time", NULL, &seq), FRESH);
    assert_int_equal(seq, 0);
    rig_put_header(&twice, HEADER_MIN_SEQ, "7");
    twice.repeated[HEADER_MIN_SEQ] = true;
    assert_int_equal(api_min_seq(&twice, &seq), FRESH_MALFORMED);
}

static void reads_name_a_command_and_signed_writes_do_not(void **state)
{
    uint64_t seq;

    (void)state;
    assert_int_equal(read_header(HTTP_HEAD, "/api/v1/time", "7", &seq), FRESH);
    assert_int_equal(seq, 7);
    assert_int_equal(read_header(HTTP_POST, "/rpc", "7", &seq), FRESH);
    assert_int_equal(seq, 7);
    assert_int_equal(read_header(HTTP_POST, "/api/v1/spot/trade/orders/batch", "7", &seq), FRESH);
    assert_int_equal(seq, 0);
    assert_int_equal(read_header(HTTP_DELETE, "/api/v1/spot/trade/orders/batch", "nonsense", &seq), FRESH);
    assert_int_equal(seq, 0);
}

static void a_read_that_is_too_old_is_refused_and_charged(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");

    (void)state;
    rig_put_header(&request, HEADER_MIN_SEQ, "12");
    rig_context.freshness = FRESH_TOO_LATE;
    rig_context.applied_seq = 11;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 503);
    assert_false(rig_answer.close);
    assert_true(slice_is(rig_answer.extra, "Retry-After: 1\r\n"));
    assert_int_equal(rig_code(), 50301);
    rig_expect("\"field\":\"X-Dojima-Min-Seq\",\"got\":\"12\",\"need\":\"at most 11\"");
    assert_int_equal(left(), 98);
}

static void a_malformed_header_is_named(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/api/v1/time");

    (void)state;
    rig_put_header(&request, HEADER_MIN_SEQ, "soon");
    rig_context.freshness = FRESH_MALFORMED;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 400);
    assert_true(rig_answer.close);
    rig_expect("\"error\":\"X-Dojima-Min-Seq is invalid\"");
    rig_expect("\"field\":\"X-Dojima-Min-Seq\",\"got\":\"soon\"");
}

/* ---- writes for the leader ---- */

/* A node that is behind cannot judge nonces and keys, so it does not: neither headers nor signature are looked at. */
static void a_write_goes_to_the_leader_unjudged(void **state)
{
    struct http_request request = write_of("{\"nonsense\":1}"), other;

    (void)state;
    rig_context.forwards = true;
    assert_int_equal(rig_handle(&request), API_FORWARD);
    request.method = HTTP_DELETE;
    assert_int_equal(rig_handle(&request), API_FORWARD);
    other = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");
    assert_int_equal(rig_handle(&other), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    other = rig_request(HTTP_POST, "/api/v1/spot/markets/symbols");
    assert_int_equal(rig_handle(&other), API_ANSWER);
    assert_int_equal(rig_answer.status, 405);
    rig_context.forwards = false;
    request.method = HTTP_POST;
    assert_int_equal(rig_handle(&request), API_ANSWER);
}

static void it_is_charged_where_the_client_is_connected(void **state)
{
    static char         body[1 << 15];
    struct out          out = out_make(body, sizeof(body) - 1);
    struct http_request request;

    (void)state;
    rig_context.forwards = true;
    out_literal(&out, "{\"accountID\":1001,\"cancels\":[");
    for (int i = 0; i < 80; i++)
        out_text(&out, i == 0 ? "{\"symbolID\":1,\"clOrdID\":\"c\",\"orderID\":7}"
                              : ",{\"symbolID\":1,\"clOrdID\":\"c\",\"orderID\":7}");
    out_literal(&out, "]}");
    request = write_of(body);
    request.method = HTTP_DELETE;
    assert_int_equal(rig_handle(&request), API_FORWARD);
    assert_int_equal(left(), 97); /* 1, and 1 per 40 items */
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
}

static void the_leader_does_not_charge_what_another_node_has_charged(void **state)
{
    struct http_request request = write_of("{}"),
                        call = call_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"evm_mine\"}");

    (void)state;
    rig_put_header(&call, HEADER_API_KEY, "mine");
    (void)left();
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_context.forwarded = true;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    for (int i = 0; i < 3; i++) assert_int_equal(rig_handle(&call), API_COMMAND); /* one a minute, of a key's name */
}

static void json_rpc_goes_to_the_leader_with_a_command_in_it(void **state)
{
    struct http_request read = call_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"}");
    struct http_request mine = call_of("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"},"
                                       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"evm_mine\"}]");

    (void)state;
    rig_context.forwards = true;
    assert_int_equal(rig_handle(&read), API_ANSWER);
    assert_int_equal(rig_handle(&mine), API_FORWARD);
    rig_shared.settings.development = false; /* then there is no such method */
    assert_int_equal(rig_handle(&mine), API_ANSWER);
}

static void a_node_that_starts_or_is_overloaded_forwards_nothing(void **state)
{
    struct http_request request = write_of("{}");

    (void)state;
    rig_context.forwards = true;
    rig_context.ready = false;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 503);
    rig_context.ready = true;
    rig_context.shed = 1u << CLASS_RISK;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 503);
}

#define LIMITED(name) cmocka_unit_test_setup_teardown(name, begin, rig_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED(a_node_that_may_be_old_is_not_ready),
        LIMITED(the_header_is_a_plain_number),
        LIMITED(reads_name_a_command_and_signed_writes_do_not),
        LIMITED(a_read_that_is_too_old_is_refused_and_charged),
        LIMITED(a_malformed_header_is_named),
        LIMITED(a_write_goes_to_the_leader_unjudged),
        LIMITED(it_is_charged_where_the_client_is_connected),
        LIMITED(the_leader_does_not_charge_what_another_node_has_charged),
        LIMITED(json_rpc_goes_to_the_leader_with_a_command_in_it),
        LIMITED(a_node_that_starts_or_is_overloaded_forwards_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
