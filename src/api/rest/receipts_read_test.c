/* SPDX-License-Identifier: MIT */
/* receipts_read_test.c — reads of the venue's decisions: compositions, receipts, rankings, the insurance fund. */
#include "rigs/api/perps_rig.h"

#include <errno.h>

static struct liquidated a_receipt(void)
{
    return (struct liquidated){ .receipt_id = 7,
                                .liquidation_id = 3,
                                .account_id = 1001,
                                .position_id = 77,
                                .symbol_id = BTC,
                                .stage = STAGE_ADL,
                                .margin_mode = MARGIN_CROSS,
                                .side = SIDE_SELL,
                                .round = 1,
                                .index_state = ORACLE_LIVE,
                                .refusal = FUND_NO_SYMBOL_BUDGET | FUND_NO_INVENTORY,
                                .candidates = 1,
                                .time_ms = NOW - 5,
                                .size_before = 100000,
                                .quantity = 100000,
                                .equity = -500000,
                                .maintenance = 1000000,
                                .mark = 990000,
                                .index = 980000,
                                .worse = 980000,
                                .price = 985000,
                                .value = 98500000000,
                                .slippage = 505050,
                                .fund_before = 1000000,
                                .fund_after = 1000000 };
}

static void rig_receipt(uint32_t role)
{
    rig_history.receipts[0] = (struct history_receipt){ .is = a_receipt(), .owner = 1002, .role = role, .seq = 9 };
    rig_history.receipt_count = 1;
    rig_history.ranks[0] = (struct adl_ranked){ .receipt_id = 7,
                                                .account_id = 1002,
                                                .group = 1,
                                                .score = 2500000000000,
                                                .leverage = 10000000,
                                                .size = 300000,
                                                .bears = 300000,
                                                .taken = 100000,
                                                .value = 98500000000 };
    rig_history.rank_count = 1;
    rig_history.place_seq = 9;
    rig_history.place = (struct tx_location){ .block = 12 };
}

/* The bytes that every client who knows the address can compute. */
static void hash_text(uint64_t receipt_id, uint64_t account_id, const struct address *owner, char into[80])
{
    uint8_t        said[18 + 8 + 8 + 20 + 8] = "dojima liquidation";
    uint64_t       numbers[3] = { rig_genesis.chain_ids[0], receipt_id, account_id };
    struct hash256 hash;

    for (int i = 0; i < 8; i++) {
        said[18 + i] = (uint8_t)(numbers[0] >> (56 - 8 * i));
        said[26 + i] = (uint8_t)(numbers[1] >> (56 - 8 * i));
        said[54 + i] = (uint8_t)(numbers[2] >> (56 - 8 * i));
    }
    memcpy(said + 34, owner, 20);
    hash = keccak256(said, sizeof(said));
    (void)sprintf(into, "\"account\":\"0x");
    for (int i = 0; i < 32; i++) (void)sprintf(into + 13 + 2 * i, "%02x", hash.bytes[i]);
}

static void a_receipt_hides_accounts_from_everybody_but_their_owners(void **state)
{
    char hidden[80];

    (void)state;
    rig_receipt(RECEIPT_PUBLIC);
    rig_get("/api/v1/perps/liquidations");
    hash_text(7, 1001, &rig_owner[0], hidden);
    rig_expect(hidden);
    rig_expect("{\"receiptID\":7,\"liquidationID\":3,\"symbol\":\"BTC-USD\",\"symbolID\":1,\"time\":1759999999995,"
               "\"block\":12,");
    rig_expect("\"fundRefusal\":[\"NO_SYMBOL_BUDGET\",\"NO_INVENTORY\"],\"fundBefore\":\"1\",\"fundAfter\":\"1\","
               "\"candidates\":1,");
    rig_expect("\"equity\":\"-0.5\",\"maintenance\":\"1\"");
    rig_expect("\"worsePrice\":\"98000\"");
    rig_expect("\"slippage\":\"0.0050505\"");
    rig_expect_not("accountID");
    rig_expect_not("positionID");
    assert_int_equal(rig_history.asked.account_id, 0);
    assert_int_equal(rig_history.asked.most, 200);
    rig_get("/api/v1/perps/liquidations/ranking?receiptID=7");
    hash_text(7, 1002, &rig_owner[1], hidden);
    rig_expect(hidden);
    rig_expect("\"score\":\"2.5\",\"leverage\":\"10\",\"size\":\"3\",\"bears\":\"3\",\"reached\":true,\"taken\":\"1\","
               "\"value\":\"98500\"}");
}

