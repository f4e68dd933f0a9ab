/* SPDX-License-Identifier: MIT */
/*
 * check.c — whether a store on disk may be opened.
 *
 * LMDB trusts its pages: a page that changed on the disk can make it jump anywhere, at a read, or at a write long
 * after. So a store that its hash does not prove is read once as a whole before it is used, in a separate process: a
 * crash of LMDB happens there, and every end but a clean one means no.
 *
 *     file     holds every page that is in use (a page beyond its end would be a fatal fault)
 *     leaves   are where LMDB expects them, match their heads, each once
 *     long     values, which have a page of their own, likewise
 *     entries  rise, are as many as the table states, match their checks; the path from the root leads to them
 *     free     pages are within the file, none twice, none in use
 *     rest     of the pages are branches, as many as the tables state, and match their heads
 */
#include "history/store.h"

#include "io/child.h"
#include "io/process.h"

#include <stdlib.h>

#define FREE_TABLE    0 /* LMDB's own: pages to be used again, and the list of tables */
#define META_PAGES    2
#define PAGE_BRANCH   0x01
#define PAGE_LEAF     0x02
#define PAGE_OVERFLOW 0x04
#define NODE_HEAD     8

/*
 * The head of a page as LMDB 0.9 lays it out; behind it the offsets of the nodes, one uint16 each. An overflow page
 * has its number of pages where the others have lower and upper.
 */
struct page_head {
    uint64_t number;
    uint16_t pad, flags, lower, upper;
};

struct walk {
    struct store   store;
    MDB_txn       *txn;
    const uint8_t *map; /* page 0; known with the first leaf */
    size_t         page_bytes;
    uint64_t       pages;
    uint8_t       *seen;     /* one per page */
    uint64_t       branches; /* as stated by the tables */
};

/* One leaf while its entries go by. */
struct leaf {
    const uint8_t *at;
    MDB_val        first, last;
    size_t         entries, bytes;
};

/* What a table is made of. */
struct sum {
    uint64_t entries, leaves, long_pages;
};

static bool see(struct walk *walk, uint64_t number)
{
    if (number < META_PAGES || number >= walk->pages || walk->seen[number] != 0) return false;
    walk->seen[number] = 1;
    return true;
}

static const uint8_t *page_of(const struct walk *walk, const void *at)
{
    return (const uint8_t *)at - ((uintptr_t)at & (walk->page_bytes - 1));
}

static size_t node_bytes(size_t key, size_t value) { return (NODE_HEAD + key + value + 1) & ~(size_t)1; }

/* Nodes lie without gaps at the end of a page, their offsets without gaps behind its head. */
static bool page_is_filled(const struct walk *walk, const struct page_head *head, size_t nodes, size_t bytes)
{
    return head->lower == sizeof(*head) + nodes * sizeof(uint16_t) && head->lower <= head->upper
        && head->upper + bytes == walk->page_bytes;
}

static bool see_leaf(struct walk *walk, const void *key)
{
    const uint8_t   *page = page_of(walk, key);
    struct page_head head;

    memcpy(&head, page, sizeof(head));
    if (head.flags != PAGE_LEAF || !see(walk, head.number)) return false;
    const uint8_t *map = page - head.number * walk->page_bytes;
    if (walk->map == NULL) walk->map = map;
    return walk->map == map;
}

/* ---- tables ---- */

static int compare(const MDB_val *a, const MDB_val *b)
{
    size_t len = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
    int    order = memcmp(a->mv_data, b->mv_data, len);

    return order != 0 ? order : (a->mv_size > b->mv_size) - (a->mv_size < b->mv_size);
}

/* The first and the last key of every leaf are found from the root, so the branches above part keys rightly. */
static bool leads_to(struct walk *walk, MDB_dbi table, MDB_val key, const struct leaf *leaf)
{
    MDB_val     value;
    MDB_cursor *cursor;
    bool        leads;

    if (mdb_cursor_open(walk->txn, table, &cursor) != 0) return false;
    leads = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY) == 0 && page_of(walk, key.mv_data) == leaf->at;
    mdb_cursor_close(cursor);
    return leads;
}

static bool leaf_ends(struct walk *walk, MDB_dbi table, const struct leaf *leaf)
{
    struct page_head head;

    memcpy(&head, leaf->at, sizeof(head));
    return page_is_filled(walk, &head, leaf->entries, leaf->bytes) && leads_to(walk, table, leaf->first, leaf)
        && leads_to(walk, table, leaf->last, leaf);
}

