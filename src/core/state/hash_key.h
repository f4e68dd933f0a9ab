/* SPDX-License-Identifier: MIT */
/* hash_key.h — keys of the tables over what clients choose. The seed of the engine keeps them from choosing collisions.
 */
#ifndef CORE_STATE_HASH_KEY_H
#define CORE_STATE_HASH_KEY_H

#include "core/state/state.h"

/* 32 well mixed bits of an address. */
uint32_t address_key(const struct engine *e, const struct address *address);

/* 32 well mixed bits of (owner, client id); the owner of an order's is order_owner. */
uint32_t client_id_key(const struct engine *e, uint32_t owner, const struct client_id *client_id);

#endif
