/* SPDX-License-Identifier: MIT */
#include "log/postgres/libpq.h"

#include "base/library.h"

#include <pthread.h>

struct libpq pq;

static void load(void)
{
    void *library = library_open(LIBPQ);
    bool  all = library != NULL;

#define X(NAME) all = all && LIBRARY_TAKE(library, PQ##NAME, pq.NAME);
    LIBPQ_FUNCTIONS(X)
#undef X
    if (all) pq.library = library;
    else if (library != NULL) library_close(library);
}

bool libpq_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return pq.library != NULL;
}
