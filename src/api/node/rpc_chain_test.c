/* SPDX-License-Identifier: MIT */
/* The chain node over the block and transaction of mechanics E17, and its responses to bad questions. */
#include "api/node/rpc.h"
#include "rigs/api/test_rig.h"
#include "base/hex.h"

#include <errno.h>

#define E17_INPUT                                                                                                      \
    "{\"type\":\"batchNewOrder\",\"params\":{\"accountID\":1001,\"orders\":[{\"symbolID\":42,\"clOrdID\":\"order-"     \
    "001\","                                                                                                           \
    "\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"50000\",\"quantity\":\"0.1\"}]}}"
#define E17_SIGN                                                                                                       \
    "0x01641c5ba6f66af45475184ca753c974b6fbd6115407ee22abade94142df21bd451d8c0e61405155a2ded314bae5f7e490723ae6fd0e68" \
    "16c4c474d1ec88df4d1100"
#define TX_HASH "0x5145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f3"
#define GENESIS "0x2616714f7098ab2fc0008ec0bd664a4dcd0cd22ecce527a0cb174916c0915ba1"
#define FROM    "0x14791697260e4c9a71f18484c9f997b308e59325"
#define NO_HASH "0x1111111111111111111111111111111111111111111111111111111111111111"

static void hex(const char *text, void *into, size_t len) { assert_true(hex_read_0x(slice_of(text), into, len)); }

static int begin(void **state)
{
    struct signature signature;

    if (rig_begin(state) != 0) return -1;
    rig_chain.block0 = (struct block_header){ .state_root = keccak256("state0", 6),
                                              .transactions_root = empty_trie_root(),
                                              .receipts_root = empty_trie_root(),
                                              .time_ms = 1776000000000 };
    /* E17 leaves the receipts' root as the genesis has it; ours is
       that of one failed transaction, and the hash ours. */
    struct block_header header = { .parent_hash = block_hash(&rig_chain.block0),
                                   .state_root = keccak256("state0", 6),
                                   .number = 1,
                                   .time_ms = 1776000000123 };
    hex(TX_HASH, rig_chain.tx.place.hash.bytes, 32);
    header.transactions_root = keccak256(rig_chain.tx.place.hash.bytes, 32);
    header.receipts_root = keccak256("\0", 1);
    rig_chain.block = (struct history_block){ .hash = block_hash(&header),
                                              .state_root = header.state_root,
                                              .number = 1,
                                              .time_ms = header.time_ms,
                                              .first_seq = 5,
                                              .last_seq = 5,
                                              .count = 1 };
    rig_chain.tx.seq = 5;
    rig_chain.tx.place.block = 1;
    rig_chain.input = SLICE(E17_INPUT);
    struct command *head = &rig_chain.command.head;
    *head = (struct command){ .bytes = sizeof(*head) + sizeof(struct place_orders),
                              .kind = CMD_PLACE_ORDERS,
                              .market = MARKET_SPOT,
                              .domain = DOMAIN_SPOT,
                              .seq = 5,
                              .time_ms = header.time_ms,
                              .nonce = 100,
                              .chain_id = 286623 };
    hex(FROM, head->signer.bytes, 20);
    rig_chain.command.place_orders.account_id = 1001;
    assert_true(signature_read(SLICE(E17_SIGN), &signature));
    memcpy(rig_chain.signature, signature.r, 32);
    memcpy(rig_chain.signature + 32, signature.s, 32);
    rig_chain.signature[64] = signature.v;
    views_apply(rig_shared.views, &rig_events, &(struct view_block){ 1, header.time_ms });
    return 0;
}

static const char *rpc(const char *method, const char *params)
{
    struct http_request request = rig_request(HTTP_POST, "/rpc");
    static char         body[2048];

    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method,
                   params);
    request.body = slice_of(body);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    return rig_body;
}

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" json "}"

static void hash_text(const struct hash256 *hash, char text[67])
{
    struct out out = out_make(text, 66);

    out_literal(&out, "0x");
    out_hex(&out, hash->bytes, 32);
    text[66] = '\0';
}

