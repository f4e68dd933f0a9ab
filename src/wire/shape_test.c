/* SPDX-License-Identifier: MIT */
/* Refusals of bodies and the key that they name; values read; strings. */
#include "wire/json.h"
#include "rigs/wire/shape_rig.h"

#define O_HEAD        "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\","
#define O_LIMIT       "\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":\"1\""
#define ORDER(rows)   O_HEAD rows "}]}"
#define CANCEL(rows)  "{\"accountID\":1,\"cancels\":[{\"symbolID\":1," rows "}]}"
#define REPLACE(rows) "{\"accountID\":1,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"r\"," rows "}]}"
#define TRANSFER(id, to, type)                                                                                         \
    "{\"id\":" id ",\"fromAccountID\":1,\"toAccountID\":" to ",\"coinID\":0,\"amount\":\"1\",\"type\":" type "}"

/* clang-format off */
static const struct { const struct shape *shape; const char *text; enum reject reject; const char *field, *got;
    } bodies[] = {
    /* fine */
    { &place_orders_shape, ORDER(O_LIMIT), REJECT_NONE, "", "" },
    { &place_orders_shape, " {\n\"orders\" : [ {" O_LIMIT ",\"clOrdID\":\"a\",\"symbolID\":1}\t] , \"accountID\" : 0 "
      "}\r\n", REJECT_NONE, "", "" },
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}]}", REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"250.50\""), REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":2,\"type\":2,\"timeInForce\":3,\"price\":\"9\",\"quantity\":\"1\""),
      REJECT_NONE, "", "" },
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":18446744073709551615,\"clOrdID\":\"a\"," O_LIMIT "}]}",
      REJECT_NONE, "", "" },
    { &place_orders_shape,
      ORDER(O_LIMIT "},{\"symbolID\":1,\"clOrdID\":\"123456789012345678901234567890123456\"," O_LIMIT), REJECT_NONE, "",
      "" },
    /* no JSON, or more than JSON */
    { &place_orders_shape, "", REJECT_BAD_JSON, "", "the end of the text" },
    { &place_orders_shape, "hello", REJECT_BAD_JSON, "", "hello" },
    { &place_orders_shape, "{\"accountID\":1001", REJECT_BAD_JSON, "", "the end of the text" },
    { &place_orders_shape, ORDER(O_LIMIT) "x", REJECT_BAD_JSON, "", "x" },
    { &place_orders_shape, ORDER(O_LIMIT) "{}", REJECT_BAD_JSON, "", "{}" },
    { &place_orders_shape, "{\"accountID\":1001,}", REJECT_BAD_JSON, "", "}" },
    { &place_orders_shape, "{\"accountID\" 1001}", REJECT_BAD_JSON, "", "1001}" },
    { &place_orders_shape, "{accountID:1001}", REJECT_BAD_JSON, "", "accountID:1001}" },
    { &place_orders_shape, "{'accountID':1001}", REJECT_BAD_JSON, "", "'accountID':1001}" },
    { &place_orders_shape, "{\"accountID\":01}", REJECT_BAD_JSON, "accountID", "1}" },
    { &place_orders_shape, "{\"accountID\":+1}", REJECT_BAD_JSON, "accountID", "+1}" },
    { &place_orders_shape, "{\"accountID\":0x1}", REJECT_BAD_JSON, "", "x1}" },
    { &place_orders_shape, "{\"accountID\":1 /* one */}", REJECT_BAD_JSON, "", "/* one */}" },
    { &place_orders_shape, "\xef\xbb\xbf" ORDER(O_LIMIT), REJECT_BAD_JSON, "", "???{\"accountID\":1001" },
    { &place_orders_shape, ORDER(O_LIMIT ",\"price\xff\":1"), REJECT_BAD_JSON, "orders[0]", "?\":1}]}" },
    /* the wrong kind of thing */
    { &place_orders_shape, "[]", REJECT_WRONG_TYPE, "", "[]" },
    { &place_orders_shape, "null", REJECT_WRONG_TYPE, "", "null" },
    { &place_orders_shape, "{\"accountID\":\"1001\"}", REJECT_WRONG_TYPE, "accountID", "\"1001\"" },
    { &place_orders_shape, "{\"accountID\":null}", REJECT_WRONG_TYPE, "accountID", "null" },
    { &place_orders_shape, "{\"accountID\":1,\"orders\":{}}", REJECT_WRONG_TYPE, "orders", "{}" },
    { &place_orders_shape, "{\"accountID\":1,\"orders\":[1]}", REJECT_WRONG_TYPE, "orders[0]", "1" },
    { &place_orders_shape, "{\"accountID\":1,\"orders\":[[]]}", REJECT_WRONG_TYPE, "orders[0]", "[]" },
    { &place_orders_shape, ORDER("\"side\":\"BUY\""), REJECT_WRONG_TYPE, "orders[0].side", "\"BUY\"" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":5,\"quantity\":\"1\""),
      REJECT_WRONG_TYPE, "orders[0].price", "5" },
    { &place_orders_shape, ORDER("\"price\":null"), REJECT_WRONG_TYPE, "orders[0].price", "null" },
    { &place_orders_shape, ORDER("\"price\":true"), REJECT_WRONG_TYPE, "orders[0].price", "true" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":7}]}", REJECT_WRONG_TYPE, "orders[0].clOrdID", "7" },
    /* keys */
    { &place_orders_shape, "{\"accountID\":1,\"accountID\":1}", REJECT_DUPLICATE_KEY, "accountID", "a second one" },
    { &place_orders_shape, ORDER(O_LIMIT ",\"price\":\"5\""), REJECT_DUPLICATE_KEY, "orders[0].price", "a second one" },
    { &place_orders_shape, "{\"orders\":[],\"orders\":[]}", REJECT_DUPLICATE_KEY, "orders", "a second one" },
    { &place_orders_shape, "{\"accountId\":1}", REJECT_UNKNOWN_FIELD, "accountId", "accountId" },
    { &place_orders_shape, "{\"account\":1}", REJECT_UNKNOWN_FIELD, "account", "account" },
    { &place_orders_shape, "{\"accountIDs\":1}", REJECT_UNKNOWN_FIELD, "accountIDs", "accountIDs" },
    { &place_orders_shape, "{\"\":1}", REJECT_UNKNOWN_FIELD, "", "" },
    { &place_orders_shape, "{\"account\\u0049D\":1}", REJECT_UNKNOWN_FIELD, "account\\u0049D", "account\\u0049D" },
    { &place_orders_shape, ORDER(O_LIMIT ",\"stopPrice\":\"5\""), REJECT_UNKNOWN_FIELD, "orders[0].stopPrice",
      "stopPrice" },
    { &place_orders_shape, "{}", REJECT_MISSING_FIELD, "orders", "nothing" },
    { &place_orders_shape, "{\"orders\":[{}]}", REJECT_MISSING_FIELD, "orders[0].symbolID", "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"price\":\"5\""), REJECT_MISSING_FIELD,
      "orders[0].timeInForce", "nothing" },
    { &place_orders_shape, "{\"type\":\"batchNewOrder\",\"params\":" ORDER(O_LIMIT) "}", REJECT_SIGNED_PAYLOAD, "",
      "type and params" },
    { &place_orders_shape, "{\"params\":{},\"type\":\"x\"}", REJECT_SIGNED_PAYLOAD, "", "type and params" },
    { &place_orders_shape, "{\"type\":\"x\"}", REJECT_UNKNOWN_FIELD, "type", "type" },
    { &place_orders_shape, "{\"params\":{},\"type\":\"x\",\"z\":1}", REJECT_UNKNOWN_FIELD, "params", "params" },
    /* numbers */
    { &place_orders_shape, "{\"accountID\":18446744073709551616}", REJECT_NUMBER_RANGE, "accountID",
      "18446744073709551616" },
    { &place_orders_shape, "{\"accountID\":99999999999999999999}", REJECT_NUMBER_RANGE, "accountID",
      "99999999999999999999" },
    { &place_orders_shape, "{\"accountID\":-1}", REJECT_NUMBER_RANGE, "accountID", "-1" },
    { &place_orders_shape, "{\"accountID\":-0}", REJECT_NUMBER_RANGE, "accountID", "-0" },
    { &place_orders_shape, "{\"accountID\":1.0}", REJECT_NUMBER_RANGE, "accountID", "1.0" },
    { &place_orders_shape, "{\"accountID\":1e3}", REJECT_NUMBER_RANGE, "accountID", "1e3" },
    { &place_orders_shape, ORDER("\"side\":0"), REJECT_ENUM_RANGE, "orders[0].side", "0" },
    { &place_orders_shape, ORDER("\"side\":3"), REJECT_ENUM_RANGE, "orders[0].side", "3" },
    { &place_orders_shape, ORDER("\"side\":257"), REJECT_ENUM_RANGE, "orders[0].side", "257" },
    { &place_orders_shape, ORDER("\"side\":-1"), REJECT_ENUM_RANGE, "orders[0].side", "-1" },
    { &place_orders_shape, ORDER("\"side\":1.5"), REJECT_ENUM_RANGE, "orders[0].side", "1.5" },
    { &place_orders_shape, ORDER("\"timeInForce\":5"), REJECT_ENUM_RANGE, "orders[0].timeInForce", "5" },
    /* decimals */
    { &place_orders_shape, ORDER("\"price\":\"\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"\"" },
    { &place_orders_shape, ORDER("\"price\":\"1e5\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"1e5\"" },
    { &place_orders_shape, ORDER("\"price\":\"+5\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"+5\"" },
    { &place_orders_shape, ORDER("\"price\":\"05\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"05\"" },
    { &place_orders_shape, ORDER("\"price\":\".5\""), REJECT_BAD_DECIMAL, "orders[0].price", "\".5\"" },
    { &place_orders_shape, ORDER("\"price\":\"5.\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"5.\"" },
    { &place_orders_shape, ORDER("\"price\":\" 5\""), REJECT_BAD_DECIMAL, "orders[0].price", "\" 5\"" },
    { &place_orders_shape, ORDER("\"price\":\"1,5\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"1,5\"" },
    { &place_orders_shape, ORDER("\"price\":\"NaN\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"NaN\"" },
    { &place_orders_shape, ORDER("\"price\":\"-0\""), REJECT_BAD_DECIMAL, "orders[0].price", "\"-0\"" },
    { &place_orders_shape, ORDER("\"price\":\"\\u0035\""), REJECT_WRONG_TYPE, "orders[0].price", "\"\\u0035\"" },
    { &place_orders_shape, ORDER("\"price\":\"0\""), REJECT_NOT_POSITIVE, "orders[0].price", "\"0\"" },
    { &place_orders_shape, ORDER("\"price\":\"0.000\""), REJECT_NOT_POSITIVE, "orders[0].price", "\"0.000\"" },
    { &place_orders_shape, ORDER("\"quantity\":\"-1\""), REJECT_NOT_POSITIVE, "orders[0].quantity", "\"-1\"" },
    { &place_orders_shape, ORDER("\"funds\":\"1234567890123456789\""), REJECT_DECIMAL_LENGTH, "orders[0].funds",
      "\"1234567890123456789\"" },
    { &place_orders_shape, ORDER("\"funds\":\"0.1234567890123456789\""), REJECT_DECIMAL_LENGTH, "orders[0].funds",
      "\"0.1234567890123456789\"" },
    /* client ids */
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":1," O_LIMIT "}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID",
      "nothing" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"a b\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID",
      "\"a b\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"1234567890123456789012345678901234567\"}]}",
      REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"1234567890123456789012345678901234567\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"\xc3\xa9\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID",
      "\"??\"" },
    /* place rules 3 and 4 */
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":2,\"price\":\"5\",\"quantity\":\"1\""),
      REJECT_TIF_NOT_SUPPORTED, "orders[0].timeInForce", "2" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"quantity\":\"1\""),
      REJECT_LIMIT_NEEDS_PRICE, "orders[0].price", "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\""),
      REJECT_LIMIT_NEEDS_QUANTITY, "orders[0].quantity", "nothing" },
    { &place_orders_shape, ORDER(O_LIMIT ",\"funds\":\"7.50\""), REJECT_LIMIT_WITH_FUNDS, "orders[0].funds",
      "\"7.5\"" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":1,\"quantity\":\"1\""), REJECT_MARKET_NEEDS_IOC,
      "orders[0].timeInForce", "1" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":4,\"quantity\":\"1\""), REJECT_MARKET_NEEDS_IOC,
      "orders[0].timeInForce", "4" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3"), REJECT_MARKET_AMOUNT, "orders[0].quantity",
      "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3,\"quantity\":\"1\",\"funds\":\"1\""),
      REJECT_MARKET_AMOUNT, "orders[0].quantity", "\"1\"" },
    { &place_orders_shape, ORDER("\"side\":2,\"type\":2,\"timeInForce\":3,\"funds\":\"1\""), REJECT_MARKET_SELL_FUNDS,
      "orders[0].funds", "\"1\"" },
    { &place_orders_shape, ORDER(O_LIMIT "},{\"symbolID\":1,\"clOrdID\":\"b\",\"side\":1,\"type\":1,\"timeInForce\":3,"
      "\"price\":\"5\""), REJECT_LIMIT_NEEDS_QUANTITY, "orders[1].quantity", "nothing" },
    { &place_orders_shape, "{\"accountID\":1,\"orders\":[]}", REJECT_BATCH_SIZE, "orders", "0 items" },
    /* cancels */
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":5"), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\""), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\",\"orderID\":5"), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\",\"origClOrdID\":\"a\""), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\""), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "nothing" },
    { &cancel_orders_shape, CANCEL("\"orderID\":5"), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "nothing" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":5,\"origClOrdID\":\"a\""), REJECT_CANCEL_ONE_TARGET,
      "cancels[0].orderID", "5" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":0"), REJECT_NUMBER_RANGE, "cancels[0].orderID", "0" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"origClOrdID\":\"\""), REJECT_BAD_CLIENT_ID,
      "cancels[0].origClOrdID", "\"\"" },
    { &cancel_orders_shape, "{\"accountID\":1,\"cancels\":[]}", REJECT_BATCH_SIZE, "cancels", "0 items" },
    { &cancel_orders_shape, "{\"accountID\":1,\"orders\":[]}", REJECT_UNKNOWN_FIELD, "orders", "orders" },
    { &cancel_orders_shape, "{\"accountID\":1,\"cancels\":[],\"builder\":{}}", REJECT_UNKNOWN_FIELD, "builder",
      "builder" },
    /* replacements */
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"price\":\"5\""), REJECT_NONE, "", "" },
    { &replace_orders_shape, REPLACE("\"origClOrdID\":\"a\",\"quantity\":\"5\""), REJECT_NONE, "", "" },
    { &replace_orders_shape, REPLACE("\"price\":\"5\""), REJECT_REPLACE_ONE_TARGET, "orders[0].origOrderID",
      "nothing" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"origClOrdID\":\"a\",\"price\":\"5\""),
      REJECT_REPLACE_ONE_TARGET, "orders[0].origOrderID", "5" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5"), REJECT_REPLACE_NOTHING, "orders[0].price", "nothing" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"price\":\"0\""), REJECT_NOT_POSITIVE, "orders[0].price",
      "\"0\"" },
    { &replace_orders_shape, "{\"accountID\":1,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"\",\"origOrderID\":5,"
      "\"price\":\"5\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"\"" },
    { &replace_orders_shape, "{\"accountID\":1,\"orders\":[]}", REJECT_BATCH_SIZE, "orders", "0 items" },
    /* a zero that had to be sent was sent */
    { &transfer_asset_shape, TRANSFER("0", "999", "3"), REJECT_NONE, "", "" },
    { &transfer_asset_shape, TRANSFER("7", "0", "3"), REJECT_TRANSFER_TARGET, "toAccountID", "0" },
    { &transfer_asset_shape, TRANSFER("7", "999", "0"), REJECT_TRANSFER_TYPE, "type", "0" },
    { &transfer_asset_shape, TRANSFER("7", "999", "4"), REJECT_TRANSFER_TYPE, "type", "4" },
    /* scheduled cancel */
    { &schedule_cancel_shape, "{\"accountID\":1001,\"scheduledTimestamp\":1760000000000}", REJECT_NONE, "", "" },
    { &schedule_cancel_shape, "{\"accountID\":1001,\"scheduledTimestamp\":0}", REJECT_NONE, "", "" },
    { &schedule_cancel_shape, "{\"accountID\":1001}", REJECT_NONE, "", "" },
    { &schedule_cancel_shape, "{\"scheduledTimestamp\":1760000000000}", REJECT_MISSING_FIELD, "accountID", "nothing" },
    { &schedule_cancel_shape, "{\"accountID\":0}", REJECT_NUMBER_RANGE, "accountID", "0" },
    { &schedule_cancel_shape, "{\"accountID\":1,\"scheduledTimestamp\":null}", REJECT_WRONG_TYPE, "scheduledTimestamp",
      "null" },
    { &schedule_cancel_shape, "{\"accountID\":1,\"scheduledTimestamp\":\"1760000000000\"}", REJECT_WRONG_TYPE,
      "scheduledTimestamp", "\"1760000000000\"" },
};
/* clang-format on */

