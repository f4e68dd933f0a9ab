/* SPDX-License-Identifier: MIT */
/*
 * write_perps_test.c — signed writes of the perps base: the published signatures, every row, its domain, and the
 * bounds of payloads.
 */
#include "rigs/api/signed_rig.h"
#include "rigs/spec_json.h"

#define BASE "/api/v1/perps"
#define LIMIT_ITEM                                                                                                     \
    "{\"clOrdID\":\"a-1\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\",\"quantity\":"    \
    "\"0.01\","                                                                                                        \
    "\"reduceOnly\":false,\"positionSide\":1}"
#define PLACE(items, more) "{\"accountID\":1001,\"symbolID\":1,\"orders\":[" items "]" more "}"
#define PROFIT                                                                                                         \
    ",{\"clOrdID\":\"a-2\",\"modifier\":4,\"side\":2,\"type\":2,\"timeInForce\":3,\"stopPrice\":\"99000\","            \
    "\"stopType\":2,\"triggerType\":2,"                                                                                \
    "\"reduceOnly\":true,\"positionSide\":1}"

/* clang-format off */
static const struct row { uint8_t method; const char *path, *type, *body; uint16_t kind; size_t payload; bool reduces;
    } rows[] = {
    { HTTP_POST, BASE "/trade/orders", "newOrder", PLACE(LIMIT_ITEM, ""), CMD_PLACE_PERPS,
      PAYLOAD_BYTES(place_perps, 1), false },
    { HTTP_DELETE, BASE "/trade/orders", "cancelOrder",
      "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"a-1\"},{\"symbolID\":1,\"orderID\":7}]}",
      CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 2), true },
    { HTTP_POST, BASE "/trade/orders/replace", "replaceOrder",
      "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"r-1\",\"origClOrdID\":\"a-1\","
          "\"price\":\"95001\"}]}",
      CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1), false },
    { HTTP_POST, BASE "/trade/orders/modify", "modifyOrder",
      "{\"accountID\":1001,\"symbolID\":1,\"clOrdID\":\"a-2\",\"stopPrice\":\"98000\"}",
      CMD_MODIFY_ORDER, sizeof(struct modify_order), false },
    { HTTP_POST, BASE "/trade/orders/schedule-cancel", "scheduleCancel",
      "{\"accountID\":1001,\"scheduledTimestamp\":1760000010000}",
      CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel), true },
    { HTTP_POST, BASE "/trade/leverage", "updateLeverage",
      "{\"accountID\":1001,\"symbolID\":1,\"leverage\":10,\"marginMode\":1}",
      CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage), false },
    { HTTP_POST, BASE "/trade/margin", "updateMargin", "{\"accountID\":1001,\"symbolID\":1,\"amount\":\"-50.5\"}",
      CMD_UPDATE_MARGIN, sizeof(struct update_margin), false },
};
/* clang-format on */

static const char *sign_perps(const uint8_t secret[32], uint8_t domain, const char *type, const char *params)
{
    return sign_as(0, secret, domain, 286623, type, params, NOW);
}

static struct http_request write_row(const struct row *row, const char *body, const char *sign)
{
    return write_of(row->method, row->path, body, sign);
}

static void every_row_makes_its_command_in_the_domain_futures(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request =
            write_row(&rows[i], rows[i].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[i].type, rows[i].body));

        if (rig_handle(&request) != API_COMMAND) fail_msg("%s: %s", rows[i].path, rig_body);
        assert_int_equal(rig_write.room.head.kind, rows[i].kind);
        assert_int_equal(rig_write.room.head.bytes, align_up(sizeof(struct command) + rows[i].payload, 8));
        assert_int_equal(rig_write.room.head.market, MARKET_PERPS);
        assert_int_equal(rig_write.room.head.domain, DOMAIN_FUTURES);
        assert_int_equal(rig_write.room.place_perps.account_id, 1001);
        assert_int_equal(rig_write.class == CLASS_CANCEL, rows[i].reduces);
        rig_put_header(&request, HEADER_API_SIGN, sign_perps(rig_secret[0], DOMAIN_SPOT, rows[i].type, rows[i].body));
        expect_refused(&request, 40101);
        for (size_t other = 0; other < ARRAY_COUNT(rows); other++) { /* the type is part of the signed text */
            if (other == i) continue;
            rig_put_header(&request, HEADER_API_SIGN,
                           sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[other].type, rows[i].body));
            expect_refused(&request, 40101);
        }
        rig_put_header(&request, HEADER_API_SIGN,
                       sign_perps(rig_secret[1], DOMAIN_FUTURES, rows[i].type, rows[i].body));
        expect_refused(&request, 40101);
    }
}

