/* SPDX-License-Identifier: MIT */
#include "wire/http_forward.h"

#include "wire/http_head.h"

/* clang-format off */
static const struct slice of_connections[] = {
    { "connection", 10 }, { "keep-alive", 10 }, { "proxy-connection", 16 }, { "transfer-encoding", 17 },
    { "te", 2 }, { "trailer", 7 }, { "upgrade", 7 },
};
static const struct slice of_requests[] = {
    { "host", 4 }, { "content-length", 14 }, { "expect", 6 }, { "x-forwarded-for", 15 }, { "forwarded", 9 },
};
/* clang-format on */

#define OF_NODES "x-dojima-"

/* The next line, without its end; false: there is none. */
static bool take_line(struct slice *text, struct slice *line)
{
    const char *end = text->len != 0 ? memchr(text->at, '\n', text->len) : NULL;
    size_t      len = end != NULL ? (size_t)(end - text->at) : 0;

    if (end == NULL) return false;
    *line = slice_make(text->at, len);
    if (len != 0 && line->at[len - 1] == '\r') line->len -= 1;
    *text = slice_make(end + 1, text->len - len - 1);
    return true;
}

static struct slice name_of(struct slice line)
{
    const char *colon = line.len != 0 ? memchr(line.at, ':', line.len) : NULL;

    return slice_make(line.at, colon != NULL ? (size_t)(colon - line.at) : 0);
}

static struct slice value_of(struct slice line)
{
    struct slice name = name_of(line);

    return slice_make(line.at + name.len + 1, line.len - name.len - 1);
}

static bool is_among(struct slice name, const struct slice *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (head_is_word(name, names[i])) return true;
    return false;
}

static bool is_of_connection(struct slice name) { return is_among(name, of_connections, ARRAY_COUNT(of_connections)); }

static bool is_of_nodes(struct slice name)
{
    size_t len = sizeof(OF_NODES) - 1;

    return name.len >= len && head_is_word(slice_make(name.at, len), SLICE(OF_NODES));
}

static void put_line(struct out *out, struct slice line)
{
    out_slice_put(out, line);
    out_literal(out, "\r\n");
}

void http_forward_lines(struct out *out, struct slice request)
{
    struct slice line, name;
    bool         found = take_line(&request, &line); /* the request line */

    while (found && take_line(&request, &line) && line.len != 0) {
        name = name_of(line);
        if (is_of_connection(name) || is_of_nodes(name) || is_among(name, of_requests, ARRAY_COUNT(of_requests)))
            continue;
        put_line(out, line);
    }
}

bool http_forward_closes(struct slice head)
{
    struct slice line;

    while (take_line(&head, &line))
        if (head_is_word(name_of(line), SLICE("connection")) && head_has_option(value_of(line), SLICE("close")))
            return true;
    return false;
}

static void put_connection(struct out *out, bool close)
{
    out_text(out, close ? "Connection: close\r\n" : "Connection: keep-alive\r\n");
}

void http_forward_answer(struct out *out, struct slice head, struct slice body, bool close)
{
    bool         has_length = false, has_encoding = false, has_connection = false;
    struct slice line, name;

    while (take_line(&head, &line)) {
        name = name_of(line);
        if (head_is_word(name, SLICE("content-length"))) has_length = true;
        if (head_is_word(name, SLICE("transfer-encoding"))) has_encoding = true;
        if (head_is_word(name, SLICE("connection")) && !has_connection) {
            put_connection(out, close);
            has_connection = true;
        }
        if (!is_of_connection(name)) put_line(out, line);
    }
    if (!has_connection) put_connection(out, close);
    if (has_encoding && !has_length) {
        out_literal(out, "Content-Length: ");
        out_u64(out, body.len);
        out_literal(out, "\r\n");
    }
    out_literal(out, "\r\n");
    out_slice_put(out, body);
}
