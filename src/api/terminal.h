/* SPDX-License-Identifier: MIT */
/*
 * terminal.h — the files of the terminal, in memory: what a browser loads from /, /trade/SYMBOL, /docs and /assets/.
 * The owner reads them from a folder, or they are in the program; a request only looks a name up, so that no path of a
 * request reaches a file system.
 */
#ifndef API_TERMINAL_H
#define API_TERMINAL_H

#include "base/slice.h"

#include <pthread.h>

#define TERMINAL_FILES_MAX 256
#define TERMINAL_NAME_MAX  120               /* of a path, as "/assets/index-1a2b3c.js" */
#define TERMINAL_FILE_MAX  (2 * 1024 * 1024) /* an answer is not larger (API_ANSWER_BYTES_MAX) */

struct terminal_file {
    char         path[TERMINAL_NAME_MAX + 1];
    uint8_t      path_len;
    const char  *type;        /* Content-Type */
    struct slice plain, gzip; /* gzip.at == NULL: there is only the plain form */
    char         tags[2][24]; /* entity tags of both, with their quotes */
};

struct terminal_files {
    uint32_t             count;
    struct terminal_file at[TERMINAL_FILES_MAX];
};

/* Shared by all threads. */
struct terminal {
    pthread_mutex_t              lock;  /* held while a file is copied into an answer */
    const struct terminal_files *files; /* NULL = there are none yet */
};

void terminal_init(struct terminal *terminal);

/*
 * Adds a file by its path, "/index.html"; the bytes stay the caller's. "PATH.gz" is the compressed form of PATH,
 * which is served only with its plain form. False: the kind of file is not served, the path has other characters than
 * letters, digits and
 * `._-` behind "/" or "/assets/", or it is too large, or one too many.
 */
bool terminal_add(struct terminal_files *files, struct slice path, struct slice bytes) MUST_USE;

/* The file of this path, or NULL. */
const struct terminal_file *terminal_find(const struct terminal_files *files, struct slice path);

/* Serves these files from now on. The ones until then, which no thread reads any more; NULL = there were none. */
const struct terminal_files *terminal_replace(struct terminal *terminal, const struct terminal_files *files);

#endif
