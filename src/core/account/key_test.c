/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "core/account/key.h"
#include "core/account/ledger.h"

#define DAY INT64_C(86400000)
#define KEY 50 /* addresses of keys: user numbers from here on */

static struct fixture *two_users(void)
{
    struct fixture *f = fixture_make();

    deposit(f, 1, VUSDC, 1000000000);
    deposit(f, 2, VUSDC, 1000000000);
    return f;
}

/* Sends a command of the kind for `account_id`, signed by a key; returns its reject. */
static enum reject try_key(struct fixture *f, uint32_t key, uint32_t key_id, uint64_t account_id, uint16_t kind)
{
    /* clang-format off */
    static const size_t bytes[] = {
        [CMD_PLACE_ORDERS] = PAYLOAD_BYTES(place_orders, 1), [CMD_CANCEL_ORDERS] = PAYLOAD_BYTES(cancel_orders, 1),
        [CMD_REPLACE_ORDERS] = PAYLOAD_BYTES(replace_orders, 1), [CMD_SCHEDULE_CANCEL] = sizeof(struct schedule_cancel),
        [CMD_ADD_KEY] = sizeof(struct add_key), [CMD_REVOKE_KEY] = sizeof(struct revoke_key),
    };
    /* clang-format on */

    fixture_head(f, kind, bytes[kind]);
    if (kind == CMD_CANCEL_ORDERS)
        f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
    if (kind == CMD_PLACE_ORDERS)
        f->room.place_orders.items[0] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.0001", NULL, "k");
    if (kind != CMD_SCHEDULE_CANCEL && kind <= CMD_REPLACE_ORDERS) f->room.place_orders.count = 1;
    f->room.place_orders.account_id = account_id; /* every payload begins with it */
    fixture_sign_key(f, key, key_id);
    fixture_apply(f);
    engine_verify(f->engine);
    return verdict(f);
}

static bool is_refused(const struct fixture *f) { return event_at(f, EVENT_REFUSED, 0) != NULL; }

static void a_key_trades_for_its_owner(void **state)
{
    struct fixture           *f = two_users();
    const struct key_changed *told;
    (void)state;

    assert_int_equal(add_key(f, 1, "bot-1", KEY), REJECT_NONE);
    told = event_at(f, EVENT_KEY, 0);
    assert_int_equal(told->key_id, 1);
    assert_int_equal(told->account_id, 1001);
    assert_int_equal(told->user_id, 1001);
    assert_int_equal(told->revoked, 0);
    assert_int_equal(told->expires_ms, 0);
    assert_memory_equal(told->name.at, "bot-1", 5);
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_PLACE_ORDERS), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1);
    assert_int_equal(((const struct order_changed *)event_at(f, EVENT_ORDER, 0))->account_id, 1001);
    assert_int_equal(((const struct command_began *)event_at(f, EVENT_COMMAND_BEGAN, 0))->account_id, 1001);
    fixture_free(f);
}

static void a_key_is_nothing_without_its_owner_its_number_and_its_address(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    add_key(f, 1, "a", KEY);
    add_key(f, 1, "b", KEY + 1);
    assert_int_equal(try_key(f, KEY, 1, 1002, CMD_PLACE_ORDERS), REJECT_BAD_SIGNATURE);
    assert_int_equal(try_key(f, KEY, 2, 1001, CMD_PLACE_ORDERS), REJECT_UNKNOWN_KEY); /* another key's number */
    assert_int_equal(try_key(f, KEY, 3, 1001, CMD_PLACE_ORDERS), REJECT_UNKNOWN_KEY);
    assert_int_equal(try_key(f, KEY, UINT32_MAX, 1001, CMD_PLACE_ORDERS), REJECT_UNKNOWN_KEY);
    assert_int_equal(try_key(f, KEY, 0, 1001, CMD_PLACE_ORDERS),
                     REJECT_BAD_SIGNATURE); /* as if it were the main wallet */
    assert_int_equal(try_key(f, KEY, 1, 0, CMD_PLACE_ORDERS),
                     REJECT_ACCOUNT_NOT_FOUND); /* a key has no primary account */
    assert_int_equal(try_key(f, KEY + 9, 1, 1001, CMD_PLACE_ORDERS), REJECT_BAD_SIGNATURE);
    assert_int_equal(try_key(f, 1, 1, 1001, CMD_PLACE_ORDERS), REJECT_BAD_SIGNATURE); /* the main wallet is no key */
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_PLACE_ORDERS), REJECT_NONE);
    fixture_free(f);
}

