/* SPDX-License-Identifier: MIT */
/* utf8.h — is it UTF-8 (RFC 3629)? No overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef WIRE_UTF8_H
#define WIRE_UTF8_H

#include "base/slice.h"

/* Bytes of the character that begins at `text`, which is before `end`; 0: it is none. */
size_t utf8_length(const char *text, const char *end);

bool utf8_is_valid(struct slice text);

#endif
