/* SPDX-License-Identifier: MIT */
/*
 * perps_property_test.c — random hostile flow on two perps symbols (perps_random_flow.h). After every command all
 * invariants hold, the money adds up, the account that acted has required margin ≤ max(equity, requirement before)
 * (mechanics 1.6), a position that a fill opened has its margin at the worst prices (ruling 65), and nothing went into
 * a bucket while a price of the cross account was unknown (ruling 64). The same commands are applied to a second engine
 * later, in groups and with hints: both tell the same and have the same hash.
 *
 * A slice has a third of the seeds of a crowd whose exchanges are judged one by one.
 * DOJIMA_COMMANDS=1000000 plays that many commands over all flows instead of a few seconds' worth.
 */
#include "core/engine/ahead.h"
#include "rigs/core/perps_covered.h"
#include "rigs/core/perps_isolated.h"
#include "rigs/core/perps_needs.h"
#include "rigs/core/perps_random_flow.h"
#include "rigs/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define LUMP_BYTES 1000000

/* ---- the twin: the same commands, later and in lumps ---- */

struct twin {
    struct fixture    *f;
    uint8_t           *lump;
    size_t             used;
    struct hint_tables tables;
};

/* A command in the lump: the hash of its events, and behind it the command. */
struct noted {
    struct hash256 told;
};

static void twin_apply(struct twin *twin, const struct command *command)
{
    static struct hints hints;
    struct engine      *e = twin->f->engine;
    struct engine_ahead ahead = { 0 };
    bool                hinted = hints_make(&twin->tables, command, &hints) != 0;

    engine_prefetch_far(e, command, hinted ? &hints : NULL, &ahead);
    engine_prefetch_near(e, &ahead);
    engine_prefetch_close(e, &ahead);
    twin->f->events.len = 0;
    engine_apply_ahead(e, command, &ahead, &twin->f->events);
}

static void twin_catch_up(struct twin *twin)
{
    for (size_t at = 0; at < twin->used;) {
        const struct noted   *noted = (const void *)(twin->lump + at);
        const struct command *command = (const void *)(noted + 1);
        struct hash256        told;

        twin_apply(twin, command);
        told = keccak256(twin->f->events.at, twin->f->events.len);
        assert_memory_equal(&told, &noted->told, sizeof(told));
        at += align_up(sizeof(*noted) + command->bytes, 16);
    }
    twin->used = 0;
}

static void twin_note(struct twin *twin, const struct fixture *f)
{
    struct noted *noted;

    if (twin->used + sizeof(*noted) + sizeof(f->room) > LUMP_BYTES) twin_catch_up(twin);
    noted = (void *)(twin->lump + twin->used);
    noted->told = keccak256(f->events.at, f->events.len);
    memcpy(noted + 1, &f->room, f->room.head.bytes);
    twin->used += align_up(sizeof(*noted) + f->room.head.bytes, 16);
}

/* ---- what must hold ---- */

/* wallets + buckets - costs == net inflow (mechanics 1.5); the fund counts like every account. */
static int128_t money(const struct fixture *f)
{
    int128_t sum = 0;

    for (uint32_t slot = 0; slot < f->engine->account_end; slot++) sum += engine_margins(f->engine)[slot].wallet;
    for (uint32_t ix = 1; ix < f->engine->position_end; ix++)
        sum += position_at(f->engine, ix)->exposure.bucket - position_at(f->engine, ix)->exposure.cost;
    return sum;
}

/* The inflow from outside and from spot, less the outflow. */
static int64_t moved(const struct fixture *f)
{
    int64_t sum = f->room.head.kind == CMD_DEPOSIT ? f->room.deposit.amount : 0;

    for (uint32_t i = 0;; i++) {
        const struct transferred *event = event_at(f, EVENT_TRANSFER, i);

        if (event == NULL) return sum;
        if (event->type == TRANSFER_PERPS_WITHDRAW) sum += event->amount;
        if (event->type == TRANSFER_SPOT_WITHDRAW) sum -= event->amount;
    }
}

/* After a TICK that completed its work no unit below its maintenance margin is left (mechanics 1.6, 10). */
static void check_units(const struct fixture *f)
{
    struct engine *e = f->engine;

    if (f->room.head.kind != CMD_TICK || e->work_left != 0) return;
    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        const struct position *position = position_at(e, ix);
        struct health          health;

        if (position->exposure.size == 0 || position->account == SLOT_FUND || perps_is_suspended(e, position->market))
            continue;
        health = risk_unit_health(e, position);
        if (health.equity >= health.maintenance) continue;
        assert_true((position_is_isolated(position) ? position->tried : engine_margins(e)[position->account].tried)
                    == e->price_step);
    }
}

