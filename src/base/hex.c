/* SPDX-License-Identifier: MIT */
#include "base/hex.h"

/* The value of each hex digit plus one; 0 = no digit. Signatures are read by the thousand. */
static const uint8_t value_plus_one[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

int hex_digit(char c) { return (int)value_plus_one[(uint8_t)c] - 1; }

bool hex_read(struct slice text, void *bytes, size_t len)
{
    uint8_t *at = bytes;

    if (text.len != 2 * len) return false;
    for (size_t i = 0; i < len; i++) {
        uint32_t high = value_plus_one[(uint8_t)text.at[2 * i]], low = value_plus_one[(uint8_t)text.at[2 * i + 1]];
        if (high == 0 || low == 0) return false;
        at[i] = (uint8_t)((high - 1) << 4 | (low - 1));
    }
    return true;
}

bool hex_read_0x(struct slice text, void *bytes, size_t len)
{
    if (text.len >= 2 && text.at[0] == '0' && text.at[1] == 'x') {
        text.at += 2;
        text.len -= 2;
    }
    return hex_read(text, bytes, len);
}
