/* SPDX-License-Identifier: MIT */
/* secret_file.h — files that only their owner may read: private keys, keystores, passwords. */
#ifndef IO_SECRET_FILE_H
#define IO_SECRET_FILE_H

#include "base/slice.h"

#define SECRET_WHY_BYTES 240

/*
 * Reads a whole file of at most `cap` bytes. It must be a plain file that belongs to this user (or to root) and that
 * no one else may read or write. False: `why` is one sentence, without anything that stands in the file.
 */
bool secret_file_read(const char *path, void *bytes, size_t cap, size_t *len, char why[SECRET_WHY_BYTES]) MUST_USE;

/* Makes a new file with mode 0600 and this text, durable when this returns. An existing file is never overwritten.
 * False: `why`. */
bool secret_file_make(const char *path, struct slice text, char why[SECRET_WHY_BYTES]) MUST_USE;

/* Makes a folder that only its owner may enter, with its parents; fine when it is there. False: `why`. */
bool secret_folder_make(const char *path, char why[SECRET_WHY_BYTES]) MUST_USE;

/* Whether no one else can change which files a folder has; fine when it is absent. False: `why`. */
bool secret_folder_check(const char *path, char why[SECRET_WHY_BYTES]) MUST_USE;

/* Calls `take` for each name in a folder that ends with `ending`, in no order. A folder that is absent has none. 0 or
 * errno. */
int secret_folder_list(const char *path, const char *ending, void *self, void (*take)(void *self, const char *name));

/* Overwrites bytes in a way that the compiler keeps. */
void secret_forget(void *bytes, size_t len);

#endif
