/* SPDX-License-Identifier: MIT */
/* route_test.c — paths, methods, CORS, and unknown paths. */
#include "rigs/api/test_rig.h"

static bool extra_has(const char *part)
{
    char text[1024];

    snprintf(text, sizeof(text), "%.*s", (int)rig_answer.extra.len, rig_answer.extra.at);
    return strstr(text, part) != NULL;
}

static void handle(uint8_t method, const char *target)
{
    struct http_request request = rig_request(method, target);

    assert_int_equal(rig_handle(&request), API_ANSWER);
}

/* A path of the row with its parameter filled in. */
static const char *target_of(const struct endpoint *row, int base)
{
    static char text[256];
    struct out  out = out_make(text, sizeof(text) - 1);
    const char *at = row->path;

    out_text(&out, base_path[base]);
    for (; *at != '\0'; at++) {
        if (*at != '{') {
            out_char(&out, *at);
            continue;
        }
        out_text(&out, at[1] != 's' ? rig_owner_hex(0) : base == BASE_PERPS ? "BTC-USD" : "vBTC_vUSDC");
        at = strchr(at, '}');
    }
    if (strstr(row->path, "/klines") != NULL) out_text(&out, "?interval=1m"); /* the required parameters */
    if (strstr(row->path, "/ranking") != NULL) out_text(&out, "?receiptID=1");
    text[out.len] = '\0';
    return text;
}

static void every_row_is_reached_by_its_path_and_method(void **state)
{
    (void)state;
    rig_history.receipts[0].is = (struct liquidated){ .receipt_id = 1,
                                                      .symbol_id = 1,
                                                      .stage = STAGE_BOOK,
                                                      .margin_mode = MARGIN_CROSS,
                                                      .side = SIDE_SELL,
                                                      .index_state = ORACLE_LIVE };
    rig_history.receipts[0].role = RECEIPT_LIQUIDATED;
    rig_history.receipt_count = 1;
    for (uint32_t i = 0; i < endpoint_count * BASE_COUNT; i++) {
        const struct endpoint *row = &endpoints[i / BASE_COUNT];
        if ((row->bases >> i % BASE_COUNT & 1) == 0) continue;
        handle(row->method, target_of(row, (int)(i % BASE_COUNT)));
        if (row->command == 0 && row->gives == NULL)
            continue; /* JSON-RPC, the contract, the page: no envelope of ours */
        if (row->command != 0)
            assert_int_equal(rig_code(),
                             row->sender == SENDER_FEEDER ? 40101 : 40102); /* a signed write without headers */
        else assert_int_equal(rig_code(), 0);
        assert_int_equal(rig_answer.status, 200);
        assert_false(rig_answer.close);
    }
}

static void every_row_says_what_it_is(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < endpoint_count; i++) {
        const struct endpoint *row = &endpoints[i];
        assert_true((row->answer != NULL) != (row->command != 0));
        assert_true((endpoint_type(row) != NULL) == (row->command != 0));
        assert_true(strlen(row->doc) > 10);
        assert_true(row->limit_default <= row->limit_max);
        assert_string_equal(strchr(row->name, ' ') + 1, row->path);
        assert_true(row->command == 0 || endpoint_takes(row) != NULL);
    }
}

