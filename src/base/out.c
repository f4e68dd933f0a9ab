/* SPDX-License-Identifier: MIT */
#include "base/out.h"

#include "base/digits.h"

void out_text(struct out *out, const char *text) { out_bytes(out, text, strlen(text)); }

void out_u64(struct out *out, uint64_t value)
{
    char  digits[DIGITS_ROOM];
    char *end;

    if (out->cap - out->len >= DIGITS_ROOM && out->len <= out->cap) {
        out->len = (size_t)(digits_u64(out->at + out->len, value) - out->at);
        return;
    }
    end = digits_u64(digits, value);
    out_bytes(out, digits, (size_t)(end - digits));
}

void out_i64(struct out *out, int64_t value)
{
    if (value < 0) {
        out_char(out, '-');
        out_u64(out, 0 - (uint64_t)value); /* also right for INT64_MIN */
    } else {
        out_u64(out, (uint64_t)value);
    }
}

void out_hex(struct out *out, const void *bytes, size_t len)
{
    static const char digit[] = "0123456789abcdef";
    const uint8_t    *at = bytes;
    char             *to = out->at + out->len;

    if (out->len + 2 * len > out->cap) {
        out->overflow = true;
        return;
    }
    out->len += 2 * len;
    for (; len >= 4; len -= 4, at += 4) to = digits_hex4(to, at);
    for (; len != 0; len--, at++) {
        *to++ = digit[*at >> 4];
        *to++ = digit[*at & 15];
    }
}
