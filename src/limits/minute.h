/* SPDX-License-Identifier: MIT */
/*
 * minute.h — the spending of each key in the last minute: a table of fixed size, one window per key.
 *
 * A window is the sum of the current second and the 60 before it (ruling 59), so never more than the limit passes in
 * any 60 s, and spent units are back at most one second late. As long as no more keys than rows were active within a
 * window, every decision is exact to one unit. Beyond that a key without a row is refused until a row's window is
 * empty: strict, never lenient.
 *
 * Seconds come from one monotonic clock. All functions may be called from several threads. Clients choose the keys, so
 * they are hashed under a secret seed.
 */
#ifndef LIMITS_MINUTE_H
#define LIMITS_MINUTE_H

#include "base/base.h"

#define MINUTE_SECONDS   61    /* the current one and the 60 before it */
#define MINUTE_LIMIT_MAX 60000 /* the units of one second are counted in 16 bits */

struct minute_key {
    uint64_t high, low;
};

struct minute_settings {
    uint32_t rows;    /* keys at once */
    uint32_t limit;   /* units per window, at most MINUTE_LIMIT_MAX */
    uint64_t seed[2]; /* of the hash */
};

struct minutes; /* memory of minutes_size() bytes, zeroed, aligned to 64 */
size_t          minutes_size(uint32_t rows);
struct minutes *minutes_init(void *memory, const struct minute_settings *settings);
void            minutes_deinit(struct minutes *minutes);
uint32_t        minutes_limit(const struct minutes *minutes);

/*
 * Spends `weight` units of a key's window. 0: done, and *second is the second it was booked in, which
 * is the given one or, when another thread was there with a later one, that. Otherwise nothing was
 * spent, and the answer is in how many seconds (1 to 61) the window will have room if nothing else is
 * spent until then; for more than the limit there never is, and the answer is 61.
 */
uint32_t minutes_spend(struct minutes *minutes, const struct minute_key *key, uint32_t weight,
                       uint32_t *second) MUST_USE;

/* The answer that minutes_spend would give; nothing is spent. */
uint32_t minutes_wait(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second) MUST_USE;

/* Spends more of a key that has just spent, regardless of the limit. */
void minutes_overdraw(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second);

/* Takes back what minutes_spend booked in that second. */
void minutes_give_back(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second);

/* Is the key one of those that are counted? */
bool minutes_know(struct minutes *minutes, const struct minute_key *key) MUST_USE;

#endif