static void the_class_of_a_request_is_that_of_its_row(void **state)
{
    /* clang-format off */
    static const struct { const char *text; uint8_t class; } rows[] = {
        { "DELETE /api/v1/spot/trade/orders/batch HTTP/1.1\r\n", CLASS_CANCEL }, { "DELETE ", CLASS_READ },
          { "DELET", CLASS_READ },
        { "DELETED /x HTTP/1.1", CLASS_READ }, { "delete /x ", CLASS_READ },
        { "POST /api/v1/perps/trade/orders/schedule-cancel HTTP/1.1", CLASS_CANCEL },
          { "POST /api/v1/oracle HTTP/1.1", CLASS_CANCEL },
        { "POST /api/v1/spot/trade/orders/replace?x=1 HTTP/1.1", CLASS_REPLACE },
          { "POST /api/v1/perps/trade/orders/modify HTTP", CLASS_REPLACE },
        { "POST /api/v1/spot/accounts/transfers HTTP/1.1", CLASS_TRANSFER },
          { "POST /api/v1/perps/trade/leverage HTTP/1.1", CLASS_TRANSFER },
        { "POST /api/v1/perps/trade/orders HTTP/1.1", CLASS_RISK },
          { "POST /api/v1/spot/trade/orders/batch HTTP/1.1", CLASS_RISK },
        { "POST /api/v1/spot/trade/orders/batch", CLASS_READ },         /* there may be more of it */
        /* no row */
        { "POST /api/v1/perps/trade/orders/batch HTTP/1.1", CLASS_READ },
          { "POST /api/v1/x/trade/orders HTTP/1.1", CLASS_READ },
        { "DELETE /api/v1/user/0x1111111111111111111111111111111111111111/api-keys HTTP/1.1", CLASS_CANCEL },
        { "POST /rpc HTTP/1.1", CLASS_READ }, { "GET /api/v1/spot/trade/orders/batch HTTP/1.1", CLASS_READ },
          { "", CLASS_READ }, { "POST ", CLASS_READ },
    };
    /* clang-format on */
    char long_path[400];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (api_class(rig_api, slice_of(rows[i].text)) != rows[i].class) print_message("%s\n", rows[i].text);
        assert_int_equal(api_class(rig_api, slice_of(rows[i].text)), rows[i].class);
    }
    memset(long_path, 'a', sizeof(long_path));
    memcpy(long_path, "POST /", 6);
    memcpy(long_path + sizeof(long_path) - 8, "/orders ", 8);
    assert_int_equal(api_class(rig_api, slice_make(long_path, sizeof(long_path))), CLASS_READ);
}

static void every_write_has_the_class_of_its_command(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < endpoint_count * BASE_COUNT; i++) {
        const struct endpoint *row = &endpoints[i / BASE_COUNT];
        char                   line[400];

        if ((row->bases >> i % BASE_COUNT & 1) == 0) continue;
        (void)snprintf(line, sizeof(line), "%s %s HTTP/1.1\r\n",
                       row->method == HTTP_DELETE ? "DELETE"
                       : row->method == HTTP_POST ? "POST"
                                                  : "GET",
                       target_of(row, (int)(i % BASE_COUNT)));
        assert_int_equal(api_class(rig_api, slice_of(line)),
                         row->command != 0 ? command_row(row->command)->class : CLASS_READ);
    }
}

static void unknown_paths_are_404_with_an_envelope(void **state)
{
    /* clang-format off */
    static const char *const paths[] = {
        "/nope", "/api", "/api/v1", "/api/v1/spot", "/api/v1/spot/", "/api/v1/spot/markets",
            "/api/v1/spot/markets/symbols/",
        "/api/v1/spot//markets/symbols", "/api/v1/spot/markets//orderbook",
            "/api/v1/spot/markets/vBTC_vUSDC/orderbook/x",
        "/api/v1/spot/Markets/symbols", "/api/v1/spot/markets/symbols%20", "/api/v2/spot/markets/symbols",
            "/api/v1/perps/markets/nothing", "/api/v1/spotted/markets/symbols", "/api/v1spot/markets/symbols",
        "/api/v1/spot/a/b/c/d/e/f/g/h", "/api/v1/spot/accounts/x/y/z", "/markets/symbols", "//healthz", "/healthz/", "",
            "*", "healthz",
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        handle(HTTP_GET, paths[i]);
        if (rig_answer.status != 404) fail_msg("%s: %s", paths[i], rig_body);
        assert_int_equal(rig_code(), 40490);
        rig_expect("\"error\":\"path not found\"");
        assert_false(rig_answer.close);
    }
}

