/* SPDX-License-Identifier: MIT */
#include "core/margin.h"
#include "core/ledger.h"

int64_t margin_withdrawable(const struct engine *e, uint32_t slot) { return max_i64(ledger_wallet(e, slot), 0); }
