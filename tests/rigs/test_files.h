/* SPDX-License-Identifier: MIT */
/*
 * test_files.h — how tests find files. Their working directory is the repository's root: data of the specification is
 * in docs/spec; third-party data is in $DOJIMA_SHARED, else in ../shared. Tests only.
 */
#ifndef RIGS_TEST_FILES_H
#define RIGS_TEST_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/slice.h"

/* The path of a data file of the specification; valid until the next call. */
static inline const char *spec_path(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "docs/spec/%s", name);
    return path;
}

/* The path of something below the shared folder, good until the next call. */
static inline const char *shared_path(const char *name)
{
    static char path[4096];
    const char *root = getenv("DOJIMA_SHARED");

    snprintf(path, sizeof(path), "%s/%s", root != NULL ? root : "../shared", name);
    return path;
}

/* Removes a folder and the files in it; 0 when it is gone. */
static inline int folder_remove(const char *path)
{
    DIR           *folder = opendir(path);
    struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL) (void)closedir(folder);
    return rmdir(path);
}

/* A whole file in memory of its own, which the caller frees (`at`); `at` is NULL when there is none. */
static inline struct slice file_read(const char *path)
{
    FILE  *file = fopen(path, "rb");
    char  *bytes = NULL;
    size_t len = 0;
    long   size;

    if (file == NULL) return (struct slice){ NULL, 0 };
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)size + 1);
        if (bytes != NULL) len = fread(bytes, 1, (size_t)size, file);
        if (bytes != NULL) bytes[len] = '\0';
    }
    fclose(file);
    return (struct slice){ bytes, len };
}

#endif
