/* SPDX-License-Identifier: MIT */
/*
 * After a trade, required margin ≤ max(equity, requirement before) (mechanics 1.6, 10): the engine's action where a
 * trade would break it, and that the check of the random flow detects a breach.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_covered.h"
#include "rigs/core/perps_needs.h"
#include "core/perps/position.h"
#include "rigs/core/perps_liquidating.h"

static bool is_open(const struct fixture *f, const char *id)
{
    struct client_id client_id = cid(id);
    return order_find_client(f->engine, perps_slot(f, A) | OWNER_PERPS, &client_id) != 0;
}

static const struct result *sell_all(struct fixture *f)
{
    struct perps_order item = perps_item("all", SIDE_SELL, TYPE_LIMIT, TIF_IOC, "99000", "1");
    item.reduce_only = 1;
    return perps_send(f, A, BTC, &item, 1);
}

/* One long, leverage ten, bought at 100000 and sold at 99000; the orders above would only have closed it. */
static struct fixture *closed_with(const char *money, const char *first, const char *second)
{
    struct fixture *f = start("0", "0");
    int128_t        before[64];

    perps_deposit(f, A, USDC(money));
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_limit(f, M, "bid", SIDE_BUY, "99000", "1");
    assert_int_equal(perps_limit(f, A, "one", SIDE_SELL, "101000", first)->reject, REJECT_NONE);
    if (second != NULL) assert_int_equal(perps_limit(f, A, "two", SIDE_SELL, "102000", second)->reject, REJECT_NONE);
    needs_note(f, before);
    assert_true(before[perps_slot(f, A)] == USDC("10000"));
    assert_int_equal(sell_all(f)->status, STATUS_FILLED);
    assert_true(needs_hold(f, before));
    engine_verify(f->engine);
    return f;
}

static void what_would_open_once_the_position_is_gone_is_covered_or_goes(void **state)
{
    struct fixture *f = closed_with("11100", "1", NULL); /* 10100 left, exactly the required 10100 */
    (void)state;

    assert_true(is_open(f, "one"));
    fixture_free(f);
    f = closed_with("11099.999999", "1", NULL);
    assert_false(is_open(f, "one"));
    assert_int_equal(event_count(f, EVENT_PERPS_ORDER), 3); /* the bid, the seller's own, and this */
    assert_int_equal(((const struct perps_order_changed *)event_at(f, EVENT_PERPS_ORDER, 2))->base.status,
                     STATUS_CANCELED);
    assert_int_equal(((const struct perps_order_changed *)event_at(f, EVENT_PERPS_ORDER, 2))->base.reason,
                     REASON_MARGIN_INSUFFICIENT);
    fixture_free(f);
}

static void the_latest_goes_first_and_no_more_than_must(void **state)
{
    struct fixture *f =
        closed_with("10999", "0.5", "0.5"); /* 9999 left, 10000 needed before: 5050 + 5100 is too much, 5050 is not */
    (void)state;

    assert_true(is_open(f, "one"));
    assert_false(is_open(f, "two"));
    fixture_free(f);
    f = closed_with("11150", "0.5", "0.5");
    assert_true(is_open(f, "one") && is_open(f, "two"));
    fixture_free(f);
}

/*
 * One long at 100000, leverage ten; two are sold at 96000, away from the mark: the loss of the first is booked before
 * the second.
 */
static int64_t flipped_with(const char *money)
{
    struct fixture *f = start("0", "0");
    int128_t        before[64];
    int64_t         size;

    perps_deposit(f, A, USDC(money));
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_limit(f, M, "bid", SIDE_BUY, "96000", "2");
    needs_note(f, before);
    assert_int_equal(perps_limit(f, A, "flip", SIDE_SELL, "96000", "2")->reject, REJECT_NONE);
    assert_true(needs_hold(f, before));
    engine_verify(f->engine);
    size = perps_size(f, A, BTC);
    assert_int_equal(result_at(f, 0)->status, size == 0 ? STATUS_EXPIRED : STATUS_FILLED);
    if (size == 0)
        assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.reason, REASON_MARGIN_INSUFFICIENT);
    fixture_free(f);
    return size;
}

static void a_flip_opens_what_its_loss_leaves_covered_or_only_closes(void **state)
{
    (void)state;
    assert_int_equal(flipped_with("18000"), -100000); /* less 4000 and 4000: the margin of one, to the unit */
    assert_int_equal(flipped_with("17999.999999"), 0);
}

/* Orders of an isolated row lean on its bucket: 26800 for two sold at
   101000 where the mark is 104000, 11500 of it in the bucket. */
static enum reject removed_with(const char *money)
{
    struct fixture *f = start("0", "0");
    int128_t        before[64];
    enum reject     reject;

    perps_deposit(f, A, USDC(money));
    join(f, M, "1000000");
    assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    assert_int_equal(perps_limit(f, A, "o", SIDE_SELL, "101000", "3")->reject, REJECT_NONE);
    assert_int_equal(perps_margin(f, A, BTC, "1500")->reject, REJECT_NONE);
    perps_prices(f, BTC, 1040000, 1040000);
    needs_note(f, before);
    assert_true(before[perps_slot(f, A)] == USDC("15300"));
    reject = perps_margin(f, A, BTC, "-100")->reject;
    assert_true(needs_hold(f, before));
    assert_int_equal(perps_position(f, A, BTC)->exposure.bucket, reject == REJECT_NONE ? USDC("11400") : USDC("11500"));
    engine_verify(f->engine);
    fixture_free(f);
    return reject;
}

