/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account/fees.h"
#include "rigs/core/fixture.h"
#include "core/account/ledger.h"
#include "core/engine/operator.h"
#include "rules/fee.h"

#define DAY INT64_C(86400000)

static enum reject deposit_to(struct fixture *f, uint32_t who, uint8_t engine, uint32_t coin_id, int64_t amount,
                              uint64_t id)
{
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){
        .address = user(who), .coin_id = coin_id, .amount = amount, .engine = engine, .id = operator_id(id)
    };
    return apply_operator(f);
}

static void a_deposit_goes_to_the_side_that_it_names(void **state)
{
    struct fixture           *f = fixture_make();
    const struct transferred *told;
    const struct balance     *balance;
    (void)state;

    assert_int_equal(deposit_to(f, 1, MARKET_PERPS, VUSDC, 500, 1), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1001);
    balance = event_at(f, EVENT_BALANCE, 0), told = event_at(f, EVENT_TRANSFER, 0);
    assert_int_equal(balance->head.market, MARKET_PERPS);
    assert_int_equal(balance->total, 500);
    assert_int_equal(told->type, TRANSFER_EVM_DEPOSIT);
    assert_int_equal(told->head.market, MARKET_PERPS);
    assert_int_equal(told->account_id, 1001);
    assert_int_equal(told->transfer_id, 0);
    assert_int_equal(ledger_wallet(f->engine, SLOT_USERS), 500);
    assert_int_equal(ledger_bucket(f->engine, SLOT_USERS, VUSDC)->available, 0);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VBTC, 7, 2), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_BALANCE), 1);
    assert_int_equal(event_count(f, EVENT_ACCOUNT), 0);
    assert_int_equal(deposit_to(f, 1, MARKET_PERPS, VBTC, 7, 3), REJECT_NOT_SUPPORTED);
    assert_int_equal(result_at(f, 0)->field, FIELD_COIN_ID);
    assert_int_equal(deposit_to(f, 1, 0, VUSDC, 7, 3), REJECT_ENUM_RANGE);
    assert_int_equal(deposit_to(f, 1, 3, VUSDC, 7, 3), REJECT_ENUM_RANGE);
    assert_int_equal(result_at(f, 0)->field, FIELD_ENGINE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void one_supply_counts_both_sides(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    assert_int_equal(deposit_to(f, 1, MARKET_PERPS, VUSDC, AMOUNT_MAX - 5, 1), REJECT_NONE);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 6, 2), REJECT_SUPPLY_LIMIT);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 5, 2), REJECT_NONE);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "0.000005"), REJECT_NONE);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 1, 3), REJECT_SUPPLY_LIMIT); /* still inside */
    assert_int_equal(redeem(f, 1, VUSDC, 3, 4), REJECT_NONE);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 4, 3), REJECT_SUPPLY_LIMIT);
    assert_int_equal(deposit_to(f, 1, MARKET_PERPS, VUSDC, 3, 3), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_redemption_burns_what_the_evm_ledger_has(void **state)
{
    struct fixture           *f = fixture_make();
    const struct transferred *told;
    (void)state;

    deposit(f, 1, VBTC, 100);
    assert_int_equal(redeem(f, 1, VBTC, 1, 50), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VBTC, "0.0000006"), REJECT_NONE);
    assert_int_equal(redeem(f, 1, VBTC, 61, 50), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(result_at(f, 0)->field, FIELD_AMOUNT);
    assert_int_equal(redeem(f, 1, VBTC, 0, 50), REJECT_NOT_POSITIVE);
    assert_int_equal(redeem(f, 1, VBTC, -1, 50), REJECT_NOT_POSITIVE);
    assert_int_equal(redeem(f, 1, 3, 1, 50), REJECT_COIN_NOT_FOUND);
    assert_int_equal(redeem(f, 9, VBTC, 1, 50), REJECT_ACCOUNT_NOT_FOUND);
    assert_int_equal(redeem(f, 1, VBTC, 60, 50), REJECT_NONE); /* none of these used the id */
    told = event_at(f, EVENT_TRANSFER, 0);
    assert_int_equal(told->type, TRANSFER_REDEEM);
    assert_int_equal(told->account_id, 0);
    assert_true(address_equal(&told->address, &(struct address[]){ user(1) }[0]));
    assert_int_equal(((const struct evm_balance *)event_at(f, EVENT_EVM_BALANCE, 0))->amount, 0);
    assert_int_equal(ledger_supply(f->engine, VBTC), 40);
    assert_int_equal(redeem(f, 1, VBTC, 60, 50), REJECT_NONE); /* the same again */
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(ledger_supply(f->engine, VBTC), 40);
    engine_verify(f->engine);
    fixture_free(f);
}

static void an_id_with_another_content_is_a_conflict_whatever_the_kind(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 1), REJECT_NONE);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 1), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1001);
    assert_int_equal(event_count(f, EVENT_TRANSFER), 0);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 101, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(deposit_to(f, 1, MARKET_PERPS, VUSDC, 100, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VBTC, 100, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(deposit_to(f, 2, MARKET_SPOT, VUSDC, 100, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(redeem(f, 1, VUSDC, 100, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(open_account(f, 1, 1), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(engine_counts(f->engine).accounts, 1);
    assert_int_equal(ledger_supply(f->engine, VUSDC), 100);
    fixture_free(f);
}

static void a_sub_account_belongs_to_its_user(void **state)
{
    struct fixture              *f = fixture_make();
    const struct account_opened *told;
    struct new_order             order = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, "c1");
    (void)state;

    assert_int_equal(open_account(f, 1, 90), REJECT_ACCOUNT_NOT_FOUND);
    deposit(f, 1, VUSDC, 200000000);
    deposit(f, 2, VUSDC, 200000000);
    assert_int_equal(open_account(f, 1, 90), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1003);
    told = event_at(f, EVENT_ACCOUNT, 0);
    assert_int_equal(told->account_id, 1003);
    assert_int_equal(told->user_id, 1001);
    assert_int_equal(told->is_primary, 0);
    assert_int_equal(open_account(f, 1, 90), REJECT_NONE); /* once */
    assert_int_equal(result_at(f, 0)->order_id, 1003);
    assert_int_equal(event_count(f, EVENT_ACCOUNT), 0);
    assert_int_equal(open_account(f, 1, 91), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1004);
    deposit(f, 1, VUSDC, 100000000); /* is credited to the primary account */
    assert_int_equal(ledger_bucket(f->engine, SLOT_USERS, VUSDC)->available, 300000000);

    for (uint32_t who = 1; who <= 2; who++) { /* its own wallet, and another's */
        fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
        fixture_sign(f, who);
        f->room.place_orders.account_id = 1003;
        f->room.place_orders.count = 1;
        f->room.place_orders.items[0] = order;
        fixture_apply(f);
        assert_int_equal(verdict(f), who == 1 ? REJECT_INSUFFICIENT_BALANCE : REJECT_BAD_SIGNATURE);
    }
    engine_verify(f->engine);
    fixture_free(f);
}

/* One set of nonces per address, whatever the account: otherwise a request could be sent again for the other one. */
static void accounts_of_a_user_share_the_nonces_of_its_wallet(void **state)
{
    struct fixture *f = fixture_make();
    uint64_t        nonce = (uint64_t)FIXTURE_TIME + 77;
    (void)state;

    deposit(f, 1, VUSDC, 200000000);
    open_account(f, 1, 90);
    for (uint64_t account_id = 1001; account_id <= 1002; account_id++) {
        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
        fixture_sign(f, 1);
        f->room.head.nonce = nonce;
        f->room.cancel_orders.account_id = account_id;
        f->room.cancel_orders.count = 1;
        f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
        fixture_apply(f);
        assert_int_equal(verdict(f), account_id == 1001 ? REJECT_ORDER_NOT_FOUND : REJECT_BAD_NONCE);
    }
    engine_verify(f->engine);
    fixture_free(f);
}

static enum reject deposit_to_account(struct fixture *f, uint32_t who, uint32_t account_id, uint64_t id)
{
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){
        .address = user(who), .amount = 2000000, .engine = MARKET_SPOT, .account_id = account_id, .id = operator_id(id)
    };
    return apply_operator(f);
}

static void a_deposit_can_name_the_account(void **state)
{
    static const uint32_t strangers[] = { 1, 2, 999, 1000, 1002, 1004, UINT32_MAX };
    struct fixture       *f = fixture_make();
    (void)state;

    assert_int_equal(deposit_to_account(f, 1, 1001, 90), REJECT_ACCOUNT_NOT_FOUND); /* nothing to name yet */
    assert_int_equal(engine_counts(f->engine).accounts, 0);
    deposit(f, 1, VUSDC, 5000000);
    deposit(f, 2, VUSDC, 5000000);
    open_account(f, 1, 91);
    for (size_t i = 0; i < ARRAY_COUNT(strangers); i++)
        assert_int_equal(deposit_to_account(f, 1, strangers[i], 90), REJECT_ACCOUNT_NOT_FOUND);
    assert_int_equal(deposit_to_account(f, 1, 1003, 90), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1003);
    assert_int_equal(ledger_bucket(f->engine, SLOT_USERS + 2, VUSDC)->available, 2000000);
    assert_int_equal(deposit_to_account(f, 1, 1001, 92), REJECT_NONE);
    assert_int_equal(ledger_bucket(f->engine, SLOT_USERS, VUSDC)->available, 7000000);
    engine_verify(f->engine);
    fixture_free(f);
}

static void the_evm_ledger_of_a_sub_account_is_its_owner_s(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    deposit(f, 1, VUSDC, 5000000);
    open_account(f, 1, 90);
    deposit_to_account(f, 1, 1002, 91);
    fixture_transfer(f, MARKET_SPOT, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "1.5");
    f->room.transfer_asset.account_id = 1002;
    fixture_sign(f, 1);
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_NONE);
    assert_int_equal(ledger_evm(f->engine, SLOT_USERS, VUSDC), 1500000);
    assert_int_equal(redeem(f, 1, VUSDC, 1500000, 92), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void full_pools_say_capacity(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.limits.accounts = 2;
    f->genesis.limits.deposits = 3;
    fixture_start(f);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 1), REJECT_NONE);
    assert_int_equal(open_account(f, 1, 2), REJECT_NONE);
    assert_int_equal(open_account(f, 1, 3), REJECT_CAPACITY); /* no account is free */
    assert_int_equal(deposit_to(f, 2, MARKET_SPOT, VUSDC, 100, 3), REJECT_CAPACITY);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 3), REJECT_NONE);
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 4), REJECT_CAPACITY); /* no id is free */
    assert_int_equal(deposit_to(f, 1, MARKET_SPOT, VUSDC, 100, 1), REJECT_NONE);     /* known ids are known */
    assert_int_equal(ledger_supply(f->engine, VUSDC), 200);
    engine_verify(f->engine);
    fixture_free(f);
}

