/* SPDX-License-Identifier: MIT */
#include "wire/http_head.h"

#include <llhttp.h>

/* The table of RFC 9110, 5.6.2: digits, letters and fifteen signs. */
static const bool token_chars[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
    ['!'] = true, ['#'] = true, ['$'] = true, ['%'] = true, ['&'] = true, ['\''] = true, ['*'] = true, ['+'] = true,
    ['-'] = true, ['.'] = true, ['^'] = true, ['_'] = true, ['`'] = true, ['|'] = true, ['~'] = true,
};

bool head_is_token_char(char c) { return token_chars[(uint8_t)c]; }

/* What the callbacks fill; llhttp carries its address in parser.data. */
struct collector {
    struct head *head;
    bool         in_name;               /* the line `count` has begun */
    bool         broken, complete;
};

static struct collector *collector_of(llhttp_t *parser) { return parser->data; }

/* Spans of one thing are neighbours in the block: the second is the end of the first. */
static void extend(struct slice *slice, const char *at, size_t len)
{
    if (slice->at == NULL) *slice = slice_make(at, len);
    else slice->len = (size_t)(at + len - slice->at);
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    extend(&collector_of(parser)->head->target, at, len);
    return 0;
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
    struct collector *collector = collector_of(parser);

    if (collector->head->count == HEAD_LINES_MAX) { collector->broken = true; return -1; }
    if (!collector->in_name) collector->head->lines[collector->head->count] = (struct head_line){ 0 };
    collector->in_name = true;
    extend(&collector->head->lines[collector->head->count].name, at, len);
    return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
    struct collector *collector = collector_of(parser);

    if (!collector->in_name) { collector->broken = true; return -1; }
    extend(&collector->head->lines[collector->head->count].value, at, len);
    return 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static struct slice trimmed(struct slice text)
{
    while (text.len != 0 && is_blank(text.at[0])) { text.at++; text.len--; }
    while (text.len != 0 && is_blank(text.at[text.len - 1])) text.len--;
    return text;
}

/* llhttp's tables let a space into names; the grammar does not. */
static int on_header_value_complete(llhttp_t *parser)
{
    struct collector *collector = collector_of(parser);
    struct head_line *line = &collector->head->lines[collector->head->count];

    if (!collector->in_name || line->name.len == 0) { collector->broken = true; return -1; }
    collector->in_name = false;
    for (size_t i = 0; i < line->name.len; i++)
        if (!head_is_token_char(line->name.at[i])) collector->broken = true;
    line->value = line->value.at != NULL ? trimmed(line->value) : SLICE("");
    collector->head->count += 1;
    return collector->broken ? -1 : 0;
}

static int on_headers_complete(llhttp_t *parser)
{
    struct collector *collector = collector_of(parser);
    struct head      *head = collector->head;

    collector->complete = true;
    head->content_length = (parser->flags & F_CONTENT_LENGTH) != 0 ? parser->content_length : 0;
    head->chunked = (parser->flags & F_CHUNKED) != 0;
    head->wants_close = (parser->flags & F_CONNECTION_CLOSE) != 0;
    head->wants_keep_alive = (parser->flags & F_CONNECTION_KEEP_ALIVE) != 0;
    return HPE_PAUSED;                      /* the body is not llhttp's business */
}

static llhttp_settings_t settings = {
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
};

bool head_read(struct slice block, struct slice method, struct slice known, struct head *head)
{
    struct collector collector = { .head = head };
    llhttp_t         parser;
    llhttp_errno_t   result;

    assert(block.len > method.len);
    head->target = SLICE("");
    head->target.at = NULL;
    head->count = 0;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    parser.data = &collector;
    result = llhttp_execute(&parser, known.at, known.len);
    if (result != HPE_OK) return false;
    result = llhttp_execute(&parser, block.at + method.len, block.len - method.len);
    /* Paused by ourselves at the end of the block, or it stopped there by itself for a message without a body. */
    if (result != HPE_PAUSED && result != HPE_PAUSED_UPGRADE && result != HPE_OK) return false;
    return collector.complete && !collector.broken && head->target.at != NULL;
}
