/* SPDX-License-Identifier: MIT */
/* message_test.c — messages of stream clients, read as leniently as wire 6.4 requires, and no more. */
#include "wire/message.h"

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static struct stream_message message;

static bool reads(const char *text)
{
    const char *error = NULL;
    bool        fine = message_read(slice_of(text), &message, &error);

    assert_non_null(error);
    return fine;
}

static void the_three_ops_and_no_other(void **state)
{
    (void)state;
    assert_true(reads("{\"op\":\"subscribe\"}"));
    assert_int_equal(message.op, OP_SUBSCRIBE);
    assert_true(reads(" { \"op\" : \"unsubscribe\" } "));
    assert_int_equal(message.op, OP_UNSUBSCRIBE);
    assert_true(reads("{\"op\":\"ping\",\"params\":null,\"else\":[1,{\"a\":null}]}"));
    assert_int_equal(message.op, OP_PING);
    assert_null(message.id.at);
    assert_false(reads("{\"op\":\"Ping\"}"));
    assert_false(reads("{\"op\":\"\"}"));
    assert_false(reads("{\"op\":1}"));
    assert_false(reads("{\"op\":null}"));
    assert_false(reads("{\"op\":\"pi\\u006eg\"}"));
    assert_false(reads("{}"));
}

static void what_is_no_single_object_is_refused(void **state)
{
    /* clang-format off */
    static const char *const texts[] = {
        "", "[]", "\"op\"", "{", "{\"op\"", "{\"op\":", "{\"op\":\"ping\"", "{\"op\":\"ping\",", "{\"op\":\"ping\",}",
            "{\"op\" \"ping\"}", "{op:\"ping\"}",
        "{\"op\":\"ping\"}{}", "{\"op\":\"ping\"} x", "{\"op\":\"ping\" \"id\":1}", "{\"op\":\"ping\",\"params\":1}",
            "{\"op\":\"ping\",\"params\":nul}",
        "{\"op\":\"ping\",\"params\":{\"symbol\":[}}", "{\"op\":\"ping\",\"params\":{\"symbol\":[\"a\" \"b\"]}}",
        "{\"op\":\"ping\",\"params\":{\"symbol\":tru}}", "{\"op\":\"ping\",\"params\":{\"level\":1x}}",
        "{\"op\":\"ping\",\"params\":{\"channel\":\"\\q\"}}", "{\"op\":\"ping\",\"params\":{\"other\":}}",
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        if (reads(texts[i])) fail_msg("taken: %s", texts[i]);
}

/* Wire 6.4: unknown parameters are accepted, whatever they hold; 128 levels, as in JSON elsewhere. */
static void what_is_unknown_may_be_deep(void **state)
{
    char       text[512];
    struct out out;

    (void)state;
    for (uint32_t depth = 127; depth <= 129; depth++) {
        for (uint32_t at = 0; at < 2; at++) {
            out = out_make(text, sizeof(text) - 1);
            out_text(&out, at == 0 ? "{\"op\":\"ping\",\"x\":" : "{\"op\":\"ping\",\"params\":{\"x\":");
            for (uint32_t i = 0; i < depth; i++) out_char(&out, '[');
            for (uint32_t i = 0; i < depth; i++) out_char(&out, ']');
            out_text(&out, at == 0 ? "}" : "}}");
            text[out.len] = '\0';
            assert_int_equal(reads(text), depth <= 128);
        }
    }
}

static void an_id_is_kept_as_it_was_sent(void **state)
{
    char text[128];

    (void)state;
    assert_true(reads("{\"id\":7,\"op\":\"ping\"}"));
    assert_true(slice_is(message.id, "7"));
    assert_true(reads("{\"id\":\"a\\n7\",\"op\":\"ping\"}"));
    assert_true(slice_is(message.id, "\"a\\n7\""));
    assert_true(reads("{\"id\":null,\"op\":\"ping\"}"));
    assert_null(message.id.at);
    assert_true(reads("{\"id\":{\"a\":1},\"op\":\"ping\"}"));
    assert_null(message.id.at);
    assert_true(reads("{\"id\":[1],\"op\":\"ping\"}"));
    assert_null(message.id.at);
    (void)snprintf(text, sizeof(text), "{\"id\":\"%062d\",\"op\":\"ping\"}", 1);
    assert_true(reads(text));
    assert_int_equal(message.id.len, 64);
    (void)snprintf(text, sizeof(text), "{\"id\":\"%063d\",\"op\":\"ping\"}", 1);
    assert_false(reads(text));
}

static void params_are_texts_or_numbers_and_lists_or_one(void **state)
{
    (void)state;
    assert_true(reads("{\"op\":\"subscribe\",\"params\":{\"channel\":\"c\",\"interval\":\"1m\",\"level\":20,\"user\":"
                      "\"0x\",\"accountID\":1001,"
                      "\"tickSize\":\"0.1\",\"pushInterval\":100,\"unknown\":{\"symbol\":1}}}"));
    assert_true(slice_is(message.channel, "c") && slice_is(message.interval, "1m") && slice_is(message.level, "20")
                && slice_is(message.user, "0x") && slice_is(message.account_id, "1001")
                && slice_is(message.tick_size, "0.1") && slice_is(message.push_interval, "100"));
    assert_false(message.names_given);
    assert_true(reads(
        "{\"op\":\"subscribe\",\"params\":{\"symbol\":\"A\",\"symbols\":[ \"B\" , 3 ],\"coin\":\"C\",\"coins\":[]}}"));
    assert_int_equal(message.name_count, 4);
    assert_true(slice_is(message.names[0], "A") && slice_is(message.names[1], "B") && slice_is(message.names[2], "3")
                && slice_is(message.names[3], "C"));
    assert_true(reads("{\"op\":\"subscribe\",\"params\":{\"symbols\":[]}}"));
    assert_true(message.names_given && message.name_count == 0);
    assert_true(reads("{\"op\":\"subscribe\",\"params\":{\"symbols\":null,\"channel\":null}}"));
    assert_true(!message.names_given && message.channel.at == NULL);
    assert_true(reads("{\"op\":\"subscribe\",\"params\":{}}"));
}

static void names_have_a_limit(void **state)
{
    char text[MESSAGE_NAMES_MAX * 4 + 128];

    (void)state;
    for (uint32_t names = MESSAGE_NAMES_MAX; names <= MESSAGE_NAMES_MAX + 1; names++) {
        size_t at = (size_t)snprintf(text, sizeof(text), "{\"op\":\"subscribe\",\"params\":{\"symbols\":[1");
        for (uint32_t i = 1; i < names; i++) at += (size_t)snprintf(text + at, sizeof(text) - at, ",2");
        (void)snprintf(text + at, sizeof(text) - at, "]}}");
        assert_true(reads(text));
        assert_int_equal(message.wrong.at == NULL, names == MESSAGE_NAMES_MAX);
        assert_int_equal(message.name_count, MESSAGE_NAMES_MAX);
    }
}

/* Decision 246. What stands behind the wrong value is read: op and id are known wherever they stand. */
static void a_value_of_another_form_names_its_parameter(void **state)
{
    static const struct {
        const char *params, *wrong; /* NULL: none */
    } rows[] = {
        { "\"symbol\":true", "symbol" },
        { "\"symbols\":[\"A\",{\"b\":1}],\"channel\":\"c\"", "symbols" },
        { "\"coins\":[[\"A\"]]", "coins" },
        { "\"coin\":{}", "coin" },
        { "\"channel\":[\"c\"]", "channel" },
        { "\"interval\":false", "interval" },
        { "\"level\":[5],\"user\":{}", "level" },
        { "\"user\":{}", "user" },
        { "\"accountID\":true", "accountID" },
        { "\"tickSize\":\"0\\u002e1\"", "tickSize" },
        { "\"pushInterval\":[]", "pushInterval" },
        { "\"level\":5", NULL },
        { "\"level\":null", NULL },
        { "\"depth\":[5]", NULL },
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        (void)snprintf(text, sizeof(text), "{\"params\":{%s},\"id\":7,\"op\":\"subscribe\"}", rows[i].params);
        assert_true(reads(text));
        assert_true(message.op == OP_SUBSCRIBE && slice_is(message.id, "7"));
        if (rows[i].wrong == NULL ? message.wrong.at != NULL : !slice_is(message.wrong, rows[i].wrong))
            fail_msg("%s: %.*s", rows[i].params, (int)message.wrong.len, message.wrong.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_ops_and_no_other),   cmocka_unit_test(what_is_no_single_object_is_refused),
        cmocka_unit_test(what_is_unknown_may_be_deep),  cmocka_unit_test(params_are_texts_or_numbers_and_lists_or_one),
        cmocka_unit_test(an_id_is_kept_as_it_was_sent), cmocka_unit_test(params_are_texts_or_numbers_and_lists_or_one),
        cmocka_unit_test(names_have_a_limit),           cmocka_unit_test(a_value_of_another_form_names_its_parameter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
