/* SPDX-License-Identifier: MIT */
/* client.c — who asks: the client behind a proxy, and whether it may read the metrics. */
#include "api/inside.h"

struct ip api_client(const struct api_shared *shared, const struct ip *peer, const struct http_request *request)
{
    const struct proxies *proxies = shared->limiter != NULL ? &shared->limiter->settings.proxies : NULL;

    if (proxies == NULL || proxies->count == 0) return *peer;
    return proxies_client(proxies, peer, request->forwarded[proxies->header],
                          request->forwarded_count[proxies->header]);
}

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