/* The open interest of a symbol that is only to be reduced, or whose index is stale, does not grow (mechanics 3.15). */
struct interest {
    uint8_t phase, state;
    int64_t open;
};

static void note_interest(const struct fixture *f, struct interest interest[2])
{
    for (uint32_t i = 0; i < 2; i++)
        interest[i] = (struct interest){ perps_phase(f->engine, &engine_perps(f->engine)[i]),
                                         engine_perps(f->engine)[i].state, engine_perps(f->engine)[i].open_interest };
}

static void check_interest(const struct fixture *f, const struct interest before[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct perps_market *perps = &engine_perps(f->engine)[i];

        if ((before[i].phase != PHASE_OPEN && f->room.head.kind != CMD_SET_MARKET)
            || (before[i].state == ORACLE_IS_STALE && perps->state == ORACLE_IS_STALE))
            assert_true(perps->open_interest <= before[i].open);
    }
}

/*
 * In cancel-only mode there are no trades, no liquidations and no new orders in a book; no symbol is settled in these
 * runs (I44).
 */
static void check_mode(const struct fixture *f, uint8_t before)
{
    if (before != VENUE_CANCEL_ONLY || f->room.head.kind == CMD_SET_MODE) return;
    assert_null(event_at(f, EVENT_TRADE, 0));
    assert_null(event_at(f, EVENT_FILL, 0));
    for (uint32_t i = 0;; i++) {
        const struct perps_order_changed *order = event_at(f, EVENT_PERPS_ORDER, i);

        if (order == NULL) break;
        assert_true(order->base.status != STATUS_NEW && order->base.status != STATUS_TRIGGERED
                    && order->base.status != STATUS_PARTIALLY_FILLED);
    }
    for (uint32_t i = 0;; i++) {
        const struct order_changed *order = event_at(f, EVENT_ORDER, i);

        if (order == NULL) break;
        assert_true(!status_is_open(order->status));
    }
}

/* No trade passes a cap (mechanics 3.7), and no event calls the fund solvent while it is not (mechanics 1.6, 3). */
static void check_venue(const struct fixture *f)
{
    const struct engine *e = f->engine;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        int64_t cap = engine_perps(e)[i].contract.open_interest_cap;
        assert_true(cap == 0 || engine_perps(e)[i].open_interest <= cap);
    }
    assert_true(e->insolvent || engine_margins(e)[SLOT_FUND].wallet + risk_unit_cross(e, SLOT_FUND).profit >= 0);
}

/* ---- runs ---- */

struct counts {
    uint32_t trades, opened, stages, taken, adl, fundings, triggered, full, insolvent, settled, closed, canceled, modes,
        shut;
};

/* The members one after the other. */
#define COUNTS (sizeof(struct counts) / sizeof(uint32_t))

static uint32_t count_at(const struct counts *counts, size_t i)
{
    uint32_t count;

    memcpy(&count, (const uint8_t *)counts + i * sizeof(count), sizeof(count));
    return count;
}

static void add_counts(struct counts *counts, const struct counts *more)
{
    for (size_t i = 0; i < COUNTS; i++) {
        uint32_t sum = count_at(counts, i) + count_at(more, i);

        memcpy((uint8_t *)counts + i * sizeof(sum), &sum, sizeof(sum));
    }
}

static void check_counts(const struct counts *counts, const struct counts *least)
{
    for (size_t i = 0; i < COUNTS; i++)
        if (count_at(counts, i) < count_at(least, i))
            fail_msg("count %zu is %u, not at least %u", i, count_at(counts, i), count_at(least, i));
}

static void count_events(const struct fixture *f, struct counts *counts)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct filled              *fill = (const void *)event;
        const struct perps_order_changed *order = (const void *)event;
        const struct result              *result = (const void *)event;

        counts->trades += event->kind == EVENT_TRADE;
        counts->stages += event->kind == EVENT_UNIT;
        counts->fundings += event->kind == EVENT_FUNDING;
        counts->insolvent += event->kind == EVENT_VENUE;
        counts->adl += event->kind == EVENT_FILL && fill->reason == REASON_ADL;
        counts->taken += event->kind == EVENT_FILL && fill->reason == REASON_TAKEOVER;
        counts->triggered += event->kind == EVENT_PERPS_ORDER && order->base.status == STATUS_TRIGGERED;
        counts->settled +=
            event->kind == EVENT_PHASE && ((const struct phase_changed *)(const void *)event)->phase == PHASE_SETTLED;
        counts->closed += event->kind == EVENT_FILL && fill->reason == REASON_SETTLEMENT;
        counts->modes += event->kind == EVENT_MODE;
        counts->canceled += event->kind == EVENT_PERPS_ORDER && order->base.reason == REASON_OPERATOR;
        counts->full += event->kind == EVENT_RESULT && result->reject == REJECT_CAPACITY;
        counts->shut += event->kind == EVENT_RESULT && result->reject == REJECT_PRICES_NOT_LIVE
                     && f->room.head.kind == CMD_PLACE_PERPS;
    }
}

