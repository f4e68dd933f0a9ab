/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "core/account/ledger.h"
#include "core/engine/transfer.h"

#define UNIT INT64_C(1000000) /* one vUSDC */

static int64_t spot(const struct fixture *f, uint32_t coin_id)
{
    return ledger_bucket(f->engine, SLOT_USERS, coin_id)->available;
}
static int64_t perps(const struct fixture *f) { return ledger_wallet(f->engine, SLOT_USERS); }
static int64_t evm(const struct fixture *f, uint32_t coin_id) { return ledger_evm(f->engine, SLOT_USERS, coin_id); }

static struct fixture *funded(int64_t vusdc)
{
    struct fixture *f = fixture_make();

    deposit(f, 1, VUSDC, vusdc);
    deposit(f, 1, VBTC, 100000000);
    return f;
}

/* E20, its numbers. */
static void an_id_moves_money_once(void **state)
{
    /* clang-format off */
    static const struct { uint64_t id; const char *amount; enum reject reject; bool moves; } calls[] = {
        { 7, "250.5", REJECT_NONE, true },
        { 7, "250.5", REJECT_NONE, false },
        { 7, "1",     REJECT_TRANSFER_CONFLICT, false },
        { 8, "900",   REJECT_INSUFFICIENT_BALANCE, false },
        { 8, "9.5",   REJECT_NONE, true },
    };
    /* clang-format on */
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
        int64_t before = spot(f, VUSDC);

        assert_int_equal(transfer(f, 1, calls[i].id, TRANSFER_PERPS_WITHDRAW, VUSDC, calls[i].amount), calls[i].reject);
        assert_int_equal(result_at(f, 0)->order_id, calls[i].reject == REJECT_NONE ? calls[i].id : 0);
        assert_int_equal(spot(f, VUSDC) != before, calls[i].moves);
        assert_int_equal(event_count(f, EVENT_TRANSFER), calls[i].moves ? 2 : 0);
        engine_verify(f->engine);
    }
    assert_int_equal(spot(f, VUSDC), 740 * UNIT);
    assert_int_equal(perps(f), 260 * UNIT);
    fixture_free(f);
}

static void a_transfer_tells_both_sides_under_one_number(void **state)
{
    struct fixture           *f = funded(1000 * UNIT);
    const struct transferred *out, *in;
    const struct balance     *wallet, *bucket;
    (void)state;

    assert_int_equal(transfer(f, 1, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, "250.5"), REJECT_NONE);
    out = event_at(f, EVENT_TRANSFER, 0), in = event_at(f, EVENT_TRANSFER, 1);
    assert_int_equal(out->type, TRANSFER_PERPS_WITHDRAW);
    assert_int_equal(out->head.market, MARKET_SPOT);
    assert_int_equal(in->type, TRANSFER_SPOT_DEPOSIT);
    assert_int_equal(in->head.market, MARKET_PERPS);
    assert_int_equal(out->number, 3); /* behind two deposits */
    assert_int_equal(in->number, 3);
    assert_int_equal(out->transfer_id, 7);
    assert_int_equal(out->account_id, 1001);
    assert_int_equal(out->amount, 250500000);
    assert_int_equal(out->time_ms, f->time_ms);
    assert_true(address_equal(&out->address, &(struct address[]){ user(1) }[0]));
    assert_int_equal(event_count(f, EVENT_BALANCE), 2);
    wallet = event_at(f, EVENT_BALANCE, 0), bucket = event_at(f, EVENT_BALANCE, 1);
    assert_int_equal(wallet->head.market, MARKET_PERPS);
    assert_int_equal(wallet->total, 250500000);
    assert_int_equal(wallet->locked, 0);
    assert_int_equal(bucket->head.market, MARKET_SPOT);
    assert_int_equal(bucket->total, 749500000);
    fixture_free(f);
}

