/* SPDX-License-Identifier: MIT */
/* places_test.c — some users fill each pool of the engine, and an unrelated user is not hindered (rulings 73 to 75). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_fixture.h"
#include "core/state/state.h"

#define KEY      500
#define STRANGER 9
#define UNIT     INT64_C(1000000)

/* A venue whose pools are tiny. */
static struct fixture *tiny(void (*change)(struct limits *limits))
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.limits = (struct limits){
        .accounts = 8, .orders = 4, .levels = 4, .signers = 6, .deposits = 64, .keys = 2, .transfers = 2, .positions = 4
    };
    if (change != NULL) change(&f->genesis.limits);
    fixture_start(f);
    assert_int_equal(deposit(f, STRANGER, VUSDC, 1000 * UNIT), REJECT_NONE);
    for (uint32_t n = 1; n <= 4; n++) assert_int_equal(deposit(f, n, VUSDC, 1000 * UNIT), REJECT_NONE);
    return f;
}

static enum reject bid(struct fixture *f, uint32_t who, const char *price, const char *id)
{
    return limit(f, who, SIDE_BUY, price, "0.001", id)->reject;
}

static enum reject move(struct fixture *f, uint32_t who, uint64_t id)
{
    fixture_transfer(f, MARKET_SPOT, id, TRANSFER_EVM_WITHDRAW, VUSDC, "1");
    fixture_sign(f, who);
    fixture_apply(f);
    return verdict(f);
}

static enum reject raise_limit(struct fixture *f, uint8_t pool, uint32_t places)
{
    fixture_head(f, CMD_RAISE_LIMIT, sizeof(struct raise_limit));
    f->room.head.market = 0;
    f->room.raise_limit = (struct raise_limit){ .pool = pool, .places = places };
    fixture_apply(f);
    return verdict(f);
}

static enum reject mode(struct fixture *f, uint8_t to)
{
    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.head.market = 0;
    f->room.set_mode = (struct set_mode){ .mode = to };
    fixture_apply(f);
    return verdict(f);
}

static enum reject cancel_all(struct fixture *f)
{
    fixture_head(f, CMD_CANCEL_FOR, sizeof(struct cancel_for));
    f->room.head.market = 0;
    fixture_apply(f);
    return verdict(f);
}

static enum reject sign(struct fixture *f, uint32_t who, uint8_t domain)
{
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    f->room.head.market = domain == DOMAIN_FUTURES ? MARKET_PERPS : MARKET_SPOT;
    f->room.schedule_cancel.scheduled_ms = (struct optional_u64){ (uint64_t)f->time_ms + 60000, 1 };
    fixture_sign(f, who);
    f->room.head.domain = domain;
    fixture_apply(f);
    return verdict(f);
}

/*
 * The commands of an unrelated user and the operator that must succeed, whatever pool is full; orders and levels have
 * slots left.
 */
static void a_stranger_goes_on(struct fixture *f, bool trades)
{
    for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_FUTURES; domain++)
        assert_int_equal(sign(f, STRANGER, domain), REJECT_NONE);
    if (trades) {
        assert_int_equal(bid(f, STRANGER, "100000", "s"), REJECT_NONE);
        assert_int_equal(cancel(f, STRANGER, 0, "s", "c")->reject, REJECT_NONE);
    }
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(move(f, STRANGER, f->seq), REJECT_NONE);
    assert_int_equal(mode(f, VENUE_CANCEL_ONLY), REJECT_NONE);
    assert_int_equal(cancel_all(f), REJECT_NONE);
    assert_int_equal(mode(f, VENUE_RUN), REJECT_NONE);
    engine_verify(f->engine);
}

/* Ruling 73: keys of one owner, of several, of many, each of which signs in every domain. */
static void keys_and_their_nonce_sets_full(void **state)
{
    struct fixture *f = tiny(NULL);

    (void)state;
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(add_key(f, 2, "a", KEY + 1), REJECT_NONE);
    assert_int_equal(add_key(f, 3, "a", KEY + 2), REJECT_CAPACITY);
    a_stranger_goes_on(f, true);
    fixture_free(f);
}

/* Ruling 73: by one account, then by several. */
static void transfer_ids_full(void **state)
{
    struct fixture *f = tiny(NULL);

    (void)state;
    for (uint64_t id = 1; id <= 10; id++) assert_int_equal(move(f, 1, id), REJECT_NONE);
    assert_int_equal(engine_counts(f->engine).transfers, 2);
    for (uint32_t n = 2; n <= 4; n++)
        for (uint64_t id = 1; id <= 3; id++) assert_int_equal(move(f, n, id), REJECT_NONE);
    a_stranger_goes_on(f, true);
    fixture_free(f);
}

static void few_deposits(struct limits *limits) { limits->deposits = 5; }

/* Ruling 74. */
static void operator_ids_full(void **state)
{
    struct fixture *f = tiny(few_deposits);

    (void)state;
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_CAPACITY);
    a_stranger_goes_on(f, true);
    assert_int_equal(raise_limit(f, POOL_DEPOSITS, 6), REJECT_NONE);
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_NONE);
    fixture_free(f);
}

