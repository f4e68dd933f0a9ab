/* SPDX-License-Identifier: MIT */
#include "base/hex.h"

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool hex_read(struct slice text, void *bytes, size_t len)
{
    uint8_t *at = bytes;

    if (text.len != 2 * len) return false;
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(text.at[2 * i]), low = hex_digit(text.at[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        at[i] = (uint8_t)(high << 4 | low);
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
