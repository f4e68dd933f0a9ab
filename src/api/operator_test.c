/* SPDX-License-Identifier: MIT */
/* What the house asks for: lines of the administration socket, and the development methods of /rpc. */
#include "api/operator.h"

#include "api/rpc.h"
#include "api/test_rig.h"

#define WHO "0x7777777777777777777777777777777777777777"
#define DEPOSIT(amount) "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"" amount "\"}}"

static enum api_outcome ask(const char *line)
{
    struct out       out = out_make(rig_body, API_OPERATOR_BYTES - 1);
    enum api_outcome outcome = api_operator(rig_api, &rig_context, slice_of(line), &rig_write, &out);

    assert_false(out.overflow);
    rig_body[out.len] = '\0';
    return outcome;
}

static void expect_refused(const char *line, int code, const char *part)
{
    assert_int_equal(ask(line), API_ANSWER);
    assert_int_equal(rig_code(), code);
    rig_expect(part);
}

static void a_deposit_becomes_a_command_with_its_json(void **state)
{
    const struct hash256  id = keccak256("d-1", 3);
    const struct deposit *deposit = &rig_write.room.deposit;

    (void)state;
    assert_int_equal(ask("  {\"type\" : \"deposit\",\t\"params\":{\"coin\":\"vUSDC\",\"amount\":\"12.50\",\"engine\":\"perps\",\"id\":\"d-1\",\"address\":\"" WHO "\"} } "), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_DEPOSIT);
    assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + sizeof(struct deposit));
    assert_int_equal(rig_write.room.head.domain, 0);
    assert_int_equal(deposit->amount, 12500000);
    assert_int_equal(deposit->coin_id, 0);
    assert_int_equal(deposit->engine, MARKET_PERPS);
    assert_int_equal(deposit->address.bytes[0], 0x77);
    assert_memory_equal(deposit->id.bytes, id.bytes, 16);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO
                         "\",\"engine\":\"perps\",\"coin\":\"vUSDC\",\"amount\":\"12.5\"}}"));
    assert_int_equal(rig_write.leap, LEAP_NONE);
    assert_false(rig_write.alone);
}

static void the_bytes_in_the_log_say_the_same_command_again(void **state)
{
    static struct command_room again;
    char                       bytes[512];

    (void)state;
    assert_int_equal(ask(DEPOSIT("7")), API_COMMAND);
    memcpy(bytes, rig_write.signed_bytes.at, rig_write.signed_bytes.len);
    assert_true(api_operator_read(&rig_genesis, slice_make(bytes, rig_write.signed_bytes.len), &again));
    assert_int_equal(again.head.kind, CMD_DEPOSIT);
    assert_int_equal(again.head.bytes, rig_write.room.head.bytes);
    assert_memory_equal(&again.deposit, &rig_write.room.deposit, sizeof(struct deposit));
    assert_true(api_operator_read(&rig_genesis, SLICE("{\"type\":\"advanceTime\",\"params\":{\"offset\":86400000}}"), &again));
    assert_int_equal(again.head.kind, CMD_ADVANCE_TIME);
    assert_int_equal(again.advance_time.offset_ms, 86400000);
    assert_false(api_operator_read(&rig_genesis, SLICE("{\"type\":\"batchNewOrder\",\"params\":{}}"), &again));
    assert_false(api_operator_read(&rig_genesis, SLICE("{\"type\":\"deposit\",\"params\":{}}"), &again));
    assert_false(api_operator_read(&rig_genesis, SLICE(""), &again));
}