/* The head and pages of a long value, which takes `least` of them; LMDB leaves it more when it became shorter. */
static bool see_long(struct walk *walk, const uint8_t *page, uint64_t least)
{
    uint64_t         first = (uint64_t)(page - walk->map) / walk->page_bytes, count;
    struct page_head head;

    memcpy(&head, page, sizeof(head));
    count = head.lower | (uint32_t)head.upper << 16;
    if (head.number != first || head.flags != PAGE_OVERFLOW || count < least) return false;
    for (uint64_t i = 0; i < count; i++)
        if (!see(walk, first + i)) return false;
    return true;
}

static uint64_t pages_of(const struct walk *walk, size_t value)
{
    return (sizeof(struct page_head) + value + walk->page_bytes - 1) / walk->page_bytes;
}

/* How many pages of its own a value has; false: they are not what they should be. */
static bool see_value(struct walk *walk, const struct leaf *leaf, const MDB_val *value, uint64_t *pages)
{
    const uint8_t *page = page_of(walk, value->mv_data);

    *pages = page == leaf->at ? 0 : pages_of(walk, value->mv_size);
    return *pages == 0 || (*pages == 1 && see_long(walk, page, 1));
}

static bool table_adds_up(struct walk *walk, MDB_dbi table, const struct sum *sum)
{
    MDB_stat stat;

    if (mdb_stat(walk->txn, table, &stat) != 0) return false;
    walk->branches += stat.ms_branch_pages;
    return stat.ms_entries == sum->entries && stat.ms_leaf_pages == sum->leaves
        && stat.ms_overflow_pages == sum->long_pages;
}

/* `kind` is STORE_TABLES for the list of tables itself, whose values belong to LMDB. */
static bool walk_entries(struct walk *walk, MDB_cursor *cursor, MDB_dbi table, enum store_table kind)
{
    struct sum  sum = { 0 };
    struct leaf leaf = { 0 };
    MDB_val     key, value;
    int         code;

    while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
        const uint8_t *page = page_of(walk, key.mv_data);
        uint64_t       pages;
        if (sum.entries > 0 && compare(&leaf.last, &key) >= 0) return false;
        if (page != leaf.at) {
            if (leaf.at != NULL && !leaf_ends(walk, table, &leaf)) return false;
            if (!see_leaf(walk, key.mv_data)) return false;
            leaf = (struct leaf){ .at = page, .first = key };
            sum.leaves++;
        }
        if (!see_value(walk, &leaf, &value, &pages)) return false;
        if (kind != STORE_TABLES && !store_value_is_good(kind, &key, &value)) return false;
        leaf.last = key;
        leaf.entries++;
        leaf.bytes += node_bytes(key.mv_size, pages == 0 ? value.mv_size : sizeof(uint64_t));
        sum.entries++;
        sum.long_pages += pages;
    }
    if (code != MDB_NOTFOUND || (leaf.at != NULL && !leaf_ends(walk, table, &leaf))) return false;
    return table_adds_up(walk, table, &sum);
}

static bool walk_table(struct walk *walk, const char *name, enum store_table kind)
{
    MDB_cursor *cursor;
    unsigned    flags;
    MDB_dbi     table;

    if (mdb_dbi_open(walk->txn, name, 0, &table) != 0 || mdb_dbi_flags(walk->txn, table, &flags) != 0 || flags != 0)
        return false;
    if (mdb_cursor_open(walk->txn, table, &cursor) != 0) return false;
    bool good = walk_entries(walk, cursor, table, kind);
    mdb_cursor_close(cursor);
    return good;
}

/* ---- the rest of the pages ---- */

/* One list of free pages: how many, then their numbers, falling. Long lists have pages of their own. */
static bool see_free(struct walk *walk, const MDB_val *key, const MDB_val *value)
{
    const uint64_t *list = value->mv_data;

    if (value->mv_size < sizeof(*list) || list[0] > value->mv_size / sizeof(*list) - 1) return false;
    for (uint64_t i = 1; i <= list[0]; i++)
        if (!see(walk, list[i])) return false;
    const uint8_t *page = page_of(walk, list);
    if (page == page_of(walk, key->mv_data)) return true;
    return see_long(walk, page, pages_of(walk, value->mv_size));
}

/* Its leaves match their heads too; a list with pages of its own is the number of the first of them. */
static bool free_leaf_is_filled(const struct walk *walk, const struct leaf *leaf)
{
    struct page_head head;

    if (leaf->at == NULL) return true;
    memcpy(&head, leaf->at, sizeof(head));
    return page_is_filled(walk, &head, leaf->entries, leaf->bytes);
}

