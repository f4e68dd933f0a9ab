/* SPDX-License-Identifier: MIT */
#include "wire/utf8.h"

/* How many bytes follow a first one, and between what the next must lie; everything behind that is 80 to BF. */
static int tail_of(uint8_t first, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (first == 0xe0) *low = 0xa0;  /* shorter ones are overlong */
    if (first == 0xed) *high = 0x9f; /* above are surrogates */
    if (first == 0xf0) *low = 0x90;
    if (first == 0xf4) *high = 0x8f; /* above is beyond U+10FFFF */
    if (first >= 0xc2 && first <= 0xdf) return 1;
    if (first >= 0xe0 && first <= 0xef) return 2;
    if (first >= 0xf0 && first <= 0xf4) return 3;
    return -1;
}

size_t utf8_length(const char *text, const char *end)
{
    const uint8_t *at = (const uint8_t *)text;
    uint8_t        low, high;
    int            tail;

    assert(text < end);
    if (*at < 0x80) return 1;
    tail = tail_of(*at, &low, &high);
    if (tail < 0 || end - text <= tail) return 0;
    for (int i = 1; i <= tail; i++, low = 0x80, high = 0xbf)
        if (at[i] < low || at[i] > high) return 0;
    return (size_t)tail + 1;
}

bool utf8_is_valid(struct slice text)
{
    const char *at = text.at, *end = text.at + text.len;

    while (at < end) {
        size_t len = utf8_length(at, end);
        if (len == 0) return false;
        at += len;
    }
    return true;
}
