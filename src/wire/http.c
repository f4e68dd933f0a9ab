/* SPDX-License-Identifier: MIT */
/*
 * http.c — one request at a time: the header block is scanned for bytes that no request may hold, taken apart,
 * and checked by the rules of process 1; then comes the body.
 *
 *   PHASE_HEAD ──▶ PHASE_FIXED ────▶ PHASE_OVER
 *        │                              ▲
 *        └───────▶ PHASE_CHUNKED ───────┘
 *
 * A request that two parsers could frame in two ways is refused. llhttp judges that in tests: each request that is
 * accepted here it accepts too, with the same lines, the same body and the same end (fuzz/fuzz_head.c).
 */
#include "wire/http.h"

#include "base/hex.h"
#include "wire/http_chunk.h"
#include "wire/http_head.h"
#include "wire/http_host.h"
#include "wire/http_same.h"

enum phase { PHASE_HEAD, PHASE_FIXED, PHASE_CHUNKED, PHASE_OVER };

struct http_parser {
    uint8_t             phase;
    bool                fresh;   /* nothing of the request has been looked at */
    uint32_t            lines;   /* complete lines of the header block */
    size_t              scanned; /* bytes of the header block that were looked at */
    size_t              line_start;
    size_t              head_bytes; /* of the whole block; 0 until it is complete */
    size_t              body_bytes; /* PHASE_FIXED */
    struct chunks       chunks;     /* PHASE_CHUNKED */
    const char         *buffer;     /* where `request` points into */
    struct slice        length;     /* the value of Content-Length; likewise */
    struct http_request request;
    struct same_head    same; /* the head of `request`, once it is complete */
};

static_assert(HTTP_HEADER_LINES_MAX == HEAD_LINES_MAX, "the same cap");
static_assert(HTTP_BUFFER_BYTES == HTTP_HEADERS_MAX + HTTP_BODY_MAX + CHUNK_FRAMING_MAX, "room for any request");

size_t http_parser_size(void) { return sizeof(struct http_parser); }

/* The parsed members of a head determine its length. */
void http_parser_init(struct http_parser *parser) { memset(parser, 0, offsetof(struct http_parser, same.text)); }

void http_parser_again(struct http_parser *parser)
{
    parser->phase = PHASE_HEAD;
    parser->fresh = true;
}

/* --- the scan ------------------------------------------------------------------------------- */

static bool is_control(char c) { return ((uint8_t)c < 0x20 && c != '\t') || c == 0x7f; }

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* A bit in the first byte that is a control or DEL, and none in those before it. */
static uint64_t controls_in(uint64_t word)
{
    uint64_t del = word ^ EACH_BYTE(0x7f);

    return (((word - EACH_BYTE(0x20)) & ~word) | ((del - EACH_BYTE(0x01)) & ~del)) & EACH_BYTE(0x80);
}

/* Skips bytes that need no look, eight at a time: no controls, no DEL. Stops before `limit`. */
static size_t skip_ordinary(const char *buffer, size_t at, size_t limit)
{
    while (at + 8 <= limit) {
        uint64_t word, found;

        memcpy(&word, buffer + at, 8);
        found = controls_in(word);
        if (found != 0) return at + (size_t)__builtin_ctzll(found) / 8;
        at += 8;
    }
    return at;
}

/* Is all of it visible ASCII or spaces? */
static bool is_printable(struct slice text)
{
    uint64_t word, seen = 0;
    size_t   at = 0;

    for (; at + 8 <= text.len; at += 8) {
        memcpy(&word, text.at + at, 8);
        seen |= controls_in(word) | (word & EACH_BYTE(0x80));
    }
    for (; at < text.len; at++)
        if (text.at[at] < ' ' || text.at[at] > '~') return false;
    return seen == 0;
}

/*
 * Looks at what is new of the header block. REJECT_NONE and head_bytes == 0: more is needed. Refused:
 * a CR or LF alone, NUL and other controls, lines that begin with white space, blocks beyond the caps.
 */
static enum reject scan_head(struct http_parser *parser, const char *buffer, size_t len)
{
    size_t at = parser->scanned;