static void only_the_main_wallet_administers_keys(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    add_key(f, 1, "a", KEY);
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_ADD_KEY), REJECT_PERMISSION_DENIED);
    assert_true(is_refused(f));
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_REVOKE_KEY), REJECT_PERMISSION_DENIED);
    fixture_free(f);
}

static void names_are_unique_per_owner_and_well_formed(void **state)
{
    static const char *const bad[] = { "",       "default", "has space",
                                       "ümlaut", "a.b",     "0123456789012345678901234567890123456" };
    static const char *const good[] = { "0", "default1", "Default", "_-_", "012345678901234567890123456789012345" };
    struct fixture          *f = two_users();
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        fixture_add_key(f, "", KEY);
        f->room.add_key.name.len = (uint8_t)strlen(bad[i]);
        memcpy(f->room.add_key.name.at, bad[i], strlen(bad[i]));
        assert_int_equal(fixture_send_wallet(f, 1), REJECT_BAD_KEY_NAME);
    }
    fixture_add_key(f, "x", KEY);
    f->room.add_key.name.len = 255;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_BAD_KEY_NAME);
    for (uint32_t i = 0; i < ARRAY_COUNT(good); i++) assert_int_equal(add_key(f, 1, good[i], KEY + i), REJECT_NONE);
    assert_int_equal(revoke_key(f, 1, "_-_"), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "0", KEY + 9), REJECT_KEY_EXISTS);
    assert_int_equal(result_at(f, 0)->field, FIELD_OF_ROW);
    assert_int_equal(add_key(f, 2, "0", KEY + 9), REJECT_NONE); /* another owner's */
    engine_verify(f->engine);
    fixture_free(f);
}

static void an_address_has_one_owner(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    assert_int_equal(add_key(f, 1, "self", 1), REJECT_KEY_ADDRESS_TAKEN);
    assert_int_equal(result_at(f, 0)->field, FIELD_OF_ROW);
    assert_int_equal(add_key(f, 1, "other", 2), REJECT_KEY_ADDRESS_TAKEN);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "b", KEY), REJECT_KEY_ADDRESS_TAKEN);
    assert_int_equal(add_key(f, 2, "a", KEY), REJECT_KEY_ADDRESS_TAKEN);
    fixture_add_key(f, "z", KEY);
    f->room.add_key.public_key = (struct address){ { 0 } };
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_BAD_PUBLIC_KEY);
    assert_int_equal(key_number(f), 0);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    assert_int_equal(add_key(f, 2, "a", KEY), REJECT_NONE); /* after its owner revoked it */
    assert_int_equal(key_number(f), 2);
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_PLACE_ORDERS), REJECT_UNKNOWN_KEY);
    assert_int_equal(try_key(f, KEY, 2, 1001, CMD_PLACE_ORDERS), REJECT_BAD_SIGNATURE);
    assert_int_equal(try_key(f, KEY, 2, 1002, CMD_PLACE_ORDERS), REJECT_NONE);
    fixture_free(f);
}

