/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account/fees.h"
#include "rigs/core/fixture.h"

static struct fixture *start(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.spot[0].maker_fee = 35000;
    f->genesis.spot[0].taker_fee = 65000;
    f->genesis.spot[0].max_quantity = f->genesis.spot[0].max_notional = 0;
    f->genesis.spot_fees.rebate_count = 3;
    f->genesis.spot_fees.rebate_rate[1] = -2000;
    f->genesis.spot_fees.rebate_rate[2] = -4000;
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    for (uint32_t who = 1; who <= 3; who++) {
        deposit(f, who, VUSDC, INT64_C(100000000000000));
        deposit(f, who, VBTC, INT64_C(100000000000));
    }
    return f;
}

/* `maker` sells to `taker` for quantity times 100000. */
static void trade(struct fixture *f, uint32_t maker, uint32_t taker, const char *quantity)
{
    assert_int_equal(limit(f, maker, SIDE_SELL, "100000", quantity, "m")->reject, REJECT_NONE);
    assert_int_equal(limit(f, taker, SIDE_BUY, "100000", quantity, "t")->reject, REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRADE), 1);
}

static const struct fee_tier *told(const struct fixture *f, uint64_t user_id)
{
    const struct fee_tier *event;
    for (uint32_t n = 0; (event = event_at(f, EVENT_FEE_TIER, n)) != NULL; n++)
        if (event->user_id == user_id) return event;
    return NULL;
}

static int64_t midnight(const struct fixture *f) { return (f->time_ms / DAY_MS + 1) * DAY_MS; }

static void a_tier_begins_exactly_at_its_volume(void **state)
{
    struct fixture *f = start();
    (void)state;

    trade(f, 1, 2, "49.9999"); /* 4,999,990 vUSDC */
    tick(f, midnight(f));
    assert_null(told(f, 1002));
    trade(f, 1, 2, "0.0001");
    tick(f, midnight(f));
    assert_int_equal(told(f, 1002)->tier, 1);
    assert_int_equal(told(f, 1001)->tier, 1);
    fixture_free(f);
}

static void the_running_day_does_not_count(void **state)
{
    struct fixture *f = start();
    (void)state;

    tick(f, midnight(f));
    trade(f, 1, 2, "60");
    tick(f, midnight(f) - 1);
    assert_int_equal(event_count(f, EVENT_FEE_TIER), 0);
    tick(f, f->time_ms + 1);
    assert_int_equal(told(f, 1002)->tier, 1);
    fixture_free(f);
}

static void volume_is_forgotten_after_fourteen_completed_days(void **state)
{
    struct fixture *f = start();
    (void)state;

    trade(f, 1, 2, "60");
    for (int day = 1; day <= 14; day++) {
        tick(f, midnight(f));
        if (day > 1) assert_int_equal(event_count(f, EVENT_FEE_TIER), 0);
    }
    tick(f, midnight(f));
    assert_int_equal(told(f, 1002)->tier, 0);
    fixture_free(f);
}

static void a_jump_over_many_days_forgets_them_all(void **state)
{
    struct fixture *f = start();
    (void)state;

    trade(f, 1, 2, "60");
    tick(f, midnight(f));
    assert_int_equal(told(f, 1002)->tier, 1);
    tick(f, f->time_ms + 40 * DAY_MS);
    assert_int_equal(told(f, 1002)->tier, 0);
    fixture_free(f);
}

static void a_makers_share_earns_a_rebate_out_of_the_takers_fee(void **state)
{
    struct fixture      *f = start();
    const struct filled *maker;
    (void)state;

    trade(f, 1, 2, "9.7"); /* shares: 97 % and 3 % */
    trade(f, 3, 2, "0.3");
    tick(f, midnight(f));
    assert_int_equal(told(f, 1001)->rebate, 2);
    assert_int_equal(told(f, 1003)->rebate, 2);
    trade(f, 3, 2, "0.1");
    maker = event_at(f, EVENT_FILL, 0);
    assert_int_equal(maker->fee, -400); /* 0.1 vBTC * 0.00004 */
    assert_int_equal(maker->fee_coin_id, VBTC);
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 1))->fee, 6500);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_higher_tier_pays_the_lower_of_both_rates(void **state)
{
    struct fixture *f = start();
    (void)state;

    trade(f, 1, 2, "60");
    tick(f, midnight(f));
    trade(f, 1, 2, "1");
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 1))->fee, 60000); /* 1 vBTC * 0.0006 */
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tier_begins_exactly_at_its_volume),
        cmocka_unit_test(the_running_day_does_not_count),
        cmocka_unit_test(volume_is_forgotten_after_fourteen_completed_days),
        cmocka_unit_test(a_jump_over_many_days_forgets_them_all),
        cmocka_unit_test(a_makers_share_earns_a_rebate_out_of_the_takers_fee),
        cmocka_unit_test(a_higher_tier_pays_the_lower_of_both_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
