/* SPDX-License-Identifier: MIT */
/*
 * hash.c — one hash of the whole logical state (ruling 27).
 *
 * The input is the state that rules can see, in one order that no pool size, free list or hash table influences:
 * counters; accounts by id with balances, wallet, EVM ledger, tiers, volumes, nonces, schedule, transfer ids; books by
 * symbol, side, price from the best, orders from the oldest; keys and operators' ids in order of arrival.
 */
#include "core/account/account.h"
#include "core/engine.h"
#include "core/book/book.h"
#include "core/account/ledger.h"
#include "core/account/nonce_store.h"
#include "core/account/volume.h"
#include "core/perps/risk_unit.h"

/* Structs hashed as bytes have no padding; no other assert is made here, because foreign memory is judged by its hash.
 */
static_assert(sizeof(struct nonce_entry) == 3 * sizeof(uint64_t), "hashed as it lies");
static_assert(sizeof(struct bucket) == 2 * sizeof(int64_t), "hashed as it lies");
static_assert(sizeof(struct feeder_post) == 3 * sizeof(int64_t), "hashed as it lies");
static_assert(sizeof(struct client_id) == 1 + sizeof(((struct client_id *)NULL)->at), "hashed as it lies");
static_assert(sizeof(struct retired_id) == sizeof(struct client_id) + 2 * sizeof(uint32_t), "hashed as it lies");

static void add_u64(struct keccak *keccak, uint64_t value) { keccak_add(keccak, &value, sizeof(value)); }
static void add_i64(struct keccak *keccak, int64_t value) { keccak_add(keccak, &value, sizeof(value)); }

static void add_counters(struct keccak *keccak, const struct engine *e)
{
    add_u64(keccak, e->seq);
    add_i64(keccak, e->time_ms);
    add_u64(keccak, e->next_order_id);
    add_u64(keccak, e->next_trade_id);
    add_u64(keccak, e->next_transfer_number);
    add_u64(keccak, e->next_key_number);
    add_i64(keccak, e->time_offset_ms);
    add_u64(keccak, e->account_end);
    add_u64(keccak, e->order_count);
    add_i64(keccak, e->fee_day);
    add_u64(keccak, e->next_position_id);
    add_u64(keccak, e->next_liquidation_id);
    add_u64(keccak, e->next_receipt_id);
    keccak_add(keccak, &e->fund_day, sizeof(e->fund_day));
    add_u64(keccak, (uint64_t)e->work_left << 1 | e->insolvent);
    add_u64(keccak, e->mode);
    if ((e->traders_preset | e->traders_pulled | e->traders_takers | e->traders_drift) != 0) {
        add_u64(keccak, (uint64_t)e->traders_preset << 8 | e->traders_pulled);
        add_i64(keccak, e->traders_takers);
        add_i64(keccak, e->traders_drift);
    }
    for (uint32_t i = 0; i < e->feeder_count; i++) add_u64(keccak, e->feeders[i].seq);
    keccak_add(keccak, e->raised, sizeof(e->raised));
    keccak_add(keccak, e->maker_total, sizeof(e->maker_total));
}

static void add_nonces(struct keccak *keccak, const struct engine *e, const struct signer *signer)
{
    struct nonce_entry entries[NONCES_MAX];

    for (uint32_t domain = 0; domain < ARRAY_COUNT(signer->sets); domain++) {
        uint32_t count = nonce_store_read(e, engine_nonces(e) + signer->sets[domain], entries);

        add_u64(keccak, count);
        keccak_add(keccak, entries, count * sizeof(entries[0]));
    }
}

static void add_transfers(struct keccak *keccak, const struct engine *e, const struct transfer_list *list)
{
    add_u64(keccak, (uint64_t)list->count << 8 | list->has_floor);
    add_u64(keccak, list->floor);
    for (uint32_t ix = list->lowest; ix != 0; ix = engine_transfers(e)[ix].higher) {
        const struct transfer *transfer = engine_transfers(e) + ix;

        add_u64(keccak, transfer->id);
        add_i64(keccak, transfer->amount);
        add_u64(keccak, (uint64_t)transfer->coin_id << 8 | transfer->type);
    }
}

