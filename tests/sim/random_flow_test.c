/* SPDX-License-Identifier: MIT */
/*
 * random_flow_test.c — a short slice of the random flow, and the proof that it detects bugs: each row injects one
 * fault, either into the state or into the events, and the flow must stop at it. A check that has never failed proves
 * nothing.
 */
#include "random_flow.h"

#include "core/account/ledger.h"
#include "core/account/nonce.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define SLICE_SEEDS    12
#define SLICE_COMMANDS 20000

static struct outcomes outcomes;

static void a_slice_of_the_flow_breaks_no_invariant(void **state)
{
    struct flow_counts sum = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SLICE_SEEDS; seed++) {
        struct flow_run run = { .seed = seed, .commands = SLICE_COMMANDS, .outcomes = &outcomes };

        if (!flow_play(&run)) fail_msg("seed %lu: %s", (unsigned long)seed, run.wrong);
        sum.trades += run.counts.trades;
        sum.liquidations += run.counts.liquidations;
        sum.fundings += run.counts.fundings;
        sum.triggered += run.counts.triggered;
        sum.replayed += run.counts.replayed;
    }
    assert_true(sum.trades > 5000 && sum.liquidations > 20 && sum.fundings > 500 && sum.triggered > 200
                && sum.replayed > 2000);
}

static void every_kind_of_command_is_accepted_and_refused(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < FLOW_KINDS; kind++) {
        uint64_t refused = 0;

        if (kind == CMD_REVERT) continue; /* it never reaches an engine */
        for (uint32_t reject = 1; reject < REJECT_COUNT; reject++) refused += outcomes.cell[kind][reject];
        if (outcomes.cell[kind][REJECT_NONE] == 0) fail_msg("%s was never accepted", command_name((uint16_t)kind));
        if (refused == 0 && kind != CMD_TICK) fail_msg("%s was never refused", command_name((uint16_t)kind));
    }
}

static void no_command_is_answered_what_it_cannot_be(void **state)
{
    struct outcome_counts before = outcomes_count(&outcomes, 1), after;

    (void)state;
    assert_int_equal(before.strange, 0);
    if (before.possible != 398 || before.few >= 40)
        fail_msg("%u possible, %u few", (unsigned)before.possible,
                 (unsigned)before.few); /* a slice of 240,000 commands reaches nearly all of them */
    outcomes.cell[CMD_MODIFY_ORDER][REJECT_BATCH_SIZE] += 1;
    after = outcomes_count(&outcomes, 1);
    outcomes.cell[CMD_MODIFY_ORDER][REJECT_BATCH_SIZE] = 0;
    assert_true(after.strange == 1 && after.few == before.few);
    assert_int_equal(outcomes_count(&(struct outcomes){ 0 }, 1).few, 398);
}

static void the_same_seed_is_the_same_game(void **state)
{
    struct flow_run a = { .seed = 77, .commands = 3000, .outcomes = &outcomes }, b = a,
                    c = { .seed = 78, .commands = 3000, .outcomes = &outcomes };

    (void)state;
    assert_true(flow_play(&a) && flow_play(&b) && flow_play(&c));
    assert_memory_equal(&a.hash, &b.hash, sizeof(a.hash));
    assert_int_equal(a.counts.trades, b.counts.trades);
    assert_memory_not_equal(&a.hash, &c.hash, sizeof(a.hash));
}

/* ---- faults in events ---- */

static bool injected; /* each fault is injected once */

static void *received(struct fixture *f, uint16_t kind, uint32_t n) { return (void *)(uintptr_t)event_at(f, kind, n); }

/* A fault in an event of a kind: `change` gets the event and returns whether the fault was possible. */
static void tell_lie(struct fixture *f, uint16_t kind, bool (*change)(struct fixture *f, void *event))
{
    for (uint32_t n = 0; !injected && received(f, kind, n) != NULL; n++) injected = change(f, received(f, kind, n));
}

static bool higher_price(struct fixture *f, void *event)
{
    struct filled *maker = event;
    struct filled *taker = received(f, EVENT_FILL, 1);

    if (taker == NULL || !maker->is_maker || maker->reason != 0 || taker->reason != 0) return false;
    maker->price += 1;
    taker->price += 1;
    return true;
}