static void the_golden_transaction_is_told_field_by_field(void **state)
{
    char       block[67], expected[2048], input[1024];
    struct out out = out_make(input, sizeof(input) - 1);

    (void)state;
    hash_text(&rig_chain.block.hash, block);
    out_hex(&out, E17_INPUT, strlen(E17_INPUT));
    input[out.len] = '\0';
    (void)snprintf(
        expected, sizeof(expected),
        "{\"type\":\"0x53\",\"hash\":\"" TX_HASH
        "\",\"blockHash\":\"%s\",\"blockNumber\":\"0x1\",\"blockTimestamp\":\"0x69db9c00\","
        "\"transactionIndex\":\"0x0\",\"from\":\"" FROM "\","
        "\"to\":\"0x0000000000000000000000000000000000001001\",\"chainId\":\"0x45f9f\",\"nonce\":\"0x64\",\"value\":"
        "\"0x0\",\"gas\":\"0x0\",\"gasPrice\":\"0x0\","
        "\"maxFeePerGas\":\"0x0\","
        "\"maxPriorityFeePerGas\":\"0x0\",\"accessList\":[],\"input\":\"0x%s\",\"v\":\"0x0\",\"yParity\":\"0x0\","
        "\"r\":\"0x641c5ba6f66af45475184ca753c974b6fbd6115407ee22abade94142df21bd45\","
        "\"s\":\"0x1d8c0e61405155a2ded314bae5f7e490723ae6fd0e6816c4c474d1ec88df4d11\",\"domain\":\"0x0\",\"owner\":\"%"
        "s\",\"accountID\":\"0x3e9\"}",
        block, input, rig_owner_hex(0));
    rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x1\",\"0x0\"]");
    rig_expect(expected);
    for (int i = 0; i < 4; i++) {
        static const char *const tags[] = { "[\"latest\",\"0x0\"]", "[\"safe\",\"0x0\"]", "[\"finalized\",\"0x0\"]",
                                            "[\"pending\",\"0x0\"]" };
        rpc("eth_getTransactionByBlockNumberAndIndex", tags[i]);
        rig_expect(expected);
    }
    rpc("eth_getTransactionByHash", "[\"" TX_HASH "\"]");
    rig_expect(expected);
    (void)snprintf(input, sizeof(input), "[\"%s\",\"0x0\"]", block);
    rpc("eth_getTransactionByBlockHashAndIndex", input);
    rig_expect(expected);
    rpc("eth_getBlockByNumber", "[\"latest\",true]");
    rig_expect(expected);
}

static void the_legacy_rendering_is_of_type_0(void **state)
{
    (void)state;
    rig_shared.settings.rpc_legacy = true;
    rpc("eth_getTransactionByHash", "[\"" TX_HASH "\"]");
    rig_expect("{\"type\":\"0x0\",\"hash\":\"" TX_HASH "\"");
    rig_expect("\"v\":\"0x8bf61\""); /* 35 + 2 * 286623 */
    rig_expect_not("yParity");
    rig_expect_not("accessList");
    rig_expect_not("maxFeePerGas");
}

static void a_block_has_the_fields_its_hash_is_made_of(void **state)
{
    char block[67], params[128];

    (void)state;
    hash_text(&rig_chain.block.hash, block);
    rpc("eth_getBlockByNumber", "[\"0x1\",false]");
    rig_expect(block);
    rig_expect("\"parentHash\":\"" GENESIS "\"");
    rig_expect("\"timestamp\":\"0x69db9c00\",\"timestampMs\":\"0x19d81d9607b\",\"extraData\":\"0x0000019d81d9607b\"");
    rig_expect("\"gasLimit\":\"0x1c9c380\"");
    rig_expect("\"transactions\":[\"" TX_HASH "\"]");
    (void)snprintf(params, sizeof(params), "[\"%s\"]", block);
    rpc("eth_getBlockByHash", params);
    rig_expect("\"transactions\":[\"" TX_HASH "\"]");
    assert_string_equal(rpc("eth_getBlockTransactionCountByHash", params), RESULT("\"0x1\""));
    assert_string_equal(rpc("eth_getBlockTransactionCountByNumber", "[\"latest\"]"), RESULT("\"0x1\""));
}

