/* SPDX-License-Identifier: MIT */
/*
 * table.h — an index over the caller's pool: groups of eight entries, searched as a whole.
 *
 * An entry is (32-bit key, 32-bit pool index); the records themselves stay in their pool and only the caller can tell
 * whether two with the same key are the same. Index 0 means "free". The key must be well mixed: its home is group key
 * * groups / 2^32. The table never grows; the caller sizes it so that the load stays at or below four sevenths
 * (table_size) and never inserts more than it sized for.
 *
 *     group:  | key ix | key ix | key ix | key ix | key ix | key ix | key ix | key ix |     one cache line
 *
 * An entry is in its home group, or, when that was full, in the next one that was not. So a search reads one line,
 * compares all keys in it at once, without an unpredictable branch per entry, and continues only behind a full group.
 * Invariant: all groups from an entry's home up to the one before it are full; table_remove fills the hole that it
 * makes in a full group.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/base.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct table_entry {
    uint32_t key, ix;
};

#define TABLE_GROUP 8          /* entries of a group */
#define TABLE_END   UINT32_MAX /* no place */
static_assert(TABLE_GROUP * sizeof(struct table_entry) == 64,
              "a group is a cache line where the table is aligned to one");

/* Entries a table for at most `count` records needs: whole groups. */
static inline uint64_t table_size(uint64_t count) { return align_up(count + count / 2 + count / 4 + 3, TABLE_GROUP); }

/* The first place of the key's home group. */
static inline uint32_t table_home(uint32_t key, uint32_t size)
{
    return (uint32_t)(((uint64_t)key * (size / TABLE_GROUP)) >> 32) * TABLE_GROUP;
}

/* Mixes a counter into a key. */
static inline uint32_t table_key_u64(uint64_t value)
{
    return (uint32_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* The first place of the next group. */
static inline uint32_t table_after(uint32_t group, uint32_t size)
{
    return group + TABLE_GROUP == size ? 0 : group + TABLE_GROUP;
}

/*
 * Two bits per entry of a group: the lower is set when it has this key (a free one has key 0), the upper when it is
 * free.
 */
#define TABLE_HAS_KEY UINT32_C(0x5555)
#define TABLE_IS_FREE UINT32_C(0xAAAA)
static inline uint32_t table_compare(const struct table_entry *group, uint32_t key)
{
#ifdef __SSE2__
    __m128i        wanted = _mm_set_epi32(0, (int)key, 0, (int)key);
    const __m128i *pairs = (const __m128i *)(const void *)group;
    __m128i        low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(pairs), wanted),
                                         _mm_cmpeq_epi32(_mm_loadu_si128(pairs + 1), wanted));
    __m128i        high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(pairs + 2), wanted),
                                          _mm_cmpeq_epi32(_mm_loadu_si128(pairs + 3), wanted));

    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t bits = 0;

    for (uint32_t i = 0; i < TABLE_GROUP; i++)
        bits |= ((uint32_t)(group[i].key == key) | (uint32_t)(group[i].ix == 0) << 1) << (2 * i);
    return bits;
#endif
}

/* The first place with the key in the group from its entry `skip` on, or in the groups that a search goes on to. */
static inline uint32_t table_seek(const struct table_entry *table, uint32_t size, uint32_t key, uint32_t group,
                                  uint32_t skip)
{
    for (;; group = table_after(group, size), skip = 0) {
        uint32_t bits = table_compare(table + group, key),
                 found = bits & ~(bits >> 1) & TABLE_HAS_KEY & (UINT32_MAX << (2 * skip));

        if (found != 0) return group + (uint32_t)__builtin_ctz(found) / 2;
        if ((bits & TABLE_IS_FREE) != 0) return TABLE_END;
    }
}

static inline uint32_t table_first(const struct table_entry *table, uint32_t size, uint32_t key)
{
    return table_seek(table, size, key, table_home(key, size), 0);
}

static inline uint32_t table_next(const struct table_entry *table, uint32_t size, uint32_t key, uint32_t at)
{
    return table_seek(table, size, key, at & ~(TABLE_GROUP - 1u), at % TABLE_GROUP + 1);
}

/* All places with the key, one after the other. */
#define TABLE_EACH(at, table, size, wanted_key)                                                                        \
    for (uint32_t at = table_first((table), (size), (wanted_key)); at != TABLE_END;                                    \
         at = table_next((table), (size), (wanted_key), at))

