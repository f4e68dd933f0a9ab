/* SPDX-License-Identifier: MIT */
/* limit_weight_test.c — what each request weighs, and what is given back or charged behind the answer (wire 5.1). */
#include "rigs/api/limit_rig.h"

static uint32_t weight_of(const struct http_request *request)
{
    from_somebody_new();
    (void)rig_handle(request);
    return 1200 - left_of(&rig_context.peer);
}

static uint32_t weight_of_get(const char *target)
{
    struct http_request request = rig_request(HTTP_GET, target);

    return weight_of(&request);
}

/* Wire 5.1 and ruling 53, by the end of the path; every path that is not here weighs 20. */
/* clang-format off */
static const struct { const char *path; uint32_t weight; } wanted[] = {
    { "/markets/symbols", 2 }, { "/markets/coins", 2 }, { "/markets/tickers", 2 }, { "/markets/miniTickers", 2 },
      { "/markets/bookTickers", 2 },
    { "/markets/mark-prices", 2 }, { "/markets/{symbol}/orderbook", 5 },
    { "/accounts/{userAddress}/balances", 5 }, { "/accounts/{userAddress}/orders", 5 },
      { "/accounts/{userAddress}/positions", 5 },
    { "/accounts/{userAddress}/state", 5 }, { "/accounts/{userAddress}/api-keys", 5 },
      { "/accounts/{userAddress}/fee-rate", 2 },
    { "/accounts/transfers", 10 },
    { "/trade/orders/batch", 1 }, { "/trade/orders", 1 }, { "/trade/orders/replace", 1 }, { "/trade/orders/modify", 1 },
    { "/trade/orders/schedule-cancel", 1 }, { "/trade/leverage", 1 }, { "/trade/margin", 1 },
    /* a monitor must not be limited by its own reads */
    { "/healthz", 0 }, { "/readyz", 0 }, { "/version", 0 },
};
/* clang-format on */

static uint32_t weight_wanted(const struct endpoint *row)
{
    if (strncmp(row->path, "/user/", 6) == 0) return 20; /* only the engines' own account paths weigh less */
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
        if (strcmp(row->path, wanted[i].path) == 0) return wanted[i].weight;
    return 20;
}

static void every_row_weighs_what_the_interface_says(void **state)
{
    (void)state;
    limit_by(&usual);
    for (uint32_t i = 0; i < endpoint_count; i++) {
        for (uint32_t base = 0; base < BASE_COUNT; base++) {
            struct http_request request;
            char                target[256];
            struct out          out = out_make(target, sizeof(target) - 1);
            if ((endpoints[i].bases >> base & 1) == 0) continue;
            out_text(&out, base_path[base]);
            for (const char *at = endpoints[i].path; *at != '\0'; at++) {
                if (*at != '{') {
                    out_char(&out, *at);
                    continue;
                }
                out_text(&out, strncmp(at, "{symbol}", 8) == 0 ? "vBTC_vUSDC" : rig_owner_hex(0));
                at = strchr(at, '}');
            }
            target[out.len] = '\0';
            request = rig_request(endpoints[i].method, target);
            request.body = SLICE("{}");
            if (weight_of(&request) != weight_wanted(&endpoints[i]))
                fail_msg("%s does not weigh %u", target, weight_wanted(&endpoints[i]));
        }
    }
}

/* A monitor must not be limited by its own reads; to a stranger it is a path like any other (ruling 53). */
static void metrics_weigh_nothing_for_those_who_may_read_them(void **state)
{
    struct proxies     *readers = &rig_shared.settings.metrics_readers;
    struct http_request request = rig_request(HTTP_GET, "/metrics");

    (void)state;
    limit_by(&usual);
    assert_int_equal(weight_of(&request), WEIGHT_UNLISTED);
    assert_int_equal(rig_answer.status, 403);
    assert_true(ip_range_read(SLICE("2000::/4"), &readers->ranges[0]));
    readers->count = 1;
    assert_int_equal(weight_of(&request), 0);
    readers->count = 0;
}

static void a_book_weighs_by_its_levels(void **state)
{
    /* clang-format off */
    static const struct { const char *query; uint32_t weight; } rows[] = {
        { "", 5 }, { "?limit=1", 5 }, { "?limit=100", 5 }, { "?limit=101", 10 }, { "?limit=500", 10 },
          { "?limit=501", 20 }, { "?limit=1000", 20 },
        { "?limit=4294967295", 20 }, { "?depth=101", 10 }, { "?limit=0", 5 }, { "?limit=x", 5 },
    };
    /* clang-format on */
    char target[128];

    (void)state;
    limit_by(&usual);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        (void)snprintf(target, sizeof(target), "/api/v1/spot/markets/vBTC_vUSDC/orderbook%s", rows[i].query);
        assert_int_equal(weight_of_get(target), rows[i].weight);
    }
}

struct batch {
    uint8_t     method;
    const char *path, *head, *item;
};

static void check_batch(const struct batch *batch)
{
    static const struct {
        int      items;
        uint32_t weight;
    } rows[] = { { 1, 1 }, { 39, 1 }, { 40, 2 }, { 79, 2 }, { 80, 3 }, { 100, 3 } };
    static char body[32768];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request = rig_request(batch->method, batch->path);
        struct out          out = out_make(body, sizeof(body));
        char                sign[135] = "0x01";

        out_text(&out, batch->head);
        for (int n = 0; n < rows[i].items; n++) {
            out_text(&out, n == 0 ? "" : ",");
            out_text(&out, batch->item);
        }
        out_literal(&out, "]}");
        memset(sign + 4, '7', 128);
        memcpy(sign + 132, "00", 3);
        request.body = out_slice(&out);
        rig_put_header(&request, HEADER_API_NONCE, NOW_TEXT);
        rig_put_header(&request, HEADER_API_SIGN, sign);
        assert_int_equal(weight_of(&request), rows[i].weight); /* the signature is wrong, and was looked at */
        rig_expect("X-API-Sign");
    }
}

