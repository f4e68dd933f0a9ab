/* SPDX-License-Identifier: MIT */
/* folder.h — the files of a folder, read whole. */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include "base/base.h"

/* Which file stands under a name: another file, or another content, has another mark. All zero: there is none. */
struct folder_mark {
    uint64_t device, inode, bytes;
    int64_t  changed_ns;
};
struct folder_mark folder_mark(const char *path, const char *name);

/* Whether both paths are there and lead to one folder. */
bool folder_is_same(const char *path, const char *other);

/* One file; `bytes` are its reader's from now on, to be freed. False: the rest is not read. */
typedef bool folder_take(void *self, const char *name, void *bytes, size_t len);

/*
 * Reads each plain file of the folder `path`/`sub`, or of `path` itself with sub == NULL, and passes it to `take`, in
 * the order of the file system. Links in the folder are not followed, nor is `sub` when it is one; what is no plain
 * file, is empty or has more than `bytes_max` bytes is left out. 0, or errno; ENOENT when `sub` does not exist.
 */
int folder_read(const char *path, const char *sub, size_t bytes_max, folder_take *take, void *self) MUST_USE;

#endif
