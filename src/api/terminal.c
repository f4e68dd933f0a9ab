/* SPDX-License-Identifier: MIT */
/* terminal.c — the table of the terminal's files. */
#include "api/terminal.h"

#include "base/out.h"

#include <xxhash.h>

/* clang-format off */
static const struct { struct slice ending; const char *type; } types[] = {
    { { ".html", 5 }, "text/html; charset=utf-8" },      { { ".js", 3 }, "text/javascript; charset=utf-8" },
    { { ".css", 4 }, "text/css; charset=utf-8" },        { { ".svg", 4 }, "image/svg+xml" },
    { { ".png", 4 }, "image/png" },                      { { ".ico", 4 }, "image/x-icon" },
    { { ".woff2", 6 }, "font/woff2" },                   { { ".txt", 4 }, "text/plain; charset=utf-8" },
    { { ".json", 5 }, "application/json" },              { { ".webmanifest", 12 }, "application/manifest+json" },
};
/* clang-format on */

void terminal_init(struct terminal *terminal)
{
    (void)pthread_mutex_init(&terminal->lock, NULL);
    terminal->files = NULL;
}

static bool ends_with(struct slice text, struct slice ending)
{
    return text.len > ending.len && memcmp(text.at + text.len - ending.len, ending.at, ending.len) == 0;
}

static const char *type_of(struct slice path)
{
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (ends_with(path, types[i].ending)) return types[i].type;
    return NULL;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
        || c == '-';
}

/* "/NAME" or "/assets/NAME"; a name does not begin with a point. */
static bool is_path(struct slice path)
{
    static const struct slice assets = { "/assets/", 8 };
    size_t                    at = 1;

    if (path.len < 2 || path.len > TERMINAL_NAME_MAX || path.at[0] != '/') return false;
    if (path.len > assets.len && memcmp(path.at, assets.at, assets.len) == 0) at = assets.len;
    if (path.at[at] == '.') return false;
    for (; at < path.len; at++)
        if (!is_name_char(path.at[at])) return false;
    return true;
}

static struct terminal_file *row_of(struct terminal_files *files, struct slice path)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (slice_equal(slice_make(files->at[i].path, files->at[i].path_len), path)) return &files->at[i];
    return NULL;
}

static struct terminal_file *add_row(struct terminal_files *files, struct slice path)
{
    struct terminal_file *file;

    if (files->count == TERMINAL_FILES_MAX) return NULL;
    file = &files->at[files->count++];
    memset(file, 0, sizeof(*file));
    memcpy(file->path, path.at, path.len);
    file->path_len = (uint8_t)path.len;
    file->type = type_of(path);
    return file;
}

/*
 * Both forms of a file have tags of their own, because their bytes differ (RFC 9110, 8.8.1). Nobody gains by two files
 * with one tag, and a start would take 2 ms longer with keccak.
 */
static void write_tag(char tag[24], struct slice bytes)
{
    struct out         out = out_make(tag, 23);
    XXH128_canonical_t hash;

    XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes.at, bytes.len));
    out_char(&out, '"');
    out_hex(&out, hash.digest, 10);
    out_char(&out, '"');
    assert(!out.overflow);
    tag[out.len] = '\0';
}

bool terminal_add(struct terminal_files *files, struct slice path, struct slice bytes)
{
    static const struct slice compressed = { ".gz", 3 };
    bool                      gzip = ends_with(path, compressed);
    struct terminal_file     *file;

    if (gzip) path.len -= compressed.len;
    if (!is_path(path) || type_of(path) == NULL || bytes.len > TERMINAL_FILE_MAX) return false;
    file = row_of(files, path);
    if (file == NULL) file = add_row(files, path);
    if (file == NULL) return false;
    *(gzip ? &file->gzip : &file->plain) = bytes;
    write_tag(file->tags[gzip], bytes);
    return true;
}

const struct terminal_file *terminal_find(const struct terminal_files *files, struct slice path)
{
    const struct terminal_file *file = row_of((struct terminal_files *)(uintptr_t)files, path);

    return file != NULL && file->plain.at != NULL ? file : NULL;
}

const struct terminal_files *terminal_replace(struct terminal *terminal, const struct terminal_files *files)
{
    const struct terminal_files *old;

    (void)pthread_mutex_lock(&terminal->lock);
    old = terminal->files;
    terminal->files = files;
    (void)pthread_mutex_unlock(&terminal->lock);
    return old;
}
