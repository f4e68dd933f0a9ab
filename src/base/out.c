/* SPDX-License-Identifier: MIT */
#include "base/out.h"

void out_text(struct out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

void out_u64(struct out *out, uint64_t value)
{
    char   digits[20];
    size_t first = sizeof(digits);

    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    out_bytes(out, digits + first, sizeof(digits) - first);
}

void out_i64(struct out *out, int64_t value)
{
    if (value < 0) {
        out_char(out, '-');
        out_u64(out, 0 - (uint64_t)value);      /* also right for INT64_MIN */
    } else {
        out_u64(out, (uint64_t)value);
    }
}

void out_hex(struct out *out, const void *bytes, size_t len)
{
    static const char digit[] = "0123456789abcdef";
    const uint8_t    *at = bytes;
    char             *to = out->at + out->len;

    if (out->len + 2 * len > out->cap) { out->overflow = true; return; }
    for (size_t i = 0; i < len; i++) {
        to[2 * i]     = digit[at[i] >> 4];
        to[2 * i + 1] = digit[at[i] & 15];
    }
    out->len += 2 * len;
}
