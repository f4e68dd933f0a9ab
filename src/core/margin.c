/* SPDX-License-Identifier: MIT */
#include "core/margin.h"
#include "core/ledger.h"
#include "core/unit.h"

int64_t margin_withdrawable(struct engine *e, uint32_t slot)
{
    int64_t  wallet = max_i64(ledger_wallet(e, slot), 0);
    int128_t transferable;

    if (e->perps_count == 0) return wallet;
    transferable = unit_available(e, slot).transferable;
    assert(transferable >= 0);
    return (int64_t)margin_min(transferable, wallet);
}
