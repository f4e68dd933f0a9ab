/* SPDX-License-Identifier: MIT */
/*
 * slice.h — a borrowed run of bytes. A slice never outlives the buffer it points into, and is not terminated by a
 * zero. Outside io/ all input is slices; C strings from outside do not occur.
 */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include "base/base.h"

struct slice {
    const char *at;
    size_t      len;
};

#define SLICE(literal) ((struct slice){ "" literal, sizeof(literal) - 1 })

static inline struct slice slice_of(const char *text) { return (struct slice){ text, strlen(text) }; }
static inline struct slice slice_make(const void *at, size_t len) { return (struct slice){ at, len }; }

static inline bool slice_equal(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool slice_is(struct slice a, const char *text) { return slice_equal(a, slice_of(text)); }

/* 1 to 18 decimal digits and nothing else; zeros may stand in front. */
static inline bool slice_read_u64(struct slice text, uint64_t *number)
{
    *number = 0;
    if (text.len == 0 || text.len > 18) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        *number = *number * 10 + (uint64_t)(text.at[i] - '0');
    }
    return true;
}

#endif
