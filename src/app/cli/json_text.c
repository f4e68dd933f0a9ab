/* SPDX-License-Identifier: MIT */
#include "app/cli/json_text.h"

#include "base/base.h"

#include <stdlib.h>

#define DIGITS     15
#define ZEROS_MAX  308                      /* of the smallest double that has all its digits */
#define NUMBER_MAX (ZEROS_MAX + DIGITS + 8) /* written out */

/* Writes -1.5e-7 as -0.00000015; gives its length. */
static size_t write_out(const char *number, size_t mantissa, unsigned long long shift, char *into)
{
    size_t len = 0;

    if (*number == '-') into[len++] = '-';
    into[len++] = '0';
    into[len++] = '.';
    for (unsigned long long i = 1; i < shift; i++) into[len++] = '0';
    for (size_t i = 0; i < mantissa; i++)
        if (number[i] >= '0' && number[i] <= '9') into[len++] = number[i];
    return len;
}

/* Copies a number of jansson's, one digit before its point; gives how many bytes were read. */
static size_t copy_number(const char *number, char *into, size_t *len)
{
    size_t        bytes = strspn(number, "-+.0123456789eE"), mantissa = strcspn(number, "eE");
    unsigned long shift =
        mantissa < bytes && number[mantissa + 1] == '-' ? strtoull(number + mantissa + 2, NULL, 10) : 0;

    if (shift != 0 && shift <= ZEROS_MAX) {
        *len += write_out(number, mantissa, shift, into + *len);
        return bytes;
    }
    memcpy(into + *len, number, bytes);
    *len += bytes;
    return bytes;
}

static size_t copy_string(const char *string, char *into, size_t *len)
{
    size_t bytes = 1;

    while (string[bytes] != '"') bytes += string[bytes] == '\\' ? 2 : 1;
    bytes += 1;
    memcpy(into + *len, string, bytes);
    *len += bytes;
    return bytes;
}

/* Every number of the text may become as long as one can be. */
static size_t room_of(const char *text)
{
    size_t room = 1;

    for (; *text != '\0'; text++) room += *text == 'e' || *text == 'E' ? NUMBER_MAX : 1;
    return room;
}

char *json_text(const json_t *value)
{
    char  *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
    char  *plain = text != NULL ? malloc(room_of(text)) : NULL;
    size_t len = 0;

    for (size_t at = 0; plain != NULL && text[at] != '\0';) {
        if (text[at] == '"') at += copy_string(text + at, plain, &len);
        else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) at += copy_number(text + at, plain, &len);
        else plain[len++] = text[at++];
    }
    if (plain != NULL) plain[len] = '\0';
    free(text);
    return plain;
}
