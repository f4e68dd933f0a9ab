/* SPDX-License-Identifier: MIT */
/*
 * switches.c — DOJIMA_RULINGS_OFF names the rulings that the engine of this test does not obey: numbers with commas
 * between them (core/state/rulings.h).
 */
#include "core/state/rulings.h"

#include <stdio.h>
#include <stdlib.h>

#define RULING_LAST 71

uint32_t rulings_off;

__attribute__((constructor)) static void take_out(void)
{
    const char *text = getenv("DOJIMA_RULINGS_OFF");

    while (text != NULL && *text != '\0') {
        char *end;
        long  number = strtol(text, &end, 10);

        if (end == text || number < RULING_FIRST || number > RULING_LAST || (*end != ',' && *end != '\0')) {
            fprintf(stderr, "DOJIMA_RULINGS_OFF: not a list of rulings from %d to %d: %s\n", RULING_FIRST, RULING_LAST,
                    text);
            exit(2);
        }
        rulings_off |= UINT32_C(1) << (number - RULING_FIRST);
        text = *end == ',' ? end + 1 : end;
    }
}
