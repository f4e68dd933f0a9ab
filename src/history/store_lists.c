/* SPDX-License-Identifier: MIT */
/*
 * store_lists.c — rows of one account that are written together go to the tables of their list.
 *
 * They come to one place of each table, or to few, between rows that are there. LMDB divides a full page in halves, and
 * rows that come in the order of their keys, up or down, fill one half and leave the other as it is: pages would stay
 * half empty. So of many rows some are left out at first, as many as fit into the halves, and put between the others
 * afterwards.
 */
#include "history/store.h"

#define PAGE_HEAD  16 /* of LMDB's pages */
#define NODE_HEAD  8  /* and of each row on one, which is also named by its place */
#define NODE_PLACE 2

#define ITEMS_AHEAD 8 /* a row is prefetched while the eighth before it is looked at */

/* What is written: rows of one list, account and market. */
struct group {
    struct store_writer   *writer;
    const struct row      *rows;
    const struct list_row *list;
    struct key             owner;
    enum store_table       table;                        /* the one of the list that they go to now, */
    bool                   by_symbol, by_other, by_rank; /* and what is in its key behind account and market, in this
                                                            order */
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
    group->by_other = table != list->rows && table != list->by_symbol;
    group->by_rank = table != list->ends;
}

/* By their keys in the group's table: below 0, 0 or above 0. */
static int compare(const struct group *group, const struct store_item *left, const struct store_item *right)
{
    if (group->by_symbol && left->symbol_id != right->symbol_id) return left->symbol_id < right->symbol_id ? -1 : 1;
    if (group->by_other && left->other != right->other) return left->other < right->other ? -1 : 1;
    if (!group->by_rank || rank_equal(left->rank, right->rank)) return 0;
    return rank_below(right->rank, left->rank) ? -1 : 1; /* newest first */
}

/* ---- in the order of keys: of rows with one key the one that came last stays behind the others ---- */

enum part { PART_SYMBOL, PART_OTHER, PART_MAJOR, PART_MINOR };

static uint64_t part_of(const struct store_item *item, enum part part)
{
    switch (part) {
    case PART_SYMBOL: return item->symbol_id;
    case PART_OTHER: return item->other;
    case PART_MAJOR: return ~item->rank.major;
    default: return ~item->rank.minor;
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
    if (group->by_rank) sort_by(group, PART_MINOR);
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

/* ---- rows ---- */

static struct key key_of(const struct group *group, const struct store_item *item)
{
    struct key key = group->owner;

    if (group->by_symbol) key_put(&key, item->symbol_id, sizeof(item->symbol_id));
    if (group->by_other) key_put(&key, item->other, sizeof(item->other));
    if (group->by_rank) key_put_rank(&key, item->rank);
    return key;
}

static int put_item(const struct group *group, const struct store_item *item)
{
    const struct list_row *list = group->list;
    struct key             key = key_of(group, item);

    if (group->table == list->rows)
        return store_put_row(group->writer, group->table, &key, record_of(group, item), list->bytes, 0);
    return store_put_row(group->writer, group->table, &key, &item->time_ms, sizeof(item->time_ms), 0);
}

/* Of rows with one key the one that came last is written. */
static bool is_replaced(const struct group *group, uint32_t i)
{
    return i + 1 < group->count && compare(group, &group->items[i], &group->items[i + 1]) == 0;
}

/* How many of the group's rows a page of its table takes. */
static uint32_t rows_of_page(const struct group *group)
{
    size_t row = group->table == group->list->rows ? group->list->bytes : sizeof(int64_t);
    size_t node = NODE_HEAD + key_of(group, group->items).len + STORE_HEAD + row;

    return (uint32_t)((group->writer->store->page_bytes - PAGE_HEAD) / (align_up(node, 2) + NODE_PLACE));
}

static int put_items(const struct group *group)
{
    uint32_t page = rows_of_page(group);
    uint32_t half = group->count < page ? page : (page + 1) / 2 + 1; /* what stays of a page that is divided */
    int      code = 0;

    for (uint32_t turn = 0; turn < (half == page ? 1 : 2); turn++) {
        uint32_t share = 0;

        for (uint32_t i = 0; i < group->count && code == 0; i++) {
            bool first = (share += half) >= page;

            if (first) share -= page;
            if (first == (turn == 0) && !is_replaced(group, i)) code = put_item(group, &group->items[i]);
        }
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
        if (group->items[i].other != 0) group->items[kept++] = group->items[i];
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
            *item = (struct store_item){ record_rank(list, record), record_u64(record, list->other),
                                         record_time(list, record), record_u32(record, list->symbol), slots[at] };
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
