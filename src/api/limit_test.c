/* SPDX-License-Identifier: MIT */
/* limit_test.c — who is charged for a request, and the response at the 1201st unit, of each of the limits. */
#include "rigs/api/limit_rig.h"

/* ---- the answer ---- */

static void the_1201st_unit_is_refused_with_the_documented_body(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");

    (void)state;
    limit_by(&usual);
    for (int i = 0; i < 600; i++) {
        rig_context.second = 1000 + (uint32_t)i / 20; /* 40 units a second, for half a minute */
        assert_int_equal(rig_handle(&request), API_ANSWER);
        assert_int_equal(rig_answer.status, 200);
    }
    rig_context.second = 1040;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    assert_false(rig_answer.close);
    assert_string_equal(
        rig_body,
        "{\"code\":42901,\"message\":\"rate limit exceeded\",\"error\":\"rate limit exceeded\",\"timestamp\":" NOW_TEXT
        ",\"details\":{\"limit\":1200,\"window\":\"1m\",\"retry_after\":21}}");
    assert_true(slice_is(rig_answer.extra, "Retry-After: 21\r\n"));
    rig_context.second = 1060;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_context.second = 1061; /* the first second is out of the window */
    assert_int_equal(left_of(&rig_context.peer), 40);
    (void)rig_get("/healthz");
    assert_int_equal(rig_answer.status, 200);
}

/* Ruling 53: they weigh 0, also where nothing is left and however many there are; the owner paces them. */
static void what_weighs_nothing_is_answered_without_budget(void **state)
{
    static const char *const paths[] = { "/healthz", "/readyz", "/version" };
    int64_t                  last_ms = 0;
    struct http_request      options = rig_request(HTTP_OPTIONS, "/api/v1/spot/markets/symbols");

    (void)state;
    limit_by(&usual);
    rig_context.weightless_ms = &last_ms;
    rig_context.mono_ms = 77;
    assert_int_equal(left_of(&rig_context.peer), 1200);
    for (size_t i = 0; i < 3 * ARRAY_COUNT(paths); i++) {
        (void)rig_get(paths[i % ARRAY_COUNT(paths)]);
        assert_int_equal(rig_answer.status, 200);
        assert_int_equal(last_ms, 77);
    }
    rig_context.mono_ms = 78;
    assert_int_equal(rig_handle(&options), API_ANSWER);
    assert_int_equal(rig_answer.status, 204);
    assert_int_equal(last_ms, 78);
    rig_context.mono_ms = 79; /* what weighs something leaves the note alone, answered or not */
    (void)rig_get("/api/v1/spot/markets/symbols");
    assert_int_equal(rig_answer.status, 429);
    assert_int_equal(last_ms, 78);
    from_somebody_new();
    for (int i = 0; i < 10; i++) (void)rig_get("/healthz");
    assert_int_equal(left_of(&rig_context.peer), 1200);
    rig_context.weightless_ms = NULL;
}

static void a_refused_write_is_not_looked_at(void **state)
{
    struct http_request request = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch");

    (void)state;
    limit_by(&usual);
    assert_int_equal(left_of(&rig_context.peer), 1200);
    request.body = SLICE("{");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_code(), 42901);
    rig_expect_not("nonce");
}

/* ---- the address charged ---- */

static uint32_t peer_spends(const char *peer, const char *forwarded, const char *whose)
{
    struct http_request request = rig_request(HTTP_GET, "/api/v1/spot/markets/symbols");
    struct ip           ip;

    assert_true(ip_read(slice_of(peer), &rig_context.peer));
    if (forwarded != NULL) request.forwarded[0][request.forwarded_count[0]++] = slice_of(forwarded);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    assert_true(ip_read(slice_of(whose), &ip));
    return 1200 - left_of(&ip);
}

