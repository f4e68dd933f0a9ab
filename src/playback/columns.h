/* SPDX-License-Identifier: MIT */
/* columns.h — a line of values between commas, without quotes. */
#ifndef PLAYBACK_COLUMNS_H
#define PLAYBACK_COLUMNS_H

#include "playback/event.h"

#define COLUMNS_MAX 800 /* an order book of LOBSTER with 200 levels */

/* The values of a line, a carriage return at its end left out; returns how many there are, COLUMNS_MAX + 1 for more
 * than `cap`. */
uint32_t columns_split(struct slice line, uint32_t cap, struct slice values[]);

/* Plain or with an exponent ("1.5e-05"), never below zero. False: no such number, or too many digits. */
bool columns_decimal(struct slice value, struct decimal *decimal) MUST_USE;
/* An integer with or without "-". */
bool columns_integer(struct slice value, int64_t *integer) MUST_USE;

/* "PROBLEM: VALUE" as `why`, the value's first 60 bytes, '?' for what is no printable ASCII; false. */
bool columns_refuse(char why[PLAYBACK_WHY_BYTES], const char *problem, struct slice value);

#endif
