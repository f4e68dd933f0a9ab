/* SPDX-License-Identifier: MIT */
#include "app/client/moment.h"

#include <stdio.h>
#include <time.h>

#define YEAR_10000_MS 253402300800000

const char *moment_text(long long ms, char text[MOMENT_TEXT])
{
    time_t    seconds = (time_t)(ms / 1000);
    struct tm parts;

    text[0] = '\0';
    if (ms <= 0 || ms >= YEAR_10000_MS || gmtime_r(&seconds, &parts) == NULL) return text;
    (void)snprintf(text, MOMENT_TEXT, "%04u-%02u-%02u %02u:%02u:%02u.%03u", (unsigned)(parts.tm_year + 1900) % 10000U,
                   (unsigned)(parts.tm_mon + 1) % 100U, (unsigned)parts.tm_mday % 100U, (unsigned)parts.tm_hour % 100U,
                   (unsigned)parts.tm_min % 100U, (unsigned)parts.tm_sec % 100U, (unsigned)(ms % 1000));
    return text;
}