    for (; at < len; at++) {
        char c;

        if (at > parser->line_start)
            at =
                skip_ordinary(buffer, at, min_size(len, parser->lines == 0 ? HTTP_REQUEST_LINE_MAX : HTTP_HEADERS_MAX));
        if (at == len) break;
        c = buffer[at];
        if (at >= HTTP_HEADERS_MAX) return REJECT_HEADERS_TOO_LARGE;
        if (c != '\r') {
            if (is_control(c)) return REJECT_BAD_HTTP;
            if (at == parser->line_start && (c == ' ' || c == '\t')) return REJECT_BAD_HTTP;
            if (parser->lines == 0 && at >= HTTP_REQUEST_LINE_MAX) return REJECT_URI_TOO_LONG;
            continue;
        }
        if (at + 1 == len) break; /* its LF has not come */
        if (buffer[at + 1] != '\n') return REJECT_BAD_HTTP;
        if (at + 2 > HTTP_HEADERS_MAX) return REJECT_HEADERS_TOO_LARGE;
        if (at == parser->line_start) {
            if (parser->lines == 0) return REJECT_BAD_HTTP; /* no request line */
            parser->head_bytes = at + 2;
            return REJECT_NONE;
        }
        parser->lines += 1;
        if (parser->lines > HTTP_HEADER_LINES_MAX + 1) return REJECT_HEADERS_TOO_LARGE;
        parser->line_start = at + 2;
        at += 1;
    }
    parser->scanned = at;
    return REJECT_NONE;
}

/* --- the request line ----------------------------------------------------------------------- */

struct request_line {
    struct slice method, target;
    uint8_t      minor_version;
    size_t       bytes;
}; /* `bytes`: with its CR LF */

/* METHOD SP target SP HTTP/1.x, each a run of visible ASCII, one space between. */
static bool split_request_line(struct slice block, struct request_line *line)
{
    struct slice version, text = block;
    const char  *space;

    text.len = (size_t)((const char *)memchr(text.at, '\r', text.len) - text.at);
    line->bytes = text.len + 2;
    if (!is_printable(text)) return false;
    space = memchr(text.at, ' ', text.len);
    if (space == NULL || space == text.at) return false;
    line->method = slice_make(text.at, (size_t)(space - text.at));
    text = slice_make(space + 1, (size_t)(text.at + text.len - space - 1));
    space = memchr(text.at, ' ', text.len);
    if (space == NULL || space == text.at) return false;
    line->target = slice_make(text.at, (size_t)(space - text.at));
    version = slice_make(space + 1, (size_t)(text.at + text.len - space - 1));
    if (!slice_is(version, "HTTP/1.1") && !slice_is(version, "HTTP/1.0")) return false;
    line->minor_version = version.at[7] == '1';
    for (size_t i = 0; i < line->method.len; i++)
        if (!head_is_token_char(line->method.at[i])) return false;
    return true;
}

/* clang-format off */
static const struct { struct slice name; uint8_t method; } methods[] = {
    { { "GET", 3 }, HTTP_GET },       { { "HEAD", 4 }, HTTP_HEAD },     { { "POST", 4 }, HTTP_POST },
    { { "PUT", 3 }, HTTP_PUT },       { { "DELETE", 6 }, HTTP_DELETE }, { { "PATCH", 5 }, HTTP_PATCH },
    { { "OPTIONS", 7 }, HTTP_OPTIONS },
};
/* clang-format on */

static uint8_t method_of(struct slice text)
{
    for (size_t i = 0; i < ARRAY_COUNT(methods); i++)
        if (slice_equal(text, methods[i].name)) return methods[i].method;
    return HTTP_OTHER;
}

static void split_query(struct slice target, struct http_request *request)
{
    const char *mark = memchr(target.at, '?', target.len);

    request->path = target;
    request->query = SLICE("");
    if (mark == NULL) return;
    request->path.len = (size_t)(mark - target.at);
    request->query = slice_make(mark + 1, target.len - request->path.len - 1);
}

/* http://host/path: the host of the target replaces that of the header (RFC 9112, 3.2.2). */
static bool read_absolute(struct slice target, struct http_request *request)
{
    const char  *colon = memchr(target.at, ':', target.len);
    struct slice scheme = slice_make(target.at, colon != NULL ? (size_t)(colon - target.at) : 0), rest, host;

    if (!head_is_word(scheme, SLICE("http")) && !head_is_word(scheme, SLICE("https"))) return false;
    rest = slice_make(colon + 1, target.len - scheme.len - 1);
    if (rest.len < 3 || rest.at[0] != '/' || rest.at[1] != '/') return false;
    rest = slice_make(rest.at + 2, rest.len - 2);
    host = rest;
    for (size_t i = 0; i < rest.len && host.len == rest.len; i++)
        if (rest.at[i] == '/' || rest.at[i] == '?') host.len = i;
    if (host.len == 0 || !http_host_read(host, NULL)) return false;
    request->header[HEADER_HOST] = host;
    split_query(slice_make(rest.at + host.len, rest.len - host.len), request);
    if (request->path.len == 0) request->path = SLICE("/");
    return true;
}

