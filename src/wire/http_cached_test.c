/* SPDX-License-Identifier: MIT */
/* Accept-Encoding and If-None-Match of requests as they are sent, and of requests that were not read from a buffer. */
#include "wire/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static struct http_parser *parser;
static char                buffer[HTTP_BUFFER_BYTES];

/* The request with these header lines, and a body behind them that looks like more of them. */
static struct http_request request_with(const char *lines)
{
    static const char   body[] = "accept-encoding: gzip\r\nif-none-match: *\r\n";
    struct http_request request;
    enum reject         reject;
    int len = snprintf(buffer, sizeof(buffer), "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n%s\r\n%s",
                       sizeof(body) - 1, lines, body);

    http_parser_init(parser);
    assert_int_equal(http_parse(parser, buffer, (size_t)len, &request, &reject, NULL), HTTP_DONE);
    return request;
}

static void gzip_is_named(void **state)
{
    static const char *const yes[] = { "Accept-Encoding: gzip\r\n", "ACCEPT-ENCODING:br , GZip;q=0.001\r\n",
                                       "accept-encoding: br\r\naccept-encoding:\tgzip ; q=1\t\r\n" };
    static const char *const no[] = { "",
                                      "Accept-Encoding:\r\n",
                                      "Accept-Encoding: gzip;q=0\r\n",
                                      "Accept-Encoding: gzip;Q=0.000\r\n",
                                      "Accept-Encoding: xgzip, gzipx, g zip, ;gzip\r\n",
                                      "X-Accept-Encoding: gzip\r\n",
                                      "Accept: gzip\r\n" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(yes); i++) {
        struct http_request request = request_with(yes[i]);
        assert_true(http_accepts_gzip(&request));
    }
    for (size_t i = 0; i < ARRAY_COUNT(no); i++) {
        struct http_request request = request_with(no[i]);
        assert_false(http_accepts_gzip(&request));
    }
}

static void a_tag_is_known(void **state)
{
    static const char *const yes[] = { "If-None-Match: \"ab\"\r\n", "If-None-Match: W/\"ab\"\r\n",
                                       "If-None-Match: *\r\n", "If-None-Match: \"x\",\"ab\"\r\n",
                                       "If-None-Match: \"x\"\r\nif-none-match: , \"ab\" ,\r\n" };
    static const char *const no[] = { "",
                                      "If-None-Match: \"a\"\r\n",
                                      "If-None-Match: ab\r\n",
                                      "If-None-Match: W/\r\n",
                                      "If-None-Match: w/\"ab\"\r\n",
                                      "If-None-Match: \"abc\"\r\n",
                                      "If-None-Match: **\r\n" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(yes); i++) {
        struct http_request request = request_with(yes[i]);
        assert_true(http_has_tag(&request, SLICE("\"ab\"")));
    }
    for (size_t i = 0; i < ARRAY_COUNT(no); i++) {
        struct http_request request = request_with(no[i]);
        assert_false(http_has_tag(&request, SLICE("\"ab\"")));
    }
}

/* dojima_explainOrder makes requests of its own: method_text stands alone then. */
static void a_request_that_was_not_read_has_neither(void **state)
{
    struct http_request request = { .method_text = SLICE("GET") };

    (void)state;
    assert_false(http_accepts_gzip(&request));
    assert_false(http_has_tag(&request, SLICE("\"ab\"")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gzip_is_named),
        cmocka_unit_test(a_tag_is_known),
        cmocka_unit_test(a_request_that_was_not_read_has_neither),
    };
    int failed;

    parser = malloc(http_parser_size());
    assert_non_null(parser);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(parser);
    return failed;
}
