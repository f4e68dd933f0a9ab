/* SPDX-License-Identifier: MIT */
#include "core/state/layout.h"
#include "core/engine.h"

#define PARTS_MAX 48

/* Places of ids for each order that may be open: with fewer, every third order of W2 outlives its place (decision 936).
 */
#define ORDER_PLACES 4

static_assert(PART_ALIGN % _Alignof(struct order) == 0 && PART_ALIGN % _Alignof(struct position) == 0,
              "every part may begin where another ends");
static_assert(SYMBOLS_MAX + PERPS_MAX <= UINT8_MAX, "the number of a market is a byte, from 1");
static_assert(COINS_MAX <= 64, "a bit per coin says whose balance changed");
static_assert(PERPS_MAX <= 64, "a bit per perps symbol says where something traded");

/* How a part of the engine moves into a larger block of memory. */
enum part_kind {
    PART_ROWS,  /* its records keep their places */
    PART_TABLE, /* a table of base/table.h: its entries are put anew */
    PART_IDS,   /* places of order ids: they follow from the orders, which are moved before */
    PART_ROOM,  /* room to work in: nothing is kept between commands */
};

/* One part: where its offset is noted, how many records of which size. */
struct part {
    size_t        *at;
    uint64_t       count;
    size_t         size;
    enum part_kind kind;
};
struct parts {
    struct part at[PARTS_MAX];
    uint32_t    count;
};

static void part(struct parts *parts, size_t *at, uint64_t count, size_t size, enum part_kind kind)
{
    assert(parts->count < PARTS_MAX && size != 0);
    parts->at[parts->count++] = (struct part){ at, count, size, kind };
}

/* Nothing of it without perps symbols. A row per symbol is over the limit: the fund must always find one. */
static void list_perps(struct parts *parts, struct layout *layout, const struct layout_of *of, uint64_t rows)
{
    uint64_t any = of->perps_count != 0, positions = any * ((uint64_t)of->limits->positions + of->perps_count + 1),
             orders = any * ((uint64_t)of->limits->orders + 2);

    part(parts, &layout->at_perps, of->perps_count, sizeof(struct perps_market), PART_ROWS);
    part(parts, &layout->at_positions, positions, sizeof(struct position), PART_ROWS);
    part(parts, &layout->at_stops, orders, sizeof(struct stop), PART_ROWS);
    part(parts, &layout->at_scratch, orders, SCRATCH_ORDER, PART_ROOM); /* an order of an account, with its sort key */
    part(parts, &layout->at_fired, any * of->rules->triggers_per_command, sizeof(struct fired), PART_ROOM);
    part(parts, &layout->at_units, positions + any * rows, sizeof(struct unit_entry), PART_ROOM);
    part(parts, &layout->at_sums, any * rows, sizeof(struct unit_sum), PART_ROOM);
    part(parts, &layout->at_candidates, positions, sizeof(struct candidate), PART_ROOM);
    part(parts, &layout->at_wallets_touched, rows, sizeof(uint32_t), PART_ROOM);
}

static void list_tables(struct parts *parts, struct layout *layout, const struct layout_of *of)
{
    part(parts, &layout->at_order_ids, layout->order_places, sizeof(uint32_t), PART_IDS);
    part(parts, &layout->at_order_table, layout->order_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_client_table, layout->order_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_alias_table, layout->alias_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_address_table, layout->address_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_operator_table, layout->operator_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_key_table, layout->key_table_size, sizeof(struct table_entry), PART_TABLE);
    part(parts, &layout->at_key_name_table, layout->key_table_size, sizeof(struct table_entry), PART_TABLE);
    if (of->rules->client_id_reuse == REUSE_FILLED)
        part(parts, &layout->at_retired_table, layout->retired_table_size, sizeof(struct table_entry), PART_TABLE);
}

static void list_people(struct parts *parts, struct layout *layout, const struct layout_of *of, uint64_t rows)
{
    const struct limits *limits = of->limits;

    part(parts, &layout->at_schedules, rows * 2, sizeof(struct schedule_state), PART_ROWS);
    part(parts, &layout->at_heap, rows * 2, sizeof(uint32_t), PART_ROWS);
    part(parts, &layout->at_touched, rows, sizeof(uint32_t), PART_ROOM);
    part(parts, &layout->at_operators, limits->deposits, sizeof(struct operator_record), PART_ROWS);
    part(parts, &layout->at_margins, rows, sizeof(struct margin_account), PART_ROWS);
    part(parts, &layout->at_evm, rows * of->coin_count, sizeof(int64_t), PART_ROWS);
    part(parts, &layout->at_keys, (uint64_t)limits->keys + 1, sizeof(struct api_key), PART_ROWS);
    part(parts, &layout->at_transfers, transfer_places(limits) + 1, sizeof(struct transfer), PART_ROWS);
    part(parts, &layout->at_transfer_lists, rows * 2, sizeof(struct transfer_list), PART_ROWS);
    part(parts, &layout->at_key_lists, transfer_key_lists(limits) + 1, sizeof(struct transfer_list), PART_ROWS);
}

