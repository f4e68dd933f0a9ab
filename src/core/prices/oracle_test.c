/* SPDX-License-Identifier: MIT */
/* oracle_test.c — posts of feeders, their authority, and missed hours (mechanics 3.8, 3.10; rulings 43, 45). */
#include "rigs/core/perps_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct address feeder(uint8_t who) { return (struct address){ { 0xfe, who } }; }

static struct fixture *make(uint32_t feeders, uint32_t quorum)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.feeder_count = feeders;
    f->genesis.prices_by_hand = 0;
    for (uint32_t i = 0; i < feeders; i++) f->genesis.feeders[i] = (struct feeder){ feeder((uint8_t)i), 1 };
    f->genesis.rules.oracle_quorum = quorum;
    fixture_start(f);
    return f;
}

/* A post of one item; returns the engine's first result. */
static const struct event *post_item(struct fixture *f, uint8_t who, uint64_t seq, int64_t timestamp_ms,
                                     struct oracle_price item)
{
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.head.market = 0;
    f->room.head.nonce = seq;
    f->room.head.signer = feeder(who);
    f->room.oracle_post = (struct oracle_post){ .seq = seq, .count = 1, .timestamp_ms = timestamp_ms };
    f->room.oracle_post.items[0] = item;
    fixture_apply(f);
    return events_next(&f->events, events_first(&f->events));
}

static const struct event *post(struct fixture *f, uint8_t who, uint64_t seq, int64_t timestamp_ms, uint32_t symbol_id,
                                int64_t price)
{
    return post_item(f, who, seq, timestamp_ms, (struct oracle_price){ .symbol_id = symbol_id, .price = price });
}

static void passes(struct fixture *f, uint8_t who, uint64_t seq, int64_t price)
{
    const struct event *said = post(f, who, seq, f->time_ms, BTC, price);

    assert_int_equal(said->kind, EVENT_RESULT);
    assert_int_equal(((const struct result *)said)->reject, REJECT_NONE);
}

static void refused(struct fixture *f, const struct event *said, enum reject reject)
{
    (void)f;
    assert_int_equal(said->kind, EVENT_REFUSED);
    assert_int_equal(((const struct refused *)said)->reject, reject);
}

static const struct perps_market *btc(const struct fixture *f) { return &engine_perps(f->engine)[0]; }

static void a_post_counts_from_the_next_tick_on(void **state)
{
    struct fixture *f = make(1, 1);

    (void)state;
    passes(f, 0, 7, 1001000);
    assert_int_equal(btc(f)->index, 1000000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE); /* no feeder has posted a price yet */
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1001000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    assert_int_equal(engine_oracle_seq(f->engine, 0), 7);
    fixture_free(f);
}

static void what_is_not_authentic_or_not_fresh_runs_not_at_all(void **state)
{
    struct fixture *f = make(2, 1);

    (void)state;
    passes(f, 0, 7, 1001000);
    refused(f, post(f, 2, 8, f->time_ms, BTC, 1), REJECT_NOT_A_FEEDER);
    refused(f, post(f, 0, 7, f->time_ms, BTC, 1), REJECT_ORACLE_SEQ);
    assert_int_equal(((const struct refused *)events_next(&f->events, events_first(&f->events)))->smallest, 7);
    refused(f, post(f, 0, 6, f->time_ms, BTC, 1), REJECT_ORACLE_SEQ);
    refused(f, post(f, 0, 8, f->time_ms - 30001, BTC, 1), REJECT_ORACLE_TIME);
    refused(f, post(f, 0, 8, f->time_ms + 5001, BTC, 1), REJECT_ORACLE_TIME);
    assert_int_equal(btc(f)->posts[0].price, 1001000);
    assert_int_equal(engine_oracle_seq(f->engine, 0), 7);
    assert_int_equal(post(f, 0, 8, f->time_ms - 30000, BTC, 1002000)->kind, EVENT_RESULT);
    assert_int_equal(post(f, 0, 9, f->time_ms + 5000, BTC, 1003000)->kind, EVENT_RESULT);
    assert_int_equal(post(f, 1, 1, f->time_ms, BTC, 1003000)->kind, EVENT_RESULT); /* each feeder counts for itself */
    fixture_free(f);
}

static void a_wrong_item_spoils_the_whole_post(void **state)
{
    struct fixture     *f = make(1, 1);
    const struct event *said;

    (void)state;
    said = post(f, 0, 1, f->time_ms, 3, 5);
    assert_int_equal(said->kind, EVENT_RESULT);
    assert_int_equal(((const struct result *)said)->reject, REJECT_SYMBOL_NOT_FOUND);
    said = post(f, 0, 2, f->time_ms, BTC, 0);
    assert_int_equal(((const struct result *)said)->reject, REJECT_NOT_POSITIVE);
    assert_int_equal(btc(f)->posts[0].price, 0);
    assert_int_equal(engine_oracle_seq(f->engine, 0),
                     2); /* the seq is used, like a nonce whose command a rule rejects */
    fixture_free(f);
}

