/* SPDX-License-Identifier: MIT */
/*
 * explain_test.c — dojima explain-liquidation finds a number of an index or a mark that does not follow from the
 * rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/perps/inputs.h"
#include "rigs/core/perps_fixture.h"
#include "app/cli/explain_check.h"
#include "app/cli/explain_index.h"

/* The inputs of a symbol's price in a new world, set by hand at its reference, and the receipt after them. */
struct case_of {
    struct fixture       *f;
    struct index_composed made;
    struct explain_before before;
    struct liquidated     receipt;
};

static struct case_of case_begin(void)
{
    struct case_of       is = { .f = calloc(1, sizeof(*is.f)) };
    struct perps_market *btc;

    perps_genesis(&is.f->genesis);
    fixture_start(is.f);
    perps_prices(is.f, BTC, 970000, 970000);
    btc = engine_perps(is.f->engine);
    btc->basis = 123 * BASIS_SCALE;
    btc->funding_rate = 1000000000;
    is.before = (struct explain_before){
        .mark = 970000, .known = true, .basis = btc->basis, .funding_rate = btc->funding_rate
    };
    is.before.to_funding_ms = (btc->funding_hour + 1) * FUNDING_HOUR_MS - is.f->time_ms - 1000;
    perps_tick(is.f, 1000);
    is.before.mid = inputs_means(is.f->engine, btc).mid;
    for (uint32_t n = 0; event_at(is.f, EVENT_INDEX_COMPOSED, n) != NULL; n++) {
        const struct index_composed *made = event_at(is.f, EVENT_INDEX_COMPOSED, n);
        if (made->symbol_id == BTC) is.made = *made;
    }
    assert_int_equal(is.made.symbol_id, BTC);
    is.receipt = (struct liquidated){
        .symbol_id = BTC, .time_ms = is.made.time_ms, .index = is.made.index, .mark = is.made.mark
    };
    return is;
}

/* How many numbers do not agree. */
static uint32_t wrong_of(const struct case_of *is)
{
    struct explain_check check = { .compared = 0 };

    explain_index(&check, &is->f->genesis, is->f->engine, &is->made, &is->before, &is->receipt);
    explain_agreed(&check);
    assert_true(check.compared > 10);
    return check.wrong;
}

static void a_composition_of_the_engine_agrees(void **state)
{
    struct case_of is = case_begin();
    (void)state;

    assert_int_equal(wrong_of(&is), 0);
    fixture_free(is.f);
}

static void each_wrong_number_is_found(void **state)
{
    struct case_of right = case_begin();
    (void)state;

    for (int i = 0; i < 14; i++) {
        struct case_of is = right;

        if (i == 0) is.made.median += 1;
        if (i == 1) is.made.index += 1;
        if (i == 2) is.receipt.mark -= 1;
        if (i == 3) is.made.valid_count += 1;
        if (i == 4) is.made.sources[INDEX_SOURCE_HAND].valid ^= 1;
        if (i == 5) is.made.sources[INDEX_SOURCE_HAND].price += 1;
        if (i == 6) is.made.by_book += 1;
        if (i == 7) {
            is.made.raw += 10;
            is.made.mark += 10;
            is.receipt.mark += 10;
        }
        if (i == 8) is.receipt.time_ms -= 1;
        if (i == 9) is.made.by_basis += 1;
        if (i == 10) is.made.by_feeders += 1;
        if (i == 11) is.before.basis += 150 * BASIS_SCALE;
        if (i == 12) is.before.mid += 150;
        if (i == 13) is.before.funding_rate += 100000000;
        assert_true(wrong_of(&is) > 0);
    }
    fixture_free(right.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_composition_of_the_engine_agrees),
        cmocka_unit_test(each_wrong_number_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