static void what_is_wrong_with_a_line_is_named(void **state)
{
    (void)state;
    expect_refused("", 40001, "RFC 8259");
    expect_refused("nonsense", 40001, "RFC 8259");
    expect_refused("[]", 40001, "account, deposit, faucet, redeem, market, settle, keep, cancelOrders, staking or mode");
    expect_refused("{\"type\":\"advanceTime\",\"params\":{\"offset\":1}}", 40001, "account, deposit, faucet, redeem, market, settle, keep, cancelOrders, staking or mode");
    expect_refused("{\"params\":{},\"type\":\"deposit\"}", 40001, "in this order");
    expect_refused("{\"type\":\"deposit\",\"params\":{}}", 40001, "\"field\":\"id\"");
    expect_refused("{\"type\":\"deposit\",\"params\":{},\"more\":1}", 40001, "");
    expect_refused("{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"0x12\"}}", 40001, "\"field\":\"address\"");
    expect_refused("{\"type\":\"account\",\"params\":{\"id\":\"\",\"address\":\"" WHO "\"}}", 40001, "1 to 64");
    expect_refused(DEPOSIT("0"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("-1"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("1e3"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("0.0000001"), 42202, "at most 6 decimals");
    assert_int_equal(ask(DEPOSIT("0.000001")), API_COMMAND);
    expect_refused(DEPOSIT("4611686018427.387905"), 40001, "");                     /* 19 digits */
    expect_refused(DEPOSIT("999999999999999999"), 42025, "\"got\":\"999999999999999999\"");
}

static void the_id_has_a_longest_length(void **state)
{
    char line[512];

    (void)state;
    for (int len = 64; len <= 65; len++) {
        (void)snprintf(line, sizeof(line), "{\"type\":\"deposit\",\"params\":{\"id\":\"%.*s\",\"address\":\"" WHO "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}",
                       len, "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii");
        assert_int_equal(ask(line), len == 64 ? API_COMMAND : API_ANSWER);
    }
    assert_int_equal(rig_code(), 40001);
}

static void who_has_no_account_is_told_before_the_log(void **state)
{
    char line[256];

    (void)state;
    expect_refused("{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\"}}", 40403, WHO);
    expect_refused("{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}", 40403, WHO);
    (void)snprintf(line, sizeof(line), "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"%s\"}}", rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_OPEN_ACCOUNT);
    assert_memory_equal(rig_write.room.open_account.owner.bytes, rig_owner[0].bytes, 20);
}

static void a_staking_tier_is_about_an_address_that_has_an_account(void **state)
{
    char line[256];

    (void)state;
    expect_refused("{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\",\"tier\":2}}", 40403, WHO);
    (void)snprintf(line, sizeof(line), "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"tier\":-1}}", rig_owner_hex(0));
    expect_refused(line, 40001, "tier");
    (void)snprintf(line, sizeof(line), "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\"}}", rig_owner_hex(0));
    expect_refused(line, 40001, "tier");
    (void)snprintf(line, sizeof(line), "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"tier\":2}}", rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_SET_STAKING);
    assert_int_equal(rig_write.room.set_staking.tier, 2);
    assert_memory_equal(rig_write.room.set_staking.owner.bytes, rig_owner[0].bytes, 20);
    assert_true(slice_is(rig_write.signed_bytes, line));
}

static void a_mode_is_one_of_three(void **state)
{
    static const struct { const char *word; uint8_t mode; } modes[] = { { "RUN", VENUE_RUN }, { "CANCEL_ONLY", VENUE_CANCEL_ONLY }, { "REDUCE_ONLY", VENUE_REDUCE_ONLY } };
    static const char *const wrong[] = { "\"STOPPED\"", "\"POST_ONLY\"", "\"READ_ONLY\"", "\"run\"", "\"\"", "0", "4", "256", "null", "[]" };
    char line[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
        (void)snprintf(line, sizeof(line), "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"%s\"}}", modes[i].word);
        assert_int_equal(ask(line), API_COMMAND);
        assert_int_equal(rig_write.room.head.kind, CMD_SET_MODE);
        assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + sizeof(struct set_mode));
        assert_int_equal(rig_write.room.set_mode.mode, modes[i].mode);
        assert_true(slice_is(rig_write.signed_bytes, line));
    }
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        (void)snprintf(line, sizeof(line), "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":%s}}", wrong[i]);
        expect_refused(line, 40001, "\"field\":\"mode\"");
    }
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"STOPPED\"}}", 40001, "RUN, CANCEL_ONLY, REDUCE_ONLY");
    expect_refused("{\"type\":\"market\",\"params\":{\"id\":\"a\",\"symbol\":\"BTC-USD\",\"status\":\"STOPPED\"}}", 40001, "TRADING, HALT, REDUCE_ONLY");
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"a\"}}", 40001, "\"field\":\"mode\"");
    expect_refused("{\"type\":\"mode\",\"params\":{\"mode\":\"RUN\"}}", 40001, "\"field\":\"id\"");
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"\",\"mode\":\"RUN\"}}", 40001, "1 to 64");
}

static void a_redemption_keeps_its_note(void **state)
{
    char line[512];

    (void)state;
    (void)snprintf(line, sizeof(line), "{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"coin\":\"vUSDC\",\"amount\":\"1\",\"tx\":\"0xfeed\"}}", rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_REDEEM);
    assert_int_equal(rig_write.room.redeem.amount, 1000000);
    assert_true(slice_is(rig_write.signed_bytes, line));
}

static void the_faucet_gives_what_its_setting_allows(void **state)
{
    (void)state;
    expect_refused("{\"type\":\"faucet\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}", 40005, "faucet");
    rig_shared.settings.faucet[0] = 5000000;
    assert_int_equal(ask("{\"type\":\"faucet\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}"), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_DEPOSIT);
    assert_int_equal(ask("{\"type\":\"describe\"}"), API_ANSWER);
    rig_expect("{\"coin\":\"vUSDC\",\"precision\":6,\"faucet\":\"5\"}");
    rig_expect("{\"coin\":\"vBTC\",\"precision\":8,\"faucet\":\"0\"}");
}

