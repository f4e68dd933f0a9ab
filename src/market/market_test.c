/* SPDX-License-Identifier: MIT */
/* market_test.c — what docs/market.md says of the market as a whole, over several seeds. */
#include "market/step.h"
#include "rigs/market/market_rig.h"

static const uint64_t seeds[] = { 1, 42, 4711 };

static void books_have_twenty_levels_a_side_within_two_seconds(void **state)
{
    struct view_level bids[100], asks[100];
    struct view_book  book;
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(seeds); i++)
        for (uint8_t preset = MARKET_CALM; preset <= MARKET_CRASH; preset++) {
            struct market_rig *rig = rig_make(seeds[i], preset);

            rig_run(rig, 2);
            for (uint32_t at = 0; at < RIG_SYMBOLS; at++) {
                views_book(rig->views, at < 2 ? MARKET_SPOT : MARKET_PERPS, at < 2 ? at + 1 : at - 1, 100, bids, asks,
                           &book);
                assert_in_range(book.bid_count, 20, 100);
                assert_in_range(book.ask_count, 20, 100);
                assert_true(bids[0].price < asks[0].price);
            }
            rig_free(rig);
        }
}

static void about_a_hundred_orders_a_second_and_trades_on_every_symbol(void **state)
{
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(seeds); i++) {
        struct market_rig *rig = rig_make(seeds[i], MARKET_CALM);

        rig_run(rig, 900);
        assert_in_range(rig->orders / 900, 80, 120);
        for (uint32_t at = 0; at < RIG_SYMBOLS; at++) {
            assert_in_range(rig->longest_ms[at], 1, 10000);
            assert_in_range(rig->time_ms - rig->traded_ms[at], 0, 10000);
        }
        engine_verify(rig->engine);
        rig_free(rig);
    }
}

/* Prices on ticks, quantities on steps, in every range; what is refused is a matter of the moment. */
static void nearly_all_orders_are_accepted(void **state)
{
    struct market_rig *rig = rig_make(7, MARKET_VOLATILE);
    uint64_t           refused = 0;
    (void)state;

    rig_run(rig, 900);
    for (uint32_t reject = REJECT_NONE + 1; reject < ARRAY_COUNT(rig->rejects); reject++) {
        if (rig->rejects[reject] == 0) continue;
        print_message("%s %lu\n", reject_row((enum reject)reject)->name, (unsigned long)rig->rejects[reject]);
        refused += rig->rejects[reject];
    }
    assert_int_equal(rig->refused, 0);
    assert_true(refused * 50 < rig->orders);
    rig_free(rig);
}

/* The least quantity whose value is a tenth above minNotional, on the step, and minQuantity where there is one. */
static void a_quantity_is_worth_its_value_and_the_least_that_is_allowed(void **state)
{
    struct market_rig *rig = rig_make(7, MARKET_CALM);
    struct symbol      symbol = rig->config.genesis.spot[0];
    struct traders     traders = { .genesis = &rig->config.genesis };
    struct step        step = { .market = &traders };
    struct instrument  instrument = { .symbol = &symbol, .anchor = 1000000 };
    (void)state;

    /* price 100,000.0, quantities of five decimals, values of six: a unit is worth 1,000,000 */
    assert_int_equal(symbol_notional_power(&symbol, &rig->config.genesis.coins[COIN_MARGIN]), 0);
    symbol.min_notional = 5000000;
    symbol.step_size = 1000;
    symbol.min_quantity = 0;
    assert_int_equal(step_quantity_for(&step, &instrument, 150000000), 1000);
    assert_int_equal(step_quantity_for(&step, &instrument, 2999999999), 2000);
    symbol.step_size = 2;
    assert_int_equal(step_quantity_for(&step, &instrument, 1), 6);
    symbol.min_quantity = 4;
    assert_int_equal(step_quantity_for(&step, &instrument, 1), 8);
    rig_free(rig);
}

static struct hash256 hash_after(uint64_t seed, uint32_t drop)
{
    struct market_rig *rig = rig_make(seed, MARKET_CALM);
    struct hash256     hash;

    rig->drop = drop;
    rig_run(rig, 300);
    hash = engine_hash(rig->engine);
    rig_free(rig);
    return hash;
}

static void a_seed_is_a_market(void **state)
{
    struct hash256 one = hash_after(42, 0), again = hash_after(42, 0), other = hash_after(43, 0);
    struct hash256 planted = hash_after(42, 5000); /* one command is lost */
    (void)state;

    assert_true(hash256_equal(&one, &again));
    assert_false(hash256_equal(&one, &other));
    assert_false(hash256_equal(&one, &planted));
}

