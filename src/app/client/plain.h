/* SPDX-License-Identifier: MIT */
/*
 * plain.h — text from an exchange on a person's terminal. An exchange is not trusted: what it sends reaches the
 * terminal as printable ASCII only, so that it can neither move the cursor nor show other figures than it sent.
 */
#ifndef APP_CLIENT_PLAIN_H
#define APP_CLIENT_PLAIN_H

#include "base/base.h"

#include <jansson.h>
#include <stdio.h>

/* Puts '?' in the place of every byte that is no printable ASCII character. */
void plain_clean(char *text);

/* A member of an object as text that was cleaned, at most cap - 1 bytes: strings as they are, numbers and truth values
 * as JSON has them; "" where there is none. Returns `text`. */
const char *plain_member(const json_t *object, const char *key, char *text, size_t cap);

/* The same of a value. */
const char *plain_value(const json_t *value, char *text, size_t cap);

/* One line of JSON, in ASCII without control characters. False: memory is short, or it cannot be written. */
bool plain_json(FILE *to, const json_t *value);

/* In single quotes, for a shell. */
void plain_quoted(FILE *to, const char *text);

#endif
