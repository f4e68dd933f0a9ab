/* SPDX-License-Identifier: MIT */
/*
 * llhttp accepts every request that the parser accepts, with the same target, the same lines, the same body and the
 * same end: no request has two readings (request smuggling). The reverse is not claimed, because the parser refuses
 * more than llhttp does.
 *
 * An odd first byte: a request as bytes. An even one: each byte chooses a piece of a request, among them pieces on
 * which parsers are known to differ.
 */
#include "base/out.h"
#include "fuzz/fuzz.h"
#include "fuzz/http_judge.h"
#include "wire/http.h"

static const char *const methods[] = {
    "GET",  "POST", "DELETE", "OPTIONS", "CONNECT",  "BREW",     "PUT",
    "HEAD", "PRI",  "get",    "SOURCE",  "M-SEARCH", "DESCRIBE", "G@T",
};

/* clang-format off */
static const char *const targets[] = {
    "/", "/a?b=c", "*", "http://h", "http://h:80/x?y", "https://[::1]/", "h:443", "/\xc3\xa9", "/a\"<>", "//x", "*a",
        "/*", "http:/",
    "http://u@h/", "HTTP://h?q", "h", "[::1]:443", "%41:1", "mailto:x", "/#f", "", " /", "/a b", "/a\tb", "/a\rb",
};
/* clang-format on */

/* clang-format off */
static const char *const versions[] = {
    " HTTP/1.1\r\nHost: a\r\n", " HTTP/1.1\r\n", " HTTP/1.0\r\n", " HTTP/1.1\nHost: a\r\n", " HTTP/2.0\r\n",
        " HTTP/1.2\r\n", "  HTTP/1.1\r\nHost: a\r\n",
    " HTTP/1.1 \r\nHost: a\r\n", " http/1.1\r\nHost: a\r\n", "\r\n", "\n", "\r",
};
/* clang-format on */

/* The empty one ends the block. */
/* clang-format off */
static const char *const lines[] = {
    "", "", "", "", "", "", "", "", "Host: a", "Host:", "Host: a:80", "host:b", "Host: a b",
    "Content-Length: 5", "Content-Length:5", "content-length: 0", "Content-Length: +5", "Content-Length: 5 ",
        "Content-Length: 5\t",
    "Content-Length:\t5", "Content-Length: 5 5", "Content-Length: 005", "Content-Length : 5", "Content-Length: 5,5",
        "Content-Length:",
    "Content-Length: 18446744073709551616", "Content-Length: 131073", "Content-Length: 9223372036854775808",
        "Content-Length: 5 \t",
    "Content_Length: 5", "Content-Length: 0x5", "Content-Length: 5;a", "Content-Length: -5",
    "Transfer-Encoding: chunked", "Transfer-Encoding:chunked", "transfer-encoding: CHUNKED",
        "Transfer-Encoding: chunked ",
    "Transfer-Encoding: chunked\t", "Transfer-Encoding:\tchunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: identity", "Transfer-Encoding: chunked,", "Transfer-Encoding: ,chunked", "Transfer-Encoding:",
        "Transfer-Encoding : chunked",
    "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: \"chunked\"",
        "Transfer_Encoding: chunked",
    "Transfer-Encoding: chunked \t ", "Transfer-Encoding: chunked", "Transfer-Encoding\t: chunked",
        "\tTransfer-Encoding: chunked",
    "Connection: close", "Connection: keep-alive", "Connection: Upgrade", "Connection: close, keep-alive",
        "connection: foo , close",
    "Connection: keep-alive,Upgrade", "Connection: closed", "Connection: xclose", "Connection: close x", "Connection:",
        "Connection: ,,close",
    "Connection: close;", "Connection: clos", "Connection: keep-alive , x", "Connection: close,", "Connection: close\t",
        "Connection: a,\tclose",
    "Connection: close ,", "Proxy-Connection: close", "Proxy-Connection: keep-alive", "Upgrade: websocket",
        "Upgrade: h2c",
    "Expect: 100-continue", "X-API-Sign: 0xab", "X-API-Nonce: 12", "A: b", "A:b \t", "A: \xff", "A: b\001c", "A : b",
        "A", ": b", "A(: b", " A: b",
    "\tA: b", "A: b\nB: c", "A: b\rB: c", "A:\r\n b", "A: b\r", "Forwarded: for=a", "X-Forwarded-For: 1", "A b: c",
        "A:: b", "A: b: c", "Origin: x",
    "Sec-WebSocket-Key: abcd", "A: b\x7f", "A\x80: b",
};
/* clang-format on */

