/* SPDX-License-Identifier: MIT */
#include "core/account/account_open.h"
#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/account/key.h"

uint32_t account_open(struct engine *e, struct events *events, const struct address *owner)
{
    uint32_t slot = account_take(e, owner);

    if (slot == 0) return 0;
    assert(slot >= SLOT_USERS && slot < e->account_end && account_at(e, slot)->order_count == 0);
    key_give_way(e, events, slot);
    assert(account_at(e, slot)->user == slot && account_at(e, slot)->key_count == 0);
    account_emit(e, events, slot);
    fees_emit(e, events, MARKET_SPOT, slot);
    if (e->perps_count != 0) fees_emit(e, events, MARKET_PERPS, slot);
    return slot;
}