static void an_account_reads_its_own_part_plainly(void **state)
{
    (void)state;
    rig_receipt(RECEIPT_DELEVERAGED);
    rig_get("/api/v1/perps/accounts/%2/liquidations?symbol=BTC-USD&liquidationID=3&limit=9&fromID=8");
    rig_expect("{\"role\":\"DELEVERAGED\",\"accountID\":1002,\"own\":[{\"receiptID\":7,\"rank\":0,\"group\":1,");
    rig_expect_not("positionID");
    assert_int_equal(rig_history.asked.account_id, 1002);
    assert_int_equal(rig_history.asked.other_id, 3);
    assert_int_equal(rig_history.asked.from_id, 8);
    assert_int_equal(rig_history.asked.limit, 9);
    rig_history.receipts[0].role = RECEIPT_LIQUIDATED;
    rig_get("/api/v1/perps/accounts/%2/liquidations");
    rig_expect("{\"role\":\"LIQUIDATED\",\"accountID\":1002,\"positionID\":77,\"receiptID\":7,");
    rig_expect_not("\"own\"");
}

static void what_is_wrong_is_said(void **state)
{
    /* clang-format off */
    static const struct { const char *path; int code; } rows[] = {
        { "/api/v1/perps/liquidations?symbol=NONE", 40401 }, { "/api/v1/perps/liquidations?limit=0", 40001 },
          { "/api/v1/perps/liquidations?startTime=2&endTime=1", 40007 },
        { "/api/v1/perps/liquidations?liquidationID=0", 40001 }, { "/api/v1/perps/liquidations/ranking", 40001 },
          { "/api/v1/perps/liquidations/ranking?receiptID=8", 40406 },
        { "/api/v1/perps/markets/index-composition?symbol=NONE", 40401 },
          { "/api/v1/perps/accounts/0x12/liquidations", 40001 },
    };
    /* clang-format on */

    (void)state;
    rig_receipt(RECEIPT_PUBLIC);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_get(rows[i].path);
        assert_int_equal(rig_code(), rows[i].code);
    }
    rig_history.rank_count = -EUCLEAN;
    rig_get("/api/v1/perps/liquidations/ranking?receiptID=7");
    assert_int_equal(rig_code(), 50001);
}

static void a_held_back_candidate_says_what_it_needs(void **state)
{
    struct index_composed *composed = EVENT_ADD(&rig_events, INDEX_COMPOSED, index_composed, MARKET_PERPS);

    (void)state;
    rig_genesis.feeder_count = 1;
    rig_genesis.feeders[0].weight = 7;
    composed->symbol_id = BTC;
    composed->state = ORACLE_LIVE;
    composed->time_ms = NOW - 1000;
    composed->index = 1000000;
    composed->mark = 1000010;
    composed->median = composed->held_price = 1200000;
    composed->held_count = 2;
    composed->held_need = 3;
    composed->valid_count = composed->quorum = 1;
    composed->sources[INDEX_SOURCE_HAND] =
        (struct index_source){ .price = 1200000, .posted_ms = NOW - 1500, .valid = 1 };
    rig_apply();
    rig_get("/api/v1/perps/markets/index-composition?symbol=BTC-USD");
    rig_expect("\"state\":\"LIVE\",\"heldBack\":true,\"indexPrice\":\"100000\",\"markPrice\":\"100001\",\"time\":"
               "1759999999000,\"validSources\":1,\"quorum\":1,"
               "\"medianPrice\":\"120000\",\"candidatePrice\":\"120000\",\"candidateSeen\":2,\"candidateNeeded\":3,");
    rig_expect("{\"type\":\"HAND\",\"weight\":1,\"price\":\"120000\",\"updatedAt\":1759999998500,\"age\":1500,"
               "\"valid\":true}");
    rig_expect("\"weight\":7,\"valid\":false}"); /* it never posted: neither a price nor an age */
}

static void emit_fund(int64_t total)
{
    struct balance *event = EVENT_ADD(&rig_events, BALANCE, balance, MARKET_PERPS);

    event->account_id = ACCOUNT_FUND;
    event->total = total;
    rig_apply();
}

static void the_days_of_the_fund_add_up(void **state)
{
    (void)state;
    rig_genesis.rules.fund_total_ratio = 20000000;
    rig_genesis.rules.fund_loss_ratio = 10000000;
    emit_fund(1000000000);
    emit_fund(400000000);
    emit_fund(700000000);
    rig_get("/api/v1/perps/insurance-fund");
    rig_expect("\"coin\":\"vUSDC\",\"balance\":\"700\"");
    rig_expect("\"equity\":\"700\""); /* no TICK has emitted it: limits from the fund's balance */
    rig_expect("\"dayLoss\":\"0\",\"dayLossLimit\":\"140\"");
    rig_expect("\"dayLoss\":\"0\",\"dayLossLimit\":\"70\"");
    rig_expect(
        "\"begin\":\"0\",\"end\":\"700\",\"paid\":\"600\",\"received\":\"1300\",\"loss\":\"0\",\"beyond\":\"0\"}");
}

int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(a_receipt_hides_accounts_from_everybody_but_their_owners), TEST(an_account_reads_its_own_part_plainly),
            TEST(what_is_wrong_is_said),
        TEST(a_held_back_candidate_says_what_it_needs), TEST(the_days_of_the_fund_add_up),
    };
    /* clang-format on */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
