/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WAITING_MOST (64u << 20) /* of a file: a kernel has written older bytes by itself */

/* ---- bytes ---- */

static bool is_zero(const uint8_t *bytes, size_t len)
{
    return len == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
}

static uint64_t size_of(int memory)
{
    struct stat info;

    if (fstat(memory, &info) != 0) abort();
    return (uint64_t)info.st_size;
}

/* Zeros take no memory. */
static void put_zeros(int memory, uint64_t at, size_t len)
{
    if (at + len > size_of(memory) && ftruncate(memory, (off_t)(at + len)) != 0) abort();
    if (fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len) != 0) abort();
}

static void put(int memory, uint64_t at, const uint8_t *bytes, size_t len)
{
    for (ssize_t done; len > 0; at += (uint64_t)done, bytes += done, len -= (size_t)done) {
        done = pwrite(memory, bytes, len, (off_t)at);
        if (done <= 0) abort();
    }
}

static void wait_for_sync(struct image_file *file, uint64_t at, const uint8_t *bytes, size_t len, bool zeros)
{
    struct waiting *new = malloc(sizeof(*new) + (zeros ? 0 : len));

    if (new == NULL) abort();
    *new = (struct waiting){ .at = at, .len = len, .zeros = zeros };
    if (!zeros && len > 0) memcpy(new->bytes, bytes, len);
    if (file->last != NULL) file->last->next = new;
    else file->first = new;
    file->last = new;
    file->waiting_bytes += zeros ? 0 : len;
    while (file->waiting_bytes > WAITING_MOST) image_settle(file);
}

uint64_t image_size(const struct image_file *file) { return file->seen < 0 ? 0 : size_of(file->seen); }

void image_resize(struct image_file *file, uint64_t bytes)
{
    if (bytes == image_size(file)) return;
    if (ftruncate(file->seen, (off_t)bytes) != 0) abort();
    (void)clock_gettime(CLOCK_REALTIME, &file->changed);
    wait_for_sync(file, bytes, NULL, 0, false);
}

size_t image_read(const struct image_file *file, uint64_t at, void *bytes, size_t len)
{
    ssize_t got = pread(file->seen, bytes, len, (off_t)at);

    if (got < 0) abort();
    return (size_t)got;
}

void image_write(struct image_file *file, uint64_t at, const void *bytes, size_t len)
{
    bool zeros = is_zero(bytes, len);

    if (len == 0) return;
    if (zeros) put_zeros(file->seen, at, len);
    else put(file->seen, at, bytes, len);
    (void)clock_gettime(CLOCK_REALTIME, &file->changed);
    wait_for_sync(file, at, bytes, len, zeros);
}

void image_drop(struct image_file *file)
{
    struct waiting *oldest = file->first;

    file->first = oldest->next;
    if (file->first == NULL) file->last = NULL;
    file->waiting_bytes -= oldest->zeros ? 0 : oldest->len;
    free(oldest);
}

void image_settle(struct image_file *file)
{
    const struct waiting *oldest = file->first;

    if (oldest->len == 0 && ftruncate(file->stable, (off_t)oldest->at) != 0) abort();
    if (oldest->len != 0 && oldest->zeros) put_zeros(file->stable, oldest->at, oldest->len);
    if (oldest->len != 0 && !oldest->zeros) put(file->stable, oldest->at, oldest->bytes, oldest->len);
    image_drop(file);
}

void image_sync(struct image_file *file)
{
    while (file->first != NULL) image_settle(file);
}

/* ---- files ---- */

static int memory_of(mode_t mode)
{
    int memory = S_ISREG(mode) ? memfd_create("file", MFD_CLOEXEC) : -1;

    if (S_ISREG(mode) && memory < 0) abort();
    return memory;
}

struct image_file *image_new(struct image *image, mode_t mode)
{
    struct image_file *file = calloc(1, sizeof(*file));

    if (file == NULL) abort();
    file->number = ++image->files;
    file->mode = mode;
    file->seen = memory_of(mode);
    file->stable = memory_of(mode);
    file->uses = 1;
    (void)clock_gettime(CLOCK_REALTIME, &file->changed);
    return file;
}

static void forget_names(struct image_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) image_unuse(names->rows[i].file, 1);
    free(names->rows);
}

