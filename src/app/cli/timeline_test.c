/* SPDX-License-Identifier: MIT */
/* The text of a scenario: what is read, and each mistake with the words that name it. */
#include "app/cli/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static struct timeline timeline; /* large */

#define HEAD "{\"name\":\"n\",\"about\":\"a\",\"ends\":\"5m\","

static void refused(const char *text, const char *words)
{
    char why[256] = "";

    assert_false(timeline_read(slice_of(text), &timeline, why));
    timeline_free(&timeline);
    if (strstr(why, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        int64_t     ms;
    } good[] = { { "0s", 0 },      { "250ms", 250 },  { "90s", 90000 },
                 { "5m", 300000 }, { "1h", 3600000 }, { "400d", TIMELINE_MS_MAX } };
    static const char *const bad[] = { "", "s", "5", "-5s", "5 s", "1.5s", "5w", "401d", "9999999999999s" };
    int64_t                  ms;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        assert_true(timeline_ms(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) assert_false(timeline_ms(bad[i], &ms));
}

static void steps_are_in_the_order_of_time(void **state)
{
    char why[256];

    (void)state;
    assert_true(timeline_read(SLICE(HEAD "\"market\":\"none\",\"seed\":9,\"steps\":["
                                         "{\"at\":\"9s\",\"do\":\"halt\",\"symbol\":\"B\"},"
                                         "{\"at\":\"2s\",\"do\":\"restart\",\"note\":\"x\"},"
                                         "{\"at\":\"9s\",\"do\":\"halt\",\"symbol\":\"C\",\"halted\":false}],"
                                         "\"expect\":[{\"liquidated\":1003},{\"from\":\"1s\",\"by\":\"2s\",\"read\":\"/"
                                         "healthz\",\"absent\":true}]}"),
                              &timeline, why));
    assert_string_equal(timeline.market, "none");
    assert_int_equal(timeline.seed, 9);
    assert_int_equal(timeline.ends_ms, 300000);
    assert_int_equal(timeline.step_count, 3);
    assert_int_equal(timeline.steps[0].row->number, DO_RESTART);
    assert_string_equal(json_string_value(json_object_get(timeline.steps[1].keys, "symbol")), "B");
    assert_string_equal(json_string_value(json_object_get(timeline.steps[2].keys, "symbol")), "C");
    assert_int_equal(timeline.expectations[0].from_ms, 0);
    assert_int_equal(timeline.expectations[0].by_ms, 300000);
    assert_int_equal(timeline.expectations[1].from_ms, 1000);
    assert_int_equal(timeline.expectations[1].by_ms, 2000);
    timeline_free(&timeline);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    refused("{\"name\":\"n\",", "line 1");
    refused("[]", "a JSON object");
    refused("{\"name\":\"n\",\"name\":\"m\"}", "line 1");
    refused("{\"name\":\"n\",\"about\":\"a\",\"steps\":[]}", "ends is missing");
    refused(HEAD "\"steps\":[],\"sed\":7}", "sed: there is no such key");
    refused(HEAD "\"steps\":[],\"seed\":-1}", "seed is not a whole number");
    refused(HEAD "\"steps\":{}}", "steps is not a list");
    refused(HEAD "\"steps\":[7]}", "steps[0] is not an object");
    refused(HEAD "\"steps\":[{\"at\":\"1s\",\"do\":\"explode\"}]}", "steps[0].do is explode");
    refused(HEAD "\"steps\":[{\"at\":\"1s\",\"do\":\"halt\"}]}", "steps[0].symbol is missing");
    refused(HEAD "\"steps\":[{\"at\":\"1s\",\"do\":\"halt\",\"symbol\":7}]}", "steps[0].symbol is not a text");
    refused(HEAD "\"steps\":[{\"at\":\"1s\",\"do\":\"halt\",\"symbol\":\"B\",\"sybmol\":1}]}", "steps[0].sybmol");
    refused(HEAD "\"steps\":[{\"at\":\"1\",\"do\":\"restart\"}]}", "steps[0].at is not a time");
    refused(HEAD "\"steps\":[{\"at\":\"301s\",\"do\":\"restart\"}]}", "steps[0].at is behind the end");
    refused(HEAD "\"steps\":[],\"expect\":[{\"by\":\"1s\"}]}", "expect[0]. has none of");
    refused(HEAD "\"steps\":[],\"expect\":[{\"read\":\"/healthz\"}]}", "exactly one of is");
    refused(HEAD "\"steps\":[],\"expect\":[{\"read\":\"/healthz\",\"is\":\"1\",\"above\":\"0\"}]}",
            "exactly one of is");
    refused(HEAD "\"steps\":[],\"expect\":[{\"liquidated\":1003,\"from\":\"9s\",\"by\":\"8s\"}]}", "not in this order");
    refused(HEAD "\"steps\":[],\"expect\":[{\"liquidated\":1003,\"by\":\"6m\"}]}", "not in this order");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(steps_are_in_the_order_of_time),
        cmocka_unit_test(mistakes_are_named),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
