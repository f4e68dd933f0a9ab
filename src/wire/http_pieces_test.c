/* SPDX-License-Identifier: MIT */
/* Requests that arrive in pieces, one behind the other, and with the same head again. */
#include "rigs/wire/http_rig.h"

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

#define SIGNED(SIGN, NONCE, LENGTH, BODY)                                                                              \
    "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: a:8080\r\nX-API-Sign: " SIGN "\r\nContent-Length: " LENGTH \
    "\r\nX-API-Nonce: " NONCE "\r\n\r\n" BODY

static const char *const repeated[] = {
    SIGNED("0x0123456789abcdef", "1700000000000", "11", "hello world"),
    "GET /a?b=1 HTTP/1.1\r\nHost: a\r\nX-API-Sign:\r\nX-API-Nonce: a b \r\n\r\n",
    ("POST /a HTTP/1.0\r\nContent-Length: 3\r\nX-API-Nonce: 1\r\nx-api-nonce: 2\r\n"
     "Connection: keep-alive\r\nOrigin: o\r\nForwarded: for=b\r\n\r\nabc"),
};

/* The text as the second request behind the first, against a parser that has never read one. */
static void expect_as_if_new(const char *first, struct slice text)
{
    struct http_parser *again = malloc(http_parser_size());
    char *before = malloc(strlen(first)), *behind = malloc(text.len + 1), *alone, wanted[1024] = "", got[1024] = "";
    struct parsed new = parse(text, &alone), old;

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
    /* clang-format off */
    static const char *const others[] = {
        SIGNED("0xfedcba9876543210", "1700000000001", "11", "other words"),
            SIGNED("0xfedcba9876543210", "1700000000001", "05", "other"),
        SIGNED("0xfedcba9876543210", "1700000000001", "99", "not all of it"),
            SIGNED("0xfedcba9876543210", "17000000000012", "11", "longer said"),
        SIGNED("0x", "", "3", "abc"), SIGNED("0xfedcba987654321 ", "1700000000001", "11", "other words"),
            SIGNED("0xfedcba987654\t210", "1700000000001", "11", "other words"),
        SIGNED("0xfedcba9876543210", "1700000000001", "1x", "other words"),
            SIGNED("0xfedcba9876543210", "1700000000001", "11", "two of themGET / HTTP/1.1\r\n\r\n"),
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) expect_as_if_new(repeated[0], slice_of(others[i]));
}

static void a_length_beyond_the_cap_is_refused_behind_the_same_head_too(void **state)
{
    static const char first[] = SIGNED("1", "1", "000003", "abc");

    (void)state;
    for (size_t more = 0; more < 2; more++) {
        char         text[256];
        int          len = snprintf(text, sizeof(text), SIGNED("1", "1", "%zu", ""), HTTP_BODY_MAX + more);
        struct slice whole = filled(text, 'x', HTTP_BODY_MAX + more, "");
        assert_int_equal(parse_and_drop(whole).reject, more == 0 ? REJECT_NONE : REJECT_BODY_TOO_LARGE);
        assert_int_equal(len, (int)strlen(text));
        expect_as_if_new(first, whole);
    }
}

/* The rest of a request must not be read as part of the previous one. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_of_a_request_reads_the_same),
        cmocka_unit_test(pipelined_requests_are_consumed_exactly),
        cmocka_unit_test(whoever_repeats_himself_is_read_as_if_he_were_new),
        cmocka_unit_test(another_signature_and_another_length_are_read_behind_the_same_head),
        cmocka_unit_test(a_length_beyond_the_cap_is_refused_behind_the_same_head_too),
        cmocka_unit_test(a_request_in_pieces_behind_the_same_head_is_read_whole),
        cmocka_unit_test(the_buffer_may_move_between_two_calls),
    };
    return cmocka_run_group_tests_name("http pieces", tests, NULL, NULL);
}
