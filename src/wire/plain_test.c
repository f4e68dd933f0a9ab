/* SPDX-License-Identifier: MIT */
/* What is plain, and that it is read as shape_read reads it. Random bodies: shape_judge_test.c. */
#include "wire/plain.h"

#include "rigs/wire/shape_rig.h"

#define ORDER                                                                                                          \
    "{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"95000.1\",\"quantity\":"  \
    "\"0.01\"}"
#define SECOND "{\"symbolID\":18,\"clOrdID\":\"Z_9\",\"side\":2,\"type\":2,\"timeInForce\":3,\"quantity\":\"12\"}"
#define PERPS                                                                                                          \
    "{\"clOrdID\":\"p\",\"modifier\":1,\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"1\",\"quantity\":\"2\","    \
    "\"reduceOnly\":"
#define ID_36             "abcdefghijklmnopqrstuvwxyz0123456789"
#define BATCH(orders)     "{\"accountID\":1001,\"orders\":[" orders "]}"
#define LEVERAGE(members) "{\"accountID\":1,\"symbolID\":2," members "}"

struct body {
    const struct shape *shape;
    const char         *text;
};

static struct plain_forms forms;

/* Read from memory that ends where the body ends, over bytes that are not zero. */
static bool reads(const struct body *body)
{
    const struct plain_form *form = plain_form(&forms, body->shape);
    size_t                   len = strlen(body->text);
    char                    *exact = malloc(len != 0 ? len : 1);
    bool                     plain;

    assert_non_null(form);
    assert_non_null(exact);
    memcpy(exact, body->text, len);
    memset(room, 0xa5, form->cleared);
    memset(room + form->cleared, 0, sizeof(room) - form->cleared);
    plain = plain_read(form, slice_make(exact, len), room);
    free(exact);
    return plain;
}

static void plain_bodies_are_read_as_by_the_general_reader(void **state)
{
    static const struct body bodies[] = {
        { &place_orders_shape, BATCH(ORDER) },
        { &place_orders_shape, BATCH(ORDER "," SECOND "," ORDER) },
        { &place_orders_shape, "{\"orders\":[" SECOND "]}" },
        { &cancel_orders_shape, "{\"accountID\":0,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"" ID_36 "\"},"
                                "{\"symbolID\":2,\"clOrdID\":\"x\",\"orderID\":1234567890123456789}]}" },
        { &replace_orders_shape, "{\"accountID\":7,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"n\",\"origClOrdID\":\"o\","
                                 "\"price\":\"0.000001\"}]}" },
        { &schedule_cancel_shape, "{\"accountID\":1001,\"scheduledTimestamp\":1767571200000}" },
        { &schedule_cancel_shape, "{\"accountID\":1001}" },
        { &schedule_cancel_shape, "{\"accountID\":1001,\"scheduledTimestamp\":0}" },
        { &revoke_key_shape, "{\"accountID\":1001,\"name\":\"bot-1\"}" },
        { &place_perps_shape, "{\"accountID\":1,\"symbolID\":1,\"orders\":[" PERPS "false,\"positionSide\":1}]}" },
        { &place_perps_shape, "{\"accountID\":1,\"symbolID\":1,\"orders\":[" PERPS "true,\"positionSide\":3}]}" },
        { &cancel_perps_shape, "{\"accountID\":1,\"cancels\":[{\"symbolID\":1,\"orderID\":5}]}" },
        { &modify_order_shape, "{\"accountID\":1,\"symbolID\":1,\"orderID\":5,\"stopPrice\":\"10.5\"}" },
        { &update_leverage_shape, LEVERAGE("\"leverage\":25,\"marginMode\":2") },
        { &transfer_asset_shape,
          "{\"id\":1,\"fromAccountID\":1001,\"toAccountID\":999,\"coinID\":0,\"amount\":\"1.5\",\"type\":3}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        if (!reads(&bodies[i])) fail_msg("%s", bodies[i].text);
        assert_int_equal(shape_read_strictly(bodies[i].shape, slice_of(bodies[i].text), other_room, &error),
                         REJECT_NONE);
        assert_memory_equal(room, other_room, bodies[i].shape->size);
    }
}

static void the_rest_is_left_to_the_general_reader(void **state)
{
    static const struct body right[] = {
        { &place_orders_shape, "{ \"accountID\":1001,\"orders\":[" ORDER "]}" },
        { &place_orders_shape, BATCH(ORDER ", " SECOND) },
        { &place_orders_shape, BATCH(ORDER) " " },
        { &place_orders_shape, "{\"orders\":[" ORDER "],\"accountID\":1001}" },
        { &place_orders_shape, "{\"accountID\":18446744073709551615,\"orders\":[" ORDER "]}" },
        { &place_orders_shape, "{\"orders\":[" ORDER "],\"builder\":{}}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"1.0\"}" },
        { &modify_order_shape,
          "{\"symbolID\":1,\"orderID\":5,\"price\":\"0.1234567890123456\",\"quantity\":\"10.50\"}" },
        { &update_margin_shape, "{\"symbolID\":1,\"amount\":\"-5\"}" },
        { &cancel_orders_shape, "{\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"\",\"orderID\":1}]}" },
    };
    static const struct body wrong[] = {
        { &place_orders_shape, "" },
        { &place_orders_shape, "}" },
        { &place_orders_shape, "{}" },
        { &place_orders_shape, "{\"accountID\":}" },
        { &place_orders_shape, "{\"accountID\":1001}" },
        { &place_orders_shape, "{\"accountID\":01,\"orders\":[" ORDER "]}" },
        { &place_orders_shape, BATCH("") },
        { &place_orders_shape, BATCH(ORDER ORDER) },
        { &place_orders_shape, BATCH(ORDER ",") },
        { &place_orders_shape, "{\"accountID\":1001,\"orders\":[" ORDER "}" },
        { &place_orders_shape, BATCH(ORDER) "}" },
        { &place_orders_shape, "{\"accountID\":1,\"accountID\":1,\"orders\":[" ORDER "]}" },
        { &place_orders_shape, BATCH("{\"symbolID\":1,\"clOrdID\":\"" ID_36 "x\",\"side\":1}") },
        { &schedule_cancel_shape, "{\"accountID\":0}" },
        { &schedule_cancel_shape, "{\"accountID\":1,\"scheduledTimestamp\":18446744073709551616}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"0\"}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"01\"}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"1.\"}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\".5\"}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"1}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"1.5.5\"}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5,\"price\":\"1234567890123456789\"}" },
        { &update_leverage_shape, LEVERAGE("\"leverage\":4294967296,\"marginMode\":2") },
        { &update_leverage_shape, LEVERAGE("\"leverage\":5,\"marginMode\":3") },
        { &update_leverage_shape, LEVERAGE("\"leverage\":5,\"marginMode\":22") },
        { &place_perps_shape, "{\"symbolID\":1,\"orders\":[" PERPS "tru,\"positionSide\":1}]}" },
        { &place_perps_shape, "{\"symbolID\":1,\"orders\":[" PERPS "f}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(right); i++) {
        if (reads(&right[i])) fail_msg("%s", right[i].text);
        assert_int_equal(shape_read(right[i].shape, slice_of(right[i].text), other_room, &error), REJECT_NONE);
    }
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        if (reads(&wrong[i])) fail_msg("%s", wrong[i].text);
        assert_int_not_equal(shape_read(wrong[i].shape, slice_of(wrong[i].text), other_room, &error), REJECT_NONE);
    }
}

