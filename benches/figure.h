/* SPDX-License-Identifier: MIT */
/*
 * figure.h — a number that a benchmark measured, for the table of benches/table.py, which knows its bound by its name.
 * The benchmark prints its lines for people itself: this file prints nothing unless DOJIMA_FIGURES is set.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stdio.h>
#include <stdlib.h>

/* `against` is the comparison measured in the same run, in the same unit; 0 = none. */
static inline void figure(const char *name, double value, double against)
{
    if (getenv("DOJIMA_FIGURES") == NULL) return;
    printf("@ %s %.9g %.9g\n", name, value, against);
    (void)fflush(stdout);
}

#endif
