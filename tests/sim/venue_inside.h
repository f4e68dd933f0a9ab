/* SPDX-License-Identifier: MIT */
/* venue_inside.h — what venue.c, which draws worlds and lives, and the checks of venue_borders.c know of each other. */
#ifndef SIM_VENUE_INSIDE_H
#define SIM_VENUE_INSIDE_H

#include "venue.h"

#include "log/position.h"

#define PLACES  64
#define HOUR_MS INT64_C(3600000)

struct place {
    struct log_position position;
    size_t              bytes;
};

extern struct borders {
    struct venue_counts *counts;
    const struct limits *limits; /* those of the beginning of the world */
    uint32_t             followers;
    uint64_t             commands;               /* of this life */
    uint64_t             die_later, fault_later; /* calls behind the end of the start; 0 = not so */
    struct place         places[PLACES];         /* of the last batches that became durable in this world */
    uint64_t             place_count;
} borders;

void borders_life_begins(void);

#endif
