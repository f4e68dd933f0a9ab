/* SPDX-License-Identifier: MIT */
/*
 * transfer_ids.h — each transfer id once (service 4.2, mechanics 7).
 *
 * Per (account, side, signer) the 1024 highest ids that succeeded are kept with the movement: the same request again
 * gets the same answer and moves nothing (ruling 69). A list is in ascending order of ids; an ordinary id goes to its
 * end.
 *
 * Slots (ruling 73): on each side an account has a slot for the first id of its wallet and for the first id of each of
 * five keys, which is the most that its owner may have; all other ids share limits.transfers. When these are taken, a
 * list drops its own smallest id for a new one; a key without any takes the slot of a revoked key, whose ids are too
 * old from then on. So no transfer is refused because of other accounts' ids.
 */
#ifndef CORE_ACCOUNT_TRANSFER_IDS_H
#define CORE_ACCOUNT_TRANSFER_IDS_H

#include "core/state/state.h"

/*
 * The ids that a signer has used for an account on one side (enum market_kind); `key` is the index of the key that
 * signed, 0 of the wallet. For a key that has used none yet it is `fresh`, filled as the list that it would get.
 */
struct transfer_list *transfer_ids_of(const struct engine *e, uint32_t key, uint32_t slot, uint8_t market,
                                      struct transfer_list *fresh);

/*
 * Whether the id is new. False: *result has the reason, or records that the same transfer succeeded before and moves
 * nothing now.
 */
bool transfer_ids_is_new(const struct engine *e, const struct transfer_list *list, const struct transfer *wanted,
                         struct result *result);

/* Stores a new id. `list` is the result of transfer_ids_of for `key`; when it is `fresh`, the key gets its list now. */
void transfer_ids_remember(struct engine *e, uint32_t key, struct transfer_list *list, struct transfer_list *fresh,
                           const struct transfer *done);

/* Drops the ids of a key whose record gets another address or user. */
void transfer_ids_forget(struct engine *e, struct api_key *key);

/*
 * I26: ids ascend, at most 1024 each; every used slot of the pool is in exactly one list. I61: shared ids fit the
 * pool.
 */
void transfer_ids_verify(const struct engine *e);

#endif
