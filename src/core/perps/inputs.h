/* SPDX-License-Identifier: MIT */
/*
 * inputs.h — the contribution of the books to index, mark and premium (ruling 67): impact prices, weighted by the
 * milliseconds for which the book was in that state, and the trades of the last minute. Never a sample at one instant.
 *
 * All commands of a batch have one time, so a book only changes at the times of commands, and its state in between is
 * known at the next one. The sums therefore do not depend on the division of commands of one time into batches.
 */
#ifndef CORE_PERPS_INPUTS_H
#define CORE_PERPS_INPUTS_H

#include "core/state/state.h"

/*
 * Time is about to advance from e->time_ms: for every book that has changed at that time, its previous state is
 * counted up to then, and its impact prices are computed anew. Called before e->time_ms rises.
 */
void inputs_pass(struct engine *e);

/* The books of a symbol have stood until now: counts that. The
   first step of a TICK's prices, while the old index holds. */
void inputs_count(const struct engine *e, struct perps_market *perps);

/*
 * A book trade of a perps symbol enters the window of 60 s out of which `last` is made; the only place where one does.
 * A trade of one user with himself is no input (ruling 71): it is for the caller not to hand it in.
 */
void inputs_trade(const struct engine *e, struct perps_market *perps, int64_t price, int64_t quantity);

/*
 * The averages over the time since the last TICK that moved prices: the second, or all of a gap in time (ruling 43).
 * While a side lacked the depth it counts at the index; 0 = it lacked it all the time.
 */
struct book_means {
    int64_t bid, ask, mid;
}; /* mid: index while either side lacks the depth; never 0 */
struct book_means inputs_means(const struct engine *e, const struct perps_market *perps);

/* The volume-weighted price of the trades of the last 60 s (of this
   second and the 60 before it); 0 = below the impact notional. */
int64_t inputs_last(const struct engine *e, const struct market *market, const struct perps_market *perps);

/* The middle of the own spot book over the same second, in perps
   price units, where it stood in for half of it; else 0. */
int64_t inputs_spot_mid(const struct engine *e, const struct market *market, const struct perps_market *perps);

/* The mean premium since the last sample (1e-12), and a reset of its sums; false = no time was counted. */
bool inputs_premium(struct perps_market *perps, int64_t *premium);

/* The averages were read: later samples belong to the next second. */
void inputs_end_second(struct perps_market *perps);

#endif