static struct counts run_crowd(const struct random_flow *flow)
{
    struct fixture       *f = flow_start(flow);
    struct twin           twin = { .f = flow_start(flow), .lump = malloc(LUMP_BYTES) };
    struct counts         counts = { 0 };
    struct interest       interest[2];
    int128_t              inside = money(f);
    struct hash256        hashes[2];
    int128_t              needs[64];
    struct covered_sizes  sizes;
    struct isolated_money isolated;
    uint8_t               mode;

    hint_tables_make(&twin.f->genesis, &twin.tables);
    random_state = flow->seed;
    for (uint32_t i = 0; i < flow->commands; i++) {
        note_interest(f, interest);
        needs_note(f, needs);
        covered_note(f, &sizes);
        isolated_note(f, &isolated);
        mode = f->engine->mode;
        flow_step(f, flow);
        engine_verify(f->engine);
        check_interest(f, interest);
        if (flow->modes != 0) check_mode(f, mode);
        check_venue(f);
        if (!flow->drawn) assert_true(needs_hold(f, needs)); /* to the unit, where a step is worth some */
        assert_true(covered_hold(f, &sizes, &counts.opened));
        assert_true(isolated_holds(f, &isolated));
        inside += moved(f);
        assert_true(money(f) == inside);
        check_units(f);
        count_events(f, &counts);
        twin_note(&twin, f);
    }
    twin_catch_up(&twin);
    hashes[0] = engine_hash(f->engine);
    hashes[1] = engine_hash(twin.f->engine);
    assert_memory_equal(&hashes[0], &hashes[1], sizeof(hashes[0]));
    (void)printf("seed %llu: %u commands, %u trades, %u opened, %u stages, %u taken over, %u adl, %u fundings, %u "
                 "triggered, %u full, %u insolvent\n",
                 (unsigned long long)flow->seed, flow->commands, counts.trades, counts.opened, counts.stages,
                 counts.taken, counts.adl, counts.fundings, counts.triggered, counts.full, counts.insolvent);
    free(twin.lump);
    fixture_free(twin.f);
    fixture_free(f);
    return counts;
}

/* Exchanges of one kind, each with a seed of its own. The numbers of all columns are those of perps_random_flow.h. */
struct crowd {
    const char        *name;
    uint64_t           first, last;         /* seeds */
    struct random_flow flow;                /* its commands are those of a short run */
    void (*vary)(struct random_flow *flow); /* what differs from seed to seed; NULL = nothing */
    struct counts each, all;                /* at the least so many in each exchange, and in all of them together */
};

/* ---- what differs from seed to seed ---- */

static void vary_cap(struct random_flow *flow) { flow->cap = flow->seed == 2 ? 1000000 : 0; }
static void vary_queue(struct random_flow *flow) { flow->queue = flow->seed == 23; }
static void vary_spot(struct random_flow *flow) { flow->spot = flow->seed == 103; }

static void vary_settled(struct random_flow *flow)
{
    flow->each = flow->seed % 2 == 0 ? 4000000000 : 100000000000;
    flow->fund = flow->seed % 3 == 0 ? 0 : 200000000;
    flow->queue = flow->seed % 5 == 0;
}

static void vary_one_symbol(struct random_flow *flow)
{
    const uint8_t scopes[] = { STP_ACCOUNT, STP_USER, STP_NONE };

    flow->each = flow->seed % 2 == 0 ? 20000000000 : 200000000000;
    flow->cap = flow->seed == 112 ? 1000000 : 0;
    flow->orders = flow->seed == 113 ? 30 : 0;
    flow->levels = flow->seed == 114 ? 16 : 0;
    flow->scope = scopes[flow->seed % 3];
}

static void vary_kinds(struct random_flow *flow)
{
    flow->users = 4 + (uint32_t)(flow->seed % 9);
    flow->jumps = 2 + (uint32_t)(flow->seed % 20);
    flow->gap = flow->seed % 2 == 0 ? 3000 : 900;
    flow->queue = flow->seed % 11 == 0;
    flow->anchor = flow->seed % 6 == 0;
}

