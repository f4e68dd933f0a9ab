/* SPDX-License-Identifier: MIT */
/* path.h — the numbers of the process that index prices follow, live (indexes.c) and before the beginning (backfill.c).
   Inside the room only. */
#ifndef MARKET_PATH_H
#define MARKET_PATH_H

#include "market/draw.h"

#define PATH_RATE         INT64_C(1000000000) /* of returns */
#define PATH_SHARED       800                 /* weights of the two factors, 1/1000; the sum of squares is one */
#define PATH_OWN          600
#define PATH_PULL_SECONDS 43200 /* of the way back to the reference */
#define PATH_JUMP_SECONDS 2400  /* between two jumps of a symbol, on average */
#define PATH_EVERY_SYMBOL UINT32_MAX

/* Deviation of a second's return of perps symbol number `index`, 1e-9: about 0.4, 0.55 and 0.8 % an hour. */
int64_t path_deviation(uint32_t index);

/* The return of a jump, 1e-9: now and then a fifth of a per cent to some per cent at once; of the third symbol on
   larger ones. */
int64_t path_jump(uint64_t bits, uint32_t index);

/* The two factors in the weights above: two normal draws as one, deviation 1000000. */
static inline int64_t path_normal(int64_t shared, int64_t own)
{
    return (shared * PATH_SHARED + own * PATH_OWN) / 1000;
}

/*
 * price * (1 + a return) on the tick; what lies between two ticks decides by chance, so that small steps add up. At
 * least a tick.
 */
int64_t path_next(int64_t price, int64_t tick, int64_t one_return, uint64_t bits);

#endif
