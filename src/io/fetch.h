/* SPDX-License-Identifier: MIT */
/* fetch.h — for the feeder program: one HTTP request at a time, and the output of one command. Blocking, with a time limit. */
#ifndef IO_FETCH_H
#define IO_FETCH_H

#include "base/slice.h"

/* What came, or why nothing did: then `why` is one sentence. */
struct fetched {
    int    status;              /* of HTTP, or the exit code of the command */
    char  *text;                /* the caller's room                        */
    size_t len, cap;
    char   why[160];
};

/*
 * "GET" or "POST" over plain http:// (whoever needs more uses a command such as curl). `lines` are header
 * lines with their ends, may be empty. The body goes to fetched->text, cut off nowhere: what does not fit is a
 * failure. False: see fetched->why.
 */
bool fetch_url(const char *url, const char *method, struct slice lines, struct slice body, int64_t timeout_ms, struct fetched *fetched) MUST_USE;

/* Runs a line of the shell; its standard output goes to fetched->text. It is ended when the time is up. */
bool fetch_command(const char *line, int64_t timeout_ms, struct fetched *fetched) MUST_USE;

#endif