static bool read_target(struct slice target, struct http_request *request)
{
    bool is_connect = slice_is(request->method_text, "CONNECT");

    if (memchr(target.at, '#', target.len) != NULL) return false;
    if (is_connect || slice_is(target, "*")) {
        request->path = target;
        request->query = SLICE("");
        return is_connect ? http_host_read(target, NULL) : request->method == HTTP_OPTIONS;
    }
    if (target.at[0] == '/') {
        split_query(target, request);
        return true;
    }
    return read_absolute(target, request);
}

/* --- the headers ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct slice header_names[HEADER_COUNT] = {
    [HEADER_HOST]          = { "host", 4 },
    [HEADER_CONTENT_TYPE]  = { "content-type", 12 },
    [HEADER_ORIGIN]        = { "origin", 6 },
    [HEADER_EXPECT]        = { "expect", 6 },
    [HEADER_CONNECTION]    = { "connection", 10 },
    [HEADER_API_KEY]       = { "x-api-key", 9 },
    [HEADER_API_SIGN]      = { "x-api-sign", 10 },
    [HEADER_API_NONCE]     = { "x-api-nonce", 11 },
    [HEADER_API_CHAIN]     = { "x-api-chain", 11 },
    [HEADER_FORWARDED_FOR] = { "x-forwarded-for", 15 },
    [HEADER_FORWARDED]     = { "forwarded", 9 },
    [HEADER_UPGRADE]       = { "upgrade", 7 },
    [HEADER_WS_KEY]        = { "sec-websocket-key", 17 },
    [HEADER_WS_VERSION]    = { "sec-websocket-version", 21 },
    [HEADER_MIN_SEQ]       = { "x-dojima-min-seq", 16 },
    [HEADER_NODE]          = { "x-dojima-forwarded", 18 },
    [HEADER_NODE_SECRET]   = { "x-dojima-secret", 15 },
    [HEADER_AS]            = { "x-dojima-as", 11 },
};
/* clang-format on */

/* Every proxy may add a line; the ones nearest to us stand last. */
static void keep_forwarded(struct slice value, uint32_t which, struct http_request *request)
{
    struct slice *lines = request->forwarded[which];

    if (request->forwarded_count[which] == HTTP_FORWARDED_LINES) {
        memmove(lines, lines + 1, (HTTP_FORWARDED_LINES - 1) * sizeof(lines[0]));
        request->forwarded_count[which] -= 1;
    }
    lines[request->forwarded_count[which]++] = value;
}

/* The headers that have names of this length, a bit each: of most there are none. */
static uint32_t headers_of_length(size_t len)
{
    /* clang-format off */
    static const uint32_t of_length[] = {
        [4] = 1 << HEADER_HOST, [6] = 1 << HEADER_ORIGIN | 1 << HEADER_EXPECT, [7] = 1 << HEADER_UPGRADE,
        [9] = 1 << HEADER_API_KEY | 1 << HEADER_FORWARDED, [10] = 1 << HEADER_CONNECTION | 1 << HEADER_API_SIGN,
        [11] = 1 << HEADER_API_NONCE | 1 << HEADER_API_CHAIN | 1 << HEADER_AS, [12] = 1 << HEADER_CONTENT_TYPE,
            [15] = 1 << HEADER_FORWARDED_FOR | 1 << HEADER_NODE_SECRET,
        [16] = 1 << HEADER_MIN_SEQ, [17] = 1 << HEADER_WS_KEY, [18] = 1 << HEADER_NODE, [21] = 1 << HEADER_WS_VERSION,
    };
    /* clang-format on */

    return len < ARRAY_COUNT(of_length) ? of_length[len] : 0;
}

int http_header_of(struct slice name)
{
    for (int i = 0; i < HEADER_COUNT; i++)
        if (head_is_word(name, header_names[i])) return i;
    return -1;
}

