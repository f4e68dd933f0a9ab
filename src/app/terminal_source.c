/* SPDX-License-Identifier: MIT */
#include "app/terminal_source.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_NS    INT64_C(1000000000)
#define BYTES_MAX  (32u << 20) /* of all files */
#define LOADED_MAX (2 * TERMINAL_FILES_MAX)

struct terminal_load {
    struct terminal_files files;
    const char           *under; /* "/" or "/assets/", while it is read */
    uint64_t              bytes;
    uint32_t              count;
    bool                  refused;
    void                 *memory[LOADED_MAX];
};

static void load_free(struct terminal_load *load)
{
    if (load == NULL) return;
    for (uint32_t i = 0; i < load->count; i++) free(load->memory[i]);
    free(load);
}

/* Files of other kinds, as a source map, are left out; too many bytes or files refuse the whole folder. */
static bool take_file(void *self, const char *name, void *bytes, size_t len)
{
    struct terminal_load *load = self;
    char                  path[TERMINAL_NAME_MAX + 4];
    struct slice          text = { path, 0 };
    int                   path_len = snprintf(path, sizeof(path), "%s%s", load->under, name);

    if (path_len < 0 || (size_t)path_len >= sizeof(path)) {
        free(bytes);
        return true;
    }
    text.len = (size_t)path_len;
    load->refused =
        load->count == LOADED_MAX || load->bytes + len > BYTES_MAX || load->files.count == TERMINAL_FILES_MAX;
    if (load->refused || !terminal_add(&load->files, text, slice_make(bytes, len))) {
        free(bytes);
        return !load->refused;
    }
    load->bytes += len;
    load->memory[load->count++] = bytes;
    return true;
}

/* Everything in the folder, or NULL and why not. */
static struct terminal_load *load_folder(const char *path, const char **why)
{
    struct terminal_load *load = calloc(1, sizeof(*load));
    int                   error;

    *why = "not enough memory";
    if (load == NULL) return NULL;
    load->under = "/";
    error = folder_read(path, NULL, TERMINAL_FILE_MAX, take_file, load);
    load->under = "/assets/";
    if (error == 0 && !load->refused) error = folder_read(path, "assets", TERMINAL_FILE_MAX, take_file, load);
    if (error == ENOENT) error = 0;
    *why = error != 0                                                ? strerror(error)
         : load->refused                                             ? "it has more than 256 files or 32 MiB"
         : terminal_find(&load->files, SLICE("/index.html")) == NULL ? "its index.html is empty or too large"
                                                                     : NULL;
    if (*why == NULL) return load;
    load_free(load);
    return NULL;
}

static bool is_same(const struct folder_mark *a, const struct folder_mark *b) { return memcmp(a, b, sizeof(*a)) == 0; }

/* The files of a folder whose index.html changed; the old ones stay while it is away, as while it is replaced. */
static bool look_at(struct terminal_source *source, const char *path)
{
    static const struct folder_mark none;
    struct folder_mark              mark = folder_mark(path, "index.html"), after;
    struct terminal_load           *load, *old = source->load;
    const char                     *why;

    if (is_same(&mark, &none)) return false;
    if (is_same(&mark, &source->seen)) return true;
    load = load_folder(path, &why);
    after = folder_mark(path, "index.html");
    if (!is_same(&mark, &after)) { /* it changed while it was read: the next look */
        load_free(load);
        return true;
    }
    source->seen = mark;
    if (load == NULL) {
        log_line(LOG_WARN, "the terminal in %s is not served: %s", path, why);
        return true;
    }
    (void)terminal_replace(&source->terminal, &load->files);
    source->load = load;
    load_free(old);
    return true;
}

static void look(struct terminal_source *source)
{
    for (uint32_t i = 0; i < source->place_count; i++)
        if (look_at(source, source->places[i])) return;
}

static void add_place(struct terminal_source *source, const char *folder, const char *behind)
{
    char *place = source->places[source->place_count];
    int   len = snprintf(place, sizeof(source->places[0]), "%s%s", folder, behind);

    if (len > 0 && (size_t)len < sizeof(source->places[0])) source->place_count += 1;
}

static void find_places(struct terminal_source *source, const char *folder)
{
    char  program[900];
    char *slash;

    if (folder != NULL && folder[0] != '\0') {
        add_place(source, folder, "");
        return;
    }
    if (!process_program(program, sizeof(program))) return;
    slash = strrchr(program, '/');
    if (slash == NULL) return;
    *slash = '\0';
    add_place(source, program, "/terminal");
    add_place(source, program, "/../share/dojima/terminal");
}

static void serve_embedded(struct terminal_source *source)
{
    struct terminal_load *load = calloc(1, sizeof(*load));

    source->is_fixed = true;
    if (load == NULL) return;
    for (uint32_t i = 0; i < terminal_embedded_count; i++) {
        const struct terminal_embedded *file = &terminal_embedded[i];
        if (!terminal_add(&load->files, slice_of(file->path), slice_make(file->from, (size_t)(file->end - file->from))))
            log_line(LOG_WARN, "the file %s in the program is not served", file->path);
    }
    (void)terminal_replace(&source->terminal, &load->files);
    source->load = load;
}

/* Who asked for a terminal learns that there is none; a development exchange shows a page that says so. */
static void say_what_is_missing(const struct terminal_source *source)
{
    static const struct folder_mark none;

    if (!is_same(&source->seen, &none)) return;
    for (uint32_t i = 0; i < source->place_count; i++)
        log_line(LOG_WARN, "%s has no index.html: the terminal is not served before it is there", source->places[i]);
}

void terminal_source_open(struct terminal_source *source, const char *folder)
{
    memset(source, 0, sizeof(*source));
    terminal_init(&source->terminal);
    if (terminal_embedded_count != 0 && (folder == NULL || folder[0] == '\0')) {
        serve_embedded(source);
        return;
    }
    find_places(source, folder);
    look(source);
    if (folder != NULL) say_what_is_missing(source);
    source->looked_ns = clock_mono_ns();
}

void terminal_source_look(struct terminal_source *source)
{
    if (source->is_fixed || source->place_count == 0 || clock_mono_ns() - source->looked_ns < LOOK_NS) return;
    source->looked_ns = clock_mono_ns();
    look(source);
}

void terminal_source_close(struct terminal_source *source)
{
    (void)terminal_replace(&source->terminal, NULL);
    load_free(source->load);
    source->load = NULL;
}
