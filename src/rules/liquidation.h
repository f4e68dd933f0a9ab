/* SPDX-License-Identifier: MIT */
/*
 * liquidation.h — how much of a position must be closed, the price at which a unit is empty, and the order in which
 * ADL takes the other side (mechanics 3.11, 3.12; E8 to E10c). Money in quote units, rates in 1e-8.
 */
#ifndef RULES_LIQUIDATION_H
#define RULES_LIQUIDATION_H

#include "rules/margin.h"

/* The step-rounded quantity whose closing brings E back to (1 + buffer) * MM; |size| when no smaller one does. */
int64_t liquidation_quantity(const struct contract *contract, int128_t equity, int128_t maintenance, int64_t mark,
                             int64_t size, int64_t taker_rate, int64_t buffer, int64_t step, int power);

/* floor(E * MM_i / MM), the equity that belongs to one position of a unit (the last one gets the remainder). */
int128_t liquidation_share(int128_t equity, int128_t maintenance_i, int128_t maintenance);

/*
 * What a position's share of E_t charges to the day (ruling 66), when `left` of E_t is not shared out yet: no more than
 * the rest of the deficit, because shares rounded down can pass E_t by a unit for each position but the last, whose
 * share is then above nothing. So the charges of a unit add up to max(0, -E_t). At least 0.
 */
int128_t liquidation_charge(int128_t share, int128_t left);

/* The price at which closing the whole position at `value - sign *
   share` empties it: up for a long, down for a short. */
int64_t liquidation_bankruptcy_price(int128_t value, int64_t size, int128_t share, int64_t tick, int power);

/* The same price to the nearest unit, halves up: the recorded price of a takeover (E9). At least 1. */
int64_t liquidation_take_over_price(int128_t value, int64_t size, int128_t share, int power);

/* ADL: min(1e9, u * 1e6 / |C|) * min(1e9, N * 1e6 / max(E, 1)) for
   u > 0, else 0; and the leverage alone for the rest. */
int64_t adl_score(int128_t profit, int128_t cost, int128_t notional, int128_t equity);
int64_t adl_leverage(int128_t notional, int128_t equity);

/* 1 + floor(5 * rank / n), rank from 0: the five lights. */
static inline uint32_t adl_group(uint32_t rank, uint32_t n) { return 1 + (uint32_t)((uint64_t)5 * rank / n); }

/* floor(wanted * size / total) to the step: one candidate's part inside a group (E10b). */
int64_t adl_part(int64_t wanted, int64_t size, int64_t total, int64_t step);

#endif
