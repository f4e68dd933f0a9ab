/* SPDX-License-Identifier: MIT */
/* Accepted and refused requests, and the parts of one. */
#include "rigs/wire/http_rig.h"

static const char *name_of(enum reject reject) { return reject == REJECT_NONE ? "NONE" : reject_row(reject)->name; }

/* --- process 1, line by line: a refused request and its accepted neighbour ------------------- */

#define BAD  REJECT_BAD_HTTP
#define FINE REJECT_NONE

/* clang-format off */
static const struct { const char *why, *text; enum reject reject; } boundary[] = {
    /* content length */
    { "length of the body",             POST "Content-Length: 5\r\n\r\nhello", FINE },
    { "length in any case",             POST "cOnTeNt-LeNgTh:5\r\n\r\nhello", FINE },
    { "length with blanks around",      POST "Content-Length: \t 5  \r\n\r\nhello", FINE },
    { "length with a tab behind",       POST "Content-Length: 5\t\r\n\r\nhello", BAD },
    { "length with a blank, then a tab", POST "Content-Length: 5 \t\r\n\r\nhello", BAD },
    { "length with a tab in front",     POST "Content-Length:\t5\r\n\r\nhello", FINE },
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
    { "chunked twice", POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunked behind a tab",           POST "Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n", FINE },
    { "chunked with a tab behind",      POST "Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n", BAD },
    { "chunked with a comma behind",    POST "Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n", BAD },
    { "chunked behind a comma",         POST "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n", BAD },
    { "chunked with a parameter",       POST "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n", BAD },
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
    { "host with an empty port",        GET "Host: a:\r\n\r\n", FINE },
    { "host with the last port",        GET "Host: a:65535\r\n\r\n", FINE },
    { "host with a port beyond it",     GET "Host: a:65536\r\n\r\n", BAD },
    { "host with port 99999",           GET "Host: a:99999\r\n\r\n", BAD },
    { "host with a port of six digits", GET "Host: a:000080\r\n\r\n", BAD },
    { "host with a word for a port",    GET "Host: a:x\r\n\r\n", BAD },
    { "host with two ports",            GET "Host: a:80:90\r\n\r\n", BAD },
    { "host of IPv6 without brackets",  GET "Host: ::1\r\n\r\n", BAD },
    { "host of IPv6 alone",             GET "Host: [::1]\r\n\r\n", FINE },
    { "host with a bracket left open",  GET "Host: [::1\r\n\r\n", BAD },
    { "host with text behind brackets", GET "Host: [::1]x\r\n\r\n", BAD },
    { "host with a word in brackets",   GET "Host: [a]\r\n\r\n", BAD },
    { "host with a zone",               GET "Host: [fe80::1%25eth0]\r\n\r\n", BAD },
    { "host with a percent code",       GET "Host: a%2Db\r\n\r\n", FINE },
    { "host with half a percent code",  GET "Host: a%2\r\n\r\n", BAD },
    { "host with a bar",                GET "Host: a|b\r\n\r\n", BAD },
    { "host of a port alone",           GET "Host: :80\r\n\r\n", FINE },
    { "absolute form, a wrong port",    "GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "absolute form, port 99999",      "GET http://a:99999/ HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
    { "absolute form, IPv6",            "GET http://[::1]:80/ HTTP/1.1\r\nHost: a\r\n\r\n", FINE },
    { "absolute form, half of IPv6",    "GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n", BAD },
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
    { "sizes of either case", POST "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
      FINE },
    { "size with leading zeros",        POST "Transfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n000\r\n\r\n", FINE },
    { "an extension", POST "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n", FINE },
    { "trailers", POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n", FINE },
    { "size 0x5",                       POST "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", BAD },
    { "size +5",                        POST "Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", BAD },
    { "size 5g",                        POST "Transfer-Encoding: chunked\r\n\r\n5g\r\nhello\r\n0\r\n\r\n", BAD },
    { "no size",                        POST "Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n", BAD },
    { "an extension without a size",    POST "Transfer-Encoding: chunked\r\n\r\n;a\r\nhello\r\n0\r\n\r\n", BAD },
    { "a blank before the size",        POST "Transfer-Encoding: chunked\r\n\r\n 5\r\nhello\r\n0\r\n\r\n", BAD },
    { "a blank behind the size",        POST "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", BAD },
    { "size of 16 digits", POST "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", REJECT_BODY_TOO_LARGE },
    { "size of 17 digits", POST "Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n", BAD },
    { "size that overflows to 5", POST "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello\r\n0\r\n\r\n",
      BAD },
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
/* clang-format on */

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
    /* clang-format off */
    static const struct { const char *bytes; size_t len; } starts[] = {
        { "\x16\x03\x01", 3 }, { "\r\n", 2 }, { " ", 1 }, { "GET / HTTP/1.1\r\n ", 17 }, { "GET /\n", 6 },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(starts); i++)
        assert_int_equal(parse_and_drop(slice_make(starts[i].bytes, starts[i].len)).result, HTTP_ERROR);
}

/* --- the parts of a request ------------------------------------------------------------------ */

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
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nforwarded: for=9.9.9.9\r\n"
                               "X-FORWARDED-FOR: 2.2.2.2, 3.3.3.3\r\n"
                               "X-Forwarded-For: 4.4.4.4\r\nX-Forwarded-For:  5.5.5.5 \r\nX-Forwarded-For: 6.6.6.6\r\n"
                               "\r\n";
    char             *buffer;
    struct parsed     parsed = parse(slice_of(text), &buffer);

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

/* clang-format off */
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
/* clang-format on */

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
    /* clang-format off */
    static const struct { const char *text; uint8_t method; } rows[] = {
        { "GET", HTTP_GET }, { "HEAD", HTTP_HEAD }, { "POST", HTTP_POST }, { "PUT", HTTP_PUT },
          { "DELETE", HTTP_DELETE },
        { "PATCH", HTTP_PATCH }, { "OPTIONS", HTTP_OPTIONS }, { "TRACE", HTTP_OTHER }, { "get", HTTP_OTHER },
        { "BREW", HTTP_OTHER }, { "GETT", HTTP_OTHER }, { "G", HTTP_OTHER }, { "PROPFIND", HTTP_OTHER },
    };
    /* clang-format on */

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

/* RFC 9110, 9.3.6: host and port, nothing else. */
static void the_target_of_connect_is_a_host(void **state)
{
    /* clang-format off */
    static const struct { const char *target; enum http_result result; } rows[] = {
        { "h:443", HTTP_DONE }, { "[::1]:443", HTTP_DONE }, { "h", HTTP_DONE }, { "h:65536", HTTP_ERROR },
          { "/", HTTP_ERROR },
        { "http://h/", HTTP_ERROR }, { "h:443/", HTTP_ERROR }, { "u@h:443", HTTP_ERROR },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[128];

        snprintf(text, sizeof(text), "CONNECT %s HTTP/1.1\r\nHost: h\r\n\r\n", rows[i].target);
        if (parse_and_drop(slice_of(text)).result != rows[i].result) fail_msg("%s", rows[i].target);
    }
}

static void the_connection_stays_as_the_client_and_its_version_want(void **state)
{
    /* clang-format off */
    static const struct { const char *version, *line; bool keep; } rows[] = {
        { "1.1", "", true }, { "1.1", "Connection: close\r\n", false }, { "1.1", "Connection: Close\r\n", false },
        { "1.1", "Connection: keep-alive\r\n", true }, { "1.1", "Connection: keep-alive, close\r\n", false },
        { "1.1", "Connection: foo\r\n", true }, { "1.1", "Connection: Upgrade\r\nUpgrade: websocket\r\n", true },
        { "1.0", "", false }, { "1.0", "Connection: keep-alive\r\n", true }, { "1.0", "Connection: close\r\n", false },
        { "1.0", "Connection: Keep-Alive, close\r\n", false },
        { "1.1", "Connection: keep-alive\r\nConnection: close\r\n", false },
        { "1.1", "Connection: close\r\nConnection: keep-alive\r\n", false },
          { "1.1", "Connection: ,, foo ,\tCLOSE\t,\r\n", false },
        { "1.1", "Connection: closed\r\n", true }, { "1.1", "Connection: xclose\r\n", true },
          { "1.1", "Connection: close x\r\n", true },
        { "1.1", "Connection: close;\r\n", true }, { "1.1", "Connection:\r\n", true },
          { "1.1", "Connection: \"close\"\r\n", true },
        { "1.0", "Connection: foo,keep-alive\r\n", true }, { "1.0", "Connection: keep-aliv\r\n", false },
          { "1.0", "Connection: keep-alive2\r\n", false },
        { "1.0", "Connection: keep alive\r\n", false }, { "1.0", "Proxy-Connection: keep-alive\r\n", false },
          { "1.1", "Proxy-Connection: close\r\n", true },
    };
    /* clang-format on */

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
    parsed = parse_and_drop(SLICE(POST "Expect: 100-continue\r\nExpect: foo\r\n\r\n"));
    assert_false(parsed.request.expect_continue); /* as in one line */
    parsed = parse_and_drop(SLICE("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"));
    assert_false(parsed.request.expect_continue);
    parsed = parse_and_drop(SLICE(POST "Expect: 100-contin"));
    assert_int_equal(parsed.result, HTTP_MORE);
    assert_false(parsed.headers_done);
}

/* Each of them by its own name, in any case, and by no other of its length. */
static void every_header_that_is_looked_at_is_found(void **state)
{
    /* clang-format off */
    static const struct { enum http_header header; const char *name; } headers[] = {
        { HEADER_CONTENT_TYPE, "Content-Type" }, { HEADER_ORIGIN, "Origin" }, { HEADER_EXPECT, "Expect" },
          { HEADER_CONNECTION, "Connection" },
        { HEADER_API_KEY, "X-API-Key" }, { HEADER_API_SIGN, "X-API-Sign" }, { HEADER_API_NONCE, "X-API-Nonce" },
          { HEADER_API_CHAIN, "X-API-Chain" },
        { HEADER_FORWARDED_FOR, "X-Forwarded-For" }, { HEADER_FORWARDED, "Forwarded" }, { HEADER_UPGRADE, "Upgrade" },
        { HEADER_WS_KEY, "Sec-WebSocket-Key" }, { HEADER_WS_VERSION, "SEC-WEBSOCKET-VERSION" },
        { HEADER_MIN_SEQ, "X-Dojima-Min-Seq" }, { HEADER_NODE, "X-Dojima-Forwarded" },
          { HEADER_NODE_SECRET, "X-DOJIMA-SECRET" },
          { HEADER_AS, "X-Dojima-AS" },
    };
    /* clang-format on */

    (void)state;
    assert_int_equal(ARRAY_COUNT(headers) + 1, HEADER_COUNT); /* and Host */
    for (size_t i = 0; i < ARRAY_COUNT(headers); i++) {
        char  text[256];
        char *buffer;
        int   len = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%s: close\r\n\r\n", headers[i].name);
        struct parsed parsed = parse(slice_make(text, (size_t)len), &buffer);
        assert_int_equal(parsed.result, HTTP_DONE);
        for (int k = 0; k < HEADER_COUNT; k++) {
            if (k == (int)headers[i].header) assert_true(slice_is(parsed.request.header[k], "close"));
            else if (k != HEADER_HOST) assert_null(parsed.request.header[k].at);
        }
        free(buffer);
        len = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%.*s_: close\r\n\r\n",
                       (int)strlen(headers[i].name) - 1, headers[i].name);
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
        cmocka_unit_test(the_target_of_connect_is_a_host),
        cmocka_unit_test(the_connection_stays_as_the_client_and_its_version_want),
        cmocka_unit_test(a_continue_is_known_before_the_body_comes),
    };
    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
