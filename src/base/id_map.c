/* SPDX-License-Identifier: MIT */
#include "base/id_map.h"

/* Ids are counters: a multiplication spreads them, the high bits pick the entry. */
static uint64_t home_of(const struct id_map *map, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
}

/* The entry of a key, or the free one where it would be. */
static struct id_entry *find(const struct id_map *map, uint64_t key)
{
    uint64_t at = home_of(map, key);

    for (;;) {
        uint64_t found = __atomic_load_n(&map->entries[at].key, __ATOMIC_ACQUIRE);
        if (found == 0 || found == key) return &map->entries[at];
        at = (at + 1) & map->mask;
    }
}

void id_map_prefetch(const struct id_map *map, uint64_t key) { FETCH(&map->entries[home_of(map, key)]); }

uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
    const struct id_entry *entry;

    if (key == 0) return 0;
    entry = find(map, key);
    return __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key ? entry->value : 0;
}

void id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
    struct id_entry *entry = find(map, key);

    assert(key != 0 && value != 0);
    entry->value = value;
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
}

/* Fills the hole: an entry behind it moves up when its search passes the hole, and leaves a hole of its own. */
void id_map_remove(struct id_map *map, uint64_t key)
{
    uint64_t hole = (uint64_t)(find(map, key) - map->entries), at = hole;

    if (map->entries[hole].key == 0) return;
    for (;;) {
        at = (at + 1) & map->mask;
        if (map->entries[at].key == 0) break;
        if (((at - home_of(map, map->entries[at].key)) & map->mask) < ((at - hole) & map->mask)) continue;
        map->entries[hole] = map->entries[at];
        hole = at;
    }
    map->entries[hole] = (struct id_entry){ 0, 0, 0 };
}
