/* SPDX-License-Identifier: MIT */
#include "app/cli/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void expect(const char *json, const char *text)
{
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    char   *got = json_text(value);

    assert_non_null(value);
    assert_non_null(got);
    assert_string_equal(got, text);
    free(got);
    json_decref(value);
}

static void fractions_are_as_they_were_written(void **state)
{
    static const char *const fractions[] = { "0.3",        "0.1",         "0.0001",
                                             "0.00001",    "0.000012",    "0.000001",
                                             "0.999999",   "-0.00000015", "0.00000000123456789012345",
                                             "123456.789", "-1.5" };

    (void)state;
    for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) expect(fractions[i], fractions[i]);
    expect("1e-6", "0.000001");
    expect("25E-7", "0.0000025");
    expect("1e20", "1e20"); /* the exchange refuses it, as too much */
}

static void nothing_else_changes(void **state)
{
    (void)state;
    expect("[1, -20, 0, true, null, \"1e-6\"]", "[1,-20,0,true,null,\"1e-6\"]");
    expect("{\"1e-6\": \"a\\\"1e-6\\\\\", \"b\": [1e-6, 2e-5]}",
           "{\"1e-6\":\"a\\\"1e-6\\\\\",\"b\":[0.000001,0.00002]}");
    expect("\"\"", "\"\"");
    assert_null(json_text(NULL));
}

/* The smallest double has 323 zeros and one digit: it stays as it is. */
static void the_smallest_ones_have_room(void **state)
{
    json_t *value = json_loads("[2.22507385850721e-308,2.22507385850721e-308,5e-324]", 0, NULL), *back;
    char   *got = json_text(value);

    (void)state;
    assert_non_null(got);
    back = json_loads(got, 0, NULL);
    assert_non_null(back);
    for (size_t i = 0; i < 3; i++)
        assert_true(json_real_value(json_array_get(back, i)) == json_real_value(json_array_get(value, i)));
    free(got);
    json_decref(back);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_are_as_they_were_written),
        cmocka_unit_test(nothing_else_changes),
        cmocka_unit_test(the_smallest_ones_have_room),
    };
    return cmocka_run_group_tests_name("app/json_text", tests, NULL, NULL);
}
