/* SPDX-License-Identifier: MIT */
/* The tables of model/: properties of every row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/rejects.h"
#include "model/shape.h"

static void every_reject_has_a_code_a_status_and_a_text(void **state)
{
    (void)state;
    for (int reject = REJECT_NONE + 1; reject < REJECT_COUNT; reject++) {
        const struct reject_row *row = reject_row((enum reject)reject);
        assert_in_range(row->code, 40000, 50999);
        assert_in_range(row->http, 200, 599);
        assert_true(strlen(row->text) > 0 && strlen(row->name) > 0);
        if (row->http == 200) assert_true(row->code % 100 < 90); /* x90 and above are transport (ruling 34) */
    }
}

static void rejects_of_one_code_have_one_status(void **state)
{
    (void)state;
    for (int a = 1; a < REJECT_COUNT; a++)
        for (int b = a + 1; b < REJECT_COUNT; b++)
            if (reject_row((enum reject)a)->code == reject_row((enum reject)b)->code)
                assert_int_equal(reject_row((enum reject)a)->http, reject_row((enum reject)b)->http);
}

static void what_a_fired_stop_is_rejected_for_has_a_reason_of_its_own_or_is_margin(void **state)
{
    uint32_t others = 0;

    (void)state;
    for (int reject = REJECT_NONE + 1; reject < REJECT_COUNT; reject++) {
        enum end_reason reason = reject_end_reason((enum reject)reject);
        assert_non_null(enum_name_of(end_reason_names, (uint8_t)reason));
        others += reason != REASON_INSUFFICIENT_MARGIN;
    }
    assert_int_equal(others, 7);
    assert_int_equal(reject_end_reason(REJECT_ORDER_MARGIN), REASON_INSUFFICIENT_MARGIN);
    assert_int_equal(reject_end_reason(REJECT_SYMBOL_REDUCE_ONLY), REASON_REDUCE_ONLY);
    assert_int_equal(reject_end_reason(REJECT_SYMBOL_SETTLING), REASON_SETTLEMENT);
}

static void names_of_an_enum_are_found_by_value(void **state)
{
    (void)state;
    assert_string_equal(enum_name_of(time_in_force_names, TIF_GTX), "GTX");
    assert_string_equal(enum_name_of(order_status_names, STATUS_CANCELED), "CANCELED");
    assert_null(enum_name_of(side_names, 0));
    assert_null(enum_name_of(side_names, 3));
}

static void client_ids_are_1_to_36_of_their_characters(void **state)
{
    (void)state;
    assert_true(text_is_client_id(SLICE("a")));
    assert_true(text_is_client_id(SLICE("09azAZ_-")));
    assert_true(text_is_client_id(SLICE("123456789012345678901234567890123456")));
    assert_false(text_is_client_id(SLICE("")));
    assert_false(text_is_client_id(SLICE("1234567890123456789012345678901234567")));
    for (int c = -128; c < 128; c++) {
        char text[1] = { (char)c };
        bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
        assert_int_equal(text_is_client_id(slice_make(text, 1)), fine);
    }
}

static void equal_ids_are_equal_in_memory(void **state)
{
    struct client_id a, b;

    (void)state;
    memset(&a, 0x55, sizeof(a));
    memset(&b, 0xaa, sizeof(b));
    a = client_id_make(SLICE("id"));
    b = client_id_make(SLICE("id"));
    assert_true(client_id_equal(&a, &b));
    b = client_id_make(SLICE("ie"));
    assert_false(client_id_equal(&a, &b));
}

/* Every row of every request: a key, a sentence, and a member inside its struct. */
static void check_rows(const struct shape *shape)
{
    assert_true(shape->field_count >= 1 && shape->field_count <= 64);
    assert_true(strlen(shape->doc) > 0);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        size_t              len = strlen(field->doc);

        assert_true(strlen(field->key) > 0 && len > 0 && field->doc[len - 1] == '.');
        assert_true(field->offset < shape->size);
        assert_true((field->kind == KIND_ENUM) == (field->names != NULL));
        assert_true((field->kind == KIND_OBJECT || field->kind == KIND_ITEMS || field->kind == KIND_LIST)
                    == (field->item != NULL));
        if (field->kind == KIND_ITEMS)
            assert_true(field->offset + (size_t)field->count_max * field->item->size <= shape->size);
        if (field->item != NULL) check_rows(field->item);
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(shape->fields[k].key, field->key);
    }
}

static void every_row_of_a_request_has_its_place_and_its_sentence(void **state)
{
    (void)state;
    check_rows(&place_orders_shape);
    check_rows(&cancel_orders_shape);
    check_rows(&replace_orders_shape);
    check_rows(&schedule_cancel_shape);
}

static void commands_have_the_names_that_are_signed(void **state)
{
    (void)state;
    assert_string_equal(command_name(CMD_PLACE_ORDERS), "batchNewOrder");
    assert_string_equal(command_name(CMD_CANCEL_ORDERS), "batchCancelOrder");
    assert_string_equal(command_name(CMD_REPLACE_ORDERS), "replaceOrder");
    assert_string_equal(command_name(CMD_SCHEDULE_CANCEL), "scheduleCancel");
    assert_null(command_name(0));
    assert_null(command_name(65535));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reject_has_a_code_a_status_and_a_text),
        cmocka_unit_test(rejects_of_one_code_have_one_status),
        cmocka_unit_test(what_a_fired_stop_is_rejected_for_has_a_reason_of_its_own_or_is_margin),
        cmocka_unit_test(names_of_an_enum_are_found_by_value),
        cmocka_unit_test(client_ids_are_1_to_36_of_their_characters),
        cmocka_unit_test(equal_ids_are_equal_in_memory),
        cmocka_unit_test(every_row_of_a_request_has_its_place_and_its_sentence),
        cmocka_unit_test(commands_have_the_names_that_are_signed),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
