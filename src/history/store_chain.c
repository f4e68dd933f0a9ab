/* SPDX-License-Identifier: MIT */
/*
 * store_chain.c — the tables of blocks and transactions.
 *
 * A table keyed by hashes alone would touch another page with every row. So hashes are kept in groups of
 * 2^HASH_GROUP_BITS commands (or blocks): rows written together fall into a few pages, and a look-up searches one group
 * after the other, the newest first.
 */
#include "history/store.h"

#include <errno.h>

#define HASH_GROUP_MASK ((UINT64_C(1) << HASH_GROUP_BITS) - 1)
#define HASH_BYTES      8 /* of a hash that are in the key; the row it names has all of it */

/* ---- writing ---- */

static struct key key_number(uint64_t number)
{
    struct key key = { 0 };
    key_put(&key, number, 8);
    return key;
}

static struct key key_effect(uint64_t seq, uint32_t number)
{
    struct key key = key_number(seq);
    key_put(&key, number, 4);
    return key;
}

static struct key key_hash(uint64_t group, const struct hash256 *hash, uint64_t low)
{
    struct key key = { 0 };
    key_put(&key, group, 6);
    memcpy(key.at + key.len, hash->bytes, HASH_BYTES);
    key.len += HASH_BYTES;
    key_put(&key, low, 2);
    return key;
}

int store_put_hash(struct store_writer *writer, enum store_table table, const struct hash256 *hash, uint64_t id)
{
    struct key key = key_hash(id >> HASH_GROUP_BITS, hash, id & HASH_GROUP_MASK);
    return store_put_row(writer, table, &key, &id, sizeof(id), 0);
}

int store_put_block(struct store_writer *writer, const struct history_block *block)
{
    struct key key = key_number(block->number);
    int        code = store_append_row(writer, BLOCKS, &key, block, sizeof(*block));
    return code == 0 ? store_put_hash(writer, BLOCK_HASHES, &block->hash, block->number) : code;
}

int store_put_fill_effect(struct store_writer *writer, const struct row *row)
{
    const struct filled *fill = &row->fill;
    struct store_effect  effect = { fill->account_id, fill->order_id,    fill->trade_id,
                                    EVENT_FILL,       fill->head.market, { 0 } };
    struct key           key = key_effect(row->seq, row->hash_older);

    return store_append_row(writer, EFFECTS, &key, &effect, sizeof(effect));
}

int store_put_transfer(struct store_writer *writer, const struct row *row)
{
    struct store_effect effect = { .kind = EVENT_TRANSFER };
    struct key          key = key_effect(row->seq, row->hash_older);
    int                 code = store_append_row(writer, TRANSFERS, &key, &row->transfer, sizeof(row->transfer));

    return code == 0 ? store_append_row(writer, EFFECTS, &key, &effect, sizeof(effect)) : code;
}

/* ---- reading one row ---- */

static int get(struct store_reader *reader, enum store_table table, const struct key *key, bool *found, void *row,
               size_t len)
{
    MDB_val name = store_value_of(key->at, key->len), value;
    int     code = mdb_get(reader->txn, reader->store->tables[table], &name, &value);

    *found = code == 0;
    if (code == MDB_NOTFOUND) return 0;
    return code != 0 ? store_error(code) : store_read_row(table, &name, &value, row, len);
}

int store_block(struct store_reader *reader, uint64_t number, bool *found, struct history_block *block)
{
    struct key key = key_number(number);
    return get(reader, BLOCKS, &key, found, block, sizeof(*block));
}

/* ---- hashes ---- */

/* The number behind a hash: looked up by the id that a row of hashes gives. */
union named {
    struct history_block      block;
    struct history_transacted tx;
};

static int load(struct store_reader *reader, enum store_table table, uint64_t id, bool *found, union named *named,
                const struct hash256 **hash)
{
    if (table == BLOCK_HASHES) {
        *hash = &named->block.hash;
        return store_block(reader, id, found, &named->block);
    }
    *hash = &named->tx.place.hash;
    named->tx.seq = id;
    return store_tx_location(reader, id, found, &named->tx.place);
}

/* The row of this hash in one group: the newest, when an operator's transaction was repeated. */
static int find_in_group(struct store_reader *reader, MDB_cursor *cursor, enum store_table table, uint64_t group,
                         const struct hash256 *hash, bool *found, union named *named)
{
    struct key key = key_hash(group, hash, 0);
    MDB_val    name = store_value_of(key.at, key.len), value;
    int        code = mdb_cursor_get(cursor, &name, &value, MDB_SET_RANGE), error = 0;

    for (; code == 0 && error == 0; code = mdb_cursor_get(cursor, &name, &value, MDB_NEXT)) {
        const struct hash256 *full;
        union named           one;
        uint64_t              id;
        bool                  there;
        if (name.mv_size != key.len || memcmp(name.mv_data, key.at, key.len - 2) != 0) return 0;
        error = store_read_row(table, &name, &value, &id, sizeof(id));
        if (error == 0) error = load(reader, table, id, &there, &one, &full);
        if (error != 0) return error;
        if (!there) return -EUCLEAN; /* indexed and not there: damage */
        if (!hash256_equal(full, hash)) continue;
        *named = one;
        *found = true;
    }
    return code == 0 || code == MDB_NOTFOUND ? error : store_error(code);
}

