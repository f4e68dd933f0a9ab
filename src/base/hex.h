/* SPDX-License-Identifier: MIT */
/* hex.h — hex digits into bytes. Writing hex is out_hex. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "base/slice.h"

/* The value of a hex digit of either case, or -1. */
int hex_digit(char c);

/* Reads exactly 2*len hex digits, no prefix. False (and `bytes` undefined) on any other text. */
bool hex_read(struct slice text, void *bytes, size_t len);

/* The same with an optional "0x" before it ("0X" is refused). */
bool hex_read_0x(struct slice text, void *bytes, size_t len);

#endif
