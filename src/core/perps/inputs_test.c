/* SPDX-License-Identifier: MIT */
/*
 * inputs_test.c — the contribution of books and trades to prices, by size and by time (ruling 67), and the bounds of
 * the own spot book's price (68).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/perps/inputs.h"
#include "rigs/core/perps_fixture.h"

#define VUSDC_UNITS(whole) ((int64_t)(whole)*1000000)
#define HOUR_TICKS         3600

enum { A = 1, M, C };

static struct perps_market *btc(const struct fixture *f) { return engine_perps(f->engine); }
static const struct market *book(const struct fixture *f) { return market_at(f->engine, PERPS_FIRST); }

static struct fixture *two_who_trade(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.contracts[0].interest_rate = 0;
    fixture_start(f);
    perps_deposit(f, A, VUSDC_UNITS(10000000));
    perps_deposit(f, M, VUSDC_UNITS(10000000));
    perps_tick(f, 1000 - f->time_ms % 1000);
    return f;
}

static void quotes(struct fixture *f, const char *quantity)
{
    assert_int_equal(perps_limit(f, A, "bid", SIDE_BUY, "100100", quantity)->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "ask", SIDE_SELL, "100200", quantity)->reject, REJECT_NONE);
}

static void no_quotes(struct fixture *f)
{
    assert_int_equal(perps_drop(f, A, BTC, "bid")->reject, REJECT_NONE);
    assert_int_equal(perps_drop(f, A, BTC, "ask")->reject, REJECT_NONE);
}

/* The impact notional is 5000: 0.04995 at 100100 are 4999.995, 0.04996 are 5000.996. */
static void a_side_without_the_depth_is_missing(void **state)
{
    static const struct {
        const char *quantity;
        int64_t     bid, mid, mark;
    } rows[] = { { "0.04995", 0, 1000000, 1000000 }, { "0.04996", 1001000, 1001500, 1000010 } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture   *f = two_who_trade();
        struct book_means means;

        assert_int_equal(perps_limit(f, A, "ask", SIDE_SELL, "100200", "1")->reject, REJECT_NONE);
        assert_int_equal(perps_limit(f, A, "bid", SIDE_BUY, "100100", rows[i].quantity)->reject, REJECT_NONE);
        perps_tick(f, 1000);
        means = inputs_means(f->engine, btc(f));
        assert_int_equal(means.bid, rows[i].bid);
        assert_int_equal(means.ask, 1002000);
        assert_int_equal(means.mid, rows[i].mid);
        assert_int_equal(btc(f)->mark, rows[i].mark);
        fixture_free(f);
    }
}

/* A tenth of the second with quotes 1000 and 2000 above the index is a tenth of the distance. */
static void a_book_weighs_as_long_as_it_stood(void **state)
{
    struct fixture   *f = two_who_trade();
    struct book_means means;
    (void)state;

    f->time_ms += 900;
    quotes(f, "1");
    perps_tick(f, 100);
    means = inputs_means(f->engine, btc(f));
    assert_int_equal(means.bid, 1000100);
    assert_int_equal(means.ask, 1000200);
    assert_int_equal(means.mid, 1000150);
    f->time_ms += 250; /* a command that changes nothing cuts the time in two */
    assert_int_equal(perps_drop(f, A, BTC, "none")->reject, REJECT_ORDER_NOT_FOUND);
    perps_tick(f, 750);
    assert_int_equal(inputs_means(f->engine, btc(f)).bid, 1001000);
    no_quotes(f);
    perps_tick(f, 1000);
    assert_int_equal(inputs_means(f->engine, btc(f)).bid, 0);
    assert_int_equal(inputs_means(f->engine, btc(f)).mid, 1000000);
    quotes(f, "1");
    perps_tick(f, 3 * FUNDING_HOUR_MS); /* the quote was there for the whole gap: for the last second of it too */
    assert_int_equal(inputs_means(f->engine, btc(f)).ask, 1002000);
    fixture_free(f);
}

