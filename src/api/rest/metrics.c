/* SPDX-License-Identifier: MIT */
/*
 * metrics.c — access to GET /metrics, whose contents app/metrics.c writes: for the addresses of the setting, as the
 * client behind a trusted proxy, and not for a client behind an unknown proxy.
 */
#include "api/inside.h"

#include "wire/exposition.h"

/* A proxy that is not trusted names a client behind it. */
static bool came_through_a_stranger(const struct call *call)
{
    const struct http_request *request = call->request;
    const struct limiter      *limiter = call->api->shared->limiter;

    if (request->forwarded_count[FORWARDED_X_FOR] + request->forwarded_count[FORWARDED_RFC7239] == 0) return false;
    return limiter == NULL || !proxies_trust(&limiter->settings.proxies, &call->context->peer);
}

bool metrics_are_for(const struct call *call)
{
    struct ip client = api_client(call->api->shared, &call->context->peer, call->request);

    return !came_through_a_stranger(call) && proxies_trust(&call->api->shared->settings.metrics_readers, &client);
}

void answer_metrics(struct call *call)
{
    const struct api_metrics *metrics = call->api->shared->metrics;

    call->answer->allow_origin = SLICE(""); /* no page of another origin reads it for its visitor */
    if (metrics == NULL || !metrics_are_for(call)) {
        fail(&call->failure, REJECT_NOT_A_READER, SLICE(""), SLICE(""));
        return;
    }
    call->answer->content_type = EXPOSITION_TYPE;
    call->answer->extra = SLICE("Cache-Control: no-store\r\n");
    metrics->write(metrics->self, call->api, call->body);
}
