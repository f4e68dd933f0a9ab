/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "wire/http.h"

struct parsed { enum http_result result; enum reject reject; bool headers_done; struct http_request request; };

/* Parses what is there in one call, from a buffer of exactly that size. */
static struct parsed parse(struct slice text, char **buffer)
{
    struct http_parser *parser = malloc(http_parser_size());
    struct parsed       parsed;

    *buffer = malloc(text.len + 1);
    memcpy(*buffer, text.at, text.len);
    http_parser_init(parser);
    parsed.result = http_parse(parser, *buffer, text.len, &parsed.request, &parsed.reject, &parsed.headers_done);
    free(parser);
    return parsed;
}

static struct parsed parse_and_drop(struct slice text)
{
    char         *buffer;
    struct parsed parsed = parse(text, &buffer);

    free(buffer);
    return parsed;
}

static const char *name_of(enum reject reject) { return reject == REJECT_NONE ? "NONE" : reject_row(reject)->name; }

/* --- trust.md B1, line by line: what is refused and its accepted neighbour ------------------- */

#define GET  "GET / HTTP/1.1\r\n"
#define POST "POST /o HTTP/1.1\r\nHost: a\r\n"
#define HOST "Host: a\r\n"
#define BAD  REJECT_BAD_HTTP
#define FINE REJECT_NONE