/* A price is from 1 to the largest there is; a middle may be absent (0) and is bounded likewise. */
static void an_item_has_its_bounds(void **state)
{
    /* clang-format off */
    static const struct { int64_t price, perp_mid; enum reject reject; } items[] = {
        { 0, 0, REJECT_NOT_POSITIVE }, { -1, 0, REJECT_NOT_POSITIVE }, { 1, 0, REJECT_NONE },
          { PRICE_MAX, 0, REJECT_NONE }, { PRICE_MAX + 1, 0, REJECT_NOT_POSITIVE },
        { 1, -1, REJECT_NOT_POSITIVE }, { 1, 1, REJECT_NONE }, { 1, PRICE_MAX, REJECT_NONE },
          { 1, PRICE_MAX + 1, REJECT_NOT_POSITIVE },
    };
    /* clang-format on */
    struct fixture *f = make(1, 1);

    (void)state;
    for (uint64_t i = 0; i < ARRAY_COUNT(items); i++) {
        struct feeder_post  before = btc(f)->posts[0];
        const struct event *said = post_item(
            f, 0, i + 1, f->time_ms,
            (struct oracle_price){ .symbol_id = BTC, .price = items[i].price, .perp_mid = items[i].perp_mid });

        assert_int_equal(said->kind, EVENT_RESULT);
        assert_int_equal(((const struct result *)said)->reject, items[i].reject);
        if (items[i].reject != REJECT_NONE) {
            assert_memory_equal(&btc(f)->posts[0], &before, sizeof(before));
        } else {
            assert_int_equal(btc(f)->posts[0].price, items[i].price);
            assert_int_equal(btc(f)->posts[0].perp_mid, items[i].perp_mid);
        }
    }
    fixture_free(f);
}

static void a_post_of_another_domain_or_of_wrong_length_is_none(void **state)
{
    struct fixture *f = make(1, 1);

    (void)state;
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.domain = DOMAIN_FUTURES;
    f->room.head.signer = feeder(0);
    f->room.oracle_post = (struct oracle_post){ .seq = 1, .count = 1, .timestamp_ms = f->time_ms };
    fixture_apply(f);
    refused(f, events_next(&f->events, events_first(&f->events)), REJECT_NOT_A_FEEDER);
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.oracle_post.count = 2;
    fixture_apply(f);
    refused(f, events_next(&f->events, events_first(&f->events)), REJECT_BATCH_SIZE);
    f->room.oracle_post.count = 0;
    fixture_apply(f);
    refused(f, events_next(&f->events, events_first(&f->events)), REJECT_BATCH_SIZE);
    f->room.oracle_post.count = ORACLE_PRICES_MAX + 1;
    f->room.head.bytes = sizeof(f->room.head) + PAYLOAD_BYTES(oracle_post, ORACLE_PRICES_MAX + 1);
    fixture_apply(f);
    refused(f, events_next(&f->events, events_first(&f->events)), REJECT_BATCH_SIZE);
    f->room.head.bytes = sizeof(f->room.head); /* a head alone */
    fixture_apply(f);
    refused(f, events_next(&f->events, events_first(&f->events)), REJECT_BATCH_SIZE);
    fixture_free(f);
}

static void the_median_the_quorum_and_silence(void **state)
{
    struct fixture *f = make(3, 2);

    (void)state;
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    passes(f, 0, 1, 1001000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state,
                     ORACLE_IS_STALE); /* a feeder has posted: the bootstrap is over, and one is no quorum */
    assert_int_equal(btc(f)->index, 1000000);
    passes(f, 1, 1, 1003000);
    passes(f, 2, 1, 1002000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1002000);
    perps_tick(f, 57999); /* the first is 59999 ms old */
    assert_int_equal(btc(f)->index, 1002000);
    perps_tick(f, 1); /* 60000: two are left, their mean */
    assert_int_equal(btc(f)->index, 1002500);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(btc(f)->index, 1002500);
    fixture_free(f);
}

static void set_price(struct fixture *f, uint32_t symbol_id, int64_t price, bool by_hand)
{
    fixture_head(f, CMD_SET_INDEX, sizeof(struct set_index));
    f->room.set_index = (struct set_index){ .symbol_id = symbol_id, .by_hand = by_hand, .price = price };
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
}

/* Ruling 77. */
static void reference_prices_count_as_set_by_hand(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    assert_int_equal(btc(f)->state, ORACLE_LIVE); /* from the first block */
    assert_int_equal(btc(f)->index, 1000000);
    assert_int_equal(btc(f)[ETH - 1].state, ORACLE_LIVE);
    perps_tick(f, 24 * FUNDING_HOUR_MS);
    assert_int_equal(btc(f)->state, ORACLE_LIVE); /* no time makes it stale */
    set_price(f, BTC, 1001000, false);            /* the built-in feeder may post */
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1001000);
    set_price(f, BTC, 1002000, true);
    set_price(f, BTC, 1003000, false); /* … until a price is set by hand */
    perps_tick(f, 3 * FUNDING_HOUR_MS);
    assert_int_equal(btc(f)->index, 1002000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    fixture_free(f);
}

