/* SPDX-License-Identifier: MIT */
#include "io/libcurl.h"

#include "base/base.h"

#include <dlfcn.h>

struct libcurl curl;

/* One name of the library; false when it has none. */
static bool find(const char *name, void *function)
{
    void *found = dlsym(curl.library, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static bool find_all(void)
{
    bool all = true;

#define X(NAME) all = find("curl_" #NAME, &curl.NAME) && all;
    LIBCURL_FUNCTIONS(X)
#undef X
    return all;
}

const char *libcurl_load(void)
{
    if (curl.library != NULL) return NULL;
    curl.library = dlopen(LIBCURL, RTLD_NOW | RTLD_LOCAL);
    if (curl.library == NULL) return LIBCURL " cannot be loaded; Debian's package is libcurl4 or libcurl4t64";
    if (find_all() && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return NULL;
    (void)dlclose(curl.library);
    curl.library = NULL;
    return LIBCURL " lacks a required feature; version 7.80 or later has it";
}
