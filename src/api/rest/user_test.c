/* SPDX-License-Identifier: MIT */
/*
 * user_test.c — reads of the gateway and of perps accounts, the list of API keys, and the replies of writes without
 * items.
 */
#include "rigs/api/test_rig.h"

static const struct address key_address = { { 0x3d, 0x45, [19] = 0x56 } };
#define KEY_HEX "0x3d45000000000000000000000000000000000056"

static void emit_key(uint64_t account, uint64_t user, uint32_t key_id, const char *name, bool revoked)
{
    struct key_changed *event = EVENT_ADD(&rig_events, KEY, key_changed, 0);

    event->account_id = account;
    event->user_id = user;
    event->key_id = key_id;
    event->key_type = 1;
    event->revoked = revoked;
    event->name = client_id_make(slice_of(name));
    event->public_key = key_address;
    event->expires_ms = key_id == 1 ? 0 : NOW + 1000;
    event->permissions = key_id == 1 ? 0 : 12;
    rig_apply();
}

static void emit_subaccount(uint64_t id, uint64_t user, const struct address *owner)
{
    struct account_opened *event = EVENT_ADD(&rig_events, ACCOUNT, account_opened, 0);

    event->account_id = id;
    event->user_id = user;
    event->owner = *owner;
    rig_apply();
}

static void emit_wallet(uint64_t account, int64_t total)
{
    struct balance *event = EVENT_ADD(&rig_events, BALANCE, balance, MARKET_PERPS);

    event->account_id = account;
    event->total = total;
    rig_apply();
}

#define BOT "{\"name\":\"bot\",\"type\":\"EVM\",\"publicKey\":\"" KEY_HEX "\",\"expiresAt\":0,\"permissions\":0}"
#define DESK                                                                                                           \
    "{\"name\":\"desk\",\"type\":\"EVM\",\"publicKey\":\"" KEY_HEX "\",\"expiresAt\":1760000001000,\"permissions\":"   \
    "12}"

static void keys_are_listed_by_account_and_name_on_both_bases(void **state)
{
    static const char *const bases[] = { "spot", "perps" };
    char                     target[128];

    (void)state;
    emit_subaccount(1003, 11, &rig_owner[0]);
    emit_key(1001, 11, 1, "bot", false);
    emit_key(1003, 11, 2, "desk", false);
    for (size_t i = 0; i < ARRAY_COUNT(bases); i++) {
#define GET(path) (snprintf(target, sizeof(target), "/api/v1/%s/accounts/%s", bases[i], path), rig_get(target))
        assert_string_equal(GET("%1/api-keys"), OK_BODY("[" BOT "]"));
        assert_string_equal(GET("%1/api-keys?accountID=1003"), OK_BODY("[" DESK "]"));
        assert_string_equal(GET("%1/api-keys?name=bot"), OK_BODY("[" BOT "]"));
        assert_string_equal(GET("%1/api-keys?name="), OK_BODY("[" BOT "]"));
        assert_string_equal(GET("%1/api-keys?name=desk"), OK_BODY("[]"));
        assert_string_equal(GET("%1/api-keys?name=default"), OK_BODY("[]"));
        assert_string_equal(GET("%2/api-keys"), OK_BODY("[]"));
        assert_string_equal(GET("%3/api-keys"), OK_BODY("[]"));
        GET("%1/api-keys?accountID=1002");
        assert_int_equal(rig_code(), 40403);
        rig_expect("\"field\":\"accountID\",\"got\":\"1002\"");
        GET("%1/api-keys?name=a%20b");
        assert_int_equal(rig_code(), 40001);
        rig_expect("\"field\":\"name\"");
        GET("%1/api-keys?name=bot&name=bot");
        assert_int_equal(rig_code(), 40001);
        GET("0x12/api-keys");
        assert_int_equal(rig_code(), 40001);
        rig_expect("\"field\":\"userAddress\"");
    }
    emit_key(1001, 11, 1, "bot", true);
    assert_string_equal(rig_get("/api/v1/spot/accounts/%1/api-keys"), OK_BODY("[]"));
}

