/* SPDX-License-Identifier: MIT */
#include "limits/address.h"

#include <arpa/inet.h>
#include <strings.h>

#define HOPS_MAX 32 /* entries of one line that are looked at, from the right */

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* ---- addresses ---- */

static bool is_v4(const struct ip *ip) { return memcmp(ip->bytes, mapped, sizeof(mapped)) == 0; }

bool ip_read(struct slice text, struct ip *ip)
{
    char buffer[INET6_ADDRSTRLEN];

    if (text.len == 0 || text.len >= sizeof(buffer) || memchr(text.at, '\0', text.len) != NULL) return false;
    memcpy(buffer, text.at, text.len);
    buffer[text.len] = '\0';
    memcpy(ip->bytes, mapped, sizeof(mapped));
    return inet_pton(AF_INET, buffer, ip->bytes + 12) == 1 || inet_pton(AF_INET6, buffer, ip->bytes) == 1;
}

struct minute_key ip_key(const struct ip *ip)
{
    struct minute_key key = { 0, is_v4(ip) ? 4 : 6 };

    memcpy(&key.high, is_v4(ip) ? ip->bytes + 8 : ip->bytes, 8);
    return key;
}

static bool bit_is_set(const struct ip *ip, uint32_t bit) { return (ip->bytes[bit / 8] >> (7 - bit % 8) & 1) != 0; }

/* One to three digits, at most `max`. */
static bool bits_read(struct slice text, uint32_t max, uint32_t *bits)
{
    *bits = 0;
    if (text.len == 0 || text.len > 3) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        *bits = *bits * 10 + (uint32_t)(text.at[i] - '0');
    }
    return *bits <= max;
}

bool ip_range_read(struct slice text, struct ip_range *range)
{
    const char  *slash = memchr(text.at, '/', text.len);
    struct slice address = slash != NULL ? slice_make(text.at, (size_t)(slash - text.at)) : text;
    bool         dotted = memchr(address.at, ':', address.len) == NULL;

    if (!ip_read(address, &range->base)) return false;
    range->bits = 128;
    if (slash == NULL) return true;
    if (!bits_read(slice_make(slash + 1, text.len - address.len - 1), dotted ? 32 : 128, &range->bits)) return false;
    if (dotted) range->bits += 96;
    for (uint32_t bit = range->bits; bit < 128; bit++)
        if (bit_is_set(&range->base, bit)) return false;
    return true;
}

bool ip_in_range(const struct ip *ip, const struct ip_range *range)
{
    uint32_t whole = range->bits / 8, rest = range->bits % 8;

    if (memcmp(ip->bytes, range->base.bytes, whole) != 0) return false;
    return rest == 0 || (ip->bytes[whole] ^ range->base.bytes[whole]) >> (8 - rest) == 0;
}

/* ---- proxies ---- */

bool proxies_trust(const struct proxies *proxies, const struct ip *ip)
{
    for (uint32_t i = 0; i < proxies->count; i++)
        if (ip_in_range(ip, &proxies->ranges[i])) return true;
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static struct slice trim(struct slice text)
{
    while (text.len != 0 && is_blank(text.at[0])) text = slice_make(text.at + 1, text.len - 1);
    while (text.len != 0 && is_blank(text.at[text.len - 1])) text.len -= 1;
    return text;
}

/* Up to the next separator outside quotes; *rest is what follows it, or has at == NULL. */
static struct slice take_part(struct slice *rest, char separator)
{
    struct slice part = *rest;
    bool         quoted = false;
    size_t       len = 0;

    for (; len < rest->len && (quoted || rest->at[len] != separator); len++) {
        if (rest->at[len] == '"') quoted = !quoted;
        else if (quoted && rest->at[len] == '\\' && len + 1 < rest->len) len++;
    }
    part.len = len;
    *rest = len == rest->len ? slice_make(NULL, 0) : slice_make(rest->at + len + 1, rest->len - len - 1);
    return trim(part);
}

/* The last parts of a line, at most HOPS_MAX of them; *cut: there were more. */
static uint32_t split(struct slice line, struct slice parts[HOPS_MAX], bool *cut)
{
    uint32_t count = 0;

    for (struct slice rest = line; rest.at != NULL;) {
        if (count == HOPS_MAX) {
            *cut = true;
            memmove(parts, parts + 1, (HOPS_MAX - 1) * sizeof(parts[0]));
            count -= 1;
        }
        parts[count++] = take_part(&rest, ',');
    }
    return count;
}

static bool is_port(struct slice text)
{
    if (text.len == 0 || text.len > 5) return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < '0' || text.at[i] > '9') return false;
    return true;
}

/* An address as proxies write it: alone, with a port, and then IPv6 in brackets. */
static bool node_read(struct slice text, struct ip *ip)
{
    const char  *end = text.len != 0 && text.at[0] == '[' ? memchr(text.at, ']', text.len) : NULL, *colon;
    struct slice rest;

    if (end != NULL) {
        rest = slice_make(end + 1, text.len - (size_t)(end + 1 - text.at));
        if (rest.len != 0 && (rest.at[0] != ':' || !is_port(slice_make(rest.at + 1, rest.len - 1)))) return false;
        text = slice_make(text.at + 1, (size_t)(end - text.at) - 1);
        return memchr(text.at, ':', text.len) != NULL && ip_read(text, ip);
    }
    if (ip_read(text, ip)) return true;
    colon = memchr(text.at, ':', text.len);
    if (colon == NULL || !is_port(slice_make(colon + 1, text.len - (size_t)(colon + 1 - text.at)))) return false;
    return ip_read(slice_make(text.at, (size_t)(colon - text.at)), ip);
}

/* for=NODE among the parameters of an element (RFC 7239, 4), exactly once. */
static bool element_read(struct slice element, struct ip *ip)
{
    bool found = false;

    for (struct slice rest = element; rest.at != NULL;) {
        struct slice pair = take_part(&rest, ';');
        if (pair.len < 4 || strncasecmp(pair.at, "for=", 4) != 0) continue;
        pair = slice_make(pair.at + 4, pair.len - 4);
        if (pair.len >= 2 && pair.at[0] == '"' && pair.at[pair.len - 1] == '"')
            pair = slice_make(pair.at + 1, pair.len - 2);
        if (found || !node_read(pair, ip)) return false;
        found = true;
    }
    return found;
}

struct ip proxies_client(const struct proxies *proxies, const struct ip *peer, const struct slice *lines,
                         uint32_t count)
{
    struct ip client = *peer, hop;

    if (!proxies_trust(proxies, peer)) return *peer;
    while (count-- > 0) {
        struct slice parts[HOPS_MAX];
        bool         cut = false;

        for (uint32_t i = split(lines[count], parts, &cut); i-- > 0;) {
            if (!(proxies->header == FORWARDED_X_FOR ? node_read(parts[i], &hop) : element_read(parts[i], &hop)))
                return *peer;
            client = hop;
            if (!proxies_trust(proxies, &hop)) return client;
        }
        if (cut) return *peer;
    }
    return client;
}
