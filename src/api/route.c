/* SPDX-License-Identifier: MIT */
/*
 * route.c — from a path to a row. The hash of a path is one of its base, its number of segments and its last segment,
 * which is a parameter in no row.
 */
#include "api/inside.h"
#include "base/hex.h"

#define PATH_GATEWAY "/api/v1"
#define PATH_SPOT    "/spot"
#define PATH_PERPS   "/perps"

const char *const base_path[BASE_COUNT] = { "", PATH_GATEWAY, PATH_GATEWAY PATH_SPOT, PATH_GATEWAY PATH_PERPS };

static uint64_t path_hash(const struct path *path)
{
    struct slice last = path->segments[path->count - 1];
    uint64_t     hash = path->base | path->count << 4 | (uint64_t)last.len << 32;

    if (last.len != 0) hash |= (uint64_t)(uint8_t)last.at[0] << 8 | (uint64_t)(uint8_t)last.at[last.len - 1] << 16;
    return hash * UINT64_C(0x9E3779B97F4A7C15) >> 40;
}

/* Takes a base off the front of a path, when more of the path follows. */
static inline bool strip(struct slice *text, struct slice base)
{
    if (text->len <= base.len || text->at[base.len] != '/' || memcmp(text->at, base.at, base.len) != 0) return false;
    *text = slice_make(text->at + base.len, text->len - base.len);
    return true;
}

/* text: "/a/b/c" → its segments. */
static bool split_segments(struct slice text, struct path *path)
{
    size_t at = 1;

    path->count = 0;
    while (at <= text.len) {
        const char *slash = memchr(text.at + at, '/', text.len - at);
        size_t      end = slash != NULL ? (size_t)(slash - text.at) : text.len;
        if (path->count == SEGMENTS_MAX) return false;
        path->segments[path->count++] = slice_make(text.at + at, end - at);
        at = end + 1;
    }
    return path->count != 0;
}

bool path_split(struct slice text, struct path *path)
{
    if (text.len == 0 || text.at[0] != '/') return false;
    path->base = BASE_NONE;
    if (strip(&text, SLICE(PATH_GATEWAY))) {
        path->base = BASE_GATEWAY;
        if (strip(&text, SLICE(PATH_SPOT))) path->base = BASE_SPOT;
        else if (strip(&text, SLICE(PATH_PERPS))) path->base = BASE_PERPS;
    }
    return split_segments(text, path);
}

static bool is_parameter(struct slice segment) { return segment.len != 0 && segment.at[0] == '{'; }

static void add_route(struct routes *routes, uint32_t row, uint8_t base)
{
    uint32_t     ix = chained_take(&routes->table);
    struct path *path = &routes->at[ix].path;
    bool         fits = ix != 0 && split_segments(slice_of(routes->rows[row].path), path);

    assert(fits && !is_parameter(path->segments[path->count - 1]));
    path->base = base;
    routes->parameter[row] = -1;
    for (uint32_t at = 0; at < path->count; at++)
        if (is_parameter(path->segments[at])) routes->parameter[row] = (int8_t)at;
    routes->at[ix].row = (uint8_t)row;
    routes->number[row][base] = (uint8_t)ix;
    chained_add(&routes->table, path_hash(path), ix);
}

void routes_init(struct routes *routes, const struct endpoint *rows, uint32_t row_count)
{
    assert(row_count <= UINT8_MAX);
    memset(routes, 0, sizeof(*routes));
    routes->rows = rows;
    routes->row_count = row_count;
    routes->table = CHAINED(routes->heads, ARRAY_COUNT(routes->heads) - 1, routes->at, next, ROUTES_MAX);
    for (uint32_t row = row_count; row-- > 0;)
        for (uint8_t base = 0; base < BASE_COUNT; base++)
            if ((rows[row].bases >> base & 1) != 0) add_route(routes, row, base);
}

static bool path_matches(const struct path *row, const struct path *path)
{
    if (row->base != path->base || row->count != path->count) return false;
    for (uint32_t i = 0; i < row->count; i++) {
        if (is_parameter(row->segments[i]) ? path->segments[i].len == 0
                                           : !slice_equal(row->segments[i], path->segments[i]))
            return false;
    }
    return true;
}

static const struct endpoint *route_from(const struct routes *routes, const struct path *path, uint32_t ix)
{
    while (ix != 0 && !path_matches(&routes->at[ix].path, path)) ix = chained_next(&routes->table, ix);
    return ix != 0 ? &routes->rows[routes->at[ix].row] : NULL;
}

const struct endpoint *route_first(const struct routes *routes, const struct path *path)
{
    return route_from(routes, path, chained_first(&routes->table, path_hash(path)));
}

const struct endpoint *route_next(const struct routes *routes, const struct path *path, const struct endpoint *row)
{
    return route_from(routes, path, chained_next(&routes->table, routes->number[row - routes->rows][path->base]));
}

const struct endpoint *route_of_method(const struct routes *routes, const struct path *path, const struct endpoint *row,
                                       uint8_t method)
{
    uint8_t wanted = method == HTTP_HEAD ? (uint8_t)HTTP_GET : method;

    while (row != NULL && row->method != wanted) row = route_next(routes, path, row);
    return row;
}

const struct endpoint *route_find(const struct routes *routes, const struct path *path, uint8_t method)
{
    return route_of_method(routes, path, route_first(routes, path), method);
}

#define TARGET_BYTES 96 /* no path of a write is longer, without its query */

/* Behind the method, as far as the query or the space; empty when neither is there yet. */
static struct slice target_at(struct slice bytes, size_t at)
{
    size_t end = at;

    while (end < bytes.len && end - at < TARGET_BYTES && bytes.at[end] != ' ' && bytes.at[end] != '?') end++;
    return slice_make(bytes.at + at, end < bytes.len && end - at < TARGET_BYTES ? end - at : 0);
}

static bool begins(struct slice text, struct slice with)
{
    return text.len >= with.len && memcmp(text.at, with.at, with.len) == 0;
}

uint8_t route_class(const struct routes *routes, struct slice bytes)
{
    bool                   deletes = begins(bytes, SLICE("DELETE "));
    const struct endpoint *row;
    struct path            path;

    if (!deletes && !begins(bytes, SLICE("POST "))) return CLASS_READ; /* writes have no other method (endpoints.c) */
    if (!path_split(target_at(bytes, deletes ? 7 : 5), &path)) return CLASS_READ;
    row = route_find(routes, &path, deletes ? HTTP_DELETE : HTTP_POST);
    return row != NULL ? row->class : CLASS_READ;
}

uint32_t route_number(const struct routes *routes, const struct endpoint *row, uint8_t base)
{
    return routes->number[row - routes->rows][base] - 1u;
}

int route_parameter(const struct routes *routes, const struct endpoint *row)
{
    return routes->parameter[row - routes->rows];
}

bool percent_decode(struct slice text, char *into, size_t cap, struct slice *decoded)
{
    size_t len = 0;

    if (memchr(text.at, '%', text.len) == NULL) { /* nothing to undo: it stays where it is */
        *decoded = text;
        return text.len <= cap;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '%') {
            if (text.len - i < 3 || !hex_read(slice_make(text.at + i + 1, 2), &c, 1) || c == 0) return false;
            i += 2;
        }
        if (len == cap) return false;
        into[len++] = c;
    }
    *decoded = slice_make(into, len);
    return true;
}