static bool more_quantity(struct fixture *f, void *event)
{
    struct filled *maker = event, *taker = received(f, EVENT_FILL, 1);

    if (taker == NULL || maker->head.market != MARKET_SPOT) return false;
    maker->quantity += 1;
    taker->quantity += 1;
    return true;
}

static bool one_more_fee(struct fixture *f, void *event)
{
    (void)f;
    ((struct filled *)event)->fee += 1;
    return true;
}
static bool other_account(struct fixture *f, void *event)
{
    (void)f;
    ((struct filled *)event)->account_id ^= 1;
    return ((struct filled *)event)->head.market == MARKET_PERPS;
}
static bool same_side(struct fixture *f, void *event)
{
    (void)f;
    ((struct filled *)event)->side ^= 3;
    return true;
}
static bool trade_again(struct fixture *f, void *event)
{
    (void)f;
    ((struct traded *)event)->trade_id -= 1;
    return ((struct traded *)event)->trade_id != 0;
}
static bool seq_jumps(struct fixture *f, void *event)
{
    (void)f;
    ((struct command_began *)event)->seq += 1;
    return true;
}
static bool time_falls(struct fixture *f, void *event)
{
    (void)f;
    ((struct command_began *)event)->time_ms -= 1000000;
    return true;
}
static bool result_moves(struct fixture *f, void *event)
{
    (void)f;
    ((struct result *)event)->index += 1;
    return true;
}

static bool ioc_rests(struct fixture *f, void *event)
{
    struct order_changed *order = event;

    (void)f;
    if (order->status != STATUS_NEW) return false;
    order->time_in_force = TIF_IOC;
    return true;
}

static bool gtx_takes(struct fixture *f, void *event)
{
    struct order_changed *order = event;

    for (uint32_t n = 0; received(f, EVENT_FILL, n) != NULL; n++) {
        const struct filled *fill = received(f, EVENT_FILL, n);
        if (fill->order_id != order->order_id || fill->is_maker) continue;
        order->time_in_force = TIF_GTX;
        return true;
    }
    return false;
}

static bool executed_falls(struct fixture *f, void *event)
{
    struct order_changed *order = event;

    (void)f;
    if (order->executed == 0 || order->status == STATUS_FILLED) return false;
    order->executed = -1; /* less than any before */
    return true;
}

static bool taken_beyond_limit(struct fixture *f, void *event)
{
    struct order_changed *order = event;

    for (uint32_t n = 0; received(f, EVENT_FILL, n) != NULL; n++) {
        const struct filled *fill = received(f, EVENT_FILL, n);
        if (fill->order_id != order->order_id || fill->is_maker) continue;
        order->price = order->side == SIDE_BUY ? fill->price - 1 : fill->price + 1;
        return true;
    }
    return false;
}

/* Whether the account has a position on the side of the fill: then that one opened, or one behind it. */
static bool holds_what_it_took(const struct fixture *f, const struct filled *fill)
{
    const struct position *position =
        fill->account_id < ACCOUNT_FIRST
            ? NULL
            : position_find(f->engine, (uint32_t)(fill->account_id - ACCOUNT_FIRST) + SLOT_USERS,
                            (uint8_t)(PERPS_FIRST + fill->symbol_id - 1));

    return position != NULL && position->exposure.size != 0
        && (position->exposure.size > 0) == (fill->side == SIDE_BUY);
}

static bool reduces_nothing(struct fixture *f, void *event)
{
    struct perps_order_changed *order = event;

    for (uint32_t n = 0; received(f, EVENT_FILL, n) != NULL; n++) {
        const struct filled *fill = received(f, EVENT_FILL, n);
        if (fill->order_id != order->base.order_id || fill->is_maker || order->reduce_only
            || !holds_what_it_took(f, fill))
            continue;
        for (uint32_t i = 0; (order = received(f, EVENT_PERPS_ORDER, i)) != NULL; i++)
            if (order->base.order_id == fill->order_id)
                order->reduce_only = 1; /* it opened, and now claims that it must not */
        return true;
    }
    return false;
}