/* clang-format off */
static const char *const bodies[] = {
    "hello", "5\r\nhello\r\n", "0\r\n\r\n", "0\r\n", "5;x\r\nhello\r\n", "05\r\nhello\r\n", "A\r\n0123456789\r\n",
        "a\r\n0123456789\r\n",
    "0\r\nA: b\r\n\r\n", "-1\r\n", "0x5\r\nhello\r\n", "5 \r\nhello\r\n", " 5\r\nhello\r\n", "ffffffffffffffff\r\n",
        "10000000000000000\r\n", "0;\n\r\n", "5\nhello\r\n",
    "5\r\nhello\n", "5\r\nhello", "0\r\n\n", "0\n\r\n", "\r\n", "000000000000005\r\nhello\r\n",
        "5;a=\"b\"\r\nhello\r\n", "0\r\nContent-Length: 5\r\n\r\n",
    "0\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\nA b: c\r\n\r\n", "0\r\n A: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "5\t\r\nhello\r\n",
};
/* clang-format on */

#define PIECE(table, choices) ((table)[choose_of(choices, ARRAY_COUNT(table))])

static struct slice build(struct choices choices, char *text, size_t cap)
{
    struct out  out = out_make(text, cap);
    const char *line;

    out_text(&out, PIECE(methods, &choices));
    out_char(&out, ' ');
    out_text(&out, PIECE(targets, &choices));
    out_text(&out, PIECE(versions, &choices));
    do {
        line = PIECE(lines, &choices);
        out_text(&out, line);
        out_literal(&out, "\r\n");
    } while (line[0] != '\0' && out.len + 256 < cap);
    while (choices.len != 0 && out.len + 256 < cap) out_text(&out, PIECE(bodies, &choices));
    assert(!out.overflow);
    return out_slice(&out);
}

/* ---- what both have read ---- */

static bool is_named(struct slice name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.at, wanted, name.len) == 0;
}

/* clang-format off */
static const char *const names[HEADER_COUNT] = {
    [HEADER_HOST] = "Host", [HEADER_CONTENT_TYPE] = "Content-Type", [HEADER_ORIGIN] = "Origin",
        [HEADER_EXPECT] = "Expect",
    [HEADER_CONNECTION] = "Connection", [HEADER_API_KEY] = "X-API-Key", [HEADER_API_SIGN] = "X-API-Sign",
        [HEADER_API_NONCE] = "X-API-Nonce",
    [HEADER_API_CHAIN] = "X-API-Chain", [HEADER_FORWARDED_FOR] = "X-Forwarded-For", [HEADER_FORWARDED] = "Forwarded",
        [HEADER_UPGRADE] = "Upgrade",
    [HEADER_WS_KEY] = "Sec-WebSocket-Key", [HEADER_WS_VERSION] = "Sec-WebSocket-Version",
    [HEADER_MIN_SEQ] = "X-Dojima-Min-Seq", [HEADER_NODE] = "X-Dojima-Forwarded",
        [HEADER_NODE_SECRET] = "X-Dojima-Secret", [HEADER_AS] = "X-Dojima-As",
};
/* clang-format on */

