/* SPDX-License-Identifier: MIT */
#include "core/perps/bracket_place.h"
#include "core/perps/perps_order.h"
#include "core/perps/stop.h"
#include "core/perps/perps_emit.h"

/* Take-profit beyond, stop-loss before the parent's price, or the mark for a market parent (mechanics 4.3). */
static bool pass_bracket_price(const struct engine *e, const struct perps_check *parent,
                               const struct perps_check *child, struct result *result)
{
    int64_t reference = parent->draft.type == TYPE_LIMIT ? parent->draft.price : perps_of(e, parent->market)->mark;
    bool    above = (parent->draft.side == SIDE_BUY) == (child->item->stop_type == STOP_TAKE_PROFIT);
    int     precision = (int)parent->market->symbol.price_precision;

    assert(reference > 0 && child->stop_price > 0);
    if (above ? child->stop_price > reference : child->stop_price < reference) return true;
    return refuse(result, REJECT_BAD_STOP_PRICE, decimal_make(child->stop_price, precision),
                  decimal_make(reference, precision));
}

/* Whether all members pass; otherwise *result has the refusal of the first that does not. */
static bool pass_group(struct engine *e, uint32_t slot, const struct place_perps *batch, struct perps_check asks[3],
                       struct result *result)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if (!pass_payload(payload_perps_neighbours(batch, &batch->items[i]), result)) return false;
    assert(batch->count == 2 || batch->count == 3); /* else a neighbour was missing */
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!perps_check_make(e, slot, batch->symbol_id, &batch->items[i],
                              client_id_key(e, slot | OWNER_PERPS, &batch->items[i].client_id), NULL, &asks[i], result))
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (client_id_equal(&batch->items[i].client_id, &batch->items[j].client_id))
                return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &batch->items[i].client_id);
        if (!perps_check_pass(e, slot, &asks[i], (struct group_room){ batch->count, i == 0 ? 0 : i - 1 }, result))
            return false;
        if (i != 0 && !pass_bracket_price(e, &asks[0], &asks[i], result)) return false;
    }
    return perps_check_pass_risk(e, &asks[0], result);
}

static void place_children(struct apply_context *ctx, uint32_t slot, const struct place_perps *batch,
                           struct perps_check asks[3], uint32_t parent, uint64_t ids[3])
{
    struct engine *e = ctx->engine;
    uint32_t       children[2] = { 0 };

    assert(batch->count == 2 || batch->count == 3);
    for (uint32_t i = 1; i < batch->count; i++) {
        uint32_t ix = children[i - 1] = perps_accept(e, slot, &asks[i], STATUS_PENDING_NEW);

        perps_accept_stop(e, ix, &asks[i]);
        if (stop_at(e, ix)->cap == order_at(e, parent)->quantity)
            stop_at(e, ix)->cap = 0; /* as much as the parent: it follows it */
        if (order_at(e, ix)->quantity == 0) order_at(e, ix)->quantity = order_at(e, parent)->quantity;
        stop_at(e, ix)->primary_id = order_at(e, parent)->id;
        stop_at(e, ix)->relation[0] = parent;
        ids[i] = order_at(e, ix)->id;
        assert(ids[i] > ids[i - 1] && stop_at(e, ix)->cap >= 0 && order_at(e, ix)->quantity >= 0);
    }
    assert(children[0] != 0 && children[0] != parent && children[1] != parent);
    order_at(e, parent)->time_in_force |= ORDER_HAS_STOP;
    *stop_at(e, parent) = (struct stop){ .modifier = MODIFIER_BRACKET,
                                         .type = asks[0].draft.type,
                                         .relation = { children[0], children[1] } };
    if (children[1] != 0) {
        stop_at(e, children[0])->relation[1] = children[1];
        stop_at(e, children[1])->relation[1] = children[0];
    }
    for (uint32_t i = 1; i < batch->count; i++) perps_emit(ctx, children[i - 1], EXEC_NEW, REASON_NONE);
}

/* All or nothing: everybody gets the one reason. Only the parent can have been a post-only order (ruling 12). */
static void refuse_group(struct apply_context *ctx, uint32_t slot, const struct place_perps *batch,
                         const struct perps_check *parent, struct result *results)
{
    for (uint32_t i = 1; i < batch->count; i++) {
        results[i].reject = results[0].reject;
        results[i].field = results[0].field;
        results[i].said = results[0].said;
        results[i].got = results[0].got;
        results[i].need = results[0].need;
        if ((results[0].said & SAID_ID) != 0) results[i].orig_client_id = results[0].orig_client_id;
    }
    if (results[0].reject == REJECT_POST_ONLY_CROSS) perps_expire_crossing(ctx, slot, parent, &results[0]);
}

COLD void bracket_place(struct apply_context *ctx, uint32_t slot, const struct place_perps *batch,
                        struct result *results)
{
    struct engine     *e = ctx->engine;
    struct perps_check asks[3];
    uint64_t           ids[3];
    uint32_t           parent;

    if (!pass_group(e, slot, batch, asks, &results[0])) {
        refuse_group(ctx, slot, batch, &asks[0], results);
        return;
    }
    parent = perps_accept(e, slot, &asks[0], STATUS_NEW);
    assert(parent != 0 && results[0].reject == REJECT_NONE);
    ids[0] = order_at(e, parent)->id;
    place_children(ctx, slot, batch, asks, parent, ids);
    ctx->placed = parent;
    ctx->ended = 0;
    perps_work(ctx, parent, asks[0].draft.type, asks[0].draft.funds, &asks[0].cover);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t ix = order_find_id(e, slot, ids[i]);
        results[i].order_id = ids[i];
        results[i].status = ix != 0 ? order_at(e, ix)->status : i == 0 ? ctx->ended : STATUS_CANCELED;
    }
}