static void every_body_gets_its_answer_and_its_fault_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        size_t      len = strlen(bodies[i].text);
        char       *text = malloc(len + 1); /* its own size, so that reading on is noticed */
        enum reject reject;

        memcpy(text, bodies[i].text, len);
        reject = shape_read(bodies[i].shape, slice_make(text, len), room, &error);
        if (reject != bodies[i].reject || error.reject != reject)
            fail_msg("%s\n%s instead of %s", bodies[i].text, name_of(reject), name_of(bodies[i].reject));
        if (strcmp(error.field, bodies[i].field) != 0) fail_msg("%s\nfield %s", bodies[i].text, error.field);
        if (strcmp(error.got, bodies[i].got) != 0) fail_msg("%s\ngot %s", bodies[i].text, error.got);
        assert_true(error.at <= len);
        free(text);
    }
}

/* Wire 7.1 row 3, both sides of the switch: input that the strict reader refuses and the lenient one reads. */
/* clang-format off */
static const struct { const struct shape *shape; const char *text; enum reject strictly; const char *field, *got;
    } zeros[] = {
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"0.45\",\"quantity\":\"100\""),
      REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"10\",\"quantity\":\"0.101\""),
      REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"0.4500\",\"quantity\":\"1\""),
      REJECT_PRICE_ZEROS, "orders[0].price", "\"0.4500\"" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"20.0\",\"quantity\":\"1.0\""),
      REJECT_PRICE_ZEROS, "orders[0].price", "\"20.0\"" },
    { &place_orders_shape, ORDER(O_LIMIT "},{\"symbolID\":1,\"clOrdID\":\"b\",\"side\":1,\"type\":1,\"timeInForce\":1,"
      "\"price\":\"5\",\"quantity\":\"0.10\""),
      REJECT_QUANTITY_ZEROS, "orders[1].quantity", "\"0.10\"" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"250.50\""), REJECT_FUNDS_ZEROS,
      "orders[0].funds", "\"250.50\"" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"quantity\":\"5.0\""), REJECT_QUANTITY_ZEROS,
      "orders[0].quantity", "\"5.0\"" },
    { &modify_order_shape, "{\"accountID\":1,\"symbolID\":1,\"orderID\":5,\"stopPrice\":\"5.10\"}", REJECT_PRICE_ZEROS,
      "stopPrice", "\"5.10\"" },
    { &modify_order_shape, "{\"accountID\":1,\"symbolID\":1,\"orderID\":5,\"stopPrice\":\"5.1\"}", REJECT_NONE, "",
      "" },
    { &update_margin_shape, "{\"accountID\":1,\"symbolID\":1,\"amount\":\"-1.50\"}", REJECT_AMOUNT_ZEROS, "amount",
      "\"-1.50\"" },
    { &update_margin_shape, "{\"accountID\":1,\"symbolID\":1,\"amount\":\"-10\"}", REJECT_NONE, "", "" },
};
/* clang-format on */

