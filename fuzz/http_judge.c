/* SPDX-License-Identifier: MIT */
#include "fuzz/http_judge.h"

#include <llhttp.h>

static struct judged *judged_of(llhttp_t *parser) { return parser->data; }

/* Consecutive spans are neighbours in the text: the second begins at the end of the first. */
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

/* The line that is being read; NULL: it is a trailer, behind the header block, or there is no room. */
static struct judged_line *line_of(struct judged *judged)
{
    return judged->head || judged->count == JUDGED_LINES_MAX ? NULL : &judged->lines[judged->count];
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
    struct judged_line *line = line_of(judged_of(parser));

    if (line != NULL) extend(&line->name, at, len);
    return line != NULL || judged_of(parser)->head ? 0 : -1;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
    struct judged_line *line = line_of(judged_of(parser));

    if (line != NULL) extend(&line->value, at, len);
    return 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static int on_header_value_complete(llhttp_t *parser)
{
    struct judged_line *line = line_of(judged_of(parser));

    if (line == NULL) return 0;
    while (line->value.len != 0 && is_blank(line->value.at[0]))
        line->value = slice_make(line->value.at + 1, line->value.len - 1);
    while (line->value.len != 0 && is_blank(line->value.at[line->value.len - 1])) line->value.len--;
    judged_of(parser)->count += 1;
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