void image_unuse(struct image_file *file, uint64_t uses)
{
    assert(file->uses >= uses);
    file->uses -= uses;
    if (file->uses != 0) return;
    while (file->first != NULL) image_drop(file);
    forget_names(&file->names);
    forget_names(&file->stable_names);
    if (file->seen >= 0) (void)close(file->seen);
    if (file->stable >= 0) (void)close(file->stable);
    free(file);
}

void image_init(struct image *image)
{
    *image = (struct image){ 0 };
    image->root = image_new(image, S_IFDIR | 0755);
}

/* ---- names ---- */

static uint32_t place_of(const struct image_names *names, const char *text)
{
    uint32_t i = 0;

    while (i < names->count && strcmp(names->rows[i].text, text) != 0) i++;
    return i;
}

/* The name refers to the file from now on, or is removed. */
static void set(struct image_names *names, const char *text, struct image_file *file)
{
    uint32_t           at = place_of(names, text);
    struct image_file *before = at < names->count ? names->rows[at].file : NULL;

    if (file != NULL) file->uses += 1;
    if (file == NULL && before != NULL) names->rows[at] = names->rows[--names->count];
    if (file != NULL && before != NULL) names->rows[at].file = file;
    if (file != NULL && before == NULL) {
        if (names->count == names->cap) {
            names->cap = names->cap * 2 + 8;
            names->rows = realloc(names->rows, names->cap * sizeof(*names->rows));
            if (names->rows == NULL) abort();
        }
        names->rows[names->count].file = file;
        memcpy(names->rows[names->count++].text, text, strlen(text) + 1);
    }
    if (before != NULL) image_unuse(before, 1);
}

static void change(struct image_names *names, const struct waiting_name *what)
{
    if (what->from[0] != '\0') set(names, what->from, NULL);
    set(names, what->to, what->file);
}

static void wait_for_folder(struct image *image, struct image_file *folder, const char *from, const char *to,
                            struct image_file *file)
{
    struct waiting_name *new = calloc(1, sizeof(*new));

    if (new == NULL) abort();
    assert(strlen(from) <= IMAGE_NAME_MAX && strlen(to) <= IMAGE_NAME_MAX);
    *new = (struct waiting_name){ .folder = folder, .file = file };
    memcpy(new->from, from, strlen(from) + 1);
    memcpy(new->to, to, strlen(to) + 1);
    folder->uses += 1;
    if (file != NULL) {
        file->uses += 1;
        memcpy(file->called, to, strlen(to) + 1);
    }
    change(&folder->names, new);
    (void)clock_gettime(CLOCK_REALTIME, &folder->changed);
    if (image->last != NULL) image->last->next = new;
    else image->first = new;
    image->last = new;
}

struct image_file *image_find(const struct image_file *folder, const char *name)
{
    uint32_t at = place_of(&folder->names, name);
    return at < folder->names.count ? folder->names.rows[at].file : NULL;
}

void image_name(struct image *image, struct image_file *folder, const char *name, struct image_file *file)
{
    wait_for_folder(image, folder, "", name, file);
}

void image_rename(struct image *image, struct image_file *folder, const char *from, const char *to)
{
    struct image_file *file = image_find(folder, from);

    assert(file != NULL);
    if (strcmp(from, to) != 0) wait_for_folder(image, folder, from, to, file);
}

void image_drop_name(struct image *image, struct waiting_name *before)
{
    struct waiting_name *gone = before != NULL ? before->next : image->first;

    if (before != NULL) before->next = gone->next;
    else image->first = gone->next;
    if (image->last == gone) image->last = before;
    if (gone->file != NULL) image_unuse(gone->file, 1);
    image_unuse(gone->folder, 1);
    free(gone);
}

void image_settle_name(struct image *image, struct waiting_name *before)
{
    const struct waiting_name *what = before != NULL ? before->next : image->first;

    change(&what->folder->stable_names, what);
    image_drop_name(image, before);
}

void image_sync_names(struct image *image, const struct image_file *folder)
{
    struct waiting_name *before = NULL;

    for (;;) {
        struct waiting_name *next = before != NULL ? before->next : image->first;
        if (next == NULL) return;
        if (next->folder == folder) image_settle_name(image, before);
        else before = next;
    }
}

static void sync_below(struct image *image, struct image_file *folder)
{
    image_sync_names(image, folder);
    for (uint32_t i = 0; i < folder->names.count; i++) {
        if (S_ISDIR(folder->names.rows[i].file->mode)) sync_below(image, folder->names.rows[i].file);
        else image_sync(folder->names.rows[i].file);
    }
}

void image_sync_all(struct image *image) { sync_below(image, image->root); }
