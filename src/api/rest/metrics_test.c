/* SPDX-License-Identifier: MIT */
/* metrics_test.c — readers of /metrics, the request's data in the metrics, and the components that a request reaches.
 */
#include "rigs/api/test_rig.h"

static void write_text(void *self, const struct api *api, struct out *out)
{
    (void)self;
    assert_ptr_equal(api, rig_api);
    out_literal(out, "x 1\n");
}

static const struct api_metrics text = { NULL, write_text };
static struct limiter           limiter;

static void let(const char *range)
{
    struct proxies *readers = &rig_shared.settings.metrics_readers;

    rig_shared.metrics = &text;
    assert_true(ip_range_read(slice_of(range), &readers->ranges[readers->count++]));
}

static void trust(const char *range)
{
    rig_shared.limiter = &limiter;
    limiter.settings.proxies.count = 1;
    assert_true(ip_range_read(slice_of(range), &limiter.settings.proxies.ranges[0]));
}

static void forget(void)
{
    memset(&limiter, 0, sizeof(limiter));
    rig_shared.limiter = NULL;
    rig_shared.settings.metrics_readers = (struct proxies){ .count = 0 };
}

/* Sends a read from `peer`, forwarded for `forwarded`; returns the status. */
static int16_t ask(const char *peer, const char *forwarded)
{
    struct http_request request = rig_request(HTTP_GET, "/metrics");

    assert_true(ip_read(slice_of(peer), &rig_context.peer));
    if (forwarded != NULL) {
        request.forwarded_count[FORWARDED_X_FOR] = 1;
        request.forwarded[FORWARDED_X_FOR][0] = slice_of(forwarded);
    }
    assert_int_equal(rig_handle(&request), API_ANSWER);
    return rig_answer.status;
}