static void the_genesis_is_block_0(void **state)
{
    (void)state;
    rpc("eth_getBlockByNumber", "[\"earliest\",true]");
    rig_expect("\"number\":\"0x0\",\"hash\":\"" GENESIS
               "\",\"parentHash\":\"0x0000000000000000000000000000000000000000000000000000000000000000\"");
    rig_expect("\"transactions\":[]");
    rpc("eth_getBlockByHash", "[\"" GENESIS "\",false]");
    rig_expect("\"number\":\"0x0\"");
    assert_string_equal(rpc("eth_getBlockTransactionCountByNumber", "[\"0x0\"]"), RESULT("\"0x0\""));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"earliest\",\"0x0\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockHashAndIndex", "[\"" GENESIS "\",\"0x0\"]"), RESULT("null"));
}

static void what_is_out_of_range_is_null(void **state)
{
    (void)state;
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x1\",\"0x1\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x1\",\"0xffffffffffffffff\"]"),
                        RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x2\",\"0x0\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0xffffffffffffffff\",\"0x0\"]"),
                        RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x1\",\"0x10000000000000000\"]"),
                        RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByBlockNumberAndIndex", "[\"0x10000000000000001\",\"0x0\"]"),
                        RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionByHash", "[\"" NO_HASH "\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getTransactionReceipt", "[\"" NO_HASH "\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getBlockByHash", "[\"" NO_HASH "\",true]"), RESULT("null"));
    assert_string_equal(rpc("eth_getBlockByNumber", "[\"0x2\",true]"), RESULT("null"));
    assert_string_equal(rpc("eth_getBlockTransactionCountByNumber", "[\"0x2\"]"), RESULT("null"));
    assert_string_equal(rpc("eth_getBlockTransactionCountByHash", "[\"" NO_HASH "\"]"), RESULT("null"));
}

static void every_malformed_parameter_is_named(void **state)
{
    static const char *const bad_blocks[] = {
        "1",
        "\"1\"",
        "\"0x\"",
        "\"0x01\"",
        "\"0x00\"",
        "\"0X1\"",
        "\"0xg\"",
        "\"-0x1\"",
        "\"\"",
        "\"Latest\"",
        "\"newest\"",
        "null",
        "true",
        "{}",
        "[]",
        "{\"blockNumber\":\"0x1\"}",
        "1.5",
        "\"0x1 \"",
        "\"\\u0031x1\"",
    };
    /* clang-format off */
    static const char *const bad_hashes[] = {
        "\"0x\"", "\"0x12\"", "1", "null", "\"5145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f3aa\"",
        "\"0x5145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f\"",
            "\"0xz145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f3\"",
    };
    /* clang-format on */
    char params[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad_blocks); i++) {
        (void)snprintf(params, sizeof(params), "[%s,\"0x0\"]", bad_blocks[i]);
        rpc("eth_getTransactionByBlockNumberAndIndex", params);
        rig_expect("\"error\":{\"code\":-32602,\"message\":\"invalid params: block must be");
        (void)snprintf(params, sizeof(params), "[\"latest\",%s]",
                       strcmp(bad_blocks[i], "\"Latest\"") == 0 ? "\"latest\"" : bad_blocks[i]);
        rpc("eth_getTransactionByBlockNumberAndIndex", params);
        rig_expect("\"error\":{\"code\":-32602,\"message\":\"invalid params: index must be");
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad_hashes); i++) {
        (void)snprintf(params, sizeof(params), "[%s]", bad_hashes[i]);
        rpc("eth_getTransactionByHash", params);
        rig_expect("\"error\":{\"code\":-32602,\"message\":\"invalid params: hash must be");
    }
    rpc("eth_getTransactionByBlockNumberAndIndex", "[]");
    rig_expect("invalid params: block is missing");
    rpc("eth_getTransactionByBlockNumberAndIndex", "[\"latest\"]");
    rig_expect("invalid params: index is missing");
    rpc("eth_getTransactionByBlockNumberAndIndex", "[\"latest\",\"0x0\",1]");
    rig_expect("invalid params: more of them");
    rpc("eth_getTransactionByBlockNumberAndIndex", "{\"block\":\"latest\",\"index\":\"0x0\"}");
    rig_expect("invalid params: must be an array");
    rpc("eth_getBlockByNumber", "[\"latest\",1]");
    rig_expect("invalid params: full must be true or false");
    rpc("eth_getBalance", "[\"0x12\",\"latest\"]");
    rig_expect("invalid params: address must be");
}

