/* SPDX-License-Identifier: MIT */
#include "io/libcurl.h"

#include "base/library.h"

struct libcurl curl;

static bool find_all(void)
{
    bool all = true;

#define X(NAME) all = LIBRARY_TAKE(curl.library, curl_##NAME, curl.NAME) && all;
    LIBCURL_FUNCTIONS(X)
#undef X
    return all;
}

const char *libcurl_load(void)
{
    if (curl.library != NULL) return NULL;
    curl.library = library_open(LIBCURL);
    if (curl.library == NULL) return LIBCURL " cannot be loaded; Debian's package is libcurl4 or libcurl4t64";
    if (find_all() && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return NULL;
    library_close(curl.library);
    curl.library = NULL;
    return LIBCURL " lacks a required feature; version 7.80 or later has it";
}
