/* SPDX-License-Identifier: MIT */
/* local.c — who may do what only a developer does on his own machine (decisions 604 and 924). */
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

/* What follows "://" of an origin; at NULL: it is none, as that of a page without one is "null". */
static struct slice host_of_origin(struct slice origin)
{
    const char *mark = origin.len > 3 ? memmem(origin.at, origin.len, "://", 3) : NULL;

    return mark == NULL ? (struct slice){ 0 } : slice_make(mark + 3, (size_t)(origin.at + origin.len - mark) - 3);
}

static bool is_own_origin(const struct http_request *request)
{
    struct slice host = host_of_origin(request->header[HEADER_ORIGIN]);

    return !request->repeated[HEADER_ORIGIN] && host.at != NULL && is_own_name(host);
}

/* A page that comes from elsewhere may be open in a browser on this
   machine, under its own name or under one that it points here. */
static bool is_own_page(const struct http_request *request)
{
    struct slice host = request->header[HEADER_HOST];

    if (host.at != NULL && !is_own_name(host)) return false;
    return request->header[HEADER_ORIGIN].at == NULL || is_own_origin(request);
}

/* The page came from where it asks: an address, and no name, which another site could point here. */
static bool is_asked_address(const struct http_request *request)
{
    struct slice asked = request->header[HEADER_HOST], from = host_of_origin(request->header[HEADER_ORIGIN]), host;
    struct ip    ip;

    if (request->repeated[HEADER_ORIGIN] || from.at == NULL || asked.at == NULL) return false;
    if (!slice_equal(from, asked) || !http_host_read(asked, &host)) return false;
    if (host.len > 2 && host.at[0] == '[') host = slice_make(host.at + 1, host.len - 2);
    return ip_read(host, &ip);
}

/*
 * Where every peer may act, programs ask under any name that a container has. A browser says with each POST and DELETE
 * which page it is of.
 */
static bool is_page_of_no_other_site(const struct http_request *request)
{
    return request->header[HEADER_ORIGIN].at == NULL || is_own_origin(request) || is_asked_address(request);
}

bool call_is_developers(const struct call *call)
{
    const struct api_settings *settings = &call->api->shared->settings;

    if (!settings->development || call->request->header[HEADER_FORWARDED_FOR].at != NULL
        || call->request->header[HEADER_FORWARDED].at != NULL)
        return false;
    return settings->open_to_all ? is_page_of_no_other_site(call->request)
                                 : is_loopback(&call->context->peer) && is_own_page(call->request);
}
