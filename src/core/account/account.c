/* SPDX-License-Identifier: MIT */
#include "core/account/account.h"
#include "core/state/hash_key.h"

/* Without a branch: of the balances that a trade changes, every third one is the vault's. */
uint64_t account_id_of(uint32_t slot)
{
    static const uint64_t first[SLOT_USERS + 1] = { 0, ACCOUNT_FUND, ACCOUNT_FEES, ACCOUNT_BRIDGE, ACCOUNT_FIRST };
    uint32_t              row = min_u32(slot, SLOT_USERS);

    return first[row] + (slot - row);
}

uint32_t account_find(const struct engine *e, uint64_t account_id)
{
    if (account_id < ACCOUNT_FIRST || account_id - ACCOUNT_FIRST >= e->account_end - SLOT_USERS) return 0;
    return (uint32_t)(account_id - ACCOUNT_FIRST) + SLOT_USERS;
}

/* Not inlined: most commands name their account, and the copy of the address would need a guarded stack frame. */
NOINLINE uint32_t account_find_owner(const struct engine *e, const struct address *owner)
{
    const struct table_entry *table = engine_address_table(e);
    uint32_t                  key = address_key(e, owner);

    TABLE_EACH(at, table, e->layout.address_table_size, key)
        if (address_equal(&account_at(e, table[at].ix)->owner, owner)) return table[at].ix;
    return 0;
}

void account_emit(const struct engine *e, struct events *events, uint32_t slot)
{
    const struct account  *account = account_at(e, slot);
    struct account_opened *event = EVENT_ADD(events, ACCOUNT, account_opened, 0);

    assert(slot >= SLOT_USERS && slot < e->account_end && account->user >= SLOT_USERS && account->user <= slot);
    event->account_id = account_id_of(slot);
    event->user_id = account_id_of(account->user);
    event->owner = account->owner;
    event->is_primary = account->user == slot;
}

static uint32_t take_row(struct engine *e, const struct address *owner)
{
    uint32_t slot = e->account_end;

    if (slot - SLOT_USERS == e->limits.accounts) return 0;
    assert(slot >= SLOT_USERS && account_at(e, slot)->order_count == 0
           && account_at(e, slot)->key_count == 0); /* the address had no user yet */
    e->account_end += 1;
    account_at(e, slot)->owner = *owner;
    account_at(e, slot)->user = slot;
    return slot;
}

uint32_t account_take(struct engine *e, const struct address *owner)
{
    uint32_t slot;

    assert(account_find_owner(e, owner) == 0);
    slot = take_row(e, owner);
    if (slot == 0) return 0;
    table_insert(engine_address_table(e), e->layout.address_table_size, address_key(e, owner), slot);
    assert(account_find_owner(e, owner) == slot && account_find(e, account_id_of(slot)) == slot);
    return slot;
}

uint32_t account_open_more(struct engine *e, struct events *events, uint32_t user)
{
    const struct account *primary = account_at(e, user);
    uint32_t              slot = take_row(e, &primary->owner);
    struct account       *account = account_at(e, slot);

    assert(primary->user == user);
    if (slot == 0) return 0;
    account->user = user;
    account->tiers = primary->tiers;
    engine_margins(e)[slot].tiers = engine_margins(e)[user].tiers;
    assert(slot > user && account_find(e, account_id_of(slot)) == slot);
    account_emit(e, events, slot);
    return slot;
}

uint32_t account_nonce_sets(const struct engine *e)
{
    uint32_t sets = 0;

    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++)
        for (uint32_t i = 0; i < ARRAY_COUNT(account_at(e, slot)->signer.sets); i++) {
            uint32_t set = account_at(e, slot)->signer.sets[i];

            if (set == 0) continue;
            assert(account_at(e, slot)->user == slot); /* sub-accounts sign with the wallet of their user */
            assert(set < e->signer_end && !engine_nonces(e)[set].of_key && engine_nonces(e)[set].owner == slot
                   && engine_nonces(e)[set].domain == i + 1);
            sets += 1;
        }
    return sets;
}

void account_verify(const struct engine *e)
{
    assert(e->account_end >= SLOT_USERS && e->account_end - SLOT_USERS <= e->limits.accounts);
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        const struct account *account = account_at(e, slot);

        assert(account->user >= SLOT_USERS && account->user <= slot);
        assert(account_find_owner(e, &account->owner) == account->user); /* I7: address -> account is one-to-one */
        assert(account->touched == 0);
        assert(account_at(e, account->user)->user == account->user);
    }
}
