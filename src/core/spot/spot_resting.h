/* SPDX-License-Identifier: MIT */
/* spot_resting.h — what is told when an order comes to rest in the book, or leaves it without a trade. */
#ifndef CORE_SPOT_SPOT_RESTING_H
#define CORE_SPOT_SPOT_RESTING_H

#include "core/state/lone.h"

/* Everything that an item emits that adds an order to the book, or removes one, without a trade. */
struct resting_events {
    struct order_changed order;
    struct level_changed level;
    struct balance       balance;
};

/* Everything that a command tells that only adds an order to the book, or removes one. */
struct lone_events {
    struct first_events   first;
    struct resting_events rest;
};

#endif
