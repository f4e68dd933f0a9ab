/* SPDX-License-Identifier: MIT */
/*
 * key.h — API keys: addresses that sign for all accounts of a user (wire 2.4, 3.3; an address has one owner).
 *
 *      (unknown) ──▶ live ──▶ revoked ──▶ live again, under a new number, with its earlier nonces
 *                                   └──▶ reused for another address, when the pool is full and three days have passed
 *
 * A record reserves nonce sets in every domain and two lists of transfer ids (ruling 73). A user has at most 5 live
 * keys and revokes at most 32 keys within three days, so no user can fill the pool with keys that must be remembered.
 */
#ifndef CORE_ACCOUNT_KEY_H
#define CORE_ACCOUNT_KEY_H

#include "core/state/refuse.h"

/* Registers a key for the account in `slot`; the main wallet has signed. Appends KEY. */
void key_add(struct apply_context *ctx, uint32_t slot, const struct add_key *item, struct result *result);

/* Revokes a key of the account's user by its name. Appends KEY. Its nonces stay. The 33rd within three days is
   KEY_LIMIT, with the engine time from which on it will do. */
void key_revoke(struct apply_context *ctx, uint32_t slot, const struct revoke_key *item, struct result *result);

/*
 * Whether the key that signed the command has this right for speaker->account now; then it is the speaker. A transfer
 * needs the right of its type in place of `rights`.
 */
enum reject key_authorise(const struct engine *e, const struct command *command, uint8_t rights,
                          struct speaker *speaker) MUST_USE;

/* An address that is or was a key has become the wallet in `slot`: the key ends, its nonces are the wallet's. */
void key_give_way(struct engine *e, struct events *events, uint32_t slot);

/* The record of the key that signed the command, or 0 when it was a wallet. */
uint32_t key_of(const struct engine *e, const struct command *command);

/* How many nonce sets are of keys. */
uint32_t key_nonce_sets(const struct engine *e);

/* I25: names, addresses and numbers are one-to-one, counts are true, no live key is a wallet. */
void key_verify(const struct engine *e);

#endif