static void a_strict_reader_takes_no_zeros_at_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(zeros); i++) {
        struct slice text = slice_of(zeros[i].text);
        enum reject  reject = shape_read_strictly(zeros[i].shape, text, room, &error);

        if (reject != zeros[i].strictly || error.reject != reject)
            fail_msg("%s\n%s instead of %s", zeros[i].text, name_of(reject), name_of(zeros[i].strictly));
        assert_string_equal(error.field, zeros[i].field);
        assert_string_equal(error.got, zeros[i].got);
        assert_string_equal(error.need, "");
        assert_int_equal(shape_read(zeros[i].shape, text, other_room, &error), REJECT_NONE);
        if (reject == REJECT_NONE) assert_memory_equal(room, other_room, zeros[i].shape->size);
    }
    /* input that is wrong in both modes gets the same answer */
    assert_int_equal(
        shape_read_strictly(&replace_orders_shape, SLICE(REPLACE("\"origOrderID\":5,\"price\":\"0.0\"")), room, &error),
        REJECT_NOT_POSITIVE);
    assert_int_equal(
        shape_read_strictly(&replace_orders_shape, SLICE(REPLACE("\"origOrderID\":5,\"price\":\"1.\"")), room, &error),
        REJECT_BAD_DECIMAL);
    assert_int_equal(shape_read_strictly(&replace_orders_shape, SLICE(REPLACE("\"origOrderID\":5,\"price\":\"1e-10\"")),
                                         room, &error),
                     REJECT_BAD_DECIMAL);
}

