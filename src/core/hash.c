/* SPDX-License-Identifier: MIT */
/*
 * hash.c — one number for the whole logical state (ruling 27).
 *
 * What is hashed is what rules can see, written out in one order that no pool size, free list or hash
 * table has a part in: counters; accounts by id with balances, wallet, EVM ledger, tiers, volumes, nonces,
 * schedule, transfer ids; books by symbol, side, price from the best, orders from the oldest; keys and
 * operators' ids in order of arrival.
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
    add_u64(keccak, e->next_transfer_number);
    add_u64(keccak, e->next_key_number);
    add_i64(keccak, e->time_offset_ms);
    add_u64(keccak, e->account_end);
    add_u64(keccak, e->order_count);
    add_i64(keccak, e->fee_day);
    keccak_add(keccak, e->maker_total, sizeof(e->maker_total));
}

static void add_nonces(struct keccak *keccak, const struct engine *e, const struct signer *signer)
{
    for (uint32_t domain = 0; domain < ARRAY_COUNT(signer->sets); domain++) {
        const struct nonce_set *set = engine_nonces(e) + signer->sets[domain];
        struct nonce_ring       ring = signer->rings[domain];

        add_u64(keccak, ring.count);
        for (uint32_t i = 0; i < ring.count; i++)
            keccak_add(keccak, &set->entries[(ring.start + i) % NONCES_MAX], sizeof(struct nonce_entry));
    }
}

static void add_transfers(struct keccak *keccak, const struct engine *e, const struct transfer_list *list)
{
    add_u64(keccak, list->count);
    for (uint32_t ix = list->lowest; ix != 0; ix = engine_transfers(e)[ix].higher) {
        const struct transfer *transfer = engine_transfers(e) + ix;

        add_u64(keccak, transfer->id);
        add_i64(keccak, transfer->amount);
        add_u64(keccak, (uint64_t)transfer->coin_id << 8 | transfer->type);
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
    add_i64(keccak, ledger_wallet(e, slot));
    keccak_add(keccak, engine_evm(e) + (size_t)slot * e->coin_count, e->coin_count * sizeof(int64_t));
    add_nonces(keccak, e, &account->signer);
    add_transfers(keccak, e, engine_transfer_lists(e) + (size_t)slot * 2);
    add_transfers(keccak, e, engine_transfer_lists(e) + (size_t)slot * 2 + 1);
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
    for (uint32_t ix = 1; ix < e->key_end; ix++) add_key(&keccak, e, engine_keys(e) + ix);
    keccak_add(&keccak, engine_operators(e), e->operator_count * sizeof(struct operator_record));
    return keccak_end(&keccak);
}
