/* SPDX-License-Identifier: MIT */
#include "core/layout.h"

static_assert(PART_ALIGN % _Alignof(struct order) == 0 && PART_ALIGN % _Alignof(struct position) == 0, "every part may begin where another ends");
static_assert(SYMBOLS_MAX + PERPS_MAX <= UINT8_MAX, "the number of a market is a byte, from 1");
static_assert(COINS_MAX <= 64, "a bit per coin says whose balance changed");
static_assert(PERPS_MAX <= 64, "a bit per perps symbol says where something traded");

/* Claims the next `count` records of `size` bytes. */
static size_t part(struct engine *e, uint64_t count, size_t size)
{
    size_t at = e->bytes;

    assert(at % PART_ALIGN == 0 && size != 0);

    e->bytes = align_up(at + (size_t)count * size, PART_ALIGN);
    assert(e->bytes >= at + (size_t)count * size);                      /* a sum that overflowed would be smaller */
    return at;
}

/* Nothing of it without perps symbols. A row per symbol is over the limit: the fund must always find one. */
static void layout_perps(struct engine *e, uint64_t rows)
{
    uint64_t any = e->perps_count != 0, positions = any * ((uint64_t)e->limits.positions + e->perps_count + 1), orders = any * ((uint64_t)e->limits.orders + 2);

    e->at_perps = part(e, e->perps_count, sizeof(struct perps_market));
    e->at_positions = part(e, positions, sizeof(struct position));
    e->at_stops = part(e, orders, sizeof(struct stop));
    e->at_scratch = part(e, orders, SCRATCH_ORDER);     /* an order of an account, with what it is sorted by */
    e->at_fired = part(e, any * e->rules.triggers_per_command, sizeof(struct fired));
    e->at_units = part(e, positions + any * rows, sizeof(struct unit_entry));
    e->at_sums = part(e, any * rows, sizeof(struct unit_sum));
    e->at_candidates = part(e, positions, sizeof(struct candidate));
    e->at_wallets_touched = part(e, rows, sizeof(uint32_t));
    assert(any != 0 || e->at_wallets_touched == e->at_perps);               /* without perps symbols none of it takes a byte */
}

void layout_set(struct engine *e)
{
    const struct limits *limits = &e->limits;
    uint64_t             rows = (uint64_t)limits->accounts + SLOT_USERS + 1;

    e->account_stride = (uint32_t)align_up(sizeof(struct account) + e->coin_count * sizeof(struct bucket), PART_ALIGN);
    assert(e->account_stride >= sizeof(struct account) + e->coin_count * sizeof(struct bucket));
    e->order_table_size = (uint32_t)table_size(limits->orders);
    e->alias_table_size = (uint32_t)table_size(limits->orders);
    e->address_table_size = (uint32_t)table_size(limits->accounts);
    e->operator_table_size = (uint32_t)table_size(limits->deposits);
    e->key_table_size = (uint32_t)table_size(limits->keys);

    assert(e->order_table_size > limits->orders && e->address_table_size > limits->accounts && e->key_table_size > limits->keys);
    e->bytes = ENGINE_BYTES;
    (void)part(e, rows, e->account_stride);         /* account_at knows where they are */
    e->at_users = part(e, rows * 2, sizeof(struct user));
    e->at_schedules = part(e, rows * 2, sizeof(struct schedule_state));
    e->at_heap = part(e, rows * 2, sizeof(uint32_t));
    e->at_touched = part(e, rows, sizeof(uint32_t));
    e->at_nonces = part(e, (uint64_t)limits->signers + 1, sizeof(struct nonce_set));
    e->at_orders = part(e, (uint64_t)limits->orders + 2, sizeof(struct order));
    e->at_aliases = part(e, (uint64_t)limits->orders + 1, sizeof(struct alias));
    e->at_levels = part(e, (uint64_t)limits->levels + 1, sizeof(struct level));
    e->at_rungs = part(e, (uint64_t)limits->levels + 1, sizeof(struct rung));
    e->at_order_table = part(e, e->order_table_size, sizeof(struct table_entry));
    e->at_client_table = part(e, e->order_table_size, sizeof(struct table_entry));
    e->at_alias_table = part(e, e->alias_table_size, sizeof(struct table_entry));
    e->at_address_table = part(e, e->address_table_size, sizeof(struct table_entry));
    e->at_operators = part(e, limits->deposits, sizeof(struct operator_record));
    e->at_operator_table = part(e, e->operator_table_size, sizeof(struct table_entry));
    e->at_margins = part(e, rows, sizeof(struct margin_account));
    e->at_evm = part(e, rows * e->coin_count, sizeof(int64_t));
    e->at_keys = part(e, (uint64_t)limits->keys + 1, sizeof(struct api_key));
    e->at_key_table = part(e, e->key_table_size, sizeof(struct table_entry));
    e->at_key_name_table = part(e, e->key_table_size, sizeof(struct table_entry));
    e->at_transfers = part(e, (uint64_t)limits->transfers + 1, sizeof(struct transfer));
    e->at_transfer_lists = part(e, rows * 2, sizeof(struct transfer_list));
    if (e->rules.client_id_reuse == REUSE_FILLED) {
        e->burnt_table_size = (uint32_t)table_size(limits->burnt_ids);
        e->at_burnt = part(e, limits->burnt_ids, sizeof(struct burnt_id));
        e->at_burnt_table = part(e, e->burnt_table_size, sizeof(struct table_entry));
    }
    layout_perps(e, rows);
    assert(e->bytes % PART_ALIGN == 0 && e->bytes > ENGINE_BYTES);
}

