/* SPDX-License-Identifier: MIT */
/* Folds of user events: keys, sub-accounts, counts, the ledger. */
#include "rigs/views/views_rig.h"

static void emit_key(uint64_t user, uint32_t key_id, const char *name, bool revoked)
{
    struct key_changed *event = EVENT_ADD(&events, KEY, key_changed, 0);

    event->account_id = 1000 + user;
    event->user_id = user;
    event->name = client_id_make(slice_of(name));
    event->key_type = 1;
    event->revoked = revoked;
    event->key_id = key_id;
    event->public_key = address_of((uint8_t)key_id);
    event->expires_ms = 5000;
    event->permissions = 3;
    apply();
}

static void keys_are_found_by_owner_and_name_until_revoked(void **state)
{
    struct view_key key, keys[4];

    (void)state;
    assert_false(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(views_keys(views, 1, keys, 4), 0);
    emit_account(1001, 1, 1, true);
    emit_account(1002, 2, 2, true);
    emit_key(1, 1, "bot", false);
    emit_key(2, 2, "bot", false);
    emit_key(1, 3, "desk", false);
    assert_true(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 1);
    assert_int_equal(key.account_id, 1001);
    assert_int_equal(key.expires_ms, 5000);
    assert_int_equal(key.permissions, 3);
    assert_true(address_equal(&key.public_key, &(struct address){ { 1, 2, 3, [19] = 1 } }));
    assert_true(views_key(views, 2, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 2);
    assert_false(views_key(views, 2, SLICE("desk"), &key));
    assert_false(views_key(views, 1, SLICE("bo"), &key));
    assert_false(views_key(views, 1, SLICE(""), &key));
    assert_false(views_key(views, 1, SLICE("0123456789012345678901234567890123456"), &key));
    assert_int_equal(views_keys(views, 1, keys, 4), 2);
    assert_int_equal(keys[0].key_id, 1);
    assert_int_equal(keys[1].key_id, 3);
    assert_int_equal(views_keys(views, 1, keys, 1), 2); /* cut, but counted */
    assert_int_equal(keys[0].key_id, 1);
    emit_key(1, 1, "bot", true);
    assert_false(views_key(views, 1, SLICE("bot"), &key));
    assert_true(views_key(views, 1, SLICE("desk"), &key));
    emit_key(1, 4, "bot", false); /* the place is taken again */
    assert_true(views_key(views, 1, SLICE("bot"), &key));
    assert_int_equal(key.key_id, 4);
    assert_int_equal(views_keys(views, 1, keys, 4), 2);
    assert_int_equal(views->key_used, 4);
}

/* A reader with a key that stays must find it, however fast others are added and removed. */
static _Atomic bool lookups_end;

static void *look_up(void *self)
{
    struct view_key key;
    uint64_t       *missed = self;

    while (!atomic_load(&lookups_end)) {
        if (!views_key(views, 1, SLICE("stays"), &key) || key.key_id != 1) *missed += 1;
        if (views_key(views, 1, SLICE("comes"), &key) && memcmp(key.name.at, "comes", 5) != 0) *missed += 1;
    }
    return NULL;
}

static void a_key_is_found_while_others_change(void **state)
{
    pthread_t thread;
    uint64_t  missed = 0;

    (void)state;
    emit_account(1001, 1, 1, true);
    emit_key(1, 1, "stays", false);
    atomic_store(&lookups_end, false);
    assert_int_equal(pthread_create(&thread, NULL, look_up, &missed), 0);
    for (uint32_t i = 0; i < 100000; i++) {
        emit_key(1 + i % 2, 2 + i, "comes", false);
        emit_key(1 + i % 2, 2 + i, "comes", true);
    }
    atomic_store(&lookups_end, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(missed, 0);
    assert_int_equal(views_keys(views, 1, NULL, 0), 1);
}

/* ---- views that move while others read (rulings 24, 75) ---- */

#define MOVES 300

static void *look_up_all(void *self)
{
    struct view_account account;
    struct view_key     key;
    struct view_level   bid;
    struct view_book    book;
    struct address      owner = address_of(1);
    uint64_t           *missed = self, id;

    while (!atomic_load(&lookups_end)) {
        *missed += !views_account(views, 1001, &account) || account.user_id != 1;
        *missed += !views_primary_account(views, &owner, &account) || account.account_id != 1001;
        *missed += !views_key(views, 1, SLICE("stays"), &key) || key.key_id != 1;
        *missed += views_accounts(views, 1, &id, 1) != 1 || id != 1001;
        views_book(views, MARKET_SPOT, 1, 1, &bid, &bid, &book);
        *missed += book.bid_count != 1 || bid.price != 100;
    }
    return NULL;
}

/* Larger by one account, one key and one level; the memory of the old arrays is overwritten. */
static void raise_all(struct genesis *room, void **arrays)
{
    void *old = *arrays;

    room->limits.accounts += 1 + room->limits.accounts / 16 % 100;
    room->limits.keys += 1;
    room->limits.levels += 1;
    *arrays = calloc(1, views_size(room));
    assert_ptr_equal(views_move(*arrays, views, room, true), views);
    if (old != NULL) memset(old, 0xA5, 4096);
    free(old);
}

static void nobody_is_missed_while_the_views_move(void **state)
{
    static struct genesis room;
    pthread_t             threads[2];
    uint64_t              missed[2] = { 0, 0 };
    void                 *arrays = NULL;

    (void)state;
    room = genesis;
    emit_account(1001, 1, 1, true);
    emit_key(1, 1, "stays", false);
    emit_level(1, SIDE_BUY, 100, 5, 1);
    apply();
    atomic_store(&lookups_end, false);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, look_up_all, &missed[i]), 0);
    for (uint32_t i = 0; i < MOVES; i++) {
        raise_all(&room, &arrays);
        emit_account(2000 + i, 2000 + i, (uint8_t)(2 + i % 200), true);
        apply();
    }
    atomic_store(&lookups_end, true);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(missed[0] + missed[1], 0);
    free(arrays);
}

/* All contents stay when the views are moved as a whole, including the parts that no limit sizes. */
static void views_that_move_whole_keep_everything(void **state)
{
    struct genesis room = genesis;
    void          *memory;

    (void)state;
    emit_account(1001, 1, 1, true);
    emit_level(1, SIDE_BUY, 100, 5, 1);
    apply();
    views->compositions[1].mark = 77;
    views->prices[0].mark = 78;
    room.limits.accounts *= 3;
    memory = calloc(1, views_size(&room));
    assert_ptr_equal(views_move(memory, views, &room, false), memory);
    views_deinit(views);
    free(views);
    views = memory;
    assert_int_equal(views_composition(views, 2).mark, 77);
    assert_int_equal(views_price(views, 1).mark, 78);
    assert_int_equal(views_accounts(views, 1, NULL, 0), 1);
    assert_int_equal(views_symbol_count(views, MARKET_SPOT), 2);
    views->genesis = &genesis; /* `room` is removed */
}

static void a_user_has_its_accounts_by_ascending_id(void **state)
{
    struct view_account account;
    uint64_t            ids[4] = { 0 };

    (void)state;
    assert_int_equal(views_accounts(views, 7, ids, 4), 0);
    emit_account(1001, 7, 1, true);
    emit_account(1002, 8, 2, true);
    emit_account(1003, 7, 1, false);
    emit_account(1004, 7, 1, false);
    apply();
    assert_int_equal(views_accounts(views, 7, ids, 4), 3);
    assert_int_equal(ids[0], 1001);
    assert_int_equal(ids[1], 1003);
    assert_int_equal(ids[2], 1004);
    ids[1] = 0;
    assert_int_equal(views_accounts(views, 7, ids, 1), 3);
    assert_int_equal(ids[1], 0);
    assert_true(views_primary_account(views, &(struct address){ { 1, 2, 3, [19] = 1 } }, &account));
    assert_int_equal(account.account_id, 1001);
    assert_true(views_account(views, 1004, &account));
    assert_int_equal(account.is_primary, 0);
}

static void emit_began_of(uint16_t kind, uint32_t account)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);

    event->time_ms = 2000;
    event->command_kind = kind;
    event->account_id = account;
    apply();
}