static void only_a_trusted_proxy_speaks_for_others(void **state)
{
    struct limiter_settings settings = usual;

    (void)state;
    limit_by(&settings);
    assert_int_equal(peer_spends("192.0.2.1", "203.0.113.9", "203.0.113.9"), 0); /* no proxy is trusted */
    assert_int_equal(peer_spends("192.0.2.2", "203.0.113.9", "192.0.2.2"), 2);
    settings.proxies.count = 1;
    assert_true(ip_range_read(SLICE("10.0.0.0/8"), &settings.proxies.ranges[0]));
    limit_by(&settings);
    assert_int_equal(peer_spends("192.0.2.1", "203.0.113.9", "203.0.113.9"), 0);
    assert_int_equal(peer_spends("10.0.0.1", "203.0.113.8", "203.0.113.8"), 2);
    assert_int_equal(peer_spends("10.0.0.1", "198.51.100.1, 203.0.113.7", "198.51.100.1"), 0);
    assert_int_equal(peer_spends("10.0.0.1", "198.51.100.1, 203.0.113.6", "203.0.113.6"), 2);
    assert_int_equal(peer_spends("10.0.0.2", "nonsense", "10.0.0.2"), 2);
    assert_int_equal(peer_spends("10.0.0.3", NULL, "10.0.0.3"), 2);
    assert_int_equal(peer_spends("10.0.0.4", "2001:db8:1:2::1", "2001:db8:1:2:ffff::1"), 2);
}

/* ---- the second rule set ---- */

static void a_name_is_counted_with_the_address_on_the_chain_node(void **state)
{
    struct limiter_settings settings = usual;
    struct http_request     request = rig_request(HTTP_POST, "/rpc");

    (void)state;
    settings.weight_per_minute = 0;
    limit_by(&settings);
    request.body = SLICE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"}");
    for (int i = 0; i < 30; i++) { /* without a name nothing is counted */
        assert_int_equal(rig_handle(&request), API_ANSWER);
        assert_int_equal(rig_answer.status, 200);
        assert_int_equal(rig_answer.extra.len, 0);
    }
    rig_put_header(&request, HEADER_API_KEY, "default"); /* the main wallet, which is no key (ruling 7) */
    for (int i = 0; i < 30; i++) {
        assert_int_equal(rig_handle(&request), API_ANSWER);
        assert_int_equal(rig_answer.status, 200);
        assert_int_equal(rig_answer.extra.len, 0);
    }
    rig_put_header(&request, HEADER_API_KEY, "mine");
    for (int i = 0; i < 20; i++) {
        char lines[160];
        (void)snprintf(lines, sizeof(lines),
                       "X-RateLimit-Limit: 20\r\nX-RateLimit-Remaining: %d\r\nX-RateLimit-Reset: %lld\r\n", 19 - i,
                       (long long)NOW + 60000);
        assert_int_equal(rig_handle(&request), API_ANSWER);
        assert_int_equal(rig_answer.status, 200);
        assert_true(slice_is(rig_answer.extra, lines));
    }
    rig_context.now_ms += 500;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_expect("\"details\":{\"limit\":20,\"window\":\"1m\",\"retry_after\":60}}");
    assert_memory_equal(rig_answer.extra.at, "Retry-After: 60\r\nX-RateLimit-Limit: 20\r\nX-RateLimit-Remaining: 0\r\n",
                        66);
    rig_put_header(&request, HEADER_API_KEY, "another");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    rig_put_header(&request, HEADER_API_KEY, "mine");
    from_somebody_new(); /* the same name with another owner */
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
}

#define ORDER(id)                                                                                                      \
    "{\"symbolID\":1,\"clOrdID\":\"" id                                                                                \
    "\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}"

static enum api_outcome place(int owner, const char *body, bool good)
{
    struct http_request request = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch");
    struct hash256      separator = domain_separator(DOMAIN_SPOT, 286623),
                   payload = payload_hash(SLICE("batchNewOrder"), slice_of(body));
    struct hash256   digest = action_digest(&separator, &payload, NOW);
    struct signature signature;
    static char      text[135];

