/* SPDX-License-Identifier: MIT */
/* Bodies of the perps base: every rule that depends on the payload alone, from both sides (ruling 33). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "wire/shape.h"

static union {
    struct place_perps  place;
    struct cancel_perps cancel;
    char                bytes[sizeof(struct place_perps)];
} room;
static char text[64 * 1024];

#define PLACE(items)       "{\"accountID\":1001,\"symbolID\":1,\"orders\":[" items "]}"
#define TAIL(reduce, side) ",\"reduceOnly\":" reduce ",\"positionSide\":" side "}"
#define ITEM(middle)       "{\"clOrdID\":\"a\"," middle TAIL("false", "1")
#define REDUCING(middle)   "{\"clOrdID\":\"a\"," middle TAIL("true", "1")
#define LIMIT              "\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":\"1\""
#define STOP(middle)       "\"modifier\":2,\"side\":2,\"type\":2,\"timeInForce\":3" middle
#define TRIGGER            ",\"stopPrice\":\"4\",\"stopType\":1,\"triggerType\":2"

#define PARENT                                                                                                         \
    "{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":"          \
    "\"1\"" TAIL("false", "1")
#define CHILD(modifier, side, kind, reduce)                                                                            \
    ",{\"clOrdID\":\"c\",\"modifier\":" modifier ",\"side\":" side ",\"type\":2,\"timeInForce\":3,"                    \
    "\"stopPrice\":\"6\",\"stopType\":" kind ",\"triggerType\":2" TAIL(reduce, "1")
#define PROFIT CHILD("4", "2", "2", "true")
#define LOSS   CHILD("4", "2", "1", "true")

struct row {
    const char *text;
    enum reject reject;
    const char *field, *got;
};

static void check(const struct shape *shape, const struct row *rows, size_t count)
{
    struct shape_error error;

    for (size_t i = 0; i < count; i++) {
        enum reject reject = shape_read(shape, slice_of(rows[i].text), &room, &error);
        if (reject != rows[i].reject || strcmp(error.field, rows[i].field) != 0
            || (reject != REJECT_NONE && strcmp(error.got, rows[i].got) != 0))
            fail_msg("%s\n%s at \"%s\", got \"%s\"", rows[i].text,
                     reject == REJECT_NONE ? "NONE" : reject_row(reject)->name, error.field, error.got);
    }
}

static void orders_follow_the_rules_of_placement(void **state)
{
    /* clang-format off */
    static const struct row rows[] = {
        { PLACE(ITEM(LIMIT)), REJECT_NONE, "", "" },
        { "{\"symbolID\":1,\"orders\":[" ITEM(LIMIT) "]}", REJECT_NONE, "", "" },
        { "{\"accountID\":1001,\"orders\":[" ITEM(LIMIT) "]}", REJECT_MISSING_FIELD, "symbolID", "nothing" },
        { "{\"accountID\":1001,\"symbolID\":1}", REJECT_MISSING_FIELD, "orders", "nothing" },
        { PLACE(""), REJECT_BATCH_SIZE, "orders", "0 items" },
        /* required members may not be omitted (wire 2.3) */
        { PLACE("{\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":\"1\""
          TAIL("false", "1")),
          REJECT_BAD_CLIENT_ID, "orders[0].clOrdID", "nothing" },
        { PLACE("{\"clOrdID\":\"a\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\",\"quantity\":\"1\""
          TAIL("false", "1")),
          REJECT_MISSING_FIELD, "orders[0].modifier", "nothing" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT ",\"positionSide\":1}"), REJECT_MISSING_FIELD, "orders[0].reduceOnly",
          "nothing" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT ",\"reduceOnly\":false}"), REJECT_MISSING_FIELD, "orders[0].positionSide",
          "nothing" },
        /* types and enums, at both ends */
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("0", "1")), REJECT_WRONG_TYPE, "orders[0].reduceOnly", "0" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("\"false\"", "1")), REJECT_WRONG_TYPE, "orders[0].reduceOnly",
          "\"false\"" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("null", "1")), REJECT_WRONG_TYPE, "orders[0].reduceOnly", "null" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("false", "0")), REJECT_ENUM_RANGE, "orders[0].positionSide", "0" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("false", "2")), REJECT_NONE, "", "" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("true", "3")), REJECT_NONE, "", "" },
        { PLACE("{\"clOrdID\":\"a\"," LIMIT TAIL("false", "4")), REJECT_ENUM_RANGE, "orders[0].positionSide", "4" },
        { PLACE(ITEM("\"modifier\":0,\"side\":1")), REJECT_ENUM_RANGE, "orders[0].modifier", "0" },
        { PLACE(ITEM("\"modifier\":5,\"side\":1")), REJECT_ENUM_RANGE, "orders[0].modifier", "5" },
        { PLACE(ITEM(LIMIT ",\"stopType\":0")), REJECT_ENUM_RANGE, "orders[0].stopType", "0" },
        { PLACE(ITEM(LIMIT ",\"stopType\":3")), REJECT_ENUM_RANGE, "orders[0].stopType", "3" },
        { PLACE(ITEM(LIMIT ",\"triggerType\":4")), REJECT_ENUM_RANGE, "orders[0].triggerType", "4" },
        { PLACE(ITEM(LIMIT ",\"stopPrice\":\"0\"")), REJECT_NOT_POSITIVE, "orders[0].stopPrice", "\"0\"" },
        { PLACE(ITEM(LIMIT ",\"stopPrice\":4")), REJECT_WRONG_TYPE, "orders[0].stopPrice", "4" },
        { PLACE(ITEM(LIMIT ",\"symbolID\":1")), REJECT_UNKNOWN_FIELD, "orders[0].symbolID", "symbolID" },
        { PLACE(ITEM(LIMIT ",\"side\":1")), REJECT_DUPLICATE_KEY, "orders[0].side", "a second one" },
        { PLACE(ITEM(LIMIT) "," ITEM("\"modifier\":1,\"side\":3")), REJECT_ENUM_RANGE, "orders[1].side", "3" },
        /* spot place rules 3 and 4 */
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"quantity\":\"1\"")),
          REJECT_LIMIT_NEEDS_PRICE, "orders[0].price", "nothing" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\"")),
          REJECT_LIMIT_NEEDS_QUANTITY, "orders[0].quantity", "nothing" },
        { PLACE(ITEM(LIMIT ",\"funds\":\"5\"")), REJECT_LIMIT_WITH_FUNDS, "orders[0].funds", "\"5\"" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":2,\"price\":\"5\",\"quantity\":\"1\"")),
          REJECT_TIF_NOT_SUPPORTED, "orders[0].timeInForce", "2" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":3,\"price\":\"5\",\"quantity\":\"1\"")),
          REJECT_NONE, "", "" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":4,\"price\":\"5\",\"quantity\":\"1\"")),
          REJECT_NONE, "", "" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":1,\"quantity\":\"1\"")),
          REJECT_MARKET_NEEDS_IOC, "orders[0].timeInForce", "1" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":2,\"quantity\":\"1\"")),
          REJECT_MARKET_NEEDS_IOC, "orders[0].timeInForce", "2" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3")), REJECT_MARKET_AMOUNT,
          "orders[0].quantity", "nothing" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3,\"quantity\":\"1\",\"funds\":\"1\"")),
          REJECT_MARKET_AMOUNT, "orders[0].quantity", "\"1\"" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"1\"")), REJECT_NONE, "", "" },
        { PLACE(ITEM("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3,\"price\":\"5\",\"quantity\":\"1\"")),
          REJECT_NONE, "", "" },
        { PLACE(ITEM("\"modifier\":1,\"side\":2,\"type\":2,\"timeInForce\":3,\"funds\":\"1\"")),
          REJECT_MARKET_SELL_FUNDS, "orders[0].funds", "\"1\"" },
        { PLACE(REDUCING("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"1\"")), REJECT_NONE, "",
          "" },
        { PLACE(REDUCING("\"modifier\":1,\"side\":2,\"type\":2,\"timeInForce\":3,\"funds\":\"1\"")),
          REJECT_MARKET_SELL_FUNDS, "orders[0].funds", "\"1\"" },
        { PLACE(REDUCING("\"modifier\":1,\"side\":1,\"type\":2,\"timeInForce\":3,\"quantity\":\"1\",\"funds\":\"1\"")),
          REJECT_MARKET_AMOUNT, "orders[0].quantity", "\"1\"" },
    };
    /* clang-format on */

    (void)state;
    check(&place_perps_shape, rows, ARRAY_COUNT(rows));
}

