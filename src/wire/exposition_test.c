/* SPDX-License-Identifier: MIT */
#include "wire/exposition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static char       room[65536];
static struct out out;

static int begin(void **state)
{
    (void)state;
    out = out_make(room, sizeof(room));
    return 0;
}

static void expect(const char *text)
{
    assert_false(out.overflow);
    assert_true(out.len < sizeof(room));
    room[out.len] = '\0';
    assert_string_equal(room, text);
    out.len = 0;
}

static void a_family_is_its_head_and_its_samples(void **state)
{
    struct sample sample;

    (void)state;
    exposition_head(&out, "x_total", "counter", "How many.");
    sample = sample_begin(&out, "x_total", "");
    sample_end(&sample, -3);
    sample = sample_begin(&out, "x", "_total");
    sample_label(&sample, "a", SLICE("b"));
    sample_label_number(&sample, "n", 7);
    sample_end(&sample, 9);
    expect("# HELP x_total How many.\n# TYPE x_total counter\nx_total -3\nx_total{a=\"b\",n=\"7\"} 9\n");
}

static void text_that_would_end_a_line_or_a_label_is_escaped(void **state)
{
    struct sample sample;

    (void)state;
    exposition_head(&out, "x", "gauge", "a \"b\"\nc\\d");
    sample = sample_begin(&out, "x", "");
    sample_label(&sample, "a", SLICE("\"b\"\nc\\d"));
    sample_end(&sample, 0);
    expect("# HELP x a \"b\"\\nc\\\\d\n# TYPE x gauge\nx{a=\"\\\"b\\\"\\nc\\\\d\"} 0\n");
}

static void decimals_are_exact_and_short(void **state)
{
    /* clang-format off */
    static const struct { int64_t units; uint32_t decimals; const char *text; } rows[] = {
        { 0, 6, "x 0\n" }, { 1, 6, "x 0.000001\n" }, { -1500000, 6, "x -1.5\n" }, { 120, 0, "x 120\n" },
          { 1000000, 6, "x 1\n" },
        { INT64_MIN, 9, "x -9223372036.854775808\n" }, { INT64_MAX, 18, "x 9.223372036854775807\n" },
    };
    /* clang-format on */

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct sample sample = sample_begin(&out, "x", "");
        sample_end_decimal(&sample, rows[i].units, rows[i].decimals);
        expect(rows[i].text);
    }
}

static void the_buckets_of_a_histogram_add_up(void **state)
{
    struct histogram_sum sum = { .sum_ns = 1500 };
    uint32_t             lines = 0;

    (void)state;
    sum.buckets[0] = 2;
    sum.buckets[2] = 1;
    sum.buckets[HISTOGRAM_BOUNDS] = 4;
    exposition_histogram(&out, "h_seconds", "stage", "parse", &sum);
    room[out.len] = '\0';
    assert_non_null(strstr(room, "h_seconds_bucket{stage=\"parse\",le=\"0.000000256\"} 2\n"
                                 "h_seconds_bucket{stage=\"parse\",le=\"0.000000384\"} 2\n"
                                 "h_seconds_bucket{stage=\"parse\",le=\"0.000000512\"} 3\n"));
    assert_non_null(strstr(room, "le=\"17.179869184\"} 3\nh_seconds_bucket{stage=\"parse\",le=\"+Inf\"} 7\n"
                                 "h_seconds_sum{stage=\"parse\"} 0.0000015\nh_seconds_count{stage=\"parse\"} 7\n"));
    for (size_t i = 0; i < out.len; i++) lines += room[i] == '\n';
    assert_int_equal(lines, HISTOGRAM_BOUNDS + 3);
    out.len = 0;
    exposition_histogram(&out, "h", NULL, NULL, &sum);
    assert_memory_equal(room, "h_bucket{le=\"0.000000256\"} 2\n", 29);
}

static void what_does_not_fit_is_said(void **state)
{
    struct histogram_sum sum = { .sum_ns = 0 };

    (void)state;
    out = out_make(room, 100);
    exposition_histogram(&out, "h", NULL, NULL, &sum);
    assert_true(out.overflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_family_is_its_head_and_its_samples, begin),
        cmocka_unit_test_setup(text_that_would_end_a_line_or_a_label_is_escaped, begin),
        cmocka_unit_test_setup(decimals_are_exact_and_short, begin),
        cmocka_unit_test_setup(the_buckets_of_a_histogram_add_up, begin),
        cmocka_unit_test_setup(what_does_not_fit_is_said, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