/* ---- what became of it ---- */

static void reply(const struct result *said, const char *input)
{
    static uint8_t    bytes[512];
    struct api_result result = { .events = { bytes, 0, sizeof(bytes) }, .is_transaction = true, .place = { .block = 7, .index = 2 } };
    struct out        out = out_make(rig_body, API_OPERATOR_BYTES - 1);
    struct result    *event = EVENT_ADD(&result.events, RESULT, result, 0);
    struct event      head = event->head;

    *event = *said;
    event->head = head;
    memset(result.place.hash.bytes, 0xab, 32);
    api_operator_reply(&rig_context, slice_of(input), &result, &out);
    assert_false(out.overflow);
    rig_body[out.len] = '\0';
    assert_true(json_is_valid(out_slice(&out)));
}

static void the_answer_carries_result_hash_block_and_index(void **state)
{
    (void)state;
    reply(&(struct result){ .order_id = 1003 }, "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\"}}");
    rig_expect("{\"code\":0,\"timestamp\":" NOW_TEXT ",\"data\":{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\"},\"accountID\":1003,\"tx\":\"0xabab");
    rig_expect("\"block\":7,\"index\":2}}");
    reply(&(struct result){ .order_id = 0 }, "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"CANCEL_ONLY\"}}");
    rig_expect("\"data\":{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"CANCEL_ONLY\"},\"tx\":\"0xabab");
    reply(&(struct result){ .reject = REJECT_ENUM_RANGE, .field = FIELD_MODE }, "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"RUN\"}}");
    assert_int_equal(rig_code(), 40001);
    rig_expect("\"field\":\"mode\"");
}

static void the_engines_no_comes_with_its_details(void **state)
{
    (void)state;
    reply(&(struct result){ .reject = REJECT_INSUFFICIENT_BALANCE, .said = SAID_GOT | SAID_NEED, .got = decimal_make(5, 0), .need = decimal_make(6, 0) },
          "{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\",\"coin\":\"vUSDC\",\"amount\":\"6\"}}");
    assert_int_equal(rig_code(), 42001);
    rig_expect("\"got\":\"5\",\"need\":\"6\"");
}

/* ---- /rpc ---- */

static enum api_outcome rpc_through(const char *method, const char *params, const uint8_t peer[16], enum http_header header, const char *forwarded)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");
    char                body[1024];

    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    rig_put_header(&request, header, forwarded);
    request.body = slice_of(body);
    memcpy(rig_context.peer.bytes, peer, 16);
    return rig_handle(&request);
}

static enum api_outcome rpc(const char *method, const char *params, const uint8_t peer[16], const char *forwarded)
{
    return rpc_through(method, params, peer, HEADER_FORWARDED_FOR, forwarded);
}

static const uint8_t here[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 }, here_too[16] = { [10] = 0xff, 0xff, 127, 8, 9, 1 }, here_six[16] = { [15] = 1 };
static const uint8_t there[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, there_six[16] = { 0x20, 1, [15] = 1 }, nowhere[16] = { 0 };

static const struct { const char *method, *params; } commands[] = {
    { "dojima_deposit", "[{\"address\":\"" WHO "\",\"coin\":\"vUSDC\",\"amount\":\"1\"}]" },
    { "evm_increaseTime", "[60]" }, { "evm_setNextBlockTimestamp", "[1760001000]" }, { "evm_mine", "[]" },
};

static void development_methods_are_for_clients_on_this_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        const char *method = commands[i].method, *params = commands[i].params;
        assert_int_equal(rpc(method, params, here, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, here_too, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, here_six, NULL), API_COMMAND);
        assert_int_equal(rpc(method, params, there, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, there_six, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, nowhere, NULL), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc(method, params, here, "10.0.0.1"), API_ANSWER);        /* a proxy speaks for somebody else */
        rig_expect("-32601");
        assert_int_equal(rpc_through(method, params, here, HEADER_FORWARDED, "for=10.0.0.1"), API_ANSWER);
        rig_expect("-32601");
        assert_int_equal(rpc_through(method, params, here, HEADER_FORWARDED, ""), API_ANSWER);
        rig_expect("-32601");
    }
}