static void a_batch_weighs_one_and_one_more_for_forty(void **state)
{
    /* clang-format off */
    static const struct batch batches[] = {
        { HTTP_DELETE, "/api/v1/spot/trade/orders/batch", "{\"accountID\":1001,\"cancels\":[",
          "{\"symbolID\":1,\"clOrdID\":\"c-1\",\"orderID\":7}" },
        { HTTP_DELETE, "/api/v1/perps/trade/orders", "{\"accountID\":1001,\"cancels\":[",
          "{\"symbolID\":1,\"orderID\":7}" },
        { HTTP_POST, "/api/v1/perps/trade/orders", "{\"accountID\":1001,\"symbolID\":1,\"orders\":[",
          "{\"clOrdID\":\"a\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\","
              "\"quantity\":\"1\",\"reduceOnly\":false,\"positionSide\":1}" },
        { HTTP_POST, "/api/v1/perps/trade/orders/replace", "{\"accountID\":1001,\"orders\":[",
          "{\"symbolID\":1,\"clOrdID\":\"r\",\"origOrderID\":7,\"price\":\"5\"}" },
    };
    /* clang-format on */

    (void)state;
    limit_by(&usual);
    for (size_t i = 0; i < ARRAY_COUNT(batches); i++) check_batch(&batches[i]);
}

static void the_rest_of_a_batch_that_does_not_fit_gives_the_first_part_back(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1000");
    struct minute_key   key;
    uint32_t            second = 1000;

    (void)state;
    limit_by(&usual);
    key = ip_key(&rig_context.peer);
    assert_int_equal(minutes_spend(limiter.weight, &key, 1181, &second), 0);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 429);
    assert_int_equal(left_of(&rig_context.peer), 19);
}

static void a_history_is_charged_for_its_rows_behind_the_answer(void **state)
{
    static const uint32_t rows[][2] = {
        { 0, 0 }, { 19, 0 }, { 20, 1 }, { 39, 1 }, { 40, 2 }, { 500, 25 }, { 1000, 50 }
    };
    struct http_request    request = rig_request(HTTP_GET, "/");
    const struct endpoint *row = endpoints;
    struct call            call = { .api = rig_api, .context = &rig_context, .request = &request };

    (void)state;
    limit_by(&usual);
    while (row->weight_kind != WEIGHT_ROWS) row++;
    call.endpoint = row;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        from_somebody_new();
        assert_true(limit_request(&call, row, 1));
        call.rows = rows[i][0];
        limit_rows(&call);
        assert_int_equal(1200 - left_of(&rig_context.peer), 20 + rows[i][1]);
    }
    from_somebody_new(); /* an overdraft is answered, and worked off */
    for (int i = 0; i < 60; i++) assert_true(limit_request(&call, row, 1));
    call.rows = 1000;
    limit_rows(&call);
    assert_int_equal(left_of(&rig_context.peer), 0);
    rig_context.second += 61;
    assert_int_equal(left_of(&rig_context.peer), 1200);
}

static void whatever_is_no_row_weighs_twenty(void **state)
{
    struct http_request request = rig_request(HTTP_POST, "/api/v1/spot/markets/symbols");

    (void)state;
    limit_by(&usual);
    assert_int_equal(weight_of_get("/"), 20);
    assert_int_equal(weight_of_get("/api/v1/spot/markets/vBTC_vUSDC/nonsense"), 20);
    assert_int_equal(weight_of_get("/ws/spot"), 20);
    assert_int_equal(weight_of(&request), 20); /* 405 */
    assert_int_equal(rig_answer.status, 405);
    request = rig_request(HTTP_OPTIONS, "/api/v1/spot/markets/symbols");
    assert_int_equal(weight_of(&request), 0);
    request = rig_request(HTTP_OPTIONS, "*");
    assert_int_equal(weight_of(&request), 0);
    request = rig_request(HTTP_OPTIONS, "/nope");
    assert_int_equal(weight_of(&request), 0); /* 404 */
    assert_int_equal(rig_answer.status, 404);
    request = rig_request(HTTP_HEAD, "/api/v1/spot/markets/symbols");
    assert_int_equal(weight_of(&request), 2);
}

static void each_call_of_a_json_rpc_batch_weighs_twenty(void **state)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");

    (void)state;
    limit_by(&usual);
    request.body = SLICE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"}");
    assert_int_equal(weight_of(&request), 20);
    request.body = SLICE("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"},{\"jsonrpc\":\"2.0\",\"id\":2,"
                         "\"method\":\"eth_chainId\"},1]");
    assert_int_equal(weight_of(&request), 60);
    request.body = SLICE("nonsense");
    assert_int_equal(weight_of(&request), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row_weighs_what_the_interface_says),
        TEST(metrics_weigh_nothing_for_those_who_may_read_them),
        TEST(a_book_weighs_by_its_levels),
        TEST(a_batch_weighs_one_and_one_more_for_forty),
        TEST(the_rest_of_a_batch_that_does_not_fit_gives_the_first_part_back),
        TEST(a_history_is_charged_for_its_rows_behind_the_answer),
        TEST(whatever_is_no_row_weighs_twenty),
        TEST(each_call_of_a_json_rpc_batch_weighs_twenty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