static void stops_give_all_three_of_their_keys_and_others_none(void **state)
{
    /* clang-format off */
    static const struct row rows[] = {
        { PLACE(ITEM(LIMIT ",\"stopPrice\":\"4\"")), REJECT_STOP_FIELDS, "orders[0].stopPrice", "\"4\"" },
        { PLACE(ITEM(LIMIT ",\"stopType\":1")), REJECT_STOP_FIELDS_TYPE, "orders[0].stopType", "1" },
        { PLACE(ITEM(LIMIT ",\"triggerType\":2")), REJECT_STOP_FIELDS_TRIGGER, "orders[0].triggerType", "2" },
        { PLACE(REDUCING(STOP(""))), REJECT_STOP_FIELDS, "orders[0].stopPrice", "nothing" },
        { PLACE(REDUCING(STOP(",\"stopType\":1,\"triggerType\":2"))), REJECT_STOP_FIELDS, "orders[0].stopPrice",
          "nothing" },
        { PLACE(REDUCING(STOP(",\"stopPrice\":\"4\",\"triggerType\":2"))), REJECT_STOP_FIELDS_TYPE,
          "orders[0].stopType", "nothing" },
        { PLACE(REDUCING(STOP(",\"stopPrice\":\"4\",\"stopType\":1"))), REJECT_STOP_FIELDS_TRIGGER,
          "orders[0].triggerType", "nothing" },
        { PLACE(REDUCING(STOP(TRIGGER))), REJECT_NONE, "", "" },
        { PLACE(REDUCING(STOP(",\"quantity\":\"1\"" TRIGGER))), REJECT_NONE, "", "" },
        { PLACE(REDUCING(STOP(",\"stopPrice\":\"4\",\"stopType\":2,\"triggerType\":1"))), REJECT_NONE, "", "" },
        { PLACE(REDUCING(STOP(",\"stopPrice\":\"4\",\"stopType\":2,\"triggerType\":3"))), REJECT_NONE, "", "" },
        { PLACE(ITEM("\"modifier\":2,\"side\":1,\"type\":2,\"timeInForce\":3,\"funds\":\"1\"" TRIGGER)),
          REJECT_STOP_FUNDS, "orders[0].funds", "\"1\"" },
        { PLACE(REDUCING("\"modifier\":2,\"side\":2,\"type\":1,\"timeInForce\":1,\"price\":\"5\"" TRIGGER)),
          REJECT_NONE, "", "" },
        { PLACE(REDUCING("\"modifier\":2,\"side\":2,\"type\":1,\"timeInForce\":1" TRIGGER)), REJECT_LIMIT_NEEDS_PRICE,
          "orders[0].price", "nothing" },
        /* alone it needs a quantity; on the closing side of LONG or SHORT it only reduces (mechanics 3.1, 4.5) */
        { PLACE(ITEM(STOP(TRIGGER))), REJECT_STOP_QUANTITY, "orders[0].quantity", "nothing" },
        { PLACE(ITEM(STOP(",\"quantity\":\"1\"" TRIGGER))), REJECT_NONE, "", "" },
        { PLACE("{\"clOrdID\":\"a\"," STOP(TRIGGER) TAIL("false", "2")), REJECT_NONE, "", "" },
        { PLACE("{\"clOrdID\":\"a\"," STOP(TRIGGER) TAIL("false", "3")), REJECT_STOP_QUANTITY, "orders[0].quantity",
          "nothing" },
    };
    /* clang-format on */

    (void)state;
    check(&place_perps_shape, rows, ARRAY_COUNT(rows));
}

