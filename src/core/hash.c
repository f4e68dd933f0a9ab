/* SPDX-License-Identifier: MIT */
/*
 * hash.c — one number for the whole logical state (ruling 27).
 *
 * What is hashed is what rules can see, written out in one order that no pool size, free list or hash
 * table has a part in: counters; accounts by id with balances, tiers, volumes, nonces, schedule; books
 * by symbol, side, price from the best, orders from the oldest; deposit ids in order of arrival.
 */
#include "core/account.h"
#include "core/book.h"
#include "core/ledger.h"

static void add_u64(struct keccak *keccak, uint64_t value)     { keccak_add(keccak, &value, sizeof(value)); }
static void add_i64(struct keccak *keccak, int64_t value)      { keccak_add(keccak, &value, sizeof(value)); }

static void add_counters(struct keccak *keccak, const struct engine *e)
{
    add_u64(keccak, e->seq);
    add_i64(keccak, e->time_ms);
    add_u64(keccak, e->next_order_id);
    add_u64(keccak, e->next_trade_id);
    add_u64(keccak, e->account_end);
    add_u64(keccak, e->order_count);
    add_i64(keccak, e->fee_day);
    keccak_add(keccak, e->maker_total, sizeof(e->maker_total));
}

static void add_nonces(struct keccak *keccak, const struct engine *e, uint32_t ix, struct nonce_ring ring)
{
    const struct nonce_set *set = engine_nonces(e) + ix;

    add_u64(keccak, ring.count);
    for (uint32_t i = 0; i < ring.count; i++)
        keccak_add(keccak, &set->entries[(ring.start + i) % NONCES_MAX], sizeof(struct nonce_entry));
}

static void add_account(struct keccak *keccak, const struct engine *e, uint32_t slot)
{
    const struct account        *account = account_at(e, slot);
    const struct schedule_state *schedule = engine_schedules(e) + slot;

    add_u64(keccak, account_id_of(slot));
    add_u64(keccak, account_id_of(account->user));
    keccak_add(keccak, account->owner.bytes, sizeof(account->owner.bytes));
    add_u64(keccak, (uint64_t)account->tier << 16 | (uint64_t)account->staking << 8 | account->rebate);
    keccak_add(keccak, ledger_bucket(e, slot, 0), e->coin_count * sizeof(struct bucket));
    for (uint32_t i = 0; i < ARRAY_COUNT(account->nonces); i++) add_nonces(keccak, e, account->nonces[i], account->rings[i]);
    add_i64(keccak, schedule->fire_ms);
    add_i64(keccak, schedule->day);
    add_u64(keccak, schedule->count);
    keccak_add(keccak, engine_users(e) + slot, sizeof(struct user));
}

static void add_order(struct keccak *keccak, const struct engine *e, const struct order *order)
{
    static const struct client_id none;

    add_u64(keccak, order->id);
    add_u64(keccak, account_id_of(order->account));
    add_u64(keccak, (uint64_t)order->symbol_id << 24 | (uint64_t)order->side << 16 | (uint64_t)order->time_in_force << 8 | order->status);
    add_i64(keccak, order->price);
    add_i64(keccak, order->quantity);
    add_i64(keccak, order->executed);
    add_i64(keccak, order->executed_value);
    add_i64(keccak, order->created_ms);
    add_i64(keccak, order->updated_ms);
    keccak_add(keccak, &order->client_id, sizeof(order->client_id));
    keccak_add(keccak, order->alias != 0 ? &engine_aliases(e)[order->alias].client_id : &none, sizeof(none));
}

static void add_market(struct keccak *keccak, const struct engine *e, const struct market *market)
{
    add_u64(keccak, (uint64_t)market->symbol.id << 8 | market->symbol.status);
    add_i64(keccak, market->last_price);
    add_u64(keccak, market->update_id);
    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
        for (uint32_t ix = market->sides[side].best; ix != 0; ix = book_behind(level_at(e, ix)))
            for (uint32_t order_ix = level_at(e, ix)->head; order_ix != 0; order_ix = order_at(e, order_ix)->next)
                add_order(keccak, e, order_at(e, order_ix));
}

struct hash256 engine_hash(const struct engine *e)
{
    struct keccak keccak;

    keccak_init(&keccak);
    add_counters(&keccak, e);
    for (uint32_t slot = 0; slot < e->account_end; slot++) add_account(&keccak, e, slot);
    for (uint32_t i = 0; i < e->market_count; i++) add_market(&keccak, e, &e->markets[i]);
    keccak_add(&keccak, engine_deposits(e), e->deposit_count * sizeof(struct operator_id));
    return keccak_end(&keccak);
}