static void payloads_arrive_as_they_were_sent(void **state)
{
    struct http_request request =
        write_row(&rows[0], rows[0].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[0].type, rows[0].body));
    const struct perps_order *order = &rig_write.room.place_perps.items[0];

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.place_perps.symbol_id, 1);
    assert_int_equal(rig_write.room.place_perps.count, 1);
    assert_int_equal(order->modifier, MODIFIER_NORMAL);
    assert_int_equal(order->reduce_only, 0);
    assert_int_equal(order->position_side, POSITION_BOTH);
    assert_int_equal(order->price.digits, 95000);
    request = write_row(&rows[6], rows[6].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[6].type, rows[6].body));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.update_margin.amount.digits, -505);
    assert_int_equal(rig_write.room.update_margin.amount.scale, 1);
    request = write_row(&rows[1], rows[1].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[1].type, rows[1].body));
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_int_equal(rig_write.room.cancel_perps.items[0].order_id, 0);
    assert_true(slice_is(client_id_slice(&rig_write.room.cancel_perps.items[0].client_id), "a-1"));
    assert_int_equal(rig_write.room.cancel_perps.items[1].order_id, 7);
}

/* Another order of keys and other spellings of numbers are good when the canonical form was signed (ruling 4). */
static void the_canonical_form_is_good_too(void **state)
{
    static const char shuffled[] =
        "{\"symbolID\":1,\"accountID\":1001,\"orders\":[{\"modifier\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,"
        "\"timeInForce\":1,"
        "\"quantity\":\"0.0100\",\"price\":\"95000.0\",\"positionSide\":1,\"reduceOnly\":false}]}";
    struct http_request request =
        write_row(&rows[0], shuffled, sign_perps(rig_secret[0], DOMAIN_FUTURES, "newOrder", PLACE(LIMIT_ITEM, "")));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    assert_true(slice_is(rig_write.signed_bytes, "{\"type\":\"newOrder\",\"params\":" PLACE(LIMIT_ITEM, "") "}"));
    rig_put_header(&request, HEADER_API_SIGN, sign_perps(rig_secret[0], DOMAIN_FUTURES, "newOrder", shuffled));
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

/* V2, V2b, V3b, V5, V8 to V10, V18, V19 of the wire reference: signatures made by another program. */
static void the_published_signatures_are_accepted(void **state)
{
    static const struct row transfer = { .method = HTTP_POST,
                                         .path = BASE "/accounts/transfers",
                                         .type = "transferAsset" };
    json_t                 *vectors = load_json("wire_vectors.json"), *vector;
    size_t                  index, accepted = 0;

    (void)state;
    rig_publish_owner();
    json_array_foreach(vectors, index, vector) {
        const char *domain = json_string_value(json_object_get(vector, "domain")),
                   *text = json_string_value(json_object_get(vector, "json"));
        const struct row   *row = NULL;
        struct http_request request;

        if (domain == NULL || strcmp(domain, "futures") != 0 || text == NULL) continue;
        for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
            if (strncmp(text + strlen("{\"type\":\""), rows[i].type, strlen(rows[i].type)) == 0) row = &rows[i];
        if (strstr(text, transfer.type) != NULL) row = &transfer;
        if (row == NULL) continue; /* a TWAP order */
        request = write_row(row, json_string_value(json_object_get(vector, "body")),
                            json_string_value(json_object_get(vector, "xApiSign")));
        rig_put_header(&request, HEADER_API_NONCE, json_string_value(json_object_get(vector, "nonce")));
        if (rig_handle(&request) != API_COMMAND)
            fail_msg("%s: %s", json_string_value(json_object_get(vector, "label")), rig_body);
        assert_true(slice_is(rig_write.signed_bytes, text));
        assert_true(address_equal(&rig_write.room.head.signer, &published_owner));
        accepted += 1;
    }
    assert_int_equal(accepted, 9);
    json_decref(vectors);
}

/* One error for the whole request, which names the rule and the key, and the nonce stays (ruling 33). */
static void what_payloads_may_not_say_fails_the_whole_request(void **state)
{
    /* clang-format off */
    static const struct { int row, code; const char *body, *field; } bad[] = {
        { 0, 40003, PLACE("", ""), "\"field\":\"orders\"" },
        { 0, 40002, PLACE("{\"clOrdID\":\"a-1\",\"modifier\":2,\"side\":1,\"type\":2,\"timeInForce\":3,"
          "\"quantity\":\"1\",\"reduceOnly\":false,\"positionSide\":1}", ""),
          "\"field\":\"orders[0].stopPrice\"" },
        { 0, 40002, PLACE(LIMIT_ITEM PROFIT, ""), "\"field\":\"orders[1].modifier\",\"got\":\"4\"" },
        { 0, 42018, PLACE("{\"clOrdID\":\"a-1\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":2,"
          "\"price\":\"1\",\"quantity\":\"1\",\"reduceOnly\":false,\"positionSide\":1}", ""),
          "\"field\":\"orders[0].timeInForce\",\"got\":\"2\"" },
        { 0, 40001, PLACE("{\"clOrdID\":\"a-1\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,"
          "\"price\":\"1\",\"quantity\":\"1\",\"positionSide\":1}", ""),
          "\"field\":\"orders[0].reduceOnly\"" },
        { 0, 40001, "{\"accountID\":1001,\"symbolID\":1,\"orders\":[" LIMIT_ITEM "],\"nonsense\":1}",
          "\"field\":\"nonsense\"" },
        { 1, 40002, "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"orderID\":1}]}",
          "\"field\":\"cancels[0].orderID\",\"got\":\"1\"" },
        { 1, 40003, "{\"accountID\":1001,\"cancels\":[]}", "\"field\":\"cancels\"" },
        { 3, 40002, "{\"accountID\":1001,\"symbolID\":1,\"orderID\":1}", "\"field\":\"stopPrice\"" },
        { 4, 40001, "{\"scheduledTimestamp\":1760000010000}", "\"field\":\"accountID\"" },
        { 5, 40001, "{\"accountID\":1001,\"symbolID\":1,\"leverage\":10,\"marginMode\":3}",
          "\"field\":\"marginMode\",\"got\":\"3\"" },
        { 6, 40001, "{\"accountID\":1001,\"symbolID\":1,\"amount\":\"0\"}", "\"field\":\"amount\"" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        const struct row   *row = &rows[bad[i].row];
        struct http_request request =
            write_row(row, bad[i].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, row->type, bad[i].body));
        expect_refused(&request, bad[i].code);
        rig_expect(bad[i].field);
    }
}

static void a_strict_venue_takes_no_long_and_short(void **state)
{
    static const char body[] = PLACE(
        LIMIT_ITEM ",{\"clOrdID\":\"a-2\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000\","
                   "\"quantity\":\"0.01\",\"reduceOnly\":false,\"positionSide\":2}",
        "");
    struct http_request request =
        write_row(&rows[0], body, sign_perps(rig_secret[0], DOMAIN_FUTURES, "newOrder", body));

    (void)state;
    assert_int_equal(rig_handle(&request), API_COMMAND);
    rig_genesis.rules.strict_position_side = 1;
    expect_refused(&request, 40002);
    rig_expect("\"field\":\"orders[1].positionSide\",\"got\":\"2\"");
    request = write_row(&rows[0], rows[0].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, "newOrder", rows[0].body));
    assert_int_equal(rig_handle(&request), API_COMMAND);
}