static void a_receipt_has_a_log_per_fill_and_per_movement(void **state)
{
    (void)state;
    rig_chain.effect_count = 2;
    rig_chain.effects[0].fill =
        (struct filled){ .head = { .kind = EVENT_FILL, .bytes = sizeof(struct filled), .market = MARKET_SPOT },
                         .trade_id = 7,
                         .order_id = 8,
                         .account_id = 1001,
                         .symbol_id = 1,
                         .side = SIDE_SELL,
                         .is_maker = 1,
                         .price = 950000,
                         .quantity = 1000,
                         .fee = -6,
                         .fee_coin_id = 1 };
    rig_chain.effects[1].transfer = (struct transferred){
        .head = { .kind = EVENT_TRANSFER, .bytes = sizeof(struct transferred), .market = MARKET_SPOT },
        .account_id = 1001,
        .address = rig_owner[0],
        .coin_id = 1,
        .amount = 258,
        .type = TRANSFER_EVM_WITHDRAW
    };
    rpc("eth_getTransactionReceipt", "[\"" TX_HASH "\"]");
    rig_expect("\"status\":\"0x0\"");
    rig_expect("\"gasUsed\":\"0x0\"");
    rig_expect("\"contractAddress\":null");
    rig_expect("\"logs\":[{\"address\":\"0x0000000000000000000000000000000000001001\",\"topics\":[\"0x");
    rig_expect("\"0x00000000000000000000000000000000000000000000000000000000000003e9\","
               "\"0x0000000000000000000000000000000000000000000000000000000000000008\","
               "\"0x0000000000000000000000000000000000000000000000000000000000000007\"],\"data\":\"0x"
               "0000000000000000000000000000000000000000000000000000000000000001"
               "0000000000000000000000000000000000000000000000000000000000000002"
               "0000000000000000000000000000000000000000000000000000000000000001"
               "00000000000000000000000000000000000000000000000000000000000e7ef0"
               "00000000000000000000000000000000000000000000000000000000000003e8"
               "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
               "0000000000000000000000000000000000000000000000000000000000000001\"");
    rig_expect("{\"address\":\"0x0000000000000000000000000000000000002001\",\"topics\":["
               "\"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef\","
               "\"0x0000000000000000000000000000000000000000000000000000000000001001\",\"0x000000000000000000000000");
    rig_expect("\"data\":\"0x0000000000000000000000000000000000000000000000000000000000000102\"");
    rig_expect("\"logIndex\":\"0x1\"");
}

static void damage_is_an_error_and_never_an_answer(void **state)
{
    (void)state;
    rig_chain.signature[0] ^= 1; /* the hash of the transaction in the log is another one */
    rpc("eth_getTransactionByHash", "[\"" TX_HASH "\"]");
    rig_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,");
    rpc("eth_getBlockByNumber", "[\"latest\",true]");
    rig_expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,");
    rig_chain.signature[0] ^= 1;
    rig_chain.log_error = EUCLEAN;
    rpc("eth_getTransactionByHash", "[\"" TX_HASH "\"]");
    rig_expect("\"code\":-32603");
    rig_chain.log_error = 0;
    rig_chain.block.state_root.bytes[0] ^= 1; /* and that of the block */
    rpc("eth_getBlockByNumber", "[\"latest\",false]");
    rig_expect("\"code\":-32603");
    rig_chain.error = -EUCLEAN;
    rpc("eth_getTransactionByHash", "[\"" TX_HASH "\"]");
    rig_expect("\"code\":-32603");
    rpc("eth_getBlockByNumber", "[\"latest\",false]");
    rig_expect("\"code\":-32603");
    rpc("eth_getBlockByNumber", "[\"earliest\",false]");
    rig_expect("\"number\":\"0x0\"");
}

