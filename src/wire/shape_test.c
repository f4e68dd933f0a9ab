/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "model/genesis.h"
#include "wire/shape.h"

static char             room[sizeof(struct genesis) > sizeof(struct replace_orders) ? sizeof(struct genesis)
                                                                                    : sizeof(struct replace_orders)]
    __attribute__((aligned(16)));
static char             other_room[sizeof(room)] __attribute__((aligned(16)));
static char             text_room[4 << 20], other_text_room[4 << 20];
static struct shape_error error;

static const char *name_of(enum reject reject) { return reject == REJECT_NONE ? "NONE" : reject_row(reject)->name; }

/* --- what is refused, and how it is named ---------------------------------------------------- */

#define O_HEAD   "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\","
#define O_LIMIT  "\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":\"1\""
#define ORDER(rows) O_HEAD rows "}]}"
#define CANCEL(rows) "{\"accountID\":1,\"cancels\":[{\"symbolID\":1," rows "}]}"
#define REPLACE(rows) "{\"accountID\":1,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"r\"," rows "}]}"
#define TRANSFER(id, to, type) "{\"id\":" id ",\"fromAccountID\":1,\"toAccountID\":" to ",\"coinID\":0,\"amount\":\"1\",\"type\":" type "}"

static const struct { const struct shape *shape; const char *text; enum reject reject; const char *field, *got; } bodies[] = {
    /* fine */
    { &place_orders_shape, ORDER(O_LIMIT), REJECT_NONE, "", "" },
    { &place_orders_shape, " {\n\"orders\" : [ {" O_LIMIT ",\"clOrdID\":\"a\",\"symbolID\":1}\t] , \"accountID\" : 0 }\r\n", REJECT_NONE, "", "" },
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}]}", REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"250.50\""), REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER("\"side\":2,\"type\":2,\"timeInForce\":3,\"price\":\"9\",\"quantity\":\"1\""), REJECT_NONE, "", "" },
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":18446744073709551615,\"clOrdID\":\"a\"," O_LIMIT "}]}", REJECT_NONE, "", "" },
    { &place_orders_shape, ORDER(O_LIMIT "},{\"symbolID\":1,\"clOrdID\":\"123456789012345678901234567890123456\"," O_LIMIT), REJECT_NONE, "", "" },
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
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":5,\"quantity\":\"1\""), REJECT_WRONG_TYPE, "orders[0].price", "5" },
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
    { &place_orders_shape, ORDER(O_LIMIT ",\"stopPrice\":\"5\""), REJECT_UNKNOWN_FIELD, "orders[0].stopPrice", "stopPrice" },
    { &place_orders_shape, "{}", REJECT_MISSING_FIELD, "orders", "nothing" },
    { &place_orders_shape, "{\"orders\":[{}]}", REJECT_MISSING_FIELD, "orders[0].symbolID", "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"price\":\"5\""), REJECT_MISSING_FIELD, "orders[0].timeInForce", "nothing" },
    { &place_orders_shape, "{\"type\":\"batchNewOrder\",\"params\":" ORDER(O_LIMIT) "}", REJECT_SIGNED_PAYLOAD, "", "type and params" },
    { &place_orders_shape, "{\"params\":{},\"type\":\"x\"}", REJECT_SIGNED_PAYLOAD, "", "type and params" },
    { &place_orders_shape, "{\"type\":\"x\"}", REJECT_UNKNOWN_FIELD, "type", "type" },
    { &place_orders_shape, "{\"params\":{},\"type\":\"x\",\"z\":1}", REJECT_UNKNOWN_FIELD, "params", "params" },
    /* numbers */
    { &place_orders_shape, "{\"accountID\":18446744073709551616}", REJECT_NUMBER_RANGE, "accountID", "18446744073709551616" },
    { &place_orders_shape, "{\"accountID\":99999999999999999999}", REJECT_NUMBER_RANGE, "accountID", "99999999999999999999" },
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
    { &place_orders_shape, ORDER("\"funds\":\"1234567890123456789\""), REJECT_DECIMAL_LENGTH, "orders[0].funds", "\"1234567890123456789\"" },
    { &place_orders_shape, ORDER("\"funds\":\"0.1234567890123456789\""), REJECT_DECIMAL_LENGTH, "orders[0].funds", "\"0.1234567890123456789\"" },
    /* client ids */
    { &place_orders_shape, "{\"orders\":[{\"symbolID\":1," O_LIMIT "}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "nothing" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"a b\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"a b\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"1234567890123456789012345678901234567\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"1234567890123456789012345678901234567\"" },
    { &place_orders_shape, "{\"orders\":[{\"clOrdID\":\"\xc3\xa9\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"??\"" },
    /* place rules 3 and 4 */
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":2,\"price\":\"5\",\"quantity\":\"1\""), REJECT_TIF_NOT_SUPPORTED, "orders[0].timeInForce", "2" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"quantity\":\"1\""), REJECT_LIMIT_NEEDS_PRICE, "orders[0].price", "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\""), REJECT_LIMIT_NEEDS_QUANTITY, "orders[0].quantity", "nothing" },
    { &place_orders_shape, ORDER(O_LIMIT ",\"funds\":\"7.50\""), REJECT_LIMIT_WITH_FUNDS, "orders[0].funds", "\"7.5\"" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":1,\"quantity\":\"1\""), REJECT_MARKET_NEEDS_IOC, "orders[0].timeInForce", "1" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":4,\"quantity\":\"1\""), REJECT_MARKET_NEEDS_IOC, "orders[0].timeInForce", "4" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3"), REJECT_MARKET_AMOUNT, "orders[0].quantity", "nothing" },
    { &place_orders_shape, ORDER("\"side\":1,\"type\":2,\"timeInForce\":3,\"quantity\":\"1\",\"funds\":\"1\""), REJECT_MARKET_AMOUNT, "orders[0].quantity", "\"1\"" },
    { &place_orders_shape, ORDER("\"side\":2,\"type\":2,\"timeInForce\":3,\"funds\":\"1\""), REJECT_MARKET_SELL_FUNDS, "orders[0].funds", "\"1\"" },
    { &place_orders_shape, ORDER(O_LIMIT "},{\"symbolID\":1,\"clOrdID\":\"b\",\"side\":1,\"type\":1,\"timeInForce\":3,\"price\":\"5\""), REJECT_LIMIT_NEEDS_QUANTITY, "orders[1].quantity", "nothing" },
    { &place_orders_shape, "{\"accountID\":1,\"orders\":[]}", REJECT_BATCH_SIZE, "orders", "0 items" },
    /* cancels */
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":5"), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\""), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\",\"orderID\":5"), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\",\"origClOrdID\":\"a\""), REJECT_NONE, "", "" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"\""), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "nothing" },
    { &cancel_orders_shape, CANCEL("\"orderID\":5"), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "nothing" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":5,\"origClOrdID\":\"a\""), REJECT_CANCEL_ONE_TARGET, "cancels[0].orderID", "5" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"orderID\":0"), REJECT_NUMBER_RANGE, "cancels[0].orderID", "0" },
    { &cancel_orders_shape, CANCEL("\"clOrdID\":\"c\",\"origClOrdID\":\"\""), REJECT_BAD_CLIENT_ID, "cancels[0].origClOrdID", "\"\"" },
    { &cancel_orders_shape, "{\"accountID\":1,\"cancels\":[]}", REJECT_BATCH_SIZE, "cancels", "0 items" },
    { &cancel_orders_shape, "{\"accountID\":1,\"orders\":[]}", REJECT_UNKNOWN_FIELD, "orders", "orders" },
    { &cancel_orders_shape, "{\"accountID\":1,\"cancels\":[],\"builder\":{}}", REJECT_UNKNOWN_FIELD, "builder", "builder" },
    /* replacements */
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"price\":\"5\""), REJECT_NONE, "", "" },
    { &replace_orders_shape, REPLACE("\"origClOrdID\":\"a\",\"quantity\":\"5\""), REJECT_NONE, "", "" },
    { &replace_orders_shape, REPLACE("\"price\":\"5\""), REJECT_REPLACE_ONE_TARGET, "orders[0].origOrderID", "nothing" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"origClOrdID\":\"a\",\"price\":\"5\""), REJECT_REPLACE_ONE_TARGET, "orders[0].origOrderID", "5" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5"), REJECT_REPLACE_NOTHING, "orders[0].price", "nothing" },
    { &replace_orders_shape, REPLACE("\"origOrderID\":5,\"price\":\"0\""), REJECT_NOT_POSITIVE, "orders[0].price", "\"0\"" },
    { &replace_orders_shape, "{\"accountID\":1,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"\",\"origOrderID\":5,\"price\":\"5\"}]}", REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "\"\"" },
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
    { &schedule_cancel_shape, "{\"accountID\":1,\"scheduledTimestamp\":null}", REJECT_WRONG_TYPE, "scheduledTimestamp", "null" },
    { &schedule_cancel_shape, "{\"accountID\":1,\"scheduledTimestamp\":\"1760000000000\"}", REJECT_WRONG_TYPE, "scheduledTimestamp", "\"1760000000000\"" },
};

