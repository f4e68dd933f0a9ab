/* SPDX-License-Identifier: MIT */
/* distribution_test.c — distributions: their text, their bounds, the same numbers for the same seed, their shape. */
#include "chaos/distribution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

static struct distribution read_text(const char *text)
{
    struct distribution distribution;
    const char         *need;

    if (!distribution_read(slice_of(text), &distribution, &need)) fail_msg("%s: needs %s", text, need);
    return distribution;
}

static void texts_are_read_and_written_back(void **state)
{
    static const char *const texts[][2] = {
        { "20", "20" },
        { "fixed:20", "20" },
        { "0", "0" },
        { "60000", "60000" },
        { "2.5", "2.5" },
        { "0.001", "0.001" },
        { "uniform:10:30", "uniform:10:30" },
        { "uniform:10:10", "uniform:10:10" },
        { "exponential:20", "exponential:20" },
        { "normal:20:5.25", "normal:20:5.25" },
        { "lognormal:20:0.5", "lognormal:20:0.5" },
        { "lognormal:20:4", "lognormal:20:4" },
        { "pareto:10:1.5", "pareto:10:1.5" },
        { "pareto:10:0.1", "pareto:10:0.1" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        struct distribution distribution = read_text(texts[i][0]);
        char                text[64];
        struct out          out = out_make(text, sizeof(text) - 1);

        distribution_write(&out, &distribution);
        text[out.len] = '\0';
        assert_string_equal(text, texts[i][1]);
    }
}

static void other_texts_are_refused_with_what_is_needed(void **state)
{
    static const char *const texts[] = {
        "",
        "x",
        "-1",
        "1.",
        ".5",
        "1.2345",
        "60001",
        "60000.001",
        "99999999999999999999",
        "fixed",
        "fixed:",
        "uniform:10",
        "uniform:30:10",
        "uniform:10:30:",
        "uniform:10:30:40",
        "exponential",
        "exponential:x",
        "normal:1",
        "lognormal:20:4.001",
        "lognormal:20",
        "pareto:10:0.099",
        "pareto:10:100.1",
        "gauss:1:2",
        "20 ",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        struct distribution distribution;
        const char         *need = NULL;
        if (distribution_read(slice_of(texts[i]), &distribution, &need)) fail_msg("\"%s\" was read", texts[i]);
        assert_non_null(need);
    }
}

#define DRAWS 20001

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorted times of one seed, and their mean. */
static int64_t draw_many(const char *text, uint64_t seed, int64_t times[DRAWS])
{
    struct distribution distribution = read_text(text);
    int64_t             sum = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        struct draw draw = { .seed = seed, .match = i + 1, .purpose = DRAW_IN };
        times[i] = distribution_draw(&distribution, &draw);
        assert_true(times[i] >= 0 && times[i] <= DISTRIBUTION_MAX_US);
        sum += times[i];
    }
    qsort(times, DRAWS, sizeof(times[0]), compare);
    return sum / DRAWS;
}

static int64_t times[DRAWS];

static void assert_near(int64_t value, int64_t wanted, int64_t percent)
{
    if (value < wanted - wanted * percent / 100 || value > wanted + wanted * percent / 100)
        fail_msg("%ld is not within %ld %% of %ld", (long)value, (long)percent, (long)wanted);
}

static void distributions_have_their_shape(void **state)
{
    (void)state;
    assert_int_equal(draw_many("20", 1, times), 20000);
    assert_int_equal(times[0], 20000);

    assert_near(draw_many("uniform:10:30", 1, times), 20000, 2);
    assert_true(times[0] >= 10000 && times[0] < 10100);
    assert_true(times[DRAWS - 1] <= 30000 && times[DRAWS - 1] > 29900);

    assert_near(draw_many("exponential:20", 1, times), 20000, 3);
    assert_near(times[DRAWS / 2], 13863, 3);        /* mean * ln 2 */
    assert_near(times[DRAWS * 99 / 100], 92103, 6); /* mean * ln 100 */

    assert_near(draw_many("normal:20:5", 1, times), 20000, 2);
    assert_near(times[DRAWS / 2], 20000, 2);
    assert_near(times[DRAWS * 8413 / 10000], 25000, 2); /* one deviation above */
    (void)draw_many("normal:1:5", 1, times);
    assert_int_equal(times[0], 0);

    (void)draw_many("lognormal:20:0.5", 1, times);
    assert_near(times[DRAWS / 2], 20000, 3);
    assert_near(times[DRAWS * 8413 / 10000], 32974, 4); /* median * e^0.5 */
    assert_near(times[DRAWS * 1587 / 10000], 12131, 4); /* median / e^0.5 */

    (void)draw_many("pareto:10:2", 1, times);
    assert_true(times[0] >= 10000);
    assert_near(times[DRAWS / 2], 14142, 3);          /* least * 2^(1/2) */
    assert_near(times[DRAWS * 99 / 100], 100000, 10); /* least * 100^(1/2) */
    (void)draw_many("pareto:60000:0.1", 1, times);
    assert_int_equal(times[DRAWS - 1], DISTRIBUTION_MAX_US);
}

static void a_seed_draws_the_same_times(void **state)
{
    static int64_t again[DRAWS];

    (void)state;
    (void)draw_many("lognormal:20:0.5", 7, times);
    (void)draw_many("lognormal:20:0.5", 7, again);
    assert_memory_equal(times, again, sizeof(times));
    (void)draw_many("lognormal:20:0.5", 8, again);
    assert_memory_not_equal(times, again, sizeof(times));
}

/* A change of the arithmetic would change what a seed has meant until now. */
static void known_draws(void **state)
{
    struct distribution distribution = read_text("lognormal:20:0.5");
    struct draw         draw = { .seed = 7, .match = 1, .purpose = DRAW_IN };
    struct draw         other = { .seed = 7, .match = 1, .purpose = DRAW_OUT };
    int64_t             in = distribution_draw(&distribution, &draw), out = distribution_draw(&distribution, &other);

    (void)state;
    assert_int_equal(in, 18695);
    assert_int_equal(out, 8802);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read_and_written_back),
        cmocka_unit_test(other_texts_are_refused_with_what_is_needed),
        cmocka_unit_test(distributions_have_their_shape),
        cmocka_unit_test(a_seed_draws_the_same_times),
        cmocka_unit_test(known_draws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
