/* SPDX-License-Identifier: MIT */
/*
 * distribution.h — times that are drawn, in microseconds. All arithmetic is of integers, so a seed gives the same times
 * on every machine. A drawn time is at most DISTRIBUTION_MAX_US.
 */
#ifndef CHAOS_DISTRIBUTION_H
#define CHAOS_DISTRIBUTION_H

#include "base/out.h"
#include "chaos/draw.h"

#define DISTRIBUTION_MAX_US INT64_C(60000000)

/* clang-format off */
enum distribution_kind {
    DISTRIBUTION_NONE = 0,
    DISTRIBUTION_FIXED,       /* a us                                             "20", "fixed:20"       */
    DISTRIBUTION_UNIFORM,     /* from a to b us                                   "uniform:10:30"        */
    DISTRIBUTION_EXPONENTIAL, /* mean a us                                        "exponential:20"       */
    DISTRIBUTION_NORMAL,      /* mean a us, deviation b us; below zero is zero    "normal:20:5"          */
    DISTRIBUTION_LOGNORMAL,   /* median a us, b thousandths of its logarithm's deviation "lognormal:20:0.5" */
    DISTRIBUTION_PARETO,      /* least a us, exponent b thousandths               "pareto:10:1.5"        */
};
/* clang-format on */

struct distribution {
    uint8_t kind; /* enum distribution_kind */
    int64_t a, b;
};

/* Reads the form shown above: times in milliseconds, numbers with at most three decimals. False: *need says what is
 * needed. */
bool distribution_read(struct slice text, struct distribution *distribution, const char **need) MUST_USE;

/* Writes the same form. */
void distribution_write(struct out *out, const struct distribution *distribution);

/* A time of it, 0 .. DISTRIBUTION_MAX_US; 0 of none. */
int64_t distribution_draw(const struct distribution *distribution, struct draw *draw);

#endif