static void every_body_gets_its_answer_and_its_fault_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        size_t      len = strlen(bodies[i].text);
        char       *text = malloc(len + 1);             /* its own size, so that reading on is noticed */
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
        out_text(&out, i == 0 ? "{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}" : ",{\"symbolID\":1,\"clOrdID\":\"a\"," O_LIMIT "}");
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
    assert_int_equal(shape_read(&place_orders_shape, SLICE(ORDER("\"side\":2,\"type\":1,\"timeInForce\":4,\"price\":\"95000.10\","
                                                                "\"quantity\":\"0.0100\"")), room, &error), REJECT_NONE);
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

static const struct { const char *value; enum reject reject; } builders[] = {
    { "{\"id\":202,\"fee\":10}", REJECT_NONE }, { "null", REJECT_NONE }, { "\"x\\u00e9\"", REJECT_NONE }, { "[[[[[[[]]]]]]]", REJECT_NONE },
    { "[[[[[[[[]]]]]]]]", REJECT_BAD_JSON }, { "{\"id\":1,\"id\":2}", REJECT_BAD_JSON }, { "{\"i\\u0064\":1}", REJECT_BAD_JSON },
    { "{\"id\":}", REJECT_BAD_JSON }, { "", REJECT_BAD_JSON }, { "[1,]", REJECT_BAD_JSON }, { "\"\\ud800\"", REJECT_BAD_JSON },
};

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