/* A browser on this machine may show a page from elsewhere, even under a name that leads here (DNS rebinding). */
static void development_methods_are_not_for_pages_from_elsewhere(void **state)
{
    static const char *const own_hosts[] = { "127.0.0.1:8080", "127.1.2.3", "localhost", "LocalHost:1", "app.localhost:3000", "[::1]", "[::1]:8080" };
    static const char *const foreign_hosts[] = { "", "example.org", "example.org:8080", "127.0.0.1.example.org", "127.example", "notlocalhost", "localhost.example.org",
                                                 "[::2]", "[::1]x", "10.0.0.1", "0.0.0.0:8080" };
    char origin[64];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(own_hosts); i++) {
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_HOST, own_hosts[i]), API_COMMAND);
        (void)snprintf(origin, sizeof(origin), "http://%s", own_hosts[i]);
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, origin), API_COMMAND);
    }
    for (size_t i = 0; i < ARRAY_COUNT(foreign_hosts); i++) {
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_HOST, foreign_hosts[i]), API_ANSWER);
        rig_expect("-32601");
        (void)snprintf(origin, sizeof(origin), "https://%s", foreign_hosts[i]);
        assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, origin), API_ANSWER);
        rig_expect("-32601");
    }
    assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, "null"), API_ANSWER);
    assert_int_equal(rpc_through("evm_mine", "[]", here, HEADER_ORIGIN, "localhost"), API_ANSWER);
    assert_int_equal(rpc_through("eth_chainId", "[]", here, HEADER_ORIGIN, "https://example.org"), API_ANSWER);      /* who only reads may */
    rig_expect("\"result\"");
}

static void a_venue_has_no_development_methods(void **state)
{
    (void)state;
    rig_shared.settings.development = false;
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        assert_int_equal(rpc(commands[i].method, commands[i].params, here, NULL), API_ANSWER);
        rig_expect("-32601");
    }
}

static void time_is_asked_for_in_seconds(void **state)
{
    (void)state;
    assert_int_equal(rpc("evm_increaseTime", "[3600]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.leap, LEAP_BY);
    assert_int_equal(rig_write.room.advance_time.offset_ms, 3600000);
    assert_int_equal(rpc("evm_increaseTime", "[\"0xe10\"]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.room.advance_time.offset_ms, 3600000);
    assert_int_equal(rpc("evm_increaseTime", "[\"0xffffffffffffffff\"]", here, NULL), API_COMMAND);
    assert_true(rig_write.room.advance_time.offset_ms == INT64_MAX);                /* the sequencer refuses it */
    assert_int_equal(rpc("evm_increaseTime", "[\"0x20c49ba5e353f7\"]", here, NULL), API_COMMAND);
    assert_true(rig_write.room.advance_time.offset_ms == INT64_MAX / 1000 * 1000);
    assert_int_equal(rpc("evm_setNextBlockTimestamp", "[1760001000]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.leap, LEAP_TO);
    assert_int_equal(rig_write.room.advance_time.offset_ms, INT64_C(1760001000000));
    assert_int_equal(rpc("evm_mine", "[]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.leap, LEAP_NONE);
    assert_int_equal(rig_write.room.head.kind, CMD_TICK);
}

static void deposits_without_an_id_are_told_apart(void **state)
{
    struct operator_id first;

    (void)state;
    assert_int_equal(rpc(commands[0].method, commands[0].params, here, NULL), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_DEPOSIT);
    assert_int_equal(rig_write.room.deposit.engine, MARKET_SPOT);
    first = rig_write.room.deposit.id;
    assert_int_equal(rpc(commands[0].method, commands[0].params, here, NULL), API_COMMAND);
    assert_memory_not_equal(&first, &rig_write.room.deposit.id, sizeof(first));
    assert_int_equal(rpc("dojima_deposit", "[{\"address\":\"" WHO "\",\"engine\":\"perps\",\"coin\":\"vUSDC\",\"amount\":\"1\",\"id\":\"d-1\"}]", here, NULL), API_COMMAND);
    assert_int_equal(rig_write.room.deposit.engine, MARKET_PERPS);
    first = rig_write.room.deposit.id;
    assert_memory_equal(first.bytes, keccak256("d-1", 3).bytes, 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_begin, rig_end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_deposit_becomes_a_command_with_its_json), TEST(the_bytes_in_the_log_say_the_same_command_again),
        TEST(what_is_wrong_with_a_line_is_named), TEST(the_id_has_a_longest_length), TEST(who_has_no_account_is_told_before_the_log),
        TEST(a_staking_tier_is_about_an_address_that_has_an_account), TEST(a_mode_is_one_of_three),
        TEST(a_redemption_keeps_its_note), TEST(the_faucet_gives_what_its_setting_allows),
        TEST(the_answer_carries_result_hash_block_and_index), TEST(the_engines_no_comes_with_its_details),
        TEST(development_methods_are_for_clients_on_this_machine), TEST(development_methods_are_not_for_pages_from_elsewhere),
        TEST(a_venue_has_no_development_methods),
        TEST(time_is_asked_for_in_seconds), TEST(deposits_without_an_id_are_told_apart),
    };
    return cmocka_run_group_tests_name("api/operator", tests, NULL, NULL);
}