/* Quotes that are there at the instant of the sample and 100 ms of every 5 s count for a fiftieth. */
static void a_premium_is_the_mean_of_its_five_seconds(void **state)
{
    struct fixture *f = two_who_trade();
    (void)state;

    perps_tick(f, 5000 - f->time_ms % 5000);
    btc(f)->premium_sum = 0;
    btc(f)->premium_count = 0;
    f->time_ms += 4900;
    quotes(f, "1");
    perps_tick(f, 100);
    assert_int_equal(btc(f)->premium_count, 1);
    assert_int_equal((int64_t)btc(f)->premium_sum, 1000000000 / 50); /* 0.001 of the impact bid, for 100 ms of 5000 */
    perps_tick(f, 5000);
    assert_int_equal((int64_t)btc(f)->premium_sum, 1000000000 / 50 + 1000000000);
    fixture_free(f);
}

static void trade(struct fixture *f, const char *price, const char *quantity)
{
    perps_trade(f, A, M, BTC, price, quantity);
}

static void trades_count_for_a_minute_and_from_the_impact_notional_on(void **state)
{
    struct fixture *f = two_who_trade();
    (void)state;

    trade(f, "101000", "0.04950");
    assert_int_equal(inputs_last(f->engine, book(f), btc(f)), 0); /* 4999.5 */
    trade(f, "101000", "0.00001");
    assert_int_equal(inputs_last(f->engine, book(f), btc(f)), 1010000); /* 5000.51 */
    perps_tick(f, 30000);
    trade(f, "100000", "0.04951");
    assert_int_equal(inputs_last(f->engine, book(f), btc(f)), 1005000); /* the mean by volume */
    perps_tick(f, 30999);
    assert_int_equal(inputs_last(f->engine, book(f), btc(f)), 1005000); /* the 60th second behind the first */
    perps_tick(f, 1);
    assert_int_equal(inputs_last(f->engine, book(f), btc(f)), 0); /* 4951 are left */
    fixture_free(f);
}

/* ---- the own spot book ---- */

static struct fixture *with_spot(bool feeders)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.prices_by_hand = 0;
    f->genesis.spot[0].buy_limit_up_ratio = f->genesis.spot[0].sell_limit_down_ratio = 99000000;
    f->genesis.contracts[0].spot_symbol_id = 1;
    f->genesis.contracts[0].spot_impact_notional = VUSDC_UNITS(1000);
    f->genesis.contracts[0].open_interest_cap = 1000000;
    f->genesis.feeder_count = feeders;
    f->genesis.feeders[0] = (struct feeder){ user(70), 1 };
    fixture_start(f);
    perps_deposit(f, A, VUSDC_UNITS(10000000));
    deposit(f, C, VUSDC, VUSDC_UNITS(10000000));
    deposit(f, C, VBTC, 10000000000);
    return f;
}

static void feed(struct fixture *f, int64_t price)
{
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.signer = user(70);
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.oracle_post = (struct oracle_post){ .seq = f->seq + 1, .count = 1, .timestamp_ms = f->time_ms };
    f->room.oracle_post.items[0] = (struct oracle_price){ .symbol_id = BTC, .price = price };
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_NONE);
}

static void spot_book(struct fixture *f, const char *bid, const char *ask)
{
    limit(f, C, SIDE_BUY, bid, "1", "b");
    assert_int_equal(verdict(f), REJECT_NONE);
    limit(f, C, SIDE_SELL, ask, "1", "s");
    assert_int_equal(verdict(f), REJECT_NONE);
}

static void no_spot_book(struct fixture *f)
{
    cancel(f, C, 0, "b", "x1");
    cancel(f, C, 0, "s", "x2");
}

static void seconds(struct fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) perps_tick(f, 1000);
}

static enum reject opens(struct fixture *f, const char *id, const char *price, const char *quantity)
{
    return perps_limit(f, A, id, SIDE_BUY, price, quantity)->reject;
}

