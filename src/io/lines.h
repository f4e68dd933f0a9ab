/* SPDX-License-Identifier: MIT */
/* lines.h — the lines of a text file, one after the other: read and written. */
#ifndef IO_LINES_H
#define IO_LINES_H

#include "base/slice.h"

struct lines {
    void  *file; /* NULL: not open */
    char  *line;
    size_t cap;
    int    error; /* errno of the read that failed; 0: none did */
};

/* 0 or errno. lines_close follows in any case. */
int lines_open(struct lines *lines, const char *path) MUST_USE;

/* Whether the same lines can be read again: a plain file, no pipe and no folder. */
bool lines_are_kept(const struct lines *lines) MUST_USE;

/* The next line without its end, good until the next call. False: the file has ended, or `error` says why it cannot be
 * read any further. */
bool lines_next(struct lines *lines, struct slice *line) MUST_USE;
void lines_close(struct lines *lines);

/* A text file that is written, line after line. */
struct lines_writer {
    void *file; /* NULL: not open */
};

/* A new file, which must not exist: 0, EEXIST or another errno. */
int lines_create(struct lines_writer *writer, const char *path) MUST_USE;
/* The bytes and a line feed. 0 or errno. */
int lines_put(struct lines_writer *writer, struct slice line) MUST_USE;
/* Durable and closed, also when this fails. 0 or errno. */
int lines_finish(struct lines_writer *writer) MUST_USE;

#endif