/* What accounts need only once they trade, revoke a key or sign. */
static void list_used(struct parts *parts, struct layout *layout, const struct layout_of *of, uint64_t rows)
{
    part(parts, &layout->at_volumes, volume_records(of->limits) + 1, sizeof(struct volumes), PART_ROWS);
    part(parts, &layout->at_revocations, rows + 1, sizeof(struct revocations), PART_ROWS);
    part(parts, &layout->at_nonces, nonce_sets(of->limits) + 1, sizeof(struct nonce_set), PART_ROWS);
    part(parts, &layout->at_nonce_chunks, nonce_chunks(of->limits) + 1, sizeof(struct nonce_chunk), PART_ROWS);
}

/* All parts in their order. Parts that are touched only on use, for accounts that may never exist, are last. */
static void list_parts(struct parts *parts, struct layout *layout, const struct layout_of *of)
{
    const struct limits *limits = of->limits;
    uint64_t             rows = (uint64_t)limits->accounts + SLOT_USERS + 1;

    parts->count = 0;
    part(parts, NULL, rows, layout->account_stride, PART_ROWS); /* account_at relies on their place */
    part(parts, &layout->at_orders, (uint64_t)limits->orders + 2, sizeof(struct order), PART_ROWS);
    part(parts, &layout->at_aliases, (uint64_t)limits->orders + 2, sizeof(struct alias), PART_ROWS);
    part(parts, &layout->at_levels, (uint64_t)limits->levels + 1, sizeof(struct level), PART_ROWS);
    part(parts, &layout->at_pages, (uint64_t)limits->levels + 1, sizeof(struct page), PART_ROWS);
    part(parts, &layout->at_wide_pages, (uint64_t)limits->levels / PAGE_WIDE_MIN + 1, sizeof(struct wide_page),
         PART_ROWS);
    part(parts, &layout->at_rungs, (uint64_t)limits->levels + 1, sizeof(struct rung), PART_ROWS);
    list_people(parts, layout, of, rows);
    list_tables(parts, layout, of);
    if (of->rules->client_id_reuse == REUSE_FILLED)
        part(parts, &layout->at_retired, limits->burnt_ids, sizeof(struct retired_id), PART_ROWS);
    list_perps(parts, layout, of, rows);
    list_used(parts, layout, of, rows);
}

static void place_parts(struct layout *layout, const struct parts *parts)
{
    layout->bytes = ENGINE_BYTES;
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *row = &parts->at[i];
        size_t             at = layout->bytes, end = at + (size_t)row->count * row->size;

        assert(at % PART_ALIGN == 0 && end >= at); /* a sum that overflowed would be smaller */
        if (row->at != NULL) *row->at = at;
        layout->bytes = align_up(end, PART_ALIGN);
    }
    assert(layout->bytes % PART_ALIGN == 0 && layout->bytes > ENGINE_BYTES);
}

static void set_sizes(struct layout *layout, const struct layout_of *of)
{
    const struct limits *limits = of->limits;

    layout->account_stride =
        (uint32_t)align_up(sizeof(struct account) + of->coin_count * sizeof(struct bucket), PART_ALIGN);
    assert(layout->account_stride >= sizeof(struct account) + of->coin_count * sizeof(struct bucket));
    layout->order_table_size = (uint32_t)table_size(limits->orders);
    layout->order_places = ORDER_PLACES * (uint32_t)power_of_two_above(limits->orders);
    layout->alias_table_size = (uint32_t)table_size(limits->orders);
    layout->address_table_size = (uint32_t)table_size(limits->accounts);
    layout->operator_table_size = (uint32_t)table_size(limits->deposits);
    layout->key_table_size = (uint32_t)table_size(limits->keys);
    if (of->rules->client_id_reuse == REUSE_FILLED)
        layout->retired_table_size = (uint32_t)table_size(limits->burnt_ids);
    assert(layout->order_table_size > limits->orders && layout->address_table_size > limits->accounts
           && layout->key_table_size > limits->keys);
}