static void the_evm_ledger_goes_by_address_and_coin(void **state)
{
    struct fixture           *f = funded(1000 * UNIT);
    const struct evm_balance *told;
    (void)state;

    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VBTC, "0.25"), REJECT_NONE);
    told = event_at(f, EVENT_EVM_BALANCE, 0);
    assert_int_equal(told->coin_id, VBTC);
    assert_int_equal(told->amount, 25000000);
    assert_true(address_equal(&told->address, &(struct address[]){ user(1) }[0]));
    assert_int_equal(event_count(f, EVENT_TRANSFER), 1);
    assert_int_equal(evm(f, VBTC), 25000000);
    assert_int_equal(spot(f, VBTC), 75000000);
    assert_int_equal(transfer(f, 1, 2, TRANSFER_EVM_WITHDRAW, VBTC, "0.75"), REJECT_NONE);
    assert_int_equal(evm(f, VBTC), 100000000);
    assert_int_equal(transfer(f, 1, 3, TRANSFER_EVM_WITHDRAW, VBTC, "0.00000001"), REJECT_INSUFFICIENT_BALANCE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void what_is_not_offered_is_named(void **state)
{
    /* clang-format off */
    static const struct { uint8_t market, type; uint64_t to; uint64_t coin; const char *amount; enum reject reject;
        uint8_t field; } rows[] = {
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    998, VUSDC, "1", REJECT_TRANSFER_TARGET, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_PERPS_WITHDRAW, 1000, VUSDC, "1", REJECT_TRANSFER_TARGET, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_PERPS_WITHDRAW,    0, VUSDC, "1", REJECT_TRANSFER_TARGET, FIELD_OF_ROW },
        { MARKET_PERPS, TRANSFER_SPOT_WITHDRAW,  1001, VUSDC, "1", REJECT_TRANSFER_TARGET, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_INTERNAL,       1001, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_DEPOSIT,     999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_PERPS_DEPOSIT,   999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_SPOT_WITHDRAW,   999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_SPOT_DEPOSIT,    999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_SUBACCOUNT,      999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_PERPS, TRANSFER_EVM_WITHDRAW,    999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_PERPS, TRANSFER_PERPS_WITHDRAW,  999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_PERPS, TRANSFER_INTERNAL,        999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_REDEEM,          999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  200,                      999, VUSDC, "1", REJECT_TRANSFER_TYPE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_PERPS_WITHDRAW,  999, VBTC,  "1", REJECT_TRANSFER_COIN, FIELD_OF_ROW },
        { MARKET_PERPS, TRANSFER_SPOT_WITHDRAW,   999, VBTC,  "1", REJECT_TRANSFER_COIN, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, 3,     "1", REJECT_COIN_NOT_FOUND, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, UINT64_C(1) << 32, "1", REJECT_COIN_NOT_FOUND, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, VUSDC, "-1", REJECT_NOT_POSITIVE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, VUSDC, NULL, REJECT_NOT_POSITIVE, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, VUSDC, "0.0000001", REJECT_AMOUNT_DECIMALS, FIELD_OF_ROW },
        { MARKET_SPOT,  TRANSFER_EVM_WITHDRAW,    999, VBTC,  "0.000000001", REJECT_AMOUNT_DECIMALS, FIELD_OF_ROW },
        { MARKET_SPOT, TRANSFER_EVM_WITHDRAW, 999, VUSDC, "999999999999999999", REJECT_INSUFFICIENT_BALANCE,
          FIELD_AMOUNT },
        { MARKET_PERPS, TRANSFER_SPOT_WITHDRAW, 999, VUSDC, "999999999999999999", REJECT_INSUFFICIENT_MARGIN,
          FIELD_AMOUNT },
    };
    /* clang-format on */
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        fixture_transfer(f, rows[i].market, 100, rows[i].type, 0, rows[i].amount);
        f->room.transfer_asset.coin_id = rows[i].coin;
        f->room.transfer_asset.to_account_id = rows[i].to;
        fixture_sign(f, 1);
        f->room.head.domain = rows[i].market;
        fixture_apply(f);
        if (verdict(f) != rows[i].reject || result_at(f, 0)->field != rows[i].field)
            fail_msg("row %zu: %s", i, reject_row(verdict(f))->name);
        assert_int_equal(
            event_count(f, EVENT_BALANCE) + event_count(f, EVENT_TRANSFER) + event_count(f, EVENT_EVM_BALANCE), 0);
        engine_verify(f->engine);
    }
    assert_int_equal(spot(f, VUSDC), 1000 * UNIT);
    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "0.000001"),
                     REJECT_NONE); /* the id was never used */
    fixture_free(f);
}

