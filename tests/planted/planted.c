/* SPDX-License-Identifier: MIT */
/* planted.c — reads DOJIMA_PLANTED (log/postgres/planted.h). A name that there is not ends the program. */
#include "log/postgres/planted.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = { "NO_FENCE",        "NO_PREDECESSOR", "WARNING_IS_OK", "REPLY_BEFORE_COMMIT",
                                     "AHEAD_OF_COMMIT", "LEASE_ONLY" };

static uint32_t chosen;

static uint32_t number_of(const char *name, size_t len)
{
    uint32_t number = 0;

    while (number < ARRAY_COUNT(names) && (strlen(names[number]) != len || memcmp(names[number], name, len) != 0))
        number++;
    return number;
}

__attribute__((constructor)) static void choose(void)
{
    const char *text = getenv("DOJIMA_PLANTED");

    while (text != NULL && *text != '\0') {
        size_t   len = strcspn(text, ",");
        uint32_t number = number_of(text, len);

        if (number == ARRAY_COUNT(names)) {
            fprintf(stderr, "DOJIMA_PLANTED: no such fault: %s\n", text);
            exit(2);
        }
        chosen |= UINT32_C(1) << number;
        text += len + (text[len] == ',');
    }
}

bool planted(const char *name) { return (chosen >> number_of(name, strlen(name)) & 1) != 0; }
