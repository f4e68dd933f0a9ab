/* SPDX-License-Identifier: MIT */
/* Requests of the operator: lines of the administration socket. */
#include "api/operator/operator.h"
#include "rigs/api/test_rig.h"

#include <stdatomic.h>

#define WHO "0x7777777777777777777777777777777777777777"
#define DEPOSIT(amount)                                                                                                \
    "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO                                              \
    "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"" amount "\"}}"

static struct api_said told;

static enum api_outcome ask(const char *line)
{
    struct out       out = out_make(rig_body, API_OPERATOR_BYTES - 1);
    enum api_outcome outcome = api_operator(rig_api, &rig_context, slice_of(line), &rig_write, &told, &out);

    assert_int_equal(told.reject == REJECT_NONE, outcome == API_COMMAND || told.only_looks);
    assert_int_equal(told.text == NULL, told.reject == REJECT_NONE);

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
    assert_int_equal(ask("  {\"type\" : "
                         "\"deposit\",\t\"params\":{\"coin\":\"vUSDC\",\"amount\":\"12.50\",\"engine\":\"perps\","
                         "\"id\":\"d-1\",\"address\":\"" WHO "\"} } "),
                     API_COMMAND);
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
    assert_int_equal(rig_write.advance_kind, ADVANCE_NONE);
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
    assert_true(
        api_operator_read(&rig_genesis, SLICE("{\"type\":\"advanceTime\",\"params\":{\"offset\":86400000}}"), &again));
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
    expect_refused(
        "[]", 40001,
        "deposit, account, redeem, market, settle, cancelOrders, staking, mode, limits, transferBetween, faucet "
        "or keep");
    expect_refused(
        "{\"type\":\"advanceTime\",\"params\":{\"offset\":1}}", 40001,
        "deposit, account, redeem, market, settle, cancelOrders, staking, mode, limits, transferBetween, faucet "
        "or keep");
    expect_refused("{\"params\":{},\"type\":\"deposit\"}", 40001, "in this order");
    expect_refused("{\"type\":\"deposit\",\"params\":{}}", 40001, "\"field\":\"id\"");
    expect_refused("{\"type\":\"deposit\",\"params\":{},\"more\":1}", 40001, "");
    expect_refused("{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"0x12\"}}", 40001,
                   "\"field\":\"address\"");
    expect_refused("{\"type\":\"account\",\"params\":{\"id\":\"\",\"address\":\"" WHO "\"}}", 40001, "1 to 64");
    expect_refused(DEPOSIT("0"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("-1"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("1e3"), 40001, "\"field\":\"amount\"");
    expect_refused(DEPOSIT("0.0000001"), 42202, "at most 6 decimals");
    assert_int_equal(ask(DEPOSIT("0.000001")), API_COMMAND);
    expect_refused(DEPOSIT("4611686018427.387905"), 40001, ""); /* 19 digits */
    expect_refused(DEPOSIT("999999999999999999"), 42025, "\"got\":\"999999999999999999\"");
}

static void the_id_has_a_longest_length(void **state)
{
    char line[512];

    (void)state;
    for (int len = 64; len <= 65; len++) {
        (void)snprintf(line, sizeof(line),
                       "{\"type\":\"deposit\",\"params\":{\"id\":\"%.*s\",\"address\":\"" WHO
                       "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}",
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
    expect_refused("{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"" WHO
                   "\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}",
                   40403, WHO);
    (void)snprintf(line, sizeof(line), "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"%s\"}}",
                   rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_OPEN_ACCOUNT);
    assert_memory_equal(rig_write.room.open_account.owner.bytes, rig_owner[0].bytes, 20);
}

static void a_staking_tier_is_about_an_address_that_has_an_account(void **state)
{
    char line[256];

    (void)state;
    expect_refused("{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\",\"tier\":2}}", 40403, WHO);
    (void)snprintf(line, sizeof(line),
                   "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"tier\":-1}}", rig_owner_hex(0));
    expect_refused(line, 40001, "tier");
    (void)snprintf(line, sizeof(line), "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\"}}",
                   rig_owner_hex(0));
    expect_refused(line, 40001, "tier");
    (void)snprintf(line, sizeof(line), "{\"type\":\"staking\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"tier\":2}}",
                   rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_SET_STAKING);
    assert_int_equal(rig_write.room.set_staking.tier, 2);
    assert_memory_equal(rig_write.room.set_staking.owner.bytes, rig_owner[0].bytes, 20);
    assert_true(slice_is(rig_write.signed_bytes, line));
}

static void a_mode_is_one_of_three(void **state)
{
    static const struct {
        const char *word;
        uint8_t     mode;
    } modes[] = { { "RUN", VENUE_RUN }, { "CANCEL_ONLY", VENUE_CANCEL_ONLY }, { "REDUCE_ONLY", VENUE_REDUCE_ONLY } };
    static const char *const wrong[] = { "\"STOPPED\"", "\"POST_ONLY\"", "\"READ_ONLY\"", "\"run\"", "\"\"", "0",
                                         "4",           "256",           "null",          "[]" };
    char                     line[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
        (void)snprintf(line, sizeof(line), "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"%s\"}}",
                       modes[i].word);
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
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"STOPPED\"}}", 40001,
                   "RUN, CANCEL_ONLY, REDUCE_ONLY");
    expect_refused("{\"type\":\"market\",\"params\":{\"id\":\"a\",\"symbol\":\"BTC-USD\",\"status\":\"STOPPED\"}}",
                   40001, "TRADING, HALT, REDUCE_ONLY");
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"a\"}}", 40001, "\"field\":\"mode\"");
    expect_refused("{\"type\":\"mode\",\"params\":{\"mode\":\"RUN\"}}", 40001, "\"field\":\"id\"");
    expect_refused("{\"type\":\"mode\",\"params\":{\"id\":\"\",\"mode\":\"RUN\"}}", 40001, "1 to 64");
}

#define MARKET(symbol, status)                                                                                         \
    "{\"type\":\"market\",\"params\":{\"id\":\"a\",\"symbol\":\"" symbol "\",\"status\":\"" status "\"}}"

static void a_spot_symbol_is_not_only_reduced(void **state)
{
    (void)state;
    expect_refused(MARKET("vBTC_vUSDC", "REDUCE_ONLY"), 40001, "\"field\":\"status\"");
    rig_expect("\"got\":\"REDUCE_ONLY\",\"need\":\"TRADING or HALT for a spot symbol\"");
    assert_int_equal(ask(MARKET("BTC-USD", "REDUCE_ONLY")), API_COMMAND);
    assert_int_equal(rig_write.room.set_market.engine, MARKET_PERPS);
    assert_int_equal(ask(MARKET("vBTC_vUSDC", "HALT")), API_COMMAND);
    assert_int_equal(rig_write.room.set_market.engine, MARKET_SPOT);
}

static void a_redemption_keeps_its_note(void **state)
{
    char line[512];

    (void)state;
    (void)snprintf(line, sizeof(line),
                   "{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"%s\",\"coin\":\"vUSDC\",\"amount\":"
                   "\"1\",\"tx\":\"0xfeed\"}}",
                   rig_owner_hex(0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_REDEEM);
    assert_int_equal(rig_write.room.redeem.amount, 1000000);
    assert_true(slice_is(rig_write.signed_bytes, line));
}

static void the_faucet_gives_what_its_setting_allows(void **state)
{
    (void)state;
    expect_refused("{\"type\":\"faucet\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO
                   "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}",
                   40005, "faucet");
    rig_shared.settings.faucet[0] = 5000000;
    assert_int_equal(ask("{\"type\":\"faucet\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO
                         "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"1\"}}"),
                     API_COMMAND);
    assert_int_equal(rig_write.room.head.kind, CMD_DEPOSIT);
    assert_int_equal(ask("{\"type\":\"describe\"}"), API_ANSWER);
    rig_expect("{\"coin\":\"vUSDC\",\"precision\":6,\"faucet\":\"5\"}");
    rig_expect("{\"coin\":\"vBTC\",\"precision\":8,\"faucet\":\"0\"}");
}

/* ---- the second person ---- */

#define COMMAND                                                                                                        \
    "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO                                              \
    "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7\"}}"

/* Owners 0 and 1 may confirm; 2 may not. */
static void two_keys(void)
{
    rig_shared.settings.operators =
        (struct operator_keys){ .count = 2,
                                .keys = { { .address = rig_owner[0], .name = name_make(SLICE("Anna")) },
                                          { .address = rig_owner[1] } } };
}

/* A line with a signature by `who` over the command `command`, which may differ from the one in the line. */
static const char *with(const char *line, const char *command, uint64_t chain_id, const char *id, int who)
{
    static char      text[1024];
    struct hash256   digest = api_operator_digest(chain_id, slice_of(id), slice_of(command));
    struct signature signature;
    char             hex[SIGNATURE_TEXT];

    assert_true(sign_digest(&digest, rig_secret[who], 1, &signature));
    signature_write(&signature, hex);
    (void)snprintf(text, sizeof(text), "%.*s,\"signature\":\"%.134s\"}", (int)strlen(line) - 1, line, hex);
    return text;
}

static void where_nobody_confirms_nobody_signs(void **state)
{
    (void)state;
    assert_int_equal(ask(DEPOSIT("7")), API_COMMAND);
    assert_null(told.confirmed);
    assert_true(slice_is(told.command, COMMAND));
    expect_refused(with(COMMAND, COMMAND, 286623, "d-1", 0), 40101, "a signature that nobody asks for");
    assert_int_equal(ask("{\"type\":\"describe\"}"), API_ANSWER);
    assert_true(told.only_looks);
    rig_expect("\"chainID\":286623,\"needsSignature\":false");
}

/* As many coins as there may be, with the longest names and gifts: the answer is still a line. */
static void the_longest_description_is_a_line(void **state)
{
    static struct genesis before;

    (void)state;
    before = rig_genesis;
    for (uint32_t i = 0; i < COINS_MAX; i++) {
        struct coin *coin = &rig_genesis.coins[i];

        *coin = rig_genesis.coins[0];
        coin->id = i;
        coin->precision = 18;
        coin->name.len = NAME_MAX_LEN;
        memset(coin->name.at, 'A', NAME_MAX_LEN);
        rig_shared.settings.faucet[i] = INT64_MAX;
    }
    rig_genesis.coin_count = COINS_MAX;
    assert_int_equal(ask("{\"type\":\"describe\"}"), API_ANSWER);
    assert_true(told.only_looks);
    rig_genesis = before;
    memset(rig_shared.settings.faucet, 0, sizeof(rig_shared.settings.faucet));
}

static void write_table(void *self, struct out *out)
{
    (void)self;
    out_literal(out, "{\"name\":\"connections\",\"used\":1,\"value\":2}");
}

static void every_pool_and_table_is_told(void **state)
{
    static struct api_pools pools;
    const struct api_tables tables = { NULL, write_table };

    (void)state;
    for (uint32_t i = 0; i < LIMITS; i++) {
        atomic_store(&pools.used[i], i);
        atomic_store(&pools.places[i], 10 * i);
    }
    rig_shared.pools = &pools;
    rig_shared.tables = &tables;
    assert_int_equal(ask("{\"type\":\"pools\"}"), API_ANSWER);
    assert_true(told.only_looks);
    rig_expect(
        "{\"limits\":[{\"name\":\"accounts\",\"used\":1,\"value\":10},{\"name\":\"orders\",\"used\":2,\"value\":20},");
    rig_expect("{\"name\":\"clientIds\",\"used\":9,\"value\":90}],\"tables\":[{\"name\":\"connections\",\"used\":1,"
               "\"value\":2}]}");
    rig_shared.pools = NULL;
    rig_shared.tables = NULL;
}

static void a_second_signature_goes_to_the_log_with_the_command(void **state)
{
    static struct command_room again;
    char                       line[1024];

    (void)state;
    two_keys();
    (void)snprintf(line, sizeof(line), "%s", with(COMMAND, COMMAND, 286623, "d-1", 0));
    assert_int_equal(ask(line), API_COMMAND);
    assert_ptr_equal(told.confirmed, &rig_shared.settings.operators.keys[0]);
    assert_true(slice_is(rig_write.signed_bytes, line));
    assert_true(slice_is(told.command, COMMAND)); /* the audited line has no signature */
    assert_int_equal(rig_write.room.deposit.amount, 7000000);
    assert_int_equal(rig_write.room.head.domain, 0); /* operator commands have no domain, signed or not */
    assert_true(api_operator_read(&rig_genesis, slice_of(line), &again));
    assert_memory_equal(&again.deposit, &rig_write.room.deposit, sizeof(struct deposit));
    line[strlen(line) - 3] = 'g';
    assert_false(api_operator_read(&rig_genesis, slice_of(line), &again));
    assert_false(api_operator_read(
        &rig_genesis,
        SLICE("{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\"},\"signature\":\"}"), &again));
    assert_int_equal(ask(with(COMMAND, COMMAND, 286623, "d-1", 1)), API_COMMAND);
    assert_ptr_equal(told.confirmed, &rig_shared.settings.operators.keys[1]);
    assert_int_equal(
        ask(with(" { \"type\" : \"deposit\", \"params\" : "
                 "{\"amount\":\"7.00\",\"coin\":\"vUSDC\",\"id\":\"d-1\",\"engine\":\"spot\",\"address\":\"" WHO "\"}}",
                 COMMAND, 286623, "d-1", 0)),
        API_COMMAND); /* the signature covers the canonical form */
}

static void one_signature_is_for_one_command_on_one_exchange(void **state)
{
    /* clang-format off */
    static const char *const others[] = {
        "{\"type\":\"faucet\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\","
            "\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-2\",\"address\":\"" WHO "\","
            "\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"0x7777777777777777777777777777777777777778\","
            "\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\","
            "\"engine\":\"perps\",\"coin\":\"vUSDC\",\"amount\":\"7\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\","
            "\"engine\":\"spot\",\"coin\":\"vBTC\",\"amount\":\"7\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\","
            "\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7.000001\"}}",
        "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"address\":\"" WHO "\","
            "\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"7\",\"accountID\":1}}",
    };
    /* clang-format on */
    static const struct address nobody;

    (void)state;
    two_keys();
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        expect_refused(with(others[i], COMMAND, 286623, "d-1", 0), 40101, "of another key, or of another command");
        assert_false(address_equal(&told.stranger, &nobody));
        assert_null(told.confirmed);
    }
    expect_refused(with(COMMAND, COMMAND, 286623, "d-1", 2), 40101, "of another key, or of another command");
    assert_true(address_equal(&told.stranger, &rig_owner[2]));
    expect_refused(with(COMMAND, COMMAND, 138565, "d-1", 0), 40101,
                   "of another key"); /* accepted of clients, not here: the own one alone */
    expect_refused(with(COMMAND, COMMAND, 286623, "d-2", 0), 40101, "of another key");
    expect_refused(COMMAND, 40101, "the signature of a second person is needed");
    assert_true(slice_is(told.command, COMMAND));
    assert_int_equal(ask(with(COMMAND, COMMAND, 286623, "d-1", 0)), API_COMMAND);
}

static void a_malformed_signature_is_named_so(void **state)
{
    static const char *const wrong[] = { "", "0x", "yes", "0x01" };
    char                     good[1024], line[1024], *hex;

    (void)state;
    two_keys();
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        (void)snprintf(line, sizeof(line), "%.*s,\"signature\":\"%s\"}", (int)strlen(COMMAND) - 1, COMMAND, wrong[i]);
        expect_refused(line, 40101, "the second signature is malformed");
    }
    (void)snprintf(good, sizeof(good), "%s", with(COMMAND, COMMAND, 286623, "d-1", 0));
    hex = strstr(good, "0x01");
    assert_non_null(hex);
    hex[3] = '2'; /* a wallet's type byte */
    expect_refused(good, 40101, "malformed");
    hex[3] = '1';
    hex[133] = '2'; /* v */
    expect_refused(good, 40101, "malformed");
    memset(hex + 4, '0', 64); /* r */
    hex[133] = '0';
    expect_refused(good, 40101, "malformed");
    /* It is a member of its own at the end, a text, and there once. */
    expect_refused("{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\",\"signature\":\"0x01\"}}", 40001, "");
    expect_refused("{\"type\":\"deposit\",\"signature\":\"0x01\",\"params\":{}}", 40001, "in this order");
    (void)snprintf(line, sizeof(line), "%.*s,\"signature\":1}", (int)strlen(COMMAND) - 1, COMMAND);
    expect_refused(line, 40001, "");
    (void)snprintf(good, sizeof(good), "%s", with(COMMAND, COMMAND, 286623, "d-1", 0));
    (void)snprintf(line, sizeof(line), "%.*s,\"signature\":\"0x\"}", (int)strlen(good) - 1, good);
    expect_refused(line, 40101, "malformed");
    (void)snprintf(line, sizeof(line), "%.*s,\"more\":\"x\"}", (int)strlen(good) - 1, good);
    expect_refused(line, 40101, "malformed");
    (void)snprintf(line, sizeof(line), "%.*s,\"more\":{}}", (int)strlen(good) - 1, good);
    expect_refused(line, 40001, "");
}

static void what_is_signed_is_found_in_any_spelling(void **state)
{
    char               room[512], id[OPERATOR_ID_MAX + 1];
    struct out         out = out_make(room, sizeof(room));
    struct shape_error error;

    (void)state;
    assert_true(api_operator_canonical(
        SLICE(" {\"type\":\"staking\", \"params\":{\"tier\":2,\"address\":\"" WHO "\",\"id\":\"s\"}}"), &out, id,
        &error));
    assert_true(slice_is(out_slice(&out),
                         "{\"type\":\"staking\",\"params\":{\"id\":\"s\",\"address\":\"" WHO "\",\"tier\":2}}"));
    assert_string_equal(id, "s");
    static const char *const wrong[] = { "",
                                         "x",
                                         "{}",
                                         "{\"type\":\"advanceTime\",\"params\":{\"offset\":1}}",
                                         "{\"type\":\"staking\",\"params\":{}}",
                                         "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO
                                         "\"},\"signature\":\"x\"}" };
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        assert_false(api_operator_canonical(slice_of(wrong[i]), &out, id, &error));
        assert_int_not_equal(error.reject, REJECT_NONE);
    }
}

static void what_has_no_room_is_refused_in_its_own_words(void **state)
{
    struct out out = out_make(rig_body, API_OPERATOR_BYTES - 1);

    (void)state;
    api_operator_refuse(&rig_context, REJECT_NOT_AUDITED, &out);
    rig_body[out.len] = '\0';
    assert_int_equal(rig_code(), 50301);
    rig_expect("the audit log cannot be written, the command was not executed");
}

/* ---- what became of it ---- */

static void reply(const struct result *said, const char *input)
{
    static uint8_t    bytes[512];
    struct api_result result = { .events = { bytes, 0, sizeof(bytes) },
                                 .is_transaction = true,
                                 .place = { .block = 7, .index = 2 } };
    struct out        out = out_make(rig_body, API_OPERATOR_BYTES - 1);
    struct result    *event = EVENT_ADD(&result.events, RESULT, result, 0);
    struct event      head = event->head;

    *event = *said;
    event->head = head;
    memset(result.place.hash.bytes, 0xab, 32);
    assert_int_equal(api_operator_reply(&rig_context, slice_of(input), &result, &out), said->reject);
    assert_false(out.overflow);
    rig_body[out.len] = '\0';
    assert_true(json_is_valid(out_slice(&out)));
}

static void the_answer_carries_result_hash_block_and_index(void **state)
{
    (void)state;
    reply(&(struct result){ .order_id = 1003 },
          "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO "\"}}");
    rig_expect("{\"code\":0,\"timestamp\":" NOW_TEXT
               ",\"data\":{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"" WHO
               "\"},\"accountID\":1003,\"tx\":\"0xabab");
    rig_expect("\"block\":7,\"index\":2}}");
    reply(&(struct result){ .order_id = 0 }, "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"CANCEL_ONLY\"}}");
    rig_expect("\"data\":{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"CANCEL_ONLY\"},\"tx\":\"0xabab");
    reply(&(struct result){ .reject = REJECT_ENUM_RANGE, .field = FIELD_MODE },
          "{\"type\":\"mode\",\"params\":{\"id\":\"a\",\"mode\":\"RUN\"}}");
    assert_int_equal(rig_code(), 40001);
    rig_expect("\"field\":\"mode\"");
}

static void the_engines_no_comes_with_its_details(void **state)
{
    (void)state;
    reply(&(struct result){ .reject = REJECT_INSUFFICIENT_BALANCE,
                            .said = SAID_GOT | SAID_NEED,
                            .got = decimal_make(5, 0),
                            .need = decimal_make(6, 0) },
          "{\"type\":\"redeem\",\"params\":{\"id\":\"a\",\"address\":\"" WHO
          "\",\"coin\":\"vUSDC\",\"amount\":\"6\"}}");
    assert_int_equal(rig_code(), 42001);
    rig_expect("\"got\":\"5\",\"need\":\"6\"");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_begin, rig_end)
int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(a_deposit_becomes_a_command_with_its_json), TEST(the_bytes_in_the_log_say_the_same_command_again),
        TEST(what_is_wrong_with_a_line_is_named), TEST(the_id_has_a_longest_length),
            TEST(who_has_no_account_is_told_before_the_log),
        TEST(a_staking_tier_is_about_an_address_that_has_an_account), TEST(a_mode_is_one_of_three),
            TEST(a_spot_symbol_is_not_only_reduced),
        TEST(a_redemption_keeps_its_note), TEST(the_faucet_gives_what_its_setting_allows),
        TEST(where_nobody_confirms_nobody_signs), TEST(every_pool_and_table_is_told),
            TEST(the_longest_description_is_a_line), TEST(a_second_signature_goes_to_the_log_with_the_command),
        TEST(one_signature_is_for_one_command_on_one_exchange), TEST(a_malformed_signature_is_named_so),
        TEST(what_is_signed_is_found_in_any_spelling), TEST(what_has_no_room_is_refused_in_its_own_words),
        TEST(the_answer_carries_result_hash_block_and_index), TEST(the_engines_no_comes_with_its_details),
    };
    /* clang-format on */
    return cmocka_run_group_tests_name("api/operator/operator", tests, NULL, NULL);
}
