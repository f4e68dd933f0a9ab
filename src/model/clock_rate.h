/* SPDX-License-Identifier: MIT */
/* clock_rate.h — how fast the clock of a development exchange runs, in millionths of the wall clock. */
#ifndef MODEL_CLOCK_RATE_H
#define MODEL_CLOCK_RATE_H

#include "model/decimal.h"

#define CLOCK_RATE_DECIMALS 6
#define CLOCK_RATE_ONE      INT64_C(1000000)        /* as fast as the wall clock */
#define CLOCK_RATE_MAX      (1000 * CLOCK_RATE_ONE) /* a thousand times as fast */
#define CLOCK_RATE_FIRST    INT64_C(-1)             /* of a request: the one that the program was started with */

/* "0", "0.5", "20": from 0 to 1000 with at most 6 decimals. False: the text is something else. */
MUST_USE static inline bool clock_rate_read(struct slice text, int64_t *rate)
{
    struct decimal decimal;

    *rate = 0;
    return decimal_read(text, &decimal) == DECIMAL_OK
        && decimal_to_units(decimal, CLOCK_RATE_DECIMALS, CLOCK_RATE_MAX, rate) && *rate >= 0;
}

#endif
