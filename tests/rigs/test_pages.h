/* SPDX-License-Identifier: MIT */
/* test_pages.h — which pages of some memory the system has given. */
#ifndef RIGS_TEST_PAGES_H
#define RIGS_TEST_PAGES_H

#include "base/touch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

/* How many of the pages of `bytes` of memory are there; it begins with a page. */
static inline size_t pages_there(void *at, size_t bytes)
{
    size_t         pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES, found = 0;
    unsigned char *there = malloc(pages);

    assert_non_null(there);
    assert_int_equal(mincore(at, bytes, there), 0);
    for (size_t i = 0; i < pages; i++) found += there[i] & 1;
    free(there);
    return found;
}

#endif
