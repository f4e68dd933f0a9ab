/* SPDX-License-Identifier: MIT */
/*
 * figure.h — a number that a benchmark measured, for the table of benches/table.py, which knows by its name what it has
 * to reach. The lines for people are beside it: nothing is printed here unless DOJIMA_FIGURES is set.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stdio.h>
#include <stdlib.h>

/* `against` is what was measured in the same run to compare with, in the same unit; 0 = nothing. */
static inline void figure(const char *name, double value, double against)
{
    if (getenv("DOJIMA_FIGURES") == NULL) return;
    printf("@ %s %.9g %.9g\n", name, value, against);
    (void)fflush(stdout);
}

#endif