/*
 * A free place in the key's home group, when no entry with the key is there: then there is none anywhere. TABLE_END
 * when the group has the key or no free place, and a search must say.
 */
static inline uint32_t table_place(const struct table_entry *table, uint32_t size, uint32_t key)
{
    uint32_t group = table_home(key, size), bits = table_compare(table + group, key);
    uint32_t found = bits & ~(bits >> 1) & TABLE_HAS_KEY, free_places = bits & TABLE_IS_FREE;

    return found != 0 || free_places == 0 ? TABLE_END : group + (uint32_t)__builtin_ctz(free_places) / 2;
}

static inline void table_insert(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    uint32_t group = table_home(key, size), free_places;

    assert(ix != 0);
    while ((free_places = table_compare(table + group, key) & TABLE_IS_FREE) == 0) group = table_after(group, size);
    table[group + (uint32_t)__builtin_ctz(free_places) / 2] = (struct table_entry){ key, ix };
}

/* The same with a place that table_place found, which may have been taken since. */
static inline void table_insert_at(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix, uint32_t place)
{
    assert(ix != 0);
    if (place == TABLE_END || table[place].ix != 0) table_insert(table, size, key, ix);
    else table[place] = (struct table_entry){ key, ix };
}

/* How many places lie on the way from group `from` to group `to`. */
static inline uint32_t table_way(uint32_t from, uint32_t to, uint32_t size)
{
    return to - from + (to < from ? size : 0);
}

/*
 * The first entry of `group` whose search passes group `hole`, which is before it; or TABLE_END. Most entries are at
 * home, and are left out first.
 */
static inline uint32_t table_passing(const struct table_entry *table, uint32_t size, uint32_t group, uint32_t hole)
{
    uint32_t way = table_way(hole, group, size), away = 0;

    for (uint32_t i = 0; i < TABLE_GROUP; i++)
        away |= (uint32_t)((table[group + i].ix != 0) & (table_home(table[group + i].key, size) != group)) << i;
    for (; away != 0; away &= away - 1) {
        uint32_t at = group + (uint32_t)__builtin_ctz(away);

        if (table_way(table_home(table[at].key, size), group, size) >= way) return at;
    }
    return TABLE_END;
}

/* A full group has a hole: an entry that had moved on because of it comes back, and leaves a hole of its own. */
static COLD MAYBE_UNUSED void table_fill(struct table_entry *table, uint32_t size, uint32_t hole)
{
    uint32_t hole_group = hole & ~(TABLE_GROUP - 1u), group = hole_group;
    bool     was_full;

    do {
        uint32_t from;

        group = table_after(group, size);
        was_full = (table_compare(table + group, 0) & TABLE_IS_FREE) == 0;
        from = table_passing(table, size, group, hole_group);
        if (from == TABLE_END) continue;
        table[hole] = table[from];
        table[from] = (struct table_entry){ 0, 0 };
        hole = from;
        hole_group = group;
    } while (was_full); /* no entry moves on behind a group that was not full */
}

/* Removes the entry (key, ix), which must be there. */
static inline void table_remove(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    for (uint32_t group = table_home(key, size);; group = table_after(group, size)) {
        uint32_t bits = table_compare(table + group, key);

        for (uint32_t found = bits & ~(bits >> 1) & TABLE_HAS_KEY; found != 0; found &= found - 1) {
            uint32_t at = group + (uint32_t)__builtin_ctz(found) / 2;

            if (table[at].ix != ix) continue;
            table[at] = (struct table_entry){ 0, 0 };
            if ((bits & TABLE_IS_FREE) == 0) table_fill(table, size, at);
            return;
        }
        assert((bits & TABLE_IS_FREE) == 0);
    }
}

/* How many entries there are: a look at all of them, for verification. */
static COLD MAYBE_UNUSED uint32_t table_count(const struct table_entry *table, uint32_t size)
{
    uint32_t count = 0;

    for (uint32_t at = 0; at < size; at++) count += table[at].ix != 0;
    return count;
}

/* A search for `key` will come soon. */
static inline void table_prefetch(const struct table_entry *table, uint32_t size, uint32_t key)
{
    const struct table_entry *home = &table[table_home(key, size)];

    FETCH(home);
    FETCH(home + TABLE_GROUP);
}

#endif