static void paths_of_other_generations_name_the_way_that_exists(void **state)
{
    (void)state;
    handle(HTTP_POST, "/api/v1/spot/trade/orders");
    assert_int_equal(rig_answer.status, 404);
    rig_expect("send a batch of one to /api/v1/spot/trade/orders/batch");
    handle(HTTP_DELETE, "/api/v1/spot/trade/orders");
    assert_int_equal(rig_answer.status, 404);
    rig_expect("/api/v1/spot/trade/orders/batch");
    handle(HTTP_POST, "/api/v1/spot/trade/twaps");
    rig_expect("TWAP orders are not offered");
    handle(HTTP_GET, "/ws/spot");
    assert_int_equal(rig_answer.status, 426);
    rig_expect("this path is a WebSocket");
    handle(HTTP_POST, "/api/v1/user/0x00/builders");
    rig_expect("builder fees are not offered");
    for (uint32_t i = 0; i < redirect_target_count; i++) {
        struct path path;
        assert_true(path_split(slice_of(redirect_targets[i].path), &path));
        path.base = redirect_targets[i].base;
        if (strchr(redirect_targets[i].path, '{') != NULL) assert_null(route_first(&rig_api->routes, &path));
    }
    for (uint32_t i = 0; i < redirect_target_count;
         i++) { /* those without a parameter, also where a row has an address */
        char path[128];

        snprintf(path, sizeof(path), "%s%s", base_path[redirect_targets[i].base], redirect_targets[i].path);
        if (strchr(path, '{') != NULL) continue;
        handle(HTTP_GET, path);
        assert_int_equal(rig_answer.status, 404);
        rig_expect(redirect_targets[i].text);
    }
    handle(HTTP_GET, "/api/v1/user/deposit/status?x=1");
    rig_expect("the operator funds accounts");
    handle(HTTP_GET, "/api/v1/user/withdraw/status");
    rig_expect("the operator redeems");
    handle(HTTP_GET, "/api/v1/user/funding-history");
    rig_expect("GET /api/v1/perps/accounts/{userAddress}/fundings");
    handle(HTTP_GET, "/api/v1/user/deposited/status"); /* an address that is none */
    assert_int_equal(rig_code(), 40001);
}

static void a_wrong_method_is_405_and_says_which_are_right(void **state)
{
    (void)state;
    handle(HTTP_POST, "/api/v1/spot/markets/symbols");
    assert_int_equal(rig_answer.status, 405);
    assert_int_equal(rig_code(), 40590);
    assert_true(extra_has("Allow: GET, HEAD, OPTIONS\r\n"));
    handle(HTTP_GET, "/api/v1/spot/trade/orders/batch");
    assert_int_equal(rig_answer.status, 405);
    assert_true(extra_has("Allow: POST, DELETE, OPTIONS\r\n"));
    handle(HTTP_HEAD, "/api/v1/spot/trade/orders/batch");
    assert_int_equal(rig_answer.status, 405);
    handle(HTTP_PUT, "/healthz");
    assert_int_equal(rig_answer.status, 405);
    handle(HTTP_PATCH, "/healthz");
    assert_int_equal(rig_answer.status, 405);
}

/* RFC 9110, 15.6.2: it is no method of any path. */
static void an_unknown_method_is_501_with_an_envelope(void **state)
{
    static const char *const paths[] = { "/healthz", "/rpc", "/", "/nope", "/api/v1/spot/trade/orders/batch" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        handle(HTTP_OTHER, paths[i]);
        assert_int_equal(rig_answer.status, 501);
        assert_int_equal(rig_code(), 50190);
        rig_expect("\"error\":\"method not implemented\"");
        assert_false(rig_answer.close);
    }
}

static void the_root_leads_to_the_docs(void **state)
{
    (void)state;
    handle(HTTP_GET, "/");
    assert_int_equal(rig_answer.status, 302);
    assert_true(extra_has("Location: /docs\r\n"));
    rig_expect("This is dojima, an exchange.");
    assert_string_equal(strchr(rig_body, '\n'), "\n"); /* one line */
}