static void only_what_is_available_leaves(void **state)
{
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    limit(f, 1, SIDE_BUY, "100000", "0.006", "c1"); /* holds 600 */
    assert_int_equal(transfer(f, 1, 1, TRANSFER_PERPS_WITHDRAW, VUSDC, "400.000001"), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(result_at(f, 0)->got.digits, 400);
    assert_int_equal(result_at(f, 0)->need.digits, 400000001);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_PERPS_WITHDRAW, VUSDC, "400"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 2, TRANSFER_SPOT_WITHDRAW, VUSDC, "400.000001"), REJECT_INSUFFICIENT_MARGIN);
    assert_int_equal(transfer(f, 1, 2, TRANSFER_SPOT_WITHDRAW, VUSDC, "400"), REJECT_NONE);
    assert_int_equal(perps(f), 0);
    assert_int_equal(spot(f, VUSDC), 400 * UNIT);
    engine_verify(f->engine);
    fixture_free(f);
}

static void ids_of_the_two_sides_and_of_two_accounts_are_their_own(void **state)
{
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    deposit(f, 2, VUSDC, 1000 * UNIT);
    assert_int_equal(transfer(f, 1, 5, TRANSFER_PERPS_WITHDRAW, VUSDC, "10"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 5, TRANSFER_SPOT_WITHDRAW, VUSDC, "4"), REJECT_NONE);
    assert_int_equal(transfer(f, 2, 5, TRANSFER_PERPS_WITHDRAW, VUSDC, "3"), REJECT_NONE);
    assert_int_equal(perps(f), 6 * UNIT);
    assert_int_equal(ledger_wallet(f->engine, SLOT_USERS + 1), 3 * UNIT);
    fixture_free(f);
}

