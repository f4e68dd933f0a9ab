/* SPDX-License-Identifier: MIT */
/*
 * retired_id.h — client ids that may not come back: with clOrdIDReuse = filled, an id is free again only when its order
 * was filled (ruling 10 read literally). Every other end retires it, for its account and side, for good.
 *
 * Retired ids and those of open orders together never outnumber the pool, so an end can always retire its id.
 */
#ifndef CORE_BOOK_RETIRED_ID_H
#define CORE_BOOK_RETIRED_ID_H

#include "core/state/state.h"

/* False, with the refusal in *result, when the owner's id is retired or the pool has no room for `more` orders. */
bool retired_id_allows(const struct engine *e, uint32_t owner, const struct client_id *client_id, uint32_t more,
                       struct result *result);

/* The order of this owner leaves the pool with its last status; client ids are retired (retired_id_order_left asks). */
void retired_id_add(struct engine *e, uint32_t owner, const struct order *order);

static inline bool retired_id_is_in_force(const struct engine *e) { return e->rules.client_id_reuse == REUSE_FILLED; }
static inline void retired_id_order_left(struct engine *e, uint32_t owner, const struct order *order)
{
    if (retired_id_is_in_force(e)) retired_id_add(e, owner, order);
}

void retired_id_verify(const struct engine *e);

#endif