/* RFC 9110, 9.3.2: the length in the answer to HEAD is that of the answer to GET. */
static void head_says_how_long_the_answer_to_get_is(void **state)
{
    static const char *const paths[] = { "/",        "/rpc",  "/docs",
                                         "/healthz", "/nope", "/api/v1/spot/trade/orders/batch",
                                         "/ws/spot" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        struct http_request full = rig_request(HTTP_GET, paths[i]), head = rig_request(HTTP_HEAD, paths[i]);
        size_t              len;
        full.method_text = SLICE("GET");
        head.method_text = SLICE("HEAD");
        (void)rig_handle(&full);
        len = strlen(rig_body);
        (void)rig_handle(&head);
        assert_true(rig_answer.head);
        assert_int_equal(strlen(rig_body), len);
    }
}

static void head_is_get_without_its_body(void **state)
{
    (void)state;
    handle(HTTP_HEAD, "/api/v1/spot/markets/coins");
    assert_int_equal(rig_answer.status, 200);
    assert_true(rig_answer.head);
    assert_int_equal(rig_code(), 0);
    handle(HTTP_HEAD, "/nope");
    assert_int_equal(rig_answer.status, 404);
    assert_true(rig_answer.head);
    handle(HTTP_GET, "/healthz");
    assert_false(rig_answer.head);
}

static void browsers_are_told_what_they_may_send(void **state)
{
    struct http_request request = rig_request(HTTP_OPTIONS, "/api/v1/spot/trade/orders/batch");

    (void)state;
    rig_put_header(&request, HEADER_ORIGIN, "https://example.org");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 204);
    assert_true(slice_is(rig_answer.allow_origin, "*"));
    assert_string_equal(rig_body, "");
    assert_true(extra_has("Allow: POST, DELETE, OPTIONS\r\n"));
    assert_true(extra_has("Access-Control-Allow-Methods: GET, HEAD, POST, DELETE, OPTIONS\r\n"));
    assert_true(extra_has(
        "Access-Control-Allow-Headers: Content-Type, Accept, X-API-Key, X-API-Sign, X-API-Nonce, X-API-Chain, "
        "X-Dojima-Min-Seq\r\n"));
    assert_true(extra_has("Access-Control-Max-Age: 86400\r\n"));
    handle(HTTP_OPTIONS, "*");
    assert_int_equal(rig_answer.status, 204);
    handle(HTTP_OPTIONS, "/nope");
    assert_int_equal(rig_answer.status, 404);
}

static void the_origin_is_allowed_when_one_was_sent(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/healthz");

    (void)state;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.allow_origin.len, 0);
    rig_put_header(&request, HEADER_ORIGIN, "null");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_true(slice_is(rig_answer.allow_origin, "*"));
    request.path = SLICE("/nope");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_true(slice_is(rig_answer.allow_origin, "*"));
}

static void path_parameters_are_percent_decoded_strictly(void **state)
{
    char         room[8];
    struct slice decoded;

    (void)state;
    handle(HTTP_GET, "/api/v1/spot/markets/%76BTC_vUSDC/trades");
    assert_int_equal(rig_code(), 0);
    handle(HTTP_GET, "/api/v1/spot/markets/vBTC+vUSDC/trades");
    assert_int_equal(rig_code(), 40401);
    handle(HTTP_GET, "/api/v1/spot/markets/vBTC%2FvUSDC/trades");
    assert_int_equal(rig_code(), 40401);
    handle(HTTP_GET, "/api/v1/spot/markets/vBTC%/trades");
    assert_int_equal(rig_code(), 40001);
    handle(HTTP_GET, "/api/v1/spot/markets/vBTC%2/trades");
    assert_int_equal(rig_code(), 40001);
    assert_true(percent_decode(SLICE("a%2Bb%c3%a9"), room, sizeof(room), &decoded));
    assert_true(slice_is(decoded, "a+b\xc3\xa9"));
    assert_false(percent_decode(SLICE("%00"), room, sizeof(room), &decoded));
    assert_true(percent_decode(SLICE("12345678"), room, sizeof(room), &decoded));
    assert_false(percent_decode(SLICE("123456789"), room, sizeof(room), &decoded));
}

