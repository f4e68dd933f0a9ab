/* SPDX-License-Identifier: MIT */
/* handshake.c — the answer to a request that became no stream: what it weighs, and why. */
#include "api/inside.h"

enum reject api_refuse_upgrade(struct api *api, const struct api_context *context, const struct http_request *request,
                               enum reject reject, struct api_write *write, struct http_answer *answer,
                               struct out *body)
{
    struct call call;

    call_init(&call, api, context, request, write, answer, body);
    if (limit_request(&call, NULL, 1)) {
        fail(&call.failure, reject, SLICE(""), SLICE(""));
        if (reject == REJECT_UPGRADE_REQUIRED) answer->extra = upgrade_lines;
        if (reject == REJECT_METHOD_NOT_ALLOWED) answer->extra = SLICE("Allow: GET\r\n");
    }
    (void)call_finish(&call);
    return call.failure.reject;
}

enum reject api_too_many_streams(struct api *api, const struct api_context *context, const struct http_request *request,
                                 const struct rate_limit_record *limited, struct api_write *write,
                                 struct http_answer *answer, struct out *body)
{
    struct call call;

    call_init(&call, api, context, request, write, answer, body);
    fail(&call.failure, REJECT_RATE_LIMIT, SLICE(""), SLICE(""));
    call.failure.text = "too many connections of this address";
    call.failure.limited = *limited;
    (void)call_finish(&call);
    return call.failure.reject;
}
