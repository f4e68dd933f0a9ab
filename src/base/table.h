/* SPDX-License-Identifier: MIT */
/*
 * table.h — an index over somebody else's pool: open addressing, linear probing, backward-shift delete.
 *
 * An entry is (32-bit key, 32-bit pool index); the records themselves stay in their pool and only the
 * caller can tell whether two with the same key are the same. Index 0 means "empty". The key must be
 * well mixed: its home is key * size / 2^32. The table never grows; the caller sizes it so that the
 * load stays at or below four sevenths (table_size) and never inserts more than it sized for.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/base.h"

struct table_entry { uint32_t key, ix; };

/* Entries a table for at most `count` records needs. */
static inline uint64_t table_size(uint64_t count) { return count + count / 2 + count / 4 + 8; }

static inline uint32_t table_home(uint32_t key, uint32_t size) { return (uint32_t)(((uint64_t)key * size) >> 32); }

/* Mixes a counter into a key. */
static inline uint32_t table_key_u64(uint64_t value) { return (uint32_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32); }

/* Where a search for `key` begins and how it goes on; it ends at an entry with ix 0. */
#define TABLE_EACH(at, table, size, wanted_key)                                             \
    for (uint32_t at = table_home((wanted_key), (size)); (table)[at].ix != 0;               \
         at = at + 1 == (size) ? 0 : at + 1)                                                \
        if ((table)[at].key == (wanted_key))

static inline uint32_t table_after(uint32_t at, uint32_t size) { return at + 1 == size ? 0 : at + 1; }

static inline void table_insert(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    uint32_t at = table_home(key, size);

    assert(ix != 0);
    while (table[at].ix != 0) at = table_after(at, size);
    table[at] = (struct table_entry){ key, ix };
}

/* How many steps of a search lead from place `from` to place `to`. */
static inline uint32_t table_steps(uint32_t from, uint32_t to, uint32_t size) { return to - from + (to < from ? size : 0); }

/* Removes the entry (key, ix), which must be there. Entries behind it that a search would miss move up into the hole. */
static inline void table_remove(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    uint32_t hole = table_home(key, size), at;

    while (table[hole].ix != ix) {
        assert(table[hole].ix != 0);
        hole = table_after(hole, size);
    }
    assert(table[hole].key == key);
    for (at = table_after(hole, size); table[at].ix != 0; at = table_after(at, size)) {
        uint32_t home = table_home(table[at].key, size);

        if (table_steps(home, at, size) < table_steps(hole, at, size)) continue;       /* the hole is before its home */
        table[hole] = table[at];
        hole = at;
    }
    table[hole] = (struct table_entry){ 0, 0 };
}

/* A search for `key` will come soon. */
static inline void table_expect(const struct table_entry *table, uint32_t size, uint32_t key) { FETCH(&table[table_home(key, size)]); }

#endif