/* The newest list first; slots are not hashed. */
static void add_key_lists(struct keccak *keccak, const struct engine *e, const struct api_key *key)
{
    add_u64(keccak, key->has_floor);
    add_u64(keccak, key->floor);
    for (uint32_t ix = key->lists; ix != 0; ix = engine_key_lists(e)[ix].next) {
        const struct transfer_list *list = engine_key_lists(e) + ix;

        add_u64(keccak, account_id_of(list->account) << 16 | (uint64_t)list->market << 8 | list->own);
        add_transfers(keccak, e, list);
    }
}

/* Revoked ones too: their nonces still count, and when they were revoked decides how long. */
static void add_key(struct keccak *keccak, const struct engine *e, const struct api_key *key)
{
    add_u64(keccak, key->number);
    add_u64(keccak, account_id_of(key->account));
    add_u64(keccak, (uint64_t)key->live << 8 | key->key_type);
    keccak_add(keccak, key->address.bytes, sizeof(key->address.bytes));
    keccak_add(keccak, &key->name, sizeof(key->name));
    add_i64(keccak, key->expires_ms);
    add_u64(keccak, key->permissions);
    add_i64(keccak, key->revoked_ms);
    add_nonces(keccak, e, &key->signer);
    add_key_lists(keccak, e, key);
}

/* Positions of an account by market; rows are not hashed. */
static void add_position(struct keccak *keccak, const struct position *position)
{
    add_u64(keccak, (uint64_t)position->market << 24 | (uint64_t)position->mode << 16 | (uint64_t)position->stage << 8);
    add_u64(keccak, position->leverage);
    add_i64(keccak, position->exposure.size);
    keccak_add(keccak, &position->exposure.cost, sizeof(position->exposure.cost));
    add_i64(keccak, position->exposure.bucket);
    add_u64(keccak, position->id);
    add_i64(keccak, position->open_value);
    add_i64(keccak, position->closed_size);
    add_i64(keccak, position->close_value);
    add_i64(keccak, position->fees);
    add_i64(keccak, position->max_size);
    add_i64(keccak, position->realized);
    add_i64(keccak, position->created_ms);
    add_i64(keccak, position->updated_ms);
    add_u64(keccak, position->tried);
    add_u64(keccak, position->liquidation);
}

/* All volumes of the days by their places, then those as a maker. */
static void add_volumes(struct keccak *keccak, const struct engine *e, uint8_t kind, uint32_t user)
{
    struct volume_day days[VOLUME_DAYS];

    volume_read(e, kind, user, days);
    for (uint32_t place = 0; place < VOLUME_DAYS; place++) add_i64(keccak, days[place].volume);
    for (uint32_t place = 0; place < VOLUME_DAYS; place++) add_i64(keccak, days[place].maker_volume);
}

static void add_margin_account(struct keccak *keccak, const struct engine *e, uint32_t slot)
{
    const struct margin_account *margin = engine_margins(e) + slot;

    add_u64(keccak, (uint64_t)margin->tiers.tier << 24 | (uint64_t)margin->tiers.staking << 16
                        | (uint64_t)margin->tiers.rebate << 8 | margin->stage);
    add_u64(keccak, margin->tried);
    add_u64(keccak, margin->liquidation);
    add_volumes(keccak, e, MARKET_PERPS, slot);
    for (uint32_t i = 0; i < e->perps_count; i++) {
        const struct position *position = position_find(e, slot, (uint8_t)(PERPS_FIRST + i));
        if (position != NULL) add_position(keccak, position);
    }
}