static struct fixture *development(uint32_t on)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.development = on;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    return f;
}

static void time_runs_ahead_in_development_only_and_never_less(void **state)
{
    struct fixture *f = development(0);
    (void)state;

    assert_int_equal(advance_time(f, 1000), REJECT_MODE_FORBIDS);
    assert_int_equal(engine_time_offset_ms(f->engine), 0);
    fixture_free(f);
    f = development(1);
    assert_int_equal(advance_time(f, 1000), REJECT_NONE);
    assert_int_equal(((const struct time_advanced *)event_at(f, EVENT_TIME, 0))->offset_ms, 1000);
    assert_int_equal(advance_time(f, 999), REJECT_OFFSET_SHRINKS);
    assert_int_equal(advance_time(f, -1), REJECT_OFFSET_SHRINKS);
    assert_int_equal(advance_time(f, INT64_MIN), REJECT_OFFSET_SHRINKS);
    assert_int_equal(advance_time(f, INT64_MAX), REJECT_NUMBER_RANGE);
    assert_int_equal(engine_time_offset_ms(f->engine), 1000);
    assert_int_equal(advance_time(f, 1000), REJECT_NONE);
    assert_int_equal(advance_time(f, 1001), REJECT_NONE);
    assert_int_equal(engine_time_offset_ms(f->engine), 1001);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Ruling 44: clients that sign with their wall clock can trade after a jump of months. */
static void the_nonce_window_goes_by_the_clock_under_time_travel(void **state)
{
    /* clang-format off */
    static const struct { int64_t from_clock; enum nonce_reason reason; } rows[] = {
        { -2 * DAY, NONCE_TOO_OLD }, { -2 * DAY + 1, NONCE_OK }, { DAY, NONCE_TOO_FAR_AHEAD }, { DAY - 1, NONCE_OK },
        { 100 * DAY, NONCE_TOO_FAR_AHEAD },
    };
    /* clang-format on */
    struct fixture *f = development(1);
    int64_t         clock_ms = f->time_ms;
    (void)state;

    assert_int_equal(advance_time(f, 100 * DAY), REJECT_NONE);
    tick(f, clock_ms + 100 * DAY);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct refused *refused;

        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
        fixture_sign(f, 1);
        f->room.head.nonce = (uint64_t)(clock_ms + rows[i].from_clock);
        f->room.cancel_orders.count = 1;
        f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
        fixture_apply(f);
        refused = event_at(f, EVENT_REFUSED, 0);
        assert_int_equal(refused == NULL ? NONCE_OK : refused->nonce_reason, rows[i].reason);
    }
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel)); /* schedules go by engine time */
    fixture_sign(f, 1);
    f->room.head.nonce = (uint64_t)clock_ms + 1;
    f->room.schedule_cancel.scheduled_ms = (struct optional_u64){ (uint64_t)f->time_ms + 4999, 1 };
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_SCHEDULE_TOO_SOON);
    fixture_free(f);
}

