/* SPDX-License-Identifier: MIT */
#include "core/ledger.h"
#include "core/account.h"

/* Remembers that a balance is to be told at the end of the item. */
static void touch(struct engine *e, uint32_t slot, struct account *account, uint32_t coin_id)
{
    if (account->touched == 0) engine_touched(e)[e->touched_count++] = slot;
    account->touched |= UINT64_C(1) << coin_id;
}

/* The one verb that changes a balance. */
static inline void ledger_move(int64_t *from, int64_t *to, int64_t amount)
{
    assert(amount >= 0);
    *from -= amount;
    *to += amount;
}

void ledger_deposit(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount)
{
    struct account *outside = account_at(e, SLOT_OUTSIDE), *account = account_at(e, slot);

    assert(slot != SLOT_OUTSIDE && coin_id < e->coin_count);
    assert(amount <= AMOUNT_MAX - ledger_supply(e, coin_id));
    touch(e, slot, account, coin_id);
    ledger_move(&account_buckets(outside)[coin_id].available, &account_buckets(account)[coin_id].available, amount);
}

void ledger_hold(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount)
{
    struct account *account = account_at(e, slot);
    struct bucket  *bucket = account_buckets(account) + coin_id;

    assert(slot != SLOT_OUTSIDE && coin_id < e->coin_count);
    assert(amount <= bucket->available);
    touch(e, slot, account, coin_id);
    ledger_move(&bucket->available, &bucket->held, amount);
}

void ledger_release(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount)
{
    struct account *account = account_at(e, slot);
    struct bucket  *bucket = account_buckets(account) + coin_id;

    assert(slot != SLOT_OUTSIDE && coin_id < e->coin_count);
    assert(amount <= bucket->held);
    touch(e, slot, account, coin_id);
    ledger_move(&bucket->held, &bucket->available, amount);
}

void ledger_pay(struct engine *e, uint32_t from, uint32_t to, uint32_t coin_id, int64_t amount)
{
    struct account *payer = account_at(e, from), *payee = account_at(e, to);
    struct bucket  *source = account_buckets(payer) + coin_id, *target = account_buckets(payee) + coin_id;

    assert(from != SLOT_OUTSIDE && to != SLOT_OUTSIDE && coin_id < e->coin_count);
    assert(amount <= source->held);
    touch(e, from, payer, coin_id);
    touch(e, to, payee, coin_id);
    ledger_move(&source->held, &target->available, amount);
}

int64_t ledger_supply(const struct engine *e, uint32_t coin_id)
{
    return -ledger_bucket(e, SLOT_OUTSIDE, coin_id)->available;
}

void ledger_tell(struct turn *turn)
{
    struct engine *e = turn->engine;

    for (uint32_t i = 0; i < e->touched_count; i++) {
        uint32_t        slot = engine_touched(e)[i];
        struct account *account = account_at(e, slot);

        for (; account->touched != 0; account->touched &= account->touched - 1) {
            uint32_t             coin_id = (uint32_t)__builtin_ctzll(account->touched);
            const struct bucket *bucket = account_buckets(account) + coin_id;
            struct balance      *event = EVENT_ADD(turn->events, BALANCE, balance, MARKET_SPOT);

            event->account_id = account_id_of(slot);
            event->coin_id = coin_id;
            event->total = bucket->available + bucket->held;
            event->locked = bucket->held;
        }
    }
    e->touched_count = 0;
}

void ledger_verify(const struct engine *e)
{
    for (uint32_t coin_id = 0; coin_id < e->coin_count; coin_id++) {
        int128_t sum = 0;

        for (uint32_t slot = 0; slot < e->account_end; slot++) {
            const struct bucket *bucket = ledger_bucket(e, slot, coin_id);

            if (slot != SLOT_OUTSIDE) assert(bucket->available >= 0);       /* I4 */
            assert(bucket->held >= 0);
            sum += (int128_t)bucket->available + bucket->held;
        }
        assert(sum == 0);                                                   /* I4 */
        assert(ledger_supply(e, coin_id) >= 0 && ledger_supply(e, coin_id) <= AMOUNT_MAX);
        assert(ledger_bucket(e, SLOT_OUTSIDE, coin_id)->held == 0);
        assert(ledger_bucket(e, SLOT_BRIDGE, coin_id)->available == 0);     /* empty between commands */
    }
    assert(e->touched_count == 0);
}
