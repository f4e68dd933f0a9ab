/* SPDX-License-Identifier: MIT */
#include "core/deposit.h"
#include "core/account.h"
#include "core/ledger.h"

/* The id is a piece of a hash already; its first word spreads as well as any. */
static uint32_t id_key(const struct operator_id *id)
{
    uint64_t word;

    memcpy(&word, id->bytes, sizeof(word));
    return table_key_u64(word);
}

static bool is_known(const struct engine *e, const struct operator_id *id)
{
    const struct table_entry *table = engine_deposit_table(e);
    uint32_t                  key = id_key(id);

    TABLE_EACH(at, table, e->deposit_table_size, key)
        if (memcmp(&engine_deposits(e)[table[at].ix - 1], id, sizeof(*id)) == 0) return true;
    return false;
}

static void remember(struct engine *e, const struct operator_id *id)
{
    engine_deposits(e)[e->deposit_count++] = *id;
    table_insert(engine_deposit_table(e), e->deposit_table_size, id_key(id), e->deposit_count);
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

    if (is_known(e, &deposit->id)) return;
    if (!may_credit(e, deposit, result)) return;
    slot = account_find_owner(e, &deposit->address);
    if (slot == 0) slot = account_open(e, turn->events, &deposit->address);
    if (slot == 0) { refuse_plainly(result, REJECT_CAPACITY); return; }
    remember(e, &deposit->id);
    ledger_deposit(e, slot, deposit->coin_id, deposit->amount);
}

void deposit_verify(const struct engine *e)
{
    assert(e->deposit_count <= e->limits.deposits);
    for (uint32_t i = 0; i < e->deposit_count; i++) assert(is_known(e, &engine_deposits(e)[i]));
}