static void fallback_drifts_one_per_cent_an_hour_and_five_in_all(void **state)
{
    struct fixture *f = with_spot(true);
    (void)state;

    spot_book(f, "119900", "120100");
    feed(f, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    perps_tick(f, 58999); /* 59,999 ms old */
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_FALLBACK);
    assert_int_equal(btc(f)->index, 1000200); /* 0.02 %, not a 600th of 200,000 */
    seconds(f, 48);
    assert_int_equal(btc(f)->index, 1009824);
    seconds(f, 1);
    assert_int_equal(btc(f)->index, 1010000); /* 1 % of where the hour began */
    seconds(f, HOUR_TICKS - 110);
    assert_int_equal(btc(f)->index, 1010000);
    assert_int_equal(btc(f)->state, ORACLE_FALLBACK);
    seconds(f, 120);
    assert_int_equal(btc(f)->index, 1020100); /* the next hour has its own */
    seconds(f, 3 * HOUR_TICKS);
    assert_int_equal(btc(f)->index, 1050000); /* 5 % of the last LIVE index */
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(opens(f, "x", "105000", "0.1"), REJECT_ORACLE_STALE);
    no_spot_book(f);
    spot_book(f, "103900", "104100");
    seconds(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_FALLBACK); /* the book is back within it */
    assert_int_equal(btc(f)->index, 1049984);
    feed(f, 1100000);
    seconds(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    assert_int_equal(btc(f)->index, 1100000);
    engine_verify(f->engine);
    fixture_free(f);
}

static void half_of_the_second_is_what_the_spot_book_must_stand(void **state)
{
    static const struct {
        int64_t ms;
        uint8_t state;
    } rows[] = { { 501, ORACLE_IS_STALE }, { 500, ORACLE_FALLBACK } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = with_spot(true);

        feed(f, 1000000);
        perps_tick(f, 1000);
        seconds(f, 60);
        assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
        f->time_ms += rows[i].ms;
        spot_book(f, "99900", "100100");
        perps_tick(f, 1000 - rows[i].ms);
        assert_int_equal(btc(f)->state, rows[i].state);
        fixture_free(f);
    }
}

static void bootstrap_begins_at_the_spot_book_with_a_tenth_of_the_cap(void **state)
{
    struct fixture *f = with_spot(false);
    (void)state;

    seconds(f, 3);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE); /* before there is a middle nothing opens */
    assert_int_equal(opens(f, "x", "100000", "0.1"), REJECT_ORACLE_STALE);
    spot_book(f, "89900", "90100");
    seconds(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_BOOTSTRAP);
    assert_int_equal(btc(f)->index, 900000); /* there at once, not step by step from the listing's reference */
    assert_int_equal(btc(f)->mark, 900000);
    assert_int_equal(opens(f, "x", "90000", "1.00001"), REJECT_OPEN_INTEREST_CAP);
    assert_int_equal(opens(f, "x", "90000", "1"), REJECT_NONE);
    no_spot_book(f);
    spot_book(f, "99900", "100100");
    seconds(f, 60);
    assert_int_equal(btc(f)->index, 909000); /* 1 % in the first hour, like FALLBACK */
    no_spot_book(f);
    seconds(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(btc(f)->index, 909000);
    spot_book(f, "119900", "120100");
    seconds(f, 5 * HOUR_TICKS);
    assert_int_equal(btc(f)->index, 945000); /* 5 % from where it began, which a break does not move */
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void without_feeders_and_spot_market_nothing_opens(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    perps_genesis(&f->genesis);
    f->genesis.prices_by_hand = 0;
    fixture_start(f);
    perps_deposit(f, A, VUSDC_UNITS(1000000));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
        assert_int_equal(opens(f, "x", "100000", "0.1"), REJECT_ORACLE_STALE);
        perps_tick(f, 1000);
    }
    assert_int_equal(btc(f)->index, 1000000);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_without_the_depth_is_missing),
        cmocka_unit_test(a_book_weighs_as_long_as_it_stood),
        cmocka_unit_test(a_premium_is_the_mean_of_its_five_seconds),
        cmocka_unit_test(trades_count_for_a_minute_and_from_the_impact_notional_on),
        cmocka_unit_test(fallback_drifts_one_per_cent_an_hour_and_five_in_all),
        cmocka_unit_test(half_of_the_second_is_what_the_spot_book_must_stand),
        cmocka_unit_test(bootstrap_begins_at_the_spot_book_with_a_tenth_of_the_cap),
        cmocka_unit_test(without_feeders_and_spot_market_nothing_opens),
    };
    return cmocka_run_group_tests_name("core/perps/inputs", tests, NULL, NULL);
}