    assert_true(sign_digest(&digest, rig_secret[good ? owner : 2], 1, &signature));
    signature_write(&signature, text);
    text[134] = '\0';
    request.body = slice_of(body);
    rig_put_header(&request, HEADER_API_NONCE, NOW_TEXT);
    rig_put_header(&request, HEADER_API_SIGN, text);
    return rig_handle(&request);
}

static void signed_requests_are_counted_behind_the_proof(void **state)
{
    static const char *const        mine = "{\"accountID\":1001,\"orders\":[" ORDER("a") "]}",
                             *const his = "{\"accountID\":1002,\"orders\":[" ORDER("a") "]}";
    struct limiter_settings         settings = usual;

    (void)state;
    settings.key_groups[GROUP_SPOT] = 1;
    settings.key_per_minute = 3;
    limit_by(&settings);
    for (int i = 0; i < 10; i++) { /* a stranger uses up nothing of mine */
        assert_int_equal(place(0, mine, false), API_ANSWER);
        assert_int_equal(rig_code(), 40101);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(place(0, mine, true), API_COMMAND);
        assert_int_equal(rig_write.quota.limit, 3);
        assert_int_equal(rig_write.quota.remaining, 2 - i);
    }
    assert_int_equal(place(0, mine, true), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_expect("{\"limit\":3,\"window\":\"1m\",\"retry_after\":60}");
    assert_int_equal(place(1, his, true), API_COMMAND);
    assert_int_equal(rig_write.quota.remaining, 2);
    settings.key_groups[GROUP_SPOT] = 0;
    limit_by(&settings);
    for (int i = 0; i < 10; i++) assert_int_equal(place(0, mine, true), API_COMMAND);
    assert_int_equal(rig_write.quota.limit, 0);
}

/* ---- used nonces ---- */

static struct refused refusal; /* of the engine that is asked; reject 0 = none */

static bool refuse_nonce(void *self, const struct command *command, struct refused *refused)
{
    assert_null(self);
    *refused = refusal;
    refused->nonce = command->nonce;
    return refusal.reject != 0;
}

/* What the engine's own refusal is answered with, for the last request. */
static void expect_as_of_the_engine(void)
{
    static char        body[4096], room[512];
    struct api_result  result = { .events = { (uint8_t *)room, 0, sizeof(room) } };
    struct refused    *event = EVENT_ADD(&result.events, REFUSED, refused, MARKET_SPOT);
    struct event       head = event->head;
    struct out         out = out_make(body, sizeof(body));
    struct http_answer answer;

    *event = refusal;
    event->head = head;
    event->nonce = NOW;
    api_reply(rig_api, &rig_context, rig_write.endpoint, &result, &answer, &out);
    assert_int_equal(rig_answer.status, answer.status);
    if (!slice_is(out_slice(&out), rig_body)) fail_msg("%s\nis not\n%s", rig_body, body);
}

static void a_used_nonce_costs_its_signer_nothing(void **state)
{
    static const char *const       mine = "{\"accountID\":1001,\"orders\":[" ORDER("a") "]}";
    static const struct api_nonces nonces = { NULL, refuse_nonce };
    struct limiter_settings        settings = usual;

    (void)state;
    settings.key_groups[GROUP_SPOT] = 1;
    settings.key_per_minute = 3;
    settings.orders_per_minute = 100;
    limit_by(&settings);
    rig_shared.nonces = &nonces;
    for (uint32_t i = 0; i < 200; i++) {
        refusal = (struct refused){ .reject = REJECT_BAD_NONCE,
                                    .nonce_reason = i % 2 == 0 ? NONCE_USED : NONCE_TOO_SMALL,
                                    .smallest = i % 2 == 0 ? 0 : NOW + 7,
                                    .same_payload = i % 4 == 0,
                                    .used_seq = i % 2 == 0 ? 4821 : 0 };
        assert_int_equal(place(0, mine, true), API_ANSWER);
        assert_int_equal(rig_code(), 40102);
        expect_as_of_the_engine();
        assert_true(slice_is(rig_answer.extra, i % 4 == 0 ? "X-Dojima-Seq: 4821\r\n" : ""));
    }
    refusal.reject = 0;
    assert_int_equal(place(0, mine, true), API_COMMAND);
    assert_int_equal(rig_write.quota.remaining, 2);
    rig_shared.nonces = NULL;
}

static void the_month_is_a_limit_of_its_own(void **state)
{
    struct limiter_settings settings = usual;
    struct http_request     request = rig_request(HTTP_POST, "/rpc");

    (void)state;
    settings.key_per_month = 2;
    limit_by(&settings);
    request.body = SLICE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"}");
    rig_put_header(&request, HEADER_API_KEY, "mine");
    for (int i = 0; i < 2; i++) assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_expect("\"details\":{\"limit\":2,\"window\":\"1M\",\"retry_after\":");
}