/* --- I14: shape_read(shape_write(x)) == x ----------------------------------------------------- */

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1du;
}

static uint32_t dice(uint32_t sides) { return (uint32_t)((roll() >> 33) % sides); }

/* Numbers of every length; the edges often. */
static uint64_t number(uint64_t max)
{
    if (dice(8) == 0) return max;
    if (dice(8) == 0) return 1;
    return 1 + (roll() >> dice(64)) % max;
}

static struct decimal random_decimal(const struct field *field)
{
    int            scale = (int)dice(19);
    struct decimal decimal = decimal_make((int64_t)number(999999999999999999), scale);

    if ((field->flags & FLAG_SIGNED) && dice(2)) decimal.digits = -decimal.digits;
    return decimal;
}

static void random_text(char *at, size_t len, const char *letters)
{
    for (size_t i = 0; i < len; i++) at[i] = letters[dice((uint32_t)strlen(letters))];
}

static uint8_t random_enum(const struct field *field)
{
    uint32_t count = 0;
    while (field->names[count].name != NULL) count++;
    return field->names[dice(count)].value;
}

static void random_fill(const struct shape *shape, char *into);

static void random_items(const struct field *field, char *into)
{
    uint32_t *count = (uint32_t *)(void *)(into + field->count_offset);

    if (*count == 0) *count = 1 + (dice(4) == 0 ? field->count_max - 1u : dice(min_u32(3, field->count_max)));
    for (uint32_t i = 0; i < *count; i++) random_fill(field->item, into + field->offset + (size_t)i * field->item->size);
}

static void random_member(const struct field *field, char *into)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    char             *member = into + field->offset;
    char              bytes[40];
    size_t            len;

    switch (field->kind) {
    case KIND_BOOL:         *member = (char)dice(2); break;
    case KIND_U64:          *(uint64_t *)(void *)member = number(UINT64_MAX); break;
    case KIND_U32:          *(uint32_t *)(void *)member = (uint32_t)number(UINT32_MAX); break;
    case KIND_I64:          *(int64_t *)(void *)member = (int64_t)number(INT64_MAX) * (dice(4) ? 1 : -1); break;
    case KIND_OPTIONAL_U64: *(struct optional_u64 *)(void *)member = (struct optional_u64){ dice(2) ? number(UINT64_MAX) : 0, 1 }; break;
    case KIND_CLIENT_ID:
        random_text(bytes, len = 1 + dice(36), letters);
        *(struct client_id *)member = client_id_make(slice_make(bytes, len));
        break;
    case KIND_NAME:
        random_text(bytes, len = 1 + dice(31), "abcXYZ019 _-/.'{}[]:,");
        *(struct name *)member = name_make(slice_make(bytes, len));
        break;
    case KIND_ADDRESS:      for (int i = 0; i < 20; i++) member[i] = (char)roll(); break;
    case KIND_HASH:         for (int i = 0; i < 32; i++) member[i] = (char)roll(); break;
    case KIND_DECIMAL:      *(struct decimal *)(void *)member = random_decimal(field); break;
    case KIND_ENUM:         *(uint8_t *)member = random_enum(field); break;
    case KIND_OBJECT:       random_fill(field->item, member); break;
    case KIND_ITEMS:        random_items(field, into); break;
    default:                assert_int_equal(field->kind, KIND_REFUSED); break;
    }
}

