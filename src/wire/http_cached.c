/* SPDX-License-Identifier: MIT */
/* http_cached.c — headers about compressed and cached forms. Only files for browsers need them, so the parser of every
 * request does not keep them: they are looked up in the request's bytes. */
#include "wire/http.h"
#include "wire/http_head.h"

/* Takes the next line of the head; false behind the last one. */
static bool next_line(struct slice *rest, struct slice *line)
{
    const char *end = rest->len != 0 ? memmem(rest->at, rest->len, "\r\n", 2) : NULL;

    if (end == NULL || end == rest->at) return false;
    *line = slice_make(rest->at, (size_t)(end - rest->at));
    *rest = slice_make(end + 2, rest->len - line->len - 2);
    return true;
}

static struct slice trimmed(struct slice text)
{
    while (text.len != 0 && (text.at[0] == ' ' || text.at[0] == '\t')) text = slice_make(text.at + 1, text.len - 1);
    while (text.len != 0 && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t')) text.len -= 1;
    return text;
}

/* What is before a character, which is taken with it; all of it when there is none. */
static struct slice take_until(struct slice *rest, char mark)
{
    const char  *at = rest->len != 0 ? memchr(rest->at, mark, rest->len) : NULL;
    struct slice taken = slice_make(rest->at, at != NULL ? (size_t)(at - rest->at) : rest->len);
    size_t       skipped = taken.len + (at != NULL ? 1 : 0);

    *rest = slice_make(rest->at + skipped, rest->len - skipped);
    return trimmed(taken);
}

/* Whether an element of the list in any line of this name is what is looked for. */
static bool any_element(const struct http_request *request, struct slice                       name,
                        bool (*is_it)(struct slice element, struct slice sought), struct slice sought)
{
    struct slice rest = slice_make(request->method_text.at, request->bytes), line;

    if (request->bytes == 0 || !next_line(&rest, &line)) return false;
    while (next_line(&rest, &line)) {
        if (!head_is_word(take_until(&line, ':'), name)) continue;
        while (line.len != 0)
            if (is_it(take_until(&line, ','), sought)) return true;
    }
    return false;
}

/* q=0, q=0., q=0.0 … q=0.000 */
static bool is_refusal(struct slice parameter)
{
    if (parameter.len < 3 || (parameter.at[0] | 0x20) != 'q' || parameter.at[1] != '=') return false;
    for (size_t i = 2; i < parameter.len; i++)
        if (parameter.at[i] != '0' && parameter.at[i] != '.') return false;
    return true;
}

static bool is_coding(struct slice element, struct slice sought)
{
    struct slice coding = take_until(&element, ';');

    return head_is_word(coding, sought) && !is_refusal(trimmed(element));
}

/* An entity tag has no comma of ours in it, so that a list may be cut at commas. */
static bool is_tag(struct slice element, struct slice sought)
{
    if (slice_is(element, "*")) return true;
    if (element.len > 2 && element.at[0] == 'W' && element.at[1] == '/')
        element = slice_make(element.at + 2, element.len - 2);
    return slice_equal(element, sought);
}

bool http_accepts_gzip(const struct http_request *request)
{
    return any_element(request, SLICE("accept-encoding"), is_coding, SLICE("gzip"));
}

bool http_has_tag(const struct http_request *request, struct slice tag)
{
    return any_element(request, SLICE("if-none-match"), is_tag, tag);
}
