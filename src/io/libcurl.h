/* SPDX-License-Identifier: MIT */
/*
 * libcurl.h — the functions of libcurl, which is loaded on first use, so that a process that sends no request does not
 * have it and its thirty libraries in memory. Only files of io include this header.
 */
#ifndef IO_LIBCURL_H
#define IO_LIBCURL_H

#define CURL_DISABLE_TYPECHECK /* the macros of curl.h stand for functions that are loaded */
#include <curl/curl.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define LIBCURL "libcurl.so.4"

/* The functions that are used, without their prefix. */
#define LIBCURL_FUNCTIONS(X)                                                                                           \
    X(global_init)                                                                                                     \
    X(easy_init)                                                                                                       \
    X(easy_reset)                                                                                                      \
    X(easy_setopt)                                                                                                     \
    X(easy_getinfo)                                                                                                    \
    X(easy_perform)                                                                                                    \
    X(easy_send)                                                                                                       \
    X(easy_recv)                                                                                                       \
    X(easy_strerror)                                                                                                   \
    X(easy_cleanup)                                                                                                    \
    X(slist_append)                                                                                                    \
    X(slist_free_all)                                                                                                  \
    X(multi_init)                                                                                                      \
    X(multi_setopt)                                                                                                    \
    X(multi_add_handle)                                                                                                \
    X(multi_remove_handle)                                                                                             \
    X(multi_perform)                                                                                                   \
    X(multi_info_read)                                                                                                 \
    X(multi_poll)                                                                                                      \
    X(multi_wakeup)                                                                                                    \
    X(multi_cleanup)

struct libcurl {
    void *library; /* NULL: not loaded */
#define X(NAME) __typeof__(curl_##NAME) *NAME;
    LIBCURL_FUNCTIONS(X)
#undef X
};

/* Filled by libcurl_load. */
extern struct libcurl curl;

/* Once for the process, which keeps the library; from one thread. NULL, or one sentence about what is wrong. */
const char *libcurl_load(void);

#endif
