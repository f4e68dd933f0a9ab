/* SPDX-License-Identifier: MIT */
/*
 * backfill.h — bars of the time before a development exchange began, synthesized: no traders ran and nothing traded.
 * They are a pure function of the genesis (decision 628): the walk of the index prices in the market calm, drawn
 * backwards from the prices at which the exchange begins, with volumes like those of its traders.
 *
 * The exact walk of each minute is made again when it is read; kept are the price at the end of each hour, and the bars
 * of hours. A backfill is read by any number of threads.
 */
#ifndef MARKET_BACKFILL_H
#define MARKET_BACKFILL_H

#include "model/bar.h"
#include "model/genesis.h"
#include "model/interval.h"

struct backfill;

/*
 * Computes genesis->backfill_minutes, above 0, up to the minute in which the exchange began, in zeroed memory of
 * backfill_bytes, aligned to 16, which is the caller's. The genesis stays where it is.
 */
size_t           backfill_bytes(const struct genesis *genesis);
struct backfill *backfill_make(const struct genesis *genesis, void *memory);

/* Which span it has, Unix ms, whole minutes; the end is behind the last bar. */
int64_t backfill_first_ms(const struct backfill *backfill);
int64_t backfill_end_ms(const struct backfill *backfill);

/* False: this symbol has none, because no price is known that it begins at. */
bool backfill_has(const struct backfill *backfill, uint8_t market, uint32_t symbol_id);

/*
 * Bars number `first` to `last` of an interval (interval_index) of a symbol that has them; each has a minute of the
 * span. A bar at an end of the span has the minutes inside only.
 */
void backfill_bars(const struct backfill *backfill, uint8_t market, uint32_t symbol_id, enum interval interval,
                   int64_t first, int64_t last, struct bar *bars);

#endif