static void the_gateway_lists_all_keys_of_a_user_twice(void **state)
{
    (void)state;
    emit_subaccount(1003, 11, &rig_owner[0]);
    emit_key(1001, 11, 1, "bot", false);
    emit_key(1003, 11, 2, "desk", false);
    assert_string_equal(rig_get("/api/v1/user/%1/api-keys"),
                        OK_BODY("{\"spot\":[" BOT "," DESK "],\"perps\":[" BOT "," DESK "]}"));
    assert_string_equal(rig_get("/api/v1/user/%1/api-keys?name=desk"),
                        OK_BODY("{\"spot\":[" DESK "],\"perps\":[" DESK "]}"));
    assert_string_equal(rig_get("/api/v1/user/%3/api-keys"), OK_BODY("{\"spot\":[],\"perps\":[]}"));
    assert_string_equal(rig_get("/api/v1/user/%1/api-keys?accountID=1001"),
                        OK_BODY("{\"spot\":[" BOT "],\"perps\":[" BOT "]}"));
    assert_string_equal(rig_get("/api/v1/user/%1/api-keys?accountID=1003"),
                        OK_BODY("{\"spot\":[" DESK "],\"perps\":[" DESK "]}"));
    assert_string_equal(rig_get("/api/v1/user/%1/api-keys?accountID=1003&name=bot"),
                        OK_BODY("{\"spot\":[],\"perps\":[]}"));
    rig_get("/api/v1/user/%1/api-keys?accountID=1002");
    assert_int_equal(rig_code(), 40403);
}

static void the_gateway_says_what_time_it_is_and_that_it_is_well(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/api/v1/time"), OK_BODY("{\"serverTime\":" NOW_TEXT "}"));
    assert_string_equal(rig_get("/api/v1/status"), OK_BODY("\"ok\""));
    rig_context.ready = false;
    rig_get("/api/v1/status");
    assert_int_equal(rig_answer.status, 503);
}

static void a_user_is_known_by_its_address(void **state)
{
    char wanted[512];

    (void)state;
    emit_subaccount(1003, 11, &rig_owner[0]);
    assert_string_equal(rig_get("/api/v1/user/%1/status"), OK_BODY("{\"status\":\"Active\",\"userID\":11}"));
    assert_string_equal(rig_get("/api/v1/user/%3/status"), OK_BODY("{\"status\":\"UserNotFound\",\"userID\":0}"));
    snprintf(wanted, sizeof(wanted),
             OK_BODY("{\"userID\":11,\"primaryAccountID\":1001,\"subaccounts\":[{\"id\":1001,\"evmAddress\":\"%s\"},"
                     "{\"id\":1003,\"evmAddress\":\"%s\"}]}"),
             rig_owner_hex(0), rig_owner_hex(0));
    assert_string_equal(rig_get("/api/v1/user/%1/subaccounts"), wanted);
    assert_string_equal(rig_get("/api/v1/user/%3/subaccounts"),
                        OK_BODY("{\"userID\":0,\"primaryAccountID\":0,\"subaccounts\":[]}"));
    rig_get("/api/v1/user/nobody/status");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/user/0x/subaccounts");
    assert_int_equal(rig_code(), 40001);
}

