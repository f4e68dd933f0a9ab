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

/* Ids are counters: a multiplication spreads them, the high bits pick the entry. */
static inline uint64_t id_map_home(const struct id_map *map, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
}

/* The entry of a key, or the free one where it would be. */
static inline struct id_entry *id_map_find(const struct id_map *map, uint64_t key)
{
    uint64_t at = id_map_home(map, key);

    for (;;) {
        uint64_t found = __atomic_load_n(&map->entries[at].key, __ATOMIC_ACQUIRE);
        if (found == 0 || found == key) return &map->entries[at];
        at = (at + 1) & map->mask;
    }
}

/* A search for the key will come soon. */
static inline void id_map_prefetch(const struct id_map *map, uint64_t key)
{
    FETCH(&map->entries[id_map_home(map, key)]);
}

/* The value of a key, or 0. */
static inline uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
    const struct id_entry *entry;

    if (key == 0) return 0;
    entry = id_map_find(map, key);
    return __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key ? entry->value : 0;
}

/* Sets the value of a key; neither is 0. */
static inline void id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
    struct id_entry *entry = id_map_find(map, key);

    assert(key != 0 && value != 0);
    entry->value = value;
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
}

/* Removes a key, if it is there. An entry behind it moves into the hole when its search passes it. */
static inline void id_map_remove(struct id_map *map, uint64_t key)
{
    uint64_t hole = (uint64_t)(id_map_find(map, key) - map->entries), at = hole;

    if (map->entries[hole].key == 0) return;
    for (;;) {
        at = (at + 1) & map->mask;
        if (map->entries[at].key == 0) break;
        if (((at - id_map_home(map, map->entries[at].key)) & map->mask) < ((at - hole) & map->mask)) continue;
        map->entries[hole] = map->entries[at];
        hole = at;
    }
    map->entries[hole] = (struct id_entry){ 0, 0, 0 };
}

#endif
