/* SPDX-License-Identifier: MIT */
/*
 * ledger.h — the only file that moves money.
 *
 * Buckets are available and held, per account row and coin; the row SLOT_OUTSIDE stands for the world,
 * so that the buckets of a coin always sum to zero. Every function here is one double entry and cannot
 * be refused: callers have checked, the ledger asserts. Amounts are coin units and at least 0.
 */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H

#include "core/state.h"

static inline const struct bucket *ledger_bucket(const struct engine *e, uint32_t slot, uint32_t coin_id)
{
    return account_buckets(account_at(e, slot)) + coin_id;
}

/* Money from outside into an account: genesis and deposits. */
void ledger_deposit(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount);

/* Reserves available money for an order, and gives it back. */
void ledger_hold(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount);
void ledger_release(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount);

/* Pays from what is held into what the other has available. */
void ledger_pay(struct engine *e, uint32_t from, uint32_t to, uint32_t coin_id, int64_t amount);

/* Units of a coin inside the exchange; at most AMOUNT_MAX (mechanics 1.1). */
int64_t ledger_supply(const struct engine *e, uint32_t coin_id);

/* Appends one BALANCE for each (account, coin) that changed since the last call. */
void ledger_tell(struct turn *turn);

/* I4: the buckets of every coin sum to zero, and only the outside is below zero. */
void ledger_verify(const struct engine *e);

#endif