static void a_bracket_is_the_whole_batch_and_exactly_itself(void **state)
{
    /* clang-format off */
    static const struct row rows[] = {
        { PLACE(PARENT PROFIT), REJECT_NONE, "", "" },
        { PLACE(PARENT PROFIT LOSS), REJECT_NONE, "", "" },
        { PLACE(PARENT LOSS PROFIT), REJECT_NONE, "", "" },
        { PLACE(PARENT), REJECT_BRACKET_SHAPE, "orders[0].modifier", "3" },
        { PLACE(PARENT PROFIT LOSS LOSS), REJECT_BRACKET_SHAPE, "orders[0].modifier", "3" },
        { PLACE(PARENT "," ITEM(LIMIT)), REJECT_BRACKET_SHAPE, "orders[1].modifier", "1" },
        { PLACE(PARENT CHILD("2", "2", "2", "true")), REJECT_BRACKET_SHAPE, "orders[1].modifier", "2" },
        { PLACE(PARENT PROFIT "," PARENT), REJECT_BRACKET_SHAPE, "orders[2].modifier", "3" },
        { PLACE(ITEM(LIMIT) "," PARENT), REJECT_BRACKET_SHAPE, "orders[1].modifier", "3" },
        { PLACE(ITEM(LIMIT) PROFIT), REJECT_ATTACHED_ALONE, "orders[1].modifier", "4" },
        { PLACE("{\"clOrdID\":\"a\",\"modifier\":4,\"side\":2,\"type\":2,\"timeInForce\":3" TRIGGER TAIL("true", "1")),
          REJECT_ATTACHED_ALONE, "orders[0].modifier", "4" },
        { PLACE(PARENT LOSS), REJECT_BRACKET_STOPS, "orders[1].stopType", "1" },
        { PLACE(PARENT PROFIT PROFIT), REJECT_BRACKET_STOPS, "orders[2].stopType", "2" },
        { PLACE(PARENT LOSS LOSS), REJECT_BRACKET_STOPS, "orders[2].stopType", "1" },
        { PLACE(PARENT CHILD("4", "2", "2", "false")), REJECT_BRACKET_REDUCES, "orders[1].reduceOnly", "false" },
        { PLACE(PARENT PROFIT CHILD("4", "2", "1", "false")), REJECT_BRACKET_REDUCES, "orders[2].reduceOnly", "false" },
        { PLACE(PARENT CHILD("4", "1", "2", "true")), REJECT_BRACKET_SIDES, "orders[1].side", "1" },
        { PLACE("{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\","
          "\"quantity\":\"1\"" TAIL("true", "1") PROFIT),
          REJECT_BRACKET_REDUCES, "orders[0].reduceOnly", "true" },
        { PLACE("{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\","
          "\"quantity\":\"1\"" TAIL("false", "2") PROFIT), REJECT_NONE, "", "" },
        { PLACE("{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\","
          "\"quantity\":\"1\"" TAIL("false", "3") PROFIT),
          REJECT_BRACKET_REDUCES, "orders[0].reduceOnly", "false" },
        /* and each member follows the rules of an order */
        { PLACE(PARENT ",{\"clOrdID\":\"c\",\"modifier\":4,\"side\":2,\"type\":2,\"timeInForce\":3,"
          "\"stopPrice\":\"6\",\"stopType\":2" TAIL("true", "1")),
          REJECT_STOP_FIELDS_TRIGGER, "orders[1].triggerType", "nothing" },
        { PLACE("{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\""
          TAIL("false", "1") PROFIT),
          REJECT_LIMIT_NEEDS_QUANTITY, "orders[0].quantity", "nothing" },
        { PLACE("{\"clOrdID\":\"p\",\"modifier\":3,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\","
          "\"quantity\":\"1\"" TRIGGER TAIL("false", "1") PROFIT),
          REJECT_STOP_FIELDS, "orders[0].stopPrice", "\"4\"" },
    };
    /* clang-format on */

    (void)state;
    check(&place_perps_shape, rows, ARRAY_COUNT(rows));
}