static void perps_have_fees_of_their_own(void **state)
{
    (void)state;
    rig_genesis.perps_fees = rig_genesis.spot_fees;
    rig_genesis.perps_fees.tiers[0] = (struct fee_row){ 0, 12000, 40000 };
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/fee-rate"),
                        OK_BODY("{\"makerFeeRate\":\"0.00012\",\"takerFeeRate\":\"0.0004\",\"feeTier\":0,"
                                "\"stakingTier\":0,\"makerRebateTier\":0}"));
    rig_expect_same("/api/v1/user/%1/fee-rate?market=perps");
    rig_get("/api/v1/spot/accounts/%1/fee-rate");
    rig_expect("\"makerFeeRate\":\"0.00035\"");
    rig_expect_same("/api/v1/user/%1/fee-rate?market=spot");
    rig_expect_same("/api/v1/user/%1/fee-rate");
    rig_get("/api/v1/user/%1/fee-rate?market=spot&symbol=vBTC_vUSDC");
    assert_int_equal(rig_code(), 0);
    rig_get("/api/v1/user/%1/fee-rate?market=perps&symbol=vBTC_vUSDC");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/perps/accounts/%1/fee-rate?symbol=vBTC_vUSDC");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/user/%1/fee-rate?market=futures");
    assert_int_equal(rig_code(), 40001);
    rig_expect("\"field\":\"market\"");
    rig_expect("\"got\":\"futures\"");
}

static void what_a_user_did_is_counted_and_no_quota_holds(void **state)
{
    struct command_began *began;
    struct traded        *trade;

    (void)state;
    for (int i = 0; i < 3; i++) {
        began = EVENT_ADD(&rig_events, COMMAND_BEGAN, command_began, MARKET_SPOT);
        began->time_ms = NOW;
        began->command_kind = i == 0 ? CMD_CANCEL_ORDERS : CMD_PLACE_ORDERS;
        began->account_id = 1001;
    }
    trade = EVENT_ADD(&rig_events, TRADE, traded, MARKET_SPOT);
    trade->symbol_id = 1;
    trade->buyer_account_id = 1001;
    trade->seller_account_id = 1002;
    trade->value = 1500000;
    rig_apply();
    assert_string_equal(
        rig_get("/api/v1/user/%1/ratelimit"),
        OK_BODY("{\"userID\":11,\"cumulativeTxNum\":3,\"cumulativeCancelNum\":1,\"cumulativeVolume\":\"1.5\","
                "\"transactionQuota\":9007199254740991,\"transactionQuotaUsed\":3,\"transactionQuotaRemaining\":"
                "9007199254740988,\"transactionQuotaOverridden\":true,"
                "\"cancelQuota\":9007199254740991,\"cancelQuotaUsed\":1,\"cancelQuotaRemaining\":9007199254740990}"));
    rig_get("/api/v1/user/%2/ratelimit");
    rig_expect("\"userID\":12,\"cumulativeTxNum\":0,\"cumulativeCancelNum\":0,\"cumulativeVolume\":\"1.5\"");
    rig_get("/api/v1/user/%3/ratelimit");
    rig_expect("\"userID\":0,\"cumulativeTxNum\":0,\"cumulativeCancelNum\":0,\"cumulativeVolume\":\"0\"");
}

#define BLOCK_KEYS "\"blockTime\":1759999999000,\"blockHeight\":0"

static void a_perps_wallet_is_free_in_full_without_positions(void **state)
{
    char wanted[1024];

    (void)state;
    emit_wallet(1001, 1234500000);
    assert_string_equal(
        rig_get("/api/v1/perps/accounts/%1/balances"),
        OK_BODY("{" BLOCK_KEYS
                ",\"balances\":[{\"id\":0,\"coin\":\"vUSDC\",\"total\":\"1234.5\",\"collateral\":\"1234.5\","
                "\"marginRatio\":\"1\",\"price\":\"1\",\"locked\":\"0\"}]}"));
    snprintf(
        wanted, sizeof(wanted),
        OK_BODY(
            "{\"user\":\"%s\",\"aid\":1001,\"uid\":11,\"av\":\"1234.5\",\"mm\":\"0\",\"mmr\":\"0\",\"am\":\"1234.5\","
            "\"ami\":\"1234.5\",\"amw\":\"1234.5\",\"im\":\"0\",\"cm\":\"0\",\"oim\":\"0\",\"ocm\":\"0\",\"B\":[{\"i\":"
            "0,\"a\":\"vUSDC\",\"wb\":\"1234.5\","
            "\"co\":\"1234.5\",\"mr\":\"1\",\"px\":\"1\",\"iw\":\"0\",\"aw\":\"1234.5\",\"at\":\"1234.5\",\"ww\":"
            "\"1234.5\",\"wm\":\"1234.5\",\"am\":\"1234.5\"}],"
            "\"O\":[],\"P\":[],\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"CROSS\"},{\"s\":\"ETH-USD\",\"l\":10,\"m\":"
            "\"CROSS\"}],\"TO\":[]," BLOCK_KEYS "}"),
        rig_owner_hex(0));
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/state"), wanted);
    rig_get("/api/v1/spot/accounts/%1/balances");
    rig_expect("\"balances\":[]"); /* the sides are apart */
}