/* Lists that share a count are there together or not at all. */
static bool is_chosen(const struct shape *shape, uint32_t index, const char *into)
{
    const struct field *field = &shape->fields[index];

    for (uint32_t i = 0; field->kind == KIND_ITEMS && i < index; i++)
        if (shape->fields[i].kind == KIND_ITEMS && shape->fields[i].count_offset == field->count_offset)
            return *(const uint32_t *)(const void *)(into + field->count_offset) != 0;
    return field->presence == REQUIRED || dice(2);
}

static void random_fill(const struct shape *shape, char *into)
{
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (is_chosen(shape, i, into)) random_member(&shape->fields[i], into);
}

/* The same rows without their rules, so that any content passes. */
static const struct shape *without_checks(const struct shape *shape)
{
    static struct shape shapes[128];
    static struct field fields[1024];
    static size_t       shape_count, field_count;
    struct shape       *copy = &shapes[shape_count++];
    struct field       *rows = &fields[field_count];

    assert_true(shape_count < ARRAY_COUNT(shapes) && field_count + shape->field_count < ARRAY_COUNT(fields));
    field_count += shape->field_count;
    *copy = *shape;
    copy->check = NULL;
    copy->check_item = NULL;
    copy->fields = rows;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        rows[i] = shape->fields[i];
        if (rows[i].item != NULL) rows[i].item = without_checks(rows[i].item);
    }
    return copy;
}

static const struct shape *const all_shapes[] = {
    &new_order_shape, &place_orders_shape, &cancel_order_shape, &cancel_orders_shape, &replace_order_shape,
    &replace_orders_shape, &schedule_cancel_shape, &genesis_shape,
    &place_perps_shape, &cancel_perps_shape, &modify_order_shape, &update_leverage_shape, &update_margin_shape, &transfer_asset_shape,
};

static void i14_whatever_is_written_is_read_back_the_same(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_COUNT(all_shapes); s++) {
        const struct shape *shape = without_checks(all_shapes[s]);

        for (int round = 0; round < (shape->size > 50000 ? 50 : 2000); round++) {
            struct out out = out_make(text_room, sizeof(text_room)), again = out_make(other_text_room, sizeof(other_text_room));

            memset(room, 0, shape->size);
            random_fill(shape, room);
            shape_write(&out, shape, room, true);
            assert_false(out.overflow);
            assert_true(json_is_valid(out_slice(&out)));
            if (shape_read(shape, out_slice(&out), other_room, &error) != REJECT_NONE)
                fail_msg("%s: %s %s got %s\n%.*s", shape->name, name_of(error.reject), error.field, error.got, (int)out.len, out.at);
            assert_memory_equal(room, other_room, shape->size);
            shape_write(&again, shape, other_room, true);
            assert_true(slice_equal(out_slice(&out), out_slice(&again)));
            again.len = 0;
            json_compact(out_slice(&out), &again);
            assert_true(slice_equal(out_slice(&out), out_slice(&again)));
        }
    }
}

/* --- jansson as judge ------------------------------------------------------------------------- */

/* Trailing zeros off, by hand. */
static void strip(const char *text, char *into)
{
    size_t len = strlen(text);

    memcpy(into, text, len + 1);
    if (strchr(into, '.') == NULL) return;
    while (into[len - 1] == '0') into[--len] = '\0';
    if (into[len - 1] == '.') into[--len] = '\0';
}

static void assert_same_object(const struct shape *shape, const char *from, const json_t *object);

static void assert_same_string(struct slice text, const json_t *value)
{
    assert_true(json_is_string(value));
    assert_int_equal(json_string_length(value), text.len);
    assert_memory_equal(json_string_value(value), text.at, text.len);
}

static void assert_same_member(const struct field *field, const char *from, const json_t *value)
{
    const char *member = from + field->offset;
    char        text[64], judged[64];
    struct out  out = out_make(text, sizeof(text) - 1);

    switch (field->kind) {
    case KIND_U64:
        assert_true(json_is_integer(value) && (uint64_t)json_integer_value(value) == *(const uint64_t *)(const void *)member);
        break;
    case KIND_OPTIONAL_U64:
        assert_int_equal(((const struct optional_u64 *)(const void *)member)->given, 1);
        assert_true(json_is_integer(value) && (uint64_t)json_integer_value(value) == *(const uint64_t *)(const void *)member);
        break;
    case KIND_ENUM:
        assert_true(json_is_integer(value) && json_integer_value(value) == *(const uint8_t *)member);
        break;
    case KIND_CLIENT_ID:
        assert_same_string(client_id_slice((const struct client_id *)member), value);
        break;
    case KIND_DECIMAL:
        assert_true(json_is_string(value) && json_string_length(value) < sizeof(judged));
        strip(json_string_value(value), judged);
        decimal_write(&out, *(const struct decimal *)(const void *)member);
        text[out.len] = '\0';
        assert_string_equal(text, judged);
        break;
    case KIND_ITEMS:
        assert_true(json_is_array(value));
        assert_int_equal(json_array_size(value), *(const uint32_t *)(const void *)(from + field->count_offset));
        for (size_t i = 0; i < json_array_size(value); i++)
            assert_same_object(field->item, member + i * field->item->size, json_array_get(value, i));
        break;
    default:
        assert_int_equal(field->kind, KIND_REFUSED);
        assert_int_equal(*(const uint32_t *)(const void *)member, 1);
        break;
    }
}

