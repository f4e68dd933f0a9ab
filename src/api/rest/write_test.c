/* SPDX-License-Identifier: MIT */
/* write_test.c — accepted signed writes with real signatures. */
#include "rigs/api/write_rig.h"

static void a_signed_batch_becomes_a_command_with_its_proof(void **state)
{
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));
    const char         *signed_bytes = "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}";
    struct hash256      payload = keccak256(signed_bytes, strlen(signed_bytes));

    (void)state;
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json; charset=utf-8");
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_string_equal(rig_write.endpoint->name, "POST /trade/orders/batch");
    assert_true(slice_is(rig_write.signed_bytes, signed_bytes));
    assert_int_equal(rig_write.room.head.kind, CMD_PLACE_ORDERS);
    assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + PAYLOAD_BYTES(place_orders, 1));
    assert_int_equal(rig_write.room.head.bytes % 8, 0);
    assert_int_equal(rig_write.room.head.market, MARKET_SPOT);
    assert_int_equal(rig_write.room.head.domain, DOMAIN_SPOT);
    assert_int_equal(rig_write.room.head.nonce, NOW);
    assert_int_equal(rig_write.room.head.chain_id, 286623);
    assert_memory_equal(&rig_write.room.head.payload_tag, payload.bytes, 8);
    assert_true(address_equal(&rig_write.room.head.signer, &rig_owner[0]));
    assert_int_equal(rig_write.room.place_orders.account_id, 1001);
    assert_int_equal(rig_write.room.place_orders.count, 1);
    assert_int_equal(rig_write.room.place_orders.items[0].price.digits, 95000);
    assert_int_equal(rig_write.room.place_orders.items[0].quantity.scale, 2);
    assert_int_not_equal(rig_write.class, CLASS_CANCEL);
    assert_false(rig_write.warn_foreign);
}

/* Vector V1 of the wire reference: a signature made by another program. */
static void the_published_signature_of_a_spot_batch_is_accepted(void **state)
{
    static const char *const body = "{\"accountID\":1003,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"spot-limit-1\","
                                    "\"side\":1,\"type\":1,\"timeInForce\":1,"
                                    "\"price\":\"95000\",\"quantity\":\"0.01\"},{\"symbolID\":1,\"clOrdID\":\"spot-mkt-"
                                    "1\",\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"250.5\"}]}";
    struct http_request request = place("", "0x01c34fa7bf19083da6c477e3327da115814aa5973cbdd175f8917df22aa4cd08d6785c53"
                                            "b4fad878d9f0a1fea2a190e7042523c0f2f3a543cede9a45260936aefd00");
    char                text[512];

    (void)state;
    snprintf(text, sizeof(text), "%s", body);
    memcpy(strstr(text, "1003"), "1001", 4); /* the vector signs for 1001 */
    rig_publish_owner();
    request.body = slice_of(text);
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.place_orders.count, 2);
    assert_true(rig_write.warn_foreign); /* not an account of this genesis, on a public chain id */
}

static void white_space_never_matters(void **state)
{
    struct http_request request = place(" { \"accountID\" : 1001 ,\r\n\t\"orders\":[ "
                                        "{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                        "\"price\":\"95000\",\"quantity\":\"0.01\"} ] } ",
                                        sign_place(ONE_ORDER));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}"));
}

static void the_body_as_received_and_its_canonical_form_are_both_good(void **state)
{
    static const char *const shuffled =
        "{\"orders\":[{\"clOrdID\":\"a-1\",\"symbolID\":1,\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"quantity\":\"0.0100\",\"price\":\"95000.0\"}],\"accountID\":1001}";
    struct http_request request = place(shuffled, sign_place(shuffled));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.signed_bytes.len, strlen(shuffled) + strlen("{\"type\":\"batchNewOrder\",\"params\":}"));
    request = place(shuffled, sign_place(ONE_ORDER));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"batchNewOrder\",\"params\":" ONE_ORDER "}"));
}

/* Ruling 5, and the switch of wire 7.1 row 3: by the text that was sent, also when its canonical form was signed. */
static void zeros_at_the_end_are_refused_where_that_is_asked_for(void **state)
{
    static const char *const padded =
        "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.010\"}]}";
    struct http_request request = place(padded, sign_place(padded));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    rig_shared.settings.strict_decimals = true;
    expect_refused(&request, 42202);
    rig_expect("\"error\":\"quantity is invalid\"");
    rig_expect("\"rule\":\"no zeros at the end behind the point (setting "
               "strictDecimals)\",\"field\":\"orders[0].quantity\",\"got\":\"\\\"0.010\\\"\"");
    request = place(padded, sign_place(ONE_ORDER));
    expect_refused(&request, 42202);
    request = place(ONE_ORDER, sign_place(ONE_ORDER)); /* 95000 ends in zeros before the point */
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

static void every_spelling_of_signature_and_main_wallet_is_taken(void **state)
{
    char                text[135];
    struct http_request request;

    (void)state;
    snprintf(text, sizeof(text), "%s", sign_place(ONE_ORDER));
    request = place(ONE_ORDER, text + 2); /* without 0x */
    assert_int_equal(rig_handle(&request), API_COMMAND);
    for (char *at = text + 2; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'f') *at = (char)(*at - 32);
    request = place(ONE_ORDER, text); /* upper case */
    rig_put_header(&request, HEADER_API_KEY, "default");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    memcpy(text + 132, text[133] == '0' ? "1b" : "1c", 2); /* v 27, 28 */
    request = place(ONE_ORDER, text);
    rig_put_header(&request, HEADER_API_KEY, "");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_in_range(rig_write.signature.v, 0, 1);
}

static void both_chain_ids_are_tried_unless_the_header_picks_one(void **state)
{
    const char         *sign = sign_as(0, rig_secret[0], DOMAIN_SPOT, 138565, "batchNewOrder", ONE_ORDER, NOW);
    struct http_request request = place(ONE_ORDER, sign);

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.head.chain_id, 138565);
    rig_put_header(&request, HEADER_API_CHAIN, "138565");
    assert_int_equal(rig_handle(&request), API_COMMAND);
    rig_put_header(&request, HEADER_API_CHAIN, "286623");
    expect_refused(&request, 40101);
    rig_put_header(&request, HEADER_API_CHAIN, "1");
    expect_refused(&request, 40101);
    rig_expect("\"field\":\"X-API-Chain\",\"got\":\"1\"");
}