static void an_account_that_never_chose_has_the_initial_leverage(void **state)
{
    (void)state;
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"CROSS\"},{\"s\":\"ETH-USD\",\"l\":10,\"m\":\"CROSS\"}]");
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"S\":[]");
}

static void a_perps_wallet_below_zero_has_nothing_to_give(void **state)
{
    (void)state;
    emit_wallet(1001, -5);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"-0.000005\"");
    rig_expect("\"am\":\"0\",\"ami\":\"0\",\"amw\":\"0\"");
    rig_expect("\"wb\":\"-0.000005\"");
    rig_expect("\"at\":\"0\",\"ww\":\"0\"");
}

static void perps_reads_take_sub_accounts_and_unknown_addresses(void **state)
{
    (void)state;
    emit_subaccount(1003, 11, &rig_owner[0]);
    emit_wallet(1003, 7000000);
    rig_get("/api/v1/perps/accounts/%1/state?accountID=1003");
    rig_expect("\"aid\":1003,\"uid\":11,\"av\":\"7\"");
    rig_get("/api/v1/perps/accounts/%1/balances?accountID=0");
    rig_expect("\"balances\":[]");
    rig_get("/api/v1/perps/accounts/%1/balances?accountID=1002");
    assert_int_equal(rig_code(), 40403);
    rig_get("/api/v1/perps/accounts/%1/state?accountID=x");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"aid\":0,\"uid\":0,\"av\":\"0\"");
    rig_expect("\"B\":[],\"O\":[],\"P\":[],\"S\":[],\"TO\":[]");
    rig_get("/api/v1/perps/accounts/%3/balances");
    rig_expect("\"balances\":[]");
}

static void perps_coins_say_what_counts_as_collateral(void **state)
{
    (void)state;
    assert_string_equal(rig_get("/api/v1/perps/markets/coins"),
                        OK_BODY("[{\"id\":0,\"name\":\"vUSDC\",\"precision\":6,\"marginRatio\":\"1\",\"price\":\"1\"},"
                                "{\"id\":1,\"name\":\"vBTC\",\"precision\":8,\"marginRatio\":\"0\"},{\"id\":2,\"name\":"
                                "\"vETH\",\"precision\":8,\"marginRatio\":\"0\"}]"));
    assert_string_equal(
        rig_get("/api/v1/perps/markets/coins?coin=vUSDC"),
        OK_BODY("[{\"id\":0,\"name\":\"vUSDC\",\"precision\":6,\"marginRatio\":\"1\",\"price\":\"1\"}]"));
    rig_get("/api/v1/perps/markets/coins?coin=DOGE");
    assert_int_equal(rig_code(), 40404);
    rig_expect("\"got\":\"DOGE\"");
}

static void spot_reads_take_sub_accounts_too(void **state)
{
    (void)state;
    emit_subaccount(1003, 11, &rig_owner[0]);
    rig_balance(1003, 1, 5, 0);
    rig_get("/api/v1/spot/accounts/%1/state?accountID=1003");
    rig_expect("\"aid\":1003,\"uid\":11,\"B\":[{\"i\":1,\"a\":\"vBTC\",\"t\":\"0.00000005\",\"l\":\"0\"}]");
    rig_get("/api/v1/spot/accounts/%1/balances");
    rig_expect("\"balances\":[]");
    rig_get("/api/v1/spot/accounts/%2/state?accountID=1003");
    assert_int_equal(rig_code(), 40403);
}