/* Nothing is kept: a market made anew at any moment continues. */
static void a_market_made_anew_continues(void **state)
{
    struct market_rig *rig = rig_make(42, MARKET_CALM);
    struct hash256     whole = hash_after(42, 0), parts;
    (void)state;

    for (int part = 0; part < 10; part++) {
        rig_run(rig, 30);
        rig->market = market_make(42, &rig->config.genesis, rig->views);
    }
    parts = engine_hash(rig->engine);
    assert_true(hash256_equal(&whole, &parts));
    rig_free(rig);
}

static void the_over_leveraged_are_liquidated_and_come_back(void **state)
{
    struct market_rig *rig = rig_make(3, MARKET_VOLATILE);
    uint64_t           opening;
    (void)state;

    rig_run(rig, 1);
    opening = rig->deposits;
    rig_run(rig, 2 * 3600);
    print_message("%lu stages, %lu deposits\n", (unsigned long)rig->liquidations,
                  (unsigned long)(rig->deposits - opening));
    assert_in_range(rig->liquidations, 1, 1000);
    assert_in_range(rig->deposits - opening, 1, 100);
    engine_verify(rig->engine);
    rig_free(rig);
}

/* Without traders a day of prices takes no time. */
static void a_calm_index_stays_near_its_reference(void **state)
{
    struct market_rig *rig = rig_make(42, MARKET_EMPTY);
    (void)state;

    for (int hour = 0; hour < 24; hour++) {
        rig_run(rig, 3600);
        for (uint32_t i = 0; i < 3; i++) {
            int64_t reference = rig->config.genesis.perps[i].reference_price;
            int64_t index = views_price(rig->views, i + 1).index;

            assert_in_range(index, reference * 3 / 4, reference * 5 / 4);
            assert_true(hour < 3 || index != reference);
        }
    }
    rig_free(rig);
}

static void a_crash_takes_a_tenth(void **state)
{
    struct market_rig *rig = rig_make(42, MARKET_CRASH);
    int64_t            before, after;
    (void)state;

    rig_run(rig, 119);
    before = views_price(rig->views, 1).index;
    rig_run(rig, 95);
    after = views_price(rig->views, 1).index;
    assert_true(after < before * 91 / 100);
    assert_true(after > before * 80 / 100);
    rig_free(rig);
}

/* Not in the first one alone: who was liquidated bets again, whatever is left of the position. */
static void each_crash_liquidates(void **state)
{
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(seeds); i++) {
        struct market_rig *rig = rig_make(seeds[i], MARKET_CRASH);

        for (uint32_t half_hour = 0; half_hour < 6; half_hour++) {
            uint64_t before = rig->liquidations;

            rig_run(rig, 1800);
            assert_in_range(rig->liquidations - before, 1, 1000);
        }
        engine_verify(rig->engine);
        rig_free(rig);
    }
}

static void makers_that_are_pulled_take_their_orders_back(void **state)
{
    struct market_rig *rig = rig_make(42, MARKET_CALM);
    (void)state;

    rig_run(rig, 60);
    assert_in_range(engine_counts(rig->engine).open_orders, 400, 500);
    rig->knobs.pulled = 80;
    rig_run(rig, 2);
    assert_in_range(engine_counts(rig->engine).open_orders, 60, 100);
    rig->knobs.pulled = 100;
    rig_run(rig, 2);
    assert_int_equal(engine_counts(rig->engine).open_orders, 0);
    rig->knobs.takers = 0;
    rig->orders = 0;
    rig_run(rig, 60);
    assert_in_range(rig->orders, 0, 10); /* the arbitrageur alone */
    rig_free(rig);
}

static void steps_come_ten_a_second(void **state)
{
    struct market_knobs knobs = { .preset = MARKET_CALM, .takers = 100 };
    (void)state;

    assert_int_equal(market_due_ms(&knobs, 1000), 1100);
    assert_int_equal(market_due_ms(&knobs, 1099), 1100);
    assert_int_equal(market_due_ms(&knobs, 1100), 1200);
    knobs.preset = 0;
    assert_true(market_due_ms(&knobs, 1000) == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(books_have_twenty_levels_a_side_within_two_seconds),
        cmocka_unit_test(about_a_hundred_orders_a_second_and_trades_on_every_symbol),
        cmocka_unit_test(nearly_all_orders_are_accepted),
        cmocka_unit_test(a_quantity_is_worth_its_value_and_the_least_that_is_allowed),
        cmocka_unit_test(a_seed_is_a_market),
        cmocka_unit_test(a_market_made_anew_continues),
        cmocka_unit_test(the_over_leveraged_are_liquidated_and_come_back),
        cmocka_unit_test(a_calm_index_stays_near_its_reference),
        cmocka_unit_test(a_crash_takes_a_tenth),
        cmocka_unit_test(each_crash_liquidates),
        cmocka_unit_test(makers_that_are_pulled_take_their_orders_back),
        cmocka_unit_test(steps_come_ten_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