static void one_hundred_orders_pass_and_one_more_does_not(void **state)
{
    struct shape_error error;

    (void)state;
    for (int count = 100; count <= 101; count++) {
        struct out out = out_make(text, sizeof(text));
        out_literal(&out, "{\"accountID\":1001,\"symbolID\":1,\"orders\":[");
        for (int i = 0; i < count; i++) {
            if (i != 0) out_char(&out, ',');
            out_literal(&out, ITEM(LIMIT));
        }
        out_literal(&out, "]}");
        assert_int_equal(shape_read(&place_perps_shape, out_slice(&out), &room, &error),
                         count == 100 ? REJECT_NONE : REJECT_BATCH_SIZE);
    }
}

static void flags_are_kept_and_written_as_they_were_signed(void **state)
{
    static const char  body[] = PLACE(REDUCING(LIMIT) "," ITEM(LIMIT));
    struct shape_error error;
    struct out         out = out_make(text, sizeof(text));

    (void)state;
    memset(&room, 0xff, sizeof(room));
    assert_int_equal(shape_read(&place_perps_shape, slice_of(body), &room, &error), REJECT_NONE);
    assert_int_equal(room.place.items[0].reduce_only, 1);
    assert_int_equal(room.place.items[1].reduce_only, 0);
    assert_int_equal(room.place.items[0].modifier, MODIFIER_NORMAL);
    assert_int_equal(room.place.items[0].stop_type, 0);
    assert_int_equal(room.place.symbol_id, 1);
    shape_write(&out, &place_perps_shape, &room, true);
    assert_true(slice_is(out_slice(&out), body));
}