void layout_set(struct layout *layout, const struct layout_of *of)
{
    struct parts parts;

    memset(layout, 0, sizeof(*layout));
    set_sizes(layout, of);
    list_parts(&parts, layout, of);
    place_parts(layout, &parts);
}

/* ---- into a larger block ---- */

#define MOVE_STEP 4096

/* Unused memory is zero on both sides, and stays untouched. */
static void move_bytes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    static const uint8_t zeros[MOVE_STEP];

    for (size_t at = 0; at < bytes; at += MOVE_STEP) {
        size_t step = bytes - at < MOVE_STEP ? bytes - at : MOVE_STEP;

        if (memcmp(from + at, zeros, step) != 0) memcpy(to + at, from + at, step);
    }
}

static void move_table(struct table_entry *to, uint32_t size, const struct table_entry *from, uint32_t count)
{
    assert(size >= count);
    for (uint32_t i = 0; i < count; i++)
        if (from[i].ix != 0) table_insert(to, size, from[i].key, from[i].ix);
}

/* Ids with places of their own among few places have them among many. */
static void move_ids(const struct engine *e, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (from[i] != 0) engine_order_ids(e)[order_at(e, from[i])->id & (e->layout.order_places - 1)] = from[i];
}

static void move_part(const struct engine *e, uint8_t *to, const struct part *new_part, const uint8_t *from,
                      const struct part *old_part)
{
    size_t bytes = (size_t)old_part->count * old_part->size;

    assert(new_part->kind == old_part->kind && new_part->size == old_part->size && new_part->count >= old_part->count);
    switch (new_part->kind) {
    case PART_ROWS: move_bytes(to, from, bytes); return;
    case PART_TABLE:
        move_table((struct table_entry *)(void *)to, (uint32_t)new_part->count,
                   (const struct table_entry *)(const void *)from, (uint32_t)old_part->count);
        return;
    case PART_IDS: move_ids(e, (const uint32_t *)(const void *)from, (uint32_t)old_part->count); return;
    case PART_ROOM: return;
    }
}

struct engine *engine_move(void *memory, const struct engine *from, const struct limits *limits)
{
    struct layout_of of = layout_of_engine(from);
    struct layout    old; /* the offsets of the parts are noted in it; they are those of `from` */
    struct engine   *e = memory;
    struct parts     old_parts, new_parts;
    const uint8_t   *base = (const uint8_t *)from;

    assert((uintptr_t)memory % PART_ALIGN == 0 && from->touched_count == 0 && from->wallet_touched_count == 0);
    layout_set(&old, &of);
    assert(memcmp(&old, &from->layout, sizeof(old)) == 0);
    list_parts(&old_parts, &old, &of);
    *e = *from;
    for (uint8_t pool = 1; pool < LIMITS; pool++)
        if (limits_get(limits, pool) != limits_get(&from->limits, pool)) e->raised[pool] = limits_get(limits, pool);
    e->limits = *limits;
    of = layout_of_engine(e);
    layout_set(&e->layout, &of);
    list_parts(&new_parts, &e->layout, &of);
    assert(old_parts.count == new_parts.count && e->layout.bytes >= old.bytes);
    for (uint32_t i = 0; i < new_parts.count; i++) {
        const struct part *new_part = &new_parts.at[i], *old_part = &old_parts.at[i];
        size_t             to_at = new_part->at == NULL ? ENGINE_BYTES : *new_part->at,
               from_at = old_part->at == NULL ? ENGINE_BYTES : *old_part->at;

        move_part(e, (uint8_t *)memory + to_at, new_part, base + from_at, old_part);
    }
    return e;
}

size_t engine_size_raised(const struct genesis *genesis, const struct limits *limits)
{
    struct layout_of of = layout_of_raised(genesis, limits);
    struct layout    layout;

    layout_set(&layout, &of);
    assert(layout.bytes >= ENGINE_BYTES);
    return layout.bytes;
}

size_t engine_size(const struct genesis *genesis) { return engine_size_raised(genesis, &genesis->limits); }

size_t engine_warm_bytes(const struct genesis *genesis)
{
    struct layout_of of = layout_of_genesis(genesis);
    struct layout    layout;

    layout_set(&layout, &of);
    assert(layout.at_volumes > ENGINE_BYTES && layout.at_volumes < layout.at_revocations
           && layout.at_revocations < layout.at_nonces && layout.at_nonces < layout.at_nonce_chunks
           && layout.at_nonce_chunks < layout.bytes);
    return layout.at_volumes;
}

