/* SPDX-License-Identifier: MIT */
/*
 * transfer.h — money between spot, perps and the EVM ledger, each id once (service: transfer rules; mechanics 7).
 *
 * Per (account, side) the 1024 highest ids that succeeded are kept with what they moved: the same again answers
 * the same and moves nothing. A list is in ascending order of ids; an ordinary id goes to its end.
 */
#ifndef CORE_TRANSFER_H
#define CORE_TRANSFER_H

#include "core/filter.h"

/* POST /accounts/transfers on the side of command.market, from the account in `slot`. */
void transfer_apply(struct turn *turn, uint32_t slot, const struct transfer_asset *item, struct result *result);

/* The right that a transfer of this type needs (enum key_right). */
uint8_t transfer_right(uint8_t type);

/* Appends a TRANSFER of an account (0: of the address alone). Movements of one transfer share a number. */
void transfer_tell(struct turn *turn, uint8_t market, uint32_t slot, const struct transferred *movement);

/* I26: ids ascend, at most 1024 each; taken places of the pool are in exactly one list. */
void transfer_verify(const struct engine *e);

#endif