static void a_reply_says_what_is_left(void **state)
{
    uint8_t                bytes[512];
    struct api_result      result = { .events = { bytes, 0, sizeof(bytes) },
                                      .is_transaction = true,
                                      .place = { .block = 7 },
                                      .quota = { .limit = 20, .remaining = 4, .reset_ms = NOW } };
    struct result         *event = EVENT_ADD(&result.events, RESULT, result, MARKET_SPOT);
    struct out             out = out_make(rig_body, sizeof(rig_body));
    const struct endpoint *row = endpoints;

    (void)state;
    (void)event;
    while (row->command != CMD_PLACE_ORDERS) row++;
    api_reply(rig_api, &rig_context, row, &result, &rig_answer, &out);
    assert_memory_equal(
        rig_answer.extra.at,
        "X-RateLimit-Limit: 20\r\nX-RateLimit-Remaining: 4\r\nX-RateLimit-Reset: " NOW_TEXT "\r\nX-Chain-Tx: 0x", 92);
}

/* ---- orders per minute ---- */

static void orders_are_counted_by_account_and_a_batch_as_its_items(void **state)
{
    static const char *const one = "{\"accountID\":1001,\"orders\":[" ORDER("a") "]}";
    static const char *const primary = "{\"accountID\":0,\"orders\":[" ORDER("a") "]}";
    static const char *const three = "{\"accountID\":1001,\"orders\":[" ORDER("a") "," ORDER("b") "," ORDER("c") "]}";
    struct limiter_settings  settings = usual;

    (void)state;
    settings.orders_per_minute = 100;
    limit_by(&settings);
    for (int i = 0; i < 32; i++) assert_int_equal(place(0, three, true), API_COMMAND);
    assert_int_equal(place(0, one, true), API_COMMAND);
    assert_int_equal(place(0, primary, true), API_COMMAND); /* 98 of the same account */
    assert_int_equal(place(0, three, true), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    rig_expect("order rate limit exceeded");
    rig_expect("{\"limit\":100,\"window\":\"1m\",\"retry_after\":61}");
    assert_int_equal(place(0, one, true), API_COMMAND);
    assert_int_equal(place(0, primary, true), API_COMMAND);
    assert_int_equal(place(0, one, true), API_ANSWER);
    assert_int_equal(place(1, "{\"accountID\":1002,\"orders\":[" ORDER("a") "]}", true), API_COMMAND);
    rig_context.second += 61;
    assert_int_equal(place(0, three, true), API_COMMAND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_1201st_unit_is_refused_with_the_documented_body),
        TEST(what_weighs_nothing_is_answered_without_budget),
        TEST(a_refused_write_is_not_looked_at),
        TEST(only_a_trusted_proxy_speaks_for_others),
        TEST(a_name_is_counted_with_the_address_on_the_chain_node),
        TEST(signed_requests_are_counted_behind_the_proof),
        TEST(a_used_nonce_costs_its_signer_nothing),
        TEST(the_month_is_a_limit_of_its_own),
        TEST(a_reply_says_what_is_left),
        TEST(orders_are_counted_by_account_and_a_batch_as_its_items),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