static void keep_header(const struct head_line *line, struct http_request *request)
{
    for (uint32_t left = headers_of_length(line->name.len); left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (!head_is_word(line->name, header_names[i])) continue;
        if (i == HEADER_FORWARDED_FOR || i == HEADER_FORWARDED)
            keep_forwarded(line->value, i == HEADER_FORWARDED, request);
        if (request->header[i].at == NULL) request->header[i] = line->value;
        else request->repeated[i] = true;
        return;
    }
}

/* The framing of the body, and the connection options. */
struct framing {
    uint32_t     lengths, encodings;
    struct slice length, encoding;
    bool         close, keep_alive;
};

static void note_framing(const struct head_line *line, struct framing *framing)
{
    if (head_is_word(line->name, SLICE("content-length"))) {
        framing->lengths += 1;
        framing->length = line->value;
    } else if (head_is_word(line->name, SLICE("transfer-encoding"))) {
        framing->encodings += 1;
        framing->encoding = line->value;
    } else if (head_is_word(line->name, header_names[HEADER_CONNECTION])) {
        framing->close = framing->close || head_has_option(line->value, SLICE("close"));
        framing->keep_alive = framing->keep_alive || head_has_option(line->value, SLICE("keep-alive"));
    }
}

/*
 * Chooses the phase of the body: one Content-Length, one `Transfer-Encoding: chunked` of HTTP/1.1, or neither (RFC
 * 9112, 6.3). A tab behind the value of either is refused, because parsers differ in whether it belongs to the value.
 */
static enum reject read_framing(struct http_parser *parser, const struct framing *framing)
{
    uint64_t length = 0;

    if (framing->lengths + framing->encodings > 1) return REJECT_BAD_HTTP;
    if (framing->encodings == 1) {
        if (parser->request.minor_version == 0 || head_has_tab_behind(framing->encoding)) return REJECT_BAD_HTTP;
        if (!head_is_word(framing->encoding, SLICE("chunked"))) return REJECT_BAD_HTTP;
        chunks_init(&parser->chunks);
        parser->phase = PHASE_CHUNKED;
        return REJECT_NONE;
    }
    if (framing->lengths == 1 && (!length_read(framing->length, &length) || head_has_tab_behind(framing->length)))
        return REJECT_BAD_HTTP;
    if (length > HTTP_BODY_MAX) return REJECT_BODY_TOO_LARGE;
    parser->body_bytes = (size_t)length;
    parser->length = framing->length;
    parser->phase = PHASE_FIXED;
    return REJECT_NONE;
}

/* Exactly one Host in HTTP/1.1, at most one in 1.0, and one that names a host (RFC 9112, 3.2). */
static bool host_is_fine(const struct http_request *request)
{
    const struct slice *host = &request->header[HEADER_HOST];

    if (request->repeated[HEADER_HOST]) return false;
    if (host->at == NULL) return request->minor_version == 0;
    return http_host_read(*host, NULL);
}

/* The whole header block, once it is there. */
static enum reject read_head(struct http_parser *parser, const char *buffer)
{
    struct http_request *request = &parser->request;
    struct slice         block = slice_make(buffer, parser->head_bytes);
    struct request_line  line;
    struct framing       framing = { 0 };
    struct head head     UNTOUCHED;

    if (!split_request_line(block, &line)) return REJECT_BAD_HTTP;
    request->method = method_of(line.method);
    request->method_text = line.method;
    request->minor_version = line.minor_version;
    if (!head_read(slice_make(block.at + line.bytes, block.len - line.bytes - 2), &head)) return REJECT_BAD_HTTP;
    assert(head.count + 1 == parser->lines);

    for (uint32_t i = 0; i < head.count; i++) {
        keep_header(&head.lines[i], request);
        note_framing(&head.lines[i], &framing);
    }
    if (!host_is_fine(request) || !read_target(line.target, request)) return REJECT_BAD_HTTP;
    request->keep_alive = !framing.close && (request->minor_version == 1 || framing.keep_alive);
    if (slice_is(line.method, "CONNECT")) request->keep_alive = false;
    request->expect_continue = request->minor_version == 1 && !request->repeated[HEADER_EXPECT]
                            && head_is_word(request->header[HEADER_EXPECT], SLICE("100-continue"));
    return read_framing(parser, &framing);
}

/* --- the body, and the whole ---------------------------------------------------------------- */

static void move_slice(struct slice *slice, const char *from, const char *into, size_t len)
{
    uintptr_t offset = (uintptr_t)slice->at - (uintptr_t)from;
    if (slice->at != NULL && offset <= len) slice->at = into + offset;
}

