/* SPDX-License-Identifier: MIT */
/*
 * json.h — the scanner under shape_read: finds the end of a JSON token and whether it is well formed (RFC 8259),
 * without building anything. The interface is shape.h; outside wire/ only the reader of a feeder's sources, whose keys
 * are not known in advance, includes this header.
 *
 * Every function takes the rest of the text in *at .. end and moves *at behind the accepted part. On failure *at is at
 * the wrong byte (or at `end` when the text is cut off).
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include "base/out.h"

struct scan {
    const char *at, *end;
};

/* Skips space, tab, CR and LF. */
static inline void scan_space(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

static inline bool scan_is(const struct scan *scan, char c) { return scan->at < scan->end && *scan->at == c; }

/* Skips one given character. */
static inline bool scan_char(struct scan *scan, char c)
{
    if (!scan_is(scan, c)) return false;
    scan->at++;
    return true;
}

/*
 * A string with its quotes; `inner` is the text between them as sent. *escaped: a backslash occurs. Control
 * characters, invalid UTF-8, and escapes of half a surrogate pair are refused.
 */
bool scan_string(struct scan *scan, struct slice *inner, bool *escaped) MUST_USE;

/* The value of a valid string: `inner` with its escapes decoded, as UTF-8. */
void json_unescape(struct slice inner, struct out *out);

/* Any JSON number; *whole: only digits, without sign, point and exponent. */
bool scan_number(struct scan *scan, struct slice *number, bool *whole) MUST_USE;

#define JSON_DEPTH_MAX 128 /* of what nobody reads */

/*
 * Any value. `depth` more levels of nesting are allowed. With `strict`, keys are without escapes, at
 * most 32 in an object, each once.
 */
bool scan_value(struct scan *scan, int depth, bool strict) MUST_USE;

#endif
