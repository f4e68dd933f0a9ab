/* SPDX-License-Identifier: MIT */
/*
 * operator.h — commands of operators: money in and out, sub-accounts, symbols, orders, time (mechanics 3.15, 7,
 * rulings 30, 43, 49).
 *
 * Deposits, redemptions, sub-accounts, staking tiers and settlements carry an id that is stored: the same id with the
 * same content succeeds again and changes nothing; with another content it is TRANSFER_CONFLICT. A refused command has
 * not used its id. Modes, halts, cancels and limits are judged by their content alone, so that no full pool can block
 * an operator (ruling 74).
 */
#ifndef CORE_ENGINE_OPERATOR_H
#define CORE_ENGINE_OPERATOR_H

#include "core/book/filter.h"

/* Credits an account of an address on spot or perps, opening user and
   primary account on first use. The result names the account. */
void apply_deposit(struct apply_context *ctx, const struct deposit *deposit, struct result *result);

/* Burns what an address has in the EVM ledger: it has left for somewhere else. */
void apply_redeem(struct apply_context *ctx, const struct redeem *redeem, struct result *result);

/*
 * Moves money between two accounts of one user, on spot or perps; out of perps not more than may leave (rulings 63,
 * 64). Accounts of two users, or of none, are ACCOUNT_NOT_FOUND. The result names the account that gets it.
 */
void apply_transfer(struct apply_context *ctx, const struct transfer_between *transfer, struct result *result);

/* One more account for a user that exists. The result names it. */
void apply_open_account(struct apply_context *ctx, const struct open_account *open, struct result *result);

/* Sets the staking tier of a user (mechanics 2.6); the RESULT's order_id is its primary account. */
void apply_set_staking(struct apply_context *ctx, const struct set_staking *set, struct result *result);

/* Sets the mode of the venue: CANCEL_ONLY is as if every symbol were halted, REDUCE_ONLY as if every perps symbol were
   only to be reduced. A mode that is none is ENUM_RANGE of `mode`. */
void apply_set_mode(struct apply_context *ctx, const struct set_mode *set, struct result *result);

/* Development: what engine_traders tells from now on; MODE_FORBIDS elsewhere, NUMBER_RANGE beyond the ranges. */
void apply_set_traders(struct apply_context *ctx, const struct set_traders *set, struct result *result);

/*
 * Halts a symbol or lets it trade: no new orders, no matching, no liquidation; cancels continue, funding with rate 0.
 * Or, on perps, admits only orders that reduce.
 */
void apply_set_market(struct apply_context *ctx, const struct set_market *set, struct result *result);

/* Announces the settlement of a perps symbol, or withdraws the announcement (settle.h). */
void apply_settle(struct apply_context *ctx, const struct settle_symbol *command, struct result *result);

/* Cancels open orders as OPERATOR: by account, in each the newest first.
   The result names how many. Sleeping and armed ones go as well. */
void apply_cancel(struct apply_context *ctx, const struct cancel_for *command, struct result *result);

/* A pool has more places from now on (ruling 75); the RESULT's order_id is how many. Less than now, more than
   POOL_PLACES_MAX and an unknown pool are refused. */
void apply_raise_limit(struct apply_context *ctx, const struct raise_limit *raise, struct result *result);

/* Development: engine time runs ahead of the clock. The offset only grows; the same again is fine. */
void apply_advance_time(struct apply_context *ctx, const struct advance_time *advance, struct result *result);

/* I20: every id is found. */
void operator_verify(const struct engine *e);

#endif