#define CANCEL(target) "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1" target "}]}"
static void a_cancel_names_exactly_one_target(void **state)
{
    static const struct row rows[] = {
        { CANCEL(",\"orderID\":7"), REJECT_NONE, "", "" },
        { CANCEL(",\"clOrdID\":\"a\""), REJECT_NONE, "", "" },
        { CANCEL(",\"orderID\":7,\"clOrdID\":\"a\""), REJECT_PERPS_TARGET, "cancels[0].orderID", "7" },
        { CANCEL(""), REJECT_PERPS_TARGET, "cancels[0].orderID", "nothing" },
        { CANCEL(",\"orderID\":0"), REJECT_NUMBER_RANGE, "cancels[0].orderID", "0" },
        { CANCEL(",\"clOrdID\":\"\""), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "\"\"" },
        { CANCEL(",\"clOrdID\":\"a b\""), REJECT_BAD_CLIENT_ID, "cancels[0].clOrdID", "\"a b\"" },
        { CANCEL(",\"clOrdID\":\"a\",\"origClOrdID\":\"b\""), REJECT_UNKNOWN_FIELD, "cancels[0].origClOrdID",
          "origClOrdID" },
        { "{\"accountID\":1001,\"cancels\":[]}", REJECT_BATCH_SIZE, "cancels", "0 items" },
        { "{\"accountID\":1001,\"cancels\":[{\"orderID\":7}]}", REJECT_MISSING_FIELD, "cancels[0].symbolID",
          "nothing" },
    };

    (void)state;
    check(&cancel_perps_shape, rows, ARRAY_COUNT(rows));
}

#define MODIFY(rest) "{\"accountID\":1001,\"symbolID\":1" rest "}"
static void a_modification_names_one_order_and_changes_something(void **state)
{
    static const struct row rows[] = {
        { MODIFY(",\"orderID\":7,\"price\":\"1\""), REJECT_NONE, "", "" },
        { MODIFY(",\"clOrdID\":\"a\",\"quantity\":\"1\""), REJECT_NONE, "", "" },
        { MODIFY(",\"orderID\":7,\"stopPrice\":\"1\""), REJECT_NONE, "", "" },
        { MODIFY(",\"orderID\":7"), REJECT_MODIFY_NOTHING, "stopPrice", "nothing" },
        { MODIFY(",\"price\":\"1\""), REJECT_PERPS_TARGET, "orderID", "nothing" },
        { MODIFY(",\"orderID\":7,\"clOrdID\":\"a\",\"price\":\"1\""), REJECT_PERPS_TARGET, "orderID", "7" },
        { MODIFY(",\"orderID\":7,\"price\":\"0\""), REJECT_NOT_POSITIVE, "price", "\"0\"" },
        { MODIFY(",\"orderID\":7,\"stopPrice\":\"-1\""), REJECT_NOT_POSITIVE, "stopPrice", "\"-1\"" },
        { MODIFY(",\"cmodify.lOrdID\":\"a\",\"price\":\"1\""), REJECT_UNKNOWN_FIELD, "cmodify.lOrdID",
          "cmodify.lOrdID" },
        { "{\"accountID\":1001,\"orderID\":7,\"price\":\"1\"}", REJECT_MISSING_FIELD, "symbolID", "nothing" },
    };

    (void)state;
    check(&modify_order_shape, rows, ARRAY_COUNT(rows));
}