static void add_account(struct keccak *keccak, const struct engine *e, uint32_t slot)
{
    const struct account        *account = account_at(e, slot);
    const struct schedule_state *schedule = engine_schedules(e) + (size_t)slot * 2;

    add_u64(keccak, account_id_of(slot));
    add_u64(keccak, account_id_of(account->user));
    keccak_add(keccak, account->owner.bytes, sizeof(account->owner.bytes));
    add_u64(keccak,
            (uint64_t)account->tiers.tier << 16 | (uint64_t)account->tiers.staking << 8 | account->tiers.rebate);
    keccak_add(keccak, ledger_bucket(e, slot, 0), e->coin_count * sizeof(struct bucket));
    add_i64(keccak, ledger_wallet(e, slot));
    keccak_add(keccak, engine_evm(e) + (size_t)slot * e->coin_count, e->coin_count * sizeof(int64_t));
    add_nonces(keccak, e, &account->signer);
    add_transfers(keccak, e, engine_transfer_lists(e) + (size_t)slot * 2);
    add_transfers(keccak, e, engine_transfer_lists(e) + (size_t)slot * 2 + 1);
    for (uint32_t i = 0; i < 2; i++) {
        add_i64(keccak, schedule[i].fire_ms);
        add_i64(keccak, schedule[i].day);
        add_u64(keccak, schedule[i].count);
    }
    add_volumes(keccak, e, MARKET_SPOT, slot);
    keccak_add(keccak, engine_revocations(e) + account->revocations, sizeof(struct revocations));
    if (e->perps_count != 0) add_margin_account(keccak, e, slot);
}

/* Relations by the ids of orders; slots are not hashed. */
static void add_stop(struct keccak *keccak, const struct engine *e, const struct stop *stop)
{
    add_i64(keccak, stop->price);
    add_i64(keccak, stop->cap);
    add_u64(keccak, stop->position_id);
    add_u64(keccak, stop->primary_id);
    add_u64(keccak, (uint64_t)stop->kind << 32 | (uint64_t)stop->trigger << 24 | (uint64_t)stop->modifier << 16
                        | (uint64_t)stop->type << 8 | stop->retries);
    add_u64(keccak, stop->fresh);
    for (uint32_t i = 0; i < 2; i++) add_u64(keccak, stop->relation[i] == 0 ? 0 : order_at(e, stop->relation[i])->id);
}

static void add_order(struct keccak *keccak, const struct engine *e, const struct order *order)
{
    static const struct client_id none;

    add_u64(keccak, order->id);
    add_u64(keccak, account_id_of(order->account));
    add_u64(keccak, (uint64_t)order->market << 24 | (uint64_t)order->side << 16
                        | (uint64_t)(order->time_in_force & ~ORDER_HAS_ALIAS) << 8 | order->status);
    add_i64(keccak, order->price);
    add_i64(keccak, order->quantity);
    add_i64(keccak, order->executed);
    add_i64(keccak, order->executed_value);
    add_i64(keccak, order->created_ms);
    add_i64(keccak, order->updated_ms);
    keccak_add(keccak, &order->client_id, sizeof(order->client_id));
    if (order_has_stop(order)) add_stop(keccak, e, stop_at(e, (uint32_t)(order - engine_orders(e))));
    keccak_add(keccak, order_has_alias(order) ? &engine_aliases(e)[order - engine_orders(e)].client_id : &none,
               sizeof(none));
}

static void add_market(struct keccak *keccak, const struct engine *e, const struct market *market)
{
    add_u64(keccak, (uint64_t)market->symbol.id << 8 | market->symbol.status);
    add_i64(keccak, market->last_price);
    add_u64(keccak, market->update_id);
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
        for (uint32_t ix = market->sides[side].best; ix != 0; ix = book_behind(e, level_at(e, ix)))
            for (uint32_t order_ix = level_at(e, ix)->head; order_ix != 0; order_ix = order_at(e, order_ix)->next)
                add_order(keccak, e, order_at(e, order_ix));
}

/* Stops that wait, in the order of their accounts' lists, and the retries in their own order. */
static void add_waiting(struct keccak *keccak, const struct engine *e)
{
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++)
        for (uint32_t ix = account_at(e, slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next)
            if (order_at(e, ix)->level == 0) add_order(keccak, e, order_at(e, ix));
    for (uint32_t ix = e->retry_head; ix != 0; ix = stop_at(e, ix)->right) add_u64(keccak, order_at(e, ix)->id);
    add_u64(keccak,
            (uint64_t)e->price_step << 32 | (uint64_t)e->quiet << 2 | (uint64_t)e->work_left << 1 | e->insolvent);
    add_i64(keccak, e->priced_ms);
}