static void a_builder_is_not_supported_once_the_signature_is_good(void **state)
{
    static const char   body[] = PLACE(LIMIT_ITEM, ",\"builder\":{\"id\":1,\"fee\":2}");
    struct http_request request =
        write_row(&rows[0], body, sign_perps(rig_secret[1], DOMAIN_FUTURES, "newOrder", body));

    (void)state;
    expect_refused(&request, 40101);
    rig_put_header(&request, HEADER_API_SIGN, sign_perps(rig_secret[0], DOMAIN_FUTURES, "newOrder", body));
    expect_refused(&request, 40005);
    rig_expect("\"field\":\"builder\"");
}

static void paths_of_the_other_base_say_where_to_go(void **state)
{
    /* clang-format off */
    static const struct { const char *path, *text; } wrong[] = {
        { "/api/v1/spot/trade/orders", "/api/v1/spot/trade/orders/batch" },
          { BASE "/trade/orders/batch", BASE "/trade/orders" },
        { BASE "/trade/twaps", BASE "/trade/orders" }, { BASE "/trade/collateral", "not offered" },
        { "/api/v1/spot/trade/orders/modify", "path not found" }, { "/api/v1/spot/trade/leverage", "path not found" },
          { "/api/v1/spot/trade/margin", "path not found" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        struct http_request request = rig_request(HTTP_POST, wrong[i].path);
        assert_int_equal(rig_handle(&request), API_ANSWER);
        assert_int_equal(rig_answer.status, 404);
        rig_expect(wrong[i].text);
    }
}

static void full_memory_sheds_what_may_add_risk(void **state)
{
    (void)state;
    rig_history.full = true;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_request request =
            write_row(&rows[i], rows[i].body, sign_perps(rig_secret[0], DOMAIN_FUTURES, rows[i].type, rows[i].body));
        if (rows[i].reduces) assert_int_equal(rig_handle(&request), API_COMMAND);
        else expect_refused(&request, 50301);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row_makes_its_command_in_the_domain_futures),
        TEST(payloads_arrive_as_they_were_sent),
        TEST(the_canonical_form_is_good_too),
        TEST(the_published_signatures_are_accepted),
        TEST(what_payloads_may_not_say_fails_the_whole_request),
        TEST(a_strict_venue_takes_no_long_and_short),
        TEST(a_builder_is_not_supported_once_the_signature_is_good),
        TEST(paths_of_the_other_base_say_where_to_go),
        TEST(full_memory_sheds_what_may_add_risk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
