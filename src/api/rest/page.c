/* SPDX-License-Identifier: MIT */
/*
 * page.c — GET /docs and its parts. The files of api/rest/page are in the program as they are; the page draws itself
 * from /openapi.json. It may load our own scripts and styles only, and connects to no other server.
 */
#include "api/rest/page.h"

#include "base/in_program.h"

FILE_IN_PROGRAM(page_html, API_PAGE_FOLDER "/index.html");
FILE_IN_PROGRAM(page_script, API_PAGE_FOLDER "/page.mjs");
FILE_IN_PROGRAM(page_signer, API_PAGE_FOLDER "/sign.mjs");
FILE_IN_PROGRAM(page_style, API_PAGE_FOLDER "/style.css");

static const char protection[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri "
    "'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n";

static void answer_file(struct call *call, const char *type, const char *from, const char *end)
{
    call->answer->content_type = type;
    call->answer->extra = slice_of(protection);
    out_bytes(call->body, from, (size_t)(end - from));
}

void answer_page(struct call *call) { answer_file(call, "text/html; charset=utf-8", page_html, page_html_end); }
void answer_page_script(struct call *call)
{
    answer_file(call, "text/javascript; charset=utf-8", page_script, page_script_end);
}
void answer_page_signer(struct call *call)
{
    answer_file(call, "text/javascript; charset=utf-8", page_signer, page_signer_end);
}
void answer_page_style(struct call *call) { answer_file(call, "text/css; charset=utf-8", page_style, page_style_end); }

/* A browser follows the redirect; another client reads a line. */
void answer_root(struct call *call)
{
    call->answer->status = 302;
    call->answer->content_type = "text/plain; charset=utf-8";
    call->answer->extra = SLICE("Location: /docs\r\n");
    out_literal(call->body,
                "This is dojima, an exchange. Its interface: /docs for people, /openapi.json for programs.\n");
}

/* The accounts with well-known keys; outside development there are none. */
void answer_page_settings(struct call *call)
{
    const struct api *api = call->api;
    struct out       *out = call->body;

    out_literal(out, "{\"chainIds\":[");
    for (uint32_t i = 0; i < api->chain_count; i++) {
        if (i != 0) out_char(out, ',');
        out_u64(out, api->chain_ids[i]);
    }
    out_literal(out, "],\"accounts\":[");
    if (api->shared->settings.development) out_slice_put(out, api->shared->public_accounts);
    out_literal(out, "]}");
    call->answer->extra = slice_of(protection);
}