static void assert_same_object(const struct shape *shape, const char *from, const json_t *object)
{
    size_t seen = 0;

    assert_true(json_is_object(object));
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const json_t *value = json_object_get(object, shape->fields[i].key);
        if (value == NULL) continue;
        assert_same_member(&shape->fields[i], from, value);
        seen += 1;
    }
    assert_int_equal(seen, json_object_size(object));
}

/* A valid or nearly valid body of a shape. */
static size_t random_body(const struct shape *shape, char *text, size_t cap)
{
    struct out out = out_make(text, cap);
    int        tries = 0;

    do {
        memset(room, 0, shape->size);
        random_fill(shape, room);
        if (shape == &place_orders_shape) {
            struct place_orders *batch = (void *)room;
            batch->count = min_u32(batch->count, 2);
            for (uint32_t i = 0; i < batch->count; i++) {           /* mostly orders that pass their rules */
                batch->items[i].type = TYPE_LIMIT;
                batch->items[i].time_in_force = TIF_GTC;
                batch->items[i].funds = (struct decimal){ 0 };
                if (batch->items[i].price.digits == 0) batch->items[i].price = decimal_make(5, 1);
                if (batch->items[i].quantity.digits == 0) batch->items[i].quantity = decimal_make(7, 0);
            }
        }
        out.len = 0;
        out.overflow = false;
        shape_write(&out, shape, room, true);
    } while (out.overflow && ++tries < 100);
    assert_false(out.overflow);
    return out.len;
}

static size_t mutate(char *text, size_t len, size_t cap)
{
    static const char spice[] = "\"\"\"{}[]:,,  \n\t\\/0123456789.-+eE_aAtrufalsn\x7f\x80\xc3\xa9";

    for (uint32_t turns = dice(3); turns > 0; turns--) {
        size_t at = dice((uint32_t)len), from = dice((uint32_t)len);
        size_t part = min_size(min_size(1 + dice(20), len - from), cap - len);

        switch (dice(6)) {
        case 0: text[at] = spice[dice(sizeof(spice) - 1)]; break;
        case 1: if (len > 1) { memmove(text + at, text + at + 1, len - at - 1); len -= 1; } break;
        case 2: case 3:
            if (len == cap) break;
            memmove(text + at + 1, text + at, len - at);
            text[at] = spice[dice(4) ? dice(14) : dice(sizeof(spice) - 1)];
            len += 1;
            break;
        case 4: text[at] = (char)dice(256); break;
        default:
            memmove(text + from + part, text + from, len - from);   /* doubles a run, often a whole key */
            len += part;
            break;
        }
    }
    return len;
}

static void jansson_accepts_what_is_accepted_and_finds_the_same_in_it(void **state)
{
    static const struct shape *const shapes[] = {
        &place_orders_shape, &cancel_orders_shape, &replace_orders_shape, &schedule_cancel_shape,
    };
    size_t accepted = 0, refused = 0;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        const struct shape *shape = shapes[dice(ARRAY_COUNT(shapes))];
        char                text[2048], compact[2048];
        size_t              len = random_body(shape, text, 1500);
        struct out          out = out_make(compact, sizeof(compact));
        json_error_t        why;
        json_t             *judged, *again;

        len = mutate(text, len, sizeof(text));
        if (shape_read(shape, slice_make(text, len), room, &error) != REJECT_NONE) { refused += 1; continue; }
        judged = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
        if (judged == NULL) {       /* its integers end at 2^63 - 1 */
            if (json_error_code(&why) != json_error_numeric_overflow) fail_msg("%s\n%.*s", why.text, (int)len, text);
            continue;
        }
        assert_same_object(shape, room, judged);
        json_compact(slice_make(text, len), &out);
        assert_true(out.len <= len && json_is_valid(out_slice(&out)));
        again = json_loadb(out.at, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        assert_true(json_equal(judged, again));
        json_decref(again);
        json_decref(judged);
        accepted += 1;
    }
    assert_true(accepted > 10000 && refused > 10000);
}