static void leverage_has_a_mode(void **state)
{
    static const struct row rows[] = {
        { MODIFY(",\"leverage\":10,\"marginMode\":1"), REJECT_NONE, "", "" },
        { MODIFY(",\"leverage\":10,\"marginMode\":2"), REJECT_NONE, "", "" },
        { MODIFY(",\"leverage\":0,\"marginMode\":2"), REJECT_NONE, "",
          "" }, /* the symbol's bounds are the engine's affair */
        { MODIFY(",\"leverage\":10,\"marginMode\":0"), REJECT_ENUM_RANGE, "marginMode", "0" },
        { MODIFY(",\"leverage\":10,\"marginMode\":3"), REJECT_ENUM_RANGE, "marginMode", "3" },
        { MODIFY(",\"leverage\":10"), REJECT_MISSING_FIELD, "marginMode", "nothing" },
        { MODIFY(",\"marginMode\":2"), REJECT_MISSING_FIELD, "leverage", "nothing" },
        { MODIFY(",\"leverage\":\"10\",\"marginMode\":2"), REJECT_WRONG_TYPE, "leverage", "\"10\"" },
        { MODIFY(",\"leverage\":2.5,\"marginMode\":2"), REJECT_NUMBER_RANGE, "leverage", "2.5" },
        { MODIFY(",\"leverage\":4294967296,\"marginMode\":2"), REJECT_NUMBER_RANGE, "leverage", "4294967296" },
    };

    (void)state;
    check(&update_leverage_shape, rows, ARRAY_COUNT(rows));
}

static void margin_is_signed_and_not_zero(void **state)
{
    static const struct row rows[] = {
        { MODIFY(",\"amount\":\"50\""), REJECT_NONE, "", "" },
        { MODIFY(",\"amount\":\"-50.25\""), REJECT_NONE, "", "" },
        { MODIFY(",\"amount\":\"0.0000001\""), REJECT_NONE, "", "" }, /* the coin's decimals are the engine's affair */
        { MODIFY(",\"amount\":\"0\""), REJECT_MARGIN_AMOUNT, "amount", "\"0\"" },
        { MODIFY(",\"amount\":\"0.00\""), REJECT_MARGIN_AMOUNT, "amount", "\"0\"" },
        { MODIFY(",\"amount\":\"-0\""), REJECT_BAD_DECIMAL, "amount", "\"-0\"" },
        { MODIFY(",\"amount\":\"+5\""), REJECT_BAD_DECIMAL, "amount", "\"+5\"" },
        { MODIFY(",\"amount\":\"--5\""), REJECT_BAD_DECIMAL, "amount", "\"--5\"" },
        { MODIFY(",\"amount\":5"), REJECT_WRONG_TYPE, "amount", "5" },
        { MODIFY(""), REJECT_MISSING_FIELD, "amount", "nothing" },
    };

    (void)state;
    check(&update_margin_shape, rows, ARRAY_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_follow_the_rules_of_placement),
        cmocka_unit_test(stops_give_all_three_of_their_keys_and_others_none),
        cmocka_unit_test(a_bracket_is_the_whole_batch_and_exactly_itself),
        cmocka_unit_test(one_hundred_orders_pass_and_one_more_does_not),
        cmocka_unit_test(flags_are_kept_and_written_as_they_were_signed),
        cmocka_unit_test(a_cancel_names_exactly_one_target),
        cmocka_unit_test(a_modification_names_one_order_and_changes_something),
        cmocka_unit_test(leverage_has_a_mode),
        cmocka_unit_test(margin_is_signed_and_not_zero),
    };
    return cmocka_run_group_tests_name("shape_perps", tests, NULL, NULL);
}
