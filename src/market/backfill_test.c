/* SPDX-License-Identifier: MIT */
/* backfill_test.c — synthesized bars: whole, on the grid, consistent between intervals, and the same for every reader.
 */
#include "market/backfill.h"

#include "base/fixed.h"
#include "rigs/market/market_rig.h"

#include <stdio.h>

static struct config config;

static struct genesis *begin(uint32_t minutes)
{
    char error[256];

    if (!config_read(rig_config, "the test", true, &config, error, sizeof(error))) fail_msg("%s", error);
    config.genesis.time_ms = RIG_TIME + 37 * MINUTE_MS + 12345;
    config.genesis.development = 1;
    config.genesis.backfill_minutes = minutes;
    config.genesis.backfill_seed = 42;
    return &config.genesis;
}

static struct backfill *make(const struct genesis *genesis)
{
    void *memory = aligned_alloc(16, backfill_bytes(genesis));

    assert_non_null(memory);
    memset(memory, 0, backfill_bytes(genesis));
    return backfill_make(genesis, memory);
}

static struct bar *all_bars(const struct backfill *backfill, uint8_t market, uint32_t symbol_id, enum interval interval,
                            uint32_t *count)
{
    int64_t     first = interval_index(interval, backfill_first_ms(backfill));
    int64_t     last = interval_index(interval, backfill_end_ms(backfill) - 1);
    struct bar *bars = calloc((size_t)(last - first + 1), sizeof(*bars));

    assert_non_null(bars);
    backfill_bars(backfill, market, symbol_id, interval, first, last, bars);
    *count = (uint32_t)(last - first + 1);
    return bars;
}

static void expect_minute(const struct bar *bar, const struct symbol *symbol, int power)
{
    assert_true(bar->low > 0 && bar->low <= bar->open && bar->low <= bar->close);
    assert_true(bar->high >= bar->open && bar->high >= bar->close);
    assert_int_equal(bar->open % symbol->tick_size, 0);
    assert_int_equal(bar->high % symbol->tick_size, 0);
    assert_int_equal(bar->low % symbol->tick_size, 0);
    assert_true(bar->trades > 0 && bar->volume >= (uint128_t)bar->trades * (uint64_t)symbol->min_quantity);
    assert_true(bar->volume % (uint64_t)symbol->step_size == 0 && bar->volume < INT64_MAX);
    assert_true(bar->value >= (uint128_t)notional_floor(bar->low, (int64_t)bar->volume, power));
    assert_true(bar->value <= (uint128_t)notional_floor(bar->high, (int64_t)bar->volume, power));
    assert_int_equal(bar->seq, 0);
    assert_int_equal(bar->last_quantity, 0);
}

/* Every bar of an interval is the fold of its minutes. */
static void expect_folds(const struct backfill *backfill, uint8_t market, uint32_t symbol_id)
{
    uint32_t    minute_count, count;
    struct bar *minutes = all_bars(backfill, market, symbol_id, INTERVAL_1M, &minute_count);

    for (enum interval i = INTERVAL_5M; i < INTERVALS; i++) {
        struct bar *bars = all_bars(backfill, market, symbol_id, i, &count);
        uint32_t    at = 0;

        for (uint32_t n = 0; n < count; n++) {
            struct bar sum = minutes[at];

            sum.start_ms = interval_start(i, interval_index(i, minutes[at].start_ms));
            while (++at < minute_count && interval_start(i, interval_index(i, minutes[at].start_ms)) == sum.start_ms)
                bar_merge(&sum, &minutes[at]);
            assert_memory_equal(&bars[n], &sum, sizeof(sum));
        }
        assert_int_equal(at, minute_count);
        free(bars);
    }
    free(minutes);
}

