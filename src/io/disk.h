/* SPDX-License-Identifier: MIT */
/*
 * disk.h — a struct disk over one folder of the file system, and the lock that keeps a second process out.
 *
 * Files are 0600, a folder that is made is 0700, nothing is inherited by children. Short and interrupted
 * calls are completed; every other failure is an errno value. The functions of the table may be called
 * from several threads, as long as two do not make the same file.
 */
#ifndef IO_DISK_H
#define IO_DISK_H

#include "base/histogram.h"
#include "base/outside.h"

struct disk_folder {
    struct histogram syncs; /* how long each sync of a file took; any thread may look */
    int              fd;
    bool             sparse; /* new files are sparse (dojima dev) */
    _Atomic bool     lazy;   /* files are not synced: the caller syncs all of them later (disk_sync_all) */
    _Atomic bool     ending; /* no file is filled with zeros any more (disk_end_filling) */
};

enum disk_use {
    DISK_READ = 1, /* the folder must exist; nothing is written (dojima verify) */
    DISK_WRITE,    /* the folder is made when absent; its entries and its name are made durable */
    DISK_BESIDE,   /* the folder must exist and may be in use: other files are made beside those of its owner */
};

/* Opens a folder and fills in the table, whose self is `folder`; `folder` must not move. 0 or errno. */
int disk_open(struct disk_folder *folder, const char *path, enum disk_use use, bool sparse, struct disk *disk) MUST_USE;
void disk_close(struct disk_folder *folder);

/* Gives a folder that is not open another path on the same file system, durably. 0 or errno. */
int disk_rename_folder(const char *from, const char *to) MUST_USE;

/* Makes durable all that was written to its file system, in any file. 0 or errno. */
int disk_sync_all(const struct disk_folder *folder) MUST_USE;

/* A create that fills a file with zeros, in any thread, ends soon with ECANCELED and leaves none, and so does a later
 * one. */
void disk_end_filling(struct disk_folder *folder);

/* When the content of a file was changed last, nanoseconds since 1970. 0 or errno. */
int disk_changed_ns(const struct disk_folder *folder, const char *name, int64_t *ns) MUST_USE;

/* Free bytes of its file system. 0 or errno. */
int disk_free_bytes(const struct disk_folder *folder, uint64_t *bytes) MUST_USE;

/*
 * Locks the lock file of a folder for as long as *fd is open; the kernel releases it when the process ends for any
 * reason. EWOULDBLOCK: another process holds it. DISK_READ never creates the file: an absent file means that no
 * process ever served from this folder, and *fd is -1.
 */
int disk_lock(const char *path, enum disk_use use, int *fd) MUST_USE;

/* The same for another file name: for a process that may run beside the folder's owner, but only once. */
int disk_lock_name(const char *path, const char *file, enum disk_use use, int *fd) MUST_USE;

#endif