/* clang-format off */
static const struct crowd crowds[] = {
    { "money_adds_up_in_a_hostile_crowd", 1, 3,
      { .commands = 10000, .users = 8, .each = 200000000000, .fund = 100000000000, .jumps = 30, .gap = 1500 },
      vary_cap, .each = { .trades = 1 } },
    { "money_adds_up_when_everybody_is_poor", 11, 13,
      { .commands = 10000, .users = 8, .each = 5000000000, .fund = 1000000, .jumps = 10, .gap = 900 },
      NULL, .each = { .stages = 1, .opened = 1 } },
    { "money_adds_up_through_gaps", 21, 23,
      { .commands = 10000, .users = 12, .each = 20000000000, .fund = 3000000000, .jumps = 4, .gap = 3000 },
      vary_queue, .each = { .adl = 1, .stages = 1, .opened = 1 } },
    { "money_adds_up_when_pools_are_full", 31, 33,
      { .commands = 10000, .users = 20, .each = 20000000000, .fund = 1000000000, .jumps = 6, .gap = 950, .orders = 60,
        .levels = 12, .positions = 16 },
      NULL, .each = { .full = 1 } },
    { "money_adds_up_when_children_wait_for_the_whole_parent", 41, 42,
      { .commands = 10000, .users = 6, .each = 100000000000, .fund = 10000000000, .jumps = 10, .gap = 950,
        .anchor = true },
      NULL, .each = { .triggered = 1 } },
    { "money_adds_up_between_spot_and_perps", 51, 53,
      { .commands = 10000, .users = 8, .each = 10000000000, .fund = 1000000000, .jumps = 8, .gap = 950,
        .orders = 1500, .levels = 1000, .spot = true },
      NULL, .each = { .trades = 1 } },
    /* Short runs: a symbol is settled once, so there are many exchanges. */
    { "money_adds_up_while_an_operator_settles_and_halts", 61, 90,
      { .commands = 700, .users = 10, .jumps = 5, .gap = 2500, .operators = 40 },
      vary_settled, .all = { .settled = 21, .closed = 101, .canceled = 21, .adl = 1 } },
    /* With gaps that are held back, and halts: orders are refused because a price of the cross account is unknown. */
    { "no_bucket_is_filled_at_an_unknown_price", 121, 124,
      { .commands = 8000, .users = 8, .each = 200000000000, .fund = 10000000000, .jumps = 12, .gap = 1500,
        .modes = 400, .halts = 40 },
      NULL, .all = { .shut = 101, .trades = 101 } },
    { "money_adds_up_while_an_operator_sets_the_mode", 101, 103,
      { .commands = 10000, .users = 8, .each = 20000000000, .fund = 3000000000, .jumps = 8, .gap = 1500,
        .orders = 1500, .levels = 1000, .modes = 60 },
      vary_spot, .all = { .modes = 101, .trades = 101, .stages = 1, .triggered = 1 } },
    /* Where an account has one row, an order with hints is placed in one piece of code (perps_plain.h). */
    { "money_adds_up_when_every_account_is_in_one_symbol", 111, 116,
      { .commands = 5000, .users = 12, .fund = 10000000000, .jumps = 20, .gap = 900, .modes = 200, .apart = true,
        .open = 8 },
      vary_one_symbol, .each = { .trades = 101 } },
    /* Where a step may be worth more than an account or nothing at all, and orders of one step come in swarms. */
    { "money_adds_up_in_markets_of_all_kinds", 101, 115,
      { .commands = 3000, .each = 1, .orders = 1500, .levels = 1000, .drawn = true },
      vary_kinds, .all = { .trades = 10001, .stages = 21, .adl = 11 } },
};
/* clang-format on */

/* The row's own number of commands, or an exchange's part of the number in the environment. */
static uint32_t how_many(const struct crowd *crowd)
{
    const char *asked = getenv("DOJIMA_COMMANDS");

    if (asked == NULL) return crowd->flow.commands;
    return (uint32_t)(strtoull(asked, NULL, 10) / (crowd->last - crowd->first + 1) / ARRAY_COUNT(crowds));
}

static uint64_t last_of(const struct crowd *crowd)
{
    static const struct counts nothing;

    if (is_whole() || memcmp(&crowd->all, &nothing, sizeof(nothing)) != 0) return crowd->last;
    return crowd->first + (crowd->last - crowd->first) / 3;
}

static void run_crowds(void **state)
{
    const struct crowd *crowd = *state;
    struct counts       all = { 0 };

    for (uint64_t seed = crowd->first; seed <= last_of(crowd); seed++) {
        struct random_flow flow = crowd->flow;
        struct counts      one;

        flow.seed = seed;
        flow.commands = how_many(crowd);
        if (crowd->vary != NULL) crowd->vary(&flow);
        one = run_crowd(&flow);
        check_counts(&one, &crowd->each);
        add_counts(&all, &one);
    }
    check_counts(&all, &crowd->all);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_COUNT(crowds)];

    for (size_t i = 0; i < ARRAY_COUNT(crowds); i++)
        tests[i] = (struct CMUnitTest){ crowds[i].name, run_crowds, NULL, NULL, (void *)(uintptr_t)&crowds[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