static void an_owner_has_five_keys(void **state)
{
    char            name[2] = "a";
    struct fixture *f = two_users();
    (void)state;

    for (uint32_t i = 0; i < 5; i++, name[0]++) assert_int_equal(add_key(f, 1, name, KEY + i), REJECT_NONE);
    assert_int_equal(add_key(f, 1, name, KEY + 5), REJECT_KEY_LIMIT);
    assert_int_equal(result_at(f, 0)->need.digits, 5);
    assert_int_equal(revoke_key(f, 1, "c"), REJECT_NONE);
    assert_int_equal(add_key(f, 1, name, KEY + 5), REJECT_NONE);
    assert_int_equal(key_number(f), 6);
    assert_int_equal(add_key(f, 1, "g", KEY + 6), REJECT_KEY_LIMIT);
    assert_int_equal(open_account(f, 1, 1000), REJECT_NONE); /* none more for another account of the user */
    fixture_add_key(f, "g", KEY + 6);
    f->room.add_key.account_id = 1003;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_KEY_LIMIT);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    fixture_add_key(f, "g", KEY + 6);
    f->room.add_key.account_id = 1003;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_key_is_good_for_every_account_of_its_owner(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    open_account(f, 1, 1000);
    add_key(f, 1, "a", KEY);
    assert_int_equal(try_key(f, KEY, 1, 1003, CMD_CANCEL_ORDERS), REJECT_ORDER_NOT_FOUND);
    assert_false(is_refused(f));
    assert_int_equal(try_key(f, KEY, 1, 1003, CMD_PLACE_ORDERS),
                     REJECT_INSUFFICIENT_BALANCE); /* which has no money yet */
    fixture_free(f);
}

static void a_key_expires_by_engine_time(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    fixture_add_key(f, "old", KEY);
    f->room.add_key.expires_ms = (uint64_t)f->time_ms;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_KEY_EXPIRED);
    assert_int_equal(result_at(f, 0)->field, FIELD_EXPIRES_AT);
    fixture_add_key(f, "far", KEY);
    f->room.add_key.expires_ms = UINT64_C(1) << 63;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_BAD_EXPIRY);
    fixture_add_key(f, "soon", KEY);
    f->room.add_key.expires_ms = (uint64_t)f->time_ms + 1;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NONE);
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_PLACE_ORDERS), REJECT_NONE);
    f->time_ms += 1;
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_CANCEL_ORDERS), REJECT_KEY_EXPIRED);
    assert_true(is_refused(f));
    assert_int_equal(add_key(f, 1, "soon", KEY + 1), REJECT_KEY_EXISTS); /* it counts until it is revoked */
    assert_int_equal(revoke_key(f, 1, "soon"), REJECT_NONE);
    fixture_free(f);
}

static void each_bit_of_the_mask_takes_one_right(void **state)
{
    /* clang-format off */
    static const struct { uint16_t kind; uint8_t right; } trades[] = {
        { CMD_PLACE_ORDERS, RIGHT_TRADE }, { CMD_REPLACE_ORDERS, RIGHT_TRADE },
        { CMD_CANCEL_ORDERS, RIGHT_CANCEL }, { CMD_SCHEDULE_CANCEL, RIGHT_CANCEL },
    };
    /* clang-format on */
    /* clang-format off */
    static const struct { uint8_t type, right; } moves[] = {
        { TRANSFER_EVM_WITHDRAW, RIGHT_WITHDRAW }, { TRANSFER_PERPS_WITHDRAW, RIGHT_TRANSFER },
          { TRANSFER_SPOT_WITHDRAW, RIGHT_TRANSFER },
    };
    /* clang-format on */
    (void)state;

    for (uint64_t mask = 0; mask < 16; mask++) {
        struct fixture *f = two_users();

        fixture_add_key(f, "m", KEY);
        f->room.add_key.permissions = mask;
        assert_int_equal(fixture_send_wallet(f, 1), REJECT_NONE);
        assert_int_equal(((const struct key_changed *)event_at(f, EVENT_KEY, 0))->permissions, mask);
        for (size_t i = 0; i < ARRAY_COUNT(trades); i++) {
            try_key(f, KEY, 1, 1001, trades[i].kind);
            assert_int_equal(verdict(f) == REJECT_PERMISSION_DENIED, (mask & trades[i].right) != 0);
            assert_int_equal(is_refused(f), (mask & trades[i].right) != 0);
        }
        for (size_t i = 0; i < ARRAY_COUNT(moves); i++) {
            fixture_transfer(f, moves[i].type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, 1, moves[i].type,
                             VUSDC, "1");
            f->room.transfer_asset.account_id = 1001;
            fixture_sign_key(f, KEY, 1);
            fixture_apply(f);
            assert_int_equal(verdict(f) == REJECT_PERMISSION_DENIED, (mask & moves[i].right) != 0);
        }
        fixture_free(f);
    }
}

