/* SPDX-License-Identifier: MIT */
/* http_rig.h — shared by the tests of the HTTP parser. Header only. */
#ifndef RIGS_WIRE_HTTP_RIG_H
#define RIGS_WIRE_HTTP_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "wire/http.h"

#define GET  "GET / HTTP/1.1\r\n"
#define POST "POST /o HTTP/1.1\r\nHost: a\r\n"
#define HOST "Host: a\r\n"

struct parsed {
    enum http_result    result;
    enum reject         reject;
    bool                headers_done;
    struct http_request request;
};

/* Parses the available bytes in one call, from a buffer of exactly that size. */
static inline struct parsed parse(struct slice text, char **buffer)
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

static inline struct parsed parse_and_drop(struct slice text)
{
    char         *buffer;
    struct parsed parsed = parse(text, &buffer);

    free(buffer);
    return parsed;
}

static inline void assert_text(struct slice text, const char *wanted)
{
    if (!slice_is(text, wanted)) fail_msg("\"%.*s\" instead of \"%s\"", (int)text.len, text.at, wanted);
}

static char big[HTTP_BUFFER_BYTES + 4096];

/* A text of `head`, `count` fillers and `tail`. */
static inline struct slice filled(const char *head, char filler, size_t count, const char *tail)
{
    struct out out = out_make(big, sizeof(big));

    out_text(&out, head);
    for (size_t i = 0; i < count; i++) out_char(&out, filler);
    out_text(&out, tail);
    assert_false(out.overflow);
    return out_slice(&out);
}

static const char *const pieces[] = {
    "GET /markets/symbols?symbol=vBTC_vUSDC HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
    "POST /o HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world",
    ("POST /o HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n"
     " \r\n05\r\nworld\r\n0\r\nT: u\r\n\r\n"),
    "DELETE /o HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\n\r\n",
    "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n",
};

/* A request as text, to compare two readings. */
static inline void describe(const struct http_request *request, char text[1024])
{
    int len =
        snprintf(text, 1024, "%d.%d keep %d continue %d %.*s|%.*s|%.*s|%.*s|%zu", request->method,
                 request->minor_version, request->keep_alive, request->expect_continue, (int)request->method_text.len,
                 request->method_text.at, (int)request->path.len, request->path.at, (int)request->query.len,
                 request->query.at, (int)min_size(request->body.len, 300), request->body.at, request->bytes);
    for (int i = 0; i < HEADER_COUNT; i++)
        if (request->header[i].at != NULL && len < 900)
            len += snprintf(text + len, (size_t)(1024 - len), "|%d:%.*s", i, (int)min_size(request->header[i].len, 40),
                            request->header[i].at);
}

#endif
