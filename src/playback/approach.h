/* SPDX-License-Identifier: MIT */
/*
 * approach.h — the way of a symbol to the price that a recording begins with. An order may be priced only so far from
 * the last trade (spot) or the mark (perps), so that this price comes along in steps: by trades between accounts of the
 * replay, or with the mark, which moves at most so far a second. Prices are in units of the market.
 */
#ifndef PLAYBACK_APPROACH_H
#define PLAYBACK_APPROACH_H

#include "playback/event.h"

#define PLAYBACK_STEPS_MAX 2000

/* Is an order at this price possible: does a quantity pass both the symbol's least and its most? */
bool playback_can_order(const struct playback_market *market, int64_t price) MUST_USE;

/* The price behind the next step from `now` (0: none yet) to `to`; `now` again: there is no step. */
int64_t playback_next_step(const struct playback_market *market, int64_t now, int64_t to);

/* `to` is reached when the price is within 0.5 % of it. */
bool playback_is_near(int64_t price, int64_t to);

/* Is it near within PLAYBACK_STEPS_MAX steps, when nobody else trades? */
bool playback_comes_to(const struct playback_market *market, int64_t now, int64_t to) MUST_USE;

#endif