static const struct { const char *why, *text; enum reject reject; } boundary[] = {
    /* content length */
    { "length of the body",             POST "Content-Length: 5\r\n\r\nhello", FINE },
    { "length in any case",             POST "cOnTeNt-LeNgTh:5\r\n\r\nhello", FINE },
    { "length with blanks around",      POST "Content-Length: \t 5  \r\n\r\nhello", FINE },
    { "length with a tab behind",       POST "Content-Length: 5\t\r\n\r\nhello", BAD },    /* llhttp's choice */
    { "length with leading zeros",      POST "Content-Length: 005\r\n\r\nhello", FINE },
    { "length zero",                    POST "Content-Length: 0\r\n\r\n", FINE },
    { "no length is no body",           POST "\r\n", FINE },
    { "length +5",                      POST "Content-Length: +5\r\n\r\nhello", BAD },
    { "length -5",                      POST "Content-Length: -5\r\n\r\nhello", BAD },
    { "length 0x5",                     POST "Content-Length: 0x5\r\n\r\nhello", BAD },
    { "length 5_0",                     POST "Content-Length: 5_0\r\n\r\nhello", BAD },
    { "length 5.0",                     POST "Content-Length: 5.0\r\n\r\nhello", BAD },
    { "length 5 5",                     POST "Content-Length: 5 5\r\n\r\nhello", BAD },
    { "length 5,5",                     POST "Content-Length: 5,5\r\n\r\nhello", BAD },
    { "empty length",                   POST "Content-Length:\r\n\r\nhello", BAD },
    { "blank length",                   POST "Content-Length:  \r\n\r\nhello", BAD },
    { "two equal lengths",              POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", BAD },
    { "two different lengths",          POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", BAD },
    { "length of 19 digits",            POST "Content-Length: 9999999999999999999\r\n\r\n", REJECT_BODY_TOO_LARGE },
    { "length of 20 digits",            POST "Content-Length: 00000000000000000005\r\n\r\nhello", BAD },
    { "length of 2^64+5",               POST "Content-Length: 18446744073709551621\r\n\r\nhello", BAD },
    /* transfer encoding */
    { "chunked",                        POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", FINE },
    { "Chunked",                        POST "transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n", FINE },
    { "length and chunked",             POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunked and length",             POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", BAD },
    { "chunked twice",                  POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunked, chunked",               POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", BAD },
    { "gzip, chunked",                  POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunked, gzip",                  POST "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", BAD },
    { "gzip",                           POST "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", BAD },
    { "identity",                       POST "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", BAD },
    { "xchunked",                       POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunkedx",                       POST "Transfer-Encoding: chunkedx\r\n\r\n0\r\n\r\n", BAD },
    { "\"chunked\"",                    POST "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", BAD },
    { "empty encoding",                 POST "Transfer-Encoding:\r\n\r\n0\r\n\r\n", BAD },
    { "chunked in HTTP/1.0",            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BAD },
    /* line ends */
    { "CR LF",                          GET HOST "A: b\r\n\r\n", FINE },
    { "LF alone behind the first line", "GET / HTTP/1.1\nHost: a\r\n\r\n", BAD },
    { "LF alone behind a header",       GET "Host: a\nB: c\r\n\r\n", BAD },
    { "LF alone at the end",            GET HOST "\n", BAD },
    { "LF alone, no version",           "GET /\n\n", BAD },
    { "CR alone in a value",            GET HOST "A: b\rTransfer-Encoding: chunked\r\n\r\n", BAD },
    { "CR alone before a name",         GET HOST "\rA: b\r\n\r\n", BAD },
    { "CR CR LF",                       GET HOST "A: b\r\r\n\r\n", BAD },
    { "an empty line first",            "\r\n" GET HOST "\r\n", BAD },
    { "a blank first",                  " " GET HOST "\r\n", BAD },
    /* header lines */
    { "no blank behind the colon",      GET "Host:a\r\nA:b\r\n\r\n", FINE },
    { "an empty value",                 GET HOST "A:\r\n\r\n", FINE },
    { "UTF-8 in a value",               GET HOST "A: \xc3\xa9\r\n\r\n", FINE },
    { "a tab in a value",               GET HOST "A: b\tc\r\n\r\n", FINE },
    { "space before the colon",         GET HOST "A : b\r\n\r\n", BAD },
    { "tab before the colon",           GET HOST "A\t: b\r\n\r\n", BAD },
    { "space before length's colon",    POST "Content-Length : 5\r\n\r\nhello", BAD },
    { "a space in the name",            GET HOST "A B: c\r\n\r\n", BAD },
    { "folded with a space",            GET HOST "A: b\r\n Content-Length: 5\r\n\r\n", BAD },
    { "folded with a tab",              GET HOST "A: b\r\n\tc\r\n\r\n", BAD },
    { "folded first header",            GET " A: b\r\n" HOST "\r\n", BAD },
    { "no colon",                       GET HOST "Abc\r\n\r\n", BAD },
    { "no name",                        GET HOST ": b\r\n\r\n", BAD },
    { "a name that is no token",        GET HOST "A(b): c\r\n\r\n", BAD },
    { "a name with UTF-8",              GET HOST "\xc3\xa9: c\r\n\r\n", BAD },
    { "DEL in a value",                 GET HOST "A: b\x7f\r\n\r\n", BAD },
    { "ESC in a value",                 GET HOST "A: b\x1b[0m\r\n\r\n", BAD },
    /* host */
    { "host with port",                 GET "Host: localhost:8080\r\n\r\n", FINE },
    { "host of IPv6",                   GET "Host: [::1]:8080\r\n\r\n", FINE },
    { "empty host",                     GET "Host:\r\n\r\n", FINE },
    { "no host in 1.0",                 "GET / HTTP/1.0\r\n\r\n", FINE },
    { "no host in 1.1",                 GET "A: b\r\n\r\n", BAD },
    { "two hosts",                      GET HOST "Host: b\r\n\r\n", BAD },
    { "two equal hosts",                GET HOST HOST "\r\n", BAD },
    { "two hosts in 1.0",               "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", BAD },
    { "host with a blank",              GET "Host: a b\r\n\r\n", BAD },
    { "host with a comma",              GET "Host: a,b\r\n\r\n", BAD },
    { "host with a path",               GET "Host: a/b\r\n\r\n", BAD },
    { "host with a user",               GET "Host: u@a\r\n\r\n", BAD },
    /* request line */
    { "HTTP/1.0",                       "GET / HTTP/1.0\r\nHost: a\r\n\r\n", FINE },
    { "HTTP/0.9",                       "GET / HTTP/0.9\r\nHost: a\r\n\r\n", BAD },
    { "HTTP/1.2",                       "GET / HTTP/1.2\r\nHost: a\r\n\r\n", BAD },
    { "HTTP/2.0",                       "GET / HTTP/2.0\r\nHost: a\r\n\r\n", BAD },
    { "HTTP/11",                        "GET / HTTP/11\r\nHost: a\r\n\r\n", BAD },
    { "HTTP/1.10",                      "GET / HTTP/1.10\r\nHost: a\r\n\r\n", BAD },
    { "http/1.1",                       "GET / http/1.1\r\nHost: a\r\n\r\n", BAD },
    { "no version",                     "GET /\r\nHost: a\r\n\r\n", BAD },
    { "HTTP/2 preface",                 "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD },
    { "two spaces",                     "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "a space at the end",             "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", BAD },
    { "a tab between",                  "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "a space in the target",          "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "a tab in the target",            "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "UTF-8 in the target",            "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "a fragment",                     "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "target without a slash",         "GET a HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "asterisk for GET",               "GET * HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "asterisk for OPTIONS",           "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", FINE },
    { "absolute form",                  "GET http://h/a HTTP/1.1\r\nHost: a\r\n\r\n", FINE },
    { "absolute form, ftp",             "GET ftp://h/a HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "absolute form, no host",         "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "absolute form, a user",          "GET http://u@h/a HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "a method that is no token",      "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "an unknown method",              "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", FINE },
    { "a method in lower case",         "get / HTTP/1.1\r\nHost: a\r\n\r\n", FINE },
    { "garbage",                        "hello\r\n\r\n", BAD },
    /* chunks */
    { "sizes of either case",           POST "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", FINE },
    { "size with leading zeros",        POST "Transfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n000\r\n\r\n", FINE },
    { "an extension",                   POST "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n", FINE },
    { "trailers",                       POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n", FINE },
    { "size 0x5",                       POST "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", BAD },
    { "size +5",                        POST "Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", BAD },
    { "size 5g",                        POST "Transfer-Encoding: chunked\r\n\r\n5g\r\nhello\r\n0\r\n\r\n", BAD },
    { "no size",                        POST "Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n", BAD },
    { "an extension without a size",    POST "Transfer-Encoding: chunked\r\n\r\n;a\r\nhello\r\n0\r\n\r\n", BAD },
    { "a blank before the size",        POST "Transfer-Encoding: chunked\r\n\r\n 5\r\nhello\r\n0\r\n\r\n", BAD },
    { "a blank behind the size",        POST "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", BAD },
    { "size of 16 digits",              POST "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", REJECT_BODY_TOO_LARGE },
    { "size of 17 digits",              POST "Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n", BAD },
    { "size that overflows to 5",       POST "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello\r\n0\r\n\r\n", BAD },
    { "LF alone behind the size",       POST "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n", BAD },
    { "LF alone in an extension",       POST "Transfer-Encoding: chunked\r\n\r\n5;a\nhello\r\n0\r\n\r\n", BAD },
    { "CR alone in an extension",       POST "Transfer-Encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n0\r\n\r\n", BAD },
    { "LF alone behind the data",       POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n", BAD },
    { "data longer than its size",      POST "Transfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n", BAD },
    { "LF alone behind the last chunk", POST "Transfer-Encoding: chunked\r\n\r\n0\n\r\n", BAD },
    { "LF alone at the very end",       POST "Transfer-Encoding: chunked\r\n\r\n0\r\n\n", BAD },
    { "a folded trailer",               POST "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n c\r\n\r\n", BAD },
    { "a trailer without a colon",      POST "Transfer-Encoding: chunked\r\n\r\n0\r\nA\r\n\r\n", BAD },
    { "a CR alone in a trailer",        POST "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\rc\r\n\r\n", BAD },
};

static void every_line_of_the_boundary_table_gets_its_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(boundary); i++) {
        struct parsed    parsed = parse_and_drop(slice_of(boundary[i].text));
        enum http_result wanted = boundary[i].reject == REJECT_NONE ? HTTP_DONE : HTTP_ERROR;

        if (parsed.result != wanted || parsed.reject != boundary[i].reject)
            fail_msg("%s: result %d, %s instead of %s", boundary[i].why, parsed.result, name_of(parsed.reject),
                     name_of(boundary[i].reject));
    }
}

static void the_same_answers_come_when_bytes_arrive_one_by_one(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(boundary); i++) {
        size_t              len = strlen(boundary[i].text);
        char               *buffer = malloc(len);
        struct http_request request;
        enum http_result    result = HTTP_MORE;
        enum reject         reject = REJECT_NONE;

        memcpy(buffer, boundary[i].text, len);
        http_parser_init(parser);
        for (size_t have = 0; have <= len && result == HTTP_MORE; have++)
            result = http_parse(parser, buffer, have, &request, &reject, NULL);
        if (reject != boundary[i].reject || result == HTTP_MORE) fail_msg("%s: %s", boundary[i].why, name_of(reject));
        free(buffer);
    }
    free(parser);
}

static void a_nul_anywhere_in_the_header_block_is_refused(void **state)
{
    static const char text[] = "GET /abc HTTP/1.1\r\nHost: abc\r\nAccept: x\r\n\r\n";
    char              broken[sizeof(text) - 1];

    (void)state;
    for (size_t i = 0; i < sizeof(broken); i++) {
        struct parsed parsed;

        memcpy(broken, text, sizeof(broken));
        broken[i] = '\0';
        parsed = parse_and_drop(slice_make(broken, sizeof(broken)));
        assert_int_equal(parsed.result, HTTP_ERROR);
        assert_int_equal(parsed.reject, REJECT_BAD_HTTP);
    }
}

static void what_can_never_become_a_request_is_refused_at_once(void **state)
{
    static const struct { const char *bytes; size_t len; } starts[] = {
        { "\x16\x03\x01", 3 }, { "\r\n", 2 }, { " ", 1 }, { "GET / HTTP/1.1\r\n ", 17 }, { "GET /\n", 6 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(starts); i++)
        assert_int_equal(parse_and_drop(slice_make(starts[i].bytes, starts[i].len)).result, HTTP_ERROR);
}

/* --- the parts of a request ------------------------------------------------------------------ */

static void assert_text(struct slice text, const char *wanted)
{
    if (!slice_is(text, wanted)) fail_msg("\"%.*s\" instead of \"%s\"", (int)text.len, text.at, wanted);
}

static void a_request_is_taken_apart(void **state)
{
    static const char text[] =
        "DELETE /api/v1/spot/trade/orders/batch?a=b&c HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-API-Key: default\r\n"
        "x-api-sign:  0xab  \r\nX-API-NONCE: 17\r\nX-API-Chain: 286623\r\nOrigin: http://web\r\n"
        "Content-Type: application/json\r\nX-API-Nonce: 18\r\nContent-Length: 2\r\n\r\n{}GET / HTTP";
    char         *buffer;
    struct parsed parsed = parse(slice_of(text), &buffer);

    (void)state;
    assert_int_equal(parsed.result, HTTP_DONE);
    assert_int_equal(parsed.request.method, HTTP_DELETE);
    assert_text(parsed.request.method_text, "DELETE");
    assert_text(parsed.request.path, "/api/v1/spot/trade/orders/batch");
    assert_text(parsed.request.query, "a=b&c");
    assert_text(parsed.request.header[HEADER_HOST], "127.0.0.1:8080");
    assert_text(parsed.request.header[HEADER_API_KEY], "default");
    assert_text(parsed.request.header[HEADER_API_SIGN], "0xab");
    assert_text(parsed.request.header[HEADER_API_NONCE], "17");
    assert_true(parsed.request.repeated[HEADER_API_NONCE]);
    assert_false(parsed.request.repeated[HEADER_API_SIGN]);
    assert_text(parsed.request.header[HEADER_API_CHAIN], "286623");
    assert_text(parsed.request.header[HEADER_ORIGIN], "http://web");
    assert_text(parsed.request.header[HEADER_CONTENT_TYPE], "application/json");
    assert_null(parsed.request.header[HEADER_EXPECT].at);
    assert_text(parsed.request.body, "{}");
    assert_true(parsed.headers_done);
    assert_int_equal(parsed.request.bytes, strlen(text) - strlen("GET / HTTP"));
    free(buffer);
}

static void the_last_lines_of_what_proxies_say_are_kept(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nforwarded: for=9.9.9.9\r\nX-FORWARDED-FOR: 2.2.2.2, 3.3.3.3\r\n"
                               "X-Forwarded-For: 4.4.4.4\r\nX-Forwarded-For:  5.5.5.5 \r\nX-Forwarded-For: 6.6.6.6\r\n\r\n";
    char         *buffer;
    struct parsed parsed = parse(slice_of(text), &buffer);

    (void)state;
    assert_int_equal(parsed.result, HTTP_DONE);
    assert_int_equal(parsed.request.forwarded_count[0], HTTP_FORWARDED_LINES);
    assert_text(parsed.request.forwarded[0][0], "2.2.2.2, 3.3.3.3");
    assert_text(parsed.request.forwarded[0][2], "5.5.5.5");
    assert_text(parsed.request.forwarded[0][3], "6.6.6.6");
    assert_int_equal(parsed.request.forwarded_count[1], 1);
    assert_text(parsed.request.forwarded[1][0], "for=9.9.9.9");
    assert_true(parsed.request.repeated[HEADER_FORWARDED_FOR]);
    free(buffer);
}

static const struct { const char *target, *path, *query, *host; } targets[] = {
    { "/",                      "/",     "",     "a" },
    { "/a?",                    "/a",    "",     "a" },
    { "/a?b?c",                 "/a",    "b?c",  "a" },
    { "//a",                    "//a",   "",     "a" },
    { "/%2e%2e",                "/%2e%2e", "",   "a" },
    { "http://h",               "/",     "",     "h" },
    { "http://h:1/",            "/",     "",     "h:1" },
    { "HTTPS://h:1/a/b?c=d",    "/a/b",  "c=d",  "h:1" },
    { "http://h?x",             "/",     "x",    "h" },
};

static void targets_are_reduced_to_path_and_query(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(targets); i++) {
        char          text[256], *buffer;
        struct parsed parsed;

        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", targets[i].target);
        parsed = parse(slice_of(text), &buffer);
        assert_int_equal(parsed.result, HTTP_DONE);
        assert_text(parsed.request.path, targets[i].path);
        assert_text(parsed.request.query, targets[i].query);
        assert_text(parsed.request.header[HEADER_HOST], targets[i].host);
        free(buffer);
    }
}

static void methods_are_told_apart_and_strangers_are_other(void **state)
{
    static const struct { const char *text; uint8_t method; } rows[] = {
        { "GET", HTTP_GET }, { "HEAD", HTTP_HEAD }, { "POST", HTTP_POST }, { "PUT", HTTP_PUT }, { "DELETE", HTTP_DELETE },
        { "PATCH", HTTP_PATCH }, { "OPTIONS", HTTP_OPTIONS }, { "TRACE", HTTP_OTHER }, { "get", HTTP_OTHER },
        { "BREW", HTTP_OTHER }, { "GETT", HTTP_OTHER }, { "G", HTTP_OTHER }, { "PROPFIND", HTTP_OTHER },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char          text[128], *buffer;
        struct parsed parsed;

        snprintf(text, sizeof(text), "%s /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nz", rows[i].text);
        parsed = parse(slice_of(text), &buffer);
        assert_int_equal(parsed.result, HTTP_DONE);
        assert_int_equal(parsed.request.method, rows[i].method);
        assert_text(parsed.request.method_text, rows[i].text);
        assert_text(parsed.request.body, "z");
        free(buffer);
    }
}

static void connect_is_a_method_like_any_other_stranger_and_ends_the_connection(void **state)
{
    struct parsed parsed = parse_and_drop(SLICE("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"));

    (void)state;
    assert_int_equal(parsed.result, HTTP_DONE);
    assert_int_equal(parsed.request.method, HTTP_OTHER);
    assert_false(parsed.request.keep_alive);
}

static void the_connection_stays_as_the_client_and_its_version_want(void **state)
{
    static const struct { const char *version, *line; bool keep; } rows[] = {
        { "1.1", "", true }, { "1.1", "Connection: close\r\n", false }, { "1.1", "Connection: Close\r\n", false },
        { "1.1", "Connection: keep-alive\r\n", true }, { "1.1", "Connection: keep-alive, close\r\n", false },
        { "1.1", "Connection: foo\r\n", true }, { "1.1", "Connection: Upgrade\r\nUpgrade: websocket\r\n", true },
        { "1.0", "", false }, { "1.0", "Connection: keep-alive\r\n", true }, { "1.0", "Connection: close\r\n", false },
        { "1.0", "Connection: Keep-Alive, close\r\n", false },
        { "1.1", "Connection: keep-alive\r\nConnection: close\r\n", false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char          text[256];
        struct parsed parsed;

        snprintf(text, sizeof(text), "GET / HTTP/%s\r\nHost: a\r\n%s\r\n", rows[i].version, rows[i].line);
        parsed = parse_and_drop(slice_of(text));
        assert_int_equal(parsed.result, HTTP_DONE);
        if (parsed.request.keep_alive != rows[i].keep) fail_msg("HTTP/%s %s", rows[i].version, rows[i].line);
        assert_int_equal(parsed.request.minor_version, rows[i].version[2] - '0');
    }
}

static void a_continue_is_known_before_the_body_comes(void **state)
{
    struct parsed parsed = parse_and_drop(SLICE(POST "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n"));

    (void)state;
    assert_int_equal(parsed.result, HTTP_MORE);
    assert_true(parsed.headers_done);
    assert_true(parsed.request.expect_continue);
    assert_int_equal(parsed.request.method, HTTP_POST);

    parsed = parse_and_drop(SLICE(POST "Expect: 200-ok\r\n\r\n"));
    assert_false(parsed.request.expect_continue);
    assert_int_equal(parsed.request.header[HEADER_EXPECT].len, 6);
    parsed = parse_and_drop(SLICE("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"));
    assert_false(parsed.request.expect_continue);
    parsed = parse_and_drop(SLICE(POST "Expect: 100-contin"));
    assert_int_equal(parsed.result, HTTP_MORE);
    assert_false(parsed.headers_done);
}

/* --- caps ------------------------------------------------------------------------------------ */

static char big[HTTP_BUFFER_BYTES + 4096];

/* A text of `head`, `count` fillers and `tail`. */
static struct slice filled(const char *head, char filler, size_t count, const char *tail)
{
    struct out out = out_make(big, sizeof(big));

    out_text(&out, head);
    for (size_t i = 0; i < count; i++) out_char(&out, filler);
    out_text(&out, tail);
    assert_false(out.overflow);
    return out_slice(&out);
}

static void the_request_line_has_4096_bytes_and_not_one_more(void **state)
{
    size_t fit = HTTP_REQUEST_LINE_MAX - strlen("GET / HTTP/1.1");

    (void)state;
    assert_int_equal(parse_and_drop(filled("GET /", 'a', fit, " HTTP/1.1\r\nHost: a\r\n\r\n")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled("GET /", 'a', fit + 1, " HTTP/1.1\r\nHost: a\r\n\r\n")).reject, REJECT_URI_TOO_LONG);
    assert_int_equal(parse_and_drop(filled("GET /", 'a', HTTP_REQUEST_LINE_MAX - 5, "")).result, HTTP_MORE);
    assert_int_equal(parse_and_drop(filled("GET /", 'a', HTTP_REQUEST_LINE_MAX - 4, "")).reject, REJECT_URI_TOO_LONG);
}

static void the_header_block_has_16384_bytes_and_not_one_more(void **state)
{
    size_t fit = HTTP_HEADERS_MAX - strlen("GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n");

    (void)state;
    assert_int_equal(parse_and_drop(filled(GET HOST "X: ", 'a', fit, "\r\n\r\n")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled(GET HOST "X: ", 'a', fit + 1, "\r\n\r\n")).reject, REJECT_HEADERS_TOO_LARGE);
    assert_int_equal(parse_and_drop(filled(GET HOST "X: ", 'a', fit + 2, "\r\n\r\n")).reject, REJECT_HEADERS_TOO_LARGE);
    assert_int_equal(parse_and_drop(filled(GET HOST "X: ", 'a', fit + 100, "")).reject, REJECT_HEADERS_TOO_LARGE);
}

static void there_are_64_header_lines_and_not_one_more(void **state)
{
    (void)state;
    for (int lines = 63; lines <= 66; lines++) {
        struct out    out = out_make(big, sizeof(big));
        struct parsed parsed;

        out_text(&out, GET HOST);
        for (int i = 1; i < lines; i++) out_text(&out, "A: b\r\n");
        out_text(&out, "\r\n");
        parsed = parse_and_drop(out_slice(&out));
        assert_int_equal(parsed.reject, lines <= 64 ? REJECT_NONE : REJECT_HEADERS_TOO_LARGE);
    }
}

static void a_body_has_131072_bytes_and_not_one_more(void **state)
{
    char head[128];

    (void)state;
    assert_int_equal(parse_and_drop(filled(POST "Content-Length: 131072\r\n\r\n", 'x', HTTP_BODY_MAX, "")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled(POST "Content-Length: 131072\r\n\r\n", 'x', HTTP_BODY_MAX - 1, "")).result, HTTP_MORE);
    assert_int_equal(parse_and_drop(SLICE(POST "Content-Length: 131073\r\n\r\n")).reject, REJECT_BODY_TOO_LARGE);
    snprintf(head, sizeof(head), POST "Transfer-Encoding: chunked\r\n\r\n%x\r\n", HTTP_BODY_MAX);
    assert_int_equal(parse_and_drop(filled(head, 'x', HTTP_BODY_MAX, "\r\n0\r\n\r\n")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled(head, 'x', HTTP_BODY_MAX, "\r\n1\r\n")).reject, REJECT_BODY_TOO_LARGE);
    snprintf(head, sizeof(head), POST "Transfer-Encoding: chunked\r\n\r\n%x\r\n", HTTP_BODY_MAX + 1);
    assert_int_equal(parse_and_drop(slice_of(head)).reject, REJECT_BODY_TOO_LARGE);
}

static void a_chunk_extension_has_256_bytes_and_not_one_more(void **state)
{
    const char *head = POST "Transfer-Encoding: chunked\r\n\r\n1;";

    (void)state;
    assert_int_equal(parse_and_drop(filled(head, 'e', 256, "\r\nx\r\n0\r\n\r\n")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled(head, 'e', 257, "\r\nx\r\n0\r\n\r\n")).reject, REJECT_BAD_HTTP);
}

static void a_body_in_tiny_chunks_ends_before_its_framing_fills_the_buffer(void **state)
{
    struct out    out = out_make(big, sizeof(big));
    struct parsed parsed;

    (void)state;
    out_text(&out, POST "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3274; i++) out_text(&out, "1\r\nx\r\n");      /* 3274 * 5 + 5 = 16375 bytes of framing */
    out_text(&out, "0\r\n\r\n");
    parsed = parse_and_drop(out_slice(&out));
    assert_int_equal(parsed.result, HTTP_DONE);
    assert_int_equal(parsed.request.body.len, 3274);

    out.len -= 5;
    for (int i = 0; i < 3; i++) out_text(&out, "1\r\nx\r\n");
    out_text(&out, "0\r\n\r\n");
    assert_int_equal(parse_and_drop(out_slice(&out)).reject, REJECT_BAD_HTTP);
}

static void trailers_are_counted_like_headers(void **state)
{
    (void)state;
    for (int lines = 64; lines <= 65; lines++) {
        struct out out = out_make(big, sizeof(big));

        out_text(&out, POST "Transfer-Encoding: chunked\r\n\r\n0\r\n");
        for (int i = 0; i < lines; i++) out_text(&out, "A: b\r\n");
        out_text(&out, "\r\n");
        assert_int_equal(parse_and_drop(out_slice(&out)).reject, lines <= 64 ? REJECT_NONE : REJECT_HEADERS_TOO_LARGE);
    }
}

/* --- arriving in pieces ---------------------------------------------------------------------- */

static const char *const pieces[] = {
    "GET /markets/symbols?symbol=vBTC_vUSDC HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
    "POST /o HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world",
    "POST /o HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n \r\n05\r\nworld\r\n0\r\nT: u\r\n\r\n",
    "DELETE /o HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\n\r\n",
    "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n",
};

/* A request as text, to compare two readings. */
static void describe(const struct http_request *request, char text[1024])
{
    int len = snprintf(text, 1024, "%d.%d keep %d continue %d %.*s|%.*s|%.*s|%.*s|%zu", request->method,
                       request->minor_version, request->keep_alive, request->expect_continue,
                       (int)request->method_text.len, request->method_text.at, (int)request->path.len, request->path.at,
                       (int)request->query.len, request->query.at, (int)min_size(request->body.len, 300),
                       request->body.at, request->bytes);
    for (int i = 0; i < HEADER_COUNT; i++)
        if (request->header[i].at != NULL && len < 900)
            len += snprintf(text + len, (size_t)(1024 - len), "|%d:%.*s", i, (int)min_size(request->header[i].len, 40),
                            request->header[i].at);
}

static void every_split_of_a_request_reads_the_same(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(pieces); i++) {
        size_t        len = strlen(pieces[i]);
        char          wanted[1024], got[1024], *whole, *buffer = malloc(len);
        struct parsed parsed = parse(slice_of(pieces[i]), &whole);

        assert_int_equal(parsed.result, HTTP_DONE);
        assert_int_equal(parsed.request.bytes, len);
        describe(&parsed.request, wanted);
        for (size_t split = 0; split < len; split++) {
            for (size_t second = split; second < len; second += 7) {
                struct http_request request;
                enum reject         reject;

                memcpy(buffer, pieces[i], len);
                http_parser_init(parser);
                assert_int_equal(http_parse(parser, buffer, split, &request, &reject, NULL), HTTP_MORE);
                assert_int_equal(http_parse(parser, buffer, second, &request, &reject, NULL), HTTP_MORE);
                assert_int_equal(http_parse(parser, buffer, len, &request, &reject, NULL), HTTP_DONE);
                describe(&request, got);
                assert_string_equal(got, wanted);
            }
        }
        free(buffer);
        free(whole);
    }
    free(parser);
}

static void pipelined_requests_are_consumed_exactly(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    char                buffer[2048];
    struct out          out = out_make(buffer, sizeof(buffer));
    size_t              at = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(pieces); i++) out_text(&out, pieces[i]);
    for (size_t i = 0; i < ARRAY_COUNT(pieces); i++) {
        struct http_request request;
        enum reject         reject;

        http_parser_init(parser);
        assert_int_equal(http_parse(parser, buffer + at, out.len - at, &request, &reject, NULL), HTTP_DONE);
        assert_int_equal(request.bytes, strlen(pieces[i]));
        at += request.bytes;
    }
    assert_int_equal(at, out.len);
    free(parser);
}

/* --- the head that the last one was ----------------------------------------------------------- */

#define SIGNED(SIGN, NONCE, LENGTH, BODY) \
    "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: a:8080\r\nX-API-Sign: " SIGN "\r\nContent-Length: " LENGTH "\r\nX-API-Nonce: " NONCE "\r\n\r\n" BODY

static const char *const repeated[] = {
    SIGNED("0x0123456789abcdef", "1700000000000", "11", "hello world"),
    "GET /a?b=1 HTTP/1.1\r\nHost: a\r\nX-API-Sign:\r\nX-API-Nonce: a b \r\n\r\n",
    "POST /a HTTP/1.0\r\nContent-Length: 3\r\nX-API-Nonce: 1\r\nx-api-nonce: 2\r\nConnection: keep-alive\r\nOrigin: o\r\nForwarded: for=b\r\n\r\nabc",
};

/* The text as the second request behind the first, against a parser that has never read one. */
static void expect_as_if_new(const char *first, struct slice text)
{
    struct http_parser *again = malloc(http_parser_size());
    char               *before = malloc(strlen(first)), *behind = malloc(text.len + 1), *alone, wanted[1024] = "", got[1024] = "";
    struct parsed       new = parse(text, &alone), old;

    memcpy(before, first, strlen(first));
    http_parser_init(again);
    assert_int_equal(http_parse(again, before, strlen(first), &old.request, &old.reject, NULL), HTTP_DONE);
    memset(before, 'Z', strlen(first));
    free(before);
    memcpy(behind, text.at, text.len);
    http_parser_again(again);
    old.result = http_parse(again, behind, text.len, &old.request, &old.reject, &old.headers_done);
    assert_int_equal(old.result, new.result);
    assert_int_equal(old.reject, new.reject);
    assert_int_equal(old.headers_done, new.headers_done);
    if (new.result == HTTP_DONE) {
        describe(&new.request, wanted);
        describe(&old.request, got);
        assert_string_equal(got, wanted);
        assert_memory_equal(old.request.repeated, new.request.repeated, sizeof(new.request.repeated));
        assert_ptr_equal(old.request.body.at, behind + (new.request.body.at - alone));
    }
    free(alone);
    free(behind);
    free(again);
}

static void whoever_repeats_himself_is_read_as_if_he_were_new(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(repeated); i++) {
        size_t len = strlen(repeated[i]);
        char  *text = malloc(len);
        memcpy(text, repeated[i], len);
        for (size_t at = 0; at < len; at++) {
            for (int byte = 0; byte < 256; byte++) {
                text[at] = (char)byte;
                expect_as_if_new(repeated[i], slice_make(text, len));
            }
            text[at] = repeated[i][at];
            expect_as_if_new(repeated[i], slice_make(text, at));
        }
        free(text);
    }
}

static void another_signature_and_another_length_are_read_behind_the_same_head(void **state)
{
    static const char *const others[] = {
        SIGNED("0xfedcba9876543210", "1700000000001", "11", "other words"), SIGNED("0xfedcba9876543210", "1700000000001", "05", "other"),
        SIGNED("0xfedcba9876543210", "1700000000001", "99", "not all of it"), SIGNED("0xfedcba9876543210", "17000000000012", "11", "longer said"),
        SIGNED("0x", "", "3", "abc"), SIGNED("0xfedcba987654321 ", "1700000000001", "11", "other words"), SIGNED("0xfedcba987654\t210", "1700000000001", "11", "other words"),
        SIGNED("0xfedcba9876543210", "1700000000001", "1x", "other words"), SIGNED("0xfedcba9876543210", "1700000000001", "11", "two of themGET / HTTP/1.1\r\n\r\n"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) expect_as_if_new(repeated[0], slice_of(others[i]));
}

static void a_length_beyond_the_cap_is_refused_behind_the_same_head_too(void **state)
{
    static const char first[] = SIGNED("1", "1", "000003", "abc");

    (void)state;
    for (size_t more = 0; more < 2; more++) {
        char text[256];
        int  len = snprintf(text, sizeof(text), SIGNED("1", "1", "%zu", ""), HTTP_BODY_MAX + more);
        struct slice whole = filled(text, 'x', HTTP_BODY_MAX + more, "");
        assert_int_equal(parse_and_drop(whole).reject, more == 0 ? REJECT_NONE : REJECT_BODY_TOO_LARGE);
        assert_int_equal(len, (int)strlen(text));
        expect_as_if_new(first, whole);
    }
}

/* What is left of a request must not be taken for what came before it. */
static void a_request_in_pieces_behind_the_same_head_is_read_whole(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    const char         *second = SIGNED("0xfedcba9876543210", "1700000000001", "12", "other words!");
    size_t              len = strlen(second);
    char               *buffer = malloc(len);
    struct http_request request;
    enum reject         reject;

    (void)state;
    for (size_t split = 1; split < len; split++) {
        memcpy(buffer, repeated[0], strlen(repeated[0]));
        http_parser_init(parser);
        assert_int_equal(http_parse(parser, buffer, strlen(repeated[0]), &request, &reject, NULL), HTTP_DONE);
        memcpy(buffer, second, len);
        http_parser_again(parser);
        assert_int_equal(http_parse(parser, buffer, split, &request, &reject, NULL), HTTP_MORE);
        assert_int_equal(http_parse(parser, buffer, len, &request, &reject, NULL), HTTP_DONE);
        assert_text(request.body, "other words!");
        assert_text(request.header[HEADER_API_NONCE], "1700000000001");
        assert_int_equal(request.bytes, len);
    }
    free(buffer);
    free(parser);
}

static void the_buffer_may_move_between_two_calls(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    size_t              len = strlen(pieces[2]), head = len - 20;
    char               *first = malloc(head), *second = malloc(len);
    struct http_request request;
    enum reject         reject;

    (void)state;
    memcpy(first, pieces[2], head);
    http_parser_init(parser);
    assert_int_equal(http_parse(parser, first, head, &request, &reject, NULL), HTTP_MORE);
    memcpy(second, first, head);
    memcpy(second + head, pieces[2] + head, len - head);
    memset(first, 'Z', head);
    assert_int_equal(http_parse(parser, second, len, &request, &reject, NULL), HTTP_DONE);
    assert_text(request.path, "/o");
    assert_text(request.header[HEADER_HOST], "a");
    assert_text(request.body, "hello world");
    free(first);
    free(second);
    free(parser);
}

static void a_large_body_byte_by_byte_costs_one_look_at_each_byte(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    struct http_request request;
    enum reject         reject;
    enum http_result    result = HTTP_MORE;
    struct slice        text;
    size_t              have = 0;

    (void)state;
    text = filled(POST "Transfer-Encoding: chunked\r\n\r\n1f000\r\n", 'x', 0x1f000, "\r\n0\r\n\r\n");
    http_parser_init(parser);
    while (result == HTTP_MORE) result = http_parse(parser, big, ++have, &request, &reject, NULL);
    assert_int_equal(result, HTTP_DONE);
    assert_int_equal(have, text.len);
    assert_int_equal(request.body.len, 0x1f000);
    free(parser);
}

/* --- mutations ------------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252u;

static uint32_t dice(uint32_t sides)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % sides;
}

static size_t mutate(char *text, size_t len, size_t cap)
{
    static const char spice[] = "\r\n\t :;,+-0159aAfFxX_\"\0\x7f\x80/?#*";

    for (uint32_t turns = 1 + dice(3); turns > 0; turns--) {
        size_t at = dice((uint32_t)len);
        switch (dice(5)) {
        case 0: text[at] = spice[dice(sizeof(spice) - 1)]; break;
        case 1: memmove(text + at, text + at + 1, len - at - 1); len -= len > 1; break;
        case 2:
            if (len == cap) break;
            memmove(text + at + 1, text + at, len - at);
            text[at] = spice[dice(sizeof(spice) - 1)];
            len += 1;
            break;
        case 3: text[at] = (char)dice(256); break;
        default: {
            size_t from = dice((uint32_t)len), part = min_size(min_size(dice(24), len - from), cap - len);
            memmove(text + from + part, text + from, len - from);
            len += part;
            break;
        }
        }
    }
    return len;
}

static bool starts_with(struct slice line, const char *name)
{
    for (size_t i = 0; name[i] != '\0'; i++)
        if (i == line.len || (line.at[i] | 0x20) != (name[i] | 0x20)) return false;
    return true;
}

/*
 * The reading of a plain-minded peer: lines end with LF, a length is whatever digits follow. An
 * accepted request must not leave room for it to find another end of the body.
 */
static void assert_one_reading(struct slice text, const struct http_request *request)
{
    const char *end = memmem(text.at, text.len, "\r\n\r\n", 4), *line = text.at;
    size_t      head, lengths = 0, encodings = 0, hosts = 0, length = 0;

    assert_non_null(end);
    head = (size_t)(end - text.at) + 4;
    while (line < end) {
        const char  *stop = memchr(line, '\n', (size_t)(text.at + text.len - line));
        struct slice one = slice_make(line, (size_t)(stop - line));

        assert_true(one.len >= 1 && one.at[one.len - 1] == '\r');
        assert_null(memchr(one.at, '\r', one.len - 1));
        assert_true(*line != ' ' && *line != '\t');
        if (starts_with(one, "content-length:")) {
            lengths += 1;
            length = (size_t)strtoull(one.at + 15, NULL, 10);
        }
        encodings += starts_with(one, "transfer-encoding:");
        hosts += starts_with(one, "host:");
        line = stop + 1;
    }
    assert_true(lengths + encodings <= 1);
    assert_true(request->minor_version == 0 ? hosts <= 1 : hosts == 1);
    if (encodings == 0) {
        assert_int_equal(request->body.len, length);
        assert_int_equal(request->bytes, head + length);
    } else {
        assert_true(request->bytes >= head + request->body.len + 5);
    }
}

static void mutated_requests_never_crash_and_never_read_two_ways(void **state)
{
    struct http_parser *parser = malloc(http_parser_size());
    size_t              accepted = 0, refused = 0;

    (void)state;
    for (int round = 0; round < 300000; round++) {
        const char         *base = pieces[dice(ARRAY_COUNT(pieces))];
        char                text[512], whole_text[1024], split_text[1024], *buffer;
        size_t              len = strlen(base), split;
        struct http_request request;
        enum reject         reject;
        enum http_result    result;
        struct parsed       whole;

        memcpy(text, base, len);
        len = mutate(text, len, sizeof(text));
        whole = parse(slice_make(text, len), &buffer);
        describe(&whole.request, whole_text);
        free(buffer);

        split = dice((uint32_t)len);
        buffer = malloc(len);
        memcpy(buffer, text, len);
        http_parser_init(parser);
        result = http_parse(parser, buffer, split, &request, &reject, NULL);
        if (result == HTTP_MORE) result = http_parse(parser, buffer, len, &request, &reject, NULL);
        assert_int_equal(result, whole.result);
        assert_int_equal(reject, whole.reject);
        if (result == HTTP_DONE) {
            describe(&request, split_text);
            assert_string_equal(split_text, whole_text);
            assert_one_reading(slice_make(text, len), &request);
            accepted += 1;
        }
        refused += result == HTTP_ERROR;
        free(buffer);
    }
    assert_true(accepted > 1000 && refused > 1000);
    free(parser);
}

/* --- answers --------------------------------------------------------------------------------- */

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
    assert_answer(&(struct http_answer){ .status = 204, .extra = SLICE("Allow: GET\r\n") }, SLICE(""),
                  "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\nAllow: GET\r\n\r\n");
}

/* The example of RFC 9110, and what the C library says of other times. */
static void answers_say_when_they_were_given(void **state)
{
    struct http_date date = { 0 };
    uint64_t         dice = 7;

    (void)state;
    assert_text(http_date_line(&date, INT64_C(784111777000)), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    assert_text(http_date_line(&date, INT64_C(784111777999)), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    assert_text(http_date_line(&date, INT64_C(784111778000)), "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n");
    for (int i = 0; i < 20000; i++) {
        time_t second = i == 0 ? 0 : i == 1 ? (time_t)INT64_C(253402300799) : (time_t)((dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407) >> 20) % INT64_C(253402300800);
        struct tm at;
        char   wanted[64];
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
                  "Access-Control-Expose-Headers: X-Chain-Tx, X-Chain-Block, X-Chain-Index, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset\r\n\r\n[]");
    assert_answer(&(struct http_answer){ .status = 200, .allow_origin = SLICE("http://b") }, SLICE("[]"),
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\nAccess-Control-Allow-Origin: http://b\r\n"
                  "Access-Control-Expose-Headers: X-Chain-Tx, X-Chain-Block, X-Chain-Index, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset\r\n"
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

/* Each of them by its own name, in any case, and by no other of its length. */
static void every_header_that_is_looked_at_is_found(void **state)
{
    static const struct { enum http_header header; const char *name; } headers[] = {
        { HEADER_CONTENT_TYPE, "Content-Type" }, { HEADER_ORIGIN, "Origin" }, { HEADER_EXPECT, "Expect" }, { HEADER_CONNECTION, "Connection" },
        { HEADER_API_KEY, "X-API-Key" }, { HEADER_API_SIGN, "X-API-Sign" }, { HEADER_API_NONCE, "X-API-Nonce" }, { HEADER_API_CHAIN, "X-API-Chain" },
        { HEADER_FORWARDED_FOR, "X-Forwarded-For" }, { HEADER_FORWARDED, "Forwarded" }, { HEADER_UPGRADE, "Upgrade" },
        { HEADER_WS_KEY, "Sec-WebSocket-Key" }, { HEADER_WS_VERSION, "SEC-WEBSOCKET-VERSION" },
    };

    (void)state;
    assert_int_equal(ARRAY_COUNT(headers) + 1, HEADER_COUNT);           /* and Host */
    for (size_t i = 0; i < ARRAY_COUNT(headers); i++) {
        char  text[256];
        char *buffer;
        int   len = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%s: close\r\n\r\n", headers[i].name);
        struct parsed parsed = parse(slice_make(text, (size_t)len), &buffer);
        assert_int_equal(parsed.result, HTTP_DONE);
        for (int k = 0; k < HEADER_COUNT; k++) {
            if (k == (int)headers[i].header)  assert_true(slice_is(parsed.request.header[k], "close"));
            else if (k != HEADER_HOST)        assert_null(parsed.request.header[k].at);
        }
        free(buffer);
        len = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%.*s_: close\r\n\r\n", (int)strlen(headers[i].name) - 1, headers[i].name);
        parsed = parse(slice_make(text, (size_t)len), &buffer);
        assert_int_equal(parsed.result, HTTP_DONE);
        for (int k = 0; k < HEADER_COUNT; k++)
            if (k != HEADER_HOST) assert_null(parsed.request.header[k].at);
        free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_of_the_boundary_table_gets_its_answer),
        cmocka_unit_test(every_header_that_is_looked_at_is_found),
        cmocka_unit_test(the_same_answers_come_when_bytes_arrive_one_by_one),
        cmocka_unit_test(a_nul_anywhere_in_the_header_block_is_refused),
        cmocka_unit_test(what_can_never_become_a_request_is_refused_at_once),
        cmocka_unit_test(a_request_is_taken_apart),
        cmocka_unit_test(the_last_lines_of_what_proxies_say_are_kept),
        cmocka_unit_test(targets_are_reduced_to_path_and_query),
        cmocka_unit_test(methods_are_told_apart_and_strangers_are_other),
        cmocka_unit_test(connect_is_a_method_like_any_other_stranger_and_ends_the_connection),
        cmocka_unit_test(the_connection_stays_as_the_client_and_its_version_want),
        cmocka_unit_test(a_continue_is_known_before_the_body_comes),
        cmocka_unit_test(the_request_line_has_4096_bytes_and_not_one_more),
        cmocka_unit_test(the_header_block_has_16384_bytes_and_not_one_more),
        cmocka_unit_test(there_are_64_header_lines_and_not_one_more),
        cmocka_unit_test(a_body_has_131072_bytes_and_not_one_more),
        cmocka_unit_test(a_chunk_extension_has_256_bytes_and_not_one_more),
        cmocka_unit_test(a_body_in_tiny_chunks_ends_before_its_framing_fills_the_buffer),
        cmocka_unit_test(trailers_are_counted_like_headers),
        cmocka_unit_test(every_split_of_a_request_reads_the_same),
        cmocka_unit_test(pipelined_requests_are_consumed_exactly),
        cmocka_unit_test(whoever_repeats_himself_is_read_as_if_he_were_new),
        cmocka_unit_test(another_signature_and_another_length_are_read_behind_the_same_head),
        cmocka_unit_test(a_length_beyond_the_cap_is_refused_behind_the_same_head_too),
        cmocka_unit_test(a_request_in_pieces_behind_the_same_head_is_read_whole),
        cmocka_unit_test(the_buffer_may_move_between_two_calls),
        cmocka_unit_test(a_large_body_byte_by_byte_costs_one_look_at_each_byte),
        cmocka_unit_test(mutated_requests_never_crash_and_never_read_two_ways),
        cmocka_unit_test(answers_are_written_with_their_length_and_connection),
        cmocka_unit_test(answers_say_when_they_were_given),
        cmocka_unit_test(a_browser_is_told_which_origin_and_which_headers),
        cmocka_unit_test(every_status_of_a_reject_has_its_text),
        cmocka_unit_test(an_answer_that_does_not_fit_says_so),
    };
    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
