/* SPDX-License-Identifier: MIT */
/* What passes to another node and back. */
#include "rigs/wire/http_rig.h"
#include "wire/http_forward.h"

static void assert_lines(const char *request, const char *wanted)
{
    char       text[2048];
    struct out out = out_make(text, sizeof(text));

    http_forward_lines(&out, slice_of(request));
    assert_text(out_slice(&out), wanted);
}

static void assert_forwarded(const char *head, const char *body, bool close, const char *wanted)
{
    char       text[2048];
    struct out out = out_make(text, sizeof(text));

    http_forward_answer(&out, slice_of(head), slice_of(body), close);
    assert_text(out_slice(&out), wanted);
}

static void what_is_signed_passes_as_it_is(void **state)
{
    (void)state;
    assert_lines("POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: a:1\r\nX-API-Key:  default \r\n"
                 "x-api-sign: 0x01ab\r\nX-API-Sign: 0x02\r\nX-API-Nonce:7\r\nX-API-Chain:\r\nOrigin: http://b\r\n"
                 "Content-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}X: 1\r\n",
                 "X-API-Key:  default \r\nx-api-sign: 0x01ab\r\nX-API-Sign: 0x02\r\nX-API-Nonce:7\r\nX-API-Chain:\r\n"
                 "Origin: http://b\r\nContent-Type: application/json; charset=utf-8\r\n");
    assert_lines("DELETE / HTTP/1.0\r\n\r\n", "");
}

static void what_is_about_the_connection_stays(void **state)
{
    (void)state;
    assert_lines("POST / HTTP/1.1\r\nHost: a\r\nConnection: close, X-API-Sign\r\nKeep-Alive: 5\r\n"
                 "Proxy-Connection: close\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\nTrailer: X\r\n"
                 "Upgrade: websocket\r\nExpect: 100-continue\r\nAccept: */*\r\n\r\n",
                 "Accept: */*\r\n");
}

/* Whoever writes such a line himself is not believed: the other node sees only what this node writes. */
static void what_only_nodes_write_is_taken_away(void **state)
{
    (void)state;
    assert_lines("POST / HTTP/1.1\r\nHost: a\r\nX-Dojima-Forwarded: n1 9.9.9.9\r\nx-dojima-secret: guess\r\n"
                 "X-DOJIMA-Min-Seq: 4\r\nX-Dojima-Anything: 1\r\nX-Forwarded-For: 9.9.9.9\r\nForwarded: for=9.9.9.9\r\n"
                 "X-Dojima: 1\r\nX: 1\r\n\r\n",
                 "X-Dojima: 1\r\nX: 1\r\n");
}

static void an_answer_passes_byte_for_byte(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                               "Connection: keep-alive\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                               "X-Chain-Tx: 0xab\r\nX-Dojima-Seq: 7\r\n";

    (void)state;
    assert_forwarded(head, "{}", false,
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                     "Connection: keep-alive\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                     "X-Chain-Tx: 0xab\r\nX-Dojima-Seq: 7\r\n\r\n{}");
    assert_forwarded(head, "{}", true,
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                     "Connection: close\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                     "X-Chain-Tx: 0xab\r\nX-Dojima-Seq: 7\r\n\r\n{}");
}

static void an_answer_gets_its_length_and_its_connection(void **state)
{
    (void)state;
    assert_forwarded("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "abc", false,
                     "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc");
    assert_forwarded("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "", false,
                     "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
    assert_forwarded("HTTP/1.1 204 No Content\r\nConnection: close\r\nConnection: close\r\n", "", true,
                     "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    assert_forwarded("HTTP/1.1 200 OK\nA: b\n", "", false, "HTTP/1.1 200 OK\r\nA: b\r\nConnection: keep-alive\r\n\r\n");
}

static void an_answer_may_end_its_connection(void **state)
{
    (void)state;
    assert_true(http_forward_closes(SLICE("HTTP/1.1 400 Bad Request\r\nconnection: Close\r\n")));
    assert_true(http_forward_closes(SLICE("HTTP/1.1 426 X\r\nConnection: close, Upgrade\r\n")));
    assert_false(http_forward_closes(SLICE("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nX-Connection: close\r\n")));
    assert_false(http_forward_closes(SLICE("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_signed_passes_as_it_is),
        cmocka_unit_test(what_is_about_the_connection_stays),
        cmocka_unit_test(what_only_nodes_write_is_taken_away),
        cmocka_unit_test(an_answer_passes_byte_for_byte),
        cmocka_unit_test(an_answer_gets_its_length_and_its_connection),
        cmocka_unit_test(an_answer_may_end_its_connection),
    };
    return cmocka_run_group_tests_name("http_forward", tests, NULL, NULL);
}