static void validity_is_what_jansson_says_except_for_its_own_limits(void **state)
{
    size_t valid = 0;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        char         text[1024];
        size_t       len = random_body(&cancel_orders_shape, text, 800);
        json_error_t why;
        json_t      *judged;

        len = mutate(text, len, sizeof(text));
        if (memchr(text, '\0', len) != NULL) {     /* jansson swallows a NUL behind a number */
            assert_false(json_is_valid(slice_make(text, len)));
            continue;
        }
        judged = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
        if (judged == NULL && json_error_code(&why) == json_error_numeric_overflow) continue;
        if (json_is_valid(slice_make(text, len)) != (judged != NULL)) fail_msg("%.*s", (int)len, text);
        valid += judged != NULL;
        json_decref(judged);
    }
    assert_true(valid > 1000);
}

/* --- compact, strings ------------------------------------------------------------------------- */

static void only_insignificant_white_space_goes(void **state)
{
    static const struct { const char *text, *compact; } rows[] = {
        { "{}", "{}" }, { " { } ", "{}" }, { "", "" }, { " \t\r\n", "" },
        { "{ \"a b\" : \" c\\\" d \" , \"e\" : [ 1 , 2 ] }", "{\"a b\":\" c\\\" d \",\"e\":[1,2]}" },
        { "{\"a\":\"\\\\\" , \"b\":1}", "{\"a\":\"\\\\\",\"b\":1}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char       text[128];
        struct out out = out_make(text, strlen(rows[i].text));
        json_compact(slice_of(rows[i].text), &out);
        assert_false(out.overflow);
        assert_true(slice_is(out_slice(&out), rows[i].compact));
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

        for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(dice(2) ? dice(256) : dice(128));
        out = out_make(big, sizeof(big));
        json_write_string(&out, slice_make(bytes, sizeof(bytes)));
        assert_true(json_is_valid(out_slice(&out)));
        judged = json_loadb(out.at, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(judged);
        json_decref(judged);
    }
}

/* --- queries ---------------------------------------------------------------------------------- */

struct query {
    struct name         symbol;
    uint32_t            limit;
    uint64_t            account_id;
    struct optional_u64 start_ms;
    int64_t             end_ms;
    struct address      user;
    bool                all;
    uint8_t             side;
};
static const struct field query_fields[] = {
    FIELD(struct query, symbol, "symbol", OPTIONAL, ""),
    FIELD_FLAGS(struct query, limit, "limit", OPTIONAL, FLAG_PARAM_DEPTH, ""),
    FIELD(struct query, account_id, "accountID", OPTIONAL, ""),
    FIELD(struct query, start_ms, "startTime", OPTIONAL, ""),
    FIELD(struct query, end_ms, "endTime", OPTIONAL, ""),
    FIELD(struct query, user, "user", OPTIONAL, ""),
    FIELD(struct query, all, "all", OPTIONAL, ""),
    FIELD_ENUM(struct query, side, "side", OPTIONAL, FLAG_ENUM_NAME, side_names, ""),
};
static SHAPE(query_shape, struct query, "Query", query_fields, NULL, "");

static const struct { const char *text; enum reject reject; const char *field; } queries[] = {
    { "", REJECT_NONE, "" },
    { "&", REJECT_NONE, "" },
    { "symbol=vBTC_vUSDC&limit=10", REJECT_NONE, "" },
    { "symbol=v%42TC_vUSDC", REJECT_NONE, "" },
    { "symbol=", REJECT_NONE, "" },
    { "limit=1", REJECT_NONE, "" },
    { "limit=4294967295", REJECT_NONE, "" },
    { "limit=0", REJECT_BAD_LIMIT, "limit" },
    { "limit=", REJECT_BAD_LIMIT, "limit" },
    { "limit", REJECT_BAD_LIMIT, "limit" },
    { "limit=-1", REJECT_BAD_LIMIT, "limit" },
    { "limit=4294967296", REJECT_BAD_LIMIT, "limit" },
    { "limit=ten", REJECT_BAD_LIMIT, "limit" },
    { "limit=1.0", REJECT_BAD_LIMIT, "limit" },
    { "limit=+1", REJECT_BAD_LIMIT, "limit" },
    { "limit=01", REJECT_BAD_LIMIT, "limit" },
    { "depth=5", REJECT_NONE, "" },
    { "depth=0", REJECT_BAD_LIMIT, "depth" },
    { "depth=5&limit=7", REJECT_NONE, "" },
    { "depth=5&depth=7", REJECT_REPEATED_PARAMETER, "depth" },
    { "limit=5&limit=5", REJECT_REPEATED_PARAMETER, "limit" },
    { "symbol=a&symbol=b", REJECT_REPEATED_PARAMETER, "symbol" },
    { "symbol=a&s%79mbol=b", REJECT_REPEATED_PARAMETER, "symbol" },
    { "nobody=1&nobody=2&=3&%zz=4", REJECT_NONE, "" },
    { "accountID=0", REJECT_NONE, "" },
    { "accountID=18446744073709551615", REJECT_NONE, "" },
    { "accountID=18446744073709551616", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=x", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=", REJECT_BAD_PARAMETER, "accountID" },
    { "accountID=1%", REJECT_BAD_PARAMETER, "accountID" },
    { "startTime=0", REJECT_NONE, "" },
    { "startTime=-1", REJECT_BAD_PARAMETER, "startTime" },
    { "endTime=-5", REJECT_NONE, "" },
    { "symbol=%00", REJECT_BAD_PARAMETER, "symbol" },
    { "symbol=%22", REJECT_BAD_PARAMETER, "symbol" },
    { "symbol=12345678901234567890123456789012", REJECT_BAD_PARAMETER, "symbol" },
    { "user=0x14791697260E4c9A71f18484C9f997B308e59325", REJECT_NONE, "" },
    { "user=14791697260E4c9A71f18484C9f997B308e59325", REJECT_BAD_ADDRESS, "user" },
    { "all=true", REJECT_NONE, "" },
    { "all=1", REJECT_BAD_PARAMETER, "all" },
    { "side=SELL", REJECT_NONE, "" },
    { "side=2", REJECT_BAD_PARAMETER, "side" },
};

static void every_query_gets_its_answer(void **state)
{
    struct query query;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(queries); i++) {
        enum reject reject = shape_read_query(&query_shape, slice_of(queries[i].text), &query, &error);
        if (reject != queries[i].reject) fail_msg("%s: %s", queries[i].text, name_of(reject));
        if (strcmp(error.field, queries[i].field) != 0) fail_msg("%s: %s", queries[i].text, error.field);
    }
}

static void a_query_is_read_into_its_struct(void **state)
{
    struct query query;

    (void)state;
    assert_int_equal(shape_read_query(&query_shape, SLICE("depth=5&symbol=a%20b+c&startTime=0&all=true&side=SELL&x=y"),
                                      &query, &error), REJECT_NONE);
    assert_true(slice_is(name_slice(&query.symbol), "a b c"));
    assert_int_equal(query.limit, 5);
    assert_int_equal(query.start_ms.given, 1);
    assert_int_equal(query.end_ms, 0);
    assert_int_equal(query.side, SIDE_SELL);
    assert_true(query.all);
    assert_int_equal(shape_read_query(&query_shape, SLICE("depth=5&limit=7"), &query, &error), REJECT_NONE);
    assert_int_equal(query.limit, 7);
    assert_int_equal(query.start_ms.given, 0);
}

static void a_required_parameter_must_be_there(void **state)
{
    static const struct field rows[] = { FIELD(struct query, symbol, "symbol", REQUIRED, "") };
    static SHAPE(shape, struct query, "Q", rows, NULL, "");
    struct query query;

    (void)state;
    assert_int_equal(shape_read_query(&shape, SLICE("symbol=a"), &query, &error), REJECT_NONE);
    assert_int_equal(shape_read_query(&shape, SLICE("limit=5"), &query, &error), REJECT_BAD_PARAMETER);
    assert_string_equal(error.field, "symbol");
    assert_string_equal(error.got, "nothing");
}

/* --- kinds that only replies and settings use -------------------------------------------------- */

struct level { struct decimal price, size; };
static const struct field level_fields[] = {
    FIELD(struct level, price, "price", REQUIRED, ""), FIELD_FLAGS(struct level, size, "size", REQUIRED, FLAG_ZERO, ""),
};
static const struct shape level_shape = { .name = "L", .doc = "", .fields = level_fields, .field_count = 2,
                                          .size = sizeof(struct level), .tuple = true };
struct reply {
    struct level   first;
    struct list    levels;
    struct slice   note;
    struct decimal change;
    struct hash256 hash;
    uint8_t        side;
    struct client_id maybe;
};
static const struct field reply_fields[] = {
    FIELD_OBJECT(struct reply, first, "first", REQUIRED, &level_shape, ""),
    FIELD_LIST(struct reply, levels, "levels", REQUIRED, &level_shape, ""),
    FIELD(struct reply, note, "note", OPTIONAL, ""),
    FIELD_FLAGS(struct reply, change, "change", REQUIRED, FLAG_NUMBER | FLAG_SIGNED, ""),
    FIELD(struct reply, hash, "hash", OPTIONAL, ""),
    FIELD_ENUM(struct reply, side, "side", REQUIRED, 0, side_names, ""),
    FIELD(struct reply, maybe, "maybe", NULLABLE, ""),
};
static SHAPE(reply_shape, struct reply, "R", reply_fields, NULL, "");

static void replies_have_names_tuples_numbers_and_nulls(void **state)
{
    const struct level levels[] = { { { 15, 1, 0 }, { 2, 0, 0 } }, { { 16, 1, 0 }, { 0, 0, 0 } } };
    struct reply       reply = { .first = levels[0], .levels = { levels, 2, 0 }, .note = SLICE("a\"b"),
                                 .change = { -125, 2, 0 }, .side = SIDE_BUY };
    char               text[512];
    struct out         out = out_make(text, sizeof(text));

    (void)state;
    shape_write(&out, &reply_shape, &reply, false);
    assert_true(slice_is(out_slice(&out), "{\"first\":[\"1.5\",\"2\"],\"levels\":[[\"1.5\",\"2\"],[\"1.6\",\"0\"]],"
                                          "\"note\":\"a\\\"b\",\"change\":-1.25,\"side\":\"BUY\",\"maybe\":null}"));
    reply.levels.count = 0;
    reply.note.len = 0;
    reply.maybe = client_id_make(SLICE("x"));
    out.len = 0;
    shape_write(&out, &reply_shape, &reply, false);
    assert_true(slice_is(out_slice(&out), "{\"first\":[\"1.5\",\"2\"],\"levels\":[],\"change\":-1.25,\"side\":\"BUY\",\"maybe\":\"x\"}"));
}

static void tuples_are_read_with_exactly_their_values(void **state)
{
    struct level level;

    (void)state;
    assert_int_equal(shape_read(&level_shape, SLICE(" [ \"1.5\" , \"0\" ] "), &level, &error), REJECT_NONE);
    assert_int_equal(level.price.digits, 15);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\"]"), &level, &error), REJECT_BAD_JSON);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\",\"2\",\"3\"]"), &level, &error), REJECT_BAD_JSON);
    assert_int_equal(shape_read(&level_shape, SLICE("[\"1.5\",2]"), &level, &error), REJECT_WRONG_TYPE);
    assert_string_equal(error.field, "size");
    assert_int_equal(shape_read(&level_shape, SLICE("{}"), &level, &error), REJECT_WRONG_TYPE);
}

