/* SPDX-License-Identifier: MIT */
/* store_walk.c — reads the entries of a list, from chunk to chunk. */
#include "history/store.h"

#include <errno.h>

/* ---- entries of one table ---- */

static int walk_open(struct store_walk *walk, struct store_reader *reader, const struct list_row *list,
                     enum store_table table, const struct key *prefix)
{
    *walk = (struct store_walk){ .list = list, .table = table, .prefix = *prefix };
    return store_error(mdb_cursor_open(reader->txn, reader->store->tables[table], &walk->cursor));
}

static const uint8_t *entry_at(const struct store_walk *walk, uint32_t at)
{
    return walk->entries + at * entry_bytes(walk->list, walk->table);
}

static struct entry_place place_at(const struct store_walk *walk, uint32_t at)
{
    return entry_place(walk->list, walk->table, entry_at(walk, at));
}

/* Takes the chunk that the cursor is at, when its key begins as it should. What was checked before is good still. */
static int take_chunk(struct store_walk *walk, int code, const MDB_val *key, const MDB_val *value)
{
    size_t         key_bytes = walk->prefix.len + 8 * (size_t)place_words(walk->list, walk->table);
    const uint8_t *entries;

    walk->count = walk->at = 0;
    if (code == MDB_NOTFOUND) return 0;
    if (code != 0) return store_error(code);
    if (key->mv_size != key_bytes || memcmp(key->mv_data, walk->prefix.at, walk->prefix.len) != 0) return 0;
    entries = (const uint8_t *)value->mv_data + STORE_HEAD;
    if (entries != walk->entries && !store_chunk_is_good(walk->table, key, value)) return -EUCLEAN;
    walk->entries = entries;
    walk->count = (uint32_t)((value->mv_size - STORE_HEAD) / entry_bytes(walk->list, walk->table));
    return 0;
}

static int next_chunk(struct store_walk *walk)
{
    MDB_val key, value;
    int     code = mdb_cursor_get(walk->cursor, &key, &value, MDB_NEXT);

    return take_chunk(walk, code, &key, &value);
}

