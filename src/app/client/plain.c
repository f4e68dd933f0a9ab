/* SPDX-License-Identifier: MIT */
#include "app/client/plain.h"

#include <stdlib.h>
#include <string.h>

void plain_clean(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~') *text = '?';
}

const char *plain_value(const json_t *value, char *text, size_t cap)
{
    char *dumped = NULL;

    if (json_is_string(value)) (void)snprintf(text, cap, "%s", json_string_value(value));
    else if (value != NULL) dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!json_is_string(value)) (void)snprintf(text, cap, "%s", dumped != NULL ? dumped : "");
    free(dumped);
    plain_clean(text);
    return text;
}

const char *plain_member(const json_t *object, const char *key, char *text, size_t cap)
{
    return plain_value(json_object_get(object, key), text, cap);
}

bool plain_json(FILE *to, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    bool  ok = text != NULL;

    for (const char *at = text; ok && *at != '\0'; at++)
        ok = *at == 0x7f ? fputs("\\u007f", to) >= 0 : fputc(*at, to) != EOF; /* jansson leaves DEL as it is */
    free(text);
    return ok && fputc('\n', to) != EOF;
}

void plain_quoted(FILE *to, const char *text)
{
    (void)fputc('\'', to);
    for (; *text != '\0'; text++)
        if (*text == '\'') (void)fputs("'\\''", to);
        else (void)fputc(*text, to);
    (void)fputc('\'', to);
}
