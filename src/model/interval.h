/* SPDX-License-Identifier: MIT */
/*
 * interval.h — the spans of time that bars cover (service 4.1, service 4.4; rulings 23 and 47). All of them are
 * aligned to UTC: three days from 1970-01-01, a week from its Monday, a month from its first.
 *
 * The bars of an interval are numbered: index 0 is the one that contains 1970-01-01T00:00Z, the one
 * behind index i is i + 1. So gaps are counted by subtraction, months included.
 */
#ifndef MODEL_INTERVAL_H
#define MODEL_INTERVAL_H

#include "base/out.h"

/* The numbers reach disk: append only. */
/* clang-format off */
enum interval {
    INTERVAL_1M, INTERVAL_5M, INTERVAL_15M, INTERVAL_30M, INTERVAL_1H, INTERVAL_4H, INTERVAL_8H, INTERVAL_12H,
    INTERVAL_1D, INTERVAL_3D, INTERVAL_1W, INTERVAL_1MONTH,
    INTERVALS,
};
/* clang-format on */

#define MINUTE_MS INT64_C(60000)

/* Which bar a time falls into, and when a bar begins (ms). Times from 1970 on; weeks may begin before. */
int64_t interval_index(enum interval interval, int64_t time_ms);
int64_t interval_start(enum interval interval, int64_t index);

/* The interval of this name on this market (enum market_kind); false when it is not offered there. */
bool interval_by_name(uint8_t market, struct slice name, enum interval *interval) MUST_USE;

/* The names that are offered: "1m, 5m, …, 1M". */
void interval_names(uint8_t market, struct out *out);

#endif
