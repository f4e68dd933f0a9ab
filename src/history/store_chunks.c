/* SPDX-License-Identifier: MIT */
/*
 * store_chunks.c — entries of a list's table go into chunks, each a row of LMDB.
 *
 * A put of LMDB costs 1,400 instructions, so entries that are written together share one. New entries are newer than
 * those that are there, nearly always: they fill chunks of a page each, from the oldest on, and go together with the
 * newest chunk that is there when that is short, so that an account that trades now and then has no chunk for each
 * entry, and none is written again and again for one entry more. Entries that come between others, or are there
 * already, go into the chunk that they belong to, which is divided where it gets too long.
 */
#include "history/store.h"

#define SHORT_BYTES   256 /* of a chunk that is written again for one entry more */
#define ENTRIES_AHEAD 6   /* an entry is prefetched while the sixth before it is copied */

/* The chunk that an entry belongs to. */
struct found {
    MDB_val            key, value; /* in the map, until the next put */
    bool               is;         /* there is one */
    struct entry_place last;
};

static struct entry_place place_at(const struct store_chunks *chunks, uint32_t at)
{
    return entry_place(chunks->list, chunks->table, chunks->writer->store->entries[at]);
}

static struct key key_of(const struct store_chunks *chunks, uint32_t at)
{
    struct key         key = chunks->prefix;
    struct entry_place place = place_at(chunks, at);

    key_put_place(&key, &place, place_words(chunks->list, chunks->table));
    return key;
}

/* The first chunk whose key is not before that of an entry. */
static int find(const struct store_chunks *chunks, uint32_t at, struct found *found)
{
    struct key     key = key_of(chunks, at);
    const uint8_t *name;
    MDB_cursor    *cursor;
    int            code = store_cursor(chunks->writer, chunks->table, &cursor);

    *found = (struct found){ .key = store_value_of(key.at, key.len) };
    if (code == 0) code = mdb_cursor_get(cursor, &found->key, &found->value, MDB_SET_RANGE);
    if (code != 0) return code == MDB_NOTFOUND ? 0 : code;
    name = found->key.mv_data;
    if (found->key.mv_size != key.len || memcmp(name, key.at, chunks->prefix.len) != 0) return 0;
    found->is = true;
    for (uint32_t i = 0; i < place_words(chunks->list, chunks->table); i++)
        found->last.words[i] = ~key_get(name + chunks->prefix.len + 8 * (size_t)i, 8);
    return 0;
}

static int put_chunk(const struct store_chunks *chunks, uint32_t first, uint32_t end)
{
    const struct store *store = chunks->writer->store;
    const void *const  *entries = store->entries;
    size_t              bytes = entry_bytes(chunks->list, chunks->table);
    struct key          key = key_of(chunks, end - 1);
    uint8_t            *at = store->chunk;

    assert(first < end && (end - first) * bytes <= CHUNK_BYTES);
    for (uint32_t i = first; i < end; i++, at += bytes) {
        if (i + ENTRIES_AHEAD < end) fetch_lines(entries[i + ENTRIES_AHEAD], bytes);
        memcpy(at, entries[i], bytes);
    }
    return store_put_row(chunks->writer, chunks->table, &key, store->chunk, (size_t)(at - store->chunk), 0);
}

/*
 * Entries first to end - 1 in as few chunks as there can be: of new ones all but the newest chunk are full, as no more
 * entries come to them; of others all are alike.
 */
static int put_all(const struct store_chunks *chunks, uint32_t first, uint32_t end, bool newer)
{
    uint32_t most = (uint32_t)(CHUNK_BYTES / entry_bytes(chunks->list, chunks->table));
    uint32_t count = end - first, parts = (count + most - 1) / most;
    int      code = 0;

    for (uint32_t part = 1; part <= parts && code == 0; part++) {
        uint32_t to = newer ? end - (parts - part) * most : end - (uint32_t)((uint64_t)count * (parts - part) / parts);

        code = put_chunk(chunks, first, to);
        first = to;
    }
    return code;
}

