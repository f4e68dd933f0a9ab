/* SPDX-License-Identifier: MIT */
/*
 * image.h — a disk in memory that can say which bytes would be left if the power failed now.
 *
 * Every file has two versions: the one that its readers see, and the one on stable storage. A write, a new length, a
 * new, changed or removed name takes effect at once for readers and waits for the stable side: bytes and lengths until
 * the file is synced, names until their folder is. Nothing else makes anything stable: neither a rename nor the sync
 * of a file makes its name durable, and waiting changes have no order among each other. At a power failure a seed
 * decides which of the waiting changes arrived (image_lose).
 *
 * One thread. An allocation that fails ends the program: this is code of a test.
 */
#ifndef TESTS_LONG_POWER_DISK_IMAGE_H
#define TESTS_LONG_POWER_DISK_IMAGE_H

#include "base/base.h"

#include <sys/stat.h>
#include <time.h>

#define IMAGE_NAME_MAX 255
#define IMAGE_SECTOR   512 /* the unit of an atomic write over older bytes */

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
    uint64_t           number; /* the inode number in stat */
    mode_t             mode;   /* kind and permissions */
    struct timespec    changed;
    char               called[IMAGE_NAME_MAX + 1]; /* its last name, for messages */
    int                seen, stable;               /* of a regular file: memfds */
    struct waiting    *first, *last;
    uint64_t           waiting_bytes;
    struct image_names names, stable_names; /* of a folder */
    uint64_t           uses;                /* names, changes of names, and references of the kernel */
};

/*
 * A name that waits for the sync of its folder: `to` refers to `file` (NULL: is removed); `from`, if any, is removed
 * with it.
 */
struct waiting_name {
    struct waiting_name *next;
    struct image_file   *folder, *file;
    char                 from[IMAGE_NAME_MAX + 1], to[IMAGE_NAME_MAX + 1];
};

struct image {
    struct image_file   *root;
    struct waiting_name *first, *last;
    uint64_t             files; /* numbers assigned so far */
};

/* How much was waiting when the power failed, how much of it arrived, and how many files met each pattern of loss.c. */
#define IMAGE_PATTERNS 9
extern const char *const image_patterns[IMAGE_PATTERNS];
struct image_loss {
    uint64_t files[IMAGE_PATTERNS], sectors, sectors_kept, names, names_kept;
};

void image_init(struct image *image);

/* A file that has no name yet and one use, which is the caller's. */
struct image_file *image_new(struct image *image, mode_t mode);
/* Removes so many references; without any, the file and its waiting changes are freed. */
void image_unuse(struct image_file *file, uint64_t uses);

struct image_file *image_find(const struct image_file *folder, const char *name);
/* `name` refers to `file` from now on; NULL: it is removed. */
void image_name(struct image *image, struct image_file *folder, const char *name, struct image_file *file);
void image_rename(struct image *image, struct image_file *folder, const char *from, const char *to);

uint64_t image_size(const struct image_file *file);
void     image_resize(struct image_file *file, uint64_t bytes);
size_t   image_read(const struct image_file *file, uint64_t at, void *bytes, size_t len);
void     image_write(struct image_file *file, uint64_t at, const void *bytes, size_t len);

void image_sync(struct image_file *file);
void image_sync_names(struct image *image, const struct image_file *folder);
void image_sync_all(struct image *image);

/*
 * The power fails: the stable version is left, with the part of the waiting changes that `seed` selects. Afterwards
 * only image_leave may be called.
 */
void image_lose(struct image *image, uint64_t seed, struct image_loss *loss);

/* Reads a folder of the system; writes the stable version into a new one. 0 or errno. */
int image_load(struct image *image, const char *path);
int image_leave(const struct image *image, const char *path);

/* ---- for loss.c ---- */
void image_settle(struct image_file *file);                               /* the oldest that waits has arrived */
void image_drop(struct image_file *file);                                 /* or never will */
void image_settle_name(struct image *image, struct waiting_name *before); /* the one behind `before`; NULL: the first */
void image_drop_name(struct image *image, struct waiting_name *before);

#endif