static void check_lines(const struct http_request *request, const struct judged *judged)
{
    for (int i = 0; i < HEADER_COUNT; i++) {
        const struct slice *first = NULL;
        uint32_t            count = 0;

        if (i == HEADER_HOST && judged->target.at[0] != '/') continue; /* an absolute target's host replaces it */
        for (uint32_t k = 0; k < judged->count; k++) {
            if (!is_named(judged->lines[k].name, names[i])) continue;
            if (count++ == 0) first = &judged->lines[k].value;
        }
        assert((request->header[i].at != NULL) == (count != 0) && request->repeated[i] == (count > 1));
        if (first != NULL) assert(slice_equal(request->header[i], *first));
    }
}

static void check_target(const struct http_request *request, struct slice target)
{
    size_t mark = request->path.len;

    if (target.at[0] != '/') return;
    assert(slice_equal(request->path, slice_make(target.at, mark)));
    if (mark == target.len) assert(request->query.len == 0);
    else
        assert(target.at[mark] == '?'
               && slice_equal(request->query, slice_make(target.at + mark + 1, target.len - mark - 1)));
}

/* llhttp reads Proxy-Connection like Connection, which no RFC does, and takes no tab for a blank among options. */
static bool has_odd_connection(const struct judged *judged)
{
    for (uint32_t k = 0; k < judged->count; k++) {
        struct slice value = judged->lines[k].value;

        if (is_named(judged->lines[k].name, "Proxy-Connection")) return true;
        if (is_named(judged->lines[k].name, "Connection")
            && (memchr(value.at, '\t', value.len) != NULL || value.at[value.len] == '\t'))
            return true;
    }
    return false;
}

/* Whether the word, without regard to case, is behind the header block, which ends at its first empty line. */
static bool has_behind_head(struct slice text, const char *word)
{
    const char *at = memmem(text.at, text.len, "\r\n\r\n", 4);
    size_t      len = strlen(word);

    for (; at + len <= text.at + text.len; at++)
        if (strncasecmp(at, word, len) == 0) return true;
    return false;
}

/*
 * We drop chunk extensions and trailers unread. llhttp refuses some: of version 9 extensions that break their grammar,
 * of each version trailers that would frame the body once more.
 */
static bool may_refuse_body(struct slice text)
{
    return has_behind_head(text, ";") || has_behind_head(text, "content-length:")
        || has_behind_head(text, "transfer-encoding:");
}

static void check_end(struct slice text, const struct http_request *request, const struct judged *judged)
{
    if (!judged->whole && may_refuse_body(slice_make(text.at, request->bytes))) return;
    assert(judged->whole && judged->bytes == request->bytes);
    assert(slice_equal(request->body, slice_make(judged->body, judged->body_bytes)));
}

static void check(struct slice text, const struct http_request *request, bool is_whole)
{
    static struct judged judged;
    bool                 is_connect = slice_is(request->method_text, "CONNECT");

    http_judge(text, request->method_text,
               request->method != HTTP_OTHER || is_connect ? request->method_text : SLICE("POST"), &judged);
    assert(judged.head);
    check_lines(request, &judged);
    if (is_connect) return; /* llhttp takes the bytes behind it for a tunnel */
    check_target(request, judged.target);
    if (!has_odd_connection(&judged))
        assert(request->keep_alive
               == (!judged.wants_close && (request->minor_version == 1 || judged.wants_keep_alive)));
    if (is_whole) check_end(text, request, &judged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char         text[JUDGED_BODY_MAX], buffer[JUDGED_BODY_MAX];
    static void        *parser;
    struct http_request request;
    struct slice        bytes;
    enum reject         reject;
    enum http_result    result;
    bool                has_head;

    if (size < 2 || size > sizeof(text)) return 0;
    if (parser == NULL) parser = malloc(http_parser_size());
    bytes = data[0] % 2 != 0 ? slice_make(data + 1, size - 1)
                             : build((struct choices){ data + 1, size - 1 }, text, sizeof(text));
    memcpy(buffer, bytes.at, bytes.len);
    http_parser_init(parser);
    result = http_parse(parser, buffer, bytes.len, &request, &reject, &has_head);
    if (result == HTTP_DONE || (result == HTTP_MORE && has_head)) check(bytes, &request, result == HTTP_DONE);
    return 0;
}
