/* SPDX-License-Identifier: MIT */
/*
 * perps_needs.h — the margin that an account's positions and orders need, computed again from the open orders alone,
 * and the rule that an account's own action leaves required margin ≤ max(equity, requirement before) (mechanics 1.6
 * (10), 3.4). Header only.
 *
 * The engine keeps sums and bounds of these; there are none here, so that an error in them shows.
 */
#ifndef RIGS_CORE_PERPS_NEEDS_H
#define RIGS_CORE_PERPS_NEEDS_H

#include "core/account/account.h"
#include "core/account/fees.h"
#include "rigs/core/perps_fixture.h"

/* Execution priority, by an insertion sort kept as simple as possible. */
static inline void needs_sort(struct order **orders, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t at = i; at > 0; at--) {
            struct order *one = orders[at - 1], *other = orders[at];
            if (side_better(one->side, one->price, other->price) || (one->price == other->price && one->id < other->id))
                break;
            orders[at - 1] = other;
            orders[at] = one;
        }
}

static inline int128_t needs_of_side(const struct engine *e, const struct position *position, uint8_t side)
{
    const struct market *market = market_at(e, position->market);
    bool                 closes = position->exposure.size != 0 && (position->exposure.size > 0) == (side == SIDE_SELL);
    struct margin_need   need = { .worst = perps_worst_of(perps_of(e, market), side),
                                  .taker_rate = max_i64(fees_taker_rate(e, market, position->account), 0),
                                  .leverage = position->leverage,
                                  .power = market->power,
                                  .buy = side == SIDE_BUY,
                                  .skip = closes ? size_abs(position->exposure.size) : 0 };
    struct order        *orders[1024];
    uint32_t             count = 0;

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        struct order *order = order_at(e, ix);
        if (order->market != position->market || order->level == 0 || order_reduces(order) || order->side != side)
            continue;
        assert(count < ARRAY_COUNT(orders));
        orders[count++] = order;
    }
    needs_sort(orders, count);
    for (uint32_t i = 0; i < count; i++) (void)margin_need_add(&need, orders[i]->price, order_open(orders[i]));
    return need.total;
}

/* Sum of IMreq over cross symbols and of the reserves of isolated ones beyond their buckets. */
static inline int128_t needs_of(const struct engine *e, uint32_t slot)
{
    int128_t sum = 0;

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position *position = position_at(e, ix);
        bool                   isolated = position_is_isolated(position);
        int128_t               bucket = max_i64(position->exposure.bucket, 0);
        int128_t               required =
            margin_required(position->exposure.size, isolated ? bucket : position_initial(e, position),
                            needs_of_side(e, position, SIDE_BUY), needs_of_side(e, position, SIDE_SELL));

        sum += isolated ? margin_max(0, required - bucket) : required;
    }
    return sum;
}

/* E of the cross account at the worst prices (mechanics 3.3, ruling 63). */
static inline int128_t needs_equity(const struct engine *e, uint32_t slot)
{
    return engine_margins(e)[slot].wallet + risk_unit_cross(e, slot).worst;
}

static inline uint32_t needs_slot(const struct fixture *f)
{
    static const struct address nobody;

    if (address_equal(&f->room.head.signer, &nobody)) return 0;
    for (uint32_t slot = SLOT_USERS; slot < f->engine->account_end; slot++)
        if (address_equal(&account_at(f->engine, slot)->owner, &f->room.head.signer)) return slot;
    return 0;
}

/* The needs of all accounts before a command, taken before its sender is known. */
static inline void needs_note(const struct fixture *f, int128_t *before)
{
    for (uint32_t slot = SLOT_USERS; slot < f->engine->account_end; slot++) before[slot] = needs_of(f->engine, slot);
}

/* Whether a resting reduce-only order of the account was filled in the last command. */
static inline bool needs_reduced(const struct fixture *f, uint32_t slot)
{
    const struct filled *fill;

    for (uint32_t i = 0; (fill = event_at(f, EVENT_FILL, i)) != NULL; i++) {
        const struct perps_order_changed *order = perps_emitted(f, fill->order_id);

        if (fill->account_id == account_id_of(slot) && fill->is_maker && order != NULL && order->reduce_only)
            return true;
    }
    return false;
}

/*
 * Whether the last command, if it was a user's and accepted, left its account within IMreq_after <= max(E,
 * IMreq_before). Not asked where others' stops, triggered by the command, filled the account's own reduce-only order:
 * closing is free, and what it closes no longer stands against its other orders.
 */
static inline bool needs_hold(const struct fixture *f, const int128_t *before)
{
    uint32_t slot = needs_slot(f);
    int128_t after;

    if (slot == 0 || result_at(f, 0) == NULL || result_at(f, 0)->reject != REJECT_NONE) return true;
    if (needs_reduced(f, slot)) return true;
    after = needs_of(f->engine, slot);
    return after <= margin_max(needs_equity(f->engine, slot), before[slot]);
}

#endif