static void add_settlement(struct keccak *keccak, const struct settlement *settlement)
{
    add_i64(keccak, settlement->at_ms);
    keccak_add(keccak, &settlement->sum, sizeof(settlement->sum));
    add_i64(keccak, settlement->seconds);
    add_i64(keccak, settlement->sampled);
    add_i64(keccak, settlement->price);
    add_u64(keccak, (uint64_t)settlement->step << 8 | settlement->phase);
    add_u64(keccak, (uint64_t)settlement->at[1] << 32 | settlement->at[0]);
}

/* Revisions are left out: they only invalidate caches of a book. */
static void add_inputs(struct keccak *keccak, const struct perps_market *perps)
{
    keccak_add(keccak, &perps->book.sums, sizeof(perps->book.sums));
    add_i64(keccak, perps->book.since_ms);
    add_i64(keccak, perps->book.bid);
    add_i64(keccak, perps->book.ask);
    keccak_add(keccak, &perps->spot.sums, sizeof(perps->spot.sums));
    add_i64(keccak, perps->spot.since_ms);
    add_i64(keccak, perps->spot.now);
    keccak_add(keccak, &perps->premium_stood, sizeof(perps->premium_stood));
    add_i64(keccak, perps->premium_stood_ms);
    keccak_add(keccak, &perps->drift, sizeof(perps->drift));
    keccak_add(keccak, perps->traded, sizeof(perps->traded));
}

static void add_perps(struct keccak *keccak, const struct perps_market *perps)
{
    add_i64(keccak, perps->index);
    add_i64(keccak, perps->mark);
    add_u64(keccak, perps->state);
    add_i64(keccak, perps->index_ms);
    add_i64(keccak, perps->held_price);
    add_u64(keccak, perps->held_count);
    add_i64(keccak, perps->last_between);
    add_i64(keccak, perps->last_trade_ms);
    add_i64(keccak, perps->open_interest);
    keccak_add(keccak, &perps->basis, sizeof(perps->basis));
    keccak_add(keccak, &perps->premium_sum, sizeof(perps->premium_sum));
    add_u64(keccak, perps->premium_count);
    add_i64(keccak, perps->premium_ms);
    add_i64(keccak, perps->funding_hour);
    add_i64(keccak, perps->funding_rate);
    add_i64(keccak, perps->fund.loss);
    add_i64(keccak, perps->fund.beyond);
    add_i64(keccak, perps->fund.cushion);
    add_u64(keccak, perps->fund.gapped);
    add_i64(keccak, perps->by_hand);
    add_inputs(keccak, perps);
    add_settlement(keccak, &perps->settlement);
    keccak_add(keccak, perps->posts, sizeof(perps->posts));
}

struct hash256 engine_hash(const struct engine *e)
{
    struct keccak keccak;

    keccak_init(&keccak);
    add_counters(&keccak, e);
    for (uint32_t slot = 0; slot < e->account_end; slot++) add_account(&keccak, e, slot);
    for (uint32_t i = 0; i < e->market_count; i++) add_market(&keccak, e, &e->markets[i]);
    for (uint32_t i = 0; i < e->perps_count; i++) {
        add_market(&keccak, e, &e->markets[SYMBOLS_MAX + i]);
        add_perps(&keccak, &engine_perps(e)[i]);
    }
    if (e->perps_count != 0) add_waiting(&keccak, e);
    for (uint32_t ix = 1; ix < e->key_end; ix++) add_key(&keccak, e, engine_keys(e) + ix);
    keccak_add(&keccak, engine_retired(e), e->retired_count * sizeof(struct retired_id));
    keccak_add(&keccak, engine_operators(e), e->operator_count * sizeof(struct operator_record));
    return keccak_end(&keccak);
}
