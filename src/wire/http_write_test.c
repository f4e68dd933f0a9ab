/* SPDX-License-Identifier: MIT */
/* How answers are written. */
#include "rigs/wire/http_rig.h"
#include "rigs/random.h"

static void assert_answer(const struct http_answer *answer, struct slice body, const char *wanted)
{
    char       text[1024];
    struct out out = out_make(text, sizeof(text));

    http_write(&out, answer, body);
    assert_text(out_slice(&out), wanted);
}

static void answers_are_written_with_their_length_and_connection(void **state)
{
    (void)state;
    assert_answer(&(struct http_answer){ .status = 200 }, SLICE("{}"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\n\r\n{}");
    assert_answer(&(struct http_answer){ .status = 400, .close = true, .content_type = "text/plain" }, SLICE("no"),
                  "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
                  "Connection: close\r\n\r\nno");
    assert_answer(&(struct http_answer){ .status = 200, .head = true }, SLICE("1234567"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
                  "Connection: keep-alive\r\n\r\n");
    assert_answer(&(struct http_answer){ .status = 426, .extra = SLICE("Upgrade: websocket\r\n") }, SLICE("{}"),
                  "HTTP/1.1 426 Upgrade Required\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n{}");
    assert_answer(&(struct http_answer){ .status = 204, .extra = SLICE("Allow: GET\r\n") }, SLICE(""),
                  "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\nAllow: GET\r\n\r\n");
}

/* The example of RFC 9110, and the C library's result for other times. */
static void answers_say_when_they_were_given(void **state)
{
    struct http_date date = { 0 };
    uint64_t         random_state = 7;

    (void)state;
    assert_text(http_date_line(&date, INT64_C(784111777000)), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    assert_text(http_date_line(&date, INT64_C(784111777999)), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    assert_text(http_date_line(&date, INT64_C(784111778000)), "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n");
    for (int i = 0; i < 20000; i++) {
        time_t    second = i == 0 ? 0
                         : i == 1 ? (time_t)INT64_C(253402300799)
                                  : (time_t)(random_congruent(&random_state) >> 20) % INT64_C(253402300800);
        struct tm at;
        char      wanted[64];
        (void)gmtime_r(&second, &at);
        (void)strftime(wanted, sizeof(wanted), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &at);
        assert_text(http_date_line(&date, (int64_t)second * 1000), wanted);
    }
    assert_answer(&(struct http_answer){ .status = 200, .head = true, .date = http_date_line(&date, 0) }, SLICE("{}"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n");
}

static void a_browser_is_told_which_origin_and_which_headers(void **state)
{
    (void)state;
    assert_answer(&(struct http_answer){ .status = 200, .allow_origin = SLICE("*") }, SLICE("[]"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\nAccess-Control-Allow-Origin: *\r\n"
                  "Access-Control-Expose-Headers: X-Chain-Tx, X-Chain-Block, X-Chain-Index, X-Dojima-Seq, "
                  "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset\r\n"
                  "\r\n[]");
    assert_answer(&(struct http_answer){ .status = 200, .allow_origin = SLICE("http://b") }, SLICE("[]"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\nAccess-Control-Allow-Origin: http://b\r\n"
                  "Access-Control-Expose-Headers: X-Chain-Tx, X-Chain-Block, X-Chain-Index, X-Dojima-Seq, "
                  "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset\r\n"
                  "Vary: Origin\r\n\r\n[]");
}

static void every_status_of_a_reject_has_its_text(void **state)
{
    (void)state;
    for (int reject = REJECT_NONE + 1; reject < REJECT_COUNT; reject++)
        assert_string_not_equal(http_status_text(reject_row((enum reject)reject)->http), "Status");
    assert_string_equal(http_status_text(799), "Status");
}

static void an_answer_that_does_not_fit_says_so(void **state)
{
    char       text[64];
    struct out out = out_make(text, sizeof(text));

    (void)state;
    http_write(&out, &(struct http_answer){ .status = 200 }, SLICE("{}"));
    assert_true(out.overflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_written_with_their_length_and_connection),
        cmocka_unit_test(answers_say_when_they_were_given),
        cmocka_unit_test(a_browser_is_told_which_origin_and_which_headers),
        cmocka_unit_test(every_status_of_a_reject_has_its_text),
        cmocka_unit_test(an_answer_that_does_not_fit_says_so),
    };
    return cmocka_run_group_tests_name("http answers", tests, NULL, NULL);
}
