/* SPDX-License-Identifier: MIT */
/*
 * id_map.h — from a 64-bit id to the number of a row, in the caller's zeroed memory: open addressing like table.h,
 * where an entry holds the whole key, so that the map needs no look at the rows, and a group is one entry.
 *
 * Ids are counters of ours, not chosen by strangers. Key 0 means free. The map never grows; id_map_places keeps it at
 * most half full. An entry's key is published after its value: a map from which nothing is removed may be read by other
 * threads without a lock while one adds.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include "base/base.h"

struct id_entry {
    uint64_t key;
    uint32_t value, reserved;
};

struct id_map {
    struct id_entry *entries;
    uint64_t         mask; /* number of entries - 1; they are a power of two */
};

/* How many entries a map for at most `count` ids needs. */
static inline uint64_t id_map_places(uint64_t count) { return power_of_two_above(2 * count); }

/* The value of a key, or 0. */
uint32_t id_map_get(const struct id_map *map, uint64_t key);

/* Sets the value of a key; neither is 0. */
void id_map_put(struct id_map *map, uint64_t key, uint32_t value);

/* Removes a key; does nothing when it is not there. */
void id_map_remove(struct id_map *map, uint64_t key);

/* A search for `key` will come soon. */
void id_map_prefetch(const struct id_map *map, uint64_t key);

#endif
