/* SPDX-License-Identifier: MIT */
/*
 * quiet_test.c — when an idle exchange leaves out TICKs (ruling 28, invariant 67), and that the state does not depend
 * on it: two engines get the same commands, one with a TICK each second, the other with those that engine_pulse_ms
 * asks for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"
#include "core/engine/quiet.h"
#include "core/prices/prices.h"

#define WORLDS   40
#define ROUNDS   250
#define STALE_MS 20000

enum { A = 1, M };

static struct address feeder(uint8_t n)
{
    struct address address = { { 0 } };

    address.bytes[0] = 0xfe;
    address.bytes[19] = n;
    return address;
}

static struct fixture *world(bool by_hand)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.prices_by_hand = by_hand;
    f->genesis.contracts[0].spot_symbol_id = 1;
    f->genesis.contracts[0].spot_impact_notional = 1000000000;
    f->genesis.rules.oracle_stale_ms = STALE_MS;
    f->genesis.feeder_count = 2;
    for (uint8_t i = 0; i < 2; i++) {
        f->genesis.feeders[i].address = feeder(i);
        f->genesis.feeders[i].weight = 1u + i;
    }
    fixture_start(f);
    for (uint32_t who = A; who <= M; who++) {
        perps_deposit(f, who, INT64_C(10000000000000));
        assert_int_equal(deposit(f, who, VUSDC, INT64_C(10000000000000)), REJECT_NONE);
        assert_int_equal(deposit(f, who, VBTC, INT64_C(100000000000)), REJECT_NONE);
    }
    return f;
}

static void post(struct fixture *f, uint8_t who, uint32_t symbol_id, int64_t price, int64_t mid)
{
    uint64_t seq = engine_oracle_seq(f->engine, who) + 1;

    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.head.market = 0;
    f->room.head.nonce = seq;
    f->room.head.signer = feeder(who);
    f->room.oracle_post = (struct oracle_post){ .seq = seq, .count = 1, .timestamp_ms = f->time_ms };
    f->room.oracle_post.items[0] = (struct oracle_price){ .symbol_id = symbol_id, .price = price, .perp_mid = mid };
    fixture_apply(f);
}

static void tick_at(struct fixture *f, int64_t ms) { perps_tick(f, ms - f->time_ms); }

/* ---- the sequencer's TICKs ---- */

/* Up to a command at `to_ms`; `all`: one each second. Returns how many. */
static uint32_t pass(struct fixture *f, int64_t to_ms, bool all)
{
    uint32_t count = 0;

    for (;; count++) {
        int64_t next =
            min_i64(engine_due_ms(f->engine), all ? engine_second_ms(f->engine) : engine_pulse_ms(f->engine));

        if (next > to_ms) break;
        tick_at(f, max_i64(next, f->time_ms));
    }
    if (engine_second_ms(f->engine) <= to_ms) {
        assert_false(all);
        tick_at(f, to_ms);
        count++;
    }
    f->time_ms = to_ms;
    return count;
}

/* The log's numbers are all that may differ. */
static void renumber(struct fixture *f, uint64_t seq) { f->seq = f->engine->seq = seq; }

/* ---- commands ---- */

struct move {
    uint32_t kind, who, price, extra;
    uint8_t  side;
};

static void spot_quotes(struct fixture *f, const struct move *move)
{
    char bid[16], ask[16];

    snprintf(bid, sizeof(bid), "%u", 98000 + move->price);
    snprintf(ask, sizeof(ask), "%u", 98300 + move->price);
    (void)cancel(f, A, 0, "sb", NULL);
    (void)cancel(f, M, 0, "sa", NULL);
    if (move->extra % 4 == 0) return;
    (void)limit(f, A, SIDE_BUY, bid, "1", "sb");
    (void)limit(f, M, SIDE_SELL, ask, "1", "sa");
}

