/* SPDX-License-Identifier: MIT */
/* page.c — GET /docs/settings.json: what a page needs to sign. */
#include "api/rest/page.h"

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
    call->answer->extra = SLICE("X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n");
}
