/* SPDX-License-Identifier: MIT */
/*
 * http.h — bytes into HTTP/1.1 requests, without sockets, by the rules of process 1. Everything ambiguous is an
 * error, never a guess.
 *
 * One parser per connection. The caller owns a buffer of HTTP_BUFFER_BYTES into which it receives;
 * it calls http_parse with everything from the start of the current request. The slices of the
 * request point into that buffer, except that a chunked body is moved together in place.
 */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include "base/out.h"
#include "model/rejects.h"
#include "wire/http_limits.h"

enum http_method { HTTP_GET = 1, HTTP_HEAD, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_PATCH, HTTP_OPTIONS, HTTP_OTHER };

/* The headers that any part of the program reads. A second one of these in a request is an error: `repeated`. */
/* clang-format off */
enum http_header {
    HEADER_HOST, HEADER_CONTENT_TYPE, HEADER_ORIGIN, HEADER_EXPECT, HEADER_CONNECTION,
    HEADER_API_KEY, HEADER_API_SIGN, HEADER_API_NONCE, HEADER_API_CHAIN,
    HEADER_FORWARDED_FOR, HEADER_FORWARDED, HEADER_UPGRADE, HEADER_WS_KEY, HEADER_WS_VERSION,
    HEADER_MIN_SEQ, HEADER_NODE, HEADER_NODE_SECRET, HEADER_AS,
    HEADER_COUNT,
};
/* clang-format on */

struct http_request {
    uint8_t      method;          /* enum http_method */
    uint8_t      minor_version;   /* 0 or 1 */
    bool         keep_alive;      /* the client wants, and the request allows, more */
    bool         expect_continue; /* the client sent Expect: 100-continue, and no other */
    struct slice method_text;
    struct slice path;                   /* as sent, without the query; absolute-form targets are reduced to it */
    struct slice query;                  /* behind '?', or empty */
    struct slice header[HEADER_COUNT];   /* trimmed values; at == NULL when absent */
    bool         repeated[HEADER_COUNT]; /* the header stood more than once */
    /* Headers of proxies about the client: X-Forwarded-For [0] and Forwarded [1], the last lines of each as sent. */
    uint8_t      forwarded_count[2];
    struct slice forwarded[2][HTTP_FORWARDED_LINES];
    struct slice body;
    size_t       bytes; /* of the whole request in the buffer, from method_text on; 0 = it was not read from one */
};

/* The number of a header (enum http_header) by its name in any case; -1: it is none that the program reads. */
int http_header_of(struct slice name);

enum http_result {
    HTTP_MORE = 0, /* not complete; nothing wrong so far */
    HTTP_DONE,     /* *request is complete; request->bytes can be consumed */
    HTTP_ERROR,    /* `*reject` is the reason; answer with it, then close */
};

struct http_parser; /* wire/http.c; memory of http_parser_size() bytes */
size_t http_parser_size(void);

/* Ready for the first byte of a new request. */
void http_parser_init(struct http_parser *parser);
/* The same behind a request of the same connection that was HTTP_DONE:
   one that begins like it is read sooner (wire/http_same.h). */
void http_parser_again(struct http_parser *parser);

/*
 * Continues with `len` bytes in `buffer` (from the start of the request; at least as many as last time, with the same
 * bytes). After HTTP_DONE or HTTP_ERROR call one of these before the next. *headers_done (may be NULL) is true when
 * the header block is complete, because deadlines differ. Then all of *request but `body` and `bytes` is filled, also
 * when the result is HTTP_MORE: a client that waits for 100-continue can be answered. The caller handles any other
 * `Expect`.
 */
enum http_result http_parse(struct http_parser *parser, char *buffer, size_t len, struct http_request *request,
                            enum reject *reject, bool *headers_done) MUST_USE;
/* The same without the copy of the request, which lies with the parser
   until the next call of one of these functions. */
enum http_result           http_parse_on(struct http_parser *parser, char *buffer, size_t len, enum reject *reject,
                                         bool *headers_done) MUST_USE;
const struct http_request *http_parsed(const struct http_parser *parser);

/* The head of a response. */
struct http_answer {
    int16_t      status;       /* 200, 400, … */
    bool         close;        /* Connection: close */
    bool         head;         /* body is left out, its length is not (HEAD) */
    const char  *content_type; /* NULL = application/json */
    struct slice allow_origin; /* Access-Control-Allow-Origin; empty = none */
    struct slice date;         /* http_date_line; empty = none */
    struct slice extra;        /* more header lines, each ending in CRLF */
    struct slice kept;         /* the body, when it lies somewhere else; good until the next request is handled */
    uint32_t     kept_room;    /* bytes in front of it that may be overwritten */
};

/* Room for the head of an ordinary answer: without the origin of a browser, with lines about limits. */
#define HTTP_HEAD_ROOM 448

/* Writes status line, headers and body. */
void http_write(struct out *out, const struct http_answer *answer, struct slice body);

/* The header line of a second, kept because answers of one second have
   the same (RFC 9110, 5.6.7 and 6.6.1). Zeroed at first. */
#define HTTP_DATE_BYTES 37
struct http_date {
    int64_t second;
    char    line[40];
};
/* `time_ms`: of the UTC clock, from 1970 to 9999. The slice is good until the next call. */
struct slice http_date_line(struct http_date *date, int64_t time_ms);

/*
 * Of headers that only few requests need, read from the buffer of the request: whether Accept-Encoding names gzip
 * (RFC 9110, 12.5.3), and whether If-None-Match has this entity tag, weak or strong, or is `*` (RFC 9110, 13.1.2).
 */
bool http_accepts_gzip(const struct http_request *request);
bool http_has_tag(const struct http_request *request, struct slice tag);

/* "OK", "Not Found", …; never NULL. */
const char *http_status_text(int status);

#endif
