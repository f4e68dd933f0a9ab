/* SPDX-License-Identifier: MIT */
#include "log/postgres/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct libpq pq;

/* One name of the library; false when it has none. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static void load(void)
{
    void *library = dlopen(LIBPQ, RTLD_NOW | RTLD_LOCAL);
    bool  all = library != NULL;

#define X(NAME) all = all && find(library, "PQ" #NAME, &pq.NAME);
    LIBPQ_FUNCTIONS(X)
#undef X
    if (all) pq.library = library;
    else if (library != NULL) (void)dlclose(library);
}

bool libpq_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return pq.library != NULL;
}
