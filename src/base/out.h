/* SPDX-License-Identifier: MIT */
/*
 * out.h — append-only writing into the caller's buffer.
 *
 * When the buffer is full, `overflow` is set and nothing more is written: the caller checks once at the end instead of
 * after every append.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/slice.h"

struct out {
    char  *at;       /* the buffer; not terminated by a zero */
    size_t len;      /* bytes written */
    size_t cap;      /* bytes there are */
    bool   overflow; /* something did not fit */
};

static inline struct out   out_make(void *at, size_t cap) { return (struct out){ at, 0, cap, false }; }
static inline struct slice out_slice(const struct out *out) { return (struct slice){ out->at, out->len }; }

static inline void out_bytes(struct out *out, const void *at, size_t len)
{
    if (out->len + len > out->cap) {
        out->overflow = true;
        return;
    } /* also right when cap was made smaller than len */
    if (len != 0) memcpy(out->at + out->len, at, len);
    out->len += len;
}

static inline void out_slice_put(struct out *out, struct slice s) { out_bytes(out, s.at, s.len); }

static inline void out_char(struct out *out, char c)
{
    if (out->len >= out->cap) {
        out->overflow = true;
        return;
    }
    out->at[out->len++] = c;
}

#define out_literal(out, literal) out_bytes((out), "" literal, sizeof(literal) - 1)

/* Plain text that is terminated by a zero. */
void out_text(struct out *out, const char *text);

/* Decimal digits, no sign for unsigned numbers, "-" before negative ones. */
void out_u64(struct out *out, uint64_t value);
void out_i64(struct out *out, int64_t value);

/* Lower-case hex digits, two per byte, without "0x". */
void out_hex(struct out *out, const void *bytes, size_t len);

#endif