static int find_hash(struct store_reader *reader, enum store_table table, const struct hash256 *hash, bool *found,
                     union named *named)
{
    MDB_cursor *cursor;
    MDB_val     name, value;
    int         error = store_error(mdb_cursor_open(reader->txn, reader->store->tables[table], &cursor));

    *found = false;
    if (error != 0) return error;
    int      code = mdb_cursor_get(cursor, &name, &value, MDB_LAST);
    uint64_t groups = code == 0 && name.mv_size > 6 ? key_get(name.mv_data, 6) + 1 : 0;
    if (code != 0 && code != MDB_NOTFOUND) error = store_error(code);
    while (error == 0 && groups-- > 0 && !*found)
        error = find_in_group(reader, cursor, table, groups, hash, found, named);
    mdb_cursor_close(cursor);
    return error;
}

int store_block_of(struct store_reader *reader, const struct hash256 *hash, bool *found, struct history_block *block)
{
    union named named;
    int         error = find_hash(reader, BLOCK_HASHES, hash, found, &named);

    if (error == 0 && *found) *block = named.block;
    return error;
}

int store_transaction_of(struct store_reader *reader, const struct hash256 *hash, bool *found,
                         struct history_transacted *tx)
{
    union named named;
    int         error = find_hash(reader, TX_HASHES, hash, found, &named);

    if (error == 0 && *found) *tx = named.tx;
    return error;
}

/* ---- the transactions of a block ---- */

static int take_location(const MDB_val *name, const MDB_val *value, struct history_transacted *tx)
{
    if (name->mv_size != 8) return -EUCLEAN;
    tx->seq = key_get(name->mv_data, 8);
    return store_read_row(PLACES, name, value, &tx->place, sizeof(tx->place));
}

int store_transaction_from(struct store_reader *reader, uint64_t seq, bool *found, struct history_transacted *tx)
{
    struct key  key = key_number(seq);
    MDB_val     name = store_value_of(key.at, key.len), value;
    MDB_cursor *cursor;
    int         error = store_error(mdb_cursor_open(reader->txn, reader->store->tables[PLACES], &cursor));

    *found = false;
    if (error != 0) return error;
    int code = mdb_cursor_get(cursor, &name, &value, MDB_SET_RANGE);
    if (code == 0) error = take_location(&name, &value, tx);
    else if (code != MDB_NOTFOUND) error = store_error(code);
    *found = code == 0;
    mdb_cursor_close(cursor);
    return error;
}

int store_transactions(struct store_reader *reader, const struct history_block *block, struct history_transacted *txs,
                       uint32_t *count)
{
    struct key  key = key_number(block->first_seq);
    MDB_val     name = store_value_of(key.at, key.len), value;
    MDB_cursor *cursor;
    int         error = store_error(mdb_cursor_open(reader->txn, reader->store->tables[PLACES], &cursor));

    if (error != 0) return error;
    int code = mdb_cursor_get(cursor, &name, &value, MDB_SET_RANGE);
    while (code == 0 && error == 0) {
        struct history_transacted tx;
        error = take_location(&name, &value, &tx);
        if (error != 0 || tx.seq > block->last_seq) break;
        if (tx.place.block != block->number || tx.place.index >= block->count) error = -EUCLEAN;
        else if (txs[tx.place.index].seq == 0) {
            txs[tx.place.index] = tx;
            *count += 1;
        }
        code = mdb_cursor_get(cursor, &name, &value, MDB_NEXT);
    }
    if (error == 0 && code != 0 && code != MDB_NOTFOUND) error = store_error(code);
    mdb_cursor_close(cursor);
    return error;
}

/* ---- effects ---- */

static int load_effect(struct store_reader *reader, uint64_t seq, uint32_t number, const struct store_effect *row,
                       union history_effect *effect)
{
    struct key key = key_effect(seq, number);
    bool       found;
    int        error;

    if (row->kind == EVENT_TRANSFER) {
        error = get(reader, TRANSFERS, &key, &found, &effect->transfer, sizeof(effect->transfer));
    } else {
        error = store_row_of(reader, &store_lists[LIST_FILLS], row->account_id, row->market,
                             (struct rank){ row->trade_id, row->order_id }, &found, &effect->fill);
    }
    return error == 0 && !found ? -EUCLEAN : error;
}

int store_effects(struct store_reader *reader, uint64_t seq, uint32_t end, union history_effect *effects, uint32_t max,
                  uint32_t *count)
{
    struct key  key = key_effect(seq, 0);
    MDB_val     name = store_value_of(key.at, key.len), value;
    MDB_cursor *cursor;
    int         error = store_error(mdb_cursor_open(reader->txn, reader->store->tables[EFFECTS], &cursor));

    *count = 0;
    if (error != 0) return error;
    int code = mdb_cursor_get(cursor, &name, &value, MDB_SET_RANGE);
    while (code == 0 && error == 0 && *count < end) {
        struct store_effect row;
        if (name.mv_size != 12 || key_get(name.mv_data, 8) != seq) break;
        error = store_read_row(EFFECTS, &name, &value, &row, sizeof(row));
        if (error == 0 && key_get((const uint8_t *)name.mv_data + 8, 4) != *count) error = -EUCLEAN;
        if (error == 0 && *count < max) error = load_effect(reader, seq, *count, &row, &effects[*count]);
        *count += 1;
        code = mdb_cursor_get(cursor, &name, &value, MDB_NEXT);
    }
    if (error == 0 && code != 0 && code != MDB_NOTFOUND) error = store_error(code);
    mdb_cursor_close(cursor);
    return error;
}
