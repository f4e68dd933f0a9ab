/* SPDX-License-Identifier: MIT */
/* http_head.h — the header lines of a request, taken apart. Only wire/ includes it. */
#ifndef WIRE_HTTP_HEAD_H
#define WIRE_HTTP_HEAD_H

#include "base/slice.h"

#define HEAD_LINES_MAX 64

struct head_line {
    struct slice name, value;
}; /* the value without the blanks around it */

struct head {
    uint32_t         count;
    struct head_line lines[HEAD_LINES_MAX];
};

/* A character of a method or a field name (RFC 9110, 5.6.2). */
bool head_is_token_char(char c);

/* Whether `text`, in any case, is the lower-case word `word`. */
bool head_is_word(struct slice text, struct slice word);

/*
 * Reads the lines between the request line and the empty line, each with its CR LF. The caller has made sure that
 * each CR stands before a LF and each LF behind a CR, that no line is empty or begins with a blank, and that there are
 * at most HEAD_LINES_MAX. False: a line is not a name of token characters, a colon and a value (RFC 9112, 5.1: no blank
 * stands before the colon). The slices point into `lines`.
 */
bool head_read(struct slice lines, struct head *head) MUST_USE;

/* Is this option (in lower case) in the value of a Connection line, a list with commas (RFC 9110, 7.6.1)? */
bool head_has_option(struct slice value, struct slice option);

/* Is there a tab among the blanks between a value and the end of its line? */
bool head_has_tab_behind(struct slice value);

#endif