/* How many entries of the chunk are above the place. */
static uint32_t count_above(const struct store_walk *walk, const struct entry_place *place)
{
    uint32_t low = 0, high = walk->count;

    while (low < high) {
        uint32_t           middle = low + (high - low) / 2;
        struct entry_place there = place_at(walk, middle);

        if (place_below(place, &there)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Stands at the first entry that is not above the place; count 0: there is none. */
static int walk_seek(struct store_walk *walk, const struct entry_place *place)
{
    struct key at = walk->prefix;
    MDB_val    key, value;
    int        code, error;

    key_put_place(&at, place, place_words(walk->list, walk->table));
    key = store_value_of(at.at, at.len);
    code = mdb_cursor_get(walk->cursor, &key, &value, MDB_SET_RANGE);
    error = take_chunk(walk, code, &key, &value);
    if (error != 0 || walk->count == 0) return error;
    walk->at = count_above(walk, place);
    return walk->at == walk->count ? next_chunk(walk) : 0;
}

static int walk_next(struct store_walk *walk)
{
    walk->at += 1;
    return walk->at < walk->count ? 0 : next_chunk(walk);
}

static bool is_inside(const struct store_walk *walk, const struct entry_place *place)
{
    struct entry_place first, last;

    if (walk->count == 0) return false;
    first = place_at(walk, 0);
    last = place_at(walk, walk->count - 1);
    return !place_below(&first, place) && !place_below(place, &last);
}

/* The entry of this place; often it is in the chunk that the one before was in. */
static int walk_find(struct store_walk *walk, const struct entry_place *place, bool *found)
{
    struct entry_place there;
    int                error = 0;

    if (is_inside(walk, place)) walk->at = count_above(walk, place);
    else error = walk_seek(walk, place);
    *found = error == 0 && walk->count != 0;
    if (!*found) return error;
    there = place_at(walk, walk->at);
    *found = !place_below(&there, place) && !place_below(place, &there);
    return 0;
}

/* ---- lists ---- */

int list_open(struct store_list *list, struct store_reader *reader, const struct list_row *kind,
              const struct history_query *query)
{
    struct key       owner = key_owner(query->account_id, query->market), prefix = owner;
    enum store_table rows = (enum store_table)kind->rows, table = rows;
    int              error;

    *list = (struct store_list){ .kind = kind };
    if (kind->by_other != NO_TABLE && query->other_id != 0) {
        table = (enum store_table)kind->by_other;
        list->other = query->other_id;
    } else if (query->symbol_id != 0) {
        table = (enum store_table)kind->by_symbol;
        key_put(&prefix, query->symbol_id, 4);
    }
    error = walk_open(&list->walk, reader, kind, table, &prefix);
    if (error == 0 && table != rows) {
        error = walk_open(&list->rows, reader, kind, rows, &owner);
        if (error != 0) mdb_cursor_close(list->walk.cursor);
    }
    return error;
}

void list_close(struct store_list *list)
{
    mdb_cursor_close(list->walk.cursor);
    if (list->rows.cursor != NULL) mdb_cursor_close(list->rows.cursor);
}

/* Takes rank and time of the row that the walk stands at. */
static int take(struct store_list *list, int error)
{
    const struct store_walk *walk = &list->walk;
    struct store_other       is;

    list->at_row = error == 0 && walk->count != 0;
    if (!list->at_row) return error;
    if (walk->table == (enum store_table)list->kind->rows) {
        list->rank = record_rank(list->kind, entry_at(walk, walk->at));
        list->time_ms = record_time(list->kind, entry_at(walk, walk->at));
        return 0;
    }
    memcpy(&is, entry_at(walk, walk->at), entry_bytes(list->kind, walk->table));
    list->rank = is.is.rank;
    list->time_ms = is.is.time_ms;
    if (walk->table == (enum store_table)list->kind->by_other) list->at_row = is.other == list->other;
    return 0;
}

int list_seek(struct store_list *list, struct rank top)
{
    struct entry_place place = place_of(list->kind, list->walk.table, list->other, top);
    int                error = take(list, walk_seek(&list->walk, &place));

    if (error == 0 && list->at_row && rank_equal(list->rank, top)) return list_next(list);
    return error;
}

int list_next(struct store_list *list) { return take(list, walk_next(&list->walk)); }

int list_row(struct store_list *list, void *row)
{
    struct store_walk *walk = list->rows.cursor == NULL ? &list->walk : &list->rows;
    struct entry_place place = place_of(list->kind, walk->table, 0, list->rank);
    bool               found = true;
    int                error = walk == &list->walk ? 0 : walk_find(walk, &place, &found);

    if (error != 0 || !found) return error != 0 ? error : -EUCLEAN; /* indexed and not there: damage too */
    memcpy(row, entry_at(walk, walk->at), list->kind->bytes);
    return 0;
}

/* ---- one row ---- */

int store_row_of(struct store_reader *reader, const struct list_row *kind, uint64_t account_id, uint8_t market,
                 struct rank rank, bool *found, void *row)
{
    struct key         owner = key_owner(account_id, market);
    struct entry_place place = place_of(kind, (enum store_table)kind->rows, 0, rank);
    struct store_walk  walk;
    int                error = walk_open(&walk, reader, kind, (enum store_table)kind->rows, &owner);

    if (error != 0) return error;
    error = walk_find(&walk, &place, found);
    if (*found) memcpy(row, entry_at(&walk, walk.at), kind->bytes);
    mdb_cursor_close(walk.cursor);
    return error;
}

int store_end_of(struct store_reader *reader, const struct list_row *kind, uint64_t account_id, uint8_t market,
                 uint64_t id, struct ended *ended)
{
    struct key           owner = key_owner(account_id, market);
    struct entry_place   place = { { id } };
    struct store_pointer end;
    struct store_walk    walk;
    int                  error = walk_open(&walk, reader, kind, (enum store_table)kind->ends, &owner);

    *ended = (struct ended){ 0 };
    if (error != 0) return error;
    error = walk_seek(&walk, &place);
    if (error == 0 && walk.count != 0) {
        memcpy(&end, entry_at(&walk, walk.at), sizeof(end));
        *ended = (struct ended){ end.rank.minor, end.time_ms };
    }
    mdb_cursor_close(walk.cursor);
    return error;
}