static void few_accounts(struct limits *limits) { limits->accounts = 5; }

static void accounts_full(void **state)
{
    struct fixture *f = tiny(few_accounts);

    (void)state;
    assert_int_equal(deposit(f, 5, VUSDC, 1), REJECT_CAPACITY);
    a_stranger_goes_on(f, true);
    fixture_free(f);
}

static enum reject set_leverage(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    f->room.head.market = MARKET_PERPS;
    f->room.update_leverage =
        (struct update_leverage){ .symbol_id = symbol_id, .leverage = 3, .margin_mode = MARGIN_CROSS };
    fixture_sign(f, who);
    f->room.head.domain = DOMAIN_FUTURES;
    fixture_apply(f);
    return verdict(f);
}

/*
 * Settings of two accounts in two symbols fill the pool: an unrelated user's spot trades and withdrawals and the
 * operator's commands succeed.
 */
static void positions_full(void **state)
{
    struct fixture *f = tiny(NULL);

    (void)state;
    for (uint32_t n = 1; n <= 2; n++)
        for (uint32_t symbol_id = 1; symbol_id <= 2; symbol_id++)
            assert_int_equal(set_leverage(f, n, symbol_id), REJECT_NONE);
    assert_int_equal(set_leverage(f, STRANGER, 1), REJECT_CAPACITY);
    assert_int_equal(set_leverage(f, 1, 1), REJECT_NONE); /* one that is there */
    a_stranger_goes_on(f, true);
    assert_int_equal(raise_limit(f, POOL_POSITIONS, 5), REJECT_NONE);
    assert_int_equal(set_leverage(f, STRANGER, 1), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * Ids of open and of cancelled orders have used the pool: a new order is 42026, everything else succeeds, and a raise
 * ends the shortage.
 */
static void client_ids_full(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    (void)state;
    perps_genesis(&f->genesis);
    f->genesis.rules.client_id_reuse = REUSE_FILLED;
    f->genesis.limits.burnt_ids = 2;
    fixture_start(f);
    for (uint32_t n = 1; n <= 3; n++)
        assert_int_equal(deposit(f, n == 3 ? STRANGER : n, VUSDC, 1000 * UNIT), REJECT_NONE);
    assert_int_equal(bid(f, 1, "100000", "a"), REJECT_NONE);
    assert_int_equal(bid(f, 1, "100000", "b"), REJECT_NONE);
    assert_int_equal(bid(f, STRANGER, "100000", "s"), REJECT_CAPACITY);
    a_stranger_goes_on(f, false);
    assert_int_equal(raise_limit(f, POOL_CLIENT_IDS, 20), REJECT_NONE);
    a_stranger_goes_on(f, true);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(bid(f, 2, "100000", (const char *[]){ "a", "b", "c" }[i]), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

/* All accounts belong to one owner: an existing account is not affected. */
static void accounts_full_by_one_owner(void **state)
{
    struct fixture *f = tiny(NULL);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
        f->room.head.market = 0;
        f->room.open_account = (struct open_account){ .owner = user(1), .id = operator_id(++f->deposit_id) };
        fixture_apply(f);
        assert_int_equal(verdict(f), i < 3 ? REJECT_NONE : REJECT_CAPACITY);
    }
    a_stranger_goes_on(f, true);
    fixture_free(f);
}

/* Orders and levels are shared: a new one is refused, everything else succeeds, and the operator frees some. */
static void orders_and_levels_full(void **state)
{
    static const char *const prices[] = { "100000", "100001", "100002", "100003" };
    struct fixture          *f = tiny(NULL);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(bid(f, 1 + i % 2, prices[i], prices[i]), REJECT_NONE);
    assert_int_equal(bid(f, STRANGER, "100000", "s"), REJECT_CAPACITY);
    assert_int_equal(raise_limit(f, POOL_ORDERS, 5), REJECT_NONE);
    assert_int_equal(bid(f, STRANGER, "100004", "s"), REJECT_CAPACITY); /* a level more is not there */
    assert_int_equal(bid(f, STRANGER, "100000", "s"), REJECT_NONE);
    assert_int_equal(cancel(f, STRANGER, 0, "s", "c")->reject, REJECT_NONE);
    a_stranger_goes_on(f, false); /* cancels all orders */
    a_stranger_goes_on(f, true);
    fixture_free(f);
}

/* Ruling 73: 32 revocations within three days and not one more; then the oldest is forgotten. */
static void the_33rd_revocation_waits(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int64_t         first;

    (void)state;
    fixture_genesis(&f->genesis);
    fixture_start(f);
    assert_int_equal(deposit(f, 1, VUSDC, UNIT), REJECT_NONE);
    assert_int_equal(deposit(f, 2, VUSDC, UNIT), REJECT_NONE);
    first = f->time_ms;
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(add_key(f, 1, "a", KEY + i % 2), REJECT_NONE);
        assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
        f->time_ms += 1000;
    }
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_KEY_LIMIT);
    assert_int_equal(result_at(f, 0)->got.digits, f->time_ms);
    assert_int_equal(result_at(f, 0)->need.digits, first + 3 * DAY_MS);
    assert_int_equal(add_key(f, 2, "a", KEY + 2), REJECT_NONE); /* others revoke as before */
    assert_int_equal(revoke_key(f, 2, "a"), REJECT_NONE);
    f->time_ms = first + 3 * DAY_MS - 1;
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_KEY_LIMIT);
    f->time_ms += 1;
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

/* The time in a refusal is engine time, so an advance of a development exchange's clock reaches it (ruling 44). */
static void a_leap_brings_the_33rd_revocation_nearer(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int64_t         need;

    (void)state;
    fixture_genesis(&f->genesis);
    f->genesis.development = 1;
    fixture_start(f);
    assert_int_equal(deposit(f, 1, VUSDC, UNIT), REJECT_NONE);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
        assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    }
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_KEY_LIMIT);
    need = result_at(f, 0)->need.digits;
    assert_int_equal(advance_time(f, need - f->time_ms - 1), REJECT_NONE);
    f->nonce -= (uint64_t)(need - f->time_ms - 1); /* nonces stay on the clock of the wall */
    f->time_ms = need - 1;
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_KEY_LIMIT);
    assert_int_equal(result_at(f, 0)->need.digits, need);
    f->time_ms = need;
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_limit_only_grows(void **state)
{
    struct fixture *f = tiny(NULL);
    struct hash256  before, after;

    (void)state;
    assert_int_equal(raise_limit(f, POOL_ORDERS, 3), REJECT_NUMBER_RANGE);
    assert_int_equal(result_at(f, 0)->field, FIELD_VALUE);
    assert_int_equal(result_at(f, 0)->need.digits, 4);
    assert_int_equal(raise_limit(f, POOL_ORDERS, POOL_PLACES_MAX + 1), REJECT_NUMBER_RANGE);
    assert_int_equal(result_at(f, 0)->need.digits, POOL_PLACES_MAX);
    assert_int_equal(raise_limit(f, 0, 9), REJECT_ENUM_RANGE);
    assert_int_equal(raise_limit(f, LIMITS, 9), REJECT_ENUM_RANGE);
    assert_int_equal(result_at(f, 0)->field, FIELD_NAME);
    f->engine->seq -= 1; /* hashes count commands */
    f->seq -= 1;
    before = engine_hash(f->engine);
    assert_int_equal(raise_limit(f, POOL_ORDERS, 4), REJECT_NONE); /* as it is: nothing happens */
    f->engine->seq -= 1;
    f->seq -= 1;
    after = engine_hash(f->engine);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(raise_limit(f, POOL_ORDERS, 5), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 5);
    assert_int_equal(engine_limits(f->engine)->orders, 5);
    fixture_free(f);
}