size_t engine_size(const struct genesis *genesis)
{
    struct engine e = { .limits = genesis->limits, .rules = genesis->rules, .coin_count = genesis->coin_count, .perps_count = genesis->perps_count };

    layout_set(&e);
    return e.bytes;
}

/* What one unit can tell while it is liquidated: everybody on the other side is ranked once for each of its positions, which are in different
   symbols, and so no row of a position more than once; everybody may get a part of it, orders of all of them may be
   trimmed, stops may fire behind it. `open_orders` each end once. */
size_t layout_unit_events(const struct limits *limits, uint32_t open_orders)
{
    size_t per_part = 2 * sizeof(struct filled) + 4 * sizeof(struct position_changed) + sizeof(struct perps_order_changed) + sizeof(struct level_changed)
                    + 2 * sizeof(struct balance) + sizeof(struct adl_ranked);
    size_t per_order = 5 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed) + sizeof(struct traded) + 2 * sizeof(struct filled)
                     + 3 * sizeof(struct level_changed) + 2 * sizeof(struct balance);

    size_t receipts = 2 * PERPS_MAX * sizeof(struct liquidated) + (PERPS_MAX + 1) * sizeof(struct fund_changed);

    return 65536 + receipts + ((size_t)limits->positions + PERPS_MAX) * per_part + (size_t)open_orders * per_order;
}

bool layout_has_room(const struct turn *turn)
{
    return turn->events->cap - turn->events->len >= layout_unit_events(&turn->engine->limits, turn->engine->order_count);
}

/*
 * The worst command ends every order there is (a hundred sweeps, or all scheduled cancels at once):
 * each with a trade, two fills, its last ORDER, a LEVEL and two BALANCEs; each of a hundred items adds
 * its own RESULT, orders, levels and balances and one partly filled maker; a TICK adds a SCHEDULE and
 * a FEE_TIER per account; the start adds the accounts of the genesis. What the house and transfers
 * tell is less than one item's part. How many units a TICK liquidates depends on the room that is left (layout_unit_events).
 */
size_t engine_events_bytes(const struct genesis *genesis)
{
    size_t per_order = sizeof(struct traded) + 2 * sizeof(struct filled) + sizeof(struct order_changed)
                     + sizeof(struct level_changed) + 2 * sizeof(struct balance);
    size_t per_item = sizeof(struct result) + 3 * sizeof(struct order_changed) + 3 * sizeof(struct level_changed)
                    + 8 * sizeof(struct balance) + per_order;
    size_t per_position = 2 * sizeof(struct filled) + 4 * sizeof(struct position_changed) + 2 * sizeof(struct unit_stage) + 2 * sizeof(struct unit_position)
                        + sizeof(struct funded) + 2 * sizeof(struct balance) + sizeof(struct adl_ranked);
    size_t per_unit = 4 * sizeof(struct perps_order_changed) + sizeof(struct traded) + 2 * sizeof(struct filled) + 4 * sizeof(struct position_changed)
                    + 2 * sizeof(struct level_changed) + 4 * sizeof(struct unit_stage) + 4 * sizeof(struct balance);
    size_t units = genesis->perps_count == 0 ? 0 : min_u64(genesis->rules.liquidations_per_tick, (uint64_t)genesis->limits.positions + genesis->limits.accounts);
    size_t per_account = sizeof(struct schedule) + sizeof(struct fee_tier) + sizeof(struct account_opened);

    if (genesis->perps_count != 0) {                /* the longer ORDER, both positions, what is trimmed and cancelled with them */
        per_order += 3 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed) + 2 * sizeof(struct level_changed);
        per_item += 4 * sizeof(struct perps_order_changed) + 4 * sizeof(struct position_changed);
        per_item += sizeof(struct balance);         /* the fund's share of fees */
        per_account += sizeof(struct balance);
    }
    return sizeof(struct command_began) + layout_unit_events(&genesis->limits, genesis->limits.orders) + units * per_unit + (size_t)genesis->limits.positions * per_position + PERPS_MAX * (sizeof(struct price_changed) + sizeof(struct liquidated) + 2 * sizeof(struct index_composed)) + sizeof(struct refused) + BATCH_MAX * per_item
         + ((size_t)genesis->limits.orders + BATCH_MAX) * per_order + ((size_t)genesis->limits.accounts + 1) * per_account
         + (size_t)GENESIS_ACCOUNTS_MAX * (COINS_MAX + 1) * sizeof(struct balance);
}
