/* SPDX-License-Identifier: MIT */
/* moment.h — times of an exchange as text. */
#ifndef APP_CLIENT_MOMENT_H
#define APP_CLIENT_MOMENT_H

#define MOMENT_TEXT 32

/* "2026-11-23 21:34:53.431", in UTC, of Unix milliseconds; "" where there is no such time. Returns `text`. */
const char *moment_text(long long ms, char text[MOMENT_TEXT]);

#endif