/* Every pool is raised at some point of a flow: the whole state is kept, and two engines with the same commands agree.
 */
static void everything_moves_along(void **state)
{
    struct fixture *pair[2] = { tiny(NULL), tiny(NULL) };
    struct hash256  hashes[2];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct fixture *f = pair[i];

        assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
        assert_int_equal(bid(f, 1, "100000", "a"), REJECT_NONE);
        assert_int_equal(bid(f, 2, "100001", "b"), REJECT_NONE);
        for (uint64_t id = 1; id <= 4; id++) assert_int_equal(move(f, 1, id), REJECT_NONE);
        for (uint8_t pool = POOL_ACCOUNTS; pool < LIMITS; pool++) {
            assert_int_equal(raise_limit(f, pool, 3 * limits_get(engine_limits(f->engine), pool) + 7), REJECT_NONE);
            engine_verify(f->engine);
        }
        assert_int_equal(move(f, 1, 4), REJECT_NONE);
        assert_null(event_at(f, EVENT_TRANSFER, 0)); /* the id is known */
        assert_int_equal(cancel(f, 2, 0, "b", "c")->reject, REJECT_NONE);
        for (uint32_t n = 10; n < 20; n++) assert_int_equal(deposit(f, n, VUSDC, UNIT), REJECT_NONE);
        assert_int_equal(add_key(f, 10, "a", KEY + 5), REJECT_NONE);
        a_stranger_goes_on(f, true);
        hashes[i] = engine_hash(f->engine);
    }
    assert_memory_equal(&hashes[0], &hashes[1], sizeof(hashes[0]));
    fixture_free(pair[0]);
    fixture_free(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_their_nonce_sets_full),
        cmocka_unit_test(transfer_ids_full),
        cmocka_unit_test(operator_ids_full),
        cmocka_unit_test(accounts_full),
        cmocka_unit_test(accounts_full_by_one_owner),
        cmocka_unit_test(positions_full),
        cmocka_unit_test(client_ids_full),
        cmocka_unit_test(orders_and_levels_full),
        cmocka_unit_test(the_33rd_revocation_waits),
        cmocka_unit_test(a_leap_brings_the_33rd_revocation_nearer),
        cmocka_unit_test(a_limit_only_grows),
        cmocka_unit_test(everything_moves_along),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
