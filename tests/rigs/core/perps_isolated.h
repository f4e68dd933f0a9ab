/* SPDX-License-Identifier: MIT */
/*
 * perps_isolated.h — while the price of a cross position of an account is unknown, nothing goes into its isolated
 * buckets (ruling 64, decision 154), by the rows and the states of the symbols alone. For tests; header only.
 */
#ifndef RIGS_CORE_PERPS_ISOLATED_H
#define RIGS_CORE_PERPS_ISOLATED_H

#include "rigs/core/perps_fixture.h"

#define ISOLATED_ACCOUNTS 64

struct isolated_money {
    int128_t in_buckets[ISOLATED_ACCOUNTS];
    bool     held[ISOLATED_ACCOUNTS]; /* a price of its cross account is unknown */
};

static inline bool isolated_is_unknown(const struct engine *e, uint8_t number)
{
    const struct perps_market *perps = perps_at(e, number);

    return e->mode == VENUE_CANCEL_ONLY || market_at(e, number)->symbol.status == SYMBOL_HALT
        || perps->settlement.phase == PHASE_SETTLED || perps->state != ORACLE_LIVE || perps->held_price != 0;
}

static inline void isolated_note(const struct fixture *f, struct isolated_money *money)
{
    const struct engine *e = f->engine;

    memset(money, 0, sizeof(*money));
    for (uint32_t slot = SLOT_USERS; slot < e->account_end && slot < ISOLATED_ACCOUNTS; slot++)
        for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
            const struct position *position = position_at(e, ix);

            money->in_buckets[slot] += position->exposure.bucket;
            if (position->mode == MARGIN_CROSS && position->exposure.size != 0)
                money->held[slot] |= isolated_is_unknown(e, position->market);
        }
}

/* Whether the last command has kept the rule; funding, in TICKs, fills buckets from others. */
static inline bool isolated_holds(const struct fixture *f, const struct isolated_money *before)
{
    struct isolated_money after;

    isolated_note(f, &after);
    if (f->room.head.kind == CMD_TICK) return true;
    for (uint32_t slot = 0; slot < ISOLATED_ACCOUNTS; slot++)
        if (before->held[slot] && after.in_buckets[slot] > before->in_buckets[slot]) return false;
    return true;
}

#endif
