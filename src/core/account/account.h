/* SPDX-License-Identifier: MIT */
/*
 * account.h — users and accounts: rows of accounts, address → account, and the signers of an account.
 *
 * A user is its primary account (userID = accountID, from 1001) and has as many sub-accounts as the operator opened.
 */
#ifndef CORE_ACCOUNT_ACCOUNT_H
#define CORE_ACCOUNT_ACCOUNT_H

#include "core/state/state.h"

/* The id of a row (ruling 30); 0 for the outside, which is no account. */
uint64_t account_id_of(uint32_t slot);

/* The same for the row of a user's account. */
static inline uint64_t account_id_of_user(uint32_t slot)
{
    assert(slot >= SLOT_USERS);
    return ACCOUNT_FIRST - SLOT_USERS + (uint64_t)slot;
}

/* The row of a user's account, or 0. System accounts are never found: no address signs for them. */
uint32_t account_find(const struct engine *e, uint64_t account_id);

/* The primary account of an address, or 0. */
uint32_t account_find_owner(const struct engine *e, const struct address *owner);

/*
 * The row of a new user for an address without one, which finds it from now on; 0 when the pool is full.
 * account_open.h makes the whole user.
 */
uint32_t account_take(struct engine *e, const struct address *owner);

/* Appends the ACCOUNT of a row. */
void account_emit(const struct engine *e, struct events *events, uint32_t slot);

/* Opens one more account for the user whose primary one is `user`; emits ACCOUNT. 0 when the pool is full. */
uint32_t account_open_more(struct engine *e, struct events *events, uint32_t user);

/* How many nonce sets are of wallets. */
uint32_t account_nonce_sets(const struct engine *e);

void account_verify(const struct engine *e);

#endif
