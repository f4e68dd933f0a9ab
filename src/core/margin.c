/* SPDX-License-Identifier: MIT */
#include "core/margin.h"
#include "core/ledger.h"
#include "core/unit.h"

int64_t margin_withdrawable(struct engine *e, uint32_t slot)
{
    if (e->perps_count == 0) return max_i64(ledger_wallet(e, slot), 0);
    return (int64_t)margin_min(unit_available(e, slot).transferable, max_i64(ledger_wallet(e, slot), 0));
}
