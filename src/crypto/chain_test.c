/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hex.h"
#include "crypto/chain.h"
#include "crypto/rlp.h"

static int set_up(void **state)
{
    (void)state;
    return crypto_init() ? 0 : -1;
}

static void assert_hash(struct hash256 hash, const char *hex)
{
    struct hash256 wanted;
    assert_true(hex_read_0x(slice_of(hex), wanted.bytes, 32));
    assert_memory_equal(hash.bytes, wanted.bytes, 32);
}

/* mechanics E17 */
static const char e17_params[] =
    "{\"accountID\":1001,\"orders\":[{\"symbolID\":42,\"clOrdID\":\"order-001\",\"side\":1,\"type\":1,"
    "\"timeInForce\":1,\"price\":\"50000\",\"quantity\":\"0.1\"}]}";
static const char e17_payload[] =
    "{\"type\":\"batchNewOrder\",\"params\":{\"accountID\":1001,\"orders\":[{\"symbolID\":42,\"clOrdID\":\"order-001\","
    "\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"50000\",\"quantity\":\"0.1\"}]}}";
static const char e17_signature[] =
    "0x01641c5ba6f66af45475184ca753c974b6fbd6115407ee22abade94142df21bd451d8c0e61405155a2ded314bae5f7e490"
    "723ae6fd0e6816c4c474d1ec88df4d1100";

static struct transaction e17_transaction(void)
{
    struct transaction tx = { .type = TX_SIGNED,
                              .chain_id = 286623,
                              .nonce = 100,
                              .to = chain_address(0x1001),
                              .input = slice_of(e17_payload),
                              .domain = 0 };
    assert_true(signature_read(slice_of(e17_signature), &tx.signature));
    return tx;
}

/* The raw form; needs input.len + 256 bytes. */
static void transaction_raw(const struct transaction *tx, struct out *out)
{
    struct transaction_parts parts;
    struct eight_job         job = transaction_job(tx, &parts, NULL);

    for (uint32_t i = 0; i < EIGHT_PARTS; i++) out_slice_put(out, job.parts[i]);
}

static void e17_the_transaction_of_a_signed_action(void **state)
{
    struct transaction tx = e17_transaction();
    struct hash256     separator = domain_separator(DOMAIN_SPOT, 286623);
    struct hash256     payload = payload_hash(SLICE("batchNewOrder"), slice_of(e17_params)), digest;
    struct address     signer, wanted;
    char               raw[1024];
    struct out         out = out_make(raw, sizeof(raw));

    (void)state;
    assert_hash(payload, "0x79266447c6ec27cf89b94aabb305a3024db881fea07ca20fb8f9a741d27fed24");
    digest = action_digest(&separator, &payload, 100);
    assert_hash(digest, "0xb57d91076b378652ebe59224ad82e729f3c2efa9790ac30d762bdada62b19cea");
    assert_true(recover_signer(&digest, &tx.signature, &signer));
    assert_true(hex_read_0x(SLICE("0x14791697260e4c9a71f18484c9f997b308e59325"), wanted.bytes, 20));
    assert_memory_equal(signer.bytes, wanted.bytes, 20);

    transaction_raw(&tx, &out);
    assert_false(out.overflow);
    assert_int_equal(out.len, 269);
    assert_hash(keccak256(out.at, out.len), "0x5145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f3");
    assert_hash(transaction_hash(&tx), "0x5145c0e4d0a6777d8cfbd037aa65ba848669b4b2c0f4be74c77dd0ab3e6ac3f3");
}

