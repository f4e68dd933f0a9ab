/* SPDX-License-Identifier: MIT */
/* index.c — finding things by number and by address. */
#include "views/inside.h"

/* Ids are counters: a multiplication spreads them, the high bits pick the place. */
static uint64_t id_place(const struct id_map *map, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
}

static struct id_entry *id_find(const struct id_map *map, uint64_t key)
{
    uint64_t at = id_place(map, key);

    for (;;) {
        uint64_t found = __atomic_load_n(&map->entries[at].key, __ATOMIC_ACQUIRE);
        if (found == 0 || found == key) return &map->entries[at];
        at = (at + 1) & map->mask;
    }
}

void id_map_expect(const struct id_map *map, uint64_t key) { __builtin_prefetch(&map->entries[id_place(map, key)]); }

uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
    const struct id_entry *entry;

    if (key == 0) return 0;
    entry = id_find(map, key);
    return __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key ? entry->value : 0;
}

void id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
    struct id_entry *entry = id_find(map, key);

    assert(key != 0 && value != 0);
    entry->value = value;
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
}

/* Closes the gap: each following entry that may stand in it moves up (no tombstones). */
void id_map_remove(struct id_map *map, uint64_t key)
{
    uint64_t gap = (uint64_t)(id_find(map, key) - map->entries), at = gap;

    if (map->entries[gap].key == 0) return;
    for (;;) {
        at = (at + 1) & map->mask;
        if (map->entries[at].key == 0) break;
        uint64_t home = id_place(map, map->entries[at].key);
        if (((at - home) & map->mask) < ((at - gap) & map->mask)) continue;
        map->entries[gap] = map->entries[at];
        gap = at;
    }
    map->entries[gap] = (struct id_entry){ 0, 0, 0 };
}

uint32_t *owner_bucket(const struct views *views, const struct address *owner)
{
    uint64_t head, middle;
    uint32_t tail;

    memcpy(&head, owner->bytes, 8);
    memcpy(&middle, owner->bytes + 8, 8);
    memcpy(&tail, owner->bytes + 16, 4);
    head = (head ^ views->owner_seed) * UINT64_C(0x9e3779b97f4a7c15);
    head = (head ^ (head >> 32) ^ middle) * UINT64_C(0xc2b2ae3d27d4eb4f);
    head = (head ^ (head >> 29) ^ tail) * UINT64_C(0x165667b19e3779f9);
    return &views->owner_buckets[(head >> 24) & views->owner_mask];
}
