/* SPDX-License-Identifier: MIT */
#include "wire/http.h"

/* clang-format off */
static const struct { int16_t status; const char *text; } statuses[] = {
    { 100, "Continue" },          { 101, "Switching Protocols" }, { 200, "OK" },
    { 204, "No Content" }, { 302, "Found" }, { 304, "Not Modified" }, { 400, "Bad Request" }, { 401, "Unauthorized" },
    { 403, "Forbidden" },         { 404, "Not Found" },           { 405, "Method Not Allowed" },
    { 408, "Request Timeout" },   { 413, "Content Too Large" },   { 414, "URI Too Long" },
    { 415, "Unsupported Media Type" }, { 417, "Expectation Failed" }, { 426, "Upgrade Required" },
    { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
    { 500, "Internal Server Error" }, { 501, "Not Implemented" }, { 503, "Service Unavailable" },
};
/* clang-format on */

const char *http_status_text(int status)
{
    for (size_t i = 0; i < ARRAY_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].text;
    return "Status";
}

/* These never have a body, and then no length either (RFC 9110, 8.6 and 15.4.5). */
static bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

static void write_origin(struct out *out, struct slice origin)
{
    out_literal(out, "Access-Control-Allow-Origin: ");
    out_slice_put(out, origin);
    out_literal(out, "\r\n"
                     "Access-Control-Expose-Headers: X-Chain-Tx, X-Chain-Block, X-Chain-Index, X-Dojima-Seq, "
                     "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset\r\n");
    if (!slice_is(origin, "*")) out_literal(out, "Vary: Origin\r\n");
}

/* An answer with the header Upgrade names it here (RFC 9110, 7.8). */
static void write_connection(struct out *out, const struct http_answer *answer)
{
    if (answer->status == 426)
        out_text(out, answer->close ? "Connection: close, Upgrade\r\n" : "Connection: keep-alive, Upgrade\r\n");
    else if (answer->close) out_literal(out, "Connection: close\r\n");
    else out_literal(out, "Connection: keep-alive\r\n");
}

#define JSON_TYPE "application/json"

/* As far as the length of the body. */
static void write_begin(struct out *out, const struct http_answer *answer)
{
    if (answer->status == 200 && answer->content_type == NULL) { /* most have these lines: they are one piece */
        out_literal(out, "HTTP/1.1 200 OK\r\nContent-Type: " JSON_TYPE "\r\nContent-Length: ");
        return;
    }
    out_literal(out, "HTTP/1.1 ");
    out_i64(out, answer->status);
    out_char(out, ' ');
    out_text(out, http_status_text(answer->status));
    out_literal(out, "\r\n");
    if (has_no_body(answer->status)) return;
    out_literal(out, "Content-Type: ");
    out_text(out, answer->content_type != NULL ? answer->content_type : JSON_TYPE);
    out_literal(out, "\r\nContent-Length: ");
}

void http_write(struct out *out, const struct http_answer *answer, struct slice body)
{
    bool bare = has_no_body(answer->status);

    write_begin(out, answer);
    if (!bare) {
        out_u64(out, body.len);
        out_literal(out, "\r\n");
    }
    write_connection(out, answer);
    out_slice_put(out, answer->date);
    if (answer->allow_origin.len != 0) write_origin(out, answer->allow_origin);
    out_slice_put(out, answer->extra);
    out_literal(out, "\r\n");
    if (!bare && !answer->head) out_slice_put(out, body);
}