static void what_the_wallet_does_is_not_the_mask_s_business(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    fixture_add_key(f, "m", KEY);
    f->room.add_key.permissions = 16;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_BAD_PERMISSIONS);
    fixture_add_key(f, "m", KEY);
    f->room.add_key.permissions = RIGHT_TRADE | RIGHT_CANCEL | RIGHT_WITHDRAW | RIGHT_TRANSFER;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NONE);
    assert_int_equal(limit(f, 1, SIDE_BUY, "100000", "0.0001", "w")->reject, REJECT_NONE);
    assert_int_equal(transfer(f, 1, 1, TRANSFER_EVM_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    fixture_free(f);
}

static void payloads_that_the_door_would_not_let_in_are_rejected(void **state)
{
    struct fixture *f = two_users();
    (void)state;

    fixture_add_key(f, "a", KEY);
    f->room.add_key.key_type = 2;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_ENUM_RANGE);
    fixture_add_key(f, "a", KEY);
    f->room.add_key.builder_given = 1;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NOT_SUPPORTED);
    fixture_add_key(f, "a", KEY);
    f->room.head.bytes -= 8;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NOT_SUPPORTED);
    assert_true(is_refused(f));
    fixture_add_key(f, "a", KEY);
    f->room.head.market = 3;
    assert_int_equal(fixture_send_wallet(f, 1), REJECT_NOT_SUPPORTED);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_KEY_NOT_FOUND);
    assert_int_equal(revoke_key(f, 1, "default"), REJECT_BAD_KEY_NAME);
    fixture_free(f);
}

/* Signs with a chosen nonce. */
static enum reject try_nonce(struct fixture *f, uint32_t key_id, uint64_t account_id, uint64_t nonce)
{
    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    fixture_sign_key(f, KEY, key_id);
    f->room.head.nonce = nonce;
    f->room.cancel_orders.account_id = account_id;
    f->room.cancel_orders.count = 1;
    f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
    fixture_apply(f);
    engine_verify(f->engine);
    return verdict(f);
}

