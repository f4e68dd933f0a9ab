/* SPDX-License-Identifier: MIT */
#include "wire/http_host.h"

#include <arpa/inet.h>

#define PORT_MAX 65535

/* Letters, digits and the signs of a registered name (RFC 3986: unreserved and sub-delims, but no comma). */
static const bool name_chars[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['-'] = true, ['.'] = true,  ['_'] = true,
    ['~'] = true,         ['!'] = true,         ['$'] = true,         ['&'] = true, ['\''] = true, ['('] = true,
    [')'] = true,         ['*'] = true,         ['+'] = true,         [';'] = true, ['='] = true,
};

static bool is_hex(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

static bool is_name(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (name_chars[(uint8_t)text.at[i]]) continue;
        if (text.at[i] != '%' || text.len - i < 3 || !is_hex(text.at[i + 1]) || !is_hex(text.at[i + 2])) return false;
        i += 2;
    }
    return true;
}

static bool is_v6(struct slice text)
{
    char            address[INET6_ADDRSTRLEN];
    struct in6_addr bytes;

    if (text.len >= sizeof(address) || memchr(text.at, '\0', text.len) != NULL) return false;
    memcpy(address, text.at, text.len);
    address[text.len] = '\0';
    return inet_pton(AF_INET6, address, &bytes) == 1;
}

/* The part behind the host: empty, or a colon and at most five digits. */
static bool is_port(struct slice text)
{
    uint32_t port = 0;

    if (text.len == 0) return true;
    if (text.at[0] != ':' || text.len > 6) return false;
    for (size_t i = 1; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        port = port * 10 + (uint32_t)(text.at[i] - '0');
    }
    return port <= PORT_MAX;
}

bool http_host_read(struct slice text, struct slice *name)
{
    bool        bracket = text.len != 0 && text.at[0] == '[';
    const char *end = text.len != 0 ? memchr(text.at, bracket ? ']' : ':', text.len) : NULL;
    size_t      len = end != NULL ? (size_t)(end - text.at) + bracket : text.len;

    if (bracket && (end == NULL || !is_v6(slice_make(text.at + 1, len - 2)))) return false;
    if (!bracket && !is_name(slice_make(text.at, len))) return false;
    if (name != NULL) *name = slice_make(text.at, len);
    return is_port(slice_make(text.at + len, text.len - len));
}