static bool healthy_is_liquidated(struct fixture *f, void *event)
{
    struct unit_stage *unit = event;

    (void)f;
    if (unit->stage != STAGE_BOOK) return false;
    unit->equity = unit->maintenance;
    return true;
}

static bool funding_gives_more(struct fixture *f, void *event)
{
    (void)f;
    ((struct funded *)event)->payment -= 1000000;
    return true;
}

static bool charges_more(struct fixture *f, void *event)
{
    struct liquidated *receipt = event;

    (void)f;
    if (receipt->stage == STAGE_BOOK) return false;
    receipt->charge += 1;
    return true;
}
static bool loses_more(struct fixture *f, void *event)
{
    (void)f;
    ((struct fund_changed *)event)->loss = ((struct fund_changed *)event)->loss_limit + 1;
    return true;
}

/* The event that only cancels are accepted, while orders that reduce are. */
static bool only_cancels(struct fixture *f, void *event)
{
    struct mode_changed *received_mode = event;

    (void)f;
    if (received_mode->mode != VENUE_REDUCE_ONLY) return false;
    received_mode->mode = VENUE_CANCEL_ONLY;
    return true;
}

/* An event of a raise that did not happen. */
static bool raised_by_word(struct fixture *f, void *event)
{
    struct result *result = event;

    if (f->room.head.kind != CMD_RAISE_LIMIT || result->reject != REJECT_NUMBER_RANGE) return false;
    result->reject = REJECT_NONE;
    return true;
}

#define LIE(name, KIND)                                                                                                \
    static void lie_##name(struct fixture *f, uint64_t command)                                                        \
    {                                                                                                                  \
        (void)command;                                                                                                 \
        tell_lie(f, EVENT_##KIND, name);                                                                               \
    }
/* clang-format off */
LIE(higher_price, FILL) LIE(more_quantity, FILL) LIE(one_more_fee, FILL) LIE(other_account, FILL) LIE(same_side, FILL)
LIE(trade_again, TRADE) LIE(seq_jumps, COMMAND_BEGAN) LIE(time_falls, COMMAND_BEGAN) LIE(result_moves, RESULT)
LIE(ioc_rests, ORDER) LIE(gtx_takes, ORDER) LIE(executed_falls, ORDER) LIE(taken_beyond_limit, ORDER)
LIE(reduces_nothing, PERPS_ORDER) LIE(healthy_is_liquidated, UNIT) LIE(funding_gives_more, FUNDING)
LIE(only_cancels, MODE) LIE(charges_more, LIQUIDATION) LIE(loses_more, FUND) LIE(raised_by_word, RESULT)
    /* clang-format on */

    /* clang-format off */
static const struct { const char *name; flow_fault *inject; const char *said; } lies[] = {
    { "a trade that is not at its maker's price", lie_higher_price, "maker's price" },
    { "a fill that is larger than it was", lie_more_quantity, "its fills are" },
    { "a fee of one unit that nobody got", lie_one_more_fee, "the fills say" },
    { "a fill of somebody else's position", lie_other_account, "the position of slot" },
    { "two fills on one side", lie_same_side, "is filled on the other side" },
    { "a trade id that comes again", lie_trade_again, "comes again" },
    { "a gap in the log", lie_seq_jumps, "follows" },
    { "time that goes back", lie_time_falls, "time goes back" },
    { "a result in the wrong place", lie_result_moves, "results are out of order" },
    { "an IOC order that rests", lie_ioc_rests, "is IOC and rests" },
    { "a post-only order that takes", lie_gtx_takes, "post-only and takes" },
    { "an order whose executed quantity falls", lie_executed_falls, "falls" },
    { "a taker beyond its limit", lie_taken_beyond_limit, "beyond its limit" },
    { "a reduce-only order that opens", lie_reduces_nothing, "does not reduce" },
    { "a liquidation of somebody who has enough", lie_healthy_is_liquidated, "is liquidated with" },
    { "funding that gives more than it takes", lie_funding_gives_more, "funding" },
    { "a trade while only cancels go through", lie_only_cancels, "only cancels" },
    { "a receipt that charges the fund more than it counts", lie_charges_more, "receipts charge" },
    { "a fund that loses more than it may", lie_loses_more, "may lose" },
    { "a pool that was not raised", lie_raised_by_word, "were said" },
};
/* clang-format on */

static void each_lie_that_is_told_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        bool noticed = false;

        assert_true(lies[i].said[0] != '\0');
        injected = false;
        for (uint64_t seed = 1; seed <= 40 && !injected; seed++) {
            struct flow_run run = { .seed = seed, .commands = 10000, .outcomes = &outcomes, .inject = lies[i].inject };
            noticed = !flow_play(&run);
            if (noticed && strstr(run.wrong, lies[i].said) == NULL)
                fail_msg("%s: noticed as \"%s\"", lies[i].name, run.wrong);
        }
        if (!injected) fail_msg("%s: there was no occasion to tell it", lies[i].name);
        if (!noticed) fail_msg("%s was not noticed", lies[i].name);
    }
}