static void whatever_a_client_sends_comes_back_harmless(void **state)
{
    (void)state;
    handle(HTTP_GET, "/api/v1/spot/markets/%22%0a%ff%3cscript%3e/trades");
    rig_expect("\"got\":\"\\\"?"
               "?<script>\"");
    handle(HTTP_GET, "/api/v1/spot/markets/"
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/trades");
    assert_int_equal(rig_code(), 40401);
}

/* Pieces of good requests in any order: every response is an envelope (json_is_valid in rig_handle). */
static void any_target_has_an_answer(void **state)
{
    /* clang-format off */
    static const char *const pieces[] = {
        "/api/v1/spot", "/api/v1", "/", "/markets", "/accounts", "/vBTC_vUSDC", "/orderbook", "/trades", "/orders",
            "/history", "/state",
        "/0x14791697260e4c9a71f18484c9f997b308e59325", "/symbols", "?", "&", "=", "limit", "limit=5",
            "symbol=vBTC_vUSDC", "accountID=1",
        "startTime=1", "endTime=0", "%", "%2f", "%00", "\"", "\\", "\xff", "{symbol}", "depth=7", "/healthz", "/trade",
            "/batch", "{", "}",
    };
    /* clang-format on */
    uint32_t seed = 7;

    (void)state;
    for (int i = 0; i < 50000; i++) {
        char   target[512] = "";
        size_t count = (size_t)(i % 9);
        for (size_t piece = 0; piece < count; piece++) {
            seed = seed * 1103515245 + 12345;
            strcat(target, pieces[(seed >> 12) % ARRAY_COUNT(pieces)]);
        }
        handle((uint8_t)(HTTP_GET + (seed >> 24) % (HTTP_OTHER - HTTP_GET + 1)), target);
        assert_true(rig_answer.status == 204 || rig_answer.status == 302 || strncmp(rig_body, "{\"code\":", 8) == 0);
    }
}

static void transport_errors_carry_the_envelope_and_close(void **state)
{
    /* clang-format off */
    static const struct { enum reject reject; int status, code; bool close; } rows[] = {
        { REJECT_BAD_HTTP, 400, 40090, true }, { REJECT_REQUEST_TIMEOUT, 408, 40890, true },
          { REJECT_BODY_TOO_LARGE, 413, 41390, true },
        { REJECT_URI_TOO_LONG, 414, 41490, true }, { REJECT_HEADERS_TOO_LARGE, 431, 43190, true },
          { REJECT_BUSY, 503, 50301, false },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct out out = out_make(rig_body, sizeof(rig_body) - 1);
        api_error(&rig_context, rows[i].reject, &rig_answer, &out);
        rig_body[out.len] = '\0';
        assert_int_equal(rig_answer.status, rows[i].status);
        assert_int_equal(rig_code(), rows[i].code);
        assert_int_equal(rig_answer.close, rows[i].close);
        assert_int_equal(extra_has("Retry-After: "), rows[i].status == 503);
        rig_expect("\"timestamp\":" NOW_TEXT);
        rig_expect("\"rule\":");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row_is_reached_by_its_path_and_method),
        TEST(every_row_says_what_it_is),
        TEST(the_class_of_a_request_is_that_of_its_row),
        TEST(every_write_has_the_class_of_its_command),
        TEST(unknown_paths_are_404_with_an_envelope),
        TEST(an_unknown_method_is_501_with_an_envelope),
        TEST(the_root_leads_to_the_docs),
        TEST(head_says_how_long_the_answer_to_get_is),
        TEST(paths_of_other_generations_name_the_way_that_exists),
        TEST(a_wrong_method_is_405_and_says_which_are_right),
        TEST(head_is_get_without_its_body),
        TEST(browsers_are_told_what_they_may_send),
        TEST(the_origin_is_allowed_when_one_was_sent),
        TEST(path_parameters_are_percent_decoded_strictly),
        TEST(whatever_a_client_sends_comes_back_harmless),
        TEST(any_target_has_an_answer),
        TEST(transport_errors_carry_the_envelope_and_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