/*
 * The events of one unit's liquidation: every account of the other side is ranked once for each of its positions,
 * which are in different symbols, so no row of a position more than once; each may get a part, orders of all of them
 * may be trimmed, stops may fire. `open_orders` each end once.
 */
size_t layout_unit_events(const struct limits *limits, uint32_t open_orders)
{
    size_t per_part = 2 * sizeof(struct filled) + 4 * sizeof(struct position_changed)
                    + sizeof(struct perps_order_changed) + sizeof(struct level_changed) + 2 * sizeof(struct balance)
                    + sizeof(struct adl_ranked);
    size_t per_order = 5 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed)
                     + sizeof(struct traded) + 2 * sizeof(struct filled) + 3 * sizeof(struct level_changed)
                     + 2 * sizeof(struct balance);

    size_t receipts = 2 * PERPS_MAX * sizeof(struct liquidated) + (PERPS_MAX + 1) * sizeof(struct fund_changed);

    return 65536 + receipts + ((size_t)limits->positions + PERPS_MAX) * per_part + (size_t)open_orders * per_order;
}

bool layout_has_room(const struct apply_context *ctx)
{
    assert(ctx->events->len <= ctx->events->cap);
    return ctx->events->cap - ctx->events->len >= layout_unit_events(&ctx->engine->limits, ctx->engine->order_count);
}

/*
 * The worst command ends every open order (a hundred sweeps, or all scheduled cancels at once): each with a trade, two
 * fills, its last ORDER, a LEVEL and two BALANCEs; each of a hundred items adds its own RESULT, orders, levels and
 * balances and one partly filled maker; a TICK adds a SCHEDULE and a FEE_TIER per account; the start adds the accounts
 * of the genesis. An operator's command or a transfer emits less than one item. The number of units that a TICK
 * liquidates depends on the room left (layout_unit_events).
 */
size_t engine_events_bytes_raised(const struct genesis *genesis, const struct limits *limits)
{
    size_t per_order = sizeof(struct traded) + 2 * sizeof(struct filled) + sizeof(struct order_changed)
                     + sizeof(struct level_changed) + 2 * sizeof(struct balance);
    size_t per_item = sizeof(struct result) + 3 * sizeof(struct order_changed) + 3 * sizeof(struct level_changed)
                    + 8 * sizeof(struct balance) + per_order;
    size_t per_position = 2 * sizeof(struct filled) + 4 * sizeof(struct position_changed)
                        + 2 * sizeof(struct unit_stage) + 2 * sizeof(struct unit_position) + sizeof(struct funded)
                        + 2 * sizeof(struct balance) + sizeof(struct adl_ranked);
    size_t per_unit = 4 * sizeof(struct perps_order_changed) + sizeof(struct traded) + 2 * sizeof(struct filled)
                    + 4 * sizeof(struct position_changed) + 2 * sizeof(struct level_changed)
                    + 4 * sizeof(struct unit_stage) + 4 * sizeof(struct balance);
    size_t units = genesis->perps_count == 0
                     ? 0
                     : min_u64(genesis->rules.liquidations_per_tick, (uint64_t)limits->positions + limits->accounts);
    size_t per_account = sizeof(struct schedule) + sizeof(struct fee_tier) + sizeof(struct account_opened);

    if (genesis->perps_count
        != 0) { /* the longer ORDER, both positions, and the orders trimmed and cancelled with them */
        per_order += 3 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed)
                   + 2 * sizeof(struct level_changed);
        per_item += 4 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed);
        per_item += sizeof(struct balance); /* the fund's share of fees */
        per_account += sizeof(struct balance);
    }
    return sizeof(struct command_began) + layout_unit_events(limits, limits->orders) + units * per_unit
         + (size_t)limits->positions * per_position
         + PERPS_MAX * (sizeof(struct price_changed) + sizeof(struct liquidated) + 2 * sizeof(struct index_composed))
         + sizeof(struct refused) + BATCH_MAX * per_item + ((size_t)limits->orders + BATCH_MAX) * per_order
         + ((size_t)limits->accounts + 1) * per_account
         + (size_t)GENESIS_ACCOUNTS_MAX * (COINS_MAX + 1) * sizeof(struct balance);
}

size_t engine_events_bytes(const struct genesis *genesis)
{
    return engine_events_bytes_raised(genesis, &genesis->limits);
}
