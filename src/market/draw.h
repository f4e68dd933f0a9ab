/* SPDX-License-Identifier: MIT */
/*
 * draw.h — random numbers without a state: a draw is a hash of seed, instant, trader and purpose, so any of them can be
 * made again at any time. Fixed point throughout.
 */
#ifndef MARKET_DRAW_H
#define MARKET_DRAW_H

#include "base/mix.h"

/* 64 random bits for an instant, somebody and a purpose. */
static inline uint64_t draw(uint64_t seed, uint64_t instant, uint32_t who, uint32_t what)
{
    uint64_t place = mix_u64(seed + UINT64_C(0x9e3779b97f4a7c15) * (((uint64_t)who << 32 | what) + 1));

    return mix_u64(place + mix_u64(instant + UINT64_C(0x632be59bd9b4e019)));
}

/* 0 .. range - 1 */
static inline uint64_t draw_below(uint64_t bits, uint64_t range) { return (uint64_t)((uint128_t)bits * range >> 64); }

/* About normal: the sum of four uniform numbers, mean 0, deviation 1000000, at most 3.47 of them. */
int64_t draw_normal(uint64_t bits);

/* Exponential with mean 65536: -ln(u). */
int64_t draw_exponential(uint64_t bits);

/* Pareto with exponent 3/2: u^(-2/3) in units of 1/1024, from 1024 to at most `most`. */
int64_t draw_power(uint64_t bits, int64_t most);

#endif
