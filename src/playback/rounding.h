/* SPDX-License-Identifier: MIT */
/*
 * rounding.h — a recording whose prices or quantities are finer than the symbol's: levels that round to the same price
 * are one level, which holds their sum. A price goes to the next tick away from the middle, a quantity down to the
 * step (playback_scale).
 */
#ifndef PLAYBACK_ROUNDING_H
#define PLAYBACK_ROUNDING_H

#include "playback/book.h"

struct playback_rounding;

/* NULL: no memory. */
struct playback_rounding *playback_rounding_open(const struct playback_market *market) MUST_USE;
void                      playback_rounding_close(struct playback_rounding *rounding);

/* Plays an event, rounded, as playback_book_play does. False: as there, or a number that is too large. */
bool playback_rounding_play(struct playback_rounding *rounding, struct playback_book *book,
                            const struct playback_event *event) MUST_USE;

#endif