static void e17_the_genesis_and_the_block_of_it(void **state)
{
    struct transaction  tx = e17_transaction();
    struct hash256      hash = transaction_hash(&tx);
    struct block_header genesis = { .state_root = keccak256("state0", 6),
                                    .transactions_root = empty_trie_root(),
                                    .receipts_root = empty_trie_root(),
                                    .number = 0,
                                    .time_ms = 1776000000000 };
    struct block_header block = genesis;

    (void)state;
    assert_hash(empty_trie_root(), "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
    block.parent_hash = block_hash(&genesis);
    block.transactions_root = keccak256(hash.bytes, 32);
    block.number = 1;
    block.time_ms = 1776000000123;
    assert_hash(block.parent_hash, "0x2616714f7098ab2fc0008ec0bd664a4dcd0cd22ecce527a0cb174916c0915ba1");
    assert_hash(block_hash(&block), "0x708f9f6b028d19fd35696c589267c8d0d33883283f31d67d9b4776f816fc5736");
}

static void a_system_transaction_has_no_signature(void **state)
{
    struct transaction tx = {
        .type = TX_SYSTEM, .chain_id = 1, .nonce = 0, .to = chain_address(0x1004), .input = SLICE("{}"), .domain = 2
    };
    char       raw[64], hex[128];
    struct out out = out_make(raw, sizeof(raw)), text = out_make(hex, sizeof(hex));

    (void)state;
    transaction_raw(&tx, &out);
    out_hex(&text, out.at, out.len);
    assert_true(slice_is(out_slice(&text), "54df01809400000000000000000000000000000000000010048082"
                                           "7b7d"
                                           "02808080"));
}

/* Money and keys belong to the gateway, prices to the oracle, orders to their engine. */
static void a_transaction_goes_where_its_kind_belongs(void **state)
{
    /* clang-format off */
    static const struct { uint16_t kind; uint8_t market, domain, number; bool gateway; uint16_t contract; } rows[] = {
        { CMD_PLACE_ORDERS, MARKET_SPOT,  DOMAIN_SPOT,      0, false, 0x1001 },
        { CMD_PLACE_PERPS,  MARKET_PERPS, DOMAIN_FUTURES,   1, false, 0x1002 },
        { CMD_ORACLE_POST,  0,            DOMAIN_ORACLE,    2, false, 0x1003 },
        { CMD_TRANSFER,     MARKET_SPOT,  DOMAIN_SPOT,      0, true,  0 },
        { CMD_TRANSFER,     MARKET_PERPS, DOMAIN_FUTURES,   1, true,  0 },
        { CMD_ADD_KEY,      0,            DOMAIN_UNIVERSAL, 2, true,  0 },
        { CMD_REVOKE_KEY,   0,            DOMAIN_UNIVERSAL, 2, true,  0 },
    };
    /* clang-format on */
    uint8_t signature[65] = { [0] = 1, [63] = 2, [64] = 1 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct command command = {
            .kind = rows[i].kind, .market = rows[i].market, .domain = rows[i].domain, .chain_id = 77, .nonce = 9
        };
        struct transaction tx = transaction_of(&command, SLICE("x"), signature);
        struct address     to = rows[i].gateway ? gateway_address() : chain_address(rows[i].contract);

        assert_true(address_equal(&tx.to, &to));
        assert_int_equal(tx.type, TX_SIGNED);
        assert_int_equal(tx.domain, rows[i].number);
        assert_int_equal(tx.chain_id, 77);
        assert_int_equal(tx.nonce, 9);
        assert_int_equal(tx.signature.r[0] + 16 * tx.signature.s[31] + 256 * tx.signature.v, 1 + 32 + 256);
        command.domain = 0;
        tx = transaction_of(&command, SLICE("x"), signature);
        to = chain_address(0x1004);
        assert_true(tx.type == TX_SYSTEM && tx.domain == 2 && address_equal(&tx.to, &to));
    }
}

static void one_byte_below_0x80_stands_for_itself(void **state)
{
    static const struct {
        char   byte;
        size_t bytes;
    } rows[] = { { 0, 1 }, { 0x7f, 1 }, { (char)0x80, 2 }, { (char)0xff, 2 } };
    struct transaction tx = {
        .type = TX_SYSTEM, .chain_id = 1, .to = chain_address(0x1004), .domain = 2, .input = { NULL, 0 }
    };
    char       raw[64];
    struct out empty = out_make(raw, sizeof(raw));

    (void)state;
    transaction_raw(&tx, &empty);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct out out = out_make(raw, sizeof(raw));

        tx.input = slice_make(&rows[i].byte, 1);
        transaction_raw(&tx, &out);
        assert_int_equal(out.len, empty.len - 1 + rows[i].bytes); /* nothing is one byte as well: 0x80 */
    }
}

static void hashing_streams_what_raw_writes_for_any_length_of_input(void **state)
{
    static char        input[70000], raw[70400];
    struct transaction tx = e17_transaction();

    (void)state;
    memset(input, 'x', sizeof(input));
    for (size_t len = 0; len < sizeof(input); len = len < 300 ? len + 1 : len * 2 + 1) {
        struct out     out = out_make(raw, sizeof(raw));
        struct hash256 hash, streamed;

        tx.input = slice_make(input, len);
        transaction_raw(&tx, &out);
        assert_false(out.overflow);
        assert_true(out.len <= len + 256);
        hash = keccak256(out.at, out.len);
        streamed = transaction_hash(&tx);
        assert_memory_equal(hash.bytes, streamed.bytes, 32);
    }
}

