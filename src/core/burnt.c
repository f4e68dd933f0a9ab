/* SPDX-License-Identifier: MIT */
#include "core/burnt.h"
#include "core/filter.h"

static bool burnt_is_in_force(const struct engine *e) { return e->rules.client_id_reuse == REUSE_FILLED; }

static bool burnt_find(const struct engine *e, uint32_t owner, const struct client_id *client_id)
{
    const struct table_entry *table = engine_burnt_table(e);
    uint32_t                  key = order_key(e, owner, client_id);

    TABLE_EACH(at, table, e->burnt_table_size, key) {
        const struct burnt_id *burnt = engine_burnt(e) + table[at].ix - 1;
        if (burnt->owner == owner && client_id_equal(&burnt->client_id, client_id)) return true;
    }
    return false;
}

bool burnt_allows(const struct engine *e, uint32_t owner, const struct client_id *client_id, uint32_t more, struct result *result)
{
    if (!burnt_is_in_force(e)) return true;
    if (burnt_find(e, owner, client_id)) return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, client_id);
    return e->burnt_count + e->order_count + more <= e->limits.burnt_ids || refuse_plainly(result, REJECT_CAPACITY);
}

void burnt_order_left(struct engine *e, const struct order *order)
{
    uint32_t owner = order_owner(order);

    if (!burnt_is_in_force(e) || order->client_id.len == 0) return;
    if (order->status != STATUS_CANCELED && order->status != STATUS_EXPIRED && order->status != STATUS_REJECTED) return;
    assert(e->burnt_count < e->limits.burnt_ids && !burnt_find(e, owner, &order->client_id));
    engine_burnt(e)[e->burnt_count++] = (struct burnt_id){ order->client_id, owner, 0 };
    table_insert(engine_burnt_table(e), e->burnt_table_size, order_key(e, owner, &order->client_id), e->burnt_count);
}

void burnt_verify(const struct engine *e)
{
    if (!burnt_is_in_force(e)) { assert(e->burnt_count == 0); return; }
    assert(e->burnt_count + e->order_count <= e->limits.burnt_ids);
    for (uint32_t i = 0; i < e->burnt_count; i++) {
        const struct burnt_id *burnt = engine_burnt(e) + i;

        assert(burnt_find(e, burnt->owner, &burnt->client_id));
        assert(order_find_own(e, burnt->owner, &burnt->client_id) == 0);        /* no order goes by it */
    }
}
