/* SPDX-License-Identifier: MIT */
/*
 * perps_property_test.c — a hostile crowd on two perps symbols: orders of every kind with prices that are
 * near, far and wrong, brackets, stops, leverage, margin, replacements, index jumps, gaps, funding hours.
 * After every command all invariants hold and the money adds up (mechanics 1.6).
 */
#include "core/perps_crowd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* wallets + buckets - costs == deposits (mechanics 1.5); the fund counts like anybody. */
static void check_money(const struct fixture *f, int64_t deposits)
{
    int128_t sum = 0;

    for (uint32_t slot = 0; slot < f->engine->account_end; slot++) sum += engine_margins(f->engine)[slot].wallet;
    for (uint32_t ix = 1; ix < f->engine->position_end; ix++)
        sum += position_at(f->engine, ix)->stake.bucket - position_at(f->engine, ix)->stake.cost;
    assert_true(sum == deposits);
}

static void run_crowd(uint64_t seed, uint32_t commands, int64_t each, int64_t fund)
{
    struct fixture *f = calloc(1, sizeof(*f));
    uint32_t        fills = 0, liquidations = 0, triggered = 0, fundings = 0, adl = 0;
    int64_t         deposits = fund;

    dice_state = seed;
    perps_genesis(&f->genesis);
    f->genesis.fund = fund;
    for (uint32_t i = 0; i < 2; i++) { f->genesis.perps[i].maker_fee = 12000; f->genesis.perps[i].taker_fee = 40000; }
    fixture_start(f);
    for (uint32_t who = 1; who <= 8; who++) {
        perps_deposit(f, who, each);
        deposits += each;
    }
    for (uint32_t i = 0; i < commands; i++) {
        send_something(f, 8);
        engine_verify(f->engine);
        check_money(f, deposits);
        for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
            fills += event->kind == EVENT_TRADE;
            liquidations += event->kind == EVENT_UNIT;
            fundings += event->kind == EVENT_FUNDING;
            adl += event->kind == EVENT_FILL && ((const struct filled *)(const void *)event)->reason == REASON_ADL;
            triggered += event->kind == EVENT_PERPS_ORDER && ((const struct perps_order_changed *)(const void *)event)->base.status == STATUS_TRIGGERED;
        }
    }
    (void)printf("seed %llu: %u commands, %u trades, %u stages, %u triggered, %u fundings, %u adl fills, %u positions\n", (unsigned long long)seed, commands,
                 fills, liquidations, triggered, fundings, adl, f->engine->position_count);
    assert_true(fills > 0 && triggered > 0);
    fixture_free(f);
}

static void money_adds_up_in_a_hostile_crowd(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) run_crowd(seed, 20000, 200000000000, 100000000000);
}

static void money_adds_up_when_everybody_is_poor(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 14; seed++) run_crowd(seed, 20000, 5000000000, 1000000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(money_adds_up_in_a_hostile_crowd),
        cmocka_unit_test(money_adds_up_when_everybody_is_poor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
