/* SPDX-License-Identifier: MIT */
/*
 * upgrade.c — requests for a stream: whether they may become a WebSocket (RFC 6455, 4.2.1), and the answer when not.
 *
 * The channels are public and nothing about a connection speaks for its user, no cookie and no signature, so pages of
 * any origin may connect, as they may read; an Origin that is none is refused all the same.
 */
#include "api/inside.h"

#include <strings.h>

uint8_t api_stream_market(struct slice path)
{
    if (slice_is(path, "/ws/spot")) return MARKET_SPOT;
    if (slice_is(path, "/ws/perps")) return MARKET_PERPS;
    return 0;
}

/* Whether the token is one of a list, in any case. */
static bool has_token(struct slice list, const char *token)
{
    size_t len = strlen(token), at = 0;

    while (at < list.len) {
        size_t end = at, from;
        while (end < list.len && list.at[end] != ',') end++;
        for (from = at; from < end && (list.at[from] == ' ' || list.at[from] == '\t'); from++) {}
        for (at = end; at > from && (list.at[at - 1] == ' ' || list.at[at - 1] == '\t'); at--) {}
        if (at - from == len && strncasecmp(list.at + from, token, len) == 0) return true;
        at = end + 1;
    }
    return false;
}

/* "null", or scheme://host and perhaps a port. */
static bool is_origin(struct slice text)
{
    const char *mark = text.len > 3 ? memmem(text.at, text.len, "://", 3) : NULL;

    if (slice_is(text, "null")) return true;
    if (mark == NULL || mark == text.at || mark + 3 == text.at + text.len) return false;
    for (const char *at = mark + 3; at < text.at + text.len; at++)
        if (*at <= ' ' || strchr("/?#@\\\"<>", *at) != NULL) return false;
    return true;
}

enum reject api_upgrade(const struct api_context *context, const struct http_request *request)
{
    const struct slice *header = request->header;

    if (header[HEADER_ORIGIN].at != NULL && (request->repeated[HEADER_ORIGIN] || !is_origin(header[HEADER_ORIGIN])))
        return REJECT_BAD_ORIGIN;
    if (request->method != HTTP_GET) return REJECT_METHOD_NOT_ALLOWED;
    if (request->minor_version != 1 || !has_token(header[HEADER_UPGRADE], "websocket")
        || !has_token(header[HEADER_CONNECTION], "upgrade") || request->repeated[HEADER_WS_VERSION]
        || !slice_is(header[HEADER_WS_VERSION], "13"))
        return REJECT_UPGRADE_REQUIRED;
    if (request->repeated[HEADER_WS_KEY] || header[HEADER_WS_KEY].at == NULL
        || !frame_key_is_valid(header[HEADER_WS_KEY]) || request->body.len != 0)
        return REJECT_BAD_HTTP;
    return context->ready ? REJECT_NONE : REJECT_BUSY;
}

const struct slice upgrade_lines = SLICE("Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");

/* A request that reads a stream as if it were a page. */
void answer_stream(struct call *call)
{
    fail(&call->failure, REJECT_UPGRADE_REQUIRED, SLICE(""), SLICE(""));
    call->answer->extra = upgrade_lines;
}