static void a_body_cut_anywhere_is_refused(void **state)
{
    static const char text[] = ORDER(O_LIMIT);

    (void)state;
    for (size_t len = 0; len < strlen(text); len++) {
        char *copy = malloc(len + 1);
        memcpy(copy, text, len);
        assert_int_equal(shape_read(&place_orders_shape, slice_make(copy, len), room, &error), REJECT_BAD_JSON);
        assert_int_equal(error.at, len);
        free(copy);
    }
}

static struct slice batch_of(int count)
{
    struct out out = out_make(text_room, sizeof(text_room));

    out_literal(&out, "{\"accountID\":1,\"orders\":[");
    for (int i = 0; i < count; i++)
        out_text(&out, i == 0 ? "{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}"
                              : ",{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}");
    out_literal(&out, "]}");
    return out_slice(&out);
}

static void a_batch_has_1_to_100_items(void **state)
{
    const struct place_orders *batch = (const void *)room;

    (void)state;
    assert_int_equal(shape_read(&place_orders_shape, batch_of(0), room, &error), REJECT_BATCH_SIZE);
    assert_int_equal(shape_read(&place_orders_shape, batch_of(1), room, &error), REJECT_NONE);
    assert_int_equal(batch->count, 1);
    assert_int_equal(shape_read(&place_orders_shape, batch_of(100), room, &error), REJECT_NONE);
    assert_int_equal(batch->count, 100);
    assert_int_equal(shape_read(&place_orders_shape, batch_of(101), room, &error), REJECT_BATCH_SIZE);
    assert_string_equal(error.field, "orders");
    assert_string_equal(error.got, "more items");
}