static void the_first_signed_post_takes_a_symbol_over(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    (void)state;
    perps_genesis(&f->genesis);
    f->genesis.feeder_count = 2;
    for (uint32_t i = 0; i < 2; i++) f->genesis.feeders[i] = (struct feeder){ feeder((uint8_t)i), 1 };
    fixture_start(f);
    passes(f, 0, 1, 1001000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1001000); /* alone, not the mean with the reference */
    set_price(f, BTC, 999000, false);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1001000); /* the built-in feeder is silent about it now */
    perps_tick(f, 57999);
    assert_int_equal(btc(f)->state, ORACLE_LIVE); /* 59,999 ms old */
    perps_tick(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(btc(f)[ETH - 1].state, ORACLE_LIVE); /* no feeder has posted that one */
    set_price(f, BTC, 998000, true);                      /* the last post counts */
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    assert_int_equal(btc(f)->index, 998000);
    passes(f, 1, 1, 1002000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1002000);
    perps_tick(f, 59000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    fixture_free(f);
}

static void moment(struct fixture *f, int64_t ms, bool missed)
{
    f->time_ms += ms;
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.tick.missed = missed;
    fixture_apply(f);
}

static uint32_t fundings(const struct fixture *f)
{
    uint32_t count = 0;

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        count += event->kind == EVENT_FUNDING;
    return count;
}

static struct fixture *with_positions(void)
{
    struct fixture *f = perps_make();

    f->time_ms += FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS + 10000;
    perps_deposit(f, 1, 1000000000000);
    perps_deposit(f, 2, 1000000000000);
    moment(f, 0, false);
    assert_int_equal(perps_limit(f, 1, "a", SIDE_BUY, "100000", "1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, 2, "b", SIDE_SELL, "100000", "1")->reject, REJECT_NONE);
    moment(f, 5000, false);
    return f;
}

static void hours_that_were_missed_settle_once(void **state)
{
    struct fixture *f = with_positions();
    int64_t         mark = btc(f)->mark, day = 24 * FUNDING_HOUR_MS;
    uint32_t        samples = btc(f)->premium_count;

    (void)state;
    moment(f, day - f->time_ms % day, true); /* midnight passed while the exchange was down */
    assert_int_equal(fundings(f), 0);
    assert_int_equal(btc(f)->mark, mark);
    assert_int_equal(btc(f)->premium_count, samples);
    moment(f, day, true);
    assert_int_equal(fundings(f), 0);
    moment(f, 1234567, false); /* the first TICK of the present */
    assert_int_equal(fundings(f), 2);
    moment(f, 1000, false);
    assert_int_equal(fundings(f), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

static void hours_of_a_leap_settle_each(void **state)
{
    struct fixture *f = with_positions();

    (void)state;
    for (int hour = 0; hour < 3; hour++) {
        moment(f, FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS, false);
        assert_int_equal(fundings(f), 2);
    }
    fixture_free(f);
}

static void when_a_tick_is_wanted(void **state)
{
    struct fixture *f = perps_make();
    int64_t         hour;

    (void)state;
    moment(f, 250, false);
    hour = (f->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;
    assert_int_equal(engine_due_ms(f->engine), hour);
    assert_true(engine_kept_ms(f->engine) >= hour);
    assert_int_equal(engine_kept_ms(f->engine) % (24 * FUNDING_HOUR_MS), 0);
    assert_int_equal(engine_second_ms(f->engine), (f->time_ms / 1000 + 1) * 1000);
    assert_int_equal(engine_pulse_ms(f->engine), (f->time_ms / 60000 + 1) * 60000); /* quiet */
    assert_false(engine_work_left(f->engine));
    fixture_free(f);
    f = fixture_make();
    assert_int_equal(engine_second_ms(f->engine), INT64_MAX);
    assert_int_equal(engine_pulse_ms(f->engine), INT64_MAX); /* without perps the disk rests */
    assert_int_equal(engine_due_ms(f->engine), engine_kept_ms(f->engine));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_post_counts_from_the_next_tick_on),
        cmocka_unit_test(what_is_not_authentic_or_not_fresh_runs_not_at_all),
        cmocka_unit_test(a_wrong_item_spoils_the_whole_post),
        cmocka_unit_test(an_item_has_its_bounds),
        cmocka_unit_test(a_post_of_another_domain_or_of_wrong_length_is_none),
        cmocka_unit_test(the_median_the_quorum_and_silence),
        cmocka_unit_test(reference_prices_count_as_set_by_hand),
        cmocka_unit_test(the_first_signed_post_takes_a_symbol_over),
        cmocka_unit_test(hours_that_were_missed_settle_once),
        cmocka_unit_test(hours_of_a_leap_settle_each),
        cmocka_unit_test(when_a_tick_is_wanted),
    };
    return cmocka_run_group_tests_name("core/prices/oracle", tests, NULL, NULL);
}
