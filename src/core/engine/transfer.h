/* SPDX-License-Identifier: MIT */
/*
 * transfer.h — money between spot, perps and the EVM ledger, each id once (transfer_ids.h) (service 4.2, service 4.5;
 * mechanics 7).
 */
#ifndef CORE_ENGINE_TRANSFER_H
#define CORE_ENGINE_TRANSFER_H

#include "core/state/refuse.h"
#include "core/account/ledger.h"

/* POST /accounts/transfers on the side of command.market, from the account in `slot`. */
void transfer_apply(struct apply_context *ctx, uint32_t slot, const struct transfer_asset *item, struct result *result);

/* An amount that is to leave an account: from which place to which, in units of the coin. */
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

/* Appends a TRANSFER of an account (0: of the address alone). Movements of one transfer share a number. */
void transfer_emit(struct apply_context *ctx, uint8_t market, uint32_t slot, const struct transferred *movement);

#endif