static void an_offset_beyond_the_time_itself_leaves_a_window_from_zero(void **state)
{
    struct fixture *f = development(1);
    (void)state;

    assert_int_equal(advance_time(f, f->time_ms + 5 * DAY), REJECT_NONE); /* before time has followed */
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    fixture_sign(f, 1);
    f->room.head.nonce = (uint64_t)DAY - 1;
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_NONE);
    fixture_free(f);
}

static enum reject set_staking(struct fixture *f, uint32_t who, uint32_t tier, uint64_t id)
{
    fixture_head(f, CMD_SET_STAKING, sizeof(struct set_staking));
    f->room.set_staking = (struct set_staking){ .owner = user(who), .tier = tier, .id = operator_id(id) };
    return apply_operator(f);
}

static int64_t taker_rate(const struct fixture *f, uint32_t slot)
{
    return fees_taker_rate(f->engine, &f->engine->markets[0], slot);
}

static void a_staking_tier_is_of_all_accounts_of_the_user(void **state)
{
    struct fixture        *f = fixture_make();
    const struct fee_tier *told;
    int64_t                full;
    (void)state;

    assert_int_equal(set_staking(f, 1, 2, 50), REJECT_ACCOUNT_NOT_FOUND);
    deposit_to(f, 1, MARKET_SPOT, VUSDC, 500, 1);
    deposit_to(f, 2, MARKET_SPOT, VUSDC, 500, 2);
    open_account(f, 1, 3);
    full = taker_rate(f, SLOT_USERS);
    assert_int_equal(set_staking(f, 1, 2, 50), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1001);
    told = event_at(f, EVENT_FEE_TIER, 0);
    assert_int_equal(event_count(f, EVENT_FEE_TIER), 1); /* no perps here */
    assert_int_equal(told->user_id, 1001);
    assert_int_equal(told->head.market, MARKET_SPOT);
    assert_int_equal(told->staking, 2);
    open_account(f, 1, 4);
    assert_int_equal(taker_rate(f, SLOT_USERS), fee_effective(full, 10000000, 0));
    assert_int_equal(taker_rate(f, SLOT_USERS + 1), full);
    assert_int_equal(taker_rate(f, SLOT_USERS + 2), fee_effective(full, 10000000, 0));
    assert_int_equal(taker_rate(f, SLOT_USERS + 3), fee_effective(full, 10000000, 0));
    assert_int_equal(set_staking(f, 1, 0, 51), REJECT_NONE);
    assert_int_equal(taker_rate(f, SLOT_USERS + 3), full);
    assert_int_equal(set_staking(f, 1, 2, 50), REJECT_NONE); /* repeated: no effect */
    assert_int_equal(result_at(f, 0)->order_id, 1001);
    assert_int_equal(taker_rate(f, SLOT_USERS), full);
    assert_int_equal(set_staking(f, 1, 1, 50), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(set_staking(f, 1, 0, 52), REJECT_NONE); /* unchanged: an id is used, no event */
    assert_int_equal(event_count(f, EVENT_FEE_TIER), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_staking_tier_ends_where_the_longer_table_ends(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.spot_fees.staking_count = 3;
    fixture_start(f);
    deposit_to(f, 1, MARKET_SPOT, VUSDC, 500, 1);
    assert_int_equal(set_staking(f, 1, 2, 50), REJECT_NONE);
    assert_int_equal(set_staking(f, 1, 3, 51), REJECT_NUMBER_RANGE);
    assert_int_equal(result_at(f, 0)->field, FIELD_TIER);
    assert_int_equal(result_at(f, 0)->got.digits, 3);
    assert_int_equal(result_at(f, 0)->need.digits, 2);
    assert_int_equal(set_staking(f, 1, UINT32_MAX, 51), REJECT_NUMBER_RANGE);
    assert_int_equal(set_staking(f, 1, 1, 51), REJECT_NONE); /* a refused command has not used its id */
    fixture_free(f);
}

static void commands_that_are_too_short_are_rejected(void **state)
{
    static const uint16_t kinds[] = { CMD_DEPOSIT,      CMD_REDEEM,      CMD_OPEN_ACCOUNT,
                                      CMD_ADVANCE_TIME, CMD_SET_STAKING, CMD_SET_MODE };
    struct fixture       *f = fixture_make();
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        fixture_head(f, kinds[i], 0);
        assert_int_equal(apply_operator(f), REJECT_NOT_SUPPORTED);
    }
    fixture_free(f);
}

static void genesis_accounts_open_with_money_on_both_sides(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.account_count = 1;
    f->genesis.accounts[0] = (struct genesis_account){ .owner = user(1), .spot_count = 1, .spot = { 70 }, .perps = 30 };
    fixture_start(f);
    assert_int_equal(event_count(f, EVENT_BALANCE), 2);
    assert_int_equal(ledger_wallet(f->engine, SLOT_USERS), 30);
    assert_int_equal(ledger_supply(f->engine, VUSDC), 100);
    engine_verify(f->engine);
    f->genesis.accounts[0].perps = AMOUNT_MAX - 70;
    assert_null(genesis_check(&f->genesis));
    f->genesis.accounts[0].perps = AMOUNT_MAX - 69;
    assert_non_null(genesis_check(&f->genesis));
    f->genesis.accounts[0].perps = -1;
    assert_non_null(genesis_check(&f->genesis));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deposit_goes_to_the_side_that_it_names),
        cmocka_unit_test(one_supply_counts_both_sides),
        cmocka_unit_test(a_redemption_burns_what_the_evm_ledger_has),
        cmocka_unit_test(an_id_with_another_content_is_a_conflict_whatever_the_kind),
        cmocka_unit_test(a_sub_account_belongs_to_its_user),
        cmocka_unit_test(accounts_of_a_user_share_the_nonces_of_its_wallet),
        cmocka_unit_test(a_deposit_can_name_the_account),
        cmocka_unit_test(the_evm_ledger_of_a_sub_account_is_its_owner_s),
        cmocka_unit_test(full_pools_say_capacity),
        cmocka_unit_test(time_runs_ahead_in_development_only_and_never_less),
        cmocka_unit_test(the_nonce_window_goes_by_the_clock_under_time_travel),
        cmocka_unit_test(an_offset_beyond_the_time_itself_leaves_a_window_from_zero),
        cmocka_unit_test(a_staking_tier_is_of_all_accounts_of_the_user),
        cmocka_unit_test(a_staking_tier_ends_where_the_longer_table_ends),
        cmocka_unit_test(commands_that_are_too_short_are_rejected),
        cmocka_unit_test(genesis_accounts_open_with_money_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