/* ---- plants in the state ---- */

static struct bucket *bucket_of(struct fixture *f, uint32_t slot)
{
    return account_buckets(account_at(f->engine, slot));
}

static void money_from_nowhere(struct fixture *f, uint64_t command)
{
    if (command == 500) bucket_of(f, SLOT_USERS)->available += 1;
}
static void wallet_from_nowhere(struct fixture *f, uint64_t command)
{
    if (command == 500) engine_margins(f->engine)[SLOT_USERS].wallet += 1;
}
static void hold_without_order(struct fixture *f, uint64_t command)
{
    if (command != 500) return;
    bucket_of(f, SLOT_USERS)->available -= 1;
    bucket_of(f, SLOT_USERS)->held += 1;
}
static void nonces_out_of_order(struct fixture *f, uint64_t command)
{
    struct nonce_entry entries[NONCES_MAX], first;
    uint32_t           count;

    if (command != 2000) return;
    count = nonce_store_read(f->engine, engine_nonces(f->engine) + 1, entries);
    first = entries[0];
    entries[0] = entries[1];
    entries[1] = first;
    nonce_store_write(f->engine, engine_nonces(f->engine) + 1, entries, count);
}
static void interest_from_nowhere(struct fixture *f, uint64_t command)
{
    if (command == 500) engine_perps(f->engine)[0].open_interest += 1;
}

/* All nonces forgotten, tables and all: an accepted signature is accepted again. */
static void nonces_forgotten(struct fixture *f, uint64_t command)
{
    (void)command;
    for (uint32_t slot = 0; slot < f->engine->account_end; slot++)
        nonce_forget(f->engine, &account_at(f->engine, slot)->signer);
}

/* clang-format off */
static const struct { const char *name; flow_fault *inject; } faults[] = {
    { "one unit of money", money_from_nowhere }, { "one unit in a wallet", wallet_from_nowhere },
      { "a hold without an order", hold_without_order },
    { "nonces out of order", nonces_out_of_order }, { "open interest that nobody holds", interest_from_nowhere },
};
/* clang-format on */

/* In a child, because a broken state stops the process. */
static bool stops(flow_fault *inject)
{
    int   status;
    pid_t child = fork();

    if (child == 0) {
        struct flow_run run = { .seed = 3, .commands = 4000, .outcomes = &outcomes, .inject = inject };
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(2);
        _exit(flow_play(&run) ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child
        && ((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) || (WIFEXITED(status) && WEXITSTATUS(status) == 1));
}

static void each_fault_of_the_state_stops_the_process(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (!stops(faults[i].inject)) fail_msg("%s was not noticed", faults[i].name);
}

static void a_forgotten_nonce_is_noticed_when_its_request_comes_again(void **state)
{
    (void)state;
    assert_true(stops(nonces_forgotten));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_of_the_flow_breaks_no_invariant),
        cmocka_unit_test(every_kind_of_command_is_accepted_and_refused),
        cmocka_unit_test(no_command_is_answered_what_it_cannot_be),
        cmocka_unit_test(the_same_seed_is_the_same_game),
        cmocka_unit_test(each_lie_that_is_told_is_noticed),
        cmocka_unit_test(each_fault_of_the_state_stops_the_process),
        cmocka_unit_test(a_forgotten_nonce_is_noticed_when_its_request_comes_again),
    };

    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