static void rules_between_members_are_checked(void **state)
{
    static const struct body bodies[] = {
        { &place_orders_shape,
          BATCH("{\"symbolID\":1,\"clOrdID\":\"a\",\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"5\"}") },
        { &cancel_orders_shape,
          "{\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"a\",\"orderID\":1,\"origClOrdID\":\"b\"}]}" },
        { &modify_order_shape, "{\"symbolID\":1,\"orderID\":5}" },
        { &update_margin_shape, "{\"symbolID\":1}" },
        { &place_perps_shape,
          "{\"symbolID\":1,\"orders\":[{\"clOrdID\":\"p\",\"modifier\":4,\"side\":1,\"type\":2,"
          "\"timeInForce\":3,\"stopPrice\":\"5\",\"stopType\":1,\"triggerType\":2,\"reduceOnly\":true,"
          "\"positionSide\":1}]}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        if (reads(&bodies[i])) fail_msg("%s", bodies[i].text);
        assert_int_not_equal(shape_read(bodies[i].shape, slice_of(bodies[i].text), other_room, &error), REJECT_NONE);
    }
}

/* One more than the batch has room for, and exactly as many. */
static void no_more_items_than_there_is_room_for(void **state)
{
    struct body body = { &cancel_perps_shape, text_room };

    (void)state;
    for (uint32_t count = BATCH_MAX; count <= BATCH_MAX + 1; count++) {
        struct out out = out_make(text_room, sizeof(text_room));

        out_literal(&out, "{\"cancels\":[");
        for (uint32_t i = 0; i < count; i++)
            out_text(&out, i == 0 ? "{\"symbolID\":1,\"orderID\":5}" : ",{\"symbolID\":1,\"orderID\":5}");
        out_literal(&out, "]}");
        out_char(&out, '\0');
        assert_int_equal(reads(&body), count == BATCH_MAX);
    }
}

static void shapes_of_other_kinds_have_no_plain_bodies(void **state)
{
    (void)state;
    assert_null(plain_form(&forms, &add_key_shape)); /* an address is required */
    assert_null(plain_form(&forms, &genesis_shape));
    assert_ptr_equal(plain_form(&forms, &place_orders_shape), plain_form(&forms, &place_orders_shape));
}

static int make_forms(void **state)
{
    (void)state;
    plain_forms_init(&forms);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bodies_are_read_as_by_the_general_reader),
        cmocka_unit_test(the_rest_is_left_to_the_general_reader),
        cmocka_unit_test(rules_between_members_are_checked),
        cmocka_unit_test(no_more_items_than_there_is_room_for),
        cmocka_unit_test(shapes_of_other_kinds_have_no_plain_bodies),
    };
    return cmocka_run_group_tests_name("plain bodies", tests, make_forms, NULL);
}