static void another_coin_or_type_under_an_id_is_another_transfer(void **state)
{
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    assert_int_equal(transfer(f, 1, 5, TRANSFER_PERPS_WITHDRAW, VUSDC, "0.5"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 5, TRANSFER_EVM_WITHDRAW, VUSDC, "0.5"), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(transfer(f, 1, 5, TRANSFER_EVM_WITHDRAW, VBTC, "0.5"), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(transfer(f, 1, 5, TRANSFER_PERPS_WITHDRAW, VUSDC, "0.50"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(perps(f), UNIT / 2);
    fixture_free(f);
}

static void every_uint64_is_an_id(void **state)
{
    struct fixture *f = funded(1000 * UNIT);
    (void)state;

    assert_int_equal(transfer(f, 1, 0, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, UINT64_MAX, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, UINT64_MAX, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 0, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, UINT64_MAX, TRANSFER_EVM_WITHDRAW, VUSDC, "2"), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(evm(f, VUSDC), 2 * UNIT);
    fixture_free(f);
}

static void below_the_smallest_kept_id_nobody_knows(void **state)
{
    struct fixture *f = funded(10000 * UNIT);
    (void)state;

    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    for (uint64_t id = 102; id < 100 + 1023; id++) /* 1022 are kept, 101 is a hole among them */
        assert_int_equal(transfer(f, 1, id, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 4000, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* 1023 */
    assert_int_equal(transfer(f, 1, 50, TRANSFER_EVM_WITHDRAW, VUSDC, "1"),
                     REJECT_NONE); /* fewer than 1024 are kept: any id is new */
    assert_int_equal(transfer(f, 1, 49, TRANSFER_EVM_WITHDRAW, VUSDC, "1"),
                     REJECT_TRANSFER_TOO_OLD); /* 1024 are: it would be the one to go */
    assert_int_equal(result_at(f, 0)->got.digits, 49);
    assert_int_equal(result_at(f, 0)->need.digits, 50);
    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(transfer(f, 1, 5000, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* 50 is dropped */
    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(transfer(f, 1, 5001, TRANSFER_EVM_WITHDRAW, VUSDC, "99999"), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* a failure drops nothing */
    assert_int_equal(transfer(f, 1, 101, TRANSFER_EVM_WITHDRAW, VUSDC, "1"),
                     REJECT_NONE); /* into the gap: 100 is dropped */
    assert_int_equal(event_count(f, EVENT_TRANSFER), 1);
    assert_int_equal(transfer(f, 1, 100, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_TRANSFER_TOO_OLD);
    assert_int_equal(transfer(f, 1, 101, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    engine_verify(f->engine);
    assert_int_equal(evm(f, VUSDC), 1026 * UNIT);
    fixture_free(f);
}

/* Ruling 73: the first id is the account's own, two share the pool; then each new one costs the smallest. */
static void in_a_full_pool_an_account_gives_up_its_own_smallest_id(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.limits.transfers = 2;
    fixture_start(f);
    deposit(f, 1, VUSDC, 100 * UNIT);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 2, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 4, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(engine_counts(f->engine).transfers, 2);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* still known */
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(transfer(f, 1, 0, TRANSFER_EVM_WITHDRAW, VUSDC, "1"),
                     REJECT_TRANSFER_TOO_OLD);                                           /* it would be the one to go */
    assert_int_equal(transfer(f, 1, 3, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* 1 is dropped */
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_TRANSFER_TOO_OLD);
    assert_int_equal(result_at(f, 0)->need.digits, 2);
    assert_int_equal(transfer(f, 1, 2, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(transfer(f, 1, UINT64_MAX, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE); /* 2 is dropped */
    assert_int_equal(transfer(f, 1, 4, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(evm(f, VUSDC), 5 * UNIT);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Only the nonce, the time and the number of the command differ after a rejection. */
static void a_rejected_transfer_leaves_two_engines_the_same(void **state)
{
    struct fixture *f = funded(1000 * UNIT), *g = funded(1000 * UNIT);
    struct hash256  hash_f, hash_g;
    (void)state;

    assert_int_equal(transfer(f, 1, 1, TRANSFER_PERPS_WITHDRAW, VUSDC, "1000.000001"), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(transfer(g, 1, 2, TRANSFER_EVM_WITHDRAW, VBTC, "1.000000001"), REJECT_AMOUNT_DECIMALS);
    hash_f = engine_hash(f->engine), hash_g = engine_hash(g->engine);
    assert_memory_equal(&hash_f, &hash_g, sizeof(hash_f));
    assert_int_equal(transfer(f, 1, 1, TRANSFER_PERPS_WITHDRAW, VUSDC, "1000"), REJECT_NONE);
    assert_int_equal(transfer(g, 1, 1, TRANSFER_EVM_WITHDRAW, VBTC, "1"), REJECT_NONE);
    fixture_free(f);
    fixture_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_moves_money_once),
        cmocka_unit_test(a_transfer_tells_both_sides_under_one_number),
        cmocka_unit_test(the_evm_ledger_goes_by_address_and_coin),
        cmocka_unit_test(what_is_not_offered_is_named),
        cmocka_unit_test(only_what_is_available_leaves),
        cmocka_unit_test(ids_of_the_two_sides_and_of_two_accounts_are_their_own),
        cmocka_unit_test(another_coin_or_type_under_an_id_is_another_transfer),
        cmocka_unit_test(every_uint64_is_an_id),
        cmocka_unit_test(below_the_smallest_kept_id_nobody_knows),
        cmocka_unit_test(in_a_full_pool_an_account_gives_up_its_own_smallest_id),
        cmocka_unit_test(a_rejected_transfer_leaves_two_engines_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
