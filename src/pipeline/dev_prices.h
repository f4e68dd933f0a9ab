/* SPDX-License-Identifier: MIT */
/*
 * dev_prices.h — the built-in feeder of development mode: a calm price path around each perps symbol's listing
 * reference, a pure function of seed, symbol and engine time, so that a restart continues the path and the same seed
 * gives the same prices. Its posts are ordinary commands in the log.
 */
#ifndef PIPELINE_DEV_PRICES_H
#define PIPELINE_DEV_PRICES_H

#include "model/genesis.h"

struct dev_prices {
    uint64_t              seed;
    const struct genesis *genesis;
};

/* The price of perps symbol number `index` from 0, in its price
   units and on its tick; within 0.6 % of the reference. */
int64_t dev_prices_at(const struct dev_prices *dev_prices, uint32_t index, int64_t time_ms);

#endif
