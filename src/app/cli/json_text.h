/* SPDX-License-Identifier: MIT */
/* json_text.h — JSON for an exchange, whose numbers have no exponent, and for people. */
#ifndef APP_CLI_JSON_TEXT_H
#define APP_CLI_JSON_TEXT_H

#include <jansson.h>

/*
 * Any value without spaces; NULL: there is not enough memory. Freed by the caller. A fraction with at most 15 digits is
 * as it was written: 0.3, not the 17 digits of its nearest double, and 0.00001, not 1e-5.
 */
char *json_text(const json_t *value);

#endif
