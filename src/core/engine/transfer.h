/* SPDX-License-Identifier: MIT */
/*
 * transfer.h — money between spot, perps and the EVM ledger, each id once (service 4.2, service 4.5; mechanics 7).
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
#ifndef CORE_ENGINE_TRANSFER_H
#define CORE_ENGINE_TRANSFER_H

#include "core/book/filter.h"
#include "core/account/ledger.h"

/* POST /accounts/transfers on the side of command.market, from the account in `slot`. */
void transfer_apply(struct apply_context *ctx, uint32_t slot, const struct transfer_asset *item, struct result *result);

/* The right that a transfer of this type needs (enum key_right). */
uint8_t transfer_right(uint8_t type);

/* Appends a TRANSFER of an account (0: of the address alone). Movements of one transfer share a number. */
/* Money that is to leave a place of an account for another place, its own or of another account of its user. */
struct leaving {
    enum place from, to;
    uint32_t   coin_id;
    int64_t    amount;
};

/*
 * Whether the account may give the amount (mechanics 7): at most the available balance, or, out of perps, the amount
 * that may leave (rulings 63, 64). `asked` is the amount in the request. False: *result has the reason.
 */
bool transfer_may_leave(struct engine *e, uint32_t slot, const struct leaving *leaving, struct decimal asked,
                        struct result *result) MUST_USE;

void transfer_emit(struct apply_context *ctx, uint8_t market, uint32_t slot, const struct transferred *movement);

/* Drops the ids of a key whose record gets another address or user. */
void transfer_forget(struct engine *e, struct api_key *key);

/* How many transfer ids and lists of keys' ids there is room for. */
uint64_t transfer_places(const struct limits *limits);
uint64_t transfer_key_lists(const struct limits *limits);

/*
 * I26: ids ascend, at most 1024 each; every used slot of the pool is in exactly one list. I61: shared ids fit the
 * pool.
 */
void transfer_verify(const struct engine *e);

#endif
