/* SPDX-License-Identifier: MIT */
#include "core/book/retired_id.h"
#include "core/state/hash_key.h"
#include "core/state/refuse.h"

static bool retired_id_find(const struct engine *e, uint32_t owner, const struct client_id *client_id)
{
    const struct table_entry *table = engine_retired_table(e);
    uint32_t                  key = client_id_key(e, owner, client_id);

    TABLE_EACH(at, table, e->layout.retired_table_size, key) {
        const struct retired_id *retired = engine_retired(e) + table[at].ix - 1;
        if (retired->owner == owner && client_id_equal(&retired->client_id, client_id)) return true;
    }
    return false;
}

bool retired_id_allows(const struct engine *e, uint32_t owner, const struct client_id *client_id, uint32_t more,
                       struct result *result)
{
    if (!retired_id_is_in_force(e)) return true;
    if (retired_id_find(e, owner, client_id))
        return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, client_id);
    return e->retired_count + e->order_count + more <= e->limits.burnt_ids || refuse_plainly(result, REJECT_CAPACITY);
}

NOINLINE void retired_id_add(struct engine *e, uint32_t owner, const struct order *order)
{
    assert(retired_id_is_in_force(e));
    if (order->client_id.len == 0) return;
    if (order->status != STATUS_CANCELED && order->status != STATUS_EXPIRED && order->status != STATUS_REJECTED) return;
    assert(e->retired_count < e->limits.burnt_ids && !retired_id_find(e, owner, &order->client_id));
    engine_retired(e)[e->retired_count++] = (struct retired_id){ order->client_id, owner, 0 };
    table_insert(engine_retired_table(e), e->layout.retired_table_size, client_id_key(e, owner, &order->client_id),
                 e->retired_count);
}

void retired_id_verify(const struct engine *e)
{
    if (!retired_id_is_in_force(e)) {
        assert(e->retired_count == 0);
        return;
    }
    assert(e->retired_count + e->order_count <= e->limits.burnt_ids);
    for (uint32_t i = 0; i < e->retired_count; i++) {
        const struct retired_id *retired = engine_retired(e) + i;

        assert(retired_id_find(e, retired->owner, &retired->client_id));
    }
}
