/* SPDX-License-Identifier: MIT */
#include "core/deposit.h"
#include "core/account.h"
#include "core/ledger.h"

static bool is_known(const struct engine *e, uint64_t deposit_id)
{
    const struct table_entry *table = engine_deposit_table(e);
    uint32_t                  key = table_key_u64(deposit_id);

    TABLE_EACH(at, table, e->deposit_table_size, key)
        if (engine_deposits(e)[table[at].ix - 1] == deposit_id) return true;
    return false;
}

static void remember(struct engine *e, uint64_t deposit_id)
{
    engine_deposits(e)[e->deposit_count++] = deposit_id;
    table_insert(engine_deposit_table(e), e->deposit_table_size, table_key_u64(deposit_id), e->deposit_count);
}

static bool may_credit(const struct engine *e, const struct deposit *deposit, struct result *result)
{
    static const struct address nobody;
    enum reject                 reject = REJECT_NONE;

    if (address_equal(&deposit->address, &nobody))        reject = REJECT_BAD_ADDRESS;
    else if (deposit->coin_id >= e->coin_count)           reject = REJECT_COIN_NOT_FOUND;
    else if (deposit->amount <= 0)                        reject = REJECT_NOT_POSITIVE;
    else if (e->deposit_count == e->limits.deposits)      reject = REJECT_CAPACITY;
    else if (deposit->amount > AMOUNT_MAX - ledger_supply(e, deposit->coin_id))
        return refuse(result, REJECT_SUPPLY_LIMIT, spot_amount(e, deposit->coin_id, deposit->amount),
                      spot_amount(e, deposit->coin_id, AMOUNT_MAX - ledger_supply(e, deposit->coin_id)));
    result->reject = (uint16_t)reject;
    return reject == REJECT_NONE;
}

void deposit_apply(struct turn *turn, const struct deposit *deposit, struct result *result)
{
    struct engine *e = turn->engine;
    uint32_t       slot;

    if (is_known(e, deposit->deposit_id)) return;
    if (!may_credit(e, deposit, result)) return;
    slot = account_find_owner(e, &deposit->address);
    if (slot == 0) slot = account_open(e, turn->events, &deposit->address);
    if (slot == 0) { refuse_plainly(result, REJECT_CAPACITY); return; }
    remember(e, deposit->deposit_id);
    ledger_deposit(e, slot, deposit->coin_id, deposit->amount);
}

void deposit_verify(const struct engine *e)
{
    assert(e->deposit_count <= e->limits.deposits);
    for (uint32_t i = 0; i < e->deposit_count; i++) assert(is_known(e, engine_deposits(e)[i]));
}
