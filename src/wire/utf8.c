/* SPDX-License-Identifier: MIT */
#include "wire/utf8.h"

/* How many bytes follow a first one, and between what the next must lie; everything behind that is 80 to BF. */
static int tail_of(uint8_t first, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (first == 0xe0) *low = 0xa0;         /* shorter ones are overlong */
    if (first == 0xed) *high = 0x9f;        /* above are surrogates      */
    if (first == 0xf0) *low = 0x90;
    if (first == 0xf4) *high = 0x8f;        /* above is beyond U+10FFFF  */
    if (first >= 0xc2 && first <= 0xdf) return 1;
    if (first >= 0xe0 && first <= 0xef) return 2;
    if (first >= 0xf0 && first <= 0xf4) return 3;
    return -1;
}

bool utf8_is_valid(struct slice text)
{
    const uint8_t *at = (const uint8_t *)text.at, *end = at + text.len;

    while (at < end) {
        uint8_t low, high, first = *at++;
        int     tail;
        if (first < 0x80) continue;
        tail = tail_of(first, &low, &high);
        if (tail < 0 || end - at < tail) return false;
        for (int i = 0; i < tail; i++, at++, low = 0x80, high = 0xbf)
            if (*at < low || *at > high) return false;
    }
    return true;
}
