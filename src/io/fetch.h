/* SPDX-License-Identifier: MIT */
/*
 * fetch.h — one HTTP request at a time, for sub-commands that are clients of an exchange; and the output of one shell
 * command. Blocking, with a time limit.
 */
#ifndef IO_FETCH_H
#define IO_FETCH_H

#include "base/slice.h"

/* The answer, or the reason why there is none: then `why` is one sentence. */
struct fetched {
    int    status; /* of HTTP, or the exit code of the command */
    char  *text;   /* the caller's, `cap` bytes */
    size_t len, cap;
    char   why[280];
    bool   connected; /* of a failure: a connection stood, so the request may have been executed */
    char  *head;      /* the caller's, `head_cap` bytes, or NULL: the header lines of the answer as they came */
    size_t head_len, head_cap;
};

struct fetch {
    const char  *url;    /* http:// or https://, without user name and password */
    const char  *proxy;  /* URL of a proxy; NULL = none, whatever http_proxy and the like are set to */
    const char  *method; /* "POST" or "DELETE", which send `body`; NULL = GET */
    struct slice lines;  /* header lines, each with its CR LF; may be empty */
    struct slice body;
    int64_t      timeout_ms; /* of the whole request, the look-up of the name included */
};

/*
 * One request by libcurl, which is loaded on first use, so that a process that sends no request does not have it and
 * its thirty libraries in memory. Redirections are not followed. A certificate must be good for its host. The body goes
 * to fetched->text; a body that does not fit or ends early is a failure. Call it from one thread. False: see
 * fetched->why.
 */
bool fetch_url(const struct fetch *fetch, struct fetched *fetched) MUST_USE;

/* Runs a line of the shell; its standard output goes to fetched->text. It is ended when the time is up. */
bool fetch_command(const char *line, int64_t timeout_ms, struct fetched *fetched) MUST_USE;

#endif
