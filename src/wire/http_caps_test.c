/* SPDX-License-Identifier: MIT */
/* How much of each thing a request may have, and not one more. */
#include "rigs/wire/http_rig.h"

static void the_request_line_has_4096_bytes_and_not_one_more(void **state)
{
    size_t fit = HTTP_REQUEST_LINE_MAX - strlen("GET / HTTP/1.1");

    (void)state;
    assert_int_equal(parse_and_drop(filled("GET /", 'a', fit, " HTTP/1.1\r\nHost: a\r\n\r\n")).result, HTTP_DONE);
    assert_int_equal(parse_and_drop(filled("GET /", 'a', fit + 1, " HTTP/1.1\r\nHost: a\r\n\r\n")).reject,
                     REJECT_URI_TOO_LONG);
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
    assert_int_equal(parse_and_drop(filled(POST "Content-Length: 131072\r\n\r\n", 'x', HTTP_BODY_MAX, "")).result,
                     HTTP_DONE);
    assert_int_equal(parse_and_drop(filled(POST "Content-Length: 131072\r\n\r\n", 'x', HTTP_BODY_MAX - 1, "")).result,
                     HTTP_MORE);
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
    for (int i = 0; i < 3274; i++) out_text(&out, "1\r\nx\r\n"); /* 3274 * 5 + 5 = 16375 bytes of framing */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_request_line_has_4096_bytes_and_not_one_more),
        cmocka_unit_test(the_header_block_has_16384_bytes_and_not_one_more),
        cmocka_unit_test(there_are_64_header_lines_and_not_one_more),
        cmocka_unit_test(a_body_has_131072_bytes_and_not_one_more),
        cmocka_unit_test(a_chunk_extension_has_256_bytes_and_not_one_more),
        cmocka_unit_test(a_body_in_tiny_chunks_ends_before_its_framing_fills_the_buffer),
        cmocka_unit_test(trailers_are_counted_like_headers),
        cmocka_unit_test(a_large_body_byte_by_byte_costs_one_look_at_each_byte),
    };
    return cmocka_run_group_tests_name("http caps", tests, NULL, NULL);
}