static void bars_are_whole_and_end_where_the_market_begins(void **state)
{
    const struct genesis *genesis = begin(40 * 1440 + 60);
    struct backfill      *backfill = make(genesis);
    (void)state;

    assert_int_equal(backfill_end_ms(backfill), RIG_TIME + 37 * MINUTE_MS);
    for (uint32_t n = 0; n < genesis->spot_count + genesis->perps_count; n++) {
        bool                 perps = n >= genesis->spot_count;
        const struct symbol *symbol = perps ? &genesis->perps[n - genesis->spot_count] : &genesis->spot[n];
        uint8_t              market = perps ? MARKET_PERPS : MARKET_SPOT;
        uint32_t             count;
        struct bar          *minutes = all_bars(backfill, market, symbol->id, INTERVAL_1M, &count);

        assert_int_equal(count, genesis->backfill_minutes);
        for (uint32_t i = 0; i < count; i++) {
            expect_minute(&minutes[i], symbol, symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]));
            if (i != 0) assert_int_equal(minutes[i].open, minutes[i - 1].close);
        }
        assert_int_equal(minutes[count - 1].close, symbol->reference_price);
        expect_folds(backfill, market, symbol->id);
        free(minutes);
    }
    free(backfill);
}

/* The walk stays near the reference: within a fifth of it through forty days, and not on it. */
static void the_walk_returns(void **state)
{
    const struct genesis *genesis = begin(40 * 1440);
    struct backfill      *backfill = make(genesis);
    uint32_t              count;
    struct bar           *days = all_bars(backfill, MARKET_PERPS, 1, INTERVAL_1D, &count);
    int64_t               reference = genesis->perps[0].reference_price, high = 0, low = INT64_MAX;
    (void)state;

    for (uint32_t i = 0; i < count; i++) high = max_i64(high, days[i].high), low = min_i64(low, days[i].low);
    assert_in_range(high, reference * 102 / 100, reference * 120 / 100);
    assert_in_range(low, reference * 80 / 100, reference * 98 / 100);
    free(days);
    free(backfill);
}

/* A symbol with a price of one tick, one with the largest price, and one whose price is not known. */
static void extreme_prices(void **state)
{
    struct genesis  *genesis = begin(3 * 1440);
    struct backfill *backfill;
    uint32_t         count;
    struct bar      *bars;
    (void)state;

    for (uint32_t i = 0; i < genesis->perps_count; i++) genesis->contracts[i].spot_symbol_id = 0;
    genesis->spot[0].reference_price = 0;
    genesis->spot[1].reference_price = genesis->spot[1].tick_size;
    genesis->perps[0].reference_price = PRICE_MAX / genesis->perps[0].tick_size * genesis->perps[0].tick_size;
    backfill = make(genesis);
    assert_false(backfill_has(backfill, MARKET_SPOT, 1));
    assert_true(backfill_has(backfill, MARKET_SPOT, 2));
    bars = all_bars(backfill, MARKET_SPOT, 2, INTERVAL_1M, &count);
    for (uint32_t i = 0; i < count; i++) assert_true(bars[i].low > 0 && bars[i].trades > 0);
    free(bars);
    expect_folds(backfill, MARKET_PERPS, 1);
    free(backfill);
}

static void a_longer_one_ends_like_a_shorter_one(void **state)
{
    struct backfill *longer = make(begin(5 * 1440)), *shorter = make(begin(1440));
    int64_t          last = interval_index(INTERVAL_1M, backfill_end_ms(shorter)) - 1;
    struct bar      *bars = calloc(2880, sizeof(*bars));
    (void)state;

    backfill_bars(longer, MARKET_SPOT, 1, INTERVAL_1M, last - 1439, last, bars);
    backfill_bars(shorter, MARKET_SPOT, 1, INTERVAL_1M, last - 1439, last, bars + 1440);
    assert_memory_equal(bars, bars + 1440, 1440 * sizeof(*bars));
    free(bars);
    free(longer);
    free(shorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_whole_and_end_where_the_market_begins),
        cmocka_unit_test(the_walk_returns),
        cmocka_unit_test(extreme_prices),
        cmocka_unit_test(a_longer_one_ends_like_a_shorter_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