static void every_field_of_a_header_changes_its_hash(void **state)
{
    const struct block_header plain = { .number = 7, .time_ms = 1776000000123 };
    struct hash256            before = block_hash(&plain), after;

    (void)state;
    for (int field = 0; field < 6; field++) {
        struct block_header other = plain;
        if (field == 0) other.parent_hash.bytes[0] = 1;
        if (field == 1) other.state_root.bytes[0] = 1;
        if (field == 2) other.transactions_root.bytes[0] = 1;
        if (field == 3) other.receipts_root.bytes[0] = 1;
        if (field == 4) other.number += 1;
        if (field == 5) other.time_ms += 1; /* below a second: in extraData */
        after = block_hash(&other);
        assert_memory_not_equal(before.bytes, after.bytes, 32);
    }
}

/* --- RLP, with the examples of the Ethereum wiki -------------------------------------------- */

static void assert_written(const struct out *out, const char *hex)
{
    char       text[256];
    struct out shown = out_make(text, sizeof(text));

    out_hex(&shown, out->at, out->len);
    if (!slice_is(out_slice(&shown), hex)) fail_msg("%.*s instead of %s", (int)shown.len, shown.at, hex);
}

static void rlp_writes_strings_numbers_and_lengths(void **state)
{
    /* clang-format off */
    static const struct { uint64_t value; const char *hex; } numbers[] = {
        { 0, "80" }, { 1, "01" }, { 15, "0f" }, { 127, "7f" }, { 128, "8180" }, { 255, "81ff" }, { 256, "820100" },
        { 1024, "820400" }, { UINT64_MAX, "88ffffffffffffffff" },
    };
    /* clang-format on */
    /* clang-format off */
    static const struct { size_t len; const char *string, *list; } heads[] = {
        { 0, "80", "c0" }, { 55, "b7", "f7" }, { 56, "b838", "f838" }, { 255, "b8ff", "f8ff" },
        { 256, "b90100", "f90100" }, { 65536, "ba010000", "fa010000" },
    };
    /* clang-format on */
    char       bytes[128];
    struct out out;
    uint8_t    word[32] = { 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        out = out_make(bytes, sizeof(bytes));
        rlp_u64(&out, numbers[i].value);
        assert_written(&out, numbers[i].hex);
    }
    for (size_t i = 0; i < ARRAY_COUNT(heads); i++) {
        out = out_make(bytes, sizeof(bytes));
        rlp_head(&out, RLP_STRING, heads[i].len);
        assert_written(&out, heads[i].string);
        out = out_make(bytes, sizeof(bytes));
        rlp_head(&out, RLP_LIST, heads[i].len);
        assert_written(&out, heads[i].list);
    }
    out = out_make(bytes, sizeof(bytes));
    rlp_bytes(&out, "dog", 3);
    rlp_bytes(&out, "", 0);
    rlp_bytes(&out, "\x7f", 1);
    rlp_bytes(&out, "\x80", 1);
    rlp_word(&out, word);
    word[31] = 5;
    rlp_word(&out, word);
    word[30] = 1;
    rlp_word(&out, word);
    assert_written(&out, "83646f67"
                         "80"
                         "7f"
                         "8180"
                         "80"
                         "05"
                         "820105");
}

/* Decision 237: the hash of a marked command is unique by its number, whatever the room of the signature holds. */
static void a_command_without_a_signature_is_a_system_transaction_to_its_engine(void **state)
{
    struct command     command = { .kind = CMD_PLACE_PERPS,
                                   .market = MARKET_PERPS,
                                   .domain = COMMAND_BY_TRADER | DOMAIN_FUTURES,
                                   .chain_id = 286623,
                                   .nonce = 7 };
    const uint8_t      signature[65] = { 0 };
    struct transaction tx = transaction_of(&command, slice_make("", 0), signature), next;
    struct hash256     hash = transaction_hash(&tx), other;
    struct address     perps = chain_address(0x1002);
    (void)state;

    assert_int_equal(tx.type, TX_SYSTEM);
    assert_true(address_equal(&tx.to, &perps));
    assert_int_equal(tx.domain, 1);
    command.nonce = 8;
    next = transaction_of(&command, slice_make("", 0), signature);
    other = transaction_hash(&next);
    assert_false(hash256_equal(&hash, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e17_the_transaction_of_a_signed_action),
        cmocka_unit_test(e17_the_genesis_and_the_block_of_it),
        cmocka_unit_test(a_system_transaction_has_no_signature),
        cmocka_unit_test(a_transaction_goes_where_its_kind_belongs),
        cmocka_unit_test(one_byte_below_0x80_stands_for_itself),
        cmocka_unit_test(hashing_streams_what_raw_writes_for_any_length_of_input),
        cmocka_unit_test(every_field_of_a_header_changes_its_hash),
        cmocka_unit_test(rlp_writes_strings_numbers_and_lengths),
        cmocka_unit_test(a_command_without_a_signature_is_a_system_transaction_to_its_engine),
    };
    return cmocka_run_group_tests_name("chain", tests, set_up, NULL);
}