static void a_body_is_read_into_its_struct(void **state)
{
    const struct place_orders *batch = (const void *)room;

    (void)state;
    memset(room, 0x5a, sizeof(room));
    assert_int_equal(shape_read(&place_orders_shape,
                                SLICE(ORDER("\"side\":2,\"type\":1,\"timeInForce\":4,\"price\":\"95000.10\","
                                            "\"quantity\":\"0.0100\"")),
                                room, &error),
                     REJECT_NONE);
    assert_int_equal(batch->account_id, 1001);
    assert_int_equal(batch->count, 1);
    assert_int_equal(batch->builder_given, 0);
    assert_int_equal(batch->items[0].symbol_id, 1);
    assert_int_equal(batch->items[0].side, SIDE_SELL);
    assert_int_equal(batch->items[0].time_in_force, TIF_GTX);
    assert_int_equal(batch->items[0].price.digits, 950001);
    assert_int_equal(batch->items[0].price.scale, 1);
    assert_int_equal(batch->items[0].quantity.digits, 1);
    assert_int_equal(batch->items[0].quantity.scale, 2);
    assert_int_equal(batch->items[0].funds.digits, 0);
    for (size_t i = offsetof(struct place_orders, items[1]); i < sizeof(*batch); i++) assert_int_equal(room[i], 0);
}

