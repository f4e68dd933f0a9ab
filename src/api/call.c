/* SPDX-License-Identifier: MIT */
/* call.c — the state of a request before its endpoint sees it. */
#include "api/inside.h"

void call_init(struct call *call, struct api *api, const struct api_context *context,
               const struct http_request *request, struct api_write *write, struct http_answer *answer,
               struct out *body)
{
    memset(&call->failure, 0, offsetof(struct failure, got));
    call->api = api;
    call->context = context;
    call->request = request;
    call->answer = answer;
    call->body = body;
    call->rows = 0;
    call->parameter = (struct slice){ NULL, 0 };
    call->write = write;
    call->resumed = call->is_command = call->is_forward = call->overloaded = call->tries = false;
    call->result = NULL;
    call->charge.weight = call->quota.limit = 0;
    call->pending = NULL;
    call->waits = call->plain = false;
    api->noted = (struct api_noted){ .route = API_ROUTES_MAX };
    write->alone = false;
    write->quota.limit = 0;
    *answer = (struct http_answer){ .status = 200, .head = request->method == HTTP_HEAD };
    if (request->header[HEADER_ORIGIN].at != NULL) answer->allow_origin = SLICE("*");
}

bool call_read_path(struct call *call, const struct path *path)
{
    int at = route_parameter(&call->api->routes, call->endpoint);

    if (at < 0) return true;
    if (percent_decode(path->segments[at], call->api->parameter, sizeof(call->api->parameter), &call->parameter))
        return true;
    fail(&call->failure, REJECT_BAD_PARAMETER, SLICE("path"), path->segments[at]);
    call->failure.details.need = SLICE("percent-encoded text of at most 256 bytes");
    return false;
}
