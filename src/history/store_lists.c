/* SPDX-License-Identifier: MIT */
/*
 * store_lists.c — rows of one account that are written together go to the tables of their list, table by table, in the
 * order of the keys that they have there.
 */
#include "history/store.h"

#define ITEMS_AHEAD 8 /* a row is prefetched while the eighth before it is looked at */

/* What is written: rows of one list, account and market. */
struct group {
    struct store_writer   *writer;
    const struct row      *rows;
    const struct list_row *list;
    struct key             owner;
    enum store_table       table;                        /* the one of the list that they go to now, */
    bool                   by_symbol, by_other, by_rank; /* and what orders it, in this order; not by_rank: the id
                                                            alone */
    struct store_item *items;                            /* one of the two arrays of the store */
    uint32_t           count;
};

static const void *record_of(const struct group *group, const struct store_item *item)
{
    return &group->rows[item->slot].head;
}

static void take_table(struct group *group, uint8_t table)
{
    const struct list_row *list = group->list;

    group->table = (enum store_table)table;
    group->by_symbol = table == list->by_symbol;
    group->by_other = table == list->by_other;
    group->by_rank = table != list->ends;
}

/* By their keys in the group's table: below 0, 0 or above 0. */
static int compare(const struct group *group, const struct store_item *left, const struct store_item *right)
{
    if (group->by_symbol && left->symbol_id != right->symbol_id) return left->symbol_id < right->symbol_id ? -1 : 1;
    if (group->by_other && left->is.other != right->is.other) return left->is.other > right->is.other ? -1 : 1;
    if (group->by_rank && left->is.is.rank.major != right->is.is.rank.major)
        return left->is.is.rank.major > right->is.is.rank.major ? -1 : 1; /* newest first */
    if (left->is.is.rank.minor == right->is.is.rank.minor) return 0;
    return left->is.is.rank.minor > right->is.is.rank.minor ? -1 : 1;
}

/* ---- in the order of keys: of rows with one key the one that came last stays behind the others ---- */

enum part { PART_SYMBOL, PART_OTHER, PART_MAJOR, PART_MINOR };

static uint64_t part_of(const struct store_item *item, enum part part)
{
    switch (part) {
    case PART_SYMBOL: return item->symbol_id;
    case PART_OTHER: return ~item->is.other;
    case PART_MAJOR: return ~item->is.is.rank.major;
    default: return ~item->is.is.rank.minor;
    }
}

static void sort_by(const struct group *group, enum part part)
{
    struct store_place *places = group->writer->store->places;

    for (uint32_t i = 0; i < group->count; i++) places[i].key = part_of(&group->items[places[i].item], part);
    store_sort(group->writer->store, group->count);
}

/* From the last part of the key to the first. */
static void sort_items(struct group *group)
{
    struct store      *store = group->writer->store;
    struct store_item *items = group->items, *spare = items == store->items ? store->items_spare : store->items;

    for (uint32_t i = 0; i < group->count; i++) store->places[i].item = i;
    sort_by(group, PART_MINOR);
    if (group->by_rank) sort_by(group, PART_MAJOR);
    if (group->by_other) sort_by(group, PART_OTHER);
    if (group->by_symbol) sort_by(group, PART_SYMBOL);
    for (uint32_t i = 0; i < group->count; i++) spare[i] = items[store->places[i].item];
    group->items = spare;
}

static void turn_round(struct store_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        struct store_item item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* In the order of the keys they have in the group's table; often they are in it already, or in the opposite one. */
static void arrange(struct group *group)
{
    bool rising = true, falling = true;

    for (uint32_t i = 1; i < group->count && (rising || falling); i++) {
        int order = compare(group, &group->items[i - 1], &group->items[i]);
        rising = rising && order <= 0;
        falling = falling && order > 0;
    }
    if (rising) return;
    if (falling) turn_round(group->items, group->count);
    else sort_items(group);
}

/* ---- entries ---- */

/* Of the entries of an index the item is the beginning. */
static const void *entry_of(const struct group *group, const struct store_item *item)
{
    return group->table == group->list->rows ? record_of(group, item) : &item->is;
}

static int put_items(const struct group *group)
{
    const struct store_item *item = group->items, *end = item + group->count;
    const void             **entries = group->writer->store->entries + CHUNK_ENTRIES; /* room for a chunk's before */
    int                      code = 0;

    while (item < end && code == 0) {
        struct store_chunks chunks = { group->writer, group->list, group->table, group->owner };
        const uint32_t      symbol_id = item->symbol_id;
        uint32_t            count = 0;

        if (group->by_symbol) key_put(&chunks.prefix, symbol_id, sizeof(symbol_id));
        for (; item < end && (!group->by_symbol || item->symbol_id == symbol_id); item++) /* of one key the last one */
            if (item + 1 == end || compare(group, item, item + 1) != 0) entries[count++] = entry_of(group, item);
        code = store_put_entries(&chunks, count);
    }
    return code;
}

static int put_table(struct group *group, uint8_t table)
{
    if (table == NO_TABLE || group->count == 0) return 0;
    take_table(group, table);
    arrange(group);
    return put_items(group);
}

/* Rows without an order or position have no place in its index. */
static void drop_alone(struct group *group)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < group->count; i++)
        if (group->items[i].is.other != 0) group->items[kept++] = group->items[i];
    group->count = kept;
}

/* Into the store's array of items, in the order in which they came. */
static void take_items(struct group *group, const struct store_run *runs, uint32_t run_count)
{
    const struct list_row *list = group->list;
    const uint32_t        *slots = group->writer->store->slots;

    group->items = group->writer->store->items;
    for (uint32_t i = 0; i < run_count; i++) {
        for (uint32_t at = runs[i].number; at < runs[i].number + runs[i].count; at++) {
            struct store_item *item = &group->items[group->count++];
            const void        *record = &group->rows[slots[at]].head;

            if (at + ITEMS_AHEAD < runs[i].number + runs[i].count) FETCH(&group->rows[slots[at + ITEMS_AHEAD]].head);
            *item = (struct store_item){ { { record_rank(list, record), record_time(list, record) },
                                           record_u64(record, list->other) },
                                         record_u32(record, list->symbol),
                                         slots[at] };
        }
    }
}

/* The table of ends first: of an id that ended twice, the row that came last stays. */
int store_put_list(struct store_writer *writer, const struct pending *pending, const struct store_run *runs,
                   uint32_t run_count)
{
    const struct list_row *list = &store_lists[runs->list];
    struct group           group = { .writer = writer, .rows = pending->rows, .list = list };
    int                    code;

    group.owner = key_owner(runs->account, runs->market);
    take_items(&group, runs, run_count);
    code = put_table(&group, list->ends);
    if (code == 0) code = put_table(&group, list->rows);
    if (code == 0) code = put_table(&group, list->by_symbol);
    if (code == 0 && list->by_other != NO_TABLE) {
        drop_alone(&group);
        code = put_table(&group, list->by_other);
    }
    return code;
}
