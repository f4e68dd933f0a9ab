/* SPDX-License-Identifier: MIT */
/*
 * perps_liquidating.h — the common start of the tests of liquidations: markets without interest, users who deposit and
 * set their leverage. Header only.
 */
#ifndef RIGS_CORE_PERPS_LIQUIDATING_H
#define RIGS_CORE_PERPS_LIQUIDATING_H

#include "core/account/ledger.h"
#include "rigs/core/perps_fixture.h"

#define USDC(text) in_units(text, 6)

static inline int64_t in_units(const char *text, int precision)
{
    int64_t units;
    assert_true(decimal_to_units(number(text), precision, INT64_MAX, &units));
    return units;
}

enum { A = 1, M, B, C, D, F };

/* The markets of the examples: without interest, so that the mark equals the index while the book gives no price. */
static inline struct fixture *prepare(const char *fund, const char *taker_fee)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = in_units(fund, 6);
    f->genesis.rules.fund_loss_ratio = f->genesis.rules.fund_total_ratio = RATE_ONE;
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.contracts[i].interest_rate = 0;
        f->genesis.perps[i].taker_fee = in_units(taker_fee, 8);
    }
    return f;
}

static inline struct fixture *start(const char *fund, const char *taker_fee)
{
    struct fixture *f = prepare(fund, taker_fee);

    fixture_start(f);
    return f;
}

static inline void join(struct fixture *f, uint32_t who, const char *amount)
{
    perps_deposit(f, who, in_units(amount, 6));
    assert_int_equal(perps_leverage(f, who, BTC, 25, MARGIN_CROSS)->reject, REJECT_NONE);
    assert_int_equal(perps_leverage(f, who, ETH, 20, MARGIN_CROSS)->reject, REJECT_NONE);
}

static inline uint64_t account_of(const struct fixture *f, uint32_t who)
{
    return perps_slot(f, who) - SLOT_USERS + ACCOUNT_FIRST;
}
static inline int64_t fund_cash(const struct fixture *f) { return engine_margins(f->engine)[SLOT_FUND].wallet; }

static inline const struct position_changed *last_position(const struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    const struct position_changed *found = NULL, *event;

    for (uint32_t i = 0; (event = event_at(f, EVENT_POSITION, i)) != NULL; i++)
        if (event->account_id == account_of(f, who) && event->symbol_id == symbol_id) found = event;
    return found;
}

/* The incident of the first receipt behind an event, 0 = there is none. */
static inline uint64_t incident_behind(const struct fixture *f, const struct event *event)
{
    while ((event = events_next(&f->events, event)) != NULL)
        if (event->kind == EVENT_LIQUIDATION) return ((const struct liquidated *)(const void *)event)->liquidation_id;
    return 0;
}

/* A TICK; each fill and each end of a position that a stage forced carries
   the number of the receipt behind it, nothing else carries one. */
static inline void liquidation_tick(struct fixture *f)
{
    perps_tick(f, 1000);
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct filled           *fill = (const void *)event;
        const struct position_changed *position = (const void *)event;

        if (event->kind == EVENT_FILL)
            assert_int_equal(fill->liquidation_id, fill->reason == 0 ? 0 : incident_behind(f, event));
        if (event->kind == EVENT_POSITION)
            assert_int_equal(position->liquidation_id, end_is_forced(position->reason) ? incident_behind(f, event) : 0);
    }
}

#endif