/* --- the refused key ------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *value; enum reject reject; } builders[] = {
    { "{\"id\":202,\"fee\":10}", REJECT_NONE }, { "null", REJECT_NONE }, { "\"x\\u00e9\"", REJECT_NONE },
      { "[[[[[[[]]]]]]]", REJECT_NONE },
    { "[[[[[[[[]]]]]]]]", REJECT_BAD_JSON }, { "{\"id\":1,\"id\":2}", REJECT_BAD_JSON },
      { "{\"i\\u0064\":1}", REJECT_BAD_JSON },
    { "{\"id\":}", REJECT_BAD_JSON }, { "", REJECT_BAD_JSON }, { "[1,]", REJECT_BAD_JSON },
      { "\"\\ud800\"", REJECT_BAD_JSON },
};
/* clang-format on */

static void a_builder_is_known_whatever_it_is_and_never_kept(void **state)
{
    const struct place_orders *batch = (const void *)room;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(builders); i++) {
        char text[512];
        snprintf(text, sizeof(text), O_HEAD O_LIMIT "}],\"builder\":%s}", builders[i].value);
        if (shape_read(&place_orders_shape, slice_of(text), room, &error) != builders[i].reject) fail_msg("%s", text);
        if (builders[i].reject == REJECT_NONE) {
            struct out out = out_make(text, sizeof(text));
            assert_int_equal(batch->builder_given, 1);
            shape_write(&out, &place_orders_shape, room, true);
            assert_true(slice_is(out_slice(&out), ORDER(O_LIMIT)));
        }
    }
}

