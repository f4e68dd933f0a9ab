/* SPDX-License-Identifier: MIT */
#include "fuzz/http_judge.h"

#include <llhttp.h>

static struct judged *judged_of(llhttp_t *parser) { return parser->data; }

/* Spans of one thing are neighbours in the text: the second is the end of the first. */
static void extend(struct slice *slice, const char *at, size_t len)
{
    if (slice->at == NULL) *slice = slice_make(at, len);
    else slice->len = (size_t)(at + len - slice->at);
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    extend(&judged_of(parser)->target, at, len);
    return 0;
}

/* Lines behind the header block are trailers. */
static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
    struct judged *judged = judged_of(parser);

    if (judged->head) return 0;
    if (judged->count == JUDGED_LINES_MAX) return -1;
    extend(&judged->lines[judged->count].name, at, len);
    return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
    if (!judged_of(parser)->head) extend(&judged_of(parser)->lines[judged_of(parser)->count].value, at, len);
    return 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static int on_header_value_complete(llhttp_t *parser)
{
    struct judged *judged = judged_of(parser);
    struct slice  *value = &judged->lines[judged->count].value;

    if (judged->head) return 0;
    while (value->len != 0 && is_blank(value->at[0])) *value = slice_make(value->at + 1, value->len - 1);
    while (value->len != 0 && is_blank(value->at[value->len - 1])) value->len--;
    judged->count += 1;
    return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
    struct judged *judged = judged_of(parser);

    judged->head = true;
    judged->wants_close = (parser->flags & F_CONNECTION_CLOSE) != 0;
    judged->wants_keep_alive = (parser->flags & F_CONNECTION_KEEP_ALIVE) != 0;
    return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct judged *judged = judged_of(parser);

    assert(len <= sizeof(judged->body) - judged->body_bytes);
    memcpy(judged->body + judged->body_bytes, at, len);
    judged->body_bytes += len;
    return 0;
}

static int on_message_complete(llhttp_t *parser)
{
    judged_of(parser)->whole = true;
    return HPE_PAUSED;
}

static llhttp_settings_t settings = {
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void http_judge(struct slice text, struct slice method, struct slice known, struct judged *judged)
{
    llhttp_t parser;

    assert(text.len > method.len && text.len <= JUDGED_BODY_MAX);
    memset(judged, 0, offsetof(struct judged, body));
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    parser.data = judged;
    if (llhttp_execute(&parser, known.at, known.len) != HPE_OK) return;
    (void)llhttp_execute(&parser, text.at + method.len, text.len - method.len);
    if (judged->whole) judged->bytes = (size_t)(llhttp_get_error_pos(&parser) - text.at);
}