static void what_a_user_did_is_counted_over_its_accounts(void **state)
{
    struct traded     *trade;
    struct view_counts counts;

    (void)state;
    emit_account(1001, 7, 1, true);
    emit_account(1002, 8, 2, true);
    emit_account(1003, 7, 1, false);
    emit_began_of(CMD_PLACE_ORDERS, 1001);
    emit_began_of(CMD_CANCEL_ORDERS, 1003);
    emit_began_of(CMD_CANCEL_PERPS, 1003);
    emit_began_of(CMD_SCHEDULE_CANCEL, 1003);
    emit_began_of(CMD_CANCEL_ORDERS, 0); /* refused */
    emit_began_of(CMD_TICK, 0);
    for (uint32_t symbol = 1; symbol <= 2; symbol++) {
        trade = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
        trade->symbol_id = symbol;
        trade->value = 100;
        trade->buyer_account_id = 1001;
        trade->seller_account_id = symbol == 1 ? 1002 : 1003;
        apply();
    }
    counts = views_counts(views, 7);
    assert_int_equal(counts.transactions, 4);
    assert_int_equal(counts.cancels, 2);
    assert_int_equal(counts.volume, 300);
    counts = views_counts(views, 8);
    assert_int_equal(counts.transactions, 0);
    assert_int_equal(counts.volume, 100);
    genesis.spot[0].quote_coin_id = 2; /* its value in vUSDC is unknown */
    trade = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
    trade->symbol_id = 1;
    trade->value = 100;
    trade->buyer_account_id = trade->seller_account_id = 1002;
    apply();
    assert_int_equal(views_counts(views, 8).volume, 100);
    assert_int_equal(views_counts(views, 9).transactions, 0);
}

static void the_ledger_is_kept_by_address_and_wallets_by_market(void **state)
{
    struct address      owner = address_of(1), other = address_of(2);
    struct view_balance balances[COINS_MAX];
    struct evm_balance *event;
    struct balance     *wallet;

    (void)state;
    emit_account(1001, 7, 1, true);
    event = EVENT_ADD(&events, EVM_BALANCE, evm_balance, 0);
    event->address = owner;
    event->coin_id = 2;
    event->amount = 55;
    wallet = EVENT_ADD(&events, BALANCE, balance, MARKET_PERPS);
    wallet->account_id = 1001;
    wallet->total = -9;
    apply();
    assert_int_equal(views_evm_balance(views, &owner, 2), 55);
    assert_int_equal(views_evm_balance(views, &owner, 1), 0);
    assert_int_equal(views_evm_balance(views, &owner, 3), 0);
    assert_int_equal(views_evm_balance(views, &other, 2), 0);
    assert_int_equal(views_balances(views, MARKET_SPOT, 1001, balances), 0);
    assert_int_equal(views_balances(views, MARKET_PERPS, 1001, balances), 1);
    assert_int_equal(balances[0].total, -9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_are_found_by_owner_and_name_until_revoked),
        TEST(a_key_is_found_while_others_change),
        TEST(nobody_is_missed_while_the_views_move),
        TEST(views_that_move_whole_keep_everything),
        TEST(a_user_has_its_accounts_by_ascending_id),
        TEST(what_a_user_did_is_counted_over_its_accounts),
        TEST(the_ledger_is_kept_by_address_and_wallets_by_market),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
