/* SPDX-License-Identifier: MIT */
#include "base/table.h"

static uint32_t after(uint32_t at, uint32_t size) { return at + 1 == size ? 0 : at + 1; }

void table_insert(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    uint32_t at = table_home(key, size);

    assert(ix != 0);
    while (table[at].ix != 0) at = after(at, size);
    table[at] = (struct table_entry){ key, ix };
}

/* Whether an entry whose home is `home` may stay at `at` when `hole`, somewhere before it, is emptied. */
static bool may_stay(uint32_t home, uint32_t hole, uint32_t at)
{
    return hole <= at ? hole < home && home <= at : hole < home || home <= at;
}

void table_remove(struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    uint32_t hole = table_home(key, size), at;

    while (table[hole].ix != ix) {
        assert(table[hole].ix != 0);
        hole = after(hole, size);
    }
    assert(table[hole].key == key);
    for (at = after(hole, size); table[at].ix != 0; at = after(at, size)) {
        if (may_stay(table_home(table[at].key, size), hole, at)) continue;
        table[hole] = table[at];
        hole = at;
    }
    table[hole] = (struct table_entry){ 0, 0 };
}
