/* SPDX-License-Identifier: MIT */
/* metrics_rows_test.c — the metrics of a request, and that Prometheus accepts the rows of /metrics. */
#include "app/metrics.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct io_counters counters;

static int begin(void **state)
{
    (void)state;
    memset(&counters, 0, sizeof(counters));
    return 0;
}

static uint64_t count_of(const struct histogram *histogram)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) count += tally_of(&histogram->buckets[i]);
    return count;
}

static void a_request_that_ends_early_is_parsed_and_answered(void **state)
{
    struct api_noted     noted = { .route = API_ROUTES_MAX, .reject = REJECT_PATH_NOT_FOUND };
    struct request_timer watch = { 0 };

    (void)state;
    request_timer_begin(&watch);
    io_count_handled(&counters, &watch);
    io_count_answered(&counters, &watch, &noted);
    assert_int_equal(count_of(&counters.parse), 1);
    assert_int_equal(count_of(&counters.verify), 0);
    assert_int_equal(count_of(&counters.answer), 1);
    assert_int_equal(tally_of(&counters.requests[API_ROUTES_MAX][REJECT_PATH_NOT_FOUND]), 1);
    assert_int_equal(tally_of(&counters.refusals[REJECT_PATH_NOT_FOUND]), 1);
}

static void a_signed_request_is_verified_once_and_its_reply_is_no_second_one(void **state)
{
    struct api_noted     noted = { .route = 3 };
    struct request_timer watch = { 0 };

    (void)state;
    request_timer_begin(&watch);
    watch.head.reached(&watch.head, API_PARSED);
    watch.head.reached(&watch.head, API_VERIFIED);
    assert_true(watch.parse_ns >= 0 && watch.verify_ns >= 0);
    io_count_handled(&counters, &watch);
    assert_int_equal(count_of(&counters.parse), 1);
    assert_int_equal(count_of(&counters.verify), 1);
    assert_int_equal(count_of(&counters.answer), 0);
    io_count_request(&counters, &noted);
    assert_int_equal(tally_of(&counters.requests[3][REJECT_NONE]), 1);
    for (uint32_t i = 0; i < REJECT_COUNT; i++) assert_int_equal(tally_of(&counters.refusals[i]), 0);
}

static void items_and_limits_are_counted_by_their_rule(void **state)
{
    struct api_noted    noted = { .route = 3, .reject = REJECT_RATE_LIMIT, .limit = LIMIT_ORDERS };
    _Alignas(8) uint8_t bytes[4096];
    struct events       events = { bytes, 0, sizeof(bytes) };

    (void)state;
    EVENT_ADD(&events, RESULT, result, MARKET_SPOT)->reject = REJECT_PRICE_TICK;
    EVENT_ADD(&events, RESULT, result, MARKET_SPOT)->reject = REJECT_NONE;
    EVENT_ADD(&events, RESULT, result, MARKET_SPOT)->reject = REJECT_PRICE_TICK;
    EVENT_ADD(&events, REFUSED, refused, MARKET_SPOT)->reject = REJECT_BAD_NONCE;
    io_count_items(&counters, &events);
    assert_int_equal(tally_of(&counters.refusals[REJECT_NONE]), 0);
    assert_int_equal(tally_of(&counters.refusals[REJECT_PRICE_TICK]), 2);
    assert_int_equal(tally_of(&counters.refusals[REJECT_BAD_NONCE]), 1);
    io_count_request(&counters, &noted);
    assert_int_equal(tally_of(&counters.limits[LIMIT_ORDERS]), 1);
    assert_int_equal(tally_of(&counters.limits[LIMIT_NONE]), 0);
}

static void every_row_has_a_name_of_its_own_and_a_sentence(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < metric_count; i++) {
        const struct metric *row = &metrics[i];
        size_t               len = strlen(row->name);
        bool                 totals = len > 6 && strcmp(row->name + len - 6, "_total") == 0;
        assert_int_equal(totals, row->type == METRIC_COUNTER);
        assert_true(strncmp(row->name, "dojima_", 7) == 0 || strncmp(row->name, "process_", 8) == 0);
        for (size_t k = 0; k < len; k++) assert_true(islower(row->name[k]) || row->name[k] == '_');
        if (strcmp(row->unit, "seconds") == 0 && !totals) assert_string_equal(row->name + len - 8, "_seconds");
        assert_int_equal(row->help[strlen(row->help) - 1], '.');
        assert_non_null(row->read);
        assert_true(row->where[0] != '\0');
        for (uint32_t j = 0; j < i; j++) assert_string_not_equal(row->name, metrics[j].name);
    }
}

