/* SPDX-License-Identifier: MIT */
/*
 * HTTP: bytes in one piece and the same bytes in many are the same requests, or the same error; a request's pointers
 * are inside the bytes that arrived; the parser reads no byte that has not arrived. The first byte is the size of the
 * pieces.
 */
#include "fuzz/fuzz.h"
#include "wire/http.h"

#define PIPELINED_MAX 20

struct reading {
    char               *buffer;
    struct http_parser *parser;
    struct http_request request;
    enum http_result    result;
    enum reject         reject;
};

static bool is_inside(const struct reading *reading, struct slice s, size_t len)
{
    return s.at == NULL || s.len == 0 || (s.at >= reading->buffer && s.at + s.len <= reading->buffer + len);
}

/*
 * host or [v6], then nothing or a colon and the digits of a port: the parser must have checked that before it accepted
 * a Host.
 */
static bool is_host(struct slice text)
{
    const char *end = text.at + text.len, *at = text.at;
    long        port = 0;

    if (text.len == 0) return true;
    if (*at == '[') {
        while (at < end && *at != ']') at++;
        if (at++ == end) return false;
    } else {
        for (; at < end && *at != ':'; at++)
            if (*at <= ' ' || *at > '~' || strchr("[]/?#@,\"<>\\^`{|}", *at) != NULL) return false;
    }
    if (at == end) return true;
    if (*at++ != ':' || end - at > 5) return false;
    for (; at < end && *at >= '0' && *at <= '9'; at++) port = port * 10 + *at - '0';
    return at == end && port <= 65535;
}

static void check(const struct reading *reading, size_t len)
{
    const struct http_request *request = &reading->request;

    if (reading->result == HTTP_ERROR) {
        assert(reject_row(reading->reject)->http >= 400);
        return;
    }
    if (reading->result != HTTP_DONE) return;
    assert(request->bytes != 0 && request->bytes <= len);
    assert(is_inside(reading, request->path, len) || slice_is(request->path, "/")); /* absolute form without a path */
    assert(is_inside(reading, request->query, len));
    assert(is_inside(reading, request->method_text, len) && is_inside(reading, request->body, len));
    for (int i = 0; i < HEADER_COUNT; i++) assert(is_inside(reading, request->header[i], len));
    assert(is_host(request->header[HEADER_HOST]));
    assert(request->body.len <= HTTP_BODY_MAX && request->path.len <= HTTP_REQUEST_LINE_MAX);
    assert(request->path.len != 0 && request->minor_version <= 1);
}

/*
 * Gives the parser `text` in pieces; it can access only these bytes. `again`: it has read the request before on this
 * connection.
 */
static void read_request(struct reading *reading, struct slice text, size_t piece, bool again)
{
    size_t have = 0;

    if (again) http_parser_again(reading->parser);
    else http_parser_init(reading->parser);
    memset(&reading->request, 0, sizeof(reading->request));
    ASAN_UNPOISON_MEMORY_REGION(reading->buffer, HTTP_BUFFER_BYTES);
    reading->result = HTTP_MORE;
    while (reading->result == HTTP_MORE && have < text.len) {
        bool   headers = false;
        size_t more = min_size(piece, text.len - have);

        ASAN_UNPOISON_MEMORY_REGION(reading->buffer + have, more);
        memcpy(reading->buffer + have, text.at + have, more);
        have += more;
        ASAN_POISON_MEMORY_REGION(reading->buffer + have, HTTP_BUFFER_BYTES - have);
        reading->result =
            http_parse(reading->parser, reading->buffer, have, &reading->request, &reading->reject, &headers);
        if (reading->result == HTTP_DONE) assert(headers);
    }
    check(reading, have);
}

static void same_text(struct slice a, struct slice b) { assert(slice_equal(a, b) && (a.at == NULL) == (b.at == NULL)); }

static void same_request(const struct http_request *a, const struct http_request *b)
{
    assert(a->method == b->method && a->minor_version == b->minor_version && a->keep_alive == b->keep_alive);
    assert(a->expect_continue == b->expect_continue && a->bytes == b->bytes);
    same_text(a->method_text, b->method_text);
    same_text(a->path, b->path);
    same_text(a->query, b->query);
    assert(slice_equal(a->body, b->body));
    for (int i = 0; i < HEADER_COUNT; i++) {
        same_text(a->header[i], b->header[i]);
        assert(a->repeated[i] == b->repeated[i]);
    }
    for (int kind = 0; kind < 2; kind++) {
        assert(a->forwarded_count[kind] == b->forwarded_count[kind]);
        for (int i = 0; i < a->forwarded_count[kind]; i++) same_text(a->forwarded[kind][i], b->forwarded[kind][i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct reading whole, pieces;
    struct slice          text;

    if (size < 2 || size > 20000) return 0;
    if (whole.buffer == NULL) {
        whole.buffer = malloc(HTTP_BUFFER_BYTES), pieces.buffer = malloc(HTTP_BUFFER_BYTES);
        whole.parser = malloc(http_parser_size()), pieces.parser = malloc(http_parser_size());
    }
    text = slice_make(data + 1, size - 1);
    for (int i = 0; i < PIPELINED_MAX && text.len != 0; i++) {
        read_request(&whole, text, text.len, i != 0);
        read_request(&pieces, text, 1 + data[0] % 40u * (data[0] % 40u), false);
        assert(whole.result == pieces.result);
        if (whole.result == HTTP_ERROR) assert(whole.reject == pieces.reject);
        if (whole.result != HTTP_DONE) break;
        same_request(&whole.request, &pieces.request);
        text = slice_make(text.at + whole.request.bytes, text.len - whole.request.bytes);
    }
    return 0;
}
