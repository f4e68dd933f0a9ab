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

#include <stdlib.h>

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
    enum store_table       table; /* the one of the list that they go to now */
    struct store_item     *items;
    uint32_t               count;
};

static const void *record_of(const struct group *group, const struct store_item *item)
{
    return &group->rows[item->slot].head;
}

static bool begins_with_other(const struct group *group)
{
    return group->table != group->list->rows && group->table != group->list->by_symbol;
}

/* What of the key of a row in the group's table is behind account and market. */
static void take_key(const struct group *group, struct store_item *item)
{
    const struct list_row *list = group->list;
    const void            *record = record_of(group, item);

    item->first = 0;
    item->rank = (struct rank){ 0 };
    if (group->table == list->by_symbol) item->first = record_u32(record, list->symbol);
    if (begins_with_other(group)) item->first = record_u64(record, list->other);
    if (group->table != list->ends) item->rank = record_rank(list, record);
}

/* Newest first in its table. */
static int compare_keys(const struct store_item *left, const struct store_item *right)
{
    if (left->first != right->first) return left->first < right->first ? -1 : 1;
    if (rank_equal(left->rank, right->rank)) return 0;
    return rank_below(right->rank, left->rank) ? -1 : 1;
}

static int compare_items(const void *a, const void *b)
{
    const struct store_item *left = a, *right = b;
    int                      order = compare_keys(left, right);

    if (order != 0) return order;
    return left->number < right->number ? -1 : 1;
}

static void turn_round(struct store_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        struct store_item item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* In the order of the keys they have in the group's table; mostly they are in it already, or in the opposite one. */
static void arrange(const struct group *group)
{
    struct store_item *items = group->items;
    bool               ordered = true;

    if (begins_with_other(group)) turn_round(items, group->count); /* newer ids are higher */
    for (uint32_t i = 0; i < group->count; i++) {
        if (i + ITEMS_AHEAD < group->count) FETCH(record_of(group, &items[i + ITEMS_AHEAD]));
        take_key(group, &items[i]);
        ordered = ordered && (i == 0 || compare_items(&items[i - 1], &items[i]) < 0);
    }
    if (!ordered) qsort(items, group->count, sizeof(*items), compare_items);
}

static struct key key_of(const struct group *group, const struct store_item *item)
{
    struct key key = group->owner;

    if (group->table == group->list->by_symbol) key_put(&key, item->first, sizeof(uint32_t));
    if (begins_with_other(group)) key_put(&key, item->first, sizeof(item->first));
    if (group->table != group->list->ends) key_put_rank(&key, item->rank);
    return key;
}

static int put_item(const struct group *group, const struct store_item *item)
{
    const struct list_row *list = group->list;
    const void            *record = record_of(group, item);
    struct key             key = key_of(group, item);
    int64_t                time_ms = record_time(list, record);

    if (group->table == list->rows) return store_put_row(group->writer, group->table, &key, record, list->bytes, 0);
    return store_put_row(group->writer, group->table, &key, &time_ms, sizeof(time_ms), 0);
}

/* Of rows with one key the one that came last is written. */
static bool is_replaced(const struct group *group, uint32_t i)
{
    return i + 1 < group->count && compare_keys(&group->items[i], &group->items[i + 1]) == 0;
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
    group->table = (enum store_table)table;
    arrange(group);
    return put_items(group);
}

/* Rows without an order or position have no place in its index. */
static void drop_alone(struct group *group)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < group->count; i++)
        if (record_u64(record_of(group, &group->items[i]), group->list->other) != 0)
            group->items[kept++] = group->items[i];
    group->count = kept;
}

int store_put_list(struct store_writer *writer, const struct pending *pending, const struct store_run *runs,
                   uint32_t run_count)
{
    const struct list_row *list = &store_lists[runs->list];
    struct group           group = { .writer = writer, .rows = pending->rows, .list = list };
    uint32_t               rows = 0;
    int                    code;

    group.owner = key_owner(runs->group, (uint8_t)runs->key);
    for (uint32_t i = 0; i < run_count; i++) rows += runs[i].count;
    group.items = writer->store->items;
    group.count = rows;
    for (uint32_t i = 0; i < run_count; i++) { /* newest first, as in most tables */
        for (uint32_t at = 0; at < runs[i].count; at++) {
            rows -= 1;
            group.items[rows] =
                (struct store_item){ .number = runs[i].number + at, .slot = writer->store->slots[runs[i].number + at] };
        }
    }
    code = put_table(&group, list->rows);
    if (code == 0) code = put_table(&group, list->by_symbol);
    if (code == 0) code = put_table(&group, list->ends);
    if (code == 0 && list->by_other != NO_TABLE) {
        drop_alone(&group);
        code = put_table(&group, list->by_other);
    }
    return code;
}