static void lists_that_share_a_count_are_equally_long(void **state)
{
    const struct genesis *genesis = (const void *)other_room;
    struct genesis       *made = (void *)room;
    struct out            out = out_make(text_room, sizeof(text_room));
    const struct shape   *shape = without_checks(&genesis_shape);
    char                 *rates;

    (void)state;
    memset(room, 0, sizeof(room));
    made->spot_fees.rebate_count = 3;
    random_fill(shape, room);
    shape_write(&out, shape, room, true);
    assert_int_equal(shape_read(shape, out_slice(&out), other_room, &error), REJECT_NONE);
    assert_int_equal(genesis->spot_fees.rebate_count, 3);
    rates = memmem(text_room, out.len, "\"rebateRates\":[{", 16);
    assert_non_null(rates);
    memcpy(rates, "\"rebateRates\":[]", 16);
    memset(rates + 16, ' ', (size_t)(strchr(rates + 16, ']') - rates - 15));
    assert_int_equal(shape_read(shape, out_slice(&out), other_room, &error), REJECT_BATCH_SIZE);
    assert_string_equal(error.field, "spotFees.rebateRates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_gets_its_answer_and_its_fault_is_named),
        cmocka_unit_test(a_body_cut_anywhere_is_refused),
        cmocka_unit_test(a_batch_has_1_to_100_items),
        cmocka_unit_test(a_body_is_read_into_its_struct),
        cmocka_unit_test(a_builder_is_known_whatever_it_is_and_never_kept),
        cmocka_unit_test(i14_whatever_is_written_is_read_back_the_same),
        cmocka_unit_test(jansson_accepts_what_is_accepted_and_finds_the_same_in_it),
        cmocka_unit_test(validity_is_what_jansson_says_except_for_its_own_limits),
        cmocka_unit_test(only_insignificant_white_space_goes),
        cmocka_unit_test(any_bytes_become_a_valid_string_and_text_comes_back),
        cmocka_unit_test(every_query_gets_its_answer),
        cmocka_unit_test(a_query_is_read_into_its_struct),
        cmocka_unit_test(a_required_parameter_must_be_there),
        cmocka_unit_test(replies_have_names_tuples_numbers_and_nulls),
        cmocka_unit_test(tuples_are_read_with_exactly_their_values),
        cmocka_unit_test(lists_that_share_a_count_are_equally_long),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