static void the_balance_is_that_of_the_evm_ledger_with_18_decimals(void **state)
{
    char params[128];

    (void)state;
    struct evm_balance *event = EVENT_ADD(&rig_events, EVM_BALANCE, evm_balance, 0);
    event->address = rig_owner[0];
    event->coin_id = COIN_MARGIN;
    event->amount = INT64_C(1) << 62;
    views_apply(rig_shared.views, &rig_events, NULL);
    (void)snprintf(params, sizeof(params), "[\"%s\",\"latest\"]", rig_owner_hex(0));
    assert_string_equal(rpc("eth_getBalance", params), RESULT("\"0x3a352944000000000000000000\"")); /* 2^62 * 10^12 */
    (void)snprintf(params, sizeof(params), "[\"%s\"]", rig_owner_hex(1));
    assert_string_equal(rpc("eth_getBalance", params), RESULT("\"0x0\""));
    (void)snprintf(params, sizeof(params), "[\"%s\",\"0x1\"]", rig_owner_hex(1));
    assert_string_equal(rpc("eth_getBalance", params), RESULT("\"0x0\""));
    (void)snprintf(params, sizeof(params), "[\"%s\",\"earliest\"]", rig_owner_hex(1));
    rpc("eth_getBalance", params);
    rig_expect("\"code\":-32000");
    (void)snprintf(params, sizeof(params), "[\"%s\",\"latest\"]", rig_owner_hex(2));
    assert_string_equal(rpc("eth_getTransactionCount", params), RESULT("\"0x0\""));
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, rig_end)

/*
 * A hundred calls with large results and ids of the maximum length: a result that fits is included, one that does not
 * is replaced by an error of its own, and nothing is written behind the end, whatever has been written before it.
 */
static void answers_that_do_not_fit_are_errors_of_their_own(void **state)
{
    static char         input[60000], body[HTTP_BODY_MAX + 1];
    struct http_request request = rig_request(HTTP_POST, "/rpc");
    struct out          out = out_make(body, sizeof(body) - 1);
    uint32_t            told = 0, failed = 0;

    (void)state;
    memset(input, 'i', sizeof(input));
    rig_chain.input = slice_make(input, sizeof(input));
    struct transaction transaction = transaction_of(&rig_chain.command.head, rig_chain.input, rig_chain.signature);
    rig_chain.tx.place.hash = transaction_hash(&transaction);
    for (uint32_t i = 0; i < RPC_CALLS_MAX; i++) {
        out_text(&out, i == 0 ? "[" : ",");
        out_literal(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"eth_getTransactionByBlockNumberAndIndex\",\"params\":["
                          "\"0x1\",\"0x0\"],\"id\":\"");
        for (uint32_t n = 0; n < 1100; n++) out_char(&out, 'n');
        out_literal(&out, "\"}");
    }
    out_char(&out, ']');
    assert_false(out.overflow);
    request.body = out_slice(&out);
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_in_range(strlen(rig_body), 1, API_ANSWER_BYTES_MAX - 1);
    assert_true(json_is_valid(slice_of(rig_body)));
    for (const char *at = rig_body; (at = strstr(at, "\"result\":{")) != NULL; at++) told++;
    for (const char *at = rig_body;
         (at = strstr(at, "\"error\":{\"code\":-32000,\"message\":\"the answer is too large")) != NULL; at++)
        failed++;
    assert_in_range(told, 10, 20);
    assert_int_equal(told + failed, RPC_CALLS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_golden_transaction_is_told_field_by_field),
        T(the_legacy_rendering_is_of_type_0),
        T(a_block_has_the_fields_its_hash_is_made_of),
        T(the_genesis_is_block_0),
        T(what_is_out_of_range_is_null),
        T(every_malformed_parameter_is_named),
        T(a_receipt_has_a_log_per_fill_and_per_movement),
        T(damage_is_an_error_and_never_an_answer),
        T(the_balance_is_that_of_the_evm_ledger_with_18_decimals),
        T(answers_that_do_not_fit_are_errors_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