/* --- compact, strings ------------------------------------------------------------------------- */

static void only_insignificant_white_space_goes(void **state)
{
    /* clang-format off */
    static const struct { const char *text, *compact; } rows[] = {
        { "{}", "{}" }, { " { } ", "{}" }, { "", "" }, { " \t\r\n", "" },
        { "{ \"a b\" : \" c\\\" d \" , \"e\" : [ 1 , 2 ] }", "{\"a b\":\" c\\\" d \",\"e\":[1,2]}" },
        { "{\"a\":\"\\\\\" , \"b\":1}", "{\"a\":\"\\\\\",\"b\":1}" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char       text[128];
        struct out out = out_make(text, strlen(rows[i].text));
        json_compact(slice_of(rows[i].text), &out);
        assert_false(out.overflow);
        assert_true(slice_is(out_slice(&out), rows[i].compact));
    }
}

/* Each byte at each place of texts of each length, as eight bytes are looked at together. */
static void no_place_and_no_byte_hides_white_space(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 20; len++) {
        for (size_t place = 0; place < len; place++) {
            for (uint32_t byte = 0; byte <= UINT8_MAX; byte++) {
                char       text[20], copy[20];
                struct out out = out_make(copy, sizeof(copy));
                bool       white = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';

                memset(text, '1', sizeof(text));
                text[place] = (char)byte;
                json_compact(slice_make(text, len), &out);
                assert_int_equal(out.len, len - (white ? 1 : 0));
                assert_memory_equal(out.at, text, place);
                assert_true(white || out.at[place] == text[place]);
            }
        }
    }
}

