/* SPDX-License-Identifier: MIT */
/*
 * http_judge.h — llhttp's reading of a request, for fuzz_head.c. Only http_judge.c includes llhttp, whose names clash
 * with those of http.h.
 */
#ifndef FUZZ_HTTP_JUDGE_H
#define FUZZ_HTTP_JUDGE_H

#include "base/slice.h"

#define JUDGED_LINES_MAX 64
#define JUDGED_BODY_MAX  20000

struct judged_line {
    struct slice name, value;
}; /* the value without the blanks around it */

struct judged {
    bool               head, whole; /* the header block, or all of the request, was taken */
    bool               wants_close, wants_keep_alive;
    struct slice       target;
    size_t             bytes; /* of the whole request */
    uint32_t           count;
    struct judged_line lines[JUDGED_LINES_MAX];
    size_t             body_bytes;
    char               body[JUDGED_BODY_MAX];
};

/*
 * Lets llhttp read the request at the beginning of `text`, which has at most JUDGED_BODY_MAX bytes. Its method is at
 * the beginning, and llhttp is given `known` in its place, because it accepts no methods but those of its own list.
 */
void http_judge(struct slice text, struct slice method, struct slice known, struct judged *judged);

#endif
