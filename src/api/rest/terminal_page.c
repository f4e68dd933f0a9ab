/* SPDX-License-Identifier: MIT */
/*
 * terminal_page.c — GET /, /docs, /trade/SYMBOL, /assets/… . A page loads from, and connects to, the host that it came
 * from and no other; there is no exception for scripts or styles in its text.
 */
#include "api/rest/terminal_page.h"

#include "base/in_program.h"

FILE_IN_PROGRAM(page_waiting, API_PAGE_FOLDER "/waiting.html");
FILE_IN_PROGRAM(page_docs, API_PAGE_FOLDER "/docs.html");
FILE_IN_PROGRAM(page_style, API_PAGE_FOLDER "/style.css");

#define TERMINAL_WEIGHT 1 /* of a file: a page has a dozen of them */
static const struct endpoint terminal_row = { .method = HTTP_GET,
                                              .weight_kind = WEIGHT_FIXED,
                                              .weight = TERMINAL_WEIGHT,
                                              .class = CLASS_READ,
                                              .path = "/assets",
                                              .name = "GET /assets" };

/* A Host may have characters that mean something in a policy, as `;`. */
static bool is_plain_host(struct slice host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != ':' && c != '-' && c != '[' && c != ']') return false;
    }
    return host.len != 0 && host.len <= 256;
}

/* 'self' has the streams in today's browsers; older ones want them named. */
static void write_policy(const struct call *call, struct out *out)
{
    struct slice host = call->request->header[HEADER_HOST];

    out_literal(out, "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
                     "img-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'");
    if (is_plain_host(host)) {
        out_literal(out, " ws://");
        out_slice_put(out, host);
        out_literal(out, " wss://");
        out_slice_put(out, host);
    }
    out_literal(out, "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n");
}

/* A policy is one of a document: of a page, or of a picture that a browser opens as one. */
static bool is_document(const char *type)
{
    return strncmp(type, "text/html", 9) == 0 || strncmp(type, "image/svg", 9) == 0;
}

static void write_protection(const struct call *call, const char *type, struct out *out)
{
    if (is_document(type)) write_policy(call, out);
    out_literal(out, "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n");
}

static void write_caching(struct out *out, const struct terminal_file *file, const char *tag)
{
    bool is_named_by_content = file->path_len > 8 && memcmp(file->path, "/assets/", 8) == 0;

    out_text(out, is_named_by_content ? "Cache-Control: public, max-age=31536000, immutable\r\n"
                                      : "Cache-Control: no-cache\r\n");
    out_literal(out, "Vary: Accept-Encoding\r\nETag: ");
    out_text(out, tag);
    out_literal(out, "\r\n");
}

static void answer_file(struct call *call, const struct terminal_file *file)
{
    struct out  extra = out_make(call->api->extra, sizeof(call->api->extra));
    bool        gzip = file->gzip.at != NULL && http_accepts_gzip(call->request);
    const char *tag = file->tags[gzip];

    call->answer->content_type = file->type;
    write_protection(call, file->type, &extra);
    write_caching(&extra, file, tag);
    if (http_has_tag(call->request, slice_of(tag))) {
        call->answer->status = 304;
    } else {
        if (gzip) out_literal(&extra, "Content-Encoding: gzip\r\n");
        out_slice_put(call->body, gzip ? file->gzip : file->plain);
    }
    assert(!extra.overflow);
    call->answer->extra = out_slice(&extra);
}

/* False: there is no such file now. */
static bool answer_path(struct call *call, struct slice path)
{
    struct terminal            *terminal = call->api->shared->terminal;
    const struct terminal_file *file = NULL;

    if (terminal == NULL) return false;
    (void)pthread_mutex_lock(&terminal->lock);
    if (terminal->files != NULL) file = terminal_find(terminal->files, path);
    if (file != NULL) answer_file(call, file);
    (void)pthread_mutex_unlock(&terminal->lock);
    return file != NULL;
}

static void answer_own(struct call *call, const char *type, const char *from, const char *end)
{
    struct out extra = out_make(call->api->extra, sizeof(call->api->extra));

    write_protection(call, type, &extra);
    out_literal(&extra, "Cache-Control: no-cache\r\n");
    assert(!extra.overflow);
    call->answer->content_type = type;
    call->answer->extra = out_slice(&extra);
    out_bytes(call->body, from, (size_t)(end - from));
}

/* Without a terminal a browser follows the redirect; another client reads a line. */
void answer_root(struct call *call)
{
    if (call->api->shared->terminal == NULL) {
        call->answer->status = 302;
        call->answer->content_type = "text/plain; charset=utf-8";
        call->answer->extra = SLICE("Location: /docs\r\n");
        out_literal(call->body,
                    "This is dojima, an exchange. Its interface: /docs for people, /openapi.json for programs.\n");
    } else if (!answer_path(call, SLICE("/index.html"))) {
        answer_own(call, "text/html; charset=utf-8", page_waiting, page_waiting_end);
    }
}

void answer_docs(struct call *call)
{
    if (!answer_path(call, SLICE("/docs.html"))) answer_own(call, "text/html; charset=utf-8", page_docs, page_docs_end);
}

void answer_docs_style(struct call *call) { answer_own(call, "text/css; charset=utf-8", page_style, page_style_end); }

static bool is_deep_link(const struct path *path)
{
    return path->base == BASE_NONE && path->count == 2 && slice_is(path->segments[0], "trade")
        && path->segments[1].len != 0;
}

bool terminal_has(const struct call *call, const struct path *path)
{
    struct terminal *terminal = call->api->shared->terminal;
    bool             found;

    if (terminal == NULL || path->base != BASE_NONE) return false;
    if (is_deep_link(path)) return true;
    (void)pthread_mutex_lock(&terminal->lock);
    found = terminal->files != NULL && terminal_find(terminal->files, call->request->path) != NULL;
    (void)pthread_mutex_unlock(&terminal->lock);
    return found;
}

void terminal_handle(struct call *call, const struct path *path)
{
    if (!limit_request(call, &terminal_row, 1)) return;
    if (call->request->method != HTTP_GET && call->request->method != HTTP_HEAD) {
        call->answer->extra = SLICE("Allow: GET, HEAD, OPTIONS\r\n");
        fail(&call->failure, REJECT_METHOD_NOT_ALLOWED, SLICE("method"), call->request->method_text);
        return;
    }
    call_reached(call, API_PARSED);
    if (is_deep_link(path)) answer_root(call);
    else if (!answer_path(call, call->request->path)) /* it went away just now */
        fail(&call->failure, REJECT_PATH_NOT_FOUND, SLICE("path"), call->request->path);
}
