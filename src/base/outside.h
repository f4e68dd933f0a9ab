/* SPDX-License-Identifier: MIT */
/*
 * outside.h — how the pure rooms reach a disk: one folder as a small table of functions. io/ fills it with system
 * calls, tests fill it with a disk in memory that fails at random. All return 0 or an errno value.
 */
#ifndef BASE_OUTSIDE_H
#define BASE_OUTSIDE_H

#include "base/base.h"

/* A long file is synced each time this many bytes of it were written: a sync of another file waits behind no more. */
#define SYNC_PIECE (1024 * 1024)

/* Whether a file that was written from `from` on to `to` is to be synced before it goes on. */
static inline bool sync_is_due(uint64_t from, uint64_t to) { return from / SYNC_PIECE != to / SYNC_PIECE; }

struct disk {
    void *self;
    /* Bytes of a file; ENOENT when there is none. */
    int (*size)(void *self, const char *name, uint64_t *bytes);
    /* A new file of `bytes` zeros under its final name, all or nothing: temporary file, zeros,
     * fdatasync, rename, fsync of the folder. EEXIST when the name is taken, ECANCELED when its owner ends meanwhile.
     * The zeros are written in small pieces, so that a sync of another file does not wait behind all of them. */
    int (*create)(void *self, const char *name, uint64_t bytes);
    /* The same without writing: space is allocated that reads as zeros. Soon done, but a sync after the first write to
     * a block takes longer than one of a file that create has made. */
    int (*reserve)(void *self, const char *name, uint64_t bytes);
    /* A handle for reading, or for reading and writing. */
    int (*open)(void *self, const char *name, bool write, int *handle);
    /* Exactly `len` bytes, or an error (EIO at the end of the file). A write behind the end extends the file. */
    int (*read)(void *self, int handle, uint64_t offset, void *bytes, size_t len);
    int (*write)(void *self, int handle, uint64_t offset, const void *bytes, size_t len);
    /* The first offset from `offset` on that may hold something else than zeros, UINT64_MAX when none does. NULL, the
       function: any may. */
    uint64_t (*find_data)(void *self, int handle, uint64_t offset);
    /* Everything written through the handle is on stable storage. A failure is final. */
    int (*sync)(void *self, int handle);
    void (*close)(void *self, int handle);
    /* A whole small file, replaced atomically and durably. */
    int (*replace)(void *self, const char *name, const void *bytes, size_t len);
    /* The file is gone, durably; ENOENT when there is none. Never called for a segment of the log that was written to,
     * until an archive of it has been proved (log/file/archive/archive.h), or the start that began the log was refused
     * (decision 156). */
    int (*remove)(void *self, const char *name);
    /* The file has another name, durably, and takes the place of the
       one that had it. Only for files that were synced. */
    int (*rename)(void *self, const char *from, const char *to);
};

#endif