static void perps_quote(struct fixture *f, const struct move *move)
{
    char        price[16];
    const char *id = move->side == SIDE_BUY ? "pb" : "pa";

    snprintf(price, sizeof(price), "%u", move->side == SIDE_BUY ? 98000 + move->price : 100000 + move->price);
    (void)perps_drop(f, A, BTC, id);
    if (move->extra % 3 != 0) (void)perps_limit(f, A, id, move->side, price, move->extra % 5 == 0 ? "0.01" : "1");
}

static void trade(struct fixture *f, uint32_t buyer, uint32_t seller)
{
    (void)perps_drop(f, A, BTC, "pb");
    (void)perps_drop(f, A, BTC, "pa");
    (void)perps_limit(f, buyer, "trade", SIDE_BUY, "100000", "0.1");
    (void)perps_limit(f, seller, "trade", SIDE_SELL, "100000", "0.1");
    (void)perps_drop(f, buyer, BTC, "trade");
    (void)perps_drop(f, seller, BTC, "trade");
}

static void set_status(struct fixture *f, uint8_t status)
{
    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.set_market = (struct set_market){
        .symbol_id = BTC, .engine = MARKET_PERPS, .status = status, .id = operator_id(++f->deposit_id)
    };
    fixture_apply(f);
}

static void make(struct fixture *f, const struct move *move)
{
    switch (move->kind) {
    case 0:
    case 1:
        post(f, (uint8_t)(move->who - 1), 1 + move->extra % 2, 990000 + (int64_t)move->price * 10,
             move->extra % 3 == 0 ? 995000 + (int64_t)move->price * 5 : 0);
        break;
    case 2:
    case 3: spot_quotes(f, move); break;
    case 4:
    case 5: perps_quote(f, move); break;
    case 6:
        trade(f, A, M);
        trade(f, M, A);
        break; /* its price stays for a minute */
    case 7: (void)schedule(f, move->who, (uint64_t)f->time_ms + 5000 + move->price * 10); break;
    case 8: set_status(f, move->extra % 2 ? SYMBOL_HALT : SYMBOL_TRADING); break;
    case 9: trade(f, A, M); break;
    default:
        set_status(f, SYMBOL_TRADING);
        if (perps_size(f, A, BTC) > 0) trade(f, M, A);
        break;
    }
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n) { return (uint32_t)((random_xorshift(&random_state) >> 32) % n); }

static void compare(const struct fixture *all, const struct fixture *few)
{
    struct hash256 one = engine_hash(all->engine), other = engine_hash(few->engine);

    for (uint32_t i = 0; i < 2; i++) {
        const struct perps_market *a = &engine_perps(all->engine)[i], *b = &engine_perps(few->engine)[i];

        assert_int_equal(a->index, b->index);
        assert_int_equal(a->mark, b->mark);
        assert_true(a->basis == b->basis && a->premium_sum == b->premium_sum);
        assert_int_equal(a->premium_count, b->premium_count);
        assert_int_equal(a->funding_rate, b->funding_rate);
        assert_int_equal(a->state, b->state);
    }
    assert_memory_equal(&one, &other, sizeof(one));
}

struct tally {
    uint32_t all, few;
};

static struct tally one_world(uint64_t seed)
{
    struct fixture *all = world(seed % 4 == 0), *few = world(seed % 4 == 0);
    struct tally    tally = { 0, 0 };
    int64_t         now = all->time_ms;

    random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct move move = { .kind = random_below(13) };

        move.who = 1 + random_below(2);
        move.price = random_below(2000);
        move.extra = random_below(60);
        move.side = random_below(2) ? SIDE_BUY : SIDE_SELL;
        now += random_below(4) == 0 ? random_below(3000) : random_below(round % 10 == 0 ? 900000 : 90000);
        tally.all += pass(all, now, true);
        tally.few += pass(few, now, false);
        renumber(all, round * 1000000);
        renumber(few, round * 1000000);
        make(all, &move);
        make(few, &move);
        compare(all, few);
        engine_verify(few->engine);
    }
    fixture_free(all);
    fixture_free(few);
    return tally;
}