/* The lines of all routes, if each had shown each code, with the largest counts. */
static uint64_t lines_of_routes(uint64_t codes)
{
    static struct genesis   genesis;
    const struct api_shared shared = { .genesis = &genesis, .version = SLICE("0.1.0") };
    struct api             *api = api_init(calloc(1, api_size(&shared)), &shared);
    uint64_t                bytes = 0;

    for (uint32_t i = 0; i < api_route_count(api); i++) {
        struct api_route route = api_route(api, i);
        bytes += strlen("dojima_http_requests_total{method=\"\",route=\"\",code=\"12345\"} 18446744073709551615\n")
               + strlen(route.method) + strlen(route.base) + strlen(route.path);
    }
    free(api);
    return bytes * codes;
}

static void the_largest_page_fits_into_an_answer(void **state)
{
    const uint64_t symbols = (SYMBOLS_MAX + PERPS_MAX) * 16 * 120; /* lines about one */
    uint64_t codes = 1, rest = REJECT_COUNT * 3 * 100 + 10 * (HISTOGRAM_BOUNDS + 3) * 90 + (uint64_t)metric_count * 400;

    (void)state;
    for (uint32_t i = 1; i < REJECT_COUNT; i++) {
        uint32_t k = 1;
        while (reject_row((enum reject)k)->code != reject_row((enum reject)i)->code) k++;
        codes += k == i;
    }
    assert_true(codes > 20);
    assert_true(lines_of_routes(codes) > 100000);
    assert_true(lines_of_routes(codes + 1) + symbols + rest < API_ANSWER_BYTES_MAX);
}

/* The end of one request is the beginning of the next, unless something lay between. */
static void the_clock_is_read_once_between_two_requests(void **state)
{
    static struct io_counters own;
    struct api_noted          noted = { .route = 3 };
    struct request_timer      watch = { 0 };

    (void)state;
    request_timer_begin(&watch);
    io_count_handled(&own, &watch);
    io_count_answered(&own, &watch, &noted);
    int64_t answered_ns = watch.now_ns;
    request_timer_begin(&watch);
    assert_true(answered_ns != 0 && watch.at_ns == answered_ns);
    request_timer_rest(&watch);
    request_timer_begin(&watch);
    assert_true(watch.at_ns > answered_ns);
}

/* Ruling 74; the log, /metrics and dojima doctor go by it. */
static void a_pool_warns_at_80_90_and_95_percent(void **state)
{
    (void)state;
    assert_int_equal(pool_step(799, 1000), 0);
    assert_int_equal(pool_step(800, 1000), 80);
    assert_int_equal(pool_step(899, 1000), 80);
    assert_int_equal(pool_step(900, 1000), 90);
    assert_int_equal(pool_step(949, 1000), 90);
    assert_int_equal(pool_step(950, 1000), 95);
    assert_int_equal(pool_step(1000, 1000), 95);
    assert_int_equal(pool_step(39, 49), 0); /* 79.6 % */
    assert_int_equal(pool_step(4, 5), 80);
    assert_int_equal(pool_step(0, 0), 0); /* a pool that the exchange does without */
    assert_int_equal(pool_step(POOL_PLACES_MAX / 5 * 4 - 1, POOL_PLACES_MAX), 0);
    assert_int_equal(pool_step(POOL_PLACES_MAX / 5 * 4, POOL_PLACES_MAX), 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_request_that_ends_early_is_parsed_and_answered, begin),
        cmocka_unit_test_setup(a_signed_request_is_verified_once_and_its_reply_is_no_second_one, begin),
        cmocka_unit_test_setup(items_and_limits_are_counted_by_their_rule, begin),
        cmocka_unit_test(the_clock_is_read_once_between_two_requests),
        cmocka_unit_test(every_row_has_a_name_of_its_own_and_a_sentence),
        cmocka_unit_test(the_largest_page_fits_into_an_answer),
        cmocka_unit_test(a_pool_warns_at_80_90_and_95_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
