/* SPDX-License-Identifier: MIT */
/*
 * image.h — a disk in memory that knows what would be left of it if the power went out now.
 *
 * Every file is kept twice: as its readers see it, and as it is on stable storage. A write, a new length, a new,
 * changed or removed name takes effect at once for readers and waits for the stable side: bytes and lengths until the
 * file is synced, names until their folder is. Nothing else makes anything stable: neither a rename nor the sync of a
 * file makes its name durable, and no order holds between what waits. When the power goes out a seed decides what of
 * that arrived (image_lose).
 *
 * One thread. Memory that is not there ends the program: it is a test's.
 */
#ifndef TESTS_LONG_POWER_DISK_IMAGE_H
#define TESTS_LONG_POWER_DISK_IMAGE_H

#include "base/base.h"

#include <sys/stat.h>
#include <time.h>

#define IMAGE_NAME_MAX 255
#define IMAGE_SECTOR   512 /* is written whole or not at all where something stood before */

/* Bytes or a length that wait for the sync of their file, oldest first. */
struct waiting {
    struct waiting *next;
    uint64_t        at;    /* first byte; of a length: the length */
    size_t          len;   /* 0 = a length */
    bool            zeros; /* all bytes are zero, and none is kept */
    uint8_t         bytes[];
};

struct image_name {
    char               text[IMAGE_NAME_MAX + 1];
    struct image_file *file;
};
struct image_names {
    struct image_name *rows;
    uint32_t           count, cap;
};

struct image_file {
    uint64_t           number; /* as stat tells it */
    mode_t             mode;   /* kind and permissions */
    struct timespec    changed;
    char               called[IMAGE_NAME_MAX + 1]; /* its last name, for who asks */
    int                seen, stable;               /* of a regular file: memfds */
    struct waiting    *first, *last;
    uint64_t           waiting_bytes;
    struct image_names names, stable_names; /* of a folder */
    uint64_t           uses;                /* names, changes of names, and what the kernel remembers */
};

/* A name that waits for the sync of its folder: `to` becomes `file`
   (NULL: is gone); `from`, when there is one, goes with it. */
struct waiting_name {
    struct waiting_name *next;
    struct image_file   *folder, *file;
    char                 from[IMAGE_NAME_MAX + 1], to[IMAGE_NAME_MAX + 1];
};

struct image {
    struct image_file   *root;
    struct waiting_name *first, *last;
    uint64_t             files; /* numbers given so far */
};

/* How much waited when the power went out, and what of it arrived; how many files met which pattern of loss.c. */
#define IMAGE_PATTERNS 9
extern const char *const image_patterns[IMAGE_PATTERNS];
struct image_loss {
    uint64_t files[IMAGE_PATTERNS], sectors, sectors_kept, names, names_kept;
};

void image_init(struct image *image);

/* A file that has no name yet and one use, which is the caller's. */
struct image_file *image_new(struct image *image, mode_t mode);
/* So many uses less; without any the file and all that waited of it are gone. */
void image_unuse(struct image_file *file, uint64_t uses);

struct image_file *image_find(const struct image_file *folder, const char *name);
/* `name` is `file` from now on; NULL: it is gone. */
void image_name(struct image *image, struct image_file *folder, const char *name, struct image_file *file);
void image_rename(struct image *image, struct image_file *folder, const char *from, const char *to);

uint64_t image_size(const struct image_file *file);
void     image_resize(struct image_file *file, uint64_t bytes);
size_t   image_read(const struct image_file *file, uint64_t at, void *bytes, size_t len);
void     image_write(struct image_file *file, uint64_t at, const void *bytes, size_t len);

void image_sync(struct image_file *file);
void image_sync_names(struct image *image, const struct image_file *folder);
void image_sync_all(struct image *image);

/* The power goes out: what is stable is what is left, with as much of
   what waited as `seed` says. Afterwards only image_leave. */
void image_lose(struct image *image, uint64_t seed, struct image_loss *loss);

/* Takes over a folder of the system; writes what is stable into a new one. 0 or errno. */
int image_load(struct image *image, const char *path);
int image_leave(const struct image *image, const char *path);

/* ---- for loss.c ---- */
void image_settle(struct image_file *file);                               /* the oldest that waits has arrived */
void image_drop(struct image_file *file);                                 /* or never will */
void image_settle_name(struct image *image, struct waiting_name *before); /* the one behind `before`; NULL: the first */
void image_drop_name(struct image *image, struct waiting_name *before);

#endif
