/* SPDX-License-Identifier: MIT */
/*
 * volume.h — what each user has traded on each side on the days that count for fee tiers.
 *
 * A user has a list of records with a few days each, of both sides, the newest record first. It has no place for a day
 * without a trade. A day d has the place d % VOLUME_DAYS. Kinds are MARKET_SPOT and MARKET_PERPS; users are slots of
 * primary accounts.
 */
#ifndef CORE_ACCOUNT_VOLUME_H
#define CORE_ACCOUNT_VOLUME_H

#include "core/state/state.h"

/* The volumes of the day at a place; made when there are none. There is always room (volume_records). */
struct volume_day *volume_on(struct engine *e, uint8_t kind, uint32_t user, uint32_t place);

/* Asks early for the record that today's volumes will probably be in. */
void volume_prefetch(const struct engine *e, uint32_t user);

/* All days by their places; 0 where nothing was traded. */
void volume_read(const struct engine *e, uint8_t kind, uint32_t user, struct volume_day days[VOLUME_DAYS]);

/* The sums of all days but the one at a place, at most AMOUNT_MAX. */
struct volume_day volume_sum(const struct engine *e, uint8_t kind, uint32_t user, uint32_t without);

/* Empties the days at the places of `places`, a bit each, on both sides. */
void volume_forget(struct engine *e, uint32_t user, uint32_t places);

void volume_verify(const struct engine *e);

#endif