/* The caller's buffer may have moved between two calls. */
static void follow_buffer(struct http_parser *parser, const char *buffer)
{
    struct http_request *request = &parser->request;

    if (parser->buffer != buffer && parser->head_bytes != 0) {
        move_slice(&request->method_text, parser->buffer, buffer, parser->head_bytes);
        move_slice(&request->path, parser->buffer, buffer, parser->head_bytes);
        move_slice(&request->query, parser->buffer, buffer, parser->head_bytes);
        move_slice(&parser->length, parser->buffer, buffer, parser->head_bytes);
        for (int i = 0; i < HEADER_COUNT; i++)
            move_slice(&request->header[i], parser->buffer, buffer, parser->head_bytes);
        for (int i = 0; i < 2; i++)
            for (uint32_t k = 0; k < request->forwarded_count[i]; k++)
                move_slice(&request->forwarded[i][k], parser->buffer, buffer, parser->head_bytes);
    }
    parser->buffer = buffer;
}

static enum reject read_body(struct http_parser *parser, char *buffer, size_t len)
{
    struct http_request *request = &parser->request;
    enum reject          reject;

    if (parser->phase == PHASE_FIXED && len - parser->head_bytes >= parser->body_bytes) {
        request->body = slice_make(buffer + parser->head_bytes, parser->body_bytes);
        request->bytes = parser->head_bytes + parser->body_bytes;
        parser->phase = PHASE_OVER;
        same_head_keep(&parser->same, buffer, parser->head_bytes,
                       (const struct slice[]){ request->header[HEADER_API_SIGN], request->header[HEADER_API_NONCE] },
                       parser->length);
    } else if (parser->phase == PHASE_CHUNKED) {
        reject = chunks_read(&parser->chunks, buffer + parser->head_bytes, len - parser->head_bytes);
        if (reject != REJECT_NONE) return reject;
        if (!parser->chunks.complete) return REJECT_NONE;
        request->body = slice_make(buffer + parser->head_bytes, parser->chunks.body_bytes);
        request->bytes = parser->head_bytes + parser->chunks.consumed;
        parser->phase = PHASE_OVER;
    }
    return REJECT_NONE;
}

/* The whole request is there and begins as the last one did: its head has been read. Else nothing is known of it. */
static bool read_same(struct http_parser *parser, const char *buffer, size_t len)
{
    struct http_request *request = &parser->request;
    uint64_t             body_bytes;

    parser->fresh = false;
    if (same_head_is(&parser->same, buffer, len, &body_bytes) && len - parser->head_bytes >= body_bytes
        && body_bytes <= HTTP_BODY_MAX) {
        follow_buffer(parser, buffer);
        parser->body_bytes = (size_t)body_bytes;
        request->body = slice_make(buffer + parser->head_bytes, parser->body_bytes);
        request->bytes = parser->head_bytes + parser->body_bytes;
        parser->phase = PHASE_OVER;
        return true;
    }
    http_parser_init(parser);
    return false;
}

enum http_result http_parse_on(struct http_parser *parser, char *buffer, size_t len, enum reject *reject,
                               bool *headers_done)
{
    assert(parser->phase != PHASE_OVER);
    *reject = REJECT_NONE;
    if (parser->fresh && read_same(parser, buffer, len)) {
        if (headers_done != NULL) *headers_done = true;
        return HTTP_DONE;
    }
    follow_buffer(parser, buffer);
    if (parser->phase == PHASE_HEAD) {
        *reject = scan_head(parser, buffer, len);
        if (*reject == REJECT_NONE && parser->head_bytes != 0) *reject = read_head(parser, buffer);
    }
    if (*reject == REJECT_NONE && parser->phase != PHASE_HEAD) *reject = read_body(parser, buffer, len);
    if (headers_done != NULL) *headers_done = parser->head_bytes != 0;
    if (*reject != REJECT_NONE) {
        parser->phase = PHASE_OVER;
        return HTTP_ERROR;
    }
    return parser->phase == PHASE_OVER ? HTTP_DONE : HTTP_MORE;
}

const struct http_request *http_parsed(const struct http_parser *parser) { return &parser->request; }

enum http_result http_parse(struct http_parser *parser, char *buffer, size_t len, struct http_request *request,
                            enum reject *reject, bool *headers_done)
{
    enum http_result result = http_parse_on(parser, buffer, len, reject, headers_done);

    *request = parser->request;
    return result;
}
