/* SPDX-License-Identifier: MIT */
/* local.c — who may do what only a developer does on his own machine (decision 604). */
#include "api/inside.h"
#include "wire/http_host.h"

#include <strings.h>

/* 127.0.0.0/8 or ::1. */
static bool is_loopback(const struct ip *ip)
{
    static const uint8_t v4[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127 }, v6[16] = { [15] = 1 };

    return memcmp(ip->bytes, v4, sizeof(v4)) == 0 || memcmp(ip->bytes, v6, sizeof(v6)) == 0;
}

/* localhost, a name below it, 127.x.x.x or [::1], perhaps with a port: no other site can serve a page under these. */
static bool is_own_name(struct slice text)
{
    static const char localhost[] = "localhost";
    size_t            len = sizeof(localhost) - 1;
    struct slice      host;
    struct ip         ip;

    if (!http_host_read(text, &host)) return false;
    if (host.len > 2 && host.at[0] == '[') host = slice_make(host.at + 1, host.len - 2);
    if (ip_read(host, &ip)) return is_loopback(&ip);
    return host.len >= len && strncasecmp(host.at + host.len - len, localhost, len) == 0
        && (host.len == len || host.at[host.len - len - 1] == '.');
}

/* A page that comes from elsewhere may be open in a browser on this
   machine, under its own name or under one that it points here. */
static bool is_own_page(const struct http_request *request)
{
    struct slice host = request->header[HEADER_HOST], origin = request->header[HEADER_ORIGIN];
    const char  *mark = origin.len > 3 ? memmem(origin.at, origin.len, "://", 3) : NULL;

    if (host.at != NULL && !is_own_name(host)) return false;
    if (origin.at == NULL) return true;
    return !request->repeated[HEADER_ORIGIN] && mark != NULL
        && is_own_name(slice_make(mark + 3, (size_t)(origin.at + origin.len - mark) - 3));
}

bool call_is_developers(const struct call *call)
{
    return call->api->shared->settings.development && is_loopback(&call->context->peer) && is_own_page(call->request)
        && call->request->header[HEADER_FORWARDED_FOR].at == NULL && call->request->header[HEADER_FORWARDED].at == NULL;
}