static void the_addresses_of_the_setting_read_and_nobody_else(void **state)
{
    (void)state;
    forget();
    let("127.0.0.0/8");
    let("192.0.2.16/28");
    assert_int_equal(ask("127.0.0.1", NULL), 200);
    assert_string_equal(rig_answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
    assert_int_equal(ask("127.255.255.255", NULL), 200);
    assert_int_equal(ask("128.0.0.0", NULL), 403);
    rig_expect("\"code\":40391");
    assert_int_equal(ask("192.0.2.15", NULL), 403);
    assert_int_equal(ask("192.0.2.16", NULL), 200);
    assert_int_equal(ask("192.0.2.31", NULL), 200);
    assert_int_equal(ask("192.0.2.32", NULL), 403);
    assert_int_equal(ask("::1", NULL), 403);
    forget();
    assert_int_equal(ask("127.0.0.1", NULL), 403); /* an empty list allows no client */
}

static void a_proxy_brings_its_client_and_a_stranger_brings_nobody(void **state)
{
    (void)state;
    forget();
    let("127.0.0.0/8");
    assert_int_equal(ask("127.0.0.1", "127.0.0.1"), 403); /* no proxy is trusted */
    trust("10.0.0.1");
    assert_int_equal(ask("127.0.0.1", "127.0.0.1"), 403);
    assert_int_equal(ask("10.0.0.1", "127.0.0.1"), 200);
    assert_int_equal(ask("10.0.0.1", "192.0.2.1"), 403);
    assert_int_equal(ask("10.0.0.1", NULL), 403);
    forget();
}

static void no_page_of_another_origin_may_read_it(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/metrics");

    (void)state;
    forget();
    let("127.0.0.1");
    assert_true(ip_read(SLICE("127.0.0.1"), &rig_context.peer));
    rig_put_header(&request, HEADER_ORIGIN, "https://example.org");
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    assert_int_equal(rig_answer.allow_origin.len, 0);
    forget();
}

static void each_request_is_noted_with_its_route_and_what_it_came_to(void **state)
{
    struct http_request good = rig_request(HTTP_GET, "/api/v1/perps/markets/symbols"),
                        bad = rig_request(HTTP_GET, "/api/v1/spot/accounts/0x12/balances"),
                        head = rig_request(HTTP_HEAD, "/api/v1/spot/markets/coins"),
                        none = rig_request(HTTP_GET, "/nothing"), method = rig_request(HTTP_DELETE, "/version");
    struct api_route route;

    (void)state;
    assert_int_equal(rig_handle(&good), API_ANSWER);
    route = api_route(rig_api, api_noted(rig_api).route);
    assert_string_equal(route.method, "GET");
    assert_string_equal(route.base, "/api/v1/perps");
    assert_string_equal(route.path, "/markets/symbols");
    assert_int_equal(api_noted(rig_api).reject, REJECT_NONE);

    assert_int_equal(rig_handle(&head), API_ANSWER);
    route = api_route(rig_api, api_noted(rig_api).route);
    assert_string_equal(route.base, "/api/v1/spot");
    assert_string_equal(route.path, "/markets/coins");

    assert_int_equal(rig_handle(&bad), API_ANSWER);
    assert_string_equal(api_route(rig_api, api_noted(rig_api).route).base, "/api/v1/spot");
    assert_string_equal(api_route(rig_api, api_noted(rig_api).route).path, "/accounts/{userAddress}/balances");
    assert_int_equal(api_noted(rig_api).reject, REJECT_BAD_ADDRESS);

    assert_int_equal(rig_handle(&none), API_ANSWER);
    assert_int_equal(api_noted(rig_api).route, API_ROUTES_MAX);
    assert_int_equal(api_noted(rig_api).reject, REJECT_PATH_NOT_FOUND);
    assert_int_equal(rig_handle(&method), API_ANSWER);
    assert_int_equal(api_noted(rig_api).route, API_ROUTES_MAX);
    assert_int_equal(api_noted(rig_api).reject, REJECT_METHOD_NOT_ALLOWED);
}

static void every_route_has_a_number_and_a_name_of_its_own(void **state)
{
    (void)state;
    assert_true(api_route_count(rig_api) <= API_ROUTES_MAX);
    for (uint32_t i = 0; i < api_route_count(rig_api); i++) {
        struct api_route a = api_route(rig_api, i);
        for (uint32_t k = 0; k < i; k++) {
            struct api_route b = api_route(rig_api, k);
            assert_false(strcmp(a.method, b.method) == 0 && strcmp(a.base, b.base) == 0 && strcmp(a.path, b.path) == 0);
        }
    }
}

static uint32_t steps;

static void note_step(struct api_watch *watch, enum api_step step)
{
    (void)watch;
    assert_int_equal(steps & 1u << step, 0);
    assert_true(step == API_PARSED || (steps & 1u << API_PARSED) != 0);
    steps |= 1u << step;
}

static uint32_t steps_of(struct http_request *request)
{
    struct api_watch watch = { note_step };

    steps = 0;
    rig_context.watch = &watch;
    (void)rig_handle(request);
    rig_context.watch = NULL;
    return steps;
}

static void who_watches_is_told_each_step_once(void **state)
{
    struct http_request read = rig_request(HTTP_GET, "/version"), none = rig_request(HTTP_GET, "/nothing"),
                        unsigned_write = rig_request(HTTP_POST, "/api/v1/spot/trade/orders/batch");

    (void)state;
    assert_int_equal(steps_of(&read), 1u << API_PARSED);
    assert_int_equal(steps_of(&none), 0);
    assert_int_equal(steps_of(&unsigned_write), 0); /* refused before its signature was looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_addresses_of_the_setting_read_and_nobody_else),
        cmocka_unit_test(a_proxy_brings_its_client_and_a_stranger_brings_nobody),
        cmocka_unit_test(no_page_of_another_origin_may_read_it),
        cmocka_unit_test(each_request_is_noted_with_its_route_and_what_it_came_to),
        cmocka_unit_test(every_route_has_a_number_and_a_name_of_its_own),
        cmocka_unit_test(who_watches_is_told_each_step_once),
    };

    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