/* By their places: below 0, 0 or above 0. */
static int compare(const struct store_chunks *chunks, const void *left, const void *right)
{
    struct entry_place a = entry_place(chunks->list, chunks->table, left),
                       b = entry_place(chunks->list, chunks->table, right);

    return place_below(&b, &a) - place_below(&a, &b);
}

/*
 * Entries *first to *end - 1 and those of a chunk, of which *first says where they begin now, and *end where they end:
 * in front of the entries is room for those of a chunk. Of two with one place the one that was there drops out.
 */
static void merge(const struct store_chunks *chunks, const uint8_t *old, uint32_t old_count, uint32_t *first,
                  uint32_t *end)
{
    const void **entries = chunks->writer->store->entries;
    size_t       bytes = entry_bytes(chunks->list, chunks->table);
    uint32_t     at = *first - old_count, next = *first;

    assert(*first >= old_count);
    *first = at;
    for (const uint8_t *old_end = old + old_count * bytes; old < old_end || next < *end;) {
        int order = old == old_end ? 1 : next == *end ? -1 : compare(chunks, entries[next], old);

        if (order >= 0) entries[at++] = entries[next++];
        else entries[at++] = old;
        if (order <= 0) old += bytes;
    }
    *end = at;
}

/* Not one of the chunk's entries is as new as these. A chunk of another length is damaged. */
static bool are_newer(const struct store_chunks *chunks, const struct found *found, uint32_t end)
{
    const uint8_t *newest = (const uint8_t *)found->value.mv_data + STORE_HEAD;

    if (found->value.mv_size < STORE_HEAD + entry_bytes(chunks->list, chunks->table)) return false;
    return compare(chunks, newest, chunks->writer->store->entries[end - 1]) < 0;
}

/* A damaged chunk stays as it is: it is an error for whoever reads it. An entry that would take its key is left out. */
static int put_beside(const struct store_chunks *chunks, const struct found *found, uint32_t first, uint32_t end)
{
    struct entry_place last = place_at(chunks, end - 1);

    if (!place_below(&found->last, &last)) end -= 1;
    return end == first ? 0 : put_all(chunks, first, end, true);
}

/* Entries that belong to a chunk, or are newer than all in it and go into it, or in front of it. */
static int put_into(const struct store_chunks *chunks, const struct found *found, uint32_t first, uint32_t end)
{
    uint8_t *old = chunks->writer->store->chunk_before;
    size_t   bytes = entry_bytes(chunks->list, chunks->table), old_bytes = found->value.mv_size - STORE_HEAD;
    bool     newer = are_newer(chunks, found, end);

    if (newer && old_bytes > SHORT_BYTES + 2 * (end - first) * bytes) return put_all(chunks, first, end, true);
    if (!store_chunk_is_good(chunks->table, &found->key, &found->value)) return put_beside(chunks, found, first, end);
    memcpy(old, (const uint8_t *)found->value.mv_data + STORE_HEAD, old_bytes);
    merge(chunks, old, (uint32_t)(old_bytes / bytes), &first, &end);
    return put_all(chunks, first, end, newer);
}

static bool belongs(const struct store_chunks *chunks, uint32_t at, const struct found *found)
{
    struct entry_place place = place_at(chunks, at);

    return !place_below(&place, &found->last);
}

int store_put_entries(const struct store_chunks *chunks, uint32_t count)
{
    uint32_t first = CHUNK_ENTRIES, end = first + count;
    int      code = 0;

    while (first < end && code == 0) {
        struct found found;
        uint32_t     last = first;

        code = find(chunks, first, &found);
        if (code != 0) break;
        while (last < end && (!found.is || belongs(chunks, last, &found))) last++;
        code = found.is ? put_into(chunks, &found, first, last) : put_all(chunks, first, last, true);
        first = last;
    }
    return code;
}