static void any_bytes_become_a_valid_string_and_text_comes_back(void **state)
{
    char       text[64];
    struct out out = out_make(text, sizeof(text));

    (void)state;
    json_write_string(&out, slice_make("a\"\\\b\f\n\r\t\x01\x1f/\0", 12));
    assert_true(slice_is(out_slice(&out), "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\\u0000\""));
    out.len = 0;
    json_write_string(&out, SLICE("\xc3\xa9 \xf0\x9f\x98\x80 \xff \xc3"));
    assert_true(slice_is(out_slice(&out), "\"\xc3\xa9 \xf0\x9f\x98\x80 \xef\xbf\xbd \xef\xbf\xbd\""));
    for (int round = 0; round < 20000; round++) {
        char    bytes[24], big[256];
        json_t *judged;

        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (char)(random_below(2) ? random_below(256) : random_below(128));
        out = out_make(big, sizeof(big));
        json_write_string(&out, slice_make(bytes, sizeof(bytes)));
        assert_true(json_is_valid(out_slice(&out)));
        judged = json_loadb(out.at, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(judged);
        json_decref(judged);
    }
}

static void expect_unescaped(struct slice json)
{
    json_t      *judged = json_loadb(json.at, json.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    struct scan  scan = { json.at, json.at + json.len };
    struct slice inner;
    char         bytes[256];
    struct out   out = out_make(bytes, sizeof(bytes));
    bool         escaped;

    assert_non_null(judged);
    assert_true(scan_string(&scan, &inner, &escaped));
    json_unescape(inner, &out);
    assert_int_equal(out.len, json_string_length(judged));
    assert_memory_equal(out.at, json_string_value(judged), out.len);
    json_decref(judged);
}

static void escapes_are_undone_as_by_another_library(void **state)
{
    /* clang-format off */
    static const char *const every[] = {
        "\"\"", "\"abc\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
            "\"\\u0000\\u007f\\u0080\\u07ff\\u0800\\ud7ff\\ue000\\uffff\"",
        "\"\\ud800\\udc00x\\udbff\\uDFFF\"", "\"\\\\u0041\"", "\"\xc3\xa9\\u00E9\xf0\x9f\x98\x80\\ud83d\\ude00\"",
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(every); i++) expect_unescaped(slice_of(every[i]));
    for (int round = 0; round < 5000; round++) {
        char       text[256];
        struct out out = out_make(text, sizeof(text));

        out_char(&out, '"');
        for (int i = 0; i < 16; i++) {
            char     unit[16];
            uint32_t point = random_below(3) == 0 ? 0x10000 + random_below(0x100000) : random_below(0xd800);

            if (point < 0x10000) (void)snprintf(unit, sizeof(unit), random_below(2) ? "\\u%04x" : "\\u%04X", point);
            else
                (void)snprintf(unit, sizeof(unit), "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
                               0xdc00 + (point & 0x3ff));
            if (random_below(3) == 0) out_char(&out, (char)('a' + (char)random_below(26)));
            else out_text(&out, unit);
        }
        out_char(&out, '"');
        expect_unescaped(out_slice(&out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_gets_its_answer_and_its_fault_is_named),
        cmocka_unit_test(a_strict_reader_takes_no_zeros_at_the_end),
        cmocka_unit_test(a_body_cut_anywhere_is_refused),
        cmocka_unit_test(a_batch_has_1_to_100_items),
        cmocka_unit_test(a_body_is_read_into_its_struct),
        cmocka_unit_test(a_builder_is_known_whatever_it_is_and_never_kept),
        cmocka_unit_test(only_insignificant_white_space_goes),
        cmocka_unit_test(no_place_and_no_byte_hides_white_space),
        cmocka_unit_test(any_bytes_become_a_valid_string_and_text_comes_back),
        cmocka_unit_test(escapes_are_undone_as_by_another_library),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