static void the_state_is_that_of_a_tick_each_second(void **state)
{
    struct tally sum = { 0, 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct tally tally = one_world(seed);

        sum.all += tally.all;
        sum.few += tally.few;
    }
    print_message("%u TICKs instead of %u\n", sum.few, sum.all);
    assert_true(sum.few < sum.all);
}

/* After a TICK: how long until the next one is wanted, in whole seconds. */
static int64_t rests(struct fixture *f)
{
    tick_at(f, (f->time_ms / 1000 + 1) * 1000);
    return (engine_pulse_ms(f->engine) - f->time_ms) / 1000;
}

static bool rests_for_the_minute(struct fixture *f)
{
    int64_t seconds = rests(f);
    return seconds == 60 - f->time_ms / 1000 % 60;
}

static void rests_for_a_minute_until_somebody_does_something(void **state)
{
    struct fixture *f = world(true);
    (void)state;

    tick_at(f, (f->time_ms / 60000 + 1) * 60000);
    assert_int_equal(rests(f), 59);
    assert_true(rests_for_the_minute(f));
    f->time_ms += 250;
    assert_int_equal(perps_drop(f, A, BTC, "none")->reject, REJECT_ORDER_NOT_FOUND);
    assert_int_equal(engine_pulse_ms(f->engine) % 60000, 0); /* a rejected command changes nothing */
    assert_int_equal(engine_second_ms(f->engine), (f->time_ms / 1000 + 1) * 1000);
    assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "99000", "0.01")->reject, REJECT_NONE);
    assert_int_equal(engine_pulse_ms(f->engine), (f->time_ms / 1000 + 1) * 1000);
    assert_true(rests_for_the_minute(f)); /* priced, and at rest */
    trade(f, A, M);
    assert_int_equal(rests(f), 1); /* positions */
    assert_int_equal(rests(f), 1);
    trade(f, M, A);
    assert_true(rests_for_the_minute(f));
    fixture_free(f);
}

/* A post is valid for 20 s: a TICK is due in the first second in which it no longer is. */
static void wakes_when_a_post_lapses(void **state)
{
    struct fixture *f = world(false);
    int64_t         posted;
    (void)state;

    tick_at(f, (f->time_ms / 60000 + 1) * 60000);
    f->time_ms += 250;
    posted = f->time_ms;
    for (uint32_t id = BTC; id <= ETH; id++) post(f, 0, id, 400000, 0);
    (void)rests(f);
    assert_int_equal(engine_pulse_ms(f->engine), posted + STALE_MS + 750);
    assert_int_equal(engine_perps(f->engine)->state, ORACLE_LIVE);
    tick_at(f, engine_pulse_ms(f->engine) - 1000);
    assert_int_equal(engine_perps(f->engine)->state, ORACLE_LIVE);
    tick_at(f, engine_pulse_ms(f->engine));
    assert_int_equal(engine_perps(f->engine)->state, ORACLE_IS_STALE);
    assert_true(rests_for_the_minute(f));
    fixture_free(f);
}

/* A gap of 60 s is processed second by second; one of 61 is a jump with one step (ruling 43). */
static void makes_up_for_a_minute_and_not_for_more(void **state)
{
    static const struct {
        int64_t  seconds;
        uint32_t steps;
    } rows[] = { { 1, 1 }, { 59, 59 }, { 60, 60 }, { 61, 1 }, { 3600, 1 } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = world(true);
        uint32_t        before;

        (void)rests(f);
        assert_int_equal(f->engine->quiet, 1);
        before = f->engine->price_step;
        tick_at(f, f->time_ms + rows[i].seconds * 1000 + 250);
        assert_int_equal(f->engine->price_step - before, rows[i].steps);
        assert_int_equal(f->engine->priced_ms, rows[i].seconds <= QUIET_SECONDS_MAX ? f->time_ms - 250 : f->time_ms);
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests_for_a_minute_until_somebody_does_something),
        cmocka_unit_test(wakes_when_a_post_lapses),
        cmocka_unit_test(makes_up_for_a_minute_and_not_for_more),
        cmocka_unit_test(the_state_is_that_of_a_tick_each_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
