/* SPDX-License-Identifier: MIT */
/* hash_key.h — keys of the tables over what clients choose. The seed of the engine keeps them from choosing collisions.
 */
#ifndef CORE_STATE_HASH_KEY_H
#define CORE_STATE_HASH_KEY_H

#include "core/state/state.h"
#include "rules/client_key.h"

/* 32 well mixed bits of an address. */
uint32_t address_key(const struct engine *e, const struct address *address);

static_assert(SLOT_USERS == OWNER_FIRST, "the slot of an account is its owner number");

/* client_key with the engine's seed; the owner of an order's id is order_owner. */
static inline uint32_t client_id_key(const struct engine *e, uint32_t owner, const struct client_id *client_id)
{
    return client_key(e->hash_seed, owner, client_id);
}

#endif
