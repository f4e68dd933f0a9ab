/* SPDX-License-Identifier: MIT */
/*
 * ledger.h — the only file that moves money.
 *
 * Buckets are available and held, per account row and coin, and beside them the perps wallet of an account and
 * what a user has in the EVM ledger; the row SLOT_OUTSIDE stands for the world, so that all that there is of a
 * coin always sums to zero. Every function here is one double entry and cannot
 * be refused: callers have checked, the ledger asserts. Amounts are coin units and at least 0.
 */
#ifndef CORE_ACCOUNT_LEDGER_H
#define CORE_ACCOUNT_LEDGER_H

#include "core/state/state.h"

static inline const struct bucket *ledger_bucket(const struct engine *e, uint32_t slot, uint32_t coin_id)
{
    return account_buckets(account_at(e, slot)) + coin_id;
}

/* Kinds of balances of an account: available on spot, its perps wallet (vUSDC only), its user's EVM ledger. */
enum place { PLACE_SPOT, PLACE_PERPS, PLACE_EVM };

/* The perps wallet of an account; the EVM ledger balance of a user (slot of the primary account). */
static inline int64_t ledger_wallet(const struct engine *e, uint32_t slot) { return engine_margins(e)[slot].wallet; }
static inline int64_t ledger_evm(const struct engine *e, uint32_t user, uint32_t coin_id)
{
    return engine_evm(e)[(size_t)user * e->coin_count + coin_id];
}

/* Money from outside into an account: genesis and deposits. */
void ledger_deposit(struct apply_context *ctx, uint32_t slot, uint32_t coin_id, enum place place, int64_t amount);

/* Money out of the exchange, from the EVM ledger of a user. */
void ledger_redeem(struct apply_context *ctx, uint32_t user, uint32_t coin_id, int64_t amount);

/* Moves money between two accounts of a user, on spot or perps; emits both balances. */
void ledger_transfer(struct apply_context *ctx, uint32_t from, uint32_t to, uint32_t coin_id, enum place place,
                     int64_t amount);

/* From one place of an account to another, over the bridge, where nothing stays (mechanics 7). */
void ledger_bridge(struct apply_context *ctx, uint32_t slot, uint32_t coin_id, enum place from, enum place to,
                   int64_t amount);

/* The wallet's side of a position: its changes are matched by buckets and costs (mechanics 1.5). */
void ledger_position(struct engine *e, uint32_t slot, int64_t amount);

/* The same of a fill: its side of the position, then its fee into the vault (below 0: a rebate out of it). */
void ledger_leg(struct engine *e, uint32_t slot, int64_t amount, int64_t fee);

/*
 * From a perps wallet to the insurance fund's: the fee of a liquidation, and its share of the fee vault (mechanics
 * 3.11, 3.13).
 */
void ledger_to_fund(struct engine *e, uint32_t slot, int64_t amount);

/* Reserves available money for an order, and gives it back. */
void ledger_hold(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount);
void ledger_release(struct engine *e, uint32_t slot, uint32_t coin_id, int64_t amount);

/*
 * The same without noting the balance for ledger_emit. The caller tells it: as the only one that its item changes and
 * its last event (ledger_write), or with ledger_touch before another balance changes.
 */
struct bucket *ledger_of_user(struct engine *e, uint32_t slot, uint32_t coin_id);
void           ledger_hold_alone(struct bucket *bucket, int64_t amount);
void           ledger_release_alone(struct bucket *bucket, int64_t amount);
void           ledger_touch(struct engine *e, uint32_t slot, uint32_t coin_id);

/* A trade on spot: what each side receives out of the other's hold, in which coin, and the fee it pays of that. */
struct swap {
    struct account *taker_row, *maker_row, *vault_row;
    uint32_t        taker, maker; /* slots of users, and their rows */
    uint32_t        taker_coin, maker_coin;
    uint64_t        coins;                  /* both, a bit each */
    int64_t         taker_gets, maker_gets; /* before fees */
    int64_t         taker_fee, maker_fee;   /* a maker's below 0 is a rebate, at most the taker's fee */
};

/* What all trades of a taker have in common: the other members are for each trade to set. */
void ledger_swap_open(const struct engine *e, struct swap *swap, uint32_t taker, uint32_t taker_coin,
                      uint32_t maker_coin);

/*
 * Both legs out of the holds. A rebate (mechanics 2.6) comes out of the taker's fee, in the taker's coin, so the vault
 * never pays from its own.
 */
void ledger_swap(struct engine *e, const struct swap *swap);

/* Units of a coin inside the exchange; at most AMOUNT_MAX (mechanics 1.1). */
int64_t ledger_supply(const struct engine *e, uint32_t coin_id);

/*
 * Appends one BALANCE for each (account, coin) that changed on spot since the last call. Functions that change wallets
 * and the EVM ledger emit those themselves.
 */
void               ledger_emit_touched(struct apply_context *ctx);
static inline void ledger_emit(struct apply_context *ctx)
{
    if ((ctx->engine->touched_count | ctx->engine->wallet_touched_count) != 0) ledger_emit_touched(ctx);
}

/* Writes the BALANCE of the only balance that an item changed, whole, into room that was taken. */
void ledger_write(const struct engine *e, struct balance *event, uint32_t slot, uint32_t coin_id,
                  const struct bucket *bucket);

/* I4, I24: buckets, wallets and EVM ledger of every coin sum to zero, and only the outside is below zero. */
void ledger_verify(const struct engine *e);

#endif