static void a_used_nonce_stays_used_when_the_key_is_revoked_and_comes_back(void **state)
{
    struct fixture *f = two_users();
    uint64_t        now = (uint64_t)f->time_ms;
    (void)state;

    add_key(f, 1, "a", KEY);
    assert_int_equal(try_nonce(f, 1, 1001, now), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(try_nonce(f, 1, 1001, now + 5), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    assert_int_equal(((const struct key_changed *)event_at(f, EVENT_KEY, 0))->revoked, 1);
    assert_int_equal(try_nonce(f, 1, 1001, now + 9), REJECT_UNKNOWN_KEY);
    assert_int_equal(add_key(f, 1, "again", KEY), REJECT_NONE);
    assert_int_equal(key_number(f), 2);
    assert_int_equal(try_nonce(f, 2, 1001, now), REJECT_BAD_NONCE);
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->nonce_reason, NONCE_USED);
    assert_int_equal(try_nonce(f, 2, 1001, now + 5), REJECT_BAD_NONCE);
    assert_int_equal(try_nonce(f, 2, 1001, now - 1), REJECT_BAD_NONCE); /* below the smallest stored */
    assert_int_equal(((const struct refused *)event_at(f, EVENT_REFUSED, 0))->nonce_reason, NONCE_TOO_SMALL);
    assert_int_equal(try_nonce(f, 2, 1001, now + 9), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(revoke_key(f, 1, "again"), REJECT_NONE);
    assert_int_equal(add_key(f, 2, "theirs", KEY), REJECT_NONE); /* another owner inherits them too */
    assert_int_equal(try_nonce(f, 3, 1002, now + 9), REJECT_BAD_NONCE);
    assert_int_equal(try_nonce(f, 3, 1002, now + 10), REJECT_ORDER_NOT_FOUND);
    fixture_free(f);
}

static void nonces_of_wallet_and_key_are_their_own(void **state)
{
    struct fixture *f = two_users();
    uint64_t        now = (uint64_t)f->time_ms + 50000;
    (void)state;

    add_key(f, 1, "a", KEY);
    add_key(f, 1, "b", KEY + 1);
    limit(f, 1, SIDE_BUY, "100000", "0.0001", "w");
    assert_int_equal(try_nonce(f, 1, 1001, f->room.head.nonce), REJECT_ORDER_NOT_FOUND); /* the wallet's last one */
    assert_int_equal(try_nonce(f, 1, 1001, now), REJECT_ORDER_NOT_FOUND);
    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    fixture_sign_key(f, KEY + 1, 2);
    f->room.head.nonce = now;
    f->room.cancel_orders.account_id = 1001;
    f->room.cancel_orders.count = 1;
    fixture_apply(f);
    assert_false(is_refused(f));
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_key_that_becomes_a_wallet_ends_and_brings_its_nonces(void **state)
{
    struct fixture *f = two_users();
    uint64_t        now = (uint64_t)f->time_ms + 1000;
    (void)state;

    add_key(f, 1, "a", KEY);
    assert_int_equal(try_nonce(f, 1, 1001, now), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(deposit(f, KEY, VUSDC, 1000000), REJECT_NONE);
    assert_int_equal(result_at(f, 0)->order_id, 1003);
    assert_int_equal(((const struct key_changed *)event_at(f, EVENT_KEY, 0))->revoked, 1);
    engine_verify(f->engine);
    assert_int_equal(try_nonce(f, 1, 1001, now + 1), REJECT_UNKNOWN_KEY);
    assert_int_equal(try_nonce(f, 0, 1003, now), REJECT_BAD_NONCE);
    assert_int_equal(try_nonce(f, 0, 1003, now + 1), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_KEY_ADDRESS_TAKEN);
    fixture_free(f);
}

static void a_revoked_key_that_becomes_a_wallet_brings_its_nonces(void **state)
{
    struct fixture *f = two_users();
    uint64_t        now = (uint64_t)f->time_ms + 1000;
    (void)state;

    add_key(f, 1, "a", KEY);
    assert_int_equal(try_nonce(f, 1, 1001, now), REJECT_ORDER_NOT_FOUND);
    revoke_key(f, 1, "a");
    deposit(f, KEY, VUSDC, 1000000);
    assert_int_equal(event_count(f, EVENT_KEY), 0);
    assert_int_equal(try_nonce(f, 0, 1003, now), REJECT_BAD_NONCE);
    assert_int_equal(try_nonce(f, 0, 1003, now + 1), REJECT_ORDER_NOT_FOUND);
    fixture_free(f);
}

static void a_full_pool_gives_away_the_oldest_revoked_key_after_three_days(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.limits.keys = 2;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "b", KEY + 1), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "c", KEY + 2), REJECT_CAPACITY);
    assert_int_equal(try_nonce(f, 1, 1001, (uint64_t)f->time_ms + DAY - 1), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "c", KEY + 2), REJECT_CAPACITY); /* commands that it signed may still be fresh */
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);         /* the same address may return */
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    f->time_ms += 3 * DAY - 1;
    assert_int_equal(add_key(f, 1, "c", KEY + 2), REJECT_CAPACITY);
    f->time_ms += 1;
    assert_int_equal(add_key(f, 1, "c", KEY + 2), REJECT_NONE);
    assert_int_equal(key_number(f), 4);
    assert_int_equal(try_key(f, KEY + 2, 4, 1001, CMD_PLACE_ORDERS), REJECT_NONE);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_CAPACITY);
    engine_verify(f->engine);
    fixture_free(f);
}

