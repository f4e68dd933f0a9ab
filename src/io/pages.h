/* SPDX-License-Identifier: MIT */
/*
 * pages.h — memory of files_take_memory whose pages are compared with a base, without a copy of what has not changed:
 * the memory becomes a private view of a file in memory, so the kernel copies a page when it is first written, and
 * knows which ones were. For one thread; others may read the memory, not the base.
 */
#ifndef IO_PAGES_H
#define IO_PAGES_H

#include "base/base.h"

#define PAGES_UNIT 4096

struct pages {
    uint8_t *at;
    size_t   count;  /* pages */
    int      file;   /* the base; -1 = closed */
    int      map;    /* /proc/self/pagemap */
    bool     failed; /* the page map could not be read, so it is not known which pages differ */
};

/* Takes what the system must give while it still does: the base of `bytes`, rounded up to pages, at an address with a
 * whole page. False: the system has no such thing. */
bool pages_open(struct pages *pages, void *at, size_t bytes) MUST_USE;

/* The memory becomes a view of the base, with its content unchanged: every page that was touched is copied. 0 or errno.
 */
int pages_begin(struct pages *pages) MUST_USE;

/* Finds pages from *from on that differ from the base: *first and the number returned, 0 = none, or `failed`. *from is
 * behind them. */
size_t pages_next(struct pages *pages, size_t *from, size_t *first);

/* A page of the base. False: the system failed. */
bool pages_read(const struct pages *pages, size_t page, uint8_t content[PAGES_UNIT]) MUST_USE;
bool pages_write(const struct pages *pages, size_t page, const uint8_t content[PAGES_UNIT]) MUST_USE;

/* These pages are as in the base again. */
void pages_drop(const struct pages *pages, size_t first, size_t count);

/* Behind pages_begin: memory and base are zeros. False: the system failed. */
bool pages_clear(const struct pages *pages) MUST_USE;

/* The base goes. The memory stays a view of it until it is given back. */
void pages_close(struct pages *pages);

#endif