static void production_refuses_public_chain_ids_unless_told(void **state)
{
    struct http_request request = place(ONE_ORDER, sign_place(ONE_ORDER));

    (void)state;
    rig_shared.settings.development = false;
    rig_genesis.chain_ids[1] = 777;
    rig_api = api_init(rig_api, &rig_shared);
    expect_refused(&request, 40101);
    request = place(ONE_ORDER, sign_as(0, rig_secret[0], DOMAIN_SPOT, 777, "batchNewOrder", ONE_ORDER, NOW));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_false(rig_write.warn_foreign);
    rig_shared.settings.allow_public_chain_ids = true;
    rig_api = api_init(rig_api, &rig_shared);
    request = place(ONE_ORDER, sign_place(ONE_ORDER));
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

static void account_zero_or_absent_is_the_signers_primary_one(void **state)
{
    static const char *const bodies[] = {
        "{\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\","
        "\"quantity\":\"0.01\"}]}",
        "{\"accountID\":0,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"
        "\"price\":\"95000\",\"quantity\":\"0.01\"}]}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        struct http_request request = place(bodies[i], sign_place(bodies[i]));
        assert_int_equal(rig_handle(&request), API_COMMAND);
        assert_int_equal(rig_write.room.place_orders.account_id, 0);
        request = place(bodies[i], sign_as(0, rig_secret[2], DOMAIN_SPOT, 286623, "batchNewOrder", bodies[i], NOW));
        expect_refused(&request, 40101);
        rig_expect("the recovered address has no account");
    }
}

static void every_write_row_makes_its_command(void **state)
{
    /* clang-format off */
    static const struct { uint8_t method; const char *path, *type, *body; uint16_t kind; bool reduces; } rows[] = {
        { HTTP_POST, PLACE, "batchNewOrder", ONE_ORDER, CMD_PLACE_ORDERS, false },
        { HTTP_DELETE, PLACE, "batchCancelOrder", ONE_CANCEL, CMD_CANCEL_ORDERS, true },
        { HTTP_POST, "/api/v1/spot/trade/orders/replace", "replaceOrder",
          "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"r-1\",\"origOrderID\":7,"
              "\"price\":\"95001\"}]}", CMD_REPLACE_ORDERS, false },
        { HTTP_POST, "/api/v1/spot/trade/orders/schedule-cancel", "scheduleCancel",
          "{\"accountID\":1001,\"scheduledTimestamp\":1760000010000}", CMD_SCHEDULE_CANCEL, true },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request =
            place(rows[i].body, sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, rows[i].type, rows[i].body, NOW));
        request.method = rows[i].method;
        request.path = slice_of(rows[i].path);
        assert_int_equal(rig_handle(&request), API_COMMAND);
        assert_int_equal(rig_write.room.head.kind, rows[i].kind);
        assert_int_equal(rig_write.class == CLASS_CANCEL, rows[i].reduces);
        assert_true(rig_write.room.head.bytes <= sizeof(struct command_room));
        for (size_t other = 0; other < ARRAY_COUNT(rows); other++) { /* the type is part of the signed text */
            if (other == i) continue;
            rig_put_header(&request, HEADER_API_SIGN,
                           sign_as(1, rig_secret[0], DOMAIN_SPOT, 286623, rows[other].type, rows[i].body, NOW));
            expect_refused(&request, 40101);
        }
    }
}

static void the_largest_batch_passes_and_one_more_does_not(void **state)
{
    static char body[64 * 1024];

    (void)state;
    for (int count = 99; count <= 101; count++) {
        struct out          out = out_make(body, sizeof(body) - 1);
        struct http_request request;
        out_literal(&out, "{\"accountID\":1001,\"orders\":[");
        for (int i = 0; i < count; i++) {
            out_text(&out, i == 0 ? "" : ",");
            out_literal(&out, "{\"symbolID\":1,\"clOrdID\":\"batch-");
            out_i64(&out, i);
            out_literal(&out, "\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":\"0.01\"}");
        }
        out_literal(&out, "]}");
        body[out.len] = '\0';
        request = place(body, sign_place(body));
        if (count > BATCH_MAX) {
            expect_refused(&request, 40003);
        } else {
            assert_int_equal(rig_handle(&request), API_COMMAND);
            assert_int_equal(rig_write.room.head.bytes, sizeof(struct command) + PAYLOAD_BYTES(place_orders, count));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_signed_batch_becomes_a_command_with_its_proof),
        TEST(the_published_signature_of_a_spot_batch_is_accepted),
        TEST(white_space_never_matters),
        TEST(the_body_as_received_and_its_canonical_form_are_both_good),
        TEST(zeros_at_the_end_are_refused_where_that_is_asked_for),
        TEST(every_spelling_of_signature_and_main_wallet_is_taken),
        TEST(both_chain_ids_are_tried_unless_the_header_picks_one),
        TEST(production_refuses_public_chain_ids_unless_told),
        TEST(account_zero_or_absent_is_the_signers_primary_one),
        TEST(every_write_row_makes_its_command),
        TEST(the_largest_batch_passes_and_one_more_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