static bool see_free_entry(struct walk *walk, struct leaf *leaf, const MDB_val *key, const MDB_val *value)
{
    const uint8_t *page = page_of(walk, key->mv_data);

    if (page != leaf->at) {
        if (!free_leaf_is_filled(walk, leaf) || !see_leaf(walk, key->mv_data)) return false;
        *leaf = (struct leaf){ .at = page };
    }
    leaf->entries++;
    leaf->bytes += node_bytes(key->mv_size, page_of(walk, value->mv_data) == page ? value->mv_size : sizeof(uint64_t));
    return see_free(walk, key, value);
}

static bool walk_free(struct walk *walk)
{
    struct leaf leaf = { 0 };
    MDB_cursor *cursor;
    MDB_val     key, value;
    MDB_stat    stat;
    uint64_t    last = 0, entries = 0;
    int         code;

    if (mdb_cursor_open(walk->txn, FREE_TABLE, &cursor) != 0) return false;
    while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
        uint64_t number;
        if (key.mv_size != sizeof(number)) return false;
        memcpy(&number, key.mv_data, sizeof(number));
        if (number <= last) return false;
        if (!see_free_entry(walk, &leaf, &key, &value)) return false;
        last = number;
        entries++;
    }
    mdb_cursor_close(cursor);
    if (code != MDB_NOTFOUND || !free_leaf_is_filled(walk, &leaf) || mdb_stat(walk->txn, FREE_TABLE, &stat) != 0)
        return false;
    walk->branches += stat.ms_branch_pages;
    return stat.ms_entries == entries;
}

static bool branch_is_good(const struct walk *walk, uint64_t number)
{
    const uint8_t   *page = walk->map + number * walk->page_bytes;
    struct page_head head;
    size_t           bytes = 0, nodes;
    uint16_t         at, key_bytes;

    memcpy(&head, page, sizeof(head));
    if (head.number != number || head.flags != PAGE_BRANCH || head.lower < sizeof(head)
        || head.lower > walk->page_bytes)
        return false;
    nodes = (head.lower - sizeof(head)) / sizeof(at);
    for (size_t i = 0; i < nodes; i++) {
        memcpy(&at, page + sizeof(head) + i * sizeof(at), sizeof(at));
        if (at < head.upper || at + (size_t)NODE_HEAD > walk->page_bytes) return false;
        memcpy(&key_bytes, page + at + NODE_HEAD - sizeof(key_bytes), sizeof(key_bytes));
        bytes += node_bytes(key_bytes, 0);
    }
    return page_is_filled(walk, &head, nodes, bytes);
}

static bool walk_branches(struct walk *walk)
{
    uint64_t branches = 0;

    for (uint64_t number = META_PAGES; number < walk->pages; number++) {
        if (walk->seen[number] != 0) continue;
        if (!branch_is_good(walk, number)) return false;
        branches++;
    }
    return branches == walk->branches;
}

/* ---- the walk ---- */

/* The last pages may be free and never have been written: whether the file is long enough shows when a page is read. */
static bool measure(struct walk *walk)
{
    MDB_envinfo info;
    MDB_stat    stat;

    if (mdb_env_info(walk->store.env, &info) != 0 || mdb_env_stat(walk->store.env, &stat) != 0) return false;
    walk->page_bytes = stat.ms_psize;
    walk->pages = info.me_last_pgno + 1;
    return walk->page_bytes == process_page_bytes() && walk->pages <= info.me_mapsize / walk->page_bytes;
}

static bool walk_store(const void *folder)
{
    struct walk walk = { 0 };
    bool        good;

    if (store_open_env(&walk.store, folder, MDB_RDONLY | MDB_NOLOCK) != 0 || !measure(&walk)) return false;
    walk.seen = calloc(walk.pages, 1);
    if (walk.seen == NULL || mdb_txn_begin(walk.store.env, NULL, MDB_RDONLY, &walk.txn) != 0) return false;
    good = walk_table(&walk, NULL, STORE_TABLES);
    for (enum store_table i = 0; i < STORE_TABLES && good; i++) good = walk_table(&walk, store_table_name(i), i);
    return good && walk_free(&walk) && walk_branches(&walk); /* the process ends here, and all it has with it */
}

bool store_check(const char *folder) { return child_try(walk_store, folder); }