static void margin_that_orders_lean_on_stays(void **state)
{
    (void)state;
    assert_int_equal(removed_with("26800"), REJECT_NONE); /* 15300 in the wallet, and 100 that are released */
    assert_int_equal(removed_with("26799.999999"), REJECT_MARGIN_ROOM);
}

/* As if an order had been let in with money that is not there. */
static void the_check_sees_what_is_not_covered(void **state)
{
    struct fixture *f = start("0", "0");
    int128_t        before[64], spare;
    (void)state;

    perps_deposit(f, A, USDC("50000"));
    join(f, M, "1000000");
    needs_note(f, before);
    assert_int_equal(perps_limit(f, A, "o", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
    assert_true(needs_hold(f, before));
    assert_true(needs_of(f->engine, perps_slot(f, A)) == USDC("9900"));
    spare = needs_equity(f->engine, perps_slot(f, A)) - needs_of(f->engine, perps_slot(f, A));
    engine_margins(f->engine)[perps_slot(f, A)].wallet -= (int64_t)spare;
    assert_true(needs_hold(f, before)); /* covered to the unit */
    engine_margins(f->engine)[perps_slot(f, A)].wallet -= 1;
    assert_false(needs_hold(f, before));
    before[perps_slot(f, A)] = USDC("9900");
    assert_true(needs_hold(f, before)); /* it was no less before */
    before[perps_slot(f, A)] -= 1;
    assert_false(needs_hold(f, before));
    f->room.head.signer = (struct address){ { 0 } };
    assert_true(needs_hold(f, before)); /* no account acted */
    fixture_free(f);
}

/* Buys one at 101000, 1000 beyond the mark, under an index of 99500: 10000 of margin and 1500 that are lost already. */
static struct fixture *opened_at_worst(uint8_t mode, struct covered_sizes *before)
{
    struct fixture *f = start("0", "0");

    perps_deposit(f, A, USDC("20000"));
    join(f, M, "1000000");
    if (mode == MARGIN_ISOLATED) assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_prices(f, BTC, 1000000, 995000);
    perps_limit(f, M, "ask", SIDE_SELL, "101000", "1");
    covered_note(f, before);
    assert_int_equal(perps_limit(f, A, "o", SIDE_BUY, "101000", "1")->status, STATUS_FILLED);
    return f;
}

static bool is_covered(const struct fixture *f, const struct covered_sizes *before, uint32_t looked_at)
{
    struct covered_sizes sizes = *before;
    uint32_t             opened = 0;
    bool                 holds = covered_hold(f, &sizes, &opened);

    assert_true(opened >= 1 && opened <= looked_at); /* it stops at the first that is not covered */
    return holds;
}

/* As if the check after a fill were off by one unit, or looked at another price (ruling 65; I40). */
static void the_check_sees_an_opening_without_its_margin(void **state)
{
    struct covered_sizes before;
    struct fixture      *f = opened_at_worst(MARGIN_CROSS, &before);
    struct perps_market *btc = perps_of(f->engine, market_find_perps(f->engine, BTC));
    int64_t             *wallet = &engine_margins(f->engine)[perps_slot(f, A)].wallet;
    (void)state;

    assert_true(is_covered(f, &before, 2));
    *wallet = USDC("11500"); /* 10000 at the mark, and 1500 down to the index */
    assert_true(is_covered(f, &before, 2));
    *wallet -= 1;
    assert_false(is_covered(f, &before, 2));
    *wallet = USDC("11500");
    btc->held_price = 994999; /* a jump is held back, which is worse by a tick */
    assert_false(is_covered(f, &before, 2));
    btc->held_price = 995001;
    assert_true(is_covered(f, &before, 2));
    fixture_free(f);
}

static void the_check_sees_a_bucket_without_its_margin(void **state)
{
    struct covered_sizes before;
    struct fixture      *f = opened_at_worst(MARGIN_ISOLATED, &before);
    struct perps_market *btc = perps_of(f->engine, market_find_perps(f->engine, BTC));
    int64_t             *bucket =
        &position_find(f->engine, perps_slot(f, A), market_find_perps(f->engine, BTC)->number)->exposure.bucket;
    (void)state;

    assert_int_equal(*bucket, USDC("11600")); /* a tenth of 101000, and 1500 (mechanics 3.5, ruling 65) */
    assert_true(is_covered(f, &before, 2));
    *bucket = USDC("11500");
    assert_true(is_covered(f, &before, 2));
    *bucket -= 1;
    assert_false(is_covered(f, &before, 2));
    *bucket = USDC("11500");
    btc->index = 994999;
    assert_false(is_covered(f, &before, 2));
    btc->index = 995000;
    engine_margins(f->engine)[perps_slot(f, A)].wallet = -1; /* the bucket was not his to fill */
    assert_false(is_covered(f, &before, 2));
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_would_open_once_the_position_is_gone_is_covered_or_goes),
        cmocka_unit_test(the_latest_goes_first_and_no_more_than_must),
        cmocka_unit_test(a_flip_opens_what_its_loss_leaves_covered_or_only_closes),
        cmocka_unit_test(margin_that_orders_lean_on_stays),
        cmocka_unit_test(the_check_sees_what_is_not_covered),
        cmocka_unit_test(the_check_sees_an_opening_without_its_margin),
        cmocka_unit_test(the_check_sees_a_bucket_without_its_margin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