/* The simulator's seed 502281: engine_verify took the empty set of such a wallet for damage. */
static void a_key_that_was_given_anothers_sets_becomes_a_wallet_before_it_used_them(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    uint64_t        now;
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.limits.keys = 1;
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    now = (uint64_t)f->time_ms + 1000;
    assert_int_equal(try_nonce(f, 1, 1001, now), REJECT_ORDER_NOT_FOUND);
    assert_int_equal(revoke_key(f, 1, "a"), REJECT_NONE);
    f->time_ms += 3 * DAY;
    assert_int_equal(add_key(f, 1, "b", KEY + 1), REJECT_NONE);
    assert_int_equal(deposit(f, KEY + 1, VUSDC, 1000000), REJECT_NONE);
    engine_verify(f->engine);
    assert_int_equal(result_at(f, 0)->order_id, 1002);
    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    f->room.cancel_orders.account_id = 1002;
    f->room.cancel_orders.count = 1;
    f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = cid("none") };
    fixture_sign(f, KEY + 1);
    fixture_apply(f);
    assert_int_equal(verdict(f), REJECT_ORDER_NOT_FOUND);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Ruling 73: a registered key can sign in every domain; when too few nonce sets are free, it is not registered. */
static void a_key_takes_its_nonce_sets_with_its_place(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.limits.signers = 5; /* three for a key, and two that are none for another */
    fixture_start(f);
    deposit(f, 1, VUSDC, 1000000000);
    deposit(f, 2, VUSDC, 1000000000);
    assert_int_equal(add_key(f, 1, "a", KEY), REJECT_NONE);
    assert_int_equal(add_key(f, 2, "a", KEY + 1), REJECT_CAPACITY);
    assert_int_equal(try_key(f, KEY, 1, 1001, CMD_PLACE_ORDERS), REJECT_NONE);
    assert_int_equal(engine_counts(f->engine).signers, 3);
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_trades_for_its_owner),
        cmocka_unit_test(a_key_is_nothing_without_its_owner_its_number_and_its_address),
        cmocka_unit_test(only_the_main_wallet_administers_keys),
        cmocka_unit_test(names_are_unique_per_owner_and_well_formed),
        cmocka_unit_test(an_address_has_one_owner),
        cmocka_unit_test(an_owner_has_five_keys),
        cmocka_unit_test(a_key_is_good_for_every_account_of_its_owner),
        cmocka_unit_test(a_key_expires_by_engine_time),
        cmocka_unit_test(each_bit_of_the_mask_takes_one_right),
        cmocka_unit_test(what_the_wallet_does_is_not_the_mask_s_business),
        cmocka_unit_test(payloads_that_the_door_would_not_let_in_are_rejected),
        cmocka_unit_test(a_used_nonce_stays_used_when_the_key_is_revoked_and_comes_back),
        cmocka_unit_test(nonces_of_wallet_and_key_are_their_own),
        cmocka_unit_test(a_key_that_becomes_a_wallet_ends_and_brings_its_nonces),
        cmocka_unit_test(a_revoked_key_that_becomes_a_wallet_brings_its_nonces),
        cmocka_unit_test(a_full_pool_gives_away_the_oldest_revoked_key_after_three_days),
        cmocka_unit_test(a_key_that_was_given_anothers_sets_becomes_a_wallet_before_it_used_them),
        cmocka_unit_test(a_key_takes_its_nonce_sets_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