/* ---- replies ---- */

static const struct endpoint *row_of(const char *name)
{
    for (uint32_t i = 0; i < endpoint_count; i++)
        if (strcmp(endpoints[i].name, name) == 0) return &endpoints[i];
    fail_msg("no row %s", name);
    return NULL;
}

static const char *reply(const char *row, const struct result *told)
{
    static struct api_result result;
    struct out               out = out_make(rig_body, sizeof(rig_body) - 1);
    struct result           *event;

    memset(&result, 0, sizeof(result));
    rig_events.len = 0;
    event = EVENT_ADD(&rig_events, RESULT, result, 0);
    event->reject = told->reject;
    event->field = told->field;
    event->said = told->said;
    event->order_id = told->order_id;
    event->got = told->got;
    event->need = told->need;
    result.events = rig_events;
    result.is_transaction = true;
    api_reply(rig_api, &rig_context, row_of(row), &result, &rig_answer, &out);
    rig_body[out.len] = '\0';
    return rig_body;
}

static void writes_without_items_answer_with_their_envelope(void **state)
{
    (void)state;
    assert_string_equal(reply("POST /accounts/transfers", &(struct result){ .order_id = 1760000000000 }),
                        OK_BODY("{\"id\":1760000000000}"));
    assert_string_equal(reply("POST /accounts/transfers", &(struct result){ .order_id = 0 }), OK_BODY("{\"id\":0}"));
    assert_string_equal(reply("POST /accounts/api-keys", &(struct result){ 0 }),
                        "{\"code\":0,\"timestamp\":" NOW_TEXT "}");
    reply("POST /accounts/transfers", &(struct result){ .reject = REJECT_INSUFFICIENT_BALANCE,
                                                        .field = FIELD_AMOUNT,
                                                        .said = SAID_GOT | SAID_NEED,
                                                        .got = decimal_make(5, 0),
                                                        .need = decimal_make(7, 0) });
    assert_int_equal(rig_code(), 42001);
    rig_expect("\"field\":\"amount\",\"got\":\"5\",\"need\":\"7\"");
    reply("DELETE /accounts/api-keys", &(struct result){ .reject = REJECT_KEY_NOT_FOUND });
    assert_int_equal(rig_code(), 40405);
    rig_expect("\"field\":\"name\"");
    rig_expect_not("\"data\"");
}

static void every_write_that_gives_a_record_gives_a_list_or_what_it_did(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < endpoint_count; i++) {
        if (endpoints[i].command == 0 || endpoints[i].gives == NULL) continue;
        assert_true(endpoints[i].gives_list || endpoints[i].gives == &transfer_shape
                    || endpoints[i].gives == &leverage_shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_are_listed_by_account_and_name_on_both_bases),
        TEST(the_gateway_lists_all_keys_of_a_user_twice),
        TEST(the_gateway_says_what_time_it_is_and_that_it_is_well),
        TEST(a_user_is_known_by_its_address),
        TEST(perps_have_fees_of_their_own),
        TEST(what_a_user_did_is_counted_and_no_quota_holds),
        TEST(a_perps_wallet_is_free_in_full_without_positions),
        TEST(an_account_that_never_chose_has_the_initial_leverage),
        TEST(a_perps_wallet_below_zero_has_nothing_to_give),
        TEST(perps_reads_take_sub_accounts_and_unknown_addresses),
        TEST(perps_coins_say_what_counts_as_collateral),
        TEST(spot_reads_take_sub_accounts_too),
        TEST(writes_without_items_answer_with_their_envelope),
        TEST(every_write_that_gives_a_record_gives_a_list_or_what_it_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
