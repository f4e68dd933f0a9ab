/* SPDX-License-Identifier: MIT */
/*
 * account_perps.h — the perps side of an account as records (wire 1.1 to 1.3; mechanics 3). Values that depend on
 * marks are computed on request, from one instant of the views. Lists are in the thread's memory until the next call.
 */
#ifndef PRESENT_ACCOUNT_PERPS_H
#define PRESENT_ACCOUNT_PERPS_H

#include "present/present.h"

/* Reads the account and all its figures; the functions below show what was read last. */
void perps_account_read(struct present *present, const struct view_account *account);

/* Its block, balances, open orders and open positions: of one symbol or (0) of all, at most `max`. */
static inline const struct view_block *perps_account_block(const struct present *present)
{
    return &present->perps.margin.block;
}
struct list perps_balance_records(struct present *present);
struct list perps_order_records(struct present *present, uint32_t symbol_id, uint32_t max);
struct list perps_position_records(struct present *present, uint32_t symbol_id);
struct list perps_newest_positions(struct present *present, uint32_t symbol_id, uint32_t max);

/* The amount that one of its orders freezes, units of vUSDC; 0 when it is not open. */
int128_t perps_order_frozen(const struct present *present, uint64_t order_id);

/* WsPerpsState of an account at this moment; reads it itself. */
void perps_state_write(struct present *present, int64_t now_ms, const struct view_account *account, struct out *out);

#endif
